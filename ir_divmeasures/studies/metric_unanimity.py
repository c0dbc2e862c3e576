"""The experiments 1 to 3 of Amigó et al. 2018, §6, on any runs: metric unanimity of 102 measures, and its causes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import meta
from ..axioms.claims import ALPHA, EFFORT, PERSISTENCE
from ..errors import DivMeasuresWarning
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores, join
from ..io.runs import read_runs
from ..judgments.qrels import read_qrels, topic_level
from ..lazy import pd
from ..meta.resampling import whole
from .simulation import simulate
from .study import Study

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

K = (10, 20, 50, 100, 1000)
_RBU_NO_EFFORT = [f'RBU(p={p},e=0,rel=0)' for p in PERSISTENCE]
_EU_NO_EFFORT = [f'EU(alpha={a},e=0,rel=0)' for a in ALPHA]

BY_ASPECT = {
    'RBU': [f'RBU(p={p},e={e},rel=0)' for p in PERSISTENCE for e in EFFORT],
    'α-DCG-IA@k': [f'alpha_DCG_IA(alpha={a},rel=0)@{k}' for a in ALPHA for k in K],
    'DCG-IA@k': [f"DCG_IA(gain='exp',rel=0)@{k}" for k in K],
    'EU': [f'EU(alpha={a},e={e},rel=0)' for a in ALPHA for e in EFFORT],
    'ERR-IA@k': [f'gERR_IA(rel=0)@{k}' for k in K],
    'NRBP': [f'gNRBP(p={p},alpha={a},rel=0)' for p in PERSISTENCE for a in ALPHA],
    'AP-IA': ['AP_IA(rel=0)'],
    'P-IA@k': [f'P_IA(rel=0)@{k}' for k in K],
    'RR-IA': ['RR_IA(rel=0)'],
    'S-Recall@k': [f'StRecall(rel=0)@{k}' for k in K],
}
"""Families of the paper's Table 2 as measures of ours on the aspects, with all parameters of §6.2. ``rel=0``: any grade
above 0 is relevant, which simulated (fractional) grades need and whole ones are indifferent to."""

BY_TOPIC = {
    'DCG@k': [f"DCG_IA(gain='exp',rel=0)@{k}" for k in K],
    'ERR@k': [f'gERR_IA(rel=0)@{k}' for k in K],
    'AP': ['AP_IA(rel=0)'],
    'RBP': [f"RBP_IA(p={p},gain='linear',rel=0)" for p in PERSISTENCE],
    'P@k': [f'P_IA(rel=0)@{k}' for k in K],
    'RR': ['RR_IA(rel=0)'],
}
"""The same on topic-level judgments (one aspect, the largest grade): measures that know nothing of aspects."""

TOPIC = 'topic:'
"""The prefix of the names of topic-level measures."""

VARIANTS = {
    **BY_ASPECT,
    **{family: [TOPIC + name for name in names] for family, names in BY_TOPIC.items()},
}
"""Family → its measures, by the names that they have in the scores."""

FAMILY = {name: family for family, names in VARIANTS.items() for name in names}

ONE_EACH = [
    'RBU(p=0.99,e=0.05,rel=0)',
    'alpha_DCG_IA(alpha=0.5,rel=0)@1000',
    "DCG_IA(gain='exp',rel=0)@1000",
    'EU(alpha=0.5,e=0.05,rel=0)',
    'gERR_IA(rel=0)@1000',
    'gNRBP(p=0.99,alpha=0.5,rel=0)',
    'AP_IA(rel=0)',
    'P_IA(rel=0)@20',
    'RR_IA(rel=0)',
    'StRecall(rel=0)@20',
    TOPIC + "DCG_IA(gain='exp',rel=0)@1000",
    TOPIC + 'gERR_IA(rel=0)@1000',
    TOPIC + 'AP_IA(rel=0)',
    TOPIC + "RBP_IA(p=0.99,gain='linear',rel=0)",
    TOPIC + 'P_IA(rel=0)@20',
    TOPIC + 'RR_IA(rel=0)',
]
"""One variant of each family: persistent, deep, α = .5, e = .05; P and S-Recall at 20."""

SCENARIOS = ('official', 'cut at random', 'cut below 50')
TABLE_2 = {
    'RBU': (0.8024, 0.8568, 0.9808),
    'α-DCG-IA@k': (0.7956, 0.7734, 0.7709),
    'DCG@k': (0.7956, 0.7734, 0.7687),
    'DCG-IA@k': (0.7956, 0.7734, 0.7709),
    'EU': (0.7956, 0.7734, 0.7709),
    'ERR-IA@k': (0.7956, 0.7734, 0.7709),
    'ERR@k': (0.7956, 0.7734, 0.7679),
    'NRBP': (0.7956, 0.7734, 0.7709),
    'AP': (0.7926, 0.7734, 0.7627),
    'AP-IA': (0.7926, 0.7734, 0.7642),
    'RBP': (0.7911, 0.7717, 0.7597),
    'P-IA@k': (0.7272, 0.7103, 0.7077),
    'P@k': (0.7192, 0.7103, float('nan')),
    'RR-IA': (0.6835, 0.6704, 0.6841),
    'RR': (0.6486, 0.6082, 0.6561),
    'S-Recall@k': (0.3965, 0.4238, 0.5137),
}
"""The paper's Table 2: the best variant of each family (official runs; cut at random; cut at random below 50)."""

OFFICIAL = {
    'AP-IA': ['AP_IA'],
    'NRBP, nNRBP': ['NRBP', 'nNRBP'],
    **{f'ERR-IA, nERR-IA@{k}': [f'ERR_IA@{k}', f'nERR_IA@{k}'] for k in (5, 10, 20)},
    **{f'α-DCG, α-nDCG@{k}': [f'alpha_DCG@{k}', f'alpha_nDCG@{k}'] for k in (5, 10, 20)},
    **{f'P-IA@{k}': [f'P_IA@{k}'] for k in (5, 10, 20)},
    **{f'S-Recall@{k}': [f'StRecall@{k}'] for k in (5, 10, 20)},
}
"""The track's official measures (experiment 3)."""

_AT_20 = ('ERR-IA, nERR-IA@20', 'α-DCG, α-nDCG@20', 'P-IA@20', 'S-Recall@20')
TABLE_3 = {
    'AP-IA': (0.9771,),
    'RBU p=0.99': (0.9770,),
    'RBU p=0.9': (0.9763,),
    'RBU p=0.8': (0.9760,),
    'α-DCG, α-nDCG@20': (0.9540, 0.9427, 0.9428),
    'ERR-IA, nERR-IA@20': (0.9539, 0.9425, 0.9425),
    'NRBP, nNRBP': (0.9509,),
    'ERR-IA, nERR-IA@10': (0.9373,),
    'α-DCG, α-nDCG@10': (0.9373,),
    'P-IA@20': (0.9310, 0.9080, 0.9081),
    'P-IA@10': (0.9071,),
    'α-DCG, α-nDCG@5': (0.9001,),
    'ERR-IA, nERR-IA@5': (0.8999,),
    'P-IA@5': (0.8720,),
    'S-Recall@5': (0.5573,),
    'S-Recall@10': (0.5001,),
    'S-Recall@20': (0.4515, 0.4141, 0.4146),
    'RBU@20': (float('nan'), 0.9556, 0.9556),
}
"""The paper's Table 3: all official measures; cutoff 20; cutoff 20 and e = 0."""

TOLERANCES = (0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3)


def unanimity(
    runs: RunsLike,
    qrels: QrelsLike,
    *,
    name: str = 'These runs',
    seeds: int = 10,
    max_length: int = 50,
    rng: int = 0,
) -> Study:
    """Repeat the experiments 1 to 3 of Amigó et al. (SIGIR 2018, §6) on the runs of a campaign.

    102 measures with all the parameters of §6.2, on the runs as they are and in the two simulated scenarios of §6.3,
    and the official measures of §6.4; beside the paper's numbers, with intervals over queries that allow for the choice
    of the best of several variants. Then what drives the result: how much of it are ties that no other measure sees,
    unanimity without a measure's own siblings, with RBU and EU as one family, with one variant of each family, without
    effort in RBU, in EU or in both, and at other tolerances for ties.

    Args:
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes; at least two.
        qrels: diversity judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        name: what the tables call the collection.
        seeds: simulations of each scenario; values are means over them.
        max_length: the longest ranking of the third scenario (the paper's 50).
        rng: seed of the first simulation.

    Returns:
        A :class:`Study` with the tables ``best`` (Table 2), ``decomposition``, ``families``, ``lead``, ``effort``,
        ``depth``, ``tolerance``, ``official`` (Table 3). ``to_markdown()`` returns all of them.

    Raises:
        TypeError, ValueError: no runs or judgments; fewer than two systems.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6, Tables 2 and 3.

    Examples:
        >>> import ir_divmeasures
        >>> qrels = {'q': {'d1': {'1': 2}, 'd2': {'2': 1}, 'd3': {'1': 1}}}
        >>> runs = {'A': {'q': {'d1': 3.0, 'd2': 2.0}}, 'B': {'q': {'d3': 3.0, 'd9': 2.0, 'd2': 1.0}},
        ...         'C': {'q': {'d9': 3.0, 'd2': 2.0}}}
        >>> found = unanimity(runs, qrels, seeds=1)
        >>> found['best'].query("measure == 'RBU'")[['scenario', 'paper']].values.tolist()
        [['official', 0.8024], ['cut at random', 0.8568], ['cut below 50', 0.9808]]
    """
    table = read_qrels(qrels)
    queries = set(table['query_id'])
    pool = {
        system: run[run['query_id'].isin(queries)].reset_index(drop=True)
        for system, run in read_runs(runs)
    }
    whole(seeds, 'seeds')
    with warnings.catch_warnings():
        warnings.simplefilter(
            'ignore', DivMeasuresWarning
        )  # one aspect and empty rankings are intended
        scored = scenarios(pool, table, seeds, max_length, rng)
        best, agreement = _best(scored)
        official, official_agreement = _official(pool, table)
        tables = {
            'best': best,
            'decomposition': _decomposition(scored),
            'families': _by_family(scored),
            'lead': _lead(scored),
            'effort': _effort(scored),
            'depth': _depth(scored),
            'tolerance': _tolerance(scored),
            'official': official,
        }
    longest = max(
        (int(run.groupby('query_id').size().max()) for run in pool.values() if len(run)), default=0
    )
    return Study(
        'unanimity',
        tables,
        {
            'name': name,
            'n_systems': len(pool),
            'n_queries': len(queries),
            'n_measures': len(FAMILY),
            'longest': longest,
            'seeds': seeds,
            'agreement': agreement,
            'official_agreement': official_agreement,
        },
    )


def scenarios(
    runs: Mapping[str, pd.DataFrame],
    qrels: pd.DataFrame,
    seeds: int = 10,
    max_length: int = 50,
    rng: int = 0,
) -> dict[str, list[Scores]]:
    """Scores by all measures, and by RBU and EU without effort: of the data as they are, and of each simulation.

    Args:
        runs: ``{system: run}``.
        qrels: judgments as :func:`ir_divmeasures.read_qrels` gives them.
        seeds, max_length, rng: as for :func:`unanimity`.

    Returns:
        Scenario (``SCENARIOS``) → one :class:`~ir_divmeasures.Scores` per seed.
    """
    scores_by_scenario = {SCENARIOS[0]: [score(runs, qrels)]}
    for scenario, longest in ((SCENARIOS[1], None), (SCENARIOS[2], max_length)):
        simulations = (simulate(qrels, runs, longest, rng + seed) for seed in range(seeds))
        scores_by_scenario[scenario] = [score(cut, table) for table, cut in simulations]
    return scores_by_scenario


def score(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame) -> Scores:
    """Scores by all measures of experiment 1, and by RBU and EU without effort; topic-level names begin with ``TOPIC``.

    Args:
        runs, qrels: as for :func:`scenarios`.
    """
    names = (
        [name for family in BY_ASPECT.values() for name in family] + _RBU_NO_EFFORT + _EU_NO_EFFORT
    )
    aspect = evaluate(runs, qrels, names)
    topic = evaluate(
        runs, topic_level(qrels), [name for family in BY_TOPIC.values() for name in family]
    )
    topics = tuple(TOPIC + name for family in BY_TOPIC.values() for name in family)
    return join(
        Scores(
            aspect.values, aspect.systems, aspect.queries, tuple(names)
        ),  # the names that were requested
        Scores(topic.values, topic.systems, topic.queries, topics),
    )


# ------------------------------------------------------------------------------------------------- the comparisons


def _all(scores: Scores) -> Scores:
    return scores.select(measures=FAMILY)


def _with_eu_free(scores: Scores) -> Scores:
    """EU with its effort switched off, in place of EU."""
    return scores.select(measures=[name for name in FAMILY if FAMILY[name] != 'EU'] + _EU_NO_EFFORT)


def _without_effort(scores: Scores) -> Scores:
    """Neither RBU nor EU charges effort."""
    names = [name for name in FAMILY if FAMILY[name] not in ('EU', 'RBU')]
    return scores.select(measures=[*names, *_RBU_NO_EFFORT, *_EU_NO_EFFORT])


_EFFORT_FAMILY = {
    name: 'effort' if family in ('RBU', 'EU') else family for name, family in FAMILY.items()
}
COMPARISONS: dict[str, tuple[Callable[[Scores], Scores], Mapping[str, str] | None]] = {
    'all variants': (_all, None),
    'without siblings': (_all, FAMILY),
    'RBU and EU one family': (_all, _EFFORT_FAMILY),
    'one variant each': (lambda scores: scores.select(measures=ONE_EACH), None),
    'EU without effort': (_with_eu_free, None),
    'RBU, EU without effort': (_without_effort, None),
}
"""Which measures take part, and which of them are one family, that is, not compared with one another."""


def _mu(scored: list[Scores], comparison: str) -> meta.Unanimity:
    """MU of each measure, the mean over the seeds, with intervals of that mean over queries."""
    selection, families = COMPARISONS[comparison]
    against = 'all' if families is None else 'others'
    return meta.Unanimity.averaged(
        [meta.unanimity(selection(scores), families=families, against=against) for scores in scored]
    )


def _means(scored: list[Scores], comparison: str) -> dict[str, float]:
    """MU of each measure, mean over the seeds."""
    result = _mu(scored, comparison)
    return dict(zip(result.measures, result.values.tolist()))


def _family_of(name: str) -> str:
    return FAMILY.get(name, 'RBU' if name.startswith('RBU') else 'EU')


def _best_of(values: Mapping[str, float], family: str) -> str:
    """The variant with the highest value."""
    return max(
        (name for name in values if _family_of(name) == family), key=lambda name: values[name]
    )


def _best(scored: dict[str, list[Scores]]) -> tuple[pd.DataFrame, dict[str, float]]:
    """Table 2: the best variant of each family, and Kendall's τ_b with the paper's column by scenario."""

    rows: list[dict[str, Any]] = []
    agreement = {}
    for place, scenario in enumerate(SCENARIOS):
        result = _mu(scored[scenario], 'all variants')
        each = np.array([_mu([scores], 'all variants').values for scores in scored[scenario]])
        spread = dict(zip(result.measures, each.std(axis=0).tolist()))
        for family, paper in TABLE_2.items():
            best, (value, low, high, _) = result.best(VARIANTS[family])
            rows.append(
                {
                    'scenario': scenario,
                    'measure': family,
                    'paper': paper[place],
                    'MU': value,
                    'low': low,
                    'high': high,
                    'sd over seeds': spread[best] if len(each) > 1 else np.nan,
                    'variant': best,
                }
            )
        compared_rows = [
            row for row in rows if row['scenario'] == scenario and not np.isnan(row['paper'])
        ]
        agreement[scenario] = float(
            meta.kendall(
                [row['paper'] for row in compared_rows], [row['MU'] for row in compared_rows]
            )
        )
    return pd.DataFrame(rows), agreement


def _decomposition(scored: dict[str, list[Scores]]) -> pd.DataFrame:
    """Count how the best variant of each family orders the improvements by all others, mean over the seeds.

    ``kin`` are the improvements that the variant's own family alone makes, RBU and EU being one.
    """

    frames = []
    for scenario in SCENARIOS:
        result = meta.Unanimity.averaged(
            [meta.unanimity(_all(scores), families=_EFFORT_FAMILY) for scores in scored[scenario]]
        )
        frame = result.to_frame()
        best_variants = {family: result.best(VARIANTS[family])[0] for family in TABLE_2}
        part = frame.loc[
            list(best_variants.values()),
            [
                'unanimity',
                'ceiling',
                'improvements',
                'seen',
                'missed',
                'contradicted',
                'broken',
                'kin',
            ],
        ].rename(columns={'unanimity': 'MU'})
        part.insert(0, 'measure', list(best_variants))
        part.insert(0, 'scenario', scenario)
        frames.append(part.rename_axis('variant').reset_index())
    table = pd.concat(frames, ignore_index=True)
    return table[[*table.columns[1:], 'variant']]


def _by_family(scored: dict[str, list[Scores]]) -> pd.DataFrame:

    rows = []
    for scenario in SCENARIOS:
        means = {comparison: _means(scored[scenario], comparison) for comparison in COMPARISONS}
        for family in TABLE_2:
            rows.append(
                {
                    'scenario': scenario,
                    'measure': family,
                    **{
                        comparison: values[_best_of(values, family)]
                        for comparison, values in means.items()
                    },
                }
            )
    return pd.DataFrame(rows)


def _lead(scored: dict[str, list[Scores]]) -> pd.DataFrame:
    """RBU against the best other family, in each comparison."""

    rows = []
    for scenario in SCENARIOS:
        for comparison in COMPARISONS:
            result = _mu(scored[scenario], comparison)
            own_names = [name for name in result.measures if _family_of(name) == 'RBU']
            (one, other), (lead, low, high, pvalue) = result.lead(
                own_names, [name for name in result.measures if name not in own_names]
            )
            values = dict(zip(result.measures, result.values.tolist()))
            rows.append(
                {
                    'scenario': scenario,
                    'M': comparison,
                    'RBU': values[one],
                    'best other': other,
                    'its MU': values[other],
                    'lead': lead,
                    'low': low,
                    'high': high,
                    'p': pvalue,
                }
            )
    return pd.DataFrame(rows)


def _effort(scored: dict[str, list[Scores]]) -> pd.DataFrame:
    """MU of RBU by p and e, and of EU by e (mean over α)."""

    rows = []
    for scenario in SCENARIOS:
        means = {c: _means(scored[scenario], c) for c in ('all variants', 'RBU and EU one family')}
        free = _means(scored[scenario], 'RBU, EU without effort')
        for comparison, values in means.items():
            for p in PERSISTENCE:
                rows.append(
                    {
                        'scenario': scenario,
                        'measure': f'RBU p={p}',
                        'M': comparison,
                        'e=0': np.nan,
                        **{f'e={e}': values[f'RBU(p={p},e={e},rel=0)'] for e in EFFORT},
                    }
                )
                if comparison == 'all variants':
                    rows[-1]['e=0'] = free[f'RBU(p={p},e=0,rel=0)']
            rows.append(
                {
                    'scenario': scenario,
                    'measure': 'EU, mean over α',
                    'M': comparison,
                    'e=0': np.nan,
                    **{
                        f'e={e}': float(
                            np.mean([values[f'EU(alpha={a},e={e},rel=0)'] for a in ALPHA])
                        )
                        for e in EFFORT
                    },
                }
            )
            if comparison == 'all variants':
                rows[-1]['e=0'] = float(np.mean([free[name] for name in _EU_NO_EFFORT]))
        best = max(value for name, value in free.items() if _family_of(name) not in ('RBU', 'EU'))
        rows.append(
            {
                'scenario': scenario,
                'measure': 'the best measure of gain alone',
                'M': 'all variants',
                'e=0': best,
            }
        )
    return pd.DataFrame(rows)


def _depth(scored: dict[str, list[Scores]]) -> pd.DataFrame:

    values = _means(scored[SCENARIOS[0]], 'all variants')
    rows = [
        {'measure': family, **{f'k={k}': values[name] for k, name in zip(K, VARIANTS[family])}}
        for family in ('ERR-IA@k', 'ERR@k', 'DCG-IA@k', 'DCG@k', 'P-IA@k', 'P@k', 'S-Recall@k')
    ]
    return pd.DataFrame(rows)


def _tolerance(scored: dict[str, list[Scores]]) -> pd.DataFrame:

    rows = []
    for scenario in SCENARIOS:
        scores = scored[scenario][0]
        for family in ('RBU', 'EU', 'NRBP', 'DCG-IA@k', 'RBP', 'S-Recall@k'):
            rows.append({'scenario': scenario, 'measure': family})
            for tolerance in TOLERANCES:
                result = meta.unanimity(_all(scores), tolerance=tolerance)
                values = dict(zip(result.measures, result.values.tolist()))
                rows[-1][f'{tolerance:g}'] = values[_best_of(values, family)]
    return pd.DataFrame(rows)


def _official(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """Table 3, and Kendall's τ_b with the paper's first column.

    The best variant of each row: all official measures and RBU; cutoff 20 and RBU@20; the same with e = 0.
    """

    efforts = (0, *EFFORT)
    rbu = {f'RBU p={p}': [f'RBU(p={p},e={e})' for e in efforts] for p in PERSISTENCE}
    at_20 = {'RBU@20': [f'RBU(p={p},e={e})@20' for p in PERSISTENCE for e in efforts]}
    free = {'RBU@20': [f'RBU(p={p},e=0)@20' for p in PERSISTENCE]}
    shallow = {family: OFFICIAL[family] for family in _AT_20}
    columns = {
        'official': {**OFFICIAL, **rbu},
        'k=20': {**shallow, **at_20},
        'k=20, e=0': {**shallow, **free},
    }
    rows: dict[str, dict[str, Any]] = {family: {'measure': family} for family in TABLE_3}
    for place, (column, families) in enumerate(columns.items()):
        names = [name for family in families.values() for name in family]
        values = iter(meta.unanimity(evaluate(runs, qrels, names)).values.tolist())
        values_by_family = {
            family: max(next(values) for _ in variants) for family, variants in families.items()
        }
        for family, paper in TABLE_3.items():
            rows[family][f'{column}: paper'] = paper[place] if place < len(paper) else np.nan
            rows[family][f'{column}: MU'] = values_by_family.get(family, np.nan)
    frame = pd.DataFrame(list(rows.values()))
    compared_rows = frame[frame['official: paper'].notna()]
    return frame, float(
        meta.kendall(compared_rows['official: paper'], compared_rows['official: MU'])
    )


__all__ = ['unanimity']
