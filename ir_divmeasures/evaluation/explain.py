"""Explain the score of a query: what each rank and aspect contributes to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ranking import Ranking
from ..core.registry import DivMeasure, ours, parse
from ..core.terms import Terms
from ..data import runs as several
from ..data.ids import order_ranking
from ..data.judgments import Judgments
from ..data.texts import topic_texts
from ..errors import collecting, did_you_mean, naming
from ..lazy import pd
from ..results import Result
from .pooled import count_in, reads_pool
from .provider import Evaluator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..typing import MeasureLike, QrelsLike, RunsLike

KEYS = ['system', 'rank', 'doc_id']
COLUMNS = [*KEYS, 'part', 'aspect', 'text', 'grade', 'weight', 'gain', 'redundancy', 'discount']
COLUMNS += ['scale', 'effort', 'contribution']
BY_RANK = (
    '{} is no sum over ranks: each contribution is the score of the ranking down to a rank, minus that of the ranking '
    'above it'
)
INCOMPLETE = 'A part of {} is no sum over ranks, and is not shown'
PLOTTED = 20
"""The number of ranks that a picture shows."""


@dataclass(frozen=True, eq=False, repr=False)
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

    def summary(self) -> list[str]:
        """A line for each system: its score."""
        return [
            f'{self.measure} of {system} on query {self.query}: {score:.4f}'
            for system, score in self.scores.items()
        ]

    def _cells(self) -> pd.DataFrame:
        """The contribution by system, rank, document, and ``label``: part and aspect, ``document`` for a measure at
        topic level, or ``effort``."""
        table = self.table[self.table['contribution'] != 0]
        label = table['aspect'].mask(table['aspect'] == '', 'document')
        if 'part' in table:
            label = (table['part'] + ': ' + label).str.removeprefix(': ')
        if 'effort' in table:
            label = label.mask(table['effort'] != 0, 'effort')
        cells = table.assign(label=label).groupby([*KEYS, 'label'], as_index=False, sort=False)
        return cells['contribution'].sum()

    def by_rank(self) -> pd.DataFrame:
        """A row for each system and rank: the document, the contribution of each aspect (and effort), their sum, and
        the cumulated sum."""
        wide = self.table.groupby(KEYS, sort=False)[['contribution']].sum()
        wide.columns = ['sum']
        wide['so far'] = wide.groupby('system', sort=False)['sum'].cumsum()
        cells = self._cells()
        for place, label in enumerate(_sorted(cells['label'])):
            column = cells[cells['label'] == label].set_index(KEYS)['contribution']
            wide.insert(place, label, column, allow_duplicates=True)
        return wide.reset_index()

    def plot(self) -> Figure:
        """Plot which aspects each of the first 20 ranks covers, in a panel for each system. Darker cells contribute more,
        red ones less than 0."""
        from matplotlib import colormaps
        from matplotlib.figure import Figure

        cells = self._cells()
        cells = cells[cells['rank'] <= PLOTTED]
        labels = _sorted([*cells['label'], *(() if 'part' in self.table else self.aspects)])
        depth = int(cells['rank'].max()) if len(cells) else 1
        width, height = max(0.32 * depth + 1.2, 3.5), 0.4 * max(len(labels), 2) + 1.3
        figure = Figure(figsize=(width * len(self.scores), height), layout='constrained')
        panels = figure.subplots(1, len(self.scores), sharey=True, squeeze=False)[0]
        for panel, (system, score) in zip(panels, self.scores.items()):
            own = cells[cells['system'] == system]
            share = own['contribution'] / cells['contribution'].abs().max()
            colours = colormaps['RdBu'](0.5 + share / 2)
            panel.barh(
                own['label'].map(labels.index), 0.94, 0.84, own['rank'] - 0.47, color=colours
            )
            panel.set(
                xlim=(0.5, depth + 0.5), ylim=(max(len(labels), 1) - 0.5, -0.5), xlabel='rank'
            )
            texts = [f'{each} {self.texts.get(each, "")[:40]}'.rstrip() for each in labels]
            panel.set_yticks(range(len(labels)), texts)
            panel.locator_params(axis='x', integer=True)
            panel.set_title(f'{system}: {self.measure} = {score:.4f}', fontsize='medium')
        return figure


def _sorted(labels: Iterable[str]) -> list[str]:
    """Labels in the order of the aspect axis, effort last."""
    return sorted({*labels}, key=lambda label: (label == 'effort', len(label), label))


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
    measure, every = parse(measure), Judgments.of(qrels)
    texts = topic_texts(topics, every)
    query = _find_query(str(query), every.query_ids, texts.queries)
    judgments = every.of_query(query)
    evaluator = Evaluator([measure], judgments)
    tables, scores, says = [], dict[str, float](), ''
    for system, one in several.each(run):
        with naming(f'system {system!r}'):
            every.align(one)  # checks the documents
            ranked = one.of_query(query)
            scores[system] = _score(evaluator, ranked)
            table, says = _explain_run(measure, judgments, ranked, evaluator)
        tables.append(table.assign(system=system))
    if not scores:
        raise ValueError('no runs')
    table = pd.concat(tables, ignore_index=True).reindex(columns=COLUMNS)
    table['effort'] = table['effort'].fillna(0.0)
    subtopics = {subtopic: text for (of, subtopic), text in texts.subtopics.items() if of == query}
    aspect = table['aspect'].mask(table['part'].str.contains(r'layer (?!0\b)'), '')
    table['text'] = [subtopics.get(each, '') for each in aspect]
    names = _aspects(judgments, None) if table['aspect'].any() else []
    empty = [name for name in ('part', 'text', 'effort') if not table[name].astype(bool).any()]
    table = table.drop(columns=empty)
    return Explanation(str(measure), query, scores, table, says, tuple(names), subtopics)


def _find_query(key: str, query_ids: Sequence[str], texts: dict[str, str]) -> str:
    """The id of a query from its id or its text."""
    words = key.casefold().split()
    matches = [q for q in query_ids if texts.get(q, '').casefold().split() == words]
    if key in query_ids or len(matches) == 1:
        return key if key in query_ids else matches[0]
    if matches:
        raise ValueError(f'query {key!r} is the text of several queries: {", ".join(matches)}')
    near = did_you_mean(key, [*query_ids, *texts.values()], list_known=False)
    raise ValueError(f'no query {key!r} in the judgments{near}')


def _score(evaluator: Evaluator, run: Any) -> float:
    if not len(run):
        return 0.0
    (values,) = evaluator.score(run)[1].values()
    return float(values[0])


def _aspects(judgments: Judgments, layer: int | None) -> list[str]:
    """The aspects of the only query, on a layer or, for None, on the official one."""
    aspects = judgments.layout.aspects[judgments.base if layer is None else layer]
    return aspects.names.pick(aspects.code)


def ranking_of(measure: DivMeasure, judgments: Judgments, run: Any) -> Ranking:
    """The rankings of a run, with judgments that fit in one block, as a measure sees them."""
    hits = judgments.align(run).located()
    judged = hits.judged(0)
    if reads_pool(measure):
        judged = count_in(judged, hits.laid[0])
    return hits.ranking(0, judged, measure.rel, measure.judged_only)


def _explain_run(
    measure: Any, judgments: Judgments, run: Any, evaluator: Evaluator
) -> tuple[pd.DataFrame, str]:
    """The rows of one run, and what they do not include (:attr:`Explanation.says`)."""
    own, overlay = ours(measure), judgments.align(run)
    if own is not None and own.judged_only:
        overlay = overlay.judged_only
    order = order_ranking(overlay.query, overlay.score, overlay.names)
    cutoff = measure.params.get('cutoff') if own is None else own.cutoff
    documents = overlay.names.pick(order[:cutoff])
    ranks = pd.DataFrame({'doc_id': documents, 'part': '', 'aspect': ''})
    ranks['rank'] = ranks.index + 1
    parts: tuple[Any, ...] = ()
    if own is not None and (own.wrapped is None or ours(own.wrapped) is not None):
        parts = own.parts(ranking_of(own, judgments, run))
    frames = [
        _rows(part, _aspects(judgments, part.layer) if own and own.diversity else [''])
        for part in parts
        if isinstance(part, Terms)
    ]
    if not frames:
        return ranks.assign(contribution=_gained(run, documents, evaluator)), BY_RANK.format(
            measure
        )
    table = pd.concat(frames)
    table = table.merge(ranks[['rank', 'doc_id']], on='rank')
    rest = ranks[~ranks['rank'].isin(table['rank'])].assign(contribution=0.0)
    table = pd.concat([table, rest]).sort_values('rank', kind='stable')
    return table, INCOMPLETE.format(measure) if len(frames) < len(parts) else ''


def _rows(term: Terms, aspects: list[str]) -> pd.DataFrame:
    """The rows of one sum: a row for each hit and aspect that gains, and for each rank that costs."""
    r, factors = term.ranking, {name: each[0] for name, each in term.factors().items()}
    hit, aspect = np.nonzero(factors['gain'])
    grade = r.of_hits(r.judgments.grade)[0]
    gains = {'rank': r.rank[0, hit].astype(int), 'aspect': np.array(aspects)[aspect]}
    gains |= {name: each[hit, aspect] for name, each in {'grade': grade, **factors}.items()}
    cost = term.efforts()[0]
    costs = {'rank': np.arange(1, len(cost) + 1), 'aspect': '', 'effort': cost}
    effort = pd.DataFrame({**costs, 'contribution': -cost})[cost != 0]
    return pd.concat([pd.DataFrame(gains), effort]).assign(part=term.part)


def _gained(run: Any, documents: list[str], evaluator: Evaluator) -> list[float]:
    """The score of the ranking down to each rank, minus that of the ranking above it."""
    names = run.doc_id.array.to_pylist()
    with collecting([]):
        scores = [
            _score(evaluator, run.rows(np.isin(names, documents[:rank])))
            for rank in range(len(documents) + 1)
        ]
    return [below - above for above, below in zip(scores, scores[1:])]
