"""Many evaluations at once: reading a folder of them, and comparing what they caught."""
