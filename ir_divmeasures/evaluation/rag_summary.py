"""A summary of what a RAG pipeline retrieved, stated, supported and missed, which ``ir_divmeasures rag`` prints.

A number is there only if everything that it is computed from was in the files. In place of the others, a sentence names
the missing field.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.registry import measures as parse_all
from ..errors import warn
from ..io.columns import NO_DOCUMENT
from ..io.nugget_forms import VERDICTS
from ..io.rag_forms import LISTS
from ..judgments.judges import aggregate_judges
from ..judgments.nuggets import Answers, Rag
from ..lazy import pd
from ..presets import PRESETS
from ..results import Result, count
from ..results.estimates import mean_over_queries
from ..results.tables import lines_of, number
from .evaluate import evaluate
from .joint import SHARES, first_documents, joint
from .judge_noise import resample_judges
from .ranges import means_within, range_of
from .scores import Scores, some
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
OF_CONTEXTS = (
    'contexts',
    'document ids',
    'nuggets',
    'documents',
    'references',
    'aggregator_type',
    'docids',
    'type',
)
OF_LABELS = ('nuggets', 'assignment', 'verdict')
NEEDS = {
    CONTEXT: OF_CONTEXTS,
    ANSWER: OF_LABELS,
    SUPPORT: ('support', 'citations'),
    JOINT: (*OF_CONTEXTS, *OF_LABELS[1:]),
    'tokens': ('contexts', 'tokens'),
}
"""The fields that each block needs, as ``Rag.missing`` names them."""
WORDS = {
    'contexts': f'retrieved contexts ({", ".join(LISTS)}, result, doc_id)',
    'document ids': 'document ids, as the contexts are texts that the judgments do not know',
    'documents': 'the documents that support each nugget (documents, or doc_id and label)',
    'assignment': 'labels of nuggets for the answers (assignment, or run_id and label)',
    'support': 'labels of citations (support)',
    'importance': 'the importance of each nugget (importance)',
    'verdict': f'a verdict of each criterion ({", ".join(VERDICTS)})',
    'docids': 'what each call retrieved (docids, output)',
    'tokens': 'the length of each context (tokens)',
}
"""What a field is; other fields are named as they are."""
LOST = {
    'unfound': 'neither retrieved nor said',
    'unused': 'retrieved, but not said',
    'unsupported': 'said, but not retrieved',
}
BY_DEFAULT = ('strict_vital_score', 'all_score', 'compliance')
PAIR = ['query_id', 'doc_id']
N_DRAWS = 200
"""The number of draws of judges."""


COLUMNS = ['block', 'name', 'system', 'mean', 'low', 'high', 'pvalue', 'n']


class Row(NamedTuple):
    """Scores by one measure.

    Attributes:
        block, name: the row's names.
        key: the key of its meaning.
        scores: the scores by this measure alone.
        bounds: the lowest and the highest possible score.
    """

    block: str
    name: str
    key: str
    scores: Scores
    bounds: tuple[float | None, float | None] = (0, 1)

    def means(self) -> pd.DataFrame:
        """The mean of each system with its interval; of two systems also their difference and its test."""
        systems, values = self.scores.systems, self.scores.values[..., 0]
        estimates = {name: means_within(each, self.bounds) for name, each in zip(systems, values)}
        if len(systems) == 2:
            estimates[f'{systems[1]} − {systems[0]}'] = mean_over_queries(values[1] - values[0])
        n = len(self.scores.queries)
        rows = [(self.block, self.name, name, *each, n) for name, each in estimates.items()]
        return pd.DataFrame(rows, columns=COLUMNS)

    def by_query(self) -> pd.DataFrame:
        """The score of each query, with a column for each system."""
        values = dict(zip(self.scores.systems, self.scores.values[..., 0]))
        return pd.DataFrame(
            {'block': self.block, 'name': self.name, 'query_id': self.scores.queries, **values}
        )


class Summary(Result):
    """The result of :func:`summarise`: ``block, name, system, mean, low, high, pvalue, n``, with 95 % intervals over
    the n questions. For two systems, the rows of ``B − A`` are their differences with the p-values of paired t tests.
    By query: ``block, name, query_id``, and a column for each system.

    Attributes:
        title: what was read.
        meanings: the meaning of each block and name, where the name does not say it.
        lacking: ``(block, name, sentence)`` in place of the numbers that cannot be computed; name '' for a whole block.
        steps: what to do next (:meth:`~ir_divmeasures.evaluation.joint.Joint.next_steps`), or None.
        judges: the rows of the scores by which judges' disagreement is told, ``low, high`` for a new round of ratings.
        unread: names of fields that are not read.
    """

    def text(self, places: int = 4) -> str:
        """The title, a line for each row, what is missing, and what to do next."""
        table = self.to_frame()
        lines = [self.title]
        if 'query_id' in table.columns:
            lines += _aligned(table, list(table.columns[3:]), places)
        elif len(table):
            lines += self._rows(table, places)
        width = max([20, *map(len, table['name'])])
        lines += [
            f'{block:7}  {name:{width}}  {what}' if name else f'{block:7}  {what}'
            for block, name, what in self.lacking
        ]
        if self.judges is not None:
            lines.append('If the same questions were rated again by one judge:')
            lines += self._rows(self.judges, places)
        if self.steps is not None and (steps := self._steps(places)):
            lines += ['What to do next:', *steps]
        if self.unread:
            lines.append(f'not read: {", ".join(self.unread)}')
        return '\n'.join(lines)

    def _rows(self, table: pd.DataFrame, places: int) -> list[str]:
        """A line for each row, with a cell for each system."""
        cells = [
            interval(row.mean, row.low, row.high, places)
            + ('' if np.isnan(row.pvalue) else f' p={number(row.pvalue, places)}')
            for row in table[['mean', 'low', 'high', 'pvalue']].itertuples()
        ]
        keys = ['block', 'name', 'n']
        table = table.assign(cell=cells)
        wide = table.pivot_table('cell', keys, 'system', 'first', sort=False).reset_index()
        wide['meaning'] = [self.meanings.get(key, '') for key in zip(wide['block'], wide['name'])]
        systems = list(table['system'].unique())
        wide = wide[['block', 'name', *systems, 'n', 'meaning']]
        if len(systems) == 1:
            wide = wide.rename(columns={systems[0]: 'mean [95 % interval]'})
        return _aligned(wide, list(wide.columns[2:-1]), places)

    def _steps(self, places: int) -> list[str]:
        several = self.steps['system'].nunique() > 1
        return [
            f'{f"{row.system}: " if several else ""}{row.advice}: {row.nuggets} of {count(row.of, "nugget")} '
            f'{LOST[row.share]}, {interval(row.mean, row.low, row.high, places)} of a question; most in '
            f'{", ".join(row.questions)}'
            for row in self.steps.itertuples()
            if row.questions
        ]


def interval(mean: float, low: float, high: float, places: int) -> str:
    """A mean with its interval, where it has one."""
    ends = '' if np.isnan(low) else f' [{number(low, places)}, {number(high, places)}]'
    return number(mean, places) + ends


def _aligned(table: pd.DataFrame, numbers: Sequence[str], places: int) -> list[str]:
    """The lines of a table: a head above its numbers, and texts on the left."""
    columns = []
    for name in table:
        head = name if name in numbers else ' ' * {'block': 7, 'name': 20}.get(name, 0)
        texts = [head, *(number(each, places) for each in table[name])]
        columns.append((texts, name in numbers))
    return lines_of(columns)


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
    complete: bool = False,
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
        complete: leave out the questions of which something is missing. By default, a sentence names the missing
            fields in place of the score.
    """
    requested = [
        name for text in ([names] if isinstance(names, str) else names) for name in text.split()
    ]
    several, rag = rag, _of_one_judge(rag)
    questions = rag.questions()
    rows: list[Row] = []
    lacking: list[tuple[str, str, str]] = []
    steps = None

    def part(block: str, needs: Sequence[str], name: str = '') -> Any:
        """The questions of which everything that is needed is there; None if a sentence is in place of the scores."""
        lacks = rag.missing[rag.missing['field'].isin(needs)]
        kept = [query for query in questions if query not in set(lacks['query_id'])]
        if not len(lacks) or complete and kept:
            return rag.only(kept) if len(lacks) else rag
        lacking.append((block, name, _sentence(lacks, needs, rag, questions, bool(kept))))
        return None

    def scored(block: str, source: Any, chosen: dict[str, tuple[str, Any]]) -> None:
        """Add the scores by measures, of which some need the importance of all nuggets."""
        chosen = {
            name: (key, measure)
            for name, (key, measure) in chosen.items()
            if 'importance' not in getattr(measure, 'needed_columns', ())
            or part(block, ('importance',), name)
        }
        if chosen:
            scores = evaluate(source.runs, source.qrels, [each for _, each in chosen.values()])
            for name, measure, (key, _) in zip(chosen, scores.measures, chosen.values()):
                rows.append(_row(block, name, key, scores, measure))

    of_contexts = [name for name in requested if name not in OF_ANSWERS] or [f'Coverage@{cutoff}']
    if (kept := part(CONTEXT, NEEDS[CONTEXT])) is not None:
        if along is None:
            scored(CONTEXT, kept, _chosen(of_contexts, labels))
        else:
            rows += _curves(kept, of_contexts, along, at, labels)
    if (kept := part(CONTEXT, NEEDS['tokens'], 'tokens')) is not None:
        rows.append(_tokens(kept, cutoff))
    if (kept := part(ANSWER, NEEDS[ANSWER])) is not None:
        default = ['rubric' if 'points' in kept.answers.qrels.columns else 'trec-rag']
        of_answers = [name for name in requested if name in OF_ANSWERS]
        chosen = _chosen(of_answers or default, labels)
        if not of_answers:
            chosen = {name: each for name, each in chosen.items() if each[0] in BY_DEFAULT}
        scored(ANSWER, kept.answers, chosen)
    if (kept := part(SUPPORT, NEEDS[SUPPORT])) is not None:
        scores = citation_support(kept.citations)
        for name, key in zip(('precision', 'recall'), WEIGHTED):
            rows.append(_row(SUPPORT, key if labels else name, key, scores, name))
    if (kept := part(JOINT, NEEDS[JOINT])) is not None:
        try:
            result = joint(kept.runs, kept.qrels, kept.answers, cutoff=cutoff, partial=0.5)
            rows += [_row(JOINT, name, name, result.scores(), name) for name in SHARES]
            steps = result.next_steps()
        except ValueError as error:  # nuggets of the two differ; the other blocks stand
            lacking.append((JOINT, '', f'cannot be computed: {error}'))
    frames = [row.by_query() if by_query else row.means() for row in rows]
    columns = ['block', 'name', 'query_id', *rag.systems] if by_query else COLUMNS
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)
    title = _title(rag, paths)
    return Summary(
        table.reindex(columns=columns),
        f'{title}; means over {count(len(questions), "query", "queries")} with 95 % intervals, each alone',
        [f'{block} {name}'.strip() + f': {what}' for block, name, what in lacking],
        title=title,
        meanings={(row.block, row.name): MEANINGS.get(row.key, '') for row in rows},
        lacking=tuple(lacking),
        steps=steps,
        judges=None if by_query or along else _judges(several, rows),
        unread=rag.unread,
    )


def _row(block: str, name: str, key: str, scores: Scores, measure: str) -> Row:
    """A row of scores. Coverage is below 0 only where it counts points, which can be negative."""
    low, high = range_of(measure, scores[measure]).bounds if block in (CONTEXT, ANSWER) else (0, 1)
    if measure.startswith('Coverage') and 'points' not in measure:
        low = 0
    return Row(block, name, key, scores.select(measures=[measure]), (low, high))


def _chosen(names: Sequence[str], labels: bool) -> dict[str, tuple[str, Any]]:
    """Measures by the names under which they are shown, each with the key of its meaning."""
    chosen = {}
    for name in names:
        preset = PRESETS.get(name)
        tools = preset.labels if preset and not preset.rounds else ()
        for place, measure in enumerate(parse_all(name)):
            tool = tools[place] if place < len(tools) else ''
            key = tool if tool in MEANINGS else str(measure).partition('@')[0].lower()
            chosen[tool if labels and tool else str(measure)] = key, measure
    return chosen


def _sentence(
    lacks: pd.DataFrame, needs: Sequence[str], rag: Rag, questions: Sequence[str], partly: bool
) -> str:
    """What a block needs, and for which questions and systems it is missing."""
    parts, named = [], False
    for field in (name for name in needs if (lacks['field'] == name).any()):
        of_field = lacks[lacks['field'] == field]
        queries = list(dict.fromkeys(of_field['query_id']))
        systems = list(filter(None, dict.fromkeys(of_field['system'])))
        where = ''
        if len(queries) < len(questions):
            where = f' for {len(queries)} of {len(questions)} questions ({some(queries, 3)})'
        if systems and len(systems) < len(rag.systems):
            where += f' of {some(systems, 3)}'
            named |= len(queries) == len(questions)
        parts.append(WORDS.get(field, field) + (f', missing{where}' if where else ''))
    advice = '. --complete leaves out these questions' if partly else ''
    advice += '. run_id, else the name of the file, names the system of a record' if named else ''
    return f'needs {"; ".join(parts)}{advice}'


def _of_one_judge(rag: Rag) -> Rag:
    """The same with one judge; of several, the grade of the majority counts, with a warning."""
    several, answers, qrels = [], rag.answers, rag.qrels
    if qrels is not None and 'judge' in qrels.columns:
        several.append('contexts')
        qrels = aggregate_judges(qrels, 'majority')
    if answers is not None and 'judge' in answers.qrels.columns:
        several.append('answers')
        answers = Answers(aggregate_judges(answers.qrels, 'majority'), answers.runs)
    if several:
        warn(f'several judges of {" and ".join(several)}: the grade of the majority counts')
    return replace(rag, qrels=qrels, answers=answers)


def _judges(rag: Rag, rows: Sequence[Row]) -> pd.DataFrame | None:
    """The means under one judge, with intervals for a new round of ratings; None if nothing was rated again."""
    tables = []
    sources: dict[str, Any] = {CONTEXT: rag, ANSWER: rag.answers}
    for block, source in sources.items():
        of_block = {row.scores.measures[0]: row for row in rows if row.block == block}
        of_block.pop('tokens', None)
        qrels = None if source is None else source.qrels
        if qrels is None or 'judge' not in qrels.columns or not of_block:
            continue
        records = qrels[qrels['doc_id'] != NO_DOCUMENT].drop_duplicates([*PAIR, 'judge'])
        if records.duplicated(PAIR).any():
            noise = resample_judges(source.runs, qrels, [*of_block], n_resamples=N_DRAWS, rng=0)
            for each in noise.to_frame().itertuples():
                row = of_block[each.measure]
                lowest, highest = row.bounds
                low = each.again_low if lowest is None else np.fmax(each.again_low, lowest)
                high = each.again_high if highest is None else np.fmin(each.again_high, highest)
                n = len(row.scores.queries)
                tables.append((block, row.name, each.system, each.mean, low, high, np.nan, n))
    return pd.DataFrame(tables, columns=COLUMNS) if tables else None


def _curves(
    rag: Rag, names: list[str], along: str, at: Iterable[float] | None, labels: bool
) -> list[Row]:
    """The measures of contexts after each round, or within each budget."""
    assert rag.qrels is not None
    curves = evaluate(rag.runs, rag.qrels, names, along=along, at=at)
    rounds = [name for name in names if labels and name in PRESETS and PRESETS[name].rounds]
    if rounds:
        tables = [(curves.labelled(name), '') for name in rounds]
    else:
        tables = [(curves.at(point), f' {along}={point:g}') for point in curves.points]
    return [
        _row(CONTEXT, f'{name}{suffix}', name.partition('@')[0].lower(), scores, name)
        for scores, suffix in tables
        for name in scores.measures
    ]


def _tokens(rag: Rag, cutoff: int) -> Row:
    """The number of tokens within the cutoff."""
    questions, values = rag.questions(), []
    for run in rag.runs.values():
        lengths = first_documents(run, cutoff).groupby('query_id')['length'].sum()
        values.append(lengths.reindex(questions, fill_value=0.0).to_numpy(dtype=float))
    scores = Scores(np.array(values)[..., None], [*rag.runs], questions, ['tokens'])
    return Row(CONTEXT, 'tokens', '', scores, (0, None))


def _title(rag: Rag, paths: Sequence[str]) -> str:
    """Describe what was read: ``A.jsonl: 1 system, 2 questions, …``."""
    read, nuggets = rag.to_frame(), rag.nuggets()
    of_nuggets = of_contexts = of_answers = ''
    if 'importance' in nuggets.columns:
        of_nuggets = f' ({(nuggets["importance"] == "vital").sum()} vital)'
    if read['tokens'].notna().any():
        of_contexts = f' ({read["tokens"].sum():.10g} tokens)'
    total = read.drop(columns=['system', 'tokens']).sum().astype(int)
    if total['sentences']:
        told = total['cited'] or 'citations' not in set(rag.missing['field'])
        cited = f', {total["cited"]} cited' if told else ''
        of_answers = f' ({count(total["sentences"], "sentence")}{cited})'
    counts = [
        (len(read), 'system', ''),
        (len(rag.questions()), 'question', ''),
        (len(nuggets), 'nugget', of_nuggets),
        (total['contexts'], 'context', of_contexts),
        (total['answers'], 'answer', of_answers),
    ]
    named = os.path.basename(paths[0]) if len(paths) == 1 else f'{len(paths)} files'
    return f'{named}: ' + ', '.join(
        count(n, what).replace(',', '') + further for n, what, further in counts if n
    )
