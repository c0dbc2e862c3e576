"""Files of RAG pipelines and search agents: what a record says, one :class:`RagForm` for each kind of statement.

A record can say several things: which documents were retrieved, what was answered with which citations, which nuggets
were found. :data:`RAG_FORMS` lists everything that is read; all that a record says is collected. To add a form, write a
function ``(collected, record, at)`` and add a :class:`RagForm`. :mod:`~ir_divmeasures.io.nugget_forms` reads nuggets.
"""

from __future__ import annotations

import itertools
import json
import os
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import nugget_forms as nuggets
from . import text as textfiles
from .columns import NO_DOCUMENT
from .labels import grade_of
from .nugget_forms import ANSWERS, CONTEXTS, Bank, query_of, system_of
from .paths import files
from .run_forms import REPEATED

if TYPE_CHECKING:
    import pandas as pd

IDS = ('id', 'doc_id', 'docid', 'docno', 'pid', 'corpus-id')
"""Fields of a context that name its document."""
LENGTHS = ('tokens', 'length')
ROUNDS = ('iteration', 'round')
MTEB_META = 'mteb_model_meta'


@dataclass(frozen=True)
class Context:
    """A retrieved document: its id, and its score, rank, length and iteration where the file has them."""

    document: str
    score: float | None
    rank: float | None
    length: float | None
    iteration: int | None
    location: str


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer.

    Attributes:
        place: its place in the answer, from 1.
        documents: the documents that it cites, first citation first.
        support: the label of each citation as a grade; None where it was not judged.
        needed: whether the sentence needs a citation, 1 or 0.
        length: its number of words.
    """

    system: str
    query: str
    place: int
    documents: tuple[str, ...]
    support: tuple[float | None, ...]
    needed: float
    length: int


@dataclass
class Collected:
    """The statements of files, record by record.

    Attributes:
        strict: as for :class:`~ir_divmeasures.io.nugget_forms.Bank`.
        part: the part of MTEB's files to read, such as ``'default/test'``.
        contexts, answers: nuggets judged of documents and of answers.
        retrieved: the contexts of each system and query, in the order of the file.
        sentences: the sentences of the answers.
        usage: a row for each system and query: ``rounds`` and numbers of tokens.
        files: the paths read.
    """

    strict: bool = False
    part: str | None = None
    contexts: Bank = field(default_factory=lambda: Bank(side=CONTEXTS))
    answers: Bank = field(default_factory=lambda: Bank(side=ANSWERS))
    retrieved: dict[tuple[str, str], list[Context]] = field(default_factory=dict)
    sentences: list[Sentence] = field(default_factory=list)
    usage: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    _answered: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.contexts.strict = self.answers.strict = self.strict

    def add(self, system: str, query: str, contexts: Iterable[Context]) -> None:
        """Add retrieved documents to a ranking.

        Raises:
            ValueError: a document that the ranking has already; names the place.
        """
        ranking = self.retrieved.setdefault((system, query), [])
        documents = {each.document for each in ranking}
        for each in contexts:
            if each.document in documents:
                raise ValueError(
                    f'{each.location}: query {query!r}: document {each.document!r} is retrieved twice'
                )
            documents.add(each.document)
            ranking.append(each)

    def answer(self, system: str, query: str, sentences: list[Sentence], location: str) -> None:
        """Add an answer.

        Raises:
            ValueError: the system has answered the query already, in other words or with other labels.
        """
        if (system, query) in self._answered:
            if [
                each for each in self.sentences if (each.system, each.query) == (system, query)
            ] != sentences:
                raise ValueError(
                    f'{location}: system {system!r} answers query {query!r} here and, otherwise, in '
                    f'{self._answered[system, query]}'
                )
            return
        self._answered[system, query] = location
        self.sentences.extend(sentences)

    def use(self, system: str, query: str, **numbers: float) -> None:
        """Note what answering a query took."""
        self.usage.setdefault((system, query), {}).update(numbers)

    def runs(self) -> dict[str, pd.DataFrame]:
        """The rankings of each system: ``query_id, doc_id, score``, and ``length`` and ``iteration`` where known.

        Raises:
            ValueError: some documents of a ranking have a score or rank and others have none; names the place.
        """
        import pandas as pd

        runs: dict[str, list[tuple[Any, ...]]] = {}
        for (system, query), contexts in self.retrieved.items():
            runs.setdefault(system, []).extend(
                (query, each.document, score, each.length, each.iteration)
                for each, score in zip(contexts, _scores(contexts, query))
            )
        tables = {}
        for system, rows in runs.items():
            table = pd.DataFrame(
                rows, columns=['query_id', 'doc_id', 'score', 'length', 'iteration']
            )
            unused = [name for name in ('length', 'iteration') if table[name].isna().all()]
            table = table.drop(columns=unused).astype({'score': float})
            tables[system] = table.astype({'length': float}) if 'length' in table.columns else table
        return tables

    def citations(self) -> pd.DataFrame | None:
        """A row for each citation, and for each sentence without one (place 0, document '-'); None without answers."""
        import pandas as pd

        if not self.sentences:
            return None
        rows = [
            (each.system, each.query, each.place, *cited, each.needed, each.length)
            for each in self.sentences
            for cited in (
                zip(itertools.count(1), each.documents, each.support)
                if each.documents
                else [(0, NO_DOCUMENT, None)]
            )
        ]
        table = pd.DataFrame(
            rows,
            columns=[
                'system',
                'query_id',
                'sentence',
                'place',
                'doc_id',
                'support',
                'needed',
                'length',
            ],
        )
        return table.astype({'support': float, 'needed': float})

    def usage_table(self) -> pd.DataFrame | None:
        """``system, query_id, rounds`` and numbers of tokens; None where no file says anything of it."""
        import pandas as pd

        return (
            pd.DataFrame(
                [
                    {'system': system, 'query_id': query, **numbers}
                    for (system, query), numbers in self.usage.items()
                ]
            )
            if self.usage
            else None
        )


def _scores(contexts: list[Context], query: str) -> list[float]:
    """The scores of a ranking: as given, else from the ranks, else from the order of the file."""
    for name in ('score', 'rank'):
        values = [getattr(each, name) for each in contexts]
        if all(value is None for value in values):
            continue
        for value, each in zip(values, contexts):
            if value is None:
                raise ValueError(
                    f'{each.location}: query {query!r}: document {each.document!r} has no {name}, but '
                    'others of this ranking have one'
                )
        return values if name == 'score' else [max(values) + 1 - rank for rank in values]
    return [float(len(contexts) - place) for place in range(len(contexts))]


# -------------------------------------------------------------------------------------------------- what records say


@dataclass(frozen=True)
class RagForm:
    """One kind of statement that a record can make.

    Attributes:
        name: what messages call it.
        says: a line in words.
        fields: the fields that tell it, in words.
        tell: whether a record makes such a statement.
        read: adds what the record says to what was collected; ``at`` names its place.
        ranks: the statement is a ranking of documents.
    """

    name: str
    says: str
    fields: str
    tell: Callable[[dict[str, Any]], bool]
    read: Callable[[Collected, dict[str, Any], str], None]
    ranks: bool = False


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        value = record.get(name)
        if value is not None and value != '':
            return value
    return None


def _document(item: Any, location: str) -> str:
    """The document of a context: an id, or an object with one."""
    if isinstance(item, (str, int)) and not isinstance(item, bool):
        return str(item)
    if not isinstance(item, dict):
        raise ValueError(
            f'{location}: found {item!r:.60}, expected the id of a document or an object with one'
        )
    document = _first(item, IDS)
    if document is None or isinstance(document, (dict, list)):
        raise ValueError(f'{location}: no {" or ".join(IDS)} (found {", ".join(map(str, item))})')
    return str(document)


def _context(item: Any, location: str) -> Context:
    """One context: an id, or an object with an id."""
    document = _document(item, location)
    if not isinstance(item, dict):
        return Context(document, None, None, None, None, location)
    iteration = _number(item, ROUNDS, location, 1)
    if iteration is not None and not float(iteration).is_integer():
        raise ValueError(f'{location}: iteration is {iteration!r}, expected a whole number')
    return Context(
        document,
        _number(item, ('score',), location),
        _number(item, ('rank',), location),
        _number(item, LENGTHS, location, 0),
        None if iteration is None else int(iteration),
        location,
    )


def _number(
    record: dict[str, Any], names: tuple[str, ...], location: str, least: float | None = None
) -> float | None:
    value = _first(record, names)
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or value != value
        or least is not None
        and not least <= value < float('inf')
    ):
        name = next(name for name in names if record.get(name) is value)
        raise ValueError(
            f'{location}: {name} is {value!r:.60}, expected a number'
            + ('' if least is None else f' of at least {least:g}')
        )
    return float(value)


def _list(record: dict[str, Any], name: str, location: str) -> list[Any]:
    value = record[name]
    if not isinstance(value, list):
        raise ValueError(f'{location}: {name} is {value!r:.60}, expected a list')
    return value


def _contexts_of(record: dict[str, Any], name: str, location: str) -> list[Context]:
    return [
        _context(item, f'{location}, {name} {place}')
        for place, item in enumerate(_list(record, name, location), 1)
    ]


def _read_contexts(collected: Collected, record: dict[str, Any], location: str) -> None:
    name = next(name for name in ('contexts', 'candidates', 'references') if name in record)
    collected.add(
        system_of(record, location),
        query_of(record, location),
        _contexts_of(record, name, location),
    )


def _read_context(collected: Collected, record: dict[str, Any], location: str) -> None:
    named = {
        key: value for key, value in record.items() if key != 'id' or not _first(record, IDS[1:])
    }
    collected.add(
        system_of(record, location), query_of(record, location), [_context(named, location)]
    )


def _is_context(record: dict[str, Any]) -> bool:
    """Whether a record is one retrieved document: with a rank, a length or a score, and no label."""
    return (
        _first(record, IDS[1:]) is not None
        and bool({'rank', 'score', *LENGTHS} & set(record))
        and nuggets.form_of(record) is None
        and 'relevance' not in record
        and 'label' not in record
    )


def _answer_field(record: dict[str, Any]) -> str | None:
    for name in ('answer', 'responses'):
        if isinstance(record.get(name), (list, str)) and 'nugget_bank' not in record:
            return name
    return None


def _read_answer(collected: Collected, record: dict[str, Any], location: str) -> None:
    query, system = query_of(record, location), system_of(record, location)
    name = _answer_field(record) or ''
    items = [record[name]] if isinstance(record[name], str) else record[name]
    sources = next(
        (each for each in ('references', 'contexts', 'candidates') if each in record), None
    )
    references = (
        []
        if sources is None
        else [
            _document(each, f'{location}, {sources} {number}')
            for number, each in enumerate(_list(record, sources, location), 1)
        ]
    )
    sentences = []
    for place, item in enumerate(items, 1):
        where = f'{location}, sentence {place}'
        item = {'text': item} if isinstance(item, str) else item
        if not isinstance(item, dict) or not isinstance(item.get('text'), str):
            raise ValueError(f'{where}: found {item!r:.60}, expected an object with a text')
        documents = _citations(item.get('citations'), references, where)
        needed = item.get('needed', 1)
        if needed not in (0, 1):
            raise ValueError(f'{where}: needed is {needed!r}, expected 0 or 1')
        sentences.append(
            Sentence(
                system,
                query,
                place,
                documents,
                _support(item, documents, where),
                float(needed),
                len(unicodedata.normalize('NFKC', item['text']).split()),
            )
        )
    collected.answer(system, query, sentences, location)


def _citations(value: Any, references: list[str], location: str) -> tuple[str, ...]:
    """The documents cited: places from 0 in the references, ids, or ids with confidences, the highest first."""
    if value is None:
        return ()
    if isinstance(value, dict):
        for document, confidence in value.items():
            if isinstance(confidence, bool) or not isinstance(confidence, (int, float)):
                raise ValueError(
                    f'{location}: the confidence of citation {document!r} is {confidence!r}, expected a '
                    f'number'
                )
        return tuple(sorted(map(str, value), key=lambda document: -value[document]))
    if not isinstance(value, list):
        raise ValueError(f'{location}: citations are {value!r:.60}, expected a list or an object')
    documents = []
    for cited in value:
        if isinstance(cited, int) and not isinstance(cited, bool):
            if not 0 <= cited < len(references):
                raise ValueError(
                    f'{location}: citation {cited}, but the record has {len(references)} references or '
                    'contexts (places count from 0)'
                )
            documents.append(references[cited])
        elif isinstance(cited, (str, dict)) and cited:
            documents.append(_document(cited, f'{location}, citation'))
        else:
            raise ValueError(
                f'{location}: citation {cited!r:.60}, expected a place from 0 or the id of a document'
            )
    twice = [document for place, document in enumerate(documents) if document in documents[:place]]
    if twice:
        raise ValueError(f'{location}: document {twice[0]!r} is cited twice')
    return tuple(documents)


def _support(
    item: dict[str, Any], documents: tuple[str, ...], location: str
) -> tuple[float | None, ...]:
    """The grade of each citation: a label of the first one, or a list of labels."""
    labels = item.get('support')
    if not isinstance(labels, list):
        if (
            labels is not None
            and not documents
            and grade_of(labels, location, 'support') is not None
        ):
            raise ValueError(f'{location}: support is {labels!r}, but the sentence cites nothing')
        labels = [labels] if documents else []
    if len(labels) > len(documents):
        raise ValueError(
            f'{location}: {len(labels)} labels of support for {len(documents)} citations'
        )
    return (
        *(grade_of(label, location, 'support') for label in labels),
        *[None] * (len(documents) - len(labels)),
    )


def _read_nuggets(collected: Collected, record: dict[str, Any], location: str) -> None:
    form = nuggets.form_of(record)
    assert form is not None
    for side in form.sides(record):
        nuggets.read_record(
            form, collected.contexts if side == CONTEXTS else collected.answers, record, location
        )


def _read_trace(collected: Collected, record: dict[str, Any], location: str) -> None:
    """The documents of each round of an agent; a call without a round is of the round of the call before it."""
    query, system = query_of(record, location), system_of(record, location)
    rounds: list[int] = []
    retrieved: list[tuple[str, int]] = []
    iteration = 1
    for place, step in enumerate(_list(record, 'result', location), 1):
        where = f'{location}, result {place}'
        if not isinstance(step, dict):
            raise ValueError(f'{where}: found {step!r:.60}, expected an object')
        round_number = _number(step, ROUNDS, where, 1)
        if round_number is not None and not round_number.is_integer():
            raise ValueError(f'{where}: round is {round_number!r}, expected a whole number')
        iteration = iteration if round_number is None else int(round_number)
        documents = _documents_of(collected, step, where)
        retrieved.extend((document, iteration) for document in documents)
        rounds.extend([iteration] * bool(documents))
    counts: dict[str, int] = {}
    ordered = sorted(retrieved, key=lambda each: each[1])
    contexts = []
    for place, (document, number) in enumerate(ordered):
        counts[document] = counts.get(document, -1) + 1
        again = (
            REPEATED + str(counts[document]) * (counts[document] > 1) if counts[document] else ''
        )
        contexts.append(
            Context(document + again, float(len(ordered) - place), None, None, number, location)
        )
    collected.add(system, query, contexts)
    collected.use(system, query, rounds=len(set(rounds)))


def _documents_of(collected: Collected, step: dict[str, Any], location: str) -> list[str]:
    """The documents that a step of an agent retrieved: ``docids``, else the JSON of ``output``."""
    items: Any
    if 'docids' in step:
        items = _list(step, 'docids', location)
    elif step.get('type') == 'tool_result' and step.get('output') is not None:
        items = step['output']
        try:
            items = textfiles.load_json(items, location) if isinstance(items, str) else items
        except json.JSONDecodeError:
            items = None
        if isinstance(items, dict):
            items = next((value for value in items.values() if isinstance(value, list)), None)
        if not isinstance(items, list):
            collected.contexts.doubtful(
                'output of a tool', 'no JSON list', location, 'counted as no documents'
            )
            return []
    else:
        return []
    return [_document(item, location) for item in items]


def _read_usage(collected: Collected, record: dict[str, Any], location: str) -> None:
    usage = record['usage']
    numbers = {
        name: float(value)
        for name, value in usage.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    collected.use(system_of(record, location), query_of(record, location), **numbers)


def _depth(value: Any) -> int:
    """How many objects are nested, down to a number; 0 of anything else."""
    depth = 0
    while isinstance(value, dict):
        value = next((inner for name, inner in value.items() if name != MTEB_META), None)
        depth += 1
    return depth if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _read_mteb(collected: Collected, record: dict[str, Any], location: str) -> None:
    """``{subset: {split: {query: {document: score}}}}``, in older files without the subset; or a run."""
    depth = _depth(record)
    parts: dict[str, Any] = {
        '': {name: value for name, value in record.items() if name != MTEB_META}
    }
    for _ in range(depth - 2):
        parts = {
            f'{path}/{name}'.lstrip('/'): inner
            for path, part in parts.items()
            for name, inner in part.items()
        }
    selected_part = collected.part
    if depth == 2:
        part = parts['']
    elif selected_part is not None and selected_part not in parts:
        raise ValueError(f'{location}: part={selected_part!r}: the file has {", ".join(parts)}')
    elif selected_part is None and len(parts) > 1:
        raise ValueError(
            f'{location}: {len(parts)} parts: {", ".join(parts)}. Name one, as in '
            f'part={next(iter(parts))!r}'
        )
    else:
        part = parts[selected_part or next(iter(parts))]
    system = nuggets.stem(location)
    for query, documents in part.items():
        where = f'{location}, query {query!r}'
        if not isinstance(documents, dict):
            raise ValueError(
                f'{where}: found {documents!r:.60}, expected an object of documents and scores'
            )
        collected.add(
            system,
            str(query),
            [
                Context(
                    str(document),
                    _number({'score': score}, ('score',), where),
                    None,
                    None,
                    None,
                    where,
                )
                for document, score in documents.items()
            ],
        )


RAG_FORMS: dict[str, RagForm] = {
    form.name: form
    for form in (
        RagForm(
            'contexts',
            'the ranked contexts of a query: your own, castorini\'s candidates; or the references of an '
            'answer, where that is all there is',
            'contexts, candidates or references',
            lambda r: (
                any(
                    isinstance(r.get(name), list)
                    for name in ('contexts', 'candidates', 'references')
                )
                and 'nugget_bank' not in r
            ),
            _read_contexts,
            ranks=True,
        ),
        RagForm(
            'context',
            'one ranked context of a query',
            'doc_id with rank, score or tokens',
            _is_context,
            _read_context,
            ranks=True,
        ),
        RagForm(
            'answer',
            'sentences of an answer with citations: TREC RAG, RAGTIME, NeuCLIR, your own',
            'answer or responses',
            lambda r: _answer_field(r) is not None,
            _read_answer,
        ),
        RagForm(
            'nuggets',
            'nuggets, banks and rubrics',
            'nuggets, nugget_id, nugget_bank, rubrics, rating, …',
            lambda r: nuggets.form_of(r) is not None and not nuggets.form_of(r).whole,  # type: ignore[union-attr]
            _read_nuggets,
        ),
        RagForm(
            'trace',
            'the rounds of an agent, as BRIGHT-Pro writes them',
            'result',
            lambda r: isinstance(r.get('result'), list),
            _read_trace,
            ranks=True,
        ),
        RagForm(
            'usage',
            'numbers of rounds and tokens',
            'usage',
            lambda r: isinstance(r.get('usage'), dict),
            _read_usage,
        ),
        RagForm(
            'mteb',
            "MTEB's {task}_predictions.json",
            f'{MTEB_META}, or {{subset: {{split: {{query: {{document: score}}}}}}}}',
            lambda r: _depth(r) >= 2 or MTEB_META in r,
            _read_mteb,
            ranks=True,
        ),
    )
}
"""Every statement that is read, by name."""


def forms_of(record: dict[str, Any]) -> list[RagForm]:
    """The statements that a record makes."""
    if MTEB_META in record or _depth(record) >= 3:
        return [RAG_FORMS['mteb']]
    forms = [form for form in RAG_FORMS.values() if form.name != 'mteb' and form.tell(record)]
    return forms or [RAG_FORMS['mteb']] * RAG_FORMS['mteb'].tell(record)


def says_something(record: dict[str, Any]) -> bool:
    """Whether a record makes one of the statements."""
    return bool(forms_of(record))


def read_record(
    collected: Collected, record: dict[str, Any], location: str, ranks_only: bool = False
) -> None:
    """Collect all that a record says, or its ranking only.

    Raises:
        ValueError: it says nothing that is known, or is not as it should be; names the place.
    """
    forms = forms_of(record)
    if not forms:
        descriptions = '; '.join(f'{form.name}: {form.fields}' for form in RAG_FORMS.values())
        raise ValueError(
            f'{location}: found the fields {", ".join(map(str, record))[:120] or "none"}, expected those '
            f'of one of the forms ({descriptions})'
        )
    for form in forms:
        if form.ranks or not ranks_only:
            try:
                form.read(collected, record, location)
            except (KeyError, AttributeError, TypeError, IndexError) as error:
                reason = f'{type(error).__name__}: {error}'
                raise ValueError(
                    f'{location}: not a record of form {form.name!r} ({reason})'
                ) from None


def collect_data(collected: Collected, data: bytes, path: str, ranks_only: bool = False) -> None:
    """Collect all that a file says."""
    read = 0
    for location, record in nuggets.records(data, path):
        read_record(collected, record, location, ranks_only)
        read += 1
    if not read:
        raise ValueError(f'{path}: holds no records')
    collected.files.append(path)


def collect(collected: Collected, paths: Iterable[str]) -> None:
    """Collect all that some files say.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a file that is no JSON, or a record of no known form; names file and line.
    """
    for path in paths:
        data = textfiles.read_bytes(path)
        if not nuggets.looks_like_json(data):
            raise ValueError(
                f'{path}, line 1: expected JSON or JSON lines, found '
                f'{textfiles.first_lines(data, 1)[0] if data.strip() else "nothing"!r:.80}'
            )
        collect_data(collected, data, path)


def paths_of(source: Any) -> list[str]:
    """The files of a path, folder, pattern, or several of them.

    Raises:
        FileNotFoundError: nothing is there.
        TypeError: something else.
    """
    if isinstance(source, (str, os.PathLike)):
        return files(os.fspath(source))
    if isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        listed = list(source)
        if listed and all(isinstance(each, (str, os.PathLike)) for each in listed):
            return list(dict.fromkeys(path for each in listed for path in files(os.fspath(each))))
    raise TypeError(
        f'expected a path, a folder, a pattern or several of them, found {type(source).__name__}'
    )


def named_source(source: Any, name: str) -> str:
    """What messages call a source: its path, or a name."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else name


def first_record(data: bytes, path: str) -> dict[str, Any] | None:
    """The first record of a JSON file; None of anything else."""
    if not nuggets.looks_like_json(data):
        return None
    try:
        return next(nuggets.records(data, path))[1]
    except (ValueError, StopIteration):
        return None


def has_rankings(data: bytes, path: str) -> bool:
    """Whether a file has rankings in a form that only this module reads: no table of scores, no nested run."""
    record = first_record(data, path)
    if record is None or _depth(record) == 2:
        return False
    if _is_context(record):
        return 'score' not in record or any(name in record for name in LENGTHS)
    return any(form.ranks for form in forms_of(record))


def rankings(data: bytes, path: str, part: str | None = None) -> dict[str, pd.DataFrame]:
    """The runs of a file by system.

    Raises:
        ValueError: a record that is no ranking and of no known form; names file and line.
    """
    collected = Collected(part=part)
    collect_data(collected, data, path, ranks_only=True)
    return collected.runs()


__all__ = [
    'RAG_FORMS',
    'Collected',
    'Context',
    'RagForm',
    'Sentence',
    'collect',
    'collect_data',
    'forms_of',
    'has_rankings',
    'named_source',
    'paths_of',
    'rankings',
    'read_record',
    'says_something',
]
