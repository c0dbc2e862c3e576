"""Measures of innovation on a pool of 126 systems: Figure 2 and Tables 1 to 3 of Türkmen et al. 2023, §4.

    python docs/studies/rareness.py         # about a minute; writes docs/study_rareness.md
"""
from __future__ import annotations

import pathlib
import sys

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from docs.studies.tables import main, markdown
from ir_divmeasures import Scores, meta
from ir_divmeasures.pools import pool as rareness

MEASURES = {('P@100', 0.0): 'P_Rareness(alpha=0)@100', ('P@100_Rareness', 0.5): 'P_Rareness(alpha=0.5)@100',
            ('P@100_Rareness', 1.0): 'P_Rareness(alpha=1)@100', ('AP', 0.0): 'AP_Rareness(alpha=0)@100',
            ('AP_Rareness', 0.5): 'AP_Rareness(alpha=0.5)@100', ('AP_Rareness', 1.0): 'AP_Rareness(alpha=1)@100'}
COLLECTIONS = ('TREC-5', 'TREC-8', 'WT14', 'DLT20')
PAIRS = (1830, 8256, 406, 2016)
# T23, Table 1: significantly different pairs at 95 % and at 99 %, by collection.
TABLE_1 = [((598, 406), (3666, 2973), (218, 174), (61, 15)), ((680, 457), (3778, 3050), (213, 168), (173, 24)),
           ((728, 476), (3825, 3079), (213, 168), (237, 82)), ((541, 334), (3731, 2976), (211, 169), (320, 169)),
           ((632, 404), (3915, 3209), (216, 168), (352, 209)), ((701, 467), (4048, 3363), (214, 170), (376, 238))]
# T23, Table 2, by collection; Table 3, TREC-8, N = 2, 4, …, 64.
TABLE_2 = [(.532, .545, .635, .071), (.642, .628, .716, .128), (.709, .684, .768, .179), (.513, .580, .433, .425),
           (.578, .623, .517, .444), (.633, .656, .585, .466)]
TABLE_3 = {'P@100_Rareness': (.970, .976, .983, .987, .992, .995), 'AP_Rareness': (.970, .984, .985, .989, .993, .996)}
TESTS = {'pairwise HSD (theirs)': ('tukey_pairwise', None), 'HSD, all systems': ('tukey', None),
         'HSD, one-way': ('tukey_oneway', None), 'randomised HSD': ('tukey_randomised', None),
         'paired bootstrap': ('bootstrap', None), 'paired t, Holm': ('t', 'holm'),
         'Wilcoxon, Holm': ('wilcoxon', 'holm')}


def named() -> pd.DataFrame:
    return pd.DataFrame(MEASURES.keys(), columns=['measure', 'α'])


def figure_2(pool: rareness.Pool) -> str:
    alphas = np.round(np.linspace(0, 1, 11), 1)
    rows = []
    for name, measure in (('P@100', 'P_Rareness'), ('AP@100', 'AP_Rareness')):
        means = pool.scores([f'{measure}(alpha={a})@100' for a in alphas]).values.mean(axis=1)
        rows.append({'against': name, **{f'α={a}': meta.kendall(means[:, 0], means[:, i])
                                         for i, a in enumerate(alphas)}})
    return markdown(pd.DataFrame(rows))


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
        frame[f'T23, {collection}'] = [row[c] for row in TABLE_2]
    return markdown(frame)


def table_3(pool: rareness.Pool) -> tuple[str, str]:
    measures = ['P_Rareness@100', 'AP_Rareness@100']
    found = meta.system_count(lambda members: pool.scores(measures, members).values.mean(axis=1), len(pool.systems),
                              [2, 4, 8, 16, 32, 64], measures=['P@100_Rareness', 'AP_Rareness'], rng=0)
    rows = []
    for m, name in enumerate(found.measures):
        rows.append({'measure': name, 'data': 'TREC-COVID, 126 systems (ours)',
                     **{f'N={n}': float(found.values[i, m]) for i, n in enumerate(found.sizes)}})
        rows.append({'measure': name, 'data': 'TREC-8, 129 systems (T23)',
                     **{f'N={n}': TABLE_3[name][i] for i, n in enumerate(found.sizes)}})
    width = float((found.interval[..., 1] - found.interval[..., 0]).max() / 2)
    return markdown(pd.DataFrame(rows)), f'{width:.3f} at most'


def write(data: pathlib.Path) -> str:
    folder = data / 'data/pool/trec-covid-r5'
    pool = rareness.Pool(str(folder / 'qrels.gz'), str(folder / 'runs'))
    scores = pool.scores(list(MEASURES.values()))
    n_pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    at_95, at_99, theirs = table_1(scores)
    third, width = table_3(pool)
    stable = meta.stability(scores, fuzziness=0.05, rng=0).values
    relative = meta.stability(scores, fuzziness=0.05, relative=True, rng=0).values
    bare = meta.stability(scores, rng=0).values
    pairwise = meta.discriminative_power(scores, 'tukey_pairwise').counts
    family = meta.discriminative_power(scores, 'tukey').counts
    return f"""# Measures of innovation on a pool of systems

Every number on this page was printed by `python docs/studies/rareness.py`.

**What is repeated.** Figure 2 and Tables 1 to 3 of T23 (Türkmen, Lease, Kutlu, *New Metrics to Encourage Innovation and
Diversity in Information Retrieval Approaches*, ECIR 2023, §4).

**What is different.** The paper's runs (TREC-5, TREC-8, Web Track 2014, Deep Learning 2020) are not available here. We
use the {len(scores.systems)} systems of TREC-COVID round 5, their top 100 on {len(scores.queries)} topics
({n_pairs} pairs of systems), cutoff 100 and S_d over the top 100, and, for measures that need no pool, the scores of
the official Web Track 2012 and 2014 submissions. Judgments of TREC-COVID are of the residual collection and plentiful,
so P@100 is high. What can be compared is the direction in which α moves a value.

## Rank correlation with the plain measure (Figure 2)

Kendall's τ_b over the {len(scores.systems)} systems.

{figure_2(pool)}

## Discriminative power (Table 1)

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

## Stability (Table 2)

1000 trials on half of the topics. The authors' program asks that a difference exceeds 0.05.

{table_2(scores)}

## Number of systems (Table 3)

1000 trials; Kendall's τ_b between the order of N systems that are one another's pool and their order in the whole pool.
Half width of the 95 % intervals: {width}.

{third}

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
"""


if __name__ == '__main__':
    main('study_rareness.md', write)
