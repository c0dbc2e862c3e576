"""Published papers recomputed on your own runs, and the command ``ir_divmeasures study``."""

from .study import PAPERS, Study, study, tables

__all__ = ['PAPERS', 'Study', 'study', 'tables']
