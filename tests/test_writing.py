"""Files are written whole or not at all: by many threads, in a process that is killed, and on a full disk."""

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from ir_divmeasures import write_qrels
from ir_divmeasures.data import writing
from ir_divmeasures.data.writing import replacing
from ir_divmeasures.evaluation.scores import Scores
from ir_divmeasures.pools import Pool

from .builders import expect_error, refused
from .fresh import printed

POSIX = pytest.mark.skipif(os.name == 'nt', reason='signals, modes and links of POSIX')
OLD, NEW = 'the old content\n', 'the new content\n' * 2000


def write(path, text=NEW, overwrite=True):
    with (
        replacing(path, overwrite) as partial,
        open(partial, 'w', encoding='utf-8', newline='') as file,
    ):
        file.write(text)


def only(folder, *names):
    """Whether a folder contains these names and no others, not even hidden ones."""
    return sorted(os.listdir(folder)) == sorted(names)


# -------------------------------------------------------------------------------------------------------- threads


def in_threads(n, function):
    """What each of n threads that begin at the same moment returned, or the error that it raised."""
    together, results = threading.Barrier(n), [None] * n

    def run(i):
        together.wait()
        try:
            results[i] = function(i)
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize('links', [True, False], ids=['links', 'a file system without links'])
def test_a_file_that_appears_meanwhile_stays(tmp_path, monkeypatch, links):
    if not links:

        def no_links(*_):
            raise OSError(errno.EPERM, 'Operation not permitted')

        monkeypatch.setattr(os, 'link', no_links)
    path = tmp_path / 'a.txt'

    def write_late():
        with replacing(path, False) as partial:
            Path(partial).write_text(NEW)
            path.write_text(OLD)

    refused('a.txt exists; overwrite=True .--force. replaces it', write_late, error=FileExistsError)
    assert path.read_text() == OLD and only(tmp_path, 'a.txt')
    write(tmp_path / 'b.txt', overwrite=False)
    assert (tmp_path / 'b.txt').read_text() == NEW and only(tmp_path, 'a.txt', 'b.txt')


@pytest.mark.parametrize(
    'write_one',
    [
        lambda path, i: write_qrels({'q': {f'd{i}': 1}}, path, overwrite=True),
        lambda path, i: Scores([[i / 8]], systems=['a'], measures=['AP']).write(
            path, overwrite=True
        ),
        lambda path, i: Pool.from_runs({'A': {'q': {f'd{i}': 1.0}}}).save(path, overwrite=True),
    ],
    ids=['judgments', 'scores', 'pool'],
)
def test_every_writer_is_safe_in_threads(tmp_path, write_one):
    path = tmp_path / 'qrels.csv'
    assert in_threads(6, lambda i: write_one(path, i)) == [None] * 6
    assert only(tmp_path, 'qrels.csv') and path.stat().st_size > 0


# ---------------------------------------------------------------------------------------------------- kill points

KILLED = textwrap.dedent('''
    """Write a file, and be killed before the n-th call that changes something."""
    import importlib.util, os, signal, sys
    spec = importlib.util.spec_from_file_location("files", sys.argv[1])
    writing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writing)
    left = int(sys.argv[3])

    def counted(function):
        def call(*arguments, **options):
            global left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)
        return call

    for name in ('open', 'close', 'chmod', 'fsync', 'link', 'replace', 'remove', 'write'):
        setattr(os, name, counted(getattr(os, name)))
    with writing.replacing(sys.argv[2], sys.argv[4] == 'overwrite') as partial:
        file = os.open(partial, os.O_WRONLY | os.O_TRUNC)
        for line in 'the new content\\n' * 2000, '':
            os.write(file, line[:15000].encode())
            os.write(file, line[15000:].encode())
        os.close(file)
''')


@POSIX
@pytest.mark.parametrize('way', ['overwrite', 'new'])
def test_killed_at_any_point(tmp_path, way):
    """The old content or the new, or no file or the new; a hidden partial file may be left, and is no run."""
    script = tmp_path / 'script.py'
    script.write_text(KILLED)
    points, seen = 0, set()
    while True:
        points += 1
        folder = tmp_path / f'{points}'
        folder.mkdir()
        path = folder / 'a.run'
        if way == 'overwrite':
            path.write_text(OLD)
        done = subprocess.run(
            [sys.executable, '-I', script, writing.__file__, path, str(points), way], check=False
        )
        content = path.read_text() if path.exists() else None
        assert content in ((OLD, NEW) if way == 'overwrite' else (None, NEW))
        assert all(name == 'a.run' or name.startswith('.') for name in os.listdir(folder))
        seen.add(content)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert content == NEW and only(folder, 'a.run') and points > 10 and len(seen) == 2


# ------------------------------------------------------------------------------------------------------ full disk

FULL = textwrap.dedent('''
    import resource, signal, sys
    import ir_divmeasures
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    sys.dont_write_bytecode = True  # half of a module's bytecode would stay
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    for path in paths:
        try:
            ir_divmeasures.write_qrels({'q': {f'd{i}': 1 for i in range(5000)}}, path, overwrite=True)
        except OSError as error:
            print(type(error).__name__)
''')
"""Write judgments into files of at most 20,000 bytes; more is an error, as on a full disk."""


@POSIX
def test_a_full_disk(tmp_path):
    """One file exists, the other one does not."""
    old, new = tmp_path / 'old.txt', tmp_path / 'new.txt'
    old.write_text(OLD)
    assert printed(f'paths = {[str(old), str(new)]}{FULL}') == 'OSError\nOSError'
    assert only(tmp_path, 'old.txt') and old.read_text() == OLD


@pytest.mark.parametrize('step', ['fsync', 'replace'])
def test_an_error_at_the_end(tmp_path, monkeypatch, step):
    """Some systems only say that the disk is full when the file is flushed."""
    path = tmp_path / 'a.txt'
    path.write_text(OLD)

    def fail(*_):
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(os, step, fail)
    with expect_error('No space left', OSError) as full:
        write(path)
    assert full.value.filename == str(path)
    assert path.read_text() == OLD and only(tmp_path, 'a.txt')


def test_an_error_of_the_writer_and_ctrl_c(tmp_path):
    path = tmp_path / 'a.txt'
    path.write_text(OLD)

    def fail(error):
        with replacing(path, True) as partial:
            Path(partial).write_text('half')
            raise error

    for error in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error):
            fail(error)
    assert path.read_text() == OLD and only(tmp_path, 'a.txt')


# ------------------------------------------------------------------------------------- flushed; modes; links; names


@POSIX
def test_content_is_flushed_before_it_is_moved(tmp_path, monkeypatch):
    order = []
    for name in ('fsync', 'replace', 'link'):
        function = getattr(os, name)

        def noted(*arguments, name=name, function=function):
            order.append(name)
            return function(*arguments)

        monkeypatch.setattr(os, name, noted)
    write(tmp_path / 'a.txt', overwrite=False)
    write(tmp_path / 'a.txt', overwrite=True)
    assert order == ['fsync', 'link', 'fsync', 'replace']


@POSIX
@pytest.mark.parametrize('mode', [0o600, 0o640, 0o444, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / 'a.txt'
    path.write_text(OLD)
    path.chmod(mode)
    with replacing(path, True) as partial:
        assert (
            stat.S_IMODE(os.stat(partial).st_mode) & 0o077 == mode & 0o077
        )  # nobody else reads it meanwhile
        Path(partial).write_text(NEW)
    assert path.read_text() == NEW and stat.S_IMODE(path.stat().st_mode) == mode


@POSIX
def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    (tmp_path / 'other').write_text('')
    write(tmp_path / 'a.txt')
    assert (tmp_path / 'a.txt').stat().st_mode == (tmp_path / 'other').stat().st_mode


@POSIX
def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / 'data').mkdir()
    (tmp_path / 'data' / 'a.txt').write_text(OLD)
    (tmp_path / 'a.txt').symlink_to(Path('data', 'a.txt'))
    (tmp_path / 'b.txt').symlink_to(Path('data', 'b.txt'))
    (tmp_path / 'c.txt').symlink_to(Path('nowhere', 'c.txt'))
    write(tmp_path / 'a.txt')
    write(tmp_path / 'b.txt', overwrite=False)  # it leads to a file that is not there yet
    refused('nowhere: no such folder', write, tmp_path / 'c.txt', error=FileNotFoundError)
    assert (tmp_path / 'a.txt').is_symlink() and (tmp_path / 'b.txt').is_symlink()
    assert (
        (tmp_path / 'data' / 'a.txt').read_text()
        == (tmp_path / 'data' / 'b.txt').read_text()
        == NEW
    )
    assert only(tmp_path / 'data', 'a.txt', 'b.txt') and only(
        tmp_path, 'a.txt', 'b.txt', 'c.txt', 'data'
    )


@POSIX
def test_a_pipe_is_written_in_place(tmp_path):
    pipe, read = tmp_path / 'pipe', []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, overwrite=False)
    reader.join()
    assert read == [NEW] and stat.S_ISFIFO(pipe.stat().st_mode)
    write('/dev/null')
    assert stat.S_ISCHR(os.stat('/dev/null').st_mode)


def test_paths_that_cannot_be_written(tmp_path):
    refused('a folder, expected a file', write, tmp_path, error=IsADirectoryError)
    with expect_error('missing: no such folder', FileNotFoundError):
        write(tmp_path / 'missing' / 'a.txt')
    assert only(tmp_path)


def test_long_names_and_a_folder_that_is_left(tmp_path, monkeypatch):
    name = 'é' * 100 + '.qrels.gz'  # 209 bytes
    write(tmp_path / name)
    assert only(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'elsewhere').mkdir()
    with replacing('relative.txt', False) as partial:
        Path(partial).write_text(NEW)
        monkeypatch.chdir('elsewhere')
    assert (tmp_path / 'relative.txt').read_text() == NEW
