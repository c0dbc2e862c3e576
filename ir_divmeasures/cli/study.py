"""``ir_divmeasures study``: a published paper on runs of one's own."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Literal

import click

from . import readers
from .build import subcommand
from .options import File


def _typed() -> str:
    """The command as it was typed, without what does not change the page."""
    context, words = click.get_current_context(), ['ir_divmeasures', 'study']
    for parameter in sorted(context.command.params, key=lambda each: each.param_type_name):
        value: Any = context.params[parameter.name or '']
        if value == parameter.get_default(context) or parameter.name == 'printed':
            continue
        option = parameter.opts[:1] if parameter.param_type_name == 'option' else []
        for each in value if isinstance(value, tuple) else (value,):
            words += option if each is True else [*option, str(each)]
    return shlex.join(words)


@subcommand(further='printed')
def study(
    paper: str,
    data: Sequence[File] = (),
    /,
    *,
    sample: bool = False,
    table: Sequence[str] = (),
    form: Literal['markdown', 'csv'] = 'markdown',
    docs: str | None = None,
    superintents: File | None = None,
    assessor: Sequence[File] = (),
    data_name: str = 'your runs',
    rng: int = 0,
) -> str:
    """Recompute a published paper on your runs.

    The page has the paper's tables, each number beside yours.

    \b
    ir_divmeasures study turkmen-2023 QRELS RUN...
    ir_divmeasures study amigo-2018 --sample --table 2

    Args:
        paper: The paper, or the beginning of its key: amigo-2018, carterette-2011, dou-2019 or turkmen-2023.
        data: Judgments and runs, unless you choose --sample. Judgments are a file or an ir_datasets id. Runs are files,
            folders, or patterns.
        sample: Use the sample collection and seven rankings, which are part of the package.
        table: Table to compute, for example table2 (or 2) or figure1. You can repeat this option. By default, all of
            them are computed.
        form: Format of the page.
        docs: Texts of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text. Needed for
            dou-2019.
        superintents: File of lines `query subtopic superintent`, separated by tabs.
        assessor: Judgments of another assessor. You can repeat this option.
        data_name: Name of your data on the page.
    """
    from ..studies import study as paper_class
    from ..studies.study import sample as sample_data

    chosen = paper_class(paper)  # an unknown name is the first error
    names = chosen.named(table) if table else ()
    if sample == bool(data):
        raise click.UsageError('expected either judgments and runs, or --sample')
    if len(data) == 1:
        raise click.UsageError('expected runs after the judgments')
    settings = (
        sample_data()
        if sample
        else {'qrels': data[0], 'runs': readers.several_runs(data[1:]), 'name': data_name}
    )
    if docs:
        settings['docs'] = readers.documents(docs)
    if superintents:
        settings['superintents'] = superintents
    assessors = [readers.judgments(path) for path in assessor]
    return chosen(**settings, assessors=assessors, seed=rng).page(names, form, _typed())
