"""What is changed in the hosts is what docs/hosts-state.md lists."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

from ir_divmeasures_plugin import NAMESPACES

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / 'docs' / 'hosts-state.md'

SNAPSHOT = '''
import importlib, json, sys, types
HOSTS = 'ir_measures', 'ir_datasets', 'pyterrier'

def state():
    """Every attribute of every module, class and measure of the hosts, and their registries, as identities."""
    found, kept, seen = {}, [], set()
    def note(path, value):
        kept.append(value)
        found[path] = id(value)
    def contents(path, value):
        if id(value) in seen:
            return  # the same object under another name
        seen.add(id(value))
        if isinstance(value, dict):
            for key, each in list(value.items()):
                note(f'{path}[{key!r}]', each)
        elif isinstance(value, (list, set)):
            kept.extend(value)
            found[path + ' in order'] = str([id(each) for each in value])
    for name, module in sorted(sys.modules.items()):
        if name.partition('.')[0] not in HOSTS or not isinstance(module, types.ModuleType):
            continue
        for key, value in list(vars(module).items()):
            if isinstance(value, types.ModuleType) or key == '__builtins__' or key == '__warningregistry__':
                continue  # a submodule that is imported later
            note(f'{name}.{key}', value)
            if getattr(value, '__module__', None) == name and isinstance(value, type):
                for attribute, each in list(vars(value).items()):
                    note(f'{name}.{key}.{attribute}', each)
            contents(f'{name}.{key}', value)
            if type(value).__name__ in ('FallbackProvider', 'Registry'):
                for attribute, each in vars(value).items():
                    contents(f'{name}.{key}.{attribute}', each)
    for name, made in importlib.import_module('ir_measures').measures.registry.items():
        note(f'measure {name}.__class__', type(made))
    return found, kept

def changed(before, after):
    """What differs; of the measures' classes only those of measures that were there before."""
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path)
                  and not (path.startswith('measure ') and path not in before))
'''


def run(code):
    done = subprocess.run(
        [sys.executable, '-c', SNAPSHOT + code], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed():
    """The first column of the page's table as patterns: ``<measure>`` is a name of ours, ``<ndeval>`` of ndeval's."""
    cells = re.findall(r'^\| `(.+?)` \|', PAGE.read_text('utf-8'), re.M)
    assert len(cells) == len(set(cells)) > 8
    return [
        re.compile(re.sub('<(measure|ndeval)>', r'(?P<\1>\\w+)', re.escape(cell))) for cell in cells
    ]


@pytest.fixture(scope='module')
def changes():
    """What differs in the hosts after the plugin is called, and after the package is imported, of an import without."""
    return json.loads(
        run('''
import importlib.metadata
real = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **kind: [] if kind.get('group') == 'pyterrier.modules' else real(**kind)
import ir_measures, pyterrier, ir_datasets
import ir_datasets.util.html_parsing, ir_datasets.util.registry
assert 'ir_divmeasures' not in sys.modules and 'ir_divmeasures_plugin' not in sys.modules
finders = list(sys.meta_path)
del sys.modules['ir_datasets']  # as it is before anybody asks for a dataset
import ir_divmeasures_plugin
before, kept = state()
ir_divmeasures_plugin.terrier()
plugin, kept_too = state()
hooks = [f'{type(finder).__module__}.{type(finder).__name__}' for finder in sys.meta_path if finder not in finders]
import ir_divmeasures
package, _ = state()
import ir_datasets as again
datasets = [name for name in again.registry if 'divmeasures' in name]
print(json.dumps({'plugin': changed(before, plugin), 'package': changed(before, package), 'hooks': hooks,
                  'left': [type(finder).__name__ for finder in sys.meta_path if finder not in finders],
                  'datasets': datasets, 'names': sorted(ir_divmeasures.core.registry.registry),
                  'ndeval': [*ir_divmeasures_plugin.NDEVAL]}))
''')
    )


def test_only_what_the_page_lists_is_changed(changes):
    patterns, met = listed(), set()
    for path in {
        *changes['plugin'],
        *changes['package'],
        *(f'ir_datasets.registry[{each!r}]' for each in changes['datasets']),
        *(f'sys.meta_path: {hook}' for hook in changes['hooks']),
    }:
        for pattern in patterns:
            if found := pattern.fullmatch(path):
                met.add(pattern.pattern)
                groups = found.groupdict()
                assert groups.get('measure') is None or groups['measure'] in changes['names'], path
                assert groups.get('ndeval') is None or groups['ndeval'] in changes['ndeval'], path
                break
        else:
            pytest.fail(f'{path} is changed, and {PAGE.name} does not list it')
    assert met == {pattern.pattern for pattern in patterns}, 'the page lists what is not changed'
    assert changes['left'] == []  # after ir_datasets was imported


def test_the_plugin_alone_registers_no_names(changes):
    assert not [path for path in changes['plugin'] if 'RBU' in path]
    assert {f'{module}.RBU' for module in NAMESPACES} <= set(changes['package'])
