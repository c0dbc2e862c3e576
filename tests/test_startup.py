"""What each subcommand imports: pandas, SciPy and matplotlib take longer to import than most runs take to score.

Each subcommand of the command's own registry runs in a process of its own on 3 MB of judgments. :data:`RUNS` says which
of the three it imports, and why: one that is not in the table, and one that imports less or more, fails.
"""

from typing import NamedTuple

import pytest

from .builders import words_of
from .fresh import streams
from .test_cli import COMMANDS

TRACKED = ('pandas', 'matplotlib', 'scipy', 'scipy.special', 'scipy.stats')
"""``scipy.stats`` takes five times as long as ``scipy.special``, which has the distributions."""


class Needs(NamedTuple):
    """What a subcommand imports.

    Attributes:
        line: the words after the subcommand. ``Q`` stands for the judgments, ``R`` for the runs.
        pandas: why it needs pandas; '' if it does not.
        scipy: why it needs SciPy, which names the module of :data:`TRACKED`; '' if it does not.
    """

    line: str
    pandas: str = ''
    scipy: str = ''


ROWS = 'it joins or groups the rows of tables'
FRAME = 'it prints the DataFrame that its function returns'
STUDENT = "Student's t, whose distribution is in scipy.special"
INTERVALS = 'intervals by the t or beta distribution, which scipy.special has'
SKLEARN = 'scikit-learn, which imports scipy.special and scipy.stats'
RUNS = {
    'evaluate': Needs("Q R -m 'RBU@5 nDCG@5'"),
    'compare': Needs("Q R -m 'RBU@5 nDCG@5'", FRAME, STUDENT),
    'explain': Needs('Q R 7 -m alpha_nDCG@5', ROWS),
    'leaderboard': Needs('Q R -m RBU@5 -o l.html', FRAME, INTERVALS),
    'measures': Needs('RBU'),
    'qrels convert': Needs('Q -o q.tsv --to tsv', 'pandas writes tables'),
    'qrels nuggets': Needs('bank.csv -o w', ROWS),
    'qrels diagnose': Needs('Q R'),
    'pool save': Needs('R -o pool.parquet', 'pa.array imports it for texts of Python'),
    'pool score': Needs('Q R -m NumUnique@5', FRAME),
    'pool unique': Needs('Q R', FRAME, INTERVALS),
    'pool team': Needs('Q R -m P@1', FRAME, INTERVALS),
    'qrels hierarchy': Needs(
        'Q --docs texts.tsv -o w', ROWS, 'clustering is that of scipy.cluster'
    ),
    'meta power': Needs("Q R -m 'RR P@5'", FRAME, STUDENT),
    'meta correlations': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'meta ranks': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'meta stability': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'meta unanimity': Needs("Q R -m 'RR P@5 AP'", FRAME, INTERVALS),
    'meta robustness': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'axioms': Needs('StRecall', FRAME),
    'study': Needs('turkmen --sample --table table4', FRAME),
    'cite': Needs('RBU'),
    'demo': Needs('-m RBU@5', FRAME, SKLEARN),
}
QUICK = ('evaluate', 'compare', 'explain', 'qrels convert', 'qrels diagnose')
"""The subcommands that the quick form of the test runs. The nightly one runs all."""


def test_every_subcommand_has_a_line():
    assert {*RUNS} == {*COMMANDS}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Judgments of 3 MB, which are relevant for few documents, three runs, and a file of each further kind."""
    folder = tmp_path_factory.mktemp('startup')
    queries, documents = range(1, 51), [f'clueweb-{d:016d}' for d in range(300)]
    files = {
        'Q': [
            f'{q} {t} {doc} {int(d < 6 and (d + t) % 3 > 0)}'
            for q in queries
            for d, doc in enumerate(documents)
            for t in range(1, 7)
        ],
        'parents': [f'{q}\t{t}\tp{t % 2}' for q in queries for t in range(1, 7)],
        'texts.tsv': [
            'doc_id\ttext',
            *(f'{doc}\tword{d} of {d % 7}' for d, doc in enumerate(documents)),
        ],
        'bank.csv': [
            'query,nugget,doc,grade',
            *(f'{q},n{q % 3},{documents[0]},1' for q in queries),
        ],
    }
    (folder / 'R').mkdir()
    for place, name in enumerate('abc'):
        ranked = [(q, documents[(d * (place + 1) + q) % 11]) for q in queries for d in range(9)]
        files[f'R/{name}.run'] = [
            f'{q} Q0 {doc} {row % 9 + 1} {9 - row % 9} {name}'
            for row, (q, doc) in enumerate(ranked)
        ]
    for name, lines in files.items():
        (folder / name).write_text('\n'.join(lines) + '\n')
    assert (folder / 'Q').stat().st_size > 2.5e6
    return folder


@pytest.mark.parametrize(
    'words', [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in RUNS]
)
def test_a_subcommand_imports_what_it_needs(folder, tmp_path, words):
    needs = RUNS[words]
    code = f'''import os, sys
os.chdir({str(tmp_path)!r})
for name in os.listdir({str(folder)!r}):
    os.symlink(os.path.join({str(folder)!r}, name), name)
before = [name for name in {TRACKED} if name in sys.modules]
import ir_divmeasures_command
done = ir_divmeasures_command.main({words_of([words, needs.line])})
print()
print(before, done, [name for name in {TRACKED} if name in sys.modules])'''
    failed, out, err = streams(code, 'import sys')
    assert not failed, err
    expected = ['pandas'] * bool(needs.pandas) + ['scipy'] * bool(needs.scipy)
    expected += [name for name in TRACKED[3:] if name in needs.scipy]
    assert out.splitlines()[-1] == f'[] 0 {expected}', err
