"""``ir_divmeasures study``: a published paper on runs of one's own."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Literal

import click

from ..errors import visible
from . import readers
from .build import say, subcommand, write
from .options import File, Target


def _typed() -> str:
    """The command as it was typed, without what does not change the page."""
    context, words = click.get_current_context(), ['ir_divmeasures', 'study']
    for parameter in sorted(context.command.params, key=lambda each: each.param_type_name):
        value: Any = context.params[parameter.name or '']
        if value == parameter.get_default(context) or parameter.name in ('jobs', 'printed'):
            continue
        option = parameter.opts[:1] if parameter.param_type_name == 'option' else []
        for each in value if isinstance(value, tuple) else (value,):
            words += option if each is True else [*option, str(each)]
    return shlex.join(words)


def _listing() -> str:
    """The papers and their tables, with what each needs."""
    from ..studies.paper import KEYS, paper_class

    lines = []
    for made in map(paper_class, KEYS):
        cite = made.data['paper']
        lines.append(f'{made.key}: {cite["authors"]}. {cite["title"]}.')
        for name, each in made.parts.items():
            is_made = hasattr(made, name) or name in made.data['exact']
            state = each['status'] if is_made else 'not recomputed'
            lines.append(f'  {name}  {state}  {each.get("with", each.get("why", ""))}'.rstrip())
    return visible('\n'.join(lines), '\n')


@subcommand(further='')
def study(
    paper: str | None = None,
    data: Sequence[File] = (),
    /,
    *,
    list_papers: bool = False,
    sample: bool = False,
    table: Sequence[str] = (),
    form: Literal['markdown', 'html', 'latex', 'csv'] = 'markdown',
    docs: str | None = None,
    superintents: File | None = None,
    assessor: Sequence[File] = (),
    data_name: str | None = None,
    rng: int = 0,
    full: bool = False,
    jobs: int = 1,
    printed: Target | None = None,
) -> str:
    """Recompute a published paper on your runs, with a verdict on each of its claims.

    The page has the paper's tables, each number beside yours.

    Args:
        paper: The paper, or the beginning of its key: amigo-2018, carterette-2011, dou-2019 or turkmen-2023.
        data: Judgments and runs, unless you choose --sample. Judgments are a file or an ir_datasets id. Runs are files,
            folders, or patterns.
        list_papers: List the papers, their tables, and what each table needs.
        sample: Use the sample collection and seven rankings, which are part of the package.
        table: Table to compute, for example table2 (or 2), figure1, claims or errata. You can repeat this option. By
            default, all of them are computed.
        form: Format of the page. HTML has pictures of the figures.
        docs: Texts of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text.
        superintents: File of lines `query subtopic superintent`, separated by tabs.
        assessor: Judgments of another assessor. You can repeat this option.
        data_name: Name of your data on the page.
        full: Keep the number of simulations and resamples on large data. It takes longer.
    """
    from ..studies.paper import paper as made
    from ..studies.paper import paper_class

    if list_papers:
        write(_listing(), printed)
        return ''
    if paper is None:
        raise click.UsageError('expected a paper; --list lists them')
    paper_class(paper)  # an unknown name is the first error
    if sample == bool(data):
        raise click.UsageError('expected either judgments and runs, or --sample')
    if len(data) == 1:
        raise click.UsageError('expected runs after the judgments')
    page = made(
        paper,
        data[0] if data else None,
        readers.several_runs(data[1:]) if data else None,
        docs=docs and readers.documents(docs),
        superintents=superintents,
        assessors=[readers.judgments(path) for path in assessor],
        name=data_name,
        seed=rng,
        full=full,
        jobs=jobs,
        command=_typed(),
    )
    tables = [page.named(each) for each in table]
    text = page.to(form, tables)
    for each in tables:
        outcome = page.outcomes.get(each)
        if outcome and outcome.status == 2:
            raise ValueError(f'{each} {outcome.problem}')
    write(text, printed)
    if page.interrupted:
        say('interrupted. The page has the tables that were finished.', err=True)
        raise click.exceptions.Exit(130)
    if any(outcome.status == 1 for outcome in page.outcomes.values()):
        raise click.exceptions.Exit(1)
    return ''
