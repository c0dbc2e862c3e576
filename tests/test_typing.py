"""What type checkers and editors are told: the stubs are those of the measures, and uses are judged as users expect."""

import ast
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import ir_divmeasures
from ir_divmeasures import families, typing
from ir_divmeasures.core.registry import catalogue, registry
from reference.common import PAGES

from .builders import over

ROOT = pathlib.Path(ir_divmeasures.__file__).parents[1]
USES = pathlib.Path(__file__).with_name('typing_uses.py')
LINES = dict(enumerate(USES.read_text(encoding='utf-8').split('\n'), 1))
WRONG = {number for number, line in LINES.items() if line.endswith('  # error')}
REVEALED = {number: line.split('  # is ')[1] for number, line in LINES.items() if '  # is ' in line}

MYPY = f'''
[mypy]
strict = true
mypy_path = {ROOT}
cache_dir = {ROOT / '.mypy_cache/uses'}
follow_imports = silent

[mypy-ir_divmeasures.*]
ignore_errors = true

[mypy-{
    ','.join(
        f'{name}.*'
        for name in (
            'IPython',
            'PIL',
            'click',
            'dask',
            'distributed',
            'ir_datasets',
            'jinja2',
            'joblib',
            'lxml',
            'prompt_toolkit',
            'pyarrow',
            'pyterrier',
            'scipy',
            'sklearn',
            'sqlalchemy',
            'tornado',
        )
    )
}]
follow_imports = skip
'''
"""As strict as can be in the user's file. What no revealed type needs is not read, which takes half as long."""


def needs(package):
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f'needs the package {package}')


def check(errors, revealed):
    """The marked lines are wrong and no others; each revealed type is the expected one, and none is ``Any``."""
    assert {LINES[n] for n in WRONG - errors} == set(), 'taken though they are wrong'
    assert {LINES[n] for n in errors - WRONG} == set(), 'refused though they are right'
    assert revealed.keys() == REVEALED.keys()
    for number, found in revealed.items():
        assert REVEALED[number] in found, f'{LINES[number]}: {found}'
        assert 'Any' not in found.replace('tuple[Any, ...]', ''), LINES[
            number
        ]  # NumPy's arrays have any shape


def test_uses_cover_what_is_promised():
    assert len(WRONG) >= 20 and len(REVEALED) >= 20
    assert all('reveal_type(' in LINES[number] for number in REVEALED)


@pytest.mark.slow
def test_mypy(tmp_path):
    needs('pandas-stubs')
    config = tmp_path / 'mypy.ini'
    config.write_text(MYPY, encoding='utf-8')
    made = subprocess.run(
        [sys.executable, '-m', 'mypy', '--config-file', config, '--output', 'json', USES],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert not made.stderr, made.stderr
    said = [json.loads(line) for line in made.stdout.splitlines() if line.startswith('{')]
    assert {pathlib.Path(each['file']).name for each in said} == {USES.name}, made.stdout
    check(
        {each['line'] for each in said if each['severity'] == 'error'},
        {each['line']: each['message'] for each in said if 'Revealed type' in each['message']},
    )


@pytest.mark.slow
def test_basedpyright(tmp_path):
    needs('basedpyright')
    needs('pandas-stubs')
    (tmp_path / 'pyrightconfig.json').write_text(
        json.dumps(
            {'include': [str(USES)], 'extraPaths': [str(ROOT)], 'typeCheckingMode': 'standard'}
        ),
        encoding='utf-8',
    )
    made = subprocess.run(
        [
            sys.executable,
            '-m',
            'basedpyright',
            '-p',
            tmp_path,
            '--pythonpath',
            sys.executable,
            '--outputjson',
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, 'NO_COLOR': '1'},
    )
    said = [
        (each['range']['start']['line'] + 1, each['severity'], each['message'])
        for each in json.loads(made.stdout)['generalDiagnostics']
    ]
    check(
        {line for line, severity, _ in said if severity == 'error'},
        {
            line: message.rpartition(' is ')[2]
            for line, severity, message in said
            if severity == 'information'
        },
    )


@pytest.mark.slow
def test_an_editor_completes_parameters():
    jedi = pytest.importorskip('jedi')
    script = jedi.Script(
        'from ir_divmeasures import RBU\nRBU(',
        environment=jedi.InterpreterEnvironment(),
        project=jedi.Project(ROOT, added_sys_path=[str(ROOT)]),
    )
    assert {each.name for each in script.complete() if each.name.endswith('=')} == {
        f'{name}=' for name in ir_divmeasures.RBU.SUPPORTED_PARAMS
    }
    (signature,) = script.get_signatures()
    assert (
        "p: float=0.8, e: float=0.03, gain: Literal['exp', 'linear', 'binary', 'raw']='exp'"
        in signature.to_string()
    )


STUBS = PAGES['stubs']


# ------------------------------------------------------------------------------------------------------ the stubs


@over('name', ['stubs', 'names'])
def test_the_stubs_are_those_of_the_package(name):
    page = PAGES[name]
    assert page.file.read_text(encoding='utf-8') == page.make(), f'python -m reference {name}'


def test_the_stubs_have_every_name_and_parameter():
    """Read back as Python, not with what made them."""
    tree = ast.parse(STUBS.file.read_text(encoding='utf-8'))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    stated = {
        node.target.id: node.annotation.id for node in tree.body if isinstance(node, ast.AnnAssign)
    }
    own = {made.NAME: made for made in catalogue() if made.NAME in families.__all__}
    assert stated == {name: f'_{made.NAME}' for name, made in registry.items() if made.NAME in own}
    for name, made in own.items():
        call = next(each for each in classes[f'_{name}'].body if each.name == '__call__')
        arguments = [*call.args.args[1:], *call.args.kwonlyargs]
        values = [ast.literal_eval(each) for each in (*call.args.defaults, *call.args.kw_defaults)]
        assert dict(zip([each.arg for each in arguments], values)) == {
            each.name: each.default for each in made.SUPPORTED_PARAMS.values()
        }, name
        for each in arguments:
            admits = getattr(made.SUPPORTED_PARAMS[each.arg].admits, 'names', ())
            listed = re.match(r'Literal(\[.*?\])', ast.unparse(each.annotation))
            assert callable(admits) or not admits or tuple(ast.literal_eval(listed[1])) == admits, (
                name,
                each.arg,
            )
        has_at = any(each.name == '__matmul__' for each in classes[f'_{name}'].body)
        assert has_at == ('cutoff' in made.SUPPORTED_PARAMS), name


def test_names_of_types_are_there_at_run_time():
    for name in typing.__all__:
        assert getattr(typing, name) is not None, name
    assert ir_divmeasures.typing is typing and 'typing' not in ir_divmeasures.__all__
