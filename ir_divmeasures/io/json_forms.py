"""JSON files of nuggets, RAG pipelines and search agents: the list of their forms, and their reader.

The fields of a record show its forms; a record can be of several, such as contexts, an answer and nuggets. To add a form,
write a subclass of :class:`~ir_divmeasures.io.collected.Form` whose fields have types and whose method ``read`` adds what a
record says to the tables, and name it in :data:`FORMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..lazy import pd
from . import nugget_forms as nuggets
from . import rag_forms as rag
from . import text as textfiles
from .collected import (
    ANSWERS,
    BOTH,
    DOCUMENTS,
    Bank,
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
    'freshstack': nuggets.Freshstack,
    'autonuggetizer': nuggets.Nuggets,
    'crux': nuggets.Crux,
    'bright-pro': nuggets.BrightPro,
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
NUGGET_FORMS = tuple(name for name, form in FORMS.items() if issubclass(form, NuggetForm))


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


def read(
    collected: Collected, data: bytes, path: str, kind: type[Form] = Form, name: str | None = None
) -> int:
    """Add what the records of a JSON file say in forms of a kind; the number of them that say something.

    Args:
        name: the form of the records; None: recognized from each.
    """
    empty, n_read = True, 0
    for location, content in textfiles.records(data, path, parse_constant=lambda name: None):
        empty = False
        forms = [FORMS[name]] if name else forms_of(content)
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
        for form in selected:
            fields = {'content': content} if issubclass(form, nuggets.Whole) else content
            convert(fields, form, location).read(Record(collected, content, location))
        n_read += bool(selected)
    if empty:
        raise ValueError(f'{path}: holds no records')
    return n_read


def read_rows(
    collected: Collected, rows: Iterable[tuple[str, Mapping[Any, Any]]], name: str
) -> None:
    """Add the rows of a table of intents, or of judgments of them; each row has its place in words."""
    for location, row in rows:
        data = {
            str(key): None if value == '' or value != value else value for key, value in row.items()
        }
        ids = [each for each in NUGGET_IDS if each in data]
        if len(ids) > 1 and ids[0] != 'subtopic_id':
            raise ValueError(f'{name}: the columns {" and ".join(ids)} both name the subtopic_id')
        key = next(iter(ids), 'nugget')
        if not {'query_id', 'qid'} & set(data):
            data['query_id'] = data.pop('query', None)
        if data.get(key) is None:
            raise ValueError(f'{location}: no subtopic_id (found {", ".join(data)})')
        data['nugget_id'] = data.pop(key)
        data['nugget'] = data.get('nugget') or data.get('text')
        if 'relevance' in data:
            data['label'] = data.pop('relevance')
        document = first(data, DOCUMENTS)
        if [*collected.banks] == [ANSWERS] and document is not None:
            # of answers alone, documents are the names of the answers
            data = {name: data[name] for name in data if name not in DOCUMENTS}
            data['run_id'] = document
        convert(data, nuggets.Row, location, strict=False).read(
            Record(collected, data, location, name)
        )


def has_rankings(data: bytes, path: str) -> bool:
    """Whether a file has rankings in a form that only this module reads: no table of scores, no nested run."""
    content = first_record(data, path)
    if content is None or rag.depth(content) == 2:
        return False
    forms = forms_of(content)
    if rag.OneContext in forms:
        return 'score' not in content or bool({'tokens', 'length'} & set(content))
    return any(issubclass(form, Ranking) for form in forms)


def has_nuggets(data: bytes, path: str) -> bool:
    """Whether the first record of a JSON file is about nuggets."""
    content = first_record(data, path)
    return content is not None and any(issubclass(form, NuggetForm) for form in forms_of(content))


def first_record(data: bytes, path: str) -> dict[str, Any] | None:
    """The first record of a JSON file; None of anything else."""
    try:
        return next(textfiles.records(data, path))[1] if looks_like_json(data) else None
    except (ValueError, StopIteration):
        return None


def rankings(data: bytes, path: str) -> dict[str, pd.DataFrame]:
    """The runs of a file by system."""
    collected = Collected({})
    read(collected, data, path, Ranking)
    return collected.runs()


def parse(data: bytes, path: str) -> pd.DataFrame:
    """A JSON file of nuggets as judgments."""
    bank = Bank()
    collected = Collected({BOTH: bank})
    if not read(collected, data, path, NuggetForm):
        raise ValueError(f'{path}: no nuggets there')
    collected.warn(path)
    return bank.frame()


__all__ = [
    'FORMS',
    'NUGGET_FORMS',
    'NUGGET_IDS',
    'has_nuggets',
    'has_rankings',
    'looks_like_json',
    'parse',
    'rankings',
    'read',
    'read_rows',
]
