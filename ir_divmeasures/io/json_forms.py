"""JSON files of nuggets, RAG pipelines and search agents: the list of their forms, and their reader.

The fields of a record show its forms; a record can be of several, such as contexts, an answer and nuggets. To add a form,
write a subclass of :class:`~ir_divmeasures.io.collected.Form` whose fields have types and whose method ``read`` adds what a
record says to the tables, and name it in :data:`FORMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from ..lazy import pd
from . import nugget_forms as nuggets
from . import rag_forms as rag
from . import text as textfiles
from .collected import (
    ANSWERS,
    BOTH,
    CONTEXT_IDS,
    DOCUMENTS,
    OF_CONTEXTS,
    QUERIES,
    SYSTEMS,
    TEXTS,
    Collected,
    Form,
    Record,
    convert,
    first,
)
from .nugget_forms import NuggetForm
from .rag_forms import Ranking

NUGGET_IDS = ('subtopic_id', 'nugget_id', 'intent', 'subtopic')
"""Columns of the ids of nuggets; beside one of them, a column ``nugget`` has the text."""


FORMS: dict[str, type[Form]] = {
    'autojudge': nuggets.AutoJudge,
    'freshstack': nuggets.Supported,
    'autonuggetizer': nuggets.Nuggets,
    'ragas': nuggets.Ragas,
    'crux': nuggets.Crux,
    'bright-pro': nuggets.Supported,
    'flat': nuggets.Flat,
    'rubric': nuggets.Rubric,
    'criterion': nuggets.Criterion,
    'questions': nuggets.Questions,
    'contexts': rag.Contexts,
    'context': rag.OneContext,
    'answer': rag.Answer,
    'trace': rag.Trace,
    'usage': rag.Usage,
    'texts': nuggets.Texts,
    'lancer': nuggets.Lancer,
    'neuclir': nuggets.Neuclir,
    'mteb': rag.Mteb,
}
"""Every form by name, in the order in which they are tried."""
WHOLE: tuple[type[Form], ...] = (nuggets.Texts, nuggets.Lancer, nuggets.Neuclir, rag.Mteb)
"""Forms of files that are one object without names of fields."""
OF_NUGGETS = [form for form in FORMS.values() if issubclass(form, NuggetForm) and form not in WHOLE]
OTHERS = [form for form in FORMS.values() if form not in (*OF_NUGGETS, *WHOLE)]
FIELDS = {field for form in FORMS.values() if form not in WHOLE for field in form.__struct_fields__}
"""The fields of all records."""
READ = {*QUERIES, *SYSTEMS, *DOCUMENTS, *CONTEXT_IDS, *TEXTS, 'doc', 'judge', 'metadata', 'query'}
"""Fields that any object may have."""


# ------------------------------------------------------------------------------------------------------ reading


def forms_of(data: Mapping[str, Any]) -> list[type[Form]]:
    """The forms of a record: one about nuggets, and all others; or the one form of a whole file."""
    data = {name: value for name, value in data.items() if value is not None}
    if rag.MTEB_META in data or rag.depth(data) > 2:
        return [rag.Mteb]
    found = next((form for form in OF_NUGGETS if form.shows(data)), None)
    if found is nuggets.AutoJudge:
        return [found]
    forms = [form for form in OTHERS if form.shows(data)]
    if found is not None:
        forms = [found, *(form for form in forms if form is not rag.OneContext)]
    return forms or [form for form in WHOLE if form.shows(data)][:1]


def looks_like_json(data: bytes) -> bool:
    """Whether a file begins like a JSON object or list."""
    return data.lstrip()[:1] in (b'{', b'[')


def read(collected: Collected, data: bytes, path: str, kind: type[Form] = Form) -> int:
    """Add what the records of a JSON file say in forms of a kind; the number of them that say something."""
    options = {
        'parse_constant': lambda name: None,
        'object_pairs_hook': textfiles.without_repetition,
    }
    says = [
        read_record(collected, content, location, kind)
        for location, content in textfiles.records(data, path, **options)
    ]
    if not says:
        raise ValueError(f'{path}: holds no records')
    return sum(says)


def read_record(
    collected: Collected,
    content: Mapping[str, Any],
    location: str,
    kind: type[Form] = Form,
) -> bool:
    """Add what a record says in forms of a kind, and note its fields that are not read; whether it says something."""
    forms = forms_of(content)
    if not forms:
        known = '; '.join(
            f'{name}: {" or ".join(" and ".join(sorted(names)) for names in form.shown_by)}'
            for name, form in FORMS.items()
            if form.shown_by
        )
        raise ValueError(
            f'{location}: found the fields {", ".join(content)[:120] or "none"}, expected those of one '
            f'of the forms ({known})'
        )
    selected = [form for form in forms if issubclass(form, kind)]
    if not {*forms} & {*WHOLE}:
        read_fields = {name for form in forms for name in (*form.__struct_fields__, *form.also)}
        collected.note_unread(content, read_fields | READ, FIELDS)
    for form in selected:
        data = {'content': content} if issubclass(form, nuggets.Whole) else content
        value = convert(data, form, location)
        for field in form.__struct_fields__:
            check_fields(collected, getattr(value, field), data.get(field))
        value.read(Record(collected, content, location))
    return bool(selected)


def check_fields(collected: Collected, value: Any, data: Any) -> None:
    """Remember the fields of the objects in a value that are not read."""
    if isinstance(value, msgspec.Struct):
        known = value.__struct_fields__
        collected.note_unread(data, {*known} | READ, {*known})
        value, data = [getattr(value, name) for name in known], map(data.get, known)
    elif isinstance(value, dict):
        value, data = [*value.values()], data.values()
    if isinstance(value, list):
        for each in zip(value, data):
            check_fields(collected, *each)


def in_memory(source: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]] | None:
    """The records of an object in memory, each with its place; None of anything else.

    They are dicts, rows of a table with columns of one of the forms, or ``{query: [context, …]}``.
    """
    rows = source
    if hasattr(rows, 'columns'):
        rows = rows.to_dict('records')
    elif isinstance(rows, Mapping):
        rows = [
            {'query_id': str(query), 'contexts': [rag.context_of(each) for each in contexts]}
            for query, contexts in rows.items()
            if isinstance(contexts, (list, tuple))
        ]
    rows = rows if isinstance(rows, (list, tuple)) else ()
    lists = (
        {
            str(key): value.tolist() if hasattr(value, 'tolist') else value
            for key, value in row.items()
        }
        for row in rows
        if isinstance(row, Mapping)
    )
    records = [{key: value for key, value in row.items() if value == value} for row in lists]
    if not records or not any(issubclass(form, Ranking) for form in forms_of(records[0])):
        return None
    return ((f'{name}, row {n}', record) for n, record in enumerate(records, 1))


def read_rows(
    collected: Collected, rows: Iterable[tuple[str, Mapping[Any, Any]]], name: str
) -> None:
    """Add the rows of a table of intents, or of judgments of them; each row has its place in words."""
    for location, row in rows:
        data = {
            str(key): None if value == '' or value != value else value for key, value in row.items()
        }
        ids = [each for each in NUGGET_IDS if each in data] or ['nugget']
        if len(ids) > 1 and ids[0] != 'subtopic_id':
            raise ValueError(f'{name}: the columns {" and ".join(ids)} both name the subtopic_id')
        if not {'query_id', 'qid'} & data.keys():
            data['query_id'] = data.pop('query', None) or data.pop('question', None)
        if (document := data.pop('document', None)) is not None:
            data = {'label': 1, **data, 'doc_id': document}
        if data.get(ids[0]) is None:
            raise ValueError(f'{location}: no subtopic_id (found {", ".join(data)})')
        data['nugget_id'] = data.pop(ids[0])
        data['nugget'] = data.get('nugget') or data.get('text')
        if 'relevance' in data:
            data['label'] = data.pop('relevance')
        document = first(data, DOCUMENTS)
        if collected.sides == (ANSWERS,) and document is not None:
            # of answers alone, documents are the names of the answers
            data = {name: data[name] for name in data if name not in DOCUMENTS}
            data['run_id'] = document
        record = Record(collected, data, location, name)
        if {'document', *DOCUMENTS} & row.keys():
            record.judged(OF_CONTEXTS)
        convert(data, nuggets.Row, location, strict=False).read(record)


def shown_by(data: bytes, path: str) -> list[str]:
    """The forms of files that the first record of a JSON file shows, and that only this module reads: ``'rankings'``, which
    are no table of scores and no nested run, and ``'nuggets'``."""
    try:
        content = next(textfiles.records(data, path))[1]
    except (ValueError, StopIteration):
        return []
    forms = forms_of(content)
    rankings = any(issubclass(form, Ranking) for form in forms) and rag.depth(content) != 2
    if rag.OneContext in forms:
        rankings = 'score' not in content or bool({'tokens', 'length'} & content.keys())
    nuggets = any(issubclass(form, NuggetForm) for form in forms)
    return ['rankings'] * rankings + ['nuggets'] * nuggets


def rankings(source: Any, path: str) -> dict[str, pd.DataFrame]:
    """The runs by system of the bytes of a file, or of records in memory; with the revision of the model in ``attrs``,
    where there is one."""
    collected = Collected(())
    if isinstance(source, bytes):
        read(collected, source, path, Ranking)
    else:
        for location, record in source:
            read_record(collected, record, location, Ranking)
    runs = collected.runs()
    for model, revisions in collected.revisions.items():
        runs[model].attrs['revision'] = next(iter(revisions))
    return runs


def parse(data: bytes, path: str) -> pd.DataFrame:
    """A JSON file of nuggets as judgments."""
    collected = Collected((BOTH,))
    if not read(collected, data, path, NuggetForm):
        raise ValueError(f'{path}: no nuggets there')
    collected.warn(path)
    return collected.judgments(BOTH)
