"""Innovation on 126 systems of TREC-COVID, after Türkmen, Lease & Kutlu (ECIR 2023), with the pictures.

    python docs/studies/innovation.py   # about a minute; writes docs/innovation.md and docs/figures/innovation-*.svg
"""
from __future__ import annotations

import pathlib
import sys

import matplotlib
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from docs.studies.tables import ROOT, main, markdown
from ir_divmeasures import Pool, measures, meta, simulate_rare_common, topic_level
from ir_divmeasures.pools import report as innovation

NAMES = {'P': 'P@100', 'AP': 'AP@100'}
ALPHAS = (0, 0.5, 1)
TRIALS = 1000
# T23, §3: relevant documents that S_rare needs for rank 1.
PAPER_FIRST = {0: 44, 0.5: 33, 1: 28}


def setting(name: str, alpha: float | str, norm: bool = False) -> str:
    return str(measures(f"{name}_Rareness(alpha={alpha!r},norm={norm})@100")[0])


SETTINGS = [(name, alpha, norm) for name in NAMES for norm in (False, True) for alpha in ALPHAS if alpha or not norm]


def label(name: str, alpha: float, norm: bool) -> str:
    if alpha == 0:
        return NAMES[name]
    return f'{name}_Rareness@100, α = {alpha}' + (', norm' if norm else '')


def save(ax: object, name: str) -> str:
    folder = ROOT / 'docs/figures'
    folder.mkdir(exist_ok=True)
    with matplotlib.rc_context({'svg.hashsalt': name, 'svg.fonttype': 'none'}):
        ax.figure.savefig(folder / f'innovation-{name}.svg', metadata={'Date': None})  # type: ignore[attr-defined]
    return f'figures/innovation-{name}.svg'


def figure_1(pool: Pool) -> tuple[str, pd.DataFrame, str]:
    """How many relevant documents bring the made-up systems to rank 1 of each topic; the picture for a middling one."""
    by_query = innovation.rareness_by_query(pool)
    simulated = {query: simulate_rare_common(pool, query, alphas=ALPHAS) for query in by_query['query_id']}
    first = pd.DataFrame({query: table[table['rank'] == 1].groupby(['system', 'alpha'])['n_relevant'].min()
                          for query, table in simulated.items()}).T
    enough = first.dropna()
    order = by_query.set_index('query_id').loc[enough.index, 'relevant'].sort_values(kind='stable')
    shown = str(order.index[len(order) // 2])
    path = save(innovation.plot_rare_common(simulate_rare_common(pool, shown)), 'simulation')
    rows = [('S_rare', f'{alpha:g}', str(PAPER_FIRST[alpha]), int(first.loc[shown, ('rare', alpha)]),
             enough['rare', alpha].mean()) for alpha in ALPHAS]
    rows += [('S_common', f'{alpha:g}', str(PAPER_FIRST[alpha]) if alpha == 0 else '',
              int(first.loc[shown, ('common', alpha)]), enough['common', alpha].mean()) for alpha in ALPHAS]
    table = pd.DataFrame(rows, columns=['system', 'α', 'paper: topic 1127540', f'topic {shown}',
                                        f'mean over {len(enough)} topics'])
    saved = (enough['rare', 0] - enough['rare', 1]) / enough['rare', 0]
    text = (f'In {len(first) - len(enough)} of {len(first)} topics one of the two never gets to rank 1, because there '
            f'are too few relevant documents.\nIn the other {len(enough)} S_rare needs {100 * saved.mean():.0f}% fewer '
            f'documents with α = 1 than with α = 0 (paper: {100 * (1 - 28 / 44):.0f}% on its topic).')
    return path, table, text


def forms(pool: Pool) -> pd.DataFrame:
    """Discriminative power and stability of Eq. 1 and of the form in [0, 1]."""
    scores = pool.scores([setting(*s) for s in SETTINGS])
    table = pd.DataFrame({'measure': [label(*s) for s in SETTINGS],
                          'pairwise HSD, 95%': meta.discriminative_power(scores, 'tukey_pairwise').count(0.05),
                          'HSD, all systems, 95%': meta.discriminative_power(scores, 'tukey').count(0.05)})
    for fuzziness in (0.05, 0.0):
        table[f'stability, fuzziness {fuzziness:g}'] = meta.stability(scores, n_resamples=TRIALS, fuzziness=fuzziness,
                                                                      rng=0).values
    return table


def pool_choices(pool: Pool, teams: Pool) -> pd.DataFrame:
    """τ between the ranking as the paper has it and other ways to count the pool."""
    asked = measures('P_Rareness@100 AP_Rareness@100')
    reference = pool.scores(asked).values.mean(axis=1)
    ways = {'leave one system out': pool.scores(asked, leave_one_out=True),
            f'{len(set(teams.groups))} teams instead of {len(pool.systems)} runs': teams.scores(asked),
            'leave the system\'s own team out': teams.scores(asked, leave_one_out=True),
            "α = 'auto' (1/N_R), instead of α = 1": pool.scores(measures("P_Rareness(alpha='auto')@100 "
                                                                         "AP_Rareness(alpha='auto')@100")),
            'norm=True': pool.scores(measures('P_Rareness(norm=True)@100 AP_Rareness(norm=True)@100'))}
    rows = [(way, *(meta.kendall(reference[:, m], scores.values.mean(axis=1)[:, m]) for m in range(2)))
            for way, scores in ways.items()]
    return pd.DataFrame(rows, columns=['way', 'τ, P_Rareness@100', 'τ, AP_Rareness@100'])


def graded(pool: Pool) -> pd.DataFrame:
    asked = ['P_Rareness@100', 'AP_Rareness@100', 'nDCG_Rareness@100', 'nDCG_Rareness@10', 'RBP_Rareness',
             'RBP_Rareness(p=0.95)']
    change = innovation.ranking_change(innovation.rankings(pool, asked, ALPHAS))
    table = change[change['alpha'] > 0].pivot(index='measure', columns='alpha', values=['tau', 'tau_ap']).loc[
        [str(m) for m in measures(asked)]]
    table.columns = [f'{"τ" if kind == "tau" else "τ_AP"}, α = {alpha:g}' for kind, alpha in table.columns]
    return table.reset_index()


def movers(pool: Pool, teams: Pool) -> pd.DataFrame:
    ranked = innovation.rankings(pool, ['P_Rareness@100'], [0, 1]).pivot(index='system', columns='alpha', values='rank')
    finds = innovation.system_finds(pool).set_index('system').join(
        innovation.system_finds(teams).set_index('system')['unique'].rename('unique to the team'))
    table = finds.assign(before=ranked[0.0], after=ranked[1.0], up=ranked[0.0] - ranked[1.0])
    some = table.sort_values(['up', 'unique'], ascending=False, kind='stable')
    table = pd.concat([some.head(6), some.tail(6)])
    return table.reset_index()[['system', 'before', 'after', 'up', 'relevant', 'rare', 'unique', 'unique to the team',
                                'mean_rareness']].rename(
        columns={'before': 'rank, α = 0', 'after': 'rank, α = 1', 'mean_rareness': 'mean R'})


def write(data: pathlib.Path) -> str:
    folder = data / 'data/pool/trec-covid-r5'
    pool = Pool(topic_level(folder / 'qrels.gz'), folder / 'runs')
    teams = Pool(pool.table, folder / 'runs', groups=lambda system: system[:3].lower())
    change = innovation.ranking_change(innovation.rankings(pool))
    tau = change.pivot(index='alpha', columns='measure', values='tau')
    tau_ap = change.pivot(index='alpha', columns='measure', values='tau_ap')
    simulation, first, first_text = figure_1(pool)
    by_query = innovation.rareness_by_query(pool)
    relevant = innovation.relevant_documents(pool)
    curve, boxes = save(innovation.plot_ranking_change(change), 'tau'), save(innovation.plot_rareness_by_query(pool),
                                                                            'rareness')
    finds = innovation.system_finds(pool)
    auto = [meta.kendall(*pool.scores([setting(name, 0), setting(name, 'auto')]).values.mean(axis=1).T)
            for name in NAMES]
    below = {m: tau.index[tau[m] < 0.9].min() for m in tau.columns}
    above_09 = 'It stays above 0.9, the usual threshold, up to α = 1' if all(np.isnan(v) for v in below.values()) \
        else f'It falls below 0.9, the usual threshold, at {below}'
    return f'''# Innovation: rewarding relevant documents that other systems miss

How to use it, and then the experiments of Türkmen, Lease & Kutlu, *New Metrics to Encourage Innovation and Diversity in
IR Approaches* (ECIR 2023, below "the paper"), done again on another collection. Definitions are in the docstrings of
`P_Rareness`, `AP_Rareness`, `nDCG_Rareness` and `RBP_Rareness`.

## In use

```python
import ir_measures
from ir_divmeasures import Pool, measures, read_run, with_rareness

qrels = with_rareness('qrels.txt', 'runs/')  # adds n_retrieved (S_d) and n_systems (S); write_qrels keeps them
asked = measures("P@100 P_Rareness(alpha=0.5)@100 P_Rareness@100 AP AP_Rareness AP_Rareness(alpha='auto')")
print(ir_measures.calc_aggregate(asked, qrels, read_run('runs/mine.run.gz')))

pool = Pool('qrels.txt', 'runs/', groups={{'bm25-a': 'we', 'bm25-b': 'we', 'other': 'they'}})  # read once …
scores = pool.scores(measures('P_Rareness@100 AP_Rareness@100'))  # … every system scored; Scores for meta-evaluation
```

* **Who is in the pool.** A system that stands in the pool counts itself (the paper's way). `leave_out='mine'` compares
  it with the others only; `Pool.scores(…, leave_one_out=True)` does that for every system. A run outside the pool is
  compared with the pool as it is (what only it finds has R = 1); `include={{'mine': run}}` counts it in.
* **Teams.** With `groups=` the runs of a participant count once, so that near-duplicates do not make a document common.
* **PyTerrier.** `ir_divmeasures.terrier.Experiment(…)` takes the arguments of `pt.Experiment`, runs each pipeline once,
  makes the systems compared the pool (plus `pool=`), and returns what `pt.Experiment` returns.
* **Reports.** `ir_divmeasures.report.innovation`: `rankings`, `ranking_change`, `system_finds`, `rare_documents`,
  `rareness_by_query`, and a `plot_…` for each picture below. `simulate_rare_common` is the paper's §3.

## The study

Printed by `python docs/studies/innovation.py`. **Data:** {len(pool.systems)} runs of TREC-COVID, round 5, top 100, {
len(pool.collection.query_ids)} topics,
{len(pool.table)} judgments, {len(relevant)} relevant documents (grade 1 or 2).
The paper used TREC-5, TREC-8, the Web Track of 2014 and the Deep Learning Track of 2020; those runs are not at hand, so
its numbers stand beside ours and are not expected to be equal. Cutoff 100 everywhere, as in the paper.

### How rare relevant documents are

Of the {len(relevant)} relevant documents {int((relevant["n_retrieved"] == 0).sum())} are in no system's top 100, {
int((relevant["n_retrieved"] == 1).sum())} in one system's, {int((relevant["rareness"] >= 0.9).sum())} ({
100 * (relevant["rareness"] >= 0.9).mean():.0f}%) in those of at
most a tenth of the systems (R ≥ 0.9). The mean R is {relevant["rareness"].mean():.3f}; by topic it goes from {
by_query["mean"].min():.3f} to {by_query["mean"].max():.3f}.

![R of the relevant documents by topic]({boxes})

### Figure 1: S_rare against S_common

One made-up system finds D relevant documents that nobody else has, the other the D most common ones; each is ranked
among the {len(pool.systems)} real systems by P_Rareness@100 on one topic. The table has the D needed for rank 1.

{markdown(first, 1)}

{first_text}
As in the paper the two fare alike without a weight on rareness, S_rare needs fewer documents the larger α is, and
S_common changes little; it falls a little behind as α grows.

![Rank of the made-up systems by the number of relevant documents they find]({simulation})

### Figure 2: system rankings over α

Kendall's τ_b and τ_AP (ties left out, mean of both directions) with the ranking for α = 0.

{markdown(pd.DataFrame({'α': [f'{a:g}' for a in tau.index],
                        **{f'τ, {m}': tau[m].to_numpy() for m in tau.columns},
                        **{f'τ_AP, {m}': tau_ap[m].to_numpy() for m in tau_ap.columns}}))}

As in the paper τ is 1 at α = 0 and decreases steadily.
{above_09}; the paper reports that on DLT20
P_Rareness@100 falls below that for every α > 0, and AP_Rareness does not. τ_AP is lower than τ: changes are larger near
the top of the ranking.

![Correlation with the plain ranking over α]({curve})

### Tables 1 to 3: discriminative power, stability, number of systems

They are in [study_rareness.md](study_rareness.md), with the paper's numbers and more tests than the paper's. In short:
AP gains discriminative power with α as long as the differences between topics count as error, P does not; the gain in
stability comes from a threshold (0.05) that is fixed while the scores grow; rankings of few systems are close to those
of all. The same for the form in [0, 1] (`norm`, Eq. 4), whose scores shrink as α grows, shows it from the other side:
under the fixed threshold it looks much less stable, without one it is nearly as stable.

{markdown(forms(pool))}

### What the choices are worth

τ with the ranking of P_Rareness@100 and AP_Rareness@100, α = 1, as the paper counts. Teams are not in the data: runs
whose names begin with the same three characters are taken for one team.

{markdown(pool_choices(pool, teams))}

1/N_R is so small here that with α = 'auto' the ranking is nearly the plain one (τ with α = 0: {auto[0]:.3f} for P,
{auto[1]:.3f} for AP). With `norm=True` and α = 1 nothing but rareness counts, hence the larger change.

### Graded and rank-based forms

`nDCG_Rareness` and `RBP_Rareness` are ours. τ and τ_AP with their own ranking for α = 0.

{markdown(graded(pool))}

### Who gains, who loses

The six systems that gain and that lose most ranks by P_Rareness@100 from α = 0 to α = 1. `relevant`: documents in the
top 100 over all topics; `rare`: of these with R ≥ 0.9; `unique`: that no other system retrieves.

{markdown(movers(pool, teams))}

Unique finds are few and concentrated: {int((finds['unique'] > 0).sum())} of {len(finds)} systems have any, and the
first five have {int(finds['unique'].head().sum())} of {int(finds['unique'].sum())}.

## What was left out

The paper's Table 4 reads documents; this collection's texts are not at hand. `rare_documents(pool)` lists them.
'''


if __name__ == '__main__':
    main('innovation.md', write)
