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
        n_documents = sum(each.documents is not None for each in nuggets)
        n_assigned = sum(each.assignment is not UNSET for each in nuggets)
        for name, n in (('documents', n_documents), ('assignment', n_assigned)):
            if 0 < n < len(nuggets):
                raise record.error(f'{len(nuggets) - n} of {len(nuggets)} nuggets have no {name}')
        own = n_documents > 0 or bool(record.data.keys() & {*LISTS, 'responses'})
        own = own or isinstance(record.data.get('answer'), list)
        document = None if own else first(record.names, DOCUMENTS)
        judged = ANSWERS if document is None else CONTEXTS
        judges = (ANSWERS,) if own else (BOTH, judged)
        # nuggets that are only listed are listed for both
        sides = [CONTEXTS] * bool(n_documents) + [judged] * bool(n_assigned) or OF_ALL
        record.lists((BOTH, *sides), len(nuggets))
        if not nuggets:
            record.doubtful('list of nuggets', [], 'such queries are left out')
        if not own and not n_assigned and first(record.names, SYSTEMS) is not None:
            record.lacks('assignment')
        grades: dict[str, float] = {}
        judging = n_assigned and record.sides(judges)
        for place, nugget in enumerate(nuggets, 1):
            name = str(nugget.nugget_id or place)
            record.intent((BOTH, *sides), name, **record.facts(nugget))
            if nugget.documents is not None:
                record.supported(name, nugget.documents)
            if judging and (grade := nugget.grade(record, name, own)) is not None:
                grades[name] = grade
        if judging:
            named = (*DOCUMENTS, *SYSTEMS)
            own_name = BOTH in record.collected.sides and document is None
            system = record.value(named) if own_name else record.system
            record.judge(judges, system if document is None else document, grades)


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
        documents = ids if ids and (not texts or by_ids(record.data)) else texts
        for place, document in enumerate(documents, 1):
            record.supported(str(place), [document], text=texts[place - 1] if texts else None)


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
        text = first(record.data, ('text', 'aspect', 'content', 'name'))
        relevant = self.relevant_corpus_ids or self.supporting_docs or []
        refuted = self.non_relevant_corpus_ids or []
        for document in filter(refuted.__contains__, relevant):
            what = 'a document both relevant and non-relevant'
            record.doubtful(what, str(document), 'counted as non-relevant')
        record.supported(name, relevant, refuted, text=text, weight=self.weight)


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
        if self.docids is None:
            lists = [] if self.rating is None else [self.rating]
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
        for record.query, lists in self.content.items():
            documents = run.get(record.query, [])
            if len(lists) > len(documents):
                raise record.error(
                    f'query {record.query!r}: {len(lists)} lists of ratings, but the run has {len(documents)} documents'
                )
            add_ratings(record, documents, lists)


def add_ratings(record: Record, documents: list[Any], lists: list[list[Rating]]) -> None:
    """Add the ratings of documents, one for each sub-question of the query; −1 and unknown ones say nothing."""
    for document, ratings in zip(documents, lists):
        record.lists(OF_CONTEXTS, len(ratings))
        grades = {}
        for place, rating in enumerate(ratings, 1):
            known = rating is not None and rating >= 0
            if not known and rating != NOT_JUDGED:
                record.doubtful('rating', rating, 'left out as −1')
            grades[str(place)] = rating if known else None
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

    def parts(self) -> list[tuple[str, Part]]:
        """The answers and sub-nuggets with their texts."""
        parts = []
        for key, part in (*pairs(self.answers), *pairs(self.sub_nuggets)):
            part = part if isinstance(part, Part) else Part(answer=part)
            text = part.answer or part.text or part.question or part.claim or key or ''
            parts.append((text, part))
        return parts

    def joined(self) -> bool:
        """Whether all of several parts are needed."""
        return len(self.parts()) > 1 and str(self.aggregator_type).upper() == 'AND'

    def documents(self, record: Record, parts: list[Part]) -> list[str]:
        """The documents of some of its parts, and its own."""
        if self.references is UNSET and self.answers is None and self.sub_nuggets is None:
            record.lacks('references', system=False)
        documents = [
            document
            for part in parts
            for document in part.documents(record, [inner for _, inner in part.parts()])
        ]
        for part in parts:
            if part.joined():
                record.doubtful('aggregator_type of a part', 'AND', 'counted as OR')
        own = self.references or ()
        return documents + [record.document(each, DOCUMENTS) for each in own]

    def add(self, record: Record, place: int, key: str | None) -> None:
        """Add a nugget. With AND, and several answers, each is an aspect; else the nugget is one."""
        name, parts = str(self.question_id or self.nugget_id or place), self.parts()
        if str(self.aggregator_type or 'OR').upper() not in ('AND', 'OR'):
            record.doubtful('aggregator_type', self.aggregator_type, 'counted as OR')
        if len(parts) > 1 and self.aggregator_type is None:
            record.lacks('aggregator_type', system=False)
        facts = record.facts(self)
        whole = facts['text'] = self.question or self.text or key
        if not self.joined():
            record.supported(name, self.documents(record, [part for _, part in parts]), **facts)
            return
        facts['part_of'] = name
        for number, (text, part) in enumerate(parts, 1):
            facts['text'] = f'{whole} {text}'.strip()
            record.supported(f'{name}.{number}', self.documents(record, [part]), **facts)


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
        if document is None:
            document = f'{system}/{self.sentence}' if self.sentence is not None else system
        if label is None:  # the nugget is only listed
            return
        record.judged(sides)
        if (grade := self.grade(record.data[label], record)) is not None:
            record.judge(sides, document, {name: grade}, False)


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

    def grades(self, record: Record, name: str) -> dict[str, float]:
        """Name the criterion; the grade that its verdict is, if it has one."""
        points = self.weight if self.points is None else self.points
        if points is None:
            raise record.error(f'criterion {name}: no points or weight')
        text, weight = self.criterion or self.text or None, max(points, 0.0)
        record.intent(OF_ANSWERS, name, text=text, points=points, weight=weight)
        verdict = next((each for each in VERDICTS if getattr(self, each) is not UNSET), None)
        if verdict is None:
            record.lacks('verdict')
            return {}
        grade = grade_of(getattr(self, verdict), record.location, verdict)
        return {} if grade is None else {name: 2.0 * grade if verdict == 'score' else grade}

    def read(self, record: Record) -> None:
        rubric = (record.query, record.system, record.judge_name)
        record.collected.criteria[rubric] += 1
        name = str(self.criterion_id or record.collected.criteria[rubric])
        record.judged(OF_ANSWERS)
        if grades := self.grades(record, name):
            record.judge(OF_ANSWERS, record.system, grades, False)


class Rubric(NuggetForm):
    """Criteria of an answer with points and verdicts, as in HealthBench."""

    shown_by = ({'rubrics'},)
    rubrics: list[Criterion]

    def read(self, record: Record) -> None:
        record.lists(OF_ANSWERS, len(self.rubrics))
        grades: dict[str, float] = {}
        for place, each in enumerate(self.rubrics, 1):
            grades |= each.grades(record, str(place))
        if grades:
            record.judge(OF_ANSWERS, record.system, grades)


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
        for record.query, texts in self.content.items():
            add_texts(record, texts)


def add_texts(record: Record, texts: Any) -> None:
    """Name the intents of a query: a list of texts, or texts by name."""
    if not isinstance(texts, Mapping):
        listed = convert(texts, list[str], f'{record.location}, query {record.query!r}')
        record.lists(OF_ALL, len(listed))
        texts = dict(enumerate(listed, 1))
    for name, text in texts.items():
        record.intent(OF_ALL, str(name), text=text)
