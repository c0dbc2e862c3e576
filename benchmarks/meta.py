"""CPU of meta-evaluation, by function.

python benchmarks/meta.py [--systems 126] [--queries 50] [--measures 20] [function …]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from ir_divmeasures import Scores, leaderboard, meta


def make_scores(systems: int, queries: int, measures: int) -> Scores:
    """Systems of different quality, topics of different difficulty, measures that correlate."""
    rng = np.random.default_rng(0)
    values = (
        0.4
        + rng.normal(0, 0.08, (systems, 1, 1))
        + rng.normal(0, 0.15, (1, queries, 1))
        + rng.normal(0, 0.12, (systems, queries, 1))
        + rng.normal(0, 0.06, (systems, queries, measures))
    )
    return Scores(values.clip(0, 1))


FUNCTIONS = {
    'correlations': lambda s: meta.correlations(s, n_resamples=1000, rng=0),
    'tau_ap': lambda s: meta.correlations(s, 'tau_ap', n_resamples=1000, rng=0),
    'topic_robustness': lambda s: meta.topic_robustness(s, rng=0),
    'stability': lambda s: meta.stability(s, rng=0),
    'unanimity': meta.unanimity,
    'discriminative_power': meta.discriminative_power,
    'bootstrap': lambda s: meta.discriminative_power(s, 'bootstrap', None, rng=0),
    'tukey': lambda s: meta.discriminative_power(s, 'tukey'),
    'compare': lambda s: meta.compare(s, pairs='all'),
    'ranks': meta.ranks,
    'leaderboard': leaderboard,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (('systems', 126), ('queries', 50), ('measures', 20)):
        parser.add_argument(f'--{name}', type=int, default=default)
    parser.add_argument('functions', nargs='*', default=list(FUNCTIONS))
    args = parser.parse_args()
    scores = make_scores(args.systems, args.queries, args.measures)
    for name in args.functions:
        start = time.process_time()
        FUNCTIONS[name](scores)
        print(f'{name:24} {time.process_time() - start:6.2f} s of CPU')


if __name__ == '__main__':
    main()
