"""``ir_divmeasures axioms``: which constraints measures satisfy."""

from __future__ import annotations

import click

from . import common


@click.command(
    cls=common.Command, short_help='Test which constraints on rankings measures satisfy.'
)
@common.names
@common.longest
@common.deepest
@common.seed
@common.form(None, 'text')
@common.places
@common.written
def axioms(
    names: tuple[str, ...],
    longest: int,
    deepest: int,
    seed: int,
    form: str | None,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Test which of the constraints of Amigó et al. (2018) measures satisfy.

    Prints a report with counter-examples for one measure, and a table for several.

    \b
    ir_divmeasures axioms RBU
    ir_divmeasures axioms RBU alpha_nDCG ERR_IA --format csv -o axioms.csv
    """
    from .. import axioms as known
    from ..core.registry import measures
    from ..results.tables import render

    common.fresh(output, force=force)
    chosen = measures(' '.join(names))
    check = known.check if len(chosen) == 1 else known.table
    result = check(
        chosen[0] if len(chosen) == 1 else chosen, longest=longest, deepest=deepest, rng=seed
    )
    common.write(
        result.text() if form is None else render(result.to_frame(), form, places), output, force
    )
