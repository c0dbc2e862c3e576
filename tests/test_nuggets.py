"""Readers of nugget files, on records as the tools write them; presets."""

import gzip
import json
import warnings

import numpy as np
import pytest

import ir_divmeasures as dm
from ir_divmeasures import DivMeasuresWarning, evaluate, presets, read_nuggets
from ir_divmeasures.core import registry
from ir_divmeasures.pools import campaign

from .builders import over, refused

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
        'relevant_corpus_ids': ['a/b', 'c', 'e'],
        'non_relevant_corpus_ids': ['e'],
    },
    {'_id': '76_1', 'text': 'run', 'relevant_corpus_ids': []},
]
CRUX = [
    {'id': 'q', 'docid': 'd1', 'rating': [5, 0]},
    {'id': 'q', 'docid': 'd2', 'rating': [-1, 3]},
]
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
        [
            {
                'qid': '1',
                'docid': 'd7',
                'nuggets': [nugget('x', 'support'), nugget('y', 'not_support')],
            }
        ],
        [('1', 'd7', 2, '1', 'x'), ('1', 'd7', 0, '2', 'y')],
    ),
    'crux': (CRUX, [('q', 'd1', 5, '1'), ('q', 'd1', 0, '2'), ('q', 'd2', 3, '2')]),
    'freshstack': (
        [{'query_id': '76', 'nuggets': SUPPORTED}],
        [
            ('76', 'a/b', 1, '76_0', 'install'),
            ('76', 'c', 1, '76_0', 'install'),
            ('76', 'e', 0, '76_0', 'install'),
            ('76', '-', -1, '76_1', 'run'),
        ],
    ),
    **{
        f'table of {name}': (
            f'query{tab}nugget{tab}doc{tab}grade{tab}text{tab}importance{tab}weight\n'
            f'q{tab}1{tab}d{tab}2{tab}Who?{tab}vital{tab}0.75\n'
            f'q{tab}2{tab}d{tab}0{tab}When?{tab}{tab}0.25\n',
            [
                ('q', 'd', 2, '1', 0.75, 'vital', 'Who?'),
                ('q', 'd', 0, '2', 0.25, '', 'When?'),
            ],
        )
        for name, tab in (('tabs', '\t'), ('commas', ','))
    },
}


@over('form', FILES)
def test_forms(tmp_path, form):
    """Each form gives its rows, one of them also compressed."""
    content, expected = FILES[form]
    path = tmp_path / 'nuggets.jsonl'
    if isinstance(content, str):
        path.write_text(content)
    else:
        lines(path, content)
    table = read_nuggets(path)
    assert [tuple(row) for row in table.itertuples(index=False)] == expected
    if form == 'crux':
        compressed = tmp_path / 'nuggets.jsonl.gz'
        compressed.write_bytes(gzip.compress(path.read_bytes()))
        assert read_nuggets(compressed).equals(table)


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
    texts = {'q': ['Who?', 'When?']}
    for given in (texts, lines(tmp_path / 'q.json', [texts])):
        table = read_nuggets(path, intents=given)
        assert rows(table, 'text') == [('q', 'd1', 4, '1', 'Who?'), ('q', '-', -1, '2', 'When?')]


# --------------------------------------------------------------------------------------------------- unknown values


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
    assert "assignment 'failed' counts as no support: 2 times" in said
    assert "assignment 'maybe'" in said and "importance 'failed' counts as neither" in said
    assert rows(table, 'importance') == [
        ('q', 'a', 0, '1', 'vital'),
        ('q', 'a', 2, '2', ''),
        ('q', 'b', 0, '1', 'vital'),
        ('q', 'b', 0, '2', ''),
    ]


# -------------------------------------------------------------------------------------------------------- bad input

BAD = {
    'facts': (
        [answer('a', 'support'), {**answer('b'), 'nuggets': [nugget('other', 'support', 'vital')]}],
        "query '2024-1', subtopic '1' has several values of text",
    ),
    'no assignment': (
        [{**answer('a'), 'nuggets': [nugget('x', 'support'), nugget('y')]}],
        '1 of 2 nuggets have no assignment',
    ),
    'document': ([{'id': 'q', 'docid': '-', 'rating': [1]}], "query 'q', document '-'.*at most 0"),
    'grades': (
        [{'id': 'q', 'docid': 'd', 'rating': [grade]} for grade in (1, 2)],
        "query 'q', document 'd', subtopic '1' has several grades",
    ),
    'no document': ([{'id': 'q', 'rating': [1]}], 'line 1: no docid'),
    'form': ([{'a': 1}], 'line 1: found the fields a, expected those of one of the forms'),
}


@over('case', BAD)
def test_bad_records(tmp_path, case):
    records, message = BAD[case]
    refused(message, read_nuggets, lines(tmp_path / 'bad.jsonl', records))


def test_wrong_arguments(tmp_path):
    refused('found 3|found int', read_nuggets, 3, error=TypeError)
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
    runs = {system: {'2024-1': {system: 1.0}} for system in 'ab'}
    asked = [
        f"Coverage(rel=2{more},weights='uniform')@1"
        for more in (
            ",importance='vital'",
            '',
            ",partial=0.5,importance='vital'",
            ',partial=0.5',
        )
    ]
    asked.append("Coverage(rel=2,partial=0.5,weights='importance')@1")
    scores = evaluate(read_nuggets(path), runs, asked)
    assert scores.values[0, 0].tolist() == [
        1 / 2,
        2 / 4,
        (1 + 0.5) / 2,
        (2 + 0.5) / 4,
        (1 + 1 / 2 + 0.5) / 3,
    ]
    assert scores.values[1, 0].tolist() == [0, 1 / 4, 0, (1 + 0.5) / 4, (0.5 / 2 + 1 / 2) / 3]


# ---------------------------------------------------------------------------------------------------- real judgments


@pytest.mark.slow
@pytest.mark.parametrize(
    'name, unique, coverage', [('duc04', 263, [0.757, 0.838]), ('neuclir24', 381, None)]
)
def test_real_nuggets(shared, name, unique, coverage):
    """Nuggets answered from grade 3 that one system of a pool of depth 20 brings, as counted for the definition; of the
    best run Coverage(rel=3)@10 of all sub-questions, and of those that some document answers."""
    folder = shared / 'data/nuggets' / name
    table = read_nuggets(folder / 'ratings.jsonl.gz', intents=folder / 'subquestions.json')
    pool = dm.pools.Pool.from_runs(folder / 'runs', 20)
    assert campaign.unique_by_group(pool.over(table), 3)['unique'].sum() == unique
    if coverage:
        asked = "Coverage(rel=3)@10 Coverage(rel=3,aspects='relevant')@10"
        means = evaluate(table, folder / 'runs', asked).values.mean(axis=1)
        assert max(means.tolist()) == pytest.approx(coverage, abs=5e-4)


# ---------------------------------------------------------------------------------------------------------- presets


@over('name', presets.PRESETS)
def test_presets_can_be_computed(name):
    qrels = dm.data.with_superintents(
        {'q': {'d1': {'1': 4}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'b'}}
    )
    asked = dm.measures(name)
    assert len(asked) == len(presets.PRESETS[name].measures.split())
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of cells of UM that measure no ranking
        scores = dm.pools.Pool.from_runs({'a': {'q': {'d1': 2.0, 'd2': 1.0}}}).scores(
            None, qrels, asked
        )
    assert np.isfinite(scores.values).all()


def test_presets_are_names_of_measures():
    web = dm.measures(presets.PRESETS['web-track'].measures)
    assert dm.measures('web-track RBU') == list(dict.fromkeys([*web, dm.RBU]))
    refused("did you mean 'web-?track'", dm.measures, 'web-trak')
    assert not set(presets.PRESETS) & set(registry.registry)
