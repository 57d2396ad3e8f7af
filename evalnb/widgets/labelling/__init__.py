"""Labelling without a screen: the draft, what can be done to it, its file, and the record it becomes."""
