"""A contract to walk through."""
