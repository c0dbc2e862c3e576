"""How cost grows: the exponent of CPU time, judgments to means, between the two largest sizes"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ir_divmeasures
from benchmarks.data import FORTY, NDEVAL, anew, collection, run
from benchmarks.measuring import Sizes, row
from ir_divmeasures.evaluation.provider import Evaluator

GROWTH: dict[str, tuple[tuple[int, ...], Callable[[int], Any]]] = {
    'queries': ((12_500, 100_000), lambda n: (n, 20, 10, 3, 1, 9)),
    'depth': ((1_000, 10_000), lambda n: (20, n, 300, 3, 1, 9)),
    'systems': ((16, 64), lambda n: (50, 200, 100, 5, n, 9)),
    'subtopics': ((25, 125), lambda n: (50, 200, 100, n, 1, 9)),
    'measures': ((20, 40), lambda n: (50, 1000, 300, 5, 1, n)),
}
"""What grows: sizes, and queries, depth, judged, subtopics, systems, measures of each."""


def call_of(shape: tuple[int, ...]) -> Callable[[], object]:
    """Judgments to means, of collections of this shape."""
    rng, (queries, depth, judged, subtopics, systems, n) = np.random.default_rng(4), shape
    qrels, frame = (
        collection(rng, queries, judged, subtopics),
        run(rng, queries, depth, judged, 0.2),
    )
    asked = ir_divmeasures.measures(NDEVAL if n == 9 else ' '.join(FORTY.split()[:n]))

    def call() -> None:
        evaluator = Evaluator(asked, qrels)
        for _ in range(systems):
            evaluator.calc_aggregate(frame)

    return anew(call)


for what, (sizes, shape) in GROWTH.items():

    @row(f'{what} {" → ".join(f"{n:,}" for n in sizes)}', turns=5, exponent=1.1)
    def growth(sizes: tuple[int, ...] = sizes, shape: Callable[[int], Any] = shape) -> Sizes:
        return Sizes({size: call_of(shape(size)) for size in sizes})
