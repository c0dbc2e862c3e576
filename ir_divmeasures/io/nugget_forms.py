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

if TYPE_CHECKING:
    import pandas as pd

NOT_JUDGED = -1
"""The grade of an intent row, and a rating that says nothing."""
ASSIGNMENTS = {'support': 2, 'partial_support': 1, 'not_support': 0}
"""AutoNuggetizer's assignments as grades."""
QUERY_NAMES = ('query_id', 'qid', 'id', 'example_id', 'topic_id')
DOCUMENT_NAMES = ('docid', 'doc_id', 'pid')
BRIGHT_PRO_ID = re.compile(r'(.+)-(?:a|aspect-)\d+')
"""BRIGHT-Pro's ids of aspects: the query, then -a0 or -aspect-0."""


# ------------------------------------------------------------------------------------------------ what was read

@dataclass
class Bank:
    """Intents and judgments of them, collected record by record.

    Attributes:
        strict: raise on values that no documentation of the form names.
        queries: the query of an intent's id, for forms whose ids alone name it.
        run: the documents of each query in order, for forms that do not name them.
        ratings: the field of CRUX records that holds the ratings.
    """
    strict: bool = False
    queries: Mapping[str, str] = field(default_factory=dict)
    run: Mapping[str, list[str]] | None = None
    ratings: str = 'ratings'
    intents: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    listed: dict[str, tuple[int, str]] = field(default_factory=dict)
    records: list[tuple[str, str, str, dict[str, float]]] = field(default_factory=list)
    unknown: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _merged: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)

    def intent(self, query: str, name: str, at: str, **facts: Any) -> None:
        """Name an intent; facts (text, importance, weight) that are None say nothing.

        Raises:
            ValueError: another record says something else of it.
        """
        known = self.intents.setdefault((query, name), {})
        for fact, value in facts.items():
            if value is None:
                continue
            if known.setdefault(fact, value) != value:
                raise ValueError(f'{at}: query {query!r}: {fact} of nugget {name} is {value!r} here and '
                                 f'{known[fact]!r} in another record')

    def lists(self, query: str, size: int, at: str) -> None:
        """Every record of a query must list as many intents.

        Raises:
            ValueError: another one lists another number.
        """
        known, where = self.listed.setdefault(query, (size, at))
        if known != size:
            raise ValueError(f'{at}: query {query!r}: {size} nuggets or ratings, expected {known} as in {where}')

    def judge(self, query: str, document: str, grades: dict[str, float], at: str, judge: str = '') -> None:
        """Add what one judge says of a document in one record."""
        self.records.append((query, _document(document, query, at), judge, grades))

    def support(self, query: str, document: str, name: str, grade: float, at: str) -> None:
        """Add one judgment; the judgments of a document are of one judge, and the highest grade of an intent counts."""
        key = (query, document)
        if key not in self._merged:
            self._merged[key] = {}
            self.judge(query, document, self._merged[key], at)
        self._merged[key][name] = max(grade, self._merged[key].get(name, grade))

    def doubtful(self, what: str, value: Any, at: str, counts_as: str) -> None:
        """Note an unknown value.

        Raises:
            ValueError: ``strict``.
        """
        if self.strict:
            raise ValueError(f'{at}: {what} is {value!r}, which strict=True does not take')
        self.unknown[what, repr(value), counts_as] += 1

    def warn(self, name: str) -> None:
        """One warning with counts about the unknown values, if there are any."""
        if self.unknown:
            listing = '; '.join(f'{what} {value}: {count} times, {counts_as}'
                             for (what, value, counts_as), count in self.unknown.most_common())
            warn(f'{name}: unknown values: {listing}. strict=True raises')

    def table(self) -> pd.DataFrame:
        """Judgments ``query_id, doc_id, relevance, subtopic_id`` and the facts of intents that are known.

        An intent that no document was judged for has a row with document '-' and grade −1. A column ``judge`` is there
        if a judge is named, or a document was judged several times for a query.
        """
        import pandas as pd

        taken: Counter[tuple[str, str]] = Counter((query, document) for query, document, _, _ in self.records)
        named = any(judge for _, _, judge, _ in self.records)
        several = named or any(count > 1 for count in taken.values())
        seen: Counter[tuple[str, str]] = Counter()
        used: set[tuple[str, str, str]] = set()
        rows: list[tuple[Any, ...]] = []
        for query, document, judge, grades in self.records:
            seen[query, document] += 1
            label = judge or str(seen[query, document])
            if (query, document, label) in used:
                label = f'{label}#{seen[query, document]}'
            used.add((query, document, label))
            rows.extend((query, document, grade, name, label) for name, grade in grades.items())
        judged = {(query, name) for query, _, _, name, _ in rows}
        rows.extend((query, NO_DOCUMENT, NOT_JUDGED, name, '') for query, name in self.intents
                    if (query, name) not in judged)
        table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge'])
        if not several:
            table = table.drop(columns='judge')
        facts = [fact for fact in ('weight', 'importance', 'text')
                 if any(fact in known for known in self.intents.values())]
        for fact in facts:
            said = [self.intents.get(key, {}).get(fact) for key in zip(table['query_id'], table['subtopic_id'])]
            table[fact] = pd.Series(said, dtype=float) if fact == 'weight' else ['' if v is None else v for v in said]
        return table


def _document(document: Any, query: str, at: str) -> str:
    if document is None or str(document) in ('', NO_DOCUMENT):
        raise ValueError(f'{at}: query {query!r}: document is {document!r}, expected an id ({NO_DOCUMENT!r} stands for '
                         f'no document)')
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
    """
    name: str
    says: str
    sniff: Callable[[dict[str, Any]], bool]
    read: Callable[[Bank, dict[str, Any], str], None]
    whole: bool = False


def _value(record: dict[str, Any], names: tuple[str, ...], at: str) -> str:
    value = next((record[name] for name in names if record.get(name) not in (None, '')), None)
    if value is None or isinstance(value, (dict, list)):
        raise ValueError(f'{at}: no {" or ".join(names)} (found {", ".join(map(str, record))})')
    return str(value)


def _items(record: dict[str, Any], name: str, at: str, kind: type = list) -> Any:
    value = record.get(name)
    if not isinstance(value, kind):
        raise ValueError(f'{at}: {name} is {_short(value)}, expected a {"list" if kind is list else "JSON object"}')
    return value


def _short(value: Any) -> str:
    said = repr(plain(value))
    return said if len(said) <= 60 else said[:59] + '…'


def _autonuggetizer(bank: Bank, record: dict[str, Any], at: str) -> None:
    query = _value(record, ('qid', 'query_id', 'topic_id'), at)
    nuggets = _items(record, 'nuggets', at)
    bank.lists(query, len(nuggets), at)
    if not nuggets:
        bank.doubtful('list of nuggets', nuggets, at, 'such queries are left out')
    grades: dict[str, float] = {}
    for place, nugget in enumerate(nuggets, 1):
        where, name = f'{at}, nugget {place}', str(place)
        if not isinstance(nugget, dict):
            raise ValueError(f'{where}: {_short(nugget)}, expected a JSON object')
        said = bank.intents.get((query, name), {}).get('importance', 'vital')  # what another record said, else vital
        importance = nugget.get('importance', said)
        if importance not in (*IMPORTANCE, said):
            bank.doubtful('importance', importance, where, 'counted as neither vital nor okay')
            importance = ''
        bank.intent(query, name, where, text=_value(nugget, ('text',), where), importance=importance)
        if 'assignment' in nugget:
            assigned = nugget['assignment']
            if not isinstance(assigned, str) or assigned not in ASSIGNMENTS:
                bank.doubtful('assignment', assigned, where, 'counted as no support')
            grades[name] = ASSIGNMENTS.get(assigned, 0) if isinstance(assigned, str) else 0
    if grades and len(grades) < len(nuggets):
        raise ValueError(f'{at}: {len(nuggets) - len(grades)} of {len(nuggets)} nuggets have no assignment')
    if grades:
        bank.judge(query, _value(record, (*DOCUMENT_NAMES, 'run_id'), at), grades, at, str(record.get('judge') or ''))


def _crux(bank: Bank, record: dict[str, Any], at: str) -> None:
    query = _value(record, ('id', 'example_id', 'qid', 'query_id'), at)
    judge = str(record.get('judge') or '')
    if 'docids' in record:
        documents, lists = _items(record, 'docids', at), _items(record, bank.ratings, at)
        if len(documents) != len(lists):
            raise ValueError(f'{at}: query {query!r}: {len(lists)} lists of ratings for {len(documents)} documents')
        for document, rating in zip(documents, lists):
            _ratings(bank, query, document, rating, at, judge)
    else:
        _ratings(bank, query, _value(record, DOCUMENT_NAMES, at), record['rating'], at, judge)


def _ratings(bank: Bank, query: str, document: Any, rating: Any, at: str, judge: str) -> None:
    at = f'{at}, document {document!r}'
    if not isinstance(rating, list):
        raise ValueError(f'{at}: rating is {_short(rating)}, expected a list')
    bank.lists(query, len(rating), at)
    grades: dict[str, float] = {}
    for place, grade in enumerate(rating, 1):
        bank.intent(query, str(place), at)
        known = isinstance(grade, (int, float)) and not isinstance(grade, bool) and (grade >= 0 or grade == NOT_JUDGED)
        if not known:
            bank.doubtful('rating', grade, at, 'left out as −1')
        elif grade != NOT_JUDGED:
            grades[str(place)] = grade
    bank.judge(query, document, grades, at, judge)


def _questions(bank: Bank, record: dict[str, Any], at: str) -> None:
    query = _value(record, QUERY_NAMES, at)
    _texts(bank, query, record.get('questions', record.get('subquestions')), at)


def _texts(bank: Bank, query: str, texts: Any, at: str) -> None:
    if isinstance(texts, dict):
        for name, said in texts.items():
            bank.intent(query, str(name), at, text=said)
        return
    if not isinstance(texts, list) or not all(isinstance(said, str) for said in texts):
        raise ValueError(f'{at}: query {query!r}: {_short(texts)}, expected a list of texts')
    bank.lists(query, len(texts), at)
    for place, said in enumerate(texts, 1):
        bank.intent(query, str(place), at, text=said)


def _questions_of(bank: Bank, mapping: dict[str, Any], at: str) -> None:
    for query, texts in mapping.items():
        _texts(bank, query, texts, at)


def _lancer(bank: Bank, mapping: dict[str, Any], at: str) -> None:
    if bank.run is None:
        raise ValueError(f'{at}: lists of ratings without documents: give run=, the run that was rated')
    for query, lists in mapping.items():
        documents = bank.run.get(query, [])
        if len(lists) > len(documents):
            raise ValueError(f'{at}: query {query!r}: {len(lists)} lists of ratings, but the run has '
                             f'{len(documents)} documents')
        for document, rating in zip(documents, lists):
            _ratings(bank, query, document, rating, at, '')


def _query_of(bank: Bank, record: dict[str, Any], name: str, at: str) -> str:
    if bank.queries:
        if name not in bank.queries:
            raise ValueError(f'{at}: queries= names no query for nugget {name!r}')
        return str(bank.queries[name])
    if any(record.get(each) for each in ('query_id', 'qid')):
        return _value(record, ('query_id', 'qid'), at)
    dashed = BRIGHT_PRO_ID.fullmatch(name)
    query = dashed[1] if dashed else name.rpartition('_')[0]
    if not query:
        raise ValueError(f"{at}: nugget {name!r}: no query before a '_' or '-a'; give queries={{nugget: query}}")
    return query


def _freshstack(bank: Bank, record: dict[str, Any], at: str) -> None:
    nuggets = [record] if 'relevant_corpus_ids' in record else _items(record, 'nuggets', at)
    for place, nugget in enumerate(nuggets, 1):
        where = at if nugget is record else f'{at}, nugget {place}'
        name = _value(nugget, ('_id',), where)
        query = _query_of(bank, record, name, where)
        bank.intent(query, name, where, text=nugget.get('text'))
        refuted = set(map(str, nugget.get('non_relevant_corpus_ids') or []))
        for document in map(str, _items(nugget, 'relevant_corpus_ids', where)):
            if document in refuted:
                bank.doubtful('a document both relevant and non-relevant', document, where, 'counted as non-relevant')
            else:
                bank.support(query, document, name, 1, where)
        for document in nugget.get('non_relevant_corpus_ids') or []:
            bank.support(query, str(document), name, 0, where)


def _neuclir(bank: Bank, mapping: dict[str, Any], at: str) -> None:
    path = at.partition(',')[0]
    stem = os.path.basename(path).partition('.')[0]
    query = bank.queries.get(path) or bank.queries.get(stem) or stem.removeprefix('nuggets_')
    if stem == query:
        raise ValueError(f'{path}: expected a file named nuggets_<query>.json, which names the query')
    for place, (question, answers) in enumerate(mapping.items(), 1):
        name = str(place)
        bank.intent(query, name, at, text=question)
        for documents in answers[-1].values():
            for document in documents:
                bank.support(query, str(document), name, 1, f'{at}, nugget {place}')


def _autojudge(bank: Bank, record: dict[str, Any], at: str) -> None:
    inner = record.get('metadata') if isinstance(record.get('metadata'), dict) else {}
    query = _value({**(inner or {}), **record}, ('query_id', 'topic_id'), at)
    if record.get('claim_bank'):
        bank.doubtful('claim_bank', f'{len(record["claim_bank"])} claims', at, 'not read, questions only')
    nuggets = record['nugget_bank'] or {}
    for place, (key, nugget) in enumerate(_pairs(nuggets), 1):
        where = f'{at}, nugget {place}'
        if not isinstance(nugget, dict):
            raise ValueError(f'{where}: {_short(nugget)}, expected a JSON object')
        name = str(nugget.get('question_id') or place)
        importance = nugget.get('importance')
        if importance is not None:
            known = str(importance).lower()
            if known not in IMPORTANCE:
                bank.doubtful('importance', importance, where, 'counted as neither vital nor okay')
            importance = known if known in IMPORTANCE else ''
        bank.intent(query, name, where, text=nugget.get('question') or key, importance=importance)
        for _, answer in _pairs(nugget.get('answers') or {}):
            for reference in answer.get('references') or []:
                document = reference.get('doc_id') if isinstance(reference, dict) else reference
                bank.support(query, _document(document, query, where), name, 1, where)


def _pairs(items: Any) -> Iterator[tuple[str | None, Any]]:
    yield from items.items() if isinstance(items, dict) else ((None, item) for item in items)


def _bright_pro(bank: Bank, record: dict[str, Any], at: str) -> None:
    name = _value(record, ('id', 'aspect_id'), at)
    query, weight = _query_of(bank, record, name, at), record.get('weight')
    if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not 0 <= weight < float('inf'):
        raise ValueError(f'{at}: aspect {name!r}: weight is {_short(weight)}, expected a number of at least 0')
    said = next((record[each] for each in ('text', 'aspect', 'content', 'name') if isinstance(record.get(each), str)),
                None)
    bank.intent(query, name, at, text=said, weight=float(weight))
    for document in _items(record, 'supporting_docs', at):
        bank.support(query, str(document), name, 1, at)


def _nuggets_are(record: dict[str, Any], test: Callable[[dict[str, Any]], bool]) -> bool:
    nuggets = record.get('nuggets')
    return isinstance(nuggets, list) and all(isinstance(nugget, dict) and test(nugget) for nugget in nuggets)


def _values_are(record: dict[str, Any], test: Callable[[Any], bool]) -> bool:
    return bool(record) and all(map(test, record.values()))


def _list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and bool(value) and all(isinstance(each, kind) for each in value)


NUGGET_FORMS: dict[str, NuggetForm] = {form.name: form for form in (
    NuggetForm('autonuggetizer', 'AutoNuggetizer: nuggets created, or assigned to answers or to retrieved documents',
               lambda r: 'qid' in r and _nuggets_are(r, lambda nugget: '_id' not in nugget), _autonuggetizer),
    NuggetForm('freshstack', 'FreshStack: nuggets with the documents that support them',
               lambda r: 'relevant_corpus_ids' in r or bool(r.get('nuggets')) and _nuggets_are(
                   r, lambda nugget: '_id' in nugget), _freshstack),
    NuggetForm('crux', 'CRUX: a list of ratings, one for each sub-question, by document',
               lambda r: 'rating' in r or {'docids', 'ratings'} <= set(r), _crux),
    NuggetForm('autojudge', 'TREC AutoJudge: nugget banks (v3) of questions, answers and references',
               lambda r: 'nugget_bank' in r, _autojudge),
    NuggetForm('bright-pro', 'BRIGHT-Pro: weighted aspects with their supporting documents',
               lambda r: {'weight', 'supporting_docs'} <= set(r), _bright_pro),
    NuggetForm('questions', 'sub-questions of queries as records with id and questions',
               lambda r: 'questions' in r or 'subquestions' in r, _questions),
    NuggetForm('texts', 'sub-questions of queries: {query: [text, …]}',
               lambda r: _values_are(r, _list_of(str)), _questions_of, whole=True),
    NuggetForm('lancer', 'LANCER: {query: [[rating, …], …]}, a list for each document of a run',
               lambda r: _values_are(r, _list_of(list)), _lancer, whole=True),
    NuggetForm('neuclir', 'NeuCLIR reports: {question: [_, {answer: [document, …]}]}, one file a query',
               lambda r: _values_are(r, lambda value: isinstance(value, list) and len(value) == 2
                                     and isinstance(value[1], dict)), _neuclir, whole=True),
)}
"""Every form by name, in the order in which they are tried."""


# ------------------------------------------------------------------------------------------------------ reading

def looks_like_json(data: bytes) -> bool:
    """Whether a file begins like a JSON object or list."""
    return data.lstrip()[:1] in (b'{', b'[')


def told(data: bytes) -> bool:
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
        at = f'{path}, record {number}' if isinstance(whole, list) else f'{path}, line 1' if one_line else path
        yield at, _object(record, at)


def _lines(data: bytes, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            at = f'{path}, line {number}'
            try:
                record = textfiles.load_json(line.decode('utf-8'), at)
            except json.JSONDecodeError as error:
                raise ValueError(f'{at}: not JSON ({error})') from None
            yield at, _object(record, at)


def _object(record: Any, at: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise ValueError(f'{at}: {_short(record)}, expected a JSON object')
    return record


def add(bank: Bank, data: bytes, path: str, name: str | None = None) -> None:
    """Read a JSON file into a bank, in the form named, or told from each record.

    Raises:
        ValueError: an unknown form, or a record that is not of it; names file and line, or record.
    """
    if name is not None and name not in NUGGET_FORMS:
        raise ValueError(f'format={name!r}: expected one of {", ".join(NUGGET_FORMS)}'
                         + did_you_mean(name, NUGGET_FORMS))
    empty = True
    for at, record in records(data, path):
        empty = False
        form = NUGGET_FORMS[name] if name else _told(record, at)
        try:
            form.read(bank, record, at)
        except (KeyError, AttributeError, TypeError, IndexError) as error:
            raise ValueError(f'{at}: not a record of form {form.name!r} ({type(error).__name__}: {error})') from None
    if empty:
        raise ValueError(f'{path}: holds no records')


def _told(record: dict[str, Any], at: str) -> NuggetForm:
    for form in NUGGET_FORMS.values():
        if form.sniff(record):
            return form
    raise ValueError(f'{at}: none of the forms {", ".join(NUGGET_FORMS)} (the record has {_short(list(record))})')


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
            raise ValueError(f'{path}, line {number}: expected query, nugget and text, found {_short(raw.decode())}')
        bank.intent(parts[0], parts[1], f'{path}, line {number}', text=parts[2])


def parse(data: bytes, path: str) -> pd.DataFrame:
    """A JSON file as judgments, for a reader of judgments in any form."""
    bank = Bank()
    add(bank, data, path)
    bank.warn(path)
    return bank.table()


__all__ = ['ASSIGNMENTS', 'NOT_JUDGED', 'NUGGET_FORMS', 'Bank', 'NuggetForm', 'add', 'add_lines',
           'looks_like_json', 'parse', 'records', 'told']
