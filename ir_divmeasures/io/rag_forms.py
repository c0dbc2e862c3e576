"""Records of RAG pipelines and search agents: contexts, answers with citations, rounds."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from .collected import (
    CONTEXT_IDS,
    Amount,
    Form,
    Id,
    Label,
    Record,
    convert,
    first,
    stem,
)
from .columns import NO_DOCUMENT
from .labels import grade_of
from .text_columns import REPEATED

MTEB_META = 'mteb_model_meta'
LISTS = ('contexts', 'candidates', 'references')
Round = Annotated[float, Meta(ge=1, multiple_of=1)]


class Ranking(Form):
    """A form of records that rank documents."""


class Context(Struct):
    """What a record says of a retrieved document besides its id."""

    score: float | None = None
    rank: float | None = None
    tokens: Amount | None = None
    length: Amount | None = None
    iteration: Round | None = None
    round: Round | None = None

    def add(self, record: Record, document: str, query: str | None = None) -> None:
        """Add the document to a ranking."""
        length = self.length if self.tokens is None else self.tokens
        iteration = self.round if self.iteration is None else self.iteration
        record.collected.retrieved.setdefault(record.system, []).append(
            (
                query or record.query,
                document,
                self.score,
                self.rank,
                length,
                iteration,
                record.location,
            )
        )


class Contexts(Ranking):
    """The ranked contexts of a query: the user's own, castorini's candidates; or the references of an answer, where
    that is all there is."""

    shown_by = tuple({name} for name in LISTS)
    contexts: list[Id | Context] | None = None
    candidates: list[Id | Context] | None = None
    references: list[Id | Context] | None = None

    def read(self, record: Record) -> None:
        name = next(name for name in LISTS if getattr(self, name) is not None)
        record.collected.retrieved.setdefault(record.system, [])
        for item, context in zip(record.data[name], getattr(self, name)):
            context = context if isinstance(context, Context) else Context()
            context.add(record, record.document(item))


class OneContext(Ranking):
    """One ranked context of a query."""

    shown_by = ({'rank'}, {'score'}, {'tokens'}, {'length'})

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return (
            super().shows(data)
            and first(data, CONTEXT_IDS[1:]) is not None
            and not {'relevance', 'label'} & set(data)
        )

    def read(self, record: Record) -> None:
        document = record.document(first(record.data, CONTEXT_IDS[1:]))
        convert(record.data, Context, record.location).add(record, document)


class Sentence(Struct):
    """A sentence of an answer: what it cites, and labels of how far that supports it."""

    text: str
    citations: list[Id | dict[str, Any]] | dict[str, float] | None = None
    support: Label | list[Label] = None
    needed: bool | Literal[0, 1] = 1

    def documents(self, record: Record, references: list[str]) -> list[str]:
        """The documents cited: places from 0 in the references, ids, or ids with confidences, the highest first."""
        if isinstance(self.citations, dict):
            return sorted(self.citations, key=self.citations.__getitem__, reverse=True)
        documents: list[str] = []
        for cited in self.citations or ():
            if isinstance(cited, int) and not 0 <= cited < len(references):
                raise ValueError(
                    f'{record.location}: citation {cited}, but the record has {len(references)} references or '
                    'contexts (places count from 0)'
                )
            document = references[cited] if isinstance(cited, int) else record.document(cited)
            if document in documents:
                raise ValueError(f'{record.location}: document {document!r} is cited twice')
            documents.append(document)
        return documents

    def grades(self, record: Record, n_cited: int) -> list[float | None]:
        """The grade of each citation: a label of the first one, or a list of labels."""
        labels = self.support if isinstance(self.support, list) else [self.support]
        grades = [grade_of(label, record.location, 'support') for label in labels]
        if len(grades) > n_cited and (isinstance(self.support, list) or grades[0] is not None):
            raise ValueError(
                f'{record.location}: {len(grades)} labels of support, but the sentence cites '
                f'{n_cited or "nothing"}'
            )
        return (grades + [None] * n_cited)[:n_cited]


class Answer(Form):
    """Sentences of an answer with citations: TREC RAG, RAGTIME, NeuCLIR, the user's own."""

    shown_by = ({'answer'}, {'responses'})
    answer: str | list[str | Sentence] | None = None
    responses: str | list[str | Sentence] | None = None
    contexts: list[Any] | None = None
    candidates: list[Any] | None = None
    references: list[Any] | None = None

    def read(self, record: Record) -> None:
        items = self.responses if self.answer is None else self.answer
        lists = (self.references, self.contexts, self.candidates)
        sources = next((each for each in lists if each is not None), [])
        references = [record.document(each) for each in sources]
        rows: list[tuple[Any, ...]] = []
        where, key = record.location, (record.system, record.query)
        for place, item in enumerate([items] if isinstance(items, str) else items or (), 1):
            sentence = Sentence(item) if isinstance(item, str) else item
            record.location = f'{where}, sentence {place}'
            documents = sentence.documents(record, references)
            grades = sentence.grades(record, len(documents))
            length = len(unicodedata.normalize('NFKC', sentence.text).split())
            cited = zip(range(1, len(documents) + 1), documents, grades)
            rows.extend(
                (*key, place, *citation, sentence.needed, length)
                for citation in (cited if documents else [(0, NO_DOCUMENT, None)])
            )
        record.location = where
        known = record.collected.answers.setdefault(key, (where, rows))
        if known[1] != rows:
            raise ValueError(
                f'{where}: system {key[0]!r} answers query {key[1]!r} here and, otherwise, in {known[0]}'
            )


class Step(Struct):
    """What an agent did: a call of a tool, and what it retrieved."""

    type: str | None = None
    round: Round | None = None
    iteration: Round | None = None
    docids: list[Any] | None = None
    output: Any = None

    def documents(self, record: Record) -> list[str]:
        """The documents that the step retrieved: ``docids``, else the JSON of ``output``."""
        items = self.docids
        if items is None and self.type == 'tool_result' and self.output is not None:
            items = self.output
            try:
                items = json.loads(items) if isinstance(items, str) else items
            except ValueError:
                items = None
            if isinstance(items, dict):
                items = next((value for value in items.values() if isinstance(value, list)), None)
            if not isinstance(items, list):
                record.doubtful('output of a tool', 'no JSON list', 'counted as no documents')
                return []
        return [record.document(item) for item in items or ()]


class Trace(Ranking):
    """The rounds of an agent, as BRIGHT-Pro writes them."""

    result: list[Step]

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return isinstance(data.get('result'), list)

    def read(self, record: Record) -> None:
        """Add the documents of each round; a call without a round is of the round of the call before it."""
        record.collected.retrieved.setdefault(record.system, [])
        retrieved: list[tuple[float, str]] = []
        number = 1.0
        for step in self.result:
            number = step.iteration or step.round or number
            retrieved.extend((number, document) for document in step.documents(record))
        counts: Counter[str] = Counter()
        for place, (number, document) in enumerate(sorted(retrieved, key=lambda each: each[0])):
            counts[document] += 1
            again = counts[document] - 1
            suffix = f'{REPEATED}{again if again > 1 else ""}' if again else ''
            context = Context(score=float(len(retrieved) - place), iteration=number)
            context.add(record, document + suffix)
        usage = record.collected.usage.setdefault((record.system, record.query), {})
        usage['rounds'] = len({number for number, _ in retrieved})


class Usage(Form):
    """Numbers of rounds and tokens."""

    usage: dict[str, Any]

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return isinstance(data.get('usage'), dict)

    def read(self, record: Record) -> None:
        usage = record.collected.usage.setdefault((record.system, record.query), {})
        for name, value in self.usage.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                usage[name] = float(value)


class Mteb(Ranking):
    """MTEB's ``{task}_predictions.json``: ``{subset: {split: {query: {document: score}}}}``, in older files without the
    subset; or a run."""

    shown_by = ({MTEB_META},)

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return super().shows(data) or depth(data) > 1

    def read(self, record: Record) -> None:
        content = {name: value for name, value in record.data.items() if name != MTEB_META}
        parts: dict[str, Any] = {'': content}
        for _ in range(depth(content) - 2):
            parts = {
                f'{path}/{name}'.lstrip('/'): inner
                for path, part in parts.items()
                for name, inner in part.items()
            }
        part = record.collected.part
        if '' in parts or part is None and len(parts) == 1:
            part = next(iter(parts))
        elif part is None:
            raise ValueError(
                f'{record.location}: {len(parts)} parts: {", ".join(parts)}. Name one, as in '
                f'part={next(iter(parts))!r}'
            )
        elif part not in parts:
            raise ValueError(f'{record.location}: part={part!r}: the file has {", ".join(parts)}')
        record.system = stem(record.location)
        scores = convert(parts[part], dict[str, dict[str, float]], record.location)
        for query, documents in scores.items():
            for document, score in documents.items():
                Context(score).add(record, document, query)


def depth(value: Any) -> int:
    """How many objects are nested, down to a number; 0 of anything else."""
    n_objects = 0
    while isinstance(value, dict):
        value = next((inner for name, inner in value.items() if name != MTEB_META), None)
        n_objects += 1
    return n_objects if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
