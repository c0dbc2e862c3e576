"""The tables and verdicts of the papers that need no runs: ``ir_divmeasures/studies/papers/exact.yaml``.

A function is named after the claims that it tests. It yields whether the paper's statement is true, and what was found,
for each part of the claim. A claim agrees if all its parts are true.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import yaml
from scipy.special import beta

from ir_divmeasures import build_hierarchy, evaluate, meta
from ir_divmeasures.axioms import table as axiom_table
from ir_divmeasures.axioms.verdicts import NARROW, YES
from ir_divmeasures.core.stopping.registries import get
from ir_divmeasures.pools import Pool
from ir_divmeasures.results.estimates import short
from ir_divmeasures.studies.paper import PAPERS
from ir_divmeasures.studies.rules import AGREE, DISAGREE
from ir_divmeasures.users.profile import cells as combinations

Parts = Iterator[tuple[Any, str]]
Table = dict[str, Any]


def data(key: str) -> dict[str, Any]:
    return yaml.safe_load((PAPERS / f'{key}.yaml').read_text(encoding='utf-8'))


def parts(paper: dict[str, Any]) -> dict[str, Any]:
    """Tables and figures by id."""
    return {each['id']: each for each in [*paper['tables'], *paper['figures']]}


def stated(paper: dict[str, Any], claim: str) -> dict[str, Any]:
    """The rule of a claim."""
    ((rule,),) = (each['rule'] for each in paper['claims'] if each['id'] == claim)
    return rule


# ---------------------------------------------------------------------------------------------------- Amigó et al. 2018

AMIGO = data('amigo-2018')
CONSTRAINTS = parts(AMIGO)['table1']['columns']


def table_1() -> Table:
    """What a search for counter-examples finds: 1 held, 0 failed, ◐ held in the narrower reading, ± for some settings."""
    signs = {YES: '1', '○': '0'}
    return {
        row.label: [signs.get(row.symbol(each), row.symbol(each)) for each in CONSTRAINTS]
        for row in axiom_table()
    }


def amigo() -> tuple[dict[str, Table], Mapping[str, Callable[[], Parts]]]:
    """The tables, and the claims by the constraints that each row of our Table 1 satisfies, perhaps in the narrower
    reading.
    """
    table = table_1()
    example = np.array(parts(AMIGO)['example']['cells'][:3], dtype=float)[:, None, :]
    unanimity = meta.unanimity(example)
    held = {
        row: [column for column, sign in zip(CONSTRAINTS, signs) if sign in ('1', NARROW)]
        for row, signs in table.items()
    }
    old = {row: held[row] for row in held if row != 'RBU@k'}

    def a01() -> Parts:
        most = max(old, key=lambda row: len(old[row]))
        found = f'at most {len(old[most])} of {len(CONSTRAINTS)} ({most})'
        yield len(old[most]) < len(CONSTRAINTS), found
        missing = set(CONSTRAINTS).difference(*old.values())
        yield (
            not missing,
            f'none satisfies {", ".join(missing)}' if missing else 'each has a measure',
        )

    def a02() -> Parts:
        holds = 'CloseTh' in held['P@k']
        yield not holds, f'P@k {"satisfies" if holds else "fails"} CloseTh'

    def a03() -> Parts:
        rule = stated(AMIGO, 'a03')
        for row, aware in rule['pairs'].items():
            lost = sorted(set(rule['columns']) & set(held[row]) - set(held[aware]))
            yield not lost, f'{aware}: {"loses " + ", ".join(lost) if lost else "inherits"}'

    def satisfied(claim: str) -> Parts:
        rule = stated(AMIGO, claim)
        found = [row for row in old if set(rule['columns']) <= set(old[row])]
        right = rule['row'] in (found if len(found) == 1 or 'alone' not in rule else ())
        yield right, f'satisfied by {", ".join(found) or "none"} (RBU aside)'

    def a08() -> Parts:
        rule = stated(AMIGO, 'a08')
        for p in rule['p']:
            row = axiom_table({'RBU': [rule['measure'].format(p=p)]})['RBU']
            fails = [each for each in CONSTRAINTS if row.symbol(each) not in (YES, NARROW)]
            yield not fails, f'p={p}: {"fails " + ", ".join(fails) if fails else "all"}'

    def special_case(claim: str) -> Parts:
        """Two aspects of weight ½; for small grades redundancy is nothing."""
        rule = stated(AMIGO, claim)
        aspects = {'d1': '1', 'd2': '2', 'd3': '1'}
        qrels: Any = {'q': {name: {aspect: rule['grade']} for name, aspect in aspects.items()}}
        run = {'s': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
        one, other = evaluate(run, qrels, rule['measures']).values[0, 0]
        yield abs(one - other) < 1e-3 * one, f'{one:.4g} and {other:.4g} in an example'

    def a11() -> Parts:
        sees = unanimity.seen == unanimity.improvements
        found, most = unanimity.values[sees], unanimity.ceiling[sees]
        yield (found == most).all(), f'MU {found.max():g} of {most.max():g}'

    def a12() -> Parts:
        constant = meta.unanimity(np.dstack([example, np.ones((3, 1, 1))])).values[-1]
        yield constant == 0, f'MU {constant:g}'

    def a13() -> Parts:
        one, other = meta.unanimity(np.array([[[1, 2]], [[1, 1]], [[0, 0]]])).values
        yield one != other, f'{one:.3f} and {other:.3f} of two measures'

    def a14() -> Parts:
        copied = meta.unanimity(np.dstack([example, example[:, :, 1:]])).values[0]
        without = unanimity.values[0]
        yield copied == without, f'{copied:.3f} with copies, {without:.3f} without'

    names = parts(AMIGO)['example']['columns']
    tables = {
        'table1': {'columns': CONSTRAINTS, 'rows': table},
        'example': {'columns': names, 'rows': {'MU': unanimity.values.tolist()}},
    }
    claims: dict[str, Callable[[], Parts]] = {'a01': a01, 'a02': a02, 'a03': a03}
    for claim in ('a04', 'a05', 'a06', 'a07'):
        claims[claim] = lambda claim=claim: satisfied(claim)
    claims['a08'] = a08
    for claim in ('a09', 'a10'):
        claims[claim] = lambda claim=claim: special_case(claim)
    return tables, claims | {'a11': a11, 'a12': a12, 'a13': a13, 'a14': a14}


# -------------------------------------------------------------------------------------------------- Türkmen et al. 2023

MOST = 19
"""The most systems of which the definitions are looked at."""


def turkmen() -> tuple[dict[str, Table], Mapping[str, Callable[[], Parts]]]:
    """By P@1_Rareness and P' with R' of a document that one of 2, …, :data:`MOST` systems retrieves."""
    names, most = ['P_Rareness(alpha=1)@1', 'P_Rareness(alpha=1,norm=True,rarity="R\'")@1'], MOST
    sizes, found = np.arange(2, MOST + 1), []
    for n_systems in sizes:
        runs = {f's{s}': {'q': {f'd{s}': 1.0}} for s in range(n_systems)}
        pool = Pool.from_runs(runs).over({'q': {'d0': 1, 'd1': 1}})
        found.append(pool.scores(names).values[0, 0])
    plain, norm = np.transpose(found)
    bound = 2 * (sizes - 1) / sizes
    alone = f"R' is {norm[2]:g} where one of {sizes[2]} systems retrieves the document"
    claims = {
        't01': (np.allclose(plain - 1, bound / 2), f'at most {plain[-1] - 1:.4f}, {most} systems'),
        't02': (np.allclose(plain, bound), f'{plain[0]:g} with two systems, not {bound[0]:g}'),
        't04': (plain.max() < 2, f'at most {plain.max():.4f} with {most} systems'),
        't17': (norm[2] < norm.max(), alone),
        't18': (norm.max() <= 1, f"at most {norm.max():g} with R'"),
    }
    return {}, {name: lambda part=part: iter([part]) for name, part in claims.items()}


# ----------------------------------------------------------------------------------------------------- Carterette 2011

CARTERETTE = data('carterette-2011')
STATIC, NORMALISED = CARTERETTE['groups']['static'], CARTERETTE['normalised']


def user_models() -> dict[str, list[str | None]]:
    """The measure of each distribution and model that together compare rankings."""
    part = parts(CARTERETTE)['table1']
    table = {}
    for P in part['rows']:
        own = {f'M{row.model}': row.measure for row in combinations(P[2:]).itertuples() if row.marked is None}  # fmt: skip
        table[P] = [own.get(model) for model in part['columns']]
    return table


def distributions() -> Table:
    """P and F of the static distributions at some ranks."""
    by_rank = {P: get(P[2:]).by_rank(100) for P in STATIC}
    names = {f'{letter}{P[1:]}': by_rank[P][n] for n, letter in enumerate('PF') for P in STATIC}
    ranks = (1, 2, 3, 5, 10, 20, 50, 100)
    rows = {f'k={k}': [float(values[k]) for values in names.values()] for k in ranks}
    return {'columns': list(names), 'rows': rows}


def carterette() -> tuple[dict[str, Table], Mapping[str, Callable[[], Parts]]]:
    models = parts(CARTERETTE)['table1']['columns']
    table = user_models()

    def c01() -> Parts:
        for n in (10**3, 10**6):
            left = 1 / np.log2(n + 2)
            yield left < 0.01, f'{short(left)} at n = {n}'

    def c02() -> Parts:
        P = {f'P_{name}': get(name).by_rank(1000)[0][[10, 100, 1000]] for name in ('DCG', 'RR', 'RBP')}  # fmt: skip
        for one, other in itertools.pairwise(P):
            ratio = P[one] / P[other]
            told = ', '.join(f'{value:.2g}' for value in ratio)
            yield ratio[0] > 1 and (np.diff(ratio) > 0).all(), f'{one}/{other}: {told}'

    def c03() -> Parts:
        """A ranking of six documents, with a topic for each three of them that may be relevant."""
        topics = map(''.join, itertools.combinations('abcdef', 3))
        qrels = {topic: dict.fromkeys(topic, 1) for topic in topics}
        run = dict.fromkeys(qrels, dict(zip('abcdef', range(6, 0, -1))))
        for P, model in NORMALISED:
            name = f'{table[P][models.index(model)][:-1]},norm=True)'
            best = evaluate({'s': run}, qrels, name).values.max()
            yield abs(best - 1) < 1e-12, f'{P} {model} {short(best)}'

    def c04() -> Parts:
        relevant = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
        R = relevant.cumsum()
        for name in STATIC:
            P, F = get(name[2:]).by_rank(len(relevant))
            apart = abs(relevant @ F[1:-1] - R @ P[1:-1] - R[-1] * F[-1])
            yield apart < 1e-12, f'{name}: difference {apart:.0e}'

    def c05() -> Parts:
        """The mean over θ of a geometric distribution, ∫ θ (1 − θ)^(k−1) dθ, is a beta function."""
        P, F = get('RR').by_rank(100)
        for k in (1, 10, 100):
            apart = max(abs(beta(2, k) - P[k]), abs(1 - P[:k].sum() - 1 / k), abs(F[k] - 1 / k))
            yield apart < 1e-12, f'k = {k}: difference {apart:.0e}'

    def c30() -> Parts:
        """The ranking 1, 0 with a uniform P: above rank 2, one document is preferred to the one there, above rank 1
        none.
        """
        for name, gains in (('M4', [1, 1 / 2]), ('M2', [1, 1])):
            model, process = sum(gains) / 2, (0 + 1) / 2
            yield model == process, f'{name} {short(model)}, expectation {short(process)}'

    def c31() -> Parts:
        """The share of concordant pairs by τ, each pair with the probability of stopping at its lower document."""
        share = np.arange(4) / 3
        tau = 2 * share - 1
        told = ', '.join(f'{short(one)} at τ {short(other)}' for one, other in zip(share, tau))
        yield np.ptp(share / tau) < 1e-9, told

    tables = {'table1': {'columns': models, 'rows': table}, 'figure1': distributions()}
    return tables, {each.__name__: each for each in (c01, c02, c03, c04, c05, c30, c31)}


# ----------------------------------------------------------------------------------------------------- Dou et al. 2019


WEIGHTED = {'figure5': 'weighting', 'figure6': 'intent_weighting'}
"""The argument of ``build_hierarchy`` that a figure is about."""


def weights(part: dict[str, Any], argument: str) -> Table:
    """The weights of the nodes of a figure by each setting; documents may have copies."""
    names = {
        f'{name} {n}': name for name in part['judged'] for n in range(part['copies'].get(name, 1))
    }
    qrels, vectors = (
        {each: part[key][name] for each, name in names.items()} for key in ('judged', 'vectors')
    )
    cells = []
    for setting in part['columns']:
        built = build_hierarchy({'q': qrels}, similarity=vectors, cutoff=1, **{argument: setting})
        by_node = built.groupby('subtopic_id')['weight'].first()
        cells.append([float(by_node[node]) for node in part['nodes']])
    return {'columns': part['columns'], 'rows': dict(zip(part['rows'], map(list, zip(*cells))))}


def dou() -> tuple[dict[str, Table], Mapping[str, Callable[[], Parts]]]:
    """Table 8: D# ties the two rankings, and HD# prefers the first."""
    known = parts(data('dou-2019'))
    part = known['table8']
    ranked = ([*'1234567', *(cell[:2] for cell in line)] for line in part['cells'])
    runs = {
        row: {'110': dict(zip(ids, range(10, 0, -1)))} for row, ids in zip(part['rows'], ranked)
    }
    qrels = {'110': part['judged']}
    built = build_hierarchy(qrels, similarity=part['vectors'])
    scores = {
        name: evaluate(runs, judged, measure).values[:, 0, 0]
        for name, judged, measure in (
            ('D#-nDCG', qrels, 'Dsharp_nDCG@10'),
            ('HD#-nDCG', built, 'HDsharp_nDCG@10'),
        )
    }

    def d23() -> Parts:
        for name, wanted in (('D#-nDCG', 0), ('HD#-nDCG', 1)):
            one, other = (short(value) for value in scores[name])
            yield np.sign(float(one) - float(other)) == wanted, f'{name} {one} and {other}'

    rows = {row: [short(scores[name][n]) for name in scores] for n, row in enumerate(runs)}
    tables = {'table8': {'columns': list(scores), 'rows': rows}}
    tables |= {name: weights(known[name], argument) for name, argument in WEIGHTED.items()}
    return tables, {'d23': d23}


PAPERS_BY_KEY = {
    'amigo-2018': amigo,
    'turkmen-2023': turkmen,
    'carterette-2011': carterette,
    'dou-2019': dou,
}


def page() -> str:
    """The data file."""
    found = {}
    for key, compute in PAPERS_BY_KEY.items():
        tables, claims = compute()
        verdicts = {}
        for claim, function in claims.items():
            several = list(function())
            word = AGREE if all(right for right, _ in several) else DISAGREE
            verdicts[claim] = [word, '; '.join(text for _, text in several)]
        found[key] = {'claims': verdicts}
        for name, table in tables.items():
            rows, cells = list(table['rows']), list(table['rows'].values())
            found[key][name] = {'columns': table['columns'], 'rows': rows, 'cells': cells}
    text = yaml.safe_dump(found, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None)  # fmt: skip
    return f'# Made by `python -m reference exact`: what needs no runs, computed by this package.\n{text}'
