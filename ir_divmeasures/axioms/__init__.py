"""Check which of the ten constraints of Amigó et al. (SIGIR 2018) a measure satisfies, with counter-examples."""

from .cases import Counterexample
from .constraints import CONSTRAINTS, Constraint
from .subjects import at_topic_level, unweighted
from .verdicts import Cell, Check, Row, Table, check, table

__all__ = [
    'CONSTRAINTS',
    'Cell',
    'Check',
    'Constraint',
    'Counterexample',
    'Row',
    'Table',
    'at_topic_level',
    'check',
    'table',
    'unweighted',
]
