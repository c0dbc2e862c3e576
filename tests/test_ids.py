"""Ids as texts, the numbers that stand for them, duplicates, judged pairs, and the order of rankings: against Python's own
strings, dicts and sorts."""

import itertools
from operator import itemgetter

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures.data import ids
from ir_divmeasures.data.ids import (
    ORDERS,
    Texts,
    find_duplicate,
    row_keys,
)
from ir_divmeasures.data.judgments import Judgments

from .builders import over

TEXTS = st.lists(
    st.text(max_size=5)
    | st.text(max_size=40)
    | st.sampled_from(['', '\0', 'q1', '\0q1', 'q10', 'x' * 70]),
    max_size=12,
)


@given(texts=TEXTS)
@settings(max_examples=50, deadline=None)
def test_codes_and_keys_of_texts(texts):
    """Of an array, and of a part of one."""
    part = Texts.of(pa.array(['ab', *texts, 'c'], pa.large_string())[1 : len(texts) + 1])
    for column in (Texts.of(texts), part):
        codes, distinct = column.codes(Texts.of(['q10', 'x']))
        assert distinct.array.to_pylist() == list(dict.fromkeys(['q10', 'x', *texts]))
        assert distinct.pick(codes) == texts
        keys = row_keys(column).tolist()
        assert len(set(keys)) == len(set(texts)) == len({*zip(keys, texts)})


def test_keys_of_like_ids_differ():
    """Each bit of an id changes half of the bits of its key, also the first bits and the last."""
    rng = np.random.default_rng(3)
    for length in (3, 8, 40):
        letters = rng.choice(list('0123456789abc-'), (10_000, length))
        names = sorted({''.join(each) for each in letters})
        keys = row_keys(Texts.of(names))
        for part in (keys >> np.uint64(47), keys & np.uint64(0xFFFF)):
            counts = np.bincount(part.astype(np.int64), minlength=1 << 16)
            expected = len(names) / (1 << 16)
            assert ((counts - expected) ** 2 / expected).sum() < 1.3 * (1 << 16)
        assert len({*keys.tolist()}) == len(names)
    like = ['a' * n + 'b' + 'a' * (70 - n) for n in range(70)]
    assert len({*row_keys(Texts.of(like)).tolist()}) == 70


@over('size', [1, 3, 1 << 15])
def test_keys_and_duplicates_do_not_depend_on_the_size_of_pieces(size, monkeypatch):
    monkeypatch.setattr(ids, 'ROWS_AT_ONCE', size)
    rng = np.random.default_rng(7)
    for n in [0, 1, *rng.integers(2, 15, 30)]:
        query, document = rng.integers(0, 4, n), rng.integers(0, 9, n)
        rows, seen = list(zip(query.tolist(), document.tolist())), set()
        repeated = next((i for i, row in enumerate(rows) if row in seen or seen.add(row)), None)
        names = Texts.of([f'{"d" * 40 * (number % 2)}{number}' for number in document])
        for columns in ([query, names], [query, document]):
            keys = row_keys(*columns)
            assert len(np.unique(keys)) == len({*rows}) and keys.max(initial=0) < 2**63
            assert find_duplicate(*columns) == find_duplicate(*columns, keys=keys) == repeated


LIKE = {
    'short': lambda rng: ''.join(rng.choice(list('ab'), rng.integers(1, 4))),
    'one end': lambda rng: f'{rng.integers(0, 30)}/of/a/long/address/index.html',
    'one beginning': lambda rng: f'a long beginning that all share {rng.integers(0, 30)}',
    'letters beyond ASCII': lambda rng: ''.join(rng.choice(list('äß漢字～😀'), rng.integers(1, 7))),
}


def test_equal_keys_of_unlike_rows_are_no_duplicates():
    documents = Texts.of(['a', 'b', 'b'])
    assert find_duplicate(documents, keys=np.zeros(3, dtype=np.uint64)) == 2
    assert find_duplicate(documents.take(np.arange(2)), keys=np.zeros(2, dtype=np.uint64)) is None


# ------------------------------------------------------------------------------------------------ rankings of a run


def ordered(rows, how):
    """The rows (query, document, score) of a ranking, by Python's stable sorts."""
    rows = list(rows)
    if how != 'rows':
        rows.sort(key=lambda row: row[1], reverse=how != 'ascending')
    return sorted(rows, key=lambda row: -(np.float32(row[2]) if how == 'single' else row[2]))


SCORES = [[1.0], [1.0, 1.0 + 1e-9, 2.0, -np.inf], [1e30, 2e30, 0.0, -0.0]]


@over('how, like, scores', itertools.product(ORDERS, LIKE, SCORES), every=5)
def test_judged_documents_of_a_run_have_their_ranks(how, like, scores):
    """Runs in no order and in order, of judged and other queries and documents, with ties."""
    rng = np.random.default_rng(len(like))
    for sort in (list, lambda rows: sorted(rows, key=itemgetter(0, 2), reverse=True)):
        documents = [LIKE[like](rng) for _ in range(20)] + ['another, much longer one ' * 3]
        rows = [(f'q{rng.integers(0, 4)}', documents[rng.integers(0, 21)]) for _ in range(60)]
        table = pd.DataFrame(rows, columns=['query_id', 'doc_id']).assign(relevance=1)
        judgments = Judgments.of(table.assign(subtopic_id=range(len(rows))))
        documents += [LIKE[like](rng) for _ in range(20)]
        drawn = {(f'q{rng.integers(0, 6)}', documents[rng.integers(0, 41)]) for _ in range(90)}
        run = sort((q, d, rng.choice(scores)) for q, d in rng.permutation(sorted(drawn)).tolist())
        overlay = judgments.align(pd.DataFrame(run, columns=['query_id', 'doc_id', 'score']))
        hits = overlay.located(how)
        found = zip(
            np.take(judgments.query_ids, hits.query).tolist(),
            judgments.document_of(hits.pair).array.to_pylist(),
            hits.rank.tolist(),
        )
        expected = [
            (query, document, rank)
            for query in judgments.query_ids
            for rank, (_, document, _) in enumerate(
                ordered([row for row in run if row[0] == query], how), 1
            )
            if (query, document) in rows
        ]
        assert sorted(found) == sorted(expected) and expected
        assert {*overlay.unjudged} == {row[0] for row in run} - {*judgments.query_ids}
