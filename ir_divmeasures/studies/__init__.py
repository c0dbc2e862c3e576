"""Published papers recomputed on your own runs: :func:`paper`, and the command ``ir_divmeasures study``."""

from .paper import Paper, paper

__all__ = ['Paper', 'paper']
