"""The simulated worlds of the calibration suite: scores as measures give them, with zeros, ones, ties and skew.

A score is quantile(Φ(√.6 t_q + √.4 e_sq + skill_s)): t_q is the difficulty of query q, e_sq a part of system s and query q,
both standard normal, and the quantile function is one of :data:`MARGINALS`. The tables are formulas.
"""

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

POINTS = 1000
EVEN = (np.arange(POINTS) + 0.5) / POINTS


def _listed(cells):
    """A table of values, each so many times of 1000."""
    return np.repeat(list(cells), list(cells.values()))


def _zeros(share, a, b):
    """A share of zeros; the rest is Beta(a, b)."""
    return np.where(share > EVEN, 0.0, betaincinv(a, b, np.maximum(EVEN - share, 0) / (1 - share)))


MARGINALS = {
    'ndcg': _zeros(0.12, 1.5, 2.5),
    'rr': _listed(
        {0: 100, 1 / 10: 20, 1 / 9: 20, 1 / 8: 20, 1 / 7: 30, 1 / 6: 40, 1 / 5: 50}
        | {1 / 4: 60, 1 / 3: 90, 1 / 2: 150, 1: 420}
    ),
    'strec': _listed(
        {0: 60, 1 / 5: 60, 1 / 4: 60, 1 / 3: 80, 2 / 5: 60, 1 / 2: 120, 3 / 5: 80}
        | {2 / 3: 100, 3 / 4: 80, 4 / 5: 60, 1: 240}
    ),
    'skew': np.minimum(0.08 * np.exp(ndtri(EVEN)), 1.0),
    'sparse': _zeros(0.7, 1, 4),
    'sparser': _zeros(0.8, 1, 4),
    'high': betaincinv(30, 3, EVEN),
}
"""Quantile functions at the middles of 1000 equal parts: nDCG, RR and subtopic recall; skewed like ERR-IA (lognormal, at
most 1); 70 and 80 % zeros; Beta(30, 3)."""

MARGINALS |= {
    f'safe_{name}': betaincinv(12 * table.mean(), 12 * (1 - table.mean()), EVEN)
    for name, table in MARGINALS.items()
}
"""``safe_…`` has the same mean, and is concentrated around it."""


def scored(marginal, latent):
    """The scores of standard normal numbers: quantile(Φ(latent))."""
    places = (ndtr(latent) * POINTS).astype(int)
    return MARGINALS[marginal][np.minimum(places, POINTS - 1)]


def mean_of(marginal, skill=0.0):
    """The mean score of a system over all queries."""
    edges = ndtri(np.arange(POINTS + 1) / POINTS) - skill
    return float(np.diff(ndtr(edges)) @ MARGINALS[marginal])


def latent(rng, skills, n_queries):
    """√.6 t_q + √.4 e_sq + skill_s, (systems, queries)."""
    own = rng.normal(size=(len(skills), n_queries))
    return np.sqrt(0.6) * rng.normal(size=n_queries) + np.sqrt(0.4) * own + np.c_[skills]


def systems(rng, marginal, n_queries, skills):
    """Scores of systems by one measure, (systems, queries)."""
    return scored(marginal, latent(rng, skills, n_queries))


def equal(rng, marginal, n_queries, n=10):
    """Systems of equal skill."""
    return systems(rng, marginal, n_queries, np.zeros(n))


def shapes(rng, marginal, n_queries, n=10):
    """Systems of equal means. Every second one has scores that are concentrated around it."""
    drawn = latent(rng, np.zeros(n), n_queries)
    return np.stack(
        [scored(f'safe_{marginal}' if s % 2 else marginal, each) for s, each in enumerate(drawn)]
    )


def copies(rng, n_queries):
    """Eight near copies of a system and two other systems by nDCG, all of equal means."""
    of_three = np.sqrt(0.3) * rng.normal(size=n_queries) + np.sqrt(0.7) * rng.normal(
        size=(3, n_queries)
    )
    near = (of_three[0] + 0.15 * rng.normal(size=(8, n_queries))) / np.sqrt(1.0225)
    return scored('ndcg', np.concatenate([near, of_three[1:]]))


def one_query(rng, n_queries=50):
    """Ten systems of skills from −.6 to .6 by nDCG; the second is the first but for 0.1 on one query, if it has so much there."""
    scores = systems(rng, 'ndcg', n_queries, np.linspace(-0.6, 0.6, 10))
    scores[1] = scores[0]
    scores[1, 0] = max(scores[1, 0] - 0.1, 0.0)
    return scores


def measured(rng, marginals, n_queries, n_systems=6, spread=0.6, own=0.4):
    """Scores by several measures, (systems, queries, measures), of skills from −spread to spread.

    ``own`` is the share of each measure of its own in e_sq; the rest is common to all measures.
    """
    shares = np.resize(own, len(marginals))
    skills = np.linspace(-spread, spread, n_systems)[:, None]
    common = rng.normal(size=(n_systems, n_queries))
    base = np.sqrt(0.6) * rng.normal(size=n_queries) + skills
    parts = rng.normal(size=(len(marginals), n_systems, n_queries))
    return np.stack(
        [
            scored(
                name, base + np.sqrt(0.4) * (np.sqrt(1 - share) * common + np.sqrt(share) * part)
            )
            for name, share, part in zip(marginals, shares, parts)
        ],
        axis=2,
    )
