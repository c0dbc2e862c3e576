"""Files of scores: each form is told by its content, and read or refused with a sentence of its own."""

import contextlib
import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import Scores, meta
from ir_divmeasures.cli import main
from ir_divmeasures.errors import DivMeasuresWarning, FilesWarning
from ir_divmeasures.evaluation.scores import as_scores
from ir_divmeasures.io.score_forms import RATINGS, ROLES, TASKS, is_measure_name

from .builders import expect_error, expect_warning, over, refused

OWN = {
    'format': 'ir_divmeasures.leaderboard/1',
    'measures': ['AP'],
    'systems': [{'name': 'a'}],
    'queries': [{'id': 'q1'}, {'id': 'q2'}],
    'values': [[[0.5, 0.25]]],
}
MTEB = {
    'task_name': 'T',
    'scores': {'test': [{'main_score': 0.2, 'ndcg_at_10': 1}, {'main_score': 0.4}]},
}
# the scores of system a on query q1, mostly .5 by AP
EXAMPLES = {
    'own': ('any.json', json.dumps(OWN), ('a', 'AP', 0.5)),
    'mteb': ('org__name/1/T.json', json.dumps(MTEB), ('org/name', 'main_score', 0.3)),
    'nested': ('x.json', '{"a": {"q1": {"AP": 0.5}, "q2": {"AP": 0.2}}}', ('a', 'AP', 0.5)),
    'pytrec_eval': ('a.json', '{"q1": {"map": 0.5}, "q2": {"map": 0.2}}', ('a', 'map', 0.5)),
    'ranx': ('a.json', '{"ndcg@10": {"q1": 0.5, "q2": 0.2}}', ('a', 'ndcg@10', 0.5)),
    'tidy': ('x.csv', 'Name,qid,Metric,value\na,q1,AP,0.5\na,q2,AP,0.2\n', ('a', 'AP', 0.5)),
    'run': ('a.jsonl', '{"query_id": "q1", "measure": "AP", "value": 0.5}\n', ('a', 'AP', 0.5)),
    'measures': ('x.csv', ',system,query_id,AP,RR\n0,a,q1,0.5,1\n', ('a', 'AP', 0.5)),
    'systems': ('AP.csv', 'model_name,q1,q2\na,0.5,0.2\n', ('a', 'AP', 0.5)),
    'queries': ('AP.csv', 'query_id,a,b\nq1,0.5,0.2\n', ('a', 'AP', 0.5)),
    'tira': ('x.eval.txt', 'a q1 AP 0.5\na all AP 0.5\n', ('a', 'AP', 0.5)),
    'tot': ('x.txt', 'a AP q1 0.5\n\na AP all 0.5\n', ('a', 'AP', 0.5)),
    'ir_measures': ('a.eval.tsv', 'q1\tAP\t0.5\nq2\tAP\t0.2\n', ('a', 'AP', 0.5)),
    'trec_eval': ('a.txt', 'map   \tq1\t0.5\nmap   \tall\t0.5\n', ('a', 'map', 0.5)),
}  # fmt: skip
SAYS_RUN = 'this looks like a run ({}), not scores: give judgments too'
SAYS_MEANS = 'means of a whole run, without queries: write the scores of each query (trec_eval -q, ir_measures -q)'
REFUSED = {
    'q Q0 d 1 2.5 tag\n': SAYS_RUN.format('6 columns'),
    '{"q1": {"d1": 3, "d2": 2}}': SAYS_RUN.format('{query: {document: score}}'),
    '{"a": {"q1": {"d1": 3, "d2": 2}}}': SAYS_RUN.format('{query: {document: score}}'),
    'map 0.5\nP_5 0.2\n': SAYS_MEANS,
    '{"measure": "AP", "value": 0.5}\n{"measure": "RR", "value": 0.5}\n': SAYS_MEANS,
    '{"AP": 0.5}': SAYS_MEANS,
    'map all 0.5\n': SAYS_MEANS,
    'runid all bm25\nmap all 0.5\n': SAYS_MEANS,
    '{"ndcg": {"NDCG@10": 0.5}, "map": {"MAP@10": 0.2}}': SAYS_MEANS,
    '{"metrics": ["map"], "model_names": ["a"], "a": {"scores": {"map": 0.5}}}': SAYS_MEANS,
    'epoch,steps,cosine-MRR@10\n1,100,0.5\n': SAYS_MEANS,
    'r1 leaf GRADE 3.2\n': 'which of columns 2 and 3 is the query? No row "all" tells. Put a first line such as: '
    'run_id query_id measure value',
    'leaf GRADE 3.2\n': 'which of columns 1 and 2 is the query? No row "all" tells. Put a first line such as: '
    'query_id measure value',
    'a q1 AP 0.5\na q2 AP\n': 'line 2: 3 columns, 4 in the lines before',
    'system,query,AP\na,q1\n': 'line 2: 2 columns, 3 in the lines before',
    '\n \n': 'empty file',
    'a q1 AP 1 2\n': 'expected 3 columns (query measure value) or 4 (system query measure value), found 5',
    'system,measure,query\n': "expected columns of systems, queries, measures and values, found system, measure, "
    'query',
    'q1 AP 0.5\nq2 AP nan\n': "line 2: AP of x on q2 is 'nan', expected a number (1 of 2 values are not)",
    'system,query,AP\na,q1,?\na,q2,1\n': "line 2: AP of a on q1 is '?', expected a number (1 of 2 values are not)",
    'system,system,AP\n': "line 1: the heading has the column 'system' twice",
    'q1 AP 0.5\nq1 AP 0.5\n': 'AP of x on q1 is there twice; if the files are of several judges, say so '
    '(judges=True), or add a column judge, bank or replicate',
}  # fmt: skip


def save(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_each_form_has_an_example_that_is_read(tmp_path):
    for i, (form, (name, content, (system, measure, value))) in enumerate(EXAMPLES.items()):
        path = save(tmp_path / str(i), name, content)
        warned = pytest.warns(DivMeasuresWarning, match=TASKS)
        with warned if form == 'mteb' else contextlib.nullcontext():
            scores = Scores.read(path)
        assert scores.systems[0] == system and scores.measures[0] == measure, form
        assert scores.queries[0] == ('T' if form == 'mteb' else 'q1'), form
        assert scores.values[0, 0, 0] == pytest.approx(value), form


@over('content', REFUSED)
def test_what_is_no_score_is_refused_with_its_sentence(tmp_path, content):
    path = save(tmp_path, 'x.txt', content)
    with pytest.raises(ValueError) as caught:
        Scores.read(path)
    said = str(caught.value)
    assert said.startswith(str(path)) and said.endswith(REFUSED[content])


SAMPLES = {
    'autojudge-grounded.eval.txt': ((4, 5, 4), ('run1', 'leaf', 'NUGGET_COVERAGE', 0.4)),
    'autojudge-queryonly.eval.txt': ((4, 5, 4), ('run1', 'leaf', 'AVG_GRADE', 2.6)),
    'autojudge-tot-skeleton.txt': 'its mean of RANDOM for my_best_run_02 is 0.7476, of its 1 query 0.3709 (and 1 more)',
    'autojudge-tot.txt': ((3, 1, 2), ('my_best_run_02', '28', 'Measure-01', 2)),
    'autojudge-truth.eval.ir_measures.txt': ((4, 5, 1), ('run1', 'cloud', 'RELEVANCE', 0.9)),
    'beir-summary.json': SAYS_MEANS,
    'bm25.irmeasures-q.jsonl': ((1, 2, 3), ('bm25', 'q2', 'nDCG@10', 0.6309297535714575)),
    'bm25.irmeasures-q.tsv': ((1, 2, 3), ('bm25', 'q2', 'nDCG@10', 0.6309)),
    'bm25.irmeasures-qn.tsv': ((1, 2, 3), ('bm25', 'q1', 'RR', 0.5)),
    'bm25.irmeasures-summary.jsonl': SAYS_MEANS,
    'bm25.irmeasures-summary.tsv': SAYS_MEANS,
    'bm25.pytrec_eval.json': ((1, 2, 3), ('bm25', 'q1', 'map', 0.25)),
    'gdeval.csv': ((1, 2, 2), ('bm25', '101', 'err@20', 0.09375)),
    'judged.csv': ((2, 2, 1), ('runA', 't1', 'NUGGET_COVERAGE', 0.475)),
    'mmr.irmeasures-q.tsv': ((1, 2, 3), ('mmr', 'q1', 'P@5', 0.4)),
    'mmr.pytrec_eval.json': ((1, 2, 3), ('mmr', 'q1', 'map', 1)),
    'mteb': "no main_score: name a measure of the file, such as measure='ndcg_at_1'",
    'ndeval.csv': 'its mean of ERR-IA@5 for indri is 0.3876, of its 2 queries 0.6367 (and 20 more)',
    'pt-experiment-perquery.csv': ((2, 2, 3), ('mmr', 'q2', 'map', 1)),
    'pt-experiment-perquery.parquet': ((2, 2, 3), ('bm25', 'q1', 'map', 0.25)),
    'run-not-scores.json': SAYS_RUN.format('{query: {document: score}}'),
    'tidy.csv': ((2, 2, 3), ('bm25', 'q1', 'map', 0.25)),
    'trec_eval-aq.txt': 'its mean of map for trec_eval-aq is 0.1785, of its 2 queries 0.2249 (and 88 more)',
    'wide.csv': ((2, 2, 1), ('bm25', 'q1', 'wide', 0.25)),
}  # fmt: skip


def test_every_sample_of_real_programs_is_read_or_refused(shared):
    """Of trec_eval, ir_measures, ndeval, gdeval, TIRA, TREC AutoJudge, MTEB and BEIR."""
    folder = shared / 'definitions/leaderboard/samples'
    if not folder.is_dir():
        pytest.skip('no samples of score files')
    assert {path.name for path in folder.iterdir()} - {'README.md'} == set(SAMPLES)
    for name, expected in SAMPLES.items():
        if not isinstance(expected, str):
            shape, (system, query, measure, value) = expected
            scores = Scores.read(folder / name)
            assert scores.values.shape == shape, name
            one = scores.select(systems=system, queries=query, measures=measure)
            assert one.values.item() == pytest.approx(value, abs=1e-12), name
        elif 'mean of ' in expected:
            with expect_warning(re.escape(expected), FilesWarning):
                Scores.read(folder / name)
        else:
            refused(re.escape(expected), Scores.read, folder / name)
    judges = [folder / f'autojudge-{name}.eval.txt' for name in ('grounded', 'queryonly')]
    means = Scores.read(judges, judges=True).means()['NUGGET_COVERAGE']
    assert means[['run1', 'run2']].tolist() == pytest.approx([0.586429, 0.440357], abs=1e-6)
    random_encoder = folder / 'mteb/results/mteb__baseline-random-encoder'
    with expect_warning(TASKS):
        model = Scores.read(random_encoder, measure='ndcg_at_10')
    assert model.systems == ('mteb/baseline-random-encoder',)
    assert model.queries == ('NanoArguAnaRetrieval', 'NanoSCIDOCSRetrieval')


# --------------------------------------------------------------------------------------------------- several ratings

JUDGED = """run_id,topic_id,measure,value,judge,bank,replicate
A,t1,C,0.4,x,b1,1
A,t1,C,0.6,x,b1,2
A,t1,C,0.9,x,b2,1
A,t1,C,0.1,y,b1,1
A,t2,C,1,x,b1,1
B,t1,C,0,x,b1,1
B,t2,C,0,x,b1,1
"""


def test_ratings_are_averaged_by_bank_then_judge(tmp_path):
    """A on t1: x has ((.4 + .6)/2 + .9)/2 = .7, y .1; the mean is .4."""
    scores = Scores.read(save(tmp_path, 'judged.csv', JUDGED))
    assert scores['C'].tolist() == [[pytest.approx(0.4), 1], [0, 0]]
    scores.write(tmp_path / 'again.csv.gz')
    scores.write(tmp_path / 'third.csv.gz')
    assert (tmp_path / 'again.csv.gz').read_bytes() == (tmp_path / 'third.csv.gz').read_bytes()
    again = Scores.read(tmp_path / 'again.csv.gz')
    assert np.array_equal(again.values, scores.values) and again.ratings.equals(scores.ratings)
    assert len(scores.select(systems='B').ratings) == 2
    assert Scores.from_frame(scores.to_frame()).ratings is None
    refused(r"'x', 'b2'.*expected scores of the same systems", meta.sources, scores)


def test_files_of_several_judges(tmp_path):
    """The stems are the judges. j1: A .5, .7; j2: A .2, .3; j3: A .9, .8; all are one system."""
    for name, (first, second) in {'j1': (0.5, 0.7), 'j2': (0.2, 0.3), 'j3': (0.9, 0.8)}.items():
        content = f'run_id query_id measure value\nA q0 C {first}\nA q1 C {second}\n'
        save(tmp_path, f'{name}.eval.ir_measures.txt', content)
    refused('C of A on q0 is there twice; if the files are', Scores.read, tmp_path)
    scores = Scores.read(tmp_path, judges=True)
    assert scores['C'].tolist() == [pytest.approx([1.6 / 3, 0.6])]
    assert list(dict.fromkeys(scores.ratings['judge'])) == ['j1', 'j2', 'j3']
    split = meta.sources(scores).to_frame().iloc[0]
    assert split['mean'] == pytest.approx(0.5667, abs=1e-4) and 'judge' in split.index


# ------------------------------------------------------------------------------------------------- names, means, places


def test_the_endings_of_files_are_no_part_of_a_system(tmp_path):
    for ending in (
        '.txt',
        '.eval.txt',
        '.eval.ir_measures.txt',
        '.trec_eval.gz',
        '.irmeasures-qn.tsv',
    ):
        content = b'q1 AP 0.5\n'
        path = save(
            tmp_path, f'bm25.v2{ending}', gzip.compress(content) if ending[-2:] == 'gz' else content
        )
        assert Scores.read(path).systems == ('bm25.v2',), ending


def test_folders_are_read_with_what_is_below(tmp_path):
    for name in ('b.txt', 'sub/a.txt'):
        save(tmp_path, name, 'q1 AP 0.5\n')
    for name in ('.hidden', '.git/x', 'README.md', 'readme', 'LICENSE', 'sub/model_meta.json'):
        save(tmp_path, name, 'nothing\n')
    assert Scores.read(tmp_path).systems == ('b', 'a')
    assert Scores.read(str(tmp_path / '**/*.txt')).systems == ('b', 'a')
    assert as_scores(tmp_path).systems == as_scores([tmp_path / 'b.txt', tmp_path / 'sub']).systems
    with expect_error('no files of scores there', FileNotFoundError):
        Scores.read(save(tmp_path, 'empty/.x', '').parent)
    refused('expected a path, a folder', Scores.read, [1, 2], error=TypeError)


def test_means_of_other_queries_are_warned_of_once(tmp_path):
    """.5 and .25 have mean .375; num_rel is a sum."""
    lines = 'num_rel 1 3\nnum_rel 2 4\nnum_rel all 7\nmap 1 0.5\nmap 2 0.25\nrunid all bm25\nrelstring 1 xx\n'
    save(tmp_path, 'a.txt', f'{lines}map all 0.3755\n')
    assert Scores.read(tmp_path / 'a.txt').measures == ('num_rel', 'map')
    save(tmp_path, 'a.txt', f'{lines}map all 0.3757\n')
    with expect_warning('mean of map for a is 0.3757, of its 2 queries 0.3750$', FilesWarning):
        Scores.read(tmp_path / 'a.txt')


def test_true_and_false_are_numbers(tmp_path):
    scores = Scores.read(save(tmp_path, 'a.tsv', 'q1\tJudged@5\tTrue\nq2\tJudged@5\tfalse\n'))
    assert scores.values.ravel().tolist() == [1, 0]


def test_joined_files_have_further_headings(tmp_path):
    content = 'run_id query_id measure value\na q1 X 1\nrun_id query_id measure value\nb q1 X 2\n'
    assert Scores.read(save(tmp_path, 'x', content)).systems == ('a', 'b')


def test_files_of_mteb(tmp_path):
    old = {'mteb_dataset_name': 'T', 'test': {'en': {'main_score': 0.2}, 'de': {'main_score': 0.6}}}
    with expect_warning(TASKS):
        assert Scores.read(save(tmp_path, 'a__b/T.json', json.dumps(old))).values.item() == 0.4
    path = save(tmp_path, 'm/T.json', json.dumps(MTEB))
    refused('no folder org__name and no model_meta.json names the model', Scores.read, path)
    save(tmp_path, 'm/model_meta.json', '{"name": "org/model"}')
    with expect_warning(TASKS):
        assert Scores.read(path).systems == ('org/model',)
    two = {**old, 'dev': {'main_score': 0.1}}
    with expect_error('expected one split, found test, dev'):
        Scores.read(save(tmp_path, 'a__b/T.json', json.dumps(two)))


def test_columns_have_the_names_that_tools_use(tmp_path):
    """Each name of a column, in any case; of several, the first in the list."""
    row = {'system': 'a', 'query': 'q', 'measure': 'AP', 'value': '0.5'}
    for role, aliases in ROLES.items():
        for alias in aliases.split():
            others = {name: cell for name, cell in row.items() if name not in (role, role[:5])}
            renamed = {**others, alias.upper(): row.get(role, row.get(role[:5], 'x'))}
            content = f'{",".join(renamed)}\n{",".join(renamed.values())}\n'
            scores = Scores.read(save(tmp_path, 'x.csv', content))
            found = (*scores.systems, *scores.queries, *scores.measures)
            assert found == ('a', 'q', 'AP'), alias
            assert (role in RATINGS) == (scores.ratings is not None), alias
    table = pd.DataFrame(
        {'name': ['BM25'], 'system': ['a'], 'qid': ['q'], 'measure': ['AP'], 'value': [1.0]}
    )
    assert Scores.from_frame(table).systems == ('a',)


@over(
    'name, expected',
    [('P_10', True), ('nDCG@10', True), ('own@5', True), ('101', False), ('query', False)],
)
def test_names_of_measures(name, expected):
    assert is_measure_name(name) is expected


# ------------------------------------------------------------------------------------------------------- the commands


def test_commands_take_files_of_scores(tmp_path, capsys):
    for judge, change in (('x', 0), ('y', 0.1)):
        scores = {'a': (0.5, 0.7, 0.4), 'b': (0.2, 0.3, 0.1)}
        content = [f'{s} q{q} P@5 {v + change}\n' for s in scores for q, v in enumerate(scores[s])]
        save(tmp_path, f'{judge}.txt', ''.join(content))
    source = str(tmp_path / '*.txt')
    assert main(['compare', '--scores', source, '--judges', '--format', 'csv']) == 0
    assert '0.5833' in capsys.readouterr().out  # (.5 + .7 + .4)/3 + .05
    assert main(['meta', 'sources', '--scores', source, '--judges']) == 0
    assert main(['compare', '--scores', source]) == 2
    assert 'there twice' in capsys.readouterr().err
