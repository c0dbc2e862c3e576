"""The simulation of Türkmen, Lease & Kutlu (ECIR 2023, Figure 1): a system of rare finds and one of common finds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ranking import Array, JudgmentArrays, Ranking
from ..core.registry import parse
from ..errors import did_you_mean
from ..lazy import pd
from ..pools.analysis import ranks
from ..pools.judged import JudgedPool
from ..results.plotting import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import MeasureLike

__all__ = ['plot_rare_common', 'simulate_rare_common']


def simulate_rare_common(
    pool: JudgedPool,
    query_id: str,
    measure: MeasureLike = 'P_Rareness@100',
    alphas: Iterable[float | str] = (0, 0.25, 0.5, 0.75, 1),
    sizes: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Rank two simulated systems with D relevant documents among the real ones (Türkmen et al. 2023, §3, Figure 1).

    S_rare retrieves D simulated relevant documents that no other system retrieves. S_common retrieves the D relevant
    documents that most systems retrieve. Each is a further system of the pool, with its D documents on top and
    non-relevant documents below, and is ranked among the real systems on one query.

    Choices: only one of the two is in the pool at a time. Simulated documents have the grade 1, or the measure's
    ``rel`` if that is higher, and count for N_R. Of documents that equally many systems retrieve, the one with the
    larger doc_id is first.

    Args:
        pool: the real systems.
        query_id: the query.
        measure: a measure of innovation with a parameter ``alpha``. The simulated documents serve no particular
            intents, so that ``of='intent'`` and ``Coverage_Rareness`` do not work.
        alphas: values of α.
        sizes: values of D. The default is 0, 1, … up to the cutoff (or the pool's depth) or the number of relevant
            documents, whichever is less.

    Returns:
        DataFrame ``system, alpha, n_relevant, score, rank``. The system is ``'rare'`` or ``'common'``, ``n_relevant``
        is D, and the rank is 1 + the number of real systems with higher scores.

    Raises:
        ValueError: the query is not judged or has no relevant document, D is too large, the measure has
            ``judged_only``, has no ``alpha``, or looks at intents.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> simulate_rare_common(pool, 'q', 'P_Rareness@2', alphas=[1], sizes=[1])  # (1 + 2/3)/2, (1 + 0)/2; A first
           system  alpha  n_relevant     score  rank
        0    rare    1.0           1  0.833333     2
        1  common    1.0           1  0.500000     2
    """

    parsed = parse(measure)
    if getattr(parsed, 'family', None) != 'innovation' or parsed['judged_only']:
        raise ValueError(f'{parsed}: expected a measure of innovation without judged_only')
    if 'alpha' not in parsed.SUPPORTED_PARAMS or 'pool_ranks' in getattr(
        parsed, 'needed_columns', ()
    ):
        raise ValueError(
            f'{parsed}: expected a measure of innovation with a parameter alpha that looks at documents. '
            f'The simulated documents serve no particular intents'
        )
    settings = [parsed(alpha=alpha) for alpha in alphas]
    pool.check_known(parsed)
    topic = _Topic(pool, str(query_id), float(parsed['rel']))
    length = parsed.params.get('cutoff') or pool.depth or int(topic.n.max())
    if sizes is None:
        sizes = range(min(length, len(topic.common)) + 1)
    if max(sizes) > min(length, len(topic.common)):
        raise ValueError(
            f'sizes up to {max(sizes)}: query {query_id!r} has {len(topic.common)} relevant documents, '
            f'and {length} ranks count'
        )
    rows = []
    for size in sizes:
        for system in ('rare', 'common'):
            for setting, scores in zip(settings, topic.scores(settings, system, size, length)):
                rows.append((system, setting['alpha'], size, scores[-1], ranks(scores)[-1]))
    frame = pd.DataFrame(rows, columns=['system', 'alpha', 'n_relevant', 'score', 'rank'])
    by = pd.Categorical(frame['system'], ['rare', 'common'], ordered=True)
    return (
        frame.assign(by=by)
        .sort_values(['by', 'alpha', 'n_relevant'], ignore_index=True, kind='stable')
        .drop(columns='by')
    )


class _Topic:
    """One query's judgments and rankings, to which a simulated system is added after the real systems.

    Attributes:
        rel: lowest relevant grade.
        depth: depth of the pool, or infinity.
        grade: (D,) highest grade of each judged document.
        n_retrieved: (D,) S_d of each judged document.
        n_systems: S.
        rank: (systems, D) rank of each judged document, 0 where it is not retrieved.
        n: (systems,) number of documents retrieved.
        common: indices of the relevant documents, those that most systems retrieve first.
    """

    def __init__(self, pool: JudgedPool, query_id: str, rel: float):
        collection = pool.collection
        if query_id not in collection.query_ids:
            raise ValueError(
                f'query {query_id!r} is not judged'
                + did_you_mean(query_id, collection.query_ids, list_known=False)
            )
        query = collection.query_ids.index(query_id)
        number, row = next(
            (b, int(np.flatnonzero(block.queries == query)[0]))
            for b, block in enumerate(collection.blocks)
            if query in block.queries
        )
        self.rel, self.depth = rel, pool.depth or math.inf
        pairs = collection.pair_at(number)[row]
        self.grade = collection.blocks[number].judgments.topic.grade[row, pairs >= 0, 0]
        n_retrieved, self.n_systems = pool.counts()
        self.n_retrieved = n_retrieved[pairs[pairs >= 0]]
        self.rank = pool.rank[:, pairs[pairs >= 0]].astype(float)
        self.n = pool.n[:, query].astype(float)
        relevant = np.flatnonzero((self.grade >= rel) & (self.grade > 0))
        if not len(relevant):
            raise ValueError(f'query {query_id!r} has no relevant document')
        self.common = relevant[np.argsort(-self.n_retrieved[relevant], kind='stable')]

    def scores(self, settings: list[Any], system: str, size: int, length: int) -> list[Array]:
        """Scores of the real systems and, last, of the simulated one, (systems + 1,) for each setting.

        The simulated system, ``'rare'`` or ``'common'``, retrieves ``length`` documents, the first ``size`` of which
        are relevant.
        """
        grade, n_retrieved, rank = self.grade, self.n_retrieved, self.rank
        own = np.zeros(len(grade))
        if system == 'common':
            own[self.common[:size]] = np.arange(1, size + 1)
        else:
            grade = np.append(grade, np.full(size, max(self.rel, 1.0)))
            n_retrieved = np.append(n_retrieved, np.zeros(size, dtype=n_retrieved.dtype))
            rank = np.pad(rank, ((0, 0), (0, size)))
            own = np.append(own, np.arange(1.0, size + 1))
        rank = np.vstack([rank, own])
        rank = np.where(rank == 0, np.inf, rank)
        order = np.argsort(rank, axis=1, kind='stable')
        shape = rank.shape
        judgments = JudgmentArrays(
            np.broadcast_to(grade[:, None], (*shape, 1)),
            columns={
                'n_retrieved': np.broadcast_to(
                    n_retrieved + ((own > 0) & (own <= self.depth)), shape
                ),
                'n_systems': np.full(shape, self.n_systems + 1),
            },
        )
        ranking = Ranking(
            judgments,
            order,
            np.take_along_axis(rank, order, axis=1),
            np.append(self.n, float(length)),
            self.rel,
        )
        return [setting.on(ranking) for setting in settings]


def plot_rare_common(simulated: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the rank over D, a colour for each α, S_rare solid and S_common dashed, and return the axes."""
    ax = axes(ax)
    for alpha, of_alpha in simulated.groupby('alpha'):
        colour = None
        for system, style in (('rare', '-'), ('common', '--')):
            rows = of_alpha[of_alpha['system'] == system]
            (line,) = ax.plot(
                rows['n_relevant'],
                rows['rank'],
                style,
                color=colour,
                label=f'S_{system}, α = {alpha}',
            )
            colour = line.get_color()
    ax.invert_yaxis()
    ax.set(xlabel='relevant documents retrieved', ylabel='rank among the systems')
    ax.legend(fontsize='small')
    return ax
