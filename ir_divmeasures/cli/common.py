"""What subcommands share: arguments, and where their output goes."""
from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import click

from ..errors import visible
from ..results.tables import FORMS

Command = Callable[..., Any]


class Measures(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Names of measures or of sets of measures, parted by blanks; completion lists them."""
    name = 'measures'

    def shell_complete(self, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
        from ..core import registry

        names = sorted({*registry.registry, *registry.ir_measures.measures.registry, *sets()})
        return [click.shell_completion.CompletionItem(name) for name in names if name.startswith(incomplete)]


def sets() -> dict[str, Any]:
    """The sets of measures by name."""
    from ..presets import PRESETS

    return PRESETS


qrels = click.argument('qrels')
runs = click.argument('runs', nargs=-1, required=True, metavar='RUN...')
measures = click.option('-m', '--measures', 'names', multiple=True, required=True, type=Measures(), metavar='MEASURES',
                        help="Measures or sets of measures, parted by blanks: 'RBU@20 alpha_nDCG@20', 'web-track'; may "
                             'be repeated.')
intents = click.option('--intents', metavar='FILE', help='Weights (and types) of intents: lines `query subtopic weight '
                                                         '[inf|nav]`.')
missing = click.option('--missing', type=click.Choice(['zero', 'drop', 'raise']), default='zero', show_default=True,
                       help='Judged queries that a run lacks: score 0, leave out, error.')
ties = click.option('--ties', type=click.Choice(['doc_id', 'doc_id_ascending', 'rows']),
                    help='How all measures order documents of equal scores: by document id descending (as trec_eval '
                         'and ndeval do), ascending (as pyndeval does), or in the order of the rows. By default each '
                         'measure orders them as its program does, and a warning says where the order matters.')
seed = click.option('--seed', type=int, default=0, show_default=True, help='Of everything that is drawn at random.')
jobs = click.option('-j', '--jobs', type=int, default=1, help='So many processes; -1 takes all cores.')
places = click.option('-p', '--places', type=int, default=4, show_default=True, help='Decimals; -1 prints all.')
form = click.option('--format', 'form', type=click.Choice(list(FORMS)), default='table', show_default=True,
                    help='Of the output.')
output = click.option('-o', '--output', metavar='FILE', help='Write to a file; never overwrites without --force.')
force = click.option('--force', is_flag=True, help='Replace files that exist.')
picture = click.option('--plot', metavar='FILE', help='Draw a picture, .png, .svg or .pdf.')


def together(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order in ``--help``."""
    def decorate(function: Command) -> Command:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function
    return decorate


printing = together(form, places, output, force)


def judgments(source: str, intents: str | None = None, format: str | None = None) -> Any:
    """Judgments of a file or an ir_datasets id."""
    from ..judgments.qrels import read_qrels

    return read_qrels(source, format=format, intents=intents)


def nuggets(source: str | list[str], intents: str | None) -> Any:
    """Judgments of files of judgments or nuggets; of several files with a column ``judge``."""
    from ..judgments.judge_files import read_judges
    from ..judgments.nuggets import read_nuggets

    given = [source] if isinstance(source, str) else source
    if all('.json' in each for each in given):
        return read_nuggets(given, intents=intents)
    if intents is not None:
        raise click.UsageError('--intents is for ratings of nuggets (.json, .jsonl)')
    return read_judges(given)


def several_runs(paths: Iterable[str]) -> list[str]:
    """The files of paths, folders and patterns. Each path in the order given, of one of the latter by name.

    Raises:
        FileNotFoundError: nothing there.
    """
    from ..io.runs import files

    return list(dict.fromkeys(path for given in paths for path in files(given)))


def is_run(text: str) -> bool:
    """Whether an argument is rather a run than a measure: a path that exists, or a pattern."""
    return os.path.exists(text) or bool(re.search(r'[*?]', text)) or text.endswith(('.run', '.gz', '.txt'))


def say(text: str, err: bool = False) -> None:
    """Print a text. Control characters in it are visible: names in files could change what a terminal shows."""
    click.echo(visible(text, '\n\t'), err=err)


def write(text: str, path: str | None, force: bool) -> None:
    """Print a text, or write it to a file.

    Raises:
        FileExistsError: the file exists, and ``force`` is False.
    """
    if path is None:
        if text:
            say(text.removesuffix('\n'))
        return
    text = text if text.endswith('\n') or not text else text + '\n'
    from ..io.writing import replacing

    with replacing(path, force, '--force') as partial, open(partial, 'w', encoding='utf-8') as file:
        file.write(text)


def draw(drawn: Any, path: str, force: bool) -> None:
    """Write the picture on matplotlib axes.

    Raises:
        FileExistsError: the file exists, and ``force`` is False.
    """
    from ..io.writing import replacing

    figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
    with replacing(path, force, '--force') as partial:
        figure.savefig(partial, dpi=150)


def save_qrels(table: Any, path: str, format: str | None, force: bool) -> None:
    """Write judgments to a file, and say how many."""
    from ..judgments.qrels import write_qrels

    if os.path.exists(path) and not force:
        raise FileExistsError(f'{path} exists; --force replaces it')
    write_qrels(table, path, format=format, overwrite=force)
    say(f'{path}: {len(table)} rows, {table["query_id"].nunique()} queries')


def fresh(*paths: str | None, force: bool) -> None:
    """Raise before anything is computed if one of some files exists, or cannot be written.

    Raises:
        FileExistsError: one does, and ``force`` is False.
        FileNotFoundError: its folder does not exist.
    """
    for path in filter(None, paths):
        if os.path.exists(path) and not force:
            raise FileExistsError(f'{path} exists; --force replaces it')
        if not os.path.isdir(os.path.dirname(path) or '.'):
            raise FileNotFoundError(f'{os.path.dirname(path)}: no such folder')


def documents(source: str) -> Any:
    """Texts of documents: an ir_datasets id stays one; a file with a header or of JSON lines is read."""
    from ..io.document_files import read_documents

    is_id = not os.path.exists(source) and '/' in source and not source.endswith(('.tsv', '.csv', '.jsonl', '.gz'))
    return source if is_id else read_documents(source)
