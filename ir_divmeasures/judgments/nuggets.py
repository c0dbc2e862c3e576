"""Read the files of nugget and sub-question evaluation as judgments: ``read_nuggets``, ``read_answers``."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import did_you_mean
from ..io import judgment_forms as formats
from ..io import nugget_forms as forms
from ..io import rag_forms, runs
from ..io import text as textfiles
from ..io.columns import NO_DOCUMENT
from ..io.labels import grade_of
from ..io.paths import files
from ..results import Result, count

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import RunLike

ALIASES = {
    'query': 'query_id',
    'qid': 'query_id',
    'intent': 'subtopic_id',
    'nugget': 'subtopic_id',
    'nugget_id': 'subtopic_id',
    'subtopic': 'subtopic_id',
    'docno': 'doc_id',
    'docid': 'doc_id',
    'label': 'relevance',
    'grade': 'relevance',
}
LINES = ('table', 'coveragebench')
"""Forms that are no JSON: a table under a header; lines ``query nugget doc grade`` or ``query nugget text``."""
IDS = ('subtopic_id', 'nugget_id', 'intent', 'subtopic')
"""Columns of the ids of nuggets; beside one of them, a column ``nugget`` has the text."""
FACTS = ('text', 'importance', 'weight', 'points', 'part_of')


def read_nuggets(
    source: Any,
    format: str | None = None,
    *,
    intents: Any = None,
    run: RunLike | None = None,
    queries: Mapping[str, str] | None = None,
    ratings: str = 'ratings',
    strict: bool = False,
) -> pd.DataFrame:
    """Read nuggets, or sub-questions, and the documents that answer them, as diversity judgments.

    A nugget is an intent, and its id is its place in its list, from 1, where the file gives it none. Forms, recognized
    from the records (.jsonl, .json, plain or .gz):

    * ``'autonuggetizer'``: nuggets assigned to retrieved documents or answers (document = ``run_id``), grades
      support 2, partial_support 1, not_support 0; its create step gives nuggets alone. Missing importance = vital.
    * ``'crux'``: a list of ratings a document; ``'lancer'``: ``{query: [[rating, …], …]}`` for the documents of a run
      (by score; equal scores as the file has them). −1 = unknown: no judgment.
    * ``'freshstack'``; ``'autojudge'`` (TREC AutoJudge nugget banks v3); ``'neuclir'`` (``nuggets_<query>.json``);
      ``'bright-pro'`` (weighted aspects): documents that support a nugget, grade 1. Each answer of an AND nugget
      ``n1`` is an aspect ``n1.1`` with its share of the weight; a column ``part_of`` says ``n1``.
    * ``'flat'``: ``{"query_id", "nugget_id", "nugget", "doc_id" (or "run_id"), "label"}`` a line; ``'rubric'`` and
      ``'criterion'``: criteria with points, which may be negative, and verdicts.
    * ``'coveragebench'``: lines ``query nugget doc grade``, or ``query nugget text``.
    * ``'table'``: tabs or commas under a header: query, intent, and any of doc_id, relevance, text, importance, weight.
    * ``'questions'``, ``'texts'``: texts of sub-questions, as records or ``{query: [text, …]}``.

    Args:
        source: a path, a folder, a pattern, or several paths that make one collection; a DataFrame (a table as above).
        format: the form, recognized from the data if not given.
        intents: all nuggets that are listed, with texts, importance or weights: anything this function reads, or
            ``{query: [text, …]}``, ``{query: {intent: text}}``. Those that no document is judged for count too.
        run: the run whose documents ``'lancer'`` ratings are of, in any form of a run.
        queries: the query of each nugget's id, for ``'freshstack'`` and ``'bright-pro'`` (else what stands before its
            last '_', or before BRIGHT-Pro's -a0 or -aspect-0); the query of each file for ``'neuclir'``.
        ratings: the field of ``'crux'`` records with several documents: ``'ratings'`` or ``'ratings_andor'``.
        strict: raise on unknown values. By default they count as no support, and an unknown importance as neither
            vital nor okay, with one warning and counts.

    Returns:
        DataFrame as :func:`~ir_divmeasures.read_qrels` gives it, with ``weight``, ``importance``, ``text`` where known,
        and a row ``query, '-', −1, intent`` for each listed intent that no document is judged for. If a document was
        judged several times for a query, a column ``judge`` tells the records apart:
        :func:`~ir_divmeasures.aggregate_judges` makes one judgment of them.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a record of another form, a list of ratings of another length than the query's sub-questions,
            nuggets that differ between records of a query, a document '-'; names file and line, or record.

    Examples:
        >>> import json, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'ratings.jsonl')
        >>> with open(path, 'w') as file:
        ...     _ = file.write(json.dumps({'id': 'q1', 'docid': 'd1', 'rating': [5, -1]}))
        >>> read_nuggets(path, intents={'q1': ['Who?', 'When?']})
          query_id doc_id  relevance subtopic_id   text
        0       q1     d1          5           1   Who?
        1       q1      -         -1           2  When?
    """
    if format is not None and format not in (*LINES, *forms.NUGGET_FORMS):
        form_names = (*forms.NUGGET_FORMS, *LINES)
        raise ValueError(
            f'format={format!r}: expected one of '
            f'{", ".join(form_names)}{did_you_mean(format, form_names)}'
        )
    documents = None
    if run is not None:
        ranked = runs.read(run).check().table.sort_values('score', ascending=False, kind='stable')
        documents = {
            str(query): list(names)
            for query, names in ranked.groupby('query_id', sort=False)['doc_id']
        }
    bank = forms.Bank(strict, '', dict(queries or {}), documents, ratings)
    if intents is not None:
        _add(bank, intents, None, 'intents')
        if bank.records:
            raise ValueError('intents: these files hold judgments; give them as source')
    _add(bank, source, format, 'nuggets')
    bank.warn('nuggets')
    return bank.table()


@dataclass(frozen=True, eq=False, repr=False)
class Answers(Result):
    """The result of :func:`read_answers`. You can unpack it as a pair: ``qrels, runs = read_answers(…)``.

    Attributes:
        qrels: judgments in which each system's answer to a query is a document, named after the system.
        runs: for each system a run with its one answer to each query.
    """

    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.qrels, self.runs))

    def _headline(self) -> str:
        nuggets = len(self.qrels[['query_id', 'subtopic_id']].drop_duplicates())
        return (
            f'Answers of {count(len(self.runs), "system")}, judged for {count(nuggets, "nugget")}'
        )

    def to_frame(self) -> pd.DataFrame:
        """The number of answers of each system: ``system, queries, answers``."""
        import pandas as pd

        return pd.DataFrame(
            [(system, run['query_id'].nunique(), len(run)) for system, run in self.runs.items()],
            columns=['system', 'queries', 'answers'],
        )


def read_answers(
    source: Any, *, intents: Any = None, sentences: bool = False, strict: bool = False
) -> Answers:
    """Read nuggets assigned to generated answers as judgments and runs. Each answer is the only document of its
    ranking.

    Nugget recall of answers is then ``Coverage(…)@1``. You can compare it with the coverage of the retrieved context by
    the same measures and functions.

    Args:
        source: assignments to answers in any form that :func:`~ir_divmeasures.read_rag` reads (AutoNuggetizer's,
            rubrics, a label a line, your own), a path, folder, pattern or several; a dict ``{system: {query: {nugget:
            assignment}}}``, an assignment being a grade, a truth value or a label such as ``'support'``,
            ``'partial_support'``, ``'not_support'``.
        intents: as for :func:`read_nuggets`.
        sentences: make a ranking of each answer: document ``system/3`` is its third sentence, with its words as
            ``length``. Grades are labels of nuggets by sentence, where there are any, else the support of a sentence by
            its first citation.
        strict: as for :func:`read_nuggets`.

    Returns:
        :class:`Answers`: ``qrels`` and ``runs``, for :func:`~ir_divmeasures.evaluate` or PyTerrier. With several judges
        ``qrels`` has a column ``judge``: :func:`~ir_divmeasures.aggregate_judges` makes one judgment of them.

    Raises:
        FileNotFoundError, TypeError, ValueError: as :func:`read_nuggets`; a system answers a query twice by one judge;
            an unknown label.

    Examples:
        >>> answers = read_answers({'a': {'q1': {'n1': 'support', 'n2': 'not_support'}},
        ...                         'b': {'q1': {'n1': 'partial_support', 'n2': 'support'}}})
        >>> from ir_divmeasures import evaluate
        >>> evaluate(answers.runs, answers.qrels, 'Coverage(rel=2)@1 Coverage(rel=2,partial=0.5)@1').means()
        measure  Coverage(rel=2)@1  Coverage(partial=0.5,rel=2)@1
        system
        a                      0.5                           0.50
        b                      0.5                           0.75
    """
    collected = rag_forms.Collected(strict=strict)
    bank = collected.answers
    if intents is not None:
        _add(bank, intents, None, 'intents')
    if isinstance(source, Mapping):
        _assigned(bank, source)
    elif sentences and not hasattr(source, 'columns'):
        rag_forms.collect(collected, rag_forms.paths_of(source))
    else:
        _add(bank, source, None, 'answers')
    bank.warn('answers')
    return (answers_by_sentence if sentences else whole_answers)(
        collected, rag_forms.named_source(source, 'answers')
    )


def whole_answers(collected: rag_forms.Collected, name: str) -> Answers:
    """The answers of a collection as documents named after their systems.

    Raises:
        ValueError: there are none, or a system answers a query twice by one judge.
    """
    bank = collected.answers
    keys: set[tuple[str, str, str]] = set()
    for query, system, judge, _ in bank.records:
        if (query, system, judge) in keys:
            raise ValueError(
                f'answers: system {system!r} answers query {query!r} more than once'
                + (
                    f' by judge {judge!r}'
                    if judge
                    else '; a field judge tells several judges apart'
                )
            )
        keys.add((query, system, judge))
    if not bank.records:
        raise ValueError(f'{name}: no nugget is assigned to an answer')
    return Answers(
        bank.table(), _ranked((system, query, system, 1.0) for query, system, _, _ in bank.records)
    )


def answers_by_sentence(collected: rag_forms.Collected, name: str) -> Answers:
    """The sentences of a collection's answers as rankings of documents ``system/1``, ``system/2``, ….

    Their grades are the labels of nuggets by sentence, where there are any; else the support of their first citations.

    Raises:
        ValueError: there are no sentences.
    """
    import pandas as pd

    if not collected.sentences:
        raise ValueError(f'{name}: no answers with sentences')
    by_sentence = [record for record in collected.answers.records if '/' in record[1]]
    qrels = collected.answers.table()
    if by_sentence:
        qrels = qrels[qrels['doc_id'].isin([NO_DOCUMENT, *(record[1] for record in by_sentence)])]
    else:
        rows = [
            (each.query, f'{each.system}/{each.place}', each.support[0], '1')
            for each in collected.sentences
            if each.documents and each.support and each.support[0] is not None
        ]
        qrels = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])
    return Answers(
        qrels.reset_index(drop=True),
        _ranked(
            (
                (
                    each.system,
                    each.query,
                    f'{each.system}/{each.place}',
                    -float(each.place),
                    each.length,
                )
                for each in collected.sentences
            ),
            ('length',),
        ),
    )


def _ranked(
    rows: Iterable[tuple[Any, ...]], further: tuple[str, ...] = ()
) -> dict[str, pd.DataFrame]:
    """A run for each system, of rows system, query, document, score and further columns."""
    import pandas as pd

    table = pd.DataFrame(
        rows, columns=['system', 'query_id', 'doc_id', 'score', *further]
    ).drop_duplicates()
    return {
        str(system): of_system.drop(columns='system').reset_index(drop=True)
        for system, of_system in table.groupby('system', sort=False)
    }


def _assigned(bank: forms.Bank, source: Mapping[Any, Any]) -> None:
    for system, answers in source.items():
        for query, assigned in answers.items():
            at, grades = f'answers: system {system!r}, query {query!r}', {}
            for name, value in assigned.items():
                grade = grade_of(value, f'{at}, nugget {name!r}', 'assignment')
                bank.intent(str(query), str(name), at)
                if grade is not None:
                    grades[str(name)] = grade
            bank.judge(str(query), str(system), grades, at)


# ---------------------------------------------------------------------------------------------------- the sources


def _add(bank: forms.Bank, source: Any, format: str | None, name: str) -> None:
    """Read a source into a bank: paths, a table, or texts of intents."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        _add_table(bank, source, name)
    elif isinstance(source, Mapping):
        forms.NUGGET_FORMS['texts'].read(
            bank, {str(query): texts for query, texts in source.items()}, name
        )
    elif isinstance(source, (str, os.PathLike)):
        _add_files(bank, files(os.fspath(source)), format, name)
    elif isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        paths = list(source)
        if not paths:
            raise ValueError(f'{name}: no files')
        for path in paths:
            if not isinstance(path, (str, os.PathLike)):
                raise TypeError(f'{name}: expected paths, found {path!r}')
        _add_files(bank, [each for path in paths for each in files(os.fspath(path))], format, name)
    else:
        raise TypeError(
            f'{name}: expected a path, paths, a DataFrame or {{query: [text, …]}}, found '
            f'{type(source).__name__}'
        )


def _add_files(bank: forms.Bank, paths: list[str], format: str | None, name: str) -> None:
    """Read files into a bank; one of them must be about nuggets.

    Raises:
        ValueError: none is.
    """
    if not sum([_add_file(bank, path, format) for path in paths]) and not bank.side:
        raise ValueError(f'{", ".join(paths[:3])}: no {name} there')


def _add_file(bank: forms.Bank, path: str, format: str | None) -> int:
    """Read a file into a bank; how many records (of a table 1) are about nuggets."""
    data = textfiles.read_bytes(path)
    if format in forms.NUGGET_FORMS or format is None and forms.looks_like_json(data):
        return forms.add(bank, data, path, format, rag_forms.says_something)
    add_other(bank, data, path, format)
    return 1


def add_other(bank: forms.Bank, data: bytes, path: str, format: str | None) -> None:
    """Read a file that is no JSON into a bank: a table under a header, or lines."""
    lines = textfiles.first_lines(data, 1)
    if not lines:
        raise ValueError(f'{path}: empty')
    if format != 'coveragebench':
        for separator in '\t,':
            header = lines[0].strip('\r\n').split(separator)
            if {'query_id', 'subtopic_id'} <= {ALIASES.get(field, field) for field in header}:
                _add_table(bank, _table(data, path, separator), path)
                return
        if format == 'table':
            raise ValueError(
                f'{path}, line 1: expected a header that names query and intent, or JSON Lines, found '
                f'{lines[0]!r}'
            )
    fields = lines[0].split()
    if len(fields) == 4 and textfiles.number(fields[3]) is not None:
        _add_table(bank, formats.read(path, 'trec'), path)
    else:
        forms.add_lines(bank, data, path)


def _table(data: bytes, path: str, separator: str) -> pd.DataFrame:
    import io

    import pandas as pd

    if separator == ',':
        return pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)
    _, columns, _ = textfiles.split_table(data, path)
    return pd.DataFrame({name: list(values) for name, values in columns.items()})


def _add_table(bank: forms.Bank, table: pd.DataFrame, name: str) -> None:
    if 'nugget' in table.columns and 'text' not in table.columns and set(IDS) & set(table.columns):
        table = table.rename(columns={'nugget': 'text'})
    if bank.side == forms.ANSWERS and 'run_id' in table.columns and 'doc_id' not in table.columns:
        table = table.rename(columns={'run_id': 'doc_id'})
    named = {
        old: new
        for old, new in ALIASES.items()
        if old in table.columns and new not in table.columns
    }
    twice = [old for old, new in named.items() if list(named.values()).count(new) > 1]
    if twice:
        raise ValueError(
            f'{name}: the columns {" and ".join(twice)} both name the {named[twice[0]]}'
        )
    table = table.rename(columns=named)
    for column in ('query_id', 'subtopic_id'):
        if column not in table.columns:
            raise ValueError(
                f'{name}: no column {column!r} (found {", ".join(map(str, table.columns))})'
            )
    if ('doc_id' in table.columns) != ('relevance' in table.columns):
        raise ValueError(
            f'{name}: the columns doc_id and relevance go together (found '
            f'{", ".join(map(str, table.columns))})'
        )
    facts = [fact for fact in FACTS if fact in table.columns]
    grouped: dict[tuple[str, str, str], dict[str, float]] = {}
    for row, record in enumerate(table.to_dict('records'), 1):
        location = f'{name}, row {row}'
        query, intent = str(record['query_id']), str(record['subtopic_id'])
        facts_of_row = {fact: _fact(record[fact], fact, location) for fact in facts}
        bank.intent(query, intent, location, **facts_of_row)
        if 'doc_id' in table.columns:
            grade, document = _grade(record['relevance'], location), str(record['doc_id'])
            if grade is None or document == NO_DOCUMENT and grade <= 0:
                continue
            key = (query, document, str(record.get('judge') or ''))
            if key not in grouped:
                grouped[key] = {}
                bank.judge(query, document, grouped[key], location, key[2])
            if grouped[key].setdefault(intent, grade) != grade:
                raise ValueError(
                    f'{location}: query {query!r}, document {document!r}, nugget {intent!r} has grade '
                    f'{grade} here and another above; a column judge tells several judgments apart'
                )


def _fact(value: Any, fact: str, location: str) -> Any:
    if value is None or value == '' or value != value:
        return None
    return _number(value, fact, location) if fact in ('weight', 'points') else str(value)


def _grade(value: Any, location: str) -> float | None:
    """Return a grade or the grade of a label, or None if the label gives no judgment."""
    number = textfiles.number(str(value))
    return (
        _number(value, 'relevance', location)
        if number is not None
        else grade_of(value, location, 'relevance')
    )


def _number(value: Any, field: str, location: str) -> float:
    number = textfiles.number(str(value))
    if number is None or not math.isfinite(number):
        raise ValueError(f'{location}: {field} is {value!r}, expected a number')
    return int(number) if number == int(number) and field == 'relevance' else number


__all__ = [
    'Answers',
    'add_other',
    'answers_by_sentence',
    'read_answers',
    'read_nuggets',
    'whole_answers',
]
