"""Corpora side by side, to look behind their numbers."""
