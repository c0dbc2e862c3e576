"""Make the figures of the paper: ``python paper/figures.py``.

``coverage.png`` is the picture of the README (``python -m reference coverage``). ``speed.png`` shows the newest results
of ``python -m benchmarks`` in the repository.
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
from typing import Any

from matplotlib.figure import Figure

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent


def comparisons() -> list[dict[str, Any]]:
    """The results of 50 queries × 1000 documents for the same values as another tool, the largest ratio first."""
    newest = max((ROOT / 'benchmarks' / 'results').glob('20??-??-??.json'))
    results = json.loads(newest.read_text(encoding='utf-8'))['results']
    compared = [
        each
        for each in results
        if each['part'] in ('peers', 'adhoc')
        and not re.search('500 judged|per measure', each['row'])
    ]
    if not compared:
        raise ValueError(f'{newest}: no comparison with another tool')
    return sorted(compared, key=ratio, reverse=True)


def ratio(result: dict[str, Any]) -> float:
    """The median over the turns of the tool's processor time divided by that of this package."""
    return float(result['quartiles'][1])


def speed() -> Figure:
    """How many times the processor time of this package each tool takes."""
    compared = comparisons()
    figure = Figure(figsize=(8, 0.3 * len(compared) + 0.8), layout='constrained')
    axes = figure.subplots()
    labels = [f'{each["peer"]}: {each["row"]}' for each in compared]
    bars = axes.barh(labels, list(map(ratio, compared)), color='#4477aa')
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
