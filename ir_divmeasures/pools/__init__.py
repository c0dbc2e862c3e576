"""Pools of systems: which system retrieves which document, and what follows from it."""
