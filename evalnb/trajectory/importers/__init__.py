"""Traces of other tools become trajectories: a module a format, and one table that tells them apart."""
