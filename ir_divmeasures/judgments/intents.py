"""Facts about intents: which intents exist (intent rows), and their weights, types, importance and texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TypesWarning, plain, warn
from ..io import columns
from ..io import text as textfiles
from ..io.columns import KEYS, NO_DOCUMENT, TYPES
from ..io.frames import ids
from ..io.text_columns import as_frame
from ..lazy import pd
from .datasets import is_of_pyterrier, load_dataset
from .table import Judgments
from .topics import known_topics

if TYPE_CHECKING:
    from ..typing import QrelsLike


FACTS = ('weight', 'subtopic_type', 'importance', 'text')
"""The facts that a table of intents may contain."""
NAMES = {
    'qid': 'query_id',
    'intent': 'subtopic_id',
    'nugget': 'subtopic_id',
    'probability': 'weight',
    'type': 'subtopic_type',
}


def with_intents(qrels: QrelsLike, table: Any) -> pd.DataFrame:
    """Return judgments that list every intent of a table, including intents for which no document was judged.

    An intent that the judgments do not have becomes an *intent row* with document ``'-'`` and grade −1. The row makes
    the intent one of the query's listed intents (``aspects='listed'``), and never counts as a judged document. Measures
    of the intents with a relevant document (``aspects='relevant'``, the default of all measures but ``Coverage``) do
    not change. Files, ir_measures and ``pt.Experiment`` keep these rows.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        table: a DataFrame ``query_id, subtopic_id`` and any of ``weight``, ``subtopic_type`` (``'inf'`` or ``'nav'``),
            ``importance`` (``'vital'``, ``'okay'`` or nothing) and ``text`` (with a column ``layer`` if the judgments
            have several); a dict ``{query: [subtopic, …]}``; a path to a file as for :func:`with_weights`. What it says
            of an intent replaces what the judgments said.

    Returns:
        DataFrame with the judgments' columns and those of the table, intent rows last.

    Raises:
        ValueError: no such column, several values of one intent, a value that is not right, weights that leave out a
            listed intent; names query and subtopic.

    Warns:
        DivMeasuresWarning: the table names queries without judgments. They count as queries.

    Examples:
        >>> with_intents({'q1': {'d1': {'1': 2}}}, {'q1': ['1', '2']})
          query_id doc_id  relevance subtopic_id
        0       q1     d1          2           1
        1       q1      -         -1           2
    """

    rows = Judgments.of(qrels).frame()
    intents = _listed_intents(table)
    key = _key(rows, intents)
    listed_rows = rows[columns.listing(rows)]
    new = intents.merge(listed_rows[key].drop_duplicates(), on=key, how='left', indicator='found')
    new = new.loc[new['found'] == 'left_only', key]
    unjudged = new.loc[~new['query_id'].isin(rows['query_id']), 'query_id'].unique()
    if len(unjudged):
        warn(
            f'{len(unjudged)} of {intents["query_id"].nunique()} queries of the table of intents have no judgment '
            f'({unjudged[0]!r}, …): they count as queries for which nothing is relevant; leave them out of the table '
            f'if they should not'
        )
    if len(new):
        new = new.assign(doc_id=NO_DOCUMENT, relevance=-1)
        for column in (
            columns.declared(rows, 'document') if len(rows) else ()
        ):  # intent rows do not use them
            new[column.name] = (
                rows[column.name].iloc[0] if column.missing is None else column.missing
            )
        if 'layer' not in new.columns and 'layer' in rows.columns:
            new['layer'] = rows['layer'].iloc[0]
        rows = pd.concat(
            [rows, new[[c for c in rows.columns if c in new.columns]]], ignore_index=True
        )
    for name in (name for name in FACTS if name in intents.columns or name in rows.columns):
        rows[name] = _facts_of_rows(rows, intents, key, name)
    rows = columns.standardise(rows, 'judgments')
    columns.check_facts(rows, 'judgments')
    return rows[[*KEYS, *(c for c in rows.columns if c not in KEYS)]]


def _key(rows: pd.DataFrame, intents: pd.DataFrame) -> list[str]:
    """The columns that tell the intents of a table apart; an error where the judgments' layers leave them open."""
    layered = 'layer' in rows.columns and 'layer' in intents.columns
    if 'layer' in rows.columns and not layered and rows['layer'].nunique() > 1:
        raise ValueError(
            f'the judgments have layers {", ".join(map(str, sorted(rows["layer"].unique())))}: give the '
            f'intents with a column layer, or before the hierarchy is built'
        )
    key = ['query_id', *['layer'] * layered, 'subtopic_id']
    facts = [name for name in FACTS if name in intents.columns]
    twice = intents[[*key, *facts]].drop_duplicates()
    twice = twice[twice.duplicated(key)]
    if len(twice):
        raise ValueError(
            f'the table of intents: query {twice.query_id.iloc[0]!r}, subtopic '
            f'{twice.subtopic_id.iloc[0]!r} has several values of {" or ".join(facts)}'
        )
    return key


def _facts_of_rows(rows: pd.DataFrame, intents: pd.DataFrame, key: list[str], name: str) -> Any:
    """Return a fact about the intent of each row: from the table, else from the judgments, else the missing value."""
    column = columns.COLUMNS[name]
    if name in intents.columns:
        facts = intents[[*key, name]].drop_duplicates()
        values = rows[key].merge(facts, on=key, how='left')[name].set_axis(rows.index)
        if name in rows.columns:
            values = values.where(values.notna(), rows[name])
    else:
        values = rows[name]
    if values.isna().any():
        if column.needed_where_listed:
            columns.check_all_have(rows[values.isna() & columns.listing(rows)], name)
        values = values.fillna(column.missing)
    return values


def _listed_intents(source: Any) -> pd.DataFrame:
    if isinstance(source, dict):
        for query, names in source.items():
            if isinstance(names, str) or not hasattr(names, '__iter__'):
                raise TypeError(
                    f'the table of intents: query {query!r}: expected a list of intents, found {names!r}'
                )
        source = {query: dict.fromkeys(names) for query, names in source.items()}
    table = _table(source, None, 'lists of intents', ('query_id', 'subtopic_id'))
    names = [c for c in ('query_id', 'layer', 'subtopic_id', *FACTS) if c in table.columns]
    return table[names].drop_duplicates().reset_index(drop=True)


def with_weights(
    qrels: QrelsLike, table: Any, normalise: bool = False, aspects: str = 'relevant'
) -> pd.DataFrame:
    """Judgments with intent probabilities in a column ``weight`` (and types in ``subtopic_type``, where given).

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        table: a DataFrame ``query_id, subtopic_id, weight[, subtopic_type]`` (with a column ``layer`` if the
            judgments have one); a path to an Iprob or DINprob file of
            NTCIR (``query intent probability [inf|nav]``); a dict ``{query: {subtopic: weight}}``.
        normalise: make the weights of each query sum to 1. By default they stand as given.
        aspects: over which subtopics they then sum to 1: ``'relevant'``, those with a relevant document (grade above
            0), or all ``'listed'`` ones (see :func:`with_intents`).

    Raises:
        ValueError: a listed subtopic has no weight, a weight is negative or no number, or a query's weights sum to 0
            and should be normalised; names query and subtopic.

    Warns:
        DivMeasuresWarning: the table weighs subtopics of judged queries that the judgments do not have;
            :func:`with_intents` lists them.

    Examples:
        >>> qrels = {'q1': {'d1': {'1': 2, '2': 0}, 'd2': {'2': 1}}}
        >>> with_weights(qrels, {'q1': {'1': 3, '2': 1}}, normalise=True)
          query_id doc_id  relevance subtopic_id  weight
        0       q1     d1          2           1    0.75
        1       q1     d1          0           2    0.25
        2       q1     d2          1           2    0.25
    """
    if aspects not in ('relevant', 'listed'):
        raise ValueError(f"aspects={aspects!r}: expected 'relevant' or 'listed'")
    rows = Judgments.of(qrels).table
    intents = _intent_table(table)
    _warn_if_not_listed(rows, intents)
    rows = columns.merge(rows, intents, 'weight')
    if 'subtopic_type' in intents.columns:
        rows = columns.merge(rows, intents, 'subtopic_type')
    if normalise:
        query = columns.aspect_key(rows)[:-1]
        counted = rows[columns.listing(rows) if aspects == 'listed' else rows['relevance'] > 0]
        counted = counted.drop_duplicates([*query, 'subtopic_id'])
        total = (
            counted.groupby(query, as_index=False)['weight']
            .sum()
            .rename(columns={'weight': 'total'})
        )
        if (total['total'] == 0).any():
            raise ValueError(
                f'query {total.query_id[total.total == 0].iloc[0]!r}: the weights of its subtopics sum '
                f'to 0'
            )
        divisor = (
            rows[query]
            .merge(total, on=query, how='left')['total']
            .fillna(1.0)
            .to_numpy(dtype=float)
        )
        rows['weight'] = rows['weight'].to_numpy(dtype=float) / divisor
    return rows


def _warn_if_not_listed(rows: pd.DataFrame, intents: pd.DataFrame) -> None:
    key = ['query_id', 'subtopic_id']
    weighed = intents.loc[
        intents['query_id'].isin(rows['query_id']) & (intents['weight'] > 0), key
    ].drop_duplicates()
    unlisted = weighed.merge(rows[key].drop_duplicates(), on=key, how='left', indicator='found')
    unlisted = unlisted[unlisted['found'] == 'left_only']
    if len(unlisted):
        warn(
            f'{len(unlisted)} of {len(weighed)} weighed subtopics of judged queries are not in the judgments (query '
            f'{unlisted.query_id.iloc[0]!r}, subtopic {unlisted.subtopic_id.iloc[0]!r}, …): their weights are '
            f'ignored; with_intents lists them'
        )


def with_subtopic_types(qrels: QrelsLike, source: Any) -> pd.DataFrame:
    """Judgments with intent types, ``'inf'`` or ``'nav'``, in a column ``subtopic_type``.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        source: an ir_datasets id or dataset whose queries have subtopics (the Web Track's); a DataFrame
            ``query_id, subtopic_id, subtopic_type``; a path to a DINprob file; a dict ``{query: {subtopic: type}}``.
            A judged subtopic that the source does not know is ``'inf'``: in the Web Track's judgments of 2013 and 2014
            the topic itself is judged as subtopic 0.

    Warns:
        DivMeasuresWarning: the source knows none of the judged queries (another year's?); a type other than ``inf``
            and ``nav`` (``inv`` and ``inav`` in the topics of 2011), which counts as ``inf``.

    Examples:
        >>> with_subtopic_types({'q1': {'d1': {'1': 2, '2': 1}}}, {'q1': {'2': 'nav'}})
          query_id doc_id  relevance subtopic_id subtopic_type
        0       q1     d1          2           1           inf
        1       q1     d1          1           2           nav
    """
    rows = Judgments.of(qrels).table
    types = _type_table(source)
    bad = types[~types['subtopic_type'].isin(TYPES)]
    if len(bad):
        examples = ', '.join(
            f'{t!r} (query {q!r}, subtopic {s!r})'
            for q, s, t in bad[['query_id', 'subtopic_id', 'subtopic_type']].head(3).to_numpy()
        )
        warn(
            f"{len(bad)} of {len(types)} subtopics have a type other than 'inf' and 'nav', and count as 'inf': "
            f"{examples}{' …' if len(bad) > 3 else ''}",
            TypesWarning,
        )
        types = types.assign(
            subtopic_type=types['subtopic_type'].where(types['subtopic_type'].isin(TYPES), 'inf')
        )
    if len(rows) and not set(rows['query_id']) & set(types['query_id']):
        warn(
            f'no type is given for any subtopic of the {rows["query_id"].nunique()} judged queries '
            f'({rows["query_id"].iloc[0]!r}, …; types: {", ".join(map(repr, types["query_id"][:1]))}, …): '
            f"all count as 'inf'",
            TypesWarning,
        )
    return columns.merge(rows, types, 'subtopic_type', default='inf')


def with_aspects_from(qrels: QrelsLike, columns: Iterable[str] | Mapping[str, str]) -> pd.DataFrame:
    """Judgments in which each of some columns of grades is an aspect: topical relevance, credibility, quality, ….

    For collections that grade a document in several respects: CLEF eHealth (``understandability,
    trustworthiness``), Touché (``quality``, ``coherence``), TREC Misinformation. A row without a value of a column has
    no judgment for that aspect.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes, an ir_datasets id or dataset
            among them, with further columns of grades and without subtopics.
        columns: names of the columns, ``'relevance'`` too if it is to be one of the aspects; a dict
            ``{column: subtopic_id}`` names the aspects otherwise.

    Returns:
        DataFrame ``query_id, doc_id, relevance`` (the grade of the aspect), ``subtopic_id`` (the column's name), and
        the columns that were not made aspects.

    Raises:
        TypeError: one text in place of columns.
        ValueError: no such column, a value that is not a number, judgments with subtopics; names query and document.

    Examples:
        >>> import pandas as pd
        >>> graded = pd.DataFrame([['q', 'd1', 2, 1], ['q', 'd2', 1, 0]],
        ...                       columns=['query_id', 'doc_id', 'relevance', 'credibility'])
        >>> with_aspects_from(graded, ['relevance', 'credibility'])
          query_id doc_id  relevance  subtopic_id
        0        q     d1          2    relevance
        1        q     d1          1  credibility
        2        q     d2          1    relevance
        3        q     d2          0  credibility
    """

    if isinstance(columns, str):
        raise TypeError(f'columns: expected a list of names, found {columns!r}')
    named = (
        {column: str(name) for column, name in columns.items()}
        if isinstance(columns, Mapping)
        else {column: str(column) for column in columns}
    )
    table = Judgments.of(qrels).table
    for column in named:
        if column not in table.columns or column in KEYS and column != 'relevance':
            raise ValueError(
                f'no column {column!r} of grades (found {", ".join(map(str, table.columns))})'
            )
    if not named:
        raise ValueError('no columns: name at least one')
    if table['subtopic_id'].nunique() > 1:
        raise ValueError(
            f'the judgments have subtopics already: {", ".join(sorted(set(table["subtopic_id"]))[:5])}, …'
        )
    rest = table.drop(
        columns=[
            column for column in (*named, 'relevance', 'subtopic_id') if column in table.columns
        ]
    )
    parts = [
        rest.assign(relevance=table[column], subtopic_id=name)[table[column].notna()]
        for column, name in named.items()
    ]
    merged = pd.concat(parts).sort_index(kind='stable').reset_index(drop=True)
    return Judgments.of(merged).frame()


def _table(source: Any, value: str | None, what: str, needed: tuple[str, ...]) -> pd.DataFrame:
    """A table of intents from a file, a DataFrame or a nested dict, with ids as strings.

    Args:
        source: what the user gave.
        value: the column for the values of a dict; None: they are not needed.
        what: what a dict contains, for the message of an error.
        needed: the columns that the table must have.

    Raises:
        TypeError: none of these.
        ValueError: no such column; a missing id.
    """

    if isinstance(source, (str, os.PathLike)):
        table = _read_intents(os.fspath(source))
    elif isinstance(source, dict):
        rows = [(q, s, v) for q, row in source.items() for s, v in row.items()]
        table = pd.DataFrame(rows, columns=['query_id', 'subtopic_id', value or ''])
    elif isinstance(source, pd.DataFrame):
        table = source.rename(
            columns={old: new for old, new in NAMES.items() if new not in source.columns}
        )
    else:
        raise TypeError(
            f'expected a DataFrame, a path or a dict of {what}, found {type(source).__name__}'
        )
    _require(table, needed)
    return table.assign(
        **{name: ids(table, name, 'the table of intents') for name in ('query_id', 'subtopic_id')}
    )


def _intent_table(source: Any) -> pd.DataFrame:
    table = _table(source, 'weight', 'weights', ('query_id', 'subtopic_id', 'weight'))
    try:
        weight = table['weight'].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            'weights: expected numbers, found '
            + repr(next(w for w in table['weight'] if not isinstance(w, (int, float))))
        ) from None
    bad = table[~((weight >= 0) & (weight < np.inf))]
    if len(bad):
        row = bad.iloc[0]
        raise ValueError(
            f'query {row.query_id!r}, subtopic {row.subtopic_id!r}: weight is {plain(row.weight)!r}, '
            f'expected a number of at least 0'
        )
    return table.assign(weight=weight)


def _read_intents(path: str) -> pd.DataFrame:
    data = textfiles.read_bytes(path)
    first = next(
        (line.split() for line in data.splitlines() if line.strip() and not line.startswith(b'#')),
        [],
    )
    fields = ['query_id', 'subtopic_id', 'weight', 'subtopic_type'][: max(3, min(4, len(first)))]
    return as_frame(textfiles.split_columns(data, path, fields, fields, numeric=('weight',)))


def _type_table(source: Any) -> pd.DataFrame:

    is_file = isinstance(source, (str, os.PathLike)) and os.path.exists(source)
    columns_needed = ['query_id', 'subtopic_id', 'subtopic_type']
    if not is_file and (isinstance(source, str) or hasattr(source, 'queries_iter')):
        rows = [
            (query.query_id, number, kind)
            for query in _queries(source)
            for number, _, kind in query.subtopics
        ]
        source = pd.DataFrame(rows, columns=columns_needed)
    return _table(
        source, 'subtopic_type', 'types, or an ir_datasets dataset', tuple(columns_needed)
    )


def intent_texts(topics: Any) -> pd.DataFrame:
    """Return the texts of intents.

    Args:
        topics: an ir_datasets or PyTerrier dataset or id whose queries have subtopics; a file of topics
            (:func:`~ir_divmeasures.judgments.topics.read_topics`); a DataFrame of queries with a
            column ``subtopics``, as :func:`ir_divmeasures.terrier.get_topics` gives, or of intents with ``query_id`` or
            ``qid``, ``subtopic_id`` and ``text``; a dict ``{query: {subtopic: text}}``.

    Returns:
        DataFrame ``query_id, subtopic_id, text, query`` (the query's text, '' where it is not known).

    Raises:
        TypeError, ValueError: not intents; a missing column; queries without subtopics.

    Examples:
        >>> intent_texts('divmeasures/sample').iloc[1].tolist()
        ['1', '2', 'What are Jaguar cars like to buy, own and repair?', 'jaguar']
    """

    names = ['query_id', 'subtopic_id', 'text', 'query']
    topics = known_topics(topics)
    if isinstance(topics, dict):
        rows = [(q, s, text, '') for q, row in topics.items() for s, text in row.items()]
    elif isinstance(topics, pd.DataFrame):
        table = (
            topics.rename(columns={'qid': 'query_id'})
            if 'query_id' not in topics.columns
            else topics
        )
        _require(
            table, ('query_id', 'subtopics') if 'subtopics' in table.columns else tuple(names[:3])
        )
        query_texts = table['query'] if 'query' in table.columns else [''] * len(table)
        if 'subtopics' in table.columns:
            rows = [
                (q, number, text, query)
                for q, query, each in zip(table['query_id'], query_texts, table['subtopics'])
                for number, text, *_ in each
            ]
        else:
            rows = list(zip(table['query_id'], table['subtopic_id'], table['text'], query_texts))
    elif isinstance(topics, str) or hasattr(topics, 'queries_iter') or is_of_pyterrier(topics):
        rows = [
            (query.query_id, number, text, query.default_text())
            for query in _queries(topics)
            for number, text, *_ in query.subtopics
        ]
    else:
        raise TypeError(
            f'topics: expected a dataset whose queries have subtopics, a DataFrame or a dict {{query: '
            f'{{subtopic: text}}}}, found {type(topics).__name__}'
        )
    return pd.DataFrame([tuple(map(str, row)) for row in rows], columns=names)


def _queries(source: Any) -> list[Any]:
    """A dataset's queries, which have subtopics."""
    dataset = (
        source
        if hasattr(source, 'queries_iter')
        else load_dataset(source)
        if isinstance(source, str)
        else source.irds_ref()
    )
    queries = [query for query in dataset.queries_iter() if getattr(query, 'subtopics', ())]
    if not queries:
        raise ValueError(f'{source!r}: its queries have no subtopics')
    return queries


def _require(table: pd.DataFrame, columns: tuple[str, ...]) -> None:
    for column in columns:
        if column not in table.columns:
            raise ValueError(f'no column {column!r} (found {", ".join(map(str, table.columns))})')
