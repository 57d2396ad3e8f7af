"""Recorded runs to look into event by event, and to label for the calibration of a grader."""
