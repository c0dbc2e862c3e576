"""Robustness of the measures of user models: Carterette 2011, §4.2, on 126 systems of TREC-COVID.

    python -m studies user-models   # about a minute; writes docs/studies/user-models.md and its pictures
"""
from __future__ import annotations

import pathlib
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd

from ir_divmeasures import (
    DivMeasuresWarning,
    evaluate,
    measures,
    plot_user_models,
    read_runs,
    repool,
    topic_level,
)
from ir_divmeasures.judgments.qrels import read_qrels
from ir_divmeasures.meta.robustness import Robustness, assessor_robustness, pool_robustness, topic_robustness
from ir_divmeasures.user_models import groups, ranked_grades

from .common import picture

P = ('RBP', 'DCG', 'RR', 'ERR', 'AP', 'RRR')
OF_THE_PAPER = {1: ('RBP', 'DCG', 'RR'), 2: ('RBP', 'DCG', 'RR'), 3: ('ERR', 'AP', 'RRR'), 4: P}
NORMALISED = {(2, p) for p in P} | {(3, 'AP')}  # §3: "all measures in the M2 family" and ARR
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50, 100)
CLOSE = 0.003  # differences of mean τ below this are no evidence either way
KEPT, ADDED, ASSESSORS = 0.65, 0.25, 20  # the simulated second assessors


def name(model: int, p: str, rel: int = 1) -> str:
    """A measure as this study computes it."""
    norm = ',norm=True' if (model, p) in NORMALISED else ''
    return f'UM(model={model},P={p!r}{norm}{f",rel={rel}" if rel != 1 else ""})'


PAPER = [name(model, p) for model, ps in OF_THE_PAPER.items() for p in ps]
ALL = [name(model, p) for model in (1, 2, 3, 4) for p in P if (model, p) not in ((3, 'RBP'), (3, 'DCG'), (3, 'RR'))]
GROUPS = {key: {str(measures(m)[0]): group for m, group in of.items()} for key, of in groups(ALL).items()}
KIND = {m: 'dynamic' if p in ('ERR', 'AP', 'RRR') else 'static' for m, p in GROUPS['P'].items()}


def scores(runs: dict[str, pd.DataFrame], qrels: Any, rel: int = 1) -> dict[str, np.ndarray]:
    """Measure → (systems, topics); topics in the order of their ids."""
    asked = {str(measures(name(m, p))[0]): measures(name(m, p, rel))[0]
             for m in (1, 2, 3, 4) for p in P if name(m, p) in ALL}
    found = evaluate(runs, qrels, asked.values())
    order = np.argsort(found.queries)
    return {label: found[str(made)][:, order] for label, made in asked.items()}


def second_assessor(qrels: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Each relevant document stays so with probability KEPT, each other becomes so with probability ADDED."""
    relevant = qrels['relevance'].to_numpy() >= 1
    chance = rng.random(len(qrels))
    return qrels.assign(relevance=np.where(relevant, chance < KEPT, chance < ADDED).astype(int))


def table(frame: pd.DataFrame, digits: int = 3) -> str:
    """A Markdown table."""
    head = f'| {frame.index.name or ""} | ' + ' | '.join(map(str, frame.columns)) + ' |\n'
    rule = '|---|' + '---|' * len(frame.columns) + '\n'
    return head + rule + ''.join(
        f'| {label} | ' + ' | '.join('' if pd.isna(v) else f'{v:.{digits}f}' for v in row) + ' |\n'
        for label, row in zip(frame.index, frame.to_numpy()))


def by_model_and_P(values: dict[str, float]) -> pd.DataFrame:
    """The paper's Table 2: distributions × models with means in the margins."""
    frame = pd.DataFrame({(GROUPS['P'][m], GROUPS['model'][m]): [v] for m, v in values.items()}).T[0].unstack()
    frame = frame.reindex(index=P)
    frame['mean'] = frame.mean(axis=1)
    frame.loc['mean'] = [*(frame[c].mean() for c in frame.columns[:-1]), np.mean(list(values.values()))]
    frame.index.name = 'P'
    return frame


def only(result: Robustness, names: list[str]) -> Robustness:
    """The part of a result for some measures."""
    keep = [result.measures.index(str(measures(m)[0])) for m in names]
    return Robustness(tuple(result.measures[i] for i in keep), result.level, result.levels, result.tau[keep])


def means(result: Robustness, key: str) -> dict[str, float]:
    """Mean τ over levels by group."""
    of = KIND if key == 'kind' else GROUPS[key]
    return result.to_frame(of).mean(axis=1).to_dict()


def ordered(values: dict[str, float]) -> str:
    """``fat 0.95 > slim 0.93``."""
    return ' > '.join(f'{group} {value:.3f}' for group, value in sorted(values.items(), key=lambda x: -x[1]))


def leads(values: dict[str, float], group: str, least: bool = False) -> str:
    """Whether a group has the greatest (least) value, by more than CLOSE."""
    sign = -1 if least else 1
    ahead = sign * values[group] - max(sign * v for k, v in values.items() if k != group)
    return 'too close' if abs(ahead) < CLOSE else 'agrees' if ahead > 0 else '**disagrees**'


def claims(assessor: dict[str, Robustness], topics: Robustness, pools: Robustness) -> list[tuple[str, str, str]]:
    """What the paper says, what is seen here, and whether it agrees."""
    found = []
    for label, result in assessor.items():
        model, tail, kind = means(result, 'model'), means(result, 'tail'), means(result, 'kind')
        says = f'Second assessor ({label}): '
        found += [(says + 'M2 is the most robust model', ordered(model), leads(model, 'M2')),
                  (says + 'M1 is the least robust model', ordered(model), leads(model, 'M1', least=True)),
                  (says + 'fat tails are most robust', ordered(tail), leads(tail, 'fat')),
                  (says + 'slim tails are least robust', ordered(tail), leads(tail, 'slim', least=True)),
                  (says + 'dynamic distributions are more robust than static ones', ordered(kind),
                   leads(kind, 'dynamic'))]
    model, tail = means(topics, 'model'), means(topics, 'tail')
    widest, apart = topics.to_frame(GROUPS['tail']).agg(np.ptp).max(), model['M1'] - model['M4']
    says = 'Topic samples: '
    found += [(says + 'fat tails are most stable', ordered(tail), leads(tail, 'fat')),
              (says + 'slim tails are least stable', ordered(tail), leads(tail, 'slim', least=True)),
              (says + 'tails differ by at most 0.026 at any sample size', f'at most {widest:.3f}',
               'agrees' if widest <= 0.026 else '**disagrees**'),
              (says + 'M2 is the most stable model', ordered(model), leads(model, 'M2')),
              (says + 'M3 is the least stable model', ordered(model), leads(model, 'M3', least=True)),
              (says + 'M1 and M4 look equally stable (we take: within 0.01)', f'M1 − M4 = {apart:+.3f}',
               'agrees' if abs(apart) < 0.01 else '**disagrees**')]
    model, tail = pools.to_frame(GROUPS['model']), pools.to_frame(GROUPS['tail'])
    says, first = 'Pool depth: ', pools.to_frame()[1].mean()
    found.append((says + 'τ is very good already at depth 1 (we take: 0.8)', f'mean τ at depth 1: {first:.3f}',
                  'agrees' if first >= 0.8 else '**disagrees**'))
    for text, frame, group, least in (('M1 is the most robust model', model, 'M1', False),
                                      ('M2 is the least robust model', model, 'M2', True),
                                      ('M4 is more robust than M3', model.loc[['M3', 'M4']], 'M4', False),
                                      ('slim tails are more robust than fat ones', tail.loc[['slim', 'fat']], 'slim',
                                       False)):
        by_depth = {d: leads(frame[d].to_dict(), group, least) for d in DEPTHS if d <= 50}
        said = '; '.join(f'{verdict.strip("*")} at {", ".join(str(d) for d in by_depth if by_depth[d] == verdict)}'
                         for verdict in ('agrees', '**disagrees**', 'too close') if verdict in by_depth.values())
        held = list(by_depth.values())
        found.append((says + text, f'by depth: {said}',
                      'agrees' if '**disagrees**' not in held else '**disagrees**' if 'agrees' not in held
                      else 'in part'))
    return found


def page(data: pathlib.Path) -> str:
    """The page's text; writes its pictures."""
    folder = data / 'data/pool/trec-covid-r5'
    qrels = topic_level(read_qrels(folder / 'qrels.gz'))
    runs = dict(read_runs(folder / 'runs'))
    full = scores(runs, qrels)
    topics = topic_robustness(full, n_trials=100, rng=2011)
    rng = np.random.default_rng(2011)
    simulated = {f'simulated {i + 1}': second_assessor(qrels, rng) for i in range(ASSESSORS)}
    relevant = qrels['relevance'] >= 1
    overlap = np.mean([(relevant & (other['relevance'] >= 1)).sum() / (relevant | (other['relevance'] >= 1)).sum()
                       for other in simulated.values()])
    assessor = {'strict': assessor_robustness(full, {'strict': scores(runs, qrels, rel=2)}),
                'simulated': assessor_robustness(full, {k: scores(runs, other) for k, other in simulated.items()})}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', DivMeasuresWarning)
        pools = repool(qrels, runs, DEPTHS)
    pooled = pool_robustness(full, {depth: scores(runs, judged) for depth, judged in pools.items()})

    pictures(topics, pooled, runs, qrels)
    judged = pd.DataFrame({'judged': {d: len(j) for d, j in pools.items()},
                           'relevant': {d: int((j['relevance'] >= 1).sum()) for d, j in pools.items()}}).T
    judged.index.name = 'pool depth'

    size = (f'{len(runs)} systems (top 100 per topic), {qrels.query_id.nunique()} topics, {len(qrels):,} judgments, '
            f'{relevant.sum():,} of grade 1 or 2, {(qrels.relevance >= 2).sum():,} of grade 2')
    strict, sim = only(assessor['strict'], PAPER), only(assessor['simulated'], PAPER)
    topics15, pools15 = only(topics, PAPER), only(pooled, PAPER)
    parts = [f'''# User models: Carterette's robustness studies on TREC-COVID

Made by `python -m studies user-models`; every number on this page was printed by it. The measures are explained in the
[guide](../guide/user-models.md). Carterette (SIGIR 2011, §4.2; "the paper" below) ranks the 74 systems of TREC-6 by all
15 measures, then again with a second assessor's judgments, with samples of the topics, and with shallower pools, and
reports Kendall's τ to the full ranking.

Here: TREC-COVID round 5, {size}; the whole ranking, binary gain, θ = 0.5. As in the paper M2 and ARR are normalised.

The paper's 15 measures do not cover every cell (M3 has only dynamic distributions, M1 and M2 only static ones), so
differences between models are partly differences between distributions. The last table of each study therefore covers
all 21 combinations that depend on relevance.

## What agrees with the paper

Over the paper's 15 measures. Mean τ; a difference below {CLOSE} is too close to call.

| The paper says | Here | |
|---|---|---|
''' + ''.join(f'| {says} | {seen} | {holds} |\n' for says, seen, holds in claims(
        {'strict': strict, 'simulated': sim}, topics15, pools15))]
    paper = claims({'strict': strict, 'simulated': sim}, topics15, pools15)
    parts.append(f'''
{sum(holds == 'agrees' for *_, holds in paper)} of {len(paper)} statements agree. And over all 21 combinations, where
every model meets every distribution (but M3 the static ones):

| The paper says | Here, 21 measures | |
|---|---|---|
''' + ''.join(f'| {says} | {seen} | {holds} |\n' for says, seen, holds in claims(assessor, topics, pooled)))
    parts.append(f'''
What to make of it. Most statements carry over to other topics, documents and systems: measures with fat tails, and M2
above all, order systems most stably when topics or assessors change, and pay for it when judgments are missing. Only
the topic samples come with intervals; the strict assessor and the pools are one observation each. What differs:

* *Tails matter more here* when topics are sampled. A likely reason is that with θ = 0.5 a slim-tailed user reads two
  documents, so that few judgments decide among {len(runs)} systems.
* *M1 needs some depth.* With the shallowest pools M3 is more robust; a few ranks on, M1 takes the lead (15 measures).
* *Model and distribution are confounded in the paper's 15 measures.* Averaged over all six distributions M1 never leads
  in the pool study, and changes its place in both assessor studies. Cell by cell, P_AP is the distribution most robust
  to topics and assessors in M1, M3 and M4, and P_DCG in M2: fat tails both.
* RBTR is RBP divided by θ (M1 and M2 are proportional under a geometric P), so the two order systems alike; in the
  paper's families that pair counts twice.

## Second assessor

No second assessor has judged this pool. Two stand-ins: a *strict* assessor, to whom only grade 2 is relevant (a real
difference of judgment, but a systematic one); and {ASSESSORS} *simulated* ones, who keep a relevant judgment with
probability {KEPT} and make one of a non-relevant with probability {ADDED}, which gives an overlap (intersection over
union of the relevant) of {overlap:.2f}. Simulated errors are independent, so they cancel over topics more than people's
do.

Strict assessor, τ by distribution and model (the paper's 15, as its Table 2):

{table(by_model_and_P(strict.to_frame().mean(axis=1).to_dict()))}
Simulated assessors, mean τ:

{table(by_model_and_P(sim.to_frame().mean(axis=1).to_dict()))}
All 21 combinations, strict and simulated:

{table(by_model_and_P(assessor['strict'].to_frame().mean(axis=1).to_dict()))}
{table(by_model_and_P(assessor['simulated'].to_frame().mean(axis=1).to_dict()))}
## Topic samples

Mean τ over {topics.tau.shape[2]} samples of each size, the same samples for every measure (seed 2011). By model and by
tail of the distribution, 15 measures; 95% intervals of these means over trials are at most
±{max(topics15.interval(GROUPS['model']).to_numpy().max(), topics15.interval(GROUPS['tail']).to_numpy().max()):.3f}.

{table(topics15.to_frame(GROUPS['model']))}
{table(topics15.to_frame(GROUPS['tail']))}
![Topic samples](../images/user-models-topics.png)

Differences of the means over sizes, trial by trial (paired t test):

| | difference | p |
|---|---|---|
''' + ''.join(f'| {a} − {b} | {topics15.difference(GROUPS[key], a, b)[0]:+.4f} | '
              f'{topics15.difference(GROUPS[key], a, b)[1]:.2g} |\n'
              for key, a, b in (('tail', 'fat', 'slim'), ('tail', 'fat', 'medium'), ('model', 'M2', 'M1'),
                                ('model', 'M2', 'M4'), ('model', 'M3', 'M1'))) + f'''
Mean τ over sizes, all 21 combinations:

{table(by_model_and_P(topics.to_frame().mean(axis=1).to_dict()))}
## Pool depth

Pools made of the top 1, 2, … of all {len(runs)} runs, restricted to what was judged. The official judgments themselves
come from shallower pools of some of the runs, so the deeper pools here add few documents.

{table(judged, 0)}
{f"{caught[0].message}." if caught else "Every topic keeps a judged document at every depth."}

By model and by tail, 15 measures:

{table(pools15.to_frame(GROUPS['model']))}
{table(pools15.to_frame(GROUPS['tail']))}
![Pool depth](../images/user-models-pools.png)

Mean τ over depths up to 10, all 21 combinations:

{table(by_model_and_P(pooled.to_frame()[[d for d in DEPTHS if d <= 10]].mean(axis=1).to_dict()))}''')
    return re.sub('\n{3,}', '\n\n', '\n'.join(parts))


def pictures(topics: Robustness, pools: Robustness, runs: dict[str, pd.DataFrame], qrels: pd.DataFrame) -> None:
    """docs/images/user-models*.png."""
    from matplotlib.figure import Figure

    grades, judged = ranked_grades(runs['covidex.r5.2s'], qrels, '1')
    ranking: dict[str, Any] = {'grades': grades[:20], 'judged': judged}
    figure = Figure(figsize=(15, 7.2), layout='constrained')
    panels = iter(figure.subplots(2, 4).ravel())
    for show in ('P', 'F'):
        plot_user_models(show=show, ax=next(panels), **ranking)
        plot_user_models(show=show, log=True, ax=next(panels), **ranking)
    for model in (1, 2, 3, 4):
        plot_user_models(show=model, ax=next(panels), **ranking)
    picture(figure, 'user-models.png')
    for result, name in ((only(topics, PAPER), 'topics'), (only(pools, PAPER), 'pools')):
        figure = Figure(figsize=(10, 3.5), layout='constrained')
        left, right = figure.subplots(1, 2)
        result.plot(GROUPS['model'], ax=left)
        result.plot(GROUPS['tail'], ax=right)
        picture(figure, f'user-models-{name}.png')
