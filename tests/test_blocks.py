"""The blocks of the README, the landing page and the guides run, and print what the pages show.

The blocks of a page share a folder and a namespace. Commands of this package run in the process of the test, other lines of
a shell in bash. The test skips fences with `no-run`. A block of text directly below a
block shows what that block prints.
"""

import contextlib
import doctest
import io
import itertools
import pathlib
import re
import shlex
import shutil
import subprocess

import pyterrier as pt
import pytest

from ir_divmeasures import cli, demo, read_qrels, terrier, write_qrels, write_run
from ir_divmeasures.systems import XQuAD

from .builders import quietly

ROOT = pathlib.Path(__file__).parents[1]
PAGES = [ROOT / 'README.md', ROOT / 'docs/index.md', *sorted((ROOT / 'docs/guide').glob('*.md'))]
BLOCK = re.compile(r'^```(python|bash|sh)\n(.*?)^```\n(?:\n?```text\n(.*?)^```$)?', re.M | re.S)
RUNS = {'bm25': 'BM25', 'lsa': 'LSA', 'mmr': 'BM25 >> MMR', 'xquad': 'BM25 >> xQuAD'}


@pytest.fixture(scope='module')
def sample(made, tmp_path_factory):
    """A folder with the runs of four systems of the demo, and the judgments of its first ten queries."""
    folder = tmp_path_factory.mktemp('sample')
    (folder / 'runs').mkdir()
    for file, name in RUNS.items():
        write_run(made.systems[name](made.topics), folder / f'runs/{file}.run')
    first = read_qrels(demo.DATASET)['query_id'].astype(int) <= 10
    write_qrels(read_qrels(demo.DATASET)[first], folder / 'qrels.txt', format='trec')
    return folder


@pytest.fixture
def names(made, sample, forgotten, tmp_path, monkeypatch):
    """The namespace of a page, in a folder with runs and judgments of the sample collection."""
    shutil.copytree(sample, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return {
        'bm25': made.systems['BM25'],
        'xquad': XQuAD(made.documents),
        'topics': made.topics,
    }


def run_shell(code):
    lines = code.replace('\\\n', ' ').splitlines()
    for is_ours, part in itertools.groupby(lines, lambda line: line.startswith('ir_divmeasures ')):
        if is_ours:
            for line in part:
                # What a shell treats specially becomes a word of its own, which the command refuses.
                words = shlex.shlex(line, posix=True, punctuation_chars=True)
                words.whitespace_split = True
                assert cli.main([*words][1:]) == 0, line
        else:
            subprocess.run(['bash', '-euo', 'pipefail', '-c', '\n'.join(part)], check=True)


def output_of(kind, code, names):
    with contextlib.redirect_stdout(io.StringIO()) as out, quietly():
        if kind == 'python':
            exec(code, names)
        else:
            run_shell(code)
    return out.getvalue()


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_blocks_of_a_page(page, names):
    blocks = [match.groups() for match in BLOCK.finditer(page.read_text(encoding='utf-8'))]
    if page.name == 'README.md':  # .ci/run runs the two blocks that install
        blocks = [block for block in blocks if block[0] != 'sh']
    failures = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for kind, code, expected in blocks:
        try:
            printed = output_of(kind, code, names)
        except Exception as error:
            failures.append(f'{type(error).__name__}: {error}\n{code}')
            continue
        if expected and not doctest.OutputChecker().check_output(expected, printed, flags):
            failures.append(f'{code}printed\n{printed}')
    assert not failures, '\n'.join(failures)


HUB = pathlib.Path(terrier.__file__).parent / 'pt_docs/index.rst'


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')  # of two topics
def test_the_examples_of_the_page_for_pyterriers_hub(made):
    topics, qrels = made.topics.head(2), terrier.get_qrels(f'irds:{demo.DATASET}')
    bm25, xquad = made.systems['BM25'], XQuAD(made.documents)
    blocks = re.findall(
        r'(pt\.(?:Experiment|GridSearch)\(.*?\))\n\n', HUB.read_text(encoding='utf-8'), re.S
    )
    for block, change in zip(
        blocks,
        [("dataset.get_topics('query')", 'topics'), ('[0.1, 0.5, 0.9]', '[0.1, 0.9]')],
        strict=True,
    ):
        assert change[0] in block
        code = block.replace(*change).replace('pt.divmeasures.get_qrels(dataset)', 'qrels')
        names = {'pt': pt, 'bm25': bm25, 'xquad': xquad, 'topics': topics, 'qrels': qrels}
        assert eval(re.sub(r'#.*', '', code), names) is not None
