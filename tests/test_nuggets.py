"""Readers of nugget files, on records as the tools write them; judges that disagree; presets."""

import gzip
import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from ir_divmeasures.io.json_forms import FORMS
from ir_divmeasures.io.nugget_forms import NuggetForm
from ir_divmeasures.judgments.judges import SeveralJudgments
from ir_divmeasures.quality import resample_judges

import ir_divmeasures as dm
from ir_divmeasures import (
    DivMeasuresWarning,
    evaluate,
    presets,
    read_answers,
    read_nuggets,
    read_rag,
)
from ir_divmeasures.core import registry
from ir_divmeasures.judgments import aggregate_judges

from .builders import expect_error, expect_warning, over, refused

KEYS = ['query_id', 'doc_id', 'relevance', 'subtopic_id']


def lines(path, records):
    path.write_text('\n'.join(json.dumps(record) for record in records) + '\n', encoding='utf-8')
    return path


def rows(table, *columns):
    return [tuple(row) for row in table[[*KEYS, *columns]].itertuples(index=False)]


def nugget(text, assignment=None, importance=None):
    return {
        'text': text,
        **({} if importance is None else {'importance': importance}),
        **({} if assignment is None else {'assignment': assignment}),
    }


def answer(run_id, *assignments, qid='2024-1', **more):
    nuggets = [
        nugget(f'fact {i}', assigned, ('vital', 'okay')[i % 2])
        for i, assigned in enumerate(assignments)
    ]
    return {
        'query': 'why',
        'qid': qid,
        'answer_text': 'So.',
        'response_length': 1,
        'run_id': run_id,
        'nuggets': nuggets,
        **more,
    }


# ------------------------------------------------------------------------------------------- the forms, one by one

CREATED = [
    {'qid': '1', 'nuggets': [nugget('x', importance='okay'), nugget('y', importance='vital')]},
    {'qid': '2', 'nuggets': [nugget('z')]},
]
SUPPORTED = [
    {
        '_id': '76_0',
        'text': 'install',
        'relevant_corpus_ids': ['a/b', 'c'],
        'non_relevant_corpus_ids': ['e'],
    },
    {'_id': '76_1', 'text': 'run', 'relevant_corpus_ids': []},
]
ASPECTS = [
    {'id': '12_0', 'aspect': 'cause', 'weight': 3, 'supporting_docs': ['d1']},
    {'id': '12_1', 'aspect': 'cure', 'weight': 1.0, 'supporting_docs': ['d2']},
]
QUERIES_OF_ASPECTS = {
    'earth_science-7-a0': 'earth_science-7',
    '7-aspect-12': '7',
    'earth_science_7_0': 'earth_science_7',
}
SEVERAL = {'example_id': 'q', 'docids': ['d1', 'd2']}
BANK = {
    'Who?': {
        'question_id': 'n-7',
        'answers': [{'answer': 'a', 'references': [{'doc_id': 'd1'}, 'd2']}, 'b'],
    },
    'When?': {'question_id': 'n-8', 'importance': 'VITAL', 'answers': {}},
}
RATED = [('q', 'd1', 5, '1'), ('q', 'd1', 0, '2'), ('q', 'd2', 3, '2')]
CRUX = [
    {'id': 'q', 'docid': 'd1', 'rating': [5, 0]},
    {'id': 'q', 'docid': 'd2', 'rating': [-1, 3]},
]
QUESTIONS = [('q', '-', -1, '1', 'Who?'), ('q', '-', -1, '2', 'When?')]
FILES = {
    'autonuggetizer answers': (
        [answer('a', 'support', 'not_support', 'partial_support')],
        [
            ('2024-1', 'a', 2, '1', 'vital', 'fact 0'),
            ('2024-1', 'a', 0, '2', 'okay', 'fact 1'),
            ('2024-1', 'a', 1, '3', 'vital', 'fact 2'),
        ],
    ),
    'autonuggetizer created': (
        CREATED,
        [
            ('1', '-', -1, '1', 'okay', 'x'),
            ('1', '-', -1, '2', 'vital', 'y'),
            ('2', '-', -1, '1', '', 'z'),
        ],
    ),
    'autonuggetizer retrieved': (
        [{'qid': '1', 'docid': 'd7', 'nuggets': [nugget('x', 'support'), nugget('y', 'no')]}],
        [('1', 'd7', 2, '1', 'x'), ('1', 'd7', 0, '2', 'y')],
    ),
    'crux': (CRUX, RATED),
    'crux several': ([{**SEVERAL, 'ratings': [[5, 0], [-1, 3]]}], RATED),
    'crux and-or': (
        [{**SEVERAL, 'ratings': [], 'ratings_andor': [[5, 0], [-1, 3]]}],
        RATED,
        {'ratings': 'ratings_andor'},
    ),
    'lancer': (
        [{'q': [[5, 0], [-1, 3]]}],
        RATED,
        {'run': {'q': {'d2': 1.0, 'd1': 2.0, 'd3': 0.5}}},
    ),
    'ragas': (
        [{'question': 'q', 'reference_context_ids': ['d1', 'd2']}],
        [('q', 'd1', 1, '1'), ('q', 'd2', 1, '2')],
    ),
    'freshstack': (
        [{'query_id': '76', 'nuggets': SUPPORTED}],
        [
            ('76', 'a/b', 1, '76_0', 'install'),
            ('76', 'c', 1, '76_0', 'install'),
            ('76', 'e', 0, '76_0', 'install'),
            ('76', '-', -1, '76_1', 'run'),
        ],
    ),
    'freshstack again': (
        [
            SUPPORTED[0],
            {**SUPPORTED[0], 'relevant_corpus_ids': ['e'], 'non_relevant_corpus_ids': ['c']},
        ],
        [('76', each, 1, '76_0', 'install') for each in ('a/b', 'c', 'e')],
    ),
    'freshstack of queries': (
        SUPPORTED[1:],
        [('y', '-', -1, '76_1', 'run')],
        {'queries': {'76_1': 'y'}},
    ),
    'autojudge': (
        [{'metadata': {'topic_id': 't1', 'run_id': 'r'}, 'nugget_bank': BANK}],
        [
            ('t1', 'd1', 1, 'n-7', '', 'Who?'),
            ('t1', 'd2', 1, 'n-7', '', 'Who?'),
            ('t1', '-', -1, 'n-8', 'vital', 'When?'),
        ],
    ),
    'bright-pro': (
        ASPECTS,
        [('12', 'd1', 1, '12_0', 3.0, 'cause'), ('12', 'd2', 1, '12_1', 1.0, 'cure')],
    ),
    'bright-pro ids': (
        [{'id': name, 'weight': 1, 'supporting_docs': ['d']} for name in QUERIES_OF_ASPECTS],
        [(query, 'd', 1, name, 1.0) for name, query in QUERIES_OF_ASPECTS.items()],
    ),
    'neuclir': (
        [{'Who?': ['OR', {'He': ['d1', 'd2'], 'She': ['d1']}], 'When?': ['AND', {'Now': []}]}],
        [
            ('301', 'd1', 1, '1', 'Who?'),
            ('301', 'd2', 1, '1', 'Who?'),
            ('301', '-', -1, '2', 'When?'),
        ],
    ),
    'flat': (
        [{'qid': 'q', 'nugget_id': 'n', 'nugget': 'x', 'doc_id': 'd', 'label': 'yes'}],
        [('q', 'd', 2, 'n', 'x')],
    ),
    'criterion': (
        [{'sample_id': 'q', 'run_id': 'a', 'weight': -1, 'score': 0.5}],
        [('q', 'a', 1.0, '1', 0.0, -1.0)],
    ),
    'rubric': (
        [{'query_id': 'q', 'run_id': 'a', 'rubrics': [{'points': 2, 'criteria_met': True}]}],
        [('q', 'a', 2, '1', 2.0, 2.0)],
    ),
    'texts': ([{'q': ['Who?', 'When?']}], QUESTIONS),
    'questions': ([{'id': 'q', 'questions': ['Who?', 'When?']}], QUESTIONS),
    'coveragebench': (
        'q 1 What is it?\nq 2 Who  made it?\n',
        [('q', '-', -1, '1', 'What is it?'), ('q', '-', -1, '2', 'Who  made it?')],
    ),
    'coveragebench qrels': (
        'q 1 doc9 1\nq 1 doc8 0\n',
        [('q', 'doc9', 1, '1'), ('q', 'doc8', 0, '1')],
    ),
    **{
        f'table of {name}': (
            f'query{tab}intent{tab}text{tab}importance{tab}weight\n'
            f'q{tab}1{tab}Who?{tab}vital{tab}0.75\nq{tab}2{tab}When?{tab}{tab}0.25\n',
            [
                ('q', '-', -1, '1', 0.75, 'vital', 'Who?'),
                ('q', '-', -1, '2', 0.25, '', 'When?'),
            ],
        )
        for name, tab in (('tabs', '\t'), ('commas', ','))
    },
}


@over('form', FILES)
def test_forms(tmp_path, form):
    """Each form gives its rows, also compressed and by the reader of judgments."""
    content, expected, *options = FILES[form]
    given = dict(*options)
    path = tmp_path / 'nuggets_301.jsonl'
    if isinstance(content, str):
        path.write_text(content)
    else:
        lines(path, content)
    table = read_nuggets(path, **given)
    assert [tuple(row) for row in table.itertuples(index=False)] == expected
    compressed = tmp_path / 'nuggets_301.jsonl.gz'
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_nuggets(compressed, **given).equals(table)
    if not options and not isinstance(content, str):
        assert sorted(rows(dm.read_qrels(path))) == sorted(rows(table))


def test_the_forms_have_examples():
    of_nuggets = {name for name, form in FORMS.items() if issubclass(form, NuggetForm)}
    assert {form.split()[0] for form in FILES} == {*of_nuggets, 'table', 'coveragebench'}
    assert all(form.__doc__ for form in FORMS.values())


def test_intents_are_listed_in_another_file(tmp_path):
    """Importance that is missing here is what the other file says; ratings of -1 everywhere leave an intent listed."""
    created = lines(tmp_path / 'create.jsonl', CREATED)
    assigned = lines(tmp_path / 'retrieval.jsonl', FILES['autonuggetizer retrieved'][0])
    assert rows(read_nuggets(assigned, intents=created), 'importance') == [
        ('1', 'd7', 2, '1', 'okay'),
        ('1', 'd7', 0, '2', 'vital'),
        ('2', '-', -1, '1', ''),
    ]
    path = lines(tmp_path / 'a.jsonl', [{'id': 'q', 'docid': 'd1', 'rating': [4, -1]}])
    for texts in ({'q': ['Who?', 'When?']}, lines(tmp_path / 'q.json', FILES['texts'][0])):
        table = read_nuggets(path, intents=texts)
        assert rows(table, 'text') == [('q', 'd1', 4, '1', 'Who?'), ('q', '-', -1, '2', 'When?')]
    with expect_error("line 1: query 'q': 2 nuggets or ratings, expected 1 as"):
        read_nuggets(path, intents={'q': ['Who?']})
    refused('hold judgments', read_nuggets, path, intents=path)


# --------------------------------------------------------------------------------------------------- unknown values


def test_a_document_both_relevant_and_non_relevant_is_what_freshstack_makes_of_it(tmp_path):
    path = lines(tmp_path / 'a.jsonl', [{**SUPPORTED[0], 'relevant_corpus_ids': ['c', 'e']}])
    what = 'both relevant and non-relevant'
    with expect_warning(f"{what} 'e': 1 times, counted as non-relevant"):
        assert rows(read_nuggets(path)) == [('76', 'c', 1, '76_0'), ('76', 'e', 0, '76_0')]
    refused(f'line 1: a document {what}', read_nuggets, path, strict=True)


def test_unknown_values_are_counted_in_one_warning(tmp_path):
    path = lines(
        tmp_path / 'a.jsonl',
        [
            {
                'qid': 'q',
                'run_id': r,
                'nuggets': [nugget('x', 'failed', 'vital'), nugget('y', given, 'failed')],
            }
            for r, given in (('a', 'support'), ('b', 'maybe'))
        ],
    )
    with pytest.warns(DivMeasuresWarning) as caught:
        table = read_nuggets(path)
    assert len(caught) == 1
    said = str(caught[0].message)
    assert "assignment 'failed': 2 times, counted as no support" in said
    assert (
        "assignment 'maybe': 1 times" in said
        and "importance 'failed': 2 times, counted as neither" in said
    )
    assert rows(table, 'importance') == [
        ('q', 'a', 0, '1', 'vital'),
        ('q', 'a', 2, '2', ''),
        ('q', 'b', 0, '1', 'vital'),
        ('q', 'b', 0, '2', ''),
    ]
    refused(r"a\.jsonl, line 1: assignment is 'failed'", read_nuggets, path, strict=True)


@pytest.mark.parametrize(
    'read', [read_nuggets, read_rag, read_answers], ids=lambda read: read.__name__
)
def test_nuggets_of_the_same_text_are_counted_in_one_warning(tmp_path, read):
    """Two of q's three nuggets, all of r's; blanks make no difference. Those of different queries are no duplicates."""
    nuggets = {'q': ('x', ' x ', 'y'), 'r': ('x', 'x')}
    path = lines(
        tmp_path / 'a.jsonl',
        [
            {
                'query_id': query,
                'run_id': run,
                'contexts': [{'id': 'd'}],
                'answer': [{'text': 'so'}],
                'nuggets': [
                    {**nugget(text, 'support', 'vital'), 'documents': ['d']} for text in texts
                ],
            }
            for query, texts in nuggets.items()
            for run in 'ab'
        ],
    )
    with pytest.warns(DivMeasuresWarning) as caught:
        read(path)
    assert [str(warning.message).partition(': ')[2] for warning in caught] == [
        "4 nuggets of 2 queries have the text of another nugget of their query, and each counts on its own: query 'q', "
        "nuggets '1', '2' ('x')"
    ]


# -------------------------------------------------------------------------------------------------------- bad input

BAD = {
    'length of ratings': (
        [{'id': 'q', 'docid': 'a', 'rating': [1, 2]}, {'id': 'q', 'docid': 'b', 'rating': [1]}],
        "line 2: query 'q': 1 nuggets or ratings, expected 2 as in .*line 1",
    ),
    'facts': (
        [answer('a', 'support'), {**answer('b'), 'nuggets': [nugget('other', 'support', 'vital')]}],
        r"line 2: query '2024-1': text of nugget 1 is 'other' here and 'fact 0'",
    ),
    'no assignment': (
        [{**answer('a'), 'nuggets': [nugget('x', 'support'), nugget('y')]}],
        '1 of 2 nuggets have no assignment',
    ),
    'document': ([{'id': 'q', 'docid': '-', 'rating': [1]}], "line 1: query 'q': document is '-'"),
    'no document': ([{'id': 'q', 'rating': [1]}], 'line 1: no docid or doc_id or pid'),
    'lists': (
        [{'id': 'q', 'docids': ['a', 'b'], 'ratings': [[1]]}],
        '1 lists of ratings for 2 documents',
    ),
    'form': ([{'a': 1}], 'line 1: found the fields a, expected those of one of the forms'),
    'weight': (
        [{'id': '1_0', 'weight': -1, 'supporting_docs': []}],
        r'line 1: Expected `float` >= 0.0 - at `\$.weight`',
    ),
    'no query': ([{'_id': 'x', 'relevant_corpus_ids': []}], "no query before a '_' or '-a'"),
    'name of the file': ([{'Who?': ['OR', {'a': ['d']}]}], 'a file named nuggets_<query>'),
    'rating': (
        [{'id': 'q', 'docid': 'd', 'rating': [1, 'x']}],
        r'line 1: Expected `int \| float \| null`, got `str` - at `\$.rating\[1\]`',
    ),
    'no points': ([{'query_id': 'q', 'rubrics': [{}]}], 'criterion 1: no points or weight'),
    'no object': ([[3]], r'bad\.jsonl, record 1: found 3, expected a JSON object'),
    'no run': ([{'q': [[1], [2]]}], 'give run='),
    'run': ([{'q': [[1], [2]]}], '2 lists of ratings, but the run has 1', {'run': {'q': {'d': 1}}}),
}


@over('case', BAD)
def test_bad_records(tmp_path, case):
    records, message, *options = BAD[case]
    refused(message, read_nuggets, lines(tmp_path / 'bad.jsonl', records), **dict(*options))


def test_wrong_arguments(tmp_path):
    refused('several of them, found 3', read_nuggets, 3, error=TypeError)
    with pytest.raises(FileNotFoundError):
        read_nuggets(tmp_path / 'none.jsonl')


# ---------------------------------------------------------------------------------------------------------- answers


def test_answers_are_scored_as_autonuggetizer_scores_them(tmp_path):
    """Counts by hand: of a's 2 vital nuggets one is supported, one partly; of its 4 nuggets two are supported."""
    path = lines(
        tmp_path / 'assign.jsonl',
        [
            answer('a', 'support', 'support', 'partial_support', 'not_support'),
            answer('b', 'not_support', 'partial_support', 'not_support', 'support'),
        ],
    )
    answers = read_answers(path)
    scores = evaluate(answers.runs, answers.qrels, 'trec-rag')
    assert scores.systems == ('a', 'b')
    assert scores.values[0, 0].tolist() == [
        1 / 2,
        2 / 4,
        (1 + 0.5) / 2,
        (2 + 0.5) / 4,
        (1 + 1 / 2 + 0.5) / 3,
    ]
    assert scores.values[1, 0].tolist() == [0, 1 / 4, 0, (1 + 0.5) / 4, (0.5 / 2 + 1 / 2) / 3]


def test_answers_from_a_dict_and_twice(tmp_path):
    source = {'a': {'q': {'n1': 'support', 'n2': 0}}}
    answers = read_answers(source, intents={'q': {'n1': 'x', 'n2': 'y', 'n3': 'z'}, 'p': ['x']})
    assert rows(answers.qrels, 'text') == [
        ('q', 'a', 2, 'n1', 'x'),
        ('q', 'a', 0, 'n2', 'y'),
        ('q', '-', -1, 'n3', 'z'),
    ]
    path = lines(tmp_path / 'a.jsonl', [answer('a', 'support'), answer('a', 'support')])
    refused("'a' answers query '2024-1' more than once; run_id tells", read_answers, path)


# ----------------------------------------------------------------------------------------------------------- judges


def judged(*records):
    """(document, judge, grades of intents '1', '2', …) as rows."""
    return pd.DataFrame(
        [
            ('q', d, g, str(i), judge)
            for d, judge, grades in records
            for i, g in enumerate(grades, 1)
        ],
        columns=[*KEYS, 'judge'],
    )


@over('how, expected', [('max', [5, 5]), ('mean', [3, 2.5]), ('majority', [1, 2])])
def test_aggregation(how, expected):
    """1, 1, 5, 5: the modes 1 and 5, of which the lower; 0, 2, 3, 5: the lower middle of four modes; unknown is left out."""
    grades = [(1, 3), (5, 0), (1, 5), (5, 2), (-1, -1)]
    table = judged(*(('d', str(judge), pair) for judge, pair in enumerate(grades)))
    assert aggregate_judges(table, how)['relevance'].tolist() == expected


def test_aggregation_keeps_intents_and_facts():
    table = judged(('d', 'a', [1, -1]), ('d', 'b', [0, -1])).assign(text=['x', 'y'] * 2)
    assert rows(aggregate_judges(table, 'mean'), 'text') == [
        ('q', 'd', 0.5, '1', 'x'),
        ('q', '-', -1, '2', 'y'),
    ]
    by_name = aggregate_judges(
        {'a': {'q': {'d': {'1': 1}}}, 'b': {'q': {'d': {'1': 0}, 'e': {'1': 3}}}}, 'max'
    )
    assert rows(by_name) == [('q', 'd', 1, '1'), ('q', 'e', 3, '1')]


def test_repeats_of_files_are_judges(tmp_path):
    first = lines(tmp_path / 'a.jsonl', [{'id': 'q', 'docid': 'd', 'rating': [1, 4]}])
    again = lines(
        tmp_path / 'b.jsonl',
        [
            {'id': 'q', 'docid': 'd', 'rating': [3, 4], 'judge': 'lsr'},
            {'id': 'q', 'docid': 'd', 'rating': [3, 4], 'judge': 'lsr'},
        ],
    )
    table = read_nuggets([first, again])
    assert table['judge'].tolist() == ['1', '1', 'lsr', 'lsr', 'lsr#3', 'lsr#3']
    assert aggregate_judges(table, 'mean')['relevance'].tolist() == [7 / 3, 4]
    with expect_error('several grades, one of them 3 .several judges. aggregate_judges makes'):
        dm.read_qrels(table)


def test_resampling_by_hand():
    """A's d1 is answered by judge a only; B's d2 by its only judge: half of the replicates tie, half have A below."""
    table = judged(('d1', 'a', [3]), ('d1', 'b', [0]), ('d2', 'a', [3]))
    runs = {'A': {'q': {'d1': 1.0}}, 'B': {'q': {'d2': 2.0, 'd1': 1.0}}}
    noise, again = (
        resample_judges(runs, table, 'Coverage(rel=3)@1', n_resamples=n, rng=3) for n in (120, 30)
    )
    found = noise.replicates[:, :, 0, 0]
    assert set(found[:, 0]) == {0.0, 1.0} and set(found[:, 1]) == {1.0}
    assert np.array_equal(again.replicates, noise.replicates[:30])
    assert noise.reference[:, 0].tolist() == [0, 1]  # the mean of 3 and 0 is below 3
    share = found[:, 0].mean()
    assert noise.means[:, 0].tolist() == [share, 1] and abs(share - 0.5) < 0.15
    assert noise.agreement[0, 0] == (found[:, 0] == 0).mean()
    assert noise.rated_again.tolist() == [1, 0] and noise.depth == 1
    assert noise.noise[:, 0].tolist() == [1 / 2, 0] and noise.pair_noise.tolist() == [[1 / 4]]
    V = 120 / 119 * share * (1 - share)  # e = 1/2: V(1/e − 1) = V and V(2/e − 1) = 3V; e = 1/4: 7V
    below, above = np.sqrt(V) * np.array([-1.959963984540054, 1.959963984540054])
    for of, factor in (('judges', 1), ('again', 3)):
        ends = [share + math.sqrt(factor) * end for end in (below, above)]
        assert noise.interval(of=of)[0, 0].tolist() == pytest.approx(ends)
        assert np.isnan(noise.interval(of=of)[1]).all()
    ends = [share - 1 + math.sqrt(7) * end for end in (below, above)]
    assert noise.difference_interval(of='again')[0, 0].tolist() == pytest.approx(ends)
    assert np.isnan(noise.interval()).all()  # one query
    (pair,) = noise.pairs_frame().to_dict('records')
    assert (pair['difference'], pair['reference']) == (share - 1, -1) and math.isnan(pair['low'])


def test_intervals_over_queries_by_hand():
    """Two queries whose means are 1/2 (in expectation) and 1: t with one degree of freedom is 12.706.

    Coverage is at most 1, and has no lower bound, because weights of nuggets can be negative.
    """
    table = pd.concat(
        [judged(('d1', 'a', [3]), ('d1', 'b', [0])), judged(('d1', 'a', [3])).assign(query_id='q2')]
    )
    run = {'A': {'q': {'d1': 1.0}, 'q2': {'d1': 1.0}}}
    noise = resample_judges(run, table, 'Coverage(rel=3)@1', n_resamples=40, rng=0)
    share = noise.replicates[:, 0, 0, 0].mean()
    half = (
        12.706204736174704 * abs(1 - share) / 2
    )  # s/√2 of two numbers is half of their difference
    assert noise.interval()[0, 0].tolist() == pytest.approx([(1 + share) / 2 - half, 1])
    assert noise.queries == ('q', 'q2') and noise.noise[0, 0] == 1 / 4


MEASURES_OF_REPLICATES = (
    'Coverage(rel=3)@2 alpha_nDCG(rel=2)@3 ERR_IA@3 RBU@3 StRecall(rel=2)@2 P(rel=2)@2 nDCG@3 '
    'AP(rel=2) Bpref(rel=2) IA(M="P(rel=2)@2") nDCG(judged_only=True)@2'
)


def replicate_by_hand(table, chosen):
    """The judgments in which each (query, document) has the record of the judge that ``chosen`` names."""
    judge = [chosen[query, doc] for query, doc in zip(table['query_id'], table['doc_id'])]
    return table[(table['judge'] == judge) | (table['doc_id'] == '-')].drop(columns='judge')


def test_replicates_are_scores_of_the_drawn_judgments():
    """Documents are located once and only grades change: the scores are those of judgments made anew."""
    rng = np.random.default_rng(4)
    rows = []
    for q in ('q1', 'q2', 'q3'):
        for d in range(9):
            for judge in 'abc'[: 1 + d % 3]:
                rows += [(q, f'd{d}', int(rng.integers(0, 5)), str(t), judge) for t in range(3)]
    table = pd.DataFrame(rows, columns=[*KEYS, 'judge'])
    runs = {
        name: {
            q: {f'd{d}': float(s) for d, s in enumerate(rng.random(11))}
            for q in ('q1', 'q3')[i % 2 :]
        }
        for i, name in enumerate('AB')
    }
    measures = dm.measures(MEASURES_OF_REPLICATES)
    records = SeveralJudgments(table)
    n = len(records.n_records)
    first_records = {
        record: (pair.query_id, pair.doc_id) for record, pair in records.pairs.iterrows()
    }
    of_document = (
        table.drop_duplicates(['query_id', 'doc_id', 'judge'])
        .groupby(['query_id', 'doc_id'])['judge']
        .apply(list)
    )
    noise = resample_judges(runs, table, measures, n_resamples=3, rng=0, reference='majority')
    for choice, replicate in zip(np.random.default_rng(0).random((3, n)), noise.replicates):
        chosen = {
            pair: of_document[pair][int(choice[records.document[record]] * len(of_document[pair]))]
            for record, pair in first_records.items()
        }
        with expect_warning('1 of 3 judged queries are in no run'):
            wanted = evaluate(runs, replicate_by_hand(table, chosen), measures)
        assert np.allclose(replicate, wanted.values, atol=1e-12)


def test_unknown_ratings_are_drawn_with_their_record():
    """Judge b leaves intent 2 open: it is covered where judge a is drawn."""
    table = judged(('d', 'a', [1, 1]), ('d', 'b', [1, -1]))
    noise = resample_judges({'A': {'q': {'d': 1.0}}}, table, 'Coverage', n_resamples=50, rng=0)
    assert set(noise.replicates.ravel()) == {0.5, 1.0}


def test_resampling_says_what_is_wrong():
    table = judged(('d1', 'a', [3]), ('d1', 'b', [0]))
    run = {'A': {'q': {'d1': 1.0}}}
    with expect_error("Bpref: query 'q', document 'd1' has the grade 1.5; .* whole grades only"):
        resample_judges(run, table, 'Bpref', n_resamples=2)
    noise = resample_judges(run, table, 'nDCG@10', n_resamples=2, reference='majority')
    for call, message in (
        (lambda: noise.interval(of='agian'), "of='agian': expected one of .*did you mean"),
        (lambda: noise.interval(1), 'confidence_level=1'),
        (
            lambda: resample_judges(run, table.iloc[:1], 'Coverage'),
            'none of 1 documents was judged',
        ),
        (lambda: resample_judges(run, table, 'Coverage', n_resamples=0), 'n_resamples=0'),
        (lambda: aggregate_judges(table, 'maen'), "did you mean 'mean'"),
        (lambda: aggregate_judges(table.assign(judge='a')), "several grades of judge 'a'"),
    ):
        refused(message, call)
    refused('give what read_nuggets reads', aggregate_judges, 'file.jsonl', error=TypeError)


# ---------------------------------------------------------------------------------------------------------- presets


@over('name', presets.PRESETS)
def test_presets_can_be_computed(name):
    best = 2 if name == 'fairweb' else 4
    qrels = pd.DataFrame(
        [('q', 'd1', best, '1', 0.5, 'vital', 3), ('q', 'd2', 1, '2', 0.5, 'okay', -1)],
        columns=[*KEYS, 'weight', 'importance', 'points'],
    )
    run = pd.DataFrame(
        [('q', 'd1', 2.0, 1), ('q', 'd2', 1.0, 2)],
        columns=['query_id', 'doc_id', 'score', 'iteration'],
    )
    asked = dm.measures(name)
    assert len(asked) == len(presets.PRESETS[name].measures.split())
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        scores = evaluate({'a': run}, qrels, asked)
    assert np.isfinite(scores.values).all()


def test_presets_are_names_of_measures():
    assert dm.measures('crux RBU') == [*dm.measures(presets.PRESETS['crux'].measures), dm.RBU]
    assert evaluate({'a': {'q': {'d1': 1.0}}}, {'q': {'d1': {'1': 1}}}, 'freshstack').measures == (
        'alpha_nDCG@10',
        'Coverage@20',
        'R@50',
    )
    refused("did you mean 'fresh-?stack'", dm.measures, 'fresh-stack')
    refused("did you mean 'crux'", dm.measures, 'cruxx')
    assert not set(presets.PRESETS) & set(registry.registry)


# ------------------------------------------------------------------------------------------------- intents, one by one


def test_intents_found_by_hand():
    """Equal scores: the larger doc_id comes first; '0' without a positive grade is no intent."""
    qrels = pd.DataFrame(
        [('q', 'a', 3, '1'), ('q', 'b', 2, '2'), ('q', 'c', 0, '0'), ('q', '-', -1, '3')],
        columns=KEYS,
    )
    runs = {'A': {'q': {'a': 1.0, 'b': 1.0}}, 'B': {'q': {'a': 2.0, 'b': 1.0}}}
    found = dm.rag.intents_found(runs, qrels, cutoff=1)
    assert found[['subtopic_id', 'documents', 'systems', 'A', 'B']].values.tolist() == [
        ['1', 1, 1, False, True],
        ['2', 1, 1, True, False],
        ['3', 0, 0, False, False],
    ]
    assert dm.rag.intents_found(runs, qrels, rel=3)['documents'].tolist() == [1, 0, 0]
    refused('cutoff=0: expected a whole number', dm.rag.intents_found, runs, qrels, cutoff=0)
    refused('no runs', dm.rag.intents_found, {}, qrels)
