"""Ids as texts, the numbers that stand for them, duplicates, judged pairs, and the order of rankings: against Python's own
strings, dicts and sorts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures.data import ids
from ir_divmeasures.data.ids import (
    ORDERS,
    Texts,
    find_duplicate,
    order_ranking,
    row_keys,
    sort_rows,
    values_of,
)
from ir_divmeasures.data.judgments import Judgments

from .builders import over

TEXTS = st.lists(
    st.text(max_size=5)
    | st.text(max_size=40)
    | st.sampled_from(['', '\0', 'q1', '\0q1', 'q10', 'x' * 70]),
    max_size=12,
)
HELD = {
    'an array': Texts.of,
    'a part of an array': lambda texts: Texts(
        pa.array(['ab', *texts, 'c'], pa.large_string())[1 : len(texts) + 1]
    ),
    'chunks': lambda texts: Texts.of(pa.chunked_array([texts[:2], texts[2:]], pa.string())),
    'objects': lambda texts: Texts.of(pd.Series(texts, dtype=object)),
    'parts': lambda texts: Texts.joined([Texts.of(texts[:1]), Texts.of(texts[1:])]),
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
    assert column.starts.tolist() == [
        row for row in range(len(texts)) if row == 0 or texts[row] != texts[row - 1]
    ]
    for known in (None, ['q10', 'x']):
        codes, distinct = column.codes(known and Texts.of(known))
        assert distinct.array.to_pylist() == list(dict.fromkeys([*(known or ()), *texts]))
        assert distinct.pick(codes) == texts
    assert sorted(column.places.tolist()) == list(range(len(texts)))
    in_order = [name for _, name in sorted(zip(column.places.tolist(), encoded))]
    assert in_order == sorted(encoded)
    keys = row_keys(column).tolist()
    assert len(set(keys)) == len(set(texts)) == len({*zip(keys, texts)})


def test_keys_of_like_ids_differ():
    """Each bit of an id changes half of the bits of its key, also the first bits and the last."""
    rng = np.random.default_rng(3)
    for length in (3, 8, 25, 40):
        letters = rng.choice(list('0123456789abc-'), (20_000, length))
        names = sorted({''.join(each) for each in letters})
        keys = row_keys(Texts.of(names))
        for part in (keys >> np.uint64(47), keys & np.uint64(0xFFFF)):
            counts = np.bincount(part.astype(np.int64), minlength=1 << 16)
            expected = len(names) / (1 << 16)
            assert ((counts - expected) ** 2 / expected).sum() < 1.3 * (1 << 16)
        assert len({*keys.tolist()}) == len(names)


@over('size', [1, 2, 3, 1 << 15])
def test_keys_and_duplicates_do_not_depend_on_the_size_of_pieces(size, monkeypatch):
    monkeypatch.setattr(ids, 'ROWS_AT_ONCE', size)
    rng = np.random.default_rng(7)
    for n in [0, 1, *rng.integers(2, 15, 100)]:
        query, document = rng.integers(0, 4, n), rng.integers(0, 9, n)
        rows, seen = list(zip(query.tolist(), document.tolist())), set()
        repeated = next((i for i, row in enumerate(rows) if row in seen or seen.add(row)), None)
        names = Texts.of([f'{"d" * 40 * (number % 2)}{number}' for number in document])
        queries = Texts.of([f'q{number}' for number in query])
        for columns in ([queries, names], [query, names], [queries, document]):
            keys = row_keys(*columns)
            assert len(np.unique(keys)) == len({*rows}) and keys.max(initial=0) < 2**63
            assert find_duplicate(*columns) == find_duplicate(*columns, keys=keys) == repeated


LIKE = {
    'short': lambda rng: ''.join(rng.choice(list('ab'), rng.integers(1, 4))),
    'one end': lambda rng: f'{rng.integers(0, 30)}/of/a/long/address/index.html',
    'one beginning': lambda rng: f'a long beginning that all share {rng.integers(0, 30)}',
    'letters beyond ASCII': lambda rng: ''.join(rng.choice(list('äß漢字é'), rng.integers(1, 7))),
}


@over('like', LIKE)
def test_judged_pairs_are_found(like):
    rng = np.random.default_rng(len(like))
    for _ in range(8):
        documents = [LIKE[like](rng) for _ in range(20)] + ['another, much longer one ' * 3]
        rows = [(f'q{rng.integers(0, 4)}', documents[rng.integers(0, 21)]) for _ in range(60)]
        query_ids, doc_ids = (list(dict.fromkeys(names)) for names in zip(*rows))
        pairs = sorted({*rows}, key=lambda pair: (query_ids.index(pair[0]), doc_ids.index(pair[1])))
        number = {pair: place for place, pair in enumerate(pairs)}
        table = pd.DataFrame(rows, columns=['query_id', 'doc_id']).assign(relevance=1)
        judgments = Judgments.of(table.assign(subtopic_id=range(len(rows))))
        assert judgments.query_ids == query_ids and judgments.n_pairs == len(pairs)
        assert judgments.row_pair.tolist() == [number[pair] for pair in rows]
        assert judgments.query_of_pair.tolist() == [query_ids.index(q) for q, _ in pairs]

        run = list(dict.fromkeys((f'q{rng.integers(0, 6)}', LIKE[like](rng)) for _ in range(25)))
        laid = judgments.align(pd.DataFrame(run, columns=['query_id', 'doc_id']).assign(score=1.0))
        judged = [pair for pair in run if pair[0] in query_ids]
        assert laid.pair.tolist() == [number.get(pair, -1) for pair in judged]
        assert {*laid.unjudged} == {pair[0] for pair in run} - {*query_ids}


def test_equal_keys_of_unlike_rows_are_no_duplicates():
    documents = Texts.of(['a', 'b', 'b'])
    assert find_duplicate(documents, keys=np.zeros(3, dtype=np.uint64)) == 2
    assert find_duplicate(documents.take(np.arange(2)), keys=np.zeros(2, dtype=np.uint64)) is None


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
@over('arrange', [lambda rng, query: query, lambda rng, query: rng.permutation(query)])
def test_order_of_rankings(how, sizes, arrange):
    rng = np.random.default_rng(sum(sizes))
    for scores in (
        [1.0],
        [1.0, 2.0],
        [1.0, 1.0 + 1e-9, 2.0, -np.inf],
        np.arange(60.0),
        [1e300, 2e300, 0.0],
    ):
        for _ in range(5):
            query = arrange(rng, np.repeat(rng.permutation(len(sizes)), sizes))
            score = rng.choice(scores, len(query))
            names = [f'd{i}' for i in rng.permutation(len(query))]
            judged = rng.random(len(query)) < 0.4
            expected = ordered(query, score, names, how)
            assert order_ranking(query, score, Texts.of(names), how=how).tolist() == expected
            rows = order_ranking(query, score, Texts.of(names), judged, how).tolist()
            # Documents without judgments may change places with each other in a tie: no judged one changes its own.
            assert sorted(rows) == list(range(len(query)))
            assert [i if judged[i] else query[i] for i in rows] == [
                i if judged[i] else query[i] for i in expected
            ]
            in_rows = sort_rows(query, score).order.tolist()
            assert in_rows == sorted(range(len(query)), key=lambda i: (query[i], -score[i]))


def test_queries_in_another_order_are_moved_as_a_whole():
    """Rows whose scores fall within each query are not sorted: equal scores keep their order."""
    query, score = np.repeat([2, 0, 1], 4), np.tile([3.0, 2.0, 2.0, 1.0], 3)
    assert sort_rows(query, score).order.tolist() == [*range(4, 12), *range(4)]


def test_values_of_arrow_arrays_with_gaps_slices_and_without_a_buffer():
    for array in (
        pa.array([1, None, 3]),
        pa.array([1.5, 2.5, 3.5])[1:],
        pa.Array.from_buffers(pa.int64(), 0, [None, None]),
    ):
        np.testing.assert_array_equal(
            values_of(array), array.to_numpy(zero_copy_only=False), strict=True
        )
