"""Compare checks of measures with Table 1 of Amigó et al. 2018 (:mod:`ir_divmeasures.axioms.claims`)."""

from __future__ import annotations

from .claims import ALPHA, CLAIMS, EFFORT, PERSISTENCE, Claim, rows
from .verdicts import CUT, MIXED, NARROW, NO, YES, Row, Table

SAME, READING, SETTING, AGAINST = (
    'as claimed',
    'in the narrower reading',
    'for some settings',
    'contradicted',
)
CUTOFF, NOT_APPLICABLE = 'depends on the cutoff', 'called not applicable'

AD_HOC = ('P@k', 'RR', 'AP', 'nDCG@k', 'ERR@k', 'RBP')
"""Measures without aspects. The paper's §4.1 says that its constraints 6 to 10 do not apply to them."""


def verdict(row: Row, constraint: str) -> str:
    """Compare a cell of a checked row with the paper's cell: ``SAME``, ``READING``, ``SETTING`` or ``AGAINST``."""
    claimed = CLAIMS[row.label].cells[constraint]
    symbol = row.symbol(constraint)
    if symbol == claimed or (claimed == NO and symbol in (NARROW, CUT)):
        return SAME
    if symbol == MIXED:
        return SETTING
    return READING if symbol == NARROW and claimed == YES else AGAINST


def verdicts(tested: Table, shallow: Table | None = None) -> list[tuple[Row, str, str]]:
    """(row, constraint, verdict) for every cell of the paper's table.

    Args:
        tested: the twenty rows without a cutoff.
        shallow: the same rows at a cutoff. With it, a cell that only one of the two tables contradicts is ``CUTOFF``,
            unless it fails only past the cutoff. A constraint that holds for an ad-hoc measure, and that the paper
            calls not applicable to it, is ``NOT_APPLICABLE``.
    """
    cells = []
    for row in tested:
        for constraint in CLAIMS[row.label].cells:
            judgement = verdict(row, constraint)
            if shallow is not None:
                at_cutoff = shallow[row.label]
                hidden = at_cutoff.symbol(constraint) in (CUT, NARROW, MIXED)
                if not hidden and (judgement == AGAINST) != (
                    verdict(at_cutoff, constraint) == AGAINST
                ):
                    judgement = CUTOFF
                elif judgement == AGAINST and row.label in AD_HOC and constraint in DIVERSITY:
                    judgement = NOT_APPLICABLE
            cells.append((row, constraint, judgement))
    return cells


DIVERSITY = ('AspDiv', 'Red', 'MRed', 'Sat', 'AspRel')
"""The diversity-oriented constraints."""


__all__ = [
    'AD_HOC',
    'AGAINST',
    'ALPHA',
    'CLAIMS',
    'CUTOFF',
    'DIVERSITY',
    'EFFORT',
    'NOT_APPLICABLE',
    'PERSISTENCE',
    'READING',
    'SAME',
    'SETTING',
    'Claim',
    'rows',
    'verdict',
    'verdicts',
]
