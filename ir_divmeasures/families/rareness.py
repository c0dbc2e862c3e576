"""Innovation: relevant documents count for more, the fewer systems of a pool retrieve them (Türkmen et al. 2023).

The judgments carry S_d, how many systems of the pool retrieve a document (``n_retrieved``), and S, how many there are
(``n_systems``): :func:`ir_divmeasures.with_rareness` adds both.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from ..kernels import discount, ideal
from ..parameters import Gain, Persistence, Range
from ..ranking import Array, Judged, Ranking, memo, ratio
from ..registry import measure
from .dmeasures import ndcg

__all__ = ['P_Rareness', 'AP_Rareness', 'nDCG_Rareness', 'RBP_Rareness']

NEEDS = ('n_retrieved', 'n_systems')

Alpha = Annotated[float | str, Range(0, math.inf, ')', words=('auto',)),
                  "weight of rareness; 'auto': 1 over the query's number of relevant documents"]
Norm = Annotated[bool, 'the form in [0, 1]: (1 - alpha) + alpha R\' in place of 1 + alpha R']


def _mixture(measure: str) -> Callable[[dict[str, Any]], None]:
    """The check that α can mix precision and rareness."""
    def check(params: dict[str, Any]) -> None:
        if params['norm'] and params['alpha'] != 'auto' and params['alpha'] > 1:
            raise ValueError(f"{measure}: alpha={params['alpha']:g}: expected a number in [0, 1] when norm=True")
    return check


@memo
def rareness(judged: Judged, norm: bool) -> Array:
    """R = 1 − S_d/S of the judged documents, with ``norm`` R' = 1 − (max(S_d, 1) − 1)/(S − 1); (Q, D)."""
    n_retrieved, n_systems = (judged.columns[name].astype(float) for name in NEEDS)
    if not norm:
        return 1 - ratio(n_retrieved, n_systems)
    if (n_systems == 1).any():
        raise ValueError('norm=True needs a pool of at least 2 systems, found n_systems=1')
    return 1 - ratio(np.maximum(n_retrieved, 1) - 1, n_systems - 1)


@memo
def factor(judged: Judged, rel: float, alpha: float | str, norm: bool) -> Array:
    """What a relevant document counts: 1 + αR, with ``norm`` (1 − α) + αR'; (Q, D)."""
    weight: Array | float = ratio(np.ones(len(judged.grade)), judged.relevant(rel).sum(axis=(1, 2)))[:, None] \
        if isinstance(alpha, str) else alpha
    return (1 - weight if norm else 1) + weight * rareness(judged, norm)


def _worth(r: Ranking, alpha: float | str, norm: bool) -> Array:
    """J(d)(1 + αR(d)) of the hits; (Q, H)."""
    return r.of_hits(r.judged.relevant(r.rel)[..., 0] * factor(r.judged, r.rel, alpha, norm))


@measure(family='innovation', diversity=False, needs=NEEDS, bounds=(0, None), check=_mixture('P_Rareness'),
         pretty='Precision with rareness')
def P_Rareness(r: Ranking, *, alpha: Alpha = 1.0, norm: Norm = False) -> Array:
    """Precision that rewards relevant documents other systems miss: P_Rareness@k = (1/k) Σ_{i≤k} J(d_i)(1 + α R(d_i)).

    R(d) = 1 − S_d/S, where S_d of the S systems of a pool retrieve d; below 2 for α ≤ 1. ``norm=True`` (Eq. 4) takes
    J · ((1 − α) + α R') with R' = 1 − (S_d − 1)/(S − 1), in [0, 1]. α = 0 gives P@k.

    Choices: ``alpha='auto'`` is 1/N_R per query, N_R relevant documents (the authors' program). A document that no
    system of the pool retrieves has R = 1, and S_d = 1 in R'. Without a cutoff k is the run's length.

    Reference: Türkmen, Lease & Kutlu, ECIR 2023, Eq. 1, 2 and 4.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> (P_Rareness@2).calc_aggregate(qrels, runs['A'])  # (1/2) ((1 + 0) + (1 + 1/2))
        1.25
        >>> P_Rareness(norm=True).calc_aggregate(qrels, runs['A'])  # (1/2) (0 + 1)
        0.5
    """
    r = r.topic
    return r.total(_worth(r, alpha, norm)) / np.maximum(r.length, 1)


@measure(family='innovation', diversity=False, needs=NEEDS, bounds=(0, None), check=_mixture('AP_Rareness'),
         pretty='Average Precision with rareness')
def AP_Rareness(r: Ranking, *, alpha: Alpha = 1.0, norm: Norm = False) -> Array:
    """Average precision of P_Rareness: AP_Rareness@k = (1/N_R) Σ_{i≤k} J(d_i) P_Rareness@i.

    N_R all documents relevant to the query; parameters as for P_Rareness. α = 0 gives AP@k.

    Reference: Türkmen, Lease & Kutlu, ECIR 2023, Eq. 3.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> AP_Rareness.calc_aggregate(qrels, runs['A'])  # (1/2) (1/1 + (1 + 3/2)/2)
        1.125
    """
    r = r.topic
    precision = np.cumsum(_worth(r, alpha, norm), axis=1) / r.rank
    return ratio(r.total(r.relevant()[..., 0] * precision), r.n_relevant[:, 0])


@measure(family='innovation', diversity=False, needs=NEEDS, pretty='nDCG with rareness')
def nDCG_Rareness(r: Ranking, *, alpha: Alpha = 1.0, gain: Gain = 'linear') -> Array:
    """nDCG whose gains grow with rareness: Σ_{i≤k} gain(d_i)(1 + α R(d_i))/log2(i+1) / the same on the ideal list at k.

    The ideal list has the judged documents by gain · (1 + αR). R and ``alpha`` as for P_Rareness; α = 0 gives nDCG@k.

    Reference: ours, after the future work of Türkmen, Lease & Kutlu, ECIR 2023, §5.2.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> (nDCG_Rareness@1).calc_aggregate(qrels, runs['A'])  # 1 / (3/2)
        0.6666666666666666
    """
    r = r.topic
    gains = r.judged.gain(gain, r.rel)[..., 0] * factor(r.judged, r.rel, alpha, False)
    return ndcg(r, r.of_hits(gains), ideal.sorted_gains(gains))


@measure(family='innovation', diversity=False, needs=NEEDS, bounds=(0, None), check=_mixture('RBP_Rareness'),
         pretty='RBP with rareness')
def RBP_Rareness(r: Ranking, *, p: Persistence = 0.8, alpha: Alpha = 1.0, norm: Norm = False) -> Array:
    """Rank-biased precision with rareness: RBP_Rareness@k = (1 − p) Σ_{i≤k} p^{i−1} J(d_i)(1 + α R(d_i)).

    R, ``alpha`` and ``norm`` as for P_Rareness. α = 0 gives RBP.

    Reference: ours, after the future work of Türkmen, Lease & Kutlu, ECIR 2023, §6.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> RBP_Rareness(p=0.5).calc_aggregate(qrels, runs['A'])  # 0.5 (1 + 0.5 · 1.5)
        0.875
    """
    r = r.topic
    return (1 - p) * r.total(_worth(r, alpha, norm) * discount.geometric(r.rank, p))
