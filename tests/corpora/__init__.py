"""Corpora: what a folder holds, and how corpora compare."""
