"""Curves: any measure after each round of a search, or within each of several budgets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.registry import ours
from ..errors import did_you_mean, one_of
from ..io.budgets import within_budget
from ..io.run_columns import column_values
from ..io.text_columns import REPEATED
from ..lazy import pd
from ..presets import PRESETS
from ..results import Result, count, plotting
from .scores import Scores, index_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import MeasureLike

ALONG = ('iteration', 'length')
REPEATS = ('drop', 'place')
_SUFFIX = re.compile(rf'{REPEATED}\d*$')


class Curves(Result):
    """Scores of systems on queries by measures, at several points of the search.

    Attributes:
        values: (points, systems, queries, measures).
        points: the iterations, or the budgets.
        along: ``'iteration'`` or ``'length'``.
        systems, queries, measures: names, as in :class:`~ir_divmeasures.Scores`.
        active: (points, systems): the number of queries that have a document of this iteration or a later one, or are
            longer than this budget. The values of other queries do not change any more.
    """

    values: np.ndarray
    points: tuple[float, ...]
    along: str
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    active: np.ndarray

    def at(self, point: float) -> Scores:
        """The scores at one point.

        Raises:
            ValueError: not one of the points.
        """
        if point not in self.points:
            known = ', '.join(f'{each:g}' for each in self.points)
            raise ValueError(f'{self.along} {point!r}: expected one of {known}')
        values = self.values[self.points.index(point)]
        return Scores(values, self.systems, self.queries, self.measures)

    def means(self) -> pd.DataFrame:
        """Means over all queries, by system and point; ``active`` counts the queries that still change."""
        index = pd.MultiIndex.from_product(
            [self.systems, self.points], names=['system', self.along]
        )
        means = self.values.mean(axis=2).transpose(1, 0, 2).reshape(-1, len(self.measures))
        table = pd.DataFrame(means, index=index, columns=pd.Index(self.measures, name='measure'))
        return table.assign(active=self.active.T.reshape(-1))

    def _headline(self) -> str:
        return (
            f'Means of {count(len(self.systems), "system")} over {count(len(self.queries), "query", "queries")} at '
            f'{count(len(self.points), "point")} by {self.along}'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.means(), 'means()'

    def to_frame(self) -> pd.DataFrame:
        """``system, query_id, measure, value`` and the iteration or length, one row per score."""
        return pd.concat(
            [self.at(point).to_frame().assign(**{self.along: point}) for point in self.points],
            ignore_index=True,
        )

    def labelled(self, preset: str) -> Scores:
        """The scores of a preset whose columns are of one point each, such as ``'bright-pro-rounds'``, by their names.

        Raises:
            ValueError: no such preset, or a measure or point that these curves do not have.
        """
        rounds = {name: each for name, each in PRESETS.items() if each.rounds}
        if preset not in rounds:
            raise ValueError(
                f'{preset!r}: expected a preset of rounds, {", ".join(rounds)}'
                + did_you_mean(preset, rounds, list_known=False)
            )
        columns, labels = rounds[preset], rounds[preset].labels
        parts = [
            self.at(point).select(measures=[measure]).values
            for point, measure in zip(columns.rounds, columns.measures.split())
        ]
        return Scores(np.concatenate(parts, axis=2), self.systems, self.queries, labels)

    def plot(self, measure: MeasureLike | None = None, ax: Axes | None = None) -> Axes:
        """Draw the mean of one measure (the first by default) for each system; returns the axes.

        Raises:
            ValueError: an unknown measure.
        """
        name = self.measures[0] if measure is None else str(measure)
        place = index_of(name, self.measures, 'measure')
        means = self.values.mean(axis=2)[:, :, place]
        return plotting.lines(
            list(self.points), dict(zip(self.systems, means.T)), self.along, name, ax
        )


def check_curve(along: str, at: Iterable[float] | None, repeats: str) -> None:
    """Raise unless the arguments describe a curve.

    Raises:
        ValueError: an unknown word; no budgets.
    """
    one_of(along, ALONG, 'along')
    one_of(repeats, REPEATS, 'repeats')
    if along == 'length' and at is None:
        raise ValueError("along='length' needs budgets, as in at=[500, 1000, 2000]")


def prepared(table: pd.DataFrame, along: str, repeats: str) -> pd.DataFrame:
    """A run in the order of its curve: by iteration, then score and document id, both descending; scores say so.

    A document that the query has seen before, or that has the suffix of a repetition, is dropped, or keeps its place
    under a name that no judgment has.

    Raises:
        ValueError: no column ``iteration`` or ``length``, or a wrong value in it.
    """
    values = column_values(table, along, f'along={along!r}')
    if values is None:
        raise ValueError(
            f"along='{along}' needs a run with a column {along!r} (found {', '.join(table.columns)})"
        )
    keys = ['score', 'doc_id'] if along == 'length' else [along, 'score', 'doc_id']
    table = table.assign(**{along: values})
    table = table.sort_values(keys, ascending=[key == 'iteration' for key in keys], kind='stable')
    name = table['doc_id'].map(lambda document: _SUFFIX.sub('', document))
    again = table.assign(name=name).groupby(['query_id', 'name'], sort=False).cumcount()
    renamed = table['doc_id'].where(again == 0, name + REPEATED + again.astype(str))
    table = table[again == 0] if repeats == 'drop' else table.assign(doc_id=renamed)
    below = table.groupby('query_id', sort=False).cumcount(ascending=False)
    return table.assign(score=below + 1.0).reset_index(drop=True)


def points_of(
    tables: Sequence[pd.DataFrame], along: str, at: Iterable[float] | None
) -> tuple[float, ...]:
    """The points of a curve: as given, else iterations 1 to the last one of any run.

    Raises:
        ValueError: points that are no numbers, or none.
    """
    if at is None:
        last = max((int(table['iteration'].max()) for table in tables if len(table)), default=1)
        return tuple(range(1, last + 1))
    points = tuple(at)
    least, kind = (1, 'whole numbers') if along == 'iteration' else (0, 'numbers')
    for point in points:
        is_number = isinstance(point, (int, float, np.number)) and not isinstance(point, bool)
        if not is_number or not least <= point < math.inf or least and point != int(point):
            raise ValueError(f'at: found {point!r}, expected {kind} of at least {least}')
    if not points or list(points) != sorted(set(points)):
        raise ValueError(f'at={list(points)}: expected different numbers in ascending order')
    return points


def until(table: pd.DataFrame, along: str, point: float) -> pd.DataFrame:
    """Return the part of a run from :func:`prepared` up to a point."""
    if along == 'length':
        return within_budget(table, None, point)
    return table[table['iteration'] <= point]


def n_active(table: pd.DataFrame, along: str, point: float, queries: Sequence[str]) -> int:
    """How many of the queries have a document of this iteration or a later one, or are longer than this budget."""
    progress = table[table['query_id'].isin(queries)].groupby('query_id')[along]
    return int(((progress.sum() > point) if along == 'length' else (progress.max() >= point)).sum())


def up_to(measure: Any, along: str, point: float) -> Any:
    """A measure up to a point: one that counts iterations has at most that cutoff, any other is returned itself."""
    own, cutoff = ours(measure), measure.params.get('cutoff')
    if along != 'iteration' or own is None or 'iteration' not in own.run_columns:
        return measure
    if 'cutoff' not in own.SUPPORTED_PARAMS:
        return measure
    return measure @ int(point if cutoff is None else min(cutoff, point))
