"""User models with names of their own: twelve combinations of Table 1 (Carterette, SIGIR 2011), at topic level."""

from __future__ import annotations

from typing import Any

from ..core.parameters import ByGrade, Norm, parameter
from ..core.ranking import Array, Ranking
from ..core.registry import DivMeasure
from ..core.terms import UNWEIGHTED, Terms
from .stopping import Stops
from .usermodel import Base, Gains, Theta, Thetas, possible, user_model, value

MODELS: dict[str, tuple[int, str]] = {
    'CDG': (1, 'DCG'),
    'RRG': (1, 'RR'),
    'RBTR': (2, 'RBP'),
    'DCG': (2, 'DCG'),
    'RRDCG': (2, 'RR'),
    'ARR': (3, 'AP'),
    'RRR': (3, 'RRR'),
    'RBAP': (4, 'RBP'),
    'DAG': (4, 'DCG'),
    'EPR': (4, 'ERR'),
    'RAP': (4, 'RR'),
    'RRAP': (4, 'RRR'),
}
"""Which model and which distribution a name of the paper stands for."""

TAKEN = {
    'RBP': parameter('theta', Theta, 0.5),
    'ERR': parameter('theta', Thetas, 0.5),
    'DCG': parameter('base', Base, 2.0),
}
"""The parameter that a stopping distribution of the paper takes."""


def named(
    name: str,
    words: str,
    summary: str,
    formula: str,
    example: str,
    *,
    note: str = '',
    reference: str = 'Carterette, SIGIR 2011, §3, Table 1.',
    gain: str = 'binary',
    **facts: Any,
) -> DivMeasure:
    """A combination of :data:`MODELS` as a measure with a name: its model at topic level.

    The first six arguments and the reference are the parts of its docstring; ``facts`` are those that it does not share.
    """
    model, P = MODELS[name]

    def function(
        r: Ranking, *, norm: bool, gain: str | ByGrade = 'binary', **stops: Any
    ) -> Terms | Array:
        return value(r.topic, model, Stops(P, **stops), gain, norm, weight=UNWEIGHTED)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = '\n\n'.join(
        [
            summary,
            f'.. math::\n\n    \\mathrm{{{name}}}@k = {formula}',
            *([note] if note else []),
            f'Reference: {reference}',
            f'Examples:\n    {example}\n',
        ]
    )
    own = [TAKEN[P]] if P in TAKEN else []
    every = [parameter('gain', Gains, gain)] * (model != 3) + [parameter('norm', Norm, False)]
    every = every + own if P == 'DCG' else own + every
    if model == 3:
        facts |= {'bounds': (0, 1), 'rel_means': 'relevant'}
    function.parameters = lambda: {each.name: each for each in every}  # type: ignore[attr-defined]
    check = possible(model=model, P=P)
    instance: DivMeasure = user_model(diversity=False, pretty=words, check=check, **facts)(function)
    return instance


CDG = named(
    'CDG',
    'Cumulated Discounted Gain',
    'Cumulated discounted gain: M1 with P_DCG, the expected gain of the document at which the user stops.',
    r'\sum_{i \leq k} g_i \left( \frac{1}{\log_2(i+1)} - \frac{1}{\log_2(i+2)} \right)',
    """>>> CDG.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # 1 − 1/log2(3)
    0.36907024642854247""",
)

RRG = named(
    'RRG',
    'Reciprocal Rank Gain',
    'Reciprocal rank gain: M1 with P_RR, the expected gain of the document at which the user stops.',
    r'\sum_{i \leq k} \frac{g_i}{i\,(i+1)}',
    """>>> RRG.calc_aggregate({'q': {'d2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1/(2 · 3)
    0.16666666666666666""",
)

RBTR = named(
    'RBTR',
    'Rank-Biased Total Relevance',
    'Rank-biased total relevance: M2 with P_RBP, the expected gain of all documents a geometric user reads.',
    r'\sum_{i \leq k} g_i\, (1-\theta)^{i-1}',
    """>>> RBTR.calc_aggregate({'q': {'d1': 1, 'd2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1 + 1/2
    1.5""",
)

DCG = named(
    'DCG',
    'Discounted Cumulative Gain',
    'Discounted cumulative gain: M2 with P_DCG, the expected gain of all documents down to the stopping rank.',
    r'\sum_{i \leq k} \frac{g_i}{\log_2(i+1)}',
    """>>> DCG.calc_aggregate({'q': {'d1': 1, 'd3': 1}}, {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}})  # 1 + 1/log2(4)
    1.5""",
    note=r"""With ``base`` b the divisor is :math:`\log_b(i+b-1)`.

The numerator of ir_measures' nDCG, whose gains are linear too.""",
    reference='Järvelin & Kekäläinen, TOIS 2002; Carterette, SIGIR 2011, §2.2.',
    gain='linear',
    cite=('Jarvelin2002', 'Carterette2011'),
)

RRDCG = named(
    'RRDCG',
    'Reciprocal Rank Discounted Cumulative Gain',
    'DCG with a reciprocal rank discount: M2 with P_RR. The paper calls it RR, a name that is taken.',
    r'\sum_{i \leq k} \frac{g_i}{i}',
    """>>> RRDCG.calc_aggregate({'q': {'d1': 1, 'd2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1 + 1/2
    1.5""",
)

ARR = named(
    'ARR',
    'Average Reciprocal Rank',
    'Average reciprocal rank: M3 with P_AP, the mean of 1/rank over all relevant documents.',
    r'\frac{1}{R} \sum_{i \leq k} \frac{J_i}{i}',
    """>>> ARR.calc_aggregate({'q': {'d1': 1, 'd2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # (1 + 1/2)/2
    0.75""",
    note='Its maximum is below 1 unless R = 1; ``norm=True`` makes it 1.',
)

RRR = named(
    'RRR',
    'Reciprocal Relevant Rank',
    'Reciprocal relevant rank: M3 with P_RRR, a mixture of ERR users of every patience.',
    r'\sum_{i \leq k} \frac{J_i}{i\, R_i (R_i + 1)}',
    """>>> RRR.calc_aggregate({'q': {'d2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1/(2 · 1 · 2)
    0.25""",
)

RBAP = named(
    'RBAP',
    'Rank-Biased Average Precision',
    'Rank-biased average precision: M4 with P_RBP, the precision that a geometric user expects.',
    r'\sum_{i \leq k} \frac{\mathrm{CG}_i}{i}\, \theta (1-\theta)^{i-1}',
    """>>> (RBAP@2).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1 · 1/2 + (1/2)(1/4)
    0.625""",
    note='Without a cutoff the sum runs over all ranks: CG_i stays what it is below the end of the run.',
)

DAG = named(
    'DAG',
    'Discounted Average Gain',
    'Discounted average gain: M4 with P_DCG, the precision at the rank where the user stops.',
    r'\sum_{i \leq k} \frac{\mathrm{CG}_i}{i} \left( \frac{1}{\log_2(i+1)} - \frac{1}{\log_2(i+2)} \right)',
    """>>> (DAG@1).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # 1 − 1/log2(3)
    0.36907024642854247""",
    note='Without a cutoff the sum runs over all ranks: CG_i stays what it is below the end of the run.',
)

EPR = named(
    'EPR',
    'Expected Precision',
    'Expected precision: M4 with P_ERR, the precision at the relevant document that satisfies the user.',
    r'\sum_{i \leq k} \frac{\mathrm{CG}_i}{i}\, J_i\, \theta (1-\theta)^{R_i - 1}',
    """>>> EPR.calc_aggregate({'q': {'d2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # (1/2)(1/2)
    0.25""",
    note='θ may differ by grade, as in ``UM``.',
)

RAP = named(
    'RAP',
    'Reciprocal Average Precision',
    'Reciprocal average precision: M4 with P_RR, a mixture of RBAP users of every patience.',
    r'\sum_{i \leq k} \frac{\mathrm{CG}_i}{i} \cdot \frac{1}{i\,(i+1)}',
    """>>> (RAP@1).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # 1 · 1/2
    0.5""",
    note='Without a cutoff the sum runs over all ranks: CG_i stays what it is below the end of the run.',
)

RRAP = named(
    'RRAP',
    'Reciprocal Relevant Average Precision',
    'Reciprocal relevant average precision: M4 with P_RRR, a mixture of EPR users of every patience.',
    r'\sum_{i \leq k} \frac{\mathrm{CG}_i}{i} \cdot \frac{J_i}{R_i\,(R_i + 1)}',
    """>>> RRAP.calc_aggregate({'q': {'d2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}})  # (1/2) · 1/2
    0.25""",
)
