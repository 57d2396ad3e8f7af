"""Frames: columns and types, empties, and one worked value each."""
