"""Judged pairs found in runs, and duplicates in runs: against dicts of the ids themselves."""

import numpy as np
import pyarrow as pa
import pytest

from ir_divmeasures.io import pairs
from ir_divmeasures.io.pairs import Pairs, duplicate, pair_keys, repetition, text_keys
from ir_divmeasures.io.rows import Strings

LIKE = {
    'short': lambda rng: ''.join(rng.choice(list('ab'), rng.integers(1, 4))),
    'numbers': lambda rng: str(rng.integers(0, 50)),
    'one end': lambda rng: f'{rng.integers(0, 30)}/of/a/long/address/index.html',
    'one beginning': lambda rng: f'a long beginning that all share {rng.integers(0, 30)}',
    'a long end': lambda rng: f'{rng.integers(0, 30)}' + 'x' * 90,
    'letters beyond ASCII': lambda rng: ''.join(rng.choice(list('äß漢字é'), rng.integers(1, 7))),
}


def ids(values):
    return pa.array(values, pa.large_string())


def strings(values):
    return Strings(ids(values))


def fields(values):
    """As they stand in a file, with something between them."""
    encoded = [value.encode() for value in values]
    end = np.cumsum([len(value) + 3 for value in encoded], dtype=np.int64)
    begin = end - [len(value) for value in encoded]
    return Strings.between(
        b''.join(b'\n - '[-3:] + value for value in encoded), np.stack([begin, end], axis=1)
    )


@pytest.mark.parametrize('like', LIKE)
def test_pairs_are_found_and_duplicates_told(like):
    rng = np.random.default_rng(len(like))
    for _ in range(60):
        judged = list(dict.fromkeys(LIKE[like](rng) for _ in range(20)))
        judged += ['', 'another, much longer than the others ' * int(rng.integers(1, 4))]
        known = list(
            dict.fromkeys(
                (int(rng.integers(0, 4)), int(rng.integers(0, len(judged)))) for _ in range(15)
            )
        )
        rows = [known[i] for i in rng.integers(0, len(known), 40)] + known  # anywhere, and together
        rows = [rows[i // 2] for i in range(2 * len(rows))]
        pairs = Pairs(np.array([q for q, _ in rows]), strings([judged[d] for _, d in rows]))
        distinct = sorted(
            dict.fromkeys(rows), key=lambda pair: pair[0]
        )  # in order of first appearance
        at = {(q, judged[d]): place for place, (q, d) in enumerate(distinct)}
        assert len(pairs) == len(known) and pairs.query.tolist() == [q for q, _ in distinct]
        assert pairs.names.array.to_pylist() == [judged[d] for _, d in distinct]
        assert pairs.of_row.tolist() == [at[q, judged[d]] for q, d in rows]
        assert pairs.row.tolist() == [rows.index(pair) for pair in distinct]
        query, names = rng.integers(0, 6, 25), [LIKE[like](rng) for _ in range(25)]
        seen: set = set()
        expected = next(
            (
                row
                for row, pair in enumerate(zip(query.tolist(), names))
                if pair in seen or seen.add(pair)
            ),
            None,
        )
        for held in (Strings(ids(['before', *names, 'behind']).slice(1, 25)), fields(names)):
            keys = pairs.keys(query, held)
            assert pairs.find(keys, held).tolist() == [
                at.get(pair, -1) for pair in zip(query.tolist(), names)
            ]
            assert duplicate(keys, query, held) == expected


def test_ids_that_are_longer_elsewhere():
    judged = Pairs(np.array([0, 1]), strings(['d1', 'd2']))
    names = strings(['d2', 'd2' + 'x' * 70, 'd1', ''])
    assert judged.find(judged.keys(np.array([1, 1, 0, 0]), names), names).tolist() == [1, -1, 0, -1]
    names = strings(['d2', 'd1'])
    assert judged.find(judged.keys(np.array([1, 0]), names), names).tolist() == [1, 0]


def test_equal_keys_of_unlike_pairs_mislead_nobody():
    pairs = Pairs(np.array([0, 1]), strings(['d1', 'd2']))
    keys = pairs.keys(np.array([0, 1]), strings(['d1', 'd2']))
    assert pairs.find(keys, strings(['d1', 'x'])).tolist() == [0, -1]
    same = np.repeat(keys[:1], 4)
    assert duplicate(same, np.array([0, 0, 1, 1]), strings(['a', 'b', 'a', 'b'])) is None
    assert duplicate(same, np.array([0, 0, 1, 1]), strings(['a', 'b', 'b', 'b'])) == 3


def test_keys_that_are_equal_are_made_anew(monkeypatch):
    from ir_divmeasures.io import pairs as module

    monkeypatch.setattr(
        module,
        'text_keys',
        lambda names, words, seed=0: (
            text_keys(names, words, seed) if seed > 2 else np.zeros(len(names), dtype=np.uint64)
        ),
    )
    pairs = Pairs(np.array([0, 0]), strings(['d1', 'd2']))
    assert pairs.seed == 3
    names = strings(['d2', 'x', 'd1'])
    assert pairs.find(pairs.keys(np.array([0, 0, 0]), names), names).tolist() == [1, -1, 0]


def test_no_pairs_and_no_rows():
    none = Pairs(np.zeros(0, dtype=int), strings([]))
    assert none.find(none.keys(np.array([0]), strings(['d'])), strings(['d'])).tolist() == [-1]
    assert none.find(none.keys(np.zeros(0, dtype=int), strings([])), strings([])).tolist() == []
    assert duplicate(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=int), strings([])) is None


def test_many_rows():
    n = 600_000
    query, names = np.repeat(np.arange(600), 1000), strings([f'd{i % 1000}' for i in range(n)])
    keys = pair_keys(query, text_keys(names, 2))
    assert len(np.unique(keys)) == n and duplicate(keys, query, names) is None
    query[-1] = 0  # has d999 already
    assert duplicate(pair_keys(query, text_keys(names, 2)), query, names) == n - 1


@pytest.mark.parametrize('ascending', [True, False])
def test_a_repetition_is_found_part_by_part(monkeypatch, ascending):
    """Parts end where a query ends, also one with more rows than a part has."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr(pairs, 'AT_ONCE', 8)
    found = set()
    for _ in range(100):
        query = rng.choice(4, 40, p=[0.1, 0.2, 0.4, 0.3])
        query = np.sort(query) if ascending else query
        names = [f'd{i}' for i in rng.integers(0, 400, 40)]
        seen: set = set()
        expected = next(
            (
                row
                for row, pair in enumerate(zip(query.tolist(), names))
                if pair in seen or seen.add(pair)
            ),
            None,
        )
        for make in (strings, fields):
            assert repetition(make([f'q{q}' for q in query]), make(names)) == expected
        found.add(expected)
    assert None in found and len(found) > 10


def test_keys_made_in_parts_are_those_made_at_once(monkeypatch):
    """Of fields of a file too, which stand in every other place of their array."""
    names = [f'd{i % 7}' * (1 + i % 5) for i in range(50)]
    whole = [text_keys(Strings.of(pa.array(names)), 2)]
    data, ends = ' '.join(names).encode(), np.cumsum([len(name) + 1 for name in names]) - 1
    bounds = np.stack([np.concatenate([[0], ends[:-1] + 1]), ends], axis=1)
    monkeypatch.setattr(pairs, 'AT_ONCE', 8)
    for column in (Strings.of(pa.array(names)), Strings.between(data, bounds)):
        assert column.part(8, 16).array.to_pylist() == names[8:16]
        assert np.array_equal(text_keys(column, 2), whole[0])
    assert duplicate(
        pair_keys(np.zeros(50, dtype=int), whole[0]),
        np.zeros(50, dtype=int),
        Strings.of(pa.array(names)),
    ) == next(i for i, name in enumerate(names) if name in names[:i])
