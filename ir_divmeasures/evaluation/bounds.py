"""The smallest and largest scores that unjudged documents allow: ``bounds``."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels.sums import weighted as weighted_gains
from ..core.ranking import JUDGED, Array, JudgmentArrays, Ranking
from ..core.registry import (
    BOUNDED,
    BY_ASPECT,
    EXACT,
    LAYERED,
    OUTER,
    RISES,
    SHARES,
    DivMeasure,
    ours,
)
from ..core.registry import measures as parse_all
from ..errors import QueriesWarning, warn
from ..families.dmeasures import D_RBP, D_nDCG
from ..families.gap import worth
from ..families.subtopic import StRecall
from ..io import runs as several
from ..io import text
from ..io.inputs import named
from ..io.text_columns import as_frame
from ..judgments.intents import intent_texts, with_intents
from ..judgments.table import Judgments
from ..lazy import pd
from ..results import Result, count
from ..results.progress import progress
from .adhoc import GDEVAL_HIGHEST, AdHoc, KnownMeasure, View, printed
from .completions import Open, by_aspect, jointly, layered, of_shares, weighted
from .processes import in_processes
from .provider import Evaluator
from .scores import some

if TYPE_CHECKING:
    from ..judgments.arrays import LocatedRun
    from ..typing import MeasuresLike, QrelsLike, RunsLike


class Bounds(Result):
    """The result of :func:`bounds` and :meth:`ir_divmeasures.pools.Pool.bounds`.

    Attributes:
        table: a row for each system, query and measure; see these functions.
        refused: measures that have no bounds, each with the reason.
    """

    table: pd.DataFrame
    refused: dict[str, str]

    def _headline(self) -> str:
        table = self.table
        return (
            f'Bounds of the mean scores of {count(table["system"].nunique(), "system")} on '
            f'{count(table["query_id"].nunique(), "query", "queries")} if unjudged documents were judged'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.means(), 'means()'

    def _notes(self) -> list[str]:
        return [f'{measure} has no bounds: {reason}' for measure, reason in self.refused.items()]

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def means(self) -> pd.DataFrame:
        """Means over the queries, a row for each system and measure. The mean of bounds is the bound of the mean.

        ``expected_error`` (:meth:`ir_divmeasures.pools.Pool.bounds`) is the standard error of the mean.
        """
        table = self.table.drop(columns='query_id')
        by = table.groupby(['system', 'measure', 'kind'], sort=False)
        means = by.mean()
        if 'expected_error' in table.columns:  # queries are independent
            means['expected_error'] = by['expected_error'].agg(np.hypot.reduce) / by.size()
        return means.reset_index()[list(table.columns)]


# ------------------------------------------------------------------------------------- which measures have bounds

AD_HOC = {
    **dict.fromkeys(('P', 'RR', 'Success', 'RBP', 'ERR', 'R', 'AP'), EXACT),
    'nDCG': OUTER,
}
"""Measures of ir_measures that have bounds, and of which kind."""
RATIOS = {'R': 'share', 'AP': 'ap', 'nDCG': 'dcg'}
"""Those among them that are divided by what is relevant, as :class:`~.completions.LayeredRatio` calls them."""


def kind_of(measure: Any) -> str:
    """Return the kind of bounds that a measure has, ``'exact'`` or ``'outer'``, or the reason why it has none.

    Examples:
        >>> import ir_measures
        >>> from ir_divmeasures import RBU, nDCG_IA, NumUnique
        >>> kind_of(RBU @ 20), kind_of(nDCG_IA @ 20), kind_of(ir_measures.P @ 5)
        ('exact', 'outer', 'exact')
        >>> kind_of(NumUnique @ 20)
        'the pool does not say which systems retrieved an unjudged document'
    """
    own = ours(measure)
    if own is not None:
        return BOUNDED.get(own.unjudged, own.unjudged)
    if measure.params.get('judged_only'):
        return 'judged_only=True leaves unjudged documents out of the ranking'
    if measure.params.get('gains'):
        return 'gains that are given one by one'
    return AD_HOC.get(
        measure.NAME, f'of the measures of ir_measures {", ".join(AD_HOC)} have bounds'
    )


def _reason(measure: Any, grades: Array, max_grade: float) -> str:
    """Why a measure has no bounds on judgments with these grades; '' if it has."""
    own = ours(measure)
    if own is None:
        in_gdeval = measure.NAME == 'ERR' or measure.params.get('dcg') == 'exp-log2'
        too_high = in_gdeval and max_grade > GDEVAL_HIGHEST
        return f'gdeval takes grades up to {GDEVAL_HIGHEST}' if too_high else ''
    params, highest = own.all_params, own.all_params.get('max_rel')
    if highest is not None and max_grade > highest and params.get('gain') in ('exp', 'linear'):
        return f'max_rel={highest:g} is below the largest grade, {max_grade:g}'
    graded = params.get('gain', 'binary') != 'binary' and own.unjudged in (RISES, SHARES, LAYERED)
    if graded and own.facts.rel_means == 'gate' and ((grades > 0) & (grades < own.rel)).any():
        return 'grades below rel gain as soon as a document of the subtopic is relevant'
    return ''


# ------------------------------------------------------------------------------------------------------- bounds


def bounds(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasuresLike,
    *,
    n_unseen: int | str | Mapping[str, int] = 0,
    aspects: Any = None,
    max_grade: float | None = None,
    jobs: int = 1,
) -> Bounds:
    """Return the lowest and the highest score that each run could have if its unjudged documents, and by default none
    outside its ranking, were judged for any of the listed subtopics, while all other judgments stay as they are.

    What may vary: each unjudged document of the ranking, below the cutoff too, and ``n_unseen`` documents outside the
    ranking may get any grade up to ``max_grade`` for any of the ``aspects``. What may not: existing judgments, also that
    a judged document is not relevant to a subtopic for which it has no row; further documents; further subtopics; given
    weights. All that measures take from the judgments follows: the subtopics that count (``aspects='relevant'``: those
    with a relevant document) and their uniform weights, highest grades, numbers of relevant documents, ideal rankings.

    The column ``kind`` says how near the bounds are. ``'exact'`` bounds are the scores of some completions. ``'outer'``
    bounds contain the scores of all completions, but the nearest scores may lie inside.

    - Of a measure that never falls as a grade rises, the extremes are those where all of the documents have the highest
      grade, and where none has, or where only the last one does, so that a subtopic counts or the highest grade rises.
    - A measure that is divided by what is relevant (nDCG, AP, R, ``nDCG_IA``, ``AP_IA``, ``D_nDCG``, ``GAP``) is a
      ratio of sums over levels of gain. Each level chooses the m documents that reach it: the first ones for the
      highest score, the last ones and all outside for the lowest. Dinkelbach's method finds the extreme ratio. Levels
      choose alone, so that bounds are outer, except those of binary relevance.
    - ``D_RBP`` adds up shares of the highest global gain. It is highest where all unjudged documents have the grades of the
      best judged one, and lowest where none has a grade or one, which counts least, has the highest for each aspect.
    - Of rank-biased precision, the difference is the residual of Moffat & Zobel (TOIS 2008) on the ranks of the run.

    Measures without bounds are left out with a warning that says why.

    Args:
        runs: several runs, or one, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measures: as :func:`ir_divmeasures.measures` takes them; of ir_measures' ``P RR Success RBP ERR R AP nDCG``, on
            topic-level grades.
        n_unseen: the number of relevant documents that may exist outside the ranking, for all queries or by query
            (``{query: number}`` or a file with lines ``query number``, 0 for the others).
        aspects: the subtopics that documents may be relevant to: ``{query: [subtopics]}``, a file of topics or an
            ir_datasets id; by default those that the judgments list. A subtopic ``'0'`` beside others is the topic as a
            whole, as in the judgments of the Web Track of 2009, and is not one of them.
        max_grade: the largest grade that a document may get; by default the largest one of the judgments. Grades are
            whole numbers, and those that the judgments have.
        jobs: the number of processes (needs joblib); −1 takes all cores.

    Returns:
        :class:`Bounds`; ``to_frame()`` has ``system, query_id, measure, judged, score, lower, upper, kind``; ``judged``
        is judged@k, k being the measure's cutoff, or of the whole run. Judged queries that a run lacks have score 0.

    Raises:
        ValueError: no measure has bounds; says why. ``max_grade`` is below a grade of the judgments, or ``n_unseen``
            below 0. And what :func:`ir_divmeasures.evaluate` raises.

    Examples:
        A relevant document, one unjudged document below it, and one that may exist elsewhere:

        >>> qrels, run = {'q': {'d1': {'1': 1}}}, {'a': {'q': {'d1': 2.0, 'x': 1.0}}}
        >>> bounds(run, qrels, 'AP StRecall@2', n_unseen=1, aspects={'q': ['1', '2']}).table.round(3)
          system query_id     measure  judged  score  lower  upper   kind
        0      a        q          AP     0.5    1.0    0.5    1.0  exact
        1      a        q  StRecall@2     0.5    1.0    0.5    1.0  exact
    """
    requested = parse_all(measures)
    if not requested:
        raise ValueError('no measures')
    judged = Judgments.of(qrels)
    if not judged.query_ids:
        raise ValueError('the judgments are empty: no query to score')
    if aspects is not None:
        judged = _with_aspects(judged, aspects)
    grades, unseen = _grades(judged, max_grade), _unseen(judged, n_unseen)
    known = grades[np.isin(grades, judged.official['relevance'])]
    kinds = {each: _reason(each, known, grades[-1]) or kind_of(each) for each in requested}
    bounded = [each for each, kind in kinds.items() if kind in (EXACT, OUTER)]
    Evaluator(bounded, judged, about_missing=False)  # checks that the judgments can be used
    for each in AdHoc([each for each in bounded if ours(each) is None], judged).rest:
        kinds[each] = 'ir_measures computes it on its own with these grades or parameters'
    refused = {str(each): kind for each, kind in kinds.items() if kind not in (EXACT, OUTER)}
    bounded = [each for each in bounded if str(each) not in refused]
    report_refused(refused, len(requested))
    pairs, total = named(runs)
    score = functools.partial(_of_runs, bounded, judged, grades, unseen)
    frames = []
    with progress(total, 'run', 'runs') as bar:
        for system, values in (
            score(pairs) if jobs == 1 else in_processes(pairs, total, score, jobs)
        ):
            for measure in bounded:
                row = {'system': system, 'query_id': judged.query_ids, 'measure': str(measure)}
                row |= zip(('judged', 'score', 'lower', 'upper'), values[measure])
                frames.append(pd.DataFrame({**row, 'kind': kinds[measure]}))
            bar.update()
    if not frames:
        raise ValueError('no runs')
    return Bounds(pd.concat(frames, ignore_index=True), refused)


def _with_aspects(judged: Judgments, aspects: Any) -> Judgments:
    """The judgments where these subtopics are listed, too."""
    if not isinstance(aspects, Mapping):
        aspects = intent_texts(aspects).groupby('query_id')['subtopic_id'].agg(list)
    listed = {str(query): list(map(str, names)) for query, names in aspects.items()}
    # '0' beside other subtopics is the topic as a whole (io.columns.listing)
    own = {
        query: [name for name in names if name != '0'] or names
        for query, names in listed.items()
        if query in judged.query_ids
    }
    return Judgments.of(with_intents(judged, own))


def _numbers(path: str) -> dict[str, int]:
    """The numbers of a file with lines of a query and a number."""
    fields = ['query_id', 'number']
    table = as_frame(text.split_columns(text.read_bytes(path), path, fields))
    return dict(zip(table['query_id'], table['number'].astype(int)))


def _grades(judged: Judgments, max_grade: float | None) -> Array:
    """The grades that a document may have, ascending, all above 0.

    Raises:
        ValueError: a grade above ``max_grade`` was judged.
    """
    known = judged.official['relevance'].to_numpy(dtype=float)
    top = float(known.max(initial=0.0))
    if max_grade is not None and max_grade < top:
        raise ValueError(f'max_grade={max_grade:g}, but a grade of {top:g} was judged')
    top = top if max_grade is None else float(max_grade)
    return np.unique([*known[known > 0], *np.arange(1.0, min(top, 100.0) + 1), top])


def _unseen(judged: Judgments, n_unseen: Any) -> NDArray[np.intp]:
    """The number of documents outside the ranking of each query; (Q,).

    Raises:
        ValueError: a number is below 0 or not whole.
    """
    if isinstance(n_unseen, str):
        n_unseen = int(n_unseen) if n_unseen.isdecimal() else _numbers(n_unseen)
    if not isinstance(n_unseen, Mapping):
        n_unseen = dict.fromkeys(judged.query_ids, n_unseen)
    for query, n in n_unseen.items():
        if n < 0 or n != int(n):
            raise ValueError(f'n_unseen={n!r} of query {query!r}: expected a whole number from 0')
    table = {str(query): n for query, n in n_unseen.items()}
    return np.array([table.get(query, 0) for query in judged.query_ids], dtype=np.intp)


def report_refused(refused: dict[str, str], n_measures: int) -> None:
    """Warn of the measures that have no bounds and why, by name.

    Raises:
        ValueError: none of the ``n_measures`` measures has bounds.
    """
    if not n_measures:
        raise ValueError('no measures')
    reasons = '; '.join(f'{name}: {reason}' for name, reason in list(refused.items())[:5])
    more = f'; and {len(refused) - 5} more' if len(refused) > 5 else ''
    if len(refused) == n_measures:
        raise ValueError(f'no bounds: {reasons}{more}')
    if refused:
        warn(
            f'{len(refused)} of {n_measures} measures have no bounds and are omitted ({reasons}{more})'
        )


def _of_runs(
    measures: list[Any],
    judged: Judgments,
    grades: Array,
    unseen: NDArray[np.intp],
    pairs: Iterable[tuple[str, Any]],
) -> Iterator[tuple[str, dict[Any, Array]]]:
    """Of each run and measure judged@k, score, lowest and highest value; (4, queries)."""
    own = {each: made for each in measures if (made := ours(each)) is not None}
    adhoc = AdHoc([each for each in measures if each not in own], judged)
    columns: dict[str, Any] = {JUDGED: 'bounds'}
    for made in own.values():
        columns |= dict.fromkeys(made.run_columns, made)
    collection = judged.collection
    for system, run in several.loaded(pairs):
        with several.of_system(system):
            coded = collection.read(run, columns=columns)
            if len(run.score) and not len(coded.query):
                warn(
                    f'{system}: the bounds are those of an empty run, because the run has none of the judged queries '
                    f'(run: {some(run.query_ids)}; judgments: {some(judged.query_ids)})',
                    QueriesWarning,
                )
            values = {each: np.zeros((4, len(judged.query_ids))) for each in own}
            for block, aligned in zip(collection.blocks, collection.align(coded.located())):
                free = unseen[block.queries]
                for each, made in own.items():
                    r = aligned.ranking(block.judgments, made.rel, False)
                    values[each][:, block.queries] = _of_block(made, r, grades, free)
            for host in adhoc.known:
                values[host.measure] = _of_host(host, adhoc, coded, grades, unseen)
        yield system, values


def _of_block(measure: DivMeasure, r: Ranking, grades: Array, unseen: NDArray[np.intp]) -> Array:
    """judged@k, score, lowest and highest value; (4, Q)."""
    k = None if 'iteration' in measure.run_columns else measure.cutoff  # a cutoff of iterations
    free = _open(r.run_column(JUDGED) == 0, k, grades, unseen)
    return _rows(free, r.n, k, measure.on(r), *_extremes(measure, r, free))


def _open(
    unjudged: NDArray[np.bool_], k: int | None, grades: Array, unseen: NDArray[np.intp]
) -> Open:
    """What may vary, from the unjudged documents by rank, (Q, N)."""
    within = unjudged[:, :k]
    return Open(grades, within, unjudged.sum(axis=1) - within.sum(axis=1) + unseen)


def _rows(
    free: Open, n: NDArray[Any], k: int | None, score: Array, low: Array, high: Array
) -> Array:
    """judged@k, which is the share of the documents down to rank k that are judged, 0 where none is retrieved; and the
    score and its bounds; (4, Q)."""
    retrieved = n if k is None else np.minimum(n, k)
    judged = 1 - free.within.sum(axis=1) / np.maximum(retrieved, 1)
    ends = np.minimum(low, score), np.maximum(high, score)
    return np.stack([np.where(retrieved > 0, judged, 0.0), score, *ends])


def _extremes(measure: DivMeasure, r: Ranking, free: Open) -> tuple[Array, Array]:
    """The extremes of a measure, by how unjudged documents affect it; (Q,) each."""
    known = {RISES: jointly, BY_ASPECT: by_aspect, SHARES: of_shares}
    extremes = known.get(measure.unjudged, _layered)
    return extremes(measure, r if measure.diversity else r.topic, free)


def _layered(measure: DivMeasure, r: Ranking, free: Open) -> tuple[Array, Array]:
    """The extremes of a measure that is divided by what is relevant; (Q,) each."""
    rel, k, name = measure.rel, measure.cutoff, measure.NAME
    if name.startswith('Dsharp_'):
        of_k: dict[str, Any] = {'rel': rel} if k is None else {'rel': rel, 'cutoff': k}
        gamma, inner = measure['gamma'], D_RBP if name == 'Dsharp_RBP' else D_nDCG
        recall = jointly(StRecall(**of_k), r, free)
        params = {each: measure[each] for each in inner.own_params}
        rest = _extremes(inner(**params, **of_k), r, free)
        low, high = (gamma * a + (1 - gamma) * b for a, b in zip(recall, rest))
        return low, high
    judged, named = r.judgments, r.judgments.named
    weight = named * (1.0 if judged.given_weight is None else judged.given_weight)

    def gains(of: JudgmentArrays) -> Array:
        """What documents gain by aspect, or together; (Q, D, T) or (Q, D, 1)."""
        if name == 'GAP':
            return worth(of, rel, measure['g'])[..., None]
        if name == 'AP_IA':
            return of.relevant(rel)
        gain = of.gain(measure['gain'], rel)
        return weighted_gains(gain, weight)[..., None] if name == 'D_nDCG' else gain

    each_aspect = name.endswith('_IA')
    highest = np.broadcast_to(free.grades[-1], (len(named), 1, named.shape[1]))
    gain, most = gains(judged), gains(JudgmentArrays(highest))[:, 0] * (named if each_aspect else 1)
    kind, served = 'ap' if 'AP' in name else 'dcg', named if each_aspect else False
    low, high = layered(r.rank, r.of_hits(gain), gain, most, free, k, kind, served)
    if not each_aspect:
        return low[:, 0], high[:, 0]
    possible = ((free.outside > 0) | free.within.any(axis=1))[:, None] & (most > 0)
    return weighted(measure, r, low, high, possible, np.zeros(len(named)))


def _of_host(
    host: KnownMeasure, adhoc: AdHoc, run: LocatedRun, grades: Array, unseen: NDArray[np.intp]
) -> Array:
    """The same of a measure of ir_measures, with the documents in its host's order; (4, Q)."""
    made, located = host.measure, run.located(host.order)
    view, k, n = adhoc.view(located, host.order), made.params.get('cutoff'), located.n
    unjudged = np.arange(int(n.max(initial=0))) < n[:, None]
    unjudged[unjudged] = located.columns[JUDGED][0] == 0
    free = _open(unjudged, k, grades, unseen)
    with np.errstate(divide='ignore', invalid='ignore'):
        score = low = host.compute(made, view)
        if made.NAME in RATIOS:
            hits, judged, top = (
                _host_gain(host, each)[..., None] for each in (view.grade, view.judged, grades[-1:])
            )
            ends = layered(view.rank, hits, judged, top, free, k, RATIOS[made.NAME])
            low, high = (end[:, 0] for end in ends)
        else:
            high = host.compute(made, _filled(view, free.within, grades[-1]))
    if host.order == 'descending':
        low, high = printed(low), printed(high)
    return _rows(free, n, k, *(np.where(n > 0, x, made.DEFAULT) for x in (score, low, high)))


def _host_gain(host: KnownMeasure, grade: Array) -> Array:
    """The gains of nDCG, or 1 where a document is relevant."""
    if host.measure.NAME != 'nDCG':
        return ((grade >= host.measure['rel']) & (grade > -1)) * 1.0
    grade = np.maximum(grade, 0.0)
    return np.exp2(grade) - 1 if host.order == 'descending' else grade


def _filled(view: View, chosen: NDArray[np.bool_], grade: float) -> View:
    """What a host sees of the first ranks if the chosen documents, (Q, N), have a grade."""
    row, hit = np.nonzero(view.rank <= chosen.shape[1])
    at = row, view.rank[row, hit].astype(np.intp) - 1
    rank = np.where(chosen, np.arange(1.0, chosen.shape[1] + 1), np.inf)
    grades = np.where(chosen, grade, -1.0)
    rank[at], grades[at] = view.rank[row, hit], view.grade[row, hit]
    return View(rank, grades, view.n, view.judged)
