"""Names of systems, queries, documents and subtopics harm nobody: tables, pages, pictures, files, the terminal."""

import csv
import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import meta, read_qrels, write_qrels
from ir_divmeasures.cli import main
from ir_divmeasures.errors import visible
from ir_divmeasures.evaluation.scores import Scores
from ir_divmeasures.tables import FORMS, latex, render

from .builders import one_in, over, quietly

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

HOSTILE = {
    'a new line': 'a\n\\input{/etc/passwd}',
    'a carriage return': 'a\r\\write18{rm}',
    'clear the screen': '\x1b[2J\x1b[H',
    'a title': '\x1b]0;owned\x07',
    'an 8-bit control': 'a\x9b31mred',
    'backspaces': 'good\x08\x08\x08\x08evil',
    'another line end': 'a\x85b\u2028c\u2029d',
    'from right to left': 'a\u202eevil\u2066',
    'nothing': 'a\x00b',
    'TeX': r'\input{x}$&%#_{}~^',
    'TeX in hexadecimal': 'a^^5cinput b',
    'an option of a row': '[10cm] a',
    'a star': '*',
    'a comment': '% a',
    'Markdown': '[a](javascript:b) ![c](d) `e` **f** | g \\| h',
    'HTML': '<script>alert(1)</script>&lt;',
    'a formula': '=HYPERLINK("http://a","b")',
    'a sum': '+1+1',
    'a command': '@SUM(1)',
    'a minus': '-2+3',
    'a tab': '\t=1',
    'full width': '＝1',
    'quotation marks': 'a"b,c\'d',
    'mathematics': '$\\frac{$',
}
if sys.version_info < (3, 11):
    del HOSTILE['nothing']  # its csv module cannot write it
SEEN = re.compile(
    '[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
)
"""What may not get to a terminal; new lines and tabs are looked at by the lines and cells that they would make."""


def table(name):
    return pd.DataFrame({'system': ['bm25', name, 'dph'], name: [0.5, 0.25, -0.5], 'n': [1, 2, 3]})


# -------------------------------------------------------------------------------------------------------- every table


def cells_of(name):
    return list(csv.reader(io.StringIO(render(table(name), 'csv'), newline='')))


@over('name', HOSTILE.values())
def test_a_name_makes_neither_lines_nor_cells(name):
    """Nor control characters."""
    texts = {form: render(table(name), form) for form in FORMS}
    assert [form for form, text in texts.items() if SEEN.search(text)] == []
    n_lines = {form: len(text.split('\n')) for form, text in texts.items()}
    assert [n_lines[form] for form in ('table', 'markdown', 'latex')] == [4, 5, 9]
    for line in texts['markdown'].split('\n'):
        assert len(re.split(r'(?<!\\)(?:\\\\)*\|', line)) == 5
    for row in texts['latex'].split('\n'):
        assert not row.endswith(r'\\') or len(re.split(r'(?<!\\)&', row)) == 3
    assert [len(row) for row in cells_of(name)] == [3] * 4
    assert len(json.loads(texts['json'])) == 3


@over('name', HOSTILE.values())
def test_forms_give_the_name_back(name):
    """But for control characters, which are written visibly where the form has no way to write them. Markdown shows no
    markup."""
    cells = cells_of(name)
    assert cells[2][0] == visible(name, '\n\t') == cells[0][1]
    assert json.loads(render(table(name), 'json'))[1]['system'] == name
    cell = render(pd.DataFrame({'system': [name]}), 'markdown').split('\n')[2][2:-2]
    assert not re.search(r'<|>|(?<!\\)(?:\\\\)*[\[\]`*|]', cell)
    shown = re.sub(r'\\([\\|`*\[\]])', r'\1', cell)
    for entity, character in (('&lt;', '<'), ('&gt;', '>'), ('&amp;', '&')):
        shown = shown.replace(entity, character)
    assert shown == visible(name)


# -------------------------------------------------------------------------------------------------------------- LaTeX

COMMANDS = {
    'begin',
    'end',
    'toprule',
    'midrule',
    'bottomrule',
    'textbf',
    'textbackslash',
    'textasciitilde',
    'textasciicircum',
    'textless',
    'textgreater',
    'alpha',
    'sharp',
}


def parsed(text):
    """The commands of a LaTeX table. Braces and dollar signs must pair, and a comment must be the first line."""
    first, *rest = text.split('\n')
    commands, depth, mathematics = set(), 0, False
    for line in rest if first.startswith('%') else [first, *rest]:
        assert not line.startswith(('[', '*')) and not re.search(r'\\\\\s*[\[*]', line)
        for token in re.findall(r'\\[A-Za-z]+|\\.|.', line):
            if token[0] == '\\' and token[1:].isalpha():
                commands.add(token[1:])
            elif token[0] == '\\':
                assert token[1] in '\\&%$#_{}'
            depth += (token == '{') - (token == '}')
            mathematics ^= token == '$'
            assert depth >= 0 and token not in '%#~' and (token not in '_^' or mathematics)
    assert depth == 0 and not mathematics
    return commands


@over('name', HOSTILE.values())
def test_latex_runs_nothing(name):
    assert parsed(render(table(name), 'latex')) <= COMMANDS
    assert latex(name) == latex(visible(name))
    assert latex('a\ud800') == latex('a\\ud800')  # half of a character


def test_latex_of_a_comparison_runs_nothing():
    names = [*HOSTILE.values()]
    values = np.random.default_rng(0).random((len(names), 6, len(names)))
    scores = Scores(values, systems=names, measures=[f'{name} of it' for name in names])
    text = meta.compare(scores, baseline=names[0]).to_latex()
    first, second, _ = text.split('\n', 2)
    assert first.startswith('% bold') and second.startswith(r'\begin{tabular}')
    assert parsed(text) <= COMMANDS


# ----------------------------------------------------------------------------------- files, pictures and the terminal

PRINTED = {kind: name for kind, name in HOSTILE.items() if not re.search('[\t\n\r ]', name)}
"""Names that a field of a TREC run can be."""


@over('place, name', enumerate(PRINTED.values()))
@one_in(3)
def test_the_command_prints_nothing_that_a_terminal_obeys(tmp_path, capsys, place, name, every):
    """The quick form gives each name to one or two of the commands."""
    (tmp_path / 'qrels').write_text(f'{name} 0 {name} 1\nq 0 d 1\n', encoding='utf-8', newline='')
    (tmp_path / 'run').write_text(
        f'{name} Q0 {name} 1 2 {name}\nq Q0 d 1 1 {name}\n', encoding='utf-8', newline=''
    )
    (tmp_path / 'broken').write_text(f'{name}\n', encoding='utf-8', newline='')
    qrels, run, broken = (tmp_path / file for file in ('qrels', 'run', 'broken'))
    calls = [
        ['evaluate', qrels, run, '-m', 'StRecall@5', '-q', '--format', 'table'],
        ['qrels', 'diagnose', qrels, run],
        ['explain', qrels, run, name, '-m', 'RBU@5'],
        ['evaluate', qrels, broken, '-m', 'RBU'],
        ['evaluate', tmp_path / f'no-{name}'.replace('\x00', ''), run, '-m', name],
    ]
    for call in calls[place % every :: every]:
        with quietly(Warning):
            main([str(argument) for argument in call])
        printed = capsys.readouterr()
        assert not SEEN.search(printed.out + printed.err), call


@over('ending', ['csv', 'tsv', 'parquet', 'csv.gz'])
def test_scores_that_are_written_are_read_back(tmp_path, ending):
    """But for characters that texts of lines cannot have, whose scores can be written all the same."""
    lost = '\x00' if ending == 'parquet' else '[\x00\r]'
    names = ['bm25', *(name for name in HOSTILE.values() if not re.search(lost, name))]
    for systems in (names, ['bm25', 'of no file', *HOSTILE.values()]):
        values = np.arange(len(systems))[:, None, None] / 32
        scores = Scores(values, systems=systems, measures=['AP'])
        scores.write(tmp_path / f'{len(systems)}.{ending}')
    assert Scores.read(tmp_path / f'{len(names)}.{ending}').systems == tuple(names)


@over('place, name', enumerate(HOSTILE.values()))
@one_in(2)
def test_judgments_are_written_as_they_are_or_not_at_all(tmp_path, place, name, every):
    """The quick form writes each name in one form."""
    for format in ('trec', 'tsv')[place % every :: every]:
        path = tmp_path / f'{place}.{format}'
        judged = pd.DataFrame(
            {
                'query_id': ['q'],
                'doc_id': [name],
                'relevance': [1],
                'subtopic_id': ['a'],
                'weight': [1.0],
            }
        )
        try:
            write_qrels(
                judged.drop(columns='weight') if format == 'trec' else judged, path, format=format
            )
        except (ValueError, UnicodeEncodeError):
            assert not path.exists()
        else:
            assert read_qrels(path, format=format)['doc_id'].tolist() == [name]
