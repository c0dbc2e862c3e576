"""Hundreds of random queries against pyndeval and pytrec_eval: equal, or off in a way that
docs/deviations.md names and that is recognised here in the very query.

Queries have ties, unjudged documents, documents judged for some subtopics only, negative and fractional grades,
weights, up to 100 subtopics; some have no relevant document, and some are missing from the run.
"""

import operator
from fractions import Fraction
from functools import reduce

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import measures

from .builders import QUICK, over, run_table
from .test_laws import scored

ADHOC = measures(
    'P@1 P@5 P(rel=2)@3 P(judged_only=True)@5 R@3 R@100 R(rel=2,judged_only=True)@5 '
    'AP AP@3 AP(rel=2)@7 AP(judged_only=True) RR RR(rel=2) RR(judged_only=True) RR@3 RR(rel=2)@10 '
    'RR(rel=0)@2 Rprec Rprec(rel=2,judged_only=True) Success@1 Success(rel=2,judged_only=True)@5 '
    'nDCG nDCG@1 nDCG@5 nDCG(judged_only=True)@5 nDCG(gains={1:5,2:3})@5 nDCG(gains={0:1}) '
    'nDCG(gains={1:-1,3:2},judged_only=True)@5 RBP(rel=1) RBP(rel=2,p=0.5) RBP(rel=0,p=0.9) '
    'RBP(rel=1,p=1.0) Judged Judged@1 Judged@7'
)

COLUMNS = ['query_id', 'doc_id', 'relevance', 'subtopic_id']


def collection(seed, n, subtopics=6, documents=30):
    """Judgments of n random queries, and a run."""
    rng = np.random.default_rng(seed)
    judged = []
    ran = []
    for query in (f'q{i}' for i in range(n)):
        names = [f'd{i}' for i in range(int(rng.integers(1, documents + 1)))] + ['é', 'u1', 'u2']
        density, below = rng.choice([0.03, 0.1, 0.3, 0.7]), rng.choice([0.0, 0.05])
        shares = [
            below,
            below,
            1 - 2 * below - density,
            *(density * np.array([0.4, 0.3, 0.2, 0.1])),
        ]
        grade = rng.choice(
            [-2, -1, 0, 1, 2, 3, 4], (len(names) - 2, int(rng.integers(1, subtopics + 1))), p=shares
        )
        listed = (grade != 0) | (rng.random(grade.shape) < 0.3)
        listed[0, 0] = True  # every query is judged
        for d, s in zip(*np.nonzero(listed)):
            judged.append((query, names[d], int(grade[d, s]), f's{s}'))
        if rng.random() < 0.1:
            continue
        found = rng.permutation(len(names))[: int(rng.integers(1, len(names) + 1))]
        score = [
            rng.random(len(found)),
            rng.integers(0, 5, len(found)) / 2,
            1 + rng.integers(0, 5, len(found)) * 1e-9,
        ][rng.integers(3)]
        ran += [(query, names[d], float(s)) for d, s in zip(found, score)]
    return pd.DataFrame(judged, columns=COLUMNS), run_table(ran)


def untied(run, ascending=False):
    """The run in the order of score, then document, with scores that are far apart."""
    run = run.sort_values(
        ['query_id', 'score', 'doc_id'], ascending=[True, False, ascending], kind='stable'
    )
    return run.assign(score=-run.groupby('query_id').cumcount().astype(float))


def unlike(one, other, tolerance=1e-11):
    assert one.keys() == other.keys()
    return {
        key: (one[key], other[key]) for key in one if not abs(one[key] - other[key]) <= tolerance
    }


# ---------------------------------------------------------------------------------------------------- pyndeval

NDEVAL = {
    'alpha_DCG': 'alpha-DCG',
    'alpha_nDCG': 'alpha-nDCG',
    'ERR_IA': 'ERR-IA',
    'nERR_IA': 'nERR-IA',
    'P_IA': 'P-IA',
    'StRecall': 'strec',
    'NRBP': 'NRBP',
    'nNRBP': 'nNRBP',
    'AP_IA': 'MAP-IA',
}
GREEDY = ('alpha_nDCG', 'nERR_IA', 'nNRBP')
WITH_ALPHA = ('alpha_DCG', 'alpha_nDCG', 'NRBP', 'nNRBP')


def asked_of_ndeval(alpha, beta, rel):
    """Its measures with parameters; ERR-IA has α = 0.5 with us, and in ndeval unless -alpha is given."""
    cut = [name for name in NDEVAL if name not in ('NRBP', 'nNRBP', 'AP_IA')]
    names = [f'{name}(rel={rel}{{}})@{k}' for name in cut for k in (1, 2, 5, 10, 20)]
    names += [f'{name}(rel={rel}{{}})' for name in NDEVAL if name not in cut]
    further = {name: f',alpha={alpha}' for name in WITH_ALPHA}
    further |= {name: f'{further[name]},beta={beta}' for name in ('NRBP', 'nNRBP')}
    asked = [measures(each.format(further.get(each.partition('(')[0], '')))[0] for each in names]
    return [m for m in asked if alpha == 0.5 or 'ERR' not in m.NAME]


def by_pyndeval(asked, qrels, run, alpha, beta, rel):
    """Its values, 0 for queries that are not in the run."""
    import pyndeval

    names = {str(m): NDEVAL[m.NAME] + (f'@{m.cutoff}' if m.cutoff else '') for m in asked}
    rows = list(
        zip(qrels['query_id'], qrels['subtopic_id'], qrels['doc_id'], qrels['relevance'].tolist())
    )
    found = pyndeval.RelevanceEvaluator(rows, list(names.values()), rel, alpha, beta).evaluate(
        list(zip(run['query_id'], run['doc_id'], run['score'].tolist()))
    )
    queries = qrels['query_id'].unique()
    return {
        (m, q): found[q][its] if q in found else 0.0 for q in queries for m, its in names.items()
    }


def greedy(relevant, alpha, depth):
    """The greedy ideal in the arithmetic of α's type, subtopics added in order (``sum`` of Python 3.12 corrects
    rounding); whether documents with different subtopics had the largest gain at some rank."""
    left, gain, chosen, tie = dict(relevant), {}, [], False
    while left and len(chosen) < depth:
        total = {
            d: reduce(operator.add, (gain.get(t, type(alpha)(1)) for t in sorted(left[d])))
            for d in left
        }
        best = max(total.values())
        first = [d for d in total if total[d] == best]
        tie |= best > 0 and len({frozenset(left[d]) for d in first}) > 1
        chosen.append(max(first))
        for t in left.pop(chosen[-1]):
            gain[t] = gain.get(t, type(alpha)(1)) * (1 - alpha)
    return chosen, tie


def ideal(relevant, order, measure, alpha, beta):
    """The discounted gains of a ranking."""
    seen = {}
    value = 0.0
    for i, d in enumerate(order):
        discount = {'alpha_nDCG': 1 / np.log2(i + 2), 'nERR_IA': 1 / (i + 1), 'nNRBP': beta**i}[
            measure.NAME
        ]
        value += discount * sum((1 - alpha) ** seen.get(t, 0) for t in relevant[d])
        for t in relevant[d]:
            seen[t] = seen.get(t, 0) + 1
    return value


def explained_by_a_tie(measure, query, pair, qrels, alpha, beta, rel):
    """Whether exact gains tie in the greedy ideal, ours is the exact one with the larger document of a tie first, and
    ndeval's is what 64-bit sums choose: the values are in the proportion of those two ideals."""
    number = {s: i for i, s in enumerate(qrels['subtopic_id'].unique())}  # in the order of pyndeval
    rows = qrels[(qrels['query_id'] == query) & (qrels['relevance'] >= rel)]
    relevant = {d: {number[s] for s in part} for d, part in rows.groupby('doc_id')['subtopic_id']}
    depth = measure.cutoff or len(relevant)
    exact, tie = greedy(relevant, Fraction(str(alpha)), depth)
    single, _ = greedy(relevant, float(alpha), depth)
    ours, theirs = (ideal(relevant, order, measure, alpha, beta) for order in (exact, single))
    return tie and exact != single and pair[0] * ours == pytest.approx(pair[1] * theirs, rel=1e-11)


USUAL = {'nothing relevant', 'cutoff 1'}
SETTINGS = {  # seed, queries, subtopics, α, β, rel, deviations that there are
    'rel=2': (4, 100, 8, 0.5, 0.8, 2, USUAL),
    'alpha=0.3': (6, 100, 5, 0.3, 0.2, 1, USUAL),
    'alpha=0.46': (10, 150, 5, 0.46, 0.5, 1, USUAL | {'greedy tie'}),
    'alpha=0': (8, 100, 6, 0.0, 0.5, 1, USUAL),
    'alpha=1': (9, 100, 6, 1.0, 0.5, 3, USUAL),
    '100 subtopics, alpha=0.85': (12, 20, 100, 0.85, 0.9, 2, {'cutoff 1'}),
}


def deviation(measure, query, pair, qrels, alpha, beta, rel):
    """Which deviation of pyndeval this pair of values (ours, its) is; None if it is none."""
    relevant = qrels[(qrels['query_id'] == query) & (qrels['relevance'] >= rel)]
    if not len(relevant):
        return (
            'nothing relevant'
            if measure.NAME == 'nNRBP' and pair[0] == 0 and np.isnan(pair[1])
            else None
        )
    if measure.NAME in ('alpha_DCG', 'ERR_IA') and measure.cutoff == 1:
        divisor = relevant['subtopic_id'].nunique()
        return 'cutoff 1' if pair[1] == pytest.approx(pair[0] * divisor, rel=1e-11) else None
    if measure.NAME in GREEDY and explained_by_a_tie(measure, query, pair, qrels, alpha, beta, rel):
        return 'greedy tie'
    return None


@QUICK
@over(
    'ties, grades', [('by document descending', 'whole'), ('by document ascending', 'fractional')]
)
@over('setting', SETTINGS)
def test_pyndeval(setting, ties, grades, quick):
    """Equal scores are ordered by document, descending with us, ascending in pyndeval: each sees the other's order. In
    the quick form each setting has one of them."""
    if quick and list(SETTINGS).index(setting) % 2 == (grades == 'whole'):
        return
    pytest.importorskip('pyndeval')
    seed, n, subtopics, alpha, beta, rel, found = SETTINGS[setting]
    qrels, run = collection(seed, n // 3 if quick else n, subtopics)
    if grades == 'fractional':
        qrels = qrels.assign(relevance=qrels['relevance'] / 2 - 0.125 * (qrels['relevance'] > 0))
        rel = rel / 2 - 0.125
    asked = {str(m): m for m in asked_of_ndeval(alpha, beta, rel)}
    ours, theirs = (
        (run, untied(run))
        if ties == 'by document descending'
        else (untied(run, ascending=True), run)
    )
    all_of_them = list(asked.values())
    off = unlike(
        scored(all_of_them, qrels, ours), by_pyndeval(all_of_them, qrels, theirs, alpha, beta, rel)
    )
    told = {
        key: deviation(asked[key[0]], key[1], pair, qrels, alpha, beta, rel)
        for key, pair in off.items()
    }
    assert not (strange := {key: off[key] for key, kind in told.items() if kind is None}), strange
    assert {*told.values()} == found


# ------------------------------------------------------------------------------------------------- pytrec_eval


@pytest.fixture
def handed_on(monkeypatch):
    """Ad-hoc measures are computed by the hosts until the patch is undone."""
    monkeypatch.setattr('ir_divmeasures.evaluation.adhoc.HOSTS', [])
    return monkeypatch


def by_document(seed, n, **kind):
    qrels, run = collection(seed, n, 1, **kind)
    return qrels.drop(columns='subtopic_id'), run


@QUICK
def test_the_hosts_ad_hoc_measures(handed_on, quick):
    """pytrec_eval, cwl_eval and accelerated ones, on whole grades and ties in 64 and in 32 bits.

    Grades are at least −1: a query whose highest grade is −2 would end the process. With judged_only, we count documents
    graded below 0 as judged, and pytrec_eval does not. Its provider would let a call's measures inherit one another's
    gains and judged_only.
    """
    qrels, run = by_document(0, 40 if quick else 200)
    every = [m for m in ADHOC if not m.params.get('judged_only')]
    of_judged = [m for m in ADHOC if m.params.get('judged_only') and 'gains' not in m.params]
    not_below = qrels.assign(relevance=qrels['relevance'].clip(lower=0))
    theirs = scored(every, qrels, run) | scored(of_judged, not_below, run)
    handed_on.undo()
    ours = scored(every, qrels, run) | scored(of_judged, not_below, run)
    assert ours.keys() == theirs.keys() and not unlike(ours, theirs)


def test_pytrec_eval_on_fractional_grades(handed_on):
    """It takes whole grades only: nDCG is the same on twice the grades, the others count grades of at least 1."""
    whole, run = by_document(100, 40)
    names = ['nDCG', 'nDCG@5', 'P@5', 'R@10', 'AP', 'AP@5', 'RR', 'Rprec', 'Success@3']
    double = {
        name: f'{name.partition("@")[0]}(rel=2){"".join(name.partition("@")[1:])}'
        if 'nDCG' not in name
        else name
        for name in names
    }
    theirs = scored(measures(' '.join(double.values())), whole, run)
    handed_on.undo()
    ours = scored(measures(' '.join(names)), whole.assign(relevance=whole['relevance'] / 2), run)
    assert not unlike({(double[m], q): value for (m, q), value in ours.items()}, theirs)
