"""Table 1 of Amigó et al. 2018: its twenty rows as measures of ours, and what it says of them."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .constraints import CONSTRAINTS
from .subjects import at_topic_level, unweighted
from .tables import CUT, MIXED, NARROW, NO, YES, Row, Table

PERSISTENCE, ALPHA, EFFORT = (0.8, 0.9, 0.99), (0.1, 0.25, 0.5, 0.75), (0.001, 0.05, 0.1, 0.5)
"""The settings of Amigó et al. 2018, §6.2."""


@dataclass(frozen=True)
class Claim:
    """A row of the paper's table.

    Attributes:
        measure: the measure of ours, parameters left open as ``{p}``, ``{alpha}``, ``{e}``.
        cells: the paper's ten cells, ``●`` or ``○``, in the order of ``CONSTRAINTS``.
        view: ``'topic'`` for ad-hoc measures, ``'unweighted'`` for those that the paper defines without weights (§4.3).
        cutoff: whether the measure takes one.
    """
    measure: str
    cells: str
    view: str = ''
    cutoff: bool = True

    def settings(self, k: int | None = None) -> list[Any]:
        """The measure in all its settings, at cutoff k where it takes one."""
        views: dict[str, Callable[[str], Any]] = {'topic': at_topic_level, 'unweighted': unweighted, '': str}
        at = f'@{k}' if k is not None and self.cutoff else ''
        names = dict.fromkeys(self.measure.format(p=p, alpha=alpha, e=e)
                              for p in PERSISTENCE for alpha in ALPHA for e in EFFORT)
        return [views[self.view](name + at) for name in names]


CLAIMS: dict[str, Claim] = {
    'P@k': Claim('P_IA', '○○●●○○○○○○', 'topic'),
    'RR': Claim('RR_IA', '○○●○○○○○○○', 'topic'),
    'AP': Claim('AP_IA', '○○○●○○○○○○', 'topic', cutoff=False),
    'nDCG@k': Claim('nDCG_IA', '●●○●○○○○○○', 'topic'),
    'ERR@k': Claim('gERR_IA', '●●●○○○○○○○', 'topic'),
    'RBP': Claim("RBP_IA(p={p},gain='linear')", '●●●●○○○○○○', 'topic'),
    'P-IA@k': Claim('P_IA', '○○●●○○○○○●'),
    'RR-IA@k': Claim('RR_IA', '○○●○○○○○●●'),
    'AP-IA': Claim('AP_IA', '●●○●○○○○○●', cutoff=False),
    'nDCG-IA@k': Claim('nDCG_IA', '●●○●○●○○○●'),
    'ERR-IA@k': Claim('gERR_IA', '●●●○○●●●●●'),
    'RBP-IA': Claim("RBP_IA(p={p},gain='linear')", '●●●●○●○○○●'),
    'S-Recall@k': Claim('StRecall', '○○●○○○○○●○'),
    'S-RR@100%': Claim('StRR', '○○●○○○○○●○'),
    'NRBP': Claim('gNRBP(p={p},alpha={alpha})', '●●●●○●●○○○', 'unweighted'),
    'D#-Measure@k': Claim('Dsharp_nDCG', '●●○●○●○○○●'),
    'α-nDCG@k': Claim('alpha_DCG_IA(alpha={alpha})', '●●●●○●●○○○', 'unweighted'),
    'EU': Claim('EU(alpha={alpha},e={e})', '●●●●●●●○○●'),
    'CT@k': Claim('CT(alpha={alpha})', '●●●○○●●○●●'),
    'RBU@k': Claim('RBU(p={p},e={e})', '●●●●●●●●●●'),
}
"""Table 1 of Amigó et al. 2018. Normalisation plays no part within a query, so the forms without it are tested."""


def rows(k: int | None = None) -> dict[str, list[Any]]:
    """The twenty rows, for :func:`ir_divmeasures.axioms.table`; with k, every measure that takes a cutoff has it."""
    return {label: claim.settings(k) for label, claim in CLAIMS.items()}


SAME, READING, SETTING, AGAINST = 'as claimed', 'in the narrower reading', 'for some settings', 'contradicted'


def verdict(row: Row, constraint: str) -> str:
    """How a tested row stands to the paper's cell: ``SAME``, ``READING``, ``SETTING`` or ``AGAINST``."""
    claimed = CLAIMS[row.label].cells[list(CONSTRAINTS).index(constraint)]
    found = row.symbol(constraint)
    if found == claimed or (claimed == NO and found in (NARROW, CUT)):
        return SAME
    if found == MIXED:
        return SETTING
    return READING if found == NARROW and claimed == YES else AGAINST


def verdicts(tested: Table) -> Iterable[tuple[Row, str, str]]:
    """(row, constraint, verdict) for the 200 cells."""
    return [(row, constraint, verdict(row, constraint)) for row in tested for constraint in CONSTRAINTS]
