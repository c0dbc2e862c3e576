"""Scores of systems on queries by measures: one array with names, from and to tables and files."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import score_files
from ..data.writing import replacing
from ..errors import did_you_mean, one_of
from ..lazy import pd
from ..results import Result, count

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..typing import MeasureLike

COLUMNS = ('system', 'query_id', 'measure', 'value')
AXES = {'system': 'systems', 'query_id': 'queries', 'measure': 'measures'}
MISSING = ('raise', 'zero', 'drop')


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """Scores of systems on queries by measures.

    Args:
        values: (systems, queries, measures), or (systems, queries) for one measure; finite numbers.
        systems: their names; ``system1``, … if not given.
        queries: their ids; ``1``, … if not given.
        measures: their names; ``score`` if there is one and it has no name, else ``measure1``, ….

    Raises:
        ValueError: no query or measure, names that do not fit the array or are duplicates, NaN or infinite scores
            (names system, query and measure).

    Examples:
        >>> scores = Scores([[0.5, 0.3], [0.2, 0.4]], systems=['a', 'b'], queries=['q1', 'q2'], measures=['AP'])
        >>> scores
        Means of 2 systems over 2 queries by 1 measure
        system      AP
        a       0.4000
        b       0.3000
        >>> scores['AP']
        array([[0.5, 0.3],
               [0.2, 0.4]])
        >>> scores.means()
        measure   AP
        system
        a        0.4
        b        0.3
    """

    values: NDArray[np.float64]
    systems: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    if TYPE_CHECKING:  # what it takes becomes what the attributes say

        def __init__(
            self,
            values: ArrayLike,
            systems: Iterable[Any] = ...,
            queries: Iterable[Any] = ...,
            measures: Iterable[Any] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=float)
        if values.ndim == 2:
            values = values[:, :, None]
        if values.ndim != 3 or 0 in values.shape:
            raise ValueError(
                f'scores have shape {np.shape(self.values)}, expected (systems, queries, measures), or '
                f'(systems, queries) for one measure, none of them 0'
            )
        values.flags.writeable = False
        object.__setattr__(self, 'values', values)
        if values.shape[2] == 1 and not self.measures:
            object.__setattr__(self, 'measures', ('score',))
        defaults = {'systems': 'system', 'queries': '', 'measures': 'measure'}
        for n, (what, default) in zip(values.shape, defaults.items()):
            names = tuple(map(str, getattr(self, what)))
            names = names or tuple(f'{default}{i + 1}' for i in range(n))
            if len(names) != n:
                raise ValueError(f'{len(names)} names of {what} for {n} in the array')
            if len(set(names)) != n:
                double = next(name for name in names if names.count(name) > 1)
                raise ValueError(f'{what}: {double!r} is a duplicate')
            object.__setattr__(self, what, names)
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            s, q, m = bad[0]
            raise ValueError(
                f'{self.measures[m]} of system {self.systems[s]!r} on query {self.queries[q]!r} is '
                f'{values[s, q, m]}, expected a number ({len(bad)} of {values.size} scores are not)'
            )

    def _headline(self) -> str:
        return (
            f'Means of {count(len(self.systems), "system")} over {count(len(self.queries), "query", "queries")} by '
            f'{count(len(self.measures), "measure")}'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.means(), 'means()'

    def __getitem__(self, measure: MeasureLike) -> NDArray[np.float64]:
        """The scores by one measure, (systems, queries). :meth:`select` takes several measures.

        Examples:
            >>> scores = Scores([[[0.5, 1.0]], [[0.2, 0.5]]], systems=['a', 'b'], measures=['AP', 'RR'])
            >>> scores['RR'].tolist()
            [[1.0], [0.5]]
        """
        return self.values[:, :, index_of(str(measure), self.measures, 'measure')]

    def select(self, *, systems: Any = None, queries: Any = None, measures: Any = None) -> Scores:
        """The scores of some systems, queries and measures, in the order in which you name them.

        Args:
            systems, queries, measures: a name, or several; None keeps all.

        Raises:
            ValueError: an unknown name, or no name.

        Examples:
            >>> scores = Scores([[0.5, 0.3], [0.2, 0.4]], systems=['a', 'b'])
            >>> scores.select(queries=['2']).values.ravel()
            array([0.3, 0.4])
            >>> scores.select(systems='b').systems
            ('b',)
        """
        values = self.values
        axes: list[tuple[str, ...]] = []
        for axis, (column, selected) in enumerate(zip(AXES, (systems, queries, measures))):
            names, what = getattr(self, AXES[column]), column.removesuffix('_id')
            if selected is not None:
                alone = isinstance(selected, str) or not isinstance(selected, Iterable)
                known, names = names, tuple(map(str, [selected] if alone else selected))
                if not names:
                    raise ValueError(
                        f'no {what} is selected: expected at least one of {some(known)}'
                    )
                places = [index_of(name, known, what) for name in names]
                values = values.take(places, axis=axis)
            axes.append(names)
        return Scores(values, *axes)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, missing: str = 'raise') -> Scores:
        """From a tidy table with columns ``system, query_id, measure, value``.

        What ``pt.Experiment(..., perquery=True)`` returns is such a table (``name``, ``qid``). Systems, queries and
        measures keep their order of first appearance.

        Args:
            frame: the table; further columns are not read.
            missing: what happens when a system lacks queries that another one has: ``'raise'``; ``'zero'`` scores
                them 0; ``'drop'`` leaves those queries out for all.

        Raises:
            ValueError: a missing column, a score twice, NaN, systems with different queries when ``missing='raise'``.

        Examples:
            >>> import pandas as pd
            >>> frame = pd.DataFrame([('a', 'q1', 'AP', 0.5), ('a', 'q2', 'AP', 0.3), ('b', 'q1', 'AP', 0.2)],
            ...                      columns=['system', 'query_id', 'measure', 'value'])
            >>> Scores.from_frame(frame, missing='drop').values.tolist()
            [[[0.5]], [[0.2]]]
        """
        roles = score_files.roles_of(frame.columns)
        for column in COLUMNS:
            if column not in roles:
                raise ValueError(
                    f'scores: no column {column!r} (found {", ".join(map(str, frame.columns))})'
                )
        if len(frame) == 0:
            raise ValueError('scores: the table has no rows')
        key = list(COLUMNS[:3])
        table = pd.DataFrame({name: frame[roles[name]].astype(str).to_numpy() for name in key})
        value = pd.to_numeric(frame[roles['value']], errors='coerce').to_numpy(dtype=float)
        is_bad = np.isnan(value)
        wrong = {
            score_files.TWICE: table.duplicated().to_numpy(),
            f'{{}} of {{}} on {{}} is not a number ({is_bad.sum()} of {len(value)} are not)': is_bad,
        }
        for text, is_wrong in wrong.items():
            if is_wrong.any():
                system, query, measure = table[is_wrong][key].iloc[0]
                raise ValueError(text.format(measure, system, query))
        codes, names = zip(*(pd.factorize(table[column]) for column in key))
        values = np.full([len(n) for n in names], np.nan)
        values[codes] = value
        systems, queries, measures = map(list, names)
        values, queries = complete(values, ~np.isnan(values).any(axis=2), systems, queries, missing)
        return cls(values, systems, queries, measures)

    @classmethod
    def from_wide(
        cls, frame: pd.DataFrame, *, measure: str = 'score', missing: str = 'raise'
    ) -> Scores:
        """From a table with one row per query (the index) and one column per system; empty cells are missing.

        Args:
            frame: the table, e.g. one of the topic × system matrices that are shared for past TREC tracks.
            measure: what the scores are.
            missing: as in :meth:`from_frame`.

        Examples:
            >>> import pandas as pd
            >>> Scores.from_wide(pd.DataFrame({'a': [0.5, 0.3], 'b': [0.2, 0.4]}, index=['q1', 'q2']), measure='AP')
            Means of 2 systems over 2 queries by 1 measure
            system      AP
            a       0.4000
            b       0.3000
        """
        for names in frame.columns, frame.index:
            if len(names) and all(score_files.is_measure_name(str(name)) for name in names):
                raise ValueError(f'scores: {score_files.ONLY_MEANS}')
        numbers = frame.apply(pd.to_numeric, errors='coerce')
        is_bad = (numbers.isna() & frame.notna()).any()
        if is_bad.any():
            raise ValueError(
                f'scores: column {is_bad.idxmax()!r} contains something else than numbers'
            )
        values, systems = numbers.to_numpy(dtype=float).T, list(map(str, frame.columns))
        values, queries = complete(
            values[:, :, None], ~np.isnan(values), systems, list(map(str, frame.index)), missing
        )
        return cls(values, systems, queries, [measure])

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        measure: str | None = None,
        missing: str = 'raise',
    ) -> Scores:
        """Read scores from tables, and from the lines of ir_measures and trec_eval.

        The content of a file tells its form:

        * a tidy table: a row for each system, query and measure, with columns ``system, query_id, measure, value``;
        * lines as ``trec_eval -q`` (measure, query, value) and ``ir_measures -q`` (query, measure, value) write them;
        * a wide table of one measure: a row for each query and a column for each system.

        Files may be compressed. A file of one run is the system of its name without endings such as ``.eval.txt``.
        Means over queries (``all``, ``mean``, ``average``, …) are left out. Several files are one table.

        Args:
            source: a path, a pattern, a folder, or several of these.
            measure: the measure of a wide table. The default is the name of the file.
            missing: as in :meth:`from_frame`.

        Raises:
            FileNotFoundError: no such file.
            TypeError: no paths.
            ValueError: not scores, or a score twice; names the file and mostly the line.

        Examples:
            >>> import os, tempfile
            >>> path = os.path.join(tempfile.mkdtemp(), 'bm25.eval.txt')
            >>> with open(path, 'w') as file:
            ...     _ = file.write('map\\t301\\t0.5\\nmap\\t302\\t0.25\\nmap\\tall\\t0.375\\n')
            >>> Scores.read(path)
            Means of 1 system over 2 queries by 1 measure
            system     map
            bm25    0.3750
        """
        table = score_files.read(source, measure)
        try:
            return cls.from_frame(table, missing=missing)
        except ValueError as error:
            where = f'{os.fspath(source)}: ' if isinstance(source, (str, os.PathLike)) else ''
            raise ValueError(f'{where}{error}') from None

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the tidy table; :meth:`read` reads it back.

        Args:
            path: ``.csv``, ``.csv.gz``, ``.tsv`` or ``.parquet``.
            overwrite: replace an existing file.

        Raises:
            FileExistsError: the file exists and ``overwrite`` is False.
            ValueError: another ending.
        """
        path = os.fspath(path)
        kind = path.removesuffix('.gz').rpartition('.')[2]
        if kind not in ('csv', 'tsv', 'parquet'):
            raise ValueError(
                f'{path}: expected a file that ends in .csv, .tsv (also .gz) or .parquet'
            )
        table = self.to_frame()
        with replacing(path, overwrite) as partial:
            if kind == 'parquet':
                table.to_parquet(partial, index=False)
            else:
                written = table.to_csv(sep='\t' if kind == 'tsv' else ',', index=False).encode()
                if path.endswith('.gz'):
                    written = gzip.compress(written, mtime=0)  # equal scores give equal bytes
                with open(partial, 'wb') as file:
                    file.write(written)

    def to_frame(self) -> pd.DataFrame:
        """Tidy table ``system, query_id, measure, value``, one row per score.

        Examples:
            >>> Scores([[0.5, 0.25]], systems=['a'], measures=['AP']).to_frame()
              system query_id measure  value
            0      a        1      AP   0.50
            1      a        2      AP   0.25
        """
        names = pd.MultiIndex.from_product(
            (self.systems, self.queries, self.measures), names=COLUMNS[:3]
        )
        return names.to_frame(index=False).assign(value=self.values.ravel())

    def means(self) -> pd.DataFrame:
        """Means over queries, systems × measures.

        The result is a DataFrame whose ``to_latex()``, ``to_markdown()`` and ``to_html()`` write the table of a paper.

        Examples:
            >>> Scores([[0.5, 0.25]], systems=['a'], measures=['AP']).means()
            measure     AP
            system
            a        0.375
        """
        from .means import Means  # with pandas, which takes longer to import than a run to score

        columns = pd.Index(self.measures, name='measure')
        return Means(self.values.mean(axis=1), pd.Index(self.systems, name='system'), columns)

    def differences(self, a: str, b: str) -> pd.DataFrame:
        """The scores of one system minus those of another: a row for each query, a column for each measure.

        Args:
            a, b: names of systems. A positive difference means that ``a`` is better.

        Raises:
            ValueError: an unknown system.

        Examples:
            >>> scores = Scores([[0.5, 0.25], [0.25, 0.5]], systems=['a', 'b'], measures=['AP'])
            >>> scores.differences('a', 'b')
            measure     AP
            query_id
            1         0.25
            2        -0.25
        """
        first, second = (self.values[index_of(name, self.systems, 'system')] for name in (a, b))
        columns = pd.Index(self.measures, name='measure')
        return pd.DataFrame(first - second, pd.Index(self.queries, name='query_id'), columns)


def scores_of(scores: Any) -> Scores:
    """Scores from what meta-evaluation takes: a Scores object, an array, a tidy or wide DataFrame, or files.

    Raises:
        ValueError: fewer than two systems, and what :class:`Scores` and :meth:`Scores.read` raise.
    """
    if not isinstance(scores, Scores):
        listed = scores if isinstance(scores, (list, tuple)) else [scores]
        if hasattr(scores, 'columns'):
            tidy = set(COLUMNS) <= set(score_files.roles_of(scores.columns))
            scores = Scores.from_frame(scores) if tidy else Scores.from_wide(scores)
        elif listed and all(isinstance(each, (str, os.PathLike)) for each in listed):
            scores = Scores.read(scores)
        else:
            scores = Scores(scores)
    if len(scores.systems) < 2:
        raise ValueError(f'scores of 1 system ({scores.systems[0]}), expected at least 2')
    return scores


def complete(
    values: np.ndarray,
    present: np.ndarray,
    systems: Sequence[str],
    queries: Sequence[str],
    missing: str,
    which: str = 'that others have',
) -> tuple[np.ndarray, list[str]]:
    """The scores and the queries after what ``missing`` says of queries that systems lack.

    Args:
        values: (systems, queries, …), NaN or 0 where a system lacks a query.
        present: which queries each system has, (systems, queries).
        systems, queries: their names.
        missing: ``'raise'``, ``'zero'`` or ``'drop'``.
        which: the queries that all systems should have, in words.

    Raises:
        ValueError: a system lacks queries, or with ``'drop'`` no query is left.
    """
    one_of(missing, MISSING, 'missing')
    is_complete = np.all(present, axis=0)
    if missing == 'zero' or is_complete.all():
        return np.nan_to_num(values, nan=0.0), list(queries)
    gaps = describe_missing(present, systems, queries, which)
    if missing == 'raise':
        raise ValueError(
            f"{gaps}. Pass missing='zero' (--missing zero) to score them 0, or missing='drop' (--missing drop) to leave "
            'those queries out for all systems'
        )
    if not is_complete.any():
        raise ValueError(f'no query is left that all systems have: {gaps}')
    return values[:, is_complete], [q for q, kept in zip(queries, is_complete.tolist()) if kept]


def describe_missing(
    present: np.ndarray,
    systems: Sequence[str],
    queries: Sequence[str],
    which: str = 'that others have',
) -> str:
    """In words, which systems lack which queries; ``present`` is (systems, queries)."""
    short = np.flatnonzero(~present.all(axis=1)).tolist()
    gaps = [
        f'{systems[s]} lacks {some([queries[q] for q in np.flatnonzero(~present[s]).tolist()])}'
        for s in short[:3]
    ]
    more = '; …' if len(short) > 3 else ''
    return f'{len(short)} of {len(systems)} systems lack queries {which}: {"; ".join(gaps)}{more}'


def index_of(name: str, names: Sequence[str], what: str) -> int:
    """The place of a name among several; ``what`` is named, in words.

    Raises:
        ValueError: no such name; names the nearest.
    """
    if name not in names:
        raise ValueError(f'no {what} {name!r}{did_you_mean(name, names)}')
    return names.index(name)


def some(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are."""
    return ', '.join(names[:most]) + (f' and {len(names) - most} more' if len(names) > most else '')
