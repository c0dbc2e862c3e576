"""Table 1 of Amigó et al. 2018 beside the results of our checks, and the same for every measure of the package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..axioms import CONSTRAINTS, check, table, table1
from ..axioms.verdicts import CUT, LEGEND, NO, YES, Check, Row, Table
from ..core.parameters import Choice, Range
from ..core.registry import catalogue, measures
from ..errors import did_you_mean
from ..evaluation.evaluate import evaluate
from ..judgments.intents import with_weights
from ..lazy import pd
from .study import Study

CUTOFF, SIMILAR_AT = 10, 20
EXCLUDED = {
    'DocSim': 'the lower, the better',
    'Area': 'the mean of another measure over rounds or budgets',
}
FURTHER = {
    'UM_IA': ['UM_IA(alpha=0.5)', 'UM_IA(model=4,alpha=0.5)', "UM_IA(redundancy='DCG')"],
    'nDCU': ['nDCU(e=1e-09)'],
    'CWL': [
        f'CWL(C={C!r}{parameters})'
        for C, parameters in (
            ('P', ''),
            ('RR', ''),
            ('AP', ''),
            ('NPV', ''),
            ('NDCG', ',k=10'),
            ('SET', ''),
            ('INSQ', ''),
            ('INST', ''),
            ('BPM', ''),
            ('BPMD', ''),
            ('IFTGoal', ',T=2,b1=0.9,R1=10'),
            ('IFTRate', ',A=0.2,b2=0.9,R2=5'),
            ('IFTGoalRate', ',T=2,b1=0.9,R1=10,A=0.2,b2=0.9,R2=5'),
            ('TBG', ',halflife=10'),
            ('UMeasure', ',L=20'),
            ('NERR8', ',k=10'),
            ('NERR9', ',k=10'),
            ('NERR10', ''),
            ('NERR11', ''),
        )
    ]
    + ["CWL(out='ETU')"],
}
"""Redundancy penalised, Carterette 2011, §5; nDCU with an effort below gains of r ≪ 1, above which its ideal is empty
and every score 0; the continuation functions of C/W/L."""


def claim(row: Row, constraint: str) -> str:
    """Return the verdict of the paper's Table 1 on a cell."""
    return table1.CLAIMS[row.label].cells[constraint]


# ------------------------------------------------------------------------------------------------------------- tables


def constraint_table() -> pd.DataFrame:
    """The constraints with their equations and narrower readings."""

    return pd.DataFrame(
        [
            (c.name, f'{c.statement} ({c.equation or "ours"})', c.narrow or '-')
            for c in CONSTRAINTS.values()
        ]
    )


def searched() -> pd.DataFrame:
    """The rankings of which every pair is tried, by constraint."""

    return pd.DataFrame([(c.name, c.exhaustive) for c in CONSTRAINTS.values() if c.exhaustive])


def compared(results: Table, shallow: Table) -> pd.DataFrame:
    """Return our verdict if it agrees with the claim, else ``claim → ours``. Cells that depend on the cutoff, or to
    which the constraint does not apply, are marked."""

    verdicts = {(row.label, c): v for row, c, v in table1.verdicts(results, shallow)}

    def symbol(row: Row, c: str) -> str:
        symbol_of_check, verdict = row.symbol(c), verdicts.get((row.label, c))
        if verdict in (table1.SAME, None):
            return symbol_of_check
        if verdict == table1.CUTOFF:
            return f'{symbol_of_check}/{shallow[row.label].symbol(c)} ᵏ'
        both = f'{claim(row, c)}→{symbol_of_check}'
        return (
            f'**{both}**'
            if verdict == table1.AGAINST
            else both + ' ⁿ' * (verdict == table1.NOT_APPLICABLE)
        )

    return pd.DataFrame([(row.label, *(symbol(row, c) for c in CONSTRAINTS)) for row in results])


def cells(results: Table, shallow: Table | None = None) -> dict[str, list[dict[str, str]]]:
    """The cells of the paper's table by verdict, an attribute of ``table1`` in lower case.

    A cell has the keys ``label``, ``constraint``, ``verdict``, ``claim`` (the paper's symbol), ``evidence`` and
    ``counterexample`` (to the narrower reading; empty where there is none).
    """
    verdicts = list(table1.verdicts(results, shallow))

    def cell(row: Row, c: str, verdict: str) -> dict[str, str]:
        check = row.checks[0][c]
        narrow = check.narrow_counterexample
        return {
            'label': row.label,
            'constraint': c,
            'verdict': verdict,
            'claim': claim(row, c),
            'evidence': check.evidence,
            'counterexample': narrow.text() if narrow else '',
        }

    return {
        name.lower(): [cell(*each) for each in verdicts if each[2] == getattr(table1, name)]
        for name in ('SAME', 'READING', 'SETTING', 'CUTOFF', 'NOT_APPLICABLE', 'AGAINST')
    }


def thresholds(results: Table, shallow: Table) -> pd.DataFrame:
    """DeepTh in both readings, with and without a cutoff; a difference from the paper is bold, and counted below."""

    columns = [(results, 'DeepTh'), (results, 'DeepTh∃'), (shallow, 'DeepTh'), (shallow, 'DeepTh∃')]
    lines, differences = [], np.zeros(len(columns), dtype=int)
    for row in results:
        symbols = [YES if table[row.label].symbol(c) == YES else NO for table, c in columns]
        differ = np.array([symbol != claim(row, 'DeepTh') for symbol in symbols])
        differences += differ
        lines.append(
            (
                row.label,
                claim(row, 'DeepTh'),
                *(f'**{s}**' if d else s for s, d in zip(symbols, differ)),
            )
        )
    return pd.DataFrame([*lines, ('*other than the paper*', '', *differences)])


def readings(results: Table) -> list[tuple[str, str, str]]:
    """Cells that hold in the narrower reading: label, constraint, the counter-example to the constraint as stated."""
    failed = [
        (row.label, c, next(check[c] for check in row.checks if not check[c].holds).counterexample)
        for row, c, verdict in table1.verdicts(results)
        if verdict == table1.READING
    ]
    return [(label, c, example.text()) for label, c, example in failed if example is not None]


def settings(results: Table) -> dict[str, pd.DataFrame]:
    """The thresholds of each setting of the measures that have several, by the measure's label."""

    tables = {}
    for row in results:
        lines = [
            (check.label, *(_evidence(check, c) for c in ('DeepTh', 'CloseTh', 'Sat')))
            for check in row.checks
        ]
        if row.label in (
            'EU',
            'RBU@k',
        ):  # the effort is the same on both sides of the two thresholds
            labels: dict[tuple[str, ...], list[str]] = {}
            for label, *evidence in lines:
                labels.setdefault(tuple(evidence), []).append(label)
            lines = [(', '.join(group), *evidence) for evidence, group in labels.items()]
        if len(row.checks) > 1:
            tables[row.label] = pd.DataFrame(lines)
    return tables


def single_thresholds(results: Table) -> pd.DataFrame:
    """The thresholds of the measures that have one setting."""

    return pd.DataFrame(
        [
            (row.label, *(_evidence(row.checks[0], c) for c in ('DeepTh', 'CloseTh', 'Sat')))
            for row in results
            if len(row.checks) == 1
        ]
    )


def _evidence(check: Check, constraint: str) -> str:
    return check[constraint].evidence if check[constraint].holds else NO


def normalised_aspects() -> pd.DataFrame:
    """nDCG_IA where the aspect of more weight has more relevant documents: a row for a ranking of one document."""
    qrels = {'q': {'d1': {'t1': 1}, 'd2': {'t1': 1}, 'd3': {'t1': 1}, 'd4': {'t2': 1}}}
    weighted = with_weights(qrels, {'q': {'t1': 0.6, 't2': 0.4}})
    scores = evaluate(
        {doc: {'q': {doc: 1.0}} for doc in ('d1', 'd4')}, weighted, 'nDCG_IA DCG_IA'
    ).means()
    return scores.loc[['d1', 'd4']].assign(aspect=['t1', 't2'], weight=[0.6, 0.4], relevant=[3, 1])


def variants(measure: object) -> list[str]:
    """A measure with each choice of its parameters that is not a way of reading grades or choosing aspects; marked ones
    are left out."""
    names = ['']
    for name, choices in measure.SUPPORTED_PARAMS.items():  # type: ignore[attr-defined]
        values: list[object] = []
        of_users = measure.family == 'user models' and name in ('effort', 'redundancy')  # type: ignore[attr-defined]
        if name in ('gain', 'M', 'aspects', 'C', 'out', 'residual') or of_users:
            continue
        if isinstance(choices.admits, Choice):
            values = list(choices.admits.listed)
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
            at = f'@{SIMILAR_AT}' if 'document_similarity' in measure.needs else ''
            names = variants(measure) + FURTHER.get(measure.NAME, [])
            families.setdefault(measure.family, []).extend(name + at for name in names)
    return families


def all_tables() -> tuple[dict[str, Table], list[str]]:
    """Tables by family; the measures that are omitted, each with the reason."""
    omitted = [
        f'{name}: {why}' for name, why in EXCLUDED.items() if name in {m.NAME for m in catalogue()}
    ]
    tables = {}
    for family, names in tested_by_family().items():
        results = table(names)
        omitted += [
            f'{row.label}: {row.checks[0].reason}' for row in results if row.checks[0].reason
        ]
        tables[family] = Table(tuple(row for row in results if not row.checks[0].reason))
    return tables, omitted


def closest(rows: list[Row]) -> pd.DataFrame:
    """The twelve measures that satisfy most of the paper's ten constraints, as stated and in the narrower readings."""

    ten = [name for name, c in CONSTRAINTS.items() if c.equation is not None]
    counts = [
        (row.label, sum(row.symbol(c) == '●' for c in ten), sum(row.symbol(c) in '●◐' for c in ten))
        for row in rows
    ]
    return pd.DataFrame(sorted(counts, key=lambda r: (-r[2], -r[1]))[:12])


def discovered(grades: np.ndarray, weights: np.ndarray) -> float:
    """An example of a function that a user defines: the weight of each covered aspect over the rank at which it is
    covered."""
    is_relevant = grades > 0
    first = np.where(is_relevant.any(axis=0), is_relevant.argmax(axis=0) + 1, np.inf)
    return float(weights @ (1 / first))


DEPENDS, REFUTED = 'depends on the discount', 'refuted'
MARKS = {'proved': '✓', REFUTED: '✗', DEPENDS: 'δ', 'unknown': '?'}


def proved(results: Table, proofs: pd.DataFrame) -> dict[str, Any]:
    """Return the facts about proofs that the page prints.

    Args:
        results: what the search found.
        proofs: what :func:`ir_divmeasures.axioms.proofs` returns.
    """

    verdict = proofs.set_index(['measure', 'constraint', 'reading'])['verdict']
    constraints = list(dict.fromkeys(proofs['constraint']))
    cells = [
        (
            row.label,
            *(
                f'{row.symbol(c)} {MARKS[verdict[row.label, c, "stated"]]}/'
                f'{MARKS[verdict[row.label, c, "narrow"]]}'
                for c in constraints
            ),
        )
        for row in results
    ]
    relevant_proofs = proofs[proofs['measure'].isin([row.label for row in results])]
    stated_readings = relevant_proofs[relevant_proofs['reading'] == 'stated']
    depends = relevant_proofs[relevant_proofs['verdict'] == DEPENDS]
    refuted = relevant_proofs[relevant_proofs['verdict'] == REFUTED].drop_duplicates(
        ['measure', 'constraint'], keep='last'
    )
    return {
        'n': int(proofs['n'].max()),
        'aspects': int(proofs['aspects'].max()),
        'constraints': constraints,
        'cells': pd.DataFrame(cells),
        'total': len(stated_readings),
        'counts': stated_readings['verdict'].value_counts().to_dict(),
        'notes': [
            f'{label}, {c} ({reading}): {note}'
            for label, c, reading, note in depends[
                ['measure', 'constraint', 'reading', 'note']
            ].itertuples(index=False)
        ],
        'witnesses': list(
            refuted[['measure', 'constraint', 'reading', 'counterexample']].itertuples(index=False)
        ),
    }


# ------------------------------------------------------------------------------------------------------------ the page


def axioms(
    measures: Any = None,
    *,
    paper: Iterable[str] | None = None,
    longest: int = 40,
    deepest: int = 4096,
    proofs: pd.DataFrame | None = None,
) -> Study:
    """Repeat the axiomatic analysis of Amigó et al. (SIGIR 2018, §3–4): Table 1, and the same for other measures.

    Args:
        measures: further measures to test, in any form that :func:`ir_divmeasures.axioms.table` takes; by default every
            measure of the package with each choice of its parameters (about two minutes).
        paper: the rows of the paper's Table 1 that are tested, by their labels; all twenty by default.
        longest, deepest: as for :func:`ir_divmeasures.axioms.table`.
        proofs: what :func:`ir_divmeasures.axioms.proofs` returns. The page then says beside each
            cell of Table 1 whether it is proved, refuted, or depends on the discount.

    Returns:
        A :class:`Study` with the tables ``table1``, ``shallow`` (at a cutoff of 10) and ``measures``. ``to_markdown()``
        returns them with the paper's, with counter-examples and derivations.

    Raises:
        ValueError, TypeError: not measures, or not rows of Table 1.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, Table 1.

    Examples:
        >>> study = axioms('RBU', paper=['RR', 'ERR@k'], longest=8, deepest=64)
        >>> study['table1'][['measure', 'Pri', 'Deep', 'Red']].values.tolist()
        [['RR', '○', '○', '○'], ['ERR@k', '●', '●', '○']]
        >>> study['measures'][['measure', 'Pri', 'Conf', 'MRed']].values.tolist()
        [['RBU', '●', '●', '●']]
    """
    labels = list(table1.CLAIMS) if paper is None else list(paper)
    if unknown := [label for label in labels if label not in table1.CLAIMS]:
        raise ValueError(
            f'paper: expected rows of Table 1, found {unknown[0]!r}'
            f'{did_you_mean(unknown[0], table1.CLAIMS)}'
        )
    results, shallow = (
        table({label: each[label] for label in labels}, longest=longest, deepest=deepest)
        for each in (table1.rows(), table1.rows(CUTOFF))
    )
    families, omitted = (
        all_tables()
        if measures is None
        else ({'measures': table(measures, longest=longest, deepest=deepest)}, [])
    )
    rows = [row for family in families.values() for row in family]
    tables = {
        name: each.to_frame().reset_index()
        for name, each in (
            ('table1', results),
            ('shallow', shallow),
            ('measures', Table(tuple(rows))),
        )
    }
    return Study(
        'axioms',
        tables,
        {
            'constraints': constraint_table(),
            'narrow': {name: c.narrow for name, c in CONSTRAINTS.items()},
            'searched': searched(),
            'legend': LEGEND,
            'cut': CUT,
            'yes': YES,
            'no': NO,
            'cutoff': CUTOFF,
            'similar_at': SIMILAR_AT,
            'compared': compared(results, shallow),
            'cells': cells(results, shallow),
            'against': len(cells(results)['against']),
            'thresholds': thresholds(results, shallow),
            'readings': readings(results),
            'single_thresholds': single_thresholds(results),
            'settings': settings(results),
            'shallow': shallow.to_markdown(),
            'families': {
                family: each.to_markdown() for family, each in families.items() if each.rows
            },
            'omitted': omitted,
            'closest': closest(rows),
            'normalised': normalised_aspects(),
            'own': check(discovered, longest=longest, deepest=deepest).text(),
            'proofs': None if proofs is None else proved(results, proofs),
        },
    )


__all__ = ['axioms']
