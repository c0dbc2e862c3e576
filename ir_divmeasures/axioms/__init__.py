"""Check which of the ten constraints of Amigó et al. (SIGIR 2018) a measure satisfies, with counter-examples."""

from .checks import LEGEND, check, table
from .constraints import CONSTRAINTS, Constraint
from .subjects import View

__all__ = ['CONSTRAINTS', 'LEGEND', 'Constraint', 'View', 'check', 'table']
