"""An evaluator that is any command: it reads a sealed brief and reaches the system through a recording gateway only."""
