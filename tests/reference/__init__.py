"""Slow, literal readings of the measure definitions, to check the fast ones against."""
