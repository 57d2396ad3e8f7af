"""What people look at: frames made of artifacts, and the charts, tables and cards made of frames."""
