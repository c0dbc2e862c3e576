"""The command that makes the generated pages of the repository.

    python -m docs.generators                      # all of them, a few minutes
    python -m docs.generators commands axioms      # some of them
    python -m docs.generators --list

``tests/test_pages.py`` checks the pages.
"""

from __future__ import annotations

import argparse

from .common import PAGES


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m docs.generators', description='Make the generated pages.'
    )
    parser.add_argument(
        'page',
        nargs='*',
        choices=[[], *PAGES],
        metavar='PAGE',
        help=f'{", ".join(PAGES)}; default all',
    )
    parser.add_argument('--list', action='store_true', help='list the pages and their files')
    options = parser.parse_args()
    for name in options.page or PAGES:
        page = PAGES[name]
        if options.list:
            print(f'{name:<14} {page.path}')
        else:
            page.write()
            print(f'wrote {page.path}')


if __name__ == '__main__':
    main()
