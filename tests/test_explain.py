"""``explain``: a law over the registry, arithmetic, and what measures that are no sums show."""

import numpy as np
import pytest

from ir_divmeasures import evaluate, explain, families, read_qrels, with_similarity
from ir_divmeasures.core.registry import registry
from ir_divmeasures.core.terms import Terms
from ir_divmeasures.data.judgments import Judgments
from ir_divmeasures.data.runs import read
from ir_divmeasures.evaluation.explain import ranking_of
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.pools import Pool

from .builders import QUICK, expect_error, over, random_query, run_of
from .test_laws import judgments, of_group, seed_of, settings_of
from .test_measures import settings_of as own_settings

NAMES = list(dict.fromkeys(registry[name].NAME for name in families.__all__))


def settings_to_take_apart(name):
    made = registry[name]
    at = {'cutoff': 5} if 'cutoff' in made.SUPPORTED_PARAMS else {}
    if name == 'IA':  # of nDCG, a measure of ir_measures
        return [made(**each, **at) for each in own_settings(name) if 'M' in each]
    return settings_of(made) + [made(**each, **at) for each in own_settings(name)[1::12]]


@of_group
def with_facts(group, weighted):
    """Judgments, a run, and the scores of the queries by the measures' names."""
    rng = np.random.default_rng(seed_of(group[0]))
    queries = {f'q{i}': random_query(rng, weighted=weighted, facts=True) for i in range(4)}
    qrels, run = Judgments.of(judgments(group, queries)), read(run_of(queries))
    found = Evaluator([m for name in group for m in settings_to_take_apart(name)], qrels).iter_calc(
        run
    )
    values = {(str(m.measure), m.query_id): m.value for m in found}
    return (
        qrels,
        run,
        {name: np.array([values[name, query] for query in qrels.query_ids]) for name, _ in values},
    )


NO_SUMS = {'StRR', 'RR_at_Recall', 'DocSim', 'DS_nDCG', 'DS_Q', 'DS_ERR'}
"""The measures that are no sums by default."""


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
@QUICK
@over('name', NAMES)
def test_contributions_sum_to_the_score(name, quick):
    """Every measure, from its factors alone: contributions less efforts. In the quick form all judgments have weights."""
    weighted = quick or seed_of(name) % 2 == 0
    qrels, run, values = with_facts(name, weighted)
    for place, made in enumerate(settings_to_take_apart(name)):
        scores = values[str(made)]
        parts = made.parts(ranking_of(made, qrels, run))
        is_sum = all(isinstance(part, Terms) for part in parts)
        assert place or is_sum == (name not in NO_SUMS), made
        of_parts = [each.value() if isinstance(each, Terms) else each for each in parts]
        assert sum(of_parts) == pytest.approx(scores, abs=1e-12), made
        contributed = sum(
            part.factors()['contribution'].sum(axis=(1, 2)) - part.efforts().sum(axis=1)
            if isinstance(part, Terms)
            else part
            for part in parts
        )
        assert contributed == pytest.approx(scores, abs=1e-9), made


# Query q: aspect 1 has d1 and d2, aspect 2 has d2 and d3; d3 is not retrieved, x is not judged.
QRELS = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 1}, 'd3': {'2': 1}}, 'other': {'d9': {'1': 1}}}
RUNS = {
    'mine': {'q': {'x': 4.0, 'd1': 3.0, 'd2': 2.0}, 'other': {'d9': 1.0}},
    'yours': {'q': {'d2': 1.0}},
}


def test_rbu_by_hand():
    """p = 0.5, e = 0.1, r = 1/2: effort 0.05, 0.025, 0.0125; d1 at rank 2 gives ½ · ½ · ¼, d2 at rank 3 gives
    ½ · ½ · ½ · ⅛ for aspect 1 and ½ · ½ · ⅛ for aspect 2."""
    found = explain(QRELS, RUNS, 'RBU(p=0.5,e=0.1)@3', 'q')
    mine = found.table[found.table['system'] == 'mine']
    assert mine[['rank', 'doc_id', 'aspect']].values.tolist() == [
        [1, 'x', ''],
        [2, 'd1', '1'],
        [2, 'd1', ''],
        [3, 'd2', '1'],
        [3, 'd2', '2'],
        [3, 'd2', ''],
    ]
    assert mine['contribution'].tolist() == pytest.approx(
        [-0.05, 1 / 16, -0.025, 1 / 64, 1 / 32, -0.0125]
    )
    assert mine['redundancy'].tolist()[3:5] == [0.5, 1.0] and mine['discount'].tolist()[3] == 0.125
    assert found.scores['mine'] == pytest.approx(7 / 64 - 0.0875)
    assert mine['contribution'].sum() == pytest.approx(found.scores['mine'])
    assert found.says == '' and found.aspects == ('1', '2')
    wide = found.by_rank()
    assert wide.columns.tolist() == [
        'system',
        'rank',
        'doc_id',
        '1',
        '2',
        'effort',
        'sum',
        'so far',
    ]
    assert wide['so far'].iloc[2] == pytest.approx(found.scores['mine'])


@over(
    'name',
    [
        'StRR',
        'RR@2',
        'nDCG',
        "IA(M='AP')",
        "UM(model=3,P='RBP')@5",
    ],
)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_other_measures_are_explained_rank_by_rank(name):
    """The contributions of the first m ranks sum to the score of the first m documents."""
    found = explain(QRELS, RUNS, name, 'q')
    assert 'is no sum over ranks' in found.says
    mine = found.table[found.table['system'] == 'mine'].set_index('rank')['contribution'].cumsum()
    documents = ['x', 'd1', 'd2']
    cuts = {m: {'q': {doc: RUNS['mine']['q'][doc] for doc in documents[:m]}} for m in mine.index}
    scores = evaluate(runs=cuts, qrels=QRELS, measures=name).select(queries=['q'])
    assert mine.tolist() == pytest.approx(scores.values[:, 0, 0].tolist())


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_parts_of_a_sharp_measure_have_names():
    found = explain(QRELS, RUNS, 'Dsharp_nDCG@3', 'q')
    parts = found.table.groupby(['system', 'part'])['contribution'].sum()
    gains = evaluate(runs=RUNS, qrels=QRELS, measures='D_nDCG@3').select(queries=['q'])['D_nDCG@3'][
        :, 0
    ]
    for system, gain in zip(RUNS, gains):
        of_system = parts[system].drop('', errors='ignore').to_dict()
        assert of_system == pytest.approx({'recall': 0.5, 'D_nDCG': gain / 2})


def test_a_newcomer_counts_in_the_pool():
    qrels = Pool.from_runs({'A': RUNS['mine'], 'B': RUNS['yours']}).judgments(QRELS, newcomer=True)
    found = explain(qrels, {'new': {'q': {'d3': 2.0, 'd2': 1.0}}}, 'P_Rareness@2', 'q')
    # 1 of 3 systems has d3, all have d2
    assert found.table['gain'].tolist() == pytest.approx([1 + 2 / 3, 1.0])
    assert found.table['contribution'].sum() == pytest.approx(found.scores['new'])


def test_a_measure_with_document_similarity_shows_its_sum():
    qrels = with_similarity(
        QRELS, {'d1': 'beagle dogs', 'd2': 'beagle dogs', 'd3': 'cats', 'd9': 'birds'}
    )
    found = explain(qrels, RUNS['mine'], 'DS_nDCG@3', 'q')
    scores = evaluate(qrels, RUNS['mine'], 'DocSim@3').select(queries=['q'])
    rest = (1 - scores.values.item()) / 2
    assert 'is not shown' in found.says
    assert found.table['contribution'].sum() == pytest.approx(found.scores['run'] - rest)


def test_a_query_that_a_run_lacks_and_one_that_nobody_knows():
    found = explain(QRELS, {'empty': {'other': {'d9': 1.0}}, **RUNS}, 'alpha_nDCG@3', 'q')
    assert found.scores['empty'] == 0 and set(found.table['system']) == {'mine', 'yours'}
    with expect_error("no query 'Q' in the judgments; did you mean 'q'"):
        explain(QRELS, RUNS, 'alpha_nDCG@3', 'Q')


def test_pictures():
    pytest.importorskip('matplotlib')
    found = explain(QRELS, RUNS, 'RBU@3', 'q')
    left, right = found.plot().axes
    assert [label.get_text() for label in left.get_yticklabels()] == ['1', '2', 'effort']
    assert 'mine: RBU@3' in left.get_title() and len(left.patches) == 3 + 3  # cells, effort
    assert explain(QRELS, RUNS['mine'], 'RR', 'q').plot().axes[0].get_title().startswith('run: RR')
    ranks = explain(QRELS, RUNS['mine'], 'RBU@2', 'q').plot().axes[0].get_xticks()
    assert all(rank == int(rank) for rank in ranks)


def test_intents_have_their_texts():
    qrels = read_qrels(QRELS)
    with_texts = qrels.assign(text=qrels['subtopic_id'].map({'1': 'cars', '2': 'cats'}))
    known = explain(with_texts, RUNS, 'RBU@3', 'q')
    given = explain(
        qrels, RUNS, 'RBU@3', 'q', topics={'q': {'1': 'cars', '2': 'cats'}, 'other': {'1': 'x'}}
    )
    for found in (known, given):
        rows = found.table[found.table['contribution'] > 0]
        assert rows['text'].tolist() == [
            {'1': 'cars', '2': 'cats'}[aspect] for aspect in rows['aspect']
        ]
        assert set(found.table['text'][found.table['aspect'] == '']) == {''}
        assert found.texts == {'1': 'cars', '2': 'cats'}
    assert 'text' not in explain(qrels, RUNS, 'RBU@3', 'q').table.columns


@over('measure', ['RBU@3', 'AP'])
def test_a_query_without_documents_has_an_explanation_without_ranks(measure):
    found = explain(QRELS, {'mine': {'other': {'d9': 1.0}}}, measure, 'q')
    assert found.scores == {'mine': 0.0} and found.by_rank().empty and found.table.empty
