"""Score parts of judgments and runs, each with all rows of its queries, and combine the results.

:mod:`~ir_divmeasures.evaluation.engines` uses these functions for Dask, Spark and parquet folders, and you can use them
with other engines: score a part (:func:`score_partition`), add up partial results (:class:`Totals`,
:class:`PoolCounts`, both associative), or gather all scores (:func:`gather`).
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures as parse_all
from ..core.registry import ours as own_measure
from ..core.stopping import registries as stopping
from ..errors import DivMeasuresWarning, QueriesWarning, SubtopicsWarning, warn
from ..io import columns
from ..io import frames as tables
from ..io import runs as several
from ..io.coding import inverse, order_of_names
from ..io.groups import Groups, group_of, read_teams
from ..io.rows import Strings
from ..judgments.table import Judgments
from ..results import Result, count
from . import checks
from .provider import Evaluator

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Message = tuple[str, type[DivMeasuresWarning]]
"""The text and the class of a warning."""


class System(NamedTuple):
    """A system that was scored.

    Attributes:
        name: its name.
        values: its scores, (queries, measures).
        present: which queries it has, (queries,).
        messages: the warnings about it.
        digest: a text that systems with the same rankings share; None if it was not computed.
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    messages: list[Message]
    digest: str | None


def ours_among(records: list[warnings.WarningMessage]) -> list[Message]:
    """Return the messages of this package among recorded warnings."""
    return [
        (str(w.message), w.category) for w in records if issubclass(w.category, DivMeasuresWarning)
    ]


@contextlib.contextmanager
def collecting(messages: list[Message]) -> Iterator[None]:
    """Append the warnings of this package to a list instead of giving them; others are given at the end."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        yield
    for other in records:
        if not issubclass(other.category, DivMeasuresWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    messages += ours_among(records)


def score_runs(
    pairs: Iterable[tuple[str, Any]], evaluator: Evaluator, measures: list[Any], queries: list[str]
) -> Iterator[System]:
    """Yield the result of :func:`score_run` for each system."""
    for name, run in several.ahead(pairs):
        yield score_run(name, run, evaluator, measures, queries)


def score_run(
    name: str, run: several.Run, evaluator: Evaluator, measures: list[Any], queries: list[str]
) -> System:
    """A system's values on these queries, in this order, 0 on those that it lacks, and what is to be said of it.

    Errors name the system; warnings of ours are kept, for :func:`~ir_divmeasures.evaluation.evaluate.warn_of`.
    """
    row: dict[str, int] = {}
    if queries != evaluator.query_ids:
        row = {query: q for q, query in enumerate(queries)}
    place = (
        np.array([row[query] for query in evaluator.query_ids]) if row else np.arange(len(queries))
    )
    column = {str(m): i for i, m in enumerate(measures)}
    values = np.zeros((len(queries), len(measures)))
    present = np.zeros(len(queries), dtype=bool)
    number = evaluator.judgments.collection.stretch_numbers(run)
    present[place[number[number < len(place)]]] = True
    digest = None
    messages: list[Message] = []
    with several.of_system(name), collecting(messages):
        if not present.any():  # every score is 0
            run.check()
            evaluator.ask(run)
        else:
            read, coded = evaluator.read(run)
            digest = None if coded is None else checks.ranking_digest(coded)
            scores, others = evaluator.scored(read, coded)
            for measure, of_queries in scores:
                values[place, column[str(measure)]] = of_queries
            for metric in others:
                row = row or {query: q for q, query in enumerate(queries)}
                values[row[metric.query_id], column[str(metric.measure)]] = metric.value
            values[~present] = 0.0
    return System(name, values, present, messages, digest)


def score_partition(
    runs: Any,
    qrels: Any,
    measures: str | Iterable[Any],
    *,
    own_adhoc: bool | None = None,
    ties: str | None = None,
) -> pa.Table:
    """Score one part: judgments and runs with all rows of some queries.

    A query has the scores that it has among all others, to the last bit.

    Args:
        runs: an Arrow table or DataFrame with all rows of these queries, of one system or several (see
            :func:`~ir_divmeasures.read_runs`).
        qrels: an Arrow table, or judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures: as :func:`~ir_divmeasures.measures` takes them.
        own_adhoc, ties: as for :func:`~ir_divmeasures.evaluate`.

    Returns:
        Arrow table ``query_id, system, measure`` (dictionary-coded strings), ``value``: a row for each system, judged
        query that it has, and measure. A judged query that no system has is one row without the other three. Queries
        without judgments are left out.

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.evaluate`; layers of judgments without layer 0: which layer is
            a part does not show the official one.

    Examples:
        >>> qrels = {'q1': {'d1': {'1': 1}, 'd2': {'2': 1}}, 'q2': {'d1': {'1': 1}}}
        >>> score_partition({'q1': {'d1': 1.0}}, qrels, 'StRecall@2').to_pandas()
          query_id system     measure  value
        0       q1    run  StRecall@2    0.5
        1       q2    NaN         NaN    NaN
    """
    judgments = Judgments.of(qrels)
    parsed_measures = parse_all(measures)
    if not parsed_measures:
        raise ValueError('no measures')
    evaluator = _evaluator(judgments, parsed_measures, own_adhoc, ties)
    scored = _score_systems(runs, evaluator, parsed_measures)
    for system in scored:
        for message, category in system.messages:
            warn(f'system {system.name!r}: {message}', category)
    return _as_table(scored, judgments.collection.query_names.array, parsed_measures)


def _evaluator(
    judgments: Judgments, measures: list[Any], own_adhoc: bool | None, ties: str | None
) -> Evaluator | None:
    """The evaluator of a part; None without judgments. Errors are those of :func:`score_partition`."""
    layers = set(judgments.table['layer']) if 'layer' in judgments.table.columns else set()
    if layers and 0 not in layers:
        raise ValueError(
            f'judgments: no row of layer 0 in this part (found {", ".join(map(str, sorted(layers)))}): '
            f'which layer is the official one?'
        )
    if not judgments.query_ids:
        return None
    return Evaluator(
        measures, judgments, warn=False, about_missing=False, own_adhoc=own_adhoc, ties=ties
    )


def _score_systems(runs: Any, evaluator: Evaluator | None, measures: list[Any]) -> list[System]:
    """The systems of a part, scored."""
    if evaluator is None:
        return []
    return list(
        score_runs(
            several.named(tables.in_memory(runs))[0], evaluator, measures, evaluator.query_ids
        )
    )


def _as_table(scored: list[System], queries: pa.LargeStringArray, measures: list[Any]) -> pa.Table:
    """Convert scored systems to the table that :func:`score_partition` returns."""
    import pyarrow as pa

    n = len(measures)
    query = [np.repeat(np.flatnonzero(system.present), n) for system in scored]
    absent_queries = (
        np.flatnonzero(~np.any([system.present for system in scored], axis=0))
        if scored
        else np.arange(len(queries))
    )
    of_scores = [len(rows) for rows in query]
    left = np.repeat([False, True], [sum(of_scores), len(absent_queries)])
    padding = np.zeros(len(absent_queries))

    def coded(
        names: Any, codes: Iterable[NDArray[Any]], mask: NDArray[np.bool_] | None = None
    ) -> Any:
        indices = pa.array(np.concatenate([*codes]).astype(np.int32), mask=mask)
        return pa.DictionaryArray.from_arrays(indices, names)

    return pa.table(
        {
            'query_id': coded(queries.cast(pa.string()), [*query, absent_queries]),
            'system': coded(
                pa.array([system.name for system in scored], pa.string()),
                [np.repeat(np.arange(len(scored)), of_scores), padding],
                left,
            ),
            'measure': coded(
                pa.array([str(m) for m in measures], pa.string()),
                [*(np.tile(np.arange(n), rows // n) for rows in of_scores), padding],
                left,
            ),
            'value': pa.array(
                np.concatenate(
                    [*(system.values[system.present].ravel() for system in scored), padding]
                ),
                mask=left,
            ),
        }
    )


def gather(
    parts: Iterable[pa.Table], measures: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], list[str], list[str]]:
    """Scores of all parts as one array.

    Args:
        parts: what :func:`score_partition` gave.
        measures: their names.

    Returns:
        Values (systems, queries, measures), 0 where a system lacks a query; which are there (systems, queries);
        systems and queries in the order of their ids.

    Raises:
        ValueError: a query in two parts.
    """
    import pyarrow as pa

    tables_of_parts = list(parts)
    queries_of_parts = [_values(table, 'query_id') for table in tables_of_parts]
    queries = Strings(pa.concat_arrays([pa.array([], pa.large_string()), *queries_of_parts]))
    order = order_of_names(queries)
    queries, place = Strings(queries.take(order)), inverse(order)
    names = queries.array.to_pylist()
    if len(queries.stretches) < len(names):
        twice = next(a for a, b in zip(names, names[1:]) if a == b)
        raise ValueError(f'query {twice!r} is in two parts: each must have all rows of its queries')
    systems = sorted({system for table in tables_of_parts for system in _names(table, 'system')})
    values = np.zeros((len(systems), len(names), len(measures)))
    present = np.zeros(values.shape[:2], dtype=bool)
    for table, own_queries in zip(tables_of_parts, queries_of_parts):
        scores = table.filter(table['value'].is_valid())
        places, place = np.split(place, [len(own_queries)])
        q, s, m = (
            places[_codes(scores, 'query_id', own_queries)],
            _codes(scores, 'system', systems),
            _codes(scores, 'measure', measures),
        )
        values[s, q, m], present[s, q] = scores['value'].to_numpy(), True
    return values, present, systems, names


@dataclass(frozen=True, eq=False, repr=False)
class Totals(Result):
    """Count, sum and sum of squares of scores: all that means over queries need, however many there are.

    Those of two parts add up (``+``, associative but for rounding: means are those of
    :meth:`~ir_divmeasures.Scores.means` to 1e-12).

    Attributes:
        n_queries: judged queries.
        systems: in the order of their names.
        measures: their names.
        count: judged queries that each system has, (systems,).
        sum: of the scores, (systems, measures).
        squares: sum of their squares, (systems, measures).

    Examples:
        >>> qrels = {'q1': {'d1': {'1': 1}, 'd2': {'2': 1}}, 'q2': {'d1': {'1': 1}}}
        >>> both = [Totals.of(score_partition({'q1': {'d1': 1.0}}, {query: qrels[query]}, 'StRecall@2'), 'StRecall@2')
        ...         for query in qrels]
        >>> (both[0] + both[1]).to_frame()
          system     measure  n_queries  count  mean       std
        0    run  StRecall@2          2      1  0.25  0.353553
    """

    n_queries: int
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    count: NDArray[np.int64]
    sum: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, scores: pa.Table, measures: str | Iterable[Any]) -> Totals:
        """Return the totals of a result of :func:`score_partition` for these measures."""
        names = tuple(str(m) for m in parse_all(measures))
        systems = tuple(sorted(_names(scores, 'system')))
        rows = scores.filter(scores['value'].is_valid())
        shape = len(systems), len(names)
        cell = _codes(rows, 'system', systems) * shape[1] + _codes(rows, 'measure', names)
        value = rows['value'].to_numpy()
        order, n = np.argsort(cell, kind='stable'), np.bincount(cell, minlength=shape[0] * shape[1])
        sums = []
        for each in (value, value**2):
            sums.append(
                np.array([part.sum() for part in np.split(each[order], np.cumsum(n)[:-1])]).reshape(
                    shape
                )
                if len(n)
                else np.zeros(shape)
            )
        return cls(len(_names(scores, 'query_id')), systems, names, n.reshape(shape)[:, 0], *sums)

    def __add__(self, other: Totals) -> Totals:
        if self.measures != other.measures:
            raise ValueError(
                f'totals of different measures: {", ".join(self.measures)}; {", ".join(other.measures)}'
            )
        systems = tuple(sorted({*self.systems, *other.systems}))
        added = []
        for name in ('count', 'sum', 'squares'):
            whole = np.zeros(
                (len(systems), *getattr(self, name).shape[1:]), getattr(self, name).dtype
            )
            for part in (self, other):
                whole[[systems.index(system) for system in part.systems]] += getattr(part, name)
            added.append(whole)
        return Totals(self.n_queries + other.n_queries, systems, self.measures, *added)

    def means(self) -> pd.DataFrame:
        """Means over all judged queries, systems × measures; a query that a system lacks counts as 0."""
        import pandas as pd

        return pd.DataFrame(
            self.sum / self.n_queries,
            index=pd.Index(self.systems, name='system'),
            columns=pd.Index(self.measures, name='measure'),
        )

    def _headline(self) -> str:
        return (
            f'Totals of {count(len(self.systems), "system")} by {count(len(self.measures), "measure")} over '
            f'{count(self.n_queries, "judged query", "judged queries")}'
        )

    def to_frame(self) -> pd.DataFrame:
        """A row for each system and measure: judged queries, those the system has, mean, standard deviation (n − 1)."""
        import pandas as pd

        n, (n_systems, n_measures) = self.n_queries, self.sum.shape
        spread = (
            np.maximum(self.squares - self.sum**2 / n, 0) / (n - 1)
            if n > 1
            else np.full(self.sum.shape, np.nan)
        )
        return pd.DataFrame(
            {
                'system': np.repeat(np.array(self.systems, dtype=object), n_measures),
                'measure': np.tile(np.array(self.measures, dtype=object), n_systems),
                'n_queries': n,
                'count': np.repeat(self.count, n_measures),
                'mean': (self.sum / n).ravel(),
                'std': np.sqrt(spread).ravel(),
            }
        )


@dataclass(frozen=True, eq=False, repr=False)
class PoolCounts(Result):
    """How many systems retrieve each judged document of some queries, and which systems there are.

    Those of two parts add up (``+``, associative and exact), parts by queries or by systems alike, but all rows of a
    system's query must be in one part. :meth:`judgments` then gives any part of the judgments the columns that
    :func:`~ir_divmeasures.with_rareness` gives the whole, except ``pool_ranks``. A :class:`~ir_divmeasures.Pool` keeps
    who retrieves what at which rank; these are counts only.

    Attributes:
        table: Arrow table ``query_id, doc_id, n_retrieved``; pairs that no system retrieves are not in it. With groups
            a row for each group that retrieves the pair, with a column ``group``.
        systems: names of the systems.
        depth: how deep a system's documents count; None: all.
        groups: names of the groups; None: each system counts.

    Examples:
        >>> qrels = {'q': {'d1': 1, 'd2': 1}}
        >>> a = PoolCounts.of({'A': {'q': {'d1': 2.0, 'd2': 1.0}}}, qrels)
        >>> b = PoolCounts.of({'B': {'q': {'d1': 1.0}}}, qrels)
        >>> (a + b).judgments(qrels)[['query_id', 'doc_id', 'n_retrieved', 'n_systems']]
          query_id doc_id  n_retrieved  n_systems
        0        q     d1            2          2
        1        q     d2            1          2
    """

    table: pa.Table
    systems: frozenset[str]
    depth: int | None
    groups: frozenset[str] | None = None

    @classmethod
    def of(
        cls, runs: Any, qrels: Any, depth: int | None = 100, groups: Groups | None = None
    ) -> PoolCounts:
        """Counts of one part; ``runs`` and ``qrels`` as for :func:`score_partition`, ``depth`` and ``groups`` as for
        with_rareness."""
        import pandas as pd
        import pyarrow as pa

        judgments, groups = Judgments.of(qrels), read_teams(groups)
        counts: dict[str, NDArray[np.int64]] = {}
        systems = set()
        for name, run in several.ahead(several.named(tables.in_memory(runs))[0]):
            with several.of_system(name), run.naming_line():
                pair, rank, _, _ = judgments.collection.locate(run)
            group = '' if groups is None else group_of(name, groups)
            counted = counts.setdefault(
                group, np.zeros(judgments.collection.n_pairs, dtype=np.int64)
            )
            counted[pair[rank <= depth] if depth is not None else pair] += 1
            systems.add(name)
        pairs = judgments.table[['query_id', 'doc_id']].assign(pair=judgments.collection.row_pair)
        pairs = pairs.drop_duplicates('pair')
        parts = [
            pairs.assign(n_retrieved=counted[pairs['pair']], group=group)
            for group, counted in counts.items()
        ]
        rows = pd.concat(parts) if parts else pairs.head(0).assign(n_retrieved=0, group='')
        rows = rows[rows['n_retrieved'] > 0]
        fields = [('query_id', pa.string()), ('doc_id', pa.string()), ('n_retrieved', pa.int64())]
        if groups is not None:
            rows, fields = rows.assign(n_retrieved=1), [*fields, ('group', pa.string())]
        table = pa.Table.from_pandas(rows, pa.schema(fields), preserve_index=False)
        return cls(table, frozenset(systems), depth, None if groups is None else frozenset(counts))

    def __add__(self, other: PoolCounts) -> PoolCounts:
        import pyarrow as pa

        if self.depth != other.depth:
            raise ValueError(
                f'counts of pools of depth {self.depth} and {other.depth}: expected the same'
            )
        if (self.groups is None) != (other.groups is None):
            raise ValueError('counts of a pool with groups and of one without: expected the same')
        both = pa.concat_tables([self.table, other.table])
        if self.groups is None or other.groups is None:
            sums = both.group_by(['query_id', 'doc_id'], use_threads=False).aggregate(
                [('n_retrieved', 'sum')]
            )
            table, groups = (
                sums.rename_columns([name.removesuffix('_sum') for name in sums.column_names]),
                None,
            )
        else:  # a group counts once, in whichever parts its systems are
            table = both.group_by(both.column_names, use_threads=False).aggregate([])
            groups = self.groups | other.groups
        return PoolCounts(
            table.select(self.table.column_names), self.systems | other.systems, self.depth, groups
        )

    def judgments(self, qrels: Any) -> pd.DataFrame:
        """Judgments, all or a part, with the columns of the pool except ``pool_ranks``.

        Raises:
            ValueError: an empty pool.
        """
        if not self.systems:
            raise ValueError('an empty pool: no runs')
        table = Judgments.of(qrels).table
        table = table.drop(columns=columns.added_by('with_rareness'), errors='ignore')
        counts = (
            self.table.to_pandas()
            .groupby(['query_id', 'doc_id'], as_index=False)['n_retrieved']
            .sum()
        )
        joined = table[['query_id', 'doc_id']].merge(counts, how='left')
        n_systems = len(self.systems if self.groups is None else self.groups)
        return table.assign(
            n_retrieved=joined['n_retrieved'].fillna(0).astype(np.int64).to_numpy(),
            n_systems=n_systems,
            pool_depth=self.depth or 0,
            newcomer=0,
        )

    def _headline(self) -> str:
        depth = 'at any rank' if self.depth is None else f'down to rank {self.depth}'
        return (
            f'Number of systems that retrieve a document {depth}, of {count(len(self.systems), "system")}: '
            f'{count(self.table.num_rows, "document", "documents")} of all queries'
        )

    def to_frame(self) -> pd.DataFrame:
        """The counts as a DataFrame."""
        return self.table.to_pandas()


# ------------------------------------------------------------------------------------- a part on its way through


class Scored(NamedTuple):
    """The result that a worker returns for a part.

    Attributes:
        result: the scores, or their totals.
        n_queries: the number of judged queries.
        widest: the largest number of subtopics of a query, where a measure is of diversity.
        messages: the messages of warnings.
        digests: a text for the rankings of each system.
        queries_of: how many queries without judgments each system has that has no judged query, and one of them.
        query: a judged query, or None.
    """

    result: Any
    n_queries: int
    widest: int
    messages: list[Message]
    digests: dict[str, str]
    queries_of: dict[str, tuple[int, str]]
    query: str | None


def score_part(
    run_times: stopping.RunTime,
    measures: list[str],
    totals: bool,
    own_adhoc: bool,
    ties: str | None,
    runs: Any,
    qrels: Any,
) -> Scored:
    """A worker's task: measures travel as names, and ``known`` brings stopping distributions of run time."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        judgments, parsed = Judgments.of(qrels), parse_all(measures)
        runs_of = dict(several.named(tables.in_memory(runs))[0])
        evaluator = _evaluator(judgments, parsed, own_adhoc, ties)
        scored = _score_systems(runs_of, evaluator, parsed)
        layers = (
            judgments.collection.aspects.values()
            if judgments.query_ids and _of_diversity(parsed)
            else ()
        )
    judged = {system.name for system in scored if system.present.any()}
    scores = _as_table(scored, judgments.collection.query_names.array, parsed)
    result = Totals.of(scores, measures) if totals else scores
    messages = ours_among(records)
    messages += (
        [message for message in evaluator.questions() if message[1] is not SubtopicsWarning]
        if evaluator
        else []
    )
    messages += [
        (f'system {system.name!r}: {message}', category)
        for system in scored
        for message, category in system.messages
    ]
    return Scored(
        result,
        len(judgments.query_ids),
        max((int(layer.n.max()) for layer in layers), default=0),
        list(dict.fromkeys(messages)),
        {system.name: system.digest for system in scored if system.digest},
        {name: _queries(run) for name, run in runs_of.items() if name not in judged and len(run)},
        next(iter(judgments.query_ids), None),
    )


def _queries(run: Any) -> tuple[int, str]:
    """How many queries a system's run has, and the first of them."""
    query_ids = several.read(run).query_ids
    return len(query_ids), query_ids[0]


def _unmatched(parts: Sequence[Scored]) -> str | None:
    """What is said of the systems that have no judged query in any part. None if there are none, or no others."""
    judged = (
        {name for part in parts for name in _names(part.result, 'system')}
        if parts and not isinstance(parts[0].result, Totals)
        else {name for part in parts for name in part.result.systems}
    )
    unmatched: dict[str, tuple[int, str]] = {}
    for part in parts:
        for name, (n, query) in part.queries_of.items():
            if name not in judged:
                before, first = unmatched.get(name, (0, query))
                unmatched[name] = before + n, first
    if not unmatched or not judged:
        return None
    name, (n, query) = min(unmatched.items())
    judged_query = next(part.query for part in parts if part.query is not None)
    examples = ', '.join(map(repr, sorted(unmatched)[:3])) + (', …' if len(unmatched) > 3 else '')
    one = len(unmatched) == 1
    what = (
        f'{"has" if one else "have"} no scores, as no query of {"its run" if one else "their runs"}'
    )
    return (
        f'{len(unmatched)} of {len(unmatched) + len(judged)} systems {what} has judgments: {examples} ({name!r} '
        f'has {n} queries, such as {query!r}; the judgments have others, such as {judged_query!r})'
    )


def collect(parts: Iterable[Scored], measures: list[Any]) -> list[Any]:
    """Results of the parts; one warning of each kind, of judgments with one subtopic, and of systems without scores."""
    parts = list(parts)
    results, n_queries, widest, n_judged = [], 0, 0, 0
    messages_of: dict[type[DivMeasuresWarning], list[str]] = {}
    digests_of: dict[str, list[tuple[int, str]]] = {}
    for place, part in enumerate(parts):
        results.append(part.result)
        n_queries, widest, n_judged = (
            n_queries + part.n_queries,
            max(widest, part.widest),
            n_judged + (part.n_queries > 0),
        )
        for message, category in part.messages:
            messages_of.setdefault(category, []).append(message)
        for system, digest in part.digests.items():
            digests_of.setdefault(system, []).append((place, digest))
    checks.warn_of(
        checks.Facts(digests={system: repr(parts) for system, parts in digests_of.items()}),
        'systems',
    )
    in_every_part = {check.warning for check in checks.CHECKS if check.every_part}
    for category, messages in messages_of.items():
        if category in in_every_part and len(messages) < n_judged:
            continue
        warn(
            f'{messages[0]} (in one of {len(results)} parts of the queries; {len(messages)} such messages in all)',
            category,
        )
    unmatched = _unmatched(parts)
    if unmatched is not None:
        warn(unmatched, QueriesWarning)
    diversity = _of_diversity(measures)
    if n_queries and widest == 1 and diversity:
        warn(
            f'{n_queries} of {n_queries} queries have one subtopic only: {", ".join(sorted(diversity)[:3])} cannot '
            f'tell anything about diversity',
            SubtopicsWarning,
        )
    return results


def _of_diversity(measures: Iterable[Any]) -> list[str]:
    """The names of the measures that need several subtopics."""
    return [str(m) for m in measures if (own := own_measure(m)) is not None and own.diversity]


def add_up(parts: Iterable[Any]) -> Any:
    """The sum of partial results, of :class:`Totals` or :class:`PoolCounts`."""
    return functools.reduce(lambda a, b: a + b, parts)


# ------------------------------------------------------------------------------------------------------- helpers


def _values(table: pa.Table, column: str) -> Any:
    """The distinct values of a coded column of names, an arrow array of large strings, none of them missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.unique(table[column]).dictionary_decode().cast(pa.large_string()).drop_null()


def _names(table: pa.Table, column: str) -> list[str]:
    names: list[str] = _values(table, column).to_pylist()
    return names


def _codes(table: pa.Table, column: str, names: Any) -> NDArray[np.int64]:
    """The place of each value of a coded column among names, a sequence or an arrow array of large strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = table[column].combine_chunks()
    dictionary = coded.dictionary.cast(pa.large_string())
    name_array = names if isinstance(names, pa.Array) else pa.array(list(names), pa.large_string())
    of: NDArray[np.int64] = np.arange(len(dictionary))
    if not dictionary.equals(name_array):
        place = pc.index_in(dictionary, value_set=name_array)
        of = place.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return of[coded.indices.to_numpy()] if len(coded) else np.zeros(0, dtype=np.int64)


__all__ = ['PoolCounts', 'Totals', 'gather', 'score_partition']
