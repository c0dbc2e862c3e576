"""Files of topics: texts of queries and of their intents."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..io.text import decoded, read_bytes, records
from ..lazy import pd
from .datasets import load_dataset

if TYPE_CHECKING:
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
    collected, topics = Texts({}, {}), _known_topics(topics)
    if judgments is not None and 'text' in judgments.official.columns:
        intents = judgments.official[['query_id', 'subtopic_id', 'text']].fillna('')
        for query, subtopic, text in intents.drop_duplicates().to_numpy():
            collected.subtopics[query, subtopic] = str(text)
    for row in _topic_rows(topics):
        query_id = str(row.get('query_id', row.get('qid')))
        of_intent = 'subtopic_id' in row
        names = [name for name in TEXT if name in row and not (of_intent and name == 'text')]
        if query_id == 'None' or not (names or of_intent or 'subtopics' in row):
            raise ValueError(
                f"topics: expected the fields 'query_id' or 'qid', and 'query', 'text' or 'title', found "
                f'{", ".join(map(str, row))}'
            )
        if names:
            collected.queries[query_id] = str(row[names[0]])
        if of_intent:
            collected.subtopics[query_id, str(row['subtopic_id'])] = str(row.get('text', ''))
        subtopics = row.get('subtopics')
        for number, text, *_ in subtopics if isinstance(subtopics, (list, tuple)) else ():
            collected.subtopics[query_id, str(number)] = str(text).strip()
    return collected


def _topic_rows(topics: Any) -> Iterable[Mapping[str, Any]]:
    """Topics as rows with ``query_id`` or ``qid``, a text, and perhaps ``subtopic_id`` or ``subtopics``."""
    if topics is None:
        return []
    if isinstance(topics, Mapping):
        return (
            {'query_id': query, 'subtopics': list(text.items())}
            if isinstance(text, Mapping)
            else {'query_id': query, 'query': text}
            for query, text in topics.items()
        )
    if dataset := dataset_of(topics):
        return (query._asdict() for query in dataset.queries_iter())
    if hasattr(topics, 'columns'):
        rows: list[dict[str, Any]] = topics.to_dict('records')
        return rows
    raise TypeError(
        'topics: expected an ir_datasets id or dataset, a file, a DataFrame of topics or {query_id: '
        f'text}}, found {type(topics).__name__}'
    )


def dataset_of(source: Any) -> Any:
    """The dataset of an ir_datasets or PyTerrier dataset or id; None of anything else."""
    if isinstance(source, str):
        return load_dataset(source)
    if hasattr(source, 'irds_ref'):
        return source.irds_ref()
    return source if hasattr(source, 'queries_iter') else None


class Subtopic(NamedTuple):
    """An intent of a query, as ir_datasets has it."""

    number: str
    text: str
    type: str = ''


def _known_topics(source: Any) -> Any:
    """Read the topics of a path with :func:`read_topics`. Return anything else, including ids of datasets,
    unchanged."""
    is_path = isinstance(source, os.PathLike) or (
        isinstance(source, str)
        and (os.path.exists(source) or source.endswith(('.xml', '.tsv', '.csv', '.jsonl', '.txt')))
    )
    return read_topics(source) if is_path else source


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
    path = os.fspath(path)
    data = read_bytes(path)
    forms = {'.xml': _of_xml, '.jsonl': _of_records}
    rows = forms.get(os.path.splitext(path)[1], _of_table)(data, path)
    return pd.DataFrame(rows, columns=['query_id', 'query', 'subtopics'])


def _of_xml(data: bytes, path: str) -> list[tuple[str, str, list[Subtopic]]]:
    from lxml import etree

    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
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


def _of_records(data: bytes, path: str) -> list[tuple[str, str, list[Subtopic]]]:
    rows = []
    for place, record in records(data, path):
        query, text = (
            next((name for name in names if name in record), '') for names in (QUERY, TEXT)
        )
        if not query or not text:
            raise ValueError(f'{place}: expected a record with query_id and query')
        subtopics = [
            Subtopic(str(each.get('number', number)), str(each.get('text', '')))
            if isinstance(each, dict)
            else Subtopic(str(number), str(each))
            for number, each in enumerate(record.get('subtopics') or (), 1)
        ]
        rows.append((str(record[query]), str(record[text]), subtopics))
    return rows


def _of_table(data: bytes, path: str) -> list[tuple[str, str, list[Subtopic]]]:
    comma = path.endswith('.csv')
    file = io.StringIO(decoded(data, path), newline='')
    reader = csv.reader(file) if comma else csv.reader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
    lines = [(number, line) for number, line in enumerate(reader, 1) if line]
    names = ['query_id', 'query']
    if lines and {'query_id', 'qid'} & set(lines[0][1]):
        names = lines.pop(0)[1]
    elif comma or any(len(line) != 2 for _, line in lines):
        wrong = next((number for number, line in lines if len(line) != 2), 1)
        raise ValueError(
            f'{path}, line {wrong}: expected an id, a tab and a text, or a header with query_id and query'
        )
    of_intents = 'subtopic_id' in names
    text = 'query' if of_intents else next((name for name in TEXT if name in names), None)
    if text is None or of_intents and 'text' not in names:
        raise ValueError(
            f'{path}, line 1: expected the columns query_id and query, or query_id, subtopic_id and text; '
            f'found {", ".join(names)}'
        )
    topics: dict[str, tuple[str, str, list[Subtopic]]] = {}
    for number, line in lines:
        if len(line) != len(names):
            raise ValueError(
                f'{path}, line {number}: {len(line)} fields, the header has {len(names)}'
            )
        row = dict(zip(names, line))
        query = next(row[name] for name in QUERY if name in row)
        topic = topics.setdefault(query, (query, row.get(text, ''), []))
        if of_intents:
            topic[2].append(Subtopic(row['subtopic_id'], row['text']))
    return list(topics.values())


__all__ = ['Subtopic', 'Texts', 'dataset_of', 'read_topics', 'topic_texts']
