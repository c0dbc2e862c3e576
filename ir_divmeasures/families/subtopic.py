"""Subtopics covered."""
from __future__ import annotations

from typing import Annotated

import numpy as np

from ..kernels import novelty
from ..parameters import Range
from ..ranking import Array, Ranking, ratio
from ..registry import measure

__all__ = ['StRecall', 'StRR']


def subtopic_recall(r: Ranking) -> Array:
    """Aspects covered within the cutoff over the number of aspects; (Q,)."""
    return ratio(r.covered().sum(axis=1), r.n_aspects)


@measure(family='subtopics', aliases=('I_rec', 'S_Recall'), pretty='Subtopic Recall')
def StRecall(r: Ranking) -> Array:
    """Subtopic recall (I-rec, S-recall): the share of the query's subtopics that the top k covers.

    StRecall@k = |{t : some d_i, i ≤ k, is relevant to t}| / |T|. Weights play no part.

    Reference: Zhai, Cohen, Lafferty, SIGIR 2003; ndeval 4.5 (strec).

    Examples:
        >>> StRecall.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.5
    """
    return subtopic_recall(r)


@measure(family='subtopics', pretty='Subtopic Reciprocal Rank')
def StRR(r: Ranking, *, level: Annotated[float, Range(0, 1, '('), 'subtopic recall to reach'] = 1.0) -> Array:
    """S-RR@100%: one over the rank at which the share ``level`` of the subtopics is covered.

    StRR@k = 1/min{ i ≤ k : StRecall@i ≥ level }, 0 if never.

    Reference: Zhai, Cohen, Lafferty, SIGIR 2003; Amigó et al., SIGIR 2018, §6.2.

    Examples:
        >>> StRR.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        0.5
    """
    covered = np.cumsum(novelty.first_of_aspect(r.relevant()).sum(axis=2), axis=1)
    needed = np.ceil(level * r.n_aspects[:, None] - 1e-9)
    reached = (covered >= needed) & (covered > 0) & r.within
    return 1 / np.where(reached, r.rank, np.inf).min(axis=1, initial=np.inf)
