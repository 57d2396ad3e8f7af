"""evalnb as a tool server: the compiler and the other stages at an agent's hand, read-only."""
