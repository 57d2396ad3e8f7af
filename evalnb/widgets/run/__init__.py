"""A finished run to look into, outcome by outcome."""
