"""Innovation: pools, the measures of MEASURES.md section 7, and the experiment over the systems being compared."""

import random

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import parse_measure

import ir_divmeasures as dm
from ir_divmeasures.core import registry
from ir_divmeasures.terrier import Experiment

from .builders import QUICK, expect_error, expect_warning, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

# Three systems, one query. S_d: d1 3, d2 2, d3 1, d4 0; S = 3; relevant: d1 (2), d2 (1), d3 (1), d4 (1).
RUNS = {
    'A': {'q': {'d1': 4.0, 'x': 3.0, 'd2': 2.0, 'd3': 1.0}},
    'B': {'q': {'d2': 2.0, 'd1': 1.0}},
    'C': {'q': {'x': 2.0, 'd1': 1.0}},
}
QRELS = {'q': {'d1': 2, 'd2': 1, 'd3': 1, 'd4': 1, 'x': 0, 'y': -1}}


def value(name, qrels=None, run=None):
    qrels = dm.with_rareness(QRELS, RUNS) if qrels is None else qrels
    return ir_measures.calc_aggregate(
        [parse_measure(name)], qrels, RUNS['A'] if run is None else run
    )[parse_measure(name)]


def test_a_pool_of_one_knows_no_rarity():
    judged = dm.with_rareness(QRELS, {'A': RUNS['A']})
    assert value('P_Rareness@4', judged) == value('P_Rareness(alpha=0)@4', judged) == 3 / 4
    assert value('P_Rareness(norm=True)@4', judged) == value('Rareness@4', judged) == 0


def test_a_cutoff_deeper_than_the_pool_is_an_error():
    """Three identical runs of 300 documents: the one relevant document at rank 150 is not rare."""
    run = {'q': {f'd{i:03d}': 300.0 - i for i in range(300)}}
    runs, grades = dict.fromkeys(('a', 'b', 'c'), run), {'q': {'d149': 1, 'd199': 1}}
    judged, whole = (dm.with_rareness(grades, runs, depth=depth) for depth in (100, None))
    with expect_error(
        r'P_Rareness@200: the cutoff 200 is deeper than the pool, whose depth is 100'
    ):
        value('P_Rareness@200', judged, run)
    with expect_error(r"no cutoff, but the run has 300 documents for query 'q' and the .* 100"):
        value('AP_Rareness', judged, run)
    with expect_error(
        r"judged_only=True\)@1: query 'q': it has document 'd149' at rank 150, below"
    ):
        value('P_Rareness(judged_only=True)@1', judged, run)
    assert value('P_Rareness@100', judged, run) == 0
    within = dm.with_rareness({'q': {'d009': 1, 'd099': 1}}, {'s': run})
    assert value('P_Rareness(judged_only=True)@2', within, run) == 1
    assert value('P_Rareness@200', whole, run) == pytest.approx(0.01)
    assert value('P_Rareness', whole, run) == pytest.approx(2 / 300)


def test_a_run_that_is_no_member():
    judged = dm.with_rareness(QRELS, RUNS)
    for document in ('d4', 'y'):  # judged, relevant or not, and nobody's
        with expect_error(
            rf"not a member of the pool .* query 'q': it has document '{document}' at "
            r'rank 1, which no system retrieves; .*newcomer=True'
        ):
            value('P_Rareness@1', judged, {'q': {document: 1.0}})
    deep = {'q': {**{f'u{i:03d}': 200.0 - i for i in range(100)}, 'd4': 1.0}}
    assert value('P_Rareness@100', judged, deep) == 0  # at rank 101 it is below the depth


INNOVATION = [m for m in registry.catalogue() if m.family == 'innovation']


@pytest.mark.filterwarnings('ignore:.*They are scored 0')
@over('depth, grouped', [(8, False), (None, True)])
def test_a_newcomer_scores_what_it_would_as_a_member(depth, grouped):
    """Newcomer to the pool without it = member of the pool with it, exactly, by every innovation measure."""
    qrels, runs = random_collection(12, systems=5, subtopics=2)  # no measure is 0 for all systems
    if depth:
        runs = {
            s: {q: dict(sorted(docs.items())[:12]) for q, docs in run.items()}
            for s, run in runs.items()
        }
    pool = dm.pools.Pool.from_runs(
        runs, depth=depth, groups=(lambda s: f'team {int(s[1]) // 2}') if grouped else None
    )
    asked = [made(cutoff=8) for made in INNOVATION]
    asked += [m(judged_only=True) for m in INNOVATION] if depth is None else []
    asked += [m(of='intent') for m in asked if 'of' in m.SUPPORTED_PARAMS]
    if depth:
        asked += dm.measures("IA(M='P_Rareness')@5 IA(M='nDCG_Rareness')@5 IA(M='UniqueRecall')@8")
    assert len(INNOVATION) == 7
    judged, everyone = pool.judgments(qrels), pool.scores(runs, qrels, asked)
    some = everyone.values.any(axis=(0, 1))
    assert all(some[[m.all_params.get('of') != 'intent' for m in asked]])
    for place, (system, run) in list(enumerate(runs.items()))[3:4]:
        rest = pool.without(system)
        group = pool.groups[pool.systems.index(system)]
        outside = rest.judgments(qrels, newcomer=group if grouped else True)
        as_newcomer = ir_measures.calc(asked, outside, run)[1]
        assert {(m.query_id, m.measure): m.value for m in as_newcomer} == {
            (m.query_id, m.measure): m.value for m in ir_measures.calc(asked, judged, run)[1]
        }
        scores = rest.scores(
            {system: run}, qrels, asked, groups={system: group} if grouped else None
        )
        np.testing.assert_array_equal(scores.values[0], everyone.values[place])


def test_newcomers_do_not_count_for_one_another():
    pool = dm.pools.Pool.from_runs(RUNS)
    new = {'X': {'q': {'d4': 1.0}}, 'Y': {'q': {'d4': 1.0}}}
    both = pool.scores(new, QRELS, 'P_Rareness@1')
    assert (
        both.values.ravel().tolist()
        == [1.75, 1.75]
        == [pool.scores({s: run}, QRELS, 'P_Rareness@1').values.item() for s, run in new.items()]
    )


def random_collection(seed, systems=6, subtopics=1):
    """Judgments, runs and their rankings; scores tie, runs lack queries, documents are unjudged or never retrieved."""
    rng = random.Random(seed)
    documents = [f'd{i}' for i in range(30)]
    queries = [f'q{i}' for i in range(4)]
    qrels = {
        q: {
            d: {str(t): rng.choice([-1, 0, 0, 1, 2, 3]) for t in range(rng.randint(1, subtopics))}
            for d in rng.sample(documents, 15)
        }
        for q in queries
    }
    qrels['q3'] = {d: {'0': 0} for d in qrels['q3']}
    runs = {
        f's{i}': {
            q: {d: float(rng.randint(0, 9)) for d in rng.sample(documents, rng.randint(1, 25))}
            for q in queries
            if q == 'q0' or rng.random() < 0.9
        }
        for i in range(systems)
    }
    return qrels, runs


# ------------------------------------------------------------------------------------------------------ the pool


def test_depth_groups_newcomer():
    """S_d of d1, d2, d3, d4, x and y, and S."""

    def counts(column='n_retrieved', **settings):
        table = dm.with_rareness(QRELS, RUNS, **settings).set_index('doc_id')
        return [
            *table.loc[[*['d1', 'd2', 'd3', 'd4', 'x', 'y']], column],
            table['n_systems'].iloc[0],
        ]

    two = {'A': 'one', 'B': 'one', 'C': 'two'}
    assert counts() == [3, 2, 1, 0, 2, 0, 3]
    assert counts(depth=1) == [1, 1, 0, 0, 1, 0, 3]
    assert counts(groups=two) == [2, 1, 1, 0, 2, 0, 2]
    assert counts(groups=lambda system: 'all') == [1, 1, 1, 0, 1, 0, 1]
    assert counts(newcomer=True) == [3, 2, 1, 0, 2, 0, 4]
    assert counts('newcomer', groups=two, newcomer='one') == [0, 0, 0, 1, 0, 1, 2]
    # without groups each system is one
    assert counts('newcomer', newcomer='C')[:-1] == [0, 1, 1, 1, 0, 1]


# -------------------------------------------------------------------------------------------------------- errors


@over(
    'call, message',
    [
        (
            lambda: dm.with_rareness(QRELS, {'A': RUNS['A'], 'Z': {'q9': {'d1': 1.0}}}),
            "system 'Z': none of the queries of its run is judged",
        ),
        (
            lambda: dm.with_rareness(QRELS, [('A', RUNS['A']), ('A', RUNS['B'])]),
            r"two systems are named 'A': run 1 \(dict\) and run 2 \(dict\)",
        ),
        (
            lambda: dm.with_rareness(QRELS, RUNS, groups={'A': '1', 'B': '1'}),
            "does not name the group of system 'C'",
        ),
        *(
            (lambda depth=depth: dm.with_rareness(QRELS, RUNS, depth=depth), 'depth=')
            for depth in (0, 'ten', float('nan'), True)
        ),
        (
            lambda: parse_measure('P_Rareness(alpha=2,norm=True)'),
            r'alpha=2: expected a number in \[0, 1\] when norm=True',
        ),
        (lambda: dm.P_Rareness(alpha=-1), r"alpha=-1.0: expected a number in \[0, inf\) or 'auto'"),
        (
            lambda: value('P_Rareness@5', qrels=QRELS),
            r"needs judgments with a column 'n_retrieved', which "
            r'ir_divmeasures\.with_rareness adds',
        ),
    ],
)
def test_bad_input(call, message):
    refused(message, call)


@over(
    'column, found, message',
    [
        ('n_retrieved', 'many', "document 'd1'"),
        (
            'newcomer',
            1,
            "document 'd1': n_retrieved is 3, expected at most n_systems − newcomer",
        ),
        ('pool_depth', -5, 'pool_depth is -5, expected a whole number of at least 0'),
        ('n_systems', 4, "query 'q' has several values of n_systems"),
    ],
)
def test_bad_columns(column, found, message):
    judged = dm.with_rareness(QRELS, RUNS).astype({column: object})
    judged.loc[0, column] = found
    refused(message, value, 'P_Rareness@5', qrels=judged)


# ---------------------------------------------------------------------------------------------------- experiment

TOPICS = pd.DataFrame(
    {'qid': [str(q) for q in range(1, 7)], 'query': [f'query {q}' for q in range(1, 7)]}
)
JUDGED = pd.DataFrame(
    [(str(q), f'd{d}', (d * q) % 3) for q in range(1, 7) for d in range(40)],
    columns=['qid', 'docno', 'label'],
)
ASKED = dm.measures("P_Rareness@10 AP_Rareness P@10 AP nDCG@10")


class Stepping(pt.Transformer):
    """Retrieves every n-th document."""

    def __init__(self, step):
        self.step = step

    def transform(self, inp):
        rows = [
            (q.qid, q.query, f'd{(i * self.step + int(q.qid)) % 40}', 10.0 - i, i)
            for q in inp.itertuples()
            for i in range(10)
        ]
        return pd.DataFrame(rows, columns=['qid', 'query', 'docno', 'score', 'rank'])

    def __repr__(self):
        return f'Stepping({self.step})'


def experiment(systems, *names, judged=JUDGED, asked=ASKED, **options):
    return Experiment(systems, TOPICS, judged, asked, *names, **options)


def two():
    return [Stepping(1), Stepping(3)]


def assert_scores(table, wanted):
    np.testing.assert_allclose(table[[str(m) for m in ASKED]], wanted.means(), rtol=1e-12)


def test_experiment_pool_depth_groups():
    extra = {'official': Stepping(7)(TOPICS)}
    settings = {'depth': 10, 'groups': lambda system: 'theirs' if system == 'official' else 'ours'}
    frames = {str(system): system(TOPICS) for system in two()}
    everyone = dm.pools.Pool.from_runs({**frames, **extra}, **settings)
    for pool in (extra, dm.pools.Pool.from_runs(extra, **settings)):
        assert_scores(
            experiment(two(), pool=pool, **settings), everyone.scores(frames, JUDGED, ASKED)
        )


def test_experiment_on_judgments_that_carry_a_pool():
    """They are used, or a warning says that they are not."""
    pool = dm.pools.Pool.from_runs({'x': Stepping(7)(TOPICS), 'y': Stepping(9)(TOPICS)})
    carrying = pool.judgments(JUDGED, newcomer=True)
    table = experiment(two(), judged=carrying)
    assert_scores(
        table, pool.scores({str(system): system(TOPICS) for system in two()}, JUDGED, ASKED)
    )
    assert table['P_Rareness@10'][0] != experiment(two())['P_Rareness@10'][0]
    further = {'z': Stepping(11)(TOPICS)}
    with expect_warning('the judgments carry a pool, which is not used'):
        other = experiment(two(), judged=carrying, pool=further)
    pd.testing.assert_frame_equal(other, experiment(two(), pool=further))
    with expect_error('groups: the judgments carry a pool'):
        experiment(two(), judged=carrying, groups=lambda system: 'we')
    refused('not a member of the pool', experiment, two(), judged=pool.judgments(JUDGED))


@QUICK
def test_experiment_baseline_perquery_highlight(quick):
    """The quick form corrects no p-values, for which PyTerrier imports statsmodels."""
    systems = {'a': Stepping(1), 'b': Stepping(3)}
    options, ending = ({}, '') if quick else ({'correction': 'holm'}, ' corrected')
    table = experiment(systems, baseline='a', **options)
    assert f'P_Rareness@10 p-value{ending}' in table.columns and [*table['name']] == ['a', 'b']
    both = experiment(systems, perquery='both')
    assert len(both[1]) == 2 * 6 * len(ASKED)
    assert experiment(systems, highlight='bold').data['AP'].equals(table['AP'])


def test_experiment_on_subtopics(tmp_path):
    diverse = JUDGED.assign(subtopic_id=JUDGED['docno'].str[-1])
    asked = dm.measures('StRecall@10 P_Rareness@10')
    table = experiment(two(), judged=diverse, asked=asked)
    path = tmp_path / 'qrels'
    dm.write_qrels(diverse, path)
    pd.testing.assert_frame_equal(table, experiment(two(), judged=str(path), asked=asked))


def test_experiment_errors():
    with expect_error("baseline='abc': no such system; did you mean 'abd'"):
        experiment({'abd': Stepping(1), 'x': Stepping(3)}, baseline='abc')
    for options in ({'save_dir': 'folder'}, {'asked': [*ASKED, 'mrt']}):
        refused('save_dir and mrt .* call pt.Experiment', experiment, [Stepping(1)], **options)
    refused('1 names for 2 systems', experiment, two(), ['a'])
    with expect_error("system 'a' has two different rankings: one in each of the pools"):
        experiment([Stepping(1)], ['a'], pool={'a': Stepping(3)(TOPICS)})
    same = experiment([Stepping(1), Stepping(1)])  # as pt.Experiment allows
    assert list(same['name']) == ['Stepping(1)'] * 2
