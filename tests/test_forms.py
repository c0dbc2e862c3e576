"""The form of a file is recognized from its content where that is unmistakable, and asked for where it is not."""

import gzip

import pytest

from ir_divmeasures import (
    evaluate,
    read_qrels,
    read_run,
    read_runs,
)
from ir_divmeasures.cli.options import list_runs
from ir_divmeasures.errors import FilesWarning
from ir_divmeasures.pools import Pool

from .builders import expect_error, expect_warning, over, refused

RUN = '1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1.5 tag\n'
QRELS = {'1': {'d1': {'a': 1}, 'd2': {'b': 1}}}


# ---------------------------------------------------------------------------------------------- folders of runs


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'a.run').write_text(RUN)
    (tmp_path / 'b.run.gz').write_bytes(gzip.compress(RUN.encode()))
    return tmp_path


NO_RUNS = (
    'README',
    'README.md',
    'readme.txt',
    'a.run.bak',
    'a.run~',
    'notes.md',
    'a.run.orig',
    'LICENSE',
    '.a.run.swp',
)


@pytest.mark.parametrize('form', ['{}', '{}/*'])
def test_files_that_are_no_runs_by_name_are_skipped_and_named(folder, form):
    for name in NO_RUNS:
        (folder / name).write_text(RUN)
    source = form.format(folder)
    with expect_warning(
        r"8 of 10 files are skipped, as .*: 'LICENSE', 'README', 'README.md', "
        r"'a.run.bak', 'a.run.orig', …. To read one, pass its path",
        FilesWarning,
    ) as caught:
        assert [name for name, _ in read_runs(source)] == ['a', 'b']
    assert len(caught) == 1
    with pytest.warns(FilesWarning):
        assert Pool.from_runs(source).systems == ['a', 'b']
    with pytest.warns(FilesWarning):
        assert evaluate(QRELS, list_runs([source]), 'P@2').systems == ('a', 'b')
    assert [name for name, _ in read_runs([folder / 'a.run', folder / 'a.run.bak'])] == [
        'a',
        'a.run.bak',
    ]


def test_a_folder_without_runs(tmp_path):
    (tmp_path / 'README.md').write_text('hello world\n')
    with expect_error(r"no run files there \(skipped: 'README.md'\)", FileNotFoundError):
        list(read_runs(tmp_path))


KINDS = [
    (
        'a pointer of Git LFS; `git lfs pull`',
        b'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
    ),
    ('a zip archive', b'PK\x03\x04' + RUN.encode()),
    *(
        ('UTF-16', (mark + RUN).encode(f'utf-16-{end}'))
        for mark in ('', '\ufeff')
        for end in ('le', 'be')
    ),
    ('a page of HTML', b'<!DOCTYPE html>\n<html>\n<body><h1>404 Not Found</h1></body></html>\n'),
    ('a page of HTML', b'<html>\n'),
]


@over('kind, data', KINDS)
@over('inside', [lambda data: data, gzip.compress])
def test_the_kind_of_a_file_is_named(kind, data, inside, tmp_path):
    """Where a run or judgments are expected; a query id may begin with a sign of less."""
    path = tmp_path / 'c.run'
    path.write_bytes(inside(data))
    for take in (read_run, read_qrels, lambda path: evaluate(QRELS, tmp_path, 'P@2')):
        refused(f'c.run: neither a run nor judgments, but .*{kind}', take, path)
    path.write_text(RUN.replace('1 Q0', '<q1> Q0'))
    assert read_run(path)['query_id'][0] == '<q1>'


@over('text', ['remember this\n', '404: Found\n', '"1" "x1"\n"1" "x2"\n'])
def test_lines_of_two_words_are_no_run(text, folder):
    (folder / 'note').write_text(text)
    refused('note, line 1: expected 6 fields', read_run, folder / 'note')
    refused("system 'note': .*note, line 1: expected 6 fields", evaluate, QRELS, folder, 'P@2')
