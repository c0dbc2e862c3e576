"""What is questionable is not scored in silence: one warning of its kind, with counts; ``diagnose`` tells all of it."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    diagnose,
    distinct_scores,
    measures,
    read_qrels,
    read_run,
    with_weights,
)
from ir_divmeasures.errors import DocumentsWarning, JudgmentsWarning, QueriesWarning
from ir_divmeasures.evaluation.provider import Evaluator

from .builders import (
    expect_error,
    expect_warning,
    over,
    recorded_warnings,
    refused,
    run_table,
)

QUERIES = [f'q{i}' for i in range(20)]
QRELS = {query: {f'{query}-doc{j}': {str(j % 3): 1} for j in range(10)} for query in QUERIES}
KINDS = {
    'diversity': 'alpha_nDCG@5',
    'ad hoc': 'nDCG@5',
    'handed on': 'Bpref',
    'both': 'alpha_nDCG@5 nDCG@5',
}


def run_of(queries, name='{query}-doc{j}', n=20):
    return {
        query: {name.format(query=query, j=j): 100.0 - j for j in range(n)} for query in queries
    }


GOOD = run_of(QUERIES)
WRONG_IDS = run_of(QUERIES, 'DOC:{query}:{j}')
CLOSE = {query: {f'{query}-doc{j}': 1 + (10 - j) * 1e-9 for j in range(10)} for query in QUERIES}


def told(asked, qrels, run):
    """The warnings of one evaluation by a host."""
    with recorded_warnings() as caught:
        Evaluator(measures(asked), qrels).calc_aggregate(run)
    return [(w.category, str(w.message)) for w in caught]


CASES = {
    'almost none judged': (
        {**WRONG_IDS, 'q0': {'q0-doc1': 91.5, **WRONG_IDS['q0']}},  # at rank 10
        DocumentsWarning,
        "1 of the 200 documents in the top 10 of 20 judged queries are judged "
        "(run: 'DOC:q0:0', …; judgments: 'q0-doc0', …). Are their ids of one collection and form?",
    ),
    'documents of another query': (
        run_of(['q0', 'q1'], 'q2-doc{j}', 10),
        DocumentsWarning,
        "0 of the 20 documents in the top 10 of 2 judged queries are judged "
        "(run: 'q2-doc0', …; judgments: 'q0-doc0', …). Are their ids of one collection and form?",
    ),
    'queries missing': (
        run_of([*QUERIES[:9], *'abcdefgh']),
        QueriesWarning,
        "11 of 20 judged queries are not in the run and score 0 ('q9', 'q10', 'q11', …), and 8 of its 17 queries have no "
        "judgments. Leave them out of the judgments if the run was not meant to have them",
    ),
    'no query in common': (
        run_of(['x1', 'x2']),
        QueriesWarning,
        "none of the 2 queries of the run has judgments (run: 'x1', 'x2'; judgments: 'q0', 'q1', 'q2', …). Do both belong "
        "to the same queries?",
    ),
    'empty': ({}, QueriesWarning, 'the run has no documents for 20 judged queries: they score 0'),
}


@over('kind', KINDS)
@over('case', CASES)
def test_run_that_hardly_meets_the_judgments(case, kind):
    run, category, words = CASES[case]
    found = [
        w
        for w in told(KINDS[kind], QRELS, run)
        if not (w[0] is QueriesWarning and category is DocumentsWarning)
    ]
    assert found == [(category, words)]


def test_a_run_that_retrieves_mostly_unjudged_documents():
    """Of 15 queries, five documents of the top 20 are judged; the five queries that are missing do not count."""
    judged = {
        query: {f'{query}-doc{j}': {str(j % 2): j % 3} for j in range(20)} for query in QUERIES
    }
    later = {query: {f'{query}-doc{j}': 50.0 - j for j in range(15, 40)} for query in QUERIES[:15]}
    assert told('nDCG@20', judged, later) == []
    assert diagnose(judged, {'A': later}).questions == (
        'A: 225 of the 300 documents in the top 20 of 15 queries are not judged, and count as not relevant: judged@20 is '
        '25%. judged_only=True leaves them out',
    )


@over('kind', KINDS)
@over(
    'run',
    [
        GOOD,
        run_of(QUERIES[:10]),
        {**GOOD, **run_of([f'x{i}' for i in range(21)])},
        {**GOOD, 'q3': {'unjudged': 1.0}},
    ],
)
def test_nothing_to_question(run, kind):
    assert told(KINDS[kind], QRELS, run) == []


def test_queries_of_one_document_are_not_judged_alike():
    many = {f'q{q}': {f'd{d}': d % 2 for d in range(60)} for q in range(10)}
    judged = {**many, **{f'r{q}': {'d0': 1} for q in range(20)}}
    assert told('nDCG@20', judged, {query: {'d0': 2.0, 'd1': 1.0} for query in judged}) == []


@over('found, asked', [(2, []), (1, [DocumentsWarning])])
def test_sparse_judgments_of_which_a_poor_run_finds_few(found, asked):
    """One judged document a query, as MS MARCO has: 2 of 2,000 documents are .1 %, but 1 % of what could be."""
    qrels = {f'q{i}': {f'doc{i}': 1} for i in range(200)}
    run = {
        f'q{i}': {
            **{f'other{j}': 50.0 - j for j in range(10)},
            **({f'doc{i}': 99.0} if i < found else {}),
        }
        for i in range(200)
    }
    kinds = [category for category, _ in told('alpha_nDCG@10 nDCG@10', qrels, run)]
    assert kinds == [JudgmentsWarning, *asked]


def test_one_query_without_a_judged_document_is_common():
    """Its ids are of the same form: the system found nothing."""
    assert told('alpha_nDCG@5', {'q': QRELS['q0']}, {'q': {'q0-doc77': 1.0, 'q0-doc78': 0.5}}) == []


@over(
    'asked, weights, n_found',
    [
        ('P_IA@5', {'0': 1, '1': 1, '2': 1}, 1),
        ('ERR_IA@5', {'0': 1, '1': 1, '2': 1}, 0),
        ('nDCG@5', {'0': 1, '1': 1, '2': 1}, 0),
        ('ERR_IA@5', {'0': 0.333, '1': 0.333, '2': 0.333}, 0),
    ],
)
def test_weights_that_do_not_sum_to_1(asked, weights, n_found):
    weighted = with_weights(QRELS, dict.fromkeys(QUERIES, weights))
    assert told(asked, weighted, GOOD) == []
    assert (
        diagnose(weighted, GOOD, asked).questions
        == (
            "judgments: the weights of 20 of 20 queries do not sum to 1 over the judged intents ('q0': 3), and P_IA@5 depends "
            "on it; with_weights(…, normalise=True) makes them sum to 1",
        )
        * n_found
    )


@over('score', [1.0, np.inf])
def test_scores_that_rank_nothing_are_counted_among_queries_with_several_documents(score):
    """q0 to q18 have two documents each, those of q0 with different scores, and q19 has one."""
    run = {query: dict.fromkeys(list(QRELS[query])[:2], score) for query in QUERIES}
    run['q0']['q0-doc1'] = 0.5
    del run['q19']['q19-doc1']
    [said] = [text for kind, text in told('alpha_nDCG@5', QRELS, run)]
    assert (
        f"all scores are equal in 18 of 19 queries with several documents ('q1': {score:g})" in said
    )


@over(
    'ties, scores',
    [
        ('doc_id', [1.0, 3.0, 2.0, 1.0]),
        ('doc_id_ascending', [2.0, 3.0, 1.0, 1.0]),
        ('rows', [2.0, 3.0, 1.0, 1.0]),
    ],
)
def test_distinct_scores(ties, scores):
    """Ranks a, b, c by score: b first; a and c tie, c has the larger doc_id and a the earlier row."""
    run = run_table([['q', 'a', 0.5], ['q', 'b', 7.0], ['q', 'c', 0.5], ['p', 'a', 3.0]])
    found = distinct_scores(run, ties)
    assert found['score'].tolist() == scores
    assert found[['query_id', 'doc_id']].equals(read_run(run)[['query_id', 'doc_id']])
    assert run['score'].tolist() == [0.5, 7.0, 0.5, 3.0]
    with expect_error("ties='x': expected one of 'doc_id', 'doc_id_ascending', 'rows'"):
        distinct_scores(run, 'x')


def test_fractional_grades():
    """Measures that are left to a provider of whole grades name themselves and the document."""
    qrels = {'q': {'d1': {'1': 1.5, '2': 1}, 'd2': {'1': 0, '2': 1}}}
    with expect_error("Bpref: query 'q', document 'd1' has the grade 1.5; .* whole grades only"):
        ir_measures.calc_aggregate(measures('alpha_nDCG@5 Bpref'), qrels, {'q': {'d1': 1.0}})
    (value,) = Evaluator(measures('P@1'), qrels).calc_aggregate({'q': {'d1': 1.0}}).values()
    assert value == 1.0


def test_fractional_grades_of_which_each_document_has_a_whole_one():
    """The highest grades of the documents, which measures of one grade a document see, are whole."""
    qrels = {'q': {'d1': {'1': 0.5, '2': 1}, 'd2': {'1': 0, '2': 0.0}, 'd3': {'1': 0.5, '2': 2}}}
    asked = measures('Bpref nDCG@5 alpha_nDCG@5')
    found = ir_measures.calc_aggregate(asked, qrels, {'q': {'d1': 3.0, 'd3': 2.0, 'd2': 1.0}})
    assert found[asked[0]] == 1.0  # both relevant documents before the other


def test_grades_that_no_measure_counts():
    qrels = {q: {'d1': {'1': 0.5}, 'd2': {'2': 0.25}} for q in 'abc'}
    ((category, message),) = told('ERR_IA@5 nDCG@5', qrels, {q: {'d1': 1.0} for q in 'abc'})
    assert category is JudgmentsWarning
    assert message == (
        'the highest of 6 grades is 0.5, and ERR_IA@5 counts grades of at least 1 as relevant: all scores are 0. Set '
        'rel=0.5 or lower'
    )


# ---------------------------------------------------------------------------------------------------- diagnose


def test_diagnose():
    """Shares by hand: of the good run 10 of the first 10 documents are judged, of the first 20 half."""
    weighted = with_weights(QRELS, dict.fromkeys(QUERIES, {'0': 0.5, '1': 0.25, '2': 0.5}))
    tied = {'q0': {'q0-doc0': 2.0, 'q0-doc1': 1.0, 'q0-doc2': 1.0, 'u': 0.5}}
    runs = {
        'good': GOOD,
        'ids': WRONG_IDS,
        'close': CLOSE,
        'tied': tied,
        'empty': {},
        'other': run_of(['x']),
    }
    found = diagnose(weighted, runs)
    columns = [
        'queries',
        'matched',
        'missing',
        'unjudged',
        'documents',
        'judged@10',
        'judged@20',
        'tied',
    ]
    table = found.runs[columns].fillna(-1.0).to_numpy().tolist()
    assert table == [
        [20, 20, 0, 0, 400, 1.0, 0.5, 0.0],
        [20, 20, 0, 0, 400, 0.0, 0.0, 0.0],
        [20, 20, 0, 0, 200, 1.0, 1.0, 0.0],
        [1, 1, 19, 0, 4, 0.75, 0.75, 0.5],
        [0, 0, 20, 0, 0, -1.0, -1.0, 0.0],
        [1, 0, 20, 1, 20, -1.0, -1.0, 0.0],
    ]
    assert found.subtopics_from == "the column 'subtopic_id'"
    assert found.queries.loc['q0'].to_dict() == {
        'subtopics': 3,
        'relevant_subtopics': 3,
        'judged': 10,
        'relevant': 10,
        'per_subtopic': pytest.approx(10 / 3),
        'weight_sum': 1.25,
        'runs': 4,
    }
    assert [question.partition(' ')[0] for question in found.questions] == [
        'judgments:',
        'ids:',
        'tied:',
        'empty:',
        'other:',
    ]
    printed = ''.join(str(found).split())  # lines are wrapped, also at hyphens
    assert all(''.join(question.split()) in printed for question in found.questions[:2])


@over(
    'qrels, words',
    [
        ({'q': {'d': 1}}, '1 of 1 queries have one subtopic only'),
        ({'q': {'d': {'1': 0, '2': 0}}}, '1 of 1 queries have no relevant document'),
    ],
)
def test_diagnose_questions_judgments(qrels, words):
    assert words in ' '.join(diagnose(qrels, {'q': {'d': 1.0}}).questions)


def test_diagnose_says_where_subtopics_came_from():
    assert (
        diagnose({'q': {'d': 1}}, {'q': {'d': 1.0}}).subtopics_from
        == 'none (no column of subtopics)'
    )
    rows = [[query, 'd', 1, 'Q0'] for query in 'qrs']
    table = pd.DataFrame(rows, columns=['qid', 'docno', 'label', 'iteration'])
    assert (
        diagnose(table, {'q': {'d': 1.0}}).subtopics_from
        == "found 'iteration', which holds Q0 and no subtopics"
    )
    with expect_warning('which holds Q0 and no subtopics', JudgmentsWarning):
        ir_measures.calc_aggregate(
            measures('alpha_nDCG@5'),
            read_qrels(table)[['query_id', 'doc_id', 'relevance']].assign(iteration='Q0'),
            {query: {'d': 1.0} for query in 'qrs'},
        )


@over('runs, qrels, words', [({}, {}, 'the judgments are empty: no query'), ({}, QRELS, 'no runs')])
def test_diagnose_needs_judgments_and_runs(runs, qrels, words):
    refused(words, diagnose, qrels, runs)
