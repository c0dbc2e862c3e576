"""A stopping distribution on a ranking: how far users read, which ranks contribute to the utility, and its other views C and F."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..core.stopping.continuation import viewing
from ..errors import one_of, whole
from ..io.runs import read
from ..judgments.qrels import topic_level
from ..lazy import pd
from ..results import Result, count
from ..typing import QrelsLike, RunLike

Array = NDArray[np.float64]


class UserModel(Result):
    """A user who reads down a ranking of n documents and stops at rank k with probability P(k).

    Attributes:
        name, theta: the distribution and its parameter (None if it has none).
        P: (n,) probability of stopping at ranks 1..n.
        F: (n,) F(k) = 1 − Σ_{i<k} P(i), the share of users who look at rank k.
        beyond: share of users who do not stop within the ranking. It is F(n+1) for a static distribution and 1 − Σ P
            for a dynamic one, whose users are not satisfied by the relevant documents of the ranking.
    """

    _removed = {
        'L': 'it is P',
        'W': 'it is F / F.sum()',
        'dynamic': 'P of a dynamic distribution depends on the relevance of a ranking',
        'utility': "the score is that of the measure UM(P='…')",
        **dict.fromkeys(('grades', 'relevant', 'n_relevant'), 'ranked_grades() gives the grades'),
    }
    name: str
    theta: float | None
    P: Array
    F: Array
    beyond: float

    @property
    def depth(self) -> int:
        """n, the number of ranks looked at."""
        return len(self.P)

    @property
    def C(self) -> Array:
        """(n,) probability of going on from a rank, F(k+1)/F(k), 0 where F(k) = 0."""
        F = np.append(self.F, self.beyond)
        return np.divide(F[1:], F[:-1], out=np.zeros(self.depth), where=F[:-1] > 0)

    def tail(self, k: int) -> float:
        """Tail mass beyond rank k, 1 − Σ_{i≤k} P(i): the share of users who read on after rank k.

        Raises:
            ValueError: k is not a rank of the ranking (0 to n).
        """
        if not 0 <= k <= self.depth or k != int(k):
            raise ValueError(f'k={k!r}: expected a whole number from 0 to the depth, {self.depth}')
        return max(1 - float(self.P[: int(k)].sum()), 0.0)

    @property
    def expected_rank(self) -> float:
        """Expected stopping rank of those who stop within the ranking: Σ k P(k) / Σ P(k); inf if nobody does.

        P_DCG and P_RR have no expectation over all ranks: the value grows with the depth without end.
        """
        mass = float(self.P.sum())
        return float((np.arange(1, self.depth + 1) * self.P).sum()) / mass if mass else math.inf

    @property
    def expected_viewed(self) -> float:
        """Expected documents viewed, Σ k P(k) + n · beyond: users who do not stop within the ranking read all of it."""
        return float((np.arange(1, self.depth + 1) * self.P).sum()) + self.depth * self.beyond

    def _headline(self) -> str:
        theta = '' if self.theta is None else f' (θ = {self.theta:g})'
        return (
            f'User model {self.name}{theta} over {count(self.depth, "rank")}: expected rank '
            f'{self.expected_rank:.4g}, {100 * self.beyond:.1f} % of users do not stop'
        )

    def to_frame(self) -> pd.DataFrame:
        """``rank, P, F, tail``."""
        tail = np.maximum(1 - np.cumsum(self.P), 0.0)
        ranks = np.arange(1, self.depth + 1)
        return pd.DataFrame({'rank': ranks, 'P': self.P, 'F': self.F, 'tail': tail})


def user_model(
    P: str = 'DCG',
    theta: float = 0.5,
    *,
    grades: Any = None,
    judged: Any = None,
    depth: int | None = None,
    rel: float = 1.0,
) -> UserModel:
    """A stopping distribution on a ranking.

    Args:
        P: the distribution's name; :func:`ir_divmeasures.user_models.register_stopping` adds further ones.
        theta: its parameter in (0, 1), where it has one.
        grades: grades of the ranking from rank 1, 0 where not relevant or not judged (see :func:`ranked_grades`).
            Dynamic distributions need them.
        judged: all grades judged for the query, which give R. The default is the grades of the ranking.
        depth: number of ranks. The default is all of ``grades``, or 1000 without grades.
        rel: lowest grade that counts as relevant.

    Raises:
        ValueError: unknown P, θ outside (0, 1), a dynamic P without grades, or fewer relevant documents in ``judged``
            than in the ranking.

    Examples:
        >>> user = user_model('RR', depth=100)
        >>> user.P[:2], round(user.tail(9), 9), round(user.beyond, 9)  # 1/(1 · 2), 1/(2 · 3); 1/10; 1/101
        (array([0.5       , 0.16666667]), 0.1, 0.00990099)

        The documents at ranks 1 and 3 are relevant, and the query has three relevant documents. P_AP = 1/3 at both.

        >>> user = user_model('AP', grades=[1, 0, 1], judged=[1, 1, 1, 0])
        >>> user.expected_rank, round(user.expected_viewed, 6)  # (1 + 3)/2; (1 + 3 + 3)/3
        (2.0, 2.333333)
    """
    measure = parse('UM')(P=P, theta=theta, rel=rel)
    distribution = stopping.get(P)
    graded = None if grades is None else check_grades(grades, 'grades')
    n = (1000 if graded is None else len(graded)) if depth is None else depth
    whole(n, 'number of grades' if depth is None else 'depth')
    relevant = total = None
    if graded is not None:
        graded = np.append(graded, np.zeros(max(n - len(graded), 0)))[:n]
        every = check_grades(grades if judged is None else judged, 'judged')
        relevant = ((graded >= measure['rel']) & (graded > 0)).astype(float)
        total = int(((every >= measure['rel']) & (every > 0)).sum())
        if total < relevant.sum():
            raise ValueError(
                f'judged has {total} relevant documents, fewer than the {relevant.sum():g} of the ranking'
            )
    if not distribution.dynamic:
        P_by_rank, F = (values[1:] for values in distribution.by_rank(n, measure['theta']))
        probability, viewed, beyond = P_by_rank[:-1], F[:-1], float(F[-1])
    elif relevant is None:
        raise ValueError(f'P={P!r} depends on relevance: expected the grades of a ranking')
    else:
        of_query = np.array([float(total or 0)])
        probability = distribution.at_relevant(relevant[:, None], of_query, measure['theta'])[:, 0]
        viewed = np.maximum(1 - (np.cumsum(probability) - probability), 0.0)
        beyond = max(1 - float(probability.sum()), 0.0)
    used_theta = measure['theta'] if distribution.takes_theta else None
    return UserModel(P, used_theta, probability, viewed, beyond)


def ranked_grades(run: RunLike, qrels: QrelsLike, query_id: str) -> tuple[Array, Array]:
    """Grades of a ranking from rank 1, and all grades judged for the query, at topic level.

    Args:
        run: one run: a path, a DataFrame, a dict ``{query: {doc: score}}`` or namedtuples.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        query_id: the query.

    Raises:
        ValueError: a query without judgments, a duplicate document in the run.

    Examples:
        >>> ranked_grades({'q': {'x': 3.0, 'd1': 2.0}}, {'q': {'d1': 2, 'd2': 1}}, 'q')
        (array([0., 2.]), array([2., 1.]))
    """
    judged, ranking = topic_level(qrels), read(run).check().table
    judged = judged[judged['query_id'] == str(query_id)]
    if not len(judged):
        raise ValueError(f'query {query_id!r} has no judgments')
    ranking = ranking[ranking['query_id'] == str(query_id)]
    documents = ranking.sort_values(['score', 'doc_id'], ascending=False)['doc_id']
    grade = dict(zip(judged['doc_id'], judged['relevance']))
    return (
        np.array([grade.get(doc, 0) for doc in documents], dtype=float),
        judged['relevance'].to_numpy(dtype=float),
    )


def groups(measures: Iterable[Any]) -> dict[str, dict[str, str]]:
    """Groups of user-model measures for robustness studies: by model, by distribution and by its tail.

    RBP, ERR and AP are grouped as in the paper (M1 with P_RBP, M3 with P_ERR, M4 with P_AP).

    Returns:
        ``{'model': {measure: 'M2', …}, 'P': {measure: 'DCG', …}, 'tail': {measure: 'fat', …}}``. It omits other
        measures, and distributions whose tail is not stated.

    Examples:
        >>> groups(['DCG@10', "UM(model=4,P='AP')", 'P@5'])['tail']
        {'DCG@10': 'fat', "UM(model=4,P='AP')": 'fat'}
    """
    from ..families.usermodel import PAPER

    by_kind: dict[str, dict[str, str]] = {'model': {}, 'P': {}, 'tail': {}}
    for measure in measures:
        measure_object = parse(measure)
        if measure_object.NAME in ('UM', 'UM_IA'):
            model, P = measure_object['model'], measure_object['P']
        elif measure_object.NAME in PAPER:
            model, P = PAPER[measure_object.NAME]
        else:
            continue
        by_kind['model'][str(measure)], by_kind['P'][str(measure)] = f'M{model}', P
        tail = stopping.get(P).tail
        if tail is not None:
            by_kind['tail'][str(measure)] = tail
    return by_kind


def cells(P: Iterable[str] | None = None) -> pd.DataFrame:
    """Every utility model with every stopping distribution: its name, and whether it measures a ranking.

    Args:
        P: names of distributions. The default is all known ones.

    Returns:
        DataFrame ``model, P, name, measure, marked``: the paper's name (that of a measure here, or of ir_measures for
        RBP, ERR and AP), None if it has none; the measure as :func:`ir_divmeasures.measures` takes it; the reason why
        the cell is *marked*, None if it is not. A marked cell is a constant, or does not depend on the ranks of
        non-relevant documents, whatever the gain. Studies omit marked cells.

    Examples:
        >>> table = cells(['RR', 'AP'])
        >>> table[table['marked'].isna()][['model', 'P', 'name']]
           model   P   name
        0      1  RR    RRG
        2      2  RR  RRDCG
        5      3  AP    ARR
        6      4  RR    RAP
        7      4  AP     AP
    """

    from ..families.usermodel import PAPER, why_marked

    called = {cell: name for name, cell in PAPER.items()}
    rows = [
        (
            model,
            name,
            called.get((model, name)),
            f'UM(model={model},P={name!r})',
            why_marked({'model': model, 'P': name}),
        )
        for model in (1, 2, 3, 4)
        for name in (stopping.complete() if P is None else [P] if isinstance(P, str) else P)
    ]
    return pd.DataFrame(rows, columns=['model', 'P', 'name', 'measure', 'marked'], dtype=object)


def check_grades(values: Any, name: str) -> Array:
    """Grades (n,) of at least 0, from a list of numbers; the name is that of the argument, for messages."""
    try:
        grades = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f'{name}: expected numbers, found {values!r}') from None
    if grades.ndim != 1 or not np.isfinite(grades).all():
        raise ValueError(f'{name}: expected a list of numbers, found {values!r}')
    return np.maximum(grades, 0.0)


VIEWS = {
    'C': 'probabilities by rank',
    'P': 'probabilities by rank that add up to at most 1',
    'F': 'probabilities by rank that start at 1 and do not increase, down to beyond=',
}


def convert(values: Any, given: str, to: str, beyond: float = 0.0) -> Array:
    """Convert one view of a user to another, at ranks 1..n (the last axis).

    C(k) is the probability of going on from rank k; P(k) = L(k) that of stopping there; F(k) = V(k) that of reaching
    it. F(k) = Π_{i<k} C(i), P(k) = F(k)(1 − C(k)) = F(k) − F(k+1), and C(k) = F(k+1)/F(k), 0 where F(k) = 0.

    Args:
        values: (…, n) values of the view ``given``.
        given, to: ``'C'``, ``'P'`` (or ``'L'``), ``'F'`` (or ``'V'``).
        beyond: F(n + 1), the share of users who go beyond rank n. It is used with F; P and C imply it.

    Raises:
        ValueError: another view, or values that do not fit the view. All values must be probabilities. P must not add
            up to more than 1, and F must start at 1 and not increase.

    Examples:
        >>> convert([0.5, 0.5, 0.5], 'C', 'P'), convert([1, 1 / 2, 1 / 3], 'F', 'C', beyond=1 / 4).round(3)
        (array([0.5  , 0.25 , 0.125]), array([0.5  , 0.667, 0.75 ]))
    """
    same = {'L': 'P', 'V': 'F'}
    given, to = same.get(given, given), same.get(to, to)
    one_of(given, VIEWS, 'given')
    one_of(to, VIEWS, 'to')
    x = np.asarray(values, dtype=float)
    fits = x.size > 0 and x.ndim > 0 and ((x >= 0) & (x <= 1 + 1e-9)).all() and 0 <= beyond <= 1
    if fits:
        F = _reaching(x, given, beyond)
        fits = (F >= -1e-9).all() and (np.abs(F[..., 0] - 1) <= 1e-9).all()
        fits = fits and (np.diff(F, axis=-1) <= 1e-9).all()
    if not fits:
        raise ValueError(f'{given}: expected {VIEWS[given]}, found {values!r}')
    if to == given:
        return x.copy()
    F = np.maximum(F, 0)
    if to == 'F':
        return F[..., :-1]
    if to == 'P':
        return F[..., :-1] - F[..., 1:]
    return np.divide(F[..., 1:], F[..., :-1], out=np.zeros(x.shape), where=F[..., :-1] > 0)


def _reaching(x: Array, given: str, beyond: float) -> Array:
    """F at ranks 1 to n + 1 from values of a view, (…, n) → (…, n + 1)."""
    one = x[..., :1]
    if given == 'C':
        return viewing(np.concatenate([x, one], axis=-1))
    if given == 'P':
        return 1 - np.cumsum(np.concatenate([one * 0, x], axis=-1), axis=-1)
    return np.concatenate([x, np.full_like(one, beyond)], axis=-1)


def continuation(
    C: str = 'RBP',
    *,
    gains: Any = None,
    costs: Any = None,
    depth: int | None = None,
    **parameters: Any,
) -> UserModel:
    """A continuation function on a ranking, as a stopping distribution.

    Args:
        C: the function's name; :func:`ir_divmeasures.user_models.register_continuation` adds further ones.
        gains: gains in [0, 1] of the ranking from rank 1. The gain of further ranks is 0.
        costs: costs from rank 1. The cost of further ranks is 1.
        depth: number of ranks. The default is the number of gains, or 1000 without gains.
        parameters: parameters of C.

    Returns:
        A :class:`UserModel` with P = L, F = V and C; ``beyond`` = V(n)C(n).

    Examples:
        >>> user = continuation('INST', gains=[0, 1, 0], T=1, depth=4)
        >>> user.C.round(4), user.F.round(4)  # (2/3)², (2/3)² after a gain of 1, (3/4)², (4/5)²
        (array([0.4444, 0.4444, 0.5625, 0.64  ]), array([1.    , 0.4444, 0.1975, 0.1111]))
    """
    function = stopping.CONTINUATIONS[C]
    known = stopping.declared(function)
    stopping.check_parameters(f'C={C!r}', known, parameters)
    given = {name: known[name].check(x) for name, x in parameters.items() if x is not None}
    values = {**function.defaults, **given}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueError(f'C={C!r} needs {", ".join(missing)}')
    g = np.zeros(0) if gains is None else np.asarray(gains, dtype=float)
    n = whole((len(g) or 1000) if depth is None else depth, 'depth')
    c = np.ones(0) if costs is None else np.asarray(costs, dtype=float)
    if not ((g >= 0) & (g <= 1)).all() or not ((c > 0) & (c < np.inf)).all():
        raise ValueError('expected gains in [0, 1] and costs above 0')
    g, c = np.append(g, np.zeros(n))[:n], np.append(c, np.ones(n))[:n]
    going = np.broadcast_to(function(g, c, **values), (n,))
    F = viewing(going)
    return UserModel(C, None, F * (1 - going), F, float(F[-1] * going[-1]))
