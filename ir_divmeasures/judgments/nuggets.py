"""Read the files of nugget and sub-question evaluation, RAG pipelines and search agents."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import without
from ..io import columns, runs
from ..io import json_forms as forms
from ..io import text as textfiles
from ..io.collected import (
    ANSWERS,
    BOTH,
    CONTEXTS,
    OF_ANSWERS,
    Collected,
    Form,
    Record,
)
from ..io.files import paths_of
from ..io.inputs import File, opened
from ..io.labels import grade_of
from ..io.nugget_forms import NuggetForm, add_texts
from ..lazy import pd
from ..results import Result, count

if TYPE_CHECKING:
    from ..typing import RunLike


@without(format='every form is recognized from its records')
def read_nuggets(
    source: Any,
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

    * AutoNuggetizer: nuggets assigned to retrieved documents or answers (document = ``run_id``), grades
      support 2, partial_support 1, not_support 0; its create step gives nuggets alone.
    * CRUX: a list of ratings a document; LANCER: ``{query: [[rating, …], …]}`` for the documents of a run
      (by score; equal scores as the file has them). −1 = unknown: no judgment.
    * FreshStack; AutoJudge (TREC AutoJudge nugget banks v3); NeuCLIR (``nuggets_<query>.json``);
      BRIGHT-Pro (weighted aspects): documents that support a nugget, grade 1. Each answer of an AND nugget
      ``n1`` is an aspect ``n1.1`` with its share of the weight; a column ``part_of`` says ``n1``.
    * ``{"query_id", "nugget_id", "nugget", "doc_id" (or "run_id"), "label"}`` a line; rubrics: criteria with points,
      which may be negative, and verdicts.
    * CoverageBench: lines ``query nugget doc grade``, or ``query nugget text``.
    * tables: tabs or commas under a header: query, intent, and any of doc_id, relevance, text, importance, weight.
    * questions, texts: texts of sub-questions, as records or ``{query: [text, …]}``.

    Args:
        source: a path, a folder, a pattern, or several paths that make one collection; a DataFrame (a table as above).
        intents: all nuggets that are listed, with texts, importance or weights: anything this function reads, or
            ``{query: [text, …]}``, ``{query: {intent: text}}``. Those that no document is judged for count too.
        run: the run whose documents LANCER ratings are of, in any form of a run.
        queries: the query of each nugget's id, for FreshStack and BRIGHT-Pro (else what stands before its
            last '_', or before BRIGHT-Pro's -a0 or -aspect-0); the query of each file for NeuCLIR.
        ratings: the field of CRUX records with several documents: ``'ratings'`` or ``'ratings_andor'``.
        strict: raise on unknown values. By default they count as no support, and an unknown importance as neither
            vital nor okay, with one warning and counts.

    Returns:
        DataFrame as :func:`~ir_divmeasures.read_qrels` gives it, with ``weight``, ``importance``, ``text`` where known,
        and a row ``query, '-', −1, intent`` for each listed intent that no document is judged for. If a document was
        judged several times for a query, a column ``judge`` tells the records apart:
        :func:`~ir_divmeasures.judgments.aggregate_judges` makes one judgment of them.

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
    documents = None
    if run is not None:
        ranked = runs.read(run).check().table.sort_values('score', ascending=False, kind='stable')
        documents = {
            str(query): list(of_query)
            for query, of_query in ranked.groupby('query_id', sort=False)['doc_id']
        }
    collected = Collected((BOTH,), strict, dict(queries or {}), documents, ratings)
    _list_intents(collected, intents)
    if not _add(collected, source, 'nuggets', NuggetForm):
        raise ValueError(f'{source}: no nuggets there')
    collected.warn('nuggets')
    return collected.judgments(BOTH)


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
        ``qrels`` has a column ``judge``: :func:`~ir_divmeasures.judgments.aggregate_judges` makes one judgment of them.

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
    collected = Collected((ANSWERS,), strict)
    _list_intents(collected, intents)
    if isinstance(source, Mapping):
        _add_assignments(collected, source)
    else:
        _add(collected, source, 'answers', Form if sentences else NuggetForm)
    collected.warn('answers')
    named = _named(source, 'answers')
    return _by_sentence(collected, named) if sentences else _whole_answers(collected, named)


def _whole_answers(collected: Collected, name: str) -> Answers:
    """The answers of a collection as documents named after their systems."""
    names = ['query_id', 'doc_id', 'judge']
    table = pd.DataFrame([key[:3] for key in collected.grades[ANSWERS]], columns=names)
    if table.empty:
        raise ValueError(f'{name}: no nugget is assigned to an answer')
    for row in table[table.duplicated()].head(1).itertuples():
        tells = '; run_id tells several systems apart, and judge several judges'
        raise ValueError(
            f'answers: system {row.doc_id!r} answers query {row.query_id!r} more than once'
            + (f' by judge {row.judge!r}' if row.judge else tells)
        )
    table = table.drop_duplicates(names[:2]).assign(system=table['doc_id'], score=1.0)
    return Answers(collected.judgments(ANSWERS, only_judged=True), _runs(table))


def _by_sentence(collected: Collected, name: str) -> Answers:
    """The sentences of a collection's answers as rankings of documents ``system/1``, ``system/2``, ….

    Their grades are the labels of nuggets by sentence, where there are any; else the support of their first citations.
    """
    citations = collected.citations()
    if citations is None:
        raise ValueError(f'{name}: no answers with sentences')
    sentences = citations.drop_duplicates(['system', 'query_id', 'sentence'])
    sentences = sentences.assign(
        doc_id=sentences['system'] + '/' + sentences['sentence'].astype(str),
        score=-sentences['sentence'].astype(float),
        relevance=sentences['support'],
        subtopic_id='1',
    )
    labelled = [document for _, document, *_ in collected.grades[ANSWERS] if '/' in document]
    if labelled:
        qrels = collected.judgments(ANSWERS)
        qrels = qrels[qrels['doc_id'].isin([columns.NO_DOCUMENT, *labelled])]
    else:
        qrels = sentences[['query_id', 'doc_id', 'relevance', 'subtopic_id']].dropna()
        if (qrels['relevance'] % 1 == 0).all():
            qrels = qrels.astype({'relevance': int})
    return Answers(qrels.reset_index(drop=True), _runs(sentences, 'length'))


def _runs(table: pd.DataFrame, *further: str) -> dict[str, pd.DataFrame]:
    """A run for each system, with some further columns."""
    names = ['query_id', 'doc_id', 'score', *further]
    return {
        str(system): rows[names].reset_index(drop=True)
        for system, rows in table.groupby('system', sort=False)
    }


PARTS = {
    'runs': 'contexts',
    'qrels': 'judgments of nuggets',
    'answers': 'answers',
    'citations': 'citations',
    'usage': 'usage',
}
"""What the attributes of :class:`Rag` are."""


class Rag(Result):
    """The result of :func:`read_rag`. A part that no file contains is None. Without contexts, ``runs`` is empty.

    Attributes:
        runs: for each system its retrieved contexts as a run, with columns ``length`` and ``iteration`` where known.
        qrels: judgments of the nuggets of each query by document.
        answers: judgments of the nuggets by answer, and a run of each system's answers.
        citations: ``system, query_id, sentence, place, doc_id, support, needed, length``, a row for each citation; a
            sentence without one has place 0 and document '-'. ``support`` is a grade (2, 1, 0; NaN: not judged).
        usage: ``system, query_id, rounds`` and numbers of tokens.
        missing: what is missing for a score: ``system`` ('' for all), ``query_id``, ``field``. A field is ``contexts``,
            ``document ids`` (the contexts are texts that the judgments do not know), ``nuggets``, ``documents``,
            ``importance``, ``assignment``, ``support``, ``citations``, ``tokens``, or one of a form.
        unread: names of fields that are not read.
    """

    runs: dict[str, pd.DataFrame]
    qrels: pd.DataFrame | None
    answers: Answers | None
    citations: pd.DataFrame | None
    usage: pd.DataFrame | None
    missing: pd.DataFrame
    unread: tuple[str, ...]
    _listed: pd.DataFrame

    @property
    def systems(self) -> list[str]:
        """The systems, in the order in which they appear."""
        answers = [] if self.answers is None else self.answers.runs
        cited = [] if self.citations is None else self.citations['system'].unique()
        return list(dict.fromkeys([*self.runs, *answers, *cited]))

    def _headline(self) -> str:
        parts = {what: getattr(self, name) for name, what in PARTS.items()}
        present = [
            what
            for what, part in parts.items()
            if part is not None and len(part.runs if what == 'answers' else part)
        ]
        return (
            f'RAG data of {count(len(self.systems), "system")}: {", ".join(present) or "nothing"}'
        )

    def to_frame(self) -> pd.DataFrame:
        """Counts for each system: ``system, questions, contexts, tokens, answers, sentences, cited``."""
        nothing = pd.DataFrame(columns=['system', 'query_id', 'sentence', 'place'])
        cited = nothing if self.citations is None else self.citations
        rows = []
        for system in self.systems:
            run = self.runs.get(system, nothing)
            answers = nothing if self.answers is None else self.answers.runs.get(system, nothing)
            sentences = cited[cited['system'] == system].drop_duplicates(['query_id', 'sentence'])
            queries = {*run['query_id'], *answers['query_id'], *sentences['query_id']}
            n_answers = (sentences if len(sentences) else answers)['query_id'].nunique()
            tokens = run['length'].sum() if 'length' in run else float('nan')
            n_cited = int((sentences['place'] > 0).sum())
            rows.append(
                (system, len(queries), len(run), tokens, n_answers, len(sentences), n_cited)
            )
        names = ['system', 'questions', 'contexts', 'tokens', 'answers', 'sentences', 'cited']
        return pd.DataFrame(rows, columns=names)

    def nuggets(self) -> pd.DataFrame:
        """``query_id, subtopic_id`` and the facts of every nugget."""
        return self._listed

    def questions(self) -> list[str]:
        """The questions that have contexts, an answer or nuggets."""
        tables = [*self.runs.values(), self.missing, self._listed]
        tables += [] if self.citations is None else [self.citations]
        return list(dict.fromkeys(str(query) for table in tables for query in table['query_id']))

    def only(self, questions: Sequence[str]) -> Rag:
        """The part about some questions."""

        def part(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: part(inner) for name, inner in value.items()}
            if isinstance(value, Answers):
                return Answers(part(value.qrels), part(value.runs))
            return value[value['query_id'].isin(questions)] if hasattr(value, 'columns') else value

        return Rag(*(part(getattr(self, field.name)) for field in dataclasses.fields(self)))


def read_rag(
    source: Any, *, part: str | None = None, intents: Any = None, strict: bool = False
) -> Rag:
    """Read what RAG pipelines and search agents write: contexts, answers with citations, nuggets, rubrics, traces.

    The fields of a record show its form, and everything that it contains is read. A record names its query
    (``query_id``, ``qid``, ``question_id``, ``topic_id``, ``narrative_id``, ``request_id``, ``example_id``,
    ``sample_id`` or ``id``, else the text of the ``question`` or ``user_input``) and its system (``run_id``, ``system``
    or ``runtag``), itself or in its ``metadata``; without a name the system is called like the file.

    * contexts: ``contexts``, ``retrieved_contexts`` (RAGAS), ``candidates`` (castorini) or ``results``
      (sentence-transformers), a list in order; one context a line with ``rank``; else the ``references`` of an answer.
      Strings in the first two are texts, and their ids are made from them. ``tokens`` become the column ``length``.
    * answers: ``answer``, ``responses`` or ``response``, a text or sentences with ``citations``: places from 0 in ``references`` (else in
      ``contexts``), ids, or ``{id: confidence}``. ``support`` is a label of the first citation, or a list of labels.
    * nuggets: a list of texts, or of objects with ``documents`` and ``assignment``, one a line, banks with AND and OR,
      rubrics with ``points``, RAGAS's reference contexts (:func:`~ir_divmeasures.read_nuggets` lists the forms).
    * MTEB's ``{task}_predictions.json``; traces of agents (``result``, ``usage``), each round an iteration, in which a
      document that comes again gets the suffix ``_dup``.

    Nothing is assumed of what the records do not say: ``missing`` lists it, and questions of which no document or no answer
    was judged are in no judgments.

    Args:
        source: a path, a folder, a pattern, or several; JSON or JSON lines, plain or compressed, or a table of nuggets
            (as for :func:`~ir_divmeasures.read_nuggets`). In memory: records, a table of them, or ``{query: contexts}``,
            contexts as for :func:`~ir_divmeasures.read_run`.
        part: the subset and split of MTEB's files to read, such as ``'default/test'``, where they have several.
        intents: all nuggets that are listed, as for :func:`~ir_divmeasures.read_nuggets`.
        strict: raise on values that no documentation of a form names.

    Returns:
        :class:`Rag`: ``runs``, ``qrels``, ``answers``, ``citations``, ``usage``, ``missing``, ``unread``.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a record of no known form or with a wrong value, contexts of which some have a score or rank, a
            citation out of range, a system that answers a query twice; names file and line.

    Examples:
        >>> import json, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'A.jsonl')
        >>> record = {'query_id': 'q', 'contexts': [{'id': 'd1', 'tokens': 120}],
        ...           'answer': [{'text': 'The moon pulls.', 'citations': [0], 'support': 'full'}],
        ...           'nuggets': [{'text': 'moon', 'assignment': 'support', 'documents': ['d1']}]}
        >>> with open(path, 'w') as file:
        ...     _ = file.write(json.dumps(record))
        >>> rag = read_rag(path)
        >>> rag.to_frame()
          system  questions  contexts  tokens  answers  sentences  cited
        0      A          1         1   120.0        1          1      1
        >>> rag.qrels
          query_id doc_id  relevance subtopic_id  text
        0        q     d1          1           1  moon
    """
    collected = Collected((CONTEXTS, ANSWERS), strict, part=part)
    _list_intents(collected, intents)
    _add(collected, source, 'rag')
    named = _named(source, 'rag')
    collected.warn(named)
    return Rag(
        collected.runs(),
        collected.judgments(CONTEXTS, only_judged=True) if collected.judged[CONTEXTS] else None,
        _whole_answers(collected, named) if collected.grades[ANSWERS] else None,
        collected.citations(),
        collected.usage_frame(),
        collected.lacking(),
        tuple(collected.unread),
        collected.nuggets(CONTEXTS, ANSWERS),
    )


# ---------------------------------------------------------------------------------------------------- the sources


def _named(source: Any, name: str) -> str:
    """What messages call a source: its path, or a name."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else name


def _list_intents(collected: Collected, intents: Any) -> None:
    """Name intents, whatever is judged of them."""
    if intents is None:
        return
    _add(dataclasses.replace(collected, sides=(BOTH,)), intents, 'intents', NuggetForm)
    if collected.grades[BOTH]:
        raise ValueError('intents: these files hold judgments; give them as source')
    for side in collected.sides:
        collected.intents[side] = copy.deepcopy(collected.intents[BOTH])
        collected.listed[side] = {**collected.listed[BOTH]}


def _add_assignments(collected: Collected, source: Mapping[Any, Any]) -> None:
    """Add what answers say of nuggets: ``{system: {query: {nugget: assignment}}}``."""
    for system, answers in source.items():
        for query, assigned in answers.items():
            location = f'answers: system {system!r}, query {query!r}'
            record = Record(collected, {'query_id': str(query)}, location)
            grades = {
                str(name): grade_of(value, f'{location}, nugget {name!r}', 'assignment')
                for name, value in assigned.items()
            }
            record.judge(OF_ANSWERS, system, grades)


def _add(
    collected: Collected,
    source: Any,
    name: str,
    kind: type[Form] = Form,
) -> int:
    """Add a source: paths, a table, or texts of intents; the number of records that say something."""
    one = opened(source)
    in_memory = kind is Form and not isinstance(one, File)
    records = forms.in_memory(one.in_memory(), name) if in_memory else None
    if records is not None:
        return sum(forms.read_record(collected, record, place) for place, record in records)
    if hasattr(source, 'columns'):
        rows = ((f'{name}, row {n}', row) for n, row in enumerate(source.to_dict('records'), 1))
        forms.read_rows(collected, rows, name)
        return 1
    if isinstance(source, Mapping) and kind is NuggetForm:
        for query, texts in source.items():
            add_texts(Record(collected, {'query_id': str(query)}, name), texts)
        return 1
    n_read = 0
    for path in paths_of(source):
        data = textfiles.read_bytes(path)
        if forms.looks_like_json(data):
            n_read += forms.read(collected, data, path, kind)
        else:
            forms.read_rows(collected, _rows(data, path, kind is Form), path)
            n_read += 1
    return n_read


def _rows(data: bytes, path: str, needs_header: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a table under a header, or of lines ``query nugget doc grade`` or ``query nugget text``."""
    lines = textfiles.first_lines(data, 1)
    if not lines:
        raise ValueError(f'{path}: empty')
    for separator in '\t,':
        header = set(lines[0].strip('\r\n').split(separator))
        if {'query_id', 'qid', 'query', 'question'} & header and {
            *forms.NUGGET_IDS,
            'nugget',
        } & header:
            _, table, numbers = textfiles.split_table(data, path, separator)
            for number, *row in zip(numbers, *table.values()):
                yield f'{path}, line {number}', dict(zip(table, row))
            return
    if needs_header:
        raise ValueError(
            f'{path}, line 1: expected a header that names query and intent, or JSON Lines, found '
            f'{lines[0]!r}'
        )
    fields = lines[0].split()
    judged = len(fields) == 4 and textfiles.number(fields[3]) is not None
    names = ['query_id', 'nugget_id', *(['doc_id', 'label'] if judged else ['text'])]
    textfiles.decoded(data, path)  # an error names the line
    for number, line in textfiles.content(data):
        location = f'{path}, line {number}'
        parts = line.decode().strip().split(None, len(names) - 1)
        if len(parts) < len(names):
            raise ValueError(
                f'{location}: expected {", ".join(names)}, found {" ".join(parts)!r:.60}'
            )
        yield location, dict(zip(names, parts))


__all__ = ['Answers', 'Rag', 'read_answers', 'read_nuggets', 'read_rag']
