"""Facts about intents as columns of judgments: which intents exist, their weights, importance, texts and superintents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import one_of, short, warn
from ..lazy import pd
from . import columns
from .columns import NO_DOCUMENT
from .files import read_bytes
from .forms import ids
from .ids import as_frame
from .judgments import Judgments, are_relevant, named_as
from .lines import Shape, read_lines
from .sources import require_fields
from .texts import read_records

if TYPE_CHECKING:
    from ..typing import QrelsLike

INTENT = ['query_id', 'subtopic_id']
FACTS = ('weight', 'importance', 'text')
"""The facts that a table of intents may contain."""
NAMES = {
    'qid': 'query_id',
    'intent': 'subtopic_id',
    'nugget': 'subtopic_id',
    'probability': 'weight',
    'parent': 'superintent',
}


def with_intents(qrels: QrelsLike, table: Any) -> pd.DataFrame:
    """Return judgments that list every intent of a table, including intents for which no document was judged.

    An intent that the judgments do not have becomes an *intent row* with document ``'-'`` and grade −1. The row makes
    the intent one of the query's listed intents (``aspects='listed'``), and never counts as a judged document. Measures
    of the intents with a relevant document (``aspects='relevant'``, the default of all measures but ``Coverage``) do
    not change. Files, ir_measures and ``pt.Experiment`` keep these rows.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        table: a DataFrame ``query_id, subtopic_id`` and any of ``weight``, ``importance`` (``'vital'``, ``'okay'`` or nothing) and ``text`` (with a column ``layer`` if the judgments
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
    judgments = Judgments.of(qrels)
    rows = judgments.frame()
    intents = intent_table(table)
    key = _key(rows, intents)
    new = missing_from(intents[key].drop_duplicates(), rows[judgments.lists], key)
    unjudged = new.loc[~new['query_id'].isin(judgments.query_ids), 'query_id'].unique()
    if len(unjudged):
        warn(
            f'{len(unjudged)} of {intents["query_id"].nunique()} queries of the table of intents have no judgment '
            f'({unjudged[0]!r}, …): they count as queries for which nothing is relevant; leave them out of the table '
            f'if they should not'
        )
    facts = {'doc_id': NO_DOCUMENT, 'relevance': -1}
    if len(rows):  # intent rows do not use what documents have
        first = rows.iloc[0]
        for column in columns.declared(rows, 'document'):
            facts[column.name] = first[column.name] if column.missing is None else column.missing
        if 'layer' in rows.columns and 'layer' not in key:
            facts['layer'] = first['layer']
    if len(new):
        rows = pd.concat([rows, new.assign(**facts)], ignore_index=True)
    for name in FACTS:
        if name in intents.columns:
            fact = _fact_of(rows, intents, name, key)
            rows[name] = fact.where(fact.notna(), rows.get(name, np.nan))
    return Judgments.of(rows).frame().fillna({'weight': 0.0, 'text': ''})


def with_weights(
    qrels: QrelsLike, table: Any, normalise: bool = False, aspects: str = 'relevant'
) -> pd.DataFrame:
    """Judgments with intent probabilities in a column ``weight``.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        table: a DataFrame ``query_id, subtopic_id, weight`` (with a column ``layer`` if the judgments have one); a path to
            a file of lines ``query subtopic weight``; a dict ``{query: {subtopic: weight}}``.
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
    judgments = Judgments.of(qrels)
    rows = judgments.table
    counted = counted_rows(judgments, aspects)
    intents = intent_table(table, 'weight')
    declared = columns.COLUMNS['weight']
    intents['weight'] = columns.checked_values(declared, intents, 'the table of intents')
    weighed = intents['query_id'].isin(judgments.query_ids) & (intents['weight'] > 0)
    weighed = intents.loc[weighed, INTENT].drop_duplicates()
    unlisted = missing_from(weighed, rows, INTENT)
    if len(unlisted):
        warn(
            f'{len(unlisted)} of {len(weighed)} weighed subtopics of judged queries are not in the judgments (query '
            f'{unlisted.query_id.iloc[0]!r}, subtopic {unlisted.subtopic_id.iloc[0]!r}, …): their weights are '
            f'ignored; with_intents lists them'
        )
    weight = _fact_of(rows, intents, 'weight', _key(rows, intents))
    columns.check_weights(rows[weight.isna() & judgments.lists], 'the table of intents')
    rows = rows.drop(columns='weight', errors='ignore').assign(weight=weight.fillna(0.0))
    if normalise:
        *query, _ = intent = columns.aspect_key(rows)
        intents = rows[counted].drop_duplicates(intent)
        total = intents.groupby(query, as_index=False)['weight'].sum()
        for row in total[total['weight'] == 0].head(1).itertuples():
            raise ValueError(f'query {row.query_id!r}: the weights of its subtopics sum to 0')
        divisor = rows[query].merge(total, how='left')['weight'].fillna(1.0)
        rows = rows.assign(weight=rows['weight'] / divisor)
    return rows


def with_superintents(
    qrels: QrelsLike, parents: Any, rel: float = 1, aspects: str = 'relevant'
) -> pd.DataFrame:
    """Judgments with superintents on layer −1, above the official intents (Wang et al., SIGIR 2016).

    A superintent's weight is the sum of its intents' weights, a document's grade for it the highest of its intents'.
    An intent without a superintent is repeated under its own name. Subintents, built before or after, stay.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        parents: a DataFrame ``query_id`` (or ``qid``), ``subtopic_id``, ``superintent`` (or ``parent``); a
            dict ``{query: {subtopic: superintent}}``; a path to a file of such
            lines, separated by tabs.
        rel: the lowest grade that counts as relevant; without weights, the intents with a relevant document share
            alike.
        aspects: ``'listed'``: without weights, all listed intents share alike.

    Raises:
        ValueError: layer −1 is there already, several superintents of an intent, a superintent named like an intent
            that has none, or a table that names no intent of the judgments.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'3': 1}}}
        >>> table = with_superintents(qrels, {'q': {'1': 'a', '2': 'a'}})
        >>> table.loc[table['layer'] == -1, ['subtopic_id', 'doc_id', 'weight']].values.tolist()
        [['a', 'd1', 0.6666666666666666], ['a', 'd2', 0.6666666666666666], ['3', 'd3', 0.3333333333333333]]
    """
    judgments = Judgments.of(qrels)
    table = judgments.frame()
    defaults = {'layer': 0, 'parent': '', 'similarity': np.nan}
    table = table.assign(**{k: v for k, v in defaults.items() if k not in table.columns})
    if (table['layer'] < 0).any() or not (table['layer'] == 0).any():
        raise ValueError(
            f'superintents are layer -1, above layer 0, but the judgments have {columns.layers_of(table)}'
        )
    own = table[table['layer'] == 0]
    own = own.assign(weight=weights_of(own, counted_rows(judgments, aspects, rel)[own.index]))
    own = own.reset_index(drop=True)
    if isinstance(parents, (str, os.PathLike)):
        lines = read_records(os.fspath(parents), {'query_id'}, 'query_id\tsubtopic_id\tsuperintent')
        parents = pd.DataFrame([record for _, record in lines])
    named = intent_table(parents, 'superintent')
    named = named[[*INTENT, 'superintent']].astype(str).drop_duplicates()
    own['parent'] = _fact_of(own, named, 'superintent', INTENT)
    alone = own['parent'].isna()
    if len(own) and alone.all():
        raise ValueError(
            f'no intent of the judgments is among the {len(named)} rows of superintents, as '
            f'{named.iloc[0].tolist() if len(named) else "none"}'
        )
    clash = own[alone].merge(named, left_on=INTENT, right_on=['query_id', 'superintent'])
    if len(clash):
        raise ValueError(
            f'query {clash.query_id.iloc[0]!r}: {clash.superintent.iloc[0]!r} is a superintent and an '
            f'intent without one'
        )
    own['parent'] = own['parent'].where(~alone, own['subtopic_id'])
    above = highest_rows(own, ['query_id', 'parent', 'doc_id'])
    above = above.assign(subtopic_id=above['parent'], parent='', layer=-1, similarity=np.nan)
    built = [sum_weights(above, own), own, table[table['layer'] > 0]]
    return named_as(pd.concat(built, ignore_index=True), qrels)


def weights_of(rows: pd.DataFrame, counted: Any) -> pd.Series:
    """The weight of each row's intent: that of the judgments, or the same for all intents of a query with a row that is
    ``counted``, and 0 for others; (rows,)."""
    if 'weight' in rows:
        return rows['weight']
    intents = rows['subtopic_id'].where(served(rows, counted))
    n = intents.groupby(rows['query_id']).transform('nunique')
    return (1 / n).where(intents.notna(), 0.0)


def served(rows: pd.DataFrame, counted: Any) -> pd.Series:
    """Which rows are of an intent with a row that is ``counted``; (rows,) each."""
    intents = [rows[name] for name in INTENT]
    return pd.Series(counted, rows.index).groupby(intents).transform('any')


def sum_weights(above: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The rows of superintents, with the sums of their intents' weights."""
    total = own.drop_duplicates(INTENT).groupby(['query_id', 'parent'])['weight'].sum()
    total = total.rename_axis(INTENT).reset_index()
    return above.drop(columns='weight', errors='ignore').merge(total, on=INTENT, how='left')


def highest_rows(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The first row of the highest grade for each value of some columns."""
    order = rows.sort_values('relevance', ascending=False, kind='stable')
    return order.drop_duplicates(key).sort_index()


# ----------------------------------------------------------------------------------------- tables of intents


def _key(rows: pd.DataFrame, intents: pd.DataFrame) -> list[str]:
    """The columns that tell the intents of a table apart; an error where the judgments' layers leave them open."""
    layered = 'layer' in rows.columns and 'layer' in intents.columns
    if 'layer' in rows.columns and not layered and rows['layer'].nunique() > 1:
        raise ValueError(
            f'the judgments have {columns.layers_of(rows)}: give the table of intents a column layer, or give it '
            f'before the hierarchy is built'
        )
    return ['query_id', *['layer'] * layered, 'subtopic_id']


def missing_from(table: pd.DataFrame, other: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The rows of a table whose key no row of the other has."""
    known = pd.MultiIndex.from_frame(other[key])
    return table[~pd.MultiIndex.from_frame(table[key]).isin(known)]


def _fact_of(rows: pd.DataFrame, intents: pd.DataFrame, name: str, key: list[str]) -> pd.Series:
    """What a table says about the intent of each row, NaN where it says nothing.

    Raises:
        ValueError: several values of one intent.
    """
    facts = intents[[*key, name]].dropna().drop_duplicates()
    for row in facts[facts.duplicated(key)].head(1).itertuples():
        raise ValueError(
            f'the table of intents: query {row.query_id!r}, subtopic {row.subtopic_id!r} has several values of {name}'
        )
    return rows[key].merge(facts, on=key, how='left')[name].set_axis(rows.index)


def counted_rows(judgments: Judgments, aspects: str, rel: float = 0) -> Any:
    """Which rows of judgments make their intent count, as ``aspects`` of a measure says; (rows,)."""
    one_of(aspects, ('relevant', 'listed'), 'aspects')
    relevant = are_relevant(judgments.table, rel)
    return judgments.lists if aspects == 'listed' else relevant.to_numpy()


def intent_table(source: Any, *values: str) -> pd.DataFrame:
    """A table of intents from a file, a DataFrame or a dict ``{query: {subtopic: value}}``, with ids as strings.

    Args:
        source: what the user gave. A file has lines of a query, a subtopic and a weight.
        values: the column that the table must have besides the ids. Without it, a dict may have lists of intents.

    Raises:
        TypeError: none of these.
        ValueError: no such column; a missing id.
    """
    what, names = 'the table of intents', [*INTENT, *values]
    if isinstance(source, (str, os.PathLike)):
        path, shape = os.fspath(source), Shape((*INTENT, 'weight'), ('weight',))
        table = as_frame(read_lines([read_bytes(path)], path, shape).columns)
    elif isinstance(source, dict):
        rows = []
        for query, intents in source.items():
            if isinstance(intents, str) or values and not isinstance(intents, dict):
                raise TypeError(
                    f'{what}: query {query!r}: expected a {"dict" if values else "list"} of intents, found '
                    f'{short(intents)}'
                )
            rows += [(query, each, *(intents[each] for _ in values)) for each in intents]
        table = pd.DataFrame(rows, columns=names)
    elif isinstance(source, pd.DataFrame):
        new_names = {old: new for old, new in NAMES.items() if new not in source.columns}
        table = source.rename(columns=new_names)
    else:
        raise TypeError(
            f'{what}: expected a DataFrame, a path or a dict, found {type(source).__name__}'
        )
    require_fields(table, names, what)
    checked = as_frame({name: ids(table, name, what) for name in INTENT})
    return table.assign(**checked.set_axis(table.index))
