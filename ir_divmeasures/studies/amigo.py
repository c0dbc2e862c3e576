"""Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018: constraints, Rank-Biased Utility, and metric unanimity."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import meta
from ..axioms import table as axiom_table
from ..axioms.verdicts import NARROW, YES
from ..evaluation.evaluate import evaluate
from ..judgments.qrels import read_qrels
from ..judgments.table import Judgments
from ..meta.unanimity import Unanimity
from ..pools.pool import Pool
from .contrasts import compared
from .declarations import Cells, rule, sentence, spec, table
from .paper import Paper
from .quantities import NotTestableError, Part, Quantity, above, exact
from .workspace import Workspace

Array = np.ndarray
KEY = 'amigo-2018'
SCENARIOS = OFFICIAL, RANDOM, SHORT = 'official', 'cut at random', 'cut below 50'


def parameters() -> dict[str, list[Any]]:
    """The paper's values of ``k``, ``p``, ``alpha`` and ``e``."""
    return dict(spec(KEY, 'table2')['parameters'])


# ------------------------------------------------------------------------------------- §6.2 and §6.3, 102 measures


@dataclass(frozen=True)
class Topic:
    """The judgments of a topic and the rankings of S systems.

    Attributes:
        grade: (D, T) grades of the relevant documents by aspect; each aspect has one.
        weight: (T,) weights of the aspects.
        ids: (S, L) row of ``grade`` at each rank, D for a document that is not relevant.
        n: (S,) lengths of the rankings.
    """

    grade: Array
    weight: Array
    ids: Array
    n: Array

    def simulated(self, longest: int | None, rng: np.random.Generator) -> Topic:
        """The scenarios of §6.3.

        A grade g becomes a number drawn from (0, g), weights are drawn from (0, 1) and divided by their sum, and each
        ranking is cut at a length drawn from 0, …, n, or from 0, …, ``longest``.
        """
        weight = 1 - rng.random(len(self.weight))
        most = self.n if longest is None else np.full_like(self.n, longest)
        n = np.minimum(self.n, rng.integers(0, most, endpoint=True))
        outside = np.arange(self.ids.shape[1]) >= n[:, None]
        return Topic(
            self.grade * (1 - rng.random(self.grade.shape)),
            weight / max(weight.sum(), 1e-300),
            np.where(outside, len(self.grade), self.ids),
            n,
        )


def topics(work: Workspace) -> list[Topic]:
    """The topics in the order of the workspace."""
    pool = Pool.from_runs(work.runs, depth=None).over(work.topic_qrels)
    judged, pairs = Judgments.of(work.qrels).official, work.topic_qrels
    found = []
    for number, topic in enumerate(work.topics):
        own = judged[(judged['query_id'] == topic) & (judged['relevance'] > 0)]
        grade = own.pivot(index='doc_id', columns='subtopic_id', values='relevance').fillna(0)
        aspects = sorted(grade, key=lambda name: (len(name), name))
        relevant = pairs[(pairs['query_id'] == topic) & (pairs['relevance'] > 0)]
        relevant = relevant.sort_values('doc_id', ascending=False)
        weight = np.full(len(aspects), 1 / max(len(aspects), 1))
        if 'weight' in own:
            weight = own.groupby('subtopic_id')['weight'].first()[aspects].to_numpy()
        n, rank = pool.n[:, number], pool.rank[:, relevant.index]
        ids = np.full((len(n), n.max(initial=1)), len(relevant))
        system, place = np.nonzero(rank)
        ids[system, rank[system, place] - 1] = place
        found.append(Topic(grade.loc[relevant['doc_id'], aspects].to_numpy(), weight, ids, n))
    return found


def scores(topic: Topic, effort: Sequence[float]) -> dict[str, Array]:
    """(S,) scores by ``family|variant``. ``effort`` are the values of e of RBU.

    All cutoffs of a family are read from one sum over the ranks.
    """
    known = parameters()
    rank = np.arange(1.0, topic.ids.shape[1] + 1)
    log, slow, within = 1 / np.log2(rank + 1), 1 / (1 + np.log2(rank)), rank <= topic.n[:, None]
    found: dict[str, Array] = {}
    sums: dict[tuple[str, str], Array] = {}
    highest = topic.grade.max(axis=1, keepdims=True, initial=0)
    for grade, weight, ia in ((topic.grade, topic.weight, '-IA'), (highest, np.ones(1), '')):
        g = np.vstack([grade, np.zeros((1, grade.shape[1]))])[topic.ids]
        top, relevant = grade.max(axis=0, initial=0), g > 0
        r, seen = (2.0**g - 1) / 2.0**top, relevant.cumsum(axis=1)
        unsatisfied = np.roll((1 - r).cumprod(axis=1), 1, axis=1)
        unsatisfied[:, 0] = 1
        cascade = (r * unsatisfied) @ weight
        sums[f'DCG{ia}@k', ''] = (2.0**g - 1) @ weight * log
        sums[f'ERR{ia}@k', ''] = cascade / rank
        sums[f'P{ia}@k', ''] = relevant @ weight
        precision = (relevant * seen / rank[:, None]).sum(axis=1)
        found[f'AP{ia}|'] = precision / np.maximum((grade > 0).sum(axis=0), 1) @ weight
        found[f'RR{ia}|'] = (relevant / rank[:, None]).max(axis=1) @ weight
        if not ia:
            linear = (g / np.maximum(top, 1e-300)) @ weight
            for p in known['p']:
                found[f'RBP|p={p}'] = (1 - p) * linear @ p ** (rank - 1)
            continue
        sums['S-Recall@k', ''] = (relevant & (seen == 1)) @ np.full(
            len(weight), 1 / max(len(weight), 1)
        )
        for p, e in itertools.product(known['p'], effort):
            found[f'RBU|p={p}, e={e}'] = (cascade - e * within) @ p**rank
        for alpha in known['alpha']:
            novel = (r * (1 - alpha) ** (seen - relevant)) @ weight
            sums['α-DCG-IA@k', f', α={alpha}'] = novel * log
            for e in known['e']:
                found[f'EU|α={alpha}, e={e}'] = (novel - e * within) @ slow
            for p in known['p']:
                found[f'NRBP|p={p}, α={alpha}'] = novel @ p ** (rank - 1)
    for (family, variant), gains in sums.items():
        total = gains.cumsum(axis=1)
        for k in known['k']:
            scale = k if family.startswith('P') else 1
            found[f'{family}|@{k}{variant}'] = total[:, min(k, len(rank)) - 1] / scale
    return found


def unanimity(work: Workspace, scenario: str, effort: Sequence[float] = ()) -> Unanimity:
    """MU of all variants in a scenario, the mean over its simulations; names are ``family|variant``."""
    simulated = [work.once(topics)]
    if scenario != OFFICIAL:
        longest = spec(KEY, 'table2')['longest'] if scenario == SHORT else None
        rngs = [work.rng(f'{KEY} {scenario} {seed}') for seed in range(work.n_seeds)]
        simulated = [[each.simulated(longest, rng) for each in simulated[0]] for rng in rngs]
    results = []
    for several in simulated:
        by_topic = [scores(topic, effort or parameters()['e']) for topic in several]
        values = np.array([list(one.values()) for one in by_topic]).transpose(2, 0, 1)
        results.append(replace(meta.unanimity(values), measures=tuple(by_topic[0])))
    return Unanimity.averaged(results)


RESULTS = {name: functools.partial(unanimity, scenario=name) for name in SCENARIOS}
effortless = functools.partial(unanimity, scenario=SHORT, effort=(0,))


def best(result: Unanimity, names: Iterable[str]) -> Quantity:
    """The highest MU of several variants; the jackknife chooses anew without each topic."""
    places = [result.measures.index(name) for name in names]
    without = result.without[:, places]
    if not np.isfinite(without).all():
        raise NotTestableError('a variant contradicts every unanimous improvement')
    place = max(places, key=lambda each: result.values[each])
    limit = float(result.ceiling[place])
    return Quantity.jackknifed(result.values[place], without.max(axis=1), limit)


def variants(result: Unanimity, row: str) -> list[str]:
    """The names of a family's variants, or of the one at a cutoff."""
    family, _, k = row.partition('@')
    return [
        name for name in result.measures if name.startswith(f'{row}|') or name == f'{family}@k|@{k}'
    ]


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    """MU of the best variant of each family."""
    cells = {}
    for scenario, compute in RESULTS.items():
        result = work.once(compute)
        for row in spec(KEY, 'table2')['rows']:
            if names := variants(result, row):
                cells[row, scenario] = best(result, names)
    result = work.once(effortless)
    return cells | {('RBU e=0', SHORT): best(result, variants(result, 'RBU'))}


@table(KEY, 'variants')
def every_variant(work: Workspace) -> Cells:
    """MU of every variant."""
    results = {scenario: work.once(compute) for scenario, compute in RESULTS.items()}
    return {
        (name, scenario): best(result, [name])
        for scenario, result in results.items()
        for name in result.measures
    }


def lead(paper: Paper, scenario: str) -> tuple[Quantity, Quantity, str]:
    """RBU, the best other family, and its name."""
    column = {row: cell for (row, each), cell in paper['table2'].items() if each == scenario}
    name = max((row for row in column if row[:3] != 'RBU'), key=lambda row: column[row].value)
    return column['RBU'], column[name], name


@sentence(
    KEY,
    'table2',
    'RBU has the highest MU of the runs as they are, {lead:.4f} above {name}.',
    '{name} has a higher MU than RBU on the runs as they are ({lead:.4f}).',
    'On the runs as they are, no difference between RBU and {name} can be told ({lead:.4f}).',
)
def ahead(paper: Paper) -> tuple[list[bool], dict[str, Any]]:
    rbu, other, name = lead(paper, OFFICIAL)
    low, high = (rbu - other).interval()
    return [low > 0, high < 0, low <= 0 <= high], {'lead': (rbu - other).value, 'name': name}


@rule(KEY, 'a16', 'a17')
def deeper(paper: Paper, claim: str) -> Iterator[Part]:
    cells, known = paper['variants'], parameters()
    longest = max(topic.ids.shape[1] for topic in paper.work.once(topics))
    depths = [k for last, k in zip([0, *known['k']], known['k']) if last < longest]
    sign, values = ('p=', known['p']) if claim == 'a17' else ('@', depths)
    for family in sorted({name.partition('|')[0] for name, _ in cells}):
        middle = f', α={known["alpha"][2]}' if family.startswith('α') else ''
        names = [(f'{family}|{sign}{value}{middle}', OFFICIAL) for value in values]
        for low, high, value in zip(names, names[1:], values[1:]):
            if low in cells:
                yield above(cells[high], cells[low], f'{family} {sign}{value}: ')


@rule(KEY, 'a19')
def larger_lead(paper: Paper) -> Iterator[Part]:
    rbu, other, _ = lead(paper, OFFICIAL)
    drawn, rival, name = lead(paper, RANDOM)
    yield above(drawn, rival, f'{name}: ')
    yield above(drawn - rival, rbu - other, 'lead: ')


@rule(KEY, 'a21')
def every_rbu(paper: Paper) -> Iterator[Part]:
    _, other, name = lead(paper, SHORT)
    for (variant, scenario), value in paper['variants'].items():
        if variant.startswith('RBU') and scenario == SHORT:
            yield above(value, other, f'{variant.partition("|")[2]} and {name}: ')
    rbu = paper['table2']['RBU e=0', SHORT]
    yield compared('near', rbu, other, f'e=0 {rbu}, {name} {other}')


# ------------------------------------------------------------------------------- §6.4 and §6.5, official measures


def expanded(names: Iterable[str]) -> list[str]:
    """Measures with every p and e in place of ``{p}`` and ``{e}``."""
    values = list(itertools.product(parameters()['p'], parameters()['e']))
    return list(dict.fromkeys(name.format(p=p, e=e) for name in names for p, e in values))


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    """MU of the best variant of each row; a column is a set of measures.

    By passage judgments, the cube tests add up a document's passages.
    """
    cells: dict[tuple[str, str], Quantity] = {}
    passages = work.further.get('passages')
    judged = {'': work.qrels}
    if passages is not None:
        readings = {'ACubeTest CubeTest': 'sum', '': 'max'}
        judged = {
            kind: read_qrels(passages, format='dd', passages=readings[kind]) for kind in readings
        }
    for column, rows in spec(KEY, 'table3')['sets'].items():
        if column.startswith('DD') != (passages is not None):
            continue
        names = {row: expanded(each) for row, each in rows.items()}
        left = dict.fromkeys(itertools.chain(*names.values()))
        found: dict[str, Array] = {}
        for kind, qrels in judged.items():
            own = [name for name in left if name not in found and (not kind or name[:-3] in kind)]
            scored = evaluate(work.runs, qrels[qrels['query_id'].isin(work.topics)], own)
            found |= dict(zip(own, scored.values.transpose(2, 0, 1)))
        result = meta.unanimity(np.stack(list(found.values()), axis=2))
        result = replace(result, measures=tuple(found))
        cells |= {(row, column): best(result, each) for row, each in names.items()}
    return cells


# ---------------------------------------------------------------------------------------- §4 and §6.1, definitions


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    """What a search for counter-examples finds: 1 held, 0 failed, ◐ held in the narrower reading, ± for some settings."""
    signs = {YES: '1', '○': '0'}
    return {
        (row.label, constraint): signs.get(row.symbol(constraint), row.symbol(constraint))
        for row in axiom_table()
        for constraint in spec(KEY, 'table1')['columns']
    }


@rule(KEY, 'a01', 'a02', 'a03', 'a04', 'a05', 'a06', 'a07')
def constraints(paper: Paper, claim: str) -> Iterator[Part]:
    """By the constraints that each row of our Table 1 satisfies, perhaps in the narrower reading."""
    cells, columns = paper['table1'], spec(KEY, 'table1')['columns']
    rows = {row: [c for c in columns if cells[row, c] in ('1', NARROW)] for row, _ in cells}
    old = {row: own for row, own in rows.items() if row != 'RBU@k'}
    if claim == 'a01':
        most = max(old, key=lambda row: len(old[row]))
        found = f'at most {len(old[most])} of {len(columns)} ({most})'
        yield exact(len(old[most]) < len(columns), found)
        missing = set(columns).difference(*old.values())
        text = f'none satisfies {", ".join(missing)}' if missing else 'each has a measure'
        yield exact(not missing, text)
    elif claim == 'a02':
        holds = 'CloseTh' in rows['P@k']
        yield exact(not holds, f'P@k {"satisfies" if holds else "fails"} CloseTh')
    elif claim == 'a03':
        for row in ('P@k', 'RR', 'AP', 'nDCG@k', 'ERR@k', 'RBP'):
            aware = next(r for r in rows if r.startswith(f'{row.partition("@")[0]}-IA'))
            lost = sorted(c for c in columns[:4] if c in rows[row] and c not in rows[aware])
            yield exact(not lost, f'{aware}: {"loses " + ", ".join(lost) if lost else "inherits"}')
    else:
        wanted, claimed = {
            'a04': (['DeepTh'], 'nDCG-IA@k'),
            'a05': (columns[:4], 'RBP'),
            'a06': (columns[5:], 'ERR-IA@k'),
            'a07': (['Conf'], 'EU'),
        }[claim]
        satisfied = [row for row, own in old.items() if set(wanted) <= set(own)]
        right = claimed in satisfied if claim == 'a04' else satisfied == [claimed]
        yield exact(right, f'satisfied by {", ".join(satisfied) or "none"} (RBU aside)')


@rule(KEY, 'a08')
def all_constraints(paper: Paper) -> Iterator[Part]:
    for p in (0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        row = axiom_table({'RBU': [f'RBU(p={p},e=0.05)']})['RBU']
        columns = spec(KEY, 'table1')['columns']
        fails = [each for each in columns if row.symbol(each) not in (YES, NARROW)]
        yield exact(not fails, f'p={p}: {"fails " + ", ".join(fails) if fails else "all"}')


@rule(KEY, 'a09', 'a10')
def special_cases(paper: Paper, claim: str) -> Iterator[Part]:
    """Two aspects of weight ½; for small grades redundancy is nothing."""
    grade, names = {
        'a09': (
            1e-6,
            "RBU(p=0.8,e=0,gain='raw',rel=0) RBP_IA(p=0.8,gain='linear',max_rel=1,rel=0)",
        ),
        'a10': (1, 'RBU(p=1,e=0) gERR_IA'),
    }[claim]
    qrels: Any = {'q': {'d1': {'1': grade}, 'd2': {'2': grade}, 'd3': {'1': grade}}}
    run = {'s': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
    one, other = evaluate(run, qrels, names).values[0, 0]
    yield exact(abs(one - other) < 1e-3 * one, f'{one:.4g} and {other:.4g} in an example')


def example_scores() -> Array:
    """(S, 1, measures) scores of the paper's example."""
    return np.array(spec(KEY, 'example')['cells'][:3], dtype=float)[:, None, :]


@table(KEY, 'example')
def example(work: Workspace) -> Cells:
    values = meta.unanimity(example_scores()).values
    return {('MU', name): float(x) for name, x in zip(spec(KEY, 'example')['columns'], values)}


@rule(KEY, 'a11', 'a12', 'a13', 'a14')
def properties(paper: Paper, claim: str) -> Iterator[Part]:
    values = example_scores()
    result = meta.unanimity(values)
    if claim == 'a11':
        sees = result.seen == result.improvements
        found, most = result.values[sees], result.ceiling[sees]
        yield exact((found == most).all(), f'MU {found.max():g} of {most.max():g}')
    elif claim == 'a12':
        constant = meta.unanimity(np.dstack([values, np.ones((3, 1, 1))])).values[-1]
        yield exact(constant == 0, f'MU {constant:g}')
    elif claim == 'a13':
        one, other = meta.unanimity(np.array([[[1, 2]], [[1, 1]], [[0, 0]]])).values
        yield exact(one != other, f'{one:.3f} and {other:.3f} of two measures')
    else:
        copied = meta.unanimity(np.dstack([values, values[:, :, 1:]])).values[0]
        without = result.values[0]
        yield exact(copied == without, f'{copied:.3f} with copies, {without:.3f} without')
