"""What functions of judgments and of rankings remember."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Method = TypeVar('Method', bound=Callable[..., Any])


class Memo(dict[Any, Any]):
    """The remembered results of functions, by function and arguments. Pickling replaces it with an empty one."""

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        return Memo, ()


def memo(function: Method) -> Method:
    """Remember the results of a function of judgments or of a ranking.

    Results are remembered by the arguments. Those of a function of a ranking are also remembered by the cutoff. An array
    that a function of judgments returns must have a row for each query, (Q, …): where several runs are scored together,
    it is computed for the queries once, and copied for each run.

    Examples:
        >>> from ir_divmeasures.core.ranking import JudgmentArrays, Ranking, memo
        >>> @memo
        ... def hits(r):
        ...     return r.within.sum(axis=1)
        >>> judgments = JudgmentArrays(np.ones((1, 2, 1)))
        >>> r = Ranking(judgments, np.array([[0, 1]]), np.array([[1.0, 2.0]]), np.array([2.0]))
        >>> hits(r.cut(1)), hits(r.cut(2))
        (array([1]), array([2]))
    """

    @functools.wraps(function)
    def remembering(self: Any, *args: Any) -> Any:
        key = (function, *args)
        if key not in self._memo:
            once: Any = getattr(self, 'once', None)
            value = None if once is None else remembering(once, *args)
            # Of judgments of some queries, an array by query and other judgments are computed once.
            is_array = isinstance(value, np.ndarray) and len(value) == once.shape[0]
            by_query = is_array or hasattr(value, 'of_queries')
            self._memo[key] = self.copied(value) if by_query else function(self, *args)
        return self._memo[key]

    return remembering  # type: ignore[return-value]


def cutoff_free(function: Method) -> Method:
    """Remember the results of a function of a ranking that does not depend on the cutoff, once for all cutoffs.

    The function gets the ranking without a cutoff. Reading the cutoff in it is an error.
    """
    remembering = memo(function)

    @functools.wraps(function)
    def without_cutoff(self: Any, *args: Any) -> Any:
        return remembering(self.whole_run, *args)

    return without_cutoff  # type: ignore[return-value]


def at_every_cutoff(function: Method) -> Method:
    """Like :func:`cutoff_free`, for a function that returns rankings. These get the cutoff again."""
    remembering = cutoff_free(function)

    @functools.wraps(function)
    def with_cutoff(self: Any, *args: Any) -> Any:
        return remembering(self, *args).cut(self.k)

    return with_cutoff  # type: ignore[return-value]
