"""What takes longest: analyses of 126 systems × 50 queries × 20 measures, first call in a process of its own"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.measuring import row
from benchmarks.rows.large import DIVERSITY, systems

REPORTED = (
    f'{DIVERSITY} RBU@20 EU@20 CT@20 ACT@20 nDCU@20 Coverage@20 StRR D_nDCG@20 nDCG@20 AP P@20'
)
"""Twenty measures."""


def make_scores() -> Any:
    """Scores of systems of different quality on topics of different difficulty, by measures that correlate."""
    import numpy as np

    from ir_divmeasures import Scores

    rng, shape = np.random.default_rng(0), (126, 50, 20)
    values = (
        0.4
        + rng.normal(0, 0.08, (shape[0], 1, 1))
        + rng.normal(0, 0.15, (1, shape[1], 1))
        + rng.normal(0, 0.12, (*shape[:2], 1))
        + rng.normal(0, 0.06, shape)
    )
    return Scores(values.clip(0, 1))


ANALYSES: dict[str, tuple[float, Callable[[Any, Any], Any]]] = {
    'correlations (τ), 1,000 resamples': (
        5,
        lambda meta, scores: meta.correlations(scores, n_resamples=1000, rng=0),
    ),
    'correlations (τ_AP), 1,000 resamples': (
        5,
        lambda meta, scores: meta.correlations(scores, 'tau_ap', n_resamples=1000, rng=0),
    ),
    'discriminative power, bootstrap with 10,000 resamples': (
        4,
        lambda meta, scores: meta.discriminative_power(
            scores, 'bootstrap', None, n_resamples=10_000, rng=0
        ),
    ),
    'topic robustness': (5, lambda meta, scores: meta.topic_robustness(scores, rng=0)),
    'stability': (3, lambda meta, scores: meta.stability(scores, rng=0)),
}
"""The name of a row, its target in seconds, and the call."""

for name, (seconds, analysis) in ANALYSES.items():

    @row(name, turns=2, isolated=True, cpu_s=seconds)
    def analyse(analysis: Callable[[Any, Any], Any] = analysis) -> Any:
        from ir_divmeasures import meta

        scores = make_scores()
        return lambda: analysis(meta, scores)


@row('axioms.table()', turns=2, isolated=True, cpu_s=5)
def axioms_table() -> Any:
    from ir_divmeasures import axioms

    return axioms.table


@row('leaderboard from 126 files × 50 × 1000', turns=2, isolated=True, cpu_s=3)
def leaderboard() -> Any:
    import ir_divmeasures

    folder = systems()
    return lambda: ir_divmeasures.leaderboard(
        folder / 'qrels.txt', folder / 'runs', REPORTED
    ).write(folder / 'index.html', overwrite=True)
