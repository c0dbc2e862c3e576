"""Coverage of sub-questions by the runs of two collections for retrieval-augmented generation, by many measures.

python -m studies nuggets   # a few minutes; writes docs/studies/nuggets.md
"""

from __future__ import annotations

import pathlib
from typing import Any

import pandas as pd

from ir_divmeasures import read_nuggets, read_runs
from ir_divmeasures.studies.subquestions import (
    REPLICATES,
    Collection,
    by_threshold,
    described,
    disagreement,
    exchanged,
    means,
    noise,
    power,
    unique,
    unique_totals,
    ways,
)

from .common import templated

COLLECTIONS = {'duc04': "DUC'04", 'neuclir24': "NeuCLIR'24"}
SHORT = {
    'qwen3-embed-8b': 'qwen3',
    'lsr-milco': 'milco',
    '_autorerank_point_llama3.3-70b': ' >> pointwise',
    '_lancer_agg_sum_nq_2': ' >> LANCER',
    '_lancer_oracle_agg_sum': ' >> oracle',
}


def short(name: str) -> str:
    """A run's name with its parts abbreviated."""
    for long, brief in SHORT.items():
        name = name.replace(long, brief)
    return name


def collection(folder: pathlib.Path) -> Collection:
    """Ratings, sub-questions and runs of one collection."""
    files, intents = (
        [folder / 'ratings.jsonl.gz', folder / 'ratings-again.jsonl.gz'],
        folder / 'subquestions.json',
    )
    return Collection(
        COLLECTIONS[folder.name],
        {short(name): run for name, run in read_runs(folder / 'runs')},
        read_nuggets(files[0], intents=intents),
        read_nuggets(files, intents=intents),
    )


def section(one: Collection) -> dict[str, Any]:
    """The part of the page about one collection."""
    summary, pairs = exchanged(one)
    noisy, uncertain, again = noise(one)
    mean, is_served = one.scores.means(), summary['measure'] == 'Coverage, served'
    ratio = 100 * (mean['Coverage, served'] / mean['Coverage, listed'] - 1)
    strength, alone = power(one.scores), unique(one)
    return {
        'name': one.name,
        'n_queries': len(one.scores.queries),
        'n_pairs': one.n_pairs,
        'means': means(one),
        'exchanged': summary,
        'pairs': pairs,
        'power': strength,
        'thresholds': by_threshold(one),
        'noise': noisy,
        'unique': alone,
        'unique_totals': unique_totals(alone),
        'unsure': uncertain,
        'least_again': 100 * min(again),
        'most_again': 100 * max(again),
        'repeats': disagreement(one),
        'raised': [ratio.min(), ratio.max()],
        'served': summary[is_served].iloc[0],
        'others': summary[~is_served & (summary['measure'] != 'StRecall')],
        'pairs_apart': strength.set_index('measure')['t, Holm'],
    }


def page(data: pathlib.Path) -> str:
    """The page's text."""
    collections = [collection(data / 'data/nuggets' / folder) for folder in COLLECTIONS]
    return templated(
        'nuggets',
        described=described(collections),
        sections=[section(one) for one in collections],
        replicates=REPLICATES,
        ways=pd.concat([ways(one) for one in collections]),
    )
