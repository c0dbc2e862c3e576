"""Do group fairness, proportionality and novelty rank systems alike? On the runs for the Web Track 2012.

python -m studies proportionality   # a few seconds; writes docs/studies/proportionality.md
"""

from __future__ import annotations

import pathlib
import warnings

import pandas as pd

from ir_divmeasures import DivMeasuresWarning, evaluate, meta, read_qrels, read_runs

from .common import templated

CUTOFFS = (10, 20)
OTHERS = ('alpha_nDCG', 'ERR_IA', 'StRecall', 'nDCG')
TESTED = (
    'GF',
    "GF(aspects='relevant')",
    "GF(divergence='NMD')",
    "GF(divergence='RNOD')",
    'GFR',
    "GFR(relevance='iRBU')",
    'CPR',
)


def at(name: str, k: int) -> str:
    """The name of a measure at a cutoff."""
    return f'{name}@{k}'


def taus(data: pathlib.Path, k: int) -> tuple[int, pd.DataFrame]:
    """How many systems there are, and Kendall's τ of the mean scores of measures at a cutoff: TESTED × OTHERS."""
    qrels = read_qrels('clueweb09/en/trec-web-2012/diversity')
    topics = set(qrels['query_id'])
    runs = {
        name: run[run['query_id'].isin(topics)]
        for name, run in read_runs(data / 'data/runs/clueweb09')
        if run['query_id'].isin(topics).any()
    }
    with warnings.catch_warnings():
        warnings.simplefilter(
            'ignore', DivMeasuresWarning
        )  # nDCG orders near-equal scores otherwise
        scores = evaluate(runs, qrels, [at(name, k) for name in (*OTHERS, *TESTED)])
    table = meta.correlations(scores, 'kendall').to_frame()
    return len(runs), table.loc[[at(name, k) for name in TESTED], [at(name, k) for name in OTHERS]]


def page(data: pathlib.Path) -> str:
    """The page's text."""
    tables = {k: taus(data, k) for k in CUTOFFS}
    return templated(
        'proportionality',
        cutoffs=CUTOFFS,
        n_systems=tables[CUTOFFS[0]][0],
        tau={k: table for k, (_, table) in tables.items()},
    )
