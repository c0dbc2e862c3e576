"""Nuggets and sub-questions of queries as judgments: ``read_nuggets``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import naming, warn
from ..lazy import pd
from .columns import IMPORTANCE, KEYS, NO_DOCUMENT
from .files import paths_of
from .judgments import Judgments
from .lines import number as as_number
from .texts import read_records

Record = Mapping[str, Any]
QUERY = ('query_id', 'qid', 'example_id', 'id', 'query')
NUGGET = ('subtopic_id', 'nugget_id', 'nugget')
DOCUMENT = ('docid', 'doc_id', 'docno', 'doc', 'run_id')
GRADE = ('relevance', 'grade', 'label')
"""The fields of ids and grades. The first one that a record has counts."""
FACTS = ('weight', 'importance', 'text')
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

    * FreshStack: documents that support a nugget, grade 1, and documents that do not, grade 0. A nugget without a
      ``query_id`` belongs to the query before the last '_' of its id.
    * AutoNuggetizer (TREC RAG): nuggets assigned to documents, or to answers (document = ``run_id``), with grades
      support 2, partial_support 1, not_support 0. Files of its create step contain nuggets alone.
    * CRUX: a rating for each sub-question, by document. −1 means unknown: no judgment.
    * a table, separated by tabs or commas under a header, or a record a line: ``query``, ``nugget``, ``doc``, ``grade``
      (a number or a label of AutoNuggetizer), and ``weight``, ``importance`` or ``text``, if known. Rows without a
      document only list a nugget.

    Args:
        source: a path, a folder, a pattern, or several paths that make one collection; a DataFrame (a table as above).
        intents: all nuggets that are listed, with texts, importance or weights: anything that this function reads, or
            ``{query: [text, …]}`` or ``{query: {nugget: text}}``, also as a JSON file. Those for which no document is
            judged count too.
        strict: raise on unknown values. By default an unknown assignment counts as no support, and an unknown importance
            as neither vital nor okay, with one warning and counts.

    Returns:
        DataFrame as :func:`~ir_divmeasures.read_qrels` gives it, with ``weight``, ``importance``, ``text`` where known,
        and a row ``query, '-', −1, nugget`` for each listed nugget for which no document is judged.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a record of another form, a list of another length than the query's other ones, two grades of a
            document for a nugget, two values of a fact of a nugget, a document '-'; names file and line, or record.

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
    nuggets: dict[tuple[str, str], dict[str, Any]] = {}
    grades: dict[tuple[str, str], dict[str, float]] = {}
    sizes: dict[str, tuple[int, str]] = {}
    unknown: Counter[tuple[str, Any, str]] = Counter()
    for given, what in ((intents, 'intents'), (source, 'nuggets')):
        for place, record in () if given is None else _records(given, what):
            with naming(place):
                rows = list(_rows(_known_fields(record), unknown))
                for query, nugget, facts, document, label in rows:
                    _add_facts(
                        nuggets.setdefault((query, nugget), {}), facts, nugget, query, unknown
                    )
                    if label not in (None, -1):
                        grade = _grade(label, record, unknown)
                        _add_grade(grades, query, document, nugget, grade)
                if what == 'intents' and grades:
                    raise ValueError('judgments among the intents; pass this as source')
                if strict and unknown:
                    name, value, _ = next(iter(unknown))
                    raise ValueError(f'{name} is {value!r}, which strict=True does not accept')
                if not {'_id', *NUGGET} & record.keys():  # the record lists all nuggets of a query
                    _check_sizes(rows, sizes, place)
    if not nuggets:
        raise ValueError(f'{source}: no nuggets there')
    if unknown:
        listed = '; '.join(
            f'{name} {value!r}: {n} times, {how}' for (name, value, how), n in unknown.most_common()
        )
        warn(f'nuggets: unknown values: {listed}. strict=True raises')
    judged = [(*pair, grade, nugget) for pair, of in grades.items() for nugget, grade in of.items()]
    # A nugget '0' without a grade above 0 needs a row of its own, see columns.listing.
    listed_ids = {
        (query, nugget) for query, _, grade, nugget in judged if nugget != '0' or grade > 0
    }
    judged += [
        (query, NO_DOCUMENT, -1, nugget)
        for query, nugget in nuggets
        if (query, nugget) not in listed_ids
    ]
    table = pd.DataFrame(judged, columns=list(KEYS))
    for fact in FACTS:
        if any(fact in facts for facts in nuggets.values()):
            missing = None if fact == 'weight' else ''
            table[fact] = [nuggets[query, name].get(fact, missing) for query, _, _, name in judged]
    return Judgments.of(table).frame()


def _known_fields(record: Record) -> Record:
    """The fields of a record that have a value."""
    return {name: v for name, v in record.items() if v is not None and v == v and v != ''}


def _add_facts(
    known: dict[str, Any], facts: Record, nugget: str, query: str, unknown: Counter[Any]
) -> None:
    """Add what a record says about a nugget. Raises an error if another record says something else."""
    for fact in FACTS:
        value = facts.get(fact)
        if fact == 'importance' and value:
            if value.lower() not in IMPORTANCE:
                unknown[fact, value, 'counted as neither vital nor okay'] += 1
            value = value.lower() if value.lower() in IMPORTANCE else ''
        if value is not None and known.setdefault(fact, value) != value:
            raise ValueError(
                f'query {query!r}: {fact} of nugget {nugget} is {value!r} here and {known[fact]!r} in another '
                f'record'
            )


def _grade(label: Any, record: Record, unknown: Counter[Any]) -> float:
    grade = SUPPORT.get(str(label).lower(), as_number(str(label)))
    if grade is None and 'nuggets' not in record:
        what = 'rating' if 'rating' in record else 'grade'
        raise ValueError(f'{what} is {label!r}, expected a number')
    if grade is None:
        unknown['assignment', label, 'counted as no support'] += 1
    return grade or 0


def _add_grade(
    grades: dict[tuple[str, str], dict[str, float]],
    query: str,
    document: Any,
    nugget: str,
    grade: float,
) -> None:
    if document in ('', NO_DOCUMENT):
        raise ValueError(f'query {query!r}: document is {document!r}, expected an id')
    of_document = grades.setdefault((query, str(document)), {})
    if of_document.setdefault(nugget, grade) != grade:
        raise ValueError(
            f'query {query!r}, document {document!r}: nugget {nugget} has grade {grade:g} here and '
            f'{of_document[nugget]:g} above'
        )


def _check_sizes(
    rows: list[tuple[Any, ...]], sizes: dict[str, tuple[int, str]], place: str
) -> None:
    """Raise an error if a query has lists of different lengths."""
    for query, n in Counter(query for query, _ in {row[:2] for row in rows}).items():
        expected, where = sizes.setdefault(query, (n, place))
        if n != expected:
            raise ValueError(
                f'query {query!r}: {n} nuggets or ratings, expected {expected} as in {where}'
            )


def _records(source: Any, name: str) -> Iterator[tuple[str, Record]]:
    """The records of files or of a table in memory, or texts of nuggets, with their places in words."""
    if isinstance(source, Mapping):
        yield name, source
    elif hasattr(source, 'columns'):
        for number, row in enumerate(source.to_dict('records'), 1):
            yield f'{name}, row {number}', row
    else:
        for path in paths_of(source):
            yield from read_records(path)


def _rows(record: Record, unknown: Counter[Any]) -> Iterator[tuple[str, str, Record, Any, Any]]:
    """The query, the nugget, its facts, and perhaps a document and its label, of each row of a record."""
    if 'nuggets' in record:
        nuggets = [{'text': each} if isinstance(each, str) else each for each in record['nuggets']]
        lacking = sum('assignment' not in nugget for nugget in nuggets)
        if 0 < lacking < len(nuggets):
            raise ValueError(f'{lacking} of {len(nuggets)} nuggets have no assignment')
        query = _value(record, QUERY) if nuggets else ''
        for number, nugget in enumerate(nuggets, 1):
            if '_id' in nugget:
                yield from _rows({'query_id': query, **nugget}, unknown)
                continue
            label = nugget.get('assignment')
            document = None if label is None else _value(record, DOCUMENT)
            yield query, str(nugget.get('nugget_id', number)), nugget, document, label
    elif '_id' in record:
        name = str(record['_id'])
        query = _value(record, ('query_id', 'qid'), name.rpartition('_')[0] or None)
        yield query, name, record, None, None
        grades = dict.fromkeys(record.get('relevant_corpus_ids', ()), 1)
        for document in record.get('non_relevant_corpus_ids', ()):
            if grades.get(document):
                what = 'a document both relevant and non-relevant'
                unknown[what, document, 'counted as non-relevant'] += 1
            grades[document] = 0
        for document, grade in grades.items():
            yield query, name, {}, document, grade
    elif 'rating' in record:
        query, document = _value(record, QUERY), _value(record, DOCUMENT)
        for number, rating in enumerate(record['rating'], 1):
            yield query, str(number), {}, document, rating
    elif {*NUGGET} & record.keys():
        name, document = _value(record, NUGGET), _value(record, DOCUMENT, NO_DOCUMENT)
        text = {} if str(record.get('nugget', name)) == name else {'text': record['nugget']}
        label = None if document == NO_DOCUMENT else _value(record, GRADE)
        yield _value(record, QUERY), name, {**text, **record}, document, label
    elif record and all(isinstance(texts, (list, dict)) for texts in record.values()):
        for query, texts in record.items():
            named = texts if isinstance(texts, dict) else dict(enumerate(texts, 1))
            for number, each in named.items():
                yield str(query), str(number), {'text': each}, None, None
    else:
        names = ', '.join(map(str, record)) or 'none'
        raise ValueError(f'found the fields {names}, expected those of one of the forms {EXPECTED}')


def _value(record: Record, fields: Iterable[str], default: str | None = None) -> str:
    """The first of some fields that a record has, as a text."""
    value = next((record[field] for field in fields if field in record), default)
    if value is None:
        raise ValueError(f'no {" or ".join(fields)} (found {", ".join(map(str, record))})')
    return str(value)
