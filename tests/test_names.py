"""Names of measures wherever people type one: of papers and tools, in ir_measures and PyTerrier, and wrong ones."""

import copy
import decimal
import pickle
import re
import time

import ir_measures
import numpy as np
import pyterrier as pt
import pytest

from ir_divmeasures import (
    IA,
    evaluate,
    measures,
)
from ir_divmeasures.core.names import TABLE, UnknownMeasureError, measure_of, rows, standard
from ir_divmeasures.core.registry import catalogue, parse, registry
from ir_divmeasures.terrier import get_qrels, get_topics

from .builders import expect_error, one_in, over, random_query, refused, run_of, table_of
from .fresh import printed

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

SAMPLE = 'divmeasures/sample/diversity'
PARSERS = [
    parse,
    lambda name: ir_measures.parse_trec_measure(name)[0],
    lambda name: measures([name])[0],
]

# ------------------------------------------------------------------------------------------------- names understood

WRITTEN = [
    ('alpha-nDCG@20', 'alpha_nDCG@20'),
    ('MAP-IA', 'AP_IA'),
    ('s-recall', 'StRecall'),
    ('D#-nDCG@10', 'Dsharp_nDCG@10'),
    ('α-nDCG@5', 'alpha_nDCG@5'),
    ('d_sharp_ndcg@5', 'Dsharp_nDCG@5'),
    ('rbu(p=0.99,e=0.05)@20', 'RBU(p=0.99,e=0.05)@20'),
    ('MSnDCG@0010', 'D_nDCG@10'),
    ('ndcg_cut_10', 'nDCG@10'),
    ('mrr_at_10', 'RR@10'),
    ('alpha-nDCG_at_10', 'alpha_nDCG@10'),
    ('P_at_Recall@5', 'P_at_Recall@5'),
    ('P_20', 'P@20'),
    ('map_cut_5', 'AP@5'),
    ('iprec_at_recall_0.10', 'IPrec@0.1'),
    ('set_F_0.5', 'SetF(beta=0.5)'),
    ('subtopic recall@10', 'StRecall@10'),
    ('MRR@10', 'RR@10'),
    ('r-precision', 'Rprec'),
    ('RBU@1e2', 'RBU@100'),
    (' RBU \n@ 5', 'RBU@5'),
    ('IA(nDCG)', 'IA'),
    ('IA(M=nDCG@10)', "IA(M='nDCG@10')"),
    ('IA(alpha-nDCG@5)', "IA(M='alpha_nDCG@5')"),
    ('IA(RBP(p=0.5),rel=2)@10', "IA(M='RBP(p=0.5)',rel=2)@10"),
    ('LA(RBU(p=0.9,e=0))', "LA(M='RBU(p=0.9,e=0.0)')"),
]


@over('written, canonical', WRITTEN)
def test_names_of_papers_and_tools(written, canonical):
    for understood in PARSERS:
        assert understood(written) == parse(canonical) and str(understood(written)) == canonical


def test_names_are_told_apart():
    """No two names of the table mean different measures, nor is one that of another measure."""
    known = {
        standard(name): made.NAME
        for name, made in {**ir_measures.measures.registry, **registry}.items()
    }
    meant = {}
    for source, written, target in rows():
        if measure_of(target) not in {**ir_measures.measures.registry, **registry}:
            continue
        assert meant.setdefault(standard(written), target) == target, (source, written)
        if target == 'IPrec':  # needs a level of recall
            written, target = f'{written}_0.2', 'IPrec@0.2'
        assert parse(written, complete=False) == parse(target, complete=False), (source, written)
        own = known.get(standard(written))
        assert own is None or own == parse(target, complete=False).NAME, (source, written)
    assert len(meant) > 50


@over('name', sorted(m.NAME for m in catalogue()))
def test_any_case_hyphens_and_underscores(name):
    for written in (
        name.upper(),
        name.lower(),
        name.replace('_', '-'),
        name.replace('_', ''),
        name.replace('sharp_', '#-').replace('sharp', '#'),
    ):
        assert parse(written) == parse(name), written


def test_trec_evals_columns():
    """Every column of trec_eval's output that ir_measures can read is read alike, and everywhere."""
    import pytrec_eval

    theirs = ir_measures.util.parse_trec_measure
    read, refused = 0, []
    for name in sorted(pytrec_eval.supported_measures):
        try:
            expected = theirs(name)
        except ValueError:
            if name != 'runid':
                refused.append(name)
            continue
        for made in expected:
            column, numbers = name, [*made.params.values()]
            if len(expected) > 1 or 'beta' in made.params:
                column += f'_{numbers[0]:.2f}' if made.NAME == 'IPrec' else f'_{numbers[0]}'
            assert parse(column) == made, column
            assert name in TABLE['trec_eval']
            read += 1
    assert read > 60 and 'gm_map' in refused
    for name in refused:
        with pytest.raises(ValueError):
            parse(name)


def test_a_measure_inside_a_measure():
    nDCG = ir_measures.nDCG
    assert IA(nDCG) == IA(M=nDCG) == IA(M='nDCG') and IA(nDCG @ 10) == IA(M='nDCG@10') == parse(
        'IA(nDCG@10)'
    )
    assert IA(nDCG, rel=2) @ 5 == parse('IA(M=nDCG,rel=2)@5') and IA(
        registry['RBU'](p=0.5)
    ) == parse('IA(RBU(p=0.5))')
    qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
    # nDCG@1 of aspect 1 is 1, of aspect 2 is 0; weights are 1/2
    assert IA(nDCG @ 1).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}}) == 0.5
    for wrong in (lambda: IA(nDCG, nDCG), lambda: IA(nDCG, M='P@5'), lambda: registry['RBU'](nDCG)):
        refused('parameters must be named', wrong, error=TypeError)
    refused('M=5', IA, 5, error=TypeError)


# --------------------------------------------------------------------------------------------------- wrong names


@over(
    'wrong, hint',
    [
        ('rbuu', 'RBU'),
        ('NDGC@10', 'nDCG'),
        ('alfa-ndcg@5', 'alpha-nDCG'),
        ('strecc@10', 'strec'),
        ('D##-nDCG', 'D#-nDCG'),
        ('ERR-AI@20', 'ERR-IA'),
        ('IA(ndcgg)', 'nDCG'),
    ],
)
def test_hints(wrong, hint):
    for understood in PARSERS:
        with expect_error('no measure', UnknownMeasureError) as raised:
            understood(wrong)
        said = re.search(r"did you mean '(.*)'\?", str(raised.value))
        assert said and standard(said[1]) == standard(hint), str(raised.value)
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, NameError)


def test_an_error_on_judgments_names_the_measure():
    qrels, run = {'q': {'d1': {'1': 3}}}, {'q': {'d1': 1.0, 'd2': 0.5}}
    for name, said in {
        'gERR_IA(max_rel=2)@5': 'max_rel=2, but a grade of 3 was judged',
        "RBU(gain='raw')@5": "gain='raw' takes grades as probabilities, but a grade of 3 was judged",
        'EU(e=1.7e308)@5': 'the values of 1 of 1 queries are not finite: a parameter, grade or weight',
        "IA(M='IPrec@1e300')": "KeyError: 'iprec_at_recall_10000000'",
    }.items():
        with expect_error(f'^{re.escape(f"{measures([name])[0]}: {said}")}'):
            measures([name])[0].calc_aggregate(qrels, run)


def test_a_wrong_parameter_of_a_known_name_is_said_as_such():
    for understood in PARSERS:
        refused("^RBU: unknown parameter 'P'; did you mean 'p'", understood, 'rbu(P=0.9)')
        refused("^alpha_nDCG: alpha=2.0: expected a number", understood, 'alpha-nDCG(alpha=2)@5')


HOSTILE = {
    'minus signs': '-' * 5000,
    'minus signs in a value': f'RBU(p={"-" * 5000}1)',
    'brackets': f'RBU(p={"(" * 3000}',
    'measures inside measures': f'{"IA(" * 500}nDCG{")" * 500}',
    'digits': f'RBU@{"9" * 5000}',
    'nan': 'RBU(p=nan)',
    'inf': 'RBU@inf',
    'letters': 'x' * 50_000,
    'blanks': ' ' * 20_000,
    'points': 'a.1' * 5000,
    'quotes': "RBU('",
    'nothing': '',
    'zero': '\0',
    'a cutoff inside': 'P@10-IA',
    'unfinished': 'RBU(p=0.9',
    'code': "RBU(p=__import__('os'))",
    'huge trec_eval': f'ndcg_cut_{"9" * 5000}',
}


@over('kind', HOSTILE)
def test_a_name_of_any_kind_is_a_measure_or_a_value_error(kind):
    for understood in PARSERS[:1] + PARSERS[2:]:
        began = time.process_time()
        with pytest.raises(ValueError) as raised:
            understood(HOSTILE[kind])
        assert time.process_time() - began < 30  # what takes quadratic time in these takes hours
        assert kind == 'measures inside measures' or len(str(raised.value)) < 400


# ------------------------------------------------------------------------------------- cutoffs and parameters


@over('cutoff', [0, -1, 10**16, 10**400])
@over('measure', [ir_measures.P, ir_measures.nDCG, ir_measures.Judged, ir_measures.ERR])
def test_cutoffs_of_measures_of_ir_measures(measure, cutoff):
    """pytrec_eval ends the process at 0 and below, in a call that is not ours."""
    with expect_error(f'^{measure.NAME}: cutoff=.*: expected a whole number in'):
        evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, [measure @ cutoff])


ANYTHING = {
    '1': 1,
    '0': 0,
    '-1': -1,
    '2': 2,
    'tiny': 5e-324,
    '1e15': 1e15,
    '1e300': 1e300,
    'largest': 1.7e308,
    '10^400': 10**400,
    'nan': float('nan'),
    'inf': float('inf'),
    '-inf': -float('inf'),
    "'1'": '1',
    'a long text': 'x' * 100_000,
    'True': True,
    'None': None,
    '[]': [],
    '{}': {},
    'by grade': {1: 0.5},
    'by grade, nan': {1: float('nan')},
    'array': np.arange(2),
    'numpy': np.float64(0.5),
    'decimal nan': decimal.Decimal('nan'),
    'measure': 'nDCG@10',
    'no measure': 'IA(IA(x))',
    'measure of a wrong value': 'IPrec@1e300',
    'measure that lacks a cutoff': 'P',
    'minus signs': '-' * 5000,
}


@pytest.fixture(scope='module')
def everything():
    """Judgments with every column that a measure needs, and a run."""
    rng = np.random.default_rng(0)
    queries = {name: random_query(rng, weighted=True, facts=True) for name in ('q', 'r')}
    return table_of(queries), run_of(queries)


@one_in(20)
@pytest.mark.parametrize('kind', ANYTHING)
@pytest.mark.filterwarnings('ignore')  # about grades, units, and NumPy's about what overflows
def test_parameters_of_any_kind_give_a_number_or_an_error(kind, every, everything):
    """The quick form gives each parameter one or two kinds of value."""
    parameters = [(made, name) for made in catalogue() for name in made.SUPPORTED_PARAMS]
    assert len(parameters) > 300
    for made, name in parameters[list(ANYTHING).index(kind) % every :: every]:
        deep = {'cutoff': 5} if 'cutoff' in made.SUPPORTED_PARAMS else {}
        try:
            found = made(**{**deep, name: ANYTHING[kind]}).calc_aggregate(*everything)
        except (ValueError, TypeError) as error:
            assert name in str(error) or made.NAME in str(error), (made.NAME, name)
            assert len(str(error)) < 500, (made.NAME, name)
        else:
            assert np.isfinite(list(found.values()) if isinstance(found, dict) else found), (
                made.NAME,
                name,
            )


# ------------------------------------------------------------------------------------------------------ PyTerrier


@pytest.fixture(scope='module')
def sample():
    """Topics, judgments and two rankings of the sample collection that differ: ten judged documents of every query."""
    qrels = get_qrels(SAMPLE)
    docs = (
        qrels.drop_duplicates(['qid', 'docno'])
        .groupby('qid')
        .head(10)[['qid', 'docno']]
        .reset_index(drop=True)
    )
    place = docs.groupby('qid').cumcount()
    one = docs.assign(score=-place.astype(float), rank=place)
    other = docs.assign(score=place.astype(float), rank=9 - place)
    return get_topics(SAMPLE)[['qid', 'query']], qrels, one, other


NAMES = [
    'RBU(p=0.99,e=0.05)@20',
    'alpha_nDCG@20',
    'ERR-IA@20',
    'D#-nDCG@10',
    'strec@5',
    'IA(nDCG@5)',
    'ndcg_cut_10',
    'map',
]


def test_names_in_an_experiment(sample):
    topics, qrels, one, other = sample
    by_name = pt.Experiment([one, other], topics, qrels, NAMES, names=['one', 'other'])
    by_object = pt.Experiment([one, other], topics, qrels, measures(NAMES), names=['one', 'other'])
    assert set(by_name.columns) == {'name', *NAMES}
    for name in NAMES:
        assert by_name[name].tolist() == by_object[str(parse(name))].tolist(), name
    assert pt.Evaluate(one, qrels, metrics=NAMES) == pytest.approx(by_name.loc[0, NAMES].to_dict())
    per_query = pt.Experiment([one], topics, qrels, ['alpha-nDCG@20'], ['one'], perquery=True)
    assert per_query['value'].mean() == pytest.approx(by_name.loc[0, 'alpha_nDCG@20'])


def test_names_in_an_experiment_of_a_pool(sample):
    topics, qrels, one, other = sample
    found = pt.divmeasures.Experiment(
        [one, other], topics, qrels, ['P-Rareness@5', 'ERR-IA@20'], ['one', 'other']
    )
    assert set(found.columns) == {'name', 'P-Rareness@5', 'ERR-IA@20'}


@over(
    'first, second',
    [
        ('ir_divmeasures', 'pyterrier'),
        ('ir_divmeasures.terrier', 'pyterrier'),
        ('pyterrier', 'ir_divmeasures'),
        ('pyterrier.measures', 'ir_divmeasures'),
    ],
)
def test_names_to_import(first, second):
    assert (
        printed(f'''
import {first}, {second}
import ir_measures
from pyterrier.measures import RBU
from ir_measures import RBU as two, alpha_nDCG, Dsharp_nDCG
from ir_measures.measures import RBU as three
from ir_divmeasures import RBU as four
print(RBU is two is three is four, ir_measures.RBU @ 20, Dsharp_nDCG @ 5)''')
        == 'True RBU@20 Dsharp_nDCG@5'
    )


# -------------------------------------------------------------------------- other processes and later imports


def test_a_second_import():
    """After the package was taken out of sys.modules, as notebooks that reload do."""
    old, new, own, names = printed('''
import sys, warnings, ir_measures
warnings.simplefilter('error', UserWarning)  # ir_measures' parser has deprecated parts of ast
import ir_divmeasures
@ir_divmeasures.measure()
def Hits(r):
    """The number of relevant documents."""
    return r.relevant().any(axis=2).sum(axis=1) * 1.0
old = ir_measures.parse_measure('RBU@5'), ir_divmeasures.alpha_nDCG @ 5
for name in [name for name in sys.modules if name.partition('.')[0] == 'ir_divmeasures']:
    del sys.modules[name]
import ir_divmeasures
new = ir_measures.parse_measure('RBU@5'), ir_divmeasures.alpha_nDCG @ 5
assert type(new[0]) is type(ir_divmeasures.RBU)
assert ir_measures.RBU is ir_divmeasures.RBU
assert [p.NAME for p in ir_measures.DefaultPipeline.providers].count('divmeasures') == 1
qrels, run = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}}
for made in (old, new):
    print({str(m): round(v, 6) for m, v in ir_measures.calc_aggregate(list(made), qrels, run).items()})
print(ir_measures.calc_aggregate([Hits @ 5, new[0]], qrels, run)[Hits @ 5])
print(*ir_measures.parse_trec_measure('alpha-nDCG@5'), ir_measures.parse_trec_measure('strec@5'))
''').splitlines()
    assert own == '2.0'
    assert old == new and "'alpha_nDCG@5': 1.0" in new and names == 'alpha_nDCG@5 [StRecall@5]'


COPIES = {
    'pickle': lambda made: pickle.loads(pickle.dumps(made)),
    'deepcopy': copy.deepcopy,
}


@pytest.mark.parametrize('way', COPIES)
@pytest.mark.parametrize('own', [True, False], ids=['own ad-hoc', "hosts' ad-hoc"])
@pytest.mark.parametrize(
    'names', ['RBU@5 alpha_nDCG@5', 'RBU@5 nDCG@5 AP Bpref', 'IA(Bpref) IA(nDCG@5)']
)
def test_copies_of_evaluators(way, own, names, monkeypatch):
    qrels = {'q': {'d1': {'1': 1, '2': 2}, 'd2': {'2': 1}}, 'r': {'d1': {'1': 1}}}
    run = {'q': {'d1': 2.0, 'd2': 1.0, 'd3': 0.5}, 'r': {'d9': 1.0, 'd1': 0.5}}
    if not own:
        monkeypatch.setattr('ir_divmeasures.evaluation.adhoc.HOSTS', [])
    evaluator = ir_measures.evaluator(measures(names), qrels)
    expected = evaluator.calc_aggregate(run)
    assert COPIES[way](evaluator).calc_aggregate(run) == expected == evaluator.calc_aggregate(run)
