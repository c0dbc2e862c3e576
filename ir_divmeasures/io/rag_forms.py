"""Records of RAG pipelines and search agents: contexts, answers with citations, rounds."""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

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
LISTS = (
    'contexts',
    'retrieved_contexts',
    'retrieved_context_ids',
    'candidates',
    'results',
    'references',
)
OF_TEXTS = LISTS[:2]
"""Lists in which strings are texts, not ids."""
Round = Annotated[float, Meta(ge=1, multiple_of=1)]


class Ranking(Form):
    """A form of records that rank documents."""


class Context(Struct):
    """What a record says of a retrieved document besides its id and its text."""

    score: float | None = None
    rank: float | None = None
    tokens: Amount | None = None
    length: Amount | None = None
    iteration: Round | None = None
    round: Round | None = None

    def add(self, record: Record, document: str) -> None:
        """Add the document to a ranking."""
        length = self.length if self.tokens is None else self.tokens
        iteration = self.round if self.iteration is None else self.iteration
        row = (record.query, document, self.score, self.rank, length, iteration, record.location)
        record.retrieved().append(row)


class Contexts(Ranking):
    """The ranked contexts of a query: ids or texts, or objects with an id, a text, a score, a rank, a number of tokens.
    ``references`` count where a record has nothing else."""

    shown_by = tuple({name} for name in LISTS)
    contexts: list[Id | Context] | None = None
    retrieved_contexts: list[Id | Context] | None = None
    retrieved_context_ids: list[Id] | None = None
    candidates: list[Id | Context] | None = None
    results: list[Id | Context] | None = None
    references: list[Id | Context] | None = None

    def read(self, record: Record) -> None:
        """Add the documents in the order of the list that counts. A text that comes again gets a suffix, as in traces."""
        record.retrieved()
        if (place := record.gives('contexts')) != record.location:
            raise record.error(
                f'system {record.system!r} has contexts for query {record.query!r} here and in '
                f'{place}'
            )
        names = [name for name in LISTS if getattr(self, name) is not None]
        name = LISTS[2] if by_ids(record.data) else names[0]
        counts: Counter[str] = Counter()
        for item, context in zip(record.data[name], getattr(self, name)):
            document = record.document(item)
            if name in OF_TEXTS and (isinstance(item, str) or first(item, CONTEXT_IDS) is None):
                counts[document] += 1
                document += again(counts[document])
                record.collected.texts[record.system].add(document)
            (context if isinstance(context, Context) else Context()).add(record, document)


def by_ids(data: Mapping[str, Any]) -> bool:
    """Whether RAGAS's contexts are known by their ids: unless only their texts can be compared with the reference."""
    texts = (
        data.get('retrieved_contexts') is not None and data.get('reference_contexts') is not None
    )
    return data.get(LISTS[2]) is not None and (
        not texts or data.get('reference_context_ids') is not None
    )


def context_of(item: Any) -> dict[str, Any]:
    """A retrieved document in memory as the object of a record: an id, LangChain's ``Document``, LlamaIndex's
    ``NodeWithScore``, or a pair of an id and its score. The scores of LangChain's pairs can be distances, so that the
    order of the list counts."""
    if isinstance(item, tuple) and len(item) == 2:
        context = context_of(item[0])
        return context if hasattr(item[0], 'page_content') else {**context, 'score': item[1]}
    if isinstance(item, Mapping):
        return dict(item)
    if hasattr(item, 'page_content'):
        name = first(
            {**item.metadata, 'id': getattr(item, 'id', None) or item.metadata.get('id')},
            CONTEXT_IDS,
        )
        return {'text': item.page_content} if name is None else {'id': name}
    node = getattr(item, 'node', item)
    context = {'id': getattr(node, 'node_id', node)}
    score = getattr(item, 'score', None)
    return context if score is None else {**context, 'score': score}


def again(n: int) -> str:
    """The suffix of a document that is there for the n-th time."""
    return '' if n < 2 else f'{REPEATED}{n - 1 if n > 2 else ""}'


class OneContext(Ranking):
    """One ranked context of a query."""

    also = Context.__struct_fields__

    shown_by = ({'rank'}, {'score'}, {'tokens'}, {'length'})

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return super().shows(data) and not {'relevance', 'label', *LISTS} & set(data)

    def read(self, record: Record) -> None:
        record.gives('contexts')
        document = record.value(CONTEXT_IDS[1:])
        convert(record.data, Context, record.location).add(record, document)


class Sentence(Struct):
    """A sentence of an answer: what it cites, and labels of how far that supports it."""

    text: str
    citations: list[Id | dict[str, Any]] | dict[str, float] | None | UnsetType = UNSET
    support: Label | list[Label] | UnsetType = UNSET
    needed: bool | Literal[0, 1] = 1

    def documents(self, record: Record, references: list[str]) -> list[str]:
        """The documents cited: places from 0 in the references, ids, or ids with confidences, the highest first."""
        if isinstance(self.citations, dict):
            return sorted(self.citations, key=self.citations.__getitem__, reverse=True)
        documents: list[str] = []
        if self.citations is UNSET:
            record.lacks('citations')
            return []
        for cited in self.citations or ():
            if isinstance(cited, int) and not 0 <= cited < len(references):
                raise record.error(
                    f'citation {cited}, but the record has {len(references)} references or '
                    'contexts (places count from 0)'
                )
            document = references[cited] if isinstance(cited, int) else record.document(cited)
            if document in documents:
                raise record.error(f'document {document!r} is cited twice')
            documents.append(document)
        return documents

    def grades(self, record: Record, n_cited: int) -> list[float | None]:
        """The grade of each citation: a label of the first one, or a list of labels."""
        if n_cited and self.support is UNSET:
            record.lacks('support')
        support = None if self.support is UNSET else self.support
        labels = support if isinstance(support, list) else [support]
        grades = [grade_of(label, record.location, 'support') for label in labels]
        if len(grades) > n_cited and (isinstance(support, list) or grades[0] is not None):
            raise record.error(f'{len(grades)} labels of support for {n_cited} citations')
        return (grades + [None] * n_cited)[:n_cited]


class Answer(Form):
    """An answer: a text, or sentences with citations, as in TREC RAG, RAGTIME, NeuCLIR, and the user's own."""

    shown_by = ({'answer'}, {'responses'}, {'response'})
    also = ('reference', 'ground_truth', 'ground_truths')
    answer: str | list[str | Sentence] | None = None
    responses: str | list[str | Sentence] | None = None
    response: str | list[str | Sentence] | None = None
    references: list[Any] | None = None
    contexts: list[Any] | None = None
    candidates: list[Any] | None = None

    def read(self, record: Record) -> None:
        texts = (self.answer, self.responses, self.response)
        items = next(each for each in texts if each is not None)
        lists = (self.references, self.contexts, self.candidates)
        references = [record.document(each) for each in next(filter(None, lists), [])]
        rows: list[tuple[Any, ...]] = []
        where, key = record.location, (record.system, record.query)
        for place, item in enumerate([items] if isinstance(items, str) else items, 1):
            sentence = Sentence(item) if isinstance(item, str) else item
            record.location = f'{where}, sentence {place}'
            documents = sentence.documents(record, references)
            grades = sentence.grades(record, len(documents))
            length = len(unicodedata.normalize('NFKC', sentence.text).split())
            needed = math.nan if sentence.citations is UNSET else sentence.needed
            cited = [*zip(range(1, len(documents) + 1), documents, grades)]
            for citation in cited or [(0, NO_DOCUMENT, None)]:
                rows.append((*key, place, *citation, needed, length))
        record.location = where
        known, first_place = record.collected.answers.setdefault(key, rows), record.gives('answer')
        if known != rows and first_place != where:
            raise record.error(
                f'system {key[0]!r} answers query {key[1]!r} here and, otherwise, in {first_place}'
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
        if items is None and self.type in (None, 'tool_result'):
            if self.output is None or self.type is None:
                record.lacks('docids' if self.output is None else 'type')
                return []
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
        record.retrieved()
        record.gives('contexts')
        retrieved: list[tuple[float, str]] = []
        number = 1.0
        for step in self.result:
            number = step.iteration or step.round or number
            retrieved.extend((number, document) for document in step.documents(record))
        counts: Counter[str] = Counter()
        for place, (number, document) in enumerate(sorted(retrieved, key=lambda each: each[0])):
            counts[document] += 1
            context = Context(score=float(len(retrieved) - place), iteration=number)
            context.add(record, document + again(counts[document]))
        usage = record.collected.usage[record.system, record.query]
        usage['rounds'] = len({number for number, _ in retrieved})


class Usage(Form):
    """Numbers of rounds and tokens."""

    usage: dict[str, Any]

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return isinstance(data.get('usage'), dict)

    def read(self, record: Record) -> None:
        usage = record.collected.usage[record.system, record.query]
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
        elif part not in parts:
            raise record.error(
                f'part={part!r}, but the file has {", ".join(parts)}. Name one, as in part={next(iter(parts))!r}'
            )
        meta = record.data.get(MTEB_META) or {}
        record.system = record.collected.named(
            str(meta.get('model_name') or stem(record.location)), str(meta.get('revision') or '')
        )
        scores = convert(parts[part], dict[str, dict[str, float]], record.location)
        for record.query, documents in scores.items():
            record.gives('contexts')
            for document, score in documents.items():
                Context(score).add(record, document)


def depth(value: Any) -> int:
    """How many objects are nested, down to a number; 0 of anything else."""
    n_objects = 0
    while isinstance(value, dict):
        value = next((inner for name, inner in value.items() if name != MTEB_META), None)
        n_objects += 1
    return n_objects if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
