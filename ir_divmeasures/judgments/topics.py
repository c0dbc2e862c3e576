"""Files of topics: texts of queries and of their intents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .datasets import is_of_pyterrier, load_dataset

if TYPE_CHECKING:
    import pandas as pd

    from .table import Judgments

QUERY, TEXT = ('query_id', 'qid', 'id', 'number'), ('query', 'text', 'title')
"""How columns and fields are called that hold a query's id and its text, the first that there is."""


class Texts(NamedTuple):
    """Texts of queries, and of subtopics by (query, subtopic)."""

    queries: dict[str, str]
    subtopics: dict[tuple[str, str], str]

    def query(self, query_id: str) -> str:
        return self.queries.get(query_id, '')

    def subtopic(self, query_id: str, subtopic_id: str) -> str:
        return self.subtopics.get((query_id, subtopic_id), '')


def topic_texts(topics: Any, judgments: Judgments | None = None) -> Texts:
    """Texts of queries and of subtopics; of those that the topics do not tell, the judgments' column ``text``.

    Args:
        topics: an ir_datasets or PyTerrier dataset or id, a file (:func:`read_topics`), a DataFrame of queries or of
            intents (with ``subtopic_id``), ``{query: text}`` or ``{query: {subtopic: text}}``; None.
        judgments: judgments.

    Raises:
        TypeError, ValueError: not topics; a missing field.

    Examples:
        >>> topic_texts('divmeasures/sample/diversity').query('1')
        'jaguar'
    """
    collected, topics = Texts({}, {}), known_topics(topics)
    if judgments is not None and 'text' in judgments.official.columns:
        intents = (
            judgments.official[['query_id', 'subtopic_id', 'text']].drop_duplicates().fillna('')
        )
        collected.subtopics.update(
            {
                (query, subtopic): str(text)
                for query, subtopic, text in intents.itertuples(index=False)
            }
        )
    if topics is None:
        return collected
    if isinstance(topics, Mapping):
        for query, text in topics.items():
            if isinstance(text, Mapping):
                collected.subtopics.update(
                    {(str(query), str(subtopic)): str(each) for subtopic, each in text.items()}
                )
            else:
                collected.queries[str(query)] = str(text)
        return collected
    if isinstance(topics, str):
        topics = load_dataset(topics)
    elif is_of_pyterrier(topics):
        topics = topics.irds_ref()
    if hasattr(topics, 'queries_iter'):
        rows: Iterable[Mapping[str, Any]] = (query._asdict() for query in topics.queries_iter())
    elif hasattr(topics, 'columns'):
        rows = topics.to_dict('records')
    else:
        raise TypeError(
            'topics: expected an ir_datasets id or dataset, a file, a DataFrame of topics or {query_id: '
            f'text}}, found {type(topics).__name__}'
        )
    for row in rows:
        query_id = str(row.get('query_id', row.get('qid')))
        of_intent = 'subtopic_id' in row
        text = next(
            (row[name] for name in TEXT if name in row and not (of_intent and name == 'text')), None
        )
        if query_id == 'None' or text is None and not of_intent:
            raise ValueError(
                f"topics: expected the fields 'query_id' or 'qid', and 'query', 'text' or 'title', found "
                f'{", ".join(map(str, row))}'
            )
        if text is not None:
            collected.queries[query_id] = str(text)
        if of_intent:
            collected.subtopics[query_id, str(row['subtopic_id'])] = str(row.get('text', ''))
        subtopics = row.get('subtopics')
        for number, subtopic_text, *_ in subtopics if isinstance(subtopics, (list, tuple)) else ():
            collected.subtopics[query_id, str(number)] = str(subtopic_text).strip()
    return collected


class Subtopic(NamedTuple):
    """An intent of a query, as ir_datasets has it."""

    number: str
    text: str
    type: str = ''


def known_topics(source: Any) -> Any:
    """Read the topics of a path with :func:`read_topics`. Return anything else, including ids of datasets,
    unchanged."""
    return (
        read_topics(source)
        if isinstance(source, os.PathLike)
        or isinstance(source, str)
        and (os.path.exists(source) or source.endswith(('.xml', '.tsv', '.csv', '.jsonl', '.txt')))
        else source
    )


def read_topics(path: Any) -> pd.DataFrame:
    """Read a file of topics.

    - ``.xml``: topics of the TREC Web Track: ``<topic number="1"><query>…</query><subtopic number="1">…``.
    - ``.jsonl``: a record a query with ``query_id``, ``query`` and, if it has any, ``subtopics``: texts, or records
      with ``number`` and ``text``.
    - ``.csv``, ``.tsv``, ``.txt`` (tabs): a header with ``query_id`` and ``query``, or for intents ``query_id,
      subtopic_id, text`` and, if known, ``query``; without a header lines of an id, a tab and a text.

    Args:
        path: the file.

    Returns:
        DataFrame ``query_id, query, subtopics``, the latter lists of :class:`Subtopic`.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another form; names file and line.

    Examples:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'topics.tsv')
        >>> with open(path, 'w') as file:
        ...     _ = file.write('1\\tjaguar\\n2\\tapple\\n')
        >>> read_topics(path)[['query_id', 'query']]
          query_id   query
        0        1  jaguar
        1        2   apple
    """
    import pandas as pd

    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f'{path}: no such file')
    rows = (
        _of_xml(path)
        if path.endswith('.xml')
        else _of_records(path)
        if path.endswith('.jsonl')
        else _of_table(path)
    )
    return pd.DataFrame(rows, columns=['query_id', 'query', 'subtopics'])


def _of_xml(path: str) -> list[tuple[str, str, list[Subtopic]]]:
    from lxml import etree

    try:
        root = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
    except etree.XMLSyntaxError as error:
        raise ValueError(f'{path}, line {error.lineno}: no XML ({error.msg})') from None
    rows = []
    for topic in root.iter('topic'):
        query = topic.find('query')
        if topic.get('number') is None or query is None:
            raise ValueError(
                f'{path}, line {topic.sourceline}: expected a topic with a number and a query'
            )
        subtopics = [
            Subtopic(each.get('number', ''), _text(each), each.get('type', ''))
            for each in topic.findall('subtopic')
        ]
        rows.append((topic.get('number'), _text(query), subtopics))
    if not rows:
        raise ValueError(f'{path}: no element <topic>')
    return rows


def _text(element: Any) -> str:
    return ' '.join(''.join(element.itertext()).split())


def _of_records(path: str) -> list[tuple[str, str, list[Subtopic]]]:
    import json

    rows = []
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            names = [
                next(
                    (name for name in field_names if isinstance(record, dict) and name in record),
                    None,
                )
                for field_names in (QUERY, TEXT)
            ]
            if record is None or None in names:
                raise ValueError(
                    f'{path}, line {number}: expected a record with query_id and query'
                )
            subtopics = [
                Subtopic(str(each.get('number', i)), str(each.get('text', '')))
                if isinstance(each, dict)
                else Subtopic(str(i), str(each))
                for i, each in enumerate(record.get('subtopics') or (), 1)
            ]
            rows.append((str(record[names[0]]), str(record[names[1]]), subtopics))
    return rows


def _of_table(path: str) -> list[tuple[str, str, list[Subtopic]]]:
    import csv

    with open(path, encoding='utf-8', newline='') as file:
        comma = path.endswith('.csv')
        lines = list(
            csv.reader(file) if comma else csv.reader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
        )
    header = lines[0] if lines and any(name in lines[0] for name in QUERY[:2]) else None
    if header is None:
        wrong = next((i for i, line in enumerate(lines, 1) if line and len(line) != 2), None)
        if wrong is not None or comma:
            raise ValueError(
                f'{path}, line {wrong or 1}: expected an id, a tab and a text, or a header with query_id '
                f'and query'
            )
        return [(line[0], line[1], []) for line in lines if line]
    name = next(name for name in QUERY if name in header)
    topic_of: dict[str, tuple[str, list[Subtopic]]] = {}
    of_intents = 'subtopic_id' in header
    text = 'query' if of_intents else next((each for each in TEXT if each in header), None)
    if text is None or of_intents and 'text' not in header:
        raise ValueError(
            f'{path}, line 1: expected the columns query_id and query, or query_id, subtopic_id and text; '
            f'found {", ".join(header)}'
        )
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        if len(line) != len(header):
            raise ValueError(
                f'{path}, line {number}: {len(line)} fields, the header has {len(header)}'
            )
        row = dict(zip(header, line))
        subtopics = topic_of.setdefault(row[name], (row.get(text, ''), []))[1]
        if of_intents:
            subtopics.append(Subtopic(row['subtopic_id'], row['text']))
    return [
        (query_id, query_text, subtopics) for query_id, (query_text, subtopics) in topic_of.items()
    ]


__all__ = ['Subtopic', 'Texts', 'known_topics', 'read_topics', 'topic_texts']
