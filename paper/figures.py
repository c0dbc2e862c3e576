"""Make the figures of the paper: ``python paper/figures.py``.

``coverage.png`` is the picture of the README (``python -m studies coverage``). ``speed.png`` shows the newest results
of ``python -m benchmarks`` in the repository.
"""
from __future__ import annotations

import json
import pathlib
import shutil
from typing import Any

from matplotlib.figure import Figure

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent


def comparisons() -> list[dict[str, Any]]:
    """The benchmarks of 50 queries × 1000 documents that have another tool to compare with, the largest ratio first."""
    newest = max((ROOT / 'benchmarks' / 'results').glob('*.json'))
    results = json.loads(newest.read_text(encoding='utf-8'))['results']
    compared = [each for each in results if each.get('part') in ('peers', 'adhoc') and each.get('ratio')
                and '500 judged' not in each['what']]
    if not compared:
        raise ValueError(f'{newest}: no comparison with another tool')
    return sorted(compared, key=lambda each: -each['ratio'])


def speed() -> Figure:
    """How many times the processor time of this package each tool takes."""
    compared = comparisons()
    figure = Figure(figsize=(8, 0.3 * len(compared) + 0.8), layout='constrained')
    axes = figure.subplots()
    bars = axes.barh([f'{each["peer"]}: {each["what"]}' for each in compared], [each['ratio'] for each in compared],
                     color='#4477aa')
    axes.bar_label(bars, fmt='%.1f', padding=3, fontsize=8)
    axes.axvline(1, color='black', linewidth=0.8)
    axes.set(xscale='log', xlabel='processor time relative to ir_divmeasures')
    axes.tick_params(axis='y', labelsize=8)
    axes.invert_yaxis()
    axes.spines[['top', 'right']].set_visible(False)
    return figure


def main() -> None:
    shutil.copyfile(ROOT / 'docs' / 'images' / 'coverage.png', FOLDER / 'coverage.png')
    speed().savefig(FOLDER / 'speed.png', dpi=150, metadata={'Software': None})


if __name__ == '__main__':
    main()
