"""Table 1 of Amigó et al. 2018 beside what our checks find, and the same for every measure of the package."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ir_measures
import numpy as np

from ..axioms import CONSTRAINTS, check, table, table1
from ..axioms.verdicts import CUT, LEGEND, NO, YES, Row, Table
from ..core.parameters import Choice, Range
from ..core.registry import catalogue, measures
from ..judgments.intents import with_weights
from .study import Part, Study

CUTOFF, SIMILAR_AT = 10, 20
EXCLUDED = {'DocSim': 'the lower, the better'}
FURTHER = {'UM_IA': ['UM_IA(alpha=0.5)', 'UM_IA(model=4,alpha=0.5)', "UM_IA(redundancy='DCG')"],
           'nDCU': ['nDCU(e=1e-09)'],
           'CWL': [f'CWL(C={C!r}{given})' for C, given in (
               ('P', ''), ('RR', ''), ('AP', ''), ('NPV', ''), ('NDCG', ',k=10'), ('SET', ''), ('INSQ', ''),
               ('INST', ''), ('BPM', ''), ('BPMD', ''), ('IFTGoal', ',T=2,b1=0.9,R1=10'),
               ('IFTRate', ',A=0.2,b2=0.9,R2=5'), ('IFTGoalRate', ',T=2,b1=0.9,R1=10,A=0.2,b2=0.9,R2=5'),
               ('TBG', ',halflife=10'), ('UMeasure', ',L=20'),
               ('NERR8', ',k=10'), ('NERR9', ',k=10'), ('NERR10', ''), ('NERR11', ''))] + ["CWL(out='ETU')"]}
"""Redundancy penalised, Carterette 2011, §5; nDCU with an effort below gains of r ≪ 1, above which its ideal is empty
and every score 0; the continuation functions of C/W/L."""


def block(text: str) -> str:
    return f'```text\n{text}\n```\n'


def legend(*symbols: str) -> str:
    return ', '.join(f'{s} {said}' for s, said in LEGEND.items() if s in symbols) + '.'


def claimed(row: Row, constraint: str) -> str:
    return table1.CLAIMS[row.label].cells[constraint]


# --------------------------------------------------------------------------------------------------- the page's parts

def constraints() -> str:
    lines = ['| | constraint (equation of the paper) | narrower reading |', '|---|---|---|']
    lines += [f'| {c.name} | {c.statement} ({c.equation or "ours"}) | {c.narrow or "-"} |'
              for c in CONSTRAINTS.values()]
    return '\n'.join(lines) + '\n'


def beside(tested: Table, shallow: Table) -> str:
    """Ours where it is as claimed, else ``claim → ours``; what hangs on the cutoff or was not applicable is marked."""
    verdicts = {(row.label, c): v for row, c, v in table1.verdicts(tested, shallow)}

    def cell(row: Row, c: str) -> str:
        ours, verdict = row.symbol(c), verdicts.get((row.label, c))
        if verdict in (table1.SAME, None):
            return ours
        if verdict == table1.CUTOFF:
            return f'{ours}/{shallow[row.label].symbol(c)} ᵏ'
        said = f'{claimed(row, c)}→{ours}'
        return f'**{said}**' if verdict == table1.AGAINST else said + ' ⁿ' * (verdict == table1.NOT_APPLICABLE)
    head = f"| | {' | '.join(CONSTRAINTS)} |\n|---|{':-:|' * len(CONSTRAINTS)}\n"
    return head + ''.join(f"| {row.label} | {' | '.join(cell(row, c) for c in CONSTRAINTS)} |\n" for row in tested)


def with_verdict(tested: Table, verdict: str, shallow: Table | None = None) -> Iterator[tuple[Row, str]]:
    return ((row, c) for row, c, v in table1.verdicts(tested, shallow) if v == verdict)


def causes(tested: Table, shallow: Table) -> str:
    """How many cells of the paper's table are as claimed, and what the others are due to."""
    cells = {v: list(with_verdict(tested, v, shallow)) for v in
             (table1.SAME, table1.READING, table1.SETTING, table1.CUTOFF, table1.NOT_APPLICABLE, table1.AGAINST)}

    def named(verdict: str) -> str:
        return ', '.join(f'{row.label} {c} ({claimed(row, c)} in the paper)' for row, c in cells[verdict])
    against = [pair for pair in table1.verdicts(tested) if pair[2] == table1.AGAINST]
    return f"""Of {sum(map(len, cells.values()))} cells

* {len(cells[table1.SAME])} are as claimed,
* {len(cells[table1.READING])} are claimed to hold and do so in the narrower reading only,
* {len(cells[table1.SETTING])} hold for some settings only: {named(table1.SETTING)},
* {len(cells[table1.CUTOFF])} hang on the cutoff: {named(table1.CUTOFF)}. No one cutoff makes all of them right: without
  one the first kind (P@k, P-IA@k, S-Recall@k) is contradicted, at {CUTOFF} the second (nDCG@k, nDCG-IA@k,
  D#-Measure@k),
* {len(cells[table1.NOT_APPLICABLE])} are denied ad-hoc measures as "not applicable" (the paper's §4.1), and hold at
  topic level: {named(table1.NOT_APPLICABLE)},
* {len(cells[table1.AGAINST])} is contradicted whatever the cutoff: {named(table1.AGAINST)}.

(Without regard to cutoffs and applicability {len(against)} cells would be contradicted.)
"""


def thresholds(tested: Table, shallow: Table) -> str:
    """DeepTh in both readings, with and without a cutoff, beside the paper."""
    columns = [('for all large n', tested, 'DeepTh'), ('for some n', tested, 'DeepTh∃'),
               (f'for all large n, @{CUTOFF}', shallow, 'DeepTh'), (f'for some n, @{CUTOFF}', shallow, 'DeepTh∃')]
    lines = ['| | paper | ' + ' | '.join(name for name, *_ in columns) + ' |', '|---|' + ':-:|' * 5]
    off = [0] * 4
    for row in tested:
        said = claimed(row, 'DeepTh')
        found = [(which[row.label].symbol(c) == YES) for _, which, c in columns]
        off = [n + (holds != (said == YES)) for n, holds in zip(off, found)]
        marks = [f'**{YES if holds else NO}**' if holds != (said == YES) else YES if holds else NO for holds in found]
        lines.append(f'| {row.label} | {said} | ' + ' | '.join(marks) + ' |')
    return '\n'.join([*lines, '| *other than the paper* | | ' + ' | '.join(map(str, off)) + ' |']) + '\n'


def proofs() -> str:
    """What is searched exhaustively."""
    return '\n'.join(['| | every pair of rankings of |', '|---|---|',
                      *(f'| {c.name} | {c.exhaustive} |' for c in CONSTRAINTS.values() if c.exhaustive)]) + '\n'


DERIVATIONS = {
    ('RBP, RBP-IA, RBU@k', 'DeepTh, CloseTh'):
        'At r ≪ 1 one document scores p, m of them after m others Σ_{i=m+1..2m} p^i = p^(m+1)(1 − p^m)/(1 − p). '
        'DeepTh: this tends to 0 with m. CloseTh: p^m(1 − p^m) is ¼ at most, at p^m = ½; ¼/(1 − p) > 1 needs p > ¾.',
    ('P@k, P-IA@k', 'DeepTh, CloseTh'):
        'In sight 1/k against n/k: CloseTh for m = 2, DeepTh for no n. With a cutoff k the n documents are out of '
        'sight for n ≥ k: DeepTh.',
    ('AP, AP-IA', 'DeepTh, CloseTh'):
        'With R judged, 1/R against (1/R) Σ_{j=1..n} j/(n + j), whose later half alone is n/6 or more: it grows with '
        'n; more than 1 from n = 3 on (1/4 + 2/5 + 3/6).',
    ('nDCG@k, nDCG-IA@k', 'DeepTh'):
        '1 against Σ_{i=n+1..2n} 1/log2(i+1) ≥ n/log2(2n+1), which grows without bound; with a cutoff k ≤ n the sum is '
        'empty.',
    ('ERR@k, ERR-IA@k', 'DeepTh, CloseTh'):
        'At r ≪ 1 r against r Σ_{i=n+1..2n} 1/i < r ln 2: less for every n.',
    ('RR, RR-IA@k', 'DeepTh, CloseTh'): '1 against 1/(n+1).',
    ('CT@k', 'CloseTh'): 'As ERR: Σ_{i=m+1..2m} (1 − α)^(i−m−1)/i < ln 2.',
    ('ERR@k, ERR-IA@k, RBU@k', 'Sat'):
        'r_max = 1 leaves Π(1 − r) = 0 for what follows; in RBU a further document then costs e p^i.',
    ('EU', 'Sat'):
        'With one aspect a second document adds r (1 − α) − e at most, discounted: above 0 for no r ≤ 1 exactly if '
        'e ≥ 1 − α.',
    ('EU, RBU@k', 'Conf'): 'A non-relevant document adds −e/(1 + log2 i), or −e p^i, which is below 0.',
    ('all others', 'Conf'): 'A non-relevant document at the end adds 0.',
    ('RBU@k', 'Red at r_c = 1'):
        'An aspect that was seen is satisfied, so that documents for two seen aspects both add 0, whatever the counts; '
        'for r_c < 1 (1 − r_c)^a > (1 − r_c)^b for a < b.',
    ('S-Recall@k, S-RR@100%', 'AspRel'): 'No weight enters.',
}
"""Cells that a line of algebra settles: (measures, constraints) → the line."""


def derivations() -> str:
    return '\n'.join(['| measures | constraints | why |', '|---|---|---|',
                      *(f'| {m} | {c} | {why} |' for (m, c), why in DERIVATIONS.items())]) + '\n'


WHY = {
    'P@k': 'Below a cutoff n documents are out of sight and lose; in sight P counts n documents against one.',
    'P-IA@k': 'As P@k.',
    'S-Recall@k': 'Below a cutoff the n documents cover nothing; in sight both rankings cover the one aspect.',
    'nDCG@k': 'In sight n documents outweigh one; below a cutoff they are out of sight.',
    'nDCG-IA@k': 'As nDCG@k.', 'D#-Measure@k': 'As nDCG@k.',
    'AP-IA': 'AP, which is the same measure on one aspect, has ○ in the paper. It fails on binary relevance too, which '
             'is what is shown.',
}


def contradictions(tested: Table, shallow: Table) -> str:
    """The cells that are not as claimed and not a matter of reading or setting, each with its evidence."""
    parts = []
    for verdict in (table1.AGAINST, table1.CUTOFF, table1.NOT_APPLICABLE):
        for row, c in with_verdict(tested, verdict, shallow):
            cell = row.checks[0][c]
            why = WHY.get(row.label, '') if verdict != table1.NOT_APPLICABLE else \
                'At topic level, r(d) = max_t r(d,t), a document more relevant to every aspect is more relevant.' \
                if c == 'AspDiv' else 'Nothing after a document that satisfies counts, whatever its aspect.'
            parts.append(f'**{row.label}, {c}** ({verdict}): the paper says {claimed(row, c)}. {why}\n')
            if cell.narrow_counterexample is not None:
                parts.append(block(str(cell.narrow_counterexample)))
            else:
                parts.append(f'It holds: {cell.evidence}.\n')
    return '\n'.join(parts)


def readings(tested: Table) -> str:
    parts = []
    for row, c in with_verdict(tested, table1.READING):
        cell = next(check[c] for check in row.checks if not check[c].holds)
        parts.append(f'**{row.label}, {c}** (holds with {CONSTRAINTS[c].narrow}):\n\n{block(str(cell.counterexample))}')
    return '\n'.join(parts)


def settings(tested: Table) -> str:
    parts = []
    for row in tested:
        if len(row.checks) == 1:
            continue
        thresholds = [(check.label, *(check[c].evidence if check[c].holds else NO for c in ('DeepTh', 'CloseTh')),
                       check['Sat'].evidence if check['Sat'].holds else NO) for check in row.checks]
        if row.label in ('EU', 'RBU@k'):  # the effort is the same on both sides of the two thresholds
            seen: dict[tuple[str, ...], list[str]] = {}
            for label, *cells in thresholds:
                seen.setdefault(tuple(cells), []).append(label)
            thresholds = [(', '.join(labels), *cells) for cells, labels in seen.items()]  # type: ignore[misc]
        parts.append(f'| {row.label} | DeepTh | CloseTh | Sat |\n|---|---|---|---|\n'
                     + ''.join('| ' + ' | '.join(line) + ' |\n' for line in thresholds))
    return '\n'.join(parts)


def single_thresholds(tested: Table) -> str:
    lines = ['| | DeepTh | CloseTh | Sat |', '|---|---|---|---|']
    for row in tested:
        if len(row.checks) == 1:
            cells = [row.checks[0][c] for c in ('DeepTh', 'CloseTh', 'Sat')]
            lines.append(f'| {row.label} | ' + ' | '.join(c.evidence if c.holds else NO for c in cells) + ' |')
    return '\n'.join(lines) + '\n'


def normalised_aspects() -> str:
    """nDCG_IA where the aspect of more weight has more relevant documents."""
    qrels = {'q': {'d1': {'t1': 1}, 'd2': {'t1': 1}, 'd3': {'t1': 1}, 'd4': {'t2': 1}}}
    judged = with_weights(qrels, {'q': {'t1': 0.6, 't2': 0.4}})
    asked = measures('nDCG_IA DCG_IA')
    values = [{m: ir_measures.calc_aggregate([m], judged, {'q': {d: 1.0}})[m] for m in asked} for d in ('d1', 'd4')]
    return ('| retrieved | ' + ' | '.join(map(str, asked)) + ' |\n|---|---|---|\n'
            + ''.join(f'| a document for {t} | ' + ' | '.join(f'{v[m]:.4f}' for m in asked) + ' |\n'
                      for t, v in zip(('t1 (weight 0.6, 3 relevant documents)', 't2 (weight 0.4, 1 relevant document)'),
                                      values)))


def variants(measure: object) -> list[str]:
    """A measure with each choice of its parameters that is not a way of reading grades or choosing aspects; marked ones
    are left out."""
    names = ['']
    for name, known in measure.SUPPORTED_PARAMS.items():  # type: ignore[attr-defined]
        values: list[object] = []
        of_users = measure.family == 'user models' and name in ('effort', 'redundancy')  # type: ignore[attr-defined]
        if name in ('gain', 'M', 'aspects', 'C', 'out', 'residual') or of_users:
            continue
        if isinstance(known.admits, Choice):
            values = list(known.admits.listed)
        elif known.dtype is int and isinstance(known.admits, Range) and known.admits.high - known.admits.low < 5:
            values = list(range(int(known.admits.low), int(known.admits.high) + 1))
        if values:
            names = [f'{given},{name}={value!r}' for given in names for value in values]
    return list(dict.fromkeys(str(one) for given in names
                              for one in measures(measure.NAME + (f'({given[1:]})' if given else ''))  # type: ignore
                              if not one.marked))


def tested_by_family() -> dict[str, list[str]]:
    """Every measure and its variants, by family."""
    families: dict[str, list[str]] = {}
    for measure in catalogue():
        if measure.NAME not in EXCLUDED:
            at = f'@{SIMILAR_AT}' if 'fingerprint' in measure.needs else ''
            names = variants(measure) + FURTHER.get(measure.NAME, [])
            families.setdefault(measure.family, []).extend(name + at for name in names)
    return families


def everything() -> tuple[dict[str, Table], list[str]]:
    """Tables by family, and what was left out and why."""
    left = [f'{name}: {why}' for name, why in EXCLUDED.items() if name in {m.NAME for m in catalogue()}]
    tables = {}
    for family, asked in tested_by_family().items():
        tested = table(asked)
        left += [f'{row.label}: {row.checks[0].reason}' for row in tested if row.checks[0].reason]
        tables[family] = Table(tuple(row for row in tested if not row.checks[0].reason))
    return tables, left


def by_family(tables: dict[str, Table]) -> str:
    return '\n'.join(f'### {family[:1].upper() + family[1:]}\n\n{tested.to_markdown()}'
                     for family, tested in tables.items() if tested.rows)


def closest(tables: dict[str, Table]) -> str:
    ten = [name for name, c in CONSTRAINTS.items() if c.equation is not None]
    rows = [(sum(row.symbol(c) == '●' for c in ten), sum(row.symbol(c) in '●◐' for c in ten), row.label)
            for tested in tables.values() for row in tested]
    best = sorted(rows, key=lambda r: (-r[1], -r[0]))[:12]
    return ('| measure | as stated | counting the narrower readings |\n|---|--:|--:|\n'
            + ''.join(f'| {label} | {stated} | {narrow} |\n' for stated, narrow, label in best))


def discovered(grades: np.ndarray, weights: np.ndarray) -> float:
    """A function of one's own: the weight of the aspects found, each over the rank at which it was found."""
    found = grades > 0
    first = np.where(found.any(axis=0), found.argmax(axis=0) + 1, np.inf)
    return float(weights @ (1 / first))


# ------------------------------------------------------------------------------------------------------------ the page

def axioms(measures: Any = None, *, longest: int = 40, deepest: int = 4096) -> Study:
    """Repeat the axiomatic analysis of Amigó et al. (SIGIR 2018, §3–4): Table 1, and the same for other measures.

    Args:
        measures: what else is tested, in any form that :func:`ir_divmeasures.axioms.table` takes; by default every
            measure of the package with each choice of its parameters (about two minutes).
        longest, deepest: as for :func:`ir_divmeasures.axioms.table`.

    Returns:
        A :class:`Study` with the tables ``table1``, ``shallow`` (at a cutoff of 10) and ``measures``; printing it gives
        them beside the paper's, with counter-examples and derivations.

    Raises:
        ValueError, TypeError: not measures.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, Table 1.

    Examples:
        >>> study = axioms('RBU', longest=8, deepest=64)
        >>> study['measures'][['measure', 'Pri', 'Conf', 'MRed']].values.tolist()
        [['RBU', '●', '●', '●']]
    """
    tested = table(longest=longest, deepest=deepest)
    shallow = table(table1.rows(CUTOFF), longest=longest, deepest=deepest)
    if measures is None:
        tables, left = everything()
    else:
        tables, left = {'measures': table(measures, longest=longest, deepest=deepest)}, []
    found = Table(tuple(row for each in tables.values() for row in each))
    parts = tuple(Part(name, heading, each.to_frame().reset_index()) for name, heading, each in (
        ('table1', "The paper's Table 1", tested), ('shallow', f'At a cutoff of {CUTOFF}', shallow),
        ('measures', 'Measures', found)))
    return Study('Which constraints do measures satisfy?', '', parts, _page(tested, shallow, tables, left))


def _page(tested: Table, shallow: Table, tables: dict[str, Table], left: list[str]) -> str:
    own = check(discovered)
    return f'''# Which constraints do measures satisfy?

Amigó, Spina and Carrillo-de-Albornoz (SIGIR 2018, "the paper" below) state ten constraints that a measure of ranking
and diversity may satisfy, and tell in their Table 1 which of twenty measures satisfy which. Here every cell of that
table is tested by program, and then every measure of this package. This page is what
`print(ir_divmeasures.studies.axioms())` prints; `ir_divmeasures.axioms.table(...)` and `axioms.check(my_measure)` do
the same for any measure or function.

## How a cell is decided

{constraints()}
**Universal constraints** are tested on pairs of rankings that meet their conditions: all short ones over a few grades,
longer ones (up to 40 documents) built on purpose or drawn at random. A measure that orders one pair wrongly, or does
not tell its rankings apart, fails, and the smallest such pair is its counter-example. A cell without one is proved, by
exhaustive search, for

{proofs()}
and holds beyond that as far as was searched: evidence, not proof. Counter-examples are sought from the shortest
rankings on, and of the shortest those with least relevant documents are shown; all of Table 1 are within these depths.
**Existential constraints** (DeepTh, CloseTh, Sat) hold by the n, m or r_max that satisfies them: n and m are sought up
to 4,096, r_max among 0.25, 0.5, 0.75 and 1. DeepTh must hold for every larger n tried; DeepTh∃ is Eq. 3 as printed.

Readings:

* r(d,t) is a real number in [0, 1], and r ≪ 1 a grade of at most 0.001. A counter-example must remain one when all
  grades are divided by 100, so that no cell hangs on what "≪" means. DeepTh and CloseTh are tested at r = 0.00001.
* Where a constraint fails as stated it is tried in the narrower reading given above.
* The main tables have no cutoff, so both rankings are seen whole; P is then divided by one large number for all.
* Both rankings share their query, so normalisation cancels (the paper's footnote 5), provided that aspects are
  normalised alike: each document is judged together with its images under rotation of the aspects (see the end of the
  page). In a sum of measures (D#, DS) it does not cancel: what these show holds for such judgments, with nothing else
  relevant.
* P, RR, AP, nDCG, ERR and RBP are taken at topic level, r(d) = max_t r(d,t) (the paper's §6.2). They are computed by
  our intent-aware forms on that one aspect, since ir_measures' own take whole grades only.
* α-nDCG and NRBP are the forms of the paper's §4.3: graded and without aspect weights (`alpha_DCG_IA`, `gNRBP`,
  unweighted).
* Measures with parameters are tested with all settings of the paper's §6.2: p .8 .9 .99; α .1 .25 .5 .75; e .001 .05 .1
  .5. (D# has γ = 0.5 and nDCG inside.)
* AspRel is read with its two documents interchanged; as printed (Eq. 10) it asks that less weight scores higher.
* Scores closer than a share of 1e-14 are equal. Where differences have shrunk below 1e-11 (a geometric discount deep
  down) equal scores may be rounding and are not held against a measure.

## The paper's Table 1, and ours

`●→◐` means that the paper says ● and we find ◐. {legend('●', '◐', '○', '±')} `●/○ ᵏ` hangs on the cutoff (without one
/ at {CUTOFF}), ⁿ is denied an ad-hoc measure as not applicable. Bold: contradicted. DeepTh∃ is no column of the paper.

{beside(tested, shallow)}
{causes(tested, shallow)}
Three causes account for most differences:

1. **Redundancy by count punishes a weakly relevant document** (α-nDCG, NRBP, EU, CT; Pri and AspDiv). One document of
   tiny relevance takes the share α from everything after it, so placing it earlier, or adding it, can lower the score.
   With binary relevance this cannot happen. RBU and ERR-IA, whose redundancy goes by grade, are free of it.
2. **AspRel looks at a document alone, the measures at what follows it.** With a document for the heavier aspect first,
   later documents for that aspect lose value; with the lighter aspect first they do not. This holds for RBU and ERR-IA
   too where relevance is high, and AspRel does not assume r ≪ 1. Nor does Red: at r_c = 1 both aspects can be satisfied
   already, and RBU, ERR-IA and CT then see no difference. (The paper's proof of Red for RBU takes (1 − r_c)^a > (1 −
   r_c)^b for a < b, which needs r_c < 1.)
3. **A fixed cutoff was assumed for some cells and not for others** (DeepTh of P@k and S-Recall@k against nDCG@k).

### DeepTh: for all large n, or for some n

Eq. 3 as printed asks for one n only. Bold: other than the paper.

{thresholds(tested, shallow)}
Read for all large n the paper's column fits far better, and no reading fits it wholly.

### Cells that a line of algebra settles

{derivations()}
### Cells that are not as claimed

{contradictions(tested, shallow)}
### Cells that hold in the narrower reading only

The smallest counter-example to the constraint as stated:

{readings(tested)}
## Thresholds and settings

DeepTh by the n from which on it holds, CloseTh by the smallest m, Sat by the smallest r_max tried; {NO} if none does.
RBP satisfies CloseTh only for p > 0.75: Σ p^(m+k−1) = p^m (1 − p^m)/(1 − p) is at most 1/(4 (1 − p)).

{single_thresholds(tested)}
{settings(tested)}
EU satisfies Sat where the effort e outweighs what a second document can add, (1 − α): a side of effort that the paper
does not mention.

## At a shallow cutoff (@{CUTOFF})

The same measures, each that takes a cutoff at {CUTOFF}; AP and AP-IA take none. {CUT} {LEGEND[CUT]} (in the narrower
reading, where there is one): the smallest counter-example is longer than {CUTOFF} documents.

{shallow.to_markdown()}
DeepTh now holds for {sum(row.symbol('DeepTh') == YES for row in shallow)} of 20 rows, since any n ≥ {CUTOFF} is out of
sight, nDCG@k among them; and no measure can satisfy Pri, Deep, AspDiv, Red, MRed or AspRel for what it does not see.
"@k" in the paper's table therefore cannot mean a small k, nor (DeepTh of P@k) a large one, for all cells.

## Every measure of the package

At default parameters, with each choice of a parameter that is not a way of reading grades; `UM_IA` also with its
penalty of redundancy, α = 0.5. Rareness: every document is retrieved by one system of two. Hierarchies: two layers of
equal weight, the aspects and one superintent of them all. nDCU
is also tested with an effort of 1e-9: with one above every gain, as its default is for r ≪ 1, its ideal is empty and
every score 0. Types: informational. Similarity (@{SIMILAR_AT}): documents
of the same aspects are copies of one another, others have half of their fingerprint in common.

{by_family(tables)}
{legend('●', '◐', '◎', '○')}
{('Left out: ' + '; '.join(left) + '.') if left else 'None was left out.'}

Nearest to satisfying all ten:

{closest(tables)}
## What normalisation would change

Were aspects normalised apart, an aspect with many relevant documents would count less than its weight says, and nDCG-IA
(AP-IA and Q-IA likewise) would fail AspRel on a ranking of one document:

{normalised_aspects()}
## A function of your own

```python
def discovered(grades, weights):
    """Grades (n, T) of a ranking by rank and aspect, weights (T,) → the aspects found, each over its rank."""
    found = grades > 0
    first = np.where(found.any(axis=0), found.argmax(axis=0) + 1, np.inf)
    return float(weights @ (1 / first))

print(ir_divmeasures.axioms.check(discovered))
```

{block(str(own))}'''
