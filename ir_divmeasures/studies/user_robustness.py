"""The robustness studies of Carterette (SIGIR 2011, §4.2) on any runs: the measures of user models compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures
from ..errors import DivMeasuresWarning
from ..evaluation.evaluate import evaluate
from ..io.runs import read_runs
from ..judgments.qrels import topic_level
from ..judgments.repool import repool
from ..lazy import pd
from ..meta.robustness import Robustness, assessor_robustness, pool_robustness, topic_robustness
from ..results.estimates import Estimate
from ..users.profile import cells, groups
from .study import Study, noted

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

STATIC, DYNAMIC = ('RBP', 'DCG', 'RR'), ('ERR', 'AP', 'RRR')
CELLS = cells((*STATIC, *DYNAMIC))
NORMALISED = {(2, p) for p in STATIC} | {(3, 'AP')}  # §3: "all measures in the M2 family" and ARR
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50, 100)
ALIKE = 0.01  # our reading of "about equally"
KEPT, ADDED, ASSESSORS = 0.65, 0.25, 20  # the simulated second assessors
RESAMPLES = 40  # of the topics, for intervals
PAGES_DRAWN, PAGE_TRIALS = 10, 20  # draws of one relevant document a topic, topic samples for each
PAIRS = (
    ('tail', 'fat', 'slim'),
    ('tail', 'fat', 'medium'),
    ('model', 'M2', 'M1'),
    ('model', 'M2', 'M4'),
    ('model', 'M3', 'M1'),
)  # groups whose difference is tested
AGREES, DISAGREES, TOO_CLOSE = 'agrees', '**disagrees**', 'too close'


def measure_name(model: int, p: str, rel: float = 1, cutoff: str = '') -> str:
    """A measure as this study computes it."""
    norm = ',norm=True' if (model, p) in NORMALISED else ''
    return f'UM(model={model},P={p!r}{norm}{f",rel={rel:g}" if rel != 1 else ""}){cutoff}'


UNMARKED = [(row.model, row.P) for row in CELLS[CELLS['marked'].isna()].itertuples()]
WHOLE, AT_100 = (
    [str(measures(measure_name(*cell, cutoff=cutoff))[0]) for cell in UNMARKED]
    for cutoff in ('', '@100')
)
GROUPS = groups(WHOLE + AT_100)
GROUPS['kind'] = {m: 'dynamic' if p in DYNAMIC else 'static' for m, p in GROUPS['P'].items()}
GROUPS['M3 apart'] = {
    m: 'M3, slim or medium'
    if model == 'M3' and GROUPS['tail'][m] != 'fat'
    else 'M3, fat'
    if model == 'M3'
    else model
    for m, model in GROUPS['model'].items()
}


def user_models(
    runs: RunsLike,
    qrels: QrelsLike,
    *,
    name: str = 'These runs',
    assessors: Mapping[str, Any] | None = None,
    high: float = 2,
    sizes: Iterable[int] | None = None,
    depths: Iterable[int] | None = None,
    n_trials: int = 100,
    rng: int = 0,
) -> Study:
    """Repeat the robustness studies of Carterette (SIGIR 2011, §4.2) on the runs of a campaign.

    The paper's 15 measures (models M1 to M4 with six stopping distributions; the others are marked by
    :func:`ir_divmeasures.user_models.cells`) rank the systems; then again with a second assessor's judgments, with
    samples of the topics, with shallower pools, and with one relevant document a topic. The tables have Kendall's τ to
    the full ranking, and what the paper says beside what is seen here.

    Args:
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes; at least two.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes; of a document's grades for several
            subtopics the largest counts. Gain is binary, from grade 1.
        name: what the tables call the collection.
        assessors: other assessors' judgments of the same topics by name. Without them there are two stand-ins: a strict
            assessor, to whom only grades of at least ``high`` are relevant, and 20 simulated ones, who keep a relevant
            judgment with probability .65 and make one of a non-relevant with probability .25.
        high: the grade of the strict assessor and of the pages sought; without such documents both are left out.
        sizes: of the topic samples; by default 5, 10, … below the number of topics.
        depths: of the pools; by default 1, 2, 3, 5, 7, 10, 15, 20, 50, those below the longest ranking.
        n_trials: topic samples of each size.
        rng: seed.

    Returns:
        A :class:`Study` with the tables ``statements``, ``models``, one for each kind of assessor (``strict`` and
        ``simulated``, or ``second``), ``topics``, ``topics by model``, ``topics by tail``, ``differences``, ``pools``,
        ``pools by model``, ``pools by tail``, ``judged``, ``named page``.

    Raises:
        TypeError, ValueError: no runs or judgments; fewer than two systems; five topics or fewer and no ``sizes``;
            assessors of other topics.

    Reference: Carterette, *System Effectiveness, User Models, and User Utility*, SIGIR 2011, §4.2.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> qrels = {f'q{q}': {f'd{d}': int(rng.integers(0, 3)) for d in range(10)} for q in range(4)}
        >>> runs = {f's{s}': {q: {d: grade + (s + 1) * rng.random() for d, grade in judged.items()}
        ...                   for q, judged in qrels.items()} for s in range(3)}
        >>> study = user_models(runs, qrels, sizes=[2, 3], depths=[1, 5], n_trials=3)
        >>> study['statements'].columns.tolist(), study['topics'].shape
        (['study', 'the paper says', 'here', 'verdict'], (7, 6))
    """
    table = topic_level(qrels)
    topics = set(table['query_id'])
    systems = {
        system: run[run['query_id'].isin(topics)].reset_index(drop=True)
        for system, run in read_runs(runs)
    }
    longest = max(
        (int(run.groupby('query_id').size().max()) for run in systems.values() if len(run)),
        default=0,
    )
    selected_depths = (
        [d for d in DEPTHS[:-1] if d == 1 or d < longest] if depths is None else sorted(depths)
    )
    others = (
        None
        if assessors is None
        else {label: topic_level(other) for label, other in assessors.items()}
    )
    with noted() as notes:
        results = repeat(
            systems, table, others, high, sizes, selected_depths, n_trials, rng, cutoffs=('',)
        )
        tables = _tables(results)
    return Study(
        'user-models',
        tables,
        {
            'name': name,
            'n_systems': len(systems),
            'n_topics': len(topics),
            'pages_drawn': PAGES_DRAWN,
            'notes': [*notes, *([results.lost] if results.lost else [])],
            'assessors': list(results.assessor),
            'verdicts': tables['statements']['verdict'].str.strip('*').value_counts().to_dict(),
        },
    )


class Repeated(NamedTuple):
    """The results for one collection.

    Attributes:
        full: measure → (systems, topics), by all judgments.
        assessor: Robustness by the kind of assessor.
        overlap: of the simulated assessors with the first, intersection over union of the relevant; NaN without them.
        topics: over topic samples.
        pools: over pool depths; ``judged`` the judgments of each; ``lost`` the warning about emptied topics.
        page: over topic samples with one relevant document a topic; None without documents of a high grade.
    """

    full: dict[str, NDArray[np.float64]]
    assessor: dict[str, Robustness]
    overlap: float
    topics: Robustness
    pools: Robustness
    judged: dict[int, pd.DataFrame]
    lost: str
    page: Robustness | None


def repeat(
    runs: dict[str, pd.DataFrame],
    qrels: pd.DataFrame,
    assessors: Mapping[str, pd.DataFrame] | None = None,
    high: float = 2,
    sizes: Iterable[int] | None = None,
    depths: Iterable[int] = DEPTHS,
    n_trials: int = 100,
    rng: int = 2011,
    page_rng: int | None = None,
    cutoffs: tuple[str, ...] = ('', '@100'),
    n_resamples: int = RESAMPLES,
) -> Repeated:
    """The studies of one collection.

    Args:
        runs, qrels: systems' runs and topic-level judgments.
        assessors, high, sizes, depths, n_trials, rng: as for :func:`user_models`.
        page_rng: seed of the pages sought; ``rng`` if not given.
        cutoffs: ``''``, the whole ranking, and further ones.
        n_resamples: resamples of the topics for intervals.
    """

    def scored(table: pd.DataFrame, rel: float = 1) -> dict[str, NDArray[np.float64]]:
        return scores(runs, table, rel, cutoffs)

    full = scored(qrels)
    topics = topic_robustness(full, sizes, n_trials=n_trials, n_resamples=n_resamples, rng=rng)
    relevant, overlap = qrels['relevance'] >= 1, float('nan')
    assessor = {}
    if assessors is not None:
        assessor['second'] = assessor_robustness(
            full,
            {label: scored(other) for label, other in assessors.items()},
            n_resamples=n_resamples,
            rng=rng,
        )
    else:
        generator = np.random.default_rng(rng)
        simulations = {
            f'simulated {i + 1}': second_assessor(qrels, generator) for i in range(ASSESSORS)
        }
        overlap = float(
            np.mean(
                [
                    (relevant & (other['relevance'] >= 1)).sum()
                    / (relevant | (other['relevance'] >= 1)).sum()
                    for other in simulations.values()
                ]
            )
        )
        if (qrels['relevance'] >= high).any():
            assessor['strict'] = assessor_robustness(
                full, {'strict': scored(qrels, high)}, n_resamples=n_resamples, rng=rng
            )
        assessor['simulated'] = assessor_robustness(
            full,
            {k: scored(other) for k, other in simulations.items()},
            n_resamples=n_resamples,
            rng=rng,
        )
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        shallow = repool(qrels, runs, depths)
    pools = pool_robustness(
        full,
        {depth: scored(part) for depth, part in shallow.items()},
        n_resamples=n_resamples,
        rng=rng,
    )
    page = (
        named_page(
            runs, qrels, high, sizes, rng if page_rng is None else page_rng, cutoffs, n_resamples
        )
        if (qrels['relevance'] >= high).any()
        else None
    )
    return Repeated(
        full,
        assessor,
        overlap,
        topics,
        pools,
        shallow,
        str(records[0].message) if records else '',
        page,
    )


def _tables(repeated: Repeated) -> dict[str, pd.DataFrame]:
    """The tables in the order in which they are printed."""

    results = {
        **{f'assessor, {label}': result for label, result in repeated.assessor.items()},
        'topics': repeated.topics,
        'pools': repeated.pools,
        **({} if repeated.page is None else {'named page': repeated.page}),
    }
    indexed = {
        'models': match_models(results),
        **{label: pivot(result) for label, result in repeated.assessor.items()},
        'topics': pivot(repeated.topics),
        'topics by model': repeated.topics.to_frame(GROUPS['model']),
        'topics by tail': repeated.topics.to_frame(GROUPS['tail']),
        'pools': pivot(repeated.pools),
        'pools by model': repeated.pools.to_frame(GROUPS['model']),
        'pools by tail': repeated.pools.to_frame(GROUPS['tail']),
        **({} if repeated.page is None else {'named page': pivot(repeated.page)}),
    }
    return {
        'statements': statements(
            repeated.assessor, repeated.topics, repeated.pools, repeated.page
        ).rename(columns={'words': 'the paper says', 'seen': 'here'}),
        **{name: frame.rename_axis(columns=None).reset_index() for name, frame in indexed.items()},
        'differences': differences(repeated.topics),
        'judged': pd.DataFrame(
            [
                {
                    'pool depth': depth,
                    'relevant': int((pool['relevance'] >= 1).sum()),
                    'judged': len(pool),
                }
                for depth, pool in repeated.judged.items()
            ]
        ),
    }


def differences(topics: Robustness) -> pd.DataFrame:
    """Differences of the means over sizes of two groups of measures, with intervals and p over topics."""

    return pd.DataFrame(
        [(f'{a} − {b}', *topics.difference(GROUPS[key], a, b)) for key, a, b in PAIRS],
        columns=['groups', 'difference', 'low', 'high', 'p'],
    )


def scores(
    runs: dict[str, pd.DataFrame],
    qrels: Any,
    rel: float = 1,
    cutoffs: tuple[str, ...] = ('', '@100'),
) -> dict[str, NDArray[np.float64]]:
    """Measure → (systems, topics), over whole runs and cut at 100; topics in the order of their ids."""
    measures_by_label = {
        label: measures(measure_name(*cell, rel=rel, cutoff=cutoff))[0]
        for cutoff, labels in (('', WHOLE), ('@100', AT_100))
        if cutoff in cutoffs
        for label, cell in zip(labels, UNMARKED)
    }
    values = evaluate(runs, qrels, measures_by_label.values())
    order = np.argsort(values.queries)
    return {label: values[str(measure)][:, order] for label, measure in measures_by_label.items()}


# ------------------------------------------------------------------------------------------------- stand-ins


def second_assessor(qrels: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Each relevant document stays so with probability KEPT, each other becomes so with probability ADDED."""
    relevant = qrels['relevance'].to_numpy() >= 1
    chance = rng.random(len(qrels))
    return qrels.assign(relevance=np.where(relevant, chance < KEPT, chance < ADDED).astype(int))


def one_page_a_topic(
    runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, high: float, rng: np.random.Generator
) -> list[pd.DataFrame]:
    """Judgments in which one document of a high grade a topic is relevant, drawn in proportion to Σ 1/rank."""

    ranked = pd.concat(
        [
            run.assign(
                chance=1
                / (
                    1
                    + run.sort_values('score', ascending=False, kind='stable')
                    .groupby('query_id')
                    .cumcount()
                )
            )
            for run in runs.values()
        ]
    )
    chance = ranked.groupby(['query_id', 'doc_id'])['chance'].sum().rename('chance').reset_index()
    weighted_rows = (
        qrels[qrels['relevance'] >= high]
        .merge(chance, on=['query_id', 'doc_id'])
        .groupby('query_id')
    )
    return [
        qrels.merge(
            weighted_rows.sample(1, weights='chance', random_state=rng)[
                ['query_id', 'doc_id']
            ].assign(sought=1),
            on=['query_id', 'doc_id'],
            how='left',
        )
        .assign(relevance=lambda q: q['sought'].fillna(0).astype(int))
        .drop(columns='sought')
        for _ in range(PAGES_DRAWN)
    ]


def named_page(
    runs: dict[str, pd.DataFrame],
    qrels: pd.DataFrame,
    high: float = 2,
    sizes: Iterable[int] | None = None,
    rng: int = 2006,
    cutoffs: tuple[str, ...] = ('', '@100'),
    n_resamples: int = RESAMPLES,
) -> Robustness:
    """Topic samples with one relevant document a topic; trials over draws and samples."""
    # One seed for all draws: they have the same samples and resamples of the topics, so that the mean over draws of the
    # latter varies as the mean over draws does from topics to topics.
    draws = [
        topic_robustness(
            scores(runs, page_judgments, cutoffs=cutoffs),
            sizes,
            n_trials=PAGE_TRIALS,
            n_resamples=n_resamples,
            rng=rng,
        )
        for page_judgments in one_page_a_topic(runs, qrels, high, np.random.default_rng(rng))
    ]
    return Robustness(
        draws[0].measures,
        'topics',
        draws[0].levels,
        np.concatenate([r.tau for r in draws], axis=2),
        np.mean([r.replicates for r in draws], axis=0),
        draws[0].n_topics,
    )


# ------------------------------------------------------------------------------------------------- statements


def means(result: Robustness, key: str) -> dict[str, float]:
    """Mean τ over levels by group."""
    return result.to_frame(GROUPS[key]).mean(axis=1).to_dict()


def ordered(values: dict[str, float]) -> str:
    """``fat 0.95 > slim 0.93``."""
    return ' > '.join(
        f'{group} {value:.3f}' for group, value in sorted(values.items(), key=lambda x: -x[1])
    )


def said(above: bool, below: bool) -> str:
    """Return the verdict on a statement, given whether its interval is above or below the stated value."""
    return AGREES if above else DISAGREES if below else TOO_CLOSE


def leads(
    result: Robustness,
    key: str,
    *these: str,
    least: bool = False,
    levels: Iterable[Any] | None = None,
    among: Iterable[str] | None = None,
) -> str:
    """Whether some groups have the greatest (least) τ: the interval of each contrast with another group excludes 0."""
    others = [
        group for group in (means(result, key) if among is None else among) if group not in these
    ]
    selected_levels = None if levels is None else list(levels)
    contrasts = [
        result.difference(
            GROUPS[key], *((other, this) if least else (this, other)), levels=selected_levels
        )
        for this in these
        for other in others
    ]
    return said(all(each.low > 0 for each in contrasts), any(each.high < 0 for each in contrasts))


def alike(contrasts: Iterable[Estimate], margin: float) -> str:
    """Whether the intervals of some contrasts are within a margin around 0."""
    listed = list(contrasts)
    return said(
        all(-margin <= each.low and each.high <= margin for each in listed),
        any(each.low > margin or each.high < -margin for each in listed),
    )


def on_average(result: Robustness, groups: Mapping[str, str]) -> NDArray[np.float64]:
    """The ends of the intervals of the mean over levels, (groups, 2)."""
    mean = Robustness(
        result.measures,
        result.level,
        ('all',),
        result.tau.mean(axis=1, keepdims=True),
        result.replicates.mean(axis=2, keepdims=True),
        result.n_topics,
    )
    ends: NDArray[np.float64] = mean.interval(groups).to_numpy(dtype=float)
    return ends


def together(observations: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """Combine several observations, label → (observation, verdict), into one verdict."""
    verdicts = {holds for _, holds in observations.values()}
    text = '; '.join(
        f'{label}: {observed}' + (f' ({holds.strip("*")})' if len(verdicts) > 1 else '')
        for label, (observed, holds) in observations.items()
    )
    return text, verdicts.pop() if len(
        verdicts
    ) == 1 else 'in part' if AGREES in verdicts else DISAGREES


def by_depth(pools: Robustness, judge: Callable[[Any], str]) -> tuple[str, str]:
    """One verdict of all pool depths."""
    at: dict[str, list[str]] = {}
    for depth in pools.levels:
        at.setdefault(judge(depth).strip('*'), []).append(str(depth))
    observed = '; '.join(f'{holds} at {", ".join(depths)}' for holds, depths in at.items())
    return observed, next(iter(at)).replace('disagrees', DISAGREES) if len(
        at
    ) == 1 else 'in part' if AGREES in at else DISAGREES if 'disagrees' in at else TOO_CLOSE


Statement = tuple[str, tuple[str, str]]
"""A statement of the paper, with the observation and the verdict."""


def shown(estimate: Estimate) -> str:
    """A difference with its interval."""
    return f'{estimate.value:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}]'


def on_assessors(assessor: Mapping[str, Robustness]) -> Iterator[Statement]:
    """What the paper says of a second assessor."""

    def assessors(key: str, *these: str, least: bool = False) -> tuple[str, str]:
        return together(
            {
                label: (ordered(means(result, key)), leads(result, key, *these, least=least))
                for label, result in assessor.items()
            }
        )

    yield (
        '"fatter-tail distributions" P_DCG and P_AP "are most robust"',
        assessors('P', 'DCG', 'AP'),
    )
    yield (
        'the "slimmer-tail distributions" P_RBP and P_ERR "are least robust"',
        assessors('P', 'RBP', 'ERR', least=True),
    )
    yield (
        '"Dynamic distributions actually appear to be more robust than static distributions"',
        assessors('kind', 'dynamic'),
    )
    yield ('"M2 is more robust to assessor disagreement than the others"', assessors('model', 'M2'))
    apart = {
        label: result.difference(GROUPS['model'], 'M3', 'M4') for label, result in assessor.items()
    }
    yield (
        f'M3 and M4 are "about equally robust" (we take: within {ALIKE})',
        together(
            {
                label: (f'M3 − M4 = {shown(each)}', alike([each], ALIKE))
                for label, each in apart.items()
            }
        ),
    )
    without_AP = {
        label: result.only(m for m in result.measures if GROUPS['P'][m] != 'AP')
        for label, result in assessor.items()
    }
    yield (
        '"with M3 taking the edge if the outlying fat-tailed P_AP is removed"',
        together(
            {
                label: (
                    f'without P_AP, M3 − M4 = {shown(result.difference(GROUPS["model"], "M3", "M4"))}',
                    leads(result, 'model', 'M3', among=('M3', 'M4')),
                )
                for label, result in without_AP.items()
            }
        ),
    )
    yield ('"M1 is least robust to assessor disagreement"', assessors('model', 'M1', least=True))


def on_topics(topics: Robustness, assessor: Mapping[str, Robustness]) -> Iterator[Statement]:
    """What the paper says of samples of topics."""
    model, tail = means(topics, 'model'), means(topics, 'tail')
    tails = [
        topics.difference(GROUPS['tail'], *pair) for pair in (('fat', 'medium'), ('medium', 'slim'))
    ]
    yield (
        '"fatter tails result in more stable results"',
        (
            ordered(tail),
            said(all(each.low > 0 for each in tails), any(each.high < 0 for each in tails)),
        ),
    )
    yield (
        '"M2 provides more stable results than the other models"',
        (ordered(model), leads(topics, 'model', 'M2')),
    )
    yield (
        '"M3 appears to be least robust to varying the topic sample"',
        (ordered(model), leads(topics, 'model', 'M3', least=True)),
    )
    contrast = topics.difference(GROUPS['model'], 'M1', 'M4')
    yield (
        f'"M1 and M4 look equally robust" (we take: within {ALIKE})',
        (f'M1 − M4 = {shown(contrast)}', alike([contrast], ALIKE)),
    )
    fat = topics.difference(GROUPS['tail'], 'fat', 'slim')
    wide = {
        label: result.difference(GROUPS['tail'], 'fat', 'slim')
        for label, result in assessor.items()
    }
    yield (
        '"The difference in robustness due to tail fatness is less pronounced" than between assessors',
        together(
            {
                label: (
                    f'fat − slim {shown(fat)} against {shown(each)}',
                    said(fat.high < each.low, fat.low > each.high),
                )
                for label, each in wide.items()
            }
        ),
    )
    points = [
        topics.difference(GROUPS['tail'], one, other, levels=[size])
        for one, other in (('fat', 'medium'), ('fat', 'slim'), ('medium', 'slim'))
        for size in topics.levels
    ]
    yield (
        'tails differ by at most 0.026 "between any two points"',
        (f'at most {max(abs(each.value) for each in points):.3f}', alike(points, 0.026)),
    )
    yield (
        'that difference "is statistically significant"',
        (
            f'fat − slim = {shown(fat)}, p = {fat.pvalue:.1g} over topics',
            said(fat.low > 0, fat.high < 0),
        ),
    )


def on_pools(pools: Robustness) -> Iterator[Statement]:
    """What the paper says of shallow pools."""
    first, last = pools.levels[0], pools.levels[-1]
    every = dict.fromkeys(pools.measures, 'all')
    low, high = pools.interval(every)[first].to_numpy(dtype=float)[0]
    yield (
        '"Correlation is already very good with a pool depth of just 1" (we take: 0.8)',
        (
            f'mean τ at depth {first}: {pools.to_frame()[first].mean():.3f} [{low:.3f}, {high:.3f}]',
            said(low >= 0.8, high < 0.8),
        ),
    )
    yield (
        '"The M2 family is actually least robust to missing judgments"',
        by_depth(pools, lambda depth: leads(pools, 'model', 'M2', least=True, levels=[depth])),
    )
    yield (
        '"the M1 family is most robust"',
        by_depth(pools, lambda depth: leads(pools, 'model', 'M1', levels=[depth])),
    )
    yield (
        '"The M4 family is more robust to missing judgments than the M3 family"',
        by_depth(
            pools, lambda depth: leads(pools, 'model', 'M4', levels=[depth], among=('M3', 'M4'))
        ),
    )
    ends = on_average(pools, GROUPS['model'])
    yield (
        f'"all four are quite robust on average" (we take: mean τ over depths to {last} at least 0.9, which '
        'the paper calls "effectively perfect")',
        (
            ordered(means(pools, 'model')),
            said(bool((ends[:, 0] >= 0.9).all()), bool((ends[:, 1] < 0.9).any())),
        ),
    )
    yield (
        '"slim-tail distributions are more robust to shallow pools than fatter-tail ones"',
        by_depth(
            pools, lambda depth: leads(pools, 'tail', 'slim', levels=[depth], among=('slim', 'fat'))
        ),
    )


def on_named_pages(page: Robustness) -> Iterator[Statement]:
    """What the paper says of named pages."""
    model = means(page, 'model')
    contrast = page.difference(GROUPS['tail'], 'fat', 'slim')
    yield (
        f'"almost no difference" between fat and slim tails (we take: within {ALIKE})',
        (f'fat − slim = {shown(contrast)}', alike([contrast], ALIKE)),
    )
    yield (
        '"M2 measures are still more robust than other families"',
        (ordered(model), leads(page, 'model', 'M2')),
    )
    second = [page.difference(GROUPS['model'], 'M3', other) for other in ('M1', 'M4')]
    near = alike([page.difference(GROUPS['model'], 'M2', 'M3')], ALIKE)
    yield (
        f'"M3 is a very close second" (we take: second, within {ALIKE})',
        (
            ordered(model),
            said(
                near == AGREES and all(each.low > 0 for each in second),
                near == DISAGREES or any(each.high < 0 for each in second),
            ),
        ),
    )


def on_web_2009(web: Robustness) -> Iterator[Statement]:
    """What the paper says of the topics of Web 2009."""
    yield (
        '"M3 measures with slim- or medium-tail distributions are most robust to varying topic sample"',
        (ordered(means(web, 'M3 apart')), leads(web, 'M3 apart', 'M3, slim or medium')),
    )
    yield (
        '"Fat-tail distributions are quite poor" (we take: the least robust tail)',
        (ordered(means(web, 'tail')), leads(web, 'tail', 'fat', least=True)),
    )


def statements(
    assessor: dict[str, Robustness],
    topics: Robustness,
    pools: Robustness,
    page: Robustness | None = None,
    web: Robustness | None = None,
) -> pd.DataFrame:
    """Return the statements of §4.2 that can be checked on these data, with the observation and the verdict for
    each."""

    sections = {
        'assessor': on_assessors(assessor),
        'topics': on_topics(topics, assessor),
        'pools': on_pools(pools),
        'named page': on_named_pages(page) if page is not None else (),
        'Web 2009': on_web_2009(web) if web is not None else (),
    }
    rows = [
        (section, words, *observation)
        for section, each in sections.items()
        for words, observation in each
    ]
    return pd.DataFrame(rows, columns=['study', 'words', 'seen', 'verdict'])


def pivot(result: Robustness) -> pd.DataFrame:
    """The paper's Table 2: distributions × models with means in the margins."""
    frame = result.pivot(GROUPS, by=('P', 'model'))
    return frame.reindex(
        index=[*STATIC, *DYNAMIC, 'mean'], columns=['M1', 'M2', 'M3', 'M4', 'mean']
    )


def match_models(results: dict[str, Robustness]) -> pd.DataFrame:
    """Models compared over the same distributions: static ones for M1, M2 and M4, dynamic ones for M3 and M4."""

    rows = {}
    for label, result in results.items():
        parts = {
            kind: means(result.only(m for m in result.measures if GROUPS['P'][m] in ps), 'model')
            for kind, ps in (('static', STATIC), ('dynamic', DYNAMIC))
        }
        rows[label] = {
            f'{model}, {kind}': parts[kind][model]
            for kind, models in (('static', ('M1', 'M2', 'M4')), ('dynamic', ('M3', 'M4')))
            for model in models
        }
    return pd.DataFrame(rows).T.rename_axis('study')


__all__ = ['user_models']
