"""The suite on the lowest and the newest versions of what the package needs, on every Python found on the machine.

Makes an environment for each Python from 3.10 on and for each end of the ranges in ``pyproject.toml``: ``lowest`` takes
the lowest versions stated there (or the lowest with a wheel for that Python), ``newest`` the newest to be had. Each
gets the package with its extra ``test`` and runs a part of the suite: hosts, names, readers, peers and Dask. Python is
looked for on the path and among pyenv's versions, or given by path; none is downloaded. Needs uv (``pip install uv``).

    python benchmarks/compatibility.py                            # every Python, both ends
    python benchmarks/compatibility.py --python 3.13 --ends newest -- tests/test_hosts.py -x
    python benchmarks/compatibility.py --python 3.12 /opt/python3.14/bin/python3 -- tests
    python benchmarks/compatibility.py --folder ~/environments    # keeps the environments for the next time

Prints a line for each environment: Python, versions, and what pytest said last. Ends with 1 if any failed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOSTS = ('ir-measures', 'python-terrier', 'numpy', 'pandas', 'pyarrow', 'scipy')
"""Packages whose versions are printed."""
WHEELS = (
    'numpy',
    'pandas',
    'pyarrow',
    'scipy',
    'lxml',
    'scikit-learn',
    'matplotlib',
    'contourpy',
    'pillow',
    'pyndeval',
    'pytrec-eval-terrier',
    'greenlet',
)
"""Packages that are not built from source: a version without a wheel for a Python is passed over."""
PART = [
    f'tests/test_{name}.py'
    for name in (
        'registry',
        'names',
        'upstream',
        'hosts',
        'terrier',
        'differential',
        'readers',
        'runs',
        'judgments',
        'adhoc',
        'cwl',
        'parts',
    )
]
"""What is run where nothing else is asked for."""


def pythons(asked: list[str]) -> dict[str, str]:
    """Interpreters by version (``3.12``), the lowest first; of ``asked`` only (versions and paths), if any."""
    places = [
        *os.environ.get('PATH', '').split(os.pathsep),
        *map(
            str,
            pathlib.Path(os.environ.get('PYENV_ROOT', '~/.pyenv'))
            .expanduser()
            .glob('versions/*/bin'),
        ),
    ]
    lowest = int(
        re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / 'pyproject.toml').read_text()).group(1)
    )
    found: dict[int, str] = {}
    for place in places:
        for path in sorted(pathlib.Path(place).glob('python3.*')):
            version = re.fullmatch(r'python3\.(\d+)', path.name)
            if (
                version
                and int(version[1]) >= lowest
                and int(version[1]) not in found
                and works(str(path))
            ):
                found[int(version[1])] = str(path)
    known = {f'3.{minor}': path for minor, path in sorted(found.items())}
    given = {version_of(path): path for path in asked if os.sep in path}
    if absent := [version for version in asked if os.sep not in version and version not in known]:
        raise SystemExit(
            f'no Python {", ".join(absent)} on this machine; found {", ".join(known) or "none"}'
        )
    return {
        version: path for version, path in known.items() if not asked or version in asked
    } | given


def version_of(python: str) -> str:
    """The version of an interpreter, as in ``3.14`` or ``3.14t``, which has no global lock."""
    told = 'import sys; print("3.%d%s" % (sys.version_info.minor, "t" * ("t" in getattr(sys, "abiflags", ""))))'
    try:
        return subprocess.run(
            [python, '-c', told], check=True, capture_output=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(f'{python} is no Python that runs') from None


def works(python: str) -> bool:
    """Whether an interpreter runs: a shim of pyenv may stand for a version that is not active."""
    return subprocess.run([python, '-c', 'import venv'], capture_output=True).returncode == 0


def environment(uv: str, python: str, end: str, folder: pathlib.Path) -> str:
    """The interpreter of an environment with the package installed, made or brought up to date."""
    made = str(folder / 'bin' / 'python')
    if not pathlib.Path(made).exists():
        subprocess.run([uv, 'venv', '--quiet', '--python', python, str(folder)], check=True)
    # Compiled at once: cwl-eval's sources warn when they are.
    subprocess.run(
        [
            uv,
            'pip',
            'install',
            '--quiet',
            '--native-tls',
            '--compile-bytecode',
            '--python',
            made,
            '--resolution',
            'lowest-direct' if end == 'lowest' else 'highest',
            *(['--upgrade'] if end == 'newest' else []),
            *(f'--only-binary={name}' for name in WHEELS),
            '--editable',
            f'{ROOT}[test]',
        ],
        check=True,
    )
    return made


def versions(python: str) -> str:
    """The versions of Python and the hosts in an environment."""
    told = 'import sys, importlib.metadata as m; print(sys.version.split()[0], *(m.version(n) for n in sys.argv[1:]))'
    found = subprocess.run(
        [python, '-c', told, *HOSTS], check=True, capture_output=True, text=True
    ).stdout.split()
    return ', '.join(f'{name} {version}' for name, version in zip(('Python', *HOSTS), found))


def main() -> int:
    """Run the suite in each environment; 1 if it failed in any."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument(
        '--python',
        nargs='+',
        default=[],
        metavar='3.X',
        help='only these versions of Python, or interpreters by path',
    )
    parser.add_argument(
        '--ends', nargs='+', choices=['lowest', 'newest'], default=['lowest', 'newest']
    )
    parser.add_argument('--folder', type=pathlib.Path, help='keep the environments there')
    parser.add_argument('tests', nargs='*', default=PART, help='arguments of pytest')
    given = parser.parse_args()
    uv = shutil.which(
        'uv', path=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get('PATH', '')])
    )
    if uv is None:
        raise SystemExit('uv makes the environments: pip install uv')
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for version, python in pythons(given.python).items():
            for end in given.ends:
                folder = (given.folder or pathlib.Path(temporary)) / f'{version}-{end}'
                try:
                    made = environment(uv, python, end, folder)
                except subprocess.CalledProcessError:
                    failed += 1
                    print(
                        f'{end} on Python {version}: the environment could not be made', flush=True
                    )
                    continue
                done = subprocess.run(
                    [made, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *given.tests],
                    cwd=ROOT,
                    capture_output=True,
                    text=True,
                )
                failed += done.returncode != 0
                lines = done.stdout.strip().splitlines() or [done.stderr.strip()[-300:]]
                told = lines if done.returncode else lines[-1:]
                print(
                    f'{end}: {versions(made)}',
                    *(f'  {line}' for line in told),
                    sep='\n',
                    flush=True,
                )
    return int(failed > 0)


if __name__ == '__main__':
    sys.exit(main())
