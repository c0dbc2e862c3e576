"""All results print as a headline and a table of one screen, and convert by to_frame()."""

import dataclasses
import io

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    Scores,
    axioms,
    build_hierarchy,
    diagnose,
    evaluate,
    explain,
    meta,
    tables,
)
from ir_divmeasures.results import Result

from .builders import judgment_table, run_table

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

N_SYSTEMS, N_QUERIES, N_MEASURES = 28, 25, 6


@pytest.fixture(scope='module')
def results():
    """A result of each class, larger than a screen where it can be."""
    rng = np.random.default_rng(0)
    values = rng.random((N_SYSTEMS, N_QUERIES, N_MEASURES))
    names = [f'measure_with_a_long_name(parameter={m})' for m in range(N_MEASURES)]
    qrels = judgment_table([(f'q{q}', f'd{d}', 1, '1') for q in range(20) for d in range(20)])
    run = run_table([(f'q{q}', f'd{d}', 20.0 - d) for q in range(20) for d in range(20)])
    made = [
        Scores(values, measures=names),
        diagnose(qrels, {'a': run}),
        explain(qrels, run, 'RBTR@10', 'q0'),
    ]
    assert {type(each) for each in made} == {*Result.__subclasses__()}
    return made


def test_results_print_on_one_screen_and_are_frozen(results):
    for result in results:
        frame, lines = result.to_frame(), str(result).splitlines()
        printed, whole = result._printed()
        assert isinstance(frame, pd.DataFrame) and 3 <= len(lines) <= 24
        assert max(map(len, lines)) <= 100
        rows = f' of {len(printed)} rows are not shown. {whole} returns all.'
        assert (len(printed) > tables.ROWS) == any(rows in line for line in lines)
        assert eval(f'result.{whole}') is not None
        assert '<table' in result._repr_html_() and str(frame.columns[-1]) in result._repr_html_()
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.values = None


# ------------------------------------------------------------------------------------------------- one screen


def test_a_small_table_is_whole():
    index = pd.Index(['a', 'b'], name='system')
    frame = pd.DataFrame({'n': [1, 20], 'p': [0.25, 1], 'none': [None, 2.5]}, index)
    assert tables.screen('Two systems', frame, ['A note.']).splitlines() == [
        'Two systems',
        'system   n       p    none',
        'a        1  0.2500',
        'b       20  1.0000  2.5000',
        'A note.',
    ]


def test_what_does_not_fit_is_counted():
    wide = pd.DataFrame(np.ones((40, 30)), columns=[f'column{c}' for c in range(30)])
    lines = tables.screen('Wide', wide, whole='means()').splitlines()
    assert lines[1].split() == [
        f'column{c}' for c in range(11)
    ]  # 10 · 7 + 8 characters, 10 · 2 between
    assert lines[-2:] == [
        '… 24 of 40 rows are not shown. means() returns all.',
        '… 19 of 30 columns are not shown. means() returns all.',
    ]


def test_control_characters_and_long_notes_stay_on_the_screen():
    text = tables.screen('Head\x1b[2J', pd.DataFrame({'a\nb': ['x\ny' * 90]}), ['word ' * 500])
    assert '\x1b' not in text and len(text.splitlines()) == 3 + tables.NOTES
    assert max(map(len, text.splitlines())) <= 100 and text.endswith('… 20 more lines')


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
    """All bars are made by one function, so one of them is tested without a terminal."""
    word, work = LONG[name]
    for terminal in [Terminal()] + [io.StringIO()] * (name == 'evaluate'):
        monkeypatch.setattr('sys.stderr', terminal)
        work()
        assert (word in terminal.getvalue()) == terminal.isatty(), terminal.getvalue()


def test_means_are_a_table_of_a_paper():
    """Every value that rounds to the best is marked."""
    means = Scores(
        [[[0.2511, 1]], [[0.2549, 2]]], ['a_1', 'b&c'], measures=['alpha_nDCG@5', 'x_y']
    ).means()
    assert means.loc['a_1', 'x_y'] == 1
    latex = means.sort_values('x_y').to_latex(places=2, names={'a_1': 'A'})
    assert latex.splitlines()[3:7] == [
        r'system & $\alpha$-nDCG@5 & x\_y \\',
        r'\midrule',
        r'A & \textbf{0.25} & 1.00 \\',
        r'b\&c & \textbf{0.25} & \textbf{2.00} \\',
    ]
    assert 'α-nDCG@5' in means.to_markdown() and '<td>b&amp;c</td>' in means.to_html()
