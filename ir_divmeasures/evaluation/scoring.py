"""Score the run of one system, and keep what is to be said of it."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DivMeasuresWarning, Message
from ..io import runs as several
from ..judgments.arrays import LocatedRun
from .facts_of_runs import EXAMPLES, ranking_digest
from .provider import Evaluator


class System(NamedTuple):
    """A system that was scored.

    Attributes:
        name: its name.
        values: its scores, (queries, measures).
        present: which queries it has, (queries,).
        messages: the warnings about it.
        digest: a text that systems with the same rankings share; None if it was not computed.
        some_queries: the first queries of its run.
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    messages: list[Message]
    digest: str | None
    some_queries: list[str]


@contextlib.contextmanager
def collecting(messages: list[Message]) -> Iterator[None]:
    """Append the warnings of this package to a list instead of giving them; others are given at the end."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        yield
    for record in records:
        if issubclass(record.category, DivMeasuresWarning):
            messages.append((str(record.message), record.category))
        else:
            warnings.warn_explicit(record.message, record.category, record.filename, record.lineno)


See = Callable[[str, several.Run, LocatedRun], None]
"""A function of the name of a system, its run, and the run with the numbers of the judgments."""


def score_runs(
    pairs: Iterable[tuple[str, Any]],
    evaluator: Evaluator,
    measures: list[Any],
    queries: list[str],
    see: See | None = None,
) -> Iterator[System]:
    """Yield the result of :func:`score_run` for each system."""
    for name, run in several.loaded(pairs):
        yield score_run(name, run, evaluator, measures, queries, see)


def score_run(
    name: str,
    run: several.Run,
    evaluator: Evaluator,
    measures: list[Any],
    queries: list[str],
    see: See | None = None,
) -> System:
    """A system's values on these queries, in this order, 0 on those that it lacks, and what is to be said of it.

    Errors name the system; warnings of ours are kept, for :func:`~ir_divmeasures.evaluation.evaluate.warn_of`. A caller
    who needs more of the run than its scores gives ``see``.
    """
    messages: list[Message] = []
    retrieved = set(run.query_ids)
    present = np.array([query in retrieved for query in queries])
    with several.of_system(name), collecting(messages):
        read, coded = evaluator.read(run)
        values = values_on(queries, measures, evaluator, read, coded)
    values[~present] = 0.0
    if see is not None:
        see(name, run, coded)
    digest = ranking_digest(coded)
    return System(name, values, present, messages, digest, run.query_ids[:EXAMPLES])


def values_on(
    queries: list[str],
    measures: list[Any],
    evaluator: Evaluator,
    run: several.Run,
    coded: LocatedRun,
) -> NDArray[np.float64]:
    """The scores of a run that an evaluator read, (queries, measures)."""
    scores = {str(measure): values for measure, values in evaluator.scored(run, coded)}
    row = {query: q for q, query in enumerate(queries)}
    values = np.zeros((len(queries), len(measures)))
    values[[row[query] for query in evaluator.query_ids]] = np.column_stack(
        [scores[str(measure)] for measure in measures]
    )
    return values
