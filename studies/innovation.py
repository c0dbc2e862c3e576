"""Innovation on two pools: the experiments of Türkmen, Lease & Kutlu (ECIR 2023), and what they leave open.

    python -m studies innovation   # about three minutes; writes docs/studies/innovation.md and its pictures
"""
from __future__ import annotations

import gzip
import pathlib
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ir_divmeasures import Pool, Scores, measures, meta, read_run, simulate_rare_common, topic_level
from ir_divmeasures.pools import analysis as report
from ir_divmeasures.pools import campaign
from ir_divmeasures.pools.judged import JudgedPool
from ir_divmeasures.studies import rarity
from ir_divmeasures.studies.rarity import ALPHAS, MEASURES, PAIRS, SIZES, curves

from . import hierarchies
from .common import markdown, picture


def program_ranks(has: NDArray[np.float64], system: str, alpha: float, sizes: Sequence[int],
                  ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The authors' ``experimentWithSyntheticData.py`` (commit b0a4410) on one topic.

    Its ranks, and 1 + how many systems score more; ``has`` says which system retrieves which relevant document.
    """
    n, n_systems = has.sum(axis=0), len(has)
    common = np.argsort(-n, kind='stable')
    averaged, above = [], []
    for size in sizes:
        if system == 'rare':  # the real systems are scored as if the made-up one did not take part
            real = has @ (1 + alpha * (1 - n / n_systems)) / 100
            own = size * (1 + alpha * (1 - 1 / n_systems)) / 100
        else:
            counted = n.copy()
            counted[common[:size]] += 1
            worth = 1 + alpha * (1 - counted / (n_systems + 1))
            real, own = has @ worth / 100, worth[common[:size]].sum() / 100
        real, own = real.round(12), np.round(own, 12)
        above.append(1 + (real > own).sum())
        averaged.append(1 + (real > own).sum() + (real == own).sum() / 2)
    return np.array(averaged), np.array(above)


def beside_the_program(pool: JudgedPool, simulated: Mapping[str, pd.DataFrame]) -> str:
    """Shares of equal ranks, a row for each system and α."""
    pairs = report.relevant_pairs(pool, 1)
    query_of = np.array(pool.collection.query_ids)[pool.collection.query_of_pair()[pairs]]
    has = {query: pool.retrieved[:, pairs[query_of == query]].astype(float) for query in simulated}
    rows = []
    for system in ('rare', 'common'):
        for alpha in ALPHAS:
            ours, averaged, above, first = [], [], [], []
            for query, table in simulated.items():
                part = table[(table['system'] == system) & (table['alpha'] == alpha) & (table['n_relevant'] > 0)]
                one, other = program_ranks(has[query], system, alpha, part['n_relevant'].tolist())
                ours.append(part['rank'].to_numpy())
                averaged.append(one)
                above.append(other)
                if (ours[-1] == 1).any() and (one == 1).any():
                    first.append(int(np.argmax(one == 1)) - int(np.argmax(ours[-1] == 1)))
            mine, mean, alike = (np.concatenate(each) for each in (ours, averaged, above))
            rows.append((f'S_{system}', f'{alpha:g}', len(mine), 100 * (mine == mean).mean(),
                         100 * (mine == alike).mean(), float(np.abs(mine - alike).max()), float(np.mean(first))))
    return markdown(pd.DataFrame(rows, columns=['system', 'α', 'ranks', 'equal, %', 'equal with ties counted alike, %',
                                                'largest difference then', 'more documents for their rank 1']), 2)


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


def texts(data: pathlib.Path) -> tuple[str, str]:
    """The paper's Table 4 on AMBIENT: relevant documents of one topic from rare to common, with what they say."""
    folder = data / 'data/ambient'
    docs, queries, subtopics = hierarchies.ambient(folder)
    runs = hierarchies.systems(read_run(folder / 'engine-order.run'), docs, queries, subtopics)
    judged = pd.read_csv(folder / 'qrels.diversity', sep=r'\s+', names=['query_id', 'subtopic', 'doc_id', 'relevance'],
                         dtype={'query_id': str, 'subtopic': str, 'doc_id': str})
    pool = Pool.from_runs(runs, depth=20).over(topic_level(folder / 'qrels.diversity'))
    found = report.relevant_documents(pool)
    found = found[found['n_retrieved'] > 0]
    spread = found.groupby('query_id')['n_retrieved'].agg(['nunique', 'size']).sort_values(
        ['nunique', 'size'], ascending=False, kind='stable')
    shown = found[found['query_id'] == spread.index[0]].sort_values(['n_retrieved', 'doc_id'], kind='stable')
    shown = shown.iloc[np.linspace(0, len(shown) - 1, 5).round().astype(int)]
    with gzip.open(folder / 'results.txt.gz', 'rt', encoding='utf-8', errors='replace') as file:
        titles = {row[0]: row[2] for row in (line.rstrip('\n').split('\t') for line in file)}
    names = subtopics[spread.index[0]]
    of = judged[judged['query_id'] == spread.index[0]].groupby('doc_id')['subtopic'].first()
    table = pd.DataFrame({'document': shown['doc_id'], 'S_d': shown['n_retrieved'], 'R': shown['rareness'].round(2),
                          'title': [titles[d].replace('|', '–') for d in shown['doc_id']],
                          'subtopic': [names[int(of[d]) - 1].replace('|', '–') for d in shown['doc_id']]})
    text = (f'{len(runs)} systems that rank the same 100 results of a search engine for {len(queries)} ambiguous '
            f'queries, depth 20 (see [hierarchies](hierarchies.md)); query “{queries[spread.index[0]]}”.\n'
            f'Of the {len(found)} relevant documents of all queries that are in a top 20, '
            f'{int((found["n_retrieved"] == 1).sum())} are in one system’s only.')
    return markdown(table, 2), text


def web_2012(data: pathlib.Path) -> tuple[Pool, pd.DataFrame]:
    """The second pool: rankings of Web Track topics 151–200 by Indri and by neural re-rankers; ad-hoc judgments."""
    files = sorted((data / 'data/runs/clueweb09').iterdir())
    own = [file for file in files if not file.name.startswith('indri') or '2012' in file.name]
    return Pool.from_runs(own), topic_level('clueweb09/en/trec-web-2012')


def page(data: pathlib.Path) -> str:
    """The page's text; writes its pictures."""
    folder = data / 'data/pool/trec-covid-r5'
    everyone, qrels = Pool.from_runs(folder / 'runs'), topic_level(folder / 'qrels.gz')
    pool, teams = everyone.over(qrels), everyone.regroup(lambda system: system[:3].lower()).over(qrels)
    second, second_qrels = web_2012(data)
    web = second.shallower(20)
    web_judged = web.over(second_qrels)
    change = report.ranking_change(report.rankings(pool))
    tau = change.pivot(index='alpha', columns='measure', values='tau')
    tau_ap = change.pivot(index='alpha', columns='measure', values='tau_ap')
    simulated = rarity.simulations(pool)
    first, first_text = rarity.figure_1(pool, simulated)
    shown = rarity.shown_topic(pool, rarity.first_ranks(simulated))
    simulation = picture(report.plot_rare_common(simulate_rare_common(pool, shown)), 'innovation-simulation.svg')
    by_query = report.rareness_by_query(pool)
    relevant = report.relevant_documents(pool)
    curve = picture(report.plot_ranking_change(change), 'innovation-tau.svg')
    boxes = picture(report.plot_rareness_by_query(pool), 'innovation-rareness.svg')
    finds = report.system_finds(pool)
    below = {m: tau.index[tau[m] < 0.9].min() for m in tau.columns}
    above_09 = 'It stays above 0.9, the usual threshold, up to α = 1' if all(np.isnan(v) for v in below.values()) \
        else f'It falls below 0.9, the usual threshold, at {below}'
    scores = pool.scores([f'{measure}@100' for measure in MEASURES])
    n_pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    web_pairs = len(web.systems) * (len(web.systems) - 1) // 2
    at_95, at_99, theirs = map(markdown, rarity.table_1(scores))
    third, width = rarity.table_3(pool)
    stable = meta.stability(scores, fuzziness=0.05, rng=0).values
    pairwise = meta.discriminative_power(scores, 'tukey_pairwise').counts
    family = meta.discriminative_power(scores, 'tukey').counts
    union = rarity.unions(everyone, qrels, 100)
    web_union = rarity.unions(web, second_qrels, 20, SIZES[:4])
    documents, documents_of = texts(data)
    bias, worst = map(markdown, rarity.bias_tables(teams))
    curve_of_teams = campaign.reusability(teams, measures('P_Rareness(alpha=0)@100 P_Rareness@100'), (1, 2, 4, 8, 16),
                                          rng=0)
    alike, web_alike = campaign.near_duplicates(everyone), campaign.near_duplicates(second)
    return f'''# Innovation: rewarding relevant documents that other systems miss

The experiments of Türkmen, Lease & Kutlu, *New Metrics to Encourage Innovation and Diversity in IR Approaches* (ECIR
2023, below "the paper"), done again on other collections, with the questions it leaves open. How to use the measures
and the pool of a campaign: [guide](../guide/innovation.md). Definitions: [all measures](../reference/measures.md).

**Related work.** The paper knows of no earlier measure of its kind. Fujii & Ishikawa (*A Novelty-based Evaluation
Method for Information Retrieval*, LREC 2000) had proposed one: it favours systems that retrieve relevant documents
which existing systems do not. What a run outside the pool loses is the subject of Zobel (SIGIR 1998), of Voorhees
(CLEF 2001), who leaves out one group at a time, of Buckley, Dimmick, Soboroff & Voorhees (*Bias and the limits of
pooling for large collections*, 2007), and, for new runs against old pools, of Voorhees, Soboroff & Lin (*Can Old TREC
Collections Reliably Evaluate Modern Neural Retrieval Models?*, 2022).

**Data.** Made by `python -m studies innovation`, which printed every number of this page but the paper's.

* {len(pool.systems)} runs of TREC-COVID, round 5, top 100, {len(pool.collection.query_ids)} topics,
  {len(pool.table)} judgments, {len(relevant)} relevant documents (grade 1 or 2). Cutoff 100 and S_d over the top 100,
  as in the paper. Teams are not in the data: runs whose names begin with the same three characters are taken for one.
* A second pool, Web Track 2012: {len(web.systems)} rankings of {len(web_judged.collection.query_ids)} topics by Indri
  and by neural re-rankers, ad-hoc judgments. Depth and cutoff are 20: at depth 100 {len(web_alike)} of {web_pairs}
  pairs of runs share 90% or more of their documents, since re-rankers reorder one list ({len(alike)} of {n_pairs} pairs
  in TREC-COVID).

The paper used TREC-5, TREC-8, the Web Track of 2014 and the Deep Learning Track of 2020; those runs are not available
here, so its numbers are given beside ours and are not expected to be equal. What can be compared is the direction in
which α moves a value.

## Errata of the paper

* §2.1: for α = 1 the bound of P_Rareness is 1 + (S − 1)/S = 2 − 1/S, not 2(S − 1)/S.
* §5.2: R' is largest at S_d = 1, not at S_d = S. Eq. 4 is printed with R; it reaches 1 only with R'.
* §4.3: the authors' program (github mdenizturkmen/ecir2023, commit b0a4410, `utils.py`) runs `pairwise_tukeyhsd` of
  statsmodels on two systems at a time, which corrects for nothing. As published, `discriminativePower.py` counts the
  pairs of P_Rareness again for the rows of AP_Rareness; the paper's numbers differ between the two, so they come from
  another version.
* §4.4: the program asks that a difference of means exceeds 0.05. α stretches the scale, and that explains the gain in
  stability: all of it on TREC-COVID, most of it on Web 2012 (below, Table 2 and the form in [0, 1]).

## How rare relevant documents are

Of the {len(relevant)} relevant documents {int((relevant["n_retrieved"] == 0).sum())} are in no system's top 100, {
int((relevant["n_retrieved"] == 1).sum())} in one system's, {int((relevant["rareness"] >= 0.9).sum())} ({
100 * (relevant["rareness"] >= 0.9).mean():.0f}%) in those of at
most a tenth of the systems (R ≥ 0.9). The mean R is {relevant["rareness"].mean():.3f}; by topic it goes from {
by_query["mean"].min():.3f} to {by_query["mean"].max():.3f}.

![R of the relevant documents by topic]({boxes})

### Are rare documents less relevant? (§5.1)

TREC-COVID:

{markdown(rarity.by_rarity(pool, 2), 1)}

Web 2012:

{markdown(rarity.by_rarity(web_judged, 2), 1)}

Documents that none of these systems retrieves were judged for others. The more systems retrieve a judged document, the
likelier it is relevant, in both pools. Among relevant documents of TREC-COVID
{rarity.rarity_by_grade(pool, 2)}:
rare relevant documents are less relevant. In Web 2012
{rarity.rarity_by_grade(web_judged, 2)}:
no difference can be told there.

### What they say (Table 4)

{documents_of}

{documents}

## Does choosing systems by rareness enlarge the union? (§5.1)

n systems are chosen by their scores on every second topic, and the union of their relevant documents is counted on the
others, and the other way round: per cent of what all systems retrieve (depth 100).

{markdown(union, 1)}

Web 2012, depth 20:

{markdown(web_union, 1)}

By P_Rareness the union of the best n systems is mostly as large as by P or somewhat larger. But from n = 4 on (with
`norm` in TREC-COVID from n = 8) it is smaller than that of systems drawn at random: the best systems are alike, and the
measure judges each by itself. Where the union is wanted, systems must be chosen with regard to one another
(`union_curve`), or, for many of them, by what only they find (`NumUnique`).

## Figure 1: S_rare against S_common

One simulated system finds D relevant documents that nobody else has, the other the D most common ones; each is ranked
among the {len(pool.systems)} real systems by P_Rareness@100 on one topic. The table has the D needed for rank 1.

{markdown(first, 1)}

{first_text}
As in the paper the two fare alike without a weight on rareness, S_rare needs fewer documents the larger α is, and
S_common changes little; it falls a little behind as α grows.

![Rank of the simulated systems by the number of relevant documents they find]({simulation})

How far the ranks of the authors' program, rewritten for the same data, are those of `simulate_rare_common`, over all
topics and D ≥ 1:

{beside_the_program(pool, simulated)}

Three things differ. The program gives tied systems their average rank, ours the first: with α = 0, where scores are
multiples of 1/100, ties are common, and rank 1 takes one document more. For S_rare it leaves the real systems' scores
as they are without the simulated one, R = 1 − S_d/S, and gives S_rare 1 − 1/S; ours counts S_rare among S + 1 systems
for everyone, as the definition says. For S_common it does count S + 1; what remains there is the order of documents
that equally many systems retrieve, in the program that of a Python set, which changes from run to run.

## Figure 2: system rankings over α

Kendall's τ_b and τ_AP (ties left out, mean of both directions) with the ranking for α = 0.

{markdown(pd.DataFrame({'α': [f'{a:g}' for a in tau.index],
                        **{f'τ, {m}': tau[m].to_numpy() for m in tau.columns},
                        **{f'τ_AP, {m}': tau_ap[m].to_numpy() for m in tau_ap.columns}}))}

As in the paper τ is 1 at α = 0 and decreases steadily.
{above_09}; the paper reports that on DLT20
P_Rareness@100 falls below that for every α > 0, and AP_Rareness does not. τ_AP is lower than τ: changes are larger near
the top of the ranking.

![Correlation with the plain ranking over α]({curve})

Web 2012:

{markdown(curves(web_judged, ['P_Rareness@20', 'AP_Rareness@20', 'nDCG_Rareness@20']))}

## Table 1: discriminative power

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

## Table 2: stability

1000 trials on half of the topics. The last two rows are the plain measures times a constant, with which their means are
those of the measures with α = 1: they order systems as the plain measures do.

{markdown(rarity.table_2(scores))}

With the fixed threshold the plain measures times a constant are as stable as those with rareness; with a threshold
relative to the scores, or none, nothing gains.

## Table 3: number of systems

1000 trials; Kendall's τ_b between the order of N systems that are one another's pool and their order in the whole pool.
Half width of the 95 % intervals: {width}.

{markdown(third)}

## The form in [0, 1], and the second pool

The same for `norm=True` (Eq. 4), whose scores shrink as α grows: under the fixed threshold it looks much less stable,
without one it is nearly as stable. The last but one column is the stability, under the fixed threshold, of P or AP
times the constant that gives it the measure's mean.

{markdown(rarity.forms(pool))}

Web 2012, {web_pairs} pairs:

{markdown(rarity.forms(web_judged, 20))}

## What the choices are worth

τ with the ranking of P_Rareness@100 and AP_Rareness@100, α = 1, as the paper counts.

{markdown(rarity.pool_choices(pool, teams))}

Whether a system is scored as a member or as a newcomer makes no difference: the scores are the same numbers. With
`norm=True` and α = 1 nothing but rareness counts, hence the larger change; R' = R S/(S − 1) then orders systems as R
does, and the rarity that falls fastest with S_d, log(S/S_d)/log(S), changes most. In Eq. 1 the choice of rarity matters
little.

## Graded and rank-based forms

`nDCG_Rareness` and `RBP_Rareness` are ours. τ and τ_AP with their own ranking for α = 0.

{markdown(curves(pool, ['P_Rareness@100', 'AP_Rareness@100', 'nDCG_Rareness@100', 'nDCG_Rareness@10',
                        'RBP_Rareness@100', 'RBP_Rareness(p=0.95)@100']))}

## Who gains, who loses

The six systems that gain and that lose most ranks by P_Rareness@100 from α = 0 to α = 1. `relevant`: documents in the
top 100 over all topics; `rare`: of these with R ≥ 0.9; `unique`: that no other system retrieves.

{markdown(rarity.movers(pool, teams))}

Unique finds are few and concentrated: {int((finds['unique'] > 0).sum())} of {len(finds)} systems have any, and the
first five have {int(finds['unique'].head().sum())} of {int(finds['unique'].sum())}.

Relevant documents that no other team retrieves, the first eight teams; `more_than`: of how many teams the number is
significantly larger (randomised Tukey HSD, 5 %):

{markdown(campaign.unique_by_group(teams, rng=0).head(8))}

## How far the judgments depend on each team

Each team's documents that nobody else retrieves are taken out of the judgments, and all systems ranked again
(`group_bias`). Documents that were judged for the fourth round are among them, and the teams are guesses.

{bias}

The systems that lose most ranks, nDCG@10:

{worst}

Judgments of what n teams retrieve, 20 draws each (`reusability`): the share of the relevant documents that is still
judged, and τ with the ranking by all judgments, of all systems and of those outside.

{markdown(curve_of_teams)}

## What agrees and what does not

* α lowers the correlation with the plain measure steadily, as in the paper.
* Discriminative power by the paper's test moves from {pairwise[0]} to {pairwise[2]} pairs for P@100 and from
  {pairwise[3]} to {pairwise[5]} for AP as α goes from 0 to 1; by HSD over all systems, which corrects for the number of
  pairs and takes the topics' own difficulty out, from {family[0]} to {family[2]} and from {family[3]} to {family[5]}.
  The paper reports growth in all cases but P@100 on WT14. So the gain in discriminative power depends on the collection
  and on the test.
* With a fixed fuzziness of 0.05 stability moves from {stable[0]:.3f} to {stable[2]:.3f} (P@100) and from
  {stable[3]:.3f} to {stable[5]:.3f} (AP), which is the paper's finding; it is the effect of the scale, in Web 2012 to
  the larger part.
* The order of few systems alone is close to their order in the whole pool, and closer the more take part, as in the
  paper.
* Rare documents are less often relevant, as §5.1 supposes, and in TREC-COVID less relevant. Choosing the best systems
  by rareness enlarges the union of what they find a little, and far less than choosing them together.
'''
