"""Inside the real hosts: ir_measures and pt.Experiment, with every form of judgments and runs they take."""

import warnings
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures.providers import FallbackProvider

from ir_divmeasures import measures, read_qrels, read_run, topic_level
from ir_divmeasures.core.registry import parse, registry
from ir_divmeasures_plugin import register_provider

from .builders import (
    expect_error,
    expect_warning,
    judgment_table,
    over,
    quietly,
    random_query,
    run_of,
    run_table,
    table_of,
)
from .fresh import printed

pytestmark = pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')  # small, made-up data

NumQ, P, nDCG = (ir_measures.measures.registry[n] for n in ('NumQ', 'P', 'nDCG'))
ADHOC = measures(
    "nDCG@5 nDCG nDCG(dcg='exp-log2')@10 nDCG(gains={0:0,1:1,2:5})@5 P@3 P(rel=2)@3 AP AP@5 AP(rel=2) "
    'AP(judged_only=True) RR RR(rel=2) RR(judged_only=True) ERR@10 RBP(rel=1) RBP(p=0.5,rel=2) '
    'Judged@5 R@5 NumQ Bpref Success@3 SetP SetF Rprec NumRel NumRet NumRelRet IPrec@0.2'
)
OURS = "RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 Dsharp_nDCG@20 StRecall@5 AP_IA IA(M='P@3')"


def without_us():
    """ir_measures as it is without this package."""
    return FallbackProvider(
        [p for p in ir_measures.DefaultPipeline.providers if p.NAME != 'divmeasures']
    )


def alone(asked, qrels, run):
    """What ir_measures without this package scores, one measure at a time: in a call together its measures inherit one
    another's gains and judged_only, which ones depending on PYTHONHASHSEED."""
    return {
        key: v for m in asked for key, v in flat(without_us().iter_calc([m], qrels, run)).items()
    }


def queries(seed=7, n=8):
    rng = np.random.default_rng(seed)
    return {f'{i + 101}': random_query(rng) for i in range(n)}  # gdeval takes numbers only


@pytest.fixture(scope='module')
def diversity():
    found = {n: q for n, q in queries().items() if q.ranking}
    table = table_of(found)[['query_id', 'doc_id', 'relevance', 'subtopic_id']]
    return table.assign(relevance=table['relevance'].clip(lower=0).astype(int)), run_of(found)


def flat(metrics):
    return {(m.query_id, str(m.measure)): float(m.value) for m in metrics}


class TrecSubQrel(NamedTuple):
    """As ir_datasets has it."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


def forms(table):
    nested = {}
    for q, d, g, s in table.itertuples(index=False):
        nested.setdefault(q, {}).setdefault(d, {})[s] = g
    return {
        'subtopic_id': table,
        'iteration': table.rename(columns={'subtopic_id': 'iteration'}),
        'PyTerrier': table.rename(
            columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
        ),
        'both': table.assign(iteration='0'),
        'read': read_qrels(table),
        'nested': nested,
        'Qrel': [ir_measures.Qrel(q, d, g, s) for q, d, g, s in table.itertuples(index=False)],
        'TrecSubQrel': [TrecSubQrel(*row) for row in table.itertuples(index=False)],
    }


# ------------------------------------------------------------------------------------------------ ir_measures


def test_every_form_of_judgments(diversity):
    table, run = diversity
    asked = measures(OURS) + ADHOC
    expected = flat(ir_measures.iter_calc(asked, table, run))
    assert len(expected) == len(asked) * table['query_id'].nunique()
    given = forms(table)
    for form, judgments in {**given, 'generator': (row for row in given['Qrel'])}.items():
        found = flat(ir_measures.iter_calc(asked, judgments, run))
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), form


def test_every_form_of_runs(diversity, tmp_path):
    table, run = diversity
    asked = measures(OURS) + ADHOC
    expected = flat(ir_measures.iter_calc(asked, table, run))
    rows = [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)]
    path = tmp_path / 'a.run'
    path.write_text(''.join(f'{r.query_id} Q0 {r.doc_id} 1 {r.score} t\n' for r in rows))
    names = {'query_id': 'qid', 'doc_id': 'docno'}
    by_query = run.groupby('query_id')
    for form, given in {
        'PyTerrier': run.rename(columns=names).assign(rank=0, query='x'),
        'dict': {q: dict(zip(part['doc_id'], part['score'])) for q, part in by_query},
        'namedtuples': rows,
        'generator': (row for row in rows),
        'shuffled': run.sample(frac=1, random_state=1),
        'file': read_run(path),
    }.items():
        assert flat(ir_measures.iter_calc(asked, table, given)) == expected, form


def test_calc_aggregate_and_evaluator_agree(diversity):
    table, run = diversity
    asked = [*measures(OURS), nDCG @ 5, NumQ]
    per_query = flat(ir_measures.iter_calc(asked, table, run))
    evaluator = ir_measures.evaluator(asked, table)
    both = ir_measures.calc(asked, table, run)
    assert flat(both.per_query) == per_query == flat(evaluator.iter_calc(run))
    assert (
        both.aggregated
        == evaluator.calc_aggregate(run)
        == ir_measures.calc_aggregate(asked, table, run)
    )
    for m in asked:
        of_m = [v for (_, name), v in per_query.items() if name == str(m)]
        assert both.aggregated[m] == pytest.approx(sum(of_m) if m == NumQ else np.mean(of_m))
    assert registry['RBU'].calc_aggregate(table, run) == registry['RBU'].calc(table, run).aggregated


def test_our_provider_used_directly(diversity):
    table, run = diversity
    provider = ir_measures.providers.registry['divmeasures']
    asked = [*measures(OURS), nDCG @ 5, P @ 3]
    expected = flat(ir_measures.iter_calc(asked, table, run))
    assert flat(provider.evaluator(asked, table).iter_calc(run)) == expected
    assert flat(provider.iter_calc(asked, table, run)) == expected
    assert (
        flat(provider.evaluator([*OURS.split(), 'nDCG@5', 'P@3'], table).iter_calc(run)) == expected
    )
    assert (
        provider.is_available()
        and provider.supports(parse('RBU(p=0.3)@7'))
        and provider.supports(nDCG @ 3)
    )
    assert {m.NAME for m in provider.SUPPORTED_MEASURES} == {m.NAME for m in registry.values()}


def test_path_in_place_of_judgments():
    with expect_error(
        r"found the text 'qrels.txt'; .*ir_divmeasures.read_qrels\('qrels.txt'\)", TypeError
    ):
        ir_measures.calc_aggregate([registry['RBU']], 'qrels.txt', {'1': {'d1': 1.0}})


def test_inputs_that_hosts_ask_for():
    assert set(ir_measures.run_inputs(measures(OURS))) == {'query_id', 'doc_id', 'score'}
    assert set(ir_measures.qrel_inputs([registry['RBU'], nDCG])) == {
        'query_id',
        'doc_id',
        'relevance',
    }
    assert 'document_similarity' in ir_measures.qrel_inputs([registry['DocSim']])


def test_missing_column_is_named(diversity):
    with expect_error(
        "DocSim@5 needs judgments with a column 'document_similarity'.*with_similarity"
    ):
        ir_measures.calc_aggregate([registry['DocSim'] @ 5], *diversity)


# ---------------------------------------------------------------------------------------------- ad-hoc measures


def check_adhoc(expected, given, run):
    """Ad-hoc measures have these values, alone and beside ours.

    One is asked at a time where the host computes them: in its call of several, one measure can inherit the gains of
    another, which depends on the seed of Python's hashes.
    """
    for calls in ([[each] for each in ADHOC], [ADHOC + measures(OURS)]):
        with quietly():
            found = [flat(ir_measures.iter_calc(call, given(), run)) for call in calls]
        values = {k: v for each in found for k, v in each.items() if k in expected}
        assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_adhoc_measures_see_the_topic_level(diversity):
    table, run = diversity
    check_adhoc(alone(ADHOC, topic_level(table), run), lambda: table, run)


def test_adhoc_measures_on_one_row_per_document_stay_as_they_were():
    table = table_of(queries(9)).drop_duplicates(['query_id', 'doc_id'])
    table = table[['query_id', 'doc_id', 'relevance']].astype({'relevance': int})
    assert (table['relevance'] < 0).any()
    run, by_query = run_of(queries(9)), table.groupby('query_id')

    rows = [ir_measures.Qrel(*row) for row in table.itertuples(index=False)]
    expected = alone(ADHOC, table, run)
    for given in (
        table,
        table.assign(iteration='0'),
        {q: dict(zip(part['doc_id'], part['relevance'])) for q, part in by_query},
        rows,
    ):
        check_adhoc(expected, lambda given=given: given, run)
    check_adhoc(expected, lambda: iter(rows), run)


def test_adhoc_scores_of_a_query_do_not_depend_on_other_queries():
    """In a batch where no document has a second subtopic, grades below 0 mean what they mean in the whole."""
    table = judgment_table(
        [
            ('1', 'd1', 1, '1'),
            ('1', 'd2', -2, '1'),
            ('1', 'd3', 0, '1'),
            ('2', 'd1', 1, '1'),
            ('2', 'd1', 1, '2'),
        ]
    )
    run = run_table([(q, d, s) for q in '12' for s, d in enumerate(['d1', 'd3', 'd2'])])
    asked = [
        m for m in ADHOC if not m.params.get('judged_only')
    ]  # the host's judged_only is another one
    together = flat(ir_measures.iter_calc(asked, table, run))
    first = table[table['query_id'] == '1']
    alone = {}
    for measure in asked:  # the host lets measures of one call inherit gains
        alone |= flat(ir_measures.iter_calc([measure], first, run))
    assert {k: v for k, v in together.items() if k[0] == '1'} == pytest.approx(alone, rel=1e-12)


def test_query_with_grades_below_zero_only():
    """trec_eval's library crashes on it."""
    nested = {'1': {'d1': -2}, '2': {'d1': 1, 'd2': -2}}
    rows = [(q, d, grade) for q, of in nested.items() for d, grade in of.items()]
    table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance'])
    run = {'1': {'d1': 1.0}, '2': {'d2': 2.0, 'd1': 1.0}}
    for given in (table, nested):
        found = flat(ir_measures.iter_calc(ADHOC, given, run))
        assert found['1', 'nDCG'] == 0 and found['1', 'Judged@5'] == 1 and found['2', 'RR'] == 0.5


@over('nested', [{'q': {'d1': {'1': 2}, 'd2': {'2': 1}}}, {'q': {'d1': {'1': 2, '2': 1}}}])
def test_adhoc_measures_on_nested_dicts(nested):
    found = ir_measures.calc_aggregate([P @ 1, registry['StRecall']], nested, {'q': {'d1': 1.0}})
    assert found[P @ 1] == 1


def test_measures_defined_at_run_time_see_the_raw_judgments(diversity):
    table, run = diversity
    seen = {}

    def rows(qrels, run):
        seen['columns'] = set(qrels.columns)
        return len(qrels)

    mine = ir_measures.define_byquery(rows, name='Rows')
    found = flat(ir_measures.iter_calc([mine, registry['RBU'] @ 20, nDCG @ 5], table, run))
    assert 'subtopic_id' in seen['columns']
    for query, part in table.groupby('query_id'):
        assert found[query, 'Rows'] == len(part)


# -------------------------------------------------------------------------------------------------------- peers


def test_two_settings_in_a_call():
    """pyndeval's provider scores 0 for the second one."""
    found = queries(14)
    asked = [parse('alpha_nDCG(alpha=0.1)@10'), parse('alpha_nDCG(alpha=0.9)@10')]
    result = ir_measures.calc_aggregate(asked, table_of(found), run_of(found))
    assert len(set(result.values())) == 2 and min(result.values()) > 0


# --------------------------------------------------------------------------------------------------- PyTerrier


@pytest.fixture(scope='module')
def experiment():
    """Topics, judgments with subtopics in PyTerrier's columns, and three systems as DataFrames."""
    found = {n: q for n, q in queries(17, 9).items() if q.ranking}
    table = table_of(found)[['query_id', 'doc_id', 'relevance', 'subtopic_id']]
    table['relevance'] = table['relevance'].astype(int)
    qrels = table.rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    topics = pd.DataFrame({'qid': list(found), 'query': [f'words {n}' for n in found]})
    base = run_of(found).rename(columns={'query_id': 'qid', 'doc_id': 'docno'})
    systems = {
        'one': base,
        'two': base.assign(score=-base['score']),
        'three': base.sample(frac=0.7, random_state=4),
    }
    return topics, qrels, {n: s.merge(topics, on='qid').assign(rank=0) for n, s in systems.items()}


def run_experiment(experiment, *, asked=None, names=None, topics=None, **options):
    import pyterrier as pt

    all_topics, qrels, systems = experiment
    names = names or list(systems)
    picked = [systems[n] if not callable(systems[n]) else systems[n] for n in names]
    return pt.Experiment(
        picked,
        all_topics if topics is None else topics,
        qrels,
        asked or measures(f'{OURS} nDCG@20 P@3'),
        names=names,
        **options,
    )


def test_experiment_has_a_column_per_measure(experiment):
    result = run_experiment(experiment)
    columns = [str(m) for m in measures(f'{OURS} nDCG@20 P@3')]
    assert set(columns) <= set(result.columns) and list(result['name']) == ['one', 'two', 'three']
    _, qrels, systems = experiment
    for row in result.to_dict('records'):
        system = systems[row['name']].rename(columns={'qid': 'query_id', 'docno': 'doc_id'})
        own = ir_measures.calc_aggregate(measures(columns), qrels, system)
        assert {str(m): v for m, v in own.items()} == pytest.approx({c: row[c] for c in columns})


def test_experiment_per_query_and_subset_of_measures_and_systems(experiment):
    whole = run_experiment(experiment, perquery=True).set_index(['name', 'qid', 'measure'])['value']
    for m in ('alpha_nDCG@20', 'nDCG@20', 'RBU(p=0.99,e=0.05)@20'):
        alone = run_experiment(experiment, asked=measures(m), names=['two'], perquery=True)
        alone = alone.set_index(['name', 'qid', 'measure'])['value']
        assert len(alone) and all(whole[key] == value for key, value in alone.items())


@over('extra_topics', [False, True])
def test_experiment_in_batches(experiment, extra_topics):
    """Batches of topics, also batches in which no topic is judged, or no document has a second subtopic."""
    import pyterrier as pt

    topics, qrels, systems = experiment
    if extra_topics:
        topics = pd.concat(
            [topics, pd.DataFrame({'qid': ['x1', 'x2', 'x3'], 'query': ['a', 'b', 'c']})]
        )
    docs = {q: part for q, part in systems['one'].groupby('qid')}
    nothing = pd.DataFrame([('d0', 1.0)], columns=['docno', 'score'])
    pipeline = pt.apply.generic(
        lambda inp: pd.concat(
            [
                docs.get(q, nothing).assign(qid=q)[['qid', 'docno', 'score']].assign(rank=0)
                for q in inp['qid']
            ]
        )
    )
    asked = measures(f'{OURS} nDCG@20 P@3 Bpref')

    def run(size):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # PyTerrier's, of topics without judgments
            return pt.Experiment(
                [pipeline],
                topics,
                qrels,
                asked,
                names=['x'],
                batch_size=size,
                perquery='both',
                validate='ignore',
            )

    key = ['qid', 'measure']
    whole_mean, whole = run(None)
    whole = whole.sort_values(key, ignore_index=True)
    for batch_size in (1, 2, 4, 100):
        mean, parts = run(batch_size)
        parts = parts.sort_values(key, ignore_index=True)
        pd.testing.assert_frame_equal(parts, whole, check_exact=True)
        pd.testing.assert_frame_equal(mean, whole_mean)


# ------------------------------------------------------------------------------------------------ registration


def test_pipeline_order():
    names = [p.NAME for p in ir_measures.DefaultPipeline.providers]
    assert names.count('divmeasures') == 1 and names.index('divmeasures') < names.index('pyndeval')
    register_provider()
    assert [p.NAME for p in ir_measures.DefaultPipeline.providers] == names


def test_no_judgments_at_all():
    for empty in ([], {}, pd.DataFrame(columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])):
        assert flat(ir_measures.iter_calc(measures('RBU nDCG'), empty, {'q': {'d': 1.0}})) == {}


def test_command_line_of_ir_measures(tmp_path):
    """``python -m ir_measures`` does not import us; imported first, its parser knows the names."""
    (tmp_path / 'qrels').write_text('1 1 d1 1\n1 2 d2 1\n')
    (tmp_path / 'run').write_text('1 Q0 d1 1 2 t\n')
    names = ['RBU@5', 'alpha_nDCG@20', 'nDCG@5']
    given = [str(tmp_path / 'qrels'), str(tmp_path / 'run'), ' '.join(names)]
    code = f"""import runpy, sys, warnings, ir_divmeasures
warnings.simplefilter('default')
sys.argv = ['ir_measures', *{given}]
runpy.run_module('ir_measures', run_name='__main__')"""
    lines = printed(code).splitlines()
    assert sorted(line.split('\t')[0] for line in lines) == names


def test_a_mean_over_no_queries_says_so():
    with expect_warning('judgments are empty'):
        value = ir_measures.calc_aggregate(measures('RBU'), [], {'q': {'d': 1.0}})
    assert np.isnan(list(value.values())).all()


def test_queries_that_a_provider_leaves_out_are_left_out():
    """Accuracy has no value for a query without results; a measure of ours in the call changes nothing."""
    qrels, run = {'q1': {'d1': 1, 'd2': 0}, 'q2': {'d3': 1}}, {'q1': {'d1': 2.0, 'd9': 1.0}}
    accuracy, ours = ir_measures.Accuracy @ 5, parse('alpha_nDCG@5')
    both = [accuracy, ours]
    with quietly(Warning):
        rows = [
            (m.query_id, m.value)
            for m in ir_measures.iter_calc(both, qrels, run)
            if m.measure == accuracy
        ]
        mean = ir_measures.calc_aggregate(both, qrels, run)[accuracy]
    assert rows == [('q1', 1.0)] and mean == 1.0
