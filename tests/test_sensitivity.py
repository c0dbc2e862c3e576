"""``sensitivity``: grids against ``evaluate``, borders and regions by hand, priors, bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import evaluate, sensitivity
from ir_divmeasures.core.registry import catalogue, parse
from ir_divmeasures.evaluation import provider

from .builders import expect_error, over, refused

QRELS = {
    f'q{q}': {f'd{i}': {str(t): (i * t + q) % 4 for t in range(1, 4)} for i in range(1, 9)}
    for q in range(6)
}
RUNS = {
    name: {
        f'q{q}': {f'd{(i * step + q) % 11}': float(-i) for i in range(4 + (q + step) % 6)}
        for q in range(6)
    }
    for step, name in enumerate(['one', 'two', 'three'], start=1)
}
FEW = {'n_resamples': 50, 'rng': 0}


@pytest.mark.parametrize(
    'name, axes',
    [
        ('RBU@5', {'p': [0.5, 0.8, 0.99], 'e': [0.0, 0.03, 0.1, 0.3]}),
        ("RBU(effort='aspect')@3", {'e': [0.0, 0.1, 0.2], 'norm': [False, True], 'cutoff': [2, 5]}),
        ("RBU(effort='length')@5", {'p': [0.2, 0.8], 'e': [0.0, 0.1, 0.3]}),
        ('EU@5', {'alpha': [0.1, 0.5], 'e': [0.01, 0.05, 0.4]}),
        ('alpha_nDCG', {'alpha': [0.1, 0.5, 0.9], 'cutoff': [3, 5]}),
        ('CWL', {'p': [0.1, 0.5], 'out': ['EU', 'MAX'], 'depth': [4, 9]}),
        ('UM(P="RBP",model=4)@4', {'theta': [0.1, 0.5, 0.9], 'norm': [False, True]}),
        ('sRBP@2', {'p': [0.2, 0.5, 1.0], 'b': [0.0, 0.5, 1.0]}),
        ('nDCG', {'cutoff': [1, 3, 5]}),
    ],
)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_values_are_those_of_evaluate(name, axes, monkeypatch):
    """Also of an affine axis, of which only the ends are computed, and of settings in several blocks."""
    runs = {
        system: pd.DataFrame(
            [
                (query, doc, score, 1 + i // 3, 10.0 * (i + 1))
                for query, ranked in run.items()
                for i, (doc, score) in enumerate(ranked.items())
            ],
            columns=['query_id', 'doc_id', 'score', 'iteration', 'length'],
        )
        for system, run in RUNS.items()
    }
    monkeypatch.setattr(provider, 'TOGETHER', 4)
    default = {axis: axes[axis][0] for axis in ('cutoff', 'alpha') if axis in axes}
    found = sensitivity(runs, QRELS, name, **FEW, **axes, default=default)
    base = parse(name, complete=False)
    settings = [base(**dict(zip(axes, setting))) for setting in itertools.product(*axes.values())]
    values = evaluate(runs, QRELS, settings)
    expected = np.stack([values[str(made)] for made in settings], axis=-1)
    assert found.values.reshape(expected.shape) == pytest.approx(expected, abs=1e-12)


def test_every_affine_parameter_is_affine():
    declared = [(made, name) for made in catalogue() for name in made.facts.affine]
    assert {made.NAME for made, _ in declared} == {'RBU', 'EU'}
    for made, name in declared:
        x = [0.0, 0.07, 0.2, 0.5]
        values = [evaluate(RUNS, QRELS, [made(**{name: each})]).values for each in x]
        for each, value in zip(x, values):
            assert value == pytest.approx(
                values[0] + (values[3] - values[0]) * each / 0.5, abs=1e-12
            )


# One query, one aspect of grade 1 (r = 1/2). a: relevant, b: relevant and two others.
TWO = {'a': {'q': {'d1': 1.0}}, 'b': {'q': {'d1': 3.0, 'x': 2.0, 'd2': 1.0}}}
ONE_QUERY = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}


def test_the_border_of_two_systems():
    """b gains p³/4 and pays e(p² + p³) more than a: equal at e = p/(4(1 + p))."""
    found = sensitivity(TWO, ONE_QUERY, 'RBU', p=[0.5, 0.8], e=[0.0, 0.05, 0.1, 0.2], **FEW)
    pair = found.pair('b', 'a')
    assert pair['border_e'].tolist() == pytest.approx([0.5 / 6] * 4 + [0.8 / 7.2] * 4)
    assert pair['difference'].tolist() == pytest.approx(
        [p**3 / 4 - e * (p**2 + p**3) for p in (0.5, 0.8) for e in (0, 0.05, 0.1, 0.2)]
    )
    assert pair['sign'].tolist() == [1, 1, -1, -1, 1, 1, 1, -1]
    assert pair[['low', 'high']].isna().all(axis=None) and not pair['stable'].any()  # one query
    frame = found.to_frame()
    assert (
        frame['best'].tolist() == ['b', 'b', 'a', 'a', 'b', 'b', 'b', 'a']
        and (frame['won'] == 1).all()
    )
    assert found.default == {'p': 0.8, 'e': 0.05}  # nearest to 0.03
    assert frame['kendall'].tolist() == [1, 1, -1, -1, 1, 1, 1, -1]
    assert found.means().loc[(0.5, 0.0)].tolist() == pytest.approx(
        [0.5 * 0.25, 0.5 * 0.25 + 0.125 / 4]
    )


def test_ties_are_joined_and_one_system_has_no_ranking():
    same = {'a': TWO['a'], 'b': TWO['a'], 'c': {'q': {'x': 1.0}}}
    judged = {'q': {**ONE_QUERY['q'], 'x': {'1': 0}}}
    frame = sensitivity(same, judged, 'RBU', p=[0.5, 0.8], **FEW).to_frame()
    assert frame['best'].tolist() == ['a = b', 'a = b'] and (frame['won'] == 1).all()
    alone = sensitivity({'a': TWO['a']}, judged, 'RBU', p=[0.5, 0.8], jobs=2, **FEW)
    assert list(alone.to_frame()) == ['p', 'best']


def test_won_is_the_share_of_resamples():
    """a wins on 3 of 4 queries by 1/2, b on the last one by 1.5 times as much: resamples decide."""
    qrels = {f'q{i}': {'d': {'1': 1}, 'e': {'2': 1}} for i in range(4)}
    runs = {
        'a': {f'q{i}': {'d': 1.0} for i in range(3)} | {'q3': {'x': 1.0}},
        'b': {f'q{i}': {'x': 1.0} for i in range(3)} | {'q3': {'d': 2.0, 'e': 1.0}},
    }
    found = sensitivity(
        runs, qrels, 'StRecall', cutoff=[2], default={'cutoff': 2}, n_resamples=400, rng=1
    )
    values = evaluate(runs, qrels, 'StRecall@2').values[:, :, 0]
    means = found.weights @ values.T
    assert found.to_frame()['won'].item() == pytest.approx(
        (means[:, 0] >= means[:, 1] - 1e-12).mean()
    )
    assert 0.5 < found.to_frame()['won'].item() < 1


def test_expected_scores():
    from scipy import stats

    p = [0.2, 0.5, 0.8]
    found = sensitivity(RUNS, QRELS, 'RBU@5', p=p, e=[0.0, 0.1], **FEW)
    flat = found.values
    assert found.expected().values[:, :, 0] == pytest.approx(flat.mean(axis=(2, 3)))
    weight = np.array([0.35, 0.3, 0.35])  # of (0, 0.35), (0.35, 0.65), (0.65, 1)
    wanted = np.einsum('sqpe,p->sq', flat, weight) / 2
    assert found.expected({'p': stats.uniform()}).values[:, :, 0] == pytest.approx(wanted)
    assert found.expected({'p': {0.5: 3, 0.8: 1}, 'e': {0.1: 1}}).values[:, :, 0] == pytest.approx(
        0.75 * flat[:, :, 1, 1] + 0.25 * flat[:, :, 2, 1]
    )
    for prior, says in (
        ({'q': {}}, "no axis 'q'"),
        ({'p': {0.3: 1}}, '0.3 is not among'),
        ({'p': 'normal'}, "found 'normal'"),
        ({'p': {0.5: 0}}, 'add up to more'),
    ):
        refused(says, found.expected, prior)


def test_pictures():
    found = sensitivity(RUNS, QRELS, 'RBU@5', p=[0.2, 0.5, 0.8], e=[0.0, 0.1], **FEW)
    line = sensitivity(RUNS, QRELS, 'RBU@5', p=[0.2, 0.5, 0.8], e=[0.1], **FEW)
    for show in ('best', 'kendall', 'rbo', ('one', 'two')):
        assert found.plot(show).get_xlabel() == 'e' and line.plot(show).get_xlabel() == 'p'
    assert len(line.plot().lines) == 4  # three systems, and the default
    words = sensitivity(RUNS, QRELS, 'RBU@5', p=[0.2, 0.5], gain=['exp', 'linear'], **FEW).plot()
    assert [tick.get_text() for tick in words.get_xticklabels()] == ['exp', 'linear']
    refused('show=', found.plot, 'worst')
    with expect_error('one or two axes'):
        sensitivity(RUNS, QRELS, 'RBU@5', p=[0.2], **FEW).plot()


@over(
    'name, axes, says',
    [
        ('RBU@5', {}, 'no axis'),
        ('RBU@5', {'P': [0.5]}, "no parameter 'P'; did you mean 'p'"),
        ('RBU@5', {'p': [0.5, 1.5]}, 'p=1.5'),
        ('RBU@5', {'p': []}, 'no values'),
        ('RBU@5', {'p': [0.5, 0.5]}, 'twice'),
        (
            'RBU',
            {'cutoff': [5, 10]},
            'the default cutoff=None, .* name one of them with the measure, as in RBU@5',
        ),
        ('RBU@5', {'p': 0.5}, 'expected several values'),
        (
            'nDCG',
            {'cutoff': [5, 10]},
            '^nDCG: no default cutoff to compare the values with; name one of them with the measure, as in nDCG@5$',
        ),
        (
            'RBU@5',
            {'p': [0.0, 0.5], 'norm': [False, True]},
            "setting p=0.0, norm=True: .*divides by p",
        ),
        (
            'RBU@5',
            {'gain': ['linear', 'raw']},
            r"gain='exp', .* is not among the values; .* as in RBU\(gain='linear'\)@5",
        ),
        ('RBU@5', {'p': np.linspace(0, 1, 5000), 'e': np.linspace(0, 1, 3001)}, '2.0 GiB'),
    ],
)
def test_bad_input(name, axes, says):
    refused(says, sensitivity, RUNS, QRELS, name, error=(ValueError, TypeError), **FEW, **axes)
    with expect_error("default: no axis 'e'"):
        sensitivity(RUNS, QRELS, 'RBU@5', p=[0.5], default={'e': 0.1}, **FEW)


def test_command(tmp_path, capsys):
    from ir_divmeasures import cli

    (tmp_path / 'qrels').write_text(
        ''.join(f'q {t} {doc} 1\n' for doc, t in (('d1', 1), ('d2', 2)))
    )
    for name, run in TWO.items():
        (tmp_path / name).write_text(
            ''.join(f'q Q0 {doc} 1 {score} {name}\n' for doc, score in run['q'].items())
        )
    given = ['sensitivity', *(str(tmp_path / name) for name in ('qrels', 'a', 'b')), '-m', 'RBU']
    plot = ['--plot', str(tmp_path / 'map.svg')]
    assert cli.main([*given, '-x', 'p=0.5,0.8', '-x', 'e=0:0.2:3', '--format', 'csv', *plot]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == 'p,e,best,won,kendall,tau_ap,rbo' and len(lines) == 7
    assert [line.split(',')[2] for line in lines[1:]] == ['b', 'a', 'a', 'b', 'b', 'a']
    assert (tmp_path / 'map.svg').stat().st_size > 1000
    assert cli.main([*given, '-x', 'e=0,0.1,0.2', '--pair', 'b', 'a', '--format', 'csv']) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith('0.1111')  # 0.8/7.2
    for axis in ('p', 'p=', 'p=0:1', 'p=a:1:2', '0=1'):
        assert cli.main([*given, '-x', axis]) == 2
        assert 'NAME=FIRST:LAST:NUMBER' in capsys.readouterr().err
