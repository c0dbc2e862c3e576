"""Score the runs of systems, several small ones together, and keep what is to be said of each."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DivMeasuresWarning, Message, repeat_others
from ..io import runs as several
from .facts_of_runs import EXAMPLES
from .provider import Evaluator

ROWS, FEW_MEASURES = 2**16, 64
"""Runs are scored together until they have the first number of rows; with more measures than the second number, in
proportion more rows. A run that has more is scored alone."""

MOST_ROWS = 2**21
"""The largest number of rows that are scored together, however many measures there are."""


class System(NamedTuple):
    """A system that was scored.

    Attributes:
        name: its name.
        values: its scores, (queries, measures), 0 on queries that it lacks.
        present: which queries it has, (queries,).
        messages: the warnings about it.
        digest: a text that systems with the same rankings share; None if it was not computed.
        unjudged: the first queries of its run without judgments.
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    messages: list[Message]
    digest: str | None
    unjudged: list[str]


@contextlib.contextmanager
def collecting(messages: list[Message]) -> Iterator[None]:
    """Append the warnings of this package to a list instead of giving them; others are given at the end."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        yield
    messages += repeat_others(records)


def score_runs(
    pairs: Iterable[tuple[str, Any]], evaluator: Evaluator, measures: list[Any]
) -> Iterator[System]:
    """Score each system on the queries of the judgments by these measures, in this order.

    Errors name the system. Warnings of ours are kept, for :func:`~ir_divmeasures.evaluation.evaluate.warn_of`.
    """
    for together in _together(several.loaded(pairs), evaluator, len(measures)):
        yield from _score(together, evaluator, measures)


Pairs = list[tuple[str, several.Run]]
"""Runs by name."""


def _together(
    pairs: Iterator[tuple[str, several.Run]], evaluator: Evaluator, n_measures: int
) -> Iterator[Pairs]:
    """Runs that are scored together."""
    together: Pairs = []
    most_rows = min(max(ROWS * n_measures / FEW_MEASURES, ROWS), MOST_ROWS)
    try:
        for pair in pairs:
            together.append(pair)
            n_rows = sum(len(run) for _, run in together)
            if n_rows >= most_rows or len(together) >= evaluator.most_runs:
                yield together
                together = []
    except Exception:
        yield together  # whose errors come before that of a later run
        raise
    yield together


def _score(together: Pairs, evaluator: Evaluator, measures: list[Any]) -> Iterator[System]:
    """The systems of some runs. Where something is wrong, runs are scored alone, so that it is said of one of them."""
    messages: list[list[Message]] = [[] for _ in together]
    of_several: list[Message] = []

    @contextlib.contextmanager
    def about(place: int) -> Iterator[None]:
        with several.of_system(together[place][0]), collecting(messages[place]):
            yield

    runs = [run for _, run in together]
    if len(runs) == 1:
        with about(0):
            scored = evaluator.scored(runs)
    else:
        scored = []
        with contextlib.suppress(Exception), collecting(of_several):
            scored = evaluator.scored(runs, about=about)
        if of_several or not scored:
            for pair in together:
                yield from _score([pair], evaluator, measures)
            return
    for (name, _), said, (facts, values) in zip(together, messages, scored):
        yield System(
            name,
            np.column_stack([values[measure] for measure in measures]),
            facts.coded.located().n > 0,
            said,
            facts.ranking_digest,
            facts.coded.unjudged[:EXAMPLES],
        )
