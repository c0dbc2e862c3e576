"""What code prints in a fresh process, which is a fork of one process for each list of imports to begin with."""

import atexit
import functools
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
SERVER = '''
import contextlib, io, json, os, sys, traceback
exec(sys.argv[1])
for line in sys.stdin:
    read, write = os.pipe()
    if not os.fork():
        out, err, failed = io.StringIO(), io.StringIO(), False
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                exec(json.loads(line), {'__name__': '__main__'})
            except SystemExit:
                pass
            except BaseException:
                failed = True
                traceback.print_exc()
        with open(write, 'w') as stream:
            json.dump([failed, out.getvalue(), err.getvalue()], stream)
        os._exit(0)
    os.close(write)
    with open(read) as stream:
        print(stream.read(), flush=True)
    os.wait()
'''

BARE = 'import numpy'
HOSTS_IMPORTS = '''
import contextlib, importlib
for name in ('pandas', 'IPython.display', 'requests', 'lz4.frame', 'tqdm.auto', 'pyarrow.compute', 'cwl.cwl_eval'):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
'''
"""What ir_measures, ir_datasets and PyTerrier import: a fork imports only them and this package, which takes less time."""


@functools.cache
def _server(first):
    started = subprocess.Popen(
        [sys.executable, '-W', 'error::UserWarning', '-c', SERVER, first],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path])},
    )

    def end():
        started.stdin.close()
        started.stdout.close()
        started.wait()

    atexit.register(end)
    return started


def streams(code, first=HOSTS_IMPORTS):
    """Whether code ends with an error in a process that has run ``first``; what it prints on either stream."""
    if not hasattr(os, 'fork'):
        done = subprocess.run(
            [sys.executable, '-W', 'error::UserWarning', '-c', f'{first}\n{code}'],
            capture_output=True,
            text=True,
        )
        return bool(done.returncode), done.stdout, done.stderr
    server = _server(first)
    server.stdin.write(json.dumps(code) + '\n')
    server.stdin.flush()
    failed, out, err = json.loads(server.stdout.readline())
    return failed, out, err


def printed(code, first=HOSTS_IMPORTS):
    """What code prints that ends without an error and says nothing on the other stream but warnings."""
    failed, out, err = streams(code, first)
    assert not failed, err
    return out.strip()
