"""Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018: constraints, Rank-Biased Utility, and metric unanimity."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import meta
from ..axioms import table as axiom_table
from ..axioms.verdicts import NARROW, YES
from ..evaluation.evaluate import evaluate
from ..judgments.qrels import read_qrels
from ..meta.unanimity import Unanimity
from ..pools.pool import Pool
from .paper import Cells, Paper, load, rule, sentence, table
from .quantities import NotTestableError, Part, Quantity, above, exact, near
from .workspace import Workspace

Array = np.ndarray
KEY = 'amigo-2018'
SCENARIOS = 'official', 'cut at random', 'cut below 50'
RECALL, PRECISION = 'S-Recall@k', ('P@k', 'S-Recall@k')


def spec(identifier: str) -> dict[str, Any]:
    """A table of the data file."""
    return dict(load(KEY)['parts'][identifier])


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
    pool = Pool.from_runs(work.runs, depth=None).over(work.qrels)
    found: dict[str, Topic] = {}
    for number, block in enumerate(pool.collection.blocks):
        for row, query in enumerate(block.queries):
            pairs = pool.collection.pair_at(number)[row]
            relevant = np.flatnonzero((pairs >= 0) & (block.judgments.grade[row] > 0).any(axis=1))
            grade = block.judgments.grade[row][relevant]
            aspects = (grade > 0).any(axis=0)
            given = block.judgments.given_weight
            weight = np.full(aspects.sum(), 1 / max(aspects.sum(), 1))
            n = pool.n[:, query]
            ids = np.full((len(n), max(int(n.max(initial=0)), 1)), len(relevant))
            rank = pool.rank[:, pairs[relevant]]
            system, place = np.nonzero(rank)
            ids[system, rank[system, place] - 1] = place
            found[pool.collection.query_ids[query]] = Topic(
                grade[:, aspects], weight if given is None else given[row][aspects], ids, n
            )
    return [found[topic] for topic in work.topics]


def scores(topic: Topic, effort: Sequence[float]) -> dict[tuple[str, str], Array]:
    """(S,) scores by (family, variant). ``effort`` are the values of e of RBU."""
    known = spec('table2')['parameters']
    rank = np.arange(1.0, topic.ids.shape[1] + 1)
    log, within = 1 / np.log2(rank + 1), rank <= topic.n[:, None]
    found: dict[tuple[str, str], Array] = {}

    def deep(family: str, gains: Array, text: str = '') -> None:
        """Sums of (S, L) gains at each cutoff."""
        sums = gains.cumsum(axis=1)
        for k in known['k']:
            found[family, f'@{k}{text}'] = sums[:, min(k, len(rank)) - 1]

    highest = topic.grade.max(axis=1, keepdims=True, initial=0)
    for grade, weight, ia in ((topic.grade, topic.weight, '-IA'), (highest, np.ones(1), '')):
        g = np.vstack([grade, np.zeros((1, grade.shape[1]))])[topic.ids]
        top = grade.max(axis=0, initial=0)
        r, relevant = (2.0**g - 1) / 2.0**top, g > 0
        seen = relevant.cumsum(axis=1)
        unsatisfied = np.roll((1 - r).cumprod(axis=1), 1, axis=1)
        unsatisfied[:, 0] = 1
        cascade, hits = (r * unsatisfied) @ weight, relevant @ weight
        deep(f'DCG{ia}@k', (2.0**g - 1) @ weight * log)
        deep(f'ERR{ia}@k', cascade / rank)
        deep(f'P{ia}@k', hits)
        for k in known['k']:
            found[f'P{ia}@k', f'@{k}'] = found[f'P{ia}@k', f'@{k}'] / k
        precision = relevant * seen / rank[:, None]
        total = np.maximum((grade > 0).sum(axis=0), 1)
        found[f'AP{ia}', ''] = (precision.sum(axis=1) / total) @ weight
        found[f'RR{ia}', ''] = (relevant / rank[:, None]).max(axis=1) @ weight
        if not ia:
            linear = (g / np.maximum(top, 1e-300)) @ weight
            for p in known['p']:
                found['RBP', f'p={p}'] = (1 - p) * linear @ p ** (rank - 1)
            continue
        covered = np.maximum.accumulate(relevant, axis=1).mean(axis=2) if len(weight) else hits
        for k in known['k']:
            found[RECALL, f'@{k}'] = covered[:, min(k, len(rank)) - 1]
        for p in known['p']:
            gained, cost = cascade @ p**rank, within @ p**rank
            for e in effort:
                found['RBU', f'p={p}, e={e}'] = gained - e * cost
        slow = 1 / (1 + np.log2(rank))
        for alpha in known['alpha']:
            novel = (r * (1 - alpha) ** (seen - relevant)) @ weight
            deep('α-DCG-IA@k', novel * log, f', α={alpha}')
            for e in known['e']:
                found['EU', f'α={alpha}, e={e}'] = novel @ slow - e * (within @ slow)
            for p in known['p']:
                found['NRBP', f'p={p}, α={alpha}'] = novel @ p ** (rank - 1)
    return found


def simulations(work: Workspace, scenario: str) -> Iterator[list[Topic]]:
    """The data of a scenario: as they are, or simulated with each seed."""
    known = work.once(topics)
    if scenario == SCENARIOS[0]:
        yield known
        return
    longest = spec('table2')['longest'] if scenario == SCENARIOS[2] else None
    for seed in range(work.n_seeds):
        rng = work.rng(f'{KEY} {scenario} {seed}')
        yield [topic.simulated(longest, rng) for topic in known]


def unanimity(work: Workspace, scenario: str, effort: Sequence[float] = ()) -> Unanimity:
    """MU of all variants in a scenario, the mean over its simulations; names are ``family|variant``."""
    results = []
    for simulated in simulations(work, scenario):
        by_topic = [
            scores(topic, effort or spec('table2')['parameters']['e']) for topic in simulated
        ]
        values = np.array([[one[name] for name in by_topic[0]] for one in by_topic])
        result = meta.unanimity(values.transpose(2, 0, 1))
        results.append(replace(result, measures=tuple(map('|'.join, by_topic[0]))))
    return Unanimity.averaged(results)


official = functools.partial(unanimity, scenario=SCENARIOS[0])
random = functools.partial(unanimity, scenario=SCENARIOS[1])
short_runs = functools.partial(unanimity, scenario=SCENARIOS[2])
effortless = functools.partial(unanimity, scenario=SCENARIOS[2], effort=(0,))
RESULTS: dict[str, Callable[[Workspace], Unanimity]] = dict(
    zip(SCENARIOS, (official, random, short_runs))
)


def best(result: Unanimity, names: Iterable[str]) -> Quantity:
    """The highest MU of several variants; the jackknife chooses anew without each topic."""
    places = [result.measures.index(name) for name in names]
    if not np.isfinite(result.without[:, places]).all():
        raise NotTestableError('a variant contradicts every unanimous improvement')
    place = max(places, key=lambda each: result.values[each])
    quantity = Quantity.jackknifed(result.values[place], result.without[:, places].max(axis=1))
    return replace(quantity, limit=float(result.ceiling[place]))


def variants(result: Unanimity, family: str) -> list[str]:
    """The names of a family's variants."""
    return [name for name in result.measures if name.partition('|')[0] == family]


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    """MU of the best variant of each family."""
    cells: dict[tuple[str, ...], Any] = {}
    for scenario, compute in RESULTS.items():
        result = work.once(compute)
        for row in spec('table2')['rows']:
            family, _, k = row.partition('@')
            names = variants(result, row) or [f'{family}@k|@{k}']
            if names[0] in result.measures:
                cells[row, scenario] = best(result, names)
    result = work.once(effortless)
    cells['RBU e=0', SCENARIOS[2]] = best(result, variants(result, 'RBU'))
    return cells


@table(KEY, 'variants')
def every_variant(work: Workspace) -> Cells:
    """MU of every variant."""
    results = {scenario: work.once(compute) for scenario, compute in RESULTS.items()}
    return {
        (name, scenario): best(result, [name])
        for scenario, result in results.items()
        for name in result.measures
    }


def families(cells: Cells, scenario: str, without: Sequence[str]) -> dict[str, Quantity]:
    """MU of the families that are not left out; S-Recall has a row for each cutoff."""
    return {
        row: value
        for (row, column), value in cells.items()
        if column == scenario
        and isinstance(value, Quantity)
        and row not in (*without, 'RBU e=0', 'P-IA@10')
        and not (RECALL in without and row.startswith('S-Recall'))
    }


def lead(paper: Paper, scenario: str) -> tuple[Quantity, Quantity, str]:
    """RBU, the best other family, and its name."""
    others = families(paper['table2'], scenario, ['RBU'])
    name = max(others, key=lambda row: others[row].value)
    return paper['table2']['RBU', scenario], others[name], name  # type: ignore[return-value]


@sentence(
    KEY,
    'table2',
    (
        lambda f: f['low'] > 0,
        'RBU has the highest MU of the runs as they are, {lead:.4f} above {name}.',
    ),
    (
        lambda f: f['high'] < 0,
        '{name} has a higher MU than RBU on the runs as they are ({lead:.4f}).',
    ),
    (
        lambda f: f['low'] <= 0 <= f['high'],
        'On the runs as they are, no difference between RBU and {name} can be told ({lead:.4f}).',
    ),
)
def ahead(paper: Paper) -> Mapping[str, Any]:
    rbu, other, name = lead(paper, SCENARIOS[0])
    low, high = (rbu - other).interval()
    return {'low': low, 'high': high, 'lead': (rbu - other).value, 'name': name}


@rule(KEY, 'a15')
def a15(paper: Paper) -> Iterator[Part]:
    cells = paper['table2']
    others = families(cells, SCENARIOS[0], PRECISION)
    names = [row for row in families(cells, SCENARIOS[0], ()) if row not in others]
    low = min(others, key=lambda row: others[row].value)
    high = max(names, key=lambda row: cells[row, SCENARIOS[0]].value)  # type: ignore[union-attr]
    yield above(others[low], cells[high, SCENARIOS[0]], f'{low} and {high}: ')


@rule(KEY, 'a16', 'a17')
def deeper(paper: Paper, claim: str) -> Iterator[Part]:
    cells, known = paper['variants'], spec('table2')['parameters']
    longest = max(topic.ids.shape[1] for topic in paper.work.once(topics))
    values = (
        known['p']
        if claim == 'a17'
        else [k for k in known['k'] if k < longest] + [k for k in known['k'] if k >= longest][:1]
    )
    sign = 'p=' if claim == 'a17' else '@'
    names = {name for name, _ in cells if f'|{sign}' in name and ('RBP' in name) == (sign == 'p=')}
    for family in sorted({name.partition('|')[0] for name in names} - {'RBU', 'NRBP'}):
        middle = f', α={known["alpha"][2]}' if family.startswith('α') else ''
        ours = [cells[f'{family}|{sign}{value}{middle}', SCENARIOS[0]] for value in values]
        for low, high, value in zip(ours, ours[1:], values[1:]):
            yield above(high, low, f'{family} {sign}{value}: ')


@rule(KEY, 'a18', 'a19')
def leading(paper: Paper, claim: str) -> Iterator[Part]:
    rbu, other, name = lead(paper, SCENARIOS[0])
    if claim == 'a18':
        yield above(rbu, other, f'{name}: ')
        return
    drawn, rival, drawn_name = lead(paper, SCENARIOS[1])
    yield above(drawn, rival, f'{drawn_name}: ')
    yield above(drawn - rival, rbu - other, 'lead: ')


@rule(KEY, 'a20')
def a20(paper: Paper) -> Iterator[Part]:
    cells = paper['table2']
    for row in ('EU', 'ERR-IA@k'):
        yield above(cells['RBU', SCENARIOS[1]], cells[row, SCENARIOS[1]], f'{row}: ')


@rule(KEY, 'a21')
def a21(paper: Paper) -> Iterator[Part]:
    _, other, name = lead(paper, SCENARIOS[2])
    for (variant, scenario), value in paper['variants'].items():
        if variant.startswith('RBU') and scenario == SCENARIOS[2]:
            yield above(value, other, f'{variant.partition("|")[2]} and {name}: ')
    yield near(paper['table2']['RBU e=0', SCENARIOS[2]], other, f'e=0 and {name}: ')


# ------------------------------------------------------------------------------- §6.4 and §6.5, official measures


def expanded(names: Iterable[str]) -> list[str]:
    """Measures with every p and e in place of ``{p}`` and ``{e}``."""
    known = spec('table2')['parameters']
    filled = (name.format(p=p, e=e) for name in names for p in known['p'] for e in known['e'])
    return list(dict.fromkeys(filled))


def track_scores(work: Workspace, names: list[str], passages: Any) -> Array:
    """(S, Q, measures) scores; by passage judgments, the cube tests add up a document's passages."""
    if passages is None:
        return evaluate(work.runs, work.qrels, names).values
    found: dict[str, Array] = {}
    for reading in ('sum', 'max'):
        own = [name for name in names if ('CubeTest' in name) == (reading == 'sum')]
        qrels = read_qrels(passages, format='dd', passages=reading)
        values = evaluate(work.runs, qrels[qrels['query_id'].isin(work.topics)], own).values
        found |= dict(zip(own, values.transpose(2, 0, 1)))
    return np.stack([found[name] for name in names], axis=2)


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    """MU of the best variant of each row; a column is a set of measures."""
    cells: dict[tuple[str, ...], Any] = {}
    passages = work.further.get('passages')
    for column, rows in spec('table3')['sets'].items():
        if column.startswith('DD') != (passages is not None):
            continue
        names = {row: expanded(each) for row, each in rows.items()}
        listed = list(dict.fromkeys(name for each in names.values() for name in each))
        result = meta.unanimity(track_scores(work, listed, passages))
        result = replace(result, measures=tuple(listed))
        cells |= {(row, column): best(result, each) for row, each in names.items()}
    return cells


@rule(KEY, 'a22', 'a23', 'a24', 'a25', 'a26', 'a27', 'a28')
def among_official(paper: Paper, claim: str) -> Iterator[Part]:
    columns = dict(zip(('a24', 'a25', 'a28'), list(spec('table3')['sets'])[1:3] + ['DD, one RBU']))
    column = columns.get(claim, 'DD 2015' if claim in ('a26', 'a27') else 'Web 2014')
    values = {row: value for (row, each), value in paper['table3'].items() if each == column}
    if not values:
        missing = (
            'runs by iterations and --passages' if column.startswith('DD') else 'no --passages'
        )
        raise NotTestableError(f'needs {missing}')
    rbu = [row for row in values if row.startswith('RBU') and row != 'RBU e=0']
    others = [row for row in values if not row.startswith('RBU')]
    if claim == 'a22':
        rival = max(set(values) - {'AP-IA'}, key=lambda row: values[row].value)
        yield above(values['AP-IA'], values[rival], f'AP-IA and {rival}: ')
    elif claim == 'a23':
        for high, low in zip(rbu, rbu[1:]):
            yield above(values[high], values[low], f'{high} and {low}: ')
    elif claim == 'a27':
        for row in ('CT@10', 'ACT@10'):
            yield above(values[row], values['RBU e=0'], f'{row}: ')
    else:
        own = min(rbu, key=lambda row: values[row].value)
        rival = max(others, key=lambda row: values[row].value)
        yield above(values[own], values[rival], f'{own} and {rival}: ')


# ---------------------------------------------------------------------------------------- §4 and §6.1, definitions


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    """What a search for counter-examples finds: 1 held, 0 failed, ◐ held in the narrower reading, ± for some settings."""
    signs = {YES: '1', '○': '0'}
    return {
        (row.label, constraint): signs.get(row.symbol(constraint), row.symbol(constraint))
        for row in axiom_table()
        for constraint in spec('table1')['columns']
    }


def held(paper: Paper) -> dict[str, set[str]]:
    """The constraints that each row of our Table 1 satisfies, perhaps in the narrower reading."""
    rows: dict[str, set[str]] = {}
    for (row, constraint), symbol in paper['table1'].items():
        rows.setdefault(row, set()).update([constraint] * (symbol in ('1', NARROW)))
    return rows


@rule(KEY, 'a01', 'a02', 'a03', 'a04', 'a05', 'a06', 'a07')
def constraints(paper: Paper, claim: str) -> Iterator[Part]:
    rows, columns = held(paper), spec('table1')['columns']
    old = {row: own for row, own in rows.items() if row != 'RBU@k'}
    if claim == 'a01':
        most = max(old, key=lambda row: len(old[row]))
        yield exact(
            len(old[most]) < len(columns), f'at most {len(old[most])} of {len(columns)} ({most})'
        )
        missing = set(columns).difference(*old.values())
        text = f'none satisfies {", ".join(missing)}' if missing else 'each has a measure'
        yield exact(not missing, text)
    elif claim == 'a02':
        holds = 'CloseTh' in rows['P@k']
        yield exact(not holds, f'P@k {"satisfies" if holds else "fails"} CloseTh')
    elif claim == 'a03':
        for row in ('P@k', 'RR', 'AP', 'nDCG@k', 'ERR@k', 'RBP'):
            name, _, k = row.partition('@')
            aware = next(r for r in rows if r.startswith(f'{name}-IA'))
            differ = sorted((rows[row] - rows[aware]) & set(columns[:4]))
            yield exact(
                not differ, f'{aware}: {"loses " + ", ".join(differ) if differ else "inherits"}'
            )
    else:
        wanted = {'a04': ['DeepTh'], 'a05': columns[:4], 'a06': columns[5:], 'a07': ['Conf']}[claim]
        found = [row for row, own in old.items() if own >= set(wanted)]
        claimed = {'a04': 'nDCG-IA@k', 'a05': 'RBP', 'a06': 'ERR-IA@k', 'a07': 'EU'}[claim]
        right = claimed in found if claim == 'a04' else found == [claimed]
        yield exact(right, f'satisfied by {", ".join(found) or "none"} (RBU aside)')


@rule(KEY, 'a08')
def a08(paper: Paper) -> Iterator[Part]:
    for p in (0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        row = axiom_table({'RBU': [f'RBU(p={p},e=0.05)']})['RBU']
        fails = [
            each for each in spec('table1')['columns'] if row.symbol(each) not in (YES, NARROW)
        ]
        yield exact(not fails, f'p={p}: {"fails " + ", ".join(fails) if fails else "all"}')


@rule(KEY, 'a09', 'a10')
def special_cases(paper: Paper, claim: str) -> Iterator[Part]:
    """Two aspects of weight ½; in both examples r is far below 1, and in the first so small that redundancy is nothing."""
    qrels: Any = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'1': 1}}}
    run = {'s': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
    small = {'q': {'d1': {'1': 1e-6}, 'd2': {'2': 1e-6}, 'd3': {'1': 1e-6}}}
    if claim == 'a09':
        names, data = (
            "RBU(p=0.8,e=0,gain='raw',rel=0) RBP_IA(p=0.8,gain='linear',max_rel=1,rel=0)",
            small,
        )
    else:
        names, data = 'RBU(p=1,e=0) gERR_IA', qrels
    one, other = evaluate(run, data, names).values[0, 0]
    yield exact(abs(one - other) < 1e-3 * one, f'{one:.4g} and {other:.4g} in an example')


def example_scores() -> Array:
    """(S, 1, measures) scores of the paper's example."""
    return np.array(spec('example')['cells'][:3], dtype=float)[:, None, :]


@table(KEY, 'example')
def example(work: Workspace) -> Cells:
    values = meta.unanimity(example_scores()).values
    return {('MU', column): float(x) for column, x in zip(spec('example')['columns'], values)}


@rule(KEY, 'a11', 'a12', 'a13', 'a14')
def properties(paper: Paper, claim: str) -> Iterator[Part]:
    values = example_scores()
    result = meta.unanimity(values)
    if claim == 'a11':
        sees = result.seen == result.improvements
        right = (result.values[sees] == result.ceiling[sees]).all()
        yield exact(
            right and sees.any(),
            f'MU {result.values[sees].max():g} of {result.ceiling[sees].max():g}',
        )
    elif claim == 'a12':
        constant = meta.unanimity(np.dstack([values, np.ones((3, 1, 1))])).values[-1]
        yield exact(constant == 0, f'MU {constant:g}')
    elif claim == 'a13':
        pair = meta.unanimity(np.array([[[1, 2]], [[1, 1]], [[0, 0]]])).values
        yield exact(pair[0] != pair[1], f'{pair[0]:.3f} and {pair[1]:.3f} of two measures')
    else:
        copied = meta.unanimity(np.dstack([values, values[:, :, 1:]])).values[0]
        yield exact(
            copied == result.values[0], f'{copied:.3f} with copies, {result.values[0]:.3f} without'
        )
