"""Fixtures. ``shared`` is the one place that knows where the real data is; tests that need it skip without it."""

import functools
import gc
import os
import pathlib
import pickle
import sys

import pytest
import threadpoolctl

# The workers of pytest-xdist use all cores already. NumPy is imported before this file, because pytest looks up the
# warnings of pyproject.toml; the environment is for processes that tests start.
threadpoolctl.threadpool_limits(1)
for library in ('OMP', 'OPENBLAS', 'MKL'):
    os.environ.setdefault(f'{library}_NUM_THREADS', '1')

# Without bytecode, each process would compile the package and the tests.
os.environ.pop('PYTHONDONTWRITEBYTECODE', None)
sys.dont_write_bytecode = False

# Imports make many objects and no garbage.
gc.set_threshold(100_000)


# As if it was not installed: ir_measures imports it when it looks for a provider, which takes seconds.
sys.modules['ranx'] = None


def pytest_runtest_setup():
    """Collections of garbage, which statsmodels and pytest ask for, leave out what was made before the test."""
    gc.freeze()


SHARED = pathlib.Path(
    os.environ.get('IR_DIVMEASURES_SHARED', pathlib.Path(__file__).parents[2] / 'shared')
)
if (SHARED / 'ir_datasets').is_dir():
    os.environ.setdefault('IR_DATASETS_HOME', str(SHARED / 'ir_datasets'))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """With ``-n``, a worker of pytest-xdist gets neighbouring tests, which share what they compute."""
    if getattr(config.option, 'numprocesses', None) and config.option.dist == 'no':
        config.option.dist = 'worksteal'


@pytest.fixture(scope='session')
def shared():
    """The folder of real judgments, runs and recorded outputs (not part of the package)."""
    if not (SHARED / 'data').is_dir():
        pytest.skip(f'no real data at {SHARED} (set IR_DIVMEASURES_SHARED)')
    return SHARED


@pytest.fixture(scope='session')
def web_track(shared):
    """Official Web Track judgments: a function of the year."""
    import ir_datasets

    ids = {
        2009: 'clueweb09/en/trec-web-2009',
        2010: 'clueweb09/en/trec-web-2010',
        2011: 'clueweb09/en/trec-web-2011',
        2012: 'clueweb09/en/trec-web-2012',
        2013: 'clueweb12/trec-web-2013',
        2014: 'clueweb12/trec-web-2014',
    }
    return lambda year: ir_datasets.load(f'{ids[year]}/diversity')


@pytest.fixture(scope='session')
def dynamic_domain(shared):
    """The sample of TREC Dynamic Domain 2016 as ordinary judgments, and its run.

    The grade of a document for a subtopic is the highest rating of its passages, where a rating of 0 counts as 1. The
    run is ordered by iteration, then score, then line.
    """
    import pandas as pd

    def read(name, columns):
        path = shared / 'data/trec-dd' / name
        return pd.read_csv(path, sep='\t', names=columns, keep_default_na=False)

    columns = ['query_id', 'subtopic_id', 'doc_id', 'passage', 'relevance']
    qrels = read('dd16-passage-qrels.txt.gz', columns)
    qrels = qrels[qrels['relevance'] >= 0].assign(relevance=lambda t: t['relevance'].clip(lower=1))
    keys = ['query_id', 'doc_id', 'subtopic_id']
    qrels = qrels.groupby(keys, as_index=False, sort=False)['relevance'].max()
    run = read('dd16-run.txt', ['query_id', 'iteration', 'doc_id', 'score', 'on_topic', 'passages'])
    run = run.sort_values(['iteration', 'score'], ascending=[True, False], kind='stable')
    run['score'] = -run.groupby('query_id').cumcount().astype(float)
    return qrels, run.sort_index()[['query_id', 'doc_id', 'score']]


@pytest.fixture(scope='session')
def made():
    """The demo, each system of which searches for all its topics once."""
    import pyterrier as pt

    from ir_divmeasures import demo

    made = demo.make()

    def remembering(system):
        found = functools.cache(lambda: system(made.topics))

        def search(topics):
            return found().copy() if topics.equals(made.topics) else system(topics)

        return pt.apply.generic(search)

    return made._replace(
        systems={name: remembering(system) for name, system in made.systems.items()}
    )


class Workers:
    """``joblib.Parallel`` that pickles tasks and runs them in this process, in another folder."""

    def __init__(self, **_):
        pass

    def __call__(self, tasks):
        folder = os.getcwd()
        for task in tasks:
            function, arguments, options = pickle.loads(pickle.dumps(task))
            os.chdir('/')
            try:
                yield function(*arguments, **options)
            finally:
                os.chdir(folder)


@pytest.fixture(params=['pickled', pytest.param('processes', marks=pytest.mark.slow)])
def workers(request, monkeypatch):
    """The quick form of a test with ``jobs=2`` needs no process, the slow one uses those of joblib."""
    import joblib

    if request.param == 'pickled':
        monkeypatch.setattr(joblib, 'Parallel', Workers)


@pytest.fixture
def forgotten():
    """The measures that a test defines are forgotten after it."""
    from ir_divmeasures import unregister_measure
    from ir_divmeasures.core.registry import registry

    before = set(registry)
    yield
    for name in set(registry) - before:
        if name in registry:
            unregister_measure(name)


@pytest.fixture
def ran(capsys):
    """What the command prints for a command line, whose words can be given apart."""
    from ir_divmeasures import cli

    from .builders import words_of

    def ran(*arguments):
        assert cli.main(words_of(arguments)) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return ran
