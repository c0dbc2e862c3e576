"""What is written about the code is true: examples run, names are there, imports go one way."""

import ast
import doctest
import functools
import importlib
import importlib.util
import inspect
import pathlib
import pkgutil
import pydoc
import re

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


@over('name', MEASURES)
def test_every_measure_says_what_it_is_and_where_it_comes_from(name):
    assert 'Reference' in inspect.getdoc(MEASURES[name])
    for parameter in MEASURES[name].SUPPORTED_PARAMS.values():
        assert parameter.desc, f'{name}: {parameter.name} has no meaning'


@over('name', ir_divmeasures.__all__)
def test_every_public_name_is_there_and_documented(name):
    public = getattr(ir_divmeasures, name)
    doc = inspect.getdoc(public)
    assert doc
    if inspect.isfunction(public):
        assert '>>>' in doc, f'{name} has no example'
        for argument in inspect.signature(public).parameters:
            assert re.search(rf'\b{argument}\b', doc), f'{name}: {argument} is not described'


def test_dir_lists_what_a_user_needs_and_nothing_else():
    listed = [name for name in dir(ir_divmeasures) if not name.startswith('__')]
    assert sorted({*ir_divmeasures.__all__, *registry}) == listed


@over('name', registry)
def test_every_measure_can_be_imported_and_has_a_signature(name):
    made = getattr(ir_divmeasures, name)
    assert made is registry[name]
    shown = inspect.signature(made).parameters
    assert {n: p.default for n, p in shown.items()} == {
        n: p.default for n, p in made.SUPPORTED_PARAMS.items()
    }


def test_help_shows_the_signature_of_a_measure():
    shown = pydoc.plain(pydoc.render_doc(ir_divmeasures.RBU(p=0.5)))
    shown = re.sub(r'[\s|]', '', shown)  # since Python 3.13 in several lines
    assert "RBU(*,p=0.8,e=0.03,gain='exp'" in shown


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
def imports_of(module, types=True):
    """The names of the modules that a module imports, with or without those that only type checkers read."""
    path = FILES[module]
    tree = ast.parse(path.read_text(encoding='utf-8'))
    package = module if path.name == '__init__.py' else module.rpartition('.')[0]
    nodes = [*ast.walk(tree)]
    if not types:
        for node in list(nodes):
            if isinstance(node, ast.If) and getattr(node.test, 'id', '') == 'TYPE_CHECKING':
                nodes = [other for other in nodes if other not in ast.walk(node)]
    used = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            used |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            name = '.' * node.level + (node.module or '')
            base = importlib.util.resolve_name(name, package)
            below = {f'{base}.{alias.name}' for alias in node.names}
            used |= {name if name in FILES else base for name in below}
    return used


def ours(module, types=True):
    return {name for name in imports_of(module, types) if name in FILES} - {module}


def layer_of(module):
    """The row of the folder or loose module that contains a module. The kernels are a folder of their own."""
    name = module.removeprefix('ir_divmeasures').removeprefix('.')
    name = 'core.kernels' if name.startswith('core.kernels') else name.partition('.')[0]
    return next(number for number, names in enumerate(LAYERS) if name in names)


@over('module', FILES)
def test_imports_go_one_way(module):
    above = [used for used in ours(module) if layer_of(used) > layer_of(module)]
    assert not above, f'{module} imports {above}'


def test_there_are_no_circles():
    """Without the imports that only type checkers read."""
    done = set()

    def visit(module, way):
        assert module not in way, ' → '.join([*way[way.index(module) :], module])
        if module not in done:
            for used in sorted(ours(module, types=False)):
                visit(used, (*way, module))
            done.add(module)

    for module in FILES:
        visit(module, ())
