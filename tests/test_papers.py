"""Published papers on runs: pages, tables of Amigó et al. and Türkmen et al., and the published pages."""

import functools
import math
import pathlib

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import evaluate, measures, meta, studies
from ir_divmeasures.meta import significance
from ir_divmeasures.pools import Pool
from ir_divmeasures.studies.study import beside, sample

from .builders import QUICK, expect_error, over
from .reference.every import literal
from .reference.meta import simulation, unanimity
from .reference.twins import Query

ROOT = pathlib.Path(__file__).parents[1]


def world(systems=6, topics=8, documents=30):
    rng = np.random.default_rng(1)
    qrels = {
        f'q{q}': {
            f'd{d}': {str(t): int(rng.integers(0, 3)) for t in (1, 2)} for d in range(documents)
        }
        for q in range(topics)
    }
    runs = {
        f's{s}': {
            q: {
                d: sum(judged[d].values()) + (1 + s) * rng.random()
                for d in rng.choice(list(judged), min(20, documents), False)
            }
            for q, judged in qrels.items()
        }
        for s in range(systems)
    }
    return qrels, runs


QRELS, RUNS = world()
TOPICS = {
    q: {d: max(grades.values()) for d, grades in judged.items()} for q, judged in QRELS.items()
}


def yours(paper, *names, **settings):
    found = studies.tables(paper, QRELS, RUNS, names, **settings)
    return {name: table.set_index(['row', 'column'])['yours'] for name, table in found.items()}


# --------------------------------------------------------------------------------------------------------- the pages


def test_the_page_joins_the_paper_and_yours():
    cells = pd.DataFrame(
        [
            ('a', 'x', 0.5, 0.25, 0.1, 0.4),
            ('b', 'x', None, 3, None, None),
            ('b', 'y', '(lost)', None, None, None),
        ],
        columns=['row', 'column', 'paper', 'yours', 'low', 'high'],
        dtype=object,
    )
    table = beside(cells, ['x'], 2)
    assert table.columns.tolist() == ['', 'x, paper', 'x, yours']  # nothing of yours in y
    assert table.to_numpy().tolist() == [['a', '0.50', '0.25 [0.10, 0.40]'], ['b', '', '3']]
    alone = beside(cells.assign(paper=None)[:2], ['x'], 2)
    assert alone.to_numpy().tolist() == [['a', '0.25 [0.10, 0.40]'], ['b', '3']]
    assert alone.columns.tolist() == ['', 'x']


def test_a_page_of_the_sample():
    study = studies.study('turkmen')(**sample())
    found = study.page(['4', 'figure1'], made_by='me')
    assert found.count('\n## ') == 3 and 'the sample collection (7 systems' in found
    csv = study.page(['4'], 'csv').splitlines()
    assert csv[0] == 'table,row,column,paper,yours,low,high' and len(csv) > 5


@pytest.mark.slow
@over('paper', ['amigo', 'carterette', 'dou', 'turkmen'])
def test_all_tables_of_the_sample(paper):
    tables = studies.study(paper)(**sample()).tables()
    assert any(table['yours'].notna().any() for table in tables.values())


def test_errors():
    with expect_error("no paper 'turk2'"):
        studies.tables('turk2', QRELS, RUNS)
    with expect_error("no table 'table9'"):
        studies.tables('turkmen', QRELS, RUNS, ['table9'])
    with expect_error('expected at least 2 systems and 2 judged topics, found 1 and 8'):
        studies.tables('turkmen', QRELS, {'a': RUNS['s1']})


# --------------------------------------------------------------------------------------------------------- Türkmen


def test_tables_1_to_3_of_innovation_are_those_of_meta(monkeypatch):
    """With few trials, and without Tukey's distribution, which takes long."""
    few = functools.partial(meta.system_count, n_trials=20)
    monkeypatch.setattr(meta, 'system_count', few)
    monkeypatch.setattr(significance, 'studentised_range', lambda q, *_: (q, 1.0))
    found = yours('turkmen', 'table1', 'table2', 'table3')
    pool = Pool.from_runs(RUNS, depth=100).over(TOPICS)
    scores = pool.scores(['P_Rareness(alpha=1)@100', 'AP_Rareness(alpha=0.5)@100'])
    power = meta.discriminative_power(scores, 'unpaired', None, alpha=0.01)['significant'].tolist()
    rows = ['P@100_Rareness, α=1', 'AP_Rareness, α=.5']
    assert [found['table1'][row, 'unpaired t, 99%'] for row in rows] == power
    stable = meta.stability(scores, n_trials=1000, fuzziness=0.05, rng=3)['statistic'].tolist()
    assert [found['table2'][row, '1,000 trials'] for row in rows] == pytest.approx(stable, abs=0.02)
    assert found['table3'][rows[0], 'N=4'] <= 1


def test_scores_of_parts_of_the_pool_are_those_of_the_measures():
    """The closed form of Table 3 is what a pool of these systems gives."""
    study = studies.study('turkmen')(QRELS, RUNS)
    members = ['s0', 's2', 's3']
    own = Pool.from_runs({name: RUNS[name] for name in members}, depth=100).over(TOPICS)
    wanted = own.scores(['P_Rareness(alpha=1)@100', 'AP_Rareness(alpha=1)@100']).values.mean(axis=1)
    places = [list(study.runs).index(name) for name in members]
    shared = study.shared[:, places][:, :, places]
    assert pytest.approx(wanted) == (2 * shared.diagonal(axis1=1, axis2=2) - shared.mean(axis=2)).T


# ----------------------------------------------------------------------------------------------------------- Amigó


def test_mu_of_the_example_by_hand():
    """m1: P(improves) = P(both) = 1/3 · … of the six ordered pairs; .415 as printed."""
    found = yours('amigo', 'example')['example']
    assert found['MU', 'm1'] == pytest.approx(math.log2(4 / 3))


def test_table_3_of_unanimity_is_the_best_variant():
    found = yours('amigo', 'table3')['table3']
    names = studies.study('amigo').data['sets']['k=20, e=0']
    study = studies.study('amigo')(QRELS, RUNS)
    listed = {
        row: [name for text in texts for (name,) in study.settings(text)]
        for row, texts in names.items()
    }
    variants = [name for several in listed.values() for name in several]
    table = meta.unanimity(evaluate(runs=RUNS, qrels=QRELS, measures=variants)).set_index('measure')
    for row, several in listed.items():
        best = max(table['statistic'].iloc[variants.index(name)] for name in several)
        assert found[row, 'k=20, e=0'] == pytest.approx(best)


def literal_scores(study, queries):
    """values[system][topic][measure] of all variants of §6.2 with effort, by their twins."""
    variants = [('intents', m) for f, m in study.variants('intents').items() if 'e=0|' not in f]
    variants += [('topics', m) for m in study.variants('topics').values()]
    parsed = [(kind, measures(name)[0]) for kind, name in variants]
    values = []
    for of_system in queries:
        of_run = []
        for query in of_system:
            best = {
                (d, 't'): max(g for (e, _), g in query.grades.items() if e == d)
                for d, _ in query.grades
            }
            kinds = {'intents': query, 'topics': Query(query.ranking, best)}
            of_run.append([literal(m.NAME, kinds[kind], **m.params) for kind, m in parsed])
        values.append(of_run)
    families = [name for name in study.variants('intents') if 'e=0|' not in name]
    return values, [*families, *study.variants('topics')]


def cells(qrels):
    """{query: {(document, aspect): grade}}."""
    return {
        q: {(d, t): g for d, row in judged.items() for t, g in row.items()}
        for q, judged in qrels.items()
    }


def simulated(grades, lists, longest=None, rng=None):
    """queries[system][topic] of the official judgments, or of a simulation."""
    columns = []
    for q, of_topic in grades.items():
        rankings, weights = [docs[q] for docs in lists.values()], None
        if rng is not None:
            of_topic, weights, cut = simulation(of_topic, map(len, rankings), longest, rng)
            rankings = [docs[:n] for docs, n in zip(rankings, cut)]
        columns.append([Query(tuple(docs), of_topic, weights) for docs in rankings])
    return zip(*columns)


@over('longest', [None, 10])
def test_simulations_are_the_literal_ones(longest):
    study = studies.study('amigo')(QRELS, RUNS)
    (judged, runs), rng = (
        study.simulate(longest, np.random.default_rng(0)),
        np.random.default_rng(0),
    )
    for query, grades in cells(QRELS).items():
        lengths = [len(run[query]) for run in RUNS.values()]
        drawn, weights, cut = simulation(grades, lengths, longest, rng)
        rows = judged[judged['query_id'] == query]
        found = rows.set_index(['doc_id', 'subtopic_id'])['relevance'].to_dict()
        assert found == pytest.approx(drawn)
        assert dict(zip(rows['subtopic_id'], rows['weight'])) == pytest.approx(weights)
        assert [sum(run['query_id'] == query) for run in runs.values()] == cut


@QUICK
@pytest.mark.filterwarnings('ignore:Unanimity is set to 0')  # in some draws
def test_table_2_by_literal_measures(quick):
    """The variant of each family whose MU is largest, by twins and by the words of §6.1 and §6.3; the mean over ten
    simulations. The quick form tests the official judgments."""
    qrels, _ = world(topics=2, documents=12)
    best = {
        q: sorted(judged, key=lambda d: -sum(judged[d].values())) for q, judged in qrels.items()
    }
    lists = {f's{n}': {q: docs[n:] + docs[:n] for q, docs in best.items()} for n in range(3)}
    runs = {
        s: {q: {d: -i for i, d in enumerate(docs)} for q, docs in run.items()}
        for s, run in lists.items()
    }
    study = studies.study('amigo')(qrels, runs)
    columns = {'official': 0, 'cut at random': None, 'cut below 50': 50}
    if quick:
        columns = {'official': 0}
        study.values_by_scenario = {'official': [study.values(study.pool, study.qrels)]}
        rows = study.families('official', 'official', 'RBU e=0', 'EU e=0')
        table = {(row, column): value for row, column, value, *_ in rows}
    else:
        table = study.tables(['table2'])['table2'].set_index(['row', 'column'])['yours']
    for column, longest in columns.items():
        rngs = [study.rng(f'amigo-2018 {column} {n}') for n in range(10)]
        several = []
        for rng in [None] if column == 'official' else rngs:
            values, names = literal_scores(study, simulated(cells(qrels), lists, longest, rng))
            several.append([unanimity(np.round(values, 12), m) for m in range(len(names))])
        means = dict(zip(names, np.mean(several, axis=0)))
        assert max(means.values()) > 0.1
        for family in 'RBU', 'EU', 'AP', 'AP-IA', 'RR', 'NRBP', 'DCG@k', 'P-IA@k', 'α-DCG-IA@k':
            best = max(value for name, value in means.items() if name.startswith(f'{family}|'))
            assert table[family, column] == pytest.approx(best), (family, column)
