"""Metric unanimity of measures: the experiments of Amigó et al. 2018, §6, on the runs that are at hand.

python -m studies unanimity   # about three minutes; writes docs/studies/unanimity.md
"""

from __future__ import annotations

import pathlib

import pandas as pd

from ir_divmeasures import Scores, meta, read_qrels, read_runs, studies
from ir_divmeasures.evaluation.scores import join

from .common import templated

OFFICIAL_SCORES = {'nDCG@20': 'ndcg20', 'ERR@20': 'err20', 'P@20': 'p20', 'AP': 'ap', 'RR': 'rr'}


def web_track(data: pathlib.Path, year: str, folder: str, dataset: str) -> studies.Study:
    """Experiments 1 to 3 on the runs for one year's topics."""
    qrels = read_qrels(dataset)
    topics = set(qrels['query_id'])
    runs = {
        name: run
        for name, run in read_runs(data / 'data/runs' / folder)
        if run['query_id'].isin(topics).any()
    }
    return studies.unanimity(runs, qrels, name=f'Web Track {year}')


def official_scores(data: pathlib.Path, year: str) -> tuple[int, pd.DataFrame]:
    """Unanimity of the five measures whose official scores are public, and of how many systems."""
    parts = [
        Scores.read(data / f'data/scores/web{year}_{name}.csv') for name in OFFICIAL_SCORES.values()
    ]
    scores = join(
        *(
            Scores(part.values, part.systems, part.queries, (name,))
            for name, part in zip(OFFICIAL_SCORES, parts)
        )
    )
    frame = meta.unanimity(scores).to_frame()
    return len(scores.systems), frame.reset_index()[
        ['measure', 'unanimity', 'low', 'high', 'ceiling']
    ]


def page(data: pathlib.Path) -> str:
    """The page's text."""
    years = {
        '2012': web_track(data, '2012', 'clueweb09', 'clueweb09/en/trec-web-2012/diversity'),
        '2014': web_track(data, '2014', 'clueweb12', 'clueweb12/trec-web-2014/diversity'),
    }
    domain = studies.dynamic_domain(
        data / 'data/trec-dd/dd16-run.txt',
        data / 'data/trec-dd/dd16-passage-qrels.txt.gz',
        name='Dynamic Domain 2016, the sample run and 12 variants of it',
    )
    index = {
        'families': ['scenario', 'measure'],
        'effort': ['scenario', 'M', 'measure'],
        'lead': ['scenario', 'M'],
        'decomposition': ['scenario', 'measure'],
    }
    tables = {
        name: {year: study[name].set_index(columns) for year, study in years.items()}
        for name, columns in index.items()
    }
    return templated(
        'unanimity',
        years=years,
        domain=domain,
        **tables,
        interval=years['2012']['best'].loc[0, ['low', 'high']].to_dict(),
        tie=years['2012']['tolerance'].set_index(['scenario', 'measure']).loc[('official', 'RBU')],
        domain_mu=domain['official'].set_index('measure')['MU'],
        official={year: official_scores(data, year) for year in years},
    )
