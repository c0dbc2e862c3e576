"""Measures over aspects against what a program of TREC Dynamic Domain prints.

The program is the scorer of trec-dd-simulation-harness (2015) on the sample run and the passage judgments of 2016. The
run is taken as it is, and with every third line replaced by an unjudged document.
"""

import numpy as np
import pytest

from ir_divmeasures import measures

from .builders import values

TOPICS = ('DD16-1', 'DD16-2', 'DD16-10')
# The mean over the run's topics, then the three topics. The program takes a rating of 0 (19 lines of the run) as
# probability 0; these are its values with such ratings as 1.
HARNESS = {
    'as it is': {
        'ERR_over_aspects': [
            0.3852994217751764,
            0.41926860360477214,
            0.6468559064119402,
            0.1262202017444292,
        ],
        "ERR_over_aspects(gain='binary')": [
            0.6590132751777269,
            2 / 3,
            0.6944444444444445,
            0.3051020408163266,
        ],
        "ERR_over_aspects(mean='harmonic')": [
            0.2559744184480069,
            0.3927422341826038,
            0.01545859467365316,
            0.020130911686498536,
        ],
        "ERR_over_aspects(mean='harmonic',gain='binary')": [
            0.4978397552870578,
            0.6,
            0.21428571428571427,
            0.046511627906976744,
        ],
        'P_at_Recall(modified=True)': [
            0.4878751697294637,
            0.8333333333333333,
            1 / 9,
            0.07142857142857142,
        ],
        'P_at_Recall': [1, 1, 1, 1],
        'RR_at_Recall': [0.31632972239175106, 0.5, 1 / 12, 0.02040816326530612],
    },
    'with gaps': {
        'ERR_over_aspects': [
            0.31500726670918555,
            0.31437427637295273,
            0.9675196186847803,
            0.07972496791902679,
        ],
        "ERR_over_aspects(gain='binary')": [0.5434551172523489, 0.5277777777777778, 1, 0.18],
        "ERR_over_aspects(mean='harmonic')": [
            0.22081755398899142,
            0.22914492555139815,
            0.967519558792721,
            0.01205049333710461,
        ],
        'P_at_Recall(modified=True)': [0.3479761672948057, 0.625, 0.02, 0.07],
        'P_at_Recall': [0.7029835040004826, 0.75, 0.68, 0.66],
        'RR_at_Recall': [0.22682822078966927, 0.25, 0.02, 0.02],
    },
}


@pytest.mark.parametrize('kind', HARNESS)
def test_measures_over_aspects_are_the_harness_s(dynamic_domain, kind):
    qrels, run = dynamic_domain
    if kind == 'with gaps':
        line = np.arange(len(run))
        unknown = [f'none-{each}' for each in line]
        run = run.assign(doc_id=np.where(line % 3 == 1, unknown, run['doc_id']))
    topics = run['query_id'].unique()
    for name, wanted in HARNESS[kind].items():
        asked = str(measures(name)[0])
        found = values([name], qrels, run)
        scores = [np.mean([found[topic, asked] for topic in topics])]
        scores += [found[topic, asked] for topic in TOPICS]
        assert scores == pytest.approx(wanted, rel=1e-12), name
