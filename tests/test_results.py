"""All results print as a headline and a table of one screen, and convert by to_frame()."""

import dataclasses
import importlib
import inspect
import io
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest

import ir_divmeasures
from ir_divmeasures import (
    Scores,
    axioms,
    build_hierarchy,
    diagnose,
    evaluate,
    explain,
    meta,
    sample,
    studies,
    systems,
    tables,
    terrier,
    user_models,
)
from ir_divmeasures.progress import above_bars, with_progress
from ir_divmeasures.results import Result

from .builders import judgment_table, over, run_table

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(ir_divmeasures.__path__, 'ir_divmeasures.')
    if not found.name.endswith('__main__')
]
CLASSES = {
    cls
    for module in MODULES
    for cls in vars(module).values()
    if inspect.isclass(cls) and cls.__module__.startswith('ir_divmeasures.')
}
RESULTS = sorted(
    (cls for cls in CLASSES if issubclass(cls, Result) and cls is not Result),
    key=lambda c: c.__name__,
)
PUBLIC = sorted(
    {
        cls
        for module in (ir_divmeasures, axioms, meta, studies, systems, terrier, user_models, sample)
        for cls in map(vars(module).get, module.__all__)
        if inspect.isclass(cls)
    },
    key=lambda c: c.__name__,
)
NO_RESULTS = {
    'Study': 'the tables of a paper',
    'View': 'how a measure is read',
    'Constraint': 'a definition',
    'Document': 'a document',
    'Tests': 'arrays of tests',
    'Leaderboard': 'a table and a page',
}
"""Public data classes and named tuples that are not results, and why."""
N_SYSTEMS, N_QUERIES, N_MEASURES = 28, 25, 6


@pytest.fixture(scope='module')
def results():
    """One result of every class, and of every function that returns a plain Result, by the name of the class or function.

    They are of many systems, queries and measures, so that arrays are large.
    """
    rng = np.random.default_rng(0)
    values = rng.random((N_SYSTEMS, N_QUERIES, N_MEASURES))
    names = [f'measure_with_a_long_name(parameter={m})' for m in range(N_MEASURES)]
    scores = Scores(values, measures=names)
    qrels = judgment_table([(f'q{q}', f'd{d}', 1, '1') for q in range(20) for d in range(20)])
    run = run_table([(f'q{q}', f'd{d}', 20.0 - d) for q in range(20) for d in range(20)])
    made = [
        scores,
        diagnose(qrels, {'a': run}),
        explain(qrels, run, 'RBTR@10', 'q0'),
    ]
    named = [each if isinstance(each, tuple) else (type(each).__name__, each) for each in made]
    return dict(named)


RETURNING = {
    name: found
    for module in MODULES
    for name, found in vars(module).items()
    if inspect.isfunction(found)
    and not name.startswith('_')
    and found.__annotations__.get('return') in ('Result', Result)
}
"""The public functions that return a plain Result, by name."""


def test_every_kind_of_result_is_tested(results):
    assert set(results) == {cls.__name__ for cls in RESULTS} | set(RETURNING)


@over('cls', PUBLIC)
def test_public_data_classes_are_results(cls):
    data = dataclasses.is_dataclass(cls) or issubclass(cls, tuple)
    assert not data or issubclass(cls, Result) != (cls.__name__ in NO_RESULTS)


def check_print(result):
    frame, shown = result.to_frame(), str(result)
    assert isinstance(frame, pd.DataFrame) and len(frame)
    lines = shown.splitlines()
    assert repr(result) == shown and 3 <= len(lines) <= tables.LINES
    assert max(map(len, lines)) <= tables.COLUMNS
    assert not any(line != line.rstrip() for line in lines)
    assert ' ' in lines[0] and 'object at' not in lines[0]
    printed, whole = result._printed()
    heads = {tables.shortened(str(printed.columns[0]), cap) for cap in tables.CAPS}
    square = lines[1].split()[1:2] == ['1']
    assert square or any(head in ' '.join(lines[1:4]) for head in heads)
    if len(printed) > tables.LINES:
        omitted = re.search(r'not shown: ([\d,]+) of ([\d,]+) rows', shown)
        assert omitted and int(omitted[2].replace(',', '')) == len(printed)
        assert f'{whole} returns all' in shown
    assert eval(f'result.{whole}') is not None
    html = result._repr_html_()
    assert '<table' in html and str(frame.columns[-1]) in html


def check_frozen(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.values = None
    if type(result) is Result:  # the table that is returned is a copy
        frame = result.to_frame()
        frame['further'] = 1
        assert 'further' not in result.to_frame()


@over('check', [check_print, check_frozen])
def test_results_print_on_one_screen_and_are_frozen(check, results):
    wrong = {}
    for name, result in results.items():
        try:
            check(result)
        except Exception as error:
            wrong[name] = repr(error)[:500]
    assert wrong == {}


# ------------------------------------------------------------------------------------------------- one screen


def test_a_small_table_is_whole():
    frame = pd.DataFrame(
        {'n': [1, 20], 'p': [0.25, 1e-7], 'same': [True, False], 'none': [None, 2.5]},
        index=pd.Index(['a', 'b'], name='system'),
    )
    assert tables.screen('Two systems', frame, ['A note.']) == (
        'Two systems\nsystem   n        p  same    none\na        1   0.2500  yes\n'
        'b       20  1.0e-07  no    2.5000\nA note.'
    )


def test_what_does_not_fit_is_counted():
    wide = pd.DataFrame(np.ones((40, 30)), columns=[f'column{c}' for c in range(30)])
    lines = tables.screen('Wide', wide, whole='means()').splitlines()
    assert len(lines) == 24 and lines[1].split()[:2] == ['column0', 'column1']
    assert len(lines[1].split()) == 11  # 10 · 7 + 8 characters, and 10 · 2 between them
    assert lines[-1] == '… not shown: 19 of 40 rows and 19 of 30 columns. means() returns all.'
    assert (
        tables.screen('x', pd.DataFrame({'n': range(22)})).count('\n') == 23
    )  # all rows, and no line about them
    assert (
        tables.screen('x', pd.DataFrame({'n': range(23)}))
        .splitlines()[-1]
        .startswith('… not shown: 2 of 23 rows')
    )


def test_control_characters_and_long_notes_stay_on_the_screen():
    text = tables.screen('Head\x1b[2J', pd.DataFrame({'a\nb': ['x\ny' * 90]}), ['word ' * 500])
    assert (
        '\x1b' not in text
        and len(text.splitlines()) <= 24
        and max(map(len, text.splitlines())) <= 100
    )
    assert text.splitlines()[-1].startswith('… ') and text.endswith('more lines of notes')
    assert tables.screen('Empty', pd.DataFrame()) == 'Empty\n(no rows)'


# ---------------------------------------------------------------------------------------------------- progress bars


class Terminal(io.StringIO):
    def isatty(self):
        return True


SCORES = np.random.default_rng(0).random((3, 6, 2))
QRELS, RUN = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}}
LONG = {
    'build_hierarchy': (
        'clusters',
        lambda: build_hierarchy(QRELS, {'d1': 'a b', 'd2': 'a c'}, cutoff=0),
    ),
    'evaluate': ('runs', lambda: evaluate(QRELS, {'a': RUN}, 'StRecall@2')),
    'discriminative_power': (
        'measures',
        lambda: meta.discriminative_power(SCORES, rng=0),
    ),
    'stability': ('resamples', lambda: meta.stability(SCORES, n_trials=10, rng=0)),
    'unanimity': ('queries', lambda: meta.unanimity(SCORES)),
    'axioms': ('axioms', lambda: axioms.table(['RBU@5'], longest=8, deepest=16)),
}


@pytest.mark.parametrize('name', LONG)
def test_long_work_shows_a_bar_on_a_terminal_only(monkeypatch, name):
    word, work = LONG[name]
    for terminal in (Terminal(), io.StringIO()):
        monkeypatch.setattr('sys.stderr', terminal)
        work()
        assert (word in terminal.getvalue()) == terminal.isatty(), terminal.getvalue()


def test_a_bar_of_items_counts_them_and_makes_room_for_a_line(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr('sys.stderr', terminal)
    for item in with_progress(['a', 'b'], 'run', 'runs'):
        with above_bars():
            terminal.write(f'{item}\n')
    shown = terminal.getvalue()
    assert '0/2' in shown and shown.count('\ra\n') == shown.count('\rb\n') == 1
    assert shown.endswith(' \r')  # nothing of it is left


def test_a_paper_table_marks_every_value_that_rounds_to_the_best():
    rows = [('a', [0.1211, 2.0]), ('b', [0.1249, np.nan]), ('c', [0.1149, 1.0])]
    marked = {
        form: tables.paper_table(['system', 'α-DCG', 'x_y'], rows, form, 2, legend='l')
        for form in tables.PAPER
    }
    assert marked['latex'].count(r'\textbf{0.12}') == 2 and r'\textbf{0.11}' not in marked['latex']
    assert r'system & $\alpha$-DCG & x\_y \\' in marked['latex']
    assert marked['markdown'].count('**') == marked['html'].count('strong') == 2 * 3
    assert marked['table'].splitlines()[1:] == [
        'a       0.12*  2.00*',
        'b       0.12*',
        'c       0.11   1.00',
        '*: best; l',
    ]


def test_a_wide_table_is_folded_and_repeats_the_names():
    frame = pd.DataFrame({'system': ['a', 'b'], 'n': [1, 2], 'a long column': [3, 4], 'm': [5, 6]})
    folded = tables.render(frame, width=22)
    assert folded.splitlines() == [
        'system  n',
        'a       1',
        'b       2',
        '',
        'system  a long column',
        'a                   3',
        'b                   4',
        '',
        'system  m',
        'a       5',
        'b       6',
    ]
    assert tables.render(frame, width=80) == tables.render(frame)
