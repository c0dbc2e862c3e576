"""``ir_divmeasures measures``, ``cite`` and ``demo``."""
from __future__ import annotations

import click

from . import common


@click.command()
@click.argument('name', required=False, type=common.Measures())
def measures(name: str | None) -> None:
    """List the measures and the sets of measures, or describe the one named NAME."""
    from ..core import registry
    from ..explanation import catalogue as pages

    if name is None:
        click.echo(f'{pages.listing()}\n\nir_divmeasures measures NAME describes one.')
    elif name in common.sets():
        click.echo(pages.describe_preset(common.sets()[name]))
    else:
        made = registry.ours(registry.parse(name, complete=False))
        if made is None:
            raise ValueError(f'{name} is a measure of ir_measures, not of ir_divmeasures; ir_divmeasures measures '
                             f'lists ours')
        click.echo(pages.describe(made))


@click.command()
@click.argument('names', nargs=-1, required=True, type=common.Measures(), metavar='MEASURE...')
@click.option('--format', 'form', type=click.Choice(['bibtex', 'text']), default='bibtex', show_default=True,
              help='BibTeX entries, or one line for each source.')
@common.output
@common.force
def cite(names: tuple[str, ...], form: str, output: str | None, force: bool) -> None:
    """Print the papers and programs that define measures, for a bibliography."""
    from ..explanation.catalogue import bibliography

    common.fresh(output, force=force)
    common.write(bibliography(' '.join(names), form), output, force)


@click.command()
@click.option('-m', '--measures', 'names', type=common.Measures(), metavar='MEASURES', help="Measures or "
              "sets of measures, parted by blanks: 'RBU@10 alpha_nDCG@10'.")
@click.option('-q', '--per-query', '--by-query', 'per_query', is_flag=True, help='Values for each query as well.')
@click.option('--save', metavar='DIR', help='Write runs and judgments to a folder; never overwrites.')
def demo(names: str | None, per_query: bool, save: str | None) -> None:
    """Compare retrieval systems on the sample collection with pt.Experiment."""
    from .. import demo as made

    for line in made.report(names or made.MEASURES, per_query, save):
        click.echo(line)
