"""Texts of documents, queries and subtopics, from wherever they are, and their terms."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import one_of, warn
from ..lazy import pd
from ..progress import with_progress
from .files import is_path, read_bytes
from .forms import NAMES, SYSTEM_COLUMNS, records, split_table
from .judgments import Judgments
from .lines import first_line
from .sources import load_dataset

Tokenizer = Callable[[str], list[str]]
_TERM = re.compile(r'\w+')
# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, Chinese characters, kana.
_UNSPACED = (
    '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf'
    '\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff'
)
_RUN = re.compile(f'[{_UNSPACED}]+|[^\\W{_UNSPACED}]+')
_HAS_UNSPACED = re.compile(f'[{_UNSPACED}]')
ENGLISH = frozenset(
    re.findall(
        r'\w+',
        '''
    a about above after again against all also am an and any are as at be because been
    before being below between both but by can could did do does doing down during each few
    for from further get had has have having he her here hers herself him himself his how i
    if in into is it its itself just me more most my myself no nor not now of off on once
    only or other our ours ourselves out over own s same she should so some such t than that
    the their theirs them themselves then there these they this those through to too under
    until up us very was we were what when where which while who whom why will with would
    you your yours yourself yourselves
    ''',
    )
)
"""Words that ``stopwords='english'`` leaves out."""
NO_TEXTS = {
    'url',
    'subtopic_id',
    'iteration',
    *NAMES['query_id'],
    *NAMES['doc_id'],
    *SYSTEM_COLUMNS,
}
NO_TEXTS -= {'name'}
"""Columns of documents that are no texts."""
HIDDEN = r'(?is)<!--.*?(-->|$)|<(script|style|noscript|template)\b.*?(</\2\s*>|$)'
"""Comments, and elements of a page whose text nobody sees."""
_HTML = re.compile(r'\s*<(!doctype html|html|\?xml)', re.IGNORECASE)


def terms(text: str) -> list[str]:
    """The terms of a text: runs of letters, digits and underscores, in lower case.

    Of scripts without spaces (Chinese, Japanese, Thai, …) every two neighbouring characters are a term.

    Examples:
        >>> terms('Land Rover'), terms('東京タワー 2')
        (['land', 'rover'], ['東京', '京タ', 'タワ', 'ワー', '2'])
    """
    text = text.lower()
    if text.isascii() or not _HAS_UNSPACED.search(text):
        return _TERM.findall(text)
    pieces: list[str] = []
    for run in _RUN.findall(text):
        unspaced = len(run) > 2 and _HAS_UNSPACED.match(run)
        pieces += [run[i : i + 2] for i in range(len(run) - 1)] if unspaced else [run]
    return pieces


def tokenizer_without(stopwords: Any) -> Tokenizer:
    """Return the function that splits a text into its :func:`terms` without stop words.

    Args:
        stopwords: ``'english'``, words in lower case, or None.

    Raises:
        TypeError: not words.
    """
    words = () if stopwords is None else ENGLISH if stopwords == 'english' else stopwords
    if isinstance(words, str) or not hasattr(words, '__iter__'):
        raise TypeError(f"stopwords={stopwords!r}: expected 'english' or the words themselves")
    omitted = frozenset(map(str, words))
    return lambda text: [term for term in terms(text) if term not in omitted]


# ------------------------------------------------------------------------------------------------- documents


def read_texts(docs: Any, doc_ids: Iterable[str], missing: str = 'error') -> dict[str, str]:
    """The texts of documents, by id.

    Args:
        docs: an ir_datasets id, dataset or docs_store; a file (tabs, commas or JSON lines) or a DataFrame with ``doc_id`` or ``docno`` and one or more columns
            of text; a dict ``{doc_id: text}``; a dataset of ``pt.get_dataset('irds:…')``. HTML (bytes, or a text that
            begins as HTML does) is reduced to its text.
        doc_ids: the documents to fetch.
        missing: ``'error'``, or ``'skip'`` with one warning that lists them.

    Raises:
        TypeError: not a source of texts.
        ValueError: documents without a text; lists them.

    Examples:
        >>> read_texts({'d1': '<html><body><p>beagle dogs</body></html>'}, ['d1'])
        {'d1': 'beagle dogs'}
    """
    ids = list(dict.fromkeys(doc_ids))
    fetched = dict(with_progress(_fetch(docs, ids), 'doc', 'texts', len(ids)))
    text_of = {doc_id: fetched[doc_id] for doc_id in ids if fetched.get(doc_id) is not None}
    absent = [doc_id for doc_id in ids if doc_id not in text_of]
    report_absent(absent, len(ids), f'documents have no text in {type(docs).__name__}', missing)
    empty = sum(_TERM.search(text) is None for text in text_of.values())
    if empty:
        warn(f'{empty} of {len(text_of)} documents have a text without a single term')
    return text_of


def report_absent(absent: list[str], n: int, what: str, missing: str) -> None:
    """Raise an error, or give one warning, that lists the documents for which something is missing."""
    one_of(missing, ('error', 'skip'), 'missing')
    if absent:
        names = f'{", ".join(map(repr, absent[:20]))}{" …" if len(absent) > 20 else ""}'
        message = f'{len(absent)} of {n} {what}: {names}'
        if missing == 'error':
            raise ValueError(f"{message}; missing='skip' goes on without them")
        warn(f'{message}; they are left out')


def _fetch(docs: Any, doc_ids: list[str]) -> Iterator[tuple[str, Any]]:
    """Pairs of id and text (or None) for those wanted documents that a source has."""
    if _is_file(docs):
        docs = pd.DataFrame([record for _, record in read_records(docs, quoted=True)])
    docs = load_dataset(docs)
    docs = docs.docs_store() if hasattr(docs, 'docs_store') else docs
    if isinstance(docs, dict):
        return ((doc_id, _join_texts([docs.get(doc_id)])) for doc_id in doc_ids)
    if hasattr(docs, 'get_many_iter'):
        return ((doc.doc_id, _text_of(doc)) for doc in docs.get_many_iter(doc_ids))
    if isinstance(docs, pd.DataFrame):
        return _read_frame(docs, doc_ids)
    raise TypeError(
        'docs: expected an id or dataset of ir_datasets, a docs_store, a DataFrame or a dict {doc_id: text}, '
        f'found {type(docs).__name__}'
    )


def _read_frame(frame: pd.DataFrame, doc_ids: list[str]) -> Iterator[tuple[str, Any]]:
    key = next((name for name in ('doc_id', 'docno') if name in frame.columns), None)
    fields = [
        name
        for name in frame.columns.difference([*NO_TEXTS], sort=False)
        if any(isinstance(value, (str, bytes)) for value in frame[name].head(100))
    ]
    if key is None or not fields:
        raise ValueError(
            f"docs: expected texts of documents in columns 'doc_id' or 'docno' and others, found "
            f'{", ".join(map(str, frame.columns))}'
        )
    wanted = frame[frame[key].astype(str).isin(doc_ids)]
    for doc_id, *values in wanted[[key, *fields]].itertuples(index=False):
        yield str(doc_id), _join_texts(values)


def _text_of(doc: Any) -> str:
    """The text of an ir_datasets document; web pages without their markup."""
    if isinstance(getattr(doc, 'body', None), bytes):
        # WARC, whose default_text runs neighbouring elements together
        return without_markup(doc.body, getattr(doc, 'http_headers', None))
    if hasattr(doc, 'default_text'):
        return without_markup(doc.default_text())
    fields = (field for field in doc._fields if field not in ('doc_id', 'url'))
    return _join_texts(getattr(doc, field) for field in fields) or ''


def _join_texts(values: Iterable[Any]) -> str | None:
    """The texts among some values as one; None if none of them is a text."""
    texts = [without_markup(value) for value in values if isinstance(value, (str, bytes))]
    return ' '.join(texts) if texts else None


def without_markup(text: str | bytes, headers: bytes | None = None) -> str:
    """A text as it is; HTML (bytes, with or without HTTP headers, or a text that begins as HTML) without its markup."""
    if isinstance(text, str) and not _HTML.match(text):
        return text
    from ir_datasets.util.html_parsing import decode_html

    page = decode_html(text, headers) if isinstance(text, bytes) else text
    visible = re.sub(r'<[a-zA-Z/!?][^>]*>', ' ', re.sub(HIDDEN, '', page.replace('\0', ' ')))
    return ' '.join(html.unescape(visible).split())


# ------------------------------------------------------------------------------------- queries and subtopics

QUERY, TEXT = ('query_id', 'qid', 'id', 'number'), ('query', 'text', 'title')
"""The fields of a query's id and of its text. The first one that a record has counts."""


class TopicTexts(NamedTuple):
    """Texts of queries, and of subtopics by (query, subtopic)."""

    queries: dict[str, str]
    subtopics: dict[tuple[str, str], str]


def topic_texts(topics: Any, judgments: Judgments | None = None) -> TopicTexts:
    """Texts of queries and of subtopics; of those that the topics do not tell, the judgments' column ``text``.

    Args:
        topics: an ir_datasets or PyTerrier dataset or id; a DataFrame of queries or of intents (with ``subtopic_id``);
            ``{query: text}`` or ``{query: {subtopic: text}}``; None; or a file: ``.jsonl``, a record a query with
            ``query_id``, ``query`` and, if it has any, ``subtopics`` (texts, or records with ``number`` and ``text``);
            or ``.csv``, ``.tsv``, ``.txt`` (tabs), with a header ``query_id, query`` or ``query_id, subtopic_id, text``
            and perhaps ``query``, or without a header lines of an id, a tab and a text.
        judgments: judgments.

    Raises:
        FileNotFoundError: no such file.
        TypeError, ValueError: not topics; a missing field.

    Examples:
        >>> topic_texts('divmeasures/sample/diversity').queries['1']
        'jaguar'
    """
    texts = TopicTexts({}, {})
    if judgments is not None and 'text' in judgments.names:
        rows = judgments.official[['query_id', 'subtopic_id', 'text']].fillna('')
        for query, subtopic, text in rows.itertuples(index=False):
            texts.subtopics[query, subtopic] = str(text)
    for place, row in _topic_records(topics):
        is_intent = 'subtopic_id' in row
        query, text = (
            next((str(row[name]) for name in names if name in row), None)
            for names in (QUERY, TEXT[::2] if is_intent else TEXT)
        )
        if query is None or text is None and not {'subtopics', 'text'} & {*row}:
            raise ValueError(
                f'{place}: expected query_id (or {", ".join(QUERY[1:])}) and query (or {", ".join(TEXT[1:])}), or '
                f'query_id, subtopic_id and text; found {", ".join(map(str, row))}'
            )
        if text is not None:
            texts.queries[query] = text
        subtopics: Any = row.get('subtopics')
        if is_intent:
            subtopics = [(row['subtopic_id'], row.get('text', ''))]
        for number, each in enumerate(subtopics if isinstance(subtopics, (list, tuple)) else (), 1):
            if isinstance(each, Mapping):
                each = each.get('number', number), each.get('text', '')
            name, text, *_ = (number, each) if isinstance(each, str) else each
            texts.subtopics[query, str(name)] = str(text).strip()
    return texts


def _topic_records(topics: Any) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The records of what :func:`topic_texts` reads, each with its place in words."""
    if _is_file(topics):
        return read_records(topics, {'query_id', 'qid'}, 'query_id\tquery')
    topics = load_dataset(topics)
    rows: Iterable[Mapping[str, Any]]
    if isinstance(topics, Mapping):
        rows = [
            {'query_id': query, 'subtopics': [*text.items()]}
            if isinstance(text, Mapping)
            else {'query_id': query, 'query': text}
            for query, text in topics.items()
        ]
    elif hasattr(topics, 'queries_iter'):
        rows = (query._asdict() for query in topics.queries_iter())
    elif hasattr(topics, 'columns'):
        rows = topics.to_dict('records')
    elif topics is None:
        rows = ()
    else:
        raise TypeError(
            'topics: expected an ir_datasets id or dataset, a file, a DataFrame of topics or {query_id: '
            f'text}}, found {type(topics).__name__}'
        )
    return (('topics', row) for row in rows)


def _is_file(source: Any) -> bool:
    """Whether this is the path of a file, and no id of ir_datasets."""
    endings = ('.tsv', '.csv', '.jsonl', '.txt', '.gz')
    return is_path(source) and (os.path.exists(source) or os.fspath(source).endswith(endings))


def read_records(
    path: str | os.PathLike[str],
    known: Iterable[str] = (),
    header: str = '',
    quoted: bool = False,
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The records of a file: JSON, or a table under a header, separated by tabs or commas; each with its place.

    Args:
        path: the file.
        known: if the first line of a table with tabs has none of these fields, it is no header.
        header: the header of such a table.
        quoted: whether fields between tabs are quoted where they need it.
    """
    path, data = os.fspath(path), read_bytes(path)
    if data.lstrip()[:1] in (b'{', b'['):
        yield from records(data, path)
        return
    first = first_line(data)
    delimiter = '\t' if '\t' in first else ','
    names = header.split() if known and not {*known} & {*first.split(delimiter)} else ()
    table = split_table(data, path, delimiter, names if delimiter == '\t' else (), quoted)
    for number, fields in zip(table.index, table.to_dict('records')):
        yield f'{path}, line {number}', fields
