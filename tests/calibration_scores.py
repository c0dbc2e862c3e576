"""Rows of the calibration suite for scores: means, tests of pairs, unanimity, robustness, correlations, agreement.

``tests/test_calibration.py`` calls :func:`register`.
"""

import functools
import inspect
import itertools
from functools import partial

import numpy as np
import pandas as pd
import scipy.stats

from ir_divmeasures import Scores, meta
from ir_divmeasures.results import estimates

from .calibration_worlds import (
    MARGINALS,
    copies,
    drawn,
    equal,
    mean_of,
    measured,
    one_query,
    real,
    shapes,
    systems,
    two_rankings,
)

SHARE = (0.0, 1.0)
SIGNED = (-1.0, 1.0)
WIDE, SURE = (0.91, 0.985), (0.93, 1.0)

MEASURES = {
    'nDCG and RR': dict(marginals=('ndcg', 'rr'), own=(0.2, 0.6)),
    'P@5 and subtopic recall': dict(marginals=('p5', 'strec'), own=(0.3, 0.6)),
    'skewed and mostly zeros': dict(marginals=('skew', 'sparse'), own=(0.2, 0.5), zeros=True),
}
"""Worlds of two measures."""


def first(found):
    """The value and the interval of the first measure."""
    return found.values[0], *found.interval[0]


def of_many(procedure, n_queries=20_000, **world):
    """The value of a procedure on very many queries."""
    return functools.cache(
        lambda: procedure(measured(np.random.default_rng(0), n_queries=n_queries, **world))
    )


# ------------------------------------------------------------------------------------------------------------- means


def bounded_mean(x):
    """The interval of the mean of scores in [0, 1], and the width of Student's t."""
    n, error = x.shape[-1], x.std(axis=-1, ddof=1) / np.sqrt(x.shape[-1])
    t = 2 * scipy.stats.t.ppf(0.975, n - 1) * error
    found = estimates.bounded(x.mean(axis=-1), error, n)
    return *found[:3], np.where(t > 0, t, np.nan)


def means(row):
    def added(world, simulate, **options):
        row(
            'mean',
            world,
            simulate,
            'interval',
            **dict(reference='t', bounds=SHARE) | options,
        )

    # A world has 20 systems, which share no queries.
    for marginal, n, band, widest in (
        ('ndcg', 25, (0.93, 0.97), 1.05),
        ('rr', 25, (0.92, 0.97), 1.05),
        ('strec', 25, (0.92, 0.97), 1.05),
        ('p5', 10, (0.93, 0.98), 1.05),
        ('skew', 10, (0.93, 0.99), 1.6),
        ('skew', 25, (0.93, 0.99), 1.3),
        ('sparse', 10, (0.93, 0.99), 1.7),
        ('sparse', 25, (0.93, 0.99), 1.4),
        ('rare', 25, (0.91, 0.99), 1.5),
        ('high', 25, (0.93, 1.0), 2.7),
    ):
        added(
            f'{marginal}, {n} queries',
            lambda rng, _, marginal=marginal, n=n: bounded_mean(
                rng.choice(MARGINALS[marginal], (20, n))
            ),
            truth=mean_of(marginal),
            band=band,
            widest=widest,
            zeros=marginal in ('sparse', 'rare'),
        )
    for name, n, widest in (('web2012_err20', 10, 0.95), ('web2012_ap', 25, 1.6)):
        added(
            f'drawn from {name}, {n} queries',
            lambda rng, _, name=name, n=n: bounded_mean(drawn(rng, name, n)),
            truth=lambda name=name: real(name).mean(axis=1),
            band=(0.93, 0.995),
            widest=widest,
            real=True,
        )
    for marginal in ('ndcg', 'rr', 'sparse'):
        row(
            'difference to a baseline',
            f'{marginal}, 25 queries',
            lambda rng, _, marginal=marginal: (
                meta.compare(equal(rng, marginal, 25, 4))
                .to_frame()[['difference', 'low', 'high']]
                .to_numpy()[1:]
                .T
            ),
            'interval',
            truth=0.0,
            band=(0.93, 0.985),
            bounds=SIGNED,
            zeros=marginal == 'sparse',
        )
    for marginal in ('ndcg', 'p5', 'sparse'):
        n = 60 if marginal == 'sparse' else 25
        row(
            'ratio of two sums by the jackknife',
            f'{marginal}, {n} queries',
            lambda rng, _, marginal=marginal, n=n: (
                lambda x, y: estimates.jackknife(y.sum() / x.sum(), (y.sum() - y) / (x.sum() - x))
            )(*systems(rng, marginal, n, [0.3, 0.0])),
            'interval',
            truth=mean_of(marginal) / mean_of(marginal, 0.3),
            band=(0.9, 0.97),
            zeros=marginal == 'sparse',
        )


# ----------------------------------------------------------------------------------------- tests of pairs of systems

DEFAULT = inspect.signature(meta.discriminative_power).parameters['method'].default
"""The test of ranks."""


def pvalues(scores, method, rng=0, times=1):
    """p of all pairs, corrected for all of them."""
    correction = None if method == 'tukey' else 'holm'
    draws = {'n_resamples': 1000 * times - 1} if method == 'bootstrap' else {}
    return meta.discriminative_power(
        scores, method, correction=correction, rng=rng, **draws
    ).pvalues[0]


def by_default(scores, times=1):
    """The number of pairs that the default test calls different, from which the ranks follow."""
    return int((pvalues(scores, DEFAULT, times=times) < 0.05).sum())


def power(method, world, rng, times):
    """The pairs that a test finds, and those that paired t tests with Holm's correction find."""
    scores = world(rng)
    return (
        (pvalues(scores, method, rng, times)[1:] < 0.05).sum(),
        (pvalues(scores, 't')[1:] < 0.05).sum(),
    )


def tests(row):

    def null(name, label, simulate, highest, **options):
        options = dict(band=(0.0, highest)) | options
        row(name, label, simulate, 'test', **options)

    default = 'default test'
    for marginal, world, n, highest in (
        ('ndcg', equal, 10, 0.07),
        ('ndcg', equal, 25, 0.07),
        ('ndcg', equal, 50, 0.07),
        ('sparse', equal, 25, 0.07),
        ('rr', shapes, 10, 0.07),
        ('rr', shapes, 25, 0.07),
        ('sparse', shapes, 25, 0.17),
    ):
        null(
            default,
            f'{world.__name__}, {marginal}, {n} queries',
            lambda rng, times, marginal=marginal, world=world, n=n: float(
                not by_default(world(rng, marginal, n), times)
            ),
            highest,
        )
    null(
        default,
        'copies, 25 queries',
        lambda rng, times: float(not by_default(copies(rng, 25), times)),
        0.07,
    )
    row(
        default,
        'web2012_ndcg20, pairs found',
        lambda rng, times: (by_default(real('web2012_ndcg20'), 5 * times), 1),
        'power',
        band=(60, float('inf')),
        fast=1,
        most=1,
        real=True,
    )
    for marginal, spread in (('ndcg', 0.6), ('sparse', 1.0)):
        row(
            default,
            f'skills ±{spread}, {marginal}, 50 queries: found ÷ by t with Holm',
            lambda rng, times, marginal=marginal, spread=spread: (
                lambda scores: (by_default(scores, times), (pvalues(scores, 't') < 0.05).sum())
            )(systems(rng, marginal, 50, np.linspace(-spread, spread, 10))),
            'power',
        )

    alone = ('t', 'bootstrap', 'tukey_pairwise')
    for method in (*alone, 'tukey'):
        sampled = dict(draws=method == 'bootstrap')
        slow = dict(fast=0, most=20) if method == 'tukey' else {}
        n_systems = 2 if method in alone else 10
        highest = 0.07
        for marginal in ('ndcg', 'rr'):
            null(
                f'{method} test',
                f'{n_systems} equal systems, {marginal}, 25 queries',
                lambda rng, times, method=method, marginal=marginal, n_systems=n_systems: pvalues(
                    equal(rng, marginal, 25, n_systems), method, rng, times
                ).min(),
                highest,
                **sampled | slow,
            )
        row(
            f'{method} test',
            'one query, 50 queries: found ÷ by t with Holm',
            partial(power, method, one_query),
            'power',
            # Published analyses use Tukey's tests and the bootstrap; they find less.
            band=(
                {'t': 1.0, 'bootstrap': 0.7}.get(method, 0.1),
                2.0,
            ),
            **sampled | slow,
        )
    null(
        't test',
        '8 copies and 2 others with Holm, 25 queries',
        lambda rng, _: pvalues(copies(rng, 25), 't').min(),
        0.07,
    )
    for marginal in ('ndcg', 'sparse'):
        null(
            'p of compare',
            f'a baseline and 5 equal systems, {marginal}, 25 queries',
            lambda rng, _, marginal=marginal: np.nanmin(
                meta.compare(equal(rng, marginal, 25, 6)).pvalues
            ),
            0.07,
        )
    row(
        'p of compare',
        'a baseline and 5 better systems, ndcg, 50 queries: share found',
        lambda rng, _: (
            (
                meta.compare(systems(rng, 'ndcg', 50, [0, 0.5, 0.5, 0.5, 0.5, 0.5])).pvalues[
                    0, 0, 1:
                ]
                < 0.05
            ).sum(),
            5,
        ),
        'power',
        band=(0.6, 1.0),
    )
    for label, world in MEASURES.items():
        row(
            'difference of the shares of significant pairs of two measures',
            label,
            lambda rng, times, world=world: meta.discriminative_power(
                measured(rng, n_queries=30, n_systems=8, **without_zeros(world)), 't'
            ).difference('measure1', 'measure2', n_resamples=30 * times, rng=rng),
            'interval',
            band=(0.91, 1.0),
            widest=1.7,
            draws=True,
            zeros='zeros' in world,
        )


def without_zeros(world):
    """The settings of a world without the mark that it has many zeros."""
    return {name: value for name, value in world.items() if name != 'zeros'}


# ----------------------------------------------------------------- ranks, correlations

ORDER = np.linspace(-1, 1, 10)
BROKEN = np.r_[ORDER[:7], -1.5, -1.6, -1.7]
RANKINGS = {
    'the same, ndcg, 50 queries': ('ndcg', 50, 0.6, ORDER),
    'τ of 0.6, ndcg, 25 queries': ('ndcg', 25, 0.6, None),
    'τ of 0.6, ndcg, 50 queries': ('ndcg', 50, 0.6, None),
    'three systems broken, rr, 50 queries': ('rr', 50, 1.0, BROKEN),
    'τ of 0.6, sparse, 100 queries': ('sparse', 100, 1.0, None),
}
"""Marginal, queries, and the skills by two measures, from −spread to spread by the first. Those by the second are given,
or a permutation with τ = 0.6, drawn for each world: for given skills, one permutation is found too high and another one
too low, and the coverage is that over permutations."""


def permuted(rng, discordant=9):
    """ORDER with so many pairs exchanged, by exchanges of neighbours at random."""
    while True:
        places = np.arange(len(ORDER))
        for step in range(400):
            n_discordant = sum(a > b for a, b in itertools.combinations(places, 2))
            if step > 50 and n_discordant == discordant:
                return ORDER[places]
            i = rng.integers(len(ORDER) - 1)
            if n_discordant < discordant + 4 or places[i] > places[i + 1]:
                places[[i, i + 1]] = places[[i + 1, i]]


def conclusions(row):

    def ranked(scores):
        frame = meta.ranks(scores).to_frame().set_index('system')
        return frame.loc[[f'system{s + 1}' for s in range(len(scores))]]

    skilled = {
        'ndcg, 50 queries': lambda rng: systems(rng, 'ndcg', 50, ORDER[::-1]),
        'rr, 100 queries': lambda rng: systems(rng, 'rr', 100, ORDER[::-1]),
        'sparse, 100 queries': lambda rng: systems(rng, 'sparse', 100, ORDER[::-1]),
    }
    for label, world in (
        ('10 equal systems, ndcg, 25 queries', lambda rng: equal(rng, 'ndcg', 25)),
        ('10 equal systems, sparse, 50 queries', lambda rng: equal(rng, 'sparse', 50)),
        ('8 copies and 2 others, 25 queries', lambda rng: copies(rng, 25)),
        ('skills ±1, ndcg, 50 queries', skilled['ndcg, 50 queries']),
    ):
        row(
            'may be best',
            f'the best is kept: {label}',
            lambda rng, _, world=world: ranked(world(rng))['best_p'].iloc[0],
            'test',
            band=(0.0, 0.07),
        )
    for label, world in skilled.items():
        row(
            'may be best',
            f'skills ±1, {label}: excluded ÷ worse than another by t with Holm',
            lambda rng, _, world=world: (
                lambda frame: ((~frame['may_be_best']).sum(), (frame['rank_low'] > 1).sum())
            )(ranked(world(rng))),
            'power',
            band=(1.0, 2.0),
        )
        row(
            'rank',
            f'skills ±1, {label}',
            lambda rng, _, world=world: (
                lambda frame: (*frame[['rank', 'rank_low', 'rank_high']].to_numpy().T, 9.0)
            )(ranked(world(rng))),
            'interval',
            truth=np.arange(1.0, 11.0),
            band=(0.95, 1.0),
            widest=0.6,
            reference='all ranks',
            bounds=(1.0, 10.0),
            exact=True,
            zeros='sparse' in label,
        )

    def on_all(marginal, n, spread, other):
        def simulate(rng, times):
            skills = np.stack([ORDER, permuted(rng) if other is None else other])
            scores = two_rankings(rng, marginal, n, spread * skills)
            found = meta.correlations(scores, n_resamples=100 * times, rng=rng).pairs
            return *found[['all_queries', 'all_low', 'all_high']].to_numpy()[0], 2.0

        return simulate

    for label, (marginal, n, spread, other) in RANKINGS.items():
        row(
            'correlation on all queries',
            label,
            on_all(marginal, n, spread, other),
            'interval',
            truth=0.6 if other is None else scipy.stats.kendalltau(ORDER, other).statistic,
            band=(0.91, 1.0),
            widest=0.5,
            reference='all correlations',
            bounds=SIGNED,
            exact=True,
            draws=True,
            zeros=marginal == 'sparse',
            fast=8,
        )


# ----------------------------------------------------------------------------------------------------------- unanimity

NEAR = dict(marginals=('ndcg',) * 4, own=0.1)
MIXED = dict(marginals=('ndcg', 'rr', 'p5', 'strec'), own=(0.1, 0.3, 0.5, 0.6))
ZEROS = dict(marginals=('sparse', 'sparse', 'skew', 'rare'), own=(0.2, 0.4, 0.5, 0.6))
BITS = (-float('inf'), 1.0)


def mostly_right(share, n_queries, rng, times):
    """A measure that is right on a share of the queries and wrong on the others; widths in bits."""
    base = rng.random((4, n_queries))
    right = rng.random(n_queries) < share
    return *first(meta.unanimity(np.stack([np.where(right, base, -base), base], axis=2))), 1.0


def simulations(rng, n_queries, world):
    """Three simulations of the same queries, which exchange some scores of neighbouring grades."""
    scores = measured(rng, n_queries=n_queries, **world)
    lost = rng.random((3, *scores.shape[:2], 1)) < 0.1
    return [np.where(each, 0.0, scores) for each in lost]


def unanimity(row):
    for share, n, widest in ((0.98, 50, 0.2), (0.95, 30, 0.4)):
        row(
            'unanimity',
            f'right on {share} of {n} queries',
            partial(mostly_right, share, n),
            'interval',
            truth=np.log2(2 * share),
            band=SURE,
            widest=widest,
            reference='bits',
            bounds=(0.0, 1.0),
            beyond=0.01,
        )
    for label, world, n in (
        ('four near-equal measures', NEAR, 50),
        ('mixed measures', MIXED, 20),
        ('mixed measures', MIXED, 50),
        ('mostly zeros', ZEROS, 25),
    ):
        for tied in ('counted', 'dropped'):
            row(
                'unanimity' if tied == 'counted' else 'unanimity, ties dropped',
                f'{label}, {n} queries',
                lambda rng, _, world=world, n=n, tied=tied: (
                    lambda found: (found.values[:2], *found.interval[:2].T)
                )(meta.unanimity(measured(rng, n_queries=n, **world), tied=tied)),
                'interval',
                truth=of_many(
                    lambda x, tied=tied: meta.unanimity(x, tied=tied).values[:2], 8000, **world
                ),
                band=(0.92, 0.995),
                widest=1.7,
                bounds=BITS,
                zeros=world is ZEROS,
            )
    for label, world in (('near-equal', NEAR), ('mixed', MIXED), ('mostly zeros', ZEROS)):
        row(
            'difference of unanimity',
            f'{label} measures, 30 queries',
            lambda rng, _, world=world: meta.unanimity(
                measured(rng, n_queries=30, **world)
            ).difference('measure1', 'measure3'),
            'interval',
            truth=of_many(
                lambda x: float(np.subtract(*meta.unanimity(x).values[[0, 2]])), 8000, **world
            ),
            band=(0.91, 0.98),
            zeros=world is ZEROS,
        )
        row(
            'mean unanimity of three simulations',
            f'{label} measures, 30 queries',
            lambda rng, _, world=world: first(
                meta.Unanimity.averaged(
                    [meta.unanimity(each) for each in simulations(rng, 30, world)]
                )
            ),
            'interval',
            truth=functools.cache(
                lambda world=world: meta.unanimity(
                    simulations(np.random.default_rng(0), 8000, world)[0]
                ).values[0]
            ),
            band=(0.92, 0.99),
            widest=1.6,
            bounds=BITS,
            zeros=world is ZEROS,
        )
    equal_pair = dict(marginals=('ndcg',) * 4, own=0.4)
    row(
        'p of a difference of unanimity',
        'two equal measures of four, 30 queries',
        lambda rng, _: (
            meta.unanimity(measured(rng, n_queries=30, **equal_pair))
            .difference('measure1', 'measure2')
            .pvalue
        ),
        'test',
    )
    row(
        'p of a difference of unanimity',
        'one of four has more of its own, 50 queries: share found',
        lambda rng, _: (
            meta.unanimity(measured(rng, ('ndcg',) * 4, 50, own=(0.2, 0.9, 0.2, 0.2)))
            .difference('measure1', 'measure2')
            .pvalue
        ),
        'power',
        band=(0.7, 1.0),
    )


# ------------------------------------------------------------------------------- robustness, stability, correlations


def ends(found):
    interval = found.interval().to_numpy()
    return found.to_frame().to_numpy()[0], interval[0, 0::2], interval[0, 1::2]


def robustness(rng, times, n_queries=30, **world):
    scores = measured(rng, n_queries=n_queries, n_systems=8, **world)
    return meta.topic_robustness(scores, [10], n_trials=50, n_resamples=100 * times, rng=rng)


def assessors(rng, times, **world):
    """Other assessors find nothing relevant for some systems and queries."""
    scores = measured(rng, n_queries=30, n_systems=8, **world)
    other = np.where(rng.random((*scores.shape[:2], 1)) < 0.25, 0.0, scores)
    return meta.assessor_robustness(
        Scores(scores), {'other': Scores(other)}, n_resamples=100 * times, rng=rng
    )


def studies(row):
    tau = dict(draws=True, band=WIDE, widest=1.6, bounds=SIGNED)
    for label, world in MEASURES.items():
        zeros, settings = 'zeros' in world, without_zeros(world)
        options = dict(zeros=zeros)

        def stable(rng, times, settings=settings):
            return meta.stability(
                measured(rng, n_queries=30, n_systems=8, **settings),
                n_trials=100,
                n_resamples=100 * times,
                rng=rng,
            )

        for name, simulate, asked in (
            (
                'topic robustness, τ',
                lambda rng, times, settings=settings: ends(robustness(rng, times, **settings)),
                {},
            ),
            (
                'topic robustness, difference of two measures',
                lambda rng, times, settings=settings: robustness(rng, times, **settings).difference(
                    None, 'measure1', 'measure2'
                ),
                dict(bounds=(-2.0, 2.0), band=(0.91, 0.995)),
            ),
            (
                'assessor and pool robustness, τ',
                lambda rng, times, settings=settings: ends(assessors(rng, times, **settings)),
                # resampled queries repeat their losses, so that τ varies more than over new ones
                dict(widest=4.0),
            ),
            (
                'stability',
                lambda rng, times, stable=stable: first(stable(rng, times)),
                dict(bounds=SHARE, band=(0.92, 0.985)),
            ),
            (
                'stability, difference of two measures',
                lambda rng, times, stable=stable: stable(rng, times).difference(
                    'measure1', 'measure2'
                ),
                dict(band=(0.92, 0.995)),
            ),
        ):
            row(name, label, simulate, 'interval', **tau | options | asked)
        for coefficient in ('kendall', 'tau_ap'):
            row(
                'correlation of two measures',
                f'{coefficient}, {label}',
                lambda rng, times, coefficient=coefficient, settings=settings: (
                    lambda found: (found.values[0, 1], *found.interval[0, 1])
                )(
                    meta.correlations(
                        measured(rng, n_queries=30, n_systems=15, **settings),
                        coefficient,
                        n_resamples=100 * times,
                        rng=rng,
                    )
                ),
                'interval',
                **tau | options | dict(fast=8),
            )
    for own, kind in (((0.4, 0.4), 'test'), ((0.0, 1.0), 'power')):
        row(
            'p of a difference of topic robustness',
            'two equal measures' if kind == 'test' else 'one has more of its own: share found',
            lambda rng, times, own=own, kind=kind: (
                robustness(
                    rng,
                    times,
                    30 if kind == 'test' else 100,
                    marginals=('ndcg', 'ndcg' if kind == 'test' else 'rare'),
                    own=own,
                )
                .difference(None, 'measure1', 'measure2')
                .pvalue
            ),
            kind,
            band=(0.0, 0.07) if kind == 'test' else (0.7, 1.0),
            draws=True,
        )


# ------------------------------------------------------------------------------------- agreement of measures, users


def users(n_users, n_queries, lean, own_pairs=False):
    """Users and queries that agree more or less with a measure; one pair a query for all, or other pairs for each
    user, of only some of the queries. One user says each preference three times."""

    def simulate(rng, times):
        shape = (n_users, n_queries) if n_users > 1 else (3, n_queries)
        leaning = 0.6 * rng.normal(size=(n_users, 1))
        agrees = (
            lean
            + leaning * (n_users > 1)
            + 0.6 * rng.normal(size=n_queries)
            + rng.normal(size=shape)
            > 0
        )
        said = rng.random(shape) >= 0.5 if own_pairs else np.ones(shape, dtype=bool)
        user, query = np.nonzero(said)
        other = 2 + (rng.integers(0, 3, len(user)) if own_pairs else 0 * user)
        table = pd.DataFrame(
            {
                'query_id': (query + 1).astype(str),
                'system_a': 'system1',
                'system_b': [f'system{each}' for each in other],
                'preference': np.where(agrees[user, query], 1, -1),
            }
        )
        if n_users > 1:
            table['user'] = [f'u{each}' for each in user]
        found = meta.preference_agreement(
            np.concatenate([np.ones((1, n_queries)), np.zeros((3, n_queries))]), table
        )
        return found.values, *found.interval.T

    return simulate


def agreement(row):
    for name, n_users, spread in (
        ('agreement with the preferences of one user', 1, 0.36),
        ('agreement with the preferences of several users', 10, 0.72),
    ):
        for label, n_queries, lean, own_pairs in (
            ('mostly agrees', 40 if n_users == 1 else 15, 0.5, False),
            ('no more than chance', 40 if n_users == 1 else 15, 0.0, False),
            ('hardly disagrees', 60 if n_users == 1 else 30, 1.3, False),
            ('saw different pairs', 15, 0.5, True),
        ):
            if n_users == 1 and own_pairs:
                continue
            row(
                name,
                f'{label}, {n_queries} queries',
                users(n_users, n_queries, lean, own_pairs),
                'interval',
                truth=2 * scipy.stats.norm.cdf(lean / np.sqrt(1 + spread)) - 1,
                band=(0.91, 0.985),
                widest=1.7,
                zeros=label == 'hardly disagrees',
            )


# ----------------------------------------------------------------------------------------------------- pools


def losses(rng, n_queries, often=0.4):
    """What a group loses on queries without the judgments that only it brought, (queries,).

    It is often nothing, and some queries lose more. tests/test_pool.py holds that ``group_bias`` is this procedure on
    such changes.
    """
    a = 5 * often
    chance = (often + rng.beta(a, 5 - a, n_queries)) / 2
    return np.where(rng.random(n_queries) < chance, -rng.gamma(3, 0.02, n_queries), 0.0)


def pools(row):
    for label, often, n_queries in (
        ('20 queries', 0.4, 20),
        ('50 queries', 0.4, 50),
        ('mostly no loss, 100 queries', 0.1, 100),
    ):
        options = dict(bounds=SIGNED, zeros=often < 0.2)
        row(
            'influence of a group on its own run',
            label,
            lambda rng, _, often=often, n_queries=n_queries: estimates.mean_over_queries(
                losses(rng, n_queries, often)
            ),
            'interval',
            band=(0.88, 0.98),
            **options,
        )

    for kind, rates in (('test', [1.5] * 4), ('power', [0.7, 2.5, 2.5, 2.5])):
        row(
            'unique finds of groups',
            '4 equal groups, 25 topics'
            if kind == 'test'
            else 'one finds less: share of pairs found',
            lambda rng, times, kind=kind, rates=rates: (
                lambda p: p.min() if kind == 'test' else ((p[:3] < 0.05).sum(), 3)
            )(pvalues(rng.poisson(np.c_[rates], (4, 25)).astype(float), DEFAULT)),
            kind,
            band=(0.0, 0.07) if kind == 'test' else (0.7, 1.0),
        )


def register(row):
    """Add the rows of this file."""
    for part in (means, tests, conclusions, unanimity, studies, agreement, pools):
        part(row)
