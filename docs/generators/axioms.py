"""Which constraints every measure satisfies: docs/reference/axioms.md.

python -m docs.generators axioms   # a few minutes
"""

from __future__ import annotations

import pandas as pd

from ir_divmeasures.axioms import CONSTRAINTS, LEGEND, check, table
from ir_divmeasures.core.parameters import Choice, Range
from ir_divmeasures.core.registry import catalogue, measures

from .common import templated

SIMILAR_AT = 20
EXCLUDED = {'DocSim': 'the lower, the better'}
FURTHER = {
    'UM_IA': ['UM_IA(alpha=0.5)', 'UM_IA(model=4,alpha=0.5)', "UM_IA(redundancy='DCG')"],
    'nDCU': ['nDCU(e=1e-09)'],
}
"""Redundancy penalised, Carterette 2011, §5; nDCU with an effort below gains of r ≪ 1, above which its ideal is empty
and every score 0."""


def constraint_table() -> pd.DataFrame:
    """The constraints with their equations and narrower readings."""

    return pd.DataFrame(
        [
            (name, f"{c.statement} ({c.equation})", c.narrow or "-")
            for name, c in CONSTRAINTS.items()
        ]
    )


def variants(measure: object) -> list[str]:
    """A measure with each choice of its parameters that is not a way of reading grades or choosing aspects; marked ones
    are left out."""
    names = ['']
    for name, choices in measure.SUPPORTED_PARAMS.items():  # type: ignore[attr-defined]
        values: list[object] = []
        of_users = measure.family == 'user models' and name in ('effort', 'redundancy')  # type: ignore[attr-defined]
        if name in ('gain', 'M', 'aspects') or of_users:
            continue
        if isinstance(choices.admits, Choice):
            values = list(choices.admits.names)
        elif (
            choices.dtype is int
            and isinstance(choices.admits, Range)
            and choices.admits.high - choices.admits.low < 5
        ):
            values = list(range(int(choices.admits.low), int(choices.admits.high) + 1))
        if values:
            names = [f'{parameters},{name}={value!r}' for parameters in names for value in values]
    return list(
        dict.fromkeys(
            str(one)
            for parameters in names
            for one in measures(measure.NAME + (f'({parameters[1:]})' if parameters else ''))  # type: ignore
            if not getattr(one, 'marked', None)
        )
    )


def tested_by_family() -> dict[str, list[str]]:
    """Every measure and its variants, by family."""
    families: dict[str, list[str]] = {}
    for measure in catalogue():
        if measure.NAME not in EXCLUDED:
            at = f'@{SIMILAR_AT}' if 'document_similarity' in measure.needed_columns else ''
            names = variants(measure) + FURTHER.get(measure.NAME, [])
            families.setdefault(measure.family, []).extend(name + at for name in names)
    return families


def all_tables() -> tuple[dict[str, pd.DataFrame], dict[str, list[str]]]:
    """Tables by family; the measures that are omitted, by the reason."""
    omitted: dict[str, list[str]] = {}
    for measure in catalogue():
        if measure.NAME in EXCLUDED:
            omitted.setdefault(EXCLUDED[measure.NAME], []).append(measure.NAME)
    tables = {}
    for family, names in tested_by_family().items():
        symbols = table(names)
        none = symbols.index[(symbols == '-').all(axis=1)].tolist()
        if none:
            reasons = check(none).drop_duplicates('measure')
            for row in reasons.itertuples():
                omitted.setdefault(row.evidence, []).append(row.measure)
        tables[family] = symbols.drop(index=none)
    return tables, omitted


def rows(symbols: pd.DataFrame) -> str:
    """A line of the page for each measure, without blanks between the cells."""
    lines = [[label, *cells] for label, cells in zip(symbols.index, symbols.to_numpy().tolist())]
    return '\n'.join('|' + '|'.join(line) + '|' for line in lines)


def page() -> str:
    """The page's text."""
    families, omitted = all_tables()
    return templated(
        'axioms.md',
        constraints=constraint_table(),
        names=list(CONSTRAINTS),
        families={name: rows(found) for name, found in families.items() if len(found)},
        legend=', '.join(f'{symbol} {text}' for symbol, text in LEGEND.items()) + '.',
        omitted=omitted,
    )
