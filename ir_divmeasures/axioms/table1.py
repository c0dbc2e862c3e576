"""How tested measures stand to Table 1 of Amigó et al. 2018 (:mod:`ir_divmeasures.axioms.claims`)."""
from __future__ import annotations

from .claims import ALPHA, CLAIMS, EFFORT, PAPER, PERSISTENCE, Claim, rows
from .verdicts import CUT, MIXED, NARROW, NO, YES, Row, Table

SAME, READING, SETTING, AGAINST = 'as claimed', 'in the narrower reading', 'for some settings', 'contradicted'
CUTOFF, NOT_APPLICABLE = 'hangs on the cutoff', 'called not applicable'

AD_HOC = ('P@k', 'RR', 'AP', 'nDCG@k', 'ERR@k', 'RBP')
"""Measures that know nothing of aspects: the paper's §4.1 calls its constraints 6 to 10 not applicable to them."""


def verdict(row: Row, constraint: str) -> str:
    """How a tested row stands to the paper's cell: ``SAME``, ``READING``, ``SETTING`` or ``AGAINST``."""
    claimed = CLAIMS[row.label].cells[constraint]
    found = row.symbol(constraint)
    if found == claimed or (claimed == NO and found in (NARROW, CUT)):
        return SAME
    if found == MIXED:
        return SETTING
    return READING if found == NARROW and claimed == YES else AGAINST


def verdicts(tested: Table, shallow: Table | None = None) -> list[tuple[Row, str, str]]:
    """(row, constraint, verdict) for every cell of the paper's table.

    Args:
        tested: the twenty rows without a cutoff.
        shallow: the same at a cutoff. With it a cell that is contradicted by one of the two tables and not by the other
            is ``CUTOFF``, unless it fails only past the cutoff; and one that the paper denies an ad-hoc measure as not
            applicable, and that holds, ``NOT_APPLICABLE``.
    """
    found = []
    for row in tested:
        for constraint in CLAIMS[row.label].cells:
            said = verdict(row, constraint)
            if shallow is not None:
                at_cutoff = shallow[row.label]
                hidden = at_cutoff.symbol(constraint) in (CUT, NARROW, MIXED)
                if not hidden and (said == AGAINST) != (verdict(at_cutoff, constraint) == AGAINST):
                    said = CUTOFF
                elif said == AGAINST and row.label in AD_HOC and constraint in DIVERSITY:
                    said = NOT_APPLICABLE
            found.append((row, constraint, said))
    return found


DIVERSITY = ('AspDiv', 'Red', 'MRed', 'Sat', 'AspRel')
"""The diversity-oriented constraints."""


__all__ = ['AD_HOC', 'AGAINST', 'ALPHA', 'CLAIMS', 'CUTOFF', 'DIVERSITY', 'EFFORT', 'NOT_APPLICABLE', 'PAPER',
           'PERSISTENCE', 'READING', 'SAME', 'SETTING', 'Claim', 'rows', 'verdict', 'verdicts']
