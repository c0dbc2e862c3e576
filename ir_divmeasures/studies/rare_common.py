"""The simulation of Türkmen, Lease & Kutlu (ECIR 2023, Figure 1): a system of rare finds and one of common finds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..core.registry import parse
from ..errors import did_you_mean
from ..judgments.table import Judgments
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
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> simulate_rare_common(pool, 'q', 'P_Rareness@2', alphas=[1], sizes=[1])  # (1 + 2/3)/2, (1 + 0)/2; A first
           system  alpha  n_relevant     score  rank
        0    rare    1.0           1  0.833333     2
        1  common    1.0           1  0.500000     2
    """

    parsed = parse(measure)
    innovation = getattr(parsed, 'family', None) == 'innovation' and not parsed['judged_only']
    of_intents = 'pool_ranks' in getattr(parsed, 'needed_columns', ())
    if not innovation or of_intents or 'alpha' not in parsed.SUPPORTED_PARAMS:
        raise ValueError(
            f'{parsed}: expected a measure of innovation without judged_only, with a parameter alpha that looks at '
            'documents. The simulated documents serve no particular intents'
        )
    pool.check_known(parsed)
    collection = pool.collection
    if query_id not in collection.query_ids:
        raise ValueError(
            f'query {query_id!r} is not judged'
            + did_you_mean(query_id, collection.query_ids, list_known=False)
        )
    query = collection.query_ids.index(query_id)
    table = pool.table.assign(
        pair=collection.row_pair,
        relevance=pool.judged.pair_grades[collection.row_pair],
        n_retrieved=pool.counts()[0][collection.row_pair],
    )
    table = table[(table['query_id'] == query_id) & (table['relevance'] > 0)]
    table = table.drop_duplicates('pair').sort_values(['n_retrieved', 'doc_id'], ascending=False)
    grade, rel = table['relevance'].to_numpy(), float(parsed['rel'])
    common = np.flatnonzero(grade >= rel)
    if not len(common):
        raise ValueError(f'query {query_id!r} has no relevant document')
    n = pool.n[:, query]
    length = parsed.params.get('cutoff') or pool.depth or n.max()
    most = min(length, len(common))
    sizes = range(most + 1) if sizes is None else sorted(sizes)
    if max(sizes) > most:
        raise ValueError(
            f'sizes up to {max(sizes)}: query {query_id!r} has {len(common)} relevant documents, '
            f'and {length} ranks count'
        )
    tables, places = [], []
    simulated = list(itertools.product(('rare', 'common'), sizes))
    for number, (system, size) in enumerate(simulated):  # each is a query of one pool
        new = size if system == 'rare' else 0
        rank = np.pad(pool.rank[:, table['pair']], ((0, 1), (0, new)))
        rank[-1, len(grade) + np.arange(new) if new else common[:size]] = np.arange(size) + 1
        documents = {
            'query_id': f'{number:06}',
            'doc_id': [*table['doc_id'], *(f'simulated\t{i}' for i in range(new))],
            'relevance': np.append(grade, np.full(new, max(rel, 1.0))),
        }
        tables.append(pd.DataFrame(documents))
        places.append(rank)
    everyone = JudgedPool(
        Judgments.of(pd.concat(tables, ignore_index=True)),
        [*pool.systems, 'simulated\t'],
        [*pool.groups, 'simulated\t'],
        None,
        np.hstack(places),
        np.tile(np.append(n, length)[:, None], len(simulated)),
    )
    settings = sorted((parsed(alpha=alpha) for alpha in alphas), key=lambda each: each['alpha'])
    scores = everyone.scores(settings).values
    rows = [
        (system, setting['alpha'], size, scores[-1, q, m], ranks(scores[:, q, m])[-1])
        for q, (system, size) in enumerate(simulated)
        for m, setting in enumerate(settings)
    ]
    frame = pd.DataFrame(rows, columns=['system', 'alpha', 'n_relevant', 'score', 'rank'])
    by = ['system', 'alpha', 'n_relevant']  # rare, then common
    return frame.sort_values(by, ascending=[False, True, True], ignore_index=True)


def plot_rare_common(simulated: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the rank over D, a colour for each α, S_rare solid and S_common dashed, and return the axes."""
    ax = axes(ax)
    for place, (alpha, of_alpha) in enumerate(simulated.groupby('alpha')):
        for system, style in (('rare', '-'), ('common', '--')):
            rows = of_alpha[of_alpha['system'] == system]
            label = f'S_{system}, α = {alpha}'
            ax.plot(rows['n_relevant'], rows['rank'], style, color=f'C{place}', label=label)
    ax.invert_yaxis()
    ax.set(xlabel='relevant documents retrieved', ylabel='rank among the systems')
    ax.legend(fontsize='small')
    return ax
