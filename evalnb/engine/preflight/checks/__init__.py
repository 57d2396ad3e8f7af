"""The six pre-flight checks, a module each: from a planned check and the states of the legs to one result."""
