"""Behavior of the artifact shapes, on documents of our own."""
