"""``ir_divmeasures measures``, ``cite`` and ``demo``."""

from __future__ import annotations

import click

from . import common


@click.command(cls=common.Command)
@common.argument(
    'name',
    '[NAME]',
    'A measure or a preset. Without it, all of them are listed.',
    required=False,
    type=common.Measures(),
)
@common.written
def measures(name: str | None, output: str | None, force: bool) -> None:
    """List the measures and presets, or describe one of them.

    \b
    ir_divmeasures measures
    ir_divmeasures measures alpha_nDCG
    ir_divmeasures measures web-track
    """
    from ..core import registry
    from ..explanation import catalogue as pages

    common.fresh(output, force=force)
    if name is None:
        text = f'{pages.listing()}\n\n`ir_divmeasures measures NAME` describes one of them.'
    elif name in common.sets():
        text = pages.describe_preset(common.sets()[name])
    else:
        measure = registry.ours(registry.parse(name, complete=False))
        if measure is None:
            raise ValueError(
                f'{name} is a measure of ir_measures, which documents it. `ir_divmeasures measures` lists '
                f'the measures of ir_divmeasures'
            )
        text = pages.describe(measure)
    common.write(text, output, force)


@click.command(cls=common.Command)
@common.names
@click.option(
    '--style',
    'form',
    type=click.Choice(['bibtex', 'text']),
    default='bibtex',
    show_default=True,
    help='Print BibTeX entries, or one line of text for each source.',
)
@common.written
def cite(names: tuple[str, ...], form: str, output: str | None, force: bool) -> None:
    """Print the papers and programs that define measures, for a bibliography.

    \b
    ir_divmeasures cite alpha_nDCG RBU -o measures.bib
    ir_divmeasures cite web-track --style text
    """
    from ..explanation.catalogue import bibliography

    common.fresh(output, force=force)
    common.write(bibliography(' '.join(names), form), output, force)


@click.command(cls=common.Command)
@common.measures(required=False)
@common.by_query
@click.option(
    '--save',
    metavar='FOLDER',
    type=common.PATH,
    help='Also write the runs and judgments to this folder. Existing files are never replaced.',
)
@common.written
def demo(
    names: tuple[str, ...], by_query: bool, save: str | None, output: str | None, force: bool
) -> None:
    """Compare retrieval systems on the sample collection with pt.Experiment."""
    from .. import demo as made

    common.fresh(output, force=force)
    lines = made.report(' '.join(names) or made.MEASURES, by_query, save)
    if output is not None:
        common.write('\n'.join(lines), output, force)
        return
    for line in lines:  # as they come: the first run takes a while
        common.say(line)
