"""Check the English of the pages, docstrings and messages: ``python .ci/prose.py [FILE…]``, by default all of them.

proselint and codespell read prose only. In Markdown it is the text without code, tables, formulas and links; in Python,
the comments and every string of at least four words, without examples and markup. ``.proselintrc.json`` has the
rules of proselint that are used, ``pyproject.toml`` the words that codespell accepts, and :data:`PREFERRED` the
project's own rules. The script prints one line for each finding, ``file:line: rule: message``, and then exits with 1.
"""

from __future__ import annotations

import ast
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator

from proselint.checks import __register__
from proselint.config import DEFAULT, Config
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, CheckResult, types
from proselint.tools import LintFile

ROOT = pathlib.Path(__file__).parents[1]
WRITTEN = (
    'README.md',
    'CONTRIBUTING.md',
    'RELEASING.md',
    'SECURITY.md',
    'docs/**/*.md',
    'contrib/*.md',
    'paper/*.md',
    'benchmarks/README.md',
    'reference/pages/*.jinja',
)
PYTHON = ('*.py', 'ir_divmeasures/**/*.py', 'reference/*.py', 'benchmarks/*.py', 'examples/**/*.py')
PREFERRED = {
    'parted by': 'separated by',
    'parted with': 'separated by',
    'stands twice': 'is a duplicate',
    'told from': 'recognized from',
    'so many processes': 'number of processes',
    'in order to': 'to',
    'and/or': 'or',
    'e.g.': 'for example',
    'i.e.': 'that is',
    'via': 'through',
    'utilize': 'use',
    'leverage': 'use',
    'please note that': '(omit it)',
    'note that': '(omit it)',
    'it should be noted': '(omit it)',
    'data set': 'dataset',
    'data sets': 'datasets',
}
"""Expressions that the project does not use, and what to write in their place."""
ACCEPTED = re.compile(
    r'draw the line|\band ETC\b|very good with a pool depth|a very close second|'
    r'An extensible metadata schema|cannot be told from one|sans-serif',
    re.IGNORECASE,
)
"""What no rule is to find: lines of plots, the measure ETC, fonts, and words of a paper that is quoted."""
REPEATED = re.compile(r'(?<![-\w])(?!(?:that|had)\b)([a-z]+)[ ]\1(?![-\w]|\.\w)')
"""A word that is there twice, but not in a command. proselint's own rule finds columns of numbers and headings."""
CODE_OF_A_PAPER = re.compile(
    r"\b(?:A18|T23|C11|D19|W16|S11)\b|\b[A-Z]\d\d\b(?=['’]s|,? (?:§|Eq|Fig|Table|footnote))"
)
"""A code, a letter and two digits, that only its author can read, as in "A18, Eq. 11"."""
MARKUP = re.compile(
    r'<!--.*?-->|\(?\bhttps?:\S+|\]\([^)]*\)|`{2}.+?`{2}|(?::\w+)?:?`[^`]+`|\$\$.+?\$\$|\$[^$\n]+\$|\{%.*?%\}|\{\{.*?\}\}',
    re.DOTALL,
)
"""Inline code, formulas, roles, addresses and templates, in which no rule is checked."""
EXAMPLE = re.compile(r'^([ \t]*)>>> .*\n(?:\1[ \t]*\S.*\n?)*', re.MULTILINE)
FENCE = re.compile(r'^(`{3,}|~{3,}).*?^\1', re.MULTILINE | re.DOTALL)
TABLE = re.compile(r'^[ \t]*\|.*$', re.MULTILINE)
QUOTE = re.compile(r'(?<!\w)[\'"“”‘’]|[\'"“”‘’](?!\w)')
"""proselint skips what is quoted, and takes the apostrophe of a plural for a quotation mark."""
FRONT_MATTER = re.compile(r'\A---\n.*?^---$', re.MULTILINE | re.DOTALL)


def blank(pattern: re.Pattern[str], text: str) -> str:
    """The text with a sign that is no word in place of each letter of a match: lines and columns stay."""
    return pattern.sub(lambda match: re.sub(r'[^\n]', '·', match[0]), text)


def prose_of_page(text: str) -> str:
    """The prose of Markdown, on the lines where it was."""
    for pattern in (FRONT_MATTER, FENCE, TABLE, MARKUP, QUOTE, ACCEPTED):
        text = blank(pattern, text)
    return text


def prose_of_module(text: str) -> str:
    """The strings of at least four words and the comments of a Python module, on the lines where they were."""
    lines = [''] * (text.count('\n') + 1)
    source = text.splitlines()

    def keep(first: int, last: int) -> None:
        kept = '\n'.join(source[first - 1 : last]) + '\n'
        for pattern in (EXAMPLE, MARKUP, QUOTE, ACCEPTED):
            kept = blank(pattern, kept)
        lines[first - 1 : last] = kept.split('\n')[: last - first + 1]

    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and len(node.value.split()) >= 4
        ):
            keep(node.lineno, node.end_lineno or node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not lines[token.start[0] - 1]:
            lines[token.start[0] - 1] = ' ' * token.start[1] + blank(
                QUOTE, blank(MARKUP, token.string)
            )
    return '\n'.join(lines)


def repeated_words(text: str, check: Check) -> Iterator[CheckResult]:
    """A rule of proselint: the same word twice in a row."""
    for match in REPEATED.finditer(text):
        yield CheckResult(check.path, check.message.format(match[0]), match.span(), None)


def codes_of_papers(text: str, check: Check) -> Iterator[CheckResult]:
    """A rule of proselint: papers are cited by authors and year, as in "Amigó et al. 2018, Eq. 11"."""
    for match in CODE_OF_A_PAPER.finditer(text):
        yield CheckResult(check.path, check.message.format(match[0]), match.span(), None)


def files() -> Iterator[pathlib.Path]:
    for pattern in (*WRITTEN, *PYTHON):
        yield from sorted(ROOT.glob(pattern))


def check_style(name: str, prose: str, config: Config) -> list[str]:
    """What proselint and the project's own rules find in one file."""
    if not prose.strip():
        return []
    return [
        f'{name}:{result.pos[0]}: {result.check_result.check_path}: {result.check_result.message}'
        for result in LintFile(name, prose).lint(config)
    ]


def check_spelling(proses: dict[str, str]) -> list[str]:
    """What codespell finds, in one call."""
    with tempfile.TemporaryDirectory() as folder:
        for name, prose in proses.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(prose, encoding='utf-8')
        done = subprocess.run(
            [sys.executable, '-m', 'codespell_lib', '--toml', str(ROOT / 'pyproject.toml'), '.'],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    if done.stderr:
        raise RuntimeError(f'codespell: {done.stderr}')
    return [
        re.sub(r'^\./(.*?:\d+): ', r'\1: codespell: ', line) for line in done.stdout.splitlines()
    ]


def main(arguments: list[str]) -> int:
    registry = CheckRegistry()
    registry.register_many(__register__)
    registry.register(
        Check(
            types.PreferredForms({re.escape(each): to for each, to in PREFERRED.items()}),
            path='house',
            message="write '{0}' in place of '{1}'",
        )
    )
    registry.register(Check(repeated_words, path='house', message="'{0}': a word is repeated"))
    registry.register(
        Check(codes_of_papers, path='house', message="cite authors and year in place of '{0}'")
    )
    config = DEFAULT | json.loads((ROOT / '.proselintrc.json').read_text())
    config['checks'] = {**config['checks'], 'house': True}
    proses = {}
    for path in [pathlib.Path(each).resolve() for each in arguments] or list(files()):
        text = path.read_text(encoding='utf-8')
        proses[str(path.relative_to(ROOT))] = (
            prose_of_module if path.suffix == '.py' else prose_of_page
        )(text)
    if not proses:
        raise RuntimeError(f'no file to check in {ROOT}')
    findings = [line for name, prose in proses.items() for line in check_style(name, prose, config)]
    findings += check_spelling(proses)
    print(*findings, f'{len(findings)} findings in {len(proses)} files', sep='\n')
    return int(bool(findings))


if __name__ == '__main__':
    raise SystemExit(main(sys.argv[1:]))
