"""``ir_divmeasures report`` writes the page that the function writes."""

from __future__ import annotations

import pytest

from ir_divmeasures import read_answers, report
from ir_divmeasures.cli import main


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'qrels').write_text('q1 1 d1 1\nq1 2 d2 1\nq2 1 d1 1\nq2 2 d3 1\n')
    (tmp_path / 'runs').mkdir()
    for name, first in (('a', 'd1'), ('b', 'd2')):
        (tmp_path / 'runs' / name).write_text(f'q1 Q0 {first} 1 2 t\nq2 Q0 {first} 1 2 t\n')
    return tmp_path


def test_the_page_is_that_of_the_function(files, capsys):
    page = files / 'r.html'
    command = [
        'report',
        str(files / 'qrels'),
        str(files / 'runs'),
        '-m',
        'StRecall@5 RBU@5',
        '-o',
        str(page),
        '--title',
        'Ours',
        '--baseline',
        'b',
    ]
    assert main(command) == 0 and capsys.readouterr().out == f'{page}\n'
    report(
        files / 'runs',
        files / 'qrels',
        'StRecall@5 RBU@5',
        files / 'other.html',
        title='Ours',
        baseline='b',
    )
    assert page.read_text('utf-8') == (files / 'other.html').read_text('utf-8')
    assert main(command) == 2 and '--force replaces it' in capsys.readouterr().err
    assert main([*command, '--force']) == 0


def test_answers_parameters_and_ties(files):
    answers = files / 'answers.jsonl'
    answers.write_text(
        ''.join(
            f'{{"query_id": "q{q}", "run_id": "{run}", "nugget_id": "{n}", "nugget": "n{n}", "label": "support"}}\n'
            for q in (1, 2)
            for n in (1, 2)
            for run in 'ab'
        )
    )
    command = [
        'report',
        str(files / 'qrels'),
        str(files / 'runs'),
        '-m',
        'RBU@5',
        '-o',
        str(files / 'r.html'),
        '--answers',
        str(answers),
        '--sensitivity',
        'RBU@5 p=0.5:0.9:3 e=0,0.1',
        '--ties',
        'rows',
    ]
    assert main(command) == 0
    report(
        files / 'runs',
        files / 'qrels',
        'RBU@5',
        files / 'other.html',
        answers=read_answers(answers),
        ties='rows',
        sensitivity={'RBU@5': {'p': [0.5, 0.7, 0.9], 'e': [0, 0.1]}},
    )
    assert (files / 'r.html').read_text('utf-8') == (files / 'other.html').read_text('utf-8')


@pytest.mark.parametrize('grid', ['', 'RBU@5', 'RBU@5 p=0.5 p=0.6'])
def test_a_wrong_grid_says_what_was_expected(files, capsys, grid):
    assert (
        main(
            [
                'report',
                str(files / 'qrels'),
                str(files / 'runs'),
                '-m',
                'RBU@5',
                '-o',
                str(files / 'r.html'),
                '--sensitivity',
                grid,
            ]
        )
        == 2
    )
    assert 'expected a measure and the values of its parameters' in capsys.readouterr().err
