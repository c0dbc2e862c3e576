"""Files of topics: texts of queries and of their intents."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..lazy import pd
from .files import read_bytes
from .forms import records
from .lines import decoded
from .sources import load_dataset

if TYPE_CHECKING:
    from .judgments import Judgments

QUERY, TEXT = ('query_id', 'qid', 'id', 'number'), ('query', 'text', 'title')
"""How columns and fields are called that hold a query's id and its text, the first that there is."""


class Subtopic(NamedTuple):
    """An intent of a query, as ir_datasets has it."""

    number: str
    text: str
    type: str = ''


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
    collected = Texts({}, {})
    if judgments is not None and 'text' in judgments.names:
        intents = judgments.official[['query_id', 'subtopic_id', 'text']].fillna('')
        for query, subtopic, text in intents.drop_duplicates().to_numpy():
            collected.subtopics[query, subtopic] = str(text)
    for query, text, subtopics in _topics(_rows(topics)):
        if text is not None:
            collected.queries[query] = text
        collected.subtopics.update({(query, each.number): each.text for each in subtopics})
    return collected


def read_topics(path: Any) -> pd.DataFrame:
    """Read a file of topics.

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
    topics: dict[str, tuple[str, list[Subtopic]]] = {}
    for query, text, subtopics in _topics(_file_rows(os.fspath(path))):
        topics.setdefault(query, (text or '', []))[1].extend(subtopics)
    rows = [(query, *topic) for query, topic in topics.items()]
    return pd.DataFrame(rows, columns=['query_id', 'query', 'subtopics'])


Rows = Iterable[tuple[str, Mapping[str, Any]]]
"""Fields of topics or of intents, each with the words for its place in messages."""


def _topics(rows: Rows) -> Iterator[tuple[str, str | None, list[Subtopic]]]:
    """The query, its text and its subtopics of each row.

    Raises:
        ValueError: a row without an id, or without any text.
    """
    for place, row in rows:
        is_intent = 'subtopic_id' in row
        query = next((row[name] for name in QUERY if name in row), None)
        of_query = TEXT if not is_intent else [name for name in TEXT if name != 'text']
        text = next((str(row[name]) for name in of_query if name in row), None)
        if query is None or text is None and not {'subtopics', 'text'} & {*row}:
            raise ValueError(
                f'{place}: expected query_id (or {", ".join(QUERY[1:])}) and query (or {", ".join(TEXT[1:])}), or '
                f'query_id, subtopic_id and text; found {", ".join(map(str, row))}'
            )
        subtopics = row.get('subtopics')
        numbered = enumerate(subtopics if isinstance(subtopics, (list, tuple)) else (), 1)
        found = [_subtopic(number, each) for number, each in numbered]
        if is_intent:
            found.append(Subtopic(str(row['subtopic_id']), str(row.get('text', ''))))
        yield str(query), text, found


def _subtopic(number: int, subtopic: Any) -> Subtopic:
    """A subtopic given as a text, a record, or a tuple of number, text and perhaps type."""
    if isinstance(subtopic, Mapping):
        return Subtopic(str(subtopic.get('number', number)), str(subtopic.get('text', '')))
    if isinstance(subtopic, str):
        return Subtopic(str(number), subtopic)
    name, text, *kind = subtopic
    return Subtopic(str(name), str(text).strip(), *kind[:1])


def _rows(topics: Any) -> Rows:
    """The rows of what :func:`topic_texts` takes."""
    is_path = isinstance(topics, os.PathLike) or (
        isinstance(topics, str)
        and (os.path.exists(topics) or topics.endswith(('.tsv', '.csv', '.jsonl', '.txt')))
    )
    if is_path:
        return _file_rows(os.fspath(topics))
    rows: Iterable[Mapping[str, Any]]
    if topics is None:
        rows = []
    elif isinstance(topics, Mapping):
        rows = [
            {'query_id': query, 'subtopics': [*text.items()]}
            if isinstance(text, Mapping)
            else {'query_id': query, 'query': text}
            for query, text in topics.items()
        ]
    elif dataset := dataset_of(topics):
        rows = (query._asdict() for query in dataset.queries_iter())
    elif hasattr(topics, 'columns'):
        rows = topics.to_dict('records')
    else:
        raise TypeError(
            'topics: expected an ir_datasets id or dataset, a file, a DataFrame of topics or {query_id: '
            f'text}}, found {type(topics).__name__}'
        )
    return (('topics', row) for row in rows)


def dataset_of(source: Any) -> Any:
    """The dataset of an ir_datasets or PyTerrier dataset or id; None of anything else."""
    if isinstance(source, str):
        return load_dataset(source)
    if hasattr(source, 'irds_ref'):
        return source.irds_ref()
    return source if hasattr(source, 'queries_iter') else None


def _file_rows(path: str) -> Rows:
    """The rows of a file of topics, as :func:`read_topics` describes them."""
    data = read_bytes(path)
    return records(data, path) if path.endswith('.jsonl') else _table_rows(data, path)


def _table_rows(data: bytes, path: str) -> Rows:
    comma = path.endswith('.csv')
    file = io.StringIO(decoded(data, path), newline='')
    reader = csv.reader(file) if comma else csv.reader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
    names = [] if comma else ['query_id', 'query']
    for number, line in enumerate(reader, 1):
        if number == 1 and {'query_id', 'qid'} & {*line}:
            names = line
        elif line and len(line) != len(names):
            raise ValueError(
                f'{path}, line {number}: found {len(line)} fields, expected '
                f'{", ".join(names) or "a header with query_id and query"}, separated by '
                f'{"commas" if comma else "tabs"}'
            )
        elif line:
            yield f'{path}, line {number}', dict(zip(names, line))


__all__ = ['Subtopic', 'Texts', 'dataset_of', 'read_topics', 'topic_texts']
