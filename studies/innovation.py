"""Innovation on 126 systems of TREC-COVID: the experiments of Türkmen, Lease & Kutlu (ECIR 2023), with the pictures.

    python -m studies innovation   # about two minutes; writes docs/studies/innovation.md and its pictures
"""
from __future__ import annotations

import pathlib

import numpy as np
import pandas as pd

from ir_divmeasures import Pool, Scores, measures, meta, simulate_rare_common, topic_level
from ir_divmeasures.pools import report

from .common import markdown, picture

NAMES = {'P': 'P@100', 'AP': 'AP@100'}
ALPHAS = (0, 0.5, 1)
TRIALS = 1000
# The paper, §3: relevant documents that S_rare needs for rank 1.
PAPER_FIRST = {0: 44, 0.5: 33, 1: 28}

MEASURES = {('P@100', 0.0): 'P_Rareness(alpha=0)@100', ('P@100_Rareness', 0.5): 'P_Rareness(alpha=0.5)@100',
            ('P@100_Rareness', 1.0): 'P_Rareness(alpha=1)@100', ('AP', 0.0): 'AP_Rareness(alpha=0)@100',
            ('AP_Rareness', 0.5): 'AP_Rareness(alpha=0.5)@100', ('AP_Rareness', 1.0): 'AP_Rareness(alpha=1)@100'}
COLLECTIONS = ('TREC-5', 'TREC-8', 'WT14', 'DLT20')
PAIRS = (1830, 8256, 406, 2016)
# The paper, Table 1: significantly different pairs at 95 % and at 99 %, by collection.
TABLE_1 = [((598, 406), (3666, 2973), (218, 174), (61, 15)), ((680, 457), (3778, 3050), (213, 168), (173, 24)),
           ((728, 476), (3825, 3079), (213, 168), (237, 82)), ((541, 334), (3731, 2976), (211, 169), (320, 169)),
           ((632, 404), (3915, 3209), (216, 168), (352, 209)), ((701, 467), (4048, 3363), (214, 170), (376, 238))]
# The paper, Table 2, by collection; Table 3, TREC-8, N = 2, 4, …, 64.
TABLE_2 = [(.532, .545, .635, .071), (.642, .628, .716, .128), (.709, .684, .768, .179), (.513, .580, .433, .425),
           (.578, .623, .517, .444), (.633, .656, .585, .466)]
TABLE_3 = {'P@100_Rareness': (.970, .976, .983, .987, .992, .995), 'AP_Rareness': (.970, .984, .985, .989, .993, .996)}
TESTS = {'pairwise HSD (theirs)': ('tukey_pairwise', None), 'HSD, all systems': ('tukey', None),
         'HSD, one-way': ('tukey_oneway', None), 'randomised HSD': ('tukey_randomised', None),
         'paired bootstrap': ('bootstrap', None), 'paired t, Holm': ('t', 'holm'),
         'Wilcoxon, Holm': ('wilcoxon', 'holm')}


def setting(name: str, alpha: float | str, norm: bool = False) -> str:
    return str(measures(f"{name}_Rareness(alpha={alpha!r},norm={norm})@100")[0])


SETTINGS = [(name, alpha, norm) for name in NAMES for norm in (False, True) for alpha in ALPHAS if alpha or not norm]


def label(name: str, alpha: float, norm: bool) -> str:
    if alpha == 0:
        return NAMES[name]
    return f'{name}_Rareness@100, α = {alpha}' + (', norm' if norm else '')


def figure_1(pool: Pool) -> tuple[str, pd.DataFrame, str]:
    """How many relevant documents bring the simulated systems to rank 1 of each topic; the picture of one topic."""
    by_query = report.rareness_by_query(pool)
    simulated = {query: simulate_rare_common(pool, query, alphas=ALPHAS) for query in by_query['query_id']}
    first = pd.DataFrame({query: table[table['rank'] == 1].groupby(['system', 'alpha'])['n_relevant'].min()
                          for query, table in simulated.items()}).T
    enough = first.dropna()
    order = by_query.set_index('query_id').loc[enough.index, 'relevant'].sort_values(kind='stable')
    shown = str(order.index[len(order) // 2])
    path = picture(report.plot_rare_common(simulate_rare_common(pool, shown)), 'innovation-simulation.svg')
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


def named() -> pd.DataFrame:
    return pd.DataFrame(MEASURES.keys(), columns=['measure', 'α'])


def table_1(scores: Scores) -> tuple[str, str, str]:
    """Ours at 95 % and at 99 %, and the paper's as shares of pairs."""
    theirs = named()
    for c, collection in enumerate(COLLECTIONS):
        for level, name in enumerate(('95 %', '99 %')):
            theirs[f'{collection}, {name}'] = [row[c][level] / PAIRS[c] for row in TABLE_1]
    found = {name: meta.discriminative_power(scores, method, correction=correction, rng=0)
             for name, (method, correction) in TESTS.items()}
    ours = [markdown(named().assign(**{name: power.count(alpha) for name, power in found.items()}))
            for alpha in (0.05, 0.01)]
    return ours[0], ours[1], markdown(theirs)


def official(data: pathlib.Path) -> str:
    """Table 1's first column of tests on the official runs of two Web Tracks, for measures that need no pool."""
    rows = []
    for year in (2012, 2014):
        scores = Scores.read({name: data / f'data/scores/web{year}_{name}.csv'
                              for name in ('ap', 'p20', 'ndcg20', 'err20', 'rr')})
        power = {text: meta.discriminative_power(scores, method, rng=0) for text, method in
                 (('pairwise HSD (theirs)', 'tukey_pairwise'), ('HSD, all systems', 'tukey'),
                  ('paired bootstrap', 'bootstrap'))}
        stable = meta.stability(scores, fuzziness=0.05, rng=0).values
        for m, measure in enumerate(scores.measures):
            rows.append({'track': f'Web {year}', 'systems': len(scores.systems), 'measure': measure,
                         **{f'{text}, {level}': power[text].count(alpha)[m] / len(power[text].pairs)
                            for text in power for level, alpha in (('95 %', .05), ('99 %', .01))},
                         'stability': float(stable[m])})
    return markdown(pd.DataFrame(rows))


def table_2(scores: Scores) -> str:
    frame = named()
    for name, fuzziness in (('fuzziness 0.05', 0.05), ('fuzziness 0', 0.0)):
        found = meta.stability(scores, fuzziness=fuzziness, rng=0)
        frame[f'ours, {name}'] = found.values
        frame[f'± ({name})'] = (found.interval[:, 1] - found.interval[:, 0]) / 2
    relative = meta.stability(scores, fuzziness=0.05, relative=True, rng=0)
    frame['ours, 5 % of the larger mean'] = relative.values
    for c, collection in enumerate(COLLECTIONS):
        frame[f'paper, {collection}'] = [row[c] for row in TABLE_2]
    return markdown(frame)


def table_3(pool: Pool) -> tuple[str, str]:
    measures = ['P_Rareness@100', 'AP_Rareness@100']
    found = meta.system_count(lambda members: pool.scores(measures, members).values.mean(axis=1), len(pool.systems),
                              [2, 4, 8, 16, 32, 64], measures=['P@100_Rareness', 'AP_Rareness'], rng=0)
    rows = []
    for m, name in enumerate(found.measures):
        rows.append({'measure': name, 'data': 'TREC-COVID, 126 systems (ours)',
                     **{f'N={n}': float(found.values[i, m]) for i, n in enumerate(found.sizes)}})
        rows.append({'measure': name, 'data': 'TREC-8, 129 systems (paper)',
                     **{f'N={n}': TABLE_3[name][i] for i, n in enumerate(found.sizes)}})
    width = float((found.interval[..., 1] - found.interval[..., 0]).max() / 2)
    return markdown(pd.DataFrame(rows)), f'{width:.3f} at most'


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
    change = report.ranking_change(report.rankings(pool, asked, ALPHAS))
    table = change[change['alpha'] > 0].pivot(index='measure', columns='alpha', values=['tau', 'tau_ap']).loc[
        [str(m) for m in measures(asked)]]
    table.columns = [f'{"τ" if kind == "tau" else "τ_AP"}, α = {alpha:g}' for kind, alpha in table.columns]
    return table.reset_index()


def movers(pool: Pool, teams: Pool) -> pd.DataFrame:
    ranked = report.rankings(pool, ['P_Rareness@100'], [0, 1]).pivot(index='system', columns='alpha', values='rank')
    finds = report.system_finds(pool).set_index('system').join(
        report.system_finds(teams).set_index('system')['unique'].rename('unique to the team'))
    table = finds.assign(before=ranked[0.0], after=ranked[1.0], up=ranked[0.0] - ranked[1.0])
    some = table.sort_values(['up', 'unique'], ascending=False, kind='stable')
    table = pd.concat([some.head(6), some.tail(6)])
    return table.reset_index()[['system', 'before', 'after', 'up', 'relevant', 'rare', 'unique', 'unique to the team',
                                'mean_rareness']].rename(
        columns={'before': 'rank, α = 0', 'after': 'rank, α = 1', 'mean_rareness': 'mean R'})


def page(data: pathlib.Path) -> str:
    """The page's text; writes its pictures."""
    folder = data / 'data/pool/trec-covid-r5'
    pool = Pool(folder / 'runs', topic_level(folder / 'qrels.gz'))
    teams = Pool(folder / 'runs', pool.table, groups=lambda system: system[:3].lower())
    change = report.ranking_change(report.rankings(pool))
    tau = change.pivot(index='alpha', columns='measure', values='tau')
    tau_ap = change.pivot(index='alpha', columns='measure', values='tau_ap')
    simulation, first, first_text = figure_1(pool)
    by_query = report.rareness_by_query(pool)
    relevant = report.relevant_documents(pool)
    curve = picture(report.plot_ranking_change(change), 'innovation-tau.svg')
    boxes = picture(report.plot_rareness_by_query(pool), 'innovation-rareness.svg')
    finds = report.system_finds(pool)
    auto = [meta.kendall(*pool.scores([setting(name, 0), setting(name, 'auto')]).values.mean(axis=1).T)
            for name in NAMES]
    below = {m: tau.index[tau[m] < 0.9].min() for m in tau.columns}
    above_09 = 'It stays above 0.9, the usual threshold, up to α = 1' if all(np.isnan(v) for v in below.values()) \
        else f'It falls below 0.9, the usual threshold, at {below}'
    scores = pool.scores(list(MEASURES.values()))
    n_pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    at_95, at_99, theirs = table_1(scores)
    third, width = table_3(pool)
    stable = meta.stability(scores, fuzziness=0.05, rng=0).values
    relative = meta.stability(scores, fuzziness=0.05, relative=True, rng=0).values
    bare = meta.stability(scores, rng=0).values
    pairwise = meta.discriminative_power(scores, 'tukey_pairwise').counts
    family = meta.discriminative_power(scores, 'tukey').counts
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

pool = Pool('runs/', 'qrels.txt', groups={{'bm25-a': 'we', 'bm25-b': 'we', 'other': 'they'}})  # read once …
scores = pool.scores(measures('P_Rareness@100 AP_Rareness@100'))  # … every system scored; Scores for meta-evaluation
```

* **Who is in the pool.** A system of the pool counts itself (the paper's way). `leave_out='mine'` compares
  it with the others only; `Pool.scores(…, leave_one_out=True)` does that for every system. A run outside the pool is
  compared with the pool as it is (what only it finds has R = 1); `include={{'mine': run}}` counts it in.
* **Teams.** With `groups=` the runs of a participant count once, so that near-duplicates do not make a document common.
* **PyTerrier.** `ir_divmeasures.terrier.Experiment(…)` takes the arguments of `pt.Experiment`, runs each pipeline once,
  makes the systems compared the pool (plus `pool=`), and returns what `pt.Experiment` returns.
* **Reports.** `ir_divmeasures.pools.report`: `rankings`, `ranking_change`, `system_finds`, `rare_documents`,
  `rareness_by_query`, and a `plot_…` for each picture below. `simulate_rare_common` is the paper's §3.

## The study

Made by `python -m studies innovation`; every number on this page was printed by it. **Data:** {len(pool.systems)} runs
of TREC-COVID, round 5, top 100, { len(pool.collection.query_ids)} topics,
{len(pool.table)} judgments, {len(relevant)} relevant documents (grade 1 or 2).
Cutoff 100 and S_d over the top 100, as in the paper. It used TREC-5, TREC-8, the Web Track of 2014 and the Deep
Learning Track of 2020; those runs are not available here, so its numbers are given beside ours and are not expected to
be equal. Judgments of TREC-COVID are of the residual collection and plentiful, so P@100 is high. What can be compared
is the direction in which α moves a value. For measures that need no pool there are also the scores of the official
submissions to the Web Tracks of 2012 and 2014.

### How rare relevant documents are

Of the {len(relevant)} relevant documents {int((relevant["n_retrieved"] == 0).sum())} are in no system's top 100, {
int((relevant["n_retrieved"] == 1).sum())} in one system's, {int((relevant["rareness"] >= 0.9).sum())} ({
100 * (relevant["rareness"] >= 0.9).mean():.0f}%) in those of at
most a tenth of the systems (R ≥ 0.9). The mean R is {relevant["rareness"].mean():.3f}; by topic it goes from {
by_query["mean"].min():.3f} to {by_query["mean"].max():.3f}.

![R of the relevant documents by topic]({boxes})

### Figure 1: S_rare against S_common

One simulated system finds D relevant documents that nobody else has, the other the D most common ones; each is ranked
among the {len(pool.systems)} real systems by P_Rareness@100 on one topic. The table has the D needed for rank 1.

{markdown(first, 1)}

{first_text}
As in the paper the two fare alike without a weight on rareness, S_rare needs fewer documents the larger α is, and
S_common changes little; it falls a little behind as α grows.

![Rank of the simulated systems by the number of relevant documents they find]({simulation})

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

The authors' program (github mdenizturkmen/ecir2023, commit b0a4410, `utils.py`) runs `pairwise_tukeyhsd` of statsmodels
on two systems at a time. As published, `discriminativePower.py` counts the pairs of P_Rareness again for the rows of
AP_Rareness; the paper's numbers differ between the two, so they come from another version.

Significantly different pairs of {n_pairs}, by the test that the authors' program runs and by those that correct for the
number of pairs or use that all systems see the same topics.

At 95 %:

{at_95}

At 99 %:

{at_99}

The paper's Table 1 as shares of its {', '.join(map(str, PAIRS))} pairs:

{theirs}

Official Web Track submissions, shares of pairs (and stability with fuzziness 0.05). The paper has, for AP cut at rank
100 and 29 of the 30 systems of 2014, {211 / 406:.3f} and {169 / 406:.3f}, and a stability of 0.433; `ap` here is of
whole rankings.

{official(data)}

### Table 2: stability

1000 trials on half of the topics. The authors' program asks that a difference exceeds 0.05.

{table_2(scores)}

### Table 3: number of systems

1000 trials; Kendall's τ_b between the order of N systems that are one another's pool and their order in the whole pool.
Half width of the 95 % intervals: {width}.

{third}

### The form in [0, 1]

The same for `norm=True` (Eq. 4), whose scores shrink as α grows: under the fixed threshold it looks much less stable,
without one it is nearly as stable.

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

## What agrees and what does not

* α lowers the correlation with the plain measure steadily, as in the paper.
* Discriminative power by the paper's test moves from {pairwise[0]} to {pairwise[2]} pairs for P@100 and from
  {pairwise[3]} to {pairwise[5]} for AP as α goes from 0 to 1; by HSD over all systems, which corrects for the number of
  pairs and takes the topics' own difficulty out, from {family[0]} to {family[2]} and from {family[3]} to {family[5]}.
  The paper reports growth in all cases but P@100 on WT14. So the gain in discriminative power depends on the collection
  and on the test.
* With a fixed fuzziness of 0.05 stability moves from {stable[0]:.3f} to {stable[2]:.3f} (P@100) and from
  {stable[3]:.3f} to {stable[5]:.3f} (AP), which is the paper's finding. But α stretches the scale of the scores, so
  that a fixed threshold is exceeded more easily: with a threshold relative to the scores, or none, stability is
  {relative[0]:.3f} and {relative[2]:.3f}, or {bare[0]:.3f} and {bare[2]:.3f} (P@100, α = 0 and 1), and
  {relative[3]:.3f} and {relative[5]:.3f}, or {bare[3]:.3f} and {bare[5]:.3f} (AP).
* The order of few systems alone is close to their order in the whole pool, and closer the more take part, as in the
  paper.

## What was left out

The paper's Table 4 reads documents; this collection's texts are not available here. `rare_documents(pool)` lists them.
'''

