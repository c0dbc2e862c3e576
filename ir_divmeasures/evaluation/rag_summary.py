"""A summary of what a RAG pipeline retrieved, stated, supported and missed, which ``ir_divmeasures rag`` prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.registry import measures as parse_all
from ..errors import warn
from ..judgments.judges import aggregate_judges
from ..judgments.nuggets import Answers, Rag
from ..presets import PRESETS
from ..results import Result
from .evaluate import evaluate
from .joint import SHARES, joint
from .scores import Scores
from .support import citation_support

if TYPE_CHECKING:
    import pandas as pd

OF_ANSWERS = ('trec-rag', 'argue', 'rubric')
"""Presets whose measures are of answers, not of contexts."""
CONTEXT, ANSWER, SUPPORT, JOINT = 'context', 'answer', 'support', 'joint'
MEANINGS = {
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
        keys = [name for name in self.table.columns if name not in (*self.systems, 'meaning')]
        width = (
            {name: max(len(text) for text in (*map(str, self.table[name]), name)) for name in keys}
            if len(self.table)
            else dict.fromkeys(keys, 0)
        )
        width['block'], width['name'] = 7, max(20, width['name'])
        columns = {system: max(8, len(system)) for system in self.systems}
        lines = [self.title]
        if len(self.systems) > 1:
            lines.append(
                '  '.join(
                    [
                        *(' ' * width[name] for name in keys),
                        *(system.rjust(columns[system]) for system in self.systems),
                    ]
                )
            )
        for row in self.table.to_dict('records'):
            values = [
                ''
                if row[system] != row[system]
                else f'{row[system]:.{places}f}'
                if places >= 0
                else str(float(row[system]))
                for system in self.systems
            ]
            lines.append(
                '  '.join(
                    [
                        *(str(row[name]).ljust(width[name]) for name in keys),
                        *(
                            value.rjust(columns[system])
                            for system, value in zip(self.systems, values)
                        ),
                        row['meaning'],
                    ]
                ).rstrip()
            )
        lines += [f'{block:7}  {needs}' for block, needs in self.lacking]
        return '\n'.join(lines)


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
    requested = (
        [name for text in names for name in text.split()]
        if not isinstance(names, str)
        else names.split()
    )
    of_answers, of_contexts = (
        [name for name in requested if (name in OF_ANSWERS) == is_of_answers]
        for is_of_answers in (True, False)
    )
    rows: list[tuple[str, str, str, dict[str, float], str]] = []
    lacking = []
    context = bool(rag.runs) and qrels is not None
    if rag.runs:
        rows += _context(rag, qrels, of_contexts, cutoff, along, at, labels)
    if not context:
        lacking.append((CONTEXT, LACKING[CONTEXT]))
    if answers is not None:
        rows += _answers(answers, of_answers, labels)
    if rag.citations is not None and rag.citations['support'].notna().any():
        scores = citation_support(rag.citations).select(measures=['precision', 'recall'])
        rows += _rows(
            SUPPORT,
            scores,
            ('weighted_precision', 'weighted_recall') if labels else scores.measures,
            ('weighted_precision', 'weighted_recall'),
        )
    lacking += [
        (block, LACKING[block])
        for block, is_present in (
            (ANSWER, answers is not None),
            (SUPPORT, any(row[0] == SUPPORT for row in rows)),
        )
        if not is_present
    ]
    if context and answers is not None:
        try:
            scores = joint(rag.runs, qrels, answers, cutoff=cutoff, partial=0.5).scores()
            rows += _rows(JOINT, scores.select(measures=SHARES), SHARES, SHARES)
        except ValueError as error:  # nuggets or systems of the two differ; the other blocks stand
            lacking.append((JOINT, f'cannot be computed: {error}'))
    else:
        lacking.append((JOINT, LACKING[JOINT]))
    return Summary(
        _title(rag, paths), _table(rows, rag.systems, by_query), tuple(lacking), tuple(rag.systems)
    )


def _of_one_judge(rag: Rag) -> tuple[Answers | None, Any]:
    """Answers and judgments; of several judges the majority counts, with a warning."""
    answers = rag.answers
    qrels: Any = rag.qrels
    several = [
        what
        for what, table in (('contexts', qrels), ('answers', answers.qrels if answers else None))
        if table is not None and 'judge' in table.columns
    ]
    if several:
        warn(f'several judges of {" and ".join(several)}: the grade of the majority counts')
    if answers is not None and 'answers' in several:
        answers = Answers(aggregate_judges(answers.qrels, 'majority'), answers.runs)
    return answers, aggregate_judges(qrels, 'majority') if 'contexts' in several else qrels


Row = tuple[str, str, str, dict[str, float], str]
"""Block, name, query (or ''), value of each system, meaning."""


def _context(
    rag: Rag,
    qrels: Any,
    names: list[str],
    cutoff: int,
    along: str | None,
    at: Iterable[float] | None,
    labels: bool,
) -> list[Row]:
    """The measures of contexts, and the mean number of tokens within the cutoff."""
    rows: list[Row] = []
    if qrels is not None:
        parsed = parse_all(names or [f'Coverage@{cutoff}'])
        meanings = [
            'share of the nuggets that the context holds'
            if str(each).startswith('Coverage@')
            else ''
            for each in parsed
        ]
        if along is None:
            scores = _labelled(evaluate(rag.runs, qrels, parsed), names, labels)
            rows += _rows(CONTEXT, scores, scores.measures, (), meanings)
        else:
            curves = evaluate(rag.runs, qrels, parsed, along=along, at=at)
            rounds = [name for name in names if labels and name in PRESETS and PRESETS[name].rounds]
            for name in rounds:
                rows += _rows(
                    CONTEXT, curves.labelled(name), PRESETS[name].labels, PRESETS[name].labels
                )
            for point in curves.points if not rounds else ():
                scores = curves.at(point)
                rows += _rows(
                    CONTEXT,
                    scores,
                    [f'{name} {along}={point:g}' for name in scores.measures],
                    (),
                    meanings,
                )
    of_systems = {
        system: run.sort_values(['score', 'doc_id'], ascending=False, kind='stable')
        .groupby('query_id', sort=False)
        .head(cutoff)
        .groupby('query_id', sort=False)['length']
        .sum()
        for system, run in rag.runs.items()
        if 'length' in run.columns
    }
    if of_systems:
        queries = list(
            dict.fromkeys(query for lengths in of_systems.values() for query in lengths.index)
        )
        rows += [
            (
                CONTEXT,
                'tokens',
                query,
                {system: float(lengths.get(query, 0.0)) for system, lengths in of_systems.items()},
                '',
            )
            for query in queries
        ]
    return rows


def _answers(answers: Answers, names: list[str], labels: bool) -> list[Row]:
    """The measures of answers: those asked for, else compliance for rubrics, or the two of the TREC RAG track."""
    preset_names = names or (['rubric'] if 'points' in answers.qrels.columns else ['trec-rag'])
    rows: list[Row] = []
    for name in preset_names:
        measures_by_label = dict(zip(PRESETS[name].labels, parse_all(PRESETS[name].measures)))
        selected = (
            measures_by_label
            if names or name != 'trec-rag'
            else {label: measures_by_label[label] for label in ('strict_vital_score', 'all_score')}
        )
        if 'importance' not in answers.qrels.columns:
            selected = {
                label: each
                for label, each in selected.items()
                if 'importance' not in getattr(each, 'needed_columns', ())
            }
        scores = evaluate(answers.runs, answers.qrels, list(selected.values()))
        rows += _rows(ANSWER, scores, list(selected) if labels else scores.measures, list(selected))
    return rows


def _labelled(scores: Scores, names: list[str], labels: bool) -> Scores:
    for name in names if labels else ():
        if name in PRESETS and PRESETS[name].labels and not PRESETS[name].rounds:
            scores = scores.labelled(name)
    return scores


def _rows(
    block: str,
    scores: Scores,
    selected: Sequence[str],
    labels: Sequence[str],
    meanings: Sequence[str] = (),
) -> list[Row]:
    """A row for each measure and query."""
    meanings = meanings or [MEANINGS.get(name, '') for name in labels]
    return [
        (block, name, query, dict(zip(scores.systems, scores.values[:, q, m].tolist())), meaning)
        for m, (name, meaning) in enumerate(zip(selected, meanings))
        for q, query in enumerate(scores.queries)
    ]


def _table(rows: list[Row], systems: list[str], by_query: bool) -> pd.DataFrame:
    import pandas as pd

    table = pd.DataFrame(
        [
            {
                'block': block,
                'name': name,
                'query_id': query,
                'meaning': meaning,
                **{system: values.get(system, float('nan')) for system in systems},
            }
            for block, name, query, values, meaning in rows
        ],
        columns=['block', 'name', 'query_id', *systems, 'meaning'],
    )
    if by_query:
        return table
    keys = ['block', 'name', 'meaning']
    return (
        table.groupby(keys, sort=False)[systems]
        .mean()
        .reset_index()[['block', 'name', *systems, 'meaning']]
    )


def _title(rag: Rag, paths: Sequence[str]) -> str:
    """Describe what was read: ``A.jsonl: 1 system, 2 questions, …``."""
    read, nuggets = rag.to_frame(), rag.nuggets()
    tables = [*rag.runs.values(), *([rag.citations] if rag.citations is not None else []), nuggets]
    questions = len({query for table in tables for query in table['query_id']})
    named = os.path.basename(paths[0]) if len(paths) == 1 else f'{len(paths)} files'
    vital = (
        int((nuggets['importance'] == 'vital').sum()) if 'importance' in nuggets.columns else None
    )
    tokens = read['tokens'].sum() if read['tokens'].notna().any() else None
    sentences = int(read['sentences'].sum())
    parts = [
        _count(len(read), 'system'),
        _count(questions, 'question'),
        _count(len(nuggets), 'nugget') + (f' ({vital} vital)' if vital is not None else ''),
        _count(int(read['contexts'].sum()), 'context')
        + (f' ({tokens:g} tokens)' if tokens is not None else ''),
        _count(int(read['answers'].sum()), 'answer')
        + (
            f' ({_count(sentences, "sentence")}, {int(read["cited"].sum())} cited)'
            if sentences
            else ''
        ),
    ]
    return f'{named}: ' + ', '.join(part for part in parts if not part.startswith('0 '))


def _count(n: int, what: str) -> str:
    return f'{n} {what}{"" if n == 1 else "s"}'


__all__ = ['Summary', 'summarise']
