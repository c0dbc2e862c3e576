"""What files of nuggets, RAG pipelines and search agents say, collected record by record."""

from __future__ import annotations

import difflib
import functools
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import Meta, Struct

from ..errors import warn
from ..lazy import pd
from .columns import IMPORTANCE, NO_DOCUMENT

T = TypeVar('T')
Id = str | int
Label = str | int | float | bool | None
Amount = Annotated[float, Meta(ge=0)]
CLOSE = 0.85
"""The similarity of names from which one of them may be meant (:func:`difflib.get_close_matches`)."""
LONGEST_ID = 64
"""Longer texts, and those of several words, get an id that is made from them."""
NOT_JUDGED = -1
"""The grade of an intent row, and a rating that says nothing."""
QUERIES = (
    'query_id',
    'qid',
    'question_id',
    'topic_id',
    'narrative_id',
    'request_id',
    'example_id',
    'sample_id',
    'id',
    'question',
    'user_input',
)
"""Fields that name the query of a record, or of its metadata, else its text; the first that is there counts."""
SYSTEMS = ('run_id', 'system', 'runtag')
"""Fields that name the system; the name of the file stands in for them."""
DOCUMENTS = ('docid', 'doc_id', 'pid', 'docno')
CONTEXT_IDS = ('id', 'doc_id', 'docid', 'docno', 'pid', 'corpus-id', 'corpus_id')
TEXTS = ('text', 'contents', 'content', 'page_content', 'segment')
"""Fields of the text of a context."""
FACTS = ('weight', 'points', 'importance', 'part_of', 'text')
BOTH, CONTEXTS, ANSWERS = '', 'contexts', 'answers'
"""What nuggets are judged of: anything that stands for a document, retrieved documents, or answers of systems."""
OF_CONTEXTS, OF_ANSWERS, OF_ALL = (BOTH, CONTEXTS), (BOTH, ANSWERS), (BOTH, CONTEXTS, ANSWERS)


@dataclass
class Bank:
    """Intents, and judgments of them.

    Attributes:
        intents: the facts of each (query, nugget).
        listed: how many nuggets each query has, and where that was read.
        records: (query, document, judge, grade of each nugget), for each document that a judge judged at one time.
        merged: the grades of records that are put together from several lines, by query, document, judge and table.
        judged: the queries of which it is said what is judged, even if nothing was found.
    """

    intents: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    listed: dict[str, tuple[int, str]] = field(default_factory=dict)
    records: list[tuple[str, str, str, dict[str, float]]] = field(default_factory=list)
    merged: dict[tuple[str, ...], dict[str, float]] = field(default_factory=dict)
    judged: set[str] = field(default_factory=set)

    def frame(self, ids: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Judgments ``query_id, doc_id, relevance, subtopic_id`` and the facts of intents that are known.

        An intent that no document was judged for has a row with document '-' and grade −1. A column ``judge`` is there
        if a judge is named, or a document was judged several times for a query.

        Args:
            ids: the ids of documents that are named by their texts. If given, queries of which nothing was judged are
                left out.
        """
        count: Counter[tuple[str, str]] = Counter()
        used: set[tuple[str, str, str]] = set()
        rows: list[tuple[Any, ...]] = []
        for query, document, judge, grades in self.records:
            count[query, document] += 1
            label = judge or str(count[query, document])
            if (query, document, label) in used:
                label = f'{label}#{count[query, document]}'
            used.add((query, document, label))
            shown = (ids or {}).get(document, document)
            rows.extend((query, shown, grade, name, label) for name, grade in grades.items())
        # a nugget called '0' without a grade above 0 needs a row of its own: see columns.listing
        judged = {(query, name) for query, _, grade, name, _ in rows if name != '0' or grade > 0}
        rows.extend(
            (query, NO_DOCUMENT, NOT_JUDGED, name, '')
            for query, name in self.intents
            if (query, name) not in judged and (ids is None or query in self.judged)
        )
        table = pd.DataFrame(
            rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge']
        )
        if max(count.values(), default=0) < 2 and not any(judge for _, _, judge, _ in self.records):
            table = table.drop(columns='judge')
        intents = self._with_shares()
        for fact in FACTS:
            if any(fact in facts for facts in intents.values()):
                values = [intents.get((row[0], row[3]), {}).get(fact) for row in rows]
                numbers = fact in ('weight', 'points')
                table[fact] = (
                    pd.Series(values, dtype=float)
                    if numbers
                    else ['' if value is None else value for value in values]
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
            share = weight and weight / parts[query, facts.get('part_of', name)]
            shared[query, name] = facts if share is None else {**facts, 'weight': share}
        return shared


@dataclass
class Collected:
    """What files say, record by record.

    Attributes:
        banks: intents and judgments by what is judged.
        strict: raise on values that no documentation of the form names.
        queries: the query of an intent's id, for forms whose ids alone name it.
        run: the documents of each query in order, for forms that do not name them.
        ratings: the field of CRUX records that holds the ratings.
        part: the part of MTEB's files to read, such as ``'default/test'``.
        retrieved: the retrieved documents of each system: query, document, score, rank, length, iteration, and their
            places in the files.
        given: the place of the contexts, and of the answer, of each system and query, by the name of the part.
        texts: the contexts of each system that have a text and no id.
        answers: the citations of each answer, by system and query.
        usage: numbers of rounds and tokens by system and query.
        missing: (system or '', query, field) of each field without which something cannot be computed.
        unread: fields that are not read, each with the fields that its object could have and has not.
        unknown: how often a value was found that no documentation names.
        revisions: the revisions of each model of MTEB's files.
    """

    banks: dict[str, Bank]
    strict: bool = False
    queries: Mapping[str, str] = field(default_factory=dict)
    run: Mapping[str, list[str]] | None = None
    ratings: str = 'ratings'
    part: str | None = None
    retrieved: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    given: dict[tuple[str, str, str], str] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)
    answers: dict[tuple[str, str], list[tuple[Any, ...]]] = field(default_factory=dict)
    usage: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    missing: dict[tuple[str, str, str], None] = field(default_factory=dict)
    unread: dict[str, set[str]] = field(default_factory=dict)
    unknown: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    criteria: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    revisions: dict[str, set[str]] = field(default_factory=dict)

    def named(self, model: str, revision: str) -> str:
        """The name of a model's system, with its revision where several revisions of it are there."""
        revisions = self.revisions.setdefault(model, set())
        revisions.add(revision)
        if len(revisions) == 1:
            return model
        names = {model: f'{model}@{next(iter(revisions - {revision}))}'}
        self.retrieved = {names.get(name, name): rows for name, rows in self.retrieved.items()}
        self.given = {(p, names.get(s, s), q): place for (p, s, q), place in self.given.items()}
        return f'{model}@{revision}'

    def ids(self) -> dict[str, str]:
        """The ids of contexts that are named by their texts, made from the texts."""
        texts = {text for of_system in self.texts.values() for text in of_system}
        return {
            text: f'text-{hashlib.sha1(text.encode()).hexdigest()[:12]}'
            for text in texts
            if len(text) > LONGEST_ID or len(text.split()) > 1
        }

    def runs(self) -> dict[str, pd.DataFrame]:
        """The rankings of each system: ``query_id, doc_id, score``, and ``length`` and ``iteration`` where known.

        Documents are scored as given, else by their ranks, else in the order of the file.
        """
        ids = self.ids()
        runs = {system: _ranked(rows) for system, rows in self.retrieved.items()}
        for run in runs.values() if ids else ():
            run['doc_id'] = [ids.get(document, document) for document in run['doc_id']]
        return runs

    def citations(self) -> pd.DataFrame | None:
        """A row for each citation, and for each sentence without one (place 0, document '-'); None without answers."""
        rows = [row for rows in self.answers.values() for row in rows]
        names = ['sentence', 'place', 'doc_id', 'support', 'needed', 'length']
        table = pd.DataFrame(rows, columns=['system', 'query_id', *names])
        ids = self.ids()
        table['doc_id'] = [ids.get(document, document) for document in table['doc_id']]
        return table.astype({'support': float, 'needed': float}) if rows else None

    def lacking(self) -> pd.DataFrame:
        """What the records do not say of a question: ``system`` ('' for all systems), ``query_id``, ``field``."""
        contexts, answers = self.banks[CONTEXTS], self.banks[ANSWERS]
        intents = {**contexts.intents, **answers.intents}
        listed = {query for query, _ in intents}
        answered = {(system, query) for query, system, _, _ in answers.records}
        named = {document for _, document, _, _ in contexts.records}
        systems = {system for _, system, _ in self.given} | {system for system, _ in answered}
        missing = dict(self.missing)
        for query in dict.fromkeys([*(query for _, _, query in self.given), *listed]):
            if query not in contexts.judged:
                missing['', query, 'documents' if query in listed else 'nuggets'] = None
            for system in sorted(systems or {''}):
                texts = self.texts.get(system)
                lacks = {
                    'contexts': ('contexts', system, query) not in self.given,
                    'document ids': texts and named and not texts & named,
                    'assignment': (system, query) not in answered,
                    'support': ('answer', system, query) not in self.given,
                }
                missing.update({(system, query, name): None for name in lacks if lacks[name]})
        unknown = [query for (query, _), facts in intents.items() if 'importance' not in facts]
        missing.update({('', query, 'importance'): None for query in unknown})
        for system, rows in self.retrieved.items():
            missing.update({(system, row[0], 'tokens'): None for row in rows if row[4] is None})
        return pd.DataFrame(list(missing), columns=['system', 'query_id', 'field'])

    def usage_frame(self) -> pd.DataFrame | None:
        """``system, query_id, rounds`` and numbers of tokens; None where no file says anything of it."""
        rows = [
            {'system': system, 'query_id': query, **numbers}
            for (system, query), numbers in self.usage.items()
        ]
        return pd.DataFrame(rows) if rows else None

    def warn(self, name: str) -> None:
        """One warning with counts about unknown values, one about misspelled fields, and one about nuggets of a query
        with the same text."""
        for field_name, others in self.unread.items():
            for near in difflib.get_close_matches(field_name, others, 1, CLOSE):
                warn(f'{name}: `{field_name}` is not read; did you mean `{near}`?')
        if self.unknown:
            listing = '; '.join(
                f'{what} {value}: {count} times, {counts_as}'
                for (what, value, counts_as), count in self.unknown.most_common()
            )
            warn(f'{name}: unknown values: {listing}. strict=True raises')
        ids: dict[tuple[str, str], dict[str, None]] = {}
        for bank in self.banks.values():
            for (query, nugget), facts in bank.intents.items():
                text = ' '.join(str(facts.get('text', '')).split())
                ids.setdefault((query, text), {})[nugget] = None
        same = {key: list(nuggets) for key, nuggets in ids.items() if key[1] and len(nuggets) > 1}
        if same:
            (query, text), nuggets = next(iter(same.items()))
            n_nuggets, n_queries = sum(map(len, same.values())), len({query for query, _ in same})
            warn(
                f'{name}: {n_nuggets} nuggets of {n_queries} quer{"y" if n_queries == 1 else "ies"} have the text of '
                f'another nugget of their query, and each counts on its own: query {query!r}, nuggets '
                f'{", ".join(map(repr, nuggets[:3]))}{", …" if len(nuggets) > 3 else ""} ({text!r:.60})'
            )


@dataclass
class Record:
    """One record of a file, and where it adds what it says.

    Attributes:
        collected: the tables.
        data: its fields.
        location: its place in words, for messages.
        table: the name of the table that the record is a row of; '' for JSON.
    """

    collected: Collected
    data: Mapping[str, Any]
    location: str
    table: str = ''

    @functools.cached_property
    def names(self) -> dict[str, Any]:
        """The fields of the record, of its metadata and of its query; its own count first."""
        inner = (self.data.get('query'), self.data.get('metadata'), self.data)
        return {name: part[name] for part in inner if isinstance(part, Mapping) for name in part}

    @functools.cached_property
    def query(self) -> str:
        return self.value(QUERIES)

    @functools.cached_property
    def judge_name(self) -> str:
        return str(self.data.get('judge') or '')

    @functools.cached_property
    def system(self) -> str:
        named = first(self.names, SYSTEMS)
        return stem(self.location) if named is None else str(named)

    def value(self, names: tuple[str, ...]) -> str:
        """The first of some fields that says something, as a text."""
        value = first(self.names, names)
        if value is None or isinstance(value, (dict, list)):
            raise ValueError(
                f'{self.location}: no {" or ".join(names)} (found {", ".join(map(str, self.data))})'
            )
        return str(value)

    def document(self, item: Any, names: tuple[str, ...] = CONTEXT_IDS) -> str:
        """The document of an item of a list: an id or a text, or an object with one."""
        found = first(item, (*names, *TEXTS)) if isinstance(item, dict) else item
        if isinstance(found, bool) or not isinstance(found, (str, int)):
            raise ValueError(
                f'{self.location}: found {item!r:.60}, expected the id of a document or an object with '
                f'{" or ".join(names)}'
            )
        return str(found)

    def banks(self, sides: Iterable[str]) -> list[Bank]:
        """The banks of some sides that are read."""
        return [bank for side, bank in self.collected.banks.items() if side in sides]

    def lacks(self, name: str, system: bool = True) -> None:
        """Remember that the record does not have a field without which something cannot be computed."""
        self.collected.missing[self.system if system else '', self.query, name] = None

    def gives(self, part: str) -> str:
        """Remember that the record has the contexts or the answer of its system and query; the place that has it first."""
        key = (part, self.system, self.query)
        return self.collected.given.setdefault(key, self.location)

    def judged(self, sides: Iterable[str]) -> None:
        """Remember that the record says what is judged of its query."""
        for bank in self.banks(sides):
            bank.judged.add(self.query)

    def intent(self, sides: Iterable[str], name: str, **facts: Any) -> None:
        """Name an intent. Facts that are None say nothing."""
        for bank in self.banks(sides):
            known = bank.intents.setdefault((self.query, name), {})
            for fact, value in facts.items():
                if value is not None and known.setdefault(fact, value) != value:
                    raise ValueError(
                        f'{self.location}: query {self.query!r}: {fact} of nugget {name} is {value!r} '
                        f'here and {known[fact]!r} in another record'
                    )

    def facts(self, item: Any) -> dict[str, Any]:
        """What a nugget says of itself."""
        facts = {fact: getattr(item, fact, None) for fact in FACTS}
        if facts['importance'] is not None:
            facts['importance'] = self.importance(facts['importance'])
        return facts

    def lists(self, sides: Iterable[str], size: int) -> None:
        """Note the number of a query's nuggets, which every other list of them must have."""
        for bank in self.banks(sides):
            known, where = bank.listed.setdefault(self.query, (size, self.location))
            if known != size:
                raise ValueError(
                    f'{self.location}: query {self.query!r}: {size} nuggets or ratings, expected {known} '
                    f'as in {where}'
                )

    def judge(self, sides: Iterable[str], document: Any, grades: dict[str, float]) -> None:
        """Add what one judge says of a document, whose id must not be '' or '-'."""
        if document is None or str(document) in ('', NO_DOCUMENT):
            raise ValueError(
                f'{self.location}: query {self.query!r}: document is {document!r}, expected an id '
                f'({NO_DOCUMENT!r} stands for no document)'
            )
        self.judged(sides)
        for bank in self.banks(sides):
            bank.records.append((self.query, str(document), self.judge_name, grades))

    def label(
        self,
        sides: Iterable[str],
        document: Any,
        name: str,
        grade: float | None,
        highest: bool = False,
    ) -> None:
        """Add one judgment to those of the same document and judge: another grade is an error, or the highest counts."""
        self.judged(sides)
        if grade is None:
            return
        key = (self.query, str(document), self.judge_name, self.table)
        for side in sides:
            for bank in self.banks([side]):
                if key not in bank.merged:
                    bank.merged[key] = {}
                    self.judge([side], document, bank.merged[key])
                known = bank.merged[key].setdefault(name, grade)
                if known != grade and not highest:
                    raise ValueError(
                        f'{self.location}: query {self.query!r}, document {document!r}, nugget {name!r} has '
                        f'grade {grade:g} here and {known:g} above; a field judge tells several judgments apart'
                    )
                bank.merged[key][name] = max(known, grade)

    def importance(self, value: Any) -> str:
        """The importance that a field says, '' for an unknown one."""
        importance = str(value).lower()
        if importance in IMPORTANCE:
            return importance
        self.doubtful('importance', value, 'counted as neither vital nor okay')
        return ''

    def doubtful(self, what: str, value: Any, counts_as: str) -> None:
        """Count an unknown value, which is an error if reading is strict."""
        if self.collected.strict:
            raise ValueError(
                f'{self.location}: {what} is {value!r}, which strict=True does not take'
            )
        self.collected.unknown[what, repr(value), counts_as] += 1


def _ranked(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """The rankings of a system from its retrieved documents; see :meth:`Collected.runs`."""
    numbers = ['score', 'rank', 'length', 'iteration']
    table = pd.DataFrame(rows, columns=['query_id', 'doc_id', *numbers, 'location'])
    table = table.astype(dict.fromkeys(numbers, float))
    rankings = table.groupby('query_id', sort=False)
    wrong = {'is retrieved twice': table.duplicated(['query_id', 'doc_id'])}
    for name, other in (('score', 'score'), ('rank', 'score')):
        partly = table[name].isna() & (rankings[name].transform('count') > 0)
        wrong[f'has no {name}, but others of this ranking have one'] = partly & table[other].isna()
    for reason, rows_of_reason in wrong.items():
        for row in table[rows_of_reason].head(1).itertuples():
            raise ValueError(
                f'{row.location}: query {row.query_id!r}: document {row.doc_id!r} {reason}'
            )
    by_rank = rankings['rank'].transform('max') + 1 - table['rank']
    by_place = rankings.cumcount(ascending=False) + 1.0
    table['score'] = table['score'].fillna(by_rank).fillna(by_place)
    table = table.iloc[rankings.ngroup().argsort(kind='stable')].reset_index(drop=True)
    if table['iteration'].notna().all():
        table['iteration'] = table['iteration'].astype(int)
    unused = [name for name in ('length', 'iteration') if table[name].isna().all()]
    return table.drop(columns=['rank', 'location', *unused])


def first(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The first of some fields that says something; None without any."""
    return next((record[name] for name in names if record.get(name) not in (None, '')), None)


def stem(location: str) -> str:
    """The name of the file of which ``location`` names a place, without its endings."""
    name = os.path.basename(re.sub(r', (line|record|row) \d+$', '', location))
    return re.sub(r'(\.jsonl?)?(\.(gz|bz2|xz|zst))?$', '', name)


def convert(value: Any, kind: type[T], location: str, strict: bool = True) -> T:
    """A value as the type that it should have; an error names the place and the field."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise ValueError(f'{location}: {error}') from None


class Form(Struct):
    """A form of records.

    Attributes:
        shown_by: sets of fields; a record that has all fields of one of them is of the form.
        also: further fields that its method reads.
    """

    shown_by: ClassVar[tuple[set[str], ...]] = ()
    also: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def shows(cls, data: Mapping[str, Any]) -> bool:
        """Whether a record, without fields that are None, is of this form."""
        return any(map(data.keys().__ge__, cls.shown_by))

    def read(self, record: Record) -> None:
        """Add what a record says to the tables."""
        raise NotImplementedError
