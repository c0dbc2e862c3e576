"""What is too much is refused before it fills the memory."""

import bz2
import gc
import gzip
import lzma
import os
import sys
import textwrap
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ir_divmeasures import evaluate, read_qrels, read_run
from ir_divmeasures.data import arrays, files

from .builders import expect_error, over, refused
from .fresh import BARE, printed

# Judgments of one grade are what most of these tests need.
pytestmark = pytest.mark.filterwarnings('ignore::ir_divmeasures.errors.JudgmentsWarning')

# -------------------------------------------------------------------------------------------------- inflated files


def zstandard(data):
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, 'zstd') as stream:
        stream.write(data)
    return out.getvalue().to_pybytes()


COMPRESS = {
    'gzip': lambda data: gzip.compress(data, 9),
    'bzip2': lambda data: bz2.compress(data, 9),
    'xz': lambda data: lzma.compress(data, preset=1),
    'zstandard': zstandard,
}
PIECE = b'1 Q0 d1 1 2.5 tag\n' * 40_000
"""720 kB of lines; such pieces, compressed, are a small file that inflates to any size."""


@pytest.mark.parametrize('name', COMPRESS)
@over(
    'read, lines',
    [(read_run, PIECE), (read_qrels, PIECE.replace(b' 2.5 tag', b'').replace(b'Q0', b'a'))],
)
def test_a_file_made_to_fill_the_memory_is_refused(tmp_path, monkeypatch, name, read, lines):
    monkeypatch.setattr(files, 'SMALL', 1 << 21)
    path = tmp_path / 'small.run'
    path.write_bytes(COMPRESS[name](lines) * 20)
    with expect_error(
        f'small.run: .* bytes are inflated from .* bytes of this {name} file; lines '
        'of runs or judgments grow by less than 250 times'
    ):
        read(path)
    with open(path, 'rb') as file, expect_error(f'of this {name} file'):
        read(file)


REFUSED = textwrap.dedent('''
    import re
    import ir_divmeasures
    try:
        ir_divmeasures.read_run({!r})
    except ValueError as error:
        # ru_maxrss would count the process that started this one too
        print(int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) // 1024)
''')


@pytest.mark.skipif(sys.platform != 'linux', reason='reads /proc')
def test_it_is_refused_within_200_megabytes(tmp_path):
    path = tmp_path / 'small.xz'
    path.write_bytes(COMPRESS['xz'](PIECE) * 6000)
    assert path.stat().st_size < 2_000_000
    assert int(printed(REFUSED.format(str(path)), BARE)) < 200


@pytest.mark.parametrize('name', COMPRESS)
def test_real_lines_of_any_size_are_inflated(tmp_path, monkeypatch, name):
    """Lines that grow 20 times are far from the limit, whether blocks are small or large."""
    rng = np.random.default_rng(0)
    lines = ''.join(
        f'{q} Q0 doc-{d:06d} {i} {1000 - i} tag\n'
        for q in range(15)
        for i, d in enumerate(np.sort(rng.choice(10**6, 1000, replace=False)))
    ).encode()
    compressed = COMPRESS[name](lines)
    path = tmp_path / 'a.run'
    monkeypatch.setattr(files, 'SMALL', 1 << 15)
    for size in (1 << 13, 1 << 20):
        path.write_bytes(compressed)
        assert b''.join(files.read_blocks(str(path), 'a.run', size)) == lines
    for half in (compressed[: len(compressed) // 2], compressed[:20]):
        path.write_bytes(half)
        refused(f'a.run: not a complete {name} file', files.read_bytes, path)


@over('name', ['gzip', 'bzip2', 'xz'])
def test_files_of_several_parts(name, tmp_path):
    """As `cat a.gz b.gz > c.gz` makes them."""
    (tmp_path / 'c').write_bytes(COMPRESS[name](b'a\n') + COMPRESS[name](b'b\n'))
    assert files.read_bytes(tmp_path / 'c') == b'a\nb\n'


# ---------------------------------------------------------------------------------------------------- large judgments


def sparse(documents, aspects, per_document, seed=0):
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(documents), per_document)
    qrels = pd.DataFrame(
        {
            'query_id': 'q',
            'doc_id': [f'd{d:06d}' for d in document],
            'relevance': 1,
            'subtopic_id': rng.integers(0, aspects, len(document)).astype(str),
        }
    ).drop_duplicates()
    run = pd.DataFrame(
        {
            'query_id': 'q',
            'doc_id': [f'd{d:06d}' for d in rng.permutation(documents)],
            'score': np.arange(documents, 0, -1.0),
        }
    )
    return qrels, run


def test_what_is_too_large_to_be_filled_says_so(monkeypatch):
    qrels, run = sparse(40, 30, 5)
    monkeypatch.setattr(arrays, 'MOST_CELLS', 500)
    with expect_error(
        'a query with 40 relevant documents and 30 subtopics has 1200 grades; .* at most 500'
    ):
        evaluate(qrels, {'a': run}, 'alpha_nDCG@20')


# ------------------------------------------------------------------------------------------------------------- growth


@pytest.mark.slow
def test_evaluations_leave_neither_memory_nor_open_files(tmp_path):
    """After the first ones, which fill caches, neither grows: each evaluation has judgments and a run of its own."""
    path = tmp_path / 'a.run.gz'
    path.write_bytes(gzip.compress(b''.join(b'q Q0 d%06d 0 %d t\n' % (d, -d) for d in range(60))))

    def some(n):
        for seed in range(n):
            qrels, run = sparse(60, 8, 3, seed)
            evaluate(qrels, {'a': run, 'b': path}, 'alpha_nDCG@10 RBU@10')

    def open_files():
        return len(os.listdir('/proc/self/fd')) if os.path.isdir('/proc/self/fd') else 0

    some(10)
    gc.collect()
    files = open_files()
    tracemalloc.start()
    try:
        some(10)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        some(20)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert open_files() == files and grown < 100_000  # the judgments of one evaluation take more


# -------------------------------------------------------------------------------------------- parquet files of one value


def alike(n, text):
    return pa.table(
        {
            'query_id': pa.DictionaryArray.from_arrays(np.zeros(n, 'i4'), ['q']),
            'doc_id': pa.DictionaryArray.from_arrays(np.zeros(n, 'i4'), [text]),
            'relevance': np.zeros(n),
            'score': np.zeros(n),
        }
    )


@over('n, text', [(600_000, 'd'), (10_000, 'd' * 10_000)])
@over('read', [read_run, read_qrels])
def test_a_small_parquet_file_of_many_rows_is_refused(tmp_path, n, text, read):
    """Of equal rows, parquet writes little more than one; two kilobytes can be gigabytes of texts or numbers."""
    from pyarrow import parquet

    path = tmp_path / 'small.parquet'
    parquet.write_table(alike(n, text), path, compression='zstd')
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    refused(
        f'small.parquet: .* bytes are inflated from {path.stat().st_size} bytes of this parquet file',
        read,
        path,
    )
    peak = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before
    tracemalloc.stop()
    assert peak < 200_000_000
