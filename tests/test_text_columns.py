"""Texts where they stand in memory, the numbers that stand for them, lines of fields, and the order of rankings: against
Python's own strings, dicts and sorts."""

import contextlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_divmeasures.judgments.arrays import Collection

from ir_divmeasures.io import text
from ir_divmeasures.io.ordering import ORDERS, by_score, ranking_order
from ir_divmeasures.io.text_columns import (
    GrowingTexts,
    KnownKeys,
    Texts,
    as_frame,
    equal_ones,
    repeated_in_query,
    repeated_row,
    row_keys,
    values_of,
)

from .builders import expect_error, over


def fields(values):
    """As they stand in a file, with something between them."""
    encoded = [value.encode() for value in values]
    end = np.cumsum([len(value) + 3 for value in encoded], dtype=np.int64)
    begin = end - [len(value) for value in encoded]
    data = b''.join(b'\n - '[-3:] + value for value in encoded)
    return Texts.between(data, np.stack([begin, end], axis=1))


TEXTS = st.lists(
    st.text(max_size=5)
    | st.text(max_size=40)
    | st.sampled_from(['', '\0', 'q1', '\0q1', 'q10', 'x' * 70]),
    max_size=12,
)
HELD = {
    'an array': lambda texts: Texts.of(texts),
    'a part of an array': lambda texts: Texts(
        pa.array(['ab', *texts, 'c'], pa.large_string())[1 : len(texts) + 1]
    ),
    'chunks': lambda texts: Texts.of(pa.chunked_array([texts[:2], texts[2:]], pa.string())),
    'objects': lambda texts: Texts.of(pd.Series(texts, dtype=object)),
    'fields': fields,
    'a part of fields': lambda texts: fields(['ab', *texts, 'c']).between_rows(1, len(texts) + 1),
}


@pytest.mark.parametrize('held', HELD)
@given(texts=TEXTS)
@settings(max_examples=50, deadline=None)
def test_texts(held, texts):
    column, encoded = HELD[held](texts), [value.encode() for value in texts]
    assert len(column) == len(texts) and column.array.to_pylist() == texts
    assert column.lengths.tolist() == list(map(len, encoded))
    rows = np.array([row for row in range(len(texts)) if row % 3], dtype=np.intp)
    assert column.pick(rows) == [texts[row] for row in rows]
    for words in (1, 2, 5):
        padded = [bytes(8 * words) + value for value in encoded]
        expected = [
            [int.from_bytes(value[8 * place :][:8], 'little') for place in range(words)]
            for value in (each[-8 * words :] for each in padded)
        ]
        assert column.tails(words).tolist() == expected
        assert column.hashes(words).tolist() == list(map(hash_of, encoded, expected))
    assert column.starts.tolist() == [
        row for row in range(len(texts)) if row == 0 or texts[row] != texts[row - 1]
    ]
    known = ['q10', 'x']
    for first in ([], known):
        codes, distinct = column.codes(Texts.of(known) if first else None)
        assert distinct.array.to_pylist() == list(dict.fromkeys([*first, *texts]))
        assert distinct.pick(codes) == texts
    assert sorted(column.places.tolist()) == list(range(len(texts)))
    in_order = [name for _, name in sorted(zip(column.places.tolist(), encoded))]
    assert in_order == sorted(encoded)


def hash_of(encoded, words):
    h = len(encoded)
    for word in words:
        h = (h ^ word) * 0x9E3779B97F4A7C15 % 2**64
        h ^= h >> 29
    return h


@pytest.mark.parametrize('held', HELD)
@given(values=st.lists(st.floats(allow_nan=False), max_size=9))
@settings(max_examples=20, deadline=None)
def test_texts_that_write_numbers(held, values):
    column = HELD[held]([repr(value) for value in values])
    assert column.numbers().tolist() == values
    with pytest.raises(pa.ArrowInvalid):
        HELD[held](['1.5', 'x']).numbers()


@over('longest', [1, 9, 40])
def test_keys_are_computed_in_pieces(longest, monkeypatch):
    texts, numbers = Texts.of([letter * longest for letter in 'aabbbca']), np.arange(7) // 4
    keys = row_keys([numbers, texts], 2)
    assert len(set(keys.tolist())) == 5 and keys.max() < 2**63
    monkeypatch.setattr('ir_divmeasures.io.text_columns.ROWS_AT_ONCE', 2)
    assert row_keys([numbers, texts], 2).tolist() == keys.tolist()


@over('size', [1, 2, 3, 100])
def test_repetitions_are_found_in_pieces(size, monkeypatch):
    monkeypatch.setattr('ir_divmeasures.io.text_columns.ROWS_AT_ONCE', size)
    rng = np.random.default_rng(size)
    for n in [0, 1, *rng.integers(2, 15, 200)]:
        query, document = rng.integers(0, 4, n), rng.integers(0, 9, n)
        if rng.random() < 0.7:
            query = np.sort(query)
        rows, seen = list(zip(query.tolist(), document.tolist())), set()
        repeated = next((i for i, row in enumerate(rows) if row in seen or seen.add(row)), None)
        names = [f'd{number}' for number in document]
        for column in (Texts.of_strings(names), fields(names), document):
            assert repeated_in_query(fields([f'q{q}' for q in query]), column) == repeated


def test_texts_grow_by_parts():
    growing = GrowingTexts(4, 9)
    for part in (fields(['a', 'bc']), Texts.of(['x', 'd', 'é', 'x']).between_rows(1, 3)):
        growing.append(part)
    assert growing.texts().array.to_pylist() == ['a', 'bc', 'd', 'é']


def test_known_keys_are_found():
    rng = np.random.default_rng(1)
    for known, some in ((0, 9), (1, 1), (50, 200), (3000, 40)):
        keys = np.sort(rng.choice(2**63, known).astype(np.uint64))
        keys = np.sort(np.append(keys, keys[: known // 3]))  # unlike pairs may have one key
        asked = np.append(rng.choice(2**63, some).astype(np.uint64), rng.permutation(keys))
        rows, place = KnownKeys(keys).find(asked)
        assert rows.tolist() == np.flatnonzero(np.isin(asked, keys)).tolist()
        assert place.tolist() == np.searchsorted(keys, asked[rows]).tolist()
        names, counts = np.unique(asked, return_counts=True)
        assert np.array_equal(np.unique(equal_ones(asked)), names[counts > 1])


# ---------------------------------------------------------------------------------------------- pairs and repetitions

LIKE = {
    'short': lambda rng: ''.join(rng.choice(list('ab'), rng.integers(1, 4))),
    'numbers': lambda rng: str(rng.integers(0, 50)),
    'one end': lambda rng: f'{rng.integers(0, 30)}/of/a/long/address/index.html',
    'one beginning': lambda rng: f'a long beginning that all share {rng.integers(0, 30)}',
    'a long end': lambda rng: f'{rng.integers(0, 30)}' + 'x' * 90,
    'letters beyond ASCII': lambda rng: ''.join(rng.choice(list('äß漢字é'), rng.integers(1, 7))),
}


@over('like', LIKE)
def test_judged_pairs_are_found_and_repetitions_named(like):
    rng = np.random.default_rng(len(like))
    for _ in range(12):
        documents = [LIKE[like](rng) for _ in range(20)] + ['another, much longer one ' * 3]
        rows = [(f'q{rng.integers(0, 4)}', documents[rng.integers(0, 21)]) for _ in range(60)]
        query_ids, doc_ids = (list(dict.fromkeys(ids)) for ids in zip(*rows))
        pairs = sorted({*rows}, key=lambda pair: (query_ids.index(pair[0]), doc_ids.index(pair[1])))
        number = {pair: place for place, pair in enumerate(pairs)}
        table = pd.DataFrame(rows, columns=['query_id', 'doc_id'])
        collection = Collection(table.assign(relevance=1, subtopic_id='0'))
        assert collection.query_ids == query_ids and collection.n_pairs == len(pairs)
        assert collection.row_pair.tolist() == [number[pair] for pair in rows]
        assert collection.query_of_pair.tolist() == [query_ids.index(q) for q, _ in pairs]

        run = [(f'q{rng.integers(0, 6)}', LIKE[like](rng)) for _ in range(25)]
        seen = set()
        repeated = next((i for i, pair in enumerate(run) if pair in seen or seen.add(pair)), None)
        for make in (HELD['a part of an array'], fields):
            query, names = make([q for q, _ in run]).codes()[0], make([d for _, d in run])
            for columns in ([query, names], [make([q for q, _ in run]), names]):
                assert repeated_row(columns, row_keys(columns, 2)) == repeated
        once = list(dict.fromkeys(run))
        located = collection.read(
            pd.DataFrame(once, columns=['query_id', 'doc_id']).assign(score=1.0)
        )
        judged = [pair for pair in once if pair[0] in query_ids]
        assert located.pair.tolist() == [number.get(pair, -1) for pair in judged]


def test_equal_keys_of_unlike_pairs_mislead_nobody(monkeypatch):
    monkeypatch.setattr(
        Texts, 'hashes', lambda self, words, keys=None: np.zeros(len(self), dtype=np.uint64)
    )
    query = ['q1', 'q1', 'q2', 'q2']
    collection = Collection(
        pd.DataFrame(
            {'query_id': query, 'doc_id': list('abac'), 'relevance': 1, 'subtopic_id': '0'}
        )
    )
    run = pd.DataFrame({'query_id': query, 'doc_id': list('bxca'), 'score': 1.0})
    assert collection.read(run).pair.tolist() == [1, -1, 3, 2]
    with expect_error("duplicate document 'c'"):
        collection.read(pd.concat([run, run.iloc[[2]]], ignore_index=True))


# ------------------------------------------------------------------------------------ lines of fields, all at once


def all_at_once(data, shape):
    """The columns, or None where the lines must be read one by one.

    What is read all at once, in pieces of any size, is what is read line by line, which has no errors then.
    """
    keep = {name: name in shape.numeric for name in shape.names}
    for piece in (1, 9, 1 << 24):
        found = None
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(UnicodeDecodeError):
            patch.setattr(text, 'MOST_AT_ONCE', piece)
            patch.setattr(text, 'PIECE', piece)
            found = text._fast(data, shape, keep)
        if found is not None:
            expected = text._careful(data, 'f', shape, keep)
            pd.testing.assert_frame_equal(as_frame(found), as_frame(expected))
    return found


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
@settings(max_examples=100, deadline=None)
def test_all_at_once_as_line_by_line(shape, lines):
    data = b''.join(
        (each.join(parts) + end).encode('utf-8', 'surrogatepass') for parts, each, end in lines
    )
    all_at_once(data, shape)


@pytest.mark.parametrize(
    ('data', 'shape', 'is_well_formed'),
    [
        (b'q 1 d\nq 2.5 e\n', 0, True),
        (b'q 1 d\nq 2.5 e', 0, True),
        (b'q\t1 d\nq 2.5\te\n', 0, True),
        ('q 1 d\né -1e9 漢\n'.encode(), 0, True),
        (b'q 1 #\nq 2 d#\n', 0, True),
        (b'q#1 d\nq d\n', 1, True),
        (b'a b\t1\t2\nc\td \t3\n', 2, True),
        (b'q 1 d\n# 2 e\n', 0, False),
        (b' 1 d\n', 0, False),
        (b'q  d\n', 0, False),
        (b'q 1\nd q 2 d\n', 0, False),
        (b'a\tb\r\t3\n', 2, False),
    ],
)
def test_well_formed_lines_are_read_all_at_once(data, shape, is_well_formed):
    assert (all_at_once(data, SHAPES[shape]) is not None) == is_well_formed


# ---------------------------------------------------------------------------------------------- the order of rankings


def ordered(query, score, names, how):
    """The rows of a ranking, by Python's stable sorts."""
    if how == 'single':
        with np.errstate(over='ignore'):
            score = score.astype(np.float32)
    rows = list(range(len(query)))
    if how != 'rows':
        rows.sort(key=lambda i: names[i], reverse=how != 'ascending')
    return sorted(rows, key=lambda i: (query[i], -score[i]))


@over('how', ORDERS)
@over('sizes', [(6, 5, 4), (1, 40, 0, 2), (0, 3)])
@over('sort', [False, True])
def test_order_of_rankings(how, sizes, sort):
    rng = np.random.default_rng(sum(sizes))
    for scores in (
        [1.0],
        [1.0, 2.0],
        [1.0, 1.0 + 1e-9, 2.0, -np.inf],
        np.arange(60.0),
        [1e300, 2e300, 0.0],
    ):
        for _ in range(5):
            query = np.repeat(np.arange(len(sizes)), sizes)
            query = query if sort else rng.permutation(query)
            score = rng.choice(scores, len(query))
            names = [f'd{i}' for i in rng.permutation(len(query))]
            judged = rng.random(len(query)) < 0.4
            expected = ordered(query, score, names, how)
            assert ranking_order(query, score, Texts.of(names), how=how).tolist() == expected
            rows = ranking_order(query, score, Texts.of(names), judged, how).tolist()
            # Documents without judgments may change places with each other in a tie: no judged one changes its own.
            assert sorted(rows) == list(range(len(query)))
            assert [i if judged[i] else query[i] for i in rows] == [
                i if judged[i] else query[i] for i in expected
            ]
            stable = by_score(query, score, stable=True).tolist()
            assert stable == sorted(range(len(query)), key=lambda i: (query[i], -score[i]))


def test_values_of_arrow_arrays_with_gaps_slices_and_without_a_buffer():
    for array in (
        pa.array([1, None, 3]),
        pa.array([1.5, 2.5, 3.5])[1:],
        pa.array([True, False, True])[1:],
        pa.array([True, None]),
        pa.Array.from_buffers(pa.int64(), 0, [None, None]),
    ):
        np.testing.assert_array_equal(
            values_of(array), array.to_numpy(zero_copy_only=False), strict=True
        )
