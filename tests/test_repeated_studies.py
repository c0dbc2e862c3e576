"""The studies of rareness, user models, hierarchies and nuggets on small collections, against what they are made of."""

from __future__ import annotations

import importlib

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    Pool,
    axioms,
    build_hierarchy,
    cli,
    evaluate,
    meta,
    read_qrels,
    resample_judges,
    studies,
    topic_level,
)
from ir_divmeasures.meta.robustness import assessor_robustness, topic_robustness
from ir_divmeasures.studies import bottom_up, rarity, subquestions, user_robustness
from ir_divmeasures.studies.study import markdown, noted
from studies.common import templated


@pytest.fixture(scope='module')
def small():
    """Five systems that order 20 documents of 7 topics by their grade with more and more noise; grades 0 to 2."""
    rng = np.random.default_rng(0)
    qrels = {
        f'q{q}': {f'd{d}': int(g) for d, g in enumerate(rng.integers(0, 3, 20))} for q in range(7)
    }
    runs = {
        f's{s}': {
            q: {d: float(g + (s + 1) * rng.random()) for d, g in list(docs.items())[s:]}
            for q, docs in qrels.items()
        }
        for s in range(5)
    }
    return runs, qrels


# ------------------------------------------------------------------------------------------------- innovation


@pytest.fixture(scope='module')
def innovation(small):
    return studies.innovation(
        *small,
        depth=10,
        n_resamples=20,
        name='Small',
        groups={f's{s}': 'AABBC'[s] for s in range(5)},
    )


@pytest.mark.slow
def test_innovation_tables_are_those_of_the_pool(innovation, small):
    runs, qrels = small
    pool = Pool.from_runs(runs, depth=10).over(topic_level(qrels))
    counts, _ = pool.counts()
    table = innovation['rarity'].set_index('systems that retrieve it')
    assert table.loc['none', 'judged documents'] == (counts == 0).sum()
    assert table.loc['1', 'judged documents'] == (counts == 1).sum() > 0
    assert table['judged documents'].sum() == 7 * 20
    scores = pool.scores(['P_Rareness(alpha=0)@10', 'AP_Rareness(alpha=1)@10'])
    power = meta.discriminative_power(scores, 'tukey').count(0.05)
    assert innovation['power']['HSD, all systems'].iloc[[0, 5]].tolist() == power.tolist()
    plain = evaluate(runs, topic_level(qrels), ['P@10']).means().sort_index()
    assert np.allclose(
        scores.means().sort_index().iloc[:, 0], plain.iloc[:, 0]
    )  # alpha = 0 is the plain measure
    stable = meta.stability(scores, n_trials=20, fuzziness=0.05, rng=0).values
    assert innovation['stability']['ours, fuzziness 0.05'].iloc[[0, 5]].tolist() == pytest.approx(
        stable.tolist()
    )
    first = innovation['rankings'].query('alpha == 0')
    assert first['tau'].tolist() == [1, 1] and innovation['rankings']['tau'].min() < 1


def test_innovation_has_the_papers_numbers(innovation):
    """Türkmen et al. 2023, Tables 1 to 3: 598 of 1830 pairs (TREC-5), .466 (AP_Rareness on DLT20), .970 (N = 2)."""
    assert innovation['power, paper'].iloc[0]['TREC-5, 95 %'] == pytest.approx(598 / 1830)
    assert innovation['stability'].iloc[5]['paper, DLT20'] == 0.466
    assert innovation['systems']['N=2'].iloc[1] == 0.970
    assert innovation['simulation']['paper: topic 1127540'].tolist() == [
        '44',
        '33',
        '28',
        '44',
        '',
        '',
    ]


def test_innovation_says_what_groups_do(innovation, small):
    text = innovation.to_markdown()
    assert text.startswith('## Small: 5 systems, 7 queries')
    assert all(
        markdown(frame, 1 if name in ('rarity', 'simulation', 'unions') else 3) in text
        for name, frame in innovation.tables.items()
    )
    assert list(innovation)[-4:] == ['groups', 'bias', 'losers', 'reusability']
    assert '3 teams instead of 5 runs' in innovation['choices']['way'].tolist()
    unions = innovation['unions'].set_index('chosen by')
    assert (unions.diff(axis=1).iloc[:, 1:] >= -1e-9).all(axis=None) and unions.max(
        axis=None
    ) <= 100
    with pytest.raises(ValueError, match='2 systems and 7 queries: expected at least 3 and 4'):
        studies.innovation({s: small[0][s] for s in ('s0', 's1')}, small[1])


def test_first_ranks_of_the_simulated_systems(small):
    """By definition: the least D at which no real system scores more."""
    runs, qrels = small
    pool = Pool.from_runs(runs, depth=5).over(topic_level(qrels))
    simulated = rarity.simulations(pool, 5)
    first = rarity.first_ranks(simulated)
    assert set(first.index) == set(qrels) and first.notna().any(axis=None)
    for query, table in simulated.items():
        for system, alpha in first.columns:
            rows = table[(table['system'] == system) & (table['alpha'] == alpha)]
            sizes = [d for d, rank in zip(rows['n_relevant'], rows['rank']) if rank == 1]
            assert (
                (min(sizes) == first.loc[query, (system, alpha)])
                if sizes
                else np.isnan(first.loc[query, (system, alpha)])
            )
    assert rarity.shown_topic(pool, first) is None  # the common documents never win with alpha > 0


def test_figure_1_by_hand():
    """A finds d1 and B d2 of four relevant documents; with a third system each of the two counts 2 times at most.

    S_rare draws level with its first document. S_common shares d1 with A, and with alpha > 0 B's d2 is worth more
    (alpha = 1: 1 + 2/3 against 1 + 1/3), until it has d2 as well.
    """
    pool = Pool.from_runs({'A': {'q': {'d1': 1.0}}, 'B': {'q': {'d2': 1.0}}}, depth=4).over(
        {'q': {'d1': 1, 'd2': 1, 'd3': 1, 'd4': 1}}
    )
    table, figure = rarity.figure_1(pool, rarity.simulations(pool, 4))
    assert table['topic q'].tolist() == [1, 1, 1, 1, 2, 2]
    assert (figure['n_topics'], figure['n_enough'], figure['saved']) == (1, 1, 0)


# ------------------------------------------------------------------------------------------------ user models


@pytest.fixture(scope='module')
def user_models(small):
    return studies.user_models(
        *small, sizes=[3, 5], depths=[1, 5], n_trials=4, rng=2011, name='Small'
    )


@pytest.mark.slow
def test_user_models_are_the_papers_15(user_models, small):
    runs, qrels = small
    names = user_robustness.WHOLE
    model, P = user_robustness.GROUPS['model'], user_robustness.GROUPS['P']
    assert len(names) == 15
    found = evaluate(runs, topic_level(qrels), names)
    scores = {name: found[name][:, np.argsort(found.queries)] for name in names}
    topics = topic_robustness(scores, [3, 5], n_trials=4, rng=2011)
    table = user_models['topics'].set_index('P')
    assert table.loc['mean', 'mean'] == pytest.approx(topics.tau.mean())
    dcg = next(name for name in names if (model[name], P[name]) == ('M1', 'DCG'))
    high = evaluate(runs, topic_level(qrels), [user_robustness.measure_name(1, 'DCG', rel=2)])
    strict = {dcg: high.values[:, np.argsort(high.queries), 0]}
    tau = assessor_robustness({dcg: scores[dcg]}, {'strict': strict}).tau.item()
    assert user_models['strict'].set_index('P').loc['DCG', 'M1'] == tau


def test_user_models_beside_the_papers_words(user_models):
    told = user_models['statements']
    assert told['study'].value_counts().to_dict() == {
        'assessor': 7,
        'topics': 7,
        'pools': 6,
        'named page': 3,
    }
    assert set(told['verdict']) <= {'agrees', '**disagrees**', 'in part', 'too close'}
    judged = user_models['judged'].set_index('pool depth')
    assert judged.loc[1, 'judged'] < judged.loc[5, 'judged'] <= 7 * 20
    assert all(
        markdown(frame) in user_models.to_markdown()
        for name, frame in user_models.tables.items()
        if name not in ('statements', 'differences', 'judged')
    )


def test_user_models_with_a_real_second_assessor(small):
    """Someone who judges the same orders systems the same; without grades of 2 there is no page to look for."""
    runs, qrels = small
    binary = {q: {d: min(g, 1) for d, g in docs.items()} for q, docs in qrels.items()}
    found = studies.user_models(
        runs, binary, assessors={'again': binary}, sizes=[3], depths=[1], n_trials=2
    )
    assert found['second'].set_index('P').loc['mean', 'mean'] == 1
    assert 'named page' not in found.tables and len(found['statements']) == 20


# ---------------------------------------------------------------------------------------------------- nuggets


@pytest.fixture(scope='module')
def rated():
    """Runs, ratings 0 to 5 of three sub-questions, and the same with some documents rated again."""
    rng = np.random.default_rng(1)
    qrels = read_qrels(
        {
            f'q{q}': {
                f'd{d}': {str(t): int(g) for t, g in enumerate(rng.integers(0, 6, 3))}
                for d in range(12)
            }
            for q in range(9)
        }
    )
    worth = qrels.groupby(['query_id', 'doc_id'])['relevance'].mean()
    runs = {
        f's{s}': {
            q: {d: float(worth[q, d] + 3 * s * rng.random()) for d in qrels['doc_id'].unique()}
            for q in qrels['query_id'].unique()
        }
        for s in range(1, 5)
    }
    again = qrels[qrels['doc_id'] < 'd5']
    again = again.assign(
        judge='b', relevance=np.clip(again['relevance'] + rng.integers(-1, 2, len(again)), 0, 5)
    )
    return runs, qrels, pd.concat([qrels.assign(judge='a'), again], ignore_index=True)


def test_nuggets(rated):
    runs, qrels, judges = rated
    found = studies.nuggets(
        runs, qrels, judges=judges, cutoff=3, n_resamples=20, rng=1, name='Small'
    )
    means = evaluate(runs, qrels, ['Coverage(rel=3)@3', 'nDCG@3']).means()
    table = found['means'].set_index('system').loc[means.index]
    assert np.allclose(table[['Coverage, listed', 'nDCG']], means)
    for _, pair in found['pairs'].iterrows():  # the two measures order them differently
        assert (
            table.loc[pair['better by it'], pair['measure']]
            > table.loc[pair['better by Coverage'], pair['measure']]
        )
        assert (
            table.loc[pair['better by it'], 'Coverage, listed']
            < table.loc[pair['better by Coverage'], 'Coverage, listed']
        )
    assert found['pairs'].groupby('measure').size().to_dict() == {
        row.measure: row[3] for row in found['exchanged'].itertuples() if row[3]
    }
    assert found['thresholds']['threshold'].tolist() == [1, 2, 3, 4, 5]
    noise = resample_judges(runs, judges, ['alpha_nDCG(rel=3)@3'], n_resamples=20, rng=1)
    again, queries = (
        np.ptp(noise.interval(of=of)[:, 0], axis=1) / 2 for of in ('again', 'queries')
    )
    seen = found['noise'].set_index('measure').loc['α-nDCG']
    assert again.max() > 0
    assert seen[
        ['mean ± over ratings', 'largest', 'mean ± over queries']
    ].tolist() == pytest.approx([again.mean(), again.max(), queries.mean()])
    low, high = np.moveaxis(noise.difference_interval(of='again')[:, 0], -1, 0)
    assert seen['pairs open to ratings'] == ((low <= 0) & (high >= 0)).sum()
    assert list(studies.nuggets(runs, qrels, cutoff=3, n_resamples=20)) == [
        'means',
        'exchanged',
        'pairs',
        'power',
        'thresholds',
        'unique',
    ]


def test_repeats_of_judges_by_hand():
    """Two documents rated twice; one of two records differs, one of three grades, across 3."""
    rows = [
        ('q', 'd1', 3, '1', 'a'),
        ('q', 'd1', 1, '2', 'a'),
        ('q', 'd2', 4, '1', 'a'),
        ('q', 'd1', 2, '1', 'b'),
        ('q', 'd1', 1, '2', 'b'),
        ('q', 'd2', 4, '1', 'b'),
    ]
    judges = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge'])
    first = read_qrels(judges[judges['judge'] == 'a'].drop(columns='judge'))
    one = subquestions.Collection(
        'One',
        {'s': pd.DataFrame({'query_id': ['q'], 'doc_id': ['d1'], 'score': [1.0]})},
        first,
        judges,
    )
    assert subquestions.disagreement(one) == {
        'repeats': 2,
        'differ': 1,
        'grades': 3,
        'grades_differ': 1,
        'across': 1,
    }
    with pytest.raises(ValueError, match='One: one judge'):
        subquestions.disagreement(subquestions.Collection('One', one.runs, first))


def test_the_page_is_made_of_the_same_tables(rated, monkeypatch):
    page = importlib.import_module('studies.nuggets')
    monkeypatch.setattr(page, 'noise', lambda one: subquestions.noise(one, 20, jobs=1))
    one = subquestions.Collection('Small', *rated, cutoff=3)
    with noted():
        text = templated(
            'nuggets',
            sections=[page.section(one)],
            described=subquestions.described([one]),
            ways=subquestions.ways(one),
            replicates=20,
        )
        assert (
            markdown(subquestions.exchanged(one)[0]) in text
            and markdown(subquestions.by_threshold(one)) in text
        )
    assert '\n## Small\n' in text


def test_nuggets_wants_whole_grades(rated):
    runs, qrels, _ = rated
    with pytest.raises(ValueError, match='grade 2.5: expected whole grades'):
        studies.nuggets(runs, qrels.assign(relevance=2.5))


# ------------------------------------------------------------------------------------------------ hierarchies


@pytest.fixture(scope='module')
def texts():
    """Four systems, six queries, two intents of some words each."""
    rng = np.random.default_rng(2)
    words = np.array(
        [
            'river',
            'bank',
            'money',
            'loan',
            'water',
            'fish',
            'boat',
            'rate',
            'credit',
            'shore',
            'tide',
        ]
    )
    docs = {f'd{d}': ' '.join(rng.choice(words, 6)) for d in range(16)}
    qrels = {
        f'q{q}': {d: {'1': int(rng.random() < 0.5), '2': int(rng.random() < 0.4)} for d in docs}
        for q in range(6)
    }
    runs = {
        f's{s}': {
            q: {d: sum(grades.values()) + s * rng.random() for d, grades in judged.items()}
            for q, judged in qrels.items()
        }
        for s in range(1, 5)
    }
    return runs, qrels, docs


@pytest.mark.slow
def test_hierarchies(texts, monkeypatch):
    monkeypatch.setattr(bottom_up, 'CUTOFFS', (0.0, 0.3, 0.5, 0.7, 1.0))
    runs, qrels, docs = texts
    vectors = {d: np.random.default_rng(i).random(3) for i, d in enumerate(docs)}
    found = studies.hierarchies(
        runs, qrels, docs, vectors=vectors, n_resamples=20, n_shuffles=5, name='Small'
    )
    counts = found['measures'].set_index('measure')
    built = build_hierarchy(read_qrels(qrels), docs)
    power = meta.discriminative_power(
        evaluate(runs, built, ['HDsharp_nDCG@20', 'ERR_IA_LA@20']),
        'bootstrap',
        correction=None,
        n_resamples=20,
        rng=0,
    )
    assert counts.loc[['D#-nDCG (HD)', 'ERR-IA'], 'WI'].tolist() == power.count(0.05).tolist()
    shares = found['similarities'].set_index('similarity')
    assert np.allclose(shares.sum(), 1) and 'vectors' in shares
    assert (
        found['cutoffs'].loc[0, 'WI TF-IDF'] == found['cutoffs'].loc[0, 'raw']
    )  # delta = 0: the flat measure
    claims = found['claims'].set_index('claim')
    assert claims.loc['δ = 0 is the flat measure', 'Small'].startswith('holds')
    assert claims.loc['Both together separate most', 'Small'] == 'no superintents'
    assert claims.loc['Both together separate most', 'paper'] == '574, 575'
    assert not claims['Small'].str.contains('no vectors').any()
    assert all(
        markdown(found[name]) in found.to_markdown()
        for name in found
        if name not in ('claims', 'cutoffs')
    )


# ---------------------------------------------------------------------------------------------------- command


@pytest.fixture
def files(tmp_path, texts):
    """The texts' judgments, texts and runs as files."""
    runs, qrels, docs = texts
    (tmp_path / 'qrels').write_text(
        ''.join(
            f'{q} {t} {d} {g}\n'
            for q, judged in qrels.items()
            for d, grades in judged.items()
            for t, g in grades.items()
        )
    )
    (tmp_path / 'docs.tsv').write_text(
        'doc_id\ttext\n' + ''.join(f'{d}\t{text}\n' for d, text in docs.items())
    )
    (tmp_path / 'runs').mkdir()
    for name, ranked in runs.items():
        (tmp_path / 'runs' / f'{name}.run').write_text(
            ''.join(
                f'{q} Q0 {d} 0 {score} {name}\n'
                for q, scores in ranked.items()
                for d, score in scores.items()
            )
        )
    return tmp_path


@pytest.mark.parametrize(
    'study, options',
    [
        ('user-models', ['--size', '3', '--trials', '2']),
        ('nuggets', ['--rel', '1', '--resamples', '20']),
    ],
)
def test_study_command(files, capsys, study, options):
    assert cli.main(['study', study, str(files / 'qrels'), str(files / 'runs'), *options]) == 0, (
        capsys.readouterr().err
    )
    assert capsys.readouterr().out.startswith('## These runs: 4 systems, 6 ')


class Done:
    """A study that says that it was made."""

    def to_markdown(self) -> str:
        return 'done'


@pytest.mark.parametrize(
    'study, options',
    [('innovation', ['--depth', '5', '--resamples', '10']), ('hierarchies', ['--resamples', '10'])],
)
def test_study_command_hands_on(files, monkeypatch, capsys, study, options):
    """What takes longer is tested above; here, what reaches it."""
    seen = {}
    monkeypatch.setattr(
        studies, study, lambda *given, **named: seen.update(given=given, named=named) or Done()
    )
    texts_of = [str(files / 'docs.tsv')] if study == 'hierarchies' else []
    assert (
        cli.main(['study', study, str(files / 'qrels'), *texts_of, str(files / 'runs'), *options])
        == 0
    ), capsys.readouterr().err
    assert capsys.readouterr().out == 'done\n' and len(seen['given']) == 2 + len(texts_of)
    assert seen['named']['n_resamples'] == 10 and seen['named']['rng'] == 0


def test_proofs_stand_beside_the_cells_of_table_1():
    """A non-relevant document at the end: it changes nothing for RR, and costs effort for RBU."""
    found = axioms.proofs()
    proofs = found[found['constraint'] == 'Conf']
    study = studies.axioms('RBU', paper=['RR', 'RBU@k'], longest=8, deepest=16, proofs=proofs)
    text = study.to_markdown()
    assert (
        '| RR | ○ ✗/✗ |\n| RBU@k | ● ✓/✓ |' in text and 'at most 4 documents and 2 aspects' in text
    )
    assert (
        '**RR, Conf** (narrow):' in text
        and '**RBU@k, Conf**' not in text.partition('### DeepTh')[0]
    )
    plain = studies.axioms('RBU', paper=['RR'], longest=8, deepest=16).to_markdown()
    assert 'Which cells are proved' not in plain
