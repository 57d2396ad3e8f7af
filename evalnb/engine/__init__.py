"""Pure functions over immutable artifacts: no file, network, clock, subprocess or randomness."""
