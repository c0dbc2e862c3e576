"""Listed intents and coverage: through every way in."""

import ir_measures
import pandas as pd
import pytest

from ir_divmeasures import (
    build_hierarchy,
    measures,
    read_qrels,
    topic_level,
    with_intents,
    with_rareness,
    with_weights,
    write_qrels,
)
from ir_divmeasures.pools import repool

from .builders import expect_error, expect_warning, over, refused, values

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

QRELS = {'q1': {'d1': {'1': 2, '2': 0}, 'd2': {'2': 1}}, 'q2': {'d1': {'1': 0}}}
RUN = {'q1': {'d1': 2.0, 'd2': 1.0}, 'q2': {'d1': 1.0}}
LISTED = {'q1': ['1', '2', '3', '4'], 'q2': ['1', '2']}


def test_intents_are_listed_once_and_facts_replace_facts(tmp_path):
    table = pd.DataFrame(
        [('q1', '1', 'vital', 'who?'), ('q1', '2', '', ''), ('q1', '5', 'okay', 'when?')],
        columns=['qid', 'intent', 'importance', 'text'],
    )
    judged = with_intents(QRELS, table)
    listed = judged.loc[judged['doc_id'] == '-', ['relevance', 'subtopic_id', 'importance', 'text']]
    assert listed.values.tolist() == [[-1, '5', 'okay', 'when?']]
    write_qrels(judged, tmp_path / 'judged.tsv')
    judged = read_qrels(tmp_path / 'judged.tsv')
    assert importance(judged) == {'1': 'vital', '2': '', '5': 'okay'}
    vital = "Coverage(importance='vital')@1"
    assert values([vital], judged, RUN)['q1', vital] == 1
    again = with_intents(
        judged, pd.DataFrame({'qid': ['q1'], 'intent': ['1'], 'importance': ['okay']})
    )
    assert len(again) == len(judged)
    assert importance(again) == {'1': 'okay', '2': '', '5': 'okay'}


def importance(judged):
    return judged.groupby('subtopic_id')['importance'].first().to_dict()


# ------------------------------------------------------------------------------------------------ intent rows


@pytest.mark.parametrize('way', ['trec', 'tsv.gz', 'ir_measures', 'namedtuples'])
def test_intent_rows_survive(way, tmp_path):
    judged = with_intents(QRELS, LISTED)
    if way == 'ir_measures':
        path = tmp_path / 'qrels'
        write_qrels(judged, path)
        judged = list(ir_measures.read_trec_qrels(str(path)))
    elif way == 'namedtuples':
        judged = [ir_measures.Qrel(*row) for row in judged.itertuples(index=False)]
    else:
        path = tmp_path / f'qrels.{way}'
        write_qrels(judged, path, format=way.partition('.')[0])
        judged = str(path)
    judged = judged if way in ('ir_measures', 'namedtuples') else read_qrels(judged)
    names = ['StRecall', "StRecall(aspects='listed')", 'Coverage', 'P@2']
    found = values(measures(names), judged, RUN)
    assert [found['q1', name] for name in names] == [1, 0.5, 0.5, 1]
    assert [found['q2', name] for name in names] == [0, 0, 0, 0]


def test_other_providers_do_not_see_intent_rows():
    """Judged@k, Bpref and all others score as without; a query with nothing else stays a query."""
    asked = measures(['Bpref', 'P@2', 'AP', 'Judged@2', 'nDCG@2', 'NumRel', "IA(M='AP')"])
    plain = read_qrels(QRELS)
    assert values(asked, plain, RUN) == values(asked, with_intents(plain, LISTED), RUN)
    with expect_warning("1 of 2 queries of the table of intents have no judgment .'q3'"):
        judged = with_intents(plain, {'q1': ['7'], 'q3': ['1']})
    found = values(['P@2', 'SetF', 'Coverage', 'RBU'], judged, {**RUN, 'q3': {'d9': 1.0}})
    assert [found['q3', m] for m in ('P@2', 'SetF', 'Coverage')] == [0, 0, 0] and found[
        'q3', 'RBU'
    ] == pytest.approx(-0.8 * 0.03)
    assert topic_level(judged)['doc_id'].tolist() == ['d1', 'd2', 'd1', '-']


def test_intent_rows_in_what_is_made_of_judgments():
    judged = with_intents(QRELS, LISTED)
    pools = repool(judged, [{'q1': {'d1': 1.0}, 'q2': {'d1': 1.0}}], [1])
    assert set(pools[1].loc[pools[1]['doc_id'] == '-', 'subtopic_id']) == {'2', '3', '4'}
    assert set(pools[1].loc[pools[1]['doc_id'] != '-', 'doc_id']) == {'d1'}
    counted = with_rareness(judged, {'a': RUN, 'b': {'q1': {'d1': 1.0}}})
    assert counted.loc[counted['doc_id'] == 'd2', 'n_retrieved'].tolist() == [1]
    assert values(['Coverage'], counted, RUN)['q1', 'Coverage'] == 0.5
    more = with_intents(counted, {'q1': ['9']})  # and onto judgments with facts of documents
    assert values(['Coverage', 'P_Rareness@1'], more, RUN)['q1', 'Coverage'] == pytest.approx(2 / 5)


@over('aspects, expected', [('relevant', [0.75, 0.25, 2.0]), ('listed', [0.25, 1 / 12, 2 / 3])])
def test_weights_are_made_to_sum_to_one_over_the_reading(aspects, expected):
    judged = with_intents({'q': {'d1': {'1': 1, '2': 1}}}, {'q': ['3']})
    weighed = with_weights(judged, {'q': {'1': 3, '2': 1, '3': 8}}, normalise=True, aspects=aspects)
    assert weighed.set_index('subtopic_id')['weight'].loc[
        ['1', '2', '3']
    ].tolist() == pytest.approx(expected)


def test_weights_of_unlisted_intents_are_not_lost_in_silence():
    with expect_warning('1 of 3 weighed subtopics of judged queries are not in the judgments'):
        with_weights(
            {'q': {'d1': {'1': 1, '2': 1}}},
            {'q': {'1': 0.5, '2': 0.3, '3': 0.2}, 'other': {'1': 1}},
        )


def weights_table(rows):
    return pd.DataFrame(rows, columns=['query_id', 'subtopic_id', 'weight'])


@over(
    'wrong, said',
    [
        (
            lambda: read_qrels({'q': {'-': {'1': 1}}}),
            "document '-', subtopic '1': grade is 1, expected .* at most 0",
        ),
        (
            lambda: with_intents(QRELS, weights_table([('q1', '1', 0.5)])),
            "query 'q1', subtopic '2': no weight given .2 listed",
        ),
        (
            lambda: with_intents(
                QRELS, pd.DataFrame({'qid': ['q1'], 'intent': ['1'], 'importance': ['very']})
            ),
            "subtopic '1': importance is 'very', expected 'vital', 'okay' or nothing",
        ),
        (
            lambda: values(["Coverage(importance='vital')"], QRELS, RUN),
            "needs judgments with a column 'importance', which ir_divmeasures.with_intents adds",
        ),
    ],
)
def test_errors(wrong, said):
    refused(said, wrong)


def test_a_document_called_minus_names_file_and_line(tmp_path):
    path = tmp_path / 'my.run'
    path.write_text('q1 Q0 d1 1 2.0 t\nq1 Q0 - 2 1.0 t\n')
    with expect_error("my.run, line 2: no document can be called '-' in query 'q1'"):
        values(['Coverage'], QRELS, str(path))


def test_an_unserved_intent_in_a_hierarchy_is_a_leaf_of_height_one():
    judged = with_intents({'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}, {'q': ['3']})
    texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover'}
    built = build_hierarchy(judged, texts, similarity='tfidf', cutoff=0.9, aspects='listed')
    nodes = built.drop_duplicates(['layer', 'subtopic_id']).set_index(['layer', 'subtopic_id'])[
        'weight'
    ]
    assert nodes.to_dict() == pytest.approx(
        {
            (0, '1'): 1 / 3,
            (0, '2'): 1 / 3,
            (0, '3'): 1 / 3,
            (1, '1/1'): 1 / 6,
            (1, '1/2'): 1 / 6,
            (1, '2/1'): 1 / 3,
            (1, '3/1'): 1 / 3,
        }
    )
    assert built.loc[built['subtopic_id'] == '3/1', ['doc_id', 'relevance']].values.tolist() == [
        ['-', -1]
    ]
    # d1: one of 3 intents and one of 4 subintents
    found = values(
        measures(["N_rec(aspects='listed')@1", "I_rec_LA(aspects='listed')@1", 'N_rec@1']),
        built,
        {'q': {'d1': 1.0}},
    )
    assert {name: value for (_, name), value in found.items()} == pytest.approx(
        {
            "I_rec_LA(aspects='listed')@1": (1 / 3 + 1 / 4) / 2,
            "N_rec(aspects='listed')@1": 2 / 7,
            'N_rec@1': 2 / 5,
        }
    )
