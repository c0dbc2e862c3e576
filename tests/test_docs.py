"""What is written about the code is true: examples run, names are there, imports go downwards."""

import ast
import doctest
import functools
import importlib
import inspect
import pathlib
import pkgutil
import pydoc
import re

import pytest

import ir_divmeasures
from ir_divmeasures.core.registry import catalogue, registry

from .builders import over, quietly

ROOT = pathlib.Path(ir_divmeasures.__file__).parent
MODULES = [
    'ir_divmeasures',
    *(
        found.name
        for found in pkgutil.walk_packages([str(ROOT)], 'ir_divmeasures.')
        if not found.name.endswith('__main__')
    ),
]
MEASURES = {m.NAME: m for m in catalogue()}


FOLDERS = {}
"""Modules by folder; those of no folder stand together."""
for _name in MODULES:
    FOLDERS.setdefault(_name.split('.')[1] if _name.count('.') > 1 else '', []).append(_name)


@pytest.mark.parametrize('folder', FOLDERS)
def test_examples_in_docstrings(folder):
    assert [name for name in FOLDERS[folder] if not examples_hold(name)] == []


def examples_hold(name):
    """Whether the examples of a module say what they print; failures are printed."""
    module = importlib.import_module(name)
    # Measures are objects, not functions: doctest finds their docstrings only when they are pointed out.
    extra = (
        {
            k: type(v)
            for k, v in vars(module).items()
            if v in MEASURES.values() and k == v.NAME and type(v).__module__ == name
        }
        if name.startswith('ir_divmeasures.families')
        else {}
    )
    globs = {**vars(module), '__name__': '__main__'}  # as in a user's session
    tests = doctest.DocTestFinder(exclude_empty=True).find(module, globs=globs)
    finder = doctest.DocTestFinder(recurse=False)
    tests += [
        t
        for k, cls in extra.items()
        for t in finder.find(cls, f'{name}.{k}', module=False, globs=globs)
    ]
    import ir_measures

    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in (each for each in tests if each.examples):
        test.globs.setdefault('ir_measures', ir_measures)
        with quietly():  # examples of one subtopic
            runner.run(test)
    return runner.failures == 0 and all(any(k in t.name for t in tests) for k in extra)


@over('name', MEASURES)
def test_every_measure_says_what_it_is_and_where_it_comes_from(name):
    doc = inspect.getdoc(MEASURES[name])
    assert 'Reference' in doc and '>>>' in doc and 'Examples:' in doc
    for parameter in MEASURES[name].SUPPORTED_PARAMS.values():
        assert parameter.desc, f'{name}: {parameter.name} has no meaning'


@over('name', ir_divmeasures.__all__)
def test_every_public_name_is_there_and_documented(name):
    public = getattr(ir_divmeasures, name)
    doc = inspect.getdoc(public) or ''
    assert doc
    if inspect.isfunction(public):
        assert '>>>' in doc and 'Args:' in doc, (
            f'{name} has no example or says nothing of its arguments'
        )
        for argument in inspect.signature(public).parameters:
            assert re.search(rf'\b{argument}\b', doc), f'{name}: {argument} is not described'


@over('name', MODULES)
def test_dunder_all_is_reality(name):
    module = importlib.import_module(name)
    for public in getattr(module, '__all__', ()):
        assert hasattr(module, public), f'{name}.{public}'


def test_dir_lists_what_a_user_needs_and_nothing_else():
    listed = [name for name in dir(ir_divmeasures) if not name.startswith('__')]
    assert sorted({*ir_divmeasures.__all__, *registry}) == listed
    assert {'RBU', 'I_rec', 'MAP_IA', 'axioms', 'meta', 'terrier', 'measure'} <= set(listed)
    assert not {'provider', 'families', 'registry', 'evaluation', 'io', 'kernels'} & set(listed)
    assert ir_divmeasures.__version__ and '__version__' in dir(ir_divmeasures)


@over('name', registry)
def test_every_measure_can_be_imported_and_has_a_signature(name):
    made = getattr(importlib.import_module('ir_divmeasures'), name)
    assert made is registry[name]
    shown = inspect.signature(made)
    assert {n: p.default for n, p in shown.parameters.items()} == {
        n: p.default for n, p in made.SUPPORTED_PARAMS.items()
    }
    assert (
        made(**{n: p.default for n, p in shown.parameters.items() if p.default is not None}) == made
    )


def test_a_signature_as_it_is_shown():
    assert str(inspect.signature(ir_divmeasures.RBU)).startswith(
        "(*, p=0.8, e=0.03, gain='exp', max_rel=None, "
    )
    shown = pydoc.plain(pydoc.render_doc(ir_divmeasures.RBU(p=0.5)))
    assert "RBU(*,p=0.8,e=0.03,gain='exp'" in re.sub(
        r'[\s|]', '', shown
    )  # since Python 3.13 in several lines


# ------------------------------------------------------------------------------------------------------ imports


@functools.cache
def import_statements(path):
    """The imports of a file, each with whether only type checkers read it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding='utf-8'))))
    read_by_checkers = {
        id(below)
        for node in nodes
        if isinstance(node, ast.If) and getattr(node.test, 'id', '') == 'TYPE_CHECKING'
        for each in node.body
        for below in ast.walk(each)
    }
    return [
        (id(node) in read_by_checkers, node)
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]


@functools.cache
def imports_of(path, types=False):
    """Modules that a file imports: ours as ``ir_divmeasures.…``, others by their first name.

    Args:
        path: the file.
        types: count the imports that only type checkers read, too.
    """
    package = ['ir_divmeasures', *path.relative_to(ROOT).parts[:-1]]
    found = set()
    for for_types, node in import_statements(path):
        if for_types and not types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.split('.')[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(
                node.module
                if node.module.startswith('ir_divmeasures')
                else node.module.split('.')[0]
            )
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *(node.module or '').split('.')]
            base = '.'.join(part for part in base if part)
            for alias in node.names:
                below = f'{base}.{alias.name}'
                found.add(below if below.partition('.')[2] in FILES else base)
    return frozenset(found)


def ours(names):
    return {
        name.removeprefix('ir_divmeasures').removeprefix('.')
        for name in names
        if name.partition('.')[0] == 'ir_divmeasures'
    }


LAYERS = [
    ['errors', 'lazy', 'typing'],
    ['core.kernels', 'hosts', 'plotting', 'presets', 'progress', 'tables'],
    ['results'],
    ['core'],
    ['data'],
    ['families'],
    ['evaluation'],
    ['meta'],
    ['axioms'],
    ['pools'],
    ['studies'],
    ['terrier', 'user_models'],
    ['cli', 'demo', 'sample', 'systems', ''],  # and the package itself
]
"""The folders and loose modules from the ground up. Each imports from its own row and from the rows above."""
FILES = {
    '.'.join(path.relative_to(ROOT).with_suffix('').parts)
    .removesuffix('.__init__')
    .removesuffix('__init__'): path
    for path in sorted(ROOT.rglob('*.py'))
}
NUMPY_ONLY = {
    '__future__',
    'base64',
    'numpy',
    'collections',
    'typing',
    'math',
    're',
    'functools',
    'dataclasses',
    'inspect',
    'types',
}


def layer_of(module):
    """The floor of the folder, or loose module, that a module belongs to."""
    return next(number for number, names in enumerate(LAYERS) if floor_of(module) in names)


def floor_of(module):
    """The folder or loose module; the kernels are a floor of their own."""
    return 'core.kernels' if module.startswith('core.kernels') else module.split('.')[0]


@over('module', FILES)
def test_imports_go_one_way(module):
    if module != '__main__':
        for used in ours(imports_of(FILES[module])):
            assert layer_of(used) <= layer_of(module), (
                f'{module} imports {used}, which stands above it'
            )


def test_there_are_no_circles():
    """Types count only across folders: a class and its parts may stand in two modules."""
    uses = {
        module: {
            used
            for types in (False, True)
            for used in ours(imports_of(path, types))
            if used in FILES
            and used != module
            and not (types and floor_of(used) == floor_of(module))
        }
        for module, path in FILES.items()
    }
    done = set()

    def visit(module, way):
        assert module not in way, ' → '.join([*way[way.index(module) :], module])
        if module not in done:
            for used in sorted(uses[module]):
                visit(used, (*way, module))
            done.add(module)

    for module in uses:
        visit(module, ())


@over(
    'module',
    [m for m in FILES if m.startswith('core.kernels')],
)
def test_arithmetic_imports_numpy_only(module):
    used = imports_of(FILES[module])
    assert {
        name for name in used if not name.startswith('ir_divmeasures.core.kernels')
    } <= NUMPY_ONLY


@over('module', [m for m in FILES if m.startswith('families')])
def test_families_know_rankings_not_tables(module):
    allowed = {'core', 'families', 'errors'}
    assert {name.split('.')[0] for name in ours(imports_of(FILES[module]))} <= allowed


@over('module', [m for m in FILES if m.startswith('meta')])
def test_meta_evaluation_knows_neither_judgments_nor_files(module):
    used = ours(imports_of(FILES[module]))
    known = ('meta', 'errors', 'lazy', 'progress', 'results', 'tables')
    known += ('core.names', 'core.registry', 'evaluation.means', 'evaluation.scores')
    assert all(name.startswith(known) for name in used), used
    assert not imports_of(FILES[module]) & {'ir_measures', 'ir_datasets', 'pyterrier'}
