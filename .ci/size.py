"""The size of the package and the tests, compared with the limits of budget.toml.

``python .ci/size.py`` prints the counts of this checkout, and ends with status 1 if one is above its limit.
``python .ci/size.py --files`` prints the lines and tokens of each file too.

Lines are those of the formatted file. Tokens are Python's, without comments, line ends, indentation and docstrings.
The package includes the module beside it, the console script.
"""

from __future__ import annotations

import ast
import io
import pathlib
import sys
import tokenize

import click

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ('ir_divmeasures/**/*.py', 'ir_divmeasures_*.py')
FOLDERS = ('core', 'data', 'families')
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
LAYOUT |= {tokenize.ENCODING, tokenize.ENDMARKER}


def count_tokens(source: str) -> int:
    """Count the tokens of ``source``. Strings that are statements of their own are not counted."""
    docstrings = {
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
    counted = 0
    in_docstring = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING and (token.start in docstrings or in_docstring):
            in_docstring = True  # a docstring can be several adjacent strings
        elif token.type not in LAYOUT:
            in_docstring = False
            counted += 1
        elif token.type == tokenize.NEWLINE:
            in_docstring = False
    return counted


def count_options(command: click.Command) -> int:
    """Count the options of a command and of its subcommands, without arguments and ``--help``."""
    own = sum(isinstance(parameter, click.Option) for parameter in command.params)
    if not isinstance(command, click.Group):
        return own
    context = click.Context(command)
    members = (command.get_command(context, name) for name in command.list_commands(context))
    return own + sum(count_options(member) for member in members if member is not None)


def measure_files(*patterns: str) -> dict[str, tuple[int, int]]:
    """The lines and tokens of each file."""
    sizes = {}
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        source = path.read_text(encoding='utf-8')
        sizes[str(path.relative_to(ROOT))] = source.count('\n'), count_tokens(source)
    return sizes


def main() -> int:
    package, tests = measure_files(*PACKAGE), measure_files('tests/**/*.py')
    if '--files' in sys.argv:
        for name, (lines, tokens) in {**package, **tests}.items():
            print(f'{lines:6} {tokens:7} {name}')

    sys.path.insert(0, str(ROOT))
    import ir_measures

    import ir_divmeasures
    from ir_divmeasures.core.registry import registry
    from ir_divmeasures_command import root as command

    public = {*ir_divmeasures.__all__} - {*registry, *ir_measures.measures.registry}
    counts = {
        'package tokens': sum(tokens for _, tokens in package.values()),
        'tests tokens': sum(tokens for _, tokens in tests.values()),
        **{
            f'{folder} tokens': sum(
                tokens
                for name, (_, tokens) in package.items()
                if name.startswith(f'ir_divmeasures/{folder}/')
            )
            for folder in FOLDERS
        },
        'folders': len({name.split('/')[1] for name in package if name.count('/') > 1}),
        'options': count_options(command),
        'public names besides measures': len(public),
        'longest module': max(lines for lines, _ in package.values()),
    }
    limits = tomllib.loads((ROOT / '.ci/budget.toml').read_text(encoding='utf-8'))['limits']
    for what, count in counts.items():
        is_above = count > limits[what]
        print(f'{what:32} {count:8} of {limits[what]}' + ' ABOVE' * is_above)
    return int(any(count > limits[what] for what, count in counts.items()))


if __name__ == '__main__':
    sys.exit(main())
