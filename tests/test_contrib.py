"""The patches for ir_measures under contrib/: they contain our own lines only, apply, and pass their tests."""

import hashlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ir_measures
import pytest

ROOT = pathlib.Path(__file__).parents[1]
PATCHES = sorted((ROOT / 'contrib/ir_measures').glob('*.patch'))
VERSION = '0.4.3'


def run(*command, cwd, **environment):
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture
def patched(tmp_path):
    """A folder with a copy of the installed ir_measures to which the patches are applied."""
    if importlib.metadata.version('ir_measures') != VERSION:
        pytest.skip(f'the patches are for ir_measures {VERSION}')
    if shutil.which('git') is None:
        pytest.skip('git is not installed')
    shutil.copytree(
        pathlib.Path(ir_measures.__file__).parent,
        tmp_path / 'ir_measures',
        ignore=shutil.ignore_patterns('__pycache__'),
    )
    done = run(
        'git',
        'apply',
        '--unidiff-zero',
        *PATCHES,
        cwd=tmp_path,
        GIT_CEILING_DIRECTORIES=str(tmp_path.parent),
    )
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_only_lines_of_ours():
    change, tests = (
        path.read_text(encoding='utf-8').split('\ndiff --git ', 1)[1] for path in PATCHES
    )
    for text, n_blocks in ((change, 2), (tests, 1)):
        lines = text.split('\n+++ ', 1)[1].splitlines()[1:]
        assert sum(line.startswith('@@') for line in lines) == n_blocks
        assert all(re.fullmatch(r'@@ -\d+,0 \+\d+(,\d+)? @@.*|\+.*|', line) for line in lines)


def test_digest_on_the_page(patched):
    digest = hashlib.sha256(pathlib.Path(ir_measures.util.__file__).read_bytes()).hexdigest()
    assert digest in (ROOT / 'contrib' / 'README.md').read_text(encoding='utf-8')
    assert hashlib.sha256((patched / 'ir_measures/util.py').read_bytes()).hexdigest() != digest


def test_its_tests(patched):
    done = run(
        sys.executable,
        patched / 'tests/test_entry_points.py',
        cwd=patched,
        PYTHONPATH=f'{patched}{os.pathsep}{ROOT}',
    )
    assert done.returncode == 0 and 'Ran 6 tests' in done.stderr, done.stderr


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason='ir_measures 0.4.3 parses no numbers on Python 3.14'
)
def test_our_declaration(patched):
    """With the group of pyproject.toml, a measure of ours is found, and nothing is imported before that."""
    group = re.search(
        r'^\[project\.entry-points\."(ir_measures\.measures)"]\n((?:[^\[].*\n)+)',
        (ROOT / 'pyproject.toml').read_text(encoding='utf-8'),
        re.MULTILINE,
    )
    assert group is not None
    metadata = patched / 'declared_by_a_test-1.dist-info'
    metadata.mkdir()
    (metadata / 'METADATA').write_text(
        'Metadata-Version: 2.1\nName: declared-by-a-test\nVersion: 1\n'
    )
    (metadata / 'entry_points.txt').write_text(f'[{group[1]}]\n' + group[2].replace('"', ''))
    code = '''
import sys
import ir_measures
assert str(ir_measures.parse_measure('nDCG@20')) == 'nDCG@20' and 'ir_divmeasures' not in sys.modules
print(ir_measures.parse_measure('RBU(p=0.9)@20'))
print(ir_measures.calc_aggregate([ir_measures.parse_measure('StRecall@5')], {'q': {'d': 1}}, {'q': {'d': 1.0}}))
'''
    done = run(
        sys.executable,
        '-W',
        'ignore',
        '-c',
        code,
        cwd=patched,
        PYTHONPATH=f'{patched}{os.pathsep}{ROOT}',
    )
    assert done.stdout == 'RBU(p=0.9)@20\n{StRecall@5: 1.0}\n', done.stderr
