"""Innovation: relevant documents count for more, the fewer systems of a pool retrieve them (Türkmen et al. 2023).

The judgments carry a pool: S_d, how many of its systems retrieve a document (``n_retrieved``), S, how many there are
(``n_systems``), the depth of the pool, whether the run that is scored is still to be counted in, and which systems
retrieve a document (``pool_ranks``): :func:`ir_divmeasures.with_rareness` and :class:`ir_divmeasures.pools.Pool` add these
columns. S_t is the number of systems that retrieve a document which serves the intent t, also in the top ``depth``.
A run is always one of the S systems: as a member, or as a newcomer that is counted in before anything is computed.
"""

from __future__ import annotations

import functools
import math
from typing import Annotated, Any

import numpy as np

from ..core.kernels import discount, ideal, pool_ranks
from ..core.parameters import Choice, Gain, Persistence, Range
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import measure
from ..core.terms import Terms
from .subtopic import found_aspects

NEEDS = ('n_retrieved', 'n_systems', 'pool_depth', 'newcomer')
INTENT_NEEDS = (*NEEDS, 'pool_ranks')
"""The columns that say how many systems serve an intent: S_t cannot be computed from S_d."""

Alpha = Annotated[
    float | str,
    Range(0, math.inf, ')', words=('auto',)),
    "the weight of rareness. 'auto' is 1/N, where N is the query's number of relevant documents",
]
Norm = Annotated[
    bool,
    "whether the weight of a document stays in [0, 1]: (1 - alpha) + alpha R' in place of 1 +"
    " alpha R",
]
RARITIES = ('R', "R'")
Rarity = Annotated[
    str | None,
    Choice(RARITIES),
    "the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, and \"R'\" is 1 - (S_d - "
    "1)/(S - 1). None: R, or R' with norm=True",
]
Unit = Annotated[
    str, Choice(('document', 'intent')), 'what is rare or unique: relevant documents or intents'
]


def _mixture(params: dict[str, Any]) -> None:
    """Check that α can mix precision and rareness."""
    if params.get('norm') and params['alpha'] != 'auto' and params['alpha'] > 1:
        raise ValueError(f'alpha={params["alpha"]:g}: expected a number in [0, 1] when norm=True')


def _needs(params: dict[str, Any]) -> tuple[str, ...]:
    return INTENT_NEEDS if _counts_intents(params) else NEEDS


def _counts_intents(params: dict[str, Any]) -> bool:
    return bool(params['of'] == 'intent')


def rareness(judgments: JudgmentArrays, rarity: str) -> Array:
    """R = 1 − S_d/S or R' = 1 − (S_d − 1)/(S − 1) of the judged documents; (Q, D).

    A document that nobody retrieves counts as one that only the scored system could have found, S_d = 1. All are 0 for
    a pool of one system.
    """
    columns = judgments.columns
    return rarity_of(
        columns['n_retrieved'].astype(float), columns['n_systems'].astype(float), rarity
    )


def rarity_of(n_retrieved: Array, n_systems: Array, rarity: str) -> Array:
    """R or R' from S_d and S, in one shape."""
    n_retrieved = np.maximum(n_retrieved, 1)
    alone = n_systems <= 1
    if rarity == 'R':
        return np.where(alone, 0.0, 1 - ratio(n_retrieved, n_systems))
    return np.where(alone, 0.0, 1 - ratio(n_retrieved - 1, n_systems - 1))


def n_serving(judgments: JudgmentArrays, rel: float) -> Array:
    """S_t: groups of the pool that retrieve a document which serves the intent; (Q, T)."""

    def compute() -> Array:
        serves, groups = judgments.relevant(rel) > 0, judgments.columns['pool_ranks']
        serving = np.zeros(serves.shape[::2])
        for t in range(serves.shape[2]):
            retrieving = np.where(serves[:, :, t, None], groups, np.uint8(0))
            serving[:, t] = pool_ranks.size(np.bitwise_or.reduce(retrieving, axis=1))
        return serving

    return judgments.keep(('n_serving', rel), compute)


def intent_rareness(judgments: JudgmentArrays, rel: float, rarity: str) -> Array:
    """R_t from S_t as R from S_d; (Q, T)."""
    n_systems = judgments.columns['n_systems'].max(axis=1, initial=1).astype(float)
    serving = n_serving(judgments, rel)
    return rarity_of(serving, n_systems[:, None], rarity)


def _factor(rare: Array, n_relevant: Array, alpha: Any, norm: bool) -> Any:
    """The gain of relevant documents of this rareness: 1 + αR, or (1 − α) + αR' with ``norm``."""
    weight = ratio(np.ones(n_relevant.shape), n_relevant) if alpha == 'auto' else alpha
    return (1 - weight if norm else 1) + weight * rare


def _hit_factors(r: Ranking, alpha: float | str, norm: bool, rarity: str | None) -> Any:
    """The factor of each hit if it is relevant; (Q, H, 1)."""
    rare = r.of_hits(rareness(r.judgments, rarity or ("R'" if norm else 'R')))
    return _factor(rare[..., None], r.n_relevant[..., None], alpha, norm)


def _worth(r: Ranking, alpha: float | str, norm: bool, rarity: str | None) -> Array:
    """J(d)(1 + αR(d)) of the hits; (Q, H, 1)."""
    return np.asarray(r.relevant() * _hit_factors(r, alpha, norm, rarity))


innovation = functools.partial(
    measure,
    family='innovation',
    diversity=False,
    needs=NEEDS,
    cite='Turkmen2023',
)
"""Declare a measure of innovation: :func:`measure` with the facts that most of them share."""


@innovation(bounds=(0, None), check=_mixture, pretty='Precision with rareness')
def P_Rareness(
    r: Ranking, *, alpha: Alpha = 1.0, norm: Norm = False, rarity: Rarity = None
) -> Terms:
    r"""Precision that rewards relevant documents which other systems miss.

    .. math::

        \mathrm{P\_Rareness}@k = \frac{1}{k} \sum_{i \leq k} J(d_i)\,(1 + \alpha R(d_i))

    .. math::

        R(d) = 1 - \frac{S_d}{S}

    S_d of the S systems of a pool retrieve d in their top ``depth``, the scored one among them; where α is at most 1
    the value is at most 2 − 1/S. ``norm=True`` (Eq. 4) takes :math:`J(d_i)\,((1-\alpha) + \alpha R'(d_i))` with
    :math:`R'(d) = 1 - (S_d - 1)/(S - 1)`, in [0, 1]. α = 0 gives P@k.

    Choices: ``alpha='auto'`` is 1/N_R per query, N_R relevant documents (the authors' program). R = R' = 0 in a pool of one system. Without a cutoff k is the run's length. A
    cutoff deeper than the pool is an error: a document that everyone ranks below the depth is not rare.

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
    return Terms(
        r,
        _worth(r, alpha, norm, rarity),
        divisor=np.maximum(r.length, 1),
    )


@innovation(bounds=(0, None), check=_mixture, pretty='Average Precision with rareness')
def AP_Rareness(
    r: Ranking, *, alpha: Alpha = 1.0, norm: Norm = False, rarity: Rarity = None
) -> Terms:
    r"""Average precision that rewards relevant documents which other systems miss.

    .. math::

        \mathrm{AP\_Rareness}@k = \frac{1}{N_R} \sum_{i \leq k} J(d_i)\; \mathrm{P\_Rareness}@i

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
    precision = np.cumsum(_worth(r, alpha, norm, rarity), axis=-2) / r.rank[..., None]
    return Terms(r, r.relevant(), precision, divisor=r.n_relevant[:, 0])


@innovation(rel_means='gate', check=_mixture, pretty='nDCG with rareness')
def nDCG_Rareness(
    r: Ranking, *, alpha: Alpha = 1.0, gain: Gain = 'linear', rarity: Rarity = None
) -> Terms:
    r"""nDCG whose gains are larger for rare documents.

    .. math::

        \mathrm{nDCG\_Rareness}@k = \frac{\sum_{i \leq k} x(d_i) / \log_2(i+1)}{\sum_{i \leq k} x(d_i^*) / \log_2(i+1)}

    .. math::

        x(d) = \mathrm{gain}(d)\,(1 + \alpha R(d))

    d* are the judged documents in the order of x. R and ``alpha`` as for P_Rareness; α = 0 gives nDCG@k.

    Reference: ours, after the future work of Türkmen, Lease & Kutlu, ECIR 2023, §5.2.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> (nDCG_Rareness@1).calc_aggregate(qrels, runs['A'])  # 1 / (3/2)
        0.6666666666666666
    """
    r = r.topic
    return Terms(
        r,
        r.gain(gain) * _hit_factors(r, alpha, False, rarity),
        r.log_discount(),
        divisor=_ideal_dcg(r.judgments, r.rel, r.k, gain, alpha, rarity),
    )


def _ideal_dcg(
    judgments: JudgmentArrays,
    rel: float,
    k: int | None,
    gain: str,
    alpha: float | str,
    rarity: str | None,
) -> Array:
    """Σ_i x(d_i*) / log2(i + 1) of the ideal list within the cutoff; (Q,)."""

    def compute() -> Array:
        gains = judgments.gain(gain, rel)[..., 0] * _factor(
            rareness(judgments, rarity or 'R'), judgments.n_relevant(rel), alpha, False
        )
        return ideal.sorted_gains(gains)

    gains = judgments.keep_ideal(('rareness', gain, rel, alpha, rarity), compute)
    return ideal.discounted(gains[:, :k], discount.log_discount)


@innovation(bounds=(0, None), check=_mixture, pretty='RBP with rareness')
def RBP_Rareness(
    r: Ranking,
    *,
    p: Persistence = 0.8,
    alpha: Alpha = 1.0,
    norm: Norm = False,
    rarity: Rarity = None,
) -> Terms:
    r"""Rank-biased precision that rewards relevant documents which other systems miss.

    .. math::

        \mathrm{RBP\_Rareness}@k = (1-p) \sum_{i \leq k} p^{i-1} J(d_i)\,(1 + \alpha R(d_i))

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
    return Terms(
        r,
        _worth(r, alpha, norm, rarity),
        r.geometric(p),
        scale=1 - p,
    )


@innovation(
    diversity=_counts_intents, needs=_needs, pretty='Mean rareness of the relevant documents found'
)
def Rareness(r: Ranking, *, rarity: Rarity = None, of: Unit = 'document') -> Terms:
    r"""The mean rareness of the relevant documents that a run finds.

    .. math::

        \mathrm{Rareness}@k = \frac{\sum_{i \leq k} J(d_i)\, R(d_i)}{\sum_{i \leq k} J(d_i)}

    0 where none is found. Rareness on its own, without how many are found; (1/k) Σ J R is
    ``P_Rareness(alpha=1,norm=True,rarity='R')``. ``of='intent'`` is the mean of :math:`R_t = 1 - S_t/S` over the
    intents that the top k serves.

    Reference: ours, after the future work of Türkmen, Lease & Kutlu, ECIR 2023, §5.2.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> Rareness.calc_aggregate(qrels, runs['A'])  # (0 + 1/2)/2
        0.25
    """
    if of == 'intent':
        return found_aspects(
            r, r.covered().sum(axis=1), intent_rareness(r.judgments, r.rel, rarity or 'R')
        )
    r = r.topic
    rare = r.of_hits(rareness(r.judgments, rarity or 'R'))[..., None]
    return Terms(
        r,
        r.relevant() * rare,
        divisor=r.total(r.relevant()[..., 0]),
    )


def unique(judgments: JudgmentArrays, rel: float) -> Array:
    """1 for relevant documents that exactly one system retrieves (S_d = 1); (Q, D)."""
    return judgments.relevant(rel)[..., 0] * (judgments.columns['n_retrieved'] == 1)


def unique_intents(judgments: JudgmentArrays, rel: float) -> Array:
    """1 for intents that exactly one system serves (S_t = 1); (Q, T)."""
    return (n_serving(judgments, rel) == 1) * 1.0


@innovation(
    diversity=_counts_intents,
    needs=_needs,
    bounds=(0, None),
    pretty='Number of unique finds',
    cite=('Zobel1998', 'Voorhees2005'),
)
def NumUnique(r: Ranking, *, of: Unit = 'document') -> Terms:
    r"""The number of relevant documents, or intents, that no other system of the pool finds.

    .. math::

        \mathrm{NumUnique}@k = \#\{ i \leq k : J(d_i) = 1,\; S_{d_i} = 1 \}

    With groups S_d counts groups: a document is unique that no other group retrieves. ``of='intent'`` is the number
    of intents that the top k serves and that no other system's top ``depth`` serves:
    :math:`\#\{ t : J(d_i, t) = 1 \text{ for some } i \leq k,\; S_t = 1 \}`. Few unique documents bring such an intent.

    Reference: the unique relevant documents of TREC's pools: Zobel, SIGIR 1998; Voorhees & Harman, TREC, 2005, ch. 3.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1}}, runs)
        >>> NumUnique.calc_aggregate(qrels, runs['A'])
        1.0
        >>> nuggets = {'q': {'d1': {'n1': 1}, 'd2': {'n1': 1}}}  # d2 says what d1 says
        >>> NumUnique(of='intent').calc_aggregate(ir_divmeasures.with_rareness(nuggets, runs), runs['A'])
        0.0
    """
    if of == 'intent':
        return found_aspects(r, None, unique_intents(r.judgments, r.rel))
    r = r.topic
    return Terms(
        r,
        r.of_hits(unique(r.judgments, r.rel))[..., None],
    )


@innovation(
    diversity=_counts_intents, needs=_needs, pretty='Share of the unique finds', cite='Zobel1998'
)
def UniqueRecall(r: Ranking, *, of: Unit = 'document') -> Terms:
    r"""The share of the pool's unique relevant documents that the system finds.

    .. math::

        \mathrm{UniqueRecall}@k = \frac{\mathrm{NumUnique}@k}{\#\{ d : J(d) = 1,\; S_d = 1 \}}

    0 where there are none. Not a share of all relevant documents. Without groups the members' shares of a query sum to
    1 at k = depth. ``of='intent'`` is the share of the intents with S_t = 1.

    Reference: ours, from the unique relevant documents of TREC's pools (Zobel, SIGIR 1998).

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d3': 1.0}}}
        >>> qrels = ir_divmeasures.with_rareness({'q': {'d1': 1, 'd2': 1, 'd3': 1}}, runs)
        >>> (UniqueRecall@1).calc_aggregate(qrels, runs['A'])  # d1 of d1, d2, d3
        0.3333333333333333
    """
    if of == 'intent':
        alone = unique_intents(r.judgments, r.rel)
        return found_aspects(r, alone.sum(axis=1), alone)
    r = r.topic
    every = unique(r.judgments, r.rel)
    return Terms(
        r,
        r.of_hits(every)[..., None],
        divisor=every.sum(axis=1),
    )
