"""The one command that makes every generated page of the repository.

    python -m reference                      # all of them, a few minutes
    python -m reference commands axioms      # some of them
    python -m reference --list

Pages without data need nothing but the package; the others read the folder named by ``--data`` (default: the
environment variable ``IR_DIVMEASURES_SHARED``, or ``../shared``). ``tests/test_pages.py`` checks the pages.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from collections.abc import Sequence

from .common import PAGES, SHARED


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog='python -m reference', description='Makes the generated pages.'
    )
    parser.add_argument(
        'page',
        nargs='*',
        choices=[[], *PAGES],
        metavar='PAGE',
        help=f'{", ".join(PAGES)}; default all',
    )
    parser.add_argument(
        '--data', type=pathlib.Path, default=SHARED, help=f'folder of the data (default {SHARED})'
    )
    parser.add_argument('--list', action='store_true', help='list the pages and their files')
    options = parser.parse_args(arguments)
    os.environ.setdefault('IR_DATASETS_HOME', str(options.data / 'ir_datasets'))
    for name in options.page or PAGES:
        page = PAGES[name]
        if options.list:
            print(f'{name:<14} {page.path}' + ('   (reads data)' if page.reads_data else ''))
        elif page.reads_data and not (options.data / 'data').is_dir():
            print(f'{name}: left as it is, no data at {options.data}', file=sys.stderr)
        else:
            page.write(options.data)
            print(f'wrote {page.path}')


if __name__ == '__main__':
    main()
