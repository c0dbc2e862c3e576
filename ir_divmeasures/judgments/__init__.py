"""Judgments as tables and arrays."""
