"""The scripts of `examples`, the demo, and the list of measures print what they should; the systems of the demo."""

import pathlib
import re
import runpy
import sys
import types

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from ir_divmeasures import cli, demo, read_run
from ir_divmeasures.systems import MMR, Documents, Fusion, XQuAD

from .builders import expect_error, refused

ROOT = pathlib.Path(__file__).parents[1]


@pytest.mark.slow
def test_ambient_rankings(shared, tmp_path, monkeypatch):
    """Twenty-three rankings of the query's own documents, among them the order of the engine."""
    ambient = shared / 'data' / 'ambient'
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'argv', ['ambient_rankings.py', str(ambient)])
    runpy.run_path(str(ROOT / 'examples/ambient_rankings.py'), run_name='__main__')
    runs = {path.stem: read_run(path) for path in pathlib.Path('runs').glob('*.run')}
    assert len(runs) == 23
    for run in runs.values():
        assert (run['doc_id'].str.partition('.')[0] == run['query_id']).all()
    engine = read_run(ambient / 'engine-order.run')
    assert len(engine.merge(runs['engine'], on=['query_id', 'doc_id'])) == len(engine)


def test_demo_prints_the_table_of_the_readme(made, capfd, monkeypatch):
    """It prints nothing but its report, not even progress bars."""
    monkeypatch.setattr(demo, 'make', lambda: made)
    assert cli.main(['demo']) == 0
    out, err = capfd.readouterr()
    assert err == ''
    (table,) = re.findall(
        r'^```\n(name .*?)^```', (ROOT / 'README.md').read_text('utf-8'), re.M | re.S
    )
    assert table in out and table.split()[:7] == ['name', *demo.MEASURES.split()]
    assert 'Why: the first 5 documents' in out


@pytest.mark.parametrize('missing', ['bm25s', 'sklearn'])
def test_demo_without_its_extra(missing, capsys, monkeypatch):
    for name in [n for n in sys.modules if n == missing or n.startswith(f'{missing}.')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert cli.main(['demo']) == 2
    assert "pip install '.[demo]'" in capsys.readouterr().err


def test_measures_lists_and_describes(ran):
    out = ran('measures')
    assert 'Utility and cascade\n  RBU(p=0.8,e=0.03,' in out and '\n  web-track ' in out
    out = ran('measures RBU')
    assert 'p = 0.8: persistence' in out and 'a number in [0, 1]' in out and 'Eq. 11' in out


# ---------------------------------------------------------------------------------------------------------- systems


def ranking(docnos, scores, **columns):
    """Results of the query 'q'."""
    rank = range(len(docnos))
    return pd.DataFrame(
        {'qid': 'q', 'query': 'x', 'docno': [*docnos], 'score': scores, 'rank': rank, **columns}
    )


def test_rerankers_keep_the_candidates(made):
    """Without diversity in their order."""
    topics = made.topics.head(4)
    bm25 = made.systems['BM25'](topics)

    def ranked(run, depth=None):
        return {query: [*rows['docno'][:depth]] for query, rows in run.groupby('qid')}

    first = ranked(bm25.sort_values(['score', 'docno'], ascending=False), 50)
    for name, reranker in (('MMR', MMR), ('xQuAD', XQuAD)):
        assert ranked(reranker(made.documents, trade_off=0)(bm25)) == first, name
        found = ranked(made.systems[f'BM25 >> {name}'](topics))
        assert {q: {*docs} for q, docs in found.items()} == {q: {*d} for q, d in first.items()}


def test_xquad_by_hand():
    """Two subtopics of weight 1/2, trade-off 1/2; P(d|q) = 1, 0.9, 0.2; P(d|1) = 1, 1, 0; P(d|2) = 0, 0, 1.

    First a: 1/2 + 1/2 · 1/2 = 0.75 against b 0.45 + 0.25, c 0.1 + 0.25. Then subtopic 1 is covered:
    b 0.45 + 0, c 0.1 + 1/2 · 1/2 = 0.35: b, and c last. With all weight on subtopic 2, a and c trade places:
    a 0.5, b 0.45, c 0.1 + 0.5 = 0.6.
    """
    scores = {'one': np.array([3.0, 3.0, 0.0]), 'two': np.array([0.0, 0.0, 5.0])}
    documents = types.SimpleNamespace(
        places=lambda docnos: np.arange(len(docnos)), bm25=lambda text, without: scores[text]
    )
    subtopics = tuple(
        types.SimpleNamespace(number=n, text=t) for n, t in (('1', 'one'), ('2', 'two'))
    )
    results = ranking('abc', [10.0, 9.0, 2.0], subtopics=[subtopics] * 3)
    for settings, expected in (
        ({}, 'abc'),
        ({'weights': {'q': {'1': 0.0, '2': 1.0}}}, 'cab'),
        ({'trade_off': 0.8}, 'acb'),
    ):
        assert [*XQuAD(documents, **settings)(results)['docno']] == [*expected]


def test_mmr_by_hand():
    """P(d|q) = 1, 0.9, 0.5; a and b say the same, c something else: after a, b is worth 0.45 − 0.5, c 0.25 − 0."""
    texts = {'a': 'red apple', 'b': 'red apple', 'c': 'blue sky'}
    documents = Documents([{'docno': d, 'text': text} for d, text in texts.items()])
    results = ranking('abc', [10.0, 9.0, 5.0])
    assert [*MMR(documents)(results)['docno']] == ['a', 'c', 'b']


def test_fusion_by_hand():
    """Ranks 1, 2 and 2, 1: the same score 1/61 + 1/62, ordered by docno; a third document 1/63 once."""

    systems = [
        pt.Transformer.from_df(ranking(docnos, -np.arange(len(docnos)) * 1.0))
        for docnos in ('abc', 'ba')
    ]
    fused = Fusion(systems)(pd.DataFrame({'qid': ['q'], 'query': ['x']}))
    assert [*fused['docno']] == ['b', 'a', 'c']
    assert [*fused['score']] == pytest.approx([1 / 61 + 1 / 62, 1 / 61 + 1 / 62, 1 / 63])


def test_nothing_found_and_no_queries(made):
    unknown = pd.DataFrame({'qid': ['1'], 'query': ['qwertyuiop']})
    for name in ('BM25', 'LSA', 'BM25+LSA', 'BM25 >> MMR'):
        for topics in (unknown, unknown[:0]):
            found = made.systems[name](topics)
            assert len(found) == 0 and {'qid', 'docno', 'score', 'rank'} <= set(found.columns)


def test_wrong_settings(made):
    refused(r'trade_off=2: expected a number in \[0, 1\]', MMR, made.documents, trade_off=2)
    with expect_error('subtopics', pt.validate.InputValidationError):
        made.systems['BM25 >> xQuAD'](made.topics[['qid', 'query']])
