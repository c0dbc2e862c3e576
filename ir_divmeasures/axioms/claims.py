"""Table 1 of Amigó et al. 2018: its twenty rows as measures of this package, and the claims in its cells."""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..data.files import read_yaml
from .subjects import at_topic_level, unweighted

PAPER = pathlib.Path(__file__).parents[1] / 'resources/papers/amigo-2018.yaml'
"""The numbers of the paper."""

PERSISTENCE, ALPHA, EFFORT = (0.8, 0.9, 0.99), (0.1, 0.25, 0.5, 0.75), (0.001, 0.05, 0.1, 0.5)
"""The settings of the paper's §6.2."""


@dataclass(frozen=True)
class Claim:
    """A row of the paper's table.

    Attributes:
        measure: the measure of this package, with ``{p}``, ``{alpha}``, ``{e}`` for the values of parameters.
        cells: the paper's cells, ``●`` or ``○``, by the name of the constraint.
        view: :func:`at_topic_level` for ad-hoc measures, :func:`unweighted` for those that the paper's §4.3 defines
            without weights, ``str`` for all others.
        cutoff: whether the measure takes a cutoff.
    """

    measure: str
    cells: Mapping[str, str]
    view: Callable[[str], Any] = str
    cutoff: bool = True

    def settings(self, k: int | None = None) -> list[Any]:
        """The measure in all its settings, at cutoff k where it takes one."""
        suffix = f'@{k}' if k is not None and self.cutoff else ''
        grid = itertools.product(PERSISTENCE, ALPHA, EFFORT)
        names = [self.measure.format(p=p, alpha=alpha, e=e) for p, alpha, e in grid]
        return [self.view(name + suffix) for name in dict.fromkeys(names)]


_TABLE = read_yaml(PAPER)['tables'][0]
_CELLS = {
    label: dict(zip(_TABLE['columns'], ('○●'[cell] for cell in row)))
    for label, row in zip(_TABLE['rows'], _TABLE['cells'])
}
"""The paper's cells by row and name of the constraint."""

CLAIMS: dict[str, Claim] = {
    label: Claim(measure, _CELLS[label], *view)
    for label, measure, *view in (
        ('P@k', 'P_IA', at_topic_level),
        ('RR', 'RR_IA', at_topic_level),
        ('AP', 'AP_IA', at_topic_level, False),
        ('nDCG@k', 'nDCG_IA', at_topic_level),
        ('ERR@k', 'gERR_IA', at_topic_level),
        ('RBP', "RBP_IA(p={p},gain='linear')", at_topic_level),
        ('P-IA@k', 'P_IA'),
        ('RR-IA@k', 'RR_IA'),
        ('AP-IA', 'AP_IA', str, False),
        ('nDCG-IA@k', 'nDCG_IA'),
        ('ERR-IA@k', 'gERR_IA'),
        ('RBP-IA', "RBP_IA(p={p},gain='linear')"),
        ('S-Recall@k', 'StRecall'),
        ('S-RR@100%', 'StRR'),
        ('NRBP', 'gNRBP(p={p},alpha={alpha})', unweighted),
        ('D#-Measure@k', 'Dsharp_nDCG'),
        ('α-nDCG@k', 'alpha_DCG_IA(alpha={alpha})', unweighted),
        ('EU', 'EU(alpha={alpha},e={e})'),
        ('CT@k', 'CT(alpha={alpha})'),
        ('RBU@k', 'RBU(p={p},e={e})'),
    )
}
"""The rows as measures of this package, unnormalised, because normalisation has no effect within a query."""


def rows(k: int | None = None) -> dict[str, list[Any]]:
    """The twenty rows, for :func:`ir_divmeasures.axioms.table`, with cutoff k for the measures that take one."""
    return {label: claim.settings(k) for label, claim in CLAIMS.items()}
