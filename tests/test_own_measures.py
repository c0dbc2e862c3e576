"""A user's own measure is as good as one of the package: names, checks, hosts, pickles, another definition."""

import copy
import inspect
import pickle
import re
from typing import Annotated

import ir_measures
import numpy as np
import pytest

import ir_divmeasures
from ir_divmeasures import measure, measures, unregister_measure
from ir_divmeasures.core.parameters import Alpha, Range
from ir_divmeasures.core.ranking import Array, Ranking
from ir_divmeasures.core.registry import registry

from .builders import expect_error, over, refused
from .fresh import printed
from .test_laws import LAWS

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

QRELS = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 1}}}
RUN = {'q': {'d1': 3.0, 'x': 2.0, 'd2': 1.0}}


@pytest.fixture
def defined(forgotten):
    """Defines measures, which are forgotten afterwards."""
    return measure


def NovelShare(
    r: Ranking, *, alpha: Alpha = 0.5, depth: Annotated[int, Range(1, 9), 'of nothing'] = 3
) -> Array:
    """The novel gain of the top k per rank."""
    return r.total(r.novel_gain(alpha)) / np.maximum(r.length, 1)


def test_it_is_a_measure_everywhere(defined):
    made = defined(bounds=(0, 1))(NovelShare)
    assert str(made(alpha=0.25) @ 3) == 'NovelShare(alpha=0.25)@3'
    assert ir_measures.parse_measure('NovelShare@3') == measures('NovelShare@3')[0] == made @ 3
    # d1: 1/2; d2: 1/2 · 1/2 + 1/2; three ranks
    assert (made @ 3).calc_aggregate(QRELS, RUN) == pytest.approx((1 / 2 + 1 / 4 + 1 / 2) / 3)
    assert (made(judged_only=True) @ 2).calc_aggregate(QRELS, RUN) == pytest.approx(
        (1 / 2 + 1 / 4 + 1 / 2) / 2
    )
    both = [made @ 1, ir_measures.P @ 1]
    assert ir_measures.calc_aggregate(both, QRELS, RUN) == dict(zip(both, [1 / 2, 1]))
    assert measures("IA(M='NovelShare')@3")[0].calc_aggregate(QRELS, RUN) == pytest.approx(
        (1.5 / 3 + 1 / 3) / 2
    )
    assert (
        str(inspect.signature(made))
        == '(*, alpha=0.5, depth=3, cutoff=None, rel=1, judged_only=False)'
    )
    assert made.__doc__ == NovelShare.__doc__ and ir_divmeasures.NovelShare is made
    refused(r"NovelShare: unknown parameter 'alpa'; did you mean 'alpha'", made, alpa=1)
    refused('depth=10: expected a whole number in', made, depth=10)
    for again in (pickle.loads(pickle.dumps(made @ 2)), copy.deepcopy(made @ 2)):
        assert again == made @ 2
    pickled = pickle.dumps(made)
    unregister_measure('NovelShare')
    refused('importing tests.test_own_measures does not define it', pickle.loads, pickled)


def test_another_definition_takes_the_place_of_the_first(defined):
    def Twice(r):
        return r.n * 2

    def again(r, *, times: float = 3):
        return r.n * times

    again.__name__ = 'Twice'
    first = defined(Twice)
    second = defined(again)
    assert (
        measures('Twice')[0].calc_aggregate(QRELS, RUN) == 9.0
        and first.calc_aggregate(QRELS, RUN) == 6.0
    )
    assert registry['Twice'] is second
    unregister_measure('Twice')
    refused("no measure 'Twice'", measures, 'Twice')


@pytest.mark.parametrize(
    'name, owner', [('RBU', 'ir_divmeasures'), ('I_rec', 'ir_divmeasures'), ('P', 'ir_measures')]
)
def test_names_that_are_taken(defined, name, owner):
    def function(r):
        return r.n

    function.__name__ = name
    refused(f'{name} is a measure of {owner}; give yours another name', defined, function)
    assert measures('RBU')[0] == ir_divmeasures.RBU


def untyped(r, *, p=1):
    return r.n


def strange(r, *, p: list = ()):
    return r.n


def without_default(r, *, p: float):
    return r.n


def takes_rel(r, *, rel: float = 1):
    return r.n


@pytest.mark.parametrize(
    'function, says',
    [
        (untyped, 'untyped: parameter p has no type'),
        (strange, 'parameter p: found the type .*list.*, expected float'),
        (without_default, 'without_default: parameter p has no default'),
        (takes_rel, 'every measure has rel'),
    ],
)
def test_functions_that_make_no_measure(defined, function, says):
    refused(says, defined, function, error=TypeError)


SCRIPT = """
import copy, pickle
import cloudpickle, ir_measures
from ir_divmeasures import measure

@measure(check=lambda params: None)
def Mine(r, *, share: float = 1.0):
    return share * r.covered().any(axis=1)

made = ir_measures.evaluator([Mine(share=0.5)@1], {'q': {'d': {'1': 1}}})
for copied in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
    assert type(next(iter(copied.measures))) is type(Mine)
    assert copied.calc_aggregate({'q': {'d': 1.0}}) == {Mine(share=0.5)@1: 0.5}
print(cloudpickle.dumps(Mine(share=0.5)@1).hex())
"""


def test_a_measure_of_a_script_can_be_pickled_and_travels_to_another_process(defined):
    """By pickle, and by cloudpickle, with which joblib sends it to other processes."""
    cloudpickle = pytest.importorskip('cloudpickle')
    made = cloudpickle.loads(bytes.fromhex(printed(SCRIPT)))
    assert str(made) == 'Mine(share=0.5)@1' and made.calc_aggregate(QRELS, RUN) == 0.5


SHAPE = 'its function returned an array of shape {}, expected a value for each of 1 queries, (1,)'


@over(
    'returned, says',
    [
        (lambda r: r.total(r.relevant()), SHAPE.format('(1, 2)')),
        (lambda r: 0.5, SHAPE.format('()')),
        (lambda r: np.ones(2), SHAPE.format('(2,)')),
        (lambda r: np.full(r.n.shape, np.nan), 'the values of 1 of 1 queries are not finite'),
    ],
)
def test_a_function_returns_a_number_for_each_query(defined, returned, says):
    def Mistaken(r: Ranking) -> np.ndarray:
        """A function that forgets the sum over aspects, or the queries, or divides by zero."""
        return returned(r)

    with expect_error(f'^Mistaken@5: {re.escape(says)}$'):
        (defined()(Mistaken) @ 5).calc_aggregate(QRELS, RUN)


@over(
    'name, says',
    [
        ("IA(M='N_rec')", 'IA: an aspect has no layers; M cannot be N_rec'),
        ("IA(M='P_Rareness')@5", 'n_retrieved'),
    ],
)
def test_what_the_measure_inside_needs_is_asked_for(name, says):
    table = ir_divmeasures.data.with_superintents(QRELS, {'q': {'1': 'a', '2': 'a'}})
    with expect_error(says):
        measures(name)[0].calc_aggregate(table, RUN)


@over('k', [1, 2, 3, 5])
@over('inner', ['P', 'nDCG', 'AP'])
def test_ties_at_the_cutoff_of_a_measure_inside(inner, k):
    """A run is cut before ir_measures sees it: documents of like score (as floats of 32 bits) at rank k stay."""
    run = {'q': {'a': 1.0, 'd1': 1.0, 'd2': 1.0 + 1e-9, 'x': 1.0, 'z': 0.5, 'd0': 2.0}}
    alone = {t: {'q': {d: grades.get(t, 0) for d, grades in QRELS['q'].items()}} for t in '12'}
    plain = ir_measures.parse_measure(f'{inner}@{k}')
    expected = np.mean([plain.calc_aggregate(qrels, run) for qrels in alone.values()])
    assert measures(f"IA(M='{inner}')@{k}")[0].calc_aggregate(QRELS, run) == pytest.approx(
        expected, abs=1e-12
    )


# -------------------------------------------------------------------------------------------------------- the laws

ONE_MEASURE = [law for law in LAWS if set(inspect.signature(LAWS[law]).parameters) == {'name'}]


def CoveredWeight(r: Ranking) -> Array:
    """The weight of the aspects covered."""
    return r.weighted(r.covered())


def test_the_laws_can_be_put_to_it(defined):
    defined(CoveredWeight)
    put_to = over('law', ONE_MEASURE)(lambda law: LAWS[law]('CoveredWeight'))
    put_to()
