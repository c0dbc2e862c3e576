"""M2 and M4 as expected numbers of concordant pairs, from preference judgments (Carterette 2011, §5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..io.runs import read
from ..lazy import pd
from ..meta.resampling import check_columns
from ..typing import RunLike
from .profile import user_model

COLUMNS = ['query', 'preferred', 'other']


def weighted_pairs(
    run: RunLike,
    preferences: Any,
    *,
    model: int = 2,
    P: str = 'DCG',
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
        preferences: preference judgments, a DataFrame with columns ``query, preferred, other``. A missing ``other``
            means every document, the preferred one included. That is how relevant documents are preferred:
            ``qrels[qrels['relevance'] > 0]`` with the columns ``query_id`` and ``doc_id`` renamed, and ``other=None``.
        model: 2 or 4.
        P: a stopping distribution's name; :func:`~ir_divmeasures.user_models.register_stopping` adds further ones. Users of a dynamic distribution
            stop at documents that are preferred to every document.
        theta: θ in (0, 1), if P has it.
        cutoff: use the top k only. Users who would stop beyond the last rank n see an unknown document. The C documents
            of the ranking that are preferred to every document are preferred to it. Model 2 adds C F(n+1) for these
            users, and model 4 with a static P adds C Σ P(k)/k over the ranks k > n (to the cutoff, or without end).

    Returns:
        Series by query id with every query of the preferences. The value is 0 for queries that the run lacks.

    Reference: Carterette, SIGIR 2011, §5.

    Examples:
        d1 is preferred to d3 and is ranked above it. This is one pair at rank 3, where P_RR(3) = 1/12.

        >>> import pandas as pd
        >>> said = pd.DataFrame({'query': 'q', 'preferred': ['d1', 'd3'], 'other': ['d3', 'd2']})
        >>> weighted_pairs({'q': {'d1': 3., 'd2': 2., 'd3': 1.}}, said, P='RR')
        query
        q    0.083333
        Name: weighted_pairs, dtype: float64
    """
    if model not in (2, 4):
        raise ValueError(f'model={model!r}: expected 2 or 4, the models that accumulate utility')
    measure = parse('UM')(theta=theta, P=P, cutoff=cutoff)
    table = _preference_table(preferences)
    ranking = read(run).check().table
    ranking = ranking.sort_values(['query_id', 'score', 'doc_id'], ascending=[True, False, False])
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
        if stopping.get(P).dynamic and not always:
            raise ValueError(
                f'P={P!r} stops at relevant documents: expected preferences that hold for every document '
                f'(other missing)'
            )
        values[query] = 0.0
        if top:
            user = user_model(P, measure['theta'], grades=relevant, judged=np.ones(len(always)))
            beyond = user.beyond
            if model == 4:
                concordant = concordant / np.arange(1.0, len(top) + 1)
                beyond = _reciprocal_beyond(P, measure['theta'], len(top), cutoff)
            values[query] = float(concordant @ user.P + relevant.sum() * beyond)
    return pd.Series(values, name='weighted_pairs', dtype=float).rename_axis('query')


def _reciprocal_beyond(P: str, theta: float, n: int, cutoff: int | None) -> float:
    """Σ P(k)/k over the ranks k > n, to the cutoff or without end. It is 0 for a dynamic distribution."""
    distribution = stopping.get(P)
    if distribution.dynamic:
        return 0.0
    terms = distribution.by_rank(cutoff or n, theta)[0][1:-1] / np.arange(1.0, (cutoff or n) + 1)
    if cutoff is not None:
        return float(terms[n:].sum())
    return distribution.mean_reciprocal(theta) - float(terms.sum())


def _preference_table(source: Any) -> pd.DataFrame:
    """Preferences as a checked table ``query, preferred, other`` of texts without duplicates."""
    if not isinstance(source, pd.DataFrame):
        raise TypeError(f'preferences: expected a DataFrame, found {type(source).__name__}')
    check_columns(source, COLUMNS, 'preferences')
    for column in COLUMNS[:2]:
        if source[column].isna().any():
            row = int(np.flatnonzero(source[column].isna())[0])
            raise ValueError(f'preferences: row {row} has no {column}')
    table = source[COLUMNS].drop_duplicates()
    return table.apply(lambda column: column.map(str, na_action='ignore'))
