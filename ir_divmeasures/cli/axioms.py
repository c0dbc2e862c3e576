"""``ir_divmeasures axioms``: which constraints measures satisfy."""
from __future__ import annotations

import click

from . import common


@click.command(short_help='Test measures against ten constraints on rankings.')
@click.argument('names', nargs=-1, required=True, type=common.Measures(), metavar='MEASURE...')
@click.option('--longest', type=int, default=40, show_default=True, help='Documents in the longest ranking tried.')
@click.option('--deepest', type=int, default=4096, show_default=True, help='The largest n of DeepTh and CloseTh.')
@common.seed
@common.output
@common.force
def axioms(names: tuple[str, ...], longest: int, deepest: int, seed: int, output: str | None, force: bool) -> None:
    """Put the constraints of Amigo et al. (2018) to measures: one with counter-examples, several as a table."""
    from .. import axioms as known
    from ..core.registry import measures

    common.fresh(output, force=force)
    asked = measures(' '.join(names))
    if len(asked) == 1:
        text = known.check(asked[0], longest=longest, deepest=deepest, rng=seed).text()
    else:
        text = known.table(asked, longest=longest, deepest=deepest, rng=seed).text()
    common.write(text, output, force)
