"""Robustness of the measures of user models: Carterette 2011, §4.2, on 126 systems of TREC-COVID.

python -m studies user-models   # a few minutes; writes docs/studies/user-models.md and its pictures
"""

from __future__ import annotations

import pathlib
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ir_divmeasures import evaluate, measures, meta, read_runs, topic_level
from ir_divmeasures.judgments.qrels import read_qrels
from ir_divmeasures.meta.robustness import Robustness, topic_robustness
from ir_divmeasures.studies.user_robustness import (
    ADDED,
    ASSESSORS,
    AT_100,
    CELLS,
    GROUPS,
    KEPT,
    NORMALISED,
    PAGE_TRIALS,
    PAGES_DRAWN,
    RESAMPLES,
    UNMARKED,
    WHOLE,
    differences,
    match_models,
    means,
    ordered,
    pivot,
    repeat,
    scores,
    statements,
)
from ir_divmeasures.user_models import UserModel, names, ranked_grades, user_model

from .common import picture, templated


def web_2009(data: pathlib.Path) -> tuple[Robustness, dict[str, int]]:
    """Topic samples of the Web Track 2009; the numbers of systems, of topics, and of relevant documents."""
    qrels = topic_level(read_qrels('clueweb09/en/trec-web-2009/diversity'))
    topics = set(qrels['query_id'])
    runs = {
        system: run[run['query_id'].isin(topics)].reset_index(drop=True)
        for system, run in read_runs(data / 'data/runs/clueweb09')
        if run['query_id'].isin(topics).sum() > 1000
    }
    samples = topic_robustness(scores(runs, qrels), n_trials=100, n_resamples=RESAMPLES, rng=2009)
    return samples, {
        'systems': len(runs),
        'topics': len(topics),
        'relevant': int((qrels['relevance'] >= 1).sum()),
    }


class Cut(NamedTuple):
    """The studies for some of the measures: whole rankings, or rankings cut at 100."""

    assessor: dict[str, Robustness]
    topics: Robustness
    pools: Robustness
    page: Robustness
    web: Robustness

    def statements(self) -> pd.DataFrame:
        """The paper's statements, and whether the results agree."""
        return statements(self.assessor, self.topics, only_depths(self.pools), self.page, self.web)


def page(data: pathlib.Path) -> str:
    """The page's text; writes its pictures."""
    folder = data / 'data/pool/trec-covid-r5'
    qrels = topic_level(read_qrels(folder / 'qrels.gz'))
    runs = dict(read_runs(folder / 'runs'))
    results = repeat(runs, qrels, page_rng=2006)
    if results.page is None:
        raise ValueError(f'{folder}: no document of grade 2')
    web, web_facts = web_2009(data)

    def cut(names: list[str]) -> Cut:
        return Cut(
            {label: result.only(names) for label, result in results.assessor.items()},
            *(result.only(names) for result in (results.topics, results.pools, results.page, web)),
        )

    whole, at_100 = cut(WHOLE), cut(AT_100)
    pictures(whole.topics, whole.pools, runs, qrels)
    statements_whole, here_100 = whole.statements(), at_100.statements()
    changed = here_100.assign(number=statements_whole.index + 1, whole=statements_whole['verdict'])[
        statements_whole['verdict'] != here_100['verdict']
    ]
    web_model = means(whole.web, 'model')
    by_group = {
        f'{part} by {key}': getattr(whole, part).to_frame(GROUPS[key])
        for part in ('topics', 'pools')
        for key in ('model', 'tail')
    }
    return templated(
        'user-models',
        tables=by_group
        | {
            'statements': statements_whole.set_index(statements_whole.index + 1),
            'models': match_models(
                {
                    **{f'assessor, {label}': result for label, result in whole.assessor.items()},
                    'topics': whole.topics,
                    'pools': only_depths(whole.pools),
                    'named page': whole.page,
                    'Web 2009': whole.web,
                }
            ),
            **{label: pivot(result) for label, result in whole.assessor.items()},
            'topics': pivot(whole.topics),
            'pools': pivot(only_depths(whole.pools)),
            'named page': pivot(whole.page),
            'web': pivot(whole.web),
            'normalised': normalised(results.full),
            'judged': pool_sizes(results.judged),
        },
        changed=changed,
        verdicts=statements_whole['verdict'].value_counts().to_dict(),
        n_statements=len(statements_whole),
        web=web_facts,
        web_least=min(web_model, key=web_model.__getitem__),
        web_order=ordered(web_model),
        differences=differences(whole.topics),
        size=collection_size(runs, qrels),
        lost=results.lost,
        overlap=results.overlap,
        n_samples=results.topics.tau.shape[2],
        half=max(widest(whole.topics, key) for key in ('model', 'tail')),
        n_marked=int(CELLS['marked'].notna().sum()),
        n_measures=len(UNMARKED),
        n_assessors=ASSESSORS,
        kept=KEPT,
        added=ADDED,
        pages_drawn=PAGES_DRAWN,
        page_trials=PAGE_TRIALS,
    )


def collection_size(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame) -> dict[str, Any]:
    """How many systems, topics and judgments there are; R (relevant documents by topic) and recall by system."""
    relevant = qrels['relevance'] >= 1
    recall = evaluate(runs, qrels, measures('R@100'))['R@100'].mean(axis=1)
    return {
        'systems': len(runs),
        'topics': qrels['query_id'].nunique(),
        'judgments': len(qrels),
        'relevant': int(relevant.sum()),
        'high': int((qrels['relevance'] >= 2).sum()),
        'R': relevant.groupby(qrels['query_id']).sum(),
        'recall': recall.mean(),
        'best_recall': recall.max(),
    }


def normalised(full: dict[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Normalised measures of whole rankings and at cutoff 100: mean scores, and τ of the systems' means."""
    rows = {
        f'M{model} with P_{p}': (
            full[whole].mean(),
            full[at_100].mean(),
            float(meta.kendall(full[whole].mean(axis=1), full[at_100].mean(axis=1))),
        )
        for (model, p), whole, at_100 in zip(UNMARKED, WHOLE, AT_100)
        if (model, p) in NORMALISED
    }
    return pd.DataFrame(rows, index=['mean score', 'mean score @100', 'τ']).T.rename_axis(
        'normalised'
    )


def pool_sizes(pools: dict[int, pd.DataFrame]) -> pd.DataFrame:
    """Judged and relevant documents (rows) by pool depth."""
    return pd.DataFrame(
        {
            depth: {'judged': len(pool), 'relevant': int((pool['relevance'] >= 1).sum())}
            for depth, pool in pools.items()
        }
    ).rename_axis('pool depth')


def only_depths(pools: Robustness) -> Robustness:
    """Pool depths at which something is missing."""
    return Robustness(
        pools.measures,
        pools.level,
        pools.levels[:-1],
        pools.tau[:, :-1],
        pools.replicates[:, :, :-1],
        pools.n_topics,
    )


def widest(result: Robustness, key: str) -> float:
    """Half the width of the widest interval of a group's mean τ."""
    ends = result.interval(GROUPS[key]).to_numpy(dtype=float)
    return float((ends[:, 1::2] - ends[:, ::2]).max() / 2)


TITLES = {
    1: 'M1: gain at k',
    2: 'M2: gain down to k',
    3: 'M3: 1/k',
    4: 'M4: average gain down to k',
}


def draw(
    ax: Any,
    title: str,
    label: str,
    curves: dict[str, NDArray[np.float64]],
    users: list[UserModel],
    log: bool,
) -> None:
    """Values by rank of each user. Users of dynamic distributions have dashed lines."""
    for user, (name, values) in zip(users, curves.items()):
        ax.plot(
            np.arange(1, len(values) + 1),
            np.where(values > 0, values, np.nan) if log else values,
            '--' if user.dynamic else '-',
            marker='o' if user.dynamic or title in TITLES.values() else None,
            markersize=3,
            label=name,
        )
    if title == 'P(k)':
        ranks = np.flatnonzero(users[0].relevant) + 1
        low = np.full(len(ranks), -0.02)
        ax.plot(ranks, low, 'k^', markersize=4, clip_on=False, label='relevant')
    if log:
        ax.set_yscale('log')
    ax.set(title=title, xlabel=label)
    ax.legend(fontsize='small')


def pictures(
    topics: Robustness, pools: Robustness, runs: dict[str, pd.DataFrame], qrels: pd.DataFrame
) -> None:
    """docs/images/user-models*.png."""
    from matplotlib.figure import Figure

    grades, judged = ranked_grades(runs['covidex.r5.2s'], qrels, '1')
    ranking: dict[str, Any] = {'grades': grades[:20], 'judged': judged}
    figure = Figure(figsize=(15, 7.2), layout='constrained')
    panels = iter(figure.subplots(2, 4).ravel())
    users = [user_model(name, **ranking) for name in names()]
    for view in ('P', 'F'):
        for log in (False, True):
            curves = {
                user.name if user.theta is None else f'{user.name}, θ={user.theta:.2g}': getattr(
                    user, view
                )
                for user in users
            }
            draw(next(panels), f'{view}(k)' + ', log scale' * log, 'rank k', curves, users, log)
    for model, title in TITLES.items():
        parts = [user.utility(model) for user in users]
        curves = {f'{user.name}: {part.sum():.3f}': part for user, part in zip(users, parts)}
        draw(next(panels), title, 'stopping rank k', curves, users, False)
    picture(figure, 'user-models.png')
    for result, name in ((topics, 'topics'), (pools, 'pools')):
        figure = Figure(figsize=(10, 3.5), layout='constrained')
        left, right = figure.subplots(1, 2)
        result.plot(GROUPS['model'], ax=left)
        result.plot(GROUPS['tail'], ax=right)
        picture(figure, f'user-models-{name}.png')
