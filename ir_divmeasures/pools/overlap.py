"""Overlap of the runs of a pool: near-duplicates, and groups of them. No judgments are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..lazy import pd
from ..results.plotting import axes
from .pool import Pool

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def run_overlap(pool: Pool, top: int | None = None) -> pd.DataFrame:
    """The overlap of the top documents of every two runs. It needs no judgments.

    overlap(A, B) is the mean over queries of |A ∩ B| / max(|A|, |B|), where A and B are the runs' top documents of a
    query. The mean is over the queries for which one of the runs retrieves a document.

    Args:
        pool: the runs.
        top: number of documents of each query to compare. The default is the depth of the pool.

    Returns:
        A square DataFrame by system, 1 on the diagonal.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d2': 2.0, 'd3': 1.0}}, 'C': {'q': {'d4': 1.0}}}
        >>> run_overlap(ir_divmeasures.pools.Pool.from_runs(runs)).loc['A'].tolist()
        [1.0, 0.5, 0.0]
    """
    rows = pool.rows if top is None else pool.shallower(top).rows
    n_systems = len(pool.systems)
    total, counted = np.zeros((n_systems, n_systems)), np.zeros((n_systems, n_systems))
    ends = np.searchsorted(rows.query, np.arange(len(rows.query_ids) + 1))
    for start, end in zip(ends[:-1], ends[1:]):  # rows are sorted by query, then document
        document = np.unique(rows.document[start:end], return_inverse=True)[1]
        has = np.zeros((n_systems, int(document.max()) + 1), dtype=np.float32)
        has[rows.system[start:end], document] = 1
        n = has.sum(axis=1).astype(float)
        longer = np.maximum(n[:, None], n[None, :])
        counted += longer > 0
        total += (has @ has.T) / np.maximum(longer, 1)
    overlap = total / np.maximum(counted, 1)
    np.fill_diagonal(overlap, 1.0)
    names = pd.Index(pool.systems, name='system')
    return pd.DataFrame(overlap, index=names, columns=pd.Index(pool.systems))


def near_duplicates(pool: Pool, threshold: float = 0.9, top: int | None = None) -> pd.DataFrame:
    """Pairs of runs that share much of their top documents, most first.

    Args:
        pool: the runs.
        threshold: the lowest overlap (see :func:`run_overlap`).
        top: as for :func:`run_overlap`.

    Returns:
        DataFrame ``system_a, system_b, overlap, same_group``.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d2': 2.0, 'd1': 1.0}}, 'C': {'q': {'d4': 1.0}}}
        >>> near_duplicates(ir_divmeasures.pools.Pool.from_runs(runs))
          system_a system_b  overlap  same_group
        0        A        B      1.0       False
    """
    overlap = run_overlap(pool, top).to_numpy()
    a, b = np.nonzero(np.triu(overlap >= threshold - 1e-12, 1))
    names, groups = np.array(pool.systems, dtype=object), np.array(pool.groups, dtype=object)
    frame = pd.DataFrame(
        {
            'system_a': names[a],
            'system_b': names[b],
            'overlap': overlap[a, b],
            'same_group': (groups[a] == groups[b]).astype(bool),
        }
    )
    return frame.sort_values('overlap', ascending=False, kind='stable', ignore_index=True)


def propose_groups(pool: Pool, threshold: float = 0.9, top: int | None = None) -> dict[str, str]:
    """Groups of near-duplicate runs, for :meth:`Pool.regroup <ir_divmeasures.pools.Pool.regroup>`.

    Runs that overlap by at least the threshold are in one group, and so are runs that are linked by others (single
    linkage). A group has the name of its first run. Existing groups of the pool are not split.

    Args:
        pool: the runs.
        threshold: the lowest overlap (see :func:`run_overlap`).
        top: as for :func:`run_overlap`.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d2': 2.0, 'd1': 1.0}}, 'C': {'q': {'d4': 1.0}}}
        >>> propose_groups(ir_divmeasures.pools.Pool.from_runs(runs))
        {'A': 'A', 'B': 'A', 'C': 'C'}
    """
    from scipy.sparse.csgraph import connected_components

    groups = np.array(pool.groups, dtype=object)
    linked = (run_overlap(pool, top).to_numpy() >= threshold - 1e-12) | (
        groups[:, None] == groups[None, :]
    )
    label = connected_components(linked, directed=False)[1]
    first: dict[int, str] = {}
    return {name: first.setdefault(int(number), name) for name, number in zip(pool.systems, label)}


def plot_run_overlap(overlap: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the overlaps as shaded cells, and return the matplotlib axes.

    Runs that overlap much are neighbours: the order is that of the leaves of an average-linkage tree. The figure grows
    with the number of runs, so that each has a label.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    n = len(overlap)
    order = np.arange(n)
    if n > 2:
        distance = squareform(1 - overlap.to_numpy(), checks=False)
        order = leaves_list(linkage(distance, 'average', optimal_ordering=True))
    ax = axes(ax, (max(8.0, 2 + 0.13 * n), max(7.0, 1 + 0.13 * n)))
    image = ax.imshow(overlap.to_numpy()[np.ix_(order, order)], vmin=0, vmax=1)
    names = [str(overlap.index[i]) for i in order]
    points = 10 if n <= 20 else 7
    ax.set(xticks=range(n), yticks=range(n))
    ax.set_yticklabels(names, fontsize=points)
    ax.set_xticklabels(names, rotation=90, fontsize=points)
    ax.figure.colorbar(image, ax=ax, label='overlap of top documents')
    return ax
