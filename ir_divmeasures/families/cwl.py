"""C/W/L/A: how a user reads (C), and what a user takes away who stops at a rank (A).

V(1) = 1, V(i) = Π_{j<i} C(j) is the probability of reaching rank i, W(i) = V(i)/Σ_{j≤n} V(j) the share of attention
that rank i gets, L(i) = V(i)(1 − C(i)) the probability that it is the last one; n = depth. A measure is Σ W A, Σ L A or
Σ V A of an aggregation A of the gains and costs of the documents (:mod:`ir_divmeasures.core.stopping.continuation`).
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Choice, MaxRel, Parameter, Range
from ..core.ranking import JUDGED, Array, Ranking, cutoff_free, memo
from ..core.registry import DivMeasure, measure
from ..core.stopping import continuation
from ..core.stopping import registries as stopping
from ..core.stopping.continuation import viewing
from ..core.terms import Value
from ..errors import warn
from .usermodel import Gains

CELLS = 250_000
"""Rankings are worked on in blocks of at most about so many ranks, since each has n of them."""

MOFFAT = ('EU', 'ETU', 'EC', 'ETC', 'ED')
"""The outputs of C/W/L, which are computed together."""


def _further(params: dict[str, Any]) -> dict[str, Parameter]:
    C, out = params.get('C', 'RBP'), params.get('out', 'EU')
    of_user, of_output = (
        stopping.declared(stopping.CONTINUATIONS[C]),
        stopping.declared(stopping.AGGREGATIONS[out]),
    )
    for name in of_user.keys() & of_output.keys():
        raise ValueError(
            f'C={C!r} and out={out!r} both have a parameter {name!r}; register one of them with another '
            f'name for it'
        )
    if 'peak' in params and 'peak' not in {**of_user, **of_output}:
        raise ValueError(f"peak={params['peak']!r} belongs to out='PE', found out={out!r}")
    return {**of_user, **of_output}


def _check(params: dict[str, Any]) -> None:
    for name, info in _further(params).items():
        if params[name] is None and not info.optional:
            of = (
                f'C={params["C"]!r}'
                if name in stopping.declared(stopping.CONTINUATIONS[params['C']])
                else f'out={params["out"]!r}'
            )
            raise ValueError(f'{of} needs {name}')
    for name in ('k', 'cutoff'):
        if params.get(name) is not None and params[name] > params['depth']:
            raise ValueError(f'{name}={params[name]} is beyond depth={params["depth"]}')


def _reads(params: dict[str, Any]) -> tuple[str, ...]:
    costs = (
        stopping.AGGREGATIONS[params['out']].reads_costs
        or stopping.CONTINUATIONS[params['C']].reads_costs
    )
    return ('cost',) * costs + (JUDGED,) * params['residual']


def _why_marked(params: dict[str, Any]) -> str | None:
    return continuation.why_marked(
        stopping.CONTINUATIONS[params['C']].depends_on,
        stopping.AGGREGATIONS[params['out']].depends_on,
        f'out={params["out"]!r} with C={params["C"]!r} depends',
    )


def _is_static(C: str) -> bool:
    """Whether C depends on ranks or costs only, so that users go equally far whatever they gain."""
    return stopping.CONTINUATIONS[C].depends_on == 'ranks' or C in ('TBG', 'UMeasure')


def bounds_of_cwl(cwl: DivMeasure) -> str:
    """How unjudged documents affect bounds, or why there are none."""
    C, out = cwl['C'], cwl['out']
    if cwl['residual']:
        return 'residual=True, which is what unjudged documents could add, has no bounds itself'
    for kind, function in (
        ('C', stopping.CONTINUATIONS[C]),
        ('out', stopping.AGGREGATIONS[out]),
    ):
        if not function.checked:
            return f'{kind}={function.name!r} was registered and may depend in any way on what users find'
    if _is_static(C) or (out == 'EU' and C.startswith('NERR')):
        return 'rises'
    return f'how far users go by C={C!r} depends on what they find'


@measure(
    family='user models',
    rel_means='gain',
    diversity=False,
    bounds=(None, None),
    pretty='C/W/L/A',
    run_columns=_reads,
    check=_check,
    further=_further,
    marks=_why_marked,
    unjudged=bounds_of_cwl,
    cite=('Moffat2017', 'Azzopardi2019', 'Moffat2022'),
)
def CWL(
    r: Ranking,
    *,
    C: Annotated[
        str,
        Choice(stopping.continuations, 'user_models.continuations()'),
        'the continuation function, which gives the probability that the user goes on at each rank',
    ] = 'RBP',
    out: Annotated[
        str,
        Choice(stopping.outputs, 'user_models.outputs()'),
        "what the measure reports: 'EU' is the expected utility per document, 'ETU' the "
        "expected total utility, 'EC' and 'ETC' are the same for cost, 'ED' is the expected "
        "number of documents. The name of an aggregation also works",
    ] = 'EU',
    residual: Annotated[
        bool,
        'whether the result is the residual: how much unjudged documents and unfilled ranks '
        'could add to the value',
    ] = False,
    gain: Gains = 'binary',
    max_rel: MaxRel = None,
    depth: Annotated[
        int,
        Range(1, 100_000),
        'n, the number of ranks of each ranking. A shorter run is filled with documents that '
        'gain nothing',
    ] = 1000,
    max_cost: Annotated[
        float,
        Range(0, math.inf, '('),
        'the cost of a document that has no cost of its own, and of an unfilled rank',
    ] = 1.0,
    min_cost: Annotated[
        float, Range(0, math.inf, '('), 'the same cost in the best case. Only residual=True uses it'
    ] = 1.0,
    **parameters: Any,
) -> Value:
    r"""C/W/L/A: what a user takes away who goes on from rank i to the next one with probability C(i).

    .. math::

        V(i) = \prod_{j<i} C(j), \quad W(i) = \frac{V(i)}{\sum_{j \leq n} V(j)}, \quad L(i) = V(i)\,(1 - C(i))

    .. math::

        \mathrm{CWL} = \sum_{i \leq n} L(i)\, A(i)

    ============  ==================================  ==========================================
    out           A(i)                                the user takes away
    ============  ==================================  ==========================================
    ``'ETU'``     cg(i)                               all gain (expected total utility)
    ``'ETC'``     cc(i)                               all cost (expected total cost)
    ``'MEAN'``    cg(i)/i                             the mean gain of the documents
    ``'MAX'``     max_{j≤i} g_j                       the best document
    ``'LAST'``    g_i                                 the last document
    ``'RR'``      1/i                                 little effort
    ``'PE'``      peak·max_{j≤i} g_j + (1−peak)·g_i   the best and the last one (``peak=0.5``)
    ``'SAT'``     1 − Π_{j≤i} (1−g_j)                 satisfaction by one of them
    ============  ==================================  ==========================================

    Three outputs are weighed otherwise:

    .. math::

        \mathrm{EU} = \sum_i W(i)\, g(i), \quad \mathrm{EC} = \sum_i W(i)\, c(i), \quad \mathrm{ED} =
        \frac{1}{W(1)}

    g, c gain and cost of a rank, cg, cc cumulated. The sums run over the n = depth ranks that every ranking is filled
    up to, without gain. L is not renormalised, so that users who go on beyond n add nothing: ETU = EU·ED −
    V(n)C(n)cg(n). The further A by :func:`ir_divmeasures.user_models.register_aggregation`.

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
    ``'ERR'``         1 − theta·g_i                                               ``theta=1``
    ``'RRR'``         (R_{i−1} + 1)/(R_i + 1), R_i ranks with gain down to i
    ================  ==========================================================  ====================================

    Further ones by :func:`ir_divmeasures.user_models.register_continuation`. A parameter without a default must be given; the
    cutoff is the default of k and K. Gains are in [0, 1]: ``gain='linear'`` is min(1, g/max_rel). Costs are the run's
    column ``cost``; BPM, BPMD, IFTRate, IFTGoalRate, TBG, UMeasure, EC and ETC read them.

    Choices: @k keeps the top k; ranks below are not filled. ``CWL(C='NDCG',gain='linear',max_rel=m)@10`` is
    ir_measures' ``SDCG(max_rel=m)@10``. C='NDCG' is not nDCG, and C='AP', which divides by the gain retrieved, is not
    AP. ``residual=True`` gives the value with gain 1 (and ``min_cost`` for unknown costs) at unjudged documents and
    unfilled ranks, C anew, minus the value; where C falls with the gain it may be negative. β above 1 makes C of SET
    larger than 1. A query absent from the run has 0 for every ``out``. SAT has no source; it is RBU's satisfaction with
    one aspect. A C of the rank alone with RR or ED is a constant. C = RR, ERR, RRR with ETU, MAX, LAST, PE or SAT does
    not depend on where documents without gain stand. Asking for one of these warns.

    Reference: Moffat, Bailey, Scholer, Thomas, TOIS 2017; Azzopardi, Thomas, Moffat, SIGIR 2019 (cwl_eval); Moffat,
    Mackenzie, Thomas, Azzopardi, SIGIR 2022 (C/W/L/A), with the aggregations of Chen, Liu, Sakai, WWW 2023.

    Examples:
        RBP with p = 0.5: the share of attention is 1/2, 1/4, … (to 2⁻¹⁰⁰⁰).

        >>> qrels, run = {'q': {'d1': 1, 'd3': 1}}, {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}
        >>> CWL(p=0.5).calc_aggregate(qrels, run), CWL(p=0.5, out='ED').calc_aggregate(qrels, run)
        (0.625, 2.0)
        >>> CWL(C='P', residual=True).calc_aggregate(qrels, run) * 10  # d2 and seven unfilled ranks
        8.0
    """
    goes_on = stopping.CONTINUATIONS[C]
    of_user, of_output = _settings(r, C, out, depth, parameters)
    if (
        goes_on.units
        and 'cost' not in r.run_columns
        and all(value == goes_on.defaults[name] for name, value in of_user.items())
    ):
        warn(
            f'CWL: the default parameters of C={C!r} are in {goes_on.units}, but the run has no column cost: every '
            f'document costs {max_cost:g}'
        )
    r, reading = r.topic, (C, tuple(of_user.items()), gain, max_rel, depth)
    takes = '' if out in MOFFAT else out, tuple(of_output.items())
    values = outputs(r, *reading, max_cost, False, *takes)[out]
    if residual:
        values = outputs(r, *reading, min_cost, True, *takes)[out] - values
    return Value(
        values,
        'the ranks that a user reaches may depend on everything above, and gains and costs belong '
        'together',
    )


def _settings(
    r: Ranking,
    C: str,
    out: str,
    depth: int,
    parameters: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of the continuation function and of the aggregation; the cutoff is the default of k and K."""
    of_user, of_output = stopping.CONTINUATIONS[C].defaults, stopping.AGGREGATIONS[out].defaults
    defaults = of_user | of_output
    for name in {'k', 'K'} & defaults.keys():
        if parameters[name] is None:
            parameters[name] = defaults[name] if r.k is None else r.k
        if parameters[name] is None:
            raise ValueError(f'CWL: C={C!r} needs {name}, or a cutoff')
        if name == 'k' and parameters[name] > depth:
            raise ValueError(f'CWL: k={parameters[name]} is beyond depth={depth}')
    user, output = ({name: parameters[name] for name in each} for each in (of_user, of_output))
    return user, output


@memo
def outputs(
    r: Ranking,
    C: str,
    parameters: tuple[tuple[str, Any], ...],
    gain: Any,
    max_rel: float | None,
    depth: int,
    cost: float,
    best: bool,
    out: str = '',
    settings: tuple[tuple[str, Any], ...] = (),
) -> dict[str, Array]:
    """One output, or all five of C/W/L, each (Q,): at worst, or with gain 1 wherever it is unknown.

    Args:
        cost: of documents without a cost, and of unfilled ranks.
        out, settings: an aggregation that L weighs, and its parameters; '' for the five.
    """
    goes_on = stopping.CONTINUATIONS[C]
    values = {name: np.zeros(len(r.n)) for name in ([out] if out else MOFFAT)}
    queries = np.flatnonzero(r.n > 0)
    step = max(CELLS // depth, 1)
    for start in range(0, len(queries), step):
        rows = queries[start : start + step]
        g = gains(r, rows, gain, max_rel, depth, best)
        c = costs(r, rows, depth, cost)
        going = goes_on(g, c, **dict(parameters))
        V = viewing(going)
        if out:
            values[out][rows] = _dot(
                V * (1 - going), stopping.AGGREGATIONS[out](g, c, **dict(settings))
            )
            continue
        views, beyond = V.sum(axis=-1), V[..., -1] * going[..., -1]
        gained, spent = _dot(V, g), _dot(V, c)
        # Σ_{i≥j} L(i) = V(j) − V(n+1), so that Σ L cg = Σ V g − V(n+1) cg(n), and likewise Σ L cc.
        values['EU'][rows], values['ETU'][rows] = gained / views, gained - beyond * g.sum(axis=-1)
        values['EC'][rows], values['ETC'][rows] = spent / views, spent - beyond * c.sum(axis=-1)
        values['ED'][rows] = views
    return values


def _dot(a: Array, b: Array) -> Any:
    """Σ over the ranks of arrays (n,) or (Q, n)."""
    return np.einsum('...n,...n->...', a, b)


def gains(
    r: Ranking, rows: NDArray[np.intp], gain: Any, max_rel: float | None, depth: int, best: bool
) -> Array:
    """Gains of some rankings at ranks 1..depth; unknown ones are 0, or 1 at best; (rows, depth)."""
    length = np.minimum(r.depth[rows], depth)[:, None]
    g = np.zeros((len(rows), depth))
    if best:
        has_judgment = r.run_column(JUDGED)[rows, :depth]
        g[:, : has_judgment.shape[1]] = np.where(has_judgment == 1, 0, 1)
        g[np.arange(1, depth + 1) > length] = 1
    rank = r.rank[rows]
    places = np.nonzero(rank <= length)
    g[places[0], rank[places].astype(np.intp) - 1] = hit_gains(r, gain, max_rel)[rows][places]
    return g


@cutoff_free
def hit_gains(r: Ranking, gain: Any, max_rel: float | None) -> Array:
    """Gains of the hits, in [0, 1]; (Q, H)."""
    if gain == 'linear':
        top = r.judgments.highest_grade() if max_rel is None else max_rel
        values = np.minimum(
            r.of_hits(r.judgments.grade)[..., 0] / np.where(np.asarray(top) > 0, top, 1.0), 1.0
        )
    else:
        values = r.gain(gain)[..., 0]
        if values.max(initial=0.0) > 1:
            raise ValueError(
                f'CWL: gain={gain!r} gives a gain of {values.max():g}, expected gains in [0, 1] (linear '
                f'ones are divided by max_rel)'
            )
    return values * r.relevant()[..., 0]


def costs(r: Ranking, rows: NDArray[np.intp], depth: int, unknown: float) -> Array:
    """Costs at ranks 1..depth, (rows, depth), or (depth,) where the run has none."""
    if 'cost' not in r.run_columns:
        return np.full(depth, unknown)
    costs = r.run_columns['cost'][rows, : depth if r.k is None else min(depth, r.k)]
    c = np.full((len(rows), depth), unknown)
    c[:, : costs.shape[1]] = np.where(np.isnan(costs), unknown, costs)
    return c
