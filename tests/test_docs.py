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


def test_dir_lists_what_a_user_needs_and_nothing_else():
    listed = [name for name in dir(ir_divmeasures) if not name.startswith('__')]
    assert sorted({*ir_divmeasures.__all__, *registry}) == listed
    assert all(hasattr(ir_divmeasures, name) for name in listed)


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


@functools.cache
def parsed(module):
    return ast.parse(FILES[module].read_text(encoding='utf-8'))


def imports_of(module, node, types=True):
    """The modules of ours that code imports, with or without those that only type checkers read."""
    package = module if FILES[module].name == '__init__.py' else module.rpartition('.')[0]
    for child in ast.iter_child_nodes(node):
        used = []
        if isinstance(child, ast.Import):
            used = [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            name = '.' * child.level + (child.module or '')
            base = importlib.util.resolve_name(name, package)
            below = [f'{base}.{alias.name}' for alias in child.names]
            used = [name if name in FILES else base for name in below]
        elif not isinstance(child, ast.expr):
            for_types = (
                isinstance(child, ast.If) and getattr(child.test, 'id', '') == 'TYPE_CHECKING'
            )
            if types or not for_types:
                yield from imports_of(module, child, types)
        yield from {*used} & {*FILES} - {module}


def layer_of(module):
    """The row of the folder or loose module that contains a module. The kernels are a folder of their own."""
    name = module.removeprefix('ir_divmeasures').removeprefix('.')
    name = 'core.kernels' if name.startswith('core.kernels') else name.partition('.')[0]
    return next(number for number, names in enumerate(LAYERS) if name in names)


@over('module', FILES)
def test_imports_go_one_way(module):
    used = imports_of(module, parsed(module))
    assert not [name for name in used if layer_of(name) > layer_of(module)]


def test_there_are_no_circles():
    """Without the imports that only type checkers read."""
    graph = {module: [*imports_of(module, parsed(module), types=False)] for module in FILES}
    graphlib.TopologicalSorter(graph).prepare()
