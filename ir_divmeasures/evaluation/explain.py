"""Explain the score of a query: what each rank and aspect contributes to it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ranking import Ranking
from ..core.registry import DivMeasure, ours, parse
from ..core.terms import Terms
from ..data.judgments import Judgments
from ..data.topics import topic_texts
from ..errors import DivMeasuresWarning, did_you_mean
from ..io import runs as several
from ..io.ordering import ranking_order
from ..lazy import pd
from ..plotting import panels
from ..results import Result
from .pooled import count_in, reads_pool
from .provider import Evaluator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import MeasureLike, QrelsLike, RunsLike

KEYS = ['system', 'rank', 'doc_id']
COLUMNS = [*KEYS, 'part', 'aspect', 'text', 'grade', 'weight', 'gain', 'redundancy', 'discount']
COLUMNS += ['scale', 'effort', 'contribution']
BY_RANK = (
    '{} is no sum over ranks: each contribution is the score of the ranking down to a rank, minus that of the ranking '
    'above it'
)
INCOMPLETE = 'A part of {} is no sum over ranks, and is not shown'


class Explanation(Result):
    """The explanation of the scores of one query; see :func:`explain`.

    Attributes:
        measure: the name of the measure.
        query: the id of the query.
        scores: the score of the query by system.
        table: a row for each rank and aspect; see :func:`explain`.
        says: what the contributions do not include, or that the measure is no sum; '' if they sum to the score.
        aspects: the aspects of the query, retrieved or not. A measure at topic level has none.
        texts: the descriptions of official aspects, by aspect, where they are known.
    """

    measure: str
    query: str
    scores: dict[str, float]
    table: pd.DataFrame
    says: str
    aspects: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def rests(self) -> dict[str, float]:
        """The score minus the sum of the contributions, by system. It is 0 except for what ``says`` states."""
        sums = self.table.groupby('system')['contribution'].sum()
        return {system: score - sums.get(system, 0.0) for system, score in self.scores.items()}

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
        return self if n is None else replace(self, table=self.table[self.table['rank'] <= n])

    def _labels(self) -> pd.Series:
        """What each row is called in pictures and wide tables: its part and aspect, or ``effort``; '' for no gain."""
        table = self.table
        gains = (table['aspect'] == '') & (table['contribution'] != 0)
        label = table['aspect'].mask(gains, 'document')
        if 'part' in table:
            label = label.mask(label != '', (table['part'] + ': ' + label).str.removeprefix(': '))
        return label.mask(table['effort'] != 0, 'effort') if 'effort' in table else label

    def _order(self, labels: pd.Series) -> list[str]:
        """Labels in the order in which they are shown: numbers before other ids, effort last."""

        def place(label: str) -> tuple[bool, str, float, str]:
            part, _, aspect = label.rpartition(': ')
            number = float(aspect) if aspect.replace('.', '', 1).isdigit() else np.inf
            return label == 'effort', part, number, aspect

        aspects = () if 'part' in self.table else self.aspects
        return sorted({*labels, *aspects} - {''}, key=place)

    def by_rank(self) -> pd.DataFrame:
        """A row for each system and rank: the document, the contribution of each aspect (and effort), their sum, and
        the cumulated sum."""
        labels, table = self._labels(), self.table
        totals = table.groupby(KEYS, sort=False)['contribution'].sum()
        wide = pd.DataFrame(index=totals.index)
        for label in replace(self, aspects=())._order(labels):
            wide[label] = table[labels == label].groupby(KEYS)['contribution'].sum()
        wide['sum'], wide['so far'] = totals, totals.groupby('system', sort=False).cumsum()
        return wide.reset_index()

    def plot(  # type: ignore[override]
        self, ax: Axes | Sequence[Axes] | None = None, *, top: int = 20
    ) -> Axes | list[Axes]:
        """Plot which aspects each rank covers, in a panel for each system. Darker cells contribute more.

        Args:
            ax: matplotlib axes, as many as there are systems; by default a new figure's.
            top: number of ranks.

        Returns:
            The axes, or a list of them where there are several systems.
        """
        shown = self.top(top)
        table = shown.table.assign(label=shown._labels())
        labels = self._order(table['label'])
        depth = int(table['rank'].max()) if len(table) else 1
        cells = table[table['label'] != ''].groupby(['system', 'rank', 'label'], as_index=False)
        cells = cells['contribution'].sum()
        share = cells['contribution'] / (cells['contribution'].abs().max() or 1.0)
        rgb = np.where(share.to_numpy()[:, None] < 0, (0.80, 0.25, 0.15), (0.10, 0.35, 0.65))
        colours = np.column_stack([rgb, 0.1 + 0.9 * share.abs()])
        size = max(0.32 * depth + 1.2, 3.5), 0.4 * max(len(labels), 2) + 1.3
        axs = panels(ax, len(self.scores), size)
        for panel, (system, score) in zip(axs, self.scores.items()):
            own = (cells['system'] == system).to_numpy()
            places = cells['label'][own].map(labels.index)
            panel.barh(places, 0.94, 0.84, cells['rank'][own] - 0.47, color=colours[own])
            panel.set(
                xlim=(0.5, depth + 0.5),
                ylim=(len(labels) - 0.5, -0.5),
                xlabel='rank',
                yticks=range(len(labels)),
                yticklabels=[f'{each} {self.texts.get(each, "")[:40]}'.rstrip() for each in labels],
            )
            panel.locator_params(axis='x', integer=True)
            panel.set_title(f'{system}: {self.measure} = {score:.4f}', fontsize='medium')
        return axs[0] if len(axs) == 1 else axs


def explain(
    qrels: QrelsLike, run: RunsLike, measure: MeasureLike, query: str, *, topics: Any = None
) -> Explanation:
    """Explain the score of a query by the contribution of each rank and aspect.

    For every measure that is a sum, score = Σ weight · gain · redundancy · discount · scale − Σ effort. For a measure
    with document similarity the table shows the part that is a sum. For any other measure, including those of
    ir_measures, the contribution of a rank is the score of the ranking down to it minus that of the ranking above it.
    ``says`` states which case applies.

    Args:
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        run: one run, or several, in any form that :func:`ir_divmeasures.read_runs` takes.
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
        >>> run = {'q': {'d1': 2.0, 'd2': 1.0}}
        >>> explanation = explain(qrels, run, 'alpha_DCG_IA(gain="binary")@2', 'q')
        >>> explanation.table[['rank', 'aspect', 'weight', 'redundancy', 'discount', 'contribution']].round(3)
           rank aspect  weight  redundancy  discount  contribution
        0     1      1     0.5         1.0     1.000         0.500
        1     2      1     0.5         0.5     0.631         0.158
        2     2      2     0.5         1.0     0.631         0.315
    """
    measure = parse(measure)
    every = Judgments.of(qrels)
    texts = topic_texts(topics, every)
    query = _find_query(str(query), every.query_ids, texts.queries)
    judgments = every.of_query(query)
    evaluator = Evaluator([measure], judgments, warn=False, asks=False)
    tables, scores, says = [], {}, ''
    for system, read in several.each(run):
        with several.of_system(system):
            every.align(read)  # checks the documents
            ranked = read.of_query(query)
            scores[system] = _score(evaluator, ranked)
            table, says = _explain_run(measure, judgments, ranked, evaluator)
        tables.append(table.assign(system=system))
    if not scores:
        raise ValueError('no runs')
    table = pd.concat(tables, ignore_index=True).reindex(columns=COLUMNS)
    subtopics = {subtopic: text for (of, subtopic), text in texts.subtopics.items() if of == query}
    table['effort'] = table['effort'].fillna(0.0)
    official = ~table['part'].str.contains(r'layer (?!0\b)')
    table['text'] = table['aspect'].map(subtopics).where(official).fillna('')
    names: list[str] = []
    if (own := ours(measure)) is not None and own.diversity and table['aspect'].any():
        names = _names_of_aspects(judgments, None)
    empty = [name for name in ('part', 'text', 'effort') if not table[name].astype(bool).any()]
    table = table.drop(columns=empty)
    return Explanation(str(measure), query, scores, table, says, tuple(names), subtopics)


def _find_query(key: str, query_ids: Sequence[str], texts: dict[str, str]) -> str:
    """The id of a query from its id or its text."""
    if key in query_ids:
        return key
    words = key.casefold().split()
    matches = [q for q in query_ids if texts.get(q, '').casefold().split() == words]
    if len(matches) > 1:
        raise ValueError(f'query {key!r} is the text of several queries: {", ".join(matches)}')
    if not matches:
        near = did_you_mean(key, [*query_ids, *texts.values()], list_known=False)
        raise ValueError(f'no query {key!r} in the judgments{near}')
    return matches[0]


def _score(evaluator: Evaluator, run: Any) -> float:
    return float(next((m.value for m in evaluator.iter_calc(run)), 0.0)) if len(run) else 0.0


def ranking_of(measure: DivMeasure, judgments: Judgments, run: Any) -> Ranking:
    """The rankings of a run, with judgments that fit in one block, as a measure sees them."""
    hits, judged = judgments.align(run).located(), judgments.blocks[0].judgments
    if reads_pool(measure):
        judged = count_in(judged, hits.laid[0])
    return hits.ranking(0, measure.rel, measure.judged_only, judged=judged)


def _names_of_aspects(judgments: Judgments, layer: int | None) -> list[str]:
    """The aspects of the only query, on a layer or, for None, on the official one."""
    names: list[str] = judgments.aspects[judgments.base if layer is None else layer].ids_of(0)
    return names


def _documents(judgments: Judgments, run: Any, judged_only: bool) -> list[str]:
    """Documents in the order of the ranking."""
    coded = judgments.align(run)
    coded = coded.judged_only if judged_only else coded
    names: list[str] = coded.names.pick(ranking_order(coded.query, coded.score, coded.names))
    return names


def _explain_run(
    measure: Any, judgments: Judgments, run: Any, evaluator: Evaluator
) -> tuple[pd.DataFrame, str]:
    """The rows of one run, and what they do not include (:attr:`Explanation.says`)."""
    own = ours(measure)
    documents = _documents(judgments, run, own is not None and own.judged_only)
    cutoff = measure.params.get('cutoff') if own is None else own.cutoff
    ranks = pd.DataFrame({'rank': range(1, len(documents[:cutoff]) + 1)})
    ranks = ranks.assign(doc_id=documents[:cutoff], part='', aspect='')
    parts: tuple[Any, ...] = ()
    if own is not None and (own.wrapped is None or ours(own.wrapped) is not None):
        parts = own.parts(ranking_of(own, judgments, run))
    terms = [part for part in parts if isinstance(part, Terms)]
    if own is None or not terms:
        gained = _differences(run, documents[:cutoff], evaluator)
        return ranks.assign(contribution=gained), BY_RANK.format(measure)
    frames = [_rows(term, own, judgments) for term in terms]
    table = pd.concat(frames, ignore_index=True)
    rest = ranks[~ranks['rank'].isin(table['rank'])].assign(effort=0.0, contribution=0.0)
    table = pd.concat([table, rest]).sort_values('rank', kind='stable')
    table['doc_id'] = [documents[rank - 1] for rank in table['rank']]
    return table, INCOMPLETE.format(measure) if len(terms) < len(parts) else ''


def _rows(term: Terms, measure: DivMeasure, judgments: Judgments) -> pd.DataFrame:
    """The rows of one sum: a row for each hit and aspect that gains, and for each rank that costs."""
    r, names = term.ranking, np.array([''])
    grade = r.of_hits(r.judgments.grade)[0]
    if measure.diversity:
        names = np.array(_names_of_aspects(judgments, term.layer))
    else:
        grade = grade.max(axis=1, keepdims=True, initial=0.0)
    factors = {'grade': grade, **{name: each[0] for name, each in term.factors().items()}}
    hit, aspect = np.nonzero(factors['gain'])
    gains = {'rank': r.rank[0, hit].astype(int), 'aspect': names[aspect], 'effort': 0.0}
    gains |= {name: each[hit, aspect] for name, each in factors.items()}
    cost = term.efforts()[0]
    costs = {'rank': np.arange(1, len(cost) + 1), 'aspect': '', 'effort': cost}
    table = pd.DataFrame({**costs, 'contribution': -cost})[cost != 0]
    return pd.concat([pd.DataFrame(gains), table]).assign(part=term.part)


def _differences(run: Any, documents: list[str], evaluator: Evaluator) -> list[float]:
    """The score of the ranking down to each rank, minus that of the ranking above it."""
    place = {name: rank for rank, name in enumerate(documents, 1)}
    rank = np.array([place.get(name, np.inf) for name in run.doc_id.array.to_pylist()])
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        scores = [_score(evaluator, run.rows(rank <= last)) for last in range(len(documents) + 1)]
    return np.diff(scores).tolist()
