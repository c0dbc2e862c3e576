"""What the study scripts share: where the data is, Markdown tables, writing a page."""
from __future__ import annotations

import argparse
import os
import pathlib
from collections.abc import Callable, Iterable

import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get('IR_DIVMEASURES_SHARED', ROOT.parent / 'shared'))


def markdown(frame: pd.DataFrame, digits: int = 3) -> str:
    """A DataFrame without its index as a Markdown table; an empty cell for what is missing."""
    def text(value: object) -> str:
        if isinstance(value, float):
            return '' if pd.isna(value) else f'{value:.{digits}f}'.replace('-inf', '−∞')
        return '' if value is None else str(value)
    rows: Iterable[list[str]] = [[text(v) for v in row] for row in frame.itertuples(index=False)]
    lines = ['| ' + ' | '.join(map(str, frame.columns)) + ' |', '|' + ' --- |' * len(frame.columns)]
    return '\n'.join([*lines, *('| ' + ' | '.join(row) + ' |' for row in rows)])


def main(page: str, write: Callable[[pathlib.Path], str]) -> None:
    """Make the page from the data and write it to docs/ (or print it)."""
    parser = argparse.ArgumentParser(description=f'Regenerates docs/{page} from data.')
    parser.add_argument('--data', type=pathlib.Path, default=SHARED, help=f'folder of the data (default {SHARED})')
    parser.add_argument('--print', action='store_true', help='print the page instead of writing it')
    args = parser.parse_args()
    os.environ.setdefault('IR_DATASETS_HOME', str(args.data / 'ir_datasets'))
    text = write(args.data).rstrip() + '\n'
    if args.print:
        print(text, end='')
    else:
        (ROOT / 'docs' / page).write_text(text, encoding='utf-8')
        print(f'wrote docs/{page}')
