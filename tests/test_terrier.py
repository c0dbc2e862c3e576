"""Judgments and topics in PyTerrier's names."""

from __future__ import annotations

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from ir_divmeasures import read_qrels as tidy_qrels
from ir_divmeasures import sample, terrier

ID = 'divmeasures/sample/diversity'


def test_qrels_of_all_kinds_of_dataset():
    by_id = terrier.get_qrels(ID)
    assert list(by_id.columns) == ['qid', 'docno', 'label', 'subtopic_id', 'subtopic_type']
    assert by_id['label'].dtype == 'int64' and len(by_id) == 2659
    for source in (f'irds:{ID}', ir_datasets.load(ID), pt.get_dataset(f'irds:{ID}')):
        pd.testing.assert_frame_equal(terrier.get_qrels(source), by_id)


def test_qrels_with_weights():
    weighted = terrier.get_qrels(ID, weights=sample.INTENTS)
    assert set(weighted.columns) == {
        'qid',
        'docno',
        'label',
        'subtopic_id',
        'subtopic_type',
        'weight',
    }
    assert weighted[weighted['qid'] == '1'].drop_duplicates('subtopic_id')[
        'weight'
    ].sum() == pytest.approx(1)


def test_read_qrels_keeps_subtopics(tmp_path):
    path = tmp_path / 'q.txt'
    path.write_text('q1 1 d1 2\nq1 2 d1 0\n')
    assert terrier.read_qrels(path).to_dict('list') == {
        'qid': ['q1', 'q1'],
        'docno': ['d1', 'd1'],
        'label': [2, 0],
        'subtopic_id': ['1', '2'],
    }
    plain = pt.io.read_qrels(str(path))
    assert list(plain.columns) == ['qid', 'docno', 'label']  # what PyTerrier's own reader leaves
    with pytest.raises(FileNotFoundError, match='no such file'):
        terrier.read_qrels(tmp_path / 'none.txt')


def test_same_judgments_as_tidy():
    theirs = terrier.read_qrels(sample.FOLDER / 'qrels.txt').rename(
        columns={'qid': 'query_id', 'docno': 'doc_id', 'label': 'relevance'}
    )
    pd.testing.assert_frame_equal(theirs, tidy_qrels(ID))


def test_topics(capsys):
    topics = terrier.get_topics(ID)
    assert list(topics.columns) == ['qid', 'query', 'description', 'type', 'subtopics']
    assert topics.loc[18, ['qid', 'query']].tolist() == ['19', 'learn java']
    assert topics.loc[0, 'subtopics'][2].type == 'nav'
    assert capsys.readouterr().out == ''


def test_errors():
    for function in (terrier.get_qrels, terrier.get_topics):
        with pytest.raises(ValueError, match="'divmeasures/smple' is neither"):
            function('divmeasures/smple')
        with pytest.raises(TypeError, match='found int'):
            function(3)
    with pytest.raises(ValueError, match='has no judgments'):
        terrier.get_qrels('divmeasures/sample')


def test_web_track(web_track):
    qrels = terrier.get_qrels(web_track(2012))
    assert set(qrels['subtopic_type']) == {'inf', 'nav'} and qrels['subtopic_id'].nunique() > 3
