"""Texts of documents, from wherever they are, and their terms."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from typing import Any

from ..errors import warn
from .forms import NAMES, SYSTEM_COLUMNS
from .sources import load_dataset
from ..lazy import pd
from ..progress import progress

MISSING = ('error', 'skip')
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
HIDDEN = ('script', 'style', 'noscript', 'template')
"""Elements of a page whose text nobody sees."""
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


def tokenizer_of(tokenizer: Tokenizer | None, stopwords: Any) -> Tokenizer:
    """Return the function that splits a text into terms without stop words: the user's function or :func:`terms`.

    Args:
        tokenizer: a function of a text that gives a list of terms; None: :func:`terms`.
        stopwords: ``'english'``, words in lower case, or None.

    Raises:
        TypeError: not a function, or not words.
    """
    if tokenizer is not None and not callable(tokenizer):
        raise TypeError(
            f'tokenizer: expected a function of a text that gives a list of terms, found {tokenizer!r}'
        )
    tokenize, stop_words = tokenizer or terms, stop_list(stopwords)
    if not stop_words:
        return tokenize
    return lambda text: [term for term in tokenize(text) if term not in stop_words]


def stop_list(stopwords: Any) -> frozenset[str]:
    """The words to leave out.

    Raises:
        TypeError: neither ``'english'`` nor words.
    """
    if stopwords is None:
        return frozenset()
    if stopwords == 'english':
        return ENGLISH
    if isinstance(stopwords, str) or not hasattr(stopwords, '__iter__'):
        raise TypeError(f"stopwords={stopwords!r}: expected 'english' or the words themselves")
    return frozenset(map(str, stopwords))


def texts(docs: Any, doc_ids: Iterable[str], missing: str = 'error') -> dict[str, str]:
    """The texts of documents, by id.

    Args:
        docs: an ir_datasets id, dataset or docs_store; a DataFrame with ``doc_id`` or ``docno`` and one or more columns
            of text; a dict ``{doc_id: text}``; a PyTerrier dataset, index or text loader. HTML (bytes, or a text that
            begins as HTML does) is reduced to its text.
        doc_ids: the documents to fetch.
        missing: ``'error'``, or ``'skip'`` with one warning that lists them.

    Raises:
        TypeError: not a source of texts.
        ValueError: documents without a text; lists them.

    Examples:
        >>> texts({'d1': '<html><body><p>beagle dogs</body></html>'}, ['d1'])
        {'d1': 'beagle dogs'}
    """
    distinct_ids = list(dict.fromkeys(doc_ids))
    text_of = {}
    with progress(len(distinct_ids), 'doc', 'texts') as bar:
        for doc_id, text in _fetch(docs, distinct_ids):
            text_of[doc_id] = text
            bar.update()
    absent = [doc_id for doc_id in distinct_ids if doc_id not in text_of]
    report_absent(
        absent, len(distinct_ids), f'documents have no text in {type(docs).__name__}', missing
    )
    empty = sum(_TERM.search(text) is None for text in text_of.values())
    if empty:
        warn(f'{empty} of {len(text_of)} documents have a text without a single term')
    return {doc_id: text_of[doc_id] for doc_id in distinct_ids if doc_id in text_of}


def report_absent(absent: list[str], n: int, what: str, missing: str) -> None:
    """Raise an error, or give one warning, that lists the documents for which something is missing."""
    if missing not in MISSING:
        raise ValueError(f"missing={missing!r}: expected 'error' or 'skip'")
    if absent:
        names = f'{", ".join(map(repr, absent[:20]))}{" …" if len(absent) > 20 else ""}'
        message = f'{len(absent)} of {n} {what}: {names}'
        if missing == 'error':
            raise ValueError(f"{message}; missing='skip' goes on without them")
        warn(f'{message}; they are left out')


def _fetch(docs: Any, doc_ids: list[str]) -> Iterator[tuple[str, str]]:
    """Pairs of id and text for those wanted documents that a source has."""
    docs = load_dataset(docs) if isinstance(docs, str) else docs
    for method in ('irds_ref', 'docs_store', 'text_loader'):  # each leads to the next one
        if hasattr(docs, method):
            docs = getattr(docs, method)()
    if isinstance(docs, dict):
        if any(isinstance(text, dict) for text in itertools.islice(docs.values(), 1)):
            raise TypeError(
                'docs: expected texts {doc_id: text}, found a dict of dicts, as runs and judgments are'
            )
        known = (doc_id for doc_id in doc_ids if docs.get(doc_id) is not None)
        return ((doc_id, without_markup(docs[doc_id])) for doc_id in known)
    if hasattr(docs, 'get_many_iter'):
        return ((doc.doc_id, _document_text(doc)) for doc in docs.get_many_iter(doc_ids))
    if isinstance(docs, pd.DataFrame):
        return _of_frame(docs, set(doc_ids))
    if hasattr(docs, 'transform'):
        return _of_loader(docs, doc_ids)
    raise TypeError(
        'docs: expected an ir_datasets dataset or docs_store, a DataFrame, a dict {doc_id: text} or a '
        f'PyTerrier text source, found {type(docs).__name__}'
    )


def _of_frame(frame: pd.DataFrame, doc_ids: set[str]) -> Iterator[tuple[str, str]]:
    key = next((c for c in ('doc_id', 'docno') if c in frame.columns), None)
    id_columns = {'url', 'subtopic_id', 'iteration', *SYSTEM_COLUMNS} - {'name'}
    id_columns |= {*NAMES['query_id'], *NAMES['doc_id']}
    fields = [
        c
        for c in frame.columns
        if c not in id_columns
        and any(isinstance(value, (str, bytes)) for value in frame[c].head(100))
    ]
    if key is None or not fields:
        raise ValueError(
            f"docs: expected texts of documents in columns 'doc_id' or 'docno' and others, found "
            f'{", ".join(map(str, frame.columns))}'
            + (
                ', as runs and judgments have'
                if {*NAMES['score'], *NAMES['relevance']} & {*frame.columns}
                else ''
            )
        )
    for doc_id, *values in frame[[key, *fields]].itertuples(index=False):
        if str(doc_id) in doc_ids and (text := _joined(values)) is not None:
            yield str(doc_id), text


def _of_loader(loader: Any, doc_ids: list[str]) -> Iterator[tuple[str, str]]:
    """Yield texts from a PyTerrier text loader. If it lacks some documents, each document is requested on its own."""

    def ask(ids: list[str]) -> Iterator[tuple[str, str]]:
        rows = loader.transform(pd.DataFrame({'qid': '1', 'query': '', 'docno': ids}))
        return _of_frame(rows, set(ids))

    try:
        yield from ask(doc_ids)
    except KeyError:
        for doc_id in doc_ids:
            try:
                yield from ask([doc_id])
            except KeyError:
                continue


def _document_text(doc: Any) -> str:
    """The text of an ir_datasets document; web pages without their markup."""
    if isinstance(
        getattr(doc, 'body', None), bytes
    ):  # WARC; its default_text runs neighbouring elements together
        return without_markup(doc.body, getattr(doc, 'http_headers', None))
    if hasattr(doc, 'default_text'):
        return without_markup(doc.default_text())
    fields = (field for field in doc._fields if field not in ('doc_id', 'url'))
    return _joined(getattr(doc, field) for field in fields) or ''


def _joined(values: Iterable[Any]) -> str | None:
    """The texts among some values as one; None if none of them is a text."""
    found = [without_markup(value) for value in values if isinstance(value, (str, bytes))]
    return ' '.join(found) if found else None


class _Markup(HTMLParser):
    """Collects the text of a page. A tag separates words, and the text of hidden elements is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._open.append(tag)
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._open.remove(tag)
            self._separate(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if not {*HIDDEN} & {*self._open}:
            self.parts.append(data)

    def _separate(self, tag: str) -> None:
        if tag not in HIDDEN:
            self.parts.append(' ')


def without_markup(text: str | bytes, headers: bytes | None = None) -> str:
    """A text as it is; HTML (bytes, with or without HTTP headers, or a text that begins as HTML) without its markup."""
    if isinstance(text, str) and not _HTML.match(text):
        return text
    from ir_datasets.util.html_parsing import decode_html

    page = _Markup()
    page.feed((decode_html(text, headers) if isinstance(text, bytes) else text).replace('\0', ' '))
    page.close()
    return ' '.join(''.join(page.parts).split())
