"""Nuggets and sub-questions of queries as judgments: ``read_nuggets``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import collecting, naming, short, warn
from ..lazy import pd
from .columns import IMPORTANCE, KEYS, NO_DOCUMENT
from .files import paths_of
from .intents import FACTS, INTENT, with_intents
from .lines import number as as_number
from .texts import read_records

Record = Mapping[str, Any]
QUERY = ('query_id', 'qid', 'example_id', 'id', 'query')
NUGGET = ('subtopic_id', 'nugget_id', 'nugget')
DOCUMENT = ('docid', 'doc_id', 'docno', 'doc', 'run_id')
GRADE = ('relevance', 'grade', 'label', 'assignment')
"""The fields of ids and grades. The first one that a record has counts."""
SUPPORT = {'support': 2, 'partial_support': 1, 'not_support': 0}
"""The grades of AutoNuggetizer's labels."""
EXPECTED = (
    'FreshStack (_id, relevant_corpus_ids), AutoNuggetizer (nuggets), CRUX (rating), a table (query, nugget, doc, '
    'grade), or {query: [text, …]}'
)


def read_nuggets(source: Any, *, intents: Any = None, strict: bool = False) -> pd.DataFrame:
    """Read nuggets, or sub-questions, and the documents that answer them, as diversity judgments.

    A nugget is an intent. Its id is its place in its list, from 1, if the file gives it none. The fields of a record
    show its form:

    * FreshStack: documents that support a nugget, grade 1, and documents that do not, grade 0. A document in both lists
      has grade 0. A nugget without a ``query_id`` belongs to the query before the last '_' of its id.
    * AutoNuggetizer (TREC RAG): nuggets assigned to documents, or to answers (document = ``run_id``), with grades
      support 2, partial_support 1, not_support 0. Files of its create step contain nuggets alone.
    * CRUX: a rating for each sub-question, by document. −1 means unknown: no judgment.
    * a table, separated by tabs or commas under a header, or a record a line: ``query``, ``nugget``, ``doc``, ``grade``
      (a number or a label of AutoNuggetizer), and ``weight``, ``importance`` or ``text``, if known. Rows without a
      document only list a nugget.

    Args:
        source: a path, a folder, a pattern, or several paths that make one collection; a DataFrame (a table as above).
        intents: all nuggets that are listed, with texts, importance or weights: anything that this function reads, or
            ``{query: [text, …]}`` or ``{query: {nugget: text}}``, also as a JSON file. Nuggets for which no document is
            judged count too.
        strict: raise on unknown values. By default an unknown assignment counts as no support, and an unknown importance
            as neither vital nor okay, with one warning and counts.

    Returns:
        DataFrame as :func:`~ir_divmeasures.read_qrels` gives it, with ``weight``, ``importance``, ``text`` where known,
        and a row ``query, '-', −1, nugget`` for each listed nugget for which no document is judged.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a record of another form, or a list of another length than the query's other ones; names file and
            line, or record. Two grades of a document for a nugget, two values of a fact of a nugget, or a grade of a
            document '-'; names query and nugget.

    Examples:
        >>> import json, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'ratings.jsonl')
        >>> with open(path, 'w') as file:
        ...     _ = file.write(json.dumps({'id': 'q1', 'docid': 'd1', 'rating': [5, -1]}))
        >>> read_nuggets(path, intents={'q1': ['Who?', 'When?']})
          query_id doc_id  relevance subtopic_id   text
        0       q1     d1          5           1   Who?
        1       q1      -         -1           2  When?
    """
    rows: list[dict[str, Any]] = []
    sizes: dict[str, int] = {}
    unknown: Counter[str] = Counter()
    for place, record in (*_records(intents), *_records(source)):
        with naming(place):
            known = _known_fields(record)
            new = [_row(flat, unknown) for flat in _flatten(known)]
            if not {'_id', *NUGGET} & known.keys():  # the record lists all nuggets of a query
                _check_sizes(new, sizes)
        rows += new
    if not rows:
        raise ValueError(f'{source}: no nuggets there')
    if unknown:
        counts = '; '.join(f'{text}: {n} times' for text, n in unknown.most_common())
        if strict:
            raise ValueError(f'{source}: {counts}; strict=True accepts no unknown values')
        warn(f'nuggets: {counts}. strict=True raises')
    table = pd.DataFrame(rows, columns=[*KEYS, *FACTS])
    facts = table[[*INTENT, *FACTS]].dropna(axis=1, how='all')
    with collecting([]):  # queries without a judgment count
        return with_intents(table.loc[table['relevance'].notna(), list(KEYS)], facts)


def _known_fields(record: Record) -> Record:
    """The fields of a record that have a value."""
    return {name: v for name, v in record.items() if v is not None and v == v and v != ''}


def _records(source: Any) -> Iterator[tuple[str, Record]]:
    """The records of files or of a table in memory, or texts of nuggets, with their places in words."""
    if isinstance(source, Mapping):
        yield 'intents', source
    elif hasattr(source, 'columns'):
        for number, row in enumerate(source.to_dict('records'), 1):
            yield f'nuggets, row {number}', row
    elif source is not None:
        for path in paths_of(source):
            yield from read_records(path)


def _flatten(record: Record) -> Iterator[Record]:
    """The records of a table that say the same as a record: a nugget, and perhaps a document and its grade, in each."""
    if 'nuggets' in record:
        nuggets = [
            {'text': nugget} if isinstance(nugget, str) else _known_fields(nugget)
            for nugget in record['nuggets']
        ]
        n = sum('assignment' in nugget for nugget in nuggets)
        if n not in (0, len(nuggets)):
            raise ValueError(f'{len(nuggets) - n} of {len(nuggets)} nuggets have no assignment')
        for number, nugget in enumerate(nuggets, 1):
            ids = {'query_id': _value(record, QUERY), 'nugget_id': number}
            if n:
                ids['docid'] = _value(record, DOCUMENT)
            yield from _flatten({**ids, **nugget})
    elif '_id' in record:
        name = str(record['_id'])
        query = _value(record, QUERY[:2], name.rpartition('_')[0] or None)
        yield {**record, 'query_id': query, 'subtopic_id': name}
        grades = dict.fromkeys(record.get('relevant_corpus_ids', ()), 1)
        grades |= dict.fromkeys(record.get('non_relevant_corpus_ids', ()), 0)
        for document, grade in grades.items():
            yield {'query_id': query, 'subtopic_id': name, 'docid': document, 'grade': grade}
    elif 'rating' in record:
        ids = {'query_id': _value(record, QUERY), 'docid': _value(record, DOCUMENT)}
        for number, rating in enumerate(record['rating'], 1):
            yield {**ids, 'subtopic_id': number, 'grade': rating}
    elif {*NUGGET} & record.keys():
        yield record
    elif record and all(isinstance(texts, (list, dict)) for texts in record.values()):
        for query, texts in record.items():
            named = texts if isinstance(texts, dict) else dict(enumerate(texts, 1))
            for number, text in named.items():
                if not isinstance(text, str):
                    raise ValueError(
                        f'query {query!r}, nugget {number!r}: expected a text, found {short(text)}'
                    )
                yield {'query_id': query, 'subtopic_id': number, 'text': text}
    else:
        names = ', '.join(map(str, record)) or 'none'
        raise ValueError(f'found the fields {names}, expected those of one of the forms {EXPECTED}')


def _row(record: Record, unknown: Counter[str]) -> dict[str, Any]:
    """The row of judgments of a record of a table. Its grade is None if the record only lists a nugget."""
    nugget, document = _value(record, NUGGET), _value(record, DOCUMENT, NO_DOCUMENT)
    facts = {fact: record.get(fact) for fact in FACTS}
    if 'text' not in record and record.get('nugget') != nugget:
        facts['text'] = record.get('nugget')
    importance = str(facts['importance'] or '').lower()
    facts['importance'] = importance if importance in IMPORTANCE else None
    if importance and not facts['importance']:
        unknown[f'importance {importance!r} counts as neither vital nor okay'] += 1
    label = _value(record, GRADE, None if document != NO_DOCUMENT else '-1').lower()
    grade = SUPPORT.get(label, as_number(label))
    if grade is None:
        if 'assignment' not in record:
            raise ValueError(f'the grade or rating is {label!r}, expected a number')
        unknown[f'assignment {label!r} counts as no support'] += 1
    values = _value(record, QUERY), document, None if grade == -1 else grade or 0, nugget
    return {**dict(zip(KEYS, values)), **facts}


def _check_sizes(rows: list[dict[str, Any]], sizes: dict[str, int]) -> None:
    """Raise an error if a query has lists of different lengths."""
    nuggets = {(row['query_id'], row['subtopic_id']) for row in rows}
    for query, n in Counter(query for query, _ in nuggets).items():
        if n != sizes.setdefault(query, n):
            raise ValueError(
                f'query {query!r}: {n} nuggets or ratings, expected {sizes[query]} as in an earlier record'
            )


def _value(record: Record, fields: Iterable[str], default: str | None = None) -> str:
    """The first of some fields that a record has, as a text."""
    value = next((record[field] for field in fields if field in record), default)
    if value is None:
        raise ValueError(f'no {" or ".join(fields)} (found {", ".join(map(str, record))})')
    return str(value)
