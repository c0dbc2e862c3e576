"""The leaderboard: ranks, statuses of systems, files, sections, and that nothing of a hidden system is in any file."""

import gzip
import json
import pathlib
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from lxml import html as parse

import ir_divmeasures
from ir_divmeasures import Scores, evaluate, leaderboard, meta, reporting
from ir_divmeasures.cli import main
from ir_divmeasures.reporting.page import file_name

from .builders import expect_error, expect_warning, over, quietly, refused

QRELS = {
    'q1': {'d1': {'1': 1}, 'd2': {'2': 2}, 'd3': {'1': 0}},
    'q2': {'d1': {'1': 1}, 'd4': {'2': 0}},
}
RUNS = {
    'a': {'q1': {'d1': 3.0, 'd2': 2.0, 'd9': 1.0}, 'q2': {'d4': 2.0, 'd1': 1.0}},
    'b': {'q1': {'d3': 2.0, 'd1': 1.0}, 'q2': {'d1': 1.0}},
    'c': {'q1': {'d2': 1.0, 'd1': 1.0}, 'q2': {}},
}
MEASURES = 'StRecall@2 alpha_nDCG@2'
SCHEMA = pathlib.Path(reporting.__file__).parent / 'page/leaderboard.schema.json'


def board(source=RUNS, qrels=QRELS, measures=MEASURES, **options):
    with quietly():
        return leaderboard(source, qrels, measures, **options)


def of_scores(scores, **options):
    return board(scores, None, None, **options)


@pytest.fixture(scope='module')
def graded():
    """Five systems on 40 queries by two measures. s0 and s1 are equal but for noise, s4 is the worst by far."""
    rng = np.random.default_rng(5)
    quality = np.array([0.7, 0.7, 0.6, 0.5, 0.1])[:, None, None]
    values = (quality + rng.normal(0, 0.1, (5, 40, 2))).clip(0, 1)
    return Scores(values, [f's{i}' for i in range(5)], measures=['AP', 'RR'])


def page_of(result):
    return parse.fromstring(result.html())


def table(page, section, number=0):
    """The rows of a table, with ' | ' between the cells."""
    found = page.get_element_by_id(section).findall('.//table')[number]
    return [' | '.join(''.join(cell.itertext()) for cell in row) for row in found.find('tbody')]


# ------------------------------------------------------------------------------------------------------- the numbers


def test_ranks_are_those_of_meta(graded):
    """Also means and intervals; differences are those of compare."""
    result = of_scores(graded, baseline='s2')
    frame = result.to_frame().set_index(['measure', 'system'])
    for found in (meta.ranks(graded).to_frame(), meta.compare(graded, 's2').to_frame()):
        found = found.rename(columns={'may_be_best': 'top'}).set_index(['measure', 'system'])
        if 'difference' in found:
            found = found.rename(columns={name: f'difference_{name}' for name in ('low', 'high')})
        for column in set(found) & set(frame):
            ours, theirs = (
                each[column].loc[found.index].to_numpy(float) for each in (frame, found)
            )
            assert np.allclose(ours, theirs, atol=1e-6, equal_nan=True), column
    assert frame.index[0][1] == graded.means()['AP'].idxmax()
    assert result.data['verdicts'][0].startswith(f'{frame.index[0][1]} has the highest mean AP, 0.')


def test_verdicts_say_who_may_be_first(graded):
    """s4 is separable from s0, and s0 and s1 are equal."""
    one = of_scores(graded.select(systems=['s0', 's4'], measures='AP'))
    assert one.data['verdicts'][0].endswith(
        '1 other system is separable from it. Tests of all pairs order 1 of 1 pair of neighbours in the ranking.'
    )
    both = of_scores(graded.select(systems=['s0', 's1'], measures='AP'))
    assert both.data['verdicts'][0].endswith(
        'No other system is separable from it (all are ≈ first). Tests of all pairs order no two neighbours in the ranking.'
    )


def test_equal_means_share_a_rank():
    values = np.tile([[0.5], [0.5], [0.2]], (1, 12)) + np.linspace(0, 0.1, 12)
    result = of_scores(Scores(values, ['a', 'b', 'c'], measures=['AP']))
    assert result.to_frame()['rank'].tolist() == [1, 1, 3]
    assert result.data['verdicts'][0].startswith('a, b have the highest mean AP')


def test_one_query_or_one_system_has_no_rank_interval(graded):
    one = of_scores(graded.select(queries='1'))
    frame = one.to_frame()
    assert frame[['low', 'high', 'rank_low', 'rank_high', 'tier']].isna().all(axis=None)
    assert frame['rank'].notna().all() and any('1 query only' in said for said in one.warnings)
    alone = of_scores(graded.select(systems='s0')).to_frame()
    assert alone['rank'].tolist() == [1, 1] and alone['rank_low'].isna().all()
    assert alone['low'].notna().all()


def test_measures_of_scores_are_selected_in_order(graded):
    result = board(graded, None, 'RR AP')
    assert result.data['measures'] == ['RR', 'AP']
    refused("no measure 'P'", board, graded, None, ['P'])
    refused('expected the measures to compute', board, RUNS, QRELS, None)


# ------------------------------------------------------------------------------------------------- statuses of systems

TEAMS = {
    's0': {'team': 'Team A', 'tags': 'dense bm25', 'url': 'https://a.example', 'about': 'first'},
    's1': {'status': 'anonymous', 'team': 'SecretTeam', 'url': 'https://secret.example', 'about': 'secret'},
    's2': {'status': 'hidden', 'team': 'HiddenTeam', 'note': 'hidden'},
    's3': {'status': 'unranked', 'name': 'oracle'},
    's4': {'status': 'withdrawn', 'note': 'a bug'},
}  # fmt: skip


def secret(scores):
    """The same with names that occur in no word of a page."""
    return scores.renamed({name: f'zq{name}qz' for name in scores.systems})


def test_statuses_of_systems(graded):
    teams = {f'zq{name}qz': row for name, row in TEAMS.items()}
    result = of_scores(secret(graded), systems=teams)
    frame = result.to_frame().set_index('system').loc[lambda rows: rows['measure'] == 'AP']
    assert set(frame.index) == {'zqs0qz', 'anonymous 1', 'oracle'}
    assert (
        frame.loc['oracle', ['rank', 'rank_low', 'tier']].isna().all()
        and not frame.loc['oracle', 'top']
    )
    assert sorted(frame['rank'].dropna()) == [1, 2] and frame['rank_high'].max() == 2
    assert frame.loc['zqs0qz', ['team', 'tags']].tolist() == ['Team A', 'dense bm25']
    assert 'team' not in result.data['systems'][1] and result.data['withdrawn'] == [
        ['zqs4qz', 'a bug']
    ]
    tested = meta.ranks(graded.select(systems=['s0', 's1'])).to_frame()
    assert result.to_frame()['rank_low'].dropna().tolist() == tested['rank_low'].tolist()
    page = page_of(result)
    assert [cell.text for cell in page.xpath('//td[contains(@class, "c-rank")]')].count('–') == 1
    assert 'zqs4qz: a bug' in page.text_content()


def test_nothing_of_a_hidden_system_is_in_any_file(tmp_path, graded):
    """Nor of an anonymous one, but its scores; nor in warnings of files, nor from runs, a pool or answers."""
    hidden = ('zqs2qz', 'HiddenTeam', 'zqs1qz', 'SecretTeam', 'secret')
    teams = {f'zq{name}qz': row for name, row in TEAMS.items()}
    of_scores(secret(graded), systems=teams).write(f'{tmp_path}/scores/', badges=True)
    for name in (f'zqs{i}qz' for i in range(5)):
        lines = [f'q{q} P@5 0.{i + q}\n' for q in range(3) for i in (int(name[3]),)]
        (tmp_path / f'{name}.txt').write_text(''.join(lines) + 'all P@5 0.9\n')
    of_scores([str(path) for path in tmp_path.glob('*.txt')], systems=teams).write(
        f'{tmp_path}/files/'
    )
    runs = {name: RUNS['abcab'[i]] for i, name in enumerate(f'zqs{i}qz' for i in range(5))}
    labels = {name: {'q1': {'1': 'support', '2': 'not_support'}} for name in runs}
    pool = ir_divmeasures.pools.Pool.from_runs(runs, 10, dict.fromkeys(runs, 'HiddenTeam'))
    board(
        {**runs, 'zqs2qz': RUNS['c']},
        {'q1': QRELS['q1']},
        systems=teams,
        pool=pool,
        answers=ir_divmeasures.read_answers(labels),
        sensitivity={'RBU@2': {'p': [0.8, 0.9]}},
    ).write(f'{tmp_path}/runs/')
    files = [path for path in tmp_path.rglob('*/*') if path.is_file()]
    assert len(files) == 5 + 5 + 5 + 2
    for path in files:
        data = path.read_bytes()
        if path.suffix == '.gz':
            data = gzip.decompress(data)
        assert not [word for word in hidden if word.encode() in data or word in path.name], path


def test_a_table_of_systems_is_checked(tmp_path, graded):
    (tmp_path / 's.csv').write_text('system,team,status\ns1,B,\ns0,A,anonymous\n')
    result = of_scores(graded, systems=tmp_path / 's.csv')
    assert [row['name'] for row in result.data['systems']][:2] == ['anonymous 1', 's1']
    for systems, said in (
        ({'s9': {}}, "no system 's9'"),
        ({'s0': {'status': 'hiden'}}, "status 'hiden'; did you mean 'hidden'"),
        ({'s0': {'url': 'javascript:alert(1)'}}, 'expected http'),
        ({'s0': {'colour': 'red'}}, "no field 'colour'"),
        ({'s0': {'name': 's1'}}, "two systems have the name 's1'"),
        (pd.DataFrame({'name': ['s0']}), 'no column system'),
        (pd.DataFrame({'system': ['s0', 's0']}), "'s0' is there twice"),
        ({f's{i}': {'status': 'unranked'} for i in range(5)}, 'no system is ranked'),
        ({f's{i}': {'status': 'hidden'} for i in range(5)}, 'no system has scores'),
    ):
        refused(said, of_scores, graded, systems=systems)
    refused('expected a table', of_scores, graded, error=TypeError, systems=['s0'])


def test_teams_are_those_of_the_runs(tmp_path):
    for name in 'ab':
        head = f'# ir_metadata.start\n# actor:\n#   team: Team {name}\n# ir_metadata.end\n'
        lines = [f'{q} Q0 {d} 1 {s} t\n' for q, docs in RUNS[name].items() for d, s in docs.items()]
        (tmp_path / f'{name}.run').write_text(head + ''.join(lines))
    result = board(tmp_path, systems={'b': {'status': 'anonymous'}})
    assert [row.get('team') for row in result.data['systems']] == ['Team a', None]
    assert table(page_of(result), 'data-checks', 2) == ['a | Team a']


# ------------------------------------------------------------------------------------------------------------- judges


def test_people_correct_the_judge(graded):
    """The judge adds .1; people see the truth on 20 of 40 queries."""
    human = graded.select(queries=graded.queries[:20])
    judge = Scores(graded.values * 0.8 + 0.1, graded.systems, graded.queries, graded.measures)
    result = of_scores(judge, human=human, baseline='s2')
    powered = (
        meta.prediction_powered(judge, human, baseline='s2')
        .to_frame()
        .set_index(['measure', 'system'])
    )
    frame = result.to_frame().set_index(['measure', 'system'])
    for column in ('mean', 'low', 'high', 'human', 'llm', 'bias', 'difference', 'difference_high'):
        assert np.allclose(
            frame[column].loc[powered.index].astype(float),
            powered[column],
            atol=1e-6,
            equal_nan=True,
        )
    ranks = meta.ranks(judge, human=human).to_frame()
    assert frame['rank_low'].tolist() == ranks['rank_low'].tolist()
    assert 'corrected with 20 queries that people judged' in result.warnings[0]
    heads = [''.join(head.itertext()) for head in page_of(result).xpath('//table[@id="board"]//th')]
    assert {'human, 20 queries', 'judge, 40 queries', 'judge − human'} <= {*heads}
    one = of_scores(
        judge.select(measures='AP'),
        human=human.select(measures='RR').renamed({'RR': 'X'}, 'measure'),
    )
    assert 'X by people is compared with AP' in ' '.join(one.warnings)


def test_rank_intervals_with_people_hold(graded):
    """Two equal systems, which the judge tells apart: people decide, so that both may be first."""
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.2, 0.8, (2, 60))
    truth[1] = truth[0] + rng.normal(0, 0.05, 60)
    judge = truth + [[0.2], [0]]
    names = {'systems': ['a', 'b'], 'measures': ['AP']}
    human = Scores(truth[:, :20], queries=[str(q + 1) for q in range(20)], **names)
    alone, both = (
        meta.ranks(Scores(judge, **names)),
        meta.ranks(Scores(judge, **names), human=human),
    )
    assert alone.to_frame()['rank_high'].tolist() == [1, 2]
    assert both.to_frame()['rank_high'].tolist() == [2, 2] and both.ordered == {'AP': 0}


def ratings(n_judges=2, n_ratings=1):
    rng = np.random.default_rng(3)
    rows = [
        (f's{s}', f'q{q}', 'C', 0.5 + 0.1 * s + 0.05 * j + rng.normal(0, 0.1), f'j{j}', str(r))
        for s in range(3)
        for q in range(12)
        for j in range(n_judges)
        for r in range(n_ratings)
    ]
    columns = ['system', 'query_id', 'measure', 'value', 'judge', 'replicate']
    frame = pd.DataFrame(rows, columns=columns)
    return Scores.from_frame(frame if n_ratings > 1 else frame.drop(columns='replicate'))


def test_the_error_is_split():
    said = 'An automatic judge alone: intervals contain nothing of its error.'
    for n_judges, n_ratings, words in (
        (2, 1, 'queries judges their interactions'),
        (3, 2, 'queries judges ratings their interactions'),
    ):
        result = of_scores(ratings(n_judges, n_ratings))
        split = result.provenance['Where the error comes from']
        assert re.sub(r' -?\d+ %,?', '', split) == words and said in result.warnings
        shares = result.data['variance']['shares']
        assert sum(shares.values()) == pytest.approx(1, abs=1e-5) and min(shares.values()) >= 0
        assert len(result.data['variance']['judges']) == n_judges
        means = [each['means'][0][0] for each in result.data['variance']['judges']]
        assert np.mean(means) == pytest.approx(result.data['results'][0][0]['mean'], abs=1e-5)
    for n_ratings, cause in ((1, 'one rating'), (2, 'one judge')):
        alone = of_scores(ratings(1, n_ratings))
        assert (
            alone.provenance['Where the error comes from'] == f'judge: cannot be told from {cause}'
        )
        assert alone.variance is None
    assert of_scores(ratings()).variance.facets == (
        'queries',
        'judge',
    )


# ------------------------------------------------------------------------------------------------------------ warnings


def test_what_readers_should_know_first(graded):
    """On each of 12 queries, two pairs of three systems: 1 of 3 pairs is tied, 33 %."""
    values = np.tile([[0.5], [0.5], [0.2]], (1, 12))
    tied = of_scores(Scores(values, ['a', 'b', 'c'], measures=['AP']))
    assert 'AP: on a query, 33 % of the pairs of systems have equal scores.' in tied.warnings
    assert not any('equal scores' in said for said in of_scores(graded).warnings)
    few = of_scores(graded.select(queries=['1', '2', '3']))
    assert '3 queries only: intervals and tests are rough below 10 queries.' in few.warnings


def test_shares_of_judged_documents():
    """At 2: a has d1 d2, d4 d1, all judged; b all 3; c all 2. At 3: a has d9, not judged: 4 of 5."""
    assert not any('judged' in said for said in board().warnings)
    result = board(measures='P@3')
    assert [row['judged'] for row in result.data['systems']] == [0.8, 1, 1]
    assert (
        '1 of 3 systems has less than 90 % of the first 3 documents judged; the smallest share is 80 %. Unjudged '
        'documents count as not relevant.' in result.warnings
    )
    assert [row['answered'] for row in result.data['systems']] == [2, 2, 1]
    heads = [''.join(head.itertext()) for head in page_of(result).xpath('//table[@id="board"]//th')]
    assert {'judged@3', 'queries'} <= {*heads}


def test_warnings_are_the_users_too():
    with expect_warning('lack queries') as caught:
        result = leaderboard(RUNS, QRELS, MEASURES)
    assert caught[0].filename == __file__
    assert any('lack queries' in said for said in result.warnings)


# -------------------------------------------------------------------------------------------------------------- files


def test_data_are_valid_by_the_schema(graded):
    validator = pytest.importorskip('jsonschema').Draft202012Validator(
        json.loads(SCHEMA.read_text())
    )
    results = {
        'scores': of_scores(graded, baseline='s0', date='2026-01-01'),
        'one query': of_scores(graded.select(queries='1')),
        'statuses': of_scores(graded, systems=TEAMS),
        'runs': board(topics={'q1': 'why'}, baseline='b'),
        'people': of_scores(graded, human=graded.select(queries=graded.queries[:12])),
        'ratings': of_scores(ratings(2, 2)),
    }
    for name, result in results.items():
        found = [error.message for error in validator.iter_errors(json.loads(result.json()))]
        assert not found, (name, found)
    assert list(validator.iter_errors({'format': 'other'}))


def test_a_folder_for_a_static_host(tmp_path, graded):
    result = of_scores(graded, title='Ours', date='2026-01-01')
    folder = tmp_path / 'site'
    result.write(f'{folder}/', badges=True)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob('*') if path.is_file()}
    badges = {f'badges/s{i}.svg' for i in range(5)}
    assert names == {
        'index.html',
        'leaderboard.json',
        'leaderboard.csv',
        'scores.csv.gz',
        '.nojekyll',
        *badges,
    }
    again = Scores.read(folder / 'scores.csv.gz')
    assert np.array_equal(again.values, graded.values) and again.systems == graded.systems
    own = Scores.read(folder / 'leaderboard.json')
    assert np.allclose(own.values, graded.values, atol=1e-6) and own.measures == graded.measures
    frame = pd.read_csv(folder / 'leaderboard.csv')
    assert list(frame) == list(result.to_frame()) and len(frame) == 10
    before = {path: path.read_bytes() for path in folder.rglob('*') if path.is_file()}
    with expect_error('index.html exists; overwrite=True replaces it', FileExistsError):
        result.write(folder)
    of_scores(graded, title='Ours', date='2026-01-01').write(folder, overwrite=True, badges=True)
    assert before == {path: path.read_bytes() for path in folder.rglob('*') if path.is_file()}
    for path, said in (
        ('x.txt', 'expected a file that ends in'),
        ('x.html', 'badges need a folder'),
    ):
        refused(said, result.write, tmp_path / path, badges=True)
    for ending in ('html', 'json', 'csv'):
        result.write(tmp_path / f'x.{ending}')


def test_badges_have_the_interval_of_the_rank(graded):
    """s0 and s1 share the ranks 1 and 2, s4 is the last."""
    result = of_scores(graded, title='A & <B>')
    badges = {name: parse.fromstring(svg.encode()) for name, svg in result.badges().items()}
    rows = {
        row['system']: row for row in result.to_frame().to_dict('records') if row['measure'] == 'AP'
    }
    for name, svg in badges.items():
        row = rows[name.removesuffix('.svg')]
        low, high = row['rank_low'], row['rank_high']
        span = f'{low}' if low == high else f'{low} to {high}'
        assert svg.get('aria-label') == f'A & <B>: rank {span} of 5'
    assert badges['s4.svg'].get('aria-label').endswith('rank 5 of 5')
    assert file_name('BM25 >> mono/T5') == 'BM25____mono_T5'
    same = of_scores(
        graded.renamed({'s0': 'a b', 's1': 'a/b'}), systems={'s2': {'status': 'unranked'}}
    )
    assert set(same.badges()) == {'a_b.svg', 'a_b_.svg', 's3.svg', 's4.svg'}


def test_provenance_names_the_data(tmp_path, graded):
    """sha256 of b'q1 1 d1 1\\n' and of the sorted lines `NAME SHA256`."""
    import hashlib

    (tmp_path / 'qrels').write_text('q1 1 d1 1\n')
    (tmp_path / 'a.run').write_text('q1 Q0 d1 1 2 t\n')
    result = board(tmp_path / 'a.run', tmp_path / 'qrels', 'P@1')
    digest = {
        name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        for name in ('qrels', 'a.run')
    }
    assert result.provenance['Judgments'] == f'qrels, sha256 {digest["qrels"]}'
    lines = f'a {digest["a.run"]}\n'.encode()
    assert result.provenance['Runs'] == f'1 run, sha256 {hashlib.sha256(lines).hexdigest()}'
    assert result.data['systems'][0]['sha256'] == digest['a.run']
    assert board({'x': RUNS['a']}).data['systems'][0]['sha256'] != digest['a.run']
    of_objects = of_scores(graded, date='2026-11-23').provenance
    assert (
        of_objects['Date'] == '2026-11-23'
        and of_objects['Seed'] == '0'
        and 'sha256' in of_objects['Scores']
    )
    assert of_objects['Test'].startswith('t test, Holm over the 10 pairs of each measure')
    assert 'Date' not in of_scores(graded).provenance


# ------------------------------------------------------------------------------------------- the sections below the table


def test_a_pool_has_a_section(tmp_path):
    """Of the relevant d1, d2 of q1 and d1 of q2: team A (a) has all, C (c) those of q1, B d1 twice."""
    runs = {**RUNS, 'd': RUNS['b']}
    pool = ir_divmeasures.pools.Pool.from_runs(runs, 10)
    teams = {name: {'team': name.upper()} for name in runs}
    page = page_of(board(runs, measures='StRecall@2', pool=pool, systems=teams))
    headings = [each.text for each in page.get_element_by_id('pool').findall('.//h3')]
    assert headings == [
        'Relevant documents that one team alone found',
        'What each run adds to the union of the others',
        'How the union grows',
        'How far the judgments depend on each team',
        'Near-duplicate runs',
        'Reusability',
    ]
    added = {tuple(row.split(' | ')[:3:2]) for row in table(page, 'pool', 1)}
    assert added == {('a', '3'), ('b', '2'), ('c', '2'), ('d', '2')}
    assert {row.split(' | ')[0] for row in table(page, 'pool', 0)} <= set('ABCD')
    file = tmp_path / 'pool.parquet'
    pool.save(file)
    again = page_of(board(runs, measures='StRecall@2', pool=str(file), systems=teams))
    assert table(again, 'pool', 1) == table(page, 'pool', 1)


def test_subtopics_say_who_finds_them():
    """Among the first two: q1, 1 has d1 (a at 1, b and c at 2); q1, 2 has d2 (a at 2, c at 1); q2, 1 has d1 (a at 2,
    b at 1); q2, 2 has no relevant document."""
    page = page_of(board(depth=2))
    assert table(page, 'intents') == [
        'q1 | 2 | 1 | 2 | 0.667 | 1 | a, c',
        'q2 | 1 | 1 | 2 | 0.667 | 1 | a, b',
        'q1 | 1 | 1 | 3 | 1 | 1 | all',
        'q2 | 2 | 0 | 0 | 0 | – | none',
    ]
    heads = ' | '.join(page.get_element_by_id('intents').xpath('.//thead//th/text()'))
    assert heads == 'query | subtopic | relevant documents | systems | share | best rank | found by'
    qrels = ir_divmeasures.read_qrels(QRELS).assign(text='who', importance='vital')
    page = page_of(board(qrels=qrels, topics={'q2': 'why'}, depth=1))
    first, *_, last = table(page, 'intents')
    assert first == 'q1 | 1 | who | vital | 1 | 1 | 0.333 | 1 | a'
    assert last == 'q2 why | 2 | who | vital | 0 | 0 | 0 | – | none'
    assert 'Nuggets: who finds them, and how hard they are' in page.xpath('//summary/h2/text()')


def test_answers_have_a_section():
    """a retrieves nuggets 1 and 2 of q1 and states 1 in full and 2 in part; b retrieves 1 and states 2."""
    qrels = {'q1': QRELS['q1']}
    runs = {'a': {'q1': {'d1': 3.0, 'd2': 2.0}}, 'b': {'q1': {'d1': 1.0}}}
    labels = {
        'a': {'q1': {'1': 'support', '2': 'partial_support'}},
        'b': {'q1': {'1': 'not_support', '2': 'support'}},
    }
    answers = ir_divmeasures.read_answers(labels)
    page = page_of(board(runs, qrels, answers=answers))
    heads = page.get_element_by_id('joint').findall('.//table')[0].xpath('.//th/text()')[:7]
    assert ' '.join(heads) == 'system used unused unsupported unfound found stated'
    assert table(page, 'joint')[0].startswith(
        'a | 0.500 [0.123, 0.877] | 0.500 [0.123, 0.877] | 0.000'
    )
    assert table(page, 'joint', 1) == [
        'q1 | 2 | 0.5 | 0.5 | 0 | 0.5 | 0.5 | 0',
        'q1 | 1 | 1 | 0.5 | 0.5 | 0.5 | 0 | 0',
    ]
    refused("system 'c' has no answers", board, {**runs, 'c': runs['a']}, qrels, answers=answers)
    with expect_error('expected what read_answers gives, found dict', TypeError):
        board(runs, qrels, answers={})


def test_parameters_have_a_section():
    """The third document of b costs more than it gives from e = 1/8 on, as in the example of `sensitivity`."""
    qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'1': 1}}}
    runs = {'a': {'q': {'d1': 2.0, 'd2': 1.0}}, 'b': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
    grid = {'p': [0.7, 0.8], 'e': [0, 0.1, 0.2, 0.3]}
    grids = {'RBU@20': grid, 'RBU@10': {'p': [0.8]}}
    page = page_of(board(runs, qrels, 'RBU@20', sensitivity=grids))
    assert table(page, 'parameters') == [
        'b | 4 | 0.5 | 0.7 to 0.8 | 0 to 0.1',
        'a | 4 | 0.5 | 0.7 to 0.8 | 0.2 to 0.3',
    ]
    assert table(page, 'parameters', 1)[2:4] == ['e | 0 | 1 | 1', 'e | 0.1 | 1 | 1']
    known = [ir_divmeasures.sensitivity(runs, qrels, 'RBU@20', rng=0, **grid)]
    again = page_of(board(runs, qrels, 'RBU@20', sensitivity=known))
    assert table(again, 'parameters') == table(page, 'parameters')
    with expect_error('sensitivity: expected {measure: {parameter: values}}', TypeError):
        board(runs, qrels, 'RBU@20', sensitivity='RBU@20')
    with expect_error('1 of its systems are not shown'):
        board(runs, qrels, 'RBU@20', sensitivity=known, systems={'a': {'status': 'hidden'}})


def test_ties_are_in_the_order_asked():
    """Of the tied d2, d1 (rows in this order) only the first counts: with d1 subtopics 1 and 2 are covered, with d2 2."""
    runs = {'c': {'q1': {'d2': 1.0, 'd1': 1.0}}}
    qrels = {'q1': {'d1': {'1': 1, '2': 1}, 'd2': {'2': 1}}}
    for ties, mean in (('doc_id', 0.5), ('doc_id_ascending', 1.0), ('rows', 0.5)):
        result = board(runs, qrels, 'StRecall@1', ties=ties)
        assert result.data['results'][0][0]['mean'] == mean
        shown = rankings_of(page_of(result))
        first = shown['documents'][0][shown['tops'][0][0][0]][0]
        assert first == {'doc_id_ascending': 'd1'}.get(ties, 'd2')
    refused("ties='id': expected one of 'doc_id'", board, ties='id')


def rankings_of(page):
    return json.loads(page.get_element_by_id('runs').text)


def test_what_is_covered_is_said_by_rank():
    """q1 has relevant documents for subtopics 1 and 2, q2 for 1 only.

    a: q1 d1 d2 → 1/2 1, q2 d4 d1 → 0 1; b: q1 d3 d1 → 0 1/2, q2 d1 → 1 1; c: q1, tied, d2 d1 → 1/2 1, q2 nothing.
    """
    page = page_of(board(depth=3))
    assert table(page, 'coverage') == [
        'a | 0.25 | 1 | 1',
        'b | 0.5 | 0.75 | 0.75',
        'c | 0.25 | 0.5 | 0.5',
    ]
    lines = page.get_element_by_id('coverage').findall('.//polyline')
    assert [line.get('points').split()[1].split(',')[1] for line in lines] == [
        '10.0',
        '60.0',
        '110.0',
    ]
    tints = [cell.get('class') for cell in page.xpath('//*[@id="coverage"]//tbody/tr[1]/td')]
    assert tints == ['num t2', 'num t10', 'num t10']


def test_documents_are_in_the_order_of_the_ranking():
    shown = rankings_of(page_of(board(docs={'d1': 'one', 'd2': 'x' * 500})))
    ranked = [
        [[shown['documents'][q][place][0] for place in tops] for q, tops in enumerate(of_system)]
        for of_system in shown['tops']
    ]
    assert ranked == [
        [['d1', 'd2', 'd9'], ['d4', 'd1']],
        [['d3', 'd1'], ['d1']],
        [['d2', 'd1'], []],
    ]
    documents = {doc_id: (title, grades) for doc_id, title, grades in shown['documents'][0]}
    assert {doc_id: grades for doc_id, (_, grades) in documents.items()} == {
        'd1': [[0, 1]],
        'd2': [[1, 2]],
        'd9': None,
        'd3': [],
    }
    assert (
        documents['d1'][0] == 'one' and len(documents['d2'][0]) == 120 and documents['d9'][0] == ''
    )


@over('doc_id, grade', [('d1', 1), ('d,1', 1), ('d"1', 1), ('d1', 0.5)])
def test_the_checksum_of_judgments_is_that_of_the_table_that_pandas_writes(doc_id, grade):
    import hashlib

    qrels = pd.DataFrame({'query_id': 'ä', 'doc_id': [doc_id, 'e'], 'relevance': [grade, -1]})
    written = ir_divmeasures.read_qrels(qrels).to_csv(index=False, lineterminator='\n').encode()
    said = board({'a': {'ä': {'e': 1.0}}}, qrels, 'P@1').provenance['Judgments']
    assert said == f'sha256 {hashlib.sha256(written).hexdigest()}'


def test_texts_of_the_sample_collection():
    dataset = 'divmeasures/sample/diversity'
    documents = [doc.doc_id for doc in ir_divmeasures.sample.ir_datasets.load(dataset).docs_iter()][
        :3
    ]
    runs = {'one': {'1': {doc_id: -float(i) for i, doc_id in enumerate(documents)}}}
    result = board(runs, dataset, 'StRecall@5', docs=dataset, topics=dataset)
    page = page_of(result)
    assert result.data['queries'][0] == {'id': '1', 'text': 'jaguar'}
    shown = rankings_of(page)
    assert all(title for _, title, _ in shown['documents'][0]) and shown['subtopics'][0][0]['text']
    assert not page.xpath('//*[@id="correlations"]')  # one system, one measure


def test_the_data_is_diagnosed():
    page = page_of(board())
    assert {
        'Queries | 2',
        'Subtopics without a relevant document | 1 of 4',
        'Grades | 0: 2, 1: 2, 2: 1',
        'Subtopics of a query | 2.0 on average, 2 to 2',
    } <= {*table(page, 'data-checks')}
    assert table(page, 'data-checks', 1)[0] == 'a | 2 | 0 | 0 | 2.5 | 0.8 | 0.8 | 0'
    correlations = [row.split(' | ')[1:] for row in table(page, 'correlations')]
    with quietly():
        expected = meta.correlations(evaluate(RUNS, QRELS, MEASURES)).values
    assert [[float(cell) for cell in row] for row in correlations] == [
        pytest.approx(row, abs=1e-3) for row in expected.tolist()
    ]


@over('options, said', [
    ({'baseline': 'A'}, "no system 'A'; did you mean 'a'"),
    ({'depth': 0}, 'depth=0'),
    ({'measures': ''}, 'no measures'),
    ({'source': []}, 'no system has scores that are shown'),
])  # fmt: skip
def test_wrong_use(options, said):
    refused(said, board, **options)


# --------------------------------------------------------------------------------------------------------- the command


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'qrels').write_text('q1 1 d1 1\nq1 2 d2 1\nq2 1 d1 1\nq2 2 d3 1\n')
    (tmp_path / 'runs').mkdir()
    for name, first in (('a', 'd1'), ('b', 'd2')):
        (tmp_path / 'runs' / name).write_text(f'q1 Q0 {first} 1 2 t\nq2 Q0 {first} 1 2 t\n')
    return tmp_path


def test_the_command_writes_what_the_function_writes(files, capsys):
    answers = files / 'answers.jsonl'
    answers.write_text(
        ''.join(
            f'{{"query_id": "q{q}", "run_id": "{run}", "nugget_id": "{n}", "nugget": "n{n}", "label": "support"}}\n'
            for q in (1, 2)
            for n in (1, 2)
            for run in 'ab'
        )
    )
    asked = shlex.split(
        f"leaderboard {files}/qrels {files}/runs -m 'StRecall@5 RBU@5' -o {files}/r.html --title Ours "
        f"--baseline {files}/runs/b --answers {answers} --ties rows "
        "--sensitivity 'RBU@5 p=0.5:0.9:3 e=0,0.1'"
    )
    assert main(asked) == 0 and capsys.readouterr().out.startswith(
        f'{files}/r.html: a has the highest mean'
    )
    options = {
        'title': 'Ours',
        'baseline': 'b',
        'ties': 'rows',
        'answers': ir_divmeasures.read_answers(answers),
    }
    options['sensitivity'] = {'RBU@5': {'p': [0.5, 0.7, 0.9], 'e': [0, 0.1]}}
    expected = board(files / 'runs', files / 'qrels', 'StRecall@5 RBU@5', **options)
    assert (files / 'r.html').read_text('utf-8') == expected.html()
    assert main(asked) == 2 and '--force replaces it' in capsys.readouterr().err
    assert main([*asked, '--force']) == 0


def test_the_command_takes_scores_people_and_systems(files, capsys):
    for judge in 'xy':
        lines = [
            f'{name} q{q} P@5 0.{3 * i + q}\n' for i, name in enumerate('abc') for q in range(3)
        ]
        (files / f'{judge}.txt').write_text(''.join(lines))
    (files / 'systems.tsv').write_text('system\tstatus\nb\thidden\n')
    asked = (
        f'leaderboard --scores {files}/x.txt --scores {files}/y.txt --judges -o {files}/s/ '
        f'--human {files}/x.txt --systems {files}/systems.tsv --badges --date today'
    )
    assert main(asked.split()) == 0, capsys.readouterr().err
    data = json.loads((files / 's/leaderboard.json').read_text())
    assert [row['name'] for row in data['systems']] == ['a', 'c'] and data['provenance'][
        'Date'
    ] == 'today'
    assert data['human_queries'] == 3 and (files / 's/badges/a.svg').is_file()
    assert main(['leaderboard', '--scores', f'{files}/x.txt', '-o', f'{files}/s/']) == 2
    assert 'index.html exists; --force replaces it' in capsys.readouterr().err


@over('words, said', [
    ('report qrels runs -m P@5 -o r.html', '`report` is now `leaderboard QRELS RUN... -m MEASURES -o report.html`'),
    ('leaderboard qrels -m P@5 -o r.html', "give QRELS, RUN and -m 'MEASURES', or --scores FILES"),
    ('leaderboard --scores x -o r.txt', 'expected a file that ends in .html, .json or .csv'),
    ('leaderboard qrels runs -m RBU@5 -o r.html --sensitivity RBU@5', 'expected the values of parameters'),
    ('leaderboard qrels runs -m RBU@5 -o r.html --sensitivity "RBU@5 p=0.5 p=0.6"', 'each parameter once'),
])  # fmt: skip
def test_errors_of_the_command(files, monkeypatch, capsys, words, said):
    monkeypatch.chdir(files)
    assert main(shlex.split(words)) == 2 and said in capsys.readouterr().err
