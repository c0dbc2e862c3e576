"""Hosts of tomorrow: what an upstream takes away or adds is met with a message, or does no harm."""

import ast
import pathlib
import sys
import types

import ir_datasets
import ir_measures
import pyterrier
import pytest

import ir_divmeasures
import ir_divmeasures_plugin
from ir_divmeasures import hosts, measures
from ir_divmeasures.core.registry import DivMeasure, registry
from ir_divmeasures.hosts import ir_measures as host
from ir_divmeasures.hosts import pyterrier as terrier

from .builders import expect_error, expect_warning, over, refused
from .fresh import streams


def without(monkeypatch, package, name):
    """Take an attribute out of a host."""
    place, _, last = name.rpartition('.')
    for part in filter(None, place.split('.')):
        package = getattr(package, part)
    monkeypatch.delattr(package if last in vars(package) else type(package), last)


CHECKS = [
    (
        ir_measures,
        lambda: hosts.require(ir_measures, 'ir-measures', '0.4.3', hosts.IR_MEASURES),
        hosts.IR_MEASURES,
    ),
    (ir_datasets, hosts.check_ir_datasets, hosts.IR_DATASETS),
    (pyterrier, terrier.check, terrier.USED),
]


@over('host, check, name', [(host, check, name) for host, check, names in CHECKS for name in names])
def test_a_host_without_something_that_we_use(host, check, name):
    check()
    with pytest.MonkeyPatch.context() as patch:
        without(patch, host, name)
        with expect_error(
            rf'uses {host.__name__}\.{name}, which \S+ \d\S* does not have; \S+==\d\S* has it',
            ImportError,
        ):
            check()


PACKAGE = pathlib.Path(ir_divmeasures.__file__).parent
PLUGIN = pathlib.Path(ir_divmeasures_plugin.__file__)
LISTED = {
    'ir_measures': hosts.IR_MEASURES,
    'ir_datasets': hosts.IR_DATASETS,
    'pyterrier': terrier.USED,
}


def used_of_hosts(tree):
    """What a module imports of the hosts, and the attributes that it reads there, as in ``pyterrier.io.read``."""
    called, found = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            called.update(
                {each.asname or each.name.partition('.')[0]: each.name for each in node.names}
            )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            called.update(
                {each.asname or each.name: f'{node.module}.{each.name}' for each in node.names}
            )
            found |= {f'{node.module}.{each.name}' for each in node.names}
    for node in ast.walk(tree):
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if attributes and isinstance(node, ast.Name) and node.id in called:
            found.add('.'.join([called[node.id], *attributes[::-1]]))
    return {name for name in found if name.partition('.')[0] in LISTED}


def test_all_that_is_used_of_hosts_is_listed():
    texts = [path.read_text('utf-8') for path in [PLUGIN, *PACKAGE.rglob('*.py')]]
    used = {
        name
        for text in texts
        if any(host_name in text for host_name in LISTED)
        for name in used_of_hosts(ast.parse(text))
    }
    assert {
        'ir_measures.measures.ParamInfo',
        'ir_datasets.util.LocalDownload',
        'pyterrier.Transformer',
    } <= used
    lacking = set()
    for name in used:
        host_name, _, inside = name.partition('.')
        listed = LISTED[host_name]
        if not any(
            f'{inside}.'.startswith(f'{one}.') or f'{one}.'.startswith(f'{inside}.')
            for one in listed
        ):
            lacking.add(name)
    assert not lacking


def test_importing_us_says_so_first():
    failed, _, said = streams(
        'import ir_measures.measures; del ir_measures.measures.ParamInfo\nimport ir_divmeasures'
    )
    assert failed and said.splitlines()[-1].startswith(
        'ImportError: ir_divmeasures uses ir_measures.measures.ParamInfo, '
    )


OF_AST = ['Num', 'Str', 'NameConstant']


def test_python_314_has_no_ast_num(monkeypatch):
    """ir_measures 0.4.3 reads numbers with it."""
    monkeypatch.setattr(
        ir_measures.util,
        'ast',
        types.SimpleNamespace(
            **{
                name: getattr(ast, name)
                for name in dir(ast)
                if name not in OF_AST and not name.startswith('_')
            }
        ),
    )
    theirs = ir_measures.util.parse_measure._without_ir_divmeasures
    refused('Num', theirs, 'nDCG@5', error=AttributeError)
    assert ir_measures.parse_measure('nDCG@5') == ir_measures.nDCG @ 5
    assert ir_measures.parse_measure('P(rel=2)@5') == ir_measures.P(rel=2) @ 5
    assert (
        ir_measures.parse_measure("RBU(p=0.5,gain='linear')@5")
        == ir_divmeasures.RBU(p=0.5, gain='linear') @ 5
    )
    assert ir_measures.parse_trec_measure('ndcg_cut_10') == [ir_measures.nDCG @ 10]
    assert measures('AP(rel=2)@7') == [ir_measures.AP(rel=2) @ 7]


@pytest.fixture
def made():
    """A measure of ours that no host knows yet."""
    yield registry['RBU']
    host.unregister_name('NewName')


@pytest.mark.parametrize('module', ['ir_measures', 'ir_measures.measures', 'pyterrier.measures'])
def test_a_host_that_has_something_else_of_our_name(module, made, monkeypatch):
    import pyterrier.measures  # noqa: F401

    theirs = types.ModuleType('NewName')
    monkeypatch.setattr(sys.modules[module], 'NewName', theirs, raising=False)
    with expect_warning(
        rf'{module} has a NewName of its own \(module\); our measure is '
        r"ir_divmeasures\.measures\('NewName'\)"
    ) as caught:
        host.register_name('NewName', made)
    assert len(caught) == 1 and sys.modules[module].NewName is theirs
    assert all(other.NewName is made for other in host.modules() if other.__name__ != module)
    host.unregister_name('NewName')
    assert [other.__name__ for other in host.modules() if hasattr(other, 'NewName')] == [module]


def test_a_measure_of_theirs_keeps_its_name(made, monkeypatch):
    theirs = ir_measures.nDCG
    monkeypatch.setitem(ir_measures.measures.registry, 'NewName', theirs)
    with expect_warning('ir_measures has a measure NewName of its own'):
        host.register_name('NewName', made)
    assert ir_measures.measures.registry['NewName'] is theirs


def test_no_name_of_ours_is_taken_today():
    assert [
        name
        for name in registry
        for module in host.modules()
        if getattr(module, name) is not host.registry()[name]
    ] == []


def test_what_a_measure_has_of_its_own_is_not_in_ir_measures():
    """An attribute that ir_measures gives its measures would be hidden by one of ours."""
    meant = {'NAME', 'SUPPORTED_PARAMS', 'SHORT_DESC', 'PRETTY_NAME'}
    own = {name for name in vars(DivMeasure) if not name.startswith('__')} - meant
    assert own & set(dir(ir_measures.Measure)) == set()
