"""What belongs to a release besides the package: the citation file and printed commands."""

import pathlib
import re

import ir_divmeasures
from ir_divmeasures.lazy import INSTALL

ROOT = pathlib.Path(__file__).parents[1]


def text(name):
    return (ROOT / name).read_text(encoding='utf-8')


def test_one_version():
    found = [
        re.search(pattern, text(name), re.MULTILINE)
        for name, pattern in (
            ('CITATION.cff', r'^version: (.+)$'),
            ('CHANGELOG.md', r'^## (\d+\.\d+\.\d+)'),
        )
    ]
    assert [match and match[1] for match in found] == [ir_divmeasures.__version__] * 2


def test_every_printed_command_installs_something():
    """Ours is that of ``INSTALL`` with extras that there are, in messages, pages and examples alike."""
    form = INSTALL.split("'")[1].replace('[{}]', '')
    project = text('pyproject.toml')
    extras = set(
        re.findall(r'^(\w+) = \["?', project[project.index('optional-dep') :], re.MULTILINE)
    )
    pages = [*(ROOT / 'docs').rglob('*.md'), *(ROOT / 'examples').rglob('*.py'), ROOT / 'README.md']
    commands = [
        (path, command)
        for path in (*pages, *(ROOT / 'ir_divmeasures').rglob('*.py'))
        for command in re.findall(
            r'pip install (?:--quiet )?([^`#\n]+)', path.read_text(encoding='utf-8')
        )
    ]
    for path, command in commands:
        name, listed = re.match(r"""["']?([\w.-]+)(?:\[([\w,{}]+)])?""", command).groups()
        assert name == form, f'{path}: {command}'
        assert set((listed or '{}').split(',')) <= {*extras, '{}'}, f'{path}: {command}'
    assert len(commands) >= 5
