"""Subjects of the checks: measures of this package, ad-hoc measures at topic level, and functions of users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray

from ..core.kernels import packed
from ..core.parameters import Choice
from ..core.ranking import Array
from ..core.registry import DivMeasure, ours, parse, registry
from .cases import Cases, Places

if TYPE_CHECKING:
    from ..typing import MeasureLike

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
    """Similarities of documents with these grades (B, D, T), as texts (B, D).

    Documents relevant to the same aspects have similarity 1, and share the text of their class. All others have
    similarity 0.
    """
    code = (grade > 0) @ (1 << np.arange(grade.shape[2]))
    classes, place = np.unique(code, return_inverse=True)
    texts = np.array(packed.pack(np.eye(len(classes))), dtype=object)
    return texts[place.reshape(code.shape)]


NEUTRAL: dict[str, Callable[[Array], NDArray[Any]]] = {
    'n_retrieved': lambda grade: np.ones(grade.shape[:2]),
    'n_systems': lambda grade: np.full(grade.shape[:2], 2.0),
    'pool_depth': lambda grade: np.zeros(grade.shape[:2]),
    'newcomer': lambda grade: np.zeros(grade.shape[:2]),
    'pool_ranks': lambda grade: np.full((*grade.shape[:2], 1), 2, dtype=np.uint8),
    'document_similarity': similarities,
}
"""Functions that compute columns of judgments from the grades (B, D, T), for columns that constraints do not mention.
Every document is retrieved by one system of two, and its text depends on its aspects only."""

PRESENT = ('weight', 'layer')
"""Columns of judgments that every case has. All intents are below one superintent."""


class NotApplicableError(ValueError):
    """The constraints do not apply to a measure. The message gives the reason."""


@dataclass(frozen=True)
class Subject:
    """A measure or function that scores rankings.

    Attributes:
        label: its name in tables.
        score: the function that takes a batch of cases and returns the scores of the rankings that should be higher,
            (B,), and of the others, (B,).
        cutoff: the cutoff, or None.
        measure: the measure with all parameters of the test; None for a function.
        topic: whether the measure sees one aspect only, with the highest grade of each document.
        weighted: whether the measure sees the weights of aspects.
    """

    label: str
    score: Callable[[Cases], tuple[Array, Array]]
    cutoff: int | None = None
    measure: DivMeasure | None = None
    topic: bool = False
    weighted: bool = True


def subject(tested: Any, deep: int) -> Subject:
    """The subject of a measure's name, a measure or a function. A :class:`Subject` is returned unchanged.

    Args:
        tested: see :func:`ir_divmeasures.axioms.table`.
        deep: the cutoff for measures without one.

    Raises:
        NotApplicableError: the measure needs data that a ranking of grades does not have.
        ValueError, TypeError: the name is unknown, or the value is no measure.
    """
    if isinstance(tested, Subject):
        return tested
    if isinstance(tested, View):
        return of_measure(
            _measure(parse(tested.measure), deep), str(tested), tested.topic, tested.weighted
        )
    if isinstance(tested, (str, Measure)):
        measure = parse(tested)
        return of_measure(_measure(measure, deep), str(measure), topic=ours(measure) is None)
    if callable(tested):
        return _of_function(tested)
    raise TypeError(
        f'expected the name of a measure, a measure, or a function of grades and weights, found '
        f'{type(tested).__name__}'
    )


@dataclass(frozen=True)
class View:
    """A measure that ignores a part of the judgments; see :func:`at_topic_level` and :func:`unweighted`.

    Attributes:
        measure: the name of the measure.
        topic: whether the measure sees one aspect only, with the highest grade of each document.
        weighted: whether the measure sees the weights of aspects.
    """

    measure: str
    topic: bool = False
    weighted: bool = True

    def __str__(self) -> str:
        return self.measure + (' at topic level' if self.topic else ', unweighted')


def unweighted(measure: MeasureLike) -> View:
    """A measure for which every aspect has equal weight, as for alpha-nDCG and NRBP in Amigó et al. 2018, §4.3.

    Args:
        measure: a measure of this package, or its name.

    Examples:
        >>> print(unweighted('gNRBP(p=0.9)'))
        gNRBP(p=0.9), unweighted
    """
    return View(str(parse(measure)), weighted=False)


def at_topic_level(measure: MeasureLike) -> View:
    """A measure that sees one aspect, r(d) = max_t r(d,t), as ad-hoc measures do in Amigó et al. 2018, §6.2.

    Args:
        measure: a measure of this package, or its name.

    Examples:
        >>> print(at_topic_level('P_IA'))
        P_IA at topic level
    """
    return View(str(parse(measure)), topic=True)


def _measure(measure: Any, deep: int) -> DivMeasure:
    """The measure of this package for a measure, with parameters under which grades are read as relevance.

    Args:
        measure: a measure of this package or of ir_measures.
        deep: the cutoff where the measure has none.

    Raises:
        NotApplicableError: the measure needs data that a ranking of grades does not have.
    """
    own = ours(measure) or _same_on_one_aspect(measure)
    supported, cutoff = own.SUPPORTED_PARAMS, own.cutoff
    unknown = [c for c in own.needed_columns if c not in NEUTRAL and c not in PRESENT]
    if unknown:
        raise NotApplicableError(
            f'needs {", ".join(unknown)}, which the constraints do not mention'
        )
    if 'document_similarity' in own.needed_columns and cutoff is None:
        raise NotApplicableError(
            f'compares all retrieved documents; set a cutoff, as in {own.NAME}@20'
        )
    if 'depth' in supported and own['depth'] < (cutoff or deep):
        raise NotApplicableError(f'reads {own["depth"]} ranks only; set depth={deep}')
    params: dict[str, Any] = dict(own.params)
    defaults: dict[str, Any] = {'rel': 0, 'max_rel': 1}
    if own.wraps and 'layer' in own.needs:
        if ours(own.wrapped) is None:
            raise NotApplicableError(f'{own[own.wraps]} on a layer takes whole grades only')
    elif own.wraps:
        inner = {own.AT_PARAM: params.pop('cutoff')} if 'cutoff' in params else {}
        params[own.wraps] = str(_measure(own.wrapped(**inner), deep))
    if cutoff is None and (not own.wraps or 'layer' in own.needs):
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
            f'{measure}: neither a measure of this package nor one of {", ".join(AD_HOC)}'
        )
    params = dict(measure.params)
    if 'dcg' in params:
        params['gain'] = {'log2': 'linear', 'exp-log2': 'exp'}[params.pop('dcg')]
    try:
        return registry[AD_HOC[measure.NAME]](**params)
    except (TypeError, ValueError) as error:
        raise NotApplicableError(f'{measure}: tested as {error}') from None


def of_measure(
    measure: DivMeasure, label: str, topic: bool = False, weighted: bool = True
) -> Subject:
    """The subject of a measure with all parameters of the test."""
    columns = {name: NEUTRAL[name] for name in measure.needed_columns if name in NEUTRAL}

    def score(cases: Cases) -> tuple[Array, Array]:
        ranking = cases.ranking(
            measure.rel, measure.cutoff, weighted, columns, 'layer' in measure.needs
        )
        values = np.asarray(measure.on(ranking.topic if topic else ranking), dtype=float)
        return values[: len(cases)], values[len(cases) :]

    return Subject(label, score, measure.cutoff, measure, topic, weighted)


def _of_function(function: Callable[[Array, Array], float]) -> Subject:
    """The subject of a function of grades (n, T) and weights (T,), which is called for each ranking in turn."""
    name = getattr(function, '__name__', type(function).__name__)

    def score_one(cases: Cases, side: Places, case: int) -> float:
        value = function(cases.grades(side, case), cases.weight[case])
        try:
            return float(value)
        except (TypeError, ValueError):
            raise TypeError(f'{name} returned {value!r}, expected a number') from None

    def score(cases: Cases) -> tuple[Array, Array]:
        higher, lower = (
            np.array([score_one(cases, side, case) for case in range(len(cases))])
            for side in (cases.higher, cases.lower)
        )
        return higher, lower

    return Subject(name, score)
