"""Explain the score of a query: what each rank and aspect contributes to it."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from itertools import compress
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ranking import Ranking
from ..core.registry import DivMeasure, ours, parse
from ..core.terms import NotASumError, Terms, Value
from ..data.topics import topic_texts
from ..errors import DivMeasuresWarning, did_you_mean
from ..evaluation.pooled import counted_in, reads_pool
from ..evaluation.provider import Evaluator
from ..io import runs as several
from ..io.ordering import ranking_order
from ..judgments.table import Judgments
from ..lazy import pd
from ..plotting import panels
from ..results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import MeasureLike, QrelsLike, RunsLike

KEYS = ('system', 'rank', 'doc_id')
TERMS = ('grade', 'weight', 'gain', 'redundancy', 'discount', 'scale', 'effort', 'contribution')
EFFORT = 'effort'
TEXT = 40
"""Letters of an aspect's text in the picture."""


class Explanation(Result):
    """The explanation of the scores of one query; see :func:`explain`.

    Attributes:
        measure: the name of the measure.
        query: the id of the query.
        scores: the score of the query by system.
        columns: the columns of ``table``, each a list of values.
        says: what the contributions do not include, or why the score is no sum of terms; '' if they are complete.
        rests: the score minus the sum of the contributions, by system. It is 0 except for what ``says`` states.
        aspects: the aspects of the query, retrieved or not. A measure at topic level has none.
        texts: the descriptions of official aspects, by aspect, where they are known.
        table: a row for each rank and aspect; see :func:`explain`.
    """

    measure: str
    query: str
    scores: dict[str, float]
    columns: dict[str, list[Any]]
    says: str
    rests: dict[str, float]
    aspects: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The columns as a DataFrame."""
        return pd.DataFrame(self.columns)

    def _headline(self) -> str:
        scores = ', '.join(f'{system} {score:.4f}' for system, score in self.scores.items())
        return f'{self.measure} on query {self.query}: {scores}'

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.by_rank(), 'by_rank()'

    def _notes(self) -> list[str]:
        return [self.says] if self.says else []

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def top(self, n: int | None) -> Explanation:
        """The same explanation down to rank ``n``; scores stay those of the whole ranking. None keeps all ranks."""
        if n is None:
            return self
        shown = [rank <= n for rank in self.columns['rank']]
        columns = {name: list(compress(values, shown)) for name, values in self.columns.items()}
        return replace(self, columns=columns)

    def summary(self, places: int = 4) -> list[str]:
        """A line for each system: its score, and how much of it the contributions leave out.

        Args:
            places: number of decimal places, at least 4 for the score.
        """
        lines = []
        for system, score in self.scores.items():
            line = f'{self.measure} of {system} on query {self.query}: {score:.{max(places, 4)}f}'
            if abs(self.rests[system]) > 1e-9:
                line += f', of which {self.rests[system]:.{max(places, 0)}f} is not shown'
            lines.append(line)
        return lines

    def by_rank(self) -> pd.DataFrame:
        """A row for each system and rank: the document, the contribution of each aspect (and effort), their sum, and
        the cumulated sum."""
        return pd.DataFrame(self.columns_by_rank())

    def columns_by_rank(self) -> dict[str, list[Any]]:
        """The columns of :meth:`by_rank`."""
        columns, labels = self.columns, _labels(self.columns)
        named = sorted({*labels} - {''}, key=lambda name: (name == EFFORT, _natural(name)))
        keys = zip(columns['system'], columns['rank'], columns['doc_id'])
        cells: dict[tuple[Any, ...], list[float]] = {}
        of_rank: dict[tuple[Any, ...], list[float]] = {}
        for key, label, contribution in zip(keys, labels, columns['contribution']):
            of_rank.setdefault(key, []).append(contribution)
            cells.setdefault((key, label), []).append(contribution)
        totals = {key: fsum(values) for key, values in of_rank.items()}
        so_far: list[float] = []
        for system in dict.fromkeys(columns['system']):
            so_far += _sums(total for key, total in totals.items() if key[0] == system)
        sums = {cell: fsum(values) for cell, values in cells.items()}
        return {
            **{name: [key[place] for key in totals] for place, name in enumerate(KEYS)},
            **{label: [sums.get((key, label), np.nan) for key in totals] for label in named},
            'sum': [*totals.values()],
            'so far': so_far,
        }

    def plot(  # type: ignore[override]
        self, ax: Axes | Sequence[Axes] | None = None, *, top: int = 20
    ) -> Axes | list[Axes]:
        """Plot which aspects each rank covers, in a panel for each system. Darker cells contribute more.

        The first relevant document of an aspect has a frame. Effort has its own row.

        Args:
            ax: matplotlib axes, as many as there are systems; by default a new figure's.
            top: number of ranks.

        Returns:
            The axes, or a list of them where there are several systems.
        """
        table = self.table[self.table['rank'] <= top]
        table = table.assign(label=_labels(table))
        aspects = self.aspects if 'part' not in table.columns else ()
        labels = sorted({*table['label'], *aspects} - {'', EFFORT}, key=_natural)
        labels += [EFFORT] * (EFFORT in set(table['label']))
        depth = int(table['rank'].max()) if len(table) else 1
        size = max(0.32 * depth + 1.2, 3.5), 0.4 * max(len(labels), 2) + 1.3
        cells = table[table['label'] != ''].groupby(['system', 'rank', 'label'], sort=False)
        cells = cells['contribution'].sum().reset_index()
        largest = cells['contribution'].abs().max() or 1.0
        axs = panels(ax, len(self.scores), size)
        for panel, (system, score) in zip(axs, self.scores.items()):
            own = cells[cells['system'] == system]
            is_first = ~own['label'].duplicated() & (own['label'] != EFFORT)
            panel.barh(
                own['label'].map(labels.index),
                0.94,
                0.84,
                own['rank'] - 0.47,
                color=[_colour(value / largest) for value in own['contribution']],
                edgecolor=np.where(is_first, 'black', 'white').tolist(),
                linewidth=np.where(is_first, 1.0, 0.5),
            )
            panel.set(
                xlim=(0.5, depth + 0.5),
                ylim=(len(labels) - 0.5, -0.5),
                xlabel='rank',
                yticks=range(len(labels)),
                yticklabels=[_with_text(label, self.texts) for label in labels],
                xticks=[i for i in range(1, depth + 1) if i == 1 or i % 5 == 0 or depth <= 10],
            )
            panel.set_title(f'{system}: {self.measure} = {score:.4f}', fontsize='medium')
            panel.tick_params(length=0)
        return axs[0] if len(axs) == 1 else axs


def explain(
    runs: RunsLike, qrels: QrelsLike, measure: MeasureLike, query: str, *, topics: Any = None
) -> Explanation:
    """Explain the score of a query by the contribution of each rank and aspect.

    For every measure that is a sum, score = Σ weight · gain · redundancy · discount · scale − Σ effort. For a measure
    with document similarity the table shows the part that is a sum. For any other measure, including those of
    ir_measures, the contribution of a rank is the score of the ranking down to it minus that of the ranking above it.
    ``says`` states which case applies.

    Args:
        runs: several runs, or one, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measure: its name, or a measure.
        query: the id of the query or, with ``topics``, its text.
        topics: descriptions of queries and their intents: a dataset of ir_datasets or PyTerrier or its id, a file, a
            DataFrame of queries or of intents (with ``subtopic_id``), ``{query: text}`` or ``{query: {subtopic: text}}``;
            by default the judgments' column ``text`` (of nuggets, of :func:`ir_divmeasures.with_intents`).

    Returns:
        :class:`Explanation`; ``to_frame()`` has columns ``system, rank, doc_id``, ``part`` (a layer, or recall and the
        rest of a D♯-measure, where there are several), ``aspect`` and, where it is known, its ``text``, ``grade``,
        ``weight`` w(t), ``gain``, ``redundancy`` (the factor by which documents above reduce the gain), ``discount``
        of the rank, ``scale`` (normaliser and constant factors), ``effort`` and ``contribution``. Documents that
        contribute nothing, and effort, which belongs to no aspect, have a row with the aspect ''. With
        ``judged_only`` ranks count judged documents.

    Raises:
        ValueError: the judgments do not contain the query; or as :func:`ir_divmeasures.evaluate`.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 1}}}
        >>> found = explain({'mine': {'q': {'d1': 2.0, 'd2': 1.0}}}, qrels, 'alpha_DCG_IA(gain="binary")@2', 'q')
        >>> found.table[['rank', 'aspect', 'weight', 'redundancy', 'discount', 'contribution']].round(3)
           rank aspect  weight  redundancy  discount  contribution
        0     1      1     0.5         1.0     1.000         0.500
        1     2      1     0.5         0.5     0.631         0.158
        2     2      2     0.5         1.0     0.631         0.315
        >>> abs(found.rests['mine']) < 1e-12
        True
    """
    measure = parse(measure)
    every = Judgments.of(qrels)
    query = _query_id(query, every, topics)
    judgments = every.of_query(query)
    evaluator = Evaluator([measure], judgments, warn=False)
    rows: list[Row] = []
    scores, rests, says = {}, {}, ''
    for system, run in several.each(runs):
        with several.of_system(system):
            every.collection.read(run)  # checks the documents
            ranked = run.of_query(query)
            scores[system] = _score(evaluator, ranked)
            of_system, says = _of_system(measure, judgments, ranked, evaluator)
        rows += [{'system': system, **row} for row in of_system]
        rests[system] = scores[system] - float(np.sum([row['contribution'] for row in of_system]))
    if not scores:
        raise ValueError('no runs')
    names = (*KEYS, 'part', 'aspect', *TERMS)
    columns = {name: [row.get(name, np.nan) for row in rows] for name in names}
    for name in ('part', 'effort'):
        if not any(columns[name]):
            del columns[name]
    known = topic_texts(topics, judgments).subtopics
    texts = {subtopic: text for (of, subtopic), text in known.items() if of == query}
    if any(texts.values()):
        parts = columns.get('part', [''] * len(rows))
        described = [
            '' if re.search(r'layer (?!0\b)', part) else texts.get(aspect, '')
            for part, aspect in zip(parts, columns['aspect'])
        ]
        place = [*columns].index('aspect') + 1
        columns = dict(
            [*[*columns.items()][:place], ('text', described), *[*columns.items()][place:]]
        )
    aspects: tuple[str, ...] = ()
    if (own := ours(measure)) is not None and own.diversity and any(columns['aspect']):
        aspects = tuple(judgments.collection.aspects[judgments.collection.base].ids_of(0))
    return Explanation(str(measure), query, scores, columns, says, rests, aspects, texts)


def _query_id(query: Any, judgments: Judgments, topics: Any) -> str:
    """The id of a query from its id or its text.

    Raises:
        ValueError: no query, or several queries, have this id or text.
    """
    key = str(query)
    if key in judgments.query_ids:
        return key
    texts = {} if topics is None else topic_texts(topics).queries
    words = key.casefold().split()
    matches = [q for q in judgments.query_ids if texts.get(q, '').casefold().split() == words]
    if len(matches) > 1:
        raise ValueError(f'query {key!r} is the text of several queries: {", ".join(matches)}')
    if not matches:
        raise ValueError(
            f'no query {key!r} in the judgments'
            + did_you_mean(key, [*judgments.query_ids, *texts.values()], list_known=False)
        )
    return matches[0]


def _score(evaluator: Evaluator, run: Any) -> float:
    return float(next((m.value for m in evaluator.iter_calc(run)), 0.0)) if len(run) else 0.0


def ranking_of(measure: DivMeasure, judgments: Judgments, run: Any) -> Ranking:
    """The rankings of a run, with judgments that fit in one block, as a measure sees them."""
    collection = judgments.collection
    (block,) = collection.blocks
    (aligned,) = collection.align(collection.read(run).located())
    arrays = counted_in(block.judgments, aligned) if reads_pool(measure) else block.judgments
    return aligned.ranking(arrays, measure.rel, measure.judged_only)


Row = dict[str, Any]


def _of_system(
    measure: Any, judgments: Judgments, run: Any, evaluator: Evaluator
) -> tuple[list[Row], str]:
    """The rows of one system, and what they do not include (:attr:`Explanation.says`)."""
    own = ours(measure)
    documents = _ranked(judgments.collection, run, own is not None and own.judged_only)
    try:
        if own is None:
            raise NotASumError('a measure of ir_measures')
        parts = own.parts(ranking_of(own, judgments, run))
        terms = [part for part in parts if isinstance(part, Terms)]
        others = [part.reason for part in parts if isinstance(part, Value)]
        if not terms:
            raise NotASumError(others[0])
    except NotASumError as error:
        return (
            _marginal(measure, judgments, run, documents, evaluator),
            f'{measure} is not taken apart ({error}): shown is what each rank adds to the score of those above it',
        )
    rows = [row for term in terms for row in _of_term(term, own, documents, judgments.collection)]
    ranks = {row['rank'] for row in rows}
    depth = len(documents[: own.cutoff])
    rows += [_row(rank, documents) for rank in range(1, depth + 1) if rank not in ranks]
    return sorted(rows, key=lambda row: row['rank']), '; '.join(others)


def _row(rank: int, documents: Sequence[str], **values: Any) -> Row:
    """A row with these values, and without the other factors."""
    row = {'rank': rank, 'doc_id': documents[rank - 1], 'part': '', 'aspect': ''}
    return {**row, EFFORT: 0.0, 'contribution': 0.0, **values}


def _of_term(
    term: Terms, measure: DivMeasure, documents: Sequence[str], collection: Any
) -> list[Row]:
    """The rows of one sum: a row for each hit and aspect that gains, and for each rank that costs."""
    ranking = term.ranking
    grade = ranking.of_hits(ranking.judgments.grade)
    names = ['']
    if measure.diversity:
        layer = collection.base if term.layer is None else term.layer
        names = collection.aspects[layer].ids_of(0)
    else:
        grade = grade.max(axis=2, keepdims=True, initial=0.0)
    values = {name: term.factor(name)[0] for name in ('weight', 'gain', 'redundancy', 'discount')}
    values['scale'] = np.broadcast_to(term.scales()[0], values['gain'].shape)
    values |= {'grade': grade[0], 'contribution': term.contributions()[0]}
    rows = [
        _row(
            int(ranking.rank[0, hit]),
            documents,
            part=term.part,
            aspect=names[aspect],
            **{name: float(each[hit, aspect]) for name, each in values.items()},
        )
        for hit, aspect in np.argwhere(values['gain'] != 0)
    ]
    return rows + [
        _row(rank, documents, part=term.part, effort=cost, contribution=-cost)
        for rank, cost in enumerate(term.efforts()[0].tolist(), 1)
        if cost
    ]


def _ranked(collection: Any, run: Any, judged_only: bool) -> list[str]:
    """Documents in the order of the ranking."""
    coded = collection.read(run)
    if judged_only:
        coded = coded.judged_only
    names: list[str] = coded.names.pick(ranking_order(coded.query, coded.score, coded.names))
    return names


def _marginal(
    measure: Any, judgments: Judgments, run: Any, documents: Sequence[str], evaluator: Evaluator
) -> list[Row]:
    """A row for each rank, with the increase of the score compared with the ranking above it."""
    rank_of = {name: i for i, name in enumerate(documents, 1)}
    rank = np.array([rank_of.get(name, np.inf) for name in run.doc_id.array.to_pylist()])
    k = measure.cutoff if isinstance(measure, DivMeasure) else measure.params.get('cutoff')
    official, best = np.flatnonzero(judgments.is_official), dict[str, float]()
    grades = judgments.collection.relevance[official].tolist()
    for name, grade in zip(judgments.document_ids.pick(official), grades):
        best[name] = max(grade, best.get(name, grade))
    with warnings.catch_warnings():  # the evaluation of the whole run has warned
        warnings.simplefilter('ignore', DivMeasuresWarning)
        scores = [_score(evaluator, run.rows(rank <= i)) for i in range(len(documents[:k]) + 1)]
    return [
        _row(i, documents, grade=best.get(documents[i - 1], np.nan), contribution=gained)
        for i, gained in enumerate(np.diff(scores).tolist(), 1)
    ]


def _labels(table: Any) -> list[str]:
    """Aspect, with its part where there are several; 'effort' for effort; '' where nothing is contributed."""
    labels = [
        aspect or 'document' * bool(contribution)
        for aspect, contribution in zip(table['aspect'], table['contribution'])
    ]
    if 'part' in table:
        labels = [
            label and f'{part}: {label}'.removeprefix(': ')
            for part, label in zip(table['part'], labels)
        ]
    if 'effort' in table:
        labels = [EFFORT if effort else label for effort, label in zip(table['effort'], labels)]
    return labels


def _sums(values: Iterable[float]) -> list[float]:
    """The sums so far of some values. What rounding takes from a sum is added to the next one (Kahan)."""
    sums, total, lost = list[float](), 0.0, 0.0
    for value in values:
        added = value - lost
        sums.append(total + added)
        total, lost = sums[-1], sums[-1] - total - added
    return sums


def _colour(share: float) -> tuple[float, ...]:
    """The colour of a contribution, from its share of the largest one."""
    shade = 0.15 + 0.85 * abs(share) if share else 0.06
    return (0.80, 0.25, 0.15, shade) if share < 0 else (0.10, 0.35, 0.65, shade)


def _with_text(label: str, texts: dict[str, str]) -> str:
    """The label of an aspect in the picture: its name and the beginning of its description."""
    text = texts.get(label, '')
    return f'{label} {text if len(text) <= TEXT else text[: TEXT - 1] + "…"}'.rstrip()


def _natural(label: str) -> tuple[str, float, str]:
    head, _, tail = label.rpartition(': ')
    return head, float(tail) if tail.replace('.', '', 1).isdigit() else float('inf'), tail
