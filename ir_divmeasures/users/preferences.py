"""M2 and M4 as expected numbers of concordant pairs, from preference judgments (Carterette 2011, §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..io.runs import read
from ..judgments.qrels import topic_level
from ..lazy import pd

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunLike

Array = NDArray[np.float64]


def preferences(qrels: QrelsLike, by: str = 'relevance', rel: float = 1.0) -> pd.DataFrame:
    """Preference judgments that follow from grades, at topic level.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        by: with ``'relevance'``, a relevant document is preferred to every document, itself included, which is the
            relation of the paper; each such document has one row, in which ``other`` is missing. With ``'grade'``, a
            judged document is preferred to the judged documents of a lower grade.
        rel: lowest grade that counts as relevant.

    Returns:
        DataFrame ``query, preferred, other``.

    Examples:
        >>> preferences({'q': {'d1': 2, 'd2': 1}}, by='grade')
          query preferred other
        0     q        d1    d2
    """

    table = topic_level(qrels).rename(columns={'query_id': 'query'})
    if by == 'relevance':
        relevant = table[(table['relevance'] >= rel) & (table['relevance'] > 0)]
        return pd.DataFrame(
            {'query': relevant['query'], 'preferred': relevant['doc_id'], 'other': None}
        ).reset_index(drop=True)
    if by != 'grade':
        raise ValueError(f"by={by!r}: expected 'relevance' or 'grade'")
    pairs = table.merge(table, on='query', suffixes=('', '_other'))
    pairs = pairs[pairs['relevance'] > pairs['relevance_other']]
    return (
        pairs[['query', 'doc_id', 'doc_id_other']]
        .set_axis(['query', 'preferred', 'other'], axis=1)
        .reset_index(drop=True)
    )


def weighted_pairs(
    run: RunLike,
    preferences: Any,
    *,
    model: int = 2,
    P: Any = 'DCG',
    theta: float = 0.5,
    cutoff: int | None = None,
) -> pd.Series:
    """Expected number of concordant pairs when a rank k is drawn with probability P(k): the family of M2 and M4.

    C_k = documents at ranks 1..k that are preferred to the one at rank k.

    * model 2: Σ_k C_k P(k), all documents down to rank k are looked at;
    * model 4: Σ_k (C_k/k) P(k), one of them is drawn at random.

    If relevant documents are preferred to every document (themselves included), C_k is the number of relevant documents
    down to rank k and this is M2 and M4 of :data:`UM <ir_divmeasures.families.usermodel.UM>` for binary relevance. If
    they come from an order of the documents without ties and P is uniform, model 2 is proportional to the concordant
    pairs of Kendall's τ.

    Args:
        run: one run: a path, a DataFrame, a dict ``{query: {doc: score}}`` or namedtuples.
        preferences: preference judgments, a DataFrame with columns ``query, preferred, other`` (or an iterable of such
            triples). A missing ``other`` means every document, the preferred one included.
        model: 2 or 4.
        P: a stopping distribution's name, or an array of P(1), P(2), …, which is 0 beyond its end. Users of a dynamic
            distribution stop at documents that are preferred to every document.
        theta: θ in (0, 1), if P has it.
        cutoff: use the top k only. Users who would stop beyond the last rank n see an unknown document. The C documents
            of the ranking that are preferred to every document are preferred to it. Model 2 adds C F(n+1) for these
            users, and model 4 with a static P adds C Σ P(k)/k over the ranks k > n (to the cutoff, or without end).

    Returns:
        Series by query id with every query of the preferences. The value is 0 for queries that the run lacks.

    Reference: Carterette, SIGIR 2011, §5.

    Examples:
        d1 is preferred to d3 and is ranked above it. This is one pair at rank 3, where P_RR(3) = 1/12.

        >>> weighted_pairs({'q': {'d1': 3., 'd2': 2., 'd3': 1.}}, [('q', 'd1', 'd3'), ('q', 'd3', 'd2')], P='RR')
        query
        q    0.083333
        Name: weighted_pairs, dtype: float64
    """

    if model not in (2, 4):
        raise ValueError(f'model={model!r}: expected 2 or 4, the models that accumulate utility')
    measure = parse('UM')(theta=theta, P=P if isinstance(P, str) else 'DCG', cutoff=cutoff)
    table = _preference_table(preferences)
    ranking = (
        read(run)
        .check()
        .table.sort_values(['query_id', 'score', 'doc_id'], ascending=[True, False, False])
    )
    documents = {query: list(part) for query, part in ranking.groupby('query_id')['doc_id']}
    values = {}
    for query, part in table.groupby('query', sort=False):
        top = documents.get(query, [])[:cutoff]
        always = set(part.loc[part['other'].isna(), 'preferred'])
        relevant = np.array([doc in always for doc in top], dtype=float)
        pairs = part[part['other'].notna() & ~part['preferred'].isin(always)]
        rank = {doc: i for i, doc in enumerate(top)}
        above, below = (pairs[c].map(rank).to_numpy(float) for c in ('preferred', 'other'))
        concordant = np.cumsum(relevant)
        np.add.at(concordant, below[above <= below].astype(np.intp), 1)
        probability, beyond, unfilled = _probabilities(
            P, measure['theta'], relevant, len(always), cutoff
        )
        if model == 4:
            concordant, beyond = concordant / np.arange(1.0, len(top) + 1), unfilled
        values[query] = float(concordant @ probability + relevant.sum() * beyond)
    return pd.Series(values, name='weighted_pairs', dtype=float).rename_axis('query')


def _probabilities(
    P: Any, theta: float, relevant: Array, total: int, cutoff: int | None
) -> tuple[Array, float, float]:
    """The probabilities of stopping at the n ranks of a ranking, and beyond it.

    Args:
        P: the name of a distribution, or probabilities from rank 1.
        theta: θ, if P has it.
        relevant: (n,) 1 where the document is preferred to every document, else 0.
        total: number of all such documents of the query.
        cutoff: deepest rank, or None.

    Returns:
        P at ranks 1..n, (n,), and for the ranks k > n down to the cutoff F(n + 1) and Σ P(k)/k.
    """
    n = len(relevant)
    if not isinstance(P, str):
        values = np.asarray(P, dtype=float)
        if values.ndim != 1 or not (values >= 0).all() or values.sum() > 1 + 1e-9:
            raise ValueError(
                f'P: expected a name or probabilities of a sum of at most 1, found {P!r}'
            )
        values = np.append(values, np.zeros(max(n - len(values), 0)))
        beyond = float(values[n:].sum())
    elif stopping.get(P).dynamic:
        if not total:
            raise ValueError(
                f'P={P!r} stops at relevant documents: expected preferences that hold for every document '
                f'(other missing)'
            )
        by_rank = stopping.get(P).at_relevant(relevant[:, None], np.array([float(total)]), theta)
        return by_rank[:, 0], max(1 - float(by_rank.sum()), 0.0), 0.0
    else:
        distribution = stopping.get(P)
        values, viewed = (each[1:] for each in distribution.by_rank(max(n, cutoff or 0), theta))
        beyond = float(viewed[n])
        if cutoff is None:
            reciprocal = distribution.mean_reciprocal(theta)
            return values[:n], beyond, reciprocal - float(values[:n] @ (1 / np.arange(1.0, n + 1)))
    deeper = values[n:cutoff]
    return values[:n], beyond, float((deeper / np.arange(n + 1.0, n + 1 + len(deeper))).sum())


def _preference_table(source: Any) -> pd.DataFrame:
    """Preferences as a checked table ``query, preferred, other`` of texts without duplicates.

    Args:
        source: a DataFrame with these columns, or an iterable of triples.
    """

    columns = ['query', 'preferred', 'other']
    if not isinstance(source, pd.DataFrame):
        rows = [tuple(row) for row in source]
        wrong = next((row for row in rows if len(row) != len(columns)), None)
        if wrong is not None:
            raise ValueError(f'preferences: expected rows ({", ".join(columns)}), found {wrong!r}')
        source = pd.DataFrame(rows, columns=columns)
    for column in columns:
        if column not in source.columns:
            raise ValueError(
                f'preferences: no column {column!r} (found {", ".join(map(str, source.columns))})'
            )
        if column != 'other' and source[column].isna().any():
            row = int(np.flatnonzero(source[column].isna())[0])
            raise ValueError(f'preferences: row {row} has no {column}')
    table = source[columns].drop_duplicates()
    return table.apply(lambda column: column.map(str, na_action='ignore'))
