"""Validation of a fabric: campaigns of tests on a real machine or on the twin."""
