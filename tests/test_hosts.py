"""The package in ir_measures and PyTerrier: calls without a measure of ours stay as they are, and ours work everywhere."""

import json
import os
import pathlib
import subprocess
import sys

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures.providers import FallbackProvider

import ir_divmeasures
from ir_divmeasures import hosts, measures, read_qrels, read_run, write_run
from ir_divmeasures.errors import DivMeasuresWarning, JudgmentsWarning

from .builders import (
    QUICK,
    expect_error,
    expect_warning,
    over,
    quietly,
    random_query,
    recorded_warnings,
    run_of,
    table_of,
)
from .fresh import printed

ROOT = pathlib.Path(__file__).parents[1]
AD_HOC = measures(
    "nDCG@5 nDCG nDCG(dcg='exp-log2')@10 nDCG(gains={0:0,1:1,2:5})@5 P@3 P(rel=2)@3 AP AP(judged_only=True) RR ERR@10 "
    'RBP(p=0.5,rel=2) Judged@5 R@5 NumQ Bpref Success@3 SetF Rprec NumRel NumRet IPrec@0.2'
)
OURS = measures("RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 Dsharp_nDCG@20 StRecall@5 AP_IA IA(M='P@3')")

# ------------------------------------------------------------------------- calls without a measure of ours

CALLS = r'''
import json, os, random, re, sys, tempfile, warnings
sys.path.insert(0, place)
sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
if state == 'before and after':
    sys.modules['ranx'] = None  # as if it was not installed: its import takes long
import ir_measures, pandas as pd, pyterrier as pt
if state == 'with':
    import ir_divmeasures
else:
    assert not any(name.startswith('ir_divmeasures') for name in sys.modules)
from ir_measures import Qrel, ScoredDoc

warnings.simplefilter('always')
draw = random.Random(1)
rows = [(f'{q}', f'd{d}', draw.choice([0, 0, 1, 2, 3]), f'{draw.randrange(3)}') for q in range(101, 109)
        for d in range(25) for _ in range(1 + (d % 4 == 0))]
table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'iteration'])
listed = [ScoredDoc(f'{q}', f'd{d}', round(draw.random(), 1)) for q in range(100, 108) for d in draw.sample(range(40), 30)]
frame = pd.DataFrame(listed)
nested = {q: dict(zip(part['doc_id'], part['relevance'])) for q, part in table.groupby('query_id')}
subtopics = table.rename(columns={'iteration': 'subtopic_id'})
FORMS = {
    'rows': lambda: [Qrel(*row) for row in rows],
    'generator': lambda: (Qrel(*row) for row in rows[28:]),  # the first row counts
    'iteration': lambda: table,
    'table': lambda: table.drop(columns='iteration'),
    'both': lambda: subtopics.assign(iteration=table['iteration']),
    'subtopic_id': lambda: subtopics,
    'nested': lambda: nested,
    'fractions': lambda: table.assign(relevance=table['relevance'] / 2),
    'below 0': lambda: {'101': {'d1': -1, 'd2': 1}, '102': {'d1': -2}},
    'no grades': lambda: table.drop(columns='relevance'),
    'none': lambda: [],
    'number': lambda: 42,
}
RUNS = 2 * [lambda: frame, lambda: listed, lambda: iter(listed), lambda: {q: dict(zip(part['doc_id'], part['score']))
            for q, part in frame.groupby('query_id')}] + [lambda: frame.head(0), lambda: frame.drop(columns='score')]
theirs = {repr(m): m for m in ir_measures.measures.registry.values() if type(m).__module__.startswith('ir_measures.')}
asked = {}
for name, m in theirs.items():
    needs = {key: {'cutoff': 5, 'max_rel': 3, 'recall': .2}[key] for key, info in m.SUPPORTED_PARAMS.items()
             if info.required or key == 'cutoff' and type(m).__module__.endswith('diversity')}
    asked[name] = [m(**needs)]
    if 'rel' in m.SUPPORTED_PARAMS:
        asked[f'{name} rel'] = [m(rel=2, **needs)]
    if 'cutoff' in m.SUPPORTED_PARAMS:
        asked[f'{name} and nDCG'] = [m(**{**needs, 'cutoff': 0 if name == 'P' else 3}), ir_measures.nDCG @ 20]
asked['unsupported'] = [ir_measures.nDCG(dcg='exp-log2'), ir_measures.P @ 5]
asked['invalid'] = [ir_measures.P(rel='a') @ 5, ir_measures.P(unknown=1)]

def flat(metrics):
    return sorted((m.query_id, str(m.measure), repr(m.value)) for m in metrics)

def means(found):
    return sorted((str(m), repr(value)) for m, value in found.items())

def calc(ms, qrels, run):
    found = ir_measures.calc(ms, qrels, run)
    return means(found.aggregated), flat(found.per_query)

def kept(ms, qrels, run):
    evaluator = ir_measures.evaluator(ms, qrels)
    return flat(evaluator.iter_calc(run)), type(evaluator).__name__, means(evaluator.calc_aggregate(frame))

FUNCTIONS = [lambda *given: flat(ir_measures.iter_calc(*given)), lambda *given: means(ir_measures.calc_aggregate(*given)),
             calc, kept, lambda ms, *given: repr(ms[0].calc_aggregate(*given)),
             lambda ms, *_: (sorted(ir_measures.run_inputs(ms)), sorted(ir_measures.qrel_inputs(ms)),
                             [ir_measures.DefaultPipeline.supports(m) for m in ms if 'dcg' not in m.params])]
# The only provider of nDCG(dcg='exp-log2') without a cutoff is not installed: it is supported beside ours.

names = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
topics = pd.DataFrame({'qid': [str(q) for q in range(101, 108)], 'query': 'words'})
class System(pt.Transformer):
    def __init__(self, share=0):
        self.share = share
    def transform(self, inp):
        found = frame.rename(columns=names).merge(inp[['qid', 'query']], on='qid')
        return pt.model.add_ranks(found.assign(score=found['score'] + self.share * (found['docno'] > 'd2')))
def experiment(**options):
    one_row = subtopics.rename(columns=names)
    found = pt.Experiment([System(), System(1)], topics, one_row, ['map', ir_measures.nDCG @ 5, ir_measures.P @ 3], ['a', 'b'], **options)
    return [each.to_csv() for each in (found if isinstance(found, tuple) else [found])]
def search(function, *fold):
    one = System()
    found = function(one, {one: {'share': [0, 1]}}, *fold, metric='map', verbose=False)
    return [str(part) for part in found] if isinstance(found, tuple) else str(found)
qrels = subtopics.rename(columns=names)
EXPERIMENTS = [
    experiment, lambda: experiment(perquery=True), lambda: experiment(perquery='both'), lambda: experiment(batch_size=2),
    lambda: experiment(baseline=0, correction='holm'), lambda: [experiment(save_dir=folder) for _ in 'ab'],
    lambda: search(pt.GridSearch, topics, qrels), lambda: pt.Evaluate(System()(topics), qrels, ['map', 'ndcg_cut.5,10']),
    lambda: search(pt.KFoldGridSearch, [topics[:3], topics[3:]], qrels),
]

PROVIDERS = [provider for provider in ir_measures.DefaultPipeline.providers if provider.is_available()]  # imports
class Call:
    """One function on one form of judgments and one of runs, for some measures."""
    def __init__(self, i, name, j, form):
        self.ms, self.form, self.function, self.run = asked[name], form, (i + j // 3) % 6, (2 * i + j) % 10
        self.ends_process = form == 'below 0' or self.ms[0] == ir_measures.P @ 0
        theirs = [] if name == 'invalid' else [p.NAME for p in PROVIDERS if p.supports(self.ms[0])]
        provider = (*theirs, name)[0]
        self.kinds = {form, self.function, f'run {self.run}', provider, f'{provider}, {form}' if provider == 'pyndeval' and self.function < 5 and self.run < 8 else form}
    def __call__(self):
        return FUNCTIONS[self.function](self.ms, FORMS[self.form](), RUNS[self.run]())

calls = [Call(i, name, j, form) for i, name in enumerate(asked) for j, form in enumerate(FORMS) if (i + j) % 3 == 0
         if form not in ('subtopic_id', 'number') or not any(type(m).__module__.endswith('diversity') for m in asked[name])]
if state == 'before and after':  # the quick form: calls with each form, function and provider
    seen = set()
    calls = [call for call in calls if not call.kinds <= seen and not seen.update(call.kinds)]
    EXPERIMENTS = EXPERIMENTS[::6]
results, streams = open(f'{place}/results', 'w'), [os.dup(1), os.dup(2)]
for turn in state.split(' and '):
    if turn == 'after':
        import ir_divmeasures.terrier
    for call in calls + EXPERIMENTS:
        ends_process = call in calls and call.ends_process
        with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryDirectory() as folder:
            for stream in (1, 2):
                os.dup2(out.fileno(), stream)
            child = ends_process and os.fork()  # trec_eval's library ends the process on some calls
            if not child:
                try:
                    result = json.dumps(call())
                except Exception as error:
                    result = f'{type(error).__name__} {error}'
                print(result, flush=True)
                sys.stderr.flush()
                if ends_process:
                    os._exit(0)
            status = os.waitpid(child, 0)[1] if child else 0
            for stream in (1, 2):
                os.dup2(streams[stream - 1], stream)
            out.seek(0)
            print(json.dumps([status, re.sub('0x[0-9a-f]+', '', out.read().replace(folder, ''))]), file=results, flush=True)
'''


def install(folder, points):
    """Write what Python reads of an installed package with these entry points."""
    info = folder / 'ir_divmeasures-0.1.0.dist-info'
    info.mkdir(parents=True, exist_ok=True)
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: ir_divmeasures\nVersion: 0.1.0\n')
    (info / 'entry_points.txt').write_text(points)


def entry_points():
    """The entry points for PyTerrier in pyproject.toml, as an installation has them."""
    _, _, rest = (ROOT / 'pyproject.toml').read_text().partition('"pyterrier.modules"]\n')
    return '[pyterrier.modules]\n' + rest.partition('\n[')[0].replace('"', '')


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='POSIX')
@QUICK
def test_calls_without_a_measure_of_ours_stay_as_they_are(tmp_path, quick):
    """In two environments; the quick form makes some calls before and after it imports the package."""
    states = {'before and after': ''} if quick else {'without': '', 'with': entry_points()}
    codes = []
    for state, points in states.items():
        install(tmp_path / state, points)
        codes.append(f'state, place = {state!r}, {str(tmp_path / state)!r}\n{CALLS}')
    if quick:
        printed(codes[0])
    else:
        path = os.pathsep.join([str(ROOT), *sys.path])
        env = {**os.environ, 'PYTHONPATH': path, 'PYTHONHASHSEED': '0'}
        command = [sys.executable, '-W', 'ignore', '-c']
        processes = [subprocess.Popen([*command, code], env=env) for code in codes]
        assert [process.wait() for process in processes] == [0, 0]
    results = [tmp_path / state / 'results' for state in states]
    found = [line for path in results for line in path.read_text().splitlines()]
    n_calls = len(found) // 2
    without_us, with_us = map(json.loads, found[:n_calls]), map(json.loads, found[n_calls:])
    for one, other in zip(with_us, without_us, strict=True):
        assert one == other
    values = [line for line in found if line.startswith('[0, "')]
    assert (
        n_calls >= (20 if quick else 300) and len(values) > n_calls and 'ValueError' in str(found)
    )


# ---------------------------------------------------------------------------------------- PyTerrier's import

START = '''
import sys, warnings
warnings.simplefilter('ignore')
sys.path.insert(0, {folder!r})
{before}
import pyterrier as pt, ir_measures
'''


@over(
    'before, after, expected',
    [
        (
            '',
            '''
print([m for m in sys.modules if m.startswith(('ir_datasets', 'ir_divmeasures.data'))])
print(pt.divmeasures is pt.diversity, pt.measures.RBU @ 5, ir_measures.RBU)
import ir_divmeasures.sample
print(len(pt.get_dataset('irds:divmeasures/sample').get_topics('query')))''',
            '[] True RBU@5 RBU 40',
        ),
        ('import ir_divmeasures.terrier as t', 'print(t is pt.divmeasures)', 'True'),
        (
            "sys.modules['ir_divmeasures.core.ranking'] = None",
            '''
try: pt.divmeasures.get_qrels('x')
except ImportError: print('ImportError', ir_measures.nDCG @ 5)
import ir_divmeasures
try: ir_divmeasures.RBU
except ImportError as e: print(e.__cause__ is not None)''',
            'ImportError nDCG@5 True',
        ),
    ],
)
def test_importing_pyterrier_is_enough_and_never_fails(before, after, expected, tmp_path):
    install(tmp_path, entry_points())
    code = START.format(before=before, folder=str(tmp_path)) + after
    assert printed(code).split() == expected.split()


# --------------------------------------------------------------------------------------- which calls are ours


def queries(seed=7, n=8):
    rng = np.random.default_rng(seed)
    return {f'{i + 101}': random_query(rng) for i in range(n)}  # gdeval takes numbers only


@pytest.fixture(scope='module')
def data():
    """Judgments with subtopics, and a run."""
    found = {n: q for n, q in queries().items() if q.ranking}
    table = table_of(found)[['query_id', 'doc_id', 'relevance', 'subtopic_id']]
    return table.assign(relevance=table['relevance'].clip(lower=0).astype(int)), run_of(found)


def flat(metrics):
    return {(m.query_id, str(m.measure)): float(m.value) for m in metrics}


def by_hosts(asked, table, run):
    chain = [p for p in ir_measures.DefaultPipeline.providers if p.NAME != hosts.NAME]
    return flat(FallbackProvider(chain).iter_calc(asked, table, run))


def test_the_rule(data):
    table, run = data
    theirs, ours = [ir_measures.alpha_nDCG @ 20], [ir_divmeasures.alpha_nDCG @ 20]
    assert not hosts.is_ours(theirs[0]) and hosts.is_ours(ours[0]) and theirs == ours
    expected = flat(ir_measures.iter_calc(ours, table, run))
    with_iteration = table.assign(iteration=table['subtopic_id'])
    rows = list(table.itertuples(index=False, name='TrecSubQrel'))
    for form in (table, rows, iter(rows)):
        assert flat(ir_measures.iter_calc(theirs, form, run)) == expected
    for form in (table.drop(columns='subtopic_id'), with_iteration):
        assert flat(ir_measures.iter_calc(theirs, form, run)) == by_hosts(theirs, form, run)
    assert flat(ir_measures.iter_calc(ours, with_iteration, run)) == expected


def test_ad_hoc_measures_of_our_calls_use_the_highest_grade(data):
    table, run = data
    whole = ir_divmeasures.topic_level(table)
    with expect_warning(
        r'Ad-hoc measures \(AP, .* use the highest grade .* pt\.divmeasures\.get_qrels',
        JudgmentsWarning,
    ):
        found = flat(ir_measures.iter_calc([*OURS, *AD_HOC], table, run))
    for each in AD_HOC:
        for key, value in by_hosts([each], whole, run).items():
            assert found[key] == pytest.approx(value, rel=1e-12, abs=1e-12), key
    with quietly(JudgmentsWarning):  # and without another warning
        ir_measures.calc_aggregate(AD_HOC + OURS, whole, run)


@pytest.mark.filterwarnings('error::ir_divmeasures.errors.JudgmentsWarning')
def test_judgments_of_get_qrels_give_the_same_values_alone_and_beside(data):
    import pyterrier as pt

    from ir_divmeasures import terrier

    names = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    raw, run = (each.rename(columns=names) for each in data)
    qrels, topics = terrier.get_qrels(data[0]), run[['qid']].drop_duplicates().assign(query='x')
    key = ['qid', 'docno', 'subtopic_id']
    assert (
        qrels.sort_values(key)[[*key, 'label']].values.tolist()
        == raw.sort_values(key)[[*key, 'label']].values.tolist()
    )

    def ndcg(judgments, *asked):
        return pt.Experiment([run], topics, judgments, [*asked, 'nDCG@20'], ['a'])['nDCG@20'][0]

    assert ndcg(qrels) == pytest.approx(ndcg(qrels, 'RBU@20'), rel=1e-12)
    assert ndcg(raw) != pytest.approx(ndcg(qrels))
    with quietly(JudgmentsWarning):
        assert ndcg(raw, 'RBU@20') == ndcg(qrels, 'RBU@20')


# ----------------------------------------------------------------------------------- ours in ir_measures


def test_every_form_of_judgments_and_runs(data, tmp_path):
    table, run = data
    asked, nested = OURS + AD_HOC, {}
    for q, d, g, s in table.itertuples(index=False):
        nested.setdefault(q, {}).setdefault(d, {})[s] = g
    rows = [ir_measures.Qrel(q, d, g, s) for q, d, g, s in table.itertuples(index=False)]
    docs = [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)]
    write_run(run, tmp_path / 'a.run')
    with quietly():
        expected = pytest.approx(flat(ir_measures.iter_calc(asked, table, run)), rel=1e-12)
        for judgments in (nested, iter(rows), read_qrels(table), table.assign(iteration='0')):
            assert flat(ir_measures.iter_calc(asked, judgments, run)) == expected
        for given in (iter(docs), read_run(tmp_path / 'a.run'), run.sample(frac=1, random_state=1)):
            assert flat(ir_measures.iter_calc(asked, table, given)) == expected


def test_functions_agree(data):
    table, run = data
    asked = [*OURS, ir_measures.NumQ, ir_measures.nDCG @ 5, ir_measures.Bpref]
    with quietly():
        evaluator, both = ir_measures.evaluator(asked, table), ir_measures.calc(asked, table, run)
        assert both.aggregated == evaluator.calc_aggregate(run) == evaluator.calc_aggregate(run)
        assert both.aggregated == ir_measures.calc_aggregate(asked, table, run)
        assert flat(both.per_query) == flat(evaluator.iter_calc(run))
        provider = ir_measures.providers.registry['divmeasures']
        assert flat(provider.iter_calc(asked, table, run)) == flat(both.per_query)
    for each in OURS:
        assert each.calc_aggregate(table, run) == both.aggregated[each]
    assert provider.supports(ir_measures.ERR @ 5)  # with and without Perl


def test_measures_defined_at_run_time_see_the_judgments_as_they_are(data):
    table, run = data
    mine = ir_measures.define_byquery(lambda qrels, run: len(qrels), name='Rows')
    found = flat(ir_measures.iter_calc([mine, *OURS], table, run))
    sizes = table.groupby('query_id').size()
    assert {q: value for (q, name), value in found.items() if name == 'Rows'} == sizes.to_dict()


def test_errors_and_empty_judgments(data):
    with expect_error(r"expected namedtuples, found 'q'.*read_qrels", TypeError):
        ir_measures.calc_aggregate(OURS, 'qrels.txt', {'1': {'d1': 1.0}})
    with expect_error("DocSim@5 needs judgments with a column 'document_similarity'"):
        ir_measures.calc_aggregate([ir_measures.DocSim @ 5], *data)
    with expect_warning('judgments are empty'):
        assert np.isnan([*ir_measures.calc_aggregate(OURS, [], {'q': {'d': 1.0}}).values()]).all()
    with expect_warning('none of the 1 queries of the run has judgments'):  # a batch may have none
        assert not any(ir_measures.calc_aggregate(OURS, data[0], {'x': {'d': 1.0}}).values())
    with expect_error('no run has any'):
        ir_divmeasures.evaluate(data[0], {'x': {'d': 1.0}}, OURS)


# ------------------------------------------------------------------------------------- ours in PyTerrier


@pytest.fixture(scope='module')
def experiment(data):
    import pyterrier as pt

    names = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    table, run = (each.rename(columns=names) for each in data)
    topics = run[['qid']].drop_duplicates(ignore_index=True).assign(query='words')

    class System(pt.Transformer):
        sign = 1

        def transform(self, inp):
            found = inp[['qid', 'query']].merge(run, on='qid')
            return pt.model.add_ranks(found.assign(score=self.sign * found['score']))

    def call(**options):
        systems = [System(), System()]
        systems[1].sign = -1
        with quietly():
            asked = [*OURS, 'ERR-IA@20', 'nDCG@20']
            return pt.Experiment(
                systems, topics, table, asked, ['a', 'b'], validate='ignore', **options
            )

    return call, call().set_index('name'), System, topics, table


OF_PYTERRIER = pytest.mark.filterwarnings('ignore:The inplace keyword:DeprecationWarning')


@OF_PYTERRIER
@over(
    'options',
    [
        {'batch_size': 3},
        {'perquery': 'both'},
        {'baseline': 0, 'correction': 'holm'},
        {'save_dir': '.', 'save_mode': 'reuse'},
    ],
)
def test_experiments(experiment, options, tmp_path, monkeypatch):
    call, expected, *_ = experiment
    monkeypatch.chdir(tmp_path)
    for _ in range(1 + ('save_dir' in options)):  # results that were saved are read
        found = call(**options)
        if isinstance(found, tuple):
            found, each = found
            mean = each.groupby(['name', 'measure'])['value'].mean().unstack()
            assert mean[expected.columns].to_numpy() == pytest.approx(expected.to_numpy())
        found = found.set_index('name')
        pd.testing.assert_frame_equal(found[expected.columns], expected, check_exact=False)
    assert 'baseline' not in options or 'RBU(p=0.99,e=0.05)@20 p-value corrected' in found


@OF_PYTERRIER
@over('size, plan', [(1, 'linear'), (2, 'tree')])
def test_a_batch_warns_of_nothing_that_is_true_of_the_batch_alone(size, plan):
    """One query has one subtopic, one no relevant document, one only relevant ones, one equal scores, and one no judgments."""
    import pyterrier as pt

    rng = np.random.default_rng(0)
    grades = {'2': lambda: 0, '3': lambda: 3}
    qrels = pd.DataFrame(
        [
            (q, f'd{d}', grades.get(q, lambda: int(rng.integers(0, 3)))(), t)
            for q in '012345678'
            for d in range(60)
            for t in ('1' if q == '1' else '12')
        ],
        columns=['qid', 'docno', 'label', 'subtopic_id'],
    )
    run = pd.DataFrame(
        [
            (q, f'd{d}', 1.0 if q == '4' else -float(rank), rank)
            for q in '0123456789'
            for rank, d in enumerate(rng.permutation(80)[:20])
        ],
        columns=['qid', 'docno', 'score', 'rank'],
    )
    topics = pd.DataFrame({'qid': [*'0123456789'], 'query': 'words'})

    def warnings_of(size):
        with recorded_warnings() as caught:
            pt.Experiment(
                [pt.Transformer.from_df(run)],
                topics,
                qrels,
                ['RBU@10', 'StRecall(rel=2)@10', 'nDCG@10'],
                ['a'],
                batch_size=size,
                plan=plan,
                verbose=False,
            )
        return {str(w.message) for w in caught if issubclass(w.category, DivMeasuresWarning)}

    assert warnings_of(size) <= warnings_of(None)


@OF_PYTERRIER
@pytest.mark.filterwarnings('ignore::ir_divmeasures.errors.DivMeasuresWarning')  # folds
def test_grid_searches(experiment, capsys):
    import pyterrier as pt

    *_, System, topics, table = experiment
    one, name = System(), 'alpha-nDCG@20'
    grid = {one: {'sign': [-1, 1]}}
    best, _ = pt.GridSearch(
        one, grid, topics, table, name, verbose=False, return_type='best_setting'
    )
    values = []
    for one.sign in (-1, 1):
        values.append(pt.Evaluate(one(topics), table, metrics=[name])[name])
    assert best == pytest.approx(max(values)) and values[0] != values[1]
    folds = [topics[:4], topics[4:]]
    results, settings = pt.KFoldGridSearch(one, grid, folds, table, name, verbose=False)
    assert len(settings) == 2 and set(results['qid']) == set(topics['qid'])


# ------------------------------------------------------------------------------- threads and processes

SCORING = '''
import ir_measures, ir_divmeasures

QRELS = {'q': {'d1': {'1': 1, '2': 2}, 'd2': {'2': 1}}, 'r': {'d1': {'1': 1}}}
ASKED = ir_divmeasures.measures('RBU@5 alpha_nDCG@5 nDCG@5 Bpref')
def score(evaluator, place):
    run = {'q': {'d1': 2.0, 'd2': float(place)}, 'r': {'d9': 1.0, 'd1': 0.5}}
    values = [ir_measures.calc_aggregate(evaluator.measures, QRELS, run), evaluator.calc_aggregate(run)]
    assert values[0] == values[1]
    return sorted((str(m), value) for m, value in values[0].items())
'''
PROCESSES = '''
import multiprocessing, os, pickle, sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
sys.path.insert(0, {folder!r})
from scoring import *

evaluator = pickle.loads(pickle.dumps(ir_measures.evaluator(ASKED, QRELS)))
expected = [score(evaluator, place) for place in range(8)]
assert expected[0] != expected[3]
pools = [ThreadPoolExecutor(4)]
for method in {methods}:
    if method in multiprocessing.get_all_start_methods():
        pools.append(ProcessPoolExecutor({n_workers}, multiprocessing.get_context(method)))
for pool in pools:
    with pool:
        assert list(pool.map(score, [evaluator] * 8, range(8))) == expected
'''


@QUICK
def test_threads_and_processes(tmp_path, quick):
    (tmp_path / 'scoring.py').write_text(SCORING)
    methods, n_workers = (('fork',), 1) if quick else (('fork', 'spawn', 'forkserver'), 2)
    printed(PROCESSES.format(folder=str(tmp_path), methods=methods, n_workers=n_workers))


FORKS = '''
import os, threading, time, warnings
warnings.simplefilter('ignore')
import ir_divmeasures

def score():
    qrels = {f'q{q}': {f'd{d}': {'1': 1, '2': d % 3} for d in range(30)} for q in range(20)}
    run = {q: {d: float(len(d) + i) for i, d in enumerate(docs)} for q, docs in qrels.items()}
    return ir_divmeasures.evaluate(qrels, {'a': run}, 'RBU@5 alpha_nDCG@5 D_nDCG@5 nDCG@5').values.tolist()

def evaluate_on():
    while not is_over.is_set():
        score()

expected, children, is_over = score(), [], threading.Event()
for _ in range(4):
    threading.Thread(target=evaluate_on, daemon=True).start()
for _ in range(5):
    time.sleep(0.02)
    children.append(os.fork())
    if not children[-1]:
        os._exit(score() != expected)
is_over.set()
deadline, ends = time.monotonic() + 60, {}
while len(ends) < len(children) and time.monotonic() < deadline:
    time.sleep(0.05)
    waiting = [os.waitpid(child, os.WNOHANG) for child in children if child not in ends]
    ends.update((child, status) for child, status in waiting if child)
for child in {*children} - {*ends}:
    os.kill(child, 9)
print([ends.get(child, 'hung') for child in children])
'''


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='POSIX')
def test_a_process_that_is_forked_while_threads_evaluate_finishes():
    """With the lock of ``functools.cached_property`` before Python 3.12, most of them wait forever."""
    assert printed(FORKS) == str([0] * 5)


def test_registration_is_idempotent():
    before = [p.NAME for p in ir_measures.DefaultPipeline.providers]
    hosts.register()
    assert [p.NAME for p in ir_measures.DefaultPipeline.providers] == before
    assert before[before.index('runtime') + 1] == 'divmeasures' and before.count('divmeasures') == 1
