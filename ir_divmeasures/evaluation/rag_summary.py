"""A summary of what a RAG pipeline retrieved, stated, supported and missed, which ``ir_divmeasures rag`` prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.registry import measures as parse_all
from ..errors import warn
from ..judgments.judges import aggregate_judges
from ..judgments.nuggets import Answers, Rag
from ..lazy import pd
from ..presets import PRESETS
from ..results import Result, count
from .evaluate import evaluate
from .joint import SHARES, joint
from .scores import Scores
from .support import citation_support

OF_ANSWERS = ('trec-rag', 'argue', 'rubric')
"""Presets whose measures are of answers, not of contexts."""
CONTEXT, ANSWER, SUPPORT, JOINT = 'context', 'answer', 'support', 'joint'
MEANINGS = {
    'coverage': 'share of the nuggets that the context holds',
    'strict_vital_score': 'vital nuggets that the answer states in full',
    'strict_all_score': 'all nuggets that the answer states in full',
    'vital_score': 'vital nuggets, half a point for those stated in part',
    'all_score': 'all nuggets, half a point for those stated in part',
    'weighted_score': 'the same, okay nuggets weighing half',
    'compliance': 'points of the criteria that the answer meets',
    'weighted_precision': 'cited sentences that their citation supports',
    'weighted_recall': 'the same, of all sentences',
    'used': 'in the context and in the answer',
    'unused': 'retrieved, but not said: work on the prompt',
    'unsupported': 'said, but not retrieved: from memory',
    'unfound': 'neither: work on retrieval',
}
WEIGHTED = ('weighted_precision', 'weighted_recall')
LACKING = {
    CONTEXT: 'needs contexts, and nuggets with the documents that hold them (documents, or doc_id and label)',
    ANSWER: 'needs labels of nuggets for the answers (assignment, or run_id and label)',
    SUPPORT: 'needs labels of citations (support)',
    JOINT: 'needs nuggets judged both of documents and of answers',
}
"""What each block needs, for the note about blocks that cannot be computed."""


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Result):
    """The result of :func:`summarise`.

    Attributes:
        title: the files and their contents, in words.
        table: ``block, name``, ``query_id`` if asked for, a column for each system, ``meaning``.
        lacking: ``(block, what it needs)`` of the blocks that the files do not allow.
    """

    title: str
    table: pd.DataFrame
    lacking: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]

    def _headline(self) -> str:
        return self.title

    def _notes(self) -> list[str]:
        return [f'{block}: {needs}' for block, needs in self.lacking]

    def to_frame(self) -> pd.DataFrame:
        """The table without its last column, the meanings."""
        return self.table.drop(columns='meaning')

    def text(self, places: int = 4) -> str:
        """The title, and a line for each row; a line of systems where there are several."""
        widths = {'block': 7, 'name': 20, 'query_id': 8}
        keys = [name for name in widths if name in self.table.columns]
        width = [max([widths[key], *self.table[key].astype(str).str.len()]) for key in keys]
        width += [max(8, len(system)) for system in self.systems]
        lines = [self.title]
        header = {key: '' for key in keys} | {system: system for system in self.systems}
        for row in [header] * (len(self.systems) > 1) + self.table.to_dict('records'):
            cells = [_written(row[name], places) for name in (*keys, *self.systems)]
            texts = [
                cell.ljust(size) if place < len(keys) else cell.rjust(size)
                for place, (cell, size) in enumerate(zip(cells, width))
            ]
            lines.append('  '.join([*texts, row.get('meaning', '')]).rstrip())
        return '\n'.join([*lines, *(f'{block:7}  {needs}' for block, needs in self.lacking)])


def _written(value: Any, places: int) -> str:
    """A text as it is; a number with some decimal places, '' where it is unknown."""
    if isinstance(value, str):
        return value
    if value != value:
        return ''
    return f'{value:.{places}f}' if places >= 0 else str(float(value))


def summarise(
    rag: Rag,
    paths: Sequence[str],
    names: Iterable[str] = (),
    *,
    cutoff: int = 10,
    along: str | None = None,
    at: Iterable[float] | None = None,
    labels: bool = False,
    by_query: bool = False,
) -> Summary:
    """Scores of contexts and answers, support and joint shares, as far as the files allow.

    Args:
        rag: what was read.
        paths: the files, for the title.
        names: measures of contexts, and presets of answers (:data:`OF_ANSWERS`), in place of the default ones.
        cutoff: how many documents of a ranking are the context.
        along, at: scores of contexts as a curve; see :func:`~ir_divmeasures.evaluate`.
        labels: name the measures as their tools report them.
        by_query: scores of each query in place of the means.
    """
    answers, qrels = _of_one_judge(rag)
    requested = [
        name for text in ([names] if isinstance(names, str) else names) for name in text.split()
    ]
    of_answers = [name for name in requested if name in OF_ANSWERS]
    of_contexts = [name for name in requested if name not in OF_ANSWERS]
    rows: dict[str, list[Row]] = {CONTEXT: [], ANSWER: [], SUPPORT: [], JOINT: []}
    lacking = dict(LACKING)
    if rag.runs and qrels is not None:
        rows[CONTEXT] += _context(rag, qrels, of_contexts, cutoff, along, at, labels)
        del lacking[CONTEXT]
    rows[CONTEXT] += _tokens(rag, cutoff)
    if answers is not None:
        rows[ANSWER] += _answers(answers, of_answers, labels)
        del lacking[ANSWER]
    if rag.citations is not None and rag.citations['support'].notna().any():
        scores = citation_support(rag.citations).select(measures=['precision', 'recall'])
        rows[SUPPORT] += _rows(scores, WEIGHTED if labels else scores.measures, WEIGHTED)
        del lacking[SUPPORT]
    if not {CONTEXT, ANSWER} & set(lacking):
        try:
            scores = joint(rag.runs, qrels, answers, cutoff=cutoff, partial=0.5).scores()
            rows[JOINT] += _rows(scores.select(measures=SHARES), SHARES, SHARES)
            del lacking[JOINT]
        except ValueError as error:  # nuggets or systems of the two differ; the other blocks stand
            lacking[JOINT] = f'cannot be computed: {error}'
    table = pd.DataFrame(
        [
            {'block': block, 'name': name, 'query_id': query, 'meaning': meaning, **values}
            for block, rows_of_block in rows.items()
            for name, query, values, meaning in rows_of_block
        ],
        columns=['block', 'name', 'query_id', *rag.systems, 'meaning'],
    )
    if not by_query:
        keys = ['block', 'name', 'meaning']
        table = table.groupby(keys, sort=False)[rag.systems].mean().reset_index()
        table = table[['block', 'name', *rag.systems, 'meaning']]
    return Summary(_title(rag, paths), table, tuple(lacking.items()), tuple(rag.systems))


def _of_one_judge(rag: Rag) -> tuple[Answers | None, Any]:
    """Answers and judgments; of several judges the majority counts, with a warning."""
    answers, qrels = rag.answers, rag.qrels
    several = []
    if qrels is not None and 'judge' in qrels.columns:
        several.append('contexts')
        qrels = aggregate_judges(qrels, 'majority')
    if answers is not None and 'judge' in answers.qrels.columns:
        several.append('answers')
        answers = Answers(aggregate_judges(answers.qrels, 'majority'), answers.runs)
    if several:
        warn(f'several judges of {" and ".join(several)}: the grade of the majority counts')
    return answers, qrels


Row = tuple[str, str, dict[str, float], str]
"""Name, query, value of each system, meaning."""


def _context(
    rag: Rag,
    qrels: Any,
    names: list[str],
    cutoff: int,
    along: str | None,
    at: Iterable[float] | None,
    labels: bool,
) -> list[Row]:
    """The measures of contexts."""
    parsed = parse_all(names or [f'Coverage@{cutoff}'])
    meanings = [
        MEANINGS['coverage'] if str(each).startswith('Coverage@') else '' for each in parsed
    ]
    labelled = [
        PRESETS[name] for name in names if labels and name in PRESETS and PRESETS[name].labels
    ]
    if along is None:
        scores = evaluate(rag.runs, qrels, parsed)
        for preset in labelled:
            scores = scores if preset.rounds else scores.labelled(preset.name)
        return _rows(scores, scores.measures, meanings=meanings)
    curves = evaluate(rag.runs, qrels, parsed, along=along, at=at)
    rows = [
        row
        for preset in labelled
        if preset.rounds
        for row in _rows(curves.labelled(preset.name), preset.labels, preset.labels)
    ]
    return rows or [
        row
        for point in curves.points
        for row in _rows(
            curves.at(point),
            [f'{name} {along}={point:g}' for name in curves.at(point).measures],
            meanings=meanings,
        )
    ]


def _tokens(rag: Rag, cutoff: int) -> list[Row]:
    """The number of tokens within the cutoff."""
    tokens = {
        system: run.sort_values(['score', 'doc_id'], ascending=False, kind='stable')
        .groupby('query_id', sort=False)
        .head(cutoff)
        .groupby('query_id', sort=False)['length']
        .sum()
        for system, run in rag.runs.items()
        if 'length' in run.columns
    }
    queries = dict.fromkeys(query for lengths in tokens.values() for query in lengths.index)
    return [
        (
            'tokens',
            query,
            {system: float(lengths.get(query, 0.0)) for system, lengths in tokens.items()},
            '',
        )
        for query in queries
    ]


def _answers(answers: Answers, names: list[str], labels: bool) -> list[Row]:
    """The measures of answers: those asked for, else compliance for rubrics, or the two of the TREC RAG track."""
    columns = answers.qrels.columns
    rows: list[Row] = []
    for name in names or (['rubric'] if 'points' in columns else ['trec-rag']):
        selected = {
            label: each
            for label, each in zip(PRESETS[name].labels, parse_all(PRESETS[name].measures))
            if (names or name != 'trec-rag' or label in ('strict_vital_score', 'all_score'))
            and ('importance' in columns or 'importance' not in getattr(each, 'needed_columns', ()))
        }
        scores = evaluate(answers.runs, answers.qrels, list(selected.values()))
        rows += _rows(scores, list(selected) if labels else scores.measures, list(selected))
    return rows


def _rows(
    scores: Scores,
    names: Sequence[str],
    labels: Sequence[str] = (),
    meanings: Sequence[str] = (),
) -> list[Row]:
    """A row for each measure and query."""
    meanings = meanings or [MEANINGS.get(label, '') for label in labels]
    return [
        (name, query, dict(zip(scores.systems, scores.values[:, q, m].tolist())), meaning)
        for m, (name, meaning) in enumerate(zip(names, meanings))
        for q, query in enumerate(scores.queries)
    ]


def _title(rag: Rag, paths: Sequence[str]) -> str:
    """Describe what was read: ``A.jsonl: 1 system, 2 questions, …``."""
    read, nuggets = rag.to_frame(), rag.nuggets()
    tables = [*rag.runs.values(), *([rag.citations] if rag.citations is not None else []), nuggets]
    questions = {query for table in tables for query in table['query_id']}
    sentences, cited, tokens = (read[name].sum() for name in ('sentences', 'cited', 'tokens'))
    counts = {
        'system': (len(read), ''),
        'question': (len(questions), ''),
        'nugget': (len(nuggets), ''),
        'context': (int(read['contexts'].sum()), ''),
        'answer': (int(read['answers'].sum()), ''),
    }
    if 'importance' in nuggets.columns:
        counts['nugget'] = (len(nuggets), f' ({(nuggets["importance"] == "vital").sum()} vital)')
    if read['tokens'].notna().any():
        counts['context'] = (counts['context'][0], f' ({tokens:g} tokens)')
    if sentences:
        cited_sentences = f' ({count(int(sentences), "sentence")}, {int(cited)} cited)'
        counts['answer'] = (counts['answer'][0], cited_sentences)
    named = os.path.basename(paths[0]) if len(paths) == 1 else f'{len(paths)} files'
    return f'{named}: ' + ', '.join(
        count(n, what).replace(",", "") + further for what, (n, further) in counts.items() if n
    )


__all__ = ['Summary', 'summarise']
