"""Errata of the four papers that a measure shows: the statement as printed, and what is true instead."""

import numpy as np
import pytest

from ir_divmeasures import (
    DocSim,
    P_Rareness,
    Rareness,
    build_hierarchy,
    evaluate,
    measures,
    with_rareness,
    with_similarity,
    with_weights,
)
from ir_divmeasures.data.files import read_yaml
from ir_divmeasures.studies.study import FOLDER, PAPERS

from .builders import over

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


def data(name):
    return read_yaml(FOLDER / f'{name}.yaml')


def cells(paper, identifier, block=None):
    """(row, column) → number of a table of a paper."""
    name = f'{identifier} {block}' if block else identifier
    table = next(each for each in data(paper)['tables'] if each['id'] == name)
    return {
        (row, column): value
        for row, values in table['cells'].items()
        for column, value in zip(table['columns'], values)
    }


def score(measure, *ranking, **further):
    """The score of documents, each a dict of grades by subtopic; ``further`` are judged and not retrieved."""
    judged = {f'd{i:02}': grades or {'-': 0} for i, grades in enumerate(ranking)} | further
    run = {'q': {f'd{i:02}': -float(i) for i in range(len(ranking))}}
    return evaluate({'q': judged}, run, measure).means().iloc[0, 0]


def is_near(*pairs):
    return all(found == pytest.approx(wanted, abs=5e-5) for found, wanted in pairs)


A, B, OTHER = {'a': 1}, {'b': 1}, {}


def ea1():
    rbu, err = 'RBU(p=1,e=0)', 'gERR_IA'
    two, one = (A, B, A), (OTHER, A, A)
    found = [score(measure, *ranking) for ranking in (two, one) for measure in (rbu, err)]
    return is_near((found[0], found[1])), is_near(*zip(found, (0.625, 5 / 12, 0.75, 1 / 3)))


def ea2():
    both = "RBU(p=0.8,e=0,gain='raw',rel=0)", "RBP_IA(p=0.8,gain='linear',max_rel=1,rel=0)"
    rbu, rbp = (score(measure, {'a': 0.001}) / 0.001 for measure in both)
    return is_near((rbu, rbp)), is_near((rbu, 0.8), (rbp, 0.2))


def ea3():
    rest = {'x': {'a': 1, 'b': 1, 'c': 1}}
    once, each = (
        score(f"RBU(p=0.9,e=0.1,effort='{e}')", OTHER, **rest) for e in ('document', 'aspect')
    )
    return is_near((once, each)), is_near((once, -0.09), (each, -0.27))


def ea4():
    def holds(p):  # one relevant document first against m of them after m others, relevance near 0
        return any(p < p ** (m + 1) * (1 - p**m) / (1 - p) for m in range(1, 400))

    grade, deep = {'a': 1e-6}, "RBU(p={},e=0,gain='raw',rel=0)"
    two = [
        score(deep.format(p), OTHER, OTHER, grade, grade) - score(deep.format(p), grade)
        for p in (0.75, 0.76)
    ]
    shown = not any(map(holds, (0.5, 0.6, 0.7, 0.75))) and holds(0.76) and two[0] < 0 < two[1]
    shown &= score(deep.format(1), grade) < score(
        deep.format(1), *[OTHER] * 9, *[grade] * 9
    )  # DeepTh
    shown &= score('RBU(e=0)', A) == score('RBU(e=0)', A, OTHER)  # Conf
    return all(map(holds, (0.5, 0.9))), shown


def ea5():
    found = {
        measure: [score(measure, A, A, B, last) for last in (A, B)]
        for measure in (
            "RBU(p=0.9,e=0.05,gain='binary')",
            "gERR_IA(gain='binary')",
            'RBU(p=0.9,e=0.05)',
        )
    }
    (rbu, err, half) = found.values()
    shown = is_near((rbu[0], 0.659745), (err[0], 2 / 3), (half[0], 0.394751), (half[1], 0.435758))
    return rbu[1] > rbu[0] or err[1] > err[0], shown and rbu[0] == rbu[1] and err[0] == err[1]


def ea8():
    one, two = score('P@4', A), score('P@4', OTHER, OTHER, A, A)
    return not two > one, (one, two, cells('amigo-2018', 'table1')['P@k', 'CloseTh']) == (
        0.25,
        0.5,
        1,
    )


def ea11():
    first, second = score('nDCG@10', A), score('nDCG@10', OTHER, A)
    printed = first > second and cells('amigo-2018', 'table1')['nDCG@k', 'DeepTh'] == 1
    return printed, is_near((first, 1), (second, 0.6309))


def ea12():
    judged = with_weights({'q': {'x': {'a': 1}, 'y': {'b': 1}}}, {'q': {'a': 0.7, 'b': 0.3}})
    heavy, light = (measures('RBU')[0].calc_aggregate(judged, {'q': {d: 1.0}}) for d in 'xy')
    return light > heavy, heavy > light


def alone(measure, systems, n=1):
    """The score at rank 1 where n of the systems retrieve the relevant document."""
    runs = {f's{s}': {'q': {'d' if s < n else f'x{s}': 1.0}} for s in range(systems)}
    judged = with_rareness({'q': {'d': 1}}, runs, depth=1)
    return (measure @ 1).calc_aggregate(judged, runs['s0'])


def et1():
    two, four = (alone(P_Rareness(alpha=1), systems) for systems in (2, 4))
    return is_near((two, 2 * (2 - 1) / 2)), is_near((two, 1.5), (four, 1.75))


def et2():
    found = [alone(Rareness(rarity="R'"), 4, n) for n in (1, 2, 3, 4)]
    return max(found) == found[-1], is_near(*zip(found, (1, 2 / 3, 1 / 3, 0)))


def similarity():
    judged = with_similarity({'q': {'x': 1, 'y': 1}}, similarity={'x': [1, 0], 'y': [3, 4]})
    return (DocSim(scheme='NA') @ 2).calc_aggregate(judged, {'q': {'x': 2.0, 'y': 1.0}})


def ed1():
    with np.errstate(invalid='ignore'):
        printed = np.float64(0 * 0.6) / np.float64(0)
    return bool(np.isfinite(printed)), similarity() == pytest.approx(0.6)


def ed3():
    texts, qrels = {'x': 'land rover', 'y': 'beagle'}, {'q': {'x': {'1': 1}, 'y': {'1': 1}}}
    built = build_hierarchy(qrels, texts, similarity='tfidf', cutoff=0)
    return (built['similarity'] > 0).any(), set(built['layer']) == {0}


@over('erratum', [ea1, ea2, ea3, ea4, ea5, ea8, ea11, ea12, et1, et2, ed1, ed3])
def test_errata(erratum):
    """The statement as printed is false, and what is shown is true."""
    printed, shown = erratum()
    assert not printed
    assert shown


def test_the_measures_of_errata_are_known():
    errata = [each for key in PAPERS for each in data(key)['errata']]
    assert measures([name for each in errata for name in each.get('measures', ())])
