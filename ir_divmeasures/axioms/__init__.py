"""Check which of the ten constraints of Amigó et al. (SIGIR 2018) a measure satisfies, with counter-examples."""

from . import table1
from .cases import Counterexample
from .constraints import CONSTRAINTS, Constraint
from .prove import Proof, prove, prove_table
from .subjects import at_topic_level, unweighted
from .verdicts import Cell, Check, Row, Table, check, table

__all__ = [
    'CONSTRAINTS',
    'Cell',
    'Check',
    'Constraint',
    'Counterexample',
    'Proof',
    'Row',
    'Table',
    'check',
    'prove',
    'prove_table',
    'table',
    'table1',
    'at_topic_level',
    'unweighted',
]
