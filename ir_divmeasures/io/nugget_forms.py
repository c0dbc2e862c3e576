"""Files of nuggets, sub-questions and who found them: one record for each form, all read into one table of judgments.

A nugget (sub-question, aspect of a query) is an intent. To add a form of JSON records, write a function
``(bank, record, at)`` and add a :class:`NuggetForm` to :data:`NUGGET_FORMS`.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import did_you_mean, plain, warn
from . import text as textfiles
from .columns import IMPORTANCE, NO_DOCUMENT
from .labels import grade_of

if TYPE_CHECKING:
    import pandas as pd

NOT_JUDGED = -1
"""The grade of an intent row, and a rating that says nothing."""
QUERY_NAMES = (
    'query_id',
    'qid',
    'question_id',
    'topic_id',
    'narrative_id',
    'request_id',
    'example_id',
    'sample_id',
    'id',
)
"""Fields that name the query of a record, or of its metadata; the first that is there counts."""
SYSTEM_NAMES = ('run_id', 'system', 'runtag')
"""Fields that name the system; the name of the file stands in for them."""
DOCUMENT_NAMES = ('docid', 'doc_id', 'pid', 'docno')
LABEL_NAMES = ('label', 'assignment', 'relevance', 'grade')
VERDICT_NAMES = ('verdict', 'criteria_met', 'label', 'score')
CONTEXTS, ANSWERS = 'contexts', 'answers'
"""What nuggets are judged of: retrieved documents, or answers of systems."""
BRIGHT_PRO_ID = re.compile(r'(.+)-(?:a|aspect-)\d+')
"""BRIGHT-Pro's ids of aspects: the query, then -a0 or -aspect-0."""


# ------------------------------------------------------------------------------------------------ what was read


@dataclass
class Bank:
    """Intents and judgments of them, collected record by record.

    Attributes:
        strict: raise on values that no documentation of the form names.
        side: read judgments of ``'contexts'`` or of ``'answers'`` only, where a record has both; '': those that stand
            for a document, an answer being one where nothing else is judged.
        queries: the query of an intent's id, for forms whose ids alone name it.
        run: the documents of each query in order, for forms that do not name them.
        ratings: the field of CRUX records that holds the ratings.
    """

    strict: bool = False
    side: str = ''
    queries: Mapping[str, str] = field(default_factory=dict)
    run: Mapping[str, list[str]] | None = None
    ratings: str = 'ratings'
    intents: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    listed: dict[str, tuple[int, str]] = field(default_factory=dict)
    records: list[tuple[str, str, str, dict[str, float]]] = field(default_factory=list)
    unknown: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    places: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _merged: dict[tuple[str, str, str], dict[str, float]] = field(default_factory=dict)

    def intent(self, query: str, name: str, location: str, **facts: Any) -> None:
        """Name an intent; facts (text, importance, weight, points, part_of) that are None say nothing.

        Raises:
            ValueError: another record says something else of it.
        """
        facts_of_intent = self.intents.setdefault((query, name), {})
        for fact, value in facts.items():
            if value is None:
                continue
            if facts_of_intent.setdefault(fact, value) != value:
                raise ValueError(
                    f'{location}: query {query!r}: {fact} of nugget {name} is {value!r} here and '
                    f'{facts_of_intent[fact]!r} in another record'
                )

    def lists(self, query: str, size: int, location: str) -> None:
        """Every record of a query must list as many intents.

        Raises:
            ValueError: another one lists another number.
        """
        known, where = self.listed.setdefault(query, (size, location))
        if known != size:
            raise ValueError(
                f'{location}: query {query!r}: {size} nuggets or ratings, expected {known} as in {where}'
            )

    def judge(
        self, query: str, document: str, grades: dict[str, float], location: str, judge: str = ''
    ) -> None:
        """Add what one judge says of a document in one record."""
        self.records.append((query, _document(document, query, location), judge, grades))

    def support(self, query: str, document: Any, name: str, grade: float, location: str) -> None:
        """Add one judgment; the judgments of a document are of one judge, and the highest grade of an intent counts."""
        grades = self._merged.get((query, document, ''))
        if grades is None:
            grades = self._grades_of(query, _document(document, query, location), '', location)
        if grades.get(name, grade) <= grade:
            grades[name] = grade

    def label(
        self, query: str, document: Any, name: str, grade: float, location: str, judge: str = ''
    ) -> None:
        """Add one judgment of one judge.

        Raises:
            ValueError: the judge gave the document another grade for the intent.
        """
        grades = self._grades_of(query, _document(document, query, location), judge, location)
        if grades.setdefault(name, grade) != grade:
            raise ValueError(
                f'{location}: query {query!r}, document {document!r}, nugget {name!r} has grade '
                f'{grade:g} here and {grades[name]:g} above; a field judge tells several judgments apart'
            )

    def _grades_of(self, query: str, document: str, judge: str, location: str) -> dict[str, float]:
        """The grades of a document by one judge, which further judgments are added to."""
        key = (query, document, judge)
        if key not in self._merged:
            self._merged[key] = {}
            self.judge(query, document, self._merged[key], location, judge)
        return self._merged[key]

    def doubtful(self, what: str, value: Any, location: str, counts_as: str) -> None:
        """Note an unknown value.

        Raises:
            ValueError: ``strict``.
        """
        if self.strict:
            raise ValueError(f'{location}: {what} is {value!r}, which strict=True does not take')
        self.unknown[what, repr(value), counts_as] += 1

    def warn(self, name: str) -> None:
        """One warning with counts about unknown values, and one about nuggets with the same text, if there are any."""
        self.warn_of_values(name)
        warn_of_texts(name, self)

    def warn_of_values(self, name: str) -> None:
        """One warning with counts about the unknown values, if there are any."""
        if self.unknown:
            listing = '; '.join(
                f'{what} {value}: {count} times, {counts_as}'
                for (what, value, counts_as), count in self.unknown.most_common()
            )
            warn(f'{name}: unknown values: {listing}. strict=True raises')

    def table(self) -> pd.DataFrame:
        """Judgments ``query_id, doc_id, relevance, subtopic_id`` and the facts of intents that are known.

        An intent that no document was judged for has a row with document '-' and grade −1. A column ``judge`` is there
        if a judge is named, or a document was judged several times for a query.
        """
        import pandas as pd

        counts: Counter[tuple[str, str]] = Counter(
            (query, document) for query, document, _, _ in self.records
        )
        named = any(judge for _, _, judge, _ in self.records)
        several = named or any(count > 1 for count in counts.values())
        numbers_of_records: Counter[tuple[str, str]] = Counter()
        used: set[tuple[str, str, str]] = set()
        rows: list[tuple[Any, ...]] = []
        for query, document, judge, grades in self.records:
            numbers_of_records[query, document] += 1
            label = judge or str(numbers_of_records[query, document])
            if (query, document, label) in used:
                label = f'{label}#{numbers_of_records[query, document]}'
            used.add((query, document, label))
            rows.extend((query, document, grade, name, label) for name, grade in grades.items())
        # a nugget called '0' without a grade above 0 needs a row of its own: see columns.listing
        judged = {(query, name) for query, _, grade, name, _ in rows if name != '0' or grade > 0}
        rows.extend(
            (query, NO_DOCUMENT, NOT_JUDGED, name, '')
            for query, name in self.intents
            if (query, name) not in judged
        )
        table = pd.DataFrame(
            rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge']
        )
        if not several:
            table = table.drop(columns='judge')
        intents = self._with_shares()
        for fact in ('weight', 'points', 'importance', 'part_of', 'text'):
            if any(fact in facts_of_intent for facts_of_intent in intents.values()):
                facts_by_row = [intents.get((row[0], row[3]), {}).get(fact) for row in rows]
                table[fact] = (
                    pd.Series(facts_by_row, dtype=float)
                    if fact in ('weight', 'points')
                    else ['' if v is None else v for v in facts_by_row]
                )
        return table

    def _with_shares(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The facts of intents, each part of a nugget having its share of the nugget's weight.

        Where a query has parts and no weights, its nuggets weigh the same, so that every measure reads the shares.
        """
        if not any('part_of' in facts for facts in self.intents.values()):
            return self.intents
        parts = Counter(
            (query, facts.get('part_of', name)) for (query, name), facts in self.intents.items()
        )
        nuggets = Counter(query for query, _ in parts)
        weighted = {query for (query, _), facts in self.intents.items() if 'weight' in facts}
        shared = {}
        for (query, name), facts in self.intents.items():
            weight = facts.get('weight') if query in weighted else 1 / nuggets[query]
            share = None if weight is None else weight / parts[query, facts.get('part_of', name)]
            shared[query, name] = {**facts, **({} if share is None else {'weight': share})}
        return shared


def warn_of_texts(name: str, *banks: Bank) -> None:
    """One warning with counts about nuggets of a query that have the same text, if there are any."""
    ids: dict[tuple[str, str], dict[str, None]] = {}
    for bank in banks:
        for (query, nugget), facts in bank.intents.items():
            text = ' '.join(str(facts.get('text') or '').split())
            if text:
                ids.setdefault((query, text), {})[nugget] = None
    same = {key: list(nuggets) for key, nuggets in ids.items() if len(nuggets) > 1}
    if same:
        (query, text), nuggets = next(iter(same.items()))
        n_nuggets, n_queries = sum(map(len, same.values())), len({query for query, _ in same})
        warn(
            f'{name}: {n_nuggets} nuggets of {n_queries} quer{"y" if n_queries == 1 else "ies"} have the text of '
            f'another nugget of their query, and each counts on its own: query {query!r}, nuggets '
            f'{", ".join(map(repr, nuggets[:3]))}{", …" if len(nuggets) > 3 else ""} ({_short(text)})'
        )


def _document(document: Any, query: str, location: str) -> str:
    if document is None or str(document) in ('', NO_DOCUMENT):
        raise ValueError(
            f'{location}: query {query!r}: document is {document!r}, expected an id ({NO_DOCUMENT!r} '
            'stands for no document)'
        )
    return str(document)


# --------------------------------------------------------------------------------------------------- the forms


@dataclass(frozen=True)
class NuggetForm:
    """A form of JSON files about nuggets.

    Attributes:
        name: what ``format=`` calls it.
        says: a line in words.
        sniff: whether a record looks like this form.
        read: adds a record to a bank; ``at`` names its place for messages.
        whole: the file is one JSON object, not records.
        sides: what a record's judgments are of: ``'contexts'``, ``'answers'`` or both.
    """

    name: str
    says: str
    sniff: Callable[[dict[str, Any]], bool]
    read: Callable[[Bank, dict[str, Any], str], None]
    whole: bool = False
    sides: Callable[[dict[str, Any]], tuple[str, ...]] = lambda record: (CONTEXTS,)


def _value(record: dict[str, Any], names: tuple[str, ...], location: str) -> str:
    value = next((record[name] for name in names if record.get(name) not in (None, '')), None)
    if value is None or isinstance(value, (dict, list)):
        raise ValueError(
            f'{location}: no {" or ".join(names)} (found {", ".join(map(str, record))})'
        )
    return str(value)


def _items(record: dict[str, Any], name: str, location: str, kind: type = list) -> Any:
    value = record.get(name)
    if not isinstance(value, kind):
        raise ValueError(
            f'{location}: {name} is {_short(value)}, expected a '
            f'{"list" if kind is list else "JSON object"}'
        )
    return value


def _short(value: Any) -> str:
    text = repr(plain(value))
    return text if len(text) <= 60 else text[:59] + '…'


def metadata(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record, of its metadata and of its query; its own count first."""
    inner = [
        part for part in (record.get('query'), record.get('metadata')) if isinstance(part, dict)
    ]
    fields: dict[str, Any] = {}
    for part in (*inner, record):
        fields.update(part)
    return fields


def query_of(record: dict[str, Any], location: str) -> str:
    """The query of a record.

    Raises:
        ValueError: no field names it.
    """
    return _value(metadata(record), QUERY_NAMES, location)


def system_of(record: dict[str, Any], location: str) -> str:
    """The system of a record: as its fields name it, or its file."""
    fields = metadata(record)
    named = next(
        (fields[name] for name in SYSTEM_NAMES if fields.get(name) not in (None, '')), None
    )
    return stem(location) if named is None else str(named)


def stem(location: str) -> str:
    """The name of a file, of which ``at`` names a place, without its endings."""
    name = os.path.basename(re.sub(r', (line|record) \d+$', '', location))
    for ending in ('.gz', '.bz2', '.xz', '.zst', '.jsonl', '.json'):
        name = name.removesuffix(ending)
    return name


def _importance(
    bank: Bank, value: Any, location: str, choices: tuple[str, ...] = IMPORTANCE
) -> str:
    """The importance that a field says, '' for an unknown one."""
    importance = value if value in choices else str(value).lower()
    if importance not in choices:
        bank.doubtful('importance', value, location, 'counted as neither vital nor okay')
    return importance if importance in choices else ''


def _number(value: Any, what: str, location: str, least: float = -float('inf')) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not least <= value < float('inf')
        or value == -float('inf')
    ):
        raise ValueError(
            f'{location}: {what} is {_short(value)}, expected a number'
            + (f' of at least {least:g}' if least > -float('inf') else '')
        )
    return float(value)


def _is_own(record: dict[str, Any]) -> bool:
    """Whether the nuggets of a record are of its contexts and its answer, not of one document."""
    nuggets = record.get('nuggets')
    return (
        bool({'contexts', 'responses', 'candidates'} & set(record))
        or isinstance(record.get('answer'), list)
        or isinstance(nuggets, list)
        and any(isinstance(nugget, dict) and 'documents' in nugget for nugget in nuggets)
    )


def _nugget_sides(record: dict[str, Any]) -> tuple[str, ...]:
    assigned = any('assignment' in nugget for nugget in record['nuggets'])
    names_documents = _is_own(record) and any('documents' in nugget for nugget in record['nuggets'])
    if _is_own(record) or not assigned:  # nuggets that are only listed are listed for both
        return (CONTEXTS,) * (names_documents or not assigned) + (ANSWERS,) * (
            assigned or not names_documents
        )
    return (CONTEXTS,) if any(record.get(name) for name in DOCUMENT_NAMES) else (ANSWERS,)


def _autonuggetizer(bank: Bank, record: dict[str, Any], location: str) -> None:
    """Nuggets in a list: AutoNuggetizer's, of one document or answer, or our own, which name their documents."""
    query, own = query_of(record, location), _is_own(record)
    nuggets = _items(record, 'nuggets', location)
    bank.lists(query, len(nuggets), location)
    if not nuggets:
        bank.doubtful('list of nuggets', nuggets, location, 'such queries are left out')
    grades: dict[str, float] = {}
    assigned, answer = 0, not own or bank.side == ANSWERS
    for place, nugget in enumerate(nuggets, 1):
        where = f'{location}, nugget {place}'
        if not isinstance(nugget, dict):
            raise ValueError(f'{where}: {_short(nugget)}, expected a JSON object')
        name = str(nugget.get('nugget_id') or place)
        prior_importance = bank.intents.get((query, name), {}).get(
            'importance', 'vital'
        )  # what another record said, else vital
        importance = _importance(
            bank, nugget.get('importance', prior_importance), where, (*IMPORTANCE, prior_importance)
        )
        weight = nugget.get('weight')
        bank.intent(
            query,
            name,
            where,
            text=_value(nugget, ('text',), where),
            importance=importance,
            weight=None if weight is None else _number(weight, 'weight', where, 0),
        )
        if answer and 'assignment' in nugget:
            assigned += 1
            grade = _assignment(bank, nugget['assignment'], where, own)
            if grade is not None:
                grades[name] = grade
        if own and bank.side != ANSWERS:
            for document in (
                _items(nugget, 'documents', where) if nugget.get('documents') is not None else ()
            ):
                bank.support(query, document, name, 1, where)
    if assigned and assigned < len(nuggets):
        raise ValueError(
            f'{location}: {len(nuggets) - assigned} of {len(nuggets)} nuggets have no assignment'
        )
    if assigned:
        document = (
            next((record[name] for name in DOCUMENT_NAMES if record.get(name)), None)
            if not own
            else None
        )
        if document is None and not own and bank.side != ANSWERS:
            document = _value(metadata(record), (*DOCUMENT_NAMES, *SYSTEM_NAMES), location)
        bank.judge(
            query,
            system_of(record, location) if document is None else document,
            grades,
            location,
            str(record.get('judge') or ''),
        )


def _assignment(bank: Bank, value: Any, location: str, own: bool) -> float | None:
    """The grade of an assignment; in AutoNuggetizer's own files an unknown one counts as no support."""
    if own:
        return grade_of(value, location, 'assignment')
    try:
        grade = grade_of(value, location, 'assignment', failed=float('nan'))
    except ValueError:
        grade = float('nan')
    if grade is not None and grade != grade:
        bank.doubtful('assignment', value, location, 'counted as no support')
        return 0
    return grade


def _label_sides(record: dict[str, Any]) -> tuple[str, ...]:
    document = any(record.get(name) for name in DOCUMENT_NAMES)
    return (
        (CONTEXTS,)
        if document
        else (ANSWERS,)
        if any(record.get(name) for name in SYSTEM_NAMES)
        else (CONTEXTS, ANSWERS)
    )


def _flat(bank: Bank, record: dict[str, Any], location: str) -> None:
    """One nugget and what a document or an answer (or one sentence of it) says of it."""
    query = query_of(record, location)
    name = _value(record, ('nugget_id', 'nugget'), location)
    weight = record.get('weight')
    bank.intent(
        query,
        name,
        location,
        text=record.get('nugget') if record.get('nugget_id') else record.get('text'),
        importance=_importance(bank, record['importance'], location)
        if record.get('importance')
        else None,
        weight=None if weight is None else _number(weight, 'weight', location, 0),
    )
    document = next((str(record[each]) for each in DOCUMENT_NAMES if record.get(each)), None)
    if document is None and bank.side != CONTEXTS:
        document = next((str(record[each]) for each in SYSTEM_NAMES if record.get(each)), None)
        if document is not None and record.get('sentence') is not None:
            document += f'/{_place(record["sentence"], location)}'
    label = next((record[each] for each in LABEL_NAMES if each in record), None)
    if (
        document is None
        and label is not None
        and not any(record.get(each) for each in SYSTEM_NAMES)
    ):
        raise ValueError(
            f'{location}: a label without {" or ".join((*DOCUMENT_NAMES, *SYSTEM_NAMES))} (found '
            f'{", ".join(map(str, record))})'
        )
    if document is not None and not any(each in record for each in LABEL_NAMES):
        raise ValueError(
            f'{location}: no {" or ".join(LABEL_NAMES)} (found {", ".join(map(str, record))})'
        )
    grade = grade_of(label, location)
    if document is not None and grade is not None:
        bank.label(query, document, name, grade, location, str(record.get('judge') or ''))


def _place(value: Any, location: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f'{location}: sentence is {_short(value)}, expected its place from 1')
    return value


def _rubric(bank: Bank, record: dict[str, Any], location: str) -> None:
    """Criteria of an answer with points, which may be negative, and verdicts."""
    query, criteria = query_of(record, location), _items(record, 'rubrics', location)
    bank.lists(query, len(criteria), location)
    grades: dict[str, float] = {}
    for place, criterion in enumerate(criteria, 1):
        where = f'{location}, criterion {place}'
        if not isinstance(criterion, dict):
            raise ValueError(f'{where}: {_short(criterion)}, expected a JSON object')
        grade = _criterion(bank, query, str(place), criterion, where)
        if grade is not None:
            grades[str(place)] = grade
    if any(name in criterion for criterion in criteria for name in VERDICT_NAMES):
        bank.judge(
            query, system_of(record, location), grades, location, str(record.get('judge') or '')
        )


def _criterion(
    bank: Bank, query: str, name: str, record: dict[str, Any], location: str
) -> float | None:
    """Name one criterion; the grade that its verdict is."""
    points = record.get('points', record.get('weight'))
    if points is None:
        raise ValueError(f'{location}: no points or weight (found {", ".join(map(str, record))})')
    points = _number(points, 'points', location)
    bank.intent(
        query,
        name,
        location,
        text=next((record[each] for each in ('criterion', 'text') if record.get(each)), None),
        points=points,
        weight=max(points, 0.0),
    )
    verdict = next((each for each in VERDICT_NAMES if each in record), None)
    if verdict == 'score' and record['score'] is not None:
        score = _number(record['score'], 'score', location)
        if not 0 <= score <= 1:
            raise ValueError(f'{location}: score is {score:g}, expected a number from 0 to 1')
        return 2 * score
    return None if verdict is None else grade_of(record[verdict], location, verdict)


def _criterion_line(bank: Bank, record: dict[str, Any], location: str) -> None:
    """One criterion a line, in the order of the answer's rubric."""
    query, system, judge = (
        query_of(record, location),
        system_of(record, location),
        str(record.get('judge') or ''),
    )
    bank.places[query, system, judge] += 1
    name = str(record.get('criterion_id') or bank.places[query, system, judge])
    grade = _criterion(bank, query, name, record, location)
    if grade is not None:
        bank.label(query, system, name, grade, location, judge)


def _crux(bank: Bank, record: dict[str, Any], location: str) -> None:
    query = _value(record, ('id', 'example_id', 'qid', 'query_id'), location)
    judge = str(record.get('judge') or '')
    if 'docids' in record:
        documents, lists = (
            _items(record, 'docids', location),
            _items(record, bank.ratings, location),
        )
        if len(documents) != len(lists):
            raise ValueError(
                f'{location}: query {query!r}: {len(lists)} lists of ratings for {len(documents)} '
                f'documents'
            )
        for document, rating in zip(documents, lists):
            _ratings(bank, query, document, rating, location, judge)
    else:
        _ratings(
            bank, query, _value(record, DOCUMENT_NAMES, location), record['rating'], location, judge
        )


def _ratings(bank: Bank, query: str, document: Any, rating: Any, location: str, judge: str) -> None:
    location = f'{location}, document {document!r}'
    if not isinstance(rating, list):
        raise ValueError(f'{location}: rating is {_short(rating)}, expected a list')
    bank.lists(query, len(rating), location)
    grades: dict[str, float] = {}
    for place, grade in enumerate(rating, 1):
        bank.intent(query, str(place), location)
        is_valid = (
            isinstance(grade, (int, float))
            and not isinstance(grade, bool)
            and (grade >= 0 or grade == NOT_JUDGED)
        )
        if not is_valid:
            bank.doubtful('rating', grade, location, 'left out as −1')
        elif grade != NOT_JUDGED:
            grades[str(place)] = grade
    bank.judge(query, document, grades, location, judge)


def _questions(bank: Bank, record: dict[str, Any], location: str) -> None:
    query = _value(record, QUERY_NAMES, location)
    _texts(bank, query, record.get('questions', record.get('subquestions')), location)


def _texts(bank: Bank, query: str, texts: Any, location: str) -> None:
    if isinstance(texts, dict):
        for name, text_of_question in texts.items():
            bank.intent(query, str(name), location, text=text_of_question)
        return
    if not isinstance(texts, list) or not all(
        isinstance(text_of_question, str) for text_of_question in texts
    ):
        raise ValueError(f'{location}: query {query!r}: {_short(texts)}, expected a list of texts')
    bank.lists(query, len(texts), location)
    for place, text_of_question in enumerate(texts, 1):
        bank.intent(query, str(place), location, text=text_of_question)


def _questions_of(bank: Bank, mapping: dict[str, Any], location: str) -> None:
    for query, texts in mapping.items():
        _texts(bank, query, texts, location)


def _lancer(bank: Bank, mapping: dict[str, Any], location: str) -> None:
    if bank.run is None:
        raise ValueError(
            f'{location}: lists of ratings without documents: give run=, the run that was rated'
        )
    for query, lists in mapping.items():
        documents = bank.run.get(query, [])
        if len(lists) > len(documents):
            raise ValueError(
                f'{location}: query {query!r}: {len(lists)} lists of ratings, but the run has '
                f'{len(documents)} documents'
            )
        for document, rating in zip(documents, lists):
            _ratings(bank, query, document, rating, location, '')


def _query_of(bank: Bank, record: dict[str, Any], name: str, location: str) -> str:
    if bank.queries:
        if name not in bank.queries:
            raise ValueError(f'{location}: queries= names no query for nugget {name!r}')
        return str(bank.queries[name])
    if any(record.get(each) for each in ('query_id', 'qid')):
        return _value(record, ('query_id', 'qid'), location)
    dashed = BRIGHT_PRO_ID.fullmatch(name)
    query = dashed[1] if dashed else name.rpartition('_')[0]
    if not query:
        raise ValueError(
            f"{location}: nugget {name!r}: no query before a '_' or '-a'; give queries={{nugget: query}}"
        )
    return query


def _freshstack(bank: Bank, record: dict[str, Any], location: str) -> None:
    nuggets = [record] if 'relevant_corpus_ids' in record else _items(record, 'nuggets', location)
    for place, nugget in enumerate(nuggets, 1):
        where = location if nugget is record else f'{location}, nugget {place}'
        name = _value(nugget, ('_id',), where)
        query = _query_of(bank, record, name, where)
        bank.intent(query, name, where, text=nugget.get('text'))
        refuted = set(map(str, nugget.get('non_relevant_corpus_ids') or []))
        for document in map(str, _items(nugget, 'relevant_corpus_ids', where)):
            if document in refuted:
                bank.doubtful(
                    'a document both relevant and non-relevant',
                    document,
                    where,
                    'counted as non-relevant',
                )
            else:
                bank.support(query, document, name, 1, where)
        for document in nugget.get('non_relevant_corpus_ids') or []:
            bank.support(query, str(document), name, 0, where)


def _neuclir(bank: Bank, mapping: dict[str, Any], location: str) -> None:
    path = location.partition(',')[0]
    name = os.path.basename(path).partition('.')[0]
    query = bank.queries.get(path) or bank.queries.get(name) or name.removeprefix('nuggets_')
    if name == query:
        raise ValueError(
            f'{path}: expected a file named nuggets_<query>.json, which names the query'
        )
    for place, (question, (kind, answers)) in enumerate(mapping.items(), 1):
        _group(
            bank,
            query,
            str(place),
            kind,
            question,
            [],
            [
                (text, [str(document) for document in documents])
                for text, documents in answers.items()
            ],
            f'{location}, nugget {place}',
        )


def _group(
    bank: Bank,
    query: str,
    name: str,
    kind: Any,
    text: Any,
    documents: list[str],
    answers: list[tuple[Any, list[str]]],
    location: str,
    importance: str | None = None,
) -> None:
    """A nugget with its answers. With AND, and several of them, each is an aspect; else the nugget is one.

    Args:
        kind: ``'AND'``, ``'OR'`` or None.
        documents: those that hold the nugget as a whole, and so every part of it.
        answers: text and documents of each.
    """
    operator = 'OR' if kind is None else str(kind).upper()
    if operator not in ('AND', 'OR'):
        bank.doubtful('aggregator_type', kind, location, 'counted as OR')
    if operator != 'AND' or len(answers) < 2:
        answers = [('', [document for _, each in answers for document in each])]
    several = len(answers) > 1
    for place, (answer, own) in enumerate(answers, 1):
        part = f'{name}.{place}' if several else name
        if several:
            bank.intent(
                query,
                part,
                location,
                text=f'{text} {answer or ""}'.strip(),
                importance=importance,
                part_of=name,
            )
        else:
            bank.intent(query, part, location, text=text, importance=importance)
        for document in (*own, *documents):
            bank.support(query, document, part, 1, location)


def _autojudge(bank: Bank, record: dict[str, Any], location: str) -> None:
    query = _value(metadata(record), QUERY_NAMES, location)
    if record.get('claim_bank'):
        bank.doubtful(
            'claim_bank',
            f'{len(record["claim_bank"])} claims',
            location,
            'not read, questions only',
        )
    for place, (key, nugget) in enumerate(_pairs(record['nugget_bank'] or {}), 1):
        where = f'{location}, nugget {place}'
        if not isinstance(nugget, dict):
            raise ValueError(f'{where}: {_short(nugget)}, expected a JSON object')
        importance = nugget.get('importance')
        parts = [*_pairs(nugget.get('answers') or {}), *_pairs(nugget.get('sub_nuggets') or {})]
        _group(
            bank,
            query,
            str(nugget.get('question_id') or nugget.get('nugget_id') or place),
            nugget.get('aggregator_type'),
            nugget.get('question') or nugget.get('text') or key,
            _references(nugget, query, where),
            [_part(bank, name, part, query, where) for name, part in parts],
            where,
            None if importance is None else _importance(bank, importance, where),
        )


def _part(
    bank: Bank, name: str | None, part: Any, query: str, location: str
) -> tuple[Any, list[str]]:
    """Text and documents of an answer or sub-nugget; those of its own answers hold it too."""
    if not isinstance(part, dict):
        return part, []
    inner = [*_pairs(part.get('answers') or {}), *_pairs(part.get('sub_nuggets') or {})]
    if len(inner) > 1 and str(part.get('aggregator_type')).upper() == 'AND':
        bank.doubtful('aggregator_type of a part', 'AND', location, 'counted as OR')
    text = next(
        (part[each] for each in ('answer', 'text', 'question', 'claim') if part.get(each)), name
    )
    return text, [
        *_references(part, query, location),
        *(
            document
            for key, each in inner
            for document in _part(bank, key, each, query, location)[1]
        ),
    ]


def _references(record: dict[str, Any], query: str, location: str) -> list[str]:
    return [
        _document(
            next((reference[name] for name in DOCUMENT_NAMES if reference.get(name)), None)
            if isinstance(reference, dict)
            else reference,
            query,
            location,
        )
        for reference in record.get('references') or []
    ]


def _pairs(items: Any) -> Iterator[tuple[str | None, Any]]:
    yield from items.items() if isinstance(items, dict) else ((None, item) for item in items)


def _bright_pro(bank: Bank, record: dict[str, Any], location: str) -> None:
    name = _value(record, ('id', 'aspect_id'), location)
    query, weight = _query_of(bank, record, name, location), record.get('weight')
    if (
        not isinstance(weight, (int, float))
        or isinstance(weight, bool)
        or not 0 <= weight < float('inf')
    ):
        raise ValueError(
            f'{location}: aspect {name!r}: weight is {_short(weight)}, expected a number of at least 0'
        )
    content = next(
        (
            record[each]
            for each in ('text', 'aspect', 'content', 'name')
            if isinstance(record.get(each), str)
        ),
        None,
    )
    bank.intent(query, name, location, text=content, weight=float(weight))
    for document in _items(record, 'supporting_docs', location):
        bank.support(query, str(document), name, 1, location)


def _nuggets_are(record: dict[str, Any], test: Callable[[dict[str, Any]], bool]) -> bool:
    nuggets = record.get('nuggets')
    return isinstance(nuggets, list) and all(
        isinstance(nugget, dict) and test(nugget) for nugget in nuggets
    )


def _values_are(record: dict[str, Any], test: Callable[[Any], bool]) -> bool:
    return bool(record) and all(map(test, record.values()))


def _list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list) and bool(value) and all(isinstance(each, kind) for each in value)
    )


NUGGET_FORMS: dict[str, NuggetForm] = {
    form.name: form
    for form in (
        NuggetForm(
            'autonuggetizer',
            "a list of nuggets: AutoNuggetizer's, created or assigned to answers or documents; or "
            'your own, with the documents of each nugget',
            lambda r: _nuggets_are(r, lambda nugget: '_id' not in nugget),
            _autonuggetizer,
            sides=_nugget_sides,
        ),
        NuggetForm(
            'freshstack',
            'FreshStack: nuggets with the documents that support them',
            lambda r: (
                'relevant_corpus_ids' in r
                or bool(r.get('nuggets'))
                and _nuggets_are(r, lambda nugget: '_id' in nugget)
            ),
            _freshstack,
        ),
        NuggetForm(
            'crux',
            'CRUX: a list of ratings, one for each sub-question, by document',
            lambda r: 'rating' in r or {'docids', 'ratings'} <= set(r),
            _crux,
        ),
        NuggetForm(
            'autojudge',
            'TREC AutoJudge: nugget banks (v3) of questions, answers and references',
            lambda r: 'nugget_bank' in r,
            _autojudge,
        ),
        NuggetForm(
            'bright-pro',
            'BRIGHT-Pro: weighted aspects with their supporting documents',
            lambda r: {'weight', 'supporting_docs'} <= set(r),
            _bright_pro,
        ),
        NuggetForm(
            'flat',
            'a nugget and the label of one document or answer a line',
            lambda r: 'nugget_id' in r or isinstance(r.get('nugget'), str),
            _flat,
            sides=_label_sides,
        ),
        NuggetForm(
            'rubric',
            'criteria of an answer with points and verdicts, as in HealthBench',
            lambda r: isinstance(r.get('rubrics'), list),
            _rubric,
            sides=lambda record: (ANSWERS,),
        ),
        NuggetForm(
            'criterion',
            'a criterion a line, as in ResearchRubrics',
            lambda r: (
                'criterion' in r
                and bool({'weight', 'points'} & set(r))
                or {'sample_id', 'weight', 'score'} <= set(r)
            ),
            _criterion_line,
            sides=lambda record: (ANSWERS,),
        ),
        NuggetForm(
            'questions',
            'sub-questions of queries as records with id and questions',
            lambda r: 'questions' in r or 'subquestions' in r,
            _questions,
        ),
        NuggetForm(
            'texts',
            'sub-questions of queries: {query: [text, …]}',
            lambda r: _values_are(r, _list_of(str)),
            _questions_of,
            whole=True,
        ),
        NuggetForm(
            'lancer',
            'LANCER: {query: [[rating, …], …]}, a list for each document of a run',
            lambda r: _values_are(r, _list_of(list)),
            _lancer,
            whole=True,
        ),
        NuggetForm(
            'neuclir',
            'NeuCLIR reports: {question: [_, {answer: [document, …]}]}, one file a query',
            lambda r: _values_are(
                r,
                lambda value: (
                    isinstance(value, list) and len(value) == 2 and isinstance(value[1], dict)
                ),
            ),
            _neuclir,
            whole=True,
        ),
    )
}
"""Every form by name, in the order in which they are tried."""


# ------------------------------------------------------------------------------------------------------ reading


def looks_like_json(data: bytes) -> bool:
    """Whether a file begins like a JSON object or list."""
    return data.lstrip()[:1] in (b'{', b'[')


def looks_like_nuggets(data: bytes) -> bool:
    """Whether the first record of a JSON file looks like one of the forms."""
    try:
        _, record = next(records(data, ''))
    except (ValueError, StopIteration):
        return False
    return any(form.sniff(record) for form in NUGGET_FORMS.values())


def records(data: bytes, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of a JSON file (an object, or a list of them) or of JSON lines, each with its place in words.

    Raises:
        ValueError: not JSON, or a record that is no object; names file and line, or record.
    """
    try:
        whole = textfiles.load_json(textfiles.decoded(data, path), path)
    except json.JSONDecodeError as error:
        if not error.msg.startswith('Extra data'):
            first = data.lstrip().partition(b'\n')[0]
            try:
                textfiles.load_json(first.decode('utf-8'), path)
            except json.JSONDecodeError:
                raise ValueError(f'{path}, line {error.lineno}: not JSON ({error.msg})') from None
        yield from _lines(data, path)
        return
    items, one_line = whole if isinstance(whole, list) else [whole], b'\n' not in data.strip()
    for number, record in enumerate(items, 1):
        location = (
            f'{path}, record {number}'
            if isinstance(whole, list)
            else f'{path}, line 1'
            if one_line
            else path
        )
        yield location, _object(record, location)


def _lines(data: bytes, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            location = f'{path}, line {number}'
            try:
                record = textfiles.load_json(line.decode('utf-8'), location)
            except json.JSONDecodeError as error:
                raise ValueError(f'{location}: not JSON ({error})') from None
            yield location, _object(record, location)


def _object(record: Any, location: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise ValueError(f'{location}: {_short(record)}, expected a JSON object')
    return record


def add(
    bank: Bank,
    data: bytes,
    path: str,
    name: str | None = None,
    other: Callable[[dict[str, Any]], bool] = lambda record: False,
) -> int:
    """Read a JSON file into a bank, in the form named, or recognized from each record.

    Args:
        other: whether a record that is of no form says something else, which is another reader's.

    Returns:
        How many records are about nuggets.

    Raises:
        ValueError: an unknown form, or a record that is not of it; names file and line, or record.
    """
    if name is not None and name not in NUGGET_FORMS:
        raise ValueError(
            f'format={name!r}: expected one of {", ".join(NUGGET_FORMS)}'
            + did_you_mean(name, NUGGET_FORMS)
        )
    empty, read = True, 0
    for location, record in records(data, path):
        empty = False
        form = NUGGET_FORMS[name] if name else form_of(record)
        if form is None and other(record):
            continue
        if form is None:
            raise ValueError(
                f'{location}: none of the forms {", ".join(NUGGET_FORMS)} (the record has '
                f'{_short(list(record))})'
            )
        if not bank.side or bank.side in form.sides(record):
            read_record(form, bank, record, location)
            read += 1
    if empty:
        raise ValueError(f'{path}: holds no records')
    return read


def read_record(form: NuggetForm, bank: Bank, record: dict[str, Any], location: str) -> None:
    """Read a record of a form into a bank.

    Raises:
        ValueError: it is not of that form; names the place.
    """
    try:
        form.read(bank, record, location)
    except (KeyError, AttributeError, TypeError, IndexError) as error:
        raise ValueError(
            f'{location}: not a record of form {form.name!r} ({type(error).__name__}: {error})'
        ) from None


def form_of(record: dict[str, Any]) -> NuggetForm | None:
    """The form that a record looks like, or None."""
    return next((form for form in NUGGET_FORMS.values() if form.sniff(record)), None)


def add_lines(bank: Bank, data: bytes, path: str) -> None:
    """Read lines ``query nugget text`` into a bank: CoverageBench's, the text being what follows the second blank.

    Raises:
        ValueError: a line without a nugget or text; names file and line.
    """
    for number, raw in textfiles.content(data):
        try:
            parts = raw.decode('utf-8').strip().split(None, 2)
        except UnicodeDecodeError as error:
            raise ValueError(f'{path}, line {number}: not UTF-8 text ({error})') from None
        if len(parts) < 3:
            raise ValueError(
                f'{path}, line {number}: expected query, nugget and text, found {_short(raw.decode())}'
            )
        bank.intent(parts[0], parts[1], f'{path}, line {number}', text=parts[2])


def parse(data: bytes, path: str) -> pd.DataFrame:
    """A JSON file as judgments, for a reader of judgments in any form."""
    bank = Bank()
    add(bank, data, path)
    bank.warn(path)
    return bank.table()


__all__ = [
    'ANSWERS',
    'CONTEXTS',
    'DOCUMENT_NAMES',
    'NOT_JUDGED',
    'NUGGET_FORMS',
    'QUERY_NAMES',
    'Bank',
    'NuggetForm',
    'add',
    'add_lines',
    'form_of',
    'looks_like_json',
    'metadata',
    'parse',
    'query_of',
    'read_record',
    'records',
    'stem',
    'system_of',
    'looks_like_nuggets',
    'warn_of_texts',
]
