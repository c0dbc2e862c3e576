"""Innovation on two pools: the experiments of Türkmen, Lease & Kutlu (ECIR 2023), and additional ones.

python -m studies innovation   # about three minutes; writes docs/studies/innovation.md and its pictures
"""

from __future__ import annotations

import gzip
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ir_divmeasures import Pool, Scores, measures, meta, read_run, topic_level
from ir_divmeasures.pools import analysis as report
from ir_divmeasures.pools import campaign
from ir_divmeasures.pools.judged import JudgedPool
from ir_divmeasures.studies import rarity
from ir_divmeasures.studies.rare_common import plot_rare_common, simulate_rare_common
from ir_divmeasures.studies.rarity import ALPHAS, MEASURES, PAIRS, SIZES, curves

from . import hierarchies
from .common import picture, templated


def program_ranks(
    has: NDArray[np.float64],
    system: str,
    alpha: float,
    sizes: Sequence[int],
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


def beside_the_program(pool: JudgedPool, simulations: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Shares of equal ranks, a row for each system and α."""
    pairs = report.relevant_pairs(pool, 1)
    query_of = np.array(pool.collection.query_ids)[pool.collection.query_of_pair[pairs]]
    has = {
        query: pool.retrieved[:, pairs[query_of == query]].astype(float) for query in simulations
    }
    rows = []
    for system in ('rare', 'common'):
        for alpha in ALPHAS:
            ranks, averaged, above, first = [], [], [], []
            for query, table in simulations.items():
                part = table[
                    (table['system'] == system)
                    & (table['alpha'] == alpha)
                    & (table['n_relevant'] > 0)
                ]
                one, other = program_ranks(has[query], system, alpha, part['n_relevant'].tolist())
                ranks.append(part['rank'].to_numpy())
                averaged.append(one)
                above.append(other)
                if (ranks[-1] == 1).any() and (one == 1).any():
                    first.append(int(np.argmax(one == 1)) - int(np.argmax(ranks[-1] == 1)))
            all_ranks, mean, alike = (np.concatenate(each) for each in (ranks, averaged, above))
            rows.append(
                (
                    f'S_{system}',
                    f'{alpha:g}',
                    len(all_ranks),
                    100 * (all_ranks == mean).mean(),
                    100 * (all_ranks == alike).mean(),
                    float(np.abs(all_ranks - alike).max()),
                    float(np.mean(first)),
                )
            )
    return pd.DataFrame(
        rows,
        columns=[
            'system',
            'α',
            'ranks',
            'equal, %',
            'equal with ties counted alike, %',
            'largest difference then',
            'more documents for their rank 1',
        ],
    )


def official(data: pathlib.Path) -> pd.DataFrame:
    """Table 1's first column of tests on the official runs of two Web Tracks, for measures that need no pool."""
    rows = []
    for year in (2012, 2014):
        scores = Scores.read(
            {
                name: data / f'data/scores/web{year}_{name}.csv'
                for name in ('ap', 'p20', 'ndcg20', 'err20', 'rr')
            }
        )
        power = {
            text: meta.discriminative_power(scores, method, correction=None, rng=0)
            for text, method in (
                ('pairwise HSD (theirs)', 'tukey_pairwise'),
                ('HSD, all systems', 'tukey'),
                ('paired bootstrap', 'bootstrap'),
            )
        }
        stable = meta.stability(scores, fuzziness=0.05, n_resamples=0, rng=0).values
        for m, measure in enumerate(scores.measures):
            rows.append(
                {
                    'track': f'Web {year}',
                    'systems': len(scores.systems),
                    'measure': measure,
                    **{
                        f'{text}, {level}': power[text].count(alpha)[m] / len(power[text].pairs)
                        for text in power
                        for level, alpha in (('95 %', 0.05), ('99 %', 0.01))
                    },
                    'stability': float(stable[m]),
                }
            )
    return pd.DataFrame(rows)


def texts(data: pathlib.Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The paper's Table 4 on AMBIENT: relevant documents of one topic from rare to common, with what they say."""
    folder = data / 'data/ambient'
    docs, queries, subtopics = hierarchies.ambient(folder)
    runs = hierarchies.systems(read_run(folder / 'engine-order.run'), docs, queries, subtopics)
    judged = pd.read_csv(
        folder / 'qrels.diversity',
        sep=r'\s+',
        names=['query_id', 'subtopic', 'doc_id', 'relevance'],
        dtype={'query_id': str, 'subtopic': str, 'doc_id': str},
    )
    pool = Pool.from_runs(runs, depth=20).over(topic_level(folder / 'qrels.diversity'))
    relevant = report.relevant_documents(pool)
    relevant = relevant[relevant['n_retrieved'] > 0]
    spread = (
        relevant.groupby('query_id')['n_retrieved']
        .agg(['nunique', 'size'])
        .sort_values(['nunique', 'size'], ascending=False, kind='stable')
    )
    rows = relevant[relevant['query_id'] == spread.index[0]].sort_values(
        ['n_retrieved', 'doc_id'], kind='stable'
    )
    rows = rows.iloc[np.linspace(0, len(rows) - 1, 5).round().astype(int)]
    with gzip.open(folder / 'results.txt.gz', 'rt', encoding='utf-8', errors='replace') as file:
        titles = {row[0]: row[2] for row in (line.rstrip('\n').split('\t') for line in file)}
    names = subtopics[spread.index[0]]
    of = judged[judged['query_id'] == spread.index[0]].groupby('doc_id')['subtopic'].first()
    table = pd.DataFrame(
        {
            'document': rows['doc_id'],
            'S_d': rows['n_retrieved'],
            'R': rows['rareness'].round(2),
            'title': [titles[d].replace('|', '–') for d in rows['doc_id']],
            'subtopic': [names[int(of[d]) - 1].replace('|', '–') for d in rows['doc_id']],
        }
    )
    return table, {
        'n_systems': len(runs),
        'n_queries': len(queries),
        'query': queries[spread.index[0]],
        'n_relevant': len(relevant),
        'n_unique': int((relevant['n_retrieved'] == 1).sum()),
    }


def web_2012(data: pathlib.Path) -> tuple[Pool, pd.DataFrame]:
    """The second pool: rankings of Web Track topics 151–200 by Indri and by neural re-rankers; ad-hoc judgments."""
    files = sorted((data / 'data/runs/clueweb09').iterdir())
    own = [file for file in files if not file.name.startswith('indri') or '2012' in file.name]
    return Pool.from_runs(own), topic_level('clueweb09/en/trec-web-2012')


def page(data: pathlib.Path) -> str:
    """The page's text; writes its pictures."""
    folder = data / 'data/pool/trec-covid-r5'
    systems_pool, qrels = Pool.from_runs(folder / 'runs'), topic_level(folder / 'qrels.gz')
    pool, teams = (
        systems_pool.over(qrels),
        systems_pool.regroup(lambda system: system[:3].lower()).over(qrels),
    )
    second, second_qrels = web_2012(data)
    web = second.shallower(20)
    web_judged = web.over(second_qrels)
    change = report.ranking_change(report.rankings(pool))
    tau = change.pivot(index='alpha', columns='measure', values='tau')
    tau_ap = change.pivot(index='alpha', columns='measure', values='tau_ap')
    simulation_tables = rarity.simulations(pool)
    first, figure = rarity.figure_1(pool, simulation_tables)
    topic_shown = rarity.shown_topic(pool, rarity.first_ranks(simulation_tables))
    simulation = picture(
        plot_rare_common(simulate_rare_common(pool, topic_shown)),
        'innovation-simulation.svg',
    )
    by_query = report.rareness_by_query(pool)
    relevant = report.relevant_documents(pool)
    curve = picture(report.plot_ranking_change(change), 'innovation-tau.svg')
    boxes = picture(report.plot_rareness_by_query(pool), 'innovation-rareness.svg')
    finds = report.system_finds(pool)
    below = {m: tau.index[tau[m] < 0.9].min() for m in tau.columns}
    scores = pool.scores([f'{measure}@100' for measure in MEASURES])
    n_pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    web_pairs = len(web.systems) * (len(web.systems) - 1) // 2
    at_95, at_99, paper_table = rarity.table_1(scores)
    third, width = rarity.table_3(pool)
    stable = meta.stability(scores, fuzziness=0.05, n_resamples=0, rng=0).values
    pairwise = meta.discriminative_power(scores, 'tukey_pairwise', correction=None).counts
    family = meta.discriminative_power(scores, 'tukey').counts
    union = rarity.unions(systems_pool, qrels, 100)
    web_union = rarity.unions(web, second_qrels, 20, SIZES[:4])
    documents, documents_of = texts(data)
    bias, worst = rarity.bias_tables(teams)
    curve_of_teams = campaign.reusability(
        teams, measures('P_Rareness(alpha=0)@100 P_Rareness@100'), (1, 2, 4, 8, 16), rng=0
    )
    alike, web_alike = campaign.near_duplicates(systems_pool), campaign.near_duplicates(second)
    return templated(
        'innovation',
        n_systems=len(pool.systems),
        n_topics=len(pool.collection.query_ids),
        n_judgments=len(pool.table),
        relevant=relevant,
        by_query=by_query,
        n_pairs=n_pairs,
        alike=len(alike),
        finds=finds,
        web={
            'n_systems': len(web.systems),
            'n_topics': len(web_judged.collection.query_ids),
            'n_pairs': web_pairs,
            'alike': len(web_alike),
            'rarity': rarity.by_rarity(web_judged, 2),
            'forms': rarity.forms(web_judged, 20),
            'grades': rarity.rarity_by_grade(web_judged, 2),
            'unions': web_union,
            'curves': curves(web_judged, ['P_Rareness@20', 'AP_Rareness@20', 'nDCG_Rareness@20']),
        },
        by_rarity=rarity.by_rarity(pool, 2),
        grades=rarity.rarity_by_grade(pool, 2),
        documents=documents,
        documents_of=documents_of,
        unions=union,
        first=first,
        figure=figure,
        program=beside_the_program(pool, simulation_tables),
        over_alpha=pd.DataFrame(
            {
                'α': [f'{a:g}' for a in tau.index],
                **{f'τ, {m}': tau[m].to_numpy() for m in tau.columns},
                **{f'τ_AP, {m}': tau_ap[m].to_numpy() for m in tau_ap.columns},
            }
        ),
        below={m: alpha for m, alpha in below.items() if not np.isnan(alpha)},
        at_95=at_95,
        at_99=at_99,
        theirs=paper_table,
        PAIRS=PAIRS,
        official=official(data),
        table_2=rarity.table_2(scores),
        third=third,
        width=width,
        forms=rarity.forms(pool),
        choices=rarity.pool_choices(pool, teams),
        curves=curves(
            pool,
            [
                'P_Rareness@100',
                'AP_Rareness@100',
                'nDCG_Rareness@100',
                'nDCG_Rareness@10',
                'RBP_Rareness@100',
                'RBP_Rareness(p=0.95)@100',
            ],
        ),
        movers=rarity.movers(pool, teams),
        bias=bias,
        unique=campaign.unique_by_group(teams).head(8).drop(columns=['unique_intents', 'bringing']),
        worst=worst,
        curve_of_teams=curve_of_teams,
        pairwise=pairwise,
        family=family,
        stable=stable,
        simulation=simulation,
        curve=curve,
        boxes=boxes,
    )
