"""``bounds``: every assignment of grades to unjudged documents is tried on small cases."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    DivMeasuresWarning,
    bounds,
    evaluate,
    register_aggregation,
    register_continuation,
    unregister_aggregation,
    unregister_continuation,
)
from ir_divmeasures.core.registry import ANY, EXTREME, UNKNOWN, catalogue, ours, parse
from ir_divmeasures.evaluation.bounds import AD_HOC, _of, grades_of
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.judgments.table import Judgments

from .builders import over

SETTINGS = [
    'RBU@3',
    "RBU(gain='linear',p=0.99)",
    "RBU(gain='binary',effort='aspect',norm=True)@4",
    'RBU(max_rel=4)@3',
    'RBU(rel=2)@3',
    "RBU(gain='linear',max_rel=3,aspects='listed')@4",
    'iRBU(rel=2)@3',
    "iRBU(gain='linear',max_rel=3,p=0.5)",
    'alpha_DCG@3',
    'alpha_DCG(alpha=0.9)',
    'ERR_IA@3',
    'ERR_IA',
    'NRBP',
    'NRBP(alpha=0.2,beta=0.9)',
    'StRecall@2',
    "StRecall(aspects='listed')@3",
    'StRecall(rel=2)',
    'Coverage@3',
    'Coverage(rel=2,partial=0.5)@3',
    "Coverage(aspects='relevant',weights='uniform')@4",
    'StRR',
    'StRR(level=0.5)@3',
    'P_IA@3',
    'P_IA',
    'RR_IA@4',
    'DCG_IA@3',
    "DCG_IA(gain='exp')",
    "RBP_IA(gain='linear')@4",
    'RBP_IA',
    'gERR_IA@4',
    "gERR_IA(gain='linear')",
    'RR_at_Recall',
    "RR_at_Recall(never='zero')@3",
    "RR_at_Recall(aspects='relevant')@4",
    "EU(gain='binary')@4",
    "EU(gain='binary',alpha=0.9)",
    "alpha_DCG_IA(gain='binary')@4",
    "gNRBP(gain='binary')",
    "ERR_over_aspects(over='all')@4",
    "ERR_over_aspects(over='all',mean='harmonic')",
    'UM@3',
    "UM(model=1,P='RBP')",
    "UM(model=2,P='RR')@4",
    "UM(model=4,P='DCG',gain='exp')@4",
    "UM_IA(model=2,P='RBP',gain='linear')@4",
    'CDG@3',
    'RRG@3',
    'RBTR@3',
    'DCG@3',
    'RRDCG@3',
    'RBAP@3',
    'DAG@3',
    'IA(M="RBU")@3',
    'IA(M="StRecall")@2',
    'Area(M="StRecall")',
    "CWL(gain='linear')@3",
    "CWL(C='INSQ',out='MAX')",
    "CWL(C='NDCG',out='PE',gain='linear')@3",
    "CWL(C='NERR9')@4",
    "CWL(C='NERR10',gain='linear',depth=20)",
    "CWL(out='SAT',gain='linear',p=0.4)",
    "CWL(C='SET',out='MEAN')@4",
    'P@3',
    'P(rel=2)@2',
    'RR',
    'RR@2',
    'Success@2',
    'RBP(rel=1)',
    'RBP(p=0.5,rel=2)',
    'ERR@3',
    'R@2',
    'R(rel=2)@3',
    'AP',
    'AP@2',
    'AP(rel=2)',
    'Rprec',
    'RAP@3',
    'CPR@3',
    "CPR(aspects='listed')@4",
    'sesDCG@1',
    'sesDCG',
    'sRBP@2',
    "sRBP(gain='linear',b=0.5)",
]
EXTREMES = [
    'alpha_nDCG@3',
    'alpha_nDCG(alpha=0.9,rel=2)@2',
    'alpha_nDCG',
    'nERR_IA@3',
    'nNRBP',
    'AP_IA',
    'nDCG_IA@3',
    'nDCG_IA',
    'Q_IA@3',
    'Q_IA',
    'D_nDCG@3',
    'D_nDCG(rel=2)',
    'D_Q@3',
    'D_Q',
    'D_ERR@3',
    'D_nERR@3',
    'D_EBR@3',
    'D_RBP',
    'Dsharp_nDCG@3',
    'Dsharp_Q',
    'Dsharp_ERR@3',
    'Dsharp_nERR',
    'Dsharp_EBR@2',
    'Dsharp_RBP',
    'DIN_nDCG@3',
    'DIN_nDCG',
    'DINsharp_nDCG@3',
    'GAP@3',
    'GAP',
    'EU(alpha=0.5)@4',
    'EU',
    'alpha_DCG_IA(alpha=0.9)@4',
    'gNRBP(alpha=0.9)',
    'CT(alpha=0.9)@4',
    'ACT',
    'CubeTest',
    'ACubeTest@3',
    'P_at_Recall',
    'P_at_Recall@4',
    'ERR_over_aspects@4',
    'UM(norm=True)@3',
    "UM(model=4,P='RBP',norm=True,gain='exp')",
    "UM_IA(alpha=0.9,gain='exp')@4",
    'ARR@3',
    'RRR',
    'EPR',
    'RRAP',
    "UM(model=1,P='AP',gain='exp')@3",
    "UM(model=2,P='ERR',gain='linear')@4",
    "UM(model=3,P='AP')@3",
    'RBU(gain="linear",aspects="listed")@4',
    "gERR_IA(aspects='listed')@3",
    'IA(M="alpha_nDCG")@3',
    'IA(M="D_Q")@3',
    'nDCG',
    'nDCG@3',
    "nDCG(dcg='exp-log2')@4",
    "CWL(C='AP')@4",
    "CWL(C='AP',out='ETU',gain='linear')",
    *(
        f"CWL(C={C!r},out={out!r},gain='linear',depth=12{further})"
        for C, further in {
            'RR': '',
            'INST': ',T=1.5',
            'BPM': ',T=1.3,K=6',
            'BPMD': ',T=1.1,K=6,hb=0.4',
            'IFTGoal': ',T=1,b1=.9,R1=3',
            'IFTRate': ',A=.3,b2=.9,R2=4',
            'IFTGoalRate': ',A=.3,b2=.9,R2=4,T=1,b1=.9,R1=3',
            'ERR': ',theta=0.7',
            'RRR': '',
            'NERR11': '',
        }.items()
        for out in ('EU', 'ED', 'MAX', 'MEAN')
        if (C, out) != ('NERR11', 'EU')
    ),
    "CWL(C='INST',out='ETC')",
    "CWL(C='NERR8',out='SAT')@4",
    "CWL(C='IFTRate',out='EC',A=.3,b2=.9,R2=4,depth=9)",
    "CWL(C='ERR',out='PE',peak=0.2)@3",
    "CWL(C='RRR',out='RR')@4",
    "CWL(C='BPM',out='LAST')",
]


def cases() -> list[tuple[dict, list[str]]]:
    """Judgments of one query and rankings with two unjudged documents, u and v."""
    judged = [
        {'d1': {'1': 2, '2': 0}, 'd2': {'1': 1, '2': 1}, 'n': {'1': 0, '3': 0}},
        {'d1': {'1': 1}, 'd2': {'2': 3}, 'd3': {'1': 3, '2': 1}, 'n': {'3': -1}},
        {'d1': {'1': 2}, 'd2': {'1': 2}, 'n': {'1': 0}},
        {'n': {'1': 0}},
    ]
    rankings = [
        ['u', 'd1', 'v', 'd2'],
        ['d2', 'u', 'n', 'v', 'd1'],
        ['u', 'v'],
        ['d1', 'd2', 'u'],
        ['d2', 'd1', 'n'],
    ]
    return [(grades, ranking) for grades in judged for ranking in rankings]


def assignments(grades: dict, ranking: list[str], listed: bool, rel: float):
    """The judgments with every assignment of whole grades, from 0 to the highest, to unjudged documents and aspects."""
    aspects = sorted({t for of in grades.values() for t in of})
    top = {t: max(of.get(t, 0) for of in grades.values()) for t in aspects}
    most = {
        t: top[t] if not listed or top[t] >= max(rel, 1) else max(top.values()) for t in aspects
    }
    most = {t: g for t, g in most.items() if listed or top[t] >= rel}  # T
    cells = [(d, t) for d in ranking if d not in grades for t in most]
    for chosen in itertools.product(*(range(max(most[t], 0) + 1) for _, t in cells)):
        given: dict = {d: dict(of) for d, of in grades.items()}
        for (d, t), grade in zip(cells, chosen):
            given.setdefault(d, {})[t] = grade
        yield given


def listed(made) -> bool:
    own = ours(made)
    return own is not None and own.facts.aspects is not None and own['aspects'] == 'listed'


def rel(made) -> float:
    return made.params.get('rel', 1)


def in_iterations(made, runs: dict) -> dict | pd.DataFrame:
    """The runs; for a measure of sessions with an iteration for every two ranks."""
    if getattr(ours(made), 'family', '') != 'sessions':
        return runs
    return pd.DataFrame(
        [
            (query, doc, score, 1 + i // 2)
            for query, run in runs.items()
            for i, (doc, score) in enumerate(run.items())
        ],
        columns=['query_id', 'doc_id', 'score', 'iteration'],
    )


@functools.cache
def assigned(listed: bool, rel: float) -> tuple[Judgments, dict]:
    """Every assignment of grades in :func:`cases`, each as a query."""
    qrels, runs = {}, {}
    for c, (grades, ranking) in enumerate(cases()):
        for i, given in enumerate(assignments(grades, ranking, listed, rel)):
            qrels[f'{c}-{i}'], runs[f'{c}-{i}'] = (
                given,
                {d: float(-r) for r, d in enumerate(ranking)},
            )
    return Judgments.of(qrels), runs


def values_by_query(made, judgments, runs: dict) -> dict[str, list[float]]:
    """The values of a measure for each query; those of the query a-b count as of a."""
    every: dict[str, list[float]] = {}
    for metric in Evaluator([made], judgments, warn=False).iter_calc(in_iterations(made, runs)):
        every.setdefault(metric.query_id.split('-')[0], []).append(metric.value)
    return every


def scores_of_each(made, qrels: dict, run: dict) -> dict[str, float]:
    """The scores of one ranking by many judgments."""
    found = Evaluator([made], qrels, warn=False).iter_calc({i: run for i in qrels})
    return {metric.query_id: metric.value for metric in found}


@over('text', SETTINGS)
@pytest.mark.filterwarnings('ignore:.*do not measure a ranking')
def test_bounds_are_the_least_and_largest_value_over_all_assignments(text):
    made = parse(text)
    qrels = {str(c): grades for c, (grades, _) in enumerate(cases())}
    run = {
        str(c): {d: float(-i) for i, d in enumerate(ranking)}
        for c, (_, ranking) in enumerate(cases())
    }
    found = bounds({'s': in_iterations(made, run)}, qrels, [made]).table.set_index('query_id')
    judgments, runs = assigned(listed(made), rel(made))
    every = values_by_query(made, judgments, runs)
    assert sum(map(len, every.values())) == len(runs) > 500
    assert set(found['grades']) == {ANY}
    for c, (grades, ranking) in enumerate(cases()):
        row = found.loc[str(c)]
        assert row['lower'] == pytest.approx(min(every[str(c)])), (grades, ranking)
        assert row['upper'] == pytest.approx(max(every[str(c)])), (grades, ranking)
        k = None if getattr(ours(made), 'family', '') == 'sessions' else made.params.get('cutoff')
        assert row['judged'] == pytest.approx(np.mean([d in grades for d in ranking[:k]]))


def random_cases(n: int = 40) -> tuple[pd.DataFrame, dict]:
    """Judgments with weights and types of up to three intents, and rankings with up to four unjudged documents."""
    rng = np.random.default_rng(7)
    rows, run = [], {}
    for c in range(n):
        aspects = [str(t) for t in range(1, rng.integers(1, 4) + 1)]
        weight = rng.dirichlet(np.ones(len(aspects))).round(3)
        kinds = rng.choice(['inf', 'nav'], len(aspects))
        judged = [f'd{d}' for d in range(rng.integers(1, 7))]
        rows += [
            (str(c), d, max(int(g), 0), t, w, kind)
            for d in judged
            for t, w, kind, g in zip(aspects, weight, kinds, rng.integers(-3, 4, len(aspects)))
        ]
        ranking = rng.permutation(
            [*judged[: rng.integers(0, len(judged) + 1)], *'uvwx'[: rng.integers(1, 5)]]
        )
        run[str(c)] = {d: float(-i) for i, d in enumerate(ranking.tolist())}
    columns = ['query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight', 'subtopic_type']
    return pd.DataFrame(rows, columns=columns), run


def completed(
    qrels: pd.DataFrame, run: dict, listed: bool, rel: float
) -> tuple[pd.DataFrame, dict]:
    """Every way to judge unjudged documents relevant to nothing, or as relevant as any to all aspects: as queries."""
    frames, runs = [], {}
    for query, frame in qrels.groupby('query_id', sort=False):
        top = frame.groupby('subtopic_id')['relevance'].transform('max')
        relevant = top >= max(rel, 1)
        top = top.where(relevant, top.max() if listed else 0)
        aspects = frame.assign(relevance=top).drop_duplicates('subtopic_id')
        unjudged = [d for d in run[query] if d not in set(frame['doc_id'])]
        for i, chosen in enumerate(itertools.product([False, True], repeat=len(unjudged))):
            name = f'{query}-{i}'
            of = [aspects.assign(doc_id=d) for d, one in zip(unjudged, chosen) if one]
            frames.append(pd.concat([frame, *of]).assign(query_id=name))
            runs[name] = run[query]
    return pd.concat(frames, ignore_index=True), runs


@functools.cache
def of_random_cases(
    listed_aspects: bool, lowest: float
) -> tuple[pd.DataFrame, dict[str, dict[str, list[float]]]]:
    """For all measures of one reading and lowest grade: the bounds, and the values of each completion of each query."""
    made = {text: parse(text) for text in EXTREMES}
    made = {text: m for text, m in made.items() if (listed(m), rel(m)) == (listed_aspects, lowest)}
    qrels, run = random_cases()
    found = bounds({'s': run}, qrels, list(made.values())).table
    judgments, runs = completed(qrels, run, listed_aspects, lowest)
    assert len(runs) > 200
    every: dict[str, dict[str, list[float]]] = {}
    for metric in Evaluator(list(made.values()), Judgments.of(judgments), warn=False).iter_calc(
        runs
    ):
        every.setdefault(str(metric.measure), {}).setdefault(
            metric.query_id.split('-')[0], []
        ).append(metric.value)
    assert all(sum(map(len, values.values())) == len(runs) for values in every.values())
    return found, every


@over('text', EXTREMES)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_bounds_of_normalised_measures_are_those_over_all_sets_of_relevant_documents(text):
    made = parse(text)
    found, every = of_random_cases(listed(made), rel(made))
    found = found[found['measure'] == str(made)].set_index('query_id')
    assert set(found['grades']) == {EXTREME} and len(found) == len(every[str(made)])
    for query, values in every[str(made)].items():
        row = found.loc[query]
        found_here = row['score'], row['lower'], row['upper']
        assert found_here == pytest.approx((values[0], min(values), max(values)), abs=1e-9)


@functools.cache
def completed_ranking(
    ranking: str, listed_aspects: bool, lowest: float
) -> tuple[pd.DataFrame, dict, Judgments, dict]:
    rows = [
        ('q', 'd0', 2, '1'),
        ('q', 'd0', 1, '2'),
        ('q', 'd1', 1, '1'),
        ('q', 'd2', 3, '2'),
        ('q', 'd3', 0, '1'),
    ]
    qrels = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])
    run = {'q': {d: float(-i) for i, d in enumerate(ranking.split())}}
    judgments, runs = completed(qrels, run, listed_aspects, lowest)
    return qrels, run, Judgments.of(judgments), runs


@over(
    'text',
    [
        'alpha_nDCG@2',
        'nERR_IA@2',
        'nDCG_IA@2',
        'Q_IA@2',
        'D_nDCG@2',
        'D_Q@2',
        'Dsharp_nDCG@2',
        'GAP@2',
        'CT@2',
        'AP@2',
        'R@2',
        'nDCG@2',
    ],
)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_bounds_with_many_unjudged_documents_below_the_cutoff(text):
    """Seven unjudged documents, of which up to six are below the cutoff: an ideal ranking has room for two."""
    made = parse(text)
    for ranking in ('t d0 u v w x y z d1', 'd1 d2 t u v w x y z'):
        qrels, run, judgments, runs = completed_ranking(ranking, listed(made), rel(made))
        every = [m.value for m in Evaluator([made], judgments, warn=False).iter_calc(runs)]
        assert len(every) == 2**7
        found = bounds({'s': run}, qrels, [made]).table.iloc[0]
        assert (found['lower'], found['upper']) == (
            pytest.approx(min(every)),
            pytest.approx(max(every)),
        ), ranking


def test_every_measure_has_bounds_or_says_why_not():
    """IA has the bounds of the measure inside, which by default is one of ir_measures."""
    answers = {
        measure.NAME: measure.unjudged
        for measure in catalogue()
        if 'length' not in measure.run_columns
    }
    assert UNKNOWN not in answers.values()
    assert all(len(answer) > 20 for answer in answers.values() if answer not in (ANY, EXTREME))
    bounded = {name for name, answer in answers.items() if answer in (ANY, EXTREME)}
    assert {parse(text).NAME for text in SETTINGS + EXTREMES} == {*bounded, 'IA', *AD_HOC}


@over(
    'text',
    [
        'alpha_nDCG@3',
        'nERR_IA@3',
        'nNRBP',
        'AP_IA',
        'nDCG_IA@3',
        'Q_IA@3',
        'D_nDCG@3',
        'D_Q@3',
        'D_RBP',
        'D_nERR@3',
        'D_ERR@3',
        'D_EBR@3',
        'GAP@3',
        'EU(alpha=0.5)@4',
        'alpha_DCG_IA(alpha=0.9)@4',
        'gNRBP(alpha=0.9)',
        'CT(alpha=0.9)@4',
        'UM(norm=True)@3',
        'nDCU@3',
        'Dsharp_nDCG@3',
        'nDCG@3',
        "ERR_over_aspects@4",
        "UM_IA(alpha=0.9,gain='exp')@4",
    ],
)
def test_measures_that_may_fall_go_beyond_the_two_extremes(text):
    """Some assignment gives less than no relevant document does, or more than all relevant."""
    made = parse(text)
    assert grades_of(made) != ANY
    for grades, ranking in cases():
        qrels = {
            str(i): given
            for i, given in enumerate(assignments(grades, ranking, listed(made), rel(made)))
        }
        every = scores_of_each(made, qrels, {d: float(-i) for i, d in enumerate(ranking)})
        extremes = every['0'], every[str(len(every) - 1)]
        if min(every.values()) < extremes[0] - 1e-9 or max(every.values()) > extremes[1] + 1e-9:
            return
    pytest.fail(f'{made} never goes beyond the extremes')


@over(
    'text, judged, types, ranking',
    [
        (
            'DIN_Q',
            {
                'd0': {'1': 1, '2': 3},
                'd1': {'2': 3},
                'd2': {'2': 3},
                'd3': {'1': 3},
                'd4': {'1': 0},
                'n': {'1': 0},
            },
            {'1': 'nav', '2': 'inf'},
            ['u', 'd1', 'd2', 'n', 'm', 'v', 'd4', 'd3', 'w', 'x'],
        ),
        (
            'PplusQ',
            {'d0': {'1': 0}, 'd1': {'1': 2}, 'd2': {'1': 3}, 'd5': {'1': 1}, 'n': {'1': 0}},
            {'1': 'nav'},
            ['d0', 'n', 'u', 'd1', 'v', 'w', 'm', 'l', 'd5'],
        ),
    ],
)
def test_where_the_first_and_the_last_documents_are_not_enough(text, judged, types, ranking):
    """Other unjudged documents, judged relevant, give more or less than the first and the last m do."""
    made = parse(text)
    judged = {**judged, 'm': {'1': 0}, 'l': {'1': 0}}
    rows = [('q', d, g, t, types[t]) for d, of in judged.items() for t, g in of.items()]
    qrels = pd.DataFrame(
        rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'subtopic_type']
    )
    run = {'q': {d: float(-i) for i, d in enumerate(ranking)}}
    judgments, runs = completed(qrels, run, False, 1)
    every = [m.value for m in Evaluator([made], judgments, warn=False).iter_calc(runs)]
    unjudged = np.array([[d in 'uvwx' for d in ranking]])
    tried: set[tuple[bool, ...]] = set()

    def note(chosen: np.ndarray) -> np.ndarray:
        tried.add(tuple(chosen[unjudged].tolist()))
        return np.zeros(1)

    _of(note, unjudged, None, EXTREME)
    number = {
        chosen: i
        for i, chosen in enumerate(itertools.product([False, True], repeat=int(unjudged.sum())))
    }
    known = [every[number[chosen]] for chosen in tried]
    assert min(known) > min(every) + 1e-9 or max(known) < max(every) - 1e-9
    assert grades_of(made).startswith('with some of the unjudged documents relevant')


def test_average_precision_by_hand():
    """R = 1 at rank 2 of three, u and v unjudged: 1/2; u 1 of 2 and 2 of 2; v (1/2 + 2/3)/2; both (1 + 1 + 1)/3."""
    found = bounds(
        {'s': {'q': {'u': 3.0, 'd': 2.0, 'v': 1.0}}}, {'q': {'d': {'1': 1}}}, 'AP AP@2'
    ).table
    assert found[['score', 'lower', 'upper']].to_numpy() == pytest.approx(
        np.array([[1 / 2, 1 / 2, 1], [1 / 2, 1 / 4, 1]])
    )  # AP@2 with v relevant: 1/2 of 2


def test_bounds_in_processes_are_those_of_one():
    qrels, run = random_cases()
    runs = {name: run for name in 'abc'}
    with pytest.warns(DivMeasuresWarning, match='DIN_Q'):
        one, two = (
            bounds(runs, qrels, 'RBU@3 alpha_nDCG@3 DIN_Q@3 AP', jobs=jobs).table for jobs in (1, 2)
        )
    pd.testing.assert_frame_equal(one, two)


def test_precision_at_full_recall_falls_with_a_document_that_completes_it_early():
    """u of both aspects at rank 2 gives 1/2; without it three documents of five are relevant."""
    judged = {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'1': 1, '2': 1}}
    run = {'q': {d: -float(i) for i, d in enumerate(['n', 'u', 'd1', 'd2', 'd3'])}}
    for grades, value in ((judged, 3 / 5), ({**judged, 'u': {'1': 1, '2': 1}}, 1 / 2)):
        assert evaluate({'s': run}, {'q': grades}, 'P_at_Recall').values.item() == pytest.approx(
            value
        )


def test_the_bounds_of_rank_biased_precision_are_its_residual():
    """p = 0.8: unjudged at ranks 2 and 3 add 0.2 · (0.8 + 0.64) to 0.2; what lies below the run is not counted."""
    found = bounds(
        {'s': {'q': {'d1': 3.0, 'u': 2.0, 'v': 1.0}}}, {'q': {'d1': {'1': 1}}}, 'RBP_IA(p=0.8)'
    )
    row = found.table.iloc[0]
    assert (row['lower'], row['upper']) == pytest.approx((0.2, 0.2 + 0.2 * (0.8 + 0.64)))
    assert row['judged'] == pytest.approx(1 / 3)


def test_scores_are_those_of_evaluate_and_means_are_means():
    runs = {
        'a': {'q1': {'d1': 2.0, 'u': 1.0}, 'q3': {'u': 1.0}},
        'b': {'q2': {'u': 2.0, 'd2': 1.0}},
    }
    qrels = {'q1': {'d1': {'1': 1}, 'n': {'2': 1}}, 'q2': {'d2': {'1': 2}}}
    found = bounds(runs, qrels, 'RBU@2 StRecall@2')
    with pytest.warns(DivMeasuresWarning, match='lack'):
        scores = evaluate(runs, qrels, 'RBU@2 StRecall@2')
    assert found.table.set_index(['system', 'query_id', 'measure'])[
        'score'
    ].to_dict() == pytest.approx(
        scores.to_frame().set_index(['system', 'query_id', 'measure'])['value'].to_dict()
    )
    means = found.means().set_index(['system', 'measure'])
    shown = ['judged', 'score', 'lower', 'upper']
    assert means.loc[('a', 'StRecall@2'), shown].tolist() == pytest.approx([0.25, 0.25, 0.25, 0.5])
    assert means.loc[('b', 'StRecall@2'), shown].tolist() == pytest.approx([0.25, 0.5, 0.5, 0.5])


def test_costs_of_documents_matter_to_the_bounds():
    """A user who wants a gain of 1 and reads on while costs are below 4: all 2^3 judgments by hand's program."""
    run = pd.DataFrame(
        [('q', 'u', 4.0, 2.0), ('q', 'd1', 3.0, 0.5), ('q', 'v', 2.0, 1.0), ('q', 'w', 1.0, 3.0)],
        columns=['query_id', 'doc_id', 'score', 'cost'],
    )
    made = "CWL(C='BPM',out='EC',T=2,K=4,depth=6)"
    every = []
    for u, v, w in itertools.product([0, 1], repeat=3):
        qrels = {'q': {'d1': 1, 'u': u, 'v': v, 'w': w}}
        every.append(evaluate({'s': run}, qrels, made).values.item())
    row = bounds({'s': run}, {'q': {'d1': 1}}, made).table.iloc[0]
    assert (row['score'], row['lower'], row['upper']) == pytest.approx(
        (every[0], min(every), max(every))
    )
    # u is relevant: stops at rank 2 after costs 2 and .5; else nothing stops the user before cost 4 is reached.
    assert (row['lower'], row['upper']) == pytest.approx(((2 + 0.5 + 1) / 3, (2 + 0.5 + 1 + 3) / 4))


def test_a_registered_continuation_has_no_bounds():
    register_continuation('Mine', lambda gains, costs: 0.5 + 0 * gains)
    register_aggregation('Mine', lambda gains, costs: gains)
    try:
        for name in ("CWL(C='Mine')", "CWL(out='Mine')"):
            with pytest.raises(ValueError, match='registered and may depend in any way'):
                bounds({'s': {'q': {'d1': 1.0}}}, {'q': {'d1': 1}}, name)
    finally:
        unregister_continuation('Mine')
        unregister_aggregation('Mine')


def test_refusals():
    run, qrels = {'s': {'q': {'d1': 1.0}}}, {'q': {'d1': {'1': 1, '2': 1}}}
    with pytest.warns(
        DivMeasuresWarning,
        match=r'1 of 2 measures have no bounds and are omitted.*nDCU@5: .*EU has',
    ):
        found = bounds(run, qrels, 'nDCU@5 RBU@5')
    assert set(found.refused) == {'nDCU@5'} and set(found.table['measure']) == {'RBU@5'}
    for name, said in {
        'Judged@5': 'P, RR, Success',
        'RBU(judged_only=True)@5': 'judged_only',
        'CWL(residual=True)@5': 'residual=True',
        "CWL(C='AP',out='EC')@5": 'looks ahead',
        'P(judged_only=True)@5': 'judged_only',
        'IA(M="nDCG")@5': 'nDCG',
        'UM(P="AP",norm=True)': 'norm',
        'IA(M="nDCU")@5': 'EU',
        'nDCG(gains={0:0,1:3})@5': 'one by one',
    }.items():
        with pytest.raises(ValueError, match=f'no bounds: .*{said}'):
            bounds(run, qrels, name)
    with pytest.raises(ValueError, match='no bounds: ERR@5: ir_measures computes it on its own'):
        bounds(run, {'q': {'d1': {'1': 9}}}, 'ERR@5')  # gdeval's grades go up to 4
