"""Readers on any bytes: what they read is sound; what they refuse they refuse with a message that names the file."""

import functools
import gzip
import math
from datetime import timedelta

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ir_divmeasures import evaluate, read_nuggets, read_qrels, read_run
from ir_divmeasures.data import forms

from .builders import over, quietly, refused
from .fresh import BARE, printed

READERS = {
    'read_run': read_run,
    'read_qrels': read_qrels,
    'read_nuggets': read_nuggets,
    **{
        f'{read.__name__}, {name}': functools.partial(read, format=name)
        for read in (read_qrels, read_run)
        for name in forms.FORMATS
    },
}
NAME = 'any.file'

VALID = [
    b'1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1e-5 tag\n2 Q0 d1 1 -3 tag\n',
    b'1 a d1 2\n1 b d1 0\n1 b d2 1\n2 0 d1 -2\n',
    b'query_id\tdoc_id\trelevance\tsubtopic_id\tweight\n1\td1\t1\ta\t0.5\n1\td2\t0\ta\t0.5\n',
    b'qid,docno,score\n1,"d,1",2.5\n1,d2,1\n',
    b'query_id,doc_id,relevance\n1,d1,1\n',
    b'{"1": {"d1": {"a": 1, "b": 0}, "d2": 2}}',
    b'[{"query_id": "1", "doc_id": "d1", "relevance": 1}]',
    b'{"query_id": "1", "doc_id": "d1", "score": 1}\n{"query_id": "1", "doc_id": "d2", "score": 0.5}\n',
    b'{"qid": "1", "query": "q", "nuggets": [{"text": "n", "importance": "vital", "assignment": "support"}]}\n',
]
"""A small file of each form."""

JUDGMENTS = {
    'trec': (VALID[1], 4),
    'tsv': (VALID[2], 2),
    'csv': (VALID[4], 1),
    'json': (VALID[5], 3),
    'parquet': (None, 2),
}
"""An example of each form of judgments, and the number of its rows; parquet is written from that of tsv."""
RUNS = {
    'trec': (VALID[0], 3),
    'tsv': (b'query_id\tdoc_id\tscore\n1\td1\t2.5\n1\td2\t1\n', 2),
    'csv': (VALID[3], 2),
    'json': (VALID[7], 2),
    'parquet': (None, 2),
}
"""The same of each form of runs."""


@pytest.mark.parametrize(
    ('examples', 'read'),
    [(JUDGMENTS, read_qrels), (RUNS, read_run)],
)
def test_every_form_is_read_by_its_name_and_recognised(tmp_path, examples, read):
    assert examples.keys() == set(forms.FORMATS), 'write an example of each form above'
    path = tmp_path / 'file'
    for form, (content, n_rows) in examples.items():
        path.write_bytes(examples['tsv'][0] if content is None else content)
        if content is None:
            read(path).to_parquet(path)
        for name in (form, None):
            assert len(read(path, format=name)) == n_rows, (form, name)


PIECES = [
    b'1',
    b'2',
    b'Q0',
    b'd1',
    b'd2',
    b'0',
    b'-1',
    b'0.5',
    b'1e999',
    b'nan',
    b'inf',
    b'1_0',
    b'9' * 400,
    b'9' * 5000,
    b'L1',
    b'L9',
    b'[' * 50_000,
    b'{"a":' * 50_000,
    b' ',
    b' ',
    b' ',
    b'\t',
    b'\t',
    b'\n',
    b'\n',
    b'\r',
    b'\r\n',
    b'"',
    b"'",
    b'#',
    b',',
    b'{',
    b'}',
    b'[',
    b']',
    b':',
    b'null',
    b'true',
    b'NaN',
    b'\x00',
    b'\xff',
    b'\xef\xbb\xbf',
    '\u0663'.encode(),
    '\u00a0'.encode(),
    '\u2028'.encode(),
    b'\x0b',
    b'\x0c',
    b'\x1c',
    b'query_id',
    b'doc_id',
    b'qid',
    b'docno',
    b'relevance',
    b'score',
    b'subtopic_id',
    b'weight',
    b'layer',
    b'nuggets',
    b'-',
    b'\\',
    b'\\ud800',
    b'PAR1',
    b'\x1f\x8b',
    b'BZh',
    b'\xfd7zXZ\x00',
    b'\x28\xb5\x2f\xfd',
]
"""What means something to a reader."""


@st.composite
def damaged(draw):
    """A valid file with up to four places cut out or written over."""
    data = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 12)))
        data = (
            data[:start]
            + draw(st.sampled_from([b'', *PIECES]) | st.binary(max_size=3))
            + data[end:]
        )
    return data


FILES = (
    damaged()
    | damaged()
    | st.lists(st.sampled_from(PIECES), max_size=30).map(b''.join)
    | st.binary(max_size=60)
)


@pytest.mark.parametrize('reader', READERS)
@settings(
    max_examples=25,
    deadline=timedelta(seconds=20),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=FILES, zipped=st.booleans())
def test_any_bytes(reader, tmp_path, data, zipped):
    path = tmp_path / NAME
    path.write_bytes(gzip.compress(data) if zipped else data)
    with quietly():
        try:
            found = READERS[reader](path)
        except (ValueError, TypeError) as error:
            assert type(error) in (ValueError, TypeError) or type(error).__module__.startswith(
                'ir_divmeasures'
            ), error
            assert NAME in str(error), error
            return
    sound(found)


def sound(found):
    """Ids are texts, and grades and scores numbers."""
    for column in {'query_id', 'doc_id', 'subtopic_id'} & set(found.columns):
        assert all(isinstance(name, str) for name in found[column])
    for column in {'relevance', 'score'} & set(found.columns):
        assert not any(math.isnan(value) for value in found[column])
    if 'relevance' in found:
        assert all(math.isfinite(value) for value in found['relevance'])


@over(
    'read, data',
    [
        (read_qrels, b'{"\\ud800": {"d1": {"a": 1}}}'),
        (read_run, b'{"query_id": "1", "doc_id": "\\uDFFFa", "score": 1}\n'),
    ],
)
def test_halves_of_characters(read, data, tmp_path):
    (tmp_path / NAME).write_bytes(data)
    refused(f'{NAME}, line 1: .*surrogates not allowed', read, tmp_path / NAME)


def test_both_halves_are_a_character(tmp_path):
    path = tmp_path / NAME
    path.write_bytes(b'{"1": {"\\ud83d\\ude00": {"\\\\ud800": 1}}}')
    found = read_qrels(path, format='json')
    assert found[['doc_id', 'subtopic_id']].to_numpy().tolist() == [['\U0001f600', '\\ud800']]


def test_several_judgments_are_read_together_if_their_queries_differ(tmp_path):
    for name, query in (('a', 'q1'), ('b', 'q2')):
        (tmp_path / name).write_text(f'{query} s1 d1 1\n{query} s2 d2 2\n')
    paths = [tmp_path / 'a', tmp_path / 'b']
    together = read_qrels(paths)
    expected = pd.concat([read_qrels(path) for path in paths], ignore_index=True)
    pd.testing.assert_frame_equal(together, expected)
    run = {'q1': {'d1': 1.0}, 'q2': {'d2': 1.0}}
    assert evaluate(paths, run, 'StRecall@1').means().iloc[0, 0] == 0.5
    refused(r"1 query ids are in several of .*, such as 'q1'", read_qrels, [*paths, tmp_path / 'a'])
    refused("expected namedtuples, found 'a'.*read_qrels", read_qrels, list('abc'), error=TypeError)


WITHOUT_PANDAS = """
import sys
from ir_divmeasures.data.judgments import Judgments
assert len(Judgments.of(path).blocks) == 1
print('pandas' in sys.modules)
"""


def test_files_of_judgments_are_read_without_pandas(tmp_path):
    (tmp_path / 'qrels').write_text('# a comment\n#q a d1 1\nq b d2 1\n')
    assert printed(f'path = {str(tmp_path / "qrels")!r}{WITHOUT_PANDAS}', BARE) == 'False'
