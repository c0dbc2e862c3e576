"""Texts where they stand in memory, and lines split into fields, against Python's own strings."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures.io import rows as rows_module
from ir_divmeasures.io import text
from ir_divmeasures.io.rows import Rows, Strings
from tests.test_pairs import fields

TEXTS = st.lists(
    st.one_of(
        st.text(max_size=5), st.text(max_size=40), st.sampled_from(['', 'q1', 'q10', 'x' * 70])
    ),
    max_size=12,
)
HELD = {
    'an array': lambda texts: Strings.of(texts),
    'a part of an array': lambda texts: Strings(
        pa.array(['ab', *texts, 'c'], pa.large_string())[1 : len(texts) + 1]
    ),
    'chunks': lambda texts: Strings.of(pa.chunked_array([texts[:2], texts[2:]], pa.string())),
    'objects': lambda texts: Strings.of(pd.Series(texts, dtype=object)),
    'fields': fields,
}


@pytest.mark.parametrize('held', HELD)
@given(texts=TEXTS)
@settings(max_examples=150, deadline=None)
def test_strings_are_the_texts(held, texts):
    strings, encoded = HELD[held](texts), [value.encode() for value in texts]
    assert len(strings) == len(texts) and strings.array.to_pylist() == texts
    assert strings.lengths.tolist() == list(map(len, encoded))
    rows = np.array([row for row in range(len(texts)) if row % 3], dtype=np.intp)
    assert strings.pick(rows) == strings.take(rows).to_pylist() == [texts[row] for row in rows]
    for words in (1, 2, 5):
        padded = [bytes(8 * words) + value for value in encoded]
        expected = [
            [int.from_bytes(value[8 * place :][:8], 'little') for place in range(words)]
            for value in (each[-8 * words :] for each in padded)
        ]
        assert strings.tails(words).tolist() == expected
    first = strings.stretches.tolist()
    assert {row for row in range(len(texts)) if row == 0 or texts[row] != texts[row - 1]} <= set(
        first
    )
    for start, end in itertools.pairwise([*first, len(texts)]):
        assert len(set(texts[start:end])) == 1


@pytest.mark.parametrize('held', HELD)
def test_stretches_are_as_long_as_they_can_be(held):
    for texts, first in (
        (['1', '1', '2', '2', '2', '1'], [0, 2, 5]),
        (['query 10'] * 4 + ['query 1'] * 3, [0, 4]),
        (['a' * 70] * 2 + ['b' * 70], [0, 2]),
    ):
        assert HELD[held](texts).stretches.tolist() == first


@pytest.mark.parametrize('held', HELD)
def test_stretches_of_many_texts_are_found_part_by_part(held, monkeypatch):
    texts = [
        f'query {number}' for number in np.random.default_rng(0).integers(0, 9, 40).cumsum() // 8
    ]
    first = [row for row in range(40) if row == 0 or texts[row] != texts[row - 1]]
    for size in (2, 4, 14, 39, 40):
        monkeypatch.setattr(rows_module, 'AT_ONCE', size)
        assert HELD[held](texts).stretches.tolist() == first


@pytest.mark.parametrize('held', HELD)
@given(values=st.lists(st.floats(allow_nan=False), max_size=9))
@settings(max_examples=50, deadline=None)
def test_strings_that_write_numbers(held, values):
    assert HELD[held]([repr(value) for value in values]).numbers().tolist() == values


def test_a_text_that_writes_no_number():
    with pytest.raises(pa.ArrowInvalid):
        fields(['1.5', 'x']).numbers()


def test_rows_as_a_frame_and_by_column():
    columns = {'query_id': Strings.of(['q', 'é']), 'score': np.array([1.5, 2.0])}
    frame = pd.DataFrame({'query_id': ['q', 'é'], 'score': [1.5, 2.0]})
    for rows in (Rows(columns), Rows(frame), Rows.of(Rows(frame))):
        pd.testing.assert_frame_equal(rows.frame, frame, check_dtype=False)
        assert rows.names == ['query_id', 'score'] and len(rows) == 2
        assert rows.strings('query_id').array.to_pylist() == ['q', 'é'] and rows.numbers(
            'score'
        ).tolist() == [1.5, 2]


# ------------------------------------------------------------------------------------ lines of fields, all at once

FIELDS = st.one_of(
    st.text(st.characters(codec='utf-8', exclude_characters='\n'), min_size=1, max_size=4),
    st.sampled_from(['1', '2.5', '-1e3', 'nan', '+1', '0x1', '1_0', '#', '#a', '"d"', '']),
)
LINES = st.lists(
    st.tuples(
        st.lists(FIELDS, min_size=2, max_size=4),
        st.sampled_from([' ', ' ', ' ', '\t', '  ', '\v', '\r', '\0', '\x1c']),
        st.sampled_from(['\n', '\n', '\n', '\r\n', '\n\n', '', ' \n']),
    ),
    max_size=5,
)
SHAPES = [
    text.Shape(('a', 'b', 'c'), ('b',)),
    text.Shape(('a', 'b'), ()),
    text.Shape(('a', 'b', 'c'), ('c',), True),
]


@pytest.mark.parametrize('shape', SHAPES, ids=['number', 'texts', 'tabs'])
@given(lines=LINES)
@settings(max_examples=200, deadline=None)
def test_all_at_once_as_line_by_line(shape, lines):
    """What is read all at once, in pieces of any size, is what is read line by line, which has no errors then."""
    data = b''.join(
        (each.join(parts) + end).encode('utf-8', 'surrogatepass') for parts, each, end in lines
    )
    expected = None
    for piece in (1, 9, 1 << 24):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text, 'MOST_AT_ONCE', piece)
            found = text._fast(data, shape, list(shape.names[1:]))
        if found is not None:
            if expected is None:
                expected = text.frame(text._careful(data, 'f', shape, list(shape.names[1:]), False))
            pd.testing.assert_frame_equal(text.frame(found), expected)


@pytest.mark.parametrize(
    ('data', 'shape'),
    [
        (b'q 1 d\nq 2.5 e\n', 0),
        (b'q 1 d\nq 2.5 e', 0),
        (b'q 1 d\r\nq 2.5 e\r\n', 0),
        (b'q\t1 d\nq 2.5\te\n', 0),
        ('q 1 d\né -1e9 漢\n'.encode(), 0),
        (b'q 1 #\nq 2 d#\n', 0),
        (b'q#1 d\nq d\n', 1),
        (b'a b\t1\t2\nc\td \t3\r\n', 2),
    ],
)
def test_well_formed_lines_are_read_all_at_once(data, shape):
    shape = SHAPES[shape]
    found = text._fast(data, shape, list(shape.names))
    assert found is not None
    expected = text._careful(data, 'f', shape, list(shape.names), False)
    pd.testing.assert_frame_equal(text.frame(found), text.frame(expected))


@pytest.mark.parametrize(
    'data',
    [
        b'',
        b'\n',
        b' ',
        b'q 1\n',
        b'q 1 d x\n',
        b'q 1\nq 1 d x\n',
        b'q  d\n',
        b' q 1 d\n',
        b'q 1 d \n',
        b'q 1 d\n\nq 1 e\n',
        b'q x d\n',
        b'q nan d\n',
        b'#q 1 d\n',
        b'q 1 d\n#x\n',
        b'q 1 \xff\n',
        b'q\x001 d\n',
        b'q\v1 d\n',
        b'q 1 d\rq 1 e\n',
    ],
)
def test_any_other_lines_are_not(data):
    assert text._fast(data, SHAPES[0], ['a', 'b', 'c']) is None
