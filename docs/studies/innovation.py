"""Innovation on 126 systems of TREC-COVID: what Türkmen, Lease & Kutlu (ECIR 2023) report, done again.

    python docs/studies/innovation.py   # about two minutes; writes docs/innovation.md and docs/figures/innovation-*.svg
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
from ir_divmeasures.report import innovation

NAMES = {'P': 'P@100', 'AP': 'AP@100'}
ALPHAS = (0, 0.5, 1)
TRIALS = 1000
SIZES = (2, 4, 8, 16, 32, 64)

# T23, Tables 1 and 2, by collection: P α = 0, .5, 1, then AP; Table 3: P and AP (α = 1) for N = 2, 4, …, 64.
PAPER_PAIRS = {'TREC-5': 1830, 'TREC-8': 8256, 'WT14': 406, 'DLT20': 2016}
PAPER_POWER = {'TREC-5': (598, 680, 728, 541, 632, 701), 'TREC-8': (3666, 3778, 3825, 3731, 3915, 4048),
               'WT14': (218, 213, 213, 211, 216, 214), 'DLT20': (61, 173, 237, 320, 352, 376)}
PAPER_STABILITY = {'TREC-5': (.532, .642, .709, .513, .578, .633), 'TREC-8': (.545, .628, .684, .580, .623, .656),
                   'WT14': (.635, .716, .768, .433, .517, .585), 'DLT20': (.071, .128, .179, .425, .444, .466)}
PAPER_SIZES = {'P': (.970, .976, .983, .987, .992, .995), 'AP': (.970, .984, .985, .989, .993, .996)}
PAPER_FIRST = {0: 44, 0.5: 33, 1: 28}


def setting(name: str, alpha: float | str, norm: bool = False) -> str:
    return str(measures(f"{name}_Rareness(alpha={alpha!r},norm={norm})@100")[0])


SETTINGS = [(name, alpha, norm) for name in NAMES for norm in (False, True) for alpha in ALPHAS if alpha or not norm]


def label(name: str, alpha: float, norm: bool) -> str:
    if alpha == 0:
        return NAMES[name]
    return f'{name}_Rareness@100, α = {alpha}' + (', norm' if norm else '')


def signed(change: float) -> str:
    return f'{round(change, 3) + 0.0:+.3f}'


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


def power_table(scores: object) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    tests = {test: meta.discriminative_power(scores, test) for test in ('tukey_pairwise', 'tukey_oneway', 'tukey')}
    table = pd.DataFrame({'measure': [label(*s) for s in SETTINGS]})
    for test, result in tests.items():
        table[f'{test}, 95%'], table[f'{test}, 99%'] = result.count(0.05), result.count(0.01)
    return table, {test: result.count(0.05) for test, result in tests.items()}


def stability_table(scores: object) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    kinds = {'fuzziness 0.05': {'fuzziness': 0.05}, 'fuzziness 0': {},
             'fuzziness 5% of the larger score': {'fuzziness': 0.05, 'relative': True}}
    found = {kind: meta.stability(scores, n_resamples=TRIALS, rng=0, **options).values
             for kind, options in kinds.items()}
    return pd.DataFrame({'measure': [label(*s) for s in SETTINGS], **found}), found


def paper_table(values: dict[str, tuple[float, ...]]) -> str:
    rows = [(f'{NAMES[name]}' if not alpha else f'{name}_Rareness@100, α = {alpha}', *column)
            for (name, alpha), column in zip([(n, a) for n in NAMES for a in ALPHAS], zip(*values.values()))]
    return markdown(pd.DataFrame(rows, columns=['measure', *values]))


def size_table(pool: Pool) -> pd.DataFrame:
    asked = measures('P_Rareness@100 AP_Rareness@100')
    counted = meta.system_count(lambda members: pool.scores(asked, members).values.mean(axis=1), len(pool.systems),
                                SIZES, n_resamples=TRIALS, measures=['P', 'AP'], rng=0).to_frame()
    rows = []
    for name in NAMES:
        found = counted[counted['measure'] == name]
        rows.append((f'{name}_Rareness@100, α = 1: here', *found['correlation']))
        rows.append(('± (95%)', *((found['high'] - found['low']) / 2)))
        rows.append(('paper (TREC-8)', *PAPER_SIZES[name]))
    return pd.DataFrame(rows, columns=['measure', *(f'N={n}' for n in SIZES)])


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
    scores = pool.scores([setting(*s) for s in SETTINGS])
    power, counts = power_table(scores)
    stability, stable = stability_table(scores)
    place = {s: i for i, s in enumerate(SETTINGS)}
    sizes = size_table(pool)
    by_query = innovation.rareness_by_query(pool)
    relevant = innovation.relevant_documents(pool)
    curve, boxes = save(innovation.plot_ranking_change(change), 'tau'), save(innovation.plot_rareness_by_query(pool),
                                                                            'rareness')
    finds = innovation.system_finds(pool)
    n_pairs = len(pool.systems) * (len(pool.systems) - 1) // 2
    gains = {name: [signed(stable[kind][place[name, 1, False]] - stable[kind][place[name, 0, False]])
                    for kind in ('fuzziness 0.05', 'fuzziness 0', 'fuzziness 5% of the larger score')]
             for name in NAMES}
    more = {test: {name: int(counts[test][place[name, 1, False]] - counts[test][place[name, 0, False]])
                   for name in NAMES} for test in counts}
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

### Table 1: discriminative power

Significantly different pairs, of {n_pairs}. `tukey_pairwise` is what the authors' program runs (Tukey's HSD on two
systems at a time, which corrects nothing); `tukey_oneway` is HSD over all systems; `tukey` is HSD over all systems with
topics as blocks.

{markdown(power)}

The paper, at 95%, of {', '.join(f'{n} ({c})' for c, n in PAPER_PAIRS.items())} pairs:

{paper_table(PAPER_POWER)}

**Agreement is partial.** From α = 0 to α = 1 (at 95%) the number of pairs changes by {more['tukey_pairwise']['AP']:+d}
for AP and {more['tukey_pairwise']['P']:+d} for P with the authors' test, by {more['tukey_oneway']['AP']:+d} and
{more['tukey_oneway']['P']:+d} with HSD over all systems, by {more['tukey']['AP']:+d} and {more['tukey']['P']:+d} with
topics as blocks. The paper has a gain for AP on all four collections, and for P on all but WT14. Here AP gains only as
long as the differences between topics count as error, and P loses.

### Table 2: stability

{TRIALS} trials on half of the topics. The authors' program calls a difference of means a win only if it exceeds 0.05.

{markdown(stability)}

The paper:

{paper_table(PAPER_STABILITY)}

**The gain in stability comes from the fuzziness.** From α = 0 to α = 1 stability changes by {gains['P'][0]} (P) and
{gains['AP'][0]} (AP) under the authors' fixed 0.05, as in the paper. But 1 + αR makes every score larger, so that more
differences exceed 0.05. Without a fuzziness the change is {gains['P'][1]} and {gains['AP'][1]}, with one of 5% of the
larger score {gains['P'][2]} and {gains['AP'][2]}; and the form in [0, 1] (`norm`), whose
scores are smaller, looks much *less* stable under the fixed one. On this collection the measures are as stable as those
they are made of, not more.

### Table 3: number of systems

τ between the ranking of N systems with a pool of these N only and their order in the whole ranking; {TRIALS} trials.

{markdown(sizes)}

As in the paper τ is high everywhere and grows with N; it is lower here for small N.

### What the choices are worth

τ with the ranking of P_Rareness@100 and AP_Rareness@100, α = 1, as the paper counts. Teams are not in the data: runs
whose names begin with the same three characters are taken for one team.

{markdown(pool_choices(pool, teams))}

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
