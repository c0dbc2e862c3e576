"""Read all statements in the files of a RAG pipeline or a search agent: ``read_rag``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..io import columns, rag_forms
from ..io import text as textfiles
from ..io.nugget_forms import looks_like_json, warn_of_texts
from ..results import Result, count
from .nuggets import Answers, add_other, read_nuggets, whole_answers

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Rag(Result):
    """The result of :func:`read_rag`. A part that no file contains is None. Without contexts, ``runs`` is empty.

    Attributes:
        runs: for each system its retrieved contexts as a run, with columns ``length`` and ``iteration`` where known.
        qrels: judgments of the nuggets of each query by document.
        answers: judgments of the nuggets by answer, and a run of each system's answers.
        citations: ``system, query_id, sentence, place, doc_id, support, needed, length``, a row for each citation; a
            sentence without one has place 0 and document '-'. ``support`` is a grade (2, 1, 0; NaN: not judged).
        usage: ``system, query_id, rounds`` and numbers of tokens.
    """

    runs: dict[str, pd.DataFrame]
    qrels: pd.DataFrame | None
    answers: Answers | None
    citations: pd.DataFrame | None
    usage: pd.DataFrame | None

    @property
    def systems(self) -> list[str]:
        """The systems, in the order in which they appear."""
        answers = [] if self.answers is None else self.answers.runs
        cited = [] if self.citations is None else self.citations['system'].unique()
        return list(dict.fromkeys([*self.runs, *answers, *cited]))

    def _headline(self) -> str:
        parts = {
            'contexts': self.runs or None,
            'judgments of nuggets': self.qrels,
            'answers': self.answers,
            'citations': self.citations,
            'usage': self.usage,
        }
        present = [name for name, part in parts.items() if part is not None]
        return (
            f'RAG data of {count(len(self.systems), "system")}: {", ".join(present) or "nothing"}'
        )

    def to_frame(self) -> pd.DataFrame:
        """Counts for each system: ``system, questions, contexts, tokens, answers, sentences, cited``."""
        import pandas as pd

        rows = []
        for system in self.systems:
            run = self.runs.get(system)
            answer_run = self.answers.runs.get(system) if self.answers is not None else None
            cited = (
                self.citations[self.citations['system'] == system]
                if self.citations is not None
                else None
            )
            sentences = None if cited is None else cited.drop_duplicates(['query_id', 'sentence'])
            queries = [
                each['query_id'] for each in (run, answer_run, sentences) if each is not None
            ]
            tokens = (
                run['length'].sum() if run is not None and 'length' in run.columns else float('nan')
            )
            answer_texts = answer_run if sentences is None or not len(sentences) else sentences
            rows.append(
                (
                    system,
                    pd.concat(queries).nunique(),
                    0 if run is None else len(run),
                    tokens,
                    0 if answer_texts is None else answer_texts['query_id'].nunique(),
                    0 if sentences is None else len(sentences),
                    0 if sentences is None else int((sentences['place'] > 0).sum()),
                )
            )
        return pd.DataFrame(
            rows,
            columns=['system', 'questions', 'contexts', 'tokens', 'answers', 'sentences', 'cited'],
        )

    def nuggets(self) -> pd.DataFrame:
        """``query_id, subtopic_id`` and the facts of every nugget that is judged of documents or of answers."""
        import pandas as pd

        tables = [
            table
            for table in (self.qrels, self.answers.qrels if self.answers is not None else None)
            if table is not None
        ]
        if not tables:
            return pd.DataFrame(columns=['query_id', 'subtopic_id'])
        listed = pd.concat([table[columns.listing(table)] for table in tables], ignore_index=True)
        return (
            listed.drop(columns=['doc_id', 'relevance', 'judge'], errors='ignore')
            .drop_duplicates(['query_id', 'subtopic_id'])
            .reset_index(drop=True)
        )


def read_rag(
    source: Any, *, part: str | None = None, intents: Any = None, strict: bool = False
) -> Rag:
    """Read what RAG pipelines and search agents write: contexts, answers with citations, nuggets, rubrics, traces.

    The fields of a record show its form, and everything that it contains is read. A record names its query
    (``query_id``, ``qid``, ``question_id``, ``topic_id``, ``narrative_id``, ``request_id``, ``example_id``,
    ``sample_id`` or ``id``) and its system (``run_id``, ``system`` or ``runtag``), itself or in its ``metadata``;
    without a name the system is called like the file.

    * contexts: ``contexts`` or ``candidates`` (castorini), a list in order; one context a line with ``rank``; else the
      ``references`` of an answer. ``tokens`` become the column ``length``.
    * answers: ``answer`` or ``responses``, sentences with ``citations``: places from 0 in ``references`` (else in
      ``contexts``), ids, or ``{id: confidence}``. ``support`` is a label of the first citation, or a list of labels.
    * nuggets: a list with ``documents`` and ``assignment``, one a line, banks with AND and OR, rubrics with ``points``
      (:func:`~ir_divmeasures.read_nuggets` lists the forms).
    * MTEB's ``{task}_predictions.json``; traces of agents (``result``, ``usage``), each round an iteration, in which a
      document that comes again gets the suffix ``_dup``.

    Args:
        source: a path, a folder, a pattern, or several; JSON or JSON lines, plain or compressed, or a table of nuggets
            (as for :func:`~ir_divmeasures.read_nuggets`).
        part: the subset and split of MTEB's files to read, such as ``'default/test'``, where they have several.
        intents: all nuggets that are listed, as for :func:`~ir_divmeasures.read_nuggets`.
        strict: raise on values that no documentation of a form names.

    Returns:
        :class:`Rag`: ``runs``, ``qrels``, ``answers``, ``citations``, ``usage``.

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
          query_id doc_id  relevance subtopic_id importance  text
        0        q     d1          1           1      vital  moon
    """
    collected = rag_forms.Collected(strict=strict, part=part)
    if intents is not None:
        listed = read_nuggets(intents, strict=strict)
        for bank in (collected.contexts, collected.answers):
            for row in listed.to_dict('records'):
                bank.intent(
                    row['query_id'],
                    row['subtopic_id'],
                    'intents',
                    **{
                        fact: row[fact]
                        for fact in ('text', 'importance', 'weight')
                        if row.get(fact)
                    },
                )
    for path in rag_forms.paths_of(source):
        data = textfiles.read_bytes(path)
        if looks_like_json(data):
            rag_forms.collect_data(collected, data, path)
        else:
            add_other(collected.contexts, data, path, 'table')
    named = rag_forms.named_source(source, 'rag')
    for bank in (collected.contexts, collected.answers):
        bank.warn_of_values(named)
    warn_of_texts(named, collected.contexts, collected.answers)
    judged = bool(collected.contexts.records or collected.contexts.intents)
    return Rag(
        collected.runs(),
        collected.contexts.table() if judged else None,
        whole_answers(collected, named) if collected.answers.records else None,
        collected.citations(),
        collected.usage_table(),
    )


__all__ = ['Rag', 'read_rag']
