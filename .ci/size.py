"""The size of the package and the tests, compared with the limits of budget.toml.

``python .ci/size.py`` prints the counts of this checkout, and ends with status 1 if one is above its limit.
``python .ci/size.py --files`` prints the counts of each file too. ``--set`` lowers the limits to the counts.

Lines are those of the formatted file. Tokens are Python's, without comments, line ends, indentation and docstrings.
Data files are counted in bytes, so that code does not become smaller by moving into data.
"""

from __future__ import annotations

import argparse
import ast
import collections
import io
import pathlib
import re
import sys
import tokenize

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = 'ir_divmeasures'
BUDGET = ROOT / '.ci/budget.toml'
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
LAYOUT |= {tokenize.ENCODING, tokenize.ENDMARKER}


def code_tokens(source: str) -> int:
    """The number of tokens of ``source``; strings that are statements of their own are not counted."""
    docstrings = {
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    counted = 0
    in_docstring = False
    for token in tokens:
        if token.type == tokenize.STRING and (token.start in docstrings or in_docstring):
            in_docstring = True  # a docstring can be several adjacent strings
        elif token.type not in LAYOUT:
            in_docstring = False
            counted += 1
        elif token.type == tokenize.NEWLINE:
            in_docstring = False
    return counted


def options() -> int:
    """The number of options of all commands (arguments and ``--help`` are not counted)."""
    import click

    sys.path.insert(0, str(ROOT))
    from ir_divmeasures.cli.main import ir_divmeasures as command

    def count(node: click.Command) -> int:
        context = click.Context(node)
        own = sum(isinstance(parameter, click.Option) for parameter in node.params)
        if not isinstance(node, click.Group):
            return own
        children = (node.get_command(context, name) for name in node.list_commands(context))
        return own + sum(count(child) for child in children if child is not None)

    return count(command)


def counts() -> tuple[dict[str, int], dict[str, tuple[int, int]]]:
    """The counts that have limits, and (lines, tokens) of each file."""
    files: dict[str, tuple[int, int]] = {}
    for folder in (PACKAGE, 'tests'):
        for path in sorted((ROOT / folder).rglob('*.py')):
            source = path.read_text(encoding='utf-8')
            files[str(path.relative_to(ROOT))] = source.count('\n'), code_tokens(source)
    for path in sorted(ROOT.glob(f'{PACKAGE}_*.py')):  # the plugin and the console script
        source = path.read_text(encoding='utf-8')
        files[f'{PACKAGE}/../{path.name}'] = source.count('\n'), code_tokens(source)
    package = {name: size for name, size in files.items() if name.startswith(PACKAGE + '/')}
    studies = [f'{PACKAGE}/studies/', f'{PACKAGE}/cli/study.py']
    kept = {name: size for name, size in package.items() if not any(map(name.startswith, studies))}
    folders: collections.Counter[str] = collections.Counter()
    for name, (_, tokens) in package.items():
        in_folder = name.count('/') > 1 and '..' not in name
        folders[name.split('/')[1] if in_folder else 'loose'] += tokens
    from ir_measures.measures import registry

    import ir_divmeasures

    public = [
        name
        for name in ir_divmeasures.__all__
        if name not in registry and name not in ir_divmeasures.families.__all__
    ]
    data = [
        path
        for path in (ROOT / PACKAGE).rglob('*')
        if path.is_file() and path.suffix not in {'.py', '.pyi', '.pyc'}
    ]
    guides = (ROOT / 'docs' / 'guide').glob('*.md')
    found = {
        'package tokens': sum(tokens for _, tokens in package.values()),
        'package lines': sum(lines for lines, _ in package.values()),
        'package tokens without studies': sum(tokens for _, tokens in kept.values()),
        'package lines without studies': sum(lines for lines, _ in kept.values()),
        'longest module': max(lines for lines, _ in package.values()),
        'folders': len(folders.keys() - {'loose'}),
        'top-level names': len(public),
        'options': options(),
        'data bytes': sum(path.stat().st_size for path in data),
        'tests tokens': sum(
            tokens for name, (_, tokens) in files.items() if name.startswith('tests/')
        ),
        'tests lines': sum(
            lines for name, (lines, _) in files.items() if name.startswith('tests/')
        ),
        'words of the guides': sum(len(path.read_text('utf-8').split()) for path in guides),
    }
    found |= {f'tokens of {folder}': folders[folder] for folder in sorted(folders)}
    return found, files


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('--files', action='store_true', help='Print the counts of each file.')
    arguments.add_argument('--set', action='store_true', help='Lower the limits to the counts.')
    asked = arguments.parse_args()
    sys.path.insert(0, str(ROOT))
    found, files = counts()
    if asked.files:
        for name, (lines, tokens) in files.items():
            print(f'{lines:6} {tokens:7} {name}')
    text = BUDGET.read_text(encoding='utf-8')
    limits = tomllib.loads(text)['limits']
    above = []
    for what, count in found.items():
        limit = limits.get(what)
        print(
            f'{what:32} {count:8} of {limit}' + (' ABOVE' if limit is None or count > limit else '')
        )
        if limit is None:
            above.append(f'{what}: {count} has no limit')
        elif count > limit:
            above.append(f'{what}: {count} is above {limit}')
        elif asked.set:
            text = re.sub(rf'(?m)^"?{re.escape(what)}"? = \d+$', f'"{what}" = {count}', text)
    if asked.set:
        BUDGET.write_text(text, encoding='utf-8')
    for sentence in above:
        print(sentence, file=sys.stderr)
    return 1 if above else 0


if __name__ == '__main__':
    sys.exit(main())
