"""Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018: constraints, Rank-Biased Utility, and metric unanimity."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .. import meta
from ..axioms import table as axiom_table
from ..axioms.verdicts import NARROW, YES
from ..evaluation.evaluate import evaluate
from ..judgments.qrels import read_qrels, topic_level
from ..judgments.table import Judgments, of_documents
from ..lazy import pd
from ..meta.unanimity import Unanimity
from ..pools.judged import JudgedPool
from ..pools.pool import Pool
from .contrasts import compared
from .declarations import Cells, rule, sentence, spec, table
from .paper import Paper
from .quantities import NotTestableError, Part, Quantity, above, exact
from .workspace import Workspace

KEY = 'amigo-2018'
SCENARIOS = OFFICIAL, RANDOM, SHORT = 'official', 'cut at random', 'cut below 50'
EFFORTLESS = 'RBU e=0'


def measures(kind: str) -> dict[str, str]:
    """Our measures by ``family|variant``, of ``'intents'`` or ``'topics'``."""
    part = spec(KEY, 'table2')
    settings = [
        dict(zip(part['parameters'], values))
        for values in itertools.product(*part['parameters'].values())
    ]
    return {
        f'{family}|{variant}'.format_map(each): measure.format_map(each)
        for family, variant, measure in part[kind]
        for each in settings
    }


def judged(work: Workspace) -> JudgedPool:
    """The runs and the judgments of official intents."""
    official = of_documents(Judgments.of(work.qrels).official)
    return Pool.from_runs(work.runs, depth=None).over(official.reset_index(drop=True))


def simulated(pool: JudgedPool, longest: int | None, rng: np.random.Generator) -> JudgedPool:
    """The scenarios of §6.3.

    A grade g becomes a number drawn from (0, g), weights are drawn from (0, 1) and divided by their sum, and each
    ranking is cut at a length drawn from 0, …, n, or from 0, …, ``longest``.
    """
    table, query = pool.table, pool.collection.query_of_pair[pool.collection.row_pair]
    document = -pd.factorize(table['doc_id'], sort=True)[0]
    names = [f'{len(name):9}{name}' for name in table['subtopic_id']]
    aspect = pd.factorize(np.array(names), sort=True)[0]
    n, grade = pool.n.copy(), table['relevance'].to_numpy(dtype=float, copy=True)
    weight = np.zeros(len(grade))
    for number, length in enumerate(n.T):
        rows = np.flatnonzero(query == number)
        relevant = rows[grade[rows] > 0]
        documents, aspects = np.unique(document[relevant]), np.unique(aspect[relevant])
        weights = np.zeros(len(table))
        weights[aspects] = 1 - rng.random(len(aspects))
        weight[rows] = weights[aspect[rows]] / max(weights.sum(), 1e-300)
        most = length if longest is None else np.full_like(length, longest)
        length[:] = np.minimum(length, rng.integers(0, most, endpoint=True))
        factor = 1 - rng.random((len(documents), len(aspects)))
        row, column = (
            np.searchsorted(documents, document[relevant]),
            np.searchsorted(aspects, aspect[relevant]),
        )
        grade[relevant] *= factor[row, column]
    rank = np.where(pool.rank <= n[:, pool.collection.query_of_pair], pool.rank, 0)
    judgments = Judgments.of(table.assign(relevance=grade, weight=weight))
    return JudgedPool(judgments, pool.systems, pool.groups, None, rank, n)


def scores(pool: JudgedPool) -> np.ndarray:
    """(S, Q, measures) by the measures of intents, then by those of topics."""
    whole = Judgments.of(topic_level(pool.table))
    topics = JudgedPool(whole, pool.systems, pool.groups, None, pool.rank, pool.n)
    of_intents, of_topics = (list(measures(kind).values()) for kind in ('intents', 'topics'))
    return np.dstack([pool.scores(of_intents).values, topics.scores(of_topics).values])


def scored(work: Workspace, scenario: str) -> list[np.ndarray]:
    """The scores in each simulation of a scenario."""
    pool = work.once(judged)
    if scenario == OFFICIAL:
        return [scores(pool)]
    longest = spec(KEY, 'table2')['longest'] if scenario == SHORT else None
    rngs = [work.rng(f'{KEY} {scenario} {seed}') for seed in range(work.n_seeds)]
    return [scores(simulated(pool, longest, rng)) for rng in rngs]


def unanimity(work: Workspace, scenario: str, without: str = EFFORTLESS) -> Unanimity:
    """MU of all variants but those of a family, the mean over the simulations; names are ``family|variant``."""
    names = np.array([*measures('intents'), *measures('topics')])
    kept = ~np.char.startswith(names, f'{without}|')
    results = [meta.unanimity(each[:, :, kept]) for each in work.once(scored, scenario)]
    return replace(Unanimity.averaged(results), measures=tuple(names[kept].tolist()))


def best(result: Unanimity, names: Iterable[str]) -> Quantity:
    """The highest MU of several variants; the jackknife chooses anew without each topic."""
    places = [result.measures.index(name) for name in names]
    without = result.without[:, places]
    if not np.isfinite(without).all():
        raise NotTestableError('a variant contradicts every unanimous improvement')
    place = max(places, key=lambda each: result.values[each])
    limit = float(result.ceiling[place])
    return Quantity.jackknifed(result.values[place], without.max(axis=1), limit)


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    """MU of the best variant of each family, or of the one at a cutoff."""
    cells, results = {}, [(scenario, work.once(unanimity, scenario)) for scenario in SCENARIOS]
    for scenario, result in [*results, (SHORT, work.once(unanimity, SHORT, 'RBU'))]:
        for row in spec(KEY, 'table2')['rows']:
            family, _, k = row.partition('@')
            starts = f'{row}|', f'{family}@k|@{k}|'
            names = [name for name in result.measures if f'{name}|'.startswith(starts)]
            if names and (row, scenario) not in cells:
                cells[row, scenario] = best(result, names)
    return cells


@table(KEY, 'variants')
def every_variant(work: Workspace) -> Cells:
    """MU of every variant."""
    results = {scenario: work.once(unanimity, scenario) for scenario in SCENARIOS}
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
    cells, known = paper['variants'], spec(KEY, 'table2')['parameters']
    sign, values = 'p=', known['p']
    if claim == 'a16':
        last, longest = [0, *known['k']], paper.work.once(judged).n.max()
        sign, values = '@', [k for before, k in zip(last, known['k']) if before < longest]
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
    rbu = paper['table2'][EFFORTLESS, SHORT]
    yield compared('near', rbu, other, f'e=0 {rbu}, {name} {other}')


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    """MU of the best variant of each row among official measures; a column is a set of them.

    By passage judgments, the cube tests add up a document's passages.
    """
    cells: dict[tuple[str, str], Quantity] = {}
    known, passages = spec(KEY, 'table2')['parameters'], work.further.get('passages')
    settings = list(itertools.product(known['p'], known['e']))
    readings = {'': work.qrels}
    if passages is not None:
        kinds = {'CubeTest': 'sum', '': 'max'}
        readings = {kind: read_qrels(passages, format='dd', passages=kinds[kind]) for kind in kinds}
    for column, rows in spec(KEY, 'table3')['sets'].items():
        if column.startswith('DD') != (passages is not None):
            continue
        names = {
            row: list(dict.fromkeys(name.format(p=p, e=e) for name in each for p, e in settings))
            for row, each in rows.items()
        }
        found: dict[str, np.ndarray] = {}
        for kind, qrels in readings.items():
            left = dict.fromkeys(itertools.chain(*names.values()))
            own = [name for name in left if name not in found and kind in name]
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
    held: dict[str, list[str]] = {}
    for (row, column), sign in paper['table1'].items():
        held.setdefault(row, []).extend([column] if sign in ('1', NARROW) else [])
    (stated,) = paper.rules(claim)
    old, columns = (
        {row: held[row] for row in held if row != 'RBU@k'},
        spec(KEY, 'table1')['columns'],
    )
    if claim == 'a01':
        most = max(old, key=lambda row: len(old[row]))
        found = f'at most {len(old[most])} of {len(columns)} ({most})'
        yield exact(len(old[most]) < len(columns), found)
        missing = set(columns).difference(*old.values())
        text = f'none satisfies {", ".join(missing)}' if missing else 'each has a measure'
        yield exact(not missing, text)
    elif claim == 'a02':
        holds = 'CloseTh' in held['P@k']
        yield exact(not holds, f'P@k {"satisfies" if holds else "fails"} CloseTh')
    elif claim == 'a03':
        for row, aware in stated['pairs'].items():
            lost = sorted(set(stated['columns']) & set(held[row]) - set(held[aware]))
            yield exact(not lost, f'{aware}: {"loses " + ", ".join(lost) if lost else "inherits"}')
    else:
        satisfied = [row for row in old if set(stated['columns']) <= set(old[row])]
        right = stated['row'] in (satisfied if len(satisfied) == 1 or 'alone' not in stated else ())
        yield exact(right, f'satisfied by {", ".join(satisfied) or "none"} (RBU aside)')


@rule(KEY, 'a08')
def all_constraints(paper: Paper) -> Iterator[Part]:
    (stated,) = paper.rules('a08')
    for p in stated['p']:
        row = axiom_table({'RBU': [stated['measure'].format(p=p)]})['RBU']
        columns = spec(KEY, 'table1')['columns']
        fails = [each for each in columns if row.symbol(each) not in (YES, NARROW)]
        yield exact(not fails, f'p={p}: {"fails " + ", ".join(fails) if fails else "all"}')


@rule(KEY, 'a09', 'a10')
def special_cases(paper: Paper, claim: str) -> Iterator[Part]:
    """Two aspects of weight ½; for small grades redundancy is nothing."""
    (stated,) = paper.rules(claim)
    aspects = {'d1': '1', 'd2': '2', 'd3': '1'}
    qrels: Any = {'q': {name: {aspect: stated['grade']} for name, aspect in aspects.items()}}
    run = {'s': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
    one, other = evaluate(run, qrels, stated['measures']).values[0, 0]
    yield exact(abs(one - other) < 1e-3 * one, f'{one:.4g} and {other:.4g} in an example')


def example_scores() -> np.ndarray:
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
