"""Records of nuggets (sub-questions, criteria, aspects of a query), which are intents, and of what is judged of them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from . import text as textfiles
from .collected import (
    ANSWERS,
    BOTH,
    CONTEXTS,
    DOCUMENTS,
    NOT_JUDGED,
    OF_ALL,
    OF_ANSWERS,
    OF_CONTEXTS,
    SYSTEMS,
    Amount,
    Form,
    Id,
    Label,
    Record,
    convert,
    first,
)
from .columns import NO_DOCUMENT
from .labels import grade_of
from .rag_forms import LISTS, by_ids

BRIGHT_PRO_ID = re.compile(r'(.+)-(?:a|aspect-)\d+')
"""BRIGHT-Pro's ids of aspects: the query, then -a0 or -aspect-0."""
LABELS = ('label', 'assignment', 'relevance', 'grade')
VERDICTS = ('verdict', 'criteria_met', 'label', 'score')
Text = Annotated[str, Meta(min_length=1)]
Rating = int | float | None


class NuggetForm(Form):
    """A form of records about nuggets. A record is of the first of these forms that it shows."""


class Whole(NuggetForm):
    """A form of files that are one JSON object, by query or question."""

    content: dict[str, Any]

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        try:
            return bool(data) and bool(msgspec.convert({'content': data}, cls))
        except msgspec.ValidationError:
            return False


class Nugget(Struct):
    """A nugget of a list, with what is said of it."""

    text: Text
    nugget_id: Id | None = None
    importance: str | None = None
    weight: Amount | None = None
    assignment: Label | UnsetType = UNSET
    documents: list[Id] | None = None

    def grade(self, record: Record, name: str, own: bool) -> float | None:
        """The grade of an assignment; in AutoNuggetizer's own files an unknown one counts as no support."""
        try:
            if own or str(self.assignment).lower() != 'failed':
                return grade_of(self.assignment, f'{record.location}, nugget {name}', 'assignment')
        except ValueError:
            if own:
                raise
        record.doubtful('assignment', self.assignment, 'counted as no support')
        return 0


class Nuggets(NuggetForm):
    """A list of nuggets: AutoNuggetizer's, created or assigned to an answer or a document; or the user's own, texts or
    objects with the documents of each nugget and what the answer says of it."""

    shown_by = ({'nuggets'},)
    nuggets: list[Text | Nugget]

    def read(self, record: Record) -> None:
        nuggets = [Nugget(each) if isinstance(each, str) else each for each in self.nuggets]
        have = {
            'documents': [each.documents is not None for each in nuggets],
            'assignment': [each.assignment is not UNSET for each in nuggets],
        }
        for name, present in have.items():
            if any(present) and not all(present):
                n_without = len(nuggets) - sum(present)
                raise record.error(f'{n_without} of {len(nuggets)} nuggets have no {name}')
        with_documents, assigned = map(any, have.values())
        own = with_documents or bool(record.data.keys() & {*LISTS, 'responses'})
        own = own or isinstance(record.data.get('answer'), list)
        document = None if own else first(record.names, DOCUMENTS)
        judged = ANSWERS if document is None else CONTEXTS
        if not own and assigned and document is None and BOTH in record.collected.sides:
            document = record.value((*DOCUMENTS, *SYSTEMS))
        # nuggets that are only listed are listed for both
        sides = [CONTEXTS] * with_documents + [judged] * assigned or [CONTEXTS, ANSWERS]
        record.lists((BOTH, *sides), len(nuggets))
        if not nuggets:
            record.doubtful('list of nuggets', [], 'such queries are left out')
        if with_documents:
            record.judged(OF_CONTEXTS)
        if not own and not assigned and first(record.names, SYSTEMS) is not None:
            record.lacks('assignment')
        judges = (judged, ANSWERS if own else BOTH)
        judging = assigned and record.sides(judges)
        grades: dict[str, float] = {}
        for place, nugget in enumerate(nuggets, 1):
            name = str(nugget.nugget_id or place)
            record.intent((BOTH, *sides), name, **record.facts(nugget))
            if judging and (grade := nugget.grade(record, name, own)) is not None:
                grades[name] = grade
            for each in nugget.documents or ():
                record.judge(OF_CONTEXTS, each, {name: 1}, False, highest=True)
        if judging:
            record.judge(judges, record.system if document is None else document, grades)


class Ragas(NuggetForm):
    """RAGAS's reference contexts: each is a nugget that only it contains, named by its id, or else by its text."""

    shown_by = ({'reference_contexts'}, {'reference_context_ids'})
    reference_contexts: list[str] | None = None
    reference_context_ids: list[Id] | None = None

    def read(self, record: Record) -> None:
        texts, ids = self.reference_contexts or [], self.reference_context_ids or []
        if texts and ids and len(texts) != len(ids):
            raise record.error(
                f'{len(ids)} reference_context_ids for {len(texts)} reference_contexts'
            )
        record.judged(OF_CONTEXTS)
        named = ids and (not texts or by_ids(record.data))
        for place, document in enumerate(ids if named else texts, 1):
            text = texts[place - 1] if texts else None
            record.intent(OF_CONTEXTS, str(place), text=text)
            record.judge(OF_CONTEXTS, document, {str(place): 1}, False)


class Supported(NuggetForm):
    """Nuggets with the documents that support them, and those that do not: FreshStack's, in a list or one a record, and
    BRIGHT-Pro's weighted aspects."""

    shown_by = ({'relevant_corpus_ids'}, {'weight', 'supporting_docs'})
    also = ('aspect_id', 'aspect', 'name')
    _id: Id | None = None
    relevant_corpus_ids: list[Id] | None = None
    non_relevant_corpus_ids: list[Id] | None = None
    supporting_docs: list[Id] | None = None
    weight: Amount | None = None
    nuggets: list[Supported] | None = None

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        nuggets = data.get('nuggets')
        return super().shows(data) or (
            isinstance(nuggets, list)
            and any(isinstance(each, dict) and '_id' in each for each in nuggets)
        )

    def read(self, record: Record) -> None:
        for nugget, data in zip(self.nuggets or (), record.data.get('nuggets', ())):
            query = {'query_id': first(record.data, ('query_id', 'qid'))}
            nugget.read(Record(record.collected, {**query, **data}, record.location))
        if self.nuggets is not None:
            return
        name = record.value(
            ('_id',) if self.relevant_corpus_ids is not None else ('id', 'aspect_id')
        )
        record.query = query_of_intent(record, name)
        record.judged(OF_CONTEXTS)
        text = first(record.data, ('text', 'aspect', 'content', 'name'))
        record.intent(OF_CONTEXTS, name, text=text, weight=self.weight)
        relevant, refuted = (
            self.relevant_corpus_ids or self.supporting_docs or [],
            self.non_relevant_corpus_ids or [],
        )
        for document in filter(refuted.__contains__, relevant):
            what = 'a document both relevant and non-relevant'
            record.doubtful(what, str(document), 'counted as non-relevant')
        grades = {**dict.fromkeys(relevant, 1), **dict.fromkeys(refuted, 0)}
        for document, grade in grades.items():
            record.judge(OF_CONTEXTS, document, {name: grade}, False, highest=True)


def query_of_intent(record: Record, name: str) -> str:
    """The query of an intent: as ``queries=`` or the record says, or the beginning of the intent's id."""
    if record.collected.queries:
        if name not in record.collected.queries:
            raise record.error(f'queries= names no query for nugget {name!r}')
        return str(record.collected.queries[name])
    dashed = BRIGHT_PRO_ID.fullmatch(name)
    query = first(record.data, ('query_id', 'qid')) or (
        dashed[1] if dashed else name.rpartition('_')[0]
    )
    if not query:
        raise record.error(
            f"nugget {name!r}: no query before a '_' or '-a'; give queries={{nugget: query}}"
        )
    return str(query)


class Crux(NuggetForm):
    """CRUX: a list of ratings, one for each sub-question, by document."""

    shown_by = ({'rating'}, {'docids', 'ratings'})
    also = ('ratings', 'ratings_andor')
    rating: list[Rating] | None = None
    docids: list[Id] | None = None

    def read(self, record: Record) -> None:
        record.query = record.value(('id', 'example_id', 'qid', 'query_id'))
        lists = [self.rating] if self.rating is not None else []
        if self.docids is None:
            add_ratings(record, [record.value(DOCUMENTS)], lists)
            return
        name = record.collected.ratings
        lists = convert(record.data.get(name), list[list[Rating]], f'{record.location}, {name}')
        if len(self.docids) != len(lists):
            raise record.error(
                f'query {record.query!r}: {len(lists)} lists of ratings for {len(self.docids)} documents'
            )
        add_ratings(record, self.docids, lists)


class Lancer(Whole):
    """LANCER: ``{query: [[rating, …], …]}``, a list for each document of a run."""

    content: dict[str, Annotated[list[list[Rating]], Meta(min_length=1)]]

    def read(self, record: Record) -> None:
        run = record.collected.run
        if run is None:
            raise record.error(
                'lists of ratings without documents: give run=, the run that was rated'
            )
        for query, lists in self.content.items():
            record.query = query
            documents = run.get(query, [])
            if len(lists) > len(documents):
                raise record.error(
                    f'query {query!r}: {len(lists)} lists of ratings, but the run has {len(documents)} documents'
                )
            add_ratings(record, documents, lists)


def add_ratings(record: Record, documents: list[Any], lists: list[list[Rating]]) -> None:
    """Add the ratings of documents, one for each sub-question of the query; −1 and unknown ones say nothing."""
    for document, ratings in zip(documents, lists):
        record.lists(OF_CONTEXTS, len(ratings))
        for place in range(len(ratings)):
            record.intent(OF_CONTEXTS, str(place + 1))
        grades = {}
        for place, rating in enumerate(ratings, 1):
            if rating is None or not (rating >= 0 or rating == NOT_JUDGED):
                record.doubtful('rating', rating, 'left out as −1')
            elif rating != NOT_JUDGED:
                grades[str(place)] = rating
        record.judge(OF_CONTEXTS, document, grades)


class Part(Struct):
    """A nugget of a bank, an answer to it, or a part of it, and the documents that contain it."""

    question_id: Id | None = None
    nugget_id: Id | None = None
    question: str | None = None
    answer: str | None = None
    text: str | None = None
    claim: str | None = None
    importance: str | None = None
    aggregator_type: Any = None
    references: list[Id | dict[str, Any]] | None | UnsetType = UNSET
    answers: dict[str, Part | str | None] | list[Part | str | None] | None = None
    sub_nuggets: dict[str, Part | str | None] | list[Part | str | None] | None = None

    def parts(self) -> list[tuple[str | None, Part]]:
        """The answers and sub-nuggets with their texts."""
        return [
            (part.answer or part.text or part.question or part.claim or key, part)
            if isinstance(part, Part)
            else (part, Part())
            for key, part in (*pairs(self.answers), *pairs(self.sub_nuggets))
        ]

    def joined_by(self) -> str:
        """How its parts are joined, AND or OR."""
        return str(self.aggregator_type or 'OR').upper()

    def cited(self, record: Record) -> list[str]:
        """The documents of the part itself."""
        if self.references is not UNSET:
            return [record.document(each, DOCUMENTS) for each in self.references or ()]
        if self.answers is None and self.sub_nuggets is None:
            record.lacks('references', system=False)
        return []

    def documents(self, record: Record) -> list[str]:
        """The documents of the part, and of its own parts."""
        parts = self.parts()
        if len(parts) > 1 and self.joined_by() == 'AND':
            record.doubtful('aggregator_type of a part', 'AND', 'counted as OR')
        inner = [document for _, part in parts for document in part.documents(record)]
        return self.cited(record) + inner

    def add(self, record: Record, place: int, key: str | None) -> None:
        """Add a nugget. With AND, and several answers, each is an aspect; else the nugget is one."""
        record.judged(OF_CONTEXTS)
        name, parts = str(self.question_id or self.nugget_id or place), self.parts()
        if self.joined_by() not in ('AND', 'OR'):
            record.doubtful('aggregator_type', self.aggregator_type, 'counted as OR')
        if len(parts) > 1 and self.aggregator_type is None:
            record.lacks('aggregator_type', system=False)
        facts = {**record.facts(self), 'text': self.question or self.text or key}
        aspects: list[tuple[str, dict[str, Any], list[Part]]]
        aspects = [(name, facts, [part for _, part in parts])]
        if self.joined_by() == 'AND' and len(parts) > 1:
            aspects = [
                (
                    f'{name}.{number}',
                    {**facts, 'text': f'{facts["text"]} {text or ""}'.strip(), 'part_of': name},
                    [part],
                )
                for number, (text, part) in enumerate(parts, 1)
            ]
        for aspect, facts, inner in aspects:
            record.intent(OF_CONTEXTS, aspect, **facts)
            documents = [document for part in inner for document in part.documents(record)]
            for document in documents + self.cited(record):
                record.judge(OF_CONTEXTS, document, {aspect: 1}, False, highest=True)


def pairs(items: Any) -> list[tuple[Any, Any]]:
    """The keys and values of an object; the items of a list have no keys."""
    return [*items.items()] if isinstance(items, dict) else [(None, each) for each in items or ()]


class AutoJudge(NuggetForm):
    """TREC AutoJudge: nugget banks (v3) of questions, answers and references."""

    shown_by = ({'nugget_bank'},)
    nugget_bank: dict[str, Part] | list[Part]
    claim_bank: list[Any] | dict[str, Any] | None = None

    def read(self, record: Record) -> None:
        if self.claim_bank:
            n_claims = f'{len(self.claim_bank)} claims'
            record.doubtful('claim_bank', n_claims, 'not read, questions only')
        for place, (key, nugget) in enumerate(pairs(self.nugget_bank), 1):
            nugget.add(record, place, key)


class Neuclir(Whole):
    """NeuCLIR reports: ``{question: [_, {answer: [document, …]}]}``, one file a query."""

    content: dict[str, tuple[Any, dict[str, list[Id]]]]

    def read(self, record: Record) -> None:
        path = record.location.partition(',')[0]
        name = os.path.basename(path).partition('.')[0]
        queries = record.collected.queries
        record.query = queries.get(path) or queries.get(name) or name.removeprefix('nuggets_')
        if name == record.query:
            raise ValueError(
                f'{path}: expected a file named nuggets_<query>.json, which names the query'
            )
        for place, (question, (kind, answers)) in enumerate(self.content.items(), 1):
            parts: Any = {text: Part(references=[*each]) for text, each in answers.items()}
            Part(aggregator_type=kind, answers=parts).add(record, place, question)


class Flat(NuggetForm):
    """A nugget and the label of one document, one answer or one sentence of an answer."""

    shown_by = ({'nugget_id'}, {'nugget'})
    also = (*LABELS, 'nugget_id')
    nugget: str | None = None
    text: str | None = None
    importance: str | None = None
    weight: Amount | None = None
    sentence: Annotated[int, Meta(ge=1)] | None = None

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        return super().shows(data) and not isinstance(data.get('nugget'), list)

    def grade(self, value: Any, record: Record) -> float | None:
        return grade_of(value, record.location)

    def read(self, record: Record) -> None:
        document, system = first(record.data, DOCUMENTS), first(record.data, SYSTEMS)
        facts = record.facts(self)
        if record.data.get('nugget_id'):
            facts['text'] = self.nugget
        sides = (BOTH, ANSWERS if document is None else CONTEXTS)
        listed = document is None and system is None
        name = str(first(record.data, ('nugget_id', 'nugget')))
        record.intent(OF_ALL if listed else sides, name, **facts)
        label = next((each for each in LABELS if each in record.data), None)
        if listed != (label is None):
            expected = (*DOCUMENTS, *SYSTEMS) if listed else LABELS
            raise record.error(f'no {" or ".join(expected)} (found {", ".join(record.data)})')
        if document is None and self.sentence is not None:
            system = f'{system}/{self.sentence}'
        grade = None if label is None else self.grade(record.data[label], record)
        record.judged(sides)
        if grade is not None:
            record.judge(sides, system if document is None else document, {name: grade}, False)


class Row(Flat):
    """A row of a table, whose grades are labels or any numbers. Its weights are checked with the judgments."""

    weight: float | None = None
    points: float | None = None
    part_of: str | None = None

    def grade(self, value: Any, record: Record) -> float | None:
        number = textfiles.number(str(value))
        if number is None:
            return super().grade(value, record)
        if not math.isfinite(number):
            raise record.error(f'relevance is {value!r}, expected a number')
        number = int(number) if number.is_integer() else number
        judged = first(record.data, (*DOCUMENTS, *SYSTEMS))
        return None if judged == NO_DOCUMENT and number <= 0 else number


class Criterion(NuggetForm):
    """A criterion of an answer with points, which may be negative, and a verdict, as in ResearchRubrics."""

    shown_by = ({'criterion'}, {'sample_id', 'weight', 'score'})
    points: float | None = None
    weight: float | None = None
    criterion: str | None = None
    text: str | None = None
    criterion_id: Id | None = None
    verdict: Label | UnsetType = UNSET
    criteria_met: Label | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    score: Annotated[float, Meta(ge=0, le=1)] | None | UnsetType = UNSET

    def grade(self, record: Record, name: str) -> float | None:
        """Name the criterion; the grade that its verdict is."""
        points = self.weight if self.points is None else self.points
        if points is None:
            raise record.error(f'criterion {name}: no points or weight')
        text, weight = self.criterion or self.text or None, max(points, 0.0)
        record.intent(OF_ANSWERS, name, text=text, points=points, weight=weight)
        verdict = self.verdict_name()
        if verdict is None:
            record.lacks('verdict')
            return None
        written = getattr(self, verdict)
        if verdict == 'score' and written is not None:
            return float(2 * written)
        return grade_of(written, record.location, verdict)

    def verdict_name(self) -> str | None:
        """The field that has the verdict."""
        return next((name for name in VERDICTS if getattr(self, name) is not UNSET), None)

    def read(self, record: Record) -> None:
        rubric = (record.query, record.system, record.judge_name)
        record.collected.criteria[rubric] += 1
        name = str(self.criterion_id or record.collected.criteria[rubric])
        record.judged(OF_ANSWERS)
        if (grade := self.grade(record, name)) is not None:
            record.judge(OF_ANSWERS, record.system, {name: grade}, False)


class Rubric(NuggetForm):
    """Criteria of an answer with points and verdicts, as in HealthBench."""

    shown_by = ({'rubrics'},)
    rubrics: list[Criterion]

    def read(self, record: Record) -> None:
        record.lists(OF_ANSWERS, len(self.rubrics))
        grades = {str(n): each.grade(record, str(n)) for n, each in enumerate(self.rubrics, 1)}
        known = {name: grade for name, grade in grades.items() if grade is not None}
        if any(each.verdict_name() for each in self.rubrics):
            record.judge(OF_ANSWERS, record.system, known)


class Questions(NuggetForm):
    """Sub-questions of a query."""

    shown_by = ({'questions'}, {'subquestions'})
    questions: list[str] | dict[str, str | None] | None = None
    subquestions: list[str] | dict[str, str | None] | None = None

    def read(self, record: Record) -> None:
        add_texts(record, self.subquestions if self.questions is None else self.questions)


class Texts(Whole):
    """Sub-questions of queries: ``{query: [text, …]}``."""

    content: dict[str, Annotated[list[str], Meta(min_length=1)]]

    def read(self, record: Record) -> None:
        for query, texts in self.content.items():
            record.query = query
            add_texts(record, texts)


def add_texts(record: Record, texts: Any) -> None:
    """Name the intents of a query: a list of texts, or texts by name."""
    if not isinstance(texts, Mapping):
        listed = convert(texts, list[str], f'{record.location}, query {record.query!r}')
        record.lists(OF_ALL, len(listed))
        texts = dict(enumerate(listed, 1))
    for name, text in texts.items():
        record.intent(OF_ALL, str(name), text=text)
