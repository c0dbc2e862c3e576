"""Files of RAG pipelines and agents: forms, silent errors, curves, support of citations, joint shares, commands."""

import json
import math
import shutil

import numpy as np
import pandas as pd
import pytest

import ir_divmeasures as dm
from ir_divmeasures import (
    cli,
    evaluate,
    read_answers,
    read_nuggets,
    read_rag,
    read_run,
    read_runs,
)
from ir_divmeasures.io.labels import grade_of
from ir_divmeasures.rag import aer, citation_support, joint
from ir_divmeasures.results.estimates import bounded

from .builders import expect_error, expect_warning, judgment_table, over, refused

# The two records of the RAG page, of which the numbers below are computed on paper.
TIDES = {
    'query_id': 'tides',
    'contexts': [{'id': 'd1', 'tokens': 120}, {'id': 'd2', 'tokens': 80}],
    'answer': [
        {'text': 'The moon pulls the sea.', 'citations': [0], 'support': 'full'},
        {'text': 'The sun pulls too, a third as much.', 'citations': [1], 'support': 'partial'},
        {'text': 'Sailors have long known this.', 'citations': []},
    ],
    'nuggets': [
        {'text': 'moon', 'importance': 'vital', 'assignment': 'support', 'documents': ['d1']},
        {'text': 'sun', 'importance': 'okay', 'assignment': 'partial_support', 'documents': ['d2']},
        {
            'text': 'spring tides',
            'importance': 'okay',
            'assignment': 'not_support',
            'documents': ['d2'],
        },
        {'text': 'rotation', 'importance': 'vital', 'assignment': 'support', 'documents': ['d7']},
    ],
}
BEES = {
    'query_id': 'bees',
    'contexts': [{'id': 'd3', 'tokens': 100}],
    'answer': [{'text': 'Bees dance to tell where food is.', 'citations': [0], 'support': 'full'}],
    'nuggets': [
        {'text': 'where', 'importance': 'vital', 'assignment': 'support', 'documents': ['d3']},
        {'text': 'how far', 'importance': 'vital', 'assignment': 'not_support', 'documents': []},
    ],
}


def lines(path, *records):
    path.write_text('\n'.join(json.dumps(record) for record in records) + '\n', encoding='utf-8')
    return path


@pytest.fixture
def example(tmp_path):
    return lines(tmp_path / 'A.jsonl', TIDES, BEES)


def ranking(run):
    return [tuple(row) for row in run[['query_id', 'doc_id', 'score']].itertuples(index=False)]


# ---------------------------------------------------------------------------------------------------- silent errors


def test_a_nugget_called_zero_is_listed():
    """One of two nuggets is answered at 2: coverage is 1/2, whatever the nuggets are called."""
    table = pd.DataFrame(
        [('q', n, 'd', label, judge) for n, label in (('0', 0), ('1', 2)) for judge in 'ab'],
        columns=['query_id', 'nugget_id', 'doc_id', 'relevance', 'judge'],
    )
    one = table[table['judge'] == 'a'].drop(columns='judge')
    for qrels in (read_nuggets(one), dm.judgments.aggregate_judges(read_nuggets(table), 'max')):
        assert (dm.Coverage(rel=2) @ 1).calc_aggregate(qrels, {'q': {'d': 1.0}}) == 0.5
    answers = read_answers({'A': {'q': {'0': 'not_support', '1': 'support'}}})
    assert evaluate(answers.runs, answers.qrels, 'Coverage(rel=2)@1').values.item() == 0.5


def test_subtopic_zero_of_the_web_track_stays_unlisted_among_several_judges():
    rows = [('q', 'd1', 1, '1'), ('q', 'd2', 0, '0')]
    table = judgment_table(rows)
    one = dm.judgments.aggregate_judges({'a': table, 'b': table}, 'max')
    assert (dm.Coverage @ 1).calc_aggregate(one, {'q': {'d1': 1.0}}) == 1.0


BANK = {
    'query_id': 'q',
    'nugget_bank': [
        {
            'question': 'Which?',
            'aggregator_type': 'AND',
            'references': ['d9'],
            'answers': [
                {'answer': 'moon', 'references': ['d1']},
                {'answer': 'sun', 'references': ['d2']},
            ],
        },
        {
            'question': 'How many?',
            'aggregator_type': 'OR',
            'answers': [{'answer': 'two', 'references': ['d3']}],
            'sub_nuggets': [{'text': 'both', 'references': ['d4']}],
        },
    ],
}


def test_groups_of_a_bank(tmp_path):
    """Two nuggets, of which the first has two parts: weights 1/4, 1/4, 1/2. d9 holds both parts."""
    table = read_nuggets(lines(tmp_path / 'bank.jsonl', BANK))
    facts = table.drop_duplicates('subtopic_id')[['subtopic_id', 'weight', 'part_of', 'text']]
    assert facts.values.tolist() == [
        ['1.1', 0.25, '1', 'Which? moon'],
        ['1.2', 0.25, '1', 'Which? sun'],
        ['2', 0.5, '', 'How many?'],
    ]
    values = {
        document: [
            measure.calc_aggregate(table, {'q': {document: 1.0}})
            for measure in dm.measures("Coverage Coverage(parts='all') StRecall")
        ]
        for document in ('d1', 'd4', 'd9')
    }
    assert values == {'d1': [0.25, 0, 1 / 3], 'd4': [0.5, 0.5, 1 / 3], 'd9': [0.5, 0.5, 2 / 3]}


def test_unknown_aggregators_are_counted_or_raised(tmp_path):
    bank = {'query_id': 'q', 'nugget_bank': [{**BANK['nugget_bank'][0], 'aggregator_type': 'NOT'}]}
    path = lines(tmp_path / 'bank.jsonl', bank)
    with expect_warning("aggregator_type 'NOT': 1 times, counted as OR"):
        assert read_nuggets(path)['subtopic_id'].unique().tolist() == ['1']
    refused("line 1: aggregator_type is 'NOT'", read_nuggets, path, strict=True)


def test_a_table_with_ids_and_texts_of_nuggets(tmp_path):
    path = tmp_path / 'n.csv'
    path.write_text(
        'query_id,nugget_id,nugget,doc_id,label\nq,n1,moon,d1,support\nq,n2,sun,d2,True\n'
    )
    assert read_nuggets(path)[['subtopic_id', 'relevance', 'text']].values.tolist() == [
        ['n1', 2, 'moon'],
        ['n2', 2, 'sun'],
    ]
    with expect_error('the columns nugget_id and intent both name the subtopic_id'):
        read_nuggets(pd.DataFrame([('q', 'a', 'b')], columns=['query_id', 'intent', 'nugget_id']))


def test_labels():
    grades = {
        2: ('Support', 'fully-supported', '2', True),
        1: ('PS',),
        0: ('no_support', 'FALSE', False),
        0.5: (0.5,),
        None: (None, -1, 'failed'),
    }
    for grade, labels in grades.items():
        assert {grade_of(label, 'x') for label in labels} == {grade}
    for wrong in ('maybe', -2, float('inf'), [1]):
        refused('here: label is .* expected a number of at least 0', grade_of, wrong, 'here')


def test_an_unjudged_nugget_of_an_answer_is_listed(tmp_path):
    record = {
        'query_id': 'q',
        'answer': [],
        'nuggets': [{'text': 'a', 'assignment': 'failed'}, {'text': 'b', 'assignment': True}],
    }
    answers = read_answers(lines(tmp_path / 'A.jsonl', record))
    assert evaluate(answers.runs, answers.qrels, 'Coverage(rel=2)@1').values.item() == 0.5


def test_nuggets_that_are_listed_one_a_line_judge_no_answer(tmp_path):
    """Nothing is assigned to an answer to p, whose nugget is only listed: p is no question of the answers."""
    answer = {'query_id': 'q', 'run_id': 'A', 'nuggets': [{'text': 'x', 'assignment': 'support'}]}
    listed = {'query_id': 'p', 'nugget_id': '1', 'nugget': 'y'}
    for other in (listed, {'query_id': 'p', 'nuggets': ['y']}):
        path = lines(tmp_path / 'A.jsonl', answer, other)
        for answers in (read_rag(path).answers, read_answers(path)):
            assert evaluate(answers.runs, answers.qrels, 'Coverage(rel=2)@1').queries == ('q',)


# -------------------------------------------------------------------------------------------------------- the forms


def test_own_records(example):
    rag = read_rag(example)
    assert ranking(rag.runs['A']) == [
        ('tides', 'd1', 2.0),
        ('tides', 'd2', 1.0),
        ('bees', 'd3', 1.0),
    ]
    assert rag.runs['A']['length'].tolist() == [120, 80, 100]
    assert rag.usage is None and rag.systems == ['A']
    assert rag.citations[['sentence', 'place', 'doc_id', 'length']].values.tolist() == [
        [1, 1, 'd1', 5],
        [2, 1, 'd2', 8],
        [3, 0, '-', 5],
        [1, 1, 'd3', 7],
    ]
    assert rag.to_frame().values.tolist() == [['A', 2, 3, 300.0, 2, 4, 3]]
    assert (
        ranking(read_run(example))
        == ranking(rag.runs['A'])
        == ranking(dict(read_runs(example))['A'])
    )
    assert read_nuggets(example).equals(rag.qrels) and read_answers(example).qrels.equals(
        rag.answers.qrels
    )


IDS = ('d2', 'd1', 'd3')
CITING = {'query_id': 'q', 'run_id': 'r', 'references': ['d1', 'd2']}
RECORDS = {
    'trec-rag': (
        {
            'metadata': {'narrative_id': 'q', 'run_id': 'r'},
            'references': ['d1', 'd2'],
            'answer': [{'text': 'a b', 'citations': [1, 0]}],
        },
        'r',
        ['d1', 'd2'],
        ['d2', 'd1'],
    ),
    'ragtime': (
        {**CITING, 'responses': [{'text': 'a', 'citations': {'d1': 80, 'd2': 95, 'd3': 80}}]},
        'r',
        ['d1', 'd2'],
        ['d2', 'd1', 'd3'],
    ),
    'neuclir': (
        {**CITING, 'responses': [{'text': 'a', 'citations': ['d5']}]},
        'r',
        ['d1', 'd2'],
        ['d5'],
    ),
    'castorini': (
        {'query': {'qid': 'q'}, 'candidates': [{'docid': d, 'score': int(d[1])} for d in IDS]},
        'file',
        ['d3', 'd2', 'd1'],
        [],
    ),
    'ranks': (
        {'qid': 'q', 'contexts': [{'id': d, 'rank': int(d[1])} for d in IDS]},
        'file',
        ['d1', 'd2', 'd3'],
        [],
    ),
    'context': ({'qid': 'q', 'doc_id': 'd1', 'rank': 1}, 'file', ['d1'], []),
    'mteb': (
        {'mteb_model_meta': {'model_name': 'm'}, 'default': {'test': {'q': {'d1': 1, 'd2': 0.5}}}},
        'm',
        ['d1', 'd2'],
        [],
    ),
    'old-mteb': ({'test': {'q': {'d1': 1.0}}}, 'file', ['d1'], []),
}


@over('form', RECORDS)
def test_rankings_and_citations(tmp_path, form):
    record, system, ranked, cited = RECORDS[form]
    rag = read_rag(lines(tmp_path / 'file.jsonl', record))
    run = rag.runs[system].sort_values('score', ascending=False)
    assert run['doc_id'].tolist() == ranked and set(run['query_id']) == {'q'}
    assert (rag.citations is None and not cited) or rag.citations['doc_id'].tolist() == cited
    ((name, other),) = read_runs(tmp_path / 'file.jsonl')
    assert name == system and sorted(ranking(other)) == sorted(ranking(rag.runs[system]))


def test_a_folder_of_systems_and_further_files(tmp_path):
    lines(tmp_path / 'A.jsonl', TIDES)
    lines(tmp_path / 'B.jsonl', {**TIDES, 'contexts': [{'id': 'd7'}, {'id': 'x'}]})
    rag = read_rag(tmp_path)
    assert [*rag.runs] == ['A', 'B'] == [*rag.answers.runs] == [*dict(read_runs(tmp_path))]
    assert read_rag(f'{tmp_path}/[A]*').systems == ['A']
    assert evaluate(rag.runs, rag.qrels, 'Coverage').values[:, 0, 0].tolist() == [0.75, 0.25]
    both = lines(tmp_path / 'both.jsonl', {**TIDES, 'system': 'x'}, {**TIDES, 'system': 'y'})
    refused(r'has runs of 2 systems \(x, y\); read_runs reads them', read_run, both)


def test_parts_of_mteb(tmp_path):
    path = tmp_path / 'T_predictions.json'
    path.write_text(json.dumps({'en': {'test': {'q': {'a': 1.0}}, 'dev': {'q': {'b': 1.0}}}}))
    refused("part=None, but the file has en/test, en/dev. Name", read_rag, path)
    assert ranking(read_rag(path, part='en/dev').runs['T_predictions']) == [('q', 'b', 1.0)]
    refused("part='x', but the file has", read_rag, path, part='x')


def test_rubrics_of_three_kinds(tmp_path):
    """5 − 3 of 7 points, and 5 + 1 of 7."""
    criteria = {'moon': 5, 'winds': -3, 'sun': 2}
    scores = {'A': (1, 1, 0), 'B': (1, 0, 0.5)}
    verdicts = {0: 'not satisfied', 0.5: 'partially satisfied', 1: 'satisfied'}
    rubrics, single = [], []
    for system in 'AB':
        items = [
            ({'criterion': text, 'weight': points}, score)
            for (text, points), score in zip(criteria.items(), scores[system])
        ]
        rubric = [{**item, 'verdict': verdicts[score]} for item, score in items]
        rubrics.append({'query_id': 'q', 'run_id': system, 'rubrics': rubric})
        single += [{'sample_id': 'q', 'run_id': system, **item, 'score': s} for item, s in items]
    for records in (rubrics, single):
        answers = read_answers(lines(tmp_path / 'r.jsonl', *records))
        found = evaluate(answers.runs, answers.qrels, 'rubric').labelled('rubric')
        assert found['compliance'].ravel() == pytest.approx([2 / 7, 6 / 7])
        assert answers.qrels.drop_duplicates('subtopic_id')['weight'].tolist() == [5, 0, 2]


def test_negative_weights_name_points():
    table = pd.DataFrame(
        [('q', 'd', 1, '1', -1.0)],
        columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight'],
    )
    refused("negative points of a rubric belong in a column 'points'", dm.read_qrels, table)


def test_sentences_as_documents(example, tmp_path):
    answers = read_answers(example, sentences=True)
    assert answers.runs['A']['doc_id'].tolist() == ['A/1', 'A/2', 'A/3', 'A/1']
    assert answers.runs['A']['length'].tolist() == [5, 8, 5, 7]
    found = evaluate(answers.runs, answers.qrels, 'SetP(rel=2) SetP(rel=2,judged_only=True)')
    assert found.values[0] == pytest.approx(np.array([[1 / 3, 1 / 2], [1, 1]]))
    label = {'query_id': 'tides', 'run_id': 'A', 'nugget_id': 'n1'}
    labels = [
        {**label, 'sentence': place, 'label': said}
        for place, said in enumerate(('support', 'support', 'no'), 1)
    ]
    answer = {name: TIDES[name] for name in ('query_id', 'contexts', 'answer')} | {'run_id': 'A'}
    answers = read_answers(lines(tmp_path / 'B.jsonl', answer, *labels), sentences=True)
    found = evaluate(answers.runs, answers.qrels, 'P_IA(rel=2)@3').values.item()
    assert found == pytest.approx(2 / 3)


def cites(*citations, **more):
    return {
        'qid': 'q',
        'contexts': ['a'],
        'answer': [{'text': 't', 'citations': citations, **more}],
    }


BAD = {
    'query': ({'contexts': ['d1']}, 'line 1: no query_id or qid or question_id'),
    'some scores': (
        {'qid': 'q', 'contexts': [{'id': 'a', 'score': 1}, {'id': 'b'}]},
        "line 1: query 'q': document 'b' has no score, but others",
    ),
    'no id': (
        {'qid': 'q', 'contexts': [{'tokens': 1}]},
        'line 1: found .* expected the id of a document or an object with id or doc_id or docid',
    ),
    'twice': ({'qid': 'q', 'candidates': ['a', 'a']}, "line 1: .*'a' is retrieved twice"),
    'range': (
        cites(1),
        'line 1, sentence 1: citation 1, but the record has 1 references or contexts',
    ),
    'negative': (cites(-1), 'line 1, sentence 1: citation -1'),
    'cited twice': (cites(0, 'a'), "line 1, sentence 1: document 'a' is cited twice"),
    'label': (cites(0, support='hm'), "line 1, sentence 1: support is 'hm'"),
    'labels': (cites(0, support=[1, 2]), 'line 1, sentence 1: 2 labels of support for 1 citations'),
    'uncited': (
        {'qid': 'q', 'answer': [{'text': 't', 'support': 'full'}]},
        'line 1, sentence 1: 1 labels of support for 0 citations',
    ),
    'assignment': (
        {'qid': 'q', 'answer': [], 'nuggets': [{'text': 't', 'assignment': 'hm'}]},
        "line 1, nugget 1: assignment is 'hm'",
    ),
    'score': (
        {'sample_id': 'q', 'weight': 1, 'score': 3},
        r'line 1: Expected `float` <= 1.0 - at `\$.score`',
    ),
    'round': (
        {'qid': 'q', 'result': [{'round': 0, 'docids': ['a']}]},
        r'line 1: Expected `float` >= 1.0 - at `\$.result\[0\].round`',
    ),
    'no label': ({'qid': 'q', 'nugget_id': 'n', 'doc_id': 'd'}, 'line 1: no label or assignment'),
    'a type': ({'query_id': 'q', 'contexts': 3}, r'line 1: Expected .* at `\$.contexts`'),
    'bytes': (b'{"query_id": "q", "contexts": ["\xff"]}', 'line 1: not UTF-8'),
    'the same name': (
        b'{"query_id": "q", "contexts": ["a"], "contexts": ["b"]}',
        "line 1: the name 'contexts' is twice",
    ),
    'two lists': (
        b'{"query_id": "q", "contexts": ["a"]}\n' * 2,
        "line 2: system 'bad' has contexts for query 'q' here and in .*line 1",
    ),
    'deeper': (b'[' * 100_000, 'line 1: not JSON .nested too deep'),
}


@over('case', BAD)
def test_bad_records_name_file_and_line(tmp_path, case):
    record, message = BAD[case]
    path = tmp_path / 'bad.jsonl'
    path.write_bytes(record if isinstance(record, bytes) else json.dumps(record).encode())
    refused(rf'bad\.jsonl, {message}', read_rag, path)


# ----------------------------------------------------------------------------------------------------------- curves

TRACE = {
    'query_id': 'q',
    'usage': {'input_tokens': 900, 'model': 'm'},
    'result': [
        {'type': 'tool_result', 'round': 1, 'docids': ['d1', 'd4']},
        {'type': 'text', 'output': 'thinking'},
        {'type': 'tool_result', 'round': 2, 'docids': ['d1', 'd2']},
        {'type': 'tool_result', 'output': '[{"docid": "d5"}]'},
    ],
}
ASPECTS = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd5': {'3': 1}}}


def test_a_trace(tmp_path):
    rag = read_rag(lines(tmp_path / 't.jsonl', TRACE))
    assert rag.runs['t'][['doc_id', 'iteration']].values.tolist() == [
        ['d1', 1],
        ['d4', 1],
        ['d1_dup', 2],
        ['d2', 2],
        ['d5', 2],
    ]
    assert rag.usage.to_dict('records') == [
        {'system': 't', 'query_id': 'q', 'rounds': 2, 'input_tokens': 900.0}
    ]
    scores = evaluate(rag.runs, ASPECTS, 'Coverage@4', along='iteration')
    assert scores.at(1)['Coverage@4'].item() == 1 / 3 and scores.at(2)['Coverage@4'].item() == 1
    placed = evaluate(rag.runs, ASPECTS, 'Coverage@4', along='iteration', repeats='place')
    assert placed.at(2)['Coverage@4'].item() == 2 / 3
    assert aer(scores.at(2), rag.usage).values.item() == pytest.approx(math.exp(-0.05))
    refused('has no rounds', aer, scores.at(2), rag.usage.assign(query_id='x'))


def run_of(*rows):
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score', 'iteration'])


def test_curves_are_scores_of_the_rounds_so_far():
    """Rounds decide before scores; a query that stopped, or has nothing yet, stays in the means."""
    qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}, 'p': {'d1': {'1': 1}}}
    run = run_of(('q', 'x', 0.1, 1), ('q', 'd1', 0.2, 1), ('q', 'd2', 9.0, 2), ('p', 'd1', 1.0, 3))
    curves = evaluate({'A': run}, qrels, 'StRecall@3 P_IA@1', along='iteration')
    assert curves.points == (1, 2, 3) and curves.active[:, 0].tolist() == [2, 2, 1]
    assert curves.values[:, 0, :, 0].tolist() == [[0.5, 0], [1, 0], [1, 1]]
    assert curves.values[:, 0, 0, 1].tolist() == [0.5, 0.5, 0.5]  # d1 first, in round 2 too
    assert curves.means()['active'].tolist() == [2, 2, 1] and len(curves.to_frame()) == 12
    limited = evaluate({'A': run}, qrels, 'StRecall@3', along='iteration', at=[2])
    assert limited.points == (2,) and limited.at(2).values.tolist() == [[[1.0], [0.0]]]
    refused('iteration 1: expected one of 2', limited.at, 1)


def test_each_point_is_evaluate_on_the_part_of_the_run():
    rng = np.random.default_rng(3)
    run = run_of(
        *(
            (f'q{q}', f'd{d}', float(rng.random()), int(rng.integers(1, 4)))
            for q in range(5)
            for d in rng.permutation(30)[:15]
        )
    )
    queries = run['query_id'].unique()
    qrels = {
        q: {f'd{d}': {str(int(rng.integers(1, 5))): 1} for d in range(0, 30, 2)} for q in queries
    }
    curves = evaluate({'A': run}, qrels, 'alpha_nDCG@5 nDCG@10', along='iteration')
    for point in curves.points:
        part = run[run['iteration'] <= point].sort_values(
            ['iteration', 'score', 'doc_id'], ascending=[True, False, False]
        )
        part = part.assign(score=-np.arange(len(part), dtype=float))
        wanted = evaluate({'A': part}, qrels, 'alpha_nDCG@5 nDCG@10')
        np.testing.assert_allclose(curves.at(point).values, wanted.values, atol=1e-12)


def test_curves_by_length_and_the_area_below_them(example):
    """The mean over the budgets 0, 20, …, 180 is the integral, since contexts end at multiples of 20 tokens."""
    rag = read_rag(example)
    curves = evaluate(rag.runs, rag.qrels, 'Coverage', along='length', at=range(0, 200, 20))
    area = evaluate(rag.runs, rag.qrels, ["Area(M='Coverage',budget=200)"])
    assert area.values.ravel() == pytest.approx(curves.values.mean(axis=0).ravel())
    budgets = (0, 119, 120, 199)
    at_ends = evaluate(rag.runs, rag.qrels, 'Coverage', along='length', at=budgets)
    for budget in budgets:
        assert (
            at_ends.at(budget).values.ravel().tolist()
            == evaluate(rag.runs, rag.qrels, f'Coverage(budget={budget})').values.ravel().tolist()
        )
    assert curves.active[:, 0].tolist() == [2] * 5 + [1] * 5


@over(
    'arguments, message',
    [
        ({'along': 'rounds'}, "along='rounds': expected one of 'iteration', 'length'"),
        ({'along': 'length'}, 'needs budgets'),
        ({'at': [1]}, 'at= needs along'),
        ({'along': 'iteration', 'repeats': 'keep'}, "repeats='keep'"),
        ({'along': 'iteration', 'at': [0]}, 'found 0'),
        ({'along': 'iteration', 'at': [2, 1]}, 'ascending order'),
        ({'along': 'length', 'at': [9]}, "needs a run with a column 'length'"),
    ],
)
def test_curves_that_cannot_be(arguments, message):
    refused(message, evaluate, {'A': run_of(('q', 'd1', 1.0, 1))}, ASPECTS, 'StRecall', **arguments)


def test_labels_of_presets():
    run = run_of(('q', 'd1', 1.0, 1), ('q', 'd2', 1.0, 2), ('q', 'd5', 1.0, 3))
    curves = evaluate({'A': run}, ASPECTS, 'bright-pro-rounds', along='iteration')
    scores = curves.labelled('bright-pro-rounds')
    assert scores.measures == ('r1_ndcg@5', 'r2_ndcg@10', 'r3_ndcg@15')
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert scores.values.ravel() == pytest.approx([1 / ideal, (1 + 1 / math.log2(3)) / ideal, 1])
    for labelled, name, message in (
        (scores, 'trec-rag', 'the scores have none of its measures'),
        (scores, 'trecrag', "did you mean 'trec-rag'"),
        (curves, 'crux', 'expected a preset of rounds'),
    ):
        refused(message, labelled.labelled, name)


# ---------------------------------------------------------------------------------------------------------- answers


def citations(*rows):
    return pd.DataFrame(
        [('A', 'q', *row) for row in rows],
        columns=['system', 'query_id', 'sentence', 'place', 'doc_id', 'support'],
    )


@over(
    'sentence, precision, recall',
    [
        ('first', (1 + 0) / 2, 1 / 3),
        ('mean', (0.75 + 0.5 + 1) / 3, 2.25 / 4),
        ('all', (0.5 + 0 + 1) / 3, 1.5 / 4),
        ('any', 1, 3 / 4),
    ],
)
def test_credits_of_sentences(sentence, precision, recall):
    """Labels 2 1; 0 2; unjudged 2; and an uncited sentence, beside one that needs no citation."""
    table = citations(
        (1, 1, 'a', 2),
        (1, 2, 'b', 1),
        (2, 1, 'a', 0),
        (2, 2, 'c', 2),
        (3, 1, 'b', np.nan),
        (3, 2, 'd', 2),
        (4, 0, '-', np.nan),
        (5, 0, '-', np.nan),
    ).assign(needed=[1] * 7 + [0])
    found = citation_support(table, sentence=sentence)
    assert found.values[0, 0, :2] == pytest.approx([precision, recall])
    assert found.values[0, 0, 3:] == pytest.approx(
        [(1 + 0.5 + 0 + 1 + 1) / 5, (0.5 + 0.5 + 1 + 1) / 4]
    )


def test_support_of_what_is_not_there():
    table = citations((1, 0, '-', np.nan))
    assert citation_support(table).values.ravel().tolist() == [0] * 5
    two = pd.concat([table, table.assign(system='B', query_id='p')])
    with expect_warning('2 answers are missing'):
        citation_support(two)
    refused('citations: ', citation_support, 3, error=TypeError)
    for wrong in (table.drop(columns='place'), table.iloc[:0], table.assign(support=-1)):
        refused('citations: ', citation_support, wrong)
    for option in ({'sentence': 'last'}, {'partial': 2}):
        refused(f'{next(iter(option))}=', citation_support, table, **option)


def test_f1_asks_for_scores_that_fit():
    one = dm.Scores([[0.5]], measures=['a'])
    refused('are for different systems', dm.rag.f1, one, dm.Scores([[0.5]], ['x']))
    refused('expected one', dm.rag.f1, one, dm.Scores(np.zeros((1, 1, 2))))


# ------------------------------------------------------------------------------------------------------------ joint


def test_joint_by_hand(example):
    """tides: context 1 1 1 0, answer 1 ½ 0 1; bees: 1 0 and 1 0."""
    rag = read_rag(example)
    found = joint(rag.runs, rag.qrels, rag.answers, partial=0.5, confidence_level=0.5)
    assert found.scores().values[0].tolist() == [
        [1.5 / 4, 1.5 / 4, 1 / 4, 0, 3 / 4, 2.5 / 4],
        [1 / 2, 0, 0, 1 / 2, 1 / 2, 1 / 2],
    ]
    assert found.shares.loc['A', ['used', 'unused', 'unsupported', 'unfound']].sum() == 1
    used = found.intervals.set_index('share').loc['used', ['mean', 'low', 'high']]
    # the beta quantiles with s/√2 = (4/8 − 3/8)/2
    assert used.tolist() == pytest.approx(bounded(7 / 16, 1 / 16, 2, confidence_level=0.5)[:3])
    wide = joint(rag.runs, rag.qrels, rag.answers, partial=0.5).intervals
    assert (wide['low'] >= 0).all() and (wide['high'] <= 1).all()
    assert found.nuggets['context'].tolist() == [1, 1, 1, 0, 1, 0]
    assert found.hardest()[['text', 'found', 'stated']].values.tolist()[:2] == [
        ['how far', 0, 0],
        ['rotation', 0, 1],
    ]
    assert found.plot().get_legend() is not None


@pytest.mark.parametrize(
    'settings, context',
    [
        ({}, 'Coverage'),
        ({'cutoff': 1}, 'Coverage@1'),
        ({'budget': 150}, 'Coverage(budget=150)'),
        ({'importance': 'vital'}, "Coverage(importance='vital')"),
        ({'weights': 'importance'}, "Coverage(weights='importance')"),
    ],
)
def test_totals_of_joint_are_coverage(example, settings, context):
    rag = read_rag(example)
    scores = joint(rag.runs, rag.qrels, rag.answers, partial=0.5, **settings).scores()
    found = evaluate(rag.runs, rag.qrels, [context]).values.ravel()
    assert scores['found'].ravel() == pytest.approx(found)
    inside = context.replace('@1', '').partition('(')[2].rstrip(')')
    options = ','.join(filter(None, ['rel=2,partial=0.5', '' if 'budget' in inside else inside]))
    stated = evaluate(
        rag.answers.runs, rag.answers.qrels, [f'Coverage({options})@1']
    ).values.ravel()
    assert scores['stated'].ravel() == pytest.approx(stated)


def test_joint_says_what_does_not_fit(example):
    rag = read_rag(example)
    refused("system 'B' has no answers", joint, {'B': rag.runs['A']}, rag.qrels, rag.answers)
    fewer = rag.qrels[rag.qrels['subtopic_id'] != '4']
    with expect_error("query 'tides': nugget '4' is judged of answers only"):
        joint(rag.runs, fewer, rag.answers)
    with expect_error('expected what read_answers gives', TypeError):
        joint(rag.runs, rag.qrels, rag.qrels)
    wrong = {'cutoff': 0, 'partial': 2, 'importance': 'x', 'weights': 'points'}
    for name, value in {**wrong, 'confidence_level': 1}.items():
        refused(f'{name}=', joint, rag.runs, rag.qrels, rag.answers, **{name: value})


# --------------------------------------------------------------------------------------------------------- commands

OPENING = '''\
A.jsonl: 1 system, 2 questions, 6 nuggets (4 vital), 3 contexts (300 tokens), 2 answers (4 sentences, 3 cited)
                                      mean [95 % interval]  n
context  Coverage@10               0.6250 [0.2693, 0.8625]  2  share of the nuggets that the context holds
context  tokens                150.0000 [0.0000, 785.3102]  2
answer   strict_vital_score        0.7500 [0.2653, 0.9550]  2  vital nuggets that the answer states in full
answer   all_score                 0.5625 [0.2524, 0.8158]  2  all nuggets, half a point for those stated in part
support  weighted_precision        0.8750 [0.3370, 0.9848]  2  cited sentences that their citation supports
support  weighted_recall           0.7500 [0.2653, 0.9550]  2  the same, of all sentences
joint    used                      0.4375 [0.1842, 0.7476]  2  in the context and in the answer
joint    unused                    0.1875 [0.0304, 0.6924]  2  retrieved, but not said: work on the prompt
joint    unsupported               0.1250 [0.0152, 0.6630]  2  said, but not retrieved: from memory
joint    unfound                   0.2500 [0.0450, 0.7347]  2  neither: work on retrieval
What to do next:
work on retrieval: 1 of 6 nuggets neither retrieved nor said, 0.2500 [0.0450, 0.7347] of a question; most in bees
work on the prompt: 2 of 6 nuggets retrieved, but not said, 0.1875 [0.0304, 0.6924] of a question; most in tides
check the evidence: 1 of 6 nuggets said, but not retrieved, 0.1250 [0.0152, 0.6630] of a question; most in tides
'''


def test_the_command_prints_the_opening(example, capsys):
    assert cli.main(['rag', str(example), '--labels']) == 0
    assert capsys.readouterr().out == OPENING


def test_the_command_in_other_ways(example, tmp_path, capsys):
    def printed(*arguments):
        assert cli.main(['rag', *map(str, arguments)]) == 0
        return capsys.readouterr().out

    shutil.copy(example, tmp_path / 'B.jsonl')
    out = printed(example, tmp_path / 'B.jsonl', '-m', 'trec-rag', '--labels', '-q')
    assert out.startswith('2 files: 2 systems, 2 questions, 6 nuggets')
    assert 'weighted_score' in out and out.count('strict_vital_score') == 2
    out = printed(example, '--along', 'length', '--at', '0,150', '--format', 'csv').splitlines()
    assert out[0] == 'block,name,system,mean,low,high,pvalue,n'
    assert [line.split(',')[1:4] for line in out[1:3]] == [
        ['Coverage@10 length=0', 'A', '0.0000'],
        ['Coverage@10 length=150', 'A', '0.3750'],
    ]
    assert cli.main(['rag', str(example), '--along', 'length']) == 2
    assert 'support  needs labels of citations (support)' in printed(
        lines(tmp_path / 't.jsonl', TRACE)
    )


def test_stand_ins(example, capsys):
    """tides: 2 of 2 vital and 2 of 4 nuggets in full, 2½ of 4 with partial credit; bees: 1 of 2."""
    assert cli.main(['compat', 'nuggetizer', str(example)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [list(row.values()) for row in rows] == [
        ['tides', 1.0, 0.5, 1.0, 0.625],
        ['bees', 0.5, 0.5, 0.5, 0.5],
        ['all', 0.75, 0.5, 0.75, 0.5625],
    ]
    assert cli.main(['compat', 'argue', str(example)]) == 0
    found = {
        tuple(line.split('\t')[1:3]): float(line.split('\t')[3])
        for line in capsys.readouterr().out.splitlines()
    }
    # of three sentences one is supported in full; weights 1 and 1/2 of vital and okay nuggets
    assert (
        found['tides', 'sentence_support'] == 0.3333
        and found['tides', 'nugget_coverage_weighted'] == 0.6667
    )
    assert found['tides', 'f1'] == 0.4 and found['all', 'nugget_coverage'] == 0.5
