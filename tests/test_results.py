"""All results print briefly, convert by to_frame(), show as tables in notebooks, and draw on given axes."""
from __future__ import annotations

import importlib
import inspect
import pkgutil

import numpy as np
import pandas as pd
import pytest

import ir_divmeasures
from ir_divmeasures import Pool, Scores, axioms, bounds, diagnose, explain, meta, resample_judges, studies
from ir_divmeasures.evaluation.partitions import PoolCounts, Totals, score_partition
from ir_divmeasures.judgments.statistics import statistics
from ir_divmeasures.pools import analysis as report
from ir_divmeasures.results import Result, brief, plotting
from ir_divmeasures.user_models import scores_over_users, user_model

MODULES = [importlib.import_module(found.name)
           for found in pkgutil.walk_packages(ir_divmeasures.__path__, 'ir_divmeasures.')
           if not found.name.endswith('__main__')]
CLASSES = {cls for module in MODULES for cls in vars(module).values()
           if inspect.isclass(cls) and cls.__module__.startswith('ir_divmeasures.')}
OWN_TESTS = {'Calibration', 'Curves', 'Joint', 'Proof', 'Rag', 'Sensitivity', 'SubtopicAgreement', 'Summary'}
"""Results that are printed and drawn in test_subtopic_quality, test_rag, test_prove and test_sensitivity."""
RESULTS = sorted((cls for cls in CLASSES if issubclass(cls, Result) and cls is not Result
                  and cls.__name__ not in OWN_TESTS), key=lambda c: c.__name__)
N_SYSTEMS, N_QUERIES, N_MEASURES = 40, 50, 12


@pytest.fixture(scope='module')
def results() -> dict[str, Result]:
    """One result of every class, by its name; of many systems, queries and measures, so that arrays are large."""
    rng = np.random.default_rng(0)
    values = rng.random((N_SYSTEMS, N_QUERIES, N_MEASURES))
    names = [f'measure_with_a_long_name(parameter={m})' for m in range(N_MEASURES)]
    scores = Scores(values, measures=names)
    by_measure = {name: scores[name] for name in names}
    qrels = pd.DataFrame([(f'q{q}', f'd{d}', 1, '1') for q in range(20) for d in range(20)],
                         columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])
    run = pd.DataFrame([(f'q{q}', f'd{d}', 20.0 - d) for q in range(20) for d in range(20)],
                       columns=['query_id', 'doc_id', 'score'])
    preferences = pd.DataFrame([(f'u{u}', str(q + 1), f'system{s + 1}', f'system{s + 2}', 1) for u in range(3)
                                for q in range(9) for s in range(9)],
                               columns=['user', 'query_id', 'system_a', 'system_b', 'preference'])
    table = axioms.table('StRecall alpha_DCG_IA', longest=8, deepest=16)
    made: list[Result] = [
        scores, meta.overview(scores, 't', rng=0), meta.correlations(scores), meta.discriminative_power(scores, 't'),
        meta.stability(scores, n_trials=10, n_resamples=2, rng=0), meta.unanimity(scores),
        meta.system_count(lambda members: values[members].mean(axis=1), N_SYSTEMS, [2, 4], n_trials=5,
                          measures=names, rng=0),
        meta.intuitiveness(scores, names[0]), meta.preference_agreement(scores, preferences),
        meta.measure_agreement(scores),
        meta.topic_robustness(by_measure, sizes=[10, 20], n_trials=5, n_resamples=2, rng=0),
        meta.simulate(qrels, {'a': run}, rng=0),
        user_model('AP', grades=[1, 0] * 500), table, table['StRecall'], table['StRecall'].checks[0],
        table['StRecall'].checks[0]['Pri'], table.counterexamples[0],
        diagnose({'a': run}, qrels), resample_judges(run, judges(qrels), 'RBTR@10', n_resamples=3, reference='max'),
        scores_over_users({'a': run}, qrels, 'RBTR@10', nodes=3), *studied(table.cells_frame()),
        bounds({'a': run}, qrels, 'RBTR@10'), meta.compare(scores), explain(run, qrels, 'RBTR@10', 'q0'),
        statistics(qrels), Totals.of(score_partition(run, qrels, 'RBTR@10'), 'RBTR@10'),
        PoolCounts.of({'a': run}, qrels), meta.queries_needed(scores, 'system1', 'system2')]
    return {type(result).__name__: result for result in made}


def judges(qrels: pd.DataFrame) -> pd.DataFrame:
    """A second judge who finds nothing."""
    return pd.concat([qrels.assign(judge='a'), qrels.assign(judge='b', relevance=0)])


def studied(frame: pd.DataFrame) -> list[Result]:
    return [studies.Study('a-study', {'cells': frame}, {'text': 'Text. ' * 50})]


def test_every_class_of_results_is_tested(results):
    assert set(results) == {cls.__name__ for cls in RESULTS}


def test_every_class_that_converts_or_draws_is_a_result():
    assert [cls for cls in CLASSES if not issubclass(cls, Result)
            and cls is not Pool and any(name in vars(cls) for name in ('to_frame', 'plot', '_repr_html_'))] == []


@pytest.mark.parametrize('cls', RESULTS, ids=lambda cls: cls.__name__)
def test_results_print_briefly_and_show_as_tables(cls, results):
    result = results[cls.__name__]
    frame = result.to_frame()
    assert isinstance(frame, pd.DataFrame) and len(frame)
    assert repr(result).startswith(f'{cls.__name__}(') and len(repr(result)) < 1000
    assert '<table' in result._repr_html_() and str(frame.columns[-1]) in result._repr_html_()
    assert 'savefig' not in inspect.getsource(cls)


@pytest.mark.parametrize('cls', [cls for cls in RESULTS if hasattr(cls, 'plot')], ids=lambda cls: cls.__name__)
def test_results_draw_on_the_axes_they_are_given(cls, results):
    result = results[cls.__name__]
    ax = plotting.axes()
    assert inspect.signature(cls.plot).parameters['ax'].default is None
    assert result.plot(ax=ax) is ax and ax.get_children()
    assert result.plot().figure is not ax.figure


DRAWING = sorted({found for module in MODULES for name, found in vars(module).items()
                  if inspect.isfunction(found) and name.startswith(('plot_', 'draw_'))}, key=lambda f: f.__name__)


@pytest.mark.parametrize('function', DRAWING, ids=lambda f: f.__name__)
def test_functions_that_draw_take_axes_and_write_no_file(function):
    assert inspect.signature(function).parameters['ax'].default is None
    assert 'path' not in inspect.signature(function).parameters
    source = inspect.getsource(function)
    assert 'pyplot' not in source and '.savefig(path, ' not in source and 'return figure' not in source


def test_reports_draw_on_the_axes_they_are_given():
    ax = plotting.axes()
    change = pd.DataFrame({'measure': 'P', 'alpha': [0, 1], 'tau': [1, 0.9], 'tau_ap': [1, 0.8]})
    assert report.plot_ranking_change(change, ax=ax) is ax


@pytest.mark.parametrize('value, text', [
    (0.5, '0.5'), (None, 'None'), (('a', 'b'), "('a', 'b')"), (('a' * 30,) * 3, '<tuple of 3>'), ({}, '<dict of 0>'),
    ('x' * 80, "'" + 'x' * 58 + '…'), (np.zeros((2, 3)), '<ndarray of 2 × 3>'), (np.float64(1), repr(np.float64(1)))],
    ids=str)
def test_brief(value, text):
    assert brief(value) == text
