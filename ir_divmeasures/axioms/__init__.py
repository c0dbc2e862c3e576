"""Check which of the ten constraints of Amigó et al. (SIGIR 2018) a measure satisfies, with counter-examples."""

from ..errors import module_without
from .cases import Counterexample
from .claims import proofs
from .constraints import CONSTRAINTS, Constraint
from .subjects import at_topic_level, unweighted
from .verdicts import Cell, Check, Row, Table, check, table

_PROOFS = (
    "proofs() has the proved cells of Table 1, and the repository's reference/proofs.py proves"
)
_TABLE1 = (
    'table() checks the rows of Table 1, and the study amigo-2018 compares them with the paper'
)
__getattr__ = module_without(
    __name__, {**dict.fromkeys(('Proof', 'prove', 'prove_table'), _PROOFS), 'table1': _TABLE1}
)

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
    'proofs',
    'table',
    'unweighted',
]
