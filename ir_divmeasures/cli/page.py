"""A leaderboard: one HTML page of systems ranked by their mean scores, which loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import pathlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.writing import replacing
from ..errors import visible
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores, scores_of
from ..lazy import pd
from ..meta.ranking import ranks

if TYPE_CHECKING:
    import os

TEMPLATE = pathlib.Path(__file__).parents[1] / 'resources/leaderboard.html'


@dataclass(frozen=True)
class Leaderboard:
    """The result of :func:`leaderboard`.

    Attributes:
        table: a row for each measure and system, by rank: ``measure, system, mean, low, high, rank, rank_low,
            rank_high, may_be_first``.
        html: the page.
    """

    table: pd.DataFrame
    html: str

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the page to a file.

        Raises:
            FileExistsError: the file exists and ``overwrite`` is False.
        """
        with replacing(path, overwrite) as target:
            pathlib.Path(target).write_text(self.html, encoding='utf-8')


def leaderboard(
    qrels: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    title: str | None = None,
    missing: str = 'zero',
    jobs: int = 1,
) -> Leaderboard:
    """Rank systems by their mean scores on one page, which works offline.

    The first measure ranks; on the page, a click on the heading of another measure ranks by that one. Intervals of means
    and of ranks are those of :func:`ir_divmeasures.meta.ranks`. A system may be first if its interval begins at rank 1.

    Args:
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes; for measures of innovation
            ``pool.judgments(qrels)`` of a :class:`ir_divmeasures.pools.Pool`. Without ``runs``, the scores instead:
            :class:`~ir_divmeasures.Scores`, or a table or files of scores.
        runs: runs in any form that :func:`ir_divmeasures.read_runs` takes.
        measures: measures to compute.
        missing, jobs: as in :func:`ir_divmeasures.evaluate`.
        title: heading of the page.

    Raises:
        ValueError: runs without measures, fewer than two systems or queries, and what :func:`ir_divmeasures.evaluate` raises.

    Examples:
        >>> from ir_divmeasures import Scores
        >>> rng = np.random.default_rng(0)
        >>> board = leaderboard(Scores(rng.random((3, 20)) / [[1], [1], [3]], measures=['AP']))
        >>> board.table[['system', 'rank', 'rank_low', 'rank_high', 'may_be_first']]
            system  rank  rank_low  rank_high  may_be_first
        0  system2     1         1          2          True
        1  system1     2         1          2          True
        2  system3     3         3          3         False
    """
    from jinja2 import Environment

    if runs is None:
        scores = scores_of(qrels)
    elif measures is None:
        raise ValueError("measures: expected at least one, as in measures='nDCG@20'")
    else:
        scores = evaluate(qrels=qrels, runs=runs, measures=measures, missing=missing, jobs=jobs)
    table = _standings(scores)
    source = TEMPLATE.read_text(encoding='utf-8')
    environment = Environment(autoescape=True, trim_blocks=True)
    environment.filters |= {'visible': visible, 'fixed': _fixed}
    html = environment.from_string(source).render(
        title=title or f'Leaderboard by {scores.measures[0]}',
        columns=[
            _column(scores, str(name), part) for name, part in table.groupby('measure', sort=False)
        ],
        n_topics=len(scores.queries),
        hashes={tag: _hash(source, tag) for tag in ('style', 'script')},
    )
    return Leaderboard(table, html)


def _fixed(value: float, places: int) -> str:
    """A number with decimal places and a minus sign."""
    return f'{value:.{places}f}'.replace('-', '−')


def _standings(scores: Scores) -> pd.DataFrame:
    """The table of :class:`Leaderboard`."""
    table = ranks(scores).drop(columns='tier')
    by_measure = table['mean'].round(12).groupby(table['measure'], sort=False)
    return table.assign(rank=by_measure.rank(ascending=False, method='min').astype(int))


def _column(scores: Scores, measure: str, table: pd.DataFrame) -> dict[str, Any]:
    """What the page shows of a measure: the row of each system by rank, and topics."""
    table = table.sort_values('rank', kind='stable')
    values = scores[measure]
    best_systems = [scores.systems[s] for s in values.argmax(axis=0)]
    summaries = [summary(values, axis=0).tolist() for summary in (np.max, np.median, np.min)]
    return {
        'measure': measure,
        'places': 3 if table['mean'].abs().max() < 10 else 1,
        'rows': {row.system: row for row in table.itertuples()},
        'best': table['system'][table['rank'] == 1].tolist(),
        'near': table['may_be_first'].sum() - 1,
        'topics': [*zip(scores.queries, zip(*summaries), best_systems)],
    }


def _hash(source: str, tag: str) -> str:
    """The hash of the content of an element, by which the page's security policy lets it in."""
    content = source.partition(f'<{tag}>')[2].partition(f'</{tag}>')[0]
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
