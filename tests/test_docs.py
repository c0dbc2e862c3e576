"""What is written about the code is true: examples run, names are there, imports go one way."""

import ast
import doctest
import functools
import graphlib
import importlib
import importlib.util
import inspect
import pathlib
import pkgutil

import ir_measures
import pytest

import ir_divmeasures
from ir_divmeasures.core.registry import catalogue, registry

from .builders import over, quietly

ROOT = pathlib.Path(ir_divmeasures.__file__).parent
MODULES = [
    'ir_divmeasures',
    *(
        module.name
        for module in pkgutil.walk_packages([str(ROOT)], 'ir_divmeasures.')
        if not module.name.endswith('__main__')
    ),
]
MEASURES = {m.NAME: m for m in catalogue()}


@pytest.mark.parametrize('folder', sorted({(*name.split('.'), '')[1] for name in MODULES}))
def test_examples_in_docstrings(folder):
    names = [name for name in MODULES if (*name.split('.'), '')[1] == folder]
    assert [name for name in names if not examples_hold(name)] == []


def examples_hold(name):
    """Whether the examples of a module print what they show. Failures are printed."""
    module = importlib.import_module(name)
    globs = {**vars(module), 'ir_measures': ir_measures, '__name__': '__main__'}
    tests = doctest.DocTestFinder(exclude_empty=True).find(module, globs=globs)
    # Measures are objects, so that doctest does not find the docstrings of their classes.
    finder = doctest.DocTestFinder(recurse=False)
    for key, made in MEASURES.items():
        if type(made).__module__ == name:
            (test,) = finder.find(type(made), f'{name}.{key}', module=False, globs=globs)
            assert test.examples, key
            tests.append(test)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        with quietly():  # examples of one subtopic
            runner.run(test)
    return runner.failures == 0


@over('name', registry)
def test_every_measure_can_be_imported_and_has_a_signature(name):
    made = getattr(ir_divmeasures, name)
    assert made is registry[name]
    shown = inspect.signature(made).parameters
    assert {n: p.default for n, p in shown.items()} == {
        n: p.default for n, p in made.SUPPORTED_PARAMS.items()
    }


# ------------------------------------------------------------------------------------------------------ imports

FILES = {
    '.'.join(path.relative_to(ROOT.parent).with_suffix('').parts).removesuffix('.__init__'): path
    for path in sorted(ROOT.rglob('*.py'))
    if path.name != '__main__.py'
}
LAYERS = [
    ['errors', 'lazy', 'typing'],
    ['core.kernels', 'hosts', 'presets', 'progress', 'tables'],
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


PARTS = ('body', 'orelse', 'handlers', 'finalbody', 'cases')
"""The fields of a statement that have statements."""


@functools.cache
def imports_of(module):
    """The modules of ours that a module imports, and those of them that not only type checkers read."""
    package = module if FILES[module].name == '__init__.py' else module.rpartition('.')[0]
    code = ast.parse(FILES[module].read_text(encoding='utf-8'))
    imported, needed, nodes = set(), set(), [(code, False)]
    while nodes:
        node, for_types = nodes.pop()
        for_types = for_types or getattr(getattr(node, 'test', None), 'id', '') == 'TYPE_CHECKING'
        used = []
        if isinstance(node, ast.Import):
            used = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            name = '.' * node.level + (node.module or '')
            base = importlib.util.resolve_name(name, package)
            below = [f'{base}.{alias.name}' for alias in node.names]
            used = [name if name in FILES else base for name in below]
        else:
            nodes += [(each, for_types) for part in PARTS for each in getattr(node, part, ())]
        ours = {*used} & {*FILES} - {module}
        imported |= ours
        needed |= set() if for_types else ours
    return imported, needed


def layer_of(module):
    """The row of the folder or loose module that contains a module. The kernels are a folder of their own."""
    name = module.removeprefix('ir_divmeasures').removeprefix('.')
    name = 'core.kernels' if name.startswith('core.kernels') else name.partition('.')[0]
    return next(number for number, names in enumerate(LAYERS) if name in names)


@over('module', FILES)
def test_imports_go_one_way(module):
    imported, _ = imports_of(module)
    assert not [name for name in imported if layer_of(name) > layer_of(module)]


def test_there_are_no_circles():
    """Without the imports that only type checkers read."""
    graphlib.TopologicalSorter({module: imports_of(module)[1] for module in FILES}).prepare()
