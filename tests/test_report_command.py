"""``ir_divmeasures report`` writes the page that the function writes."""

from __future__ import annotations

import shlex

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


def command(files, rest: str) -> list[str]:
    return ['report', str(files / 'qrels'), str(files / 'runs'), *shlex.split(rest)]


def test_the_page_is_that_of_the_function(files, capsys):
    page, other = files / 'r.html', files / 'other.html'
    asked = command(files, f'-m "StRecall@5 RBU@5" -o {page} --title Ours --baseline b')
    assert main(asked) == 0 and capsys.readouterr().out == f'{page}\n'
    options = {'title': 'Ours', 'baseline': 'b'}
    report(files / 'runs', files / 'qrels', 'StRecall@5 RBU@5', other, **options)
    assert page.read_text('utf-8') == other.read_text('utf-8')
    assert main(asked) == 2 and '--force replaces it' in capsys.readouterr().err
    assert main([*asked, '--force']) == 0


def test_answers_parameters_and_ties(files):
    answers, page, other = (files / name for name in ('answers.jsonl', 'r.html', 'other.html'))
    answers.write_text(
        ''.join(
            f'{{"query_id": "q{q}", "run_id": "{run}", "nugget_id": "{n}", "nugget": "n{n}", "label": "support"}}\n'
            for q in (1, 2)
            for n in (1, 2)
            for run in 'ab'
        )
    )
    grid = '--sensitivity "RBU@5 p=0.5:0.9:3 e=0,0.1"'
    assert main(command(files, f'-m RBU@5 -o {page} --answers {answers} {grid} --ties rows')) == 0
    options = {'answers': read_answers(answers), 'ties': 'rows'}
    options['sensitivity'] = {'RBU@5': {'p': [0.5, 0.7, 0.9], 'e': [0, 0.1]}}
    report(files / 'runs', files / 'qrels', 'RBU@5', other, **options)
    assert page.read_text('utf-8') == other.read_text('utf-8')


@pytest.mark.parametrize('grid', ['', 'RBU@5', 'RBU@5 p=0.5 p=0.6'])
def test_a_wrong_grid_says_what_was_expected(files, capsys, grid):
    assert main(command(files, f'-m RBU@5 -o {files}/r.html --sensitivity "{grid}"')) == 2
    assert 'expected the values of parameters' in capsys.readouterr().err
