"""What files of nuggets, RAG pipelines and search agents say, collected record by record."""

from __future__ import annotations

import difflib
import functools
import hashlib
import os
import re
from collections import Counter, defaultdict
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
NUGGET = ['query_id', 'subtopic_id']
BOTH, CONTEXTS, ANSWERS = '', 'contexts', 'answers'
"""What nuggets are judged of: anything that stands for a document, retrieved documents, or answers of systems."""
OF_CONTEXTS, OF_ANSWERS, OF_ALL = (BOTH, CONTEXTS), (BOTH, ANSWERS), (BOTH, CONTEXTS, ANSWERS)


def by_side(kind: Any) -> Any:
    """A field with a table for each side, or another key."""
    return field(default_factory=lambda: defaultdict(kind))


@dataclass
class Collected:
    """What files say, record by record.

    Attributes:
        sides: what nuggets are read of (:data:`BOTH`, :data:`CONTEXTS`, :data:`ANSWERS`).
        strict: raise on values that no documentation of the form names.
        queries: the query of an intent's id, for forms whose ids alone name it.
        run: the documents of each query in order, for forms that do not name them.
        ratings: the field of CRUX records that holds the ratings.
        part: the part of MTEB's files to read, such as ``'default/test'``.
        intents: by side, the facts of each (query, nugget).
        listed: by side, how many nuggets each query has, and where that was read.
        grades: by side, the grade of each nugget for (query, document, judge, …) that a judge judged at one time.
        judged: by side, the queries of which it is said what is judged, even if nothing was found.
        retrieved: the retrieved documents of each system: query, document, score, rank, length, iteration, and their
            places in the files.
        given: the place of the contexts, and of the answer, of each system and query, by the name of the part.
        texts: the contexts of each system that have a text and no id.
        answers: the citations of each answer, by system and query.
        usage: numbers of rounds and tokens by system and query.
        missing: (system or '', query, field) of each field without which something cannot be computed.
        unread: fields that are not read, each with the fields that its object could have and has not.
        unknown: how often a value was found that no documentation names.
        criteria: the number of criteria of each query, system and judge.
        revisions: the revisions of each model of MTEB's files.
    """

    sides: tuple[str, ...]
    strict: bool = False
    queries: Mapping[str, str] = field(default_factory=dict)
    run: Mapping[str, list[str]] | None = None
    ratings: str = 'ratings'
    part: str | None = None
    intents: dict[str, dict[tuple[str, str], dict[str, Any]]] = by_side(dict)
    listed: dict[str, dict[str, tuple[int, str]]] = by_side(dict)
    grades: dict[str, dict[tuple[Any, ...], dict[str, float]]] = by_side(dict)
    judged: dict[str, set[str]] = by_side(set)
    retrieved: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    given: dict[tuple[str, str, str], str] = field(default_factory=dict)
    texts: dict[str, set[str]] = by_side(set)
    answers: dict[tuple[str, str], list[tuple[Any, ...]]] = field(default_factory=dict)
    usage: dict[tuple[str, str], dict[str, float]] = by_side(dict)
    missing: dict[tuple[str, str, str], None] = field(default_factory=dict)
    unread: dict[str, set[str]] = field(default_factory=dict)
    unknown: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    criteria: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    revisions: dict[str, set[str]] = by_side(set)

    def nuggets(self, *sides: str) -> pd.DataFrame:
        """``query_id, subtopic_id`` and the known facts of the nuggets of some sides; the last side counts."""
        intents = {key: facts for side in sides for key, facts in self.intents[side].items()}
        table = pd.DataFrame([*intents], columns=NUGGET)
        facts = pd.DataFrame([*intents.values()], columns=FACTS)
        return table.join(facts.dropna(axis=1, how='all'))

    def judgments(self, side: str, only_judged: bool = False) -> pd.DataFrame:
        """Judgments ``query_id, doc_id, relevance, subtopic_id`` and the facts of intents that are known.

        An intent that no document was judged for has a row with document '-' and grade −1. A column ``judge`` is there
        if a judge is named, or a document was judged several times for a query.

        Args:
            side: what was judged.
            only_judged: leave out the queries of which nothing was judged.
        """
        count: Counter[tuple[str, str]] = Counter()
        used: set[tuple[str, str, str]] = set()
        rows: list[tuple[Any, ...]] = []
        for (query, document, judge, *_), grades in self.grades[side].items():
            count[query, document] += 1
            label = judge or str(count[query, document])
            if (query, document, label) in used:
                label = f'{label}#{count[query, document]}'
            used.add((query, document, label))
            rows.extend((query, document, grade, name, label) for name, grade in grades.items())
        # a nugget called '0' without a grade above 0 needs a row of its own: see columns.listing
        judged = {(query, name) for query, _, grade, name, _ in rows if name != '0' or grade > 0}
        rows.extend(
            (query, NO_DOCUMENT, NOT_JUDGED, name, '')
            for query, name in self.intents[side]
            if (query, name) not in judged and (not only_judged or query in self.judged[side])
        )
        table = pd.DataFrame(
            rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge']
        )
        if len(used) == len(count) and not any(key[2] for key in self.grades[side]):
            table = table.drop(columns='judge')
        nuggets = with_shares(self.nuggets(side))
        texts = nuggets.columns.difference(['weight', 'points'])
        table = table.merge(nuggets.fillna(dict.fromkeys(texts, '')), 'left', NUGGET)
        return self.with_ids(table)

    def named(self, model: str, revision: str) -> str:
        """The name of a model's system, with its revision where several revisions of it are there."""
        revisions = self.revisions[model]
        revisions.add(revision)
        if len(revisions) == 1:
            return model
        names = {model: f'{model}@{next(iter(revisions - {revision}))}'}
        self.retrieved = {names.get(name, name): rows for name, rows in self.retrieved.items()}
        self.given = {(p, names.get(s, s), q): place for (p, s, q), place in self.given.items()}
        return f'{model}@{revision}'

    def with_ids(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table in which contexts without an id have one that is made from their text."""
        ids = {
            text: f'text-{hashlib.sha1(text.encode()).hexdigest()[:12]}'
            for text in set().union(*self.texts.values())
            if len(text) > LONGEST_ID or len(text.split()) > 1
        }
        named = [ids.get(each, each) for each in table['doc_id']]
        return table.assign(doc_id=named) if ids else table

    def runs(self) -> dict[str, pd.DataFrame]:
        """The rankings of each system: ``query_id, doc_id, score``, and ``length`` and ``iteration`` where known.

        Documents are scored as given, else by their ranks, else in the order of the file.
        """
        return {name: self.with_ids(_ranked(rows)) for name, rows in self.retrieved.items()}

    def citations(self) -> pd.DataFrame | None:
        """A row for each citation, and for each sentence without one (place 0, document '-'); None without answers."""
        rows = [row for rows in self.answers.values() for row in rows]
        names = ['sentence', 'place', 'doc_id', 'support', 'needed', 'length']
        table = pd.DataFrame(rows, columns=['system', 'query_id', *names])
        numbers = {'support': float, 'needed': float}
        return self.with_ids(table.astype(numbers)) if rows else None

    def lacking(self) -> pd.DataFrame:
        """What the records do not say of a question: ``system`` ('' for all systems), ``query_id``, ``field``."""
        intents = {**self.intents[CONTEXTS], **self.intents[ANSWERS]}
        listed = dict.fromkeys(query for query, _ in intents)
        answered = {(system, query) for query, system, *_ in self.grades[ANSWERS]}
        named = {document for _, document, *_ in self.grades[CONTEXTS]}
        systems = {system for _, system, _ in self.given} | {system for system, _ in answered}
        missing = [*self.missing]
        for query in dict.fromkeys([*(query for _, _, query in self.given), *listed]):
            if query not in self.judged[CONTEXTS]:
                missing.append(('', query, 'documents' if query in listed else 'nuggets'))
            for system in sorted(systems or {''}):
                texts = self.texts.get(system)
                lacks = {
                    'contexts': ('contexts', system, query) not in self.given,
                    'document ids': texts and named and not texts & named,
                    'assignment': (system, query) not in answered,
                    'support': ('answer', system, query) not in self.given,
                }
                missing += [(system, query, name) for name in lacks if lacks[name]]
        for (query, _), facts in intents.items():
            missing += [('', query, 'importance')] * ('importance' not in facts)
        for system, rows in self.retrieved.items():
            missing += [(system, row[0], 'tokens') for row in rows if row[4] is None]
        return pd.DataFrame(missing, columns=['system', 'query_id', 'field']).drop_duplicates(
            ignore_index=True
        )

    def usage_frame(self) -> pd.DataFrame | None:
        """``system, query_id, rounds`` and numbers of tokens; None where no file says anything of it."""
        rows = [
            {'system': system, 'query_id': query, **numbers}
            for (system, query), numbers in self.usage.items()
        ]
        return pd.DataFrame(rows) if rows else None

    def note_unread(self, data: Mapping[str, Any], known: set[str], possible: set[str]) -> None:
        """Remember the fields of an object that are not known, with those that it could have and has not."""
        for name in data:
            if name not in known:
                self.unread.setdefault(name, possible - data.keys())

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
        nuggets = self.nuggets(*self.sides).reindex(columns=[*NUGGET, 'text']).dropna()
        nuggets['text'] = [' '.join(str(text).split()) for text in nuggets['text']]
        key = ['query_id', 'text']
        same = nuggets[nuggets['text'].ne('') & nuggets.duplicated(key, keep=False)]
        if len(same):
            n_queries = same['query_id'].nunique()
            (query, text), group = next(iter(same.groupby(key, sort=False)))
            ids = list(map(repr, group['subtopic_id']))
            warn(
                f'{name}: {len(same)} nuggets of {n_queries} quer{"y" if n_queries == 1 else "ies"} have the text of '
                f'another nugget of their query, and each counts on its own: query {query!r}, nuggets '
                f'{", ".join(ids[:3])}{", …" if len(ids) > 3 else ""} ({text!r:.60})'
            )


def with_shares(nuggets: pd.DataFrame) -> pd.DataFrame:
    """Nuggets of which each part has its share of the nugget's weight.

    Where a query has parts and no weights, its nuggets weigh the same, so that every measure reads the shares.
    """
    if 'part_of' not in nuggets:
        return nuggets
    query, whole = nuggets['query_id'], nuggets['part_of'].fillna(nuggets['subtopic_id'])
    weight = nuggets.get('weight', pd.Series(index=whole.index, dtype=float))
    weighted = weight.notna().groupby(query).transform('any')
    weight = weight.where(weighted, 1 / whole.groupby(query).transform('nunique'))
    nuggets['weight'] = weight / whole.groupby([query, whole]).transform('size')
    return nuggets[[name for name in (*NUGGET, *FACTS) if name in nuggets]]


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
            raise self.error(f'no {" or ".join(names)} (found {", ".join(map(str, self.data))})')
        return str(value)

    def error(self, message: str) -> ValueError:
        """The error of the record."""
        return ValueError(f'{self.location}: {message}')

    def document(self, item: Any, names: tuple[str, ...] = CONTEXT_IDS) -> str:
        """The document of an item of a list: an id or a text, or an object with one."""
        found = first(item, (*names, *TEXTS)) if isinstance(item, dict) else item
        if isinstance(found, bool) or not isinstance(found, (str, int)):
            raise self.error(
                f'found {item!r:.60}, expected the id of a document or an object with {" or ".join(names)}'
            )
        return str(found)

    def sides(self, sides: Iterable[str]) -> list[str]:
        """Those of some sides that are read."""
        return [side for side in self.collected.sides if side in sides]

    def lacks(self, name: str, system: bool = True) -> None:
        """Remember that the record does not have a field without which something cannot be computed."""
        self.collected.missing[self.system if system else '', self.query, name] = None

    def retrieved(self) -> list[tuple[Any, ...]]:
        """The retrieved documents of the system."""
        return self.collected.retrieved.setdefault(self.system, [])

    def gives(self, part: str) -> str:
        """Remember that the record has the contexts or the answer of its system and query; the place that has it first."""
        key = (part, self.system, self.query)
        return self.collected.given.setdefault(key, self.location)

    def judged(self, sides: Iterable[str]) -> None:
        """Remember that the record says what is judged of its query."""
        for side in self.sides(sides):
            self.collected.judged[side].add(self.query)

    def facts(self, item: Any) -> dict[str, Any]:
        """What a nugget says of itself. An unknown importance is ''."""
        facts = {fact: getattr(item, fact, None) for fact in FACTS}
        if (written := facts['importance']) is not None:
            facts['importance'] = importance = str(written).lower()
            if importance not in IMPORTANCE:
                self.doubtful('importance', written, 'counted as neither vital nor okay')
                facts['importance'] = ''
        return facts

    def intent(self, sides: Iterable[str], name: str, **facts: Any) -> None:
        """Name an intent. Facts that are None say nothing."""
        for side in self.sides(sides):
            known = self.collected.intents[side].setdefault((self.query, name), {})
            for fact, value in facts.items():
                if value is not None and known.setdefault(fact, value) != value:
                    raise self.error(
                        f'query {self.query!r}: {fact} of nugget {name} is {value!r} here and {known[fact]!r} in '
                        'another record'
                    )

    def lists(self, sides: Iterable[str], size: int) -> None:
        """Note the number of a query's nuggets, which every other list of them must have."""
        for side in self.sides(sides):
            known, where = self.collected.listed[side].setdefault(self.query, (size, self.location))
            if known != size:
                raise self.error(
                    f'query {self.query!r}: {size} nuggets or ratings, expected {known} as in {where}'
                )

    def supported(
        self, name: str, documents: Iterable[Any], refuted: Iterable[Any] = (), **facts: Any
    ) -> None:
        """Name an intent, and add the documents that support it, with grade 1, and those that do not."""
        self.judged(OF_CONTEXTS)
        self.intent(OF_CONTEXTS, name, **facts)
        for document, grade in {**dict.fromkeys(documents, 1), **dict.fromkeys(refuted, 0)}.items():
            self.judge(OF_CONTEXTS, document, {name: grade}, at_once=False, highest=True)

    def judge(
        self,
        sides: Iterable[str],
        document: Any,
        grades: Mapping[str, float | None],
        at_once: bool = True,
        highest: bool = False,
    ) -> None:
        """Add what a judge says of a document, whose id must not be '' or '-', for intents, which are named.

        Args:
            grades: the grade for each intent; None: not judged.
            at_once: these are all grades of one time. Else they join those of the same document and judge, where another
                grade of a nugget is an error, or the highest counts.
        """
        if document is None or str(document) in ('', NO_DOCUMENT):
            raise self.error(
                f'query {self.query!r}: document is {document!r}, expected an id ({NO_DOCUMENT!r} stands for no '
                'document)'
            )
        self.judged(sides)
        for side in self.sides(sides):
            records = self.collected.grades[side]
            time = len(records) if at_once else self.table
            known = records.setdefault((self.query, str(document), self.judge_name, time), {})
            for name, grade in grades.items():
                self.collected.intents[side].setdefault((self.query, name), {})
                if grade is None:
                    continue
                if known.setdefault(name, grade) != grade and not highest:
                    raise self.error(
                        f'query {self.query!r}, document {document!r}, nugget {name!r} has grade {grade:g} here and '
                        f'{known[name]:g} above; a field judge tells several judgments apart'
                    )
                known[name] = max(known[name], grade)

    def doubtful(self, what: str, value: Any, counts_as: str) -> None:
        """Count an unknown value, which is an error if reading is strict."""
        if self.collected.strict:
            raise self.error(f'{what} is {value!r}, which strict=True does not take')
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
