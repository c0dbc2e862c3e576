"""Judgments from the files of nugget and sub-question evaluation: ``read_nuggets``, ``read_answers``."""
from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import did_you_mean
from ..io import judgment_forms as formats
from ..io import nugget_forms as forms
from ..io import runs
from ..io import text as textfiles
from ..io.columns import NO_DOCUMENT

if TYPE_CHECKING:
    import pandas as pd

ALIASES = {'query': 'query_id', 'qid': 'query_id', 'intent': 'subtopic_id', 'nugget': 'subtopic_id',
           'nugget_id': 'subtopic_id', 'subtopic': 'subtopic_id', 'docno': 'doc_id', 'docid': 'doc_id',
           'label': 'relevance', 'grade': 'relevance'}
LINES = ('table', 'coveragebench')
"""Forms that are no JSON: a table under a header; lines ``query nugget doc grade`` or ``query nugget text``."""
FACTS = ('text', 'importance', 'weight')


def read_nuggets(source: Any, format: str | None = None, *, intents: Any = None, run: Any = None,
                 queries: Mapping[str, str] | None = None, ratings: str = 'ratings',
                 strict: bool = False) -> pd.DataFrame:
    """Read nuggets, or sub-questions, and the documents that answer them, as diversity judgments.

    A nugget is an intent, and its id is its place in its list, from 1, where the file gives it none. Forms, told from
    the records (.jsonl, .json, plain or .gz):

    * ``'autonuggetizer'``: nuggets assigned to retrieved documents or answers (document = ``run_id``), grades
      support 2, partial_support 1, not_support 0; its create step gives nuggets alone. Missing importance = vital.
    * ``'crux'``: a list of ratings a document; ``'lancer'``: ``{query: [[rating, …], …]}`` for the documents of a run
      (by score; equal scores as the file has them). −1 = unknown: no judgment.
    * ``'freshstack'``; ``'autojudge'`` (TREC AutoJudge nugget banks v3); ``'neuclir'`` (``nuggets_<query>.json``);
      ``'bright-pro'`` (weighted aspects): documents that support a nugget, grade 1.
    * ``'coveragebench'``: lines ``query nugget doc grade``, or ``query nugget text``.
    * ``'table'``: tabs or commas under a header: query, intent, and any of doc_id, relevance, text, importance, weight.
    * ``'questions'``, ``'texts'``: texts of sub-questions, as records or ``{query: [text, …]}``.

    Args:
        source: a path, or several that make one collection; a DataFrame (a table as above).
        format: the form, told from the data if not given.
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
        known = (*forms.NUGGET_FORMS, *LINES)
        raise ValueError(f'format={format!r}: expected one of {", ".join(known)}{did_you_mean(format, known)}')
    documents = None
    if run is not None:
        ranked = runs.read(run).check().table.sort_values('score', ascending=False, kind='stable')
        documents = {str(query): list(names) for query, names in ranked.groupby('query_id', sort=False)['doc_id']}
    bank = forms.Bank(strict, dict(queries or {}), documents, ratings)
    if intents is not None:
        _add(bank, intents, None, 'intents')
        if bank.records:
            raise ValueError('intents: these files hold judgments; give them as source')
    _add(bank, source, format, 'nuggets')
    bank.warn('nuggets')
    return bank.table()


class Answers(NamedTuple):
    """What :func:`read_answers` reads.

    Attributes:
        qrels: judgments in which each system's answer to a query is a document, named after the system.
        runs: for each system a run with its one answer to each query.
    """
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]


def read_answers(source: Any, *, intents: Any = None, strict: bool = False) -> Answers:
    """Read nuggets assigned to generated answers as judgments and runs: an answer is a document retrieved alone.

    Nugget recall of answers is then ``Coverage(…)@1``, and stands beside coverage of the retrieved context with the
    same measures and functions.

    Args:
        source: AutoNuggetizer's assignments to answers, a path or several (a file for each system, or one for all); a
            dict ``{system: {query: {nugget: assignment}}}``, an assignment being a grade or ``'support'``,
            ``'partial_support'``, ``'not_support'``.
        intents: as for :func:`read_nuggets`.
        strict: as for :func:`read_nuggets`.

    Returns:
        :class:`Answers`: ``qrels`` and ``runs``, for :func:`~ir_divmeasures.evaluate` or PyTerrier.

    Raises:
        FileNotFoundError, TypeError, ValueError: as :func:`read_nuggets`; a system answers a query twice.

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
    import pandas as pd

    bank = forms.Bank(strict)
    if intents is not None:
        _add(bank, intents, None, 'intents')
    if isinstance(source, Mapping):
        _assigned(bank, source)
    else:
        _add(bank, source, 'autonuggetizer', 'answers')
    bank.warn('answers')
    qrels = bank.table()
    if 'judge' in qrels.columns:
        row = qrels[qrels.duplicated(['query_id', 'doc_id', 'subtopic_id'])].iloc[0]
        raise ValueError(f'answers: system {row.doc_id!r} answers query {row.query_id!r} more than once')
    answered = qrels.loc[qrels['doc_id'] != NO_DOCUMENT, ['query_id', 'doc_id']].drop_duplicates().assign(score=1.0)
    if answered.empty:
        name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else 'answers'
        raise ValueError(f'{name}: no nugget is assigned to an answer')
    return Answers(qrels, {str(system): rows.reset_index(drop=True) if isinstance(rows, pd.DataFrame) else rows
                           for system, rows in answered.groupby('doc_id', sort=False)})


def _assigned(bank: forms.Bank, source: Mapping[Any, Any]) -> None:
    for system, answered in source.items():
        for query, assigned in answered.items():
            at, grades = f'answers: system {system!r}, query {query!r}', {}
            for name, value in assigned.items():
                if value not in forms.ASSIGNMENTS and not isinstance(value, (int, float)):
                    bank.doubtful('assignment', value, at, 'counted as no support')
                grades[str(name)] = forms.ASSIGNMENTS.get(value, value if isinstance(value, (int, float)) else 0)
                bank.intent(str(query), str(name), at)
            bank.judge(str(query), str(system), grades, at)


# ---------------------------------------------------------------------------------------------------- the sources

def _add(bank: forms.Bank, source: Any, format: str | None, name: str) -> None:
    """Read a source into a bank: paths, a table, or texts of intents."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        _add_table(bank, source, name)
    elif isinstance(source, Mapping):
        forms.NUGGET_FORMS['texts'].read(bank, {str(query): texts for query, texts in source.items()}, name)
    elif isinstance(source, (str, os.PathLike)):
        _add_file(bank, os.fspath(source), format)
    elif isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        paths = list(source)
        if not paths:
            raise ValueError(f'{name}: no files')
        for path in paths:
            if not isinstance(path, (str, os.PathLike)):
                raise TypeError(f'{name}: expected paths, found {path!r}')
            _add_file(bank, os.fspath(path), format)
    else:
        raise TypeError(f'{name}: expected a path, paths, a DataFrame or {{query: [text, …]}}, found '
                        f'{type(source).__name__}')


def _add_file(bank: forms.Bank, path: str, format: str | None) -> None:
    data = textfiles.read_bytes(path)
    if format in forms.NUGGET_FORMS or format is None and forms.looks_like_json(data):
        forms.add(bank, data, path, format)
        return
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
            raise ValueError(f'{path}, line 1: expected a header that names query and intent, found {lines[0]!r}')
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
    table = table.rename(columns={old: new for old, new in ALIASES.items()
                                  if old in table.columns and new not in table.columns})
    for needed in ('query_id', 'subtopic_id'):
        if needed not in table.columns:
            raise ValueError(f'{name}: no column {needed!r} (found {", ".join(map(str, table.columns))})')
    if ('doc_id' in table.columns) != ('relevance' in table.columns):
        raise ValueError(f'{name}: the columns doc_id and relevance go together (found '
                         f'{", ".join(map(str, table.columns))})')
    facts = [fact for fact in FACTS if fact in table.columns]
    grouped: dict[tuple[str, str, str], dict[str, float]] = {}
    for row, record in enumerate(table.to_dict('records'), 1):
        at = f'{name}, row {row}'
        query, intent = str(record['query_id']), str(record['subtopic_id'])
        said = {fact: _fact(record[fact], fact, at) for fact in facts}
        bank.intent(query, intent, at, **said)
        if 'doc_id' in table.columns:
            grade, document = _number(record['relevance'], 'relevance', at), str(record['doc_id'])
            if document == NO_DOCUMENT and grade <= 0:
                continue
            key = (query, document, str(record.get('judge') or ''))
            if key not in grouped:
                grouped[key] = {}
                bank.judge(query, document, grouped[key], at, key[2])
            if grouped[key].setdefault(intent, grade) != grade:
                raise ValueError(f'{at}: query {query!r}, document {document!r}, nugget {intent!r} has grade {grade} '
                                 f'here and another above; a column judge tells several judgments apart')


def _fact(value: Any, fact: str, at: str) -> Any:
    if value is None or value == '' or value != value:
        return None
    return _number(value, fact, at) if fact == 'weight' else str(value)


def _number(value: Any, what: str, at: str) -> float:
    number = textfiles.number(str(value))
    if number is None or not math.isfinite(number):
        raise ValueError(f'{at}: {what} is {value!r}, expected a number')
    return int(number) if number == int(number) and what != 'weight' else number


__all__ = ['Answers', 'read_answers', 'read_nuggets']
