"""User models: four models of utility and six stopping distributions (Carterette, SIGIR 2011).

:func:`cells` lists the 24 combinations, and marks those that do not compare rankings. :func:`fit_stopping` fits
distributions to observed ranks. :func:`weighted_pairs` is the preference form of M2 and M4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .core.ranking import Array
from .core.registry import parse
from .errors import one_of
from .families.named_models import MODELS
from .families.usermodel import DYNAMIC, STATIC, TAILS, Stops, why_marked
from .io.runs import read
from .lazy import pd
from .typing import RunLike

PAPER = {**MODELS, 'RBP': (1, 'RBP'), 'ERR': (3, 'ERR'), 'AP': (4, 'AP')}
"""The paper's 15 combinations by name, with those whose names are ir_measures'."""

COLUMNS = ['query', 'preferred', 'other']


def cells() -> pd.DataFrame:
    """Every utility model with every stopping distribution: its name, and whether it compares rankings.

    Returns:
        DataFrame ``model, P, tail, name, measure, marked``: the tail of the distribution; the paper's name (that of a
        measure here, or of ir_measures for RBP, ERR and AP), None if it has none; the measure as
        :func:`ir_divmeasures.measures` takes it; the reason why the cell is *marked*, None if it is not. A marked cell
        is a constant, or does not depend on the ranks of non-relevant documents, whatever the gain.

    Examples:
        >>> table = cells()
        >>> len(table), int(table['marked'].isna().sum())
        (24, 15)
        >>> table.loc[table['P'] == 'RR', 'name'].tolist()
        ['RRG', 'RRDCG', None, 'RAP']
    """
    names = {cell: name for name, cell in PAPER.items()}
    rows = [
        (
            model,
            P,
            TAILS[P],
            names.get((model, P)),
            f'UM(model={model},P={P!r})',
            why_marked({'model': model, 'P': P}),
        )
        for model in (1, 2, 3, 4)
        for P in (*STATIC, *DYNAMIC)
    ]
    columns = ['model', 'P', 'tail', 'name', 'measure', 'marked']
    return pd.DataFrame(rows, columns=columns, dtype=object)


def fit_stopping(ranks: Any, P: Iterable[str] = tuple(STATIC)) -> pd.DataFrame:
    """Fit static stopping distributions to the ranks at which users stopped or clicked, by maximum likelihood.

    Args:
        ranks: whole numbers from 1, one for each observation.
        P: names of static distributions.

    Returns:
        DataFrame, best fit first: ``P, theta, log_likelihood, kl``. ``theta`` is NaN where P has none,
        ``log_likelihood`` is Σ ln P(k), and ``kl`` is Σ p̂(k) log2(p̂(k)/P(k)) of the observed shares p̂.

    Reference: Carterette, SIGIR 2011, §4.1.

    Examples:
        The mean rank is 2, so that θ = 1/2. The shares are 3/6, 1/6, 1/6, 1/6; RR has 1/2, 1/6, 1/12, 1/20 there.

        >>> fit_stopping([1, 1, 2, 1, 3, 4], ['RBP', 'RR'])[['P', 'theta', 'kl']].round(3)
             P  theta     kl
        0  RBP    0.5  0.208
        1   RR    NaN  0.456
    """
    from scipy.optimize import minimize_scalar

    k, count = np.unique(np.asarray(ranks, dtype=float), return_counts=True)
    if not len(k) or not np.all((k >= 1) & (k == np.floor(k))):
        raise ValueError(f'ranks: expected whole numbers from 1, found {k}')
    rows = []
    for name in P:
        one_of(name, STATIC, 'P')

        def loss(theta: float, name: str = name) -> float:
            return -float(count @ np.log(STATIC[name].P(k, theta)))

        theta = np.nan
        if name == 'RBP':
            edge, accuracy = 1e-9, {'xatol': 1e-10}
            theta = minimize_scalar(loss, bounds=(edge, 1 - edge), options=accuracy).x
        entropy = count @ np.log(count / count.sum())
        kl = (entropy + loss(theta)) / count.sum() / np.log(2)
        rows.append((name, theta, -loss(theta), kl))
    table = pd.DataFrame(rows, columns=['P', 'theta', 'log_likelihood', 'kl'])
    return table.sort_values('log_likelihood', ascending=False, kind='stable', ignore_index=True)


def weighted_pairs(
    run: RunLike,
    preferences: pd.DataFrame,
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
        P: a stopping distribution's name. Users of a dynamic distribution stop at documents that are preferred to every
            document.
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
    stops = Stops(P, parse('UM')(theta=theta, P=P, cutoff=cutoff)['theta'])
    table = preferences[COLUMNS].drop_duplicates().map(str, na_action='ignore')
    if stops.is_dynamic and table['other'].notna().all():
        raise ValueError(f'P={P!r} stops at documents preferred to all, with other missing')
    ranking = read(run).check().table.sort_values(['score', 'doc_id'], ascending=False)
    values = {}
    for query, part in table.groupby('query', sort=False):
        top = pd.Index(ranking.loc[ranking['query_id'] == query, 'doc_id'][:cutoff])
        n, (winner, loser) = len(top), map(top.get_indexer, (part['preferred'], part['other']))
        always = winner[part['other'].isna()]
        prefers = np.zeros((n + 1, n + 1))  # the last place is for documents outside the top
        prefers[winner, loser] = prefers[always] = 1
        relevant = np.isin(np.arange(n), always)[:, None].astype(float)
        concordant = np.triu(prefers[:n, :n]).sum(axis=0)
        stop, beyond = _stopping(stops, model, relevant, len(always), cutoff)
        values[query] = concordant @ stop + relevant.sum() * beyond
    return pd.Series(values, name='weighted_pairs', dtype=float).rename_axis('query')


def _stopping(
    stops: Stops, model: int, relevant: Array, total: int, cutoff: int | None
) -> tuple[Array, float]:
    """P(k), or P(k)/k for model 4, at the ranks of a ranking, and the sum of the same over further ranks.

    Args:
        relevant: (n, 1) of 0/1 by rank.
        total: the number of all relevant documents.
    """
    n = len(relevant)
    if stops.is_dynamic:
        stop = stops.at_relevant(relevant, np.array([total]))[:, 0]
    else:
        stop = stops.by_rank(cutoff or n)[0][1:-1]
    every = 1.0
    if model == 4:
        stop = stop / np.arange(1.0, len(stop) + 1)
        endless = cutoff is None and not stops.is_dynamic
        every = stops.mean_reciprocal() if endless else float(stop.sum())
    return stop[:n], max(every - float(stop[:n].sum()), 0.0)


__all__ = ['cells', 'fit_stopping', 'weighted_pairs']
