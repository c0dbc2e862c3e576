"""A summary of what a RAG pipeline retrieved, stated, supported and missed, which ``ir_divmeasures rag`` prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.registry import measures as parse_all
from ..errors import warn
from ..judgments.judges import aggregate_judges
from ..judgments.nuggets import Answers, Rag
from ..lazy import pd
from ..presets import PRESETS
from ..results import Result, count
from ..results.tables import number
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


class Summary(Result):
    """The result of :func:`summarise`: ``block, name``, ``query_id`` if asked for, a column for each system.

    Attributes:
        meanings: the meaning of each row, '' where the name says it.
        lacking: ``(block, what it needs)`` of the blocks that the files do not allow.
        systems: names.
    """

    def text(self, places: int = 4) -> str:
        """The title, and a line for each row; a line of systems where there are several."""
        table = self.to_frame()
        widths = {'block': 7, 'name': 20, 'query_id': 8} | dict.fromkeys(self.systems, 8)
        columns = []
        for name, width in widths.items():
            if name in table.columns:
                heads = [name if name in self.systems else ''] * (len(self.systems) > 1)
                texts = [*heads, *(number(value, places) for value in table[name])]
                width = max(width, len(name) * (name in self.systems), *map(len, texts), 0)
                pad = str.rjust if name in self.systems else str.ljust
                columns.append([pad(text, width) for text in texts])
        meanings = [*[''] * (len(self.systems) > 1), *self.meanings]
        rows = ['  '.join(row).rstrip() for row in zip(*columns, meanings)]
        needs = [f'{block:7}  {what}' for block, what in self.lacking]
        return '\n'.join([self._headline(), *rows, *needs])


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
    rows: list[pd.DataFrame] = []
    lacking = dict(LACKING)
    if rag.runs and qrels is not None:
        rows += _context(rag, qrels, of_contexts, cutoff, along, at, labels)
        del lacking[CONTEXT]
    rows += _tokens(rag, cutoff)
    if answers is not None:
        rows += _answers(answers, of_answers, labels)
        del lacking[ANSWER]
    if rag.citations is not None and rag.citations['support'].notna().any():
        scores = citation_support(rag.citations).select(measures=['precision', 'recall'])
        rows += _rows(SUPPORT, scores, WEIGHTED if labels else scores.measures, WEIGHTED)
        del lacking[SUPPORT]
    if not {CONTEXT, ANSWER} & set(lacking):
        try:
            scores = joint(rag.runs, qrels, answers, cutoff=cutoff, partial=0.5).scores()
            rows += _rows(JOINT, scores.select(measures=SHARES), SHARES, SHARES)
            del lacking[JOINT]
        except ValueError as error:  # nuggets or systems of the two differ; the other blocks stand
            lacking[JOINT] = f'cannot be computed: {error}'
    keys = ['block', 'name', *(['query_id'] if by_query else [])]
    columns = [*keys, *rag.systems, 'meaning']
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=columns)
    table = table.reindex(columns=list(dict.fromkeys([*columns, 'query_id'])))
    if not by_query:
        means = table.groupby([*keys, 'meaning'], sort=False)[rag.systems].mean()
        table = means.reset_index()
    return Summary(
        table[[*keys, *rag.systems]],
        _title(rag, paths),
        [f'{block}: {needs}' for block, needs in lacking.items()],
        meanings=table['meaning'].tolist(),
        lacking=tuple(lacking.items()),
        systems=tuple(rag.systems),
    )


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


def _context(
    rag: Rag,
    qrels: Any,
    names: list[str],
    cutoff: int,
    along: str | None,
    at: Iterable[float] | None,
    labels: bool,
) -> list[pd.DataFrame]:
    """The measures of contexts."""
    parsed = parse_all(names or [f'Coverage@{cutoff}'])
    keys = ['coverage' if str(each).startswith('Coverage@') else '' for each in parsed]
    labelled = [
        PRESETS[name] for name in names if labels and name in PRESETS and PRESETS[name].labels
    ]
    if along is None:
        scores = evaluate(rag.runs, qrels, parsed)
        for preset in labelled:
            scores = scores if preset.rounds else scores.labelled(preset.name)
        return _rows(CONTEXT, scores, scores.measures, keys)
    curves = evaluate(rag.runs, qrels, parsed, along=along, at=at)
    rows = []
    for preset in labelled:
        if preset.rounds:
            rows += _rows(CONTEXT, curves.labelled(preset.name), preset.labels, preset.labels)
    for point in () if rows else curves.points:
        scores = curves.at(point)
        at_point = [f'{name} {along}={point:g}' for name in scores.measures]
        rows += _rows(CONTEXT, scores, at_point, keys)
    return rows


def _tokens(rag: Rag, cutoff: int) -> list[pd.DataFrame]:
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
    if not tokens:
        return []
    table = pd.concat(tokens, axis=1, sort=False).fillna(0.0).astype(float)
    table = table.rename_axis('query_id').reset_index()
    return [table.assign(block=CONTEXT, name='tokens', meaning='')]


def _answers(answers: Answers, names: list[str], labels: bool) -> list[pd.DataFrame]:
    """The measures of answers: those asked for, else compliance for rubrics, or the two of the TREC RAG track."""
    columns = answers.qrels.columns
    rows = []
    for name in names or (['rubric'] if 'points' in columns else ['trec-rag']):
        selected = {
            label: each
            for label, each in zip(PRESETS[name].labels, parse_all(PRESETS[name].measures))
            if (names or name != 'trec-rag' or label in ('strict_vital_score', 'all_score'))
            and ('importance' in columns or 'importance' not in getattr(each, 'needed_columns', ()))
        }
        scores = evaluate(answers.runs, answers.qrels, list(selected.values()))
        rows += _rows(ANSWER, scores, [*selected] if labels else scores.measures, [*selected])
    return rows


def _rows(
    block: str, scores: Scores, names: Sequence[str], keys: Sequence[str]
) -> list[pd.DataFrame]:
    """A table for each measure, under a name and with its meaning: a row for each query, a column for each system."""
    return [
        pd.DataFrame(scores.values[:, :, m].T, columns=list(scores.systems)).assign(
            block=block, name=name, query_id=scores.queries, meaning=MEANINGS.get(key, '')
        )
        for m, (name, key) in enumerate(zip(names, keys))
    ]


def _title(rag: Rag, paths: Sequence[str]) -> str:
    """Describe what was read: ``A.jsonl: 1 system, 2 questions, …``."""
    read, nuggets = rag.to_frame(), rag.nuggets()
    tables = [*rag.runs.values(), *([rag.citations] if rag.citations is not None else []), nuggets]
    questions = {query for table in tables for query in table['query_id']}
    of_nuggets = of_contexts = of_answers = ''
    if 'importance' in nuggets.columns:
        of_nuggets = f' ({(nuggets["importance"] == "vital").sum()} vital)'
    if read['tokens'].notna().any():
        of_contexts = f' ({read["tokens"].sum():g} tokens)'
    if sentences := int(read['sentences'].sum()):
        of_answers = f' ({count(sentences, "sentence")}, {int(read["cited"].sum())} cited)'
    counts = [
        (len(read), 'system', ''),
        (len(questions), 'question', ''),
        (len(nuggets), 'nugget', of_nuggets),
        (int(read['contexts'].sum()), 'context', of_contexts),
        (int(read['answers'].sum()), 'answer', of_answers),
    ]
    named = os.path.basename(paths[0]) if len(paths) == 1 else f'{len(paths)} files'
    return f'{named}: ' + ', '.join(
        count(n, what).replace(',', '') + further for n, what, further in counts if n
    )


__all__ = ['Summary', 'summarise']
