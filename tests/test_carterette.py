"""The study of Carterette 2011: its tables are those of meta and of the package's measures."""

import numpy as np
import pytest

from ir_divmeasures import evaluate, meta, studies
from ir_divmeasures.pools import repool
from ir_divmeasures.studies import carterette

from .builders import expect_error

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


def world(systems=5, topics=12, high=3, seed=0):
    """Runs of different length with ties and unjudged documents, and graded judgments."""
    rng = np.random.default_rng(seed)
    qrels = {
        f'q{q:02}': {f'd{d}': int(grade) for d, grade in enumerate(rng.integers(0, high, 15))}
        for q in range(topics)
    }
    runs = {
        f's{s}': {
            q: {
                f'd{d}': float(round(judged.get(f'd{d}', 0) + (s + 1) * rng.random(), 1))
                for d in rng.permutation(25)[: 12 + s]
            }
            for q, judged in qrels.items()
        }
        for s in range(systems)
    }
    return runs, qrels


RUNS, QRELS = world()


def yours(**settings):
    found = studies.tables('carterette', QRELS, RUNS, **settings)
    return {name: table.set_index(['row', 'column'])['yours'] for name, table in found.items()}


@pytest.fixture(scope='module')
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carterette, 'ASSESSORS', 1)
        return yours()


def order(qrels, measure):
    scores = evaluate(runs=RUNS, qrels=qrels, measures=measure)
    return scores.values[:, :, 0].mean(axis=1)


def test_table_1_and_figure_1(found):
    """The names are measures; a distribution and its cumulative form fit."""
    for (row, model), name in found['table1'].items():
        assert (
            str(studies.study('carterette').__name__)
            and f"P='{row[2:]}'" in name
            and model[1:] in name
        )
    figure = found['figure1'].unstack()
    assert figure.loc['k=1', 'F_DCG'] - figure.loc['k=2', 'F_DCG'] == figure.loc['k=1', 'P_DCG']


def test_a_second_assessor():
    """τ of one measure is that of two evaluations."""
    other = {q: {d: 3 - g for d, g in judged.items()} for q, judged in QRELS.items()}
    cells = yours(names=['table2'], assessors=[other])['table2']
    name = "UM(model=1,P='RBP')"
    assert cells['P_RBP', 'M1'] == pytest.approx(
        meta.kendall(order(QRELS, name), order(other, name))
    )
    assert cells['P_ERR', 'mean'] == pytest.approx(
        np.mean([cells['P_ERR', 'M3'], cells['P_ERR', 'M4']])
    )
    with expect_error('assessor 1 has no judgments of 1 topics'):
        yours(names=['table2'], assessors=[{q: other[q] for q in list(other)[1:]}])


def test_figure_4_is_tau_by_judgments_of_repool(found):
    name = "UM(model=3,P='ERR')"
    names = [name, "UM(model=3,P='AP',norm=True)", "UM(model=3,P='RRR')"]
    pool = repool(QRELS, RUNS, [2])[2]
    tau = np.mean([meta.kendall(order(QRELS, each), order(pool, each)) for each in names])
    assert found['figure4']['depth=2', 'M3'] == pytest.approx(tau)
    depths = found['figure4'].xs('M3', level='column').index
    assert depths[:6].tolist() == [f'depth={k}' for k in (1, 2, 3, 5, 7, 10)]


def test_figure_3_grows(found):
    taus = found['figure3'].unstack()['mean']
    assert taus['N=5'] < taus['N=10'] <= 1
