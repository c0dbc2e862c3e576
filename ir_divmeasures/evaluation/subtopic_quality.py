"""The quality of subtopics from clustering, from a model or by hand: their agreement with other subtopics.

Both functions compare two ways to assign the relevant documents of each query to subtopics. A document may have several
subtopics. Agreement by chance depends on how many and how large the subtopics are, so each figure stands beside its
chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import warn, whole
from ..io.columns import intent_rows
from ..judgments.clustering import groups_of, leaves_of, trees_of
from ..judgments.hierarchy import topic_rows
from ..judgments.similarity import similarity_of
from ..judgments.table import Judgments, base_layer
from ..lazy import INSTALL, pd
from ..results import Result, count
from ..results.progress import with_progress
from .ranges import means_within

if TYPE_CHECKING:
    from ..typing import QrelsLike, RngLike

Array = NDArray[np.float64]
FIGURES = ('omega', 'precision', 'recall', 'f1', 'ami')
BOUNDS = {'omega': (-1, 1), 'ami': (-1, 1)}
"""The bounds of figures of agreement that can be negative. The others are between 0 and 1."""
COLUMNS = [
    *('figure', 'mean', 'low', 'high', 'chance', 'chance_low', 'chance_high', 'queries', 'pvalue')
]
CUTOFFS = tuple(round(0.05 * step, 2) for step in range(1, 20))


def subtopic_agreement(
    a: Any,
    b: Any,
    *,
    rel: float = 1,
    layer: int | str | None = None,
    n_resamples: int = 1000,
    rng: RngLike = None,
) -> Result:
    """Agreement of two ways to assign the relevant documents of each query to subtopics.

    ``omega`` (Collins & Dent 1988) compares in how many subtopics two documents are together, over all pairs of
    documents and corrected for chance. Where each document has one subtopic, it is the adjusted Rand index.
    ``precision``, ``recall`` and ``f1`` are those of extended BCubed (Amigó et al. 2009), ``b`` being the truth; they
    are not corrected for chance. ``ami`` is the adjusted mutual information over the documents with one subtopic in
    both.

    Args:
        a, b: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes: the subtopics in question, and those
            that are taken for right.
        rel: the lowest grade that assigns a document to a subtopic.
        layer: which subtopics judgments with layers have: the number of a layer, or ``'deepest'``, the deepest layer of
            each query. By default those of the official layer.
        n_resamples: number of chance assignments: which document has which set of subtopics of ``a`` is drawn anew.
        rng: a seed or generator.

    Returns:
        :class:`~ir_divmeasures.results.Result`, a row for each figure: ``figure, mean, low, high, chance, chance_low,
        chance_high, queries, pvalue``. The means are over the queries with at least two documents that are relevant in
        both, with 95 % intervals over queries that stay between the bounds of the figure. ``chance`` is the mean of chance assignments, with their 95 % interval. ``pvalue``
        is (1 + the number of chance means at least as large as the mean)/(1 + ``n_resamples``).

    Facts:
        queries: a row for each query: ``query_id, documents, overlapping, omega, precision, recall, f1, ami``.

    Raises:
        ImportError: scikit-learn is not installed, which computes ``ami``.
        ValueError: no query with two documents that are relevant in both; no such layer.

    Warns:
        DivMeasuresWarning: queries of ``b`` are omitted, with their number.

    References:
        Collins & Dent, *Omega: A general formulation of the Rand index of cluster recovery suitable for non-disjoint
        solutions*, Multivariate Behavioral Research 1988, Eq. 4 and 5. Amigó, Gonzalo, Artiles & Verdejo, *A comparison
        of extrinsic clustering evaluation metrics based on formal constraints*, Information Retrieval 2009, §5.

    Examples:
        >>> clusters = {'q': {'d1': {'x': 1}, 'd2': {'x': 1}, 'd3': {'y': 1}, 'd4': {'y': 1}}}
        >>> official = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}, 'd4': {'1': 1}}}
        >>> found = subtopic_agreement(clusters, official, n_resamples=99, rng=0)
        >>> found.queries[['documents', 'overlapping', 'omega', 'precision', 'recall']].round(3)
           documents  overlapping  omega  precision  recall
        0          4            0    0.0       0.75   0.667
    """
    whole(n_resamples, 'n_resamples')
    try:
        import sklearn.metrics.cluster  # noqa: F401
    except ImportError:
        hint = INSTALL.format('text')
        raise ImportError(f'subtopic_agreement needs scikit-learn: {hint}') from None
    of_a, of_b = (_members(source, rel, layer, name) for source, name in ((a, 'a'), (b, 'b')))
    compared = {
        query: documents
        for query in of_b
        if query in of_a
        and len(documents := of_b[query].index.intersection(of_a[query].index, sort=False)) > 1
    }
    if not compared:
        raise ValueError(
            f'no query with two documents that are relevant in both ({len(of_a)} queries of a, '
            f'{len(of_b)} of b have a relevant document)'
        )
    if len(compared) < len(of_b):
        warn(
            f'{len(of_b) - len(compared)} of {len(of_b)} queries are omitted: fewer than two of their documents '
            f'are relevant in both'
        )
    generator = np.random.default_rng(rng)
    rows, chance = [], []
    for query, documents in with_progress(compared.items(), 'query', 'queries'):
        n = len(documents)
        one, other = (of[query].loc[documents].to_numpy() for of in (of_a, of_b))
        figures = _figures(one, other)
        n_overlapping = int(((one.sum(axis=1) > 1) | (other.sum(axis=1) > 1)).sum())
        rows.append((query, n, n_overlapping, *figures(np.arange(n))))
        chance.append([figures(generator.permutation(n)) for _ in range(n_resamples)])
    queries = pd.DataFrame(rows, columns=['query_id', 'documents', 'overlapping', *FIGURES])
    drawn = np.array(chance)  # (queries, draws, figures)
    n_defined = np.maximum((~np.isnan(drawn)).sum(axis=0), 1)
    table = []
    for name, means in zip(FIGURES, (np.nansum(drawn, axis=0) / n_defined).T):
        values = queries[name].dropna().to_numpy()
        row = {'figure': name, 'queries': len(values)}
        if len(values):
            estimate = means_within(values, BOUNDS.get(name, (0, 1)))
            row |= {'mean': estimate.value, 'low': estimate.low, 'high': estimate.high}
            row |= dict(zip(('chance_low', 'chance_high'), np.quantile(means, [0.025, 0.975])))
            n_as_large = int((means >= estimate.value - 1e-12).sum())
            row |= {'chance': means.mean(), 'pvalue': (1 + n_as_large) / (1 + n_resamples)}
        table.append(row)
    return Result(
        pd.DataFrame(table, columns=COLUMNS),
        f'Mean agreement of two assignments to subtopics on {count(len(queries), "query", "queries")}, with '
        f'95 % intervals and p-values of each figure alone, and agreement by chance',
        queries=queries,
    )


def calibrate_cutoff(
    qrels: QrelsLike,
    docs: Any = None,
    similarity: Any = 'tfidf',
    cutoffs: Iterable[float] = CUTOFFS,
    *,
    rel: float = 1,
    missing: str = 'error',
    idf: Any = None,
    scale: str = 'cosine',
    stopwords: Any = None,
    tokenizer: Any = None,
) -> Result:
    """The δ of :func:`~ir_divmeasures.build_hierarchy` whose clusters agree best with the official subtopics.

    For each δ, the relevant documents of each query are clustered as with ``level='topic'``, and the leaves are
    compared with the official subtopics by omega (see :func:`subtopic_agreement`).

    Args:
        qrels: judgments with subtopics, in any form that :func:`~ir_divmeasures.read_qrels` takes.
        docs, similarity, rel, missing, idf, scale, stopwords, tokenizer: as for
            :func:`~ir_divmeasures.build_hierarchy`.
        cutoffs: values of δ.

    Returns:
        :class:`~ir_divmeasures.results.Result`, a row for each δ: ``cutoff, omega, low, high``, with 95 % intervals
        over queries. Report ``held_out``, not ``omega``: it is not too high by the choice of δ.

    Facts:
        best: the δ of the largest mean omega, the smallest of several.
        omega: its mean omega, which is too high for other queries, since δ was chosen on these.
        held_out: the mean omega of each query at the δ that is best for the other queries.

    Raises:
        ValueError: no δ, or one that is not in [0, 1]; fewer than two queries with two relevant documents; and as
            :func:`~ir_divmeasures.build_hierarchy`.

    Examples:
        >>> qrels = {q: {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}} for q in ('q1', 'q2')}
        >>> texts = {'d1': 'land rover', 'd2': 'rover land defender', 'd3': 'windows defender'}
        >>> found = calibrate_cutoff(qrels, texts, cutoffs=[0.1, 0.5, 1])
        >>> found.to_frame()[['cutoff', 'omega']], found.best, found.held_out
        (   cutoff  omega
        0     0.1    1.0
        1     0.5    1.0
        2     1.0    0.0, 0.1, 1.0)
    """
    values_of_delta = [float(cutoff) for cutoff in cutoffs]
    if not values_of_delta or not all(0 <= cutoff <= 1 for cutoff in values_of_delta):
        raise ValueError(f'cutoffs={values_of_delta}: expected numbers in [0, 1]')
    table = Judgments.of(qrels).frame()
    official = topic_rows(table).reset_index(drop=True)
    alike = similarity_of(similarity, docs, table, rel, scale, idf, stopwords, tokenizer, missing)
    truth = _members(qrels, rel, None, 'qrels')
    groups = [group for group in groups_of(official, alike, rel) if len(group.rows) > 1]
    if len(groups) < 2:
        raise ValueError(
            f'{len(groups)} queries with two relevant documents, expected at least two'
        )
    documents = official['doc_id'].to_numpy(dtype=object)
    omega = np.zeros((len(values_of_delta), len(groups)))
    for place, (group, root) in enumerate(trees_of(groups, 2.0, False)):  # whole trees
        right = _together(truth[group.query].loc[documents[group.rows]].to_numpy())
        for number, cutoff in enumerate(values_of_delta):
            leaf_of = np.zeros(len(group.rows), dtype=np.intp)
            for leaf, node in enumerate(leaves_of(root, cutoff)):
                leaf_of[node.documents] = leaf
            omega[number, place] = _omega(_together(np.eye(leaf_of.max() + 1)[leaf_of]), right)
    means = omega.mean(axis=1)
    best = int(np.argmax(means.round(12)))
    others = (omega.sum(axis=1, keepdims=True) - omega) / (omega.shape[1] - 1)
    held_out = omega[np.argmax(others.round(12), axis=0), np.arange(omega.shape[1])].mean()
    rows = [
        (cutoff, *means_within(values, BOUNDS['omega'])[:3])
        for cutoff, values in zip(values_of_delta, omega)
    ]
    found, held_out = float(means[best]), float(held_out)
    return Result(
        pd.DataFrame(rows, columns=['cutoff', 'omega', 'low', 'high']),
        f'Best cutoff {values_of_delta[best]:.4g}: mean omega {found:.4f} on these {len(groups)} queries, '
        f'{held_out:.4f} on queries held out; 95 % intervals of each cutoff alone',
        best=values_of_delta[best],
        omega=found,
        held_out=held_out,
    )


# ------------------------------------------------------------------------------------------------ what is compared


def _members(
    source: Any, rel: float, layer: int | str | None, name: str
) -> dict[str, pd.DataFrame]:
    """For each query, a table (relevant documents, subtopics) that is 1 where a document has a subtopic, else 0."""
    table = Judgments.of(source).table
    if layer is None or 'layer' not in table.columns:
        table = base_layer(table)
    elif layer == 'deepest':
        table = table[table['layer'] == table.groupby('query_id')['layer'].transform('max')]
    elif layer in (layers := sorted(table['layer'].unique())):
        table = table[table['layer'] == layer]
    else:
        raise ValueError(
            f"{name}: no layer {layer!r} (found {', '.join(map(str, layers))}, or 'deepest')"
        )
    table = table[(table['relevance'] >= rel) & (table['relevance'] > 0) & ~intent_rows(table)]
    return {
        query: pd.get_dummies(rows['subtopic_id'], dtype=float)
        .groupby(rows['doc_id'], sort=False)
        .max()
        for query, rows in table.groupby('query_id', sort=False)
    }


def _together(member: Array) -> Array:
    """(documents, documents) in how many subtopics two documents are together."""
    return member @ member.T


# ------------------------------------------------------------------------------------------------ figures


def _omega(one: Array, other: Array) -> float:
    """Omega from how often two documents are together, (documents, documents) each; 1 where the expected one is 1."""
    upper = np.triu_indices(len(one), 1)
    x, y = one[upper].astype(np.intp), other[upper].astype(np.intp)
    shares = [np.bincount(each, minlength=max(x.max(), y.max()) + 1) / len(x) for each in (x, y)]
    expected = float(shares[0] @ shares[1])
    return 1.0 if 1 - expected < 1e-12 else (float((x == y).mean()) - expected) / (1 - expected)


def _figures(one: Array, other: Array) -> Callable[[NDArray[np.intp]], tuple[float, ...]]:
    """A function that gives the figures of two assignments for any order of the documents in the first one.

    Entropies and expected information are the same for all orders, so scikit-learn computes them once.

    Args:
        one, other: (documents, subtopics) each, 1 where a document has a subtopic.
    """
    from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

    in_one, in_other = _together(one), _together(other)
    is_single = (one.sum(axis=1) == 1) & (other.sum(axis=1) == 1)
    x, y = (each[is_single].argmax(axis=1) for each in (one, other))
    # 1 for as many labels as documents in both, or one label
    ami = float('nan') if len(x) < 2 else 1.0
    spread = chance = entropies = 0.0
    if len(x) > 1:
        table = contingency_matrix(x, y, sparse=True).astype(np.float64)
        chance = float(expected_mutual_information(table, len(x)))
        entropies = _entropy(x) + _entropy(y)
        spread = entropies / 2 - chance

    def figures(order: NDArray[np.intp]) -> tuple[float, ...]:
        """omega, BCubed precision, recall and F1, AMI. The documents with one subtopic in both have the order among
        each other that they have in ``order``."""
        of_one = in_one[np.ix_(order, order)]
        both = np.minimum(of_one, in_other)
        precision, recall = (
            float(np.nanmean(np.where(of > 0, both / np.maximum(of, 1), np.nan), axis=1).mean())
            for of in (of_one, in_other)
        )
        f1 = 2 * precision * recall / (precision + recall)
        information = ami
        if abs(spread) >= 1e-12:
            joint = _entropy(x[np.argsort(order[is_single])] * (int(y.max()) + 1) + y)
            information = (entropies - joint - chance) / spread
        return _omega(of_one, in_other), precision, recall, f1, information

    return figures


def _entropy(labels: NDArray[np.intp]) -> float:
    """In nats."""
    counts = np.bincount(labels)
    shares = counts[counts > 0] / len(labels)
    return float(-(shares * np.log(shares)).sum())
