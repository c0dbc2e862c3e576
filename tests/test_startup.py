"""What each subcommand imports: pandas, SciPy and matplotlib take longer to import than most runs take to score.

Each subcommand of the command's own registry runs in a process of its own on 3 MB of judgments. :data:`RUNS` says which
of the three it imports, and why: one that is not in the table, and one that imports less or more, fails.
"""

import json
from typing import NamedTuple

import pytest

from .builders import words_of
from .fresh import streams
from .test_command_grammar import COMMANDS
from .test_rag import TIDES

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
    'compare': Needs("Q R -m 'RBU@5 nDCG@5'", scipy=STUDENT),
    'explain': Needs('Q R 7 -m alpha_nDCG@5'),
    'leaderboard': Needs('Q R -m RBU@5 -o l.html', FRAME, INTERVALS),
    'rag': Needs('rag.jsonl', ROWS, INTERVALS),
    'measures': Needs('RBU'),
    'sensitivity': Needs('Q R -m RBU@5 -x p=0.5,0.9 --resamples 10', FRAME),
    'compat nuggetizer': Needs('rag.jsonl', ROWS),
    'compat ragdoll': Needs('ragdoll.jsonl', ROWS),
    'compat argue': Needs('rag.jsonl', ROWS),
    'qrels validate': Needs('Q'),
    'qrels convert': Needs('Q -o q.tsv --to tsv'),
    'qrels statistics': Needs('Q'),
    'qrels add weights': Needs('Q intents -o w', ROWS),
    'qrels add types': Needs('Q intents -o w', ROWS),
    'qrels add intents': Needs('Q intents -o w', ROWS),
    'qrels add fingerprints': Needs('Q texts.tsv -o w', ROWS, 'similarities are a sparse matrix'),
    'qrels nuggets': Needs('bank.csv -o w', ROWS),
    'qrels diagnose': Needs('Q R'),
    'qrels groups': Needs('Q -a sides members targets -o w', ROWS),
    'pool save': Needs('R -o pool.parquet'),
    'pool score': Needs('Q R -m NumUnique@5', FRAME),
    'pool bounds': Needs('Q R -m NumUnique@5', FRAME),
    'pool judgments': Needs('Q R -o w', ROWS),
    'pool tables': Needs('Q R -m P@1 --groups teams', FRAME, INTERVALS),
    'pool unique': Needs('Q R --groups teams', FRAME, INTERVALS),
    'pool gain': Needs('Q R --groups teams', FRAME),
    'pool union': Needs('Q R', FRAME),
    'pool bias': Needs('Q R -m P@1 --groups teams', FRAME, INTERVALS),
    'pool newcomer-loss': Needs('Q R -m P@1 --groups teams', FRAME, INTERVALS),
    'pool reusability': Needs('Q R -m P@1 --trials 2 --size 1 --groups teams', FRAME),
    'pool finds': Needs('Q R', FRAME),
    'pool rankings': Needs('Q R -m P_Rareness@3 --rareness-alpha 1', FRAME),
    'pool overlap': Needs('R', FRAME),
    'hierarchy build': Needs('Q texts.tsv -o w', ROWS, 'clustering is that of scipy.cluster'),
    'hierarchy agreement': Needs('Q Q --resamples 2', FRAME, SKLEARN),
    'hierarchy calibrate': Needs('Q texts.tsv', FRAME, INTERVALS),
    'hierarchy superintents': Needs('Q parents -o w', ROWS),
    'hierarchy describe': Needs('layered.tsv', FRAME),
    'hierarchy tree': Needs('layered.tsv 7', ROWS),
    'meta overview': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'meta power': Needs("Q R -m 'RR P@5'", FRAME, STUDENT),
    'meta correlations': Needs("Q R -m 'RR P@5'", FRAME),
    'meta ranks': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'meta sources': Needs('--scores one.csv --scores two.csv --judges', FRAME, INTERVALS),
    'meta stability': Needs("Q R -m 'RR P@5'", FRAME, INTERVALS),
    'meta unanimity': Needs("Q R -m 'RR P@5 AP'", FRAME, INTERVALS),
    'meta robustness': Needs("Q R -m 'RR P@5' --trials 5", FRAME),
    'axioms': Needs('StRecall --longest 8 --deepest 64', FRAME),
    'study': Needs('--list'),
    'cite': Needs('RBU'),
    'demo': Needs('-m RBU@5', FRAME, SKLEARN),
}
QUICK = ('evaluate', 'compare', 'explain', 'qrels validate', 'qrels convert', 'qrels diagnose')
"""The subcommands that the quick form of the test runs. The nightly one runs all."""


def test_every_subcommand_says_what_it_needs():
    assert {*RUNS} == {' '.join(words) for words in COMMANDS}, 'write a line into RUNS'


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
        'intents': [
            f'{q} {t} 0.5 {"nav" if t == 1 else "inf"}' for q in queries for t in range(1, 7)
        ],
        'parents': [f'{q}\t{t}\tp{t % 2}' for q in queries for t in range(1, 7)],
        'texts.tsv': [
            'doc_id\ttext',
            *(f'{doc}\tword{d} of {d % 7}' for d, doc in enumerate(documents)),
        ],
        'bank.csv': [
            'query,intent,doc_id,relevance',
            *(f'{q},n{q % 3},{documents[0]},1' for q in queries),
        ],
        'members': [f'{q} {doc} 0.25 0.75' for q in queries for doc in documents],
        'targets': ['0.5', '0.5'],
        'teams': ['a A', 'b A', 'c B'],
    }
    files['layered.tsv'] = [
        'query_id\tsubtopic_id\tdoc_id\trelevance\tlayer',
        *('\t'.join([*row.split(), '0']) for row in files['Q']),
        *(
            f'{q}\t{t}.{d % 2}\t{documents[d]}\t1\t1'
            for q in queries
            for t in '12'
            for d in range(6)
        ),
    ]
    for judge in ('one', 'two'):
        rows = [
            f'{s},{q},AP,{(q * (ord(s) - 90) + len(judge)) % 7 / 7}' for s in 'abc' for q in queries
        ]
        files[f'{judge}.csv'] = ['system,query_id,measure,value', *rows]
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
    answers = [{'text': 'x', 'citations': [0], 'support': ['FS']}]
    records = {
        'rag': [TIDES, {**TIDES, 'query_id': 'more'}],
        'ragdoll': [{'topic_id': '1', 'run_id': 'A', 'references': ['d'], 'answer': answers}],
    }
    for name, rows in records.items():
        (folder / f'{name}.jsonl').write_text(''.join(json.dumps(row) + '\n' for row in rows))
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
