"""Measures as the constraints see them, and the twenty rows of Table 1 of Amigó et al. 2018."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import packed
from ..core.parameters import Choice
from ..core.ranking import Array
from ..core.registry import DivMeasure, ours, parse, registry
from .cases import Cases

AD_HOC = {
    'P': 'P_IA',
    'RR': 'RR_IA',
    'AP': 'AP_IA',
    'nDCG': 'nDCG_IA',
    'ERR': 'gERR_IA',
    'RBP': 'RBP_IA',
}
"""Ad-hoc measures of ir_measures, and the measure of this package that is the same on one aspect."""


def similarities(grade: Array) -> NDArray[np.object_]:
    """Similarities of documents with these grades (B, D, T), as texts (B, D): 1 for documents relevant to the same
    aspects, which share the text of their class, and 0 for others."""
    code = (grade > 0) @ (1 << np.arange(grade.shape[2]))
    classes, place = np.unique(code, return_inverse=True)
    texts = np.array(packed.pack(np.eye(len(classes))), dtype=object)
    return texts[place.reshape(code.shape)]


NEUTRAL: dict[str, Any] = {
    'n_retrieved': lambda grade: np.ones(grade.shape[:2]),
    'n_systems': lambda grade: np.full(grade.shape[:2], 2.0),
    'pool_depth': lambda grade: np.zeros(grade.shape[:2]),
    'newcomer': lambda grade: np.zeros(grade.shape[:2]),
    'pool_ranks': lambda grade: np.full((*grade.shape[:2], 1), 2, dtype=np.uint8),
    'document_similarity': similarities,
}
"""Columns of judgments that constraints do not mention, computed from the grades (B, D, T). Every document is retrieved
by one system of two, and its text depends on its aspects only."""


class NotApplicableError(ValueError):
    """The constraints do not apply to a measure. The message gives the reason."""


class View(NamedTuple):
    """A measure that ignores a part of the judgments.

    Attributes:
        measure: its name, or the measure.
        topic: whether the measure sees one aspect only, r(d) = max_t r(d,t), as ad-hoc measures do in Amigó et al. 2018,
            §6.2.
        weighted: whether it sees the weights of aspects; alpha-nDCG and NRBP do not in §4.3.
    """

    measure: Any
    topic: bool = False
    weighted: bool = True

    def __str__(self) -> str:
        return (
            f'{self.measure}'
            + ' at topic level' * self.topic
            + ', unweighted' * (not self.weighted)
        )

    def scores(self, cases: Cases) -> Array:
        """The scores of the rankings that should be higher, and of the others; (2, B)."""
        measure = self.measure
        columns = {name: NEUTRAL[name] for name in measure.needed_columns if name in NEUTRAL}
        ranking = cases.ranking(
            measure.rel, self.weighted, 'layer' in measure.needed_columns, columns
        )
        ranking = ranking if measure.cutoff is None else ranking.cut(measure.cutoff)
        return np.reshape(measure.on(ranking.topic if self.topic else ranking), (2, -1))


def subject(tested: Any, deep: int) -> View:
    """The view of a measure that scores cases: of the measure, its name or a :class:`View`.

    Args:
        deep: the cutoff of a measure without one.

    Raises:
        NotApplicableError: the measure needs data that a ranking of grades does not have.
        ValueError: the name is unknown.
    """
    view = tested if isinstance(tested, View) else View(tested)
    measure = parse(view.measure)
    is_topical = view is not tested and ours(measure) is None
    return view._replace(measure=_measure(measure, deep), topic=view.topic or is_topical)


def _measure(measure: Any, deep: int) -> DivMeasure:
    """The measure of this package for a measure, with parameters under which grades are read as relevance."""
    own = ours(measure) or _same_on_one_aspect(measure)
    supported, cutoff, layered = own.SUPPORTED_PARAMS, own.cutoff, 'layer' in own.needed_columns
    unknown = set(own.needed_columns) - {*NEUTRAL, 'weight', 'layer'}
    if unknown:
        raise NotApplicableError(
            f'needs {", ".join(sorted(unknown))}, which the constraints do not mention'
        )
    if 'document_similarity' in own.needed_columns and cutoff is None:
        raise NotApplicableError(
            f'compares all retrieved documents; set a cutoff, as in {own.NAME}@20'
        )
    params, defaults = dict(own.params), dict[str, Any](rel=0, max_rel=1)
    if own.wraps and layered:
        if ours(own.wrapped) is None:
            raise NotApplicableError(f'{own[own.wraps]} on a layer takes whole grades only')
    elif own.wraps:
        inner = {own.AT_PARAM: params.pop('cutoff')} if 'cutoff' in params else {}
        params[own.wraps] = str(_measure(own.wrapped(**inner), deep))
    if cutoff is None and (layered or not own.wraps):
        defaults['cutoff'] = deep
    if 'gain' in supported and isinstance(kinds := supported['gain'].admits, Choice):
        every = 'raw', 'linear', supported['gain'].default
        defaults['gain'] = next(kind for kind in every if kind in kinds)
    known = {name: value for name, value in defaults.items() if name in supported}
    try:
        return registry[own.NAME](**{**known, **params})
    except ValueError as error:
        raise NotApplicableError(str(error)) from None


def _same_on_one_aspect(measure: Any) -> DivMeasure:
    """The measure of this package that is the same as an ad-hoc one of ir_measures on one aspect."""
    if measure.NAME not in AD_HOC:
        raise NotApplicableError(
            f'neither a measure of this package nor one of {", ".join(AD_HOC)}'
        )
    try:
        return registry[AD_HOC[measure.NAME]](**measure.params)
    except (TypeError, ValueError) as error:
        raise NotApplicableError(f'tested as {error}') from None


TABLE_1 = {
    'P@k': View('P_IA', topic=True),
    'RR': View('RR_IA', topic=True),
    'AP': View('AP_IA', topic=True),
    'nDCG@k': View('nDCG_IA', topic=True),
    'ERR@k': View('gERR_IA', topic=True),
    'RBP': View("RBP_IA(p={p},gain='linear')", topic=True),
    'P-IA@k': View('P_IA'),
    'RR-IA@k': View('RR_IA'),
    'AP-IA': View('AP_IA'),
    'nDCG-IA@k': View('nDCG_IA'),
    'ERR-IA@k': View('gERR_IA'),
    'RBP-IA': View("RBP_IA(p={p},gain='linear')"),
    'S-Recall@k': View('StRecall'),
    'S-RR@100%': View('StRR'),
    'NRBP': View('gNRBP(p={p},alpha={alpha})', weighted=False),
    'D#-Measure@k': View('Dsharp_nDCG'),
    'α-nDCG@k': View('alpha_DCG_IA(alpha={alpha})', weighted=False),
    'EU': View('EU(alpha={alpha},e={e})'),
    'CT@k': View('CT(alpha={alpha})'),
    'RBU@k': View('RBU(p={p},e={e})'),
}
"""The rows of the paper's Table 1, unnormalised, because normalisation has no effect within a query."""


def rows(k: int | None = None) -> dict[str, list[View]]:
    """The rows of Table 1 in all settings of the paper's §6.2, with cutoff k for the rows that the paper labels ``@k``."""
    grid = list(
        itertools.product((0.8, 0.9, 0.99), (0.1, 0.25, 0.5, 0.75), (0.001, 0.05, 0.1, 0.5))
    )
    settings = {}
    for label, view in TABLE_1.items():
        suffix = f'@{k}' if k and label.endswith('@k') else ''
        names = [view.measure.format(p=p, alpha=alpha, e=e) + suffix for p, alpha, e in grid]
        settings[label] = [view._replace(measure=name) for name in dict.fromkeys(names)]
    return settings
