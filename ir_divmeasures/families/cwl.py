"""C/W/L: what a user gains and spends who goes on from rank i with probability C(i), and at which rank they stop.

V(1) = 1, V(i) = Π_{j<i} C(j) is the probability of reaching rank i, W(i) = V(i)/Σ_{j≤n} V(j) the share of attention
that rank i gets, L(i) = V(i)(1 − C(i)) the probability that it is the last one; n = depth. g and c are the gain and the
cost of the document at a rank, cg and cc cumulated.

====  =============  ===============================
EU    Σ W g          expected utility per document
ETU   Σ L cg         expected total utility
EC    Σ W c          expected cost per document
ETC   Σ L cc         expected total cost
ED    1/W(1)         expected documents
====  =============  ===============================
"""
from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Choice, MaxRel, Parameter, Range
from ..core.ranking import JUDGED, Array, Ranking, cutoff_free, memo
from ..core.registry import measure
from ..core.terms import Value
from ..errors import warn
from ..stopping import registries as stopping
from ..stopping.continuation import viewing
from .usermodel import Gains

__all__ = ['CWL']

CELLS = 250_000
"""Rankings are worked on in blocks of at most about so many ranks, since each has n of them."""

OUTPUTS = ('EU', 'ETU', 'EC', 'ETC', 'ED')


def _further(params: dict[str, Any]) -> dict[str, Parameter]:
    return stopping.parameters_of_continuation(params.get('C', 'RBP'))


def _check(params: dict[str, Any]) -> None:
    for name, known in _further(params).items():
        if params[name] is None and not known.optional:
            raise ValueError(f'CWL: C={params["C"]!r} needs {name}')
    for name in ('k', 'cutoff'):
        if params.get(name) is not None and params[name] > params['depth']:
            raise ValueError(f'CWL: {name}={params[name]} is beyond depth={params["depth"]}')


def _reads(params: dict[str, Any]) -> tuple[str, ...]:
    costs = params['out'] in ('EC', 'ETC') or stopping.get_continuation(params['C']).reads_costs
    return ('cost',) * costs + (JUDGED,) * params['residual']


@measure(family='user models', diversity=False, bounds=(None, None), pretty='C/W/L', run_columns=_reads,
         check=_check, further=_further,
         unjudged='how far users go may depend on what they find; residual=True gives the residual of a C/W/L measure',
         cite=('Moffat2017', 'Azzopardi2019'))
def CWL(r: Ranking, *,
        C: Annotated[str, Choice(stopping.continuations, 'user_models.continuations()'),
                     'continuation function'] = 'RBP',
        out: Annotated[str, Choice(OUTPUTS), 'expected utility per document, total utility, cost per document, total '
                                             'cost, or documents'] = 'EU',
        residual: Annotated[bool, 'what unjudged documents and unfilled ranks could add'] = False,
        gain: Gains = 'binary', max_rel: MaxRel = None,
        depth: Annotated[int, Range(1, 100_000), 'n: ranks that a ranking has, filled or not'] = 1000,
        max_cost: Annotated[float, Range(0, math.inf, '('), 'cost of a document without one, and of an unfilled '
                                                            'rank'] = 1.0,
        min_cost: Annotated[float, Range(0, math.inf, '('), 'the same in the best case, which residual=True asks '
                                                            'for'] = 1.0,
        **parameters: Any) -> Value:
    r"""C/W/L: what a user gains and spends who goes on from rank i to the next one with probability C(i).

    .. math::

        V(i) = \prod_{j<i} C(j), \quad W(i) = \frac{V(i)}{\sum_{j \leq n} V(j)}

    .. math::

        L(i) = V(i)\,(1 - C(i))

    .. math::

        \mathrm{EU} = \sum_i W(i)\, g(i), \quad \mathrm{ETU} = \sum_i L(i)\, \mathrm{cg}(i), \quad \mathrm{EC} = \sum_i
        W(i)\, c(i)

    .. math::

        \mathrm{ETC} = \sum_i L(i)\, \mathrm{cc}(i), \quad \mathrm{ED} = \frac{1}{W(1)}

    g, c gain and cost of a rank, cg, cc cumulated. The sums run over the n = depth ranks that every ranking is filled
    up to, without gain. L is not renormalised: ETU = EU·ED − V(n)C(n)cg(n).

    ================  ==========================================================  ====================================
    C                 C(i)                                                        parameters
    ================  ==========================================================  ====================================
    ``'P'``           1 if i < k, else 0                                          ``k=10``
    ``'RR'``          1 while cg(i) = 0, else 0
    ``'AP'``          Σ_{j>i} g_j/j / Σ_{j≥i} g_j/j, 0 where the numerator is 0
    ``'RBP'``         p                                                           ``p=0.8``
    ``'NPV'``         1/(1 + rate)                                                ``rate=0.1``
    ``'NDCG'``        log(i+1)/log(i+2) if i < k, else 0                          ``k``
    ``'SET'``         ((i+2)^β − (i+1)^β)/((i+1)^β − i^β) if i < k, else 0        ``beta=0.5, k=10``
    ``'INSQ'``        ((i+2T−1)/(i+2T))²                                          ``T=1``
    ``'INST'``        the same with i+2T−cg(i) for i+2T                           ``T=1``, at least 0.25
    ``'BPM'``         1 if cg(i) < T and cc(i) < K, else 0                        ``T=1, K=10``
    ``'BPMD'``        1 until cg(i) ≥ T_i or cc(i) ≥ K, then 0;                   ``T=1, K=10, hb=1, gain_med=0.5``
                      T_{i+1} = T_i + hb(g_i − gain_med)
    ``'IFTGoal'``     1 − 1/(1 + b1 exp((T − cg(i)) R1))                          ``T, b1, R1``
    ``'IFTRate'``     1/(1 + b2 exp((A − cg(i)/cc(i)) R2))                        ``A, b2, R2``
    ``'IFTGoalRate'``  the product of both                                        ``T, b1, R1, A, b2, R2``
    ``'TBG'``         2^(−c_i/halflife), 0 at n                                   ``halflife=224`` (seconds)
    ``'UMeasure'``    max(0, L−cc(i))/(L−cc(i−1)) while cc(i−1) < L,              ``L=1000`` (characters)
                      else 0; 0 at n−1 and n
    ``'NERR8'``       1 − g_i if i < k, else 0                                    ``k``
    ``'NERR9'``       (1 − g_i) i/(i+1) if i < k, else 0                          ``k``
    ``'NERR10'``      p(1 − g_i)                                                  ``p=0.9``
    ``'NERR11'``      (1 − g_i)((i+2T−1)/(i+2T))²                                 ``T=1``
    ================  ==========================================================  ====================================

    Further ones by :func:`ir_divmeasures.register_continuation`. A parameter without a default must be given; the
    cutoff is the default of k and K. Gains are in [0, 1]: ``gain='linear'`` is min(1, g/max_rel). Costs are the run's
    column ``cost``; BPM, BPMD, IFTRate, IFTGoalRate, TBG, UMeasure, EC and ETC read them.

    Choices: @k keeps the top k; ranks below are not filled. ``CWL(C='NDCG',gain='linear',max_rel=m)@10`` is
    ir_measures' ``SDCG(max_rel=m)@10``. C='NDCG' is not nDCG, and C='AP', which divides by the gain retrieved, is not
    AP. ``residual=True`` gives the value with gain 1 (and ``min_cost`` for unknown costs) at unjudged documents and
    unfilled ranks, C anew, minus the value; where C falls with the gain it may be negative. β above 1 makes C of SET
    larger than 1. A query absent from the run has 0 for every ``out``.

    Reference: Moffat, Bailey, Scholer, Thomas, TOIS 2017; Azzopardi, Thomas, Moffat, SIGIR 2019 (cwl_eval).

    Examples:
        RBP with p = 0.5: the share of attention is 1/2, 1/4, … (to 2⁻¹⁰⁰⁰).

        >>> qrels, run = {'q': {'d1': 1, 'd3': 1}}, {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}
        >>> CWL(p=0.5).calc_aggregate(qrels, run), CWL(p=0.5, out='ED').calc_aggregate(qrels, run)
        (0.625, 2.0)
        >>> CWL(C='P', residual=True).calc_aggregate(qrels, run) * 10  # d2 and seven unfilled ranks
        8.0
    """
    goes_on = stopping.get_continuation(C)
    for name in {'k', 'K'} & set(parameters):
        if parameters[name] is None:
            parameters[name] = goes_on.defaults[name] if r.k is None else r.k
        if parameters[name] is None:
            raise ValueError(f'CWL: C={C!r} needs {name}, or a cutoff')
        if name == 'k' and parameters[name] > depth:
            raise ValueError(f'CWL: k={parameters[name]} is beyond depth={depth}')
    if goes_on.units and 'cost' not in r.run_columns and all(
            value == goes_on.defaults[name] for name, value in parameters.items()):
        warn(f'CWL: the default parameters of C={C!r} are in {goes_on.units}, but the run has no column cost: every '
             f'document costs {max_cost:g}')
    r, settings = r.topic, tuple(parameters.items())
    values = outputs(r, C, settings, gain, max_rel, depth, max_cost, False)[out]
    if residual:
        values = outputs(r, C, settings, gain, max_rel, depth, min_cost, True)[out] - values
    return Value(values, 'the ranks that a user reaches may depend on everything above, and gains and costs belong '
                         'together')


@memo
def outputs(r: Ranking, C: str, parameters: tuple[tuple[str, Any], ...], gain: Any, max_rel: float | None, depth: int,
            cost: float, best: bool) -> dict[str, Array]:
    """All five outputs, each (Q,): at worst, or with gain 1 wherever it is unknown.

    Args:
        cost: of documents without a cost, and of unfilled ranks.
    """
    goes_on, values = stopping.get_continuation(C), {name: np.zeros(len(r.n)) for name in OUTPUTS}
    found = np.flatnonzero(r.n > 0)
    step = max(CELLS // depth, 1)
    for start in range(0, len(found), step):
        rows = found[start:start + step]
        # One block is what all functions share; several are not kept.
        g = _gains(r, gain, max_rel, depth, best) if len(rows) == len(found) else \
            gains(r, rows, gain, max_rel, depth, best)
        c = costs(r, rows, depth, cost)
        going = goes_on(g, c, **dict(parameters))
        V = viewing(going)
        views, beyond = V.sum(axis=-1), V[..., -1] * going[..., -1]
        gained, spent = _dot(V, g), _dot(V, c)
        # Σ_{i≥j} L(i) = V(j) − V(n+1), so that Σ L cg = Σ V g − V(n+1) cg(n), and likewise Σ L cc.
        values['EU'][rows], values['ETU'][rows] = gained / views, gained - beyond * g.sum(axis=-1)
        values['EC'][rows], values['ETC'][rows] = spent / views, spent - beyond * c.sum(axis=-1)
        values['ED'][rows] = views
    return values


@memo
def _gains(r: Ranking, gain: Any, max_rel: float | None, depth: int, best: bool) -> Array:
    """Gains of all rankings that are not empty."""
    made = gains(r, np.flatnonzero(r.n > 0), gain, max_rel, depth, best)
    made.flags.writeable = False
    return made


def _dot(a: Array, b: Array) -> Any:
    """Σ over the ranks of arrays (n,) or (Q, n)."""
    if a.ndim == b.ndim == 2:
        return np.einsum('qn,qn->q', a, b)
    return a @ b if a.ndim == b.ndim == 1 else np.einsum('qn,n->q', *((b, a) if b.ndim == 2 else (a, b)))


def gains(r: Ranking, rows: NDArray[np.intp], gain: Any, max_rel: float | None, depth: int, best: bool) -> Array:
    """Gains of some rankings at ranks 1..depth; unknown ones are 0, or 1 at best; (rows, depth)."""
    filled = np.minimum(r.depth[rows], depth)[:, None]
    g = np.zeros((len(rows), depth))
    if best:
        judged = r.run_column(JUDGED)[rows, :depth]
        g[:, :judged.shape[1]] = np.where(judged == 1, 0, 1)
        g[:, judged.shape[1]:] = 1
        g[np.arange(1, depth + 1) > filled] = 1
    rank = r.rank[rows]
    at = np.nonzero(rank <= filled)
    g[at[0], rank[at].astype(np.intp) - 1] = hit_gains(r, gain, max_rel)[rows][at]
    return g


@cutoff_free
def hit_gains(r: Ranking, gain: Any, max_rel: float | None) -> Array:
    """Gains of the hits, in [0, 1]; (Q, H)."""
    if gain == 'linear':
        top = r.judged.highest_grade() if max_rel is None else max_rel
        made = np.minimum(r.of_hits(r.judged.grade)[..., 0] / np.where(np.asarray(top) > 0, top, 1.0), 1.0)
    else:
        made = r.gain(gain)[..., 0]
        if made.max(initial=0.0) > 1:
            raise ValueError(f'CWL: gain={gain!r} gives a gain of {made.max():g}, expected gains in [0, 1] (linear '
                             f'ones are divided by max_rel)')
    return made * r.relevant()[..., 0]


def costs(r: Ranking, rows: NDArray[np.intp], depth: int, unknown: float) -> Array:
    """Costs at ranks 1..depth, (rows, depth), or (depth,) where the run has none."""
    if 'cost' not in r.run_columns:
        return np.full(depth, unknown)
    given = r.run_columns['cost'][rows, :depth if r.k is None else min(depth, r.k)]
    c = np.full((len(rows), depth), unknown)
    c[:, :given.shape[1]] = np.where(np.isnan(given), unknown, given)
    return c
