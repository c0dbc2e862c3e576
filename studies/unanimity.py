"""Metric unanimity of measures on TREC Web Track runs: the experiments 1 to 3 of Amigó et al. 2018, §6.

    python -m studies unanimity   # about a minute; writes docs/studies/unanimity.md
"""
from __future__ import annotations

import pathlib
import warnings

import numpy as np
import pandas as pd

from ir_divmeasures import DivMeasuresWarning, Scores, evaluate, meta, read_qrels, read_runs, topic_level
from ir_divmeasures.evaluation.scores import join

from .common import markdown

SEEDS = range(10)
K = (10, 20, 50, 100, 1000)
P, ALPHA, E = (0.8, 0.9, 0.99), (0.1, 0.25, 0.5, 0.75), (0.001, 0.05, 0.1, 0.5)

# Family as in the paper's Table 2 → our measures on the subtopic judgments. rel=0: any grade above 0 is relevant, which
# simulated (fractional) grades need and whole ones are indifferent to.
BY_ASPECT = {
    'RBU': [f'RBU(p={p},e={e},rel=0)' for p in P for e in E],
    'α-DCG-IA@k': [f'alpha_DCG_IA(alpha={a},rel=0)@{k}' for a in ALPHA for k in K],
    'DCG-IA@k': [f"DCG_IA(gain='exp',rel=0)@{k}" for k in K],
    'EU': [f'EU(alpha={a},e={e},rel=0)' for a in ALPHA for e in E],
    'ERR-IA@k': [f'gERR_IA(rel=0)@{k}' for k in K],
    'NRBP': [f'gNRBP(p={p},alpha={a},rel=0)' for p in P for a in ALPHA],
    'AP-IA': ['AP_IA(rel=0)'],
    'P-IA@k': [f'P_IA(rel=0)@{k}' for k in K],
    'RR-IA': ['RR_IA(rel=0)'],
    'S-Recall@k': [f'StRecall(rel=0)@{k}' for k in K],
}
# The same on topic-level judgments (one aspect, the largest grade): the measures that know nothing of aspects.
BY_TOPIC = {
    'DCG@k': [f"DCG_IA(gain='exp',rel=0)@{k}" for k in K],
    'ERR@k': [f'gERR_IA(rel=0)@{k}' for k in K],
    'AP': ['AP_IA(rel=0)'],
    'RBP': [f"RBP_IA(p={p},gain='linear',rel=0)" for p in P],
    'P@k': [f'P_IA(rel=0)@{k}' for k in K],
    'RR': ['RR_IA(rel=0)'],
}
# Amigó et al. 2018, Table 2: the best variant of each family (official runs; cut at random; cut at random below 50).
PAPER = {
    'RBU': (.8024, .8568, .9808), 'α-DCG-IA@k': (.7956, .7734, .7709), 'DCG@k': (.7956, .7734, .7687),
    'DCG-IA@k': (.7956, .7734, .7709), 'EU': (.7956, .7734, .7709), 'ERR-IA@k': (.7956, .7734, .7709),
    'ERR@k': (.7956, .7734, .7679), 'NRBP': (.7956, .7734, .7709), 'AP': (.7926, .7734, .7627),
    'AP-IA': (.7926, .7734, .7642), 'RBP': (.7911, .7717, .7597), 'P-IA@k': (.7272, .7103, .7077),
    'P@k': (.7192, .7103, np.nan), 'RR-IA': (.6835, .6704, .6841), 'RR': (.6486, .6082, .6561),
    'S-Recall@k': (.3965, .4238, .5137),
}
SCENARIOS = ('official', 'cut at random', 'cut below 50')

OFFICIAL = {
    'AP-IA': ['AP_IA'], 'NRBP, nNRBP': ['NRBP', 'nNRBP'],
    **{f'ERR-IA, nERR-IA@{k}': [f'ERR_IA@{k}', f'nERR_IA@{k}'] for k in (5, 10, 20)},
    **{f'α-DCG, α-nDCG@{k}': [f'alpha_DCG@{k}', f'alpha_nDCG@{k}'] for k in (5, 10, 20)},
    **{f'P-IA@{k}': [f'P_IA@{k}'] for k in (5, 10, 20)}, **{f'S-Recall@{k}': [f'StRecall@{k}'] for k in (5, 10, 20)}}
AT_20 = ('ERR-IA, nERR-IA@20', 'α-DCG, α-nDCG@20', 'P-IA@20', 'S-Recall@20')
# Amigó et al. 2018, Table 3: all official measures; cutoff 20; cutoff 20 and e = 0.
PAPER_3 = {'AP-IA': (.9771,), 'RBU p=0.99': (.9770,), 'RBU p=0.9': (.9763,), 'RBU p=0.8': (.9760,),
           'α-DCG, α-nDCG@20': (.9540, .9427, .9428), 'ERR-IA, nERR-IA@20': (.9539, .9425, .9425),
           'NRBP, nNRBP': (.9509,), 'ERR-IA, nERR-IA@10': (.9373,), 'α-DCG, α-nDCG@10': (.9373,),
           'P-IA@20': (.9310, .9080, .9081), 'P-IA@10': (.9071,), 'α-DCG, α-nDCG@5': (.9001,),
           'ERR-IA, nERR-IA@5': (.8999,), 'P-IA@5': (.8720,), 'S-Recall@5': (.5573,), 'S-Recall@10': (.5001,),
           'S-Recall@20': (.4515, .4141, .4146), 'RBU@20': (np.nan, .9556, .9556)}


def score(runs: dict, qrels: pd.DataFrame) -> Scores:
    """All measures of experiment 1; names of topic-level measures begin with 'topic:'."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)  # one aspect, and rankings cut to nothing, are meant
        aspect = evaluate(runs, qrels, [m for family in BY_ASPECT.values() for m in family])
        topic = evaluate(runs, topic_level(qrels), [m for family in BY_TOPIC.values() for m in family])
    return join(aspect, Scores(topic.values, topic.systems, topic.queries, tuple('topic:' + m for m in topic.measures)))


def by_family(found: meta.Unanimity) -> dict[str, np.ndarray]:
    """MU of the variants of each family, in the order of the lists above."""
    values = dict(zip(found.measures, found.values))
    names = iter(values.values())
    return {family: np.array([next(names) for _ in variants])
            for family, variants in [*BY_ASPECT.items(), *BY_TOPIC.items()]}


def experiments(runs: dict, qrels: pd.DataFrame) -> dict[str, list[dict[str, np.ndarray]]]:
    """MU by family: once on the data as they are, and once per seed for each simulation."""
    made: dict[str, list] = {'official': [by_family(meta.unanimity(score(runs, qrels)))]}
    for name, longest in (('cut at random', None), ('cut below 50', 50)):
        made[name] = []
        for seed in SEEDS:
            simulated = meta.simulate(qrels, runs, max_length=longest, rng=seed)
            made[name].append(by_family(meta.unanimity(score(simulated.runs, simulated.qrels))))
    return made


def best_variants(found: dict[str, list[dict[str, np.ndarray]]]) -> pd.DataFrame:
    """The best variant of each family: mean over the seeds."""
    return pd.DataFrame({scenario: {family: np.mean([seed[family] for seed in seeds], axis=0).max()
                                    for family in PAPER} for scenario, seeds in found.items()})


def table_2(best: dict[str, pd.DataFrame]) -> tuple[str, str]:
    rows, agreement = [], []
    for family, paper in PAPER.items():
        row = {'measure': family}
        for s, scenario in enumerate(SCENARIOS):
            row[f'{scenario}: paper'] = paper[s]
            for year, frame in best.items():
                row[f'{scenario}: {year}'] = float(frame.loc[family, scenario])
        rows.append(row)
    frame = pd.DataFrame(rows)
    for scenario in SCENARIOS:
        known = frame[frame[f'{scenario}: paper'].notna()]
        for year in best:
            agreement.append({'scenario': scenario, 'collection': year,
                              'Kendall τ_b with the paper': meta.kendall(known[f'{scenario}: paper'],
                                                                   known[f'{scenario}: {year}'])})
    return markdown(frame, 4), markdown(pd.DataFrame(agreement))


def parameters(found: dict[str, list[dict[str, np.ndarray]]]) -> str:
    """MU of RBU by p and e, and of EU by e (mean over α) — the part that effort plays."""
    rows = []
    for scenario, seeds in found.items():
        rbu = np.mean([s['RBU'] for s in seeds], axis=0).reshape(len(P), len(E))
        eu = np.mean([s['EU'] for s in seeds], axis=0).reshape(len(ALPHA), len(E)).mean(axis=0)
        for name, values in [*((f'RBU p={p}', row) for p, row in zip(P, rbu)), ('EU, mean over α', eu)]:
            rows.append({'scenario': scenario, 'measure': name, **{f'e={e}': float(v) for e, v in zip(E, values)}})
    return markdown(pd.DataFrame(rows), 4)


def depth(found: dict[str, list[dict[str, np.ndarray]]]) -> str:
    """MU by cutoff on the data as they are."""
    official = found['official'][0]
    rows = [{'measure': family, **{f'k={k}': float(v) for k, v in zip(K, official[family])}}
            for family in ('ERR-IA@k', 'ERR@k', 'DCG-IA@k', 'DCG@k', 'P-IA@k', 'P@k', 'S-Recall@k')]
    return markdown(pd.DataFrame(rows), 4)


def table_3(runs: dict, qrels: pd.DataFrame) -> dict[str, list[float]]:
    """Best variant per family: all official measures and RBU; cutoff 20 and RBU@20; the same with e = 0."""
    efforts = (0, *E)
    rbu = {f'RBU p={p}': [f'RBU(p={p},e={e})' for e in efforts] for p in P}
    rbu_20 = {'RBU@20': [f'RBU(p={p},e={e})@20' for p in P for e in efforts]}
    rbu_20_no_effort = {'RBU@20': [f'RBU(p={p},e=0)@20' for p in P]}
    official_20 = {family: OFFICIAL[family] for family in AT_20}
    result: dict[str, list[float]] = {family: [np.nan] * 3 for family in PAPER_3}
    for column, families in enumerate(({**OFFICIAL, **rbu}, {**official_20, **rbu_20},
                                       {**official_20, **rbu_20_no_effort})):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', DivMeasuresWarning)
            found = meta.unanimity(evaluate(runs, qrels, [m for family in families.values() for m in family]))
        values = iter(found.values)
        for family, variants in families.items():
            result[family][column] = max(float(next(values)) for _ in variants)
    return result


def page(data: pathlib.Path) -> str:
    """The page's text."""
    runs_12 = {name: run for name, run in read_runs(data / 'data/runs/clueweb09')
               if run['query_id'].isin([str(q) for q in range(151, 201)]).any()}
    runs_14 = dict(read_runs(data / 'data/runs/clueweb12'))
    qrels = {'2012': read_qrels('clueweb09/en/trec-web-2012/diversity'),
             '2014': read_qrels('clueweb12/trec-web-2014/diversity')}
    runs = {year: {name: run[run['query_id'].isin(qrels[year]['query_id'].unique())].reset_index(drop=True)
                   for name, run in pool.items()} for year, pool in (('2012', runs_12), ('2014', runs_14))}
    found = {year: experiments(runs[year], qrels[year]) for year in runs}
    best = {year: best_variants(result) for year, result in found.items()}
    agreement_table, agreement = table_2(best)
    spread = max(np.std([seed[family].max() for seed in seeds]) for result in found.values()
                 for scenario, seeds in result.items() if scenario != 'official' for family in PAPER)
    n_measures = sum(map(len, [*BY_ASPECT.values(), *BY_TOPIC.values()]))
    third = {year: table_3(runs[year], qrels[year]) for year in runs}
    rows = []
    for family, paper in PAPER_3.items():
        row = {'measure': family}
        for c, column in enumerate(('official', 'k=20', 'k=20, e=0')):
            row[f'{column}: paper'] = paper[c] if c < len(paper) else np.nan
            for year in runs:
                row[f'{column}: {year}'] = third[year][family][c]
        rows.append(row)
    third_frame = pd.DataFrame(rows)
    known = third_frame[third_frame['official: paper'].notna()]
    third_agreement = ', '.join(f'{meta.kendall(known["official: paper"], known[f"official: {year}"]):.3f} for {year}'
                                for year in runs)
    leads = []
    for year in runs:
        for scenario in SCENARIOS:
            others = best[year][scenario].drop('RBU')
            leads.append({'collection': year, 'scenario': scenario, 'RBU': float(best[year][scenario]['RBU']),
                          'best other': ', '.join(others.index[others > others.max() - 5e-5]),
                          'its MU': float(others.max()), 'RBU with e=0.001, p=0.99': float(np.mean(
                              [seed['RBU'][-len(E)] for seed in found[year][scenario]]))})
    effort = best['2012'].loc['EU']
    at_20 = {column: (third['2012']['RBU@20'][c], third['2012']['α-DCG, α-nDCG@20'][c])
             for column, c in (('all', 1), ('e=0', 2))}
    return f"""# Metric unanimity on TREC Web Track runs

Made by `python -m studies unanimity`; every number on this page was printed by it.

**What is repeated.** Experiments 1 to 3 of Amigó, Spina, Carrillo-de-Albornoz, *An Axiomatic Analysis of Diversity
Evaluation Metrics* (SIGIR 2018, §6; "the paper" below): metric unanimity (MU, `meta.unanimity`) of {n_measures}
measures with all the parameters that §6.2 lists, on real runs and in two simulated scenarios (`meta.simulate`).

**What is different.** The paper used the 30 official ad-hoc runs of the Web Track 2014 with rankings of up to 10,000
documents. They are not available here. We have {len(runs['2014'])} runs for 2014, rerankings of the *same* at most 99
documents a topic, and {len(runs['2012'])} runs for 2012 (Indri baselines of different depth, up to 1,000 documents, and
rerankings of one list of at most 100). So values cannot be equal to the paper's; the order of the measures is what can
be compared. S-Recall and P at cutoffs at or beyond the length of the 2014 runs cannot tell them apart at all.

Measures without aspects (P, DCG, ERR, AP, RBP, RR) see the largest grade of a document over its aspects. Differences up
to 1e-9 are ties. MU of simulated scenarios is the mean over {len(SEEDS)} seeds; the standard deviation over seeds is
at most {spread:.3f}.

## Experiments 1 and 2: the best variant of each measure (the paper's Table 2)

{agreement_table}

How far the order of the measures agrees with the paper's (the paper's column against ours, best variants):

{agreement}

RBU against the best of the other families (0.0001 is what the paper prints):

{markdown(pd.DataFrame(leads), 4)}

### The part of effort: MU by parameters, 2012

{parameters(found['2012'])}

### The same, 2014

{parameters(found['2014'])}

### The part of depth: MU by cutoff, data as they are, 2012

{depth(found['2012'])}

## Experiment 3: official measures (the paper's Table 3)

Best variant of a row; RBU with e = 0 and the efforts above.

{markdown(third_frame, 4)}

Kendall's τ_b between the paper's first column and ours: {third_agreement}.

## Where this disagrees with the paper

* **EU.** In the paper effort does nothing for EU: its simulated scores are those of the measures without effort
  (0.7734, 0.7709). By its formula (the paper's §4.3) EU pays for every document looked at, as RBU does, and here it
  comes out as high as RBU: {effort['cut at random']:.4f} and {effort['cut below 50']:.4f} on 2012. What the simulations
  reward is a charge for length, not RBU in particular.
* **Depth.** The paper finds RBU's lead on the official runs with p = 0.99 only. Rankings here are shorter, and p = 0.9
  does as well (see the table of parameters).
* **Cutoff 20.** In the paper RBU@20 leads with and without effort (0.9556 against 0.9427). On 2012 it is level with
  α-nDCG@20 ({at_20['all'][0]:.4f} against {at_20['all'][1]:.4f}), and without effort it is below
  ({at_20['e=0'][0]:.4f} against {at_20['e=0'][1]:.4f}).
* **RR-IA** is above P-IA here (2012: {best['2012'].loc['RR-IA', 'official']:.4f} against
  {best['2012'].loc['P-IA@k', 'official']:.4f}), in the paper below it (0.6835 against 0.7272).
* **AP-IA** comes first in the paper's experiment 3 (0.9771). On 2012 it does not ({third['2012']['AP-IA'][0]:.4f}).

What agrees: measures that look deeper are more unanimous than the same ones with a shallow cutoff, but for P and
S-Recall, which saturate; S-Recall, RR and P are at the bottom; rank-discounted measures with aspects are close to each
other; RBU is first, or level with the first, in every scenario of experiments 1 and 2.
"""
