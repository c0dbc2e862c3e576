"""Measures as objects: made from names, printed, compared, copied, pickled; and what a wrong name or value is told."""

import copy
import pickle

import ir_measures
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures import measures
from ir_divmeasures.core.registry import DivMeasure, catalogue, parse, registry
from ir_divmeasures.hosts import NDEVAL

from .builders import expect_error, over, refused
from .fresh import BARE, printed, streams
from .test_measures import combinations

MEASURES = {m.NAME: m for m in catalogue()}
EVERY = over('name', MEASURES)


@st.composite
def a_measure(draw):
    name = draw(st.sampled_from([*MEASURES]))
    return MEASURES[name](**draw(st.sampled_from(combinations(name))))


# --------------------------------------------------------------------------------------------- names and equality


@settings(max_examples=100, deadline=None)
@given(made=a_measure() | st.floats(0, 1e15).map(lambda e: registry['RBU'](e=e)))
def test_a_printed_measure_is_that_measure(made):
    for again in (
        parse(str(made)),
        *measures(str(made)),
        pickle.loads(pickle.dumps(made)),
        copy.copy(made),
        copy.deepcopy(made),
        made(),
        made(**made.params),
    ):
        assert again == made and hash(again) == hash(made) and repr(again) == repr(made)
        assert again.all_params == made.all_params and type(again) is type(made)
    assert made.validate_params() is None and set(made.params) <= set(made.SUPPORTED_PARAMS)


@EVERY
def test_ir_measures_knows_every_name(name):
    at = '@7' if 'cutoff' in MEASURES[name].SUPPORTED_PARAMS else ''
    made, theirs = parse(name + at), ir_measures.parse_measure(name + at)
    assert str(made) == name + at == str(theirs) and isinstance(made, DivMeasure)
    assert isinstance(theirs, DivMeasure) != (name in NDEVAL)  # a name of the host stays the host's
    assert {made.NAME, made.__name__} == {name} and made.SHORT_DESC
    assert made.family != 'own measures'
    assert ir_measures.DefaultPipeline.supports(made)


@over(
    'one, other',
    [
        ('RBU(p=1,e=0)', 'RBU(e=0.0,p=1.0)'),
        ('RBU(e=0.03,p=0.99)@20', 'RBU(p=0.99, e=3e-2)@20'),
        ('RBU(rel=1)', 'RBU'),
        ('RBU(max_rel=None)', 'RBU'),
        ('RBU(cutoff=5)', 'RBU@5'),
        ('RBU@5.0', 'RBU@5'),
        ('  RBU @ 5 ', 'RBU@5'),
        ("IA(M='nDCG(dcg=\"exp-log2\")')@5", "IA(M='nDCG( dcg = \"exp-log2\" )')@5"),
        ("IA(M='I_rec')", "IA(M='StRecall')"),
    ],
)
def test_equal_measures_print_equally(one, other):
    assert (
        parse(one) == parse(other)
        and str(parse(one)) == str(parse(other))
        and len({parse(one), parse(other)}) == 1
    )


def test_unequal_measures():
    assert (
        parse('RBU(p=0.81)') != parse('RBU')
        and parse('RBU@5') != parse('RBU')
        and parse('RBU') != 'RBU'
    )
    assert parse('StRecall') != ir_measures.nDCG


def test_numpy_numbers_are_numbers():
    assert registry['RBU'](p=np.float64(0.5), cutoff=np.int64(5)) == parse('RBU(p=0.5)@5')
    assert registry['RBU'](norm=np.True_, e=np.int32(0)) == parse('RBU(norm=True,e=0)')


def test_many_names_at_once():
    named = measures(
        'RBU(p=0.99, e=0.05)@20 alpha_nDCG@20,nDCG(dcg="exp-log2")@10\n P@5 RBU(e=0.05,p=0.99)@20'
    )
    assert [str(m) for m in named] == [
        'RBU(p=0.99,e=0.05)@20',
        'alpha_nDCG@20',
        "nDCG(dcg='exp-log2')@10",
        'P@5',
    ]
    mixed = measures(["IA(M='RBP(p=0.5, rel=1)')", ir_measures.AP])
    assert mixed == [parse("IA(M='RBP(p=0.5,rel=1)')"), ir_measures.AP]
    assert measures(parse('RBU')) == [parse('RBU')] and measures('') == [] and measures([]) == []


# ------------------------------------------------------------------------------------------------------- errors


@over(
    'text, kind, said',
    [
        ('RBU@0', ValueError, r'RBU: cutoff=0: expected a whole number in \[1, 1e\+15\]'),
        ('RBU@2.5', TypeError, 'cutoff=2.5: expected a whole number'),
        ('RBU@True', TypeError, 'cutoff=True'),
        ('RBU@"5"', TypeError, "cutoff='5'"),
        ('NRBP@20', ValueError, 'NRBP takes no cutoff'),
        ('AP_IA(cutoff=3)', ValueError, 'AP_IA takes no cutoff'),
        ('alpha_nDCG(alfa=0.1)@5', ValueError, "unknown parameter 'alfa'; did you mean 'alpha'"),
        ('RBU(p=1.01)', ValueError, r'RBU: p=1.01: expected a number in \[0, 1\]'),
        ('RBU(e=1e999)', ValueError, 'e=inf'),
        ('EU(base=1)', ValueError, 'base=1'),
        ('RBU(p=True)', TypeError, 'p=True: expected a number'),
        ('RBU(p="x")', TypeError, "p='x': expected a number"),
        ('RBU(norm=1)', TypeError, 'norm=1: expected True or False'),
        ('RBU(gain="expo")', ValueError, "gain='expo': expected 'exp' or 'linear'"),
        ('RBU(p=0,norm=True)', ValueError, 'norm=True divides by p'),
        ('', ValueError, "'' is not a measure"),
        ('RBU(', ValueError, 'is not a measure'),
        ('P', ValueError, "'P': needs cutoff"),
        ('nDCG(foo=1)', ValueError, 'foo'),
        ("IA(M='IA')", ValueError, 'M cannot be IA'),
        ("IA(M='nDCG@5')@5", ValueError, 'two cutoffs'),
        ("IA(M='Bpref')@5", ValueError, 'Bpref takes no cutoff'),
        ('IA(M=5)', TypeError, 'M=5'),
        (5, TypeError, 'expected the name of a measure or a measure, found 5'),
    ],
)
def test_wrong_names_and_values(text, kind, said):
    refused(said, parse, text, error=kind)
    if text is not None and text != '':
        with expect_error(
            said if isinstance(text, str) and ' ' not in text else None, (kind, TypeError)
        ):
            measures([text])


# ------------------------------------------------------------------------------------------------------ imports

COLLISION = '''
import ir_measures
from ir_measures import measures
class _RBU(measures.Measure):
    __name__ = NAME = 'RBU'
    SUPPORTED_PARAMS = {'cutoff': measures.ParamInfo(dtype=int)}
    __module__ = MODULE
theirs = _RBU()
measures.register(theirs)
import ir_divmeasures
print(ir_measures.parse_measure('RBU') is theirs or type(ir_measures.parse_measure('RBU')) is _RBU)
ours, = ir_divmeasures.measures('RBU(p=1,e=0)@5')
print(ours, ours.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}}))
'''


@over('module', ['ir_measures.measures.rbu', 'ir_measures.measures.diversity'])
def test_a_name_that_a_future_ir_measures_takes(module):
    kept, computed = printed(f'MODULE = {module!r}\n' + COLLISION).splitlines()
    assert kept == 'True' and computed == 'RBU(p=1.0,e=0.0)@5 0.5'


@over(
    'code, slow',
    [
        (
            'import ir_divmeasures',
            'pandas pyarrow scipy sklearn matplotlib pyterrier joblib ir_datasets',
        ),
        (
            'from ir_divmeasures import cli; cli.main(["--version"]); cli.main(["measures"])',
            'pandas pyarrow scipy matplotlib pyterrier',
        ),
        # scipy.stats takes a second to import, tqdm half of what a small analysis takes.
        (
            'import numpy as np; from ir_divmeasures import meta\n'
            'meta.ranks(np.random.default_rng(0).random((3, 12, 2)))',
            'scipy.stats tqdm matplotlib',
        ),
    ],
)
def test_what_is_not_used_is_not_imported(code, slow):
    code += f'\nimport sys; print([name for name in {slow.split()} if name in sys.modules])'
    failed, out, err = streams(code, BARE)
    assert not failed and out.splitlines()[-1] == '[]' and not err, out + err


def test_pickled_measures_are_understood_printed():
    data = pickle.dumps(measures('RBU(p=0.99)@20 I_rec@5'))
    assert (
        printed(f'import pickle; print(pickle.loads({data!r}))') == '[RBU(p=0.99)@20, StRecall@5]'
    )
