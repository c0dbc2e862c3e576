"""Ranks, verdicts and warnings of a leaderboard: the content of ``leaderboard.json`` from scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..evaluation.ranges import means as means_of
from ..evaluation.scores import Scores
from ..lazy import pd
from ..meta.comparison import compare
from ..meta.prediction_powered import prediction_powered
from ..meta.ranks import ranks
from ..meta.resampling import by_measure as estimates_of
from ..meta.resampling import by_system
from ..results import count, tidy

PLACES = 6
TIED = 0.25
"""A share of tied pairs of systems and queries above this gives a warning."""
JUDGED = 0.9
"""Systems with a smaller share of judged documents are counted in a warning."""
OF_HUMAN = ('human', 'llm', 'bias')
OF_BASELINE = ('difference', 'difference_low', 'difference_high')
COLUMNS = ('rank', 'rank_low', 'rank_high', 'tier', 'top')


def standings(
    scores: Scores, ranked: list[str], human: Scores | None, baseline: str | None, alpha: float
) -> tuple[pd.DataFrame, list[str], str]:
    """The rank and mean of each system by each measure.

    Args:
        scores: scores of all systems.
        ranked: the systems that take part in tests and have ranks.
        human: scores by people on some of the queries, or None.
        baseline: the system that differences are to, or None.
        alpha: level of the tests.

    Returns:
        A row for each measure and system in the order of the scores, with NaN for what is not known; a verdict for each
        measure; and the test in words.
    """
    tests = len(scores.queries) > 1
    several = len(ranked) > 1 and tests
    x = by_system(scores)
    estimate, _ = estimates_of(
        means_of(values, measure, 1 - alpha) for values, measure in zip(x, scores.measures)
    )
    table = tidy(
        measure=[[measure] for measure in scores.measures],
        system=scores.systems,
        mean=x.mean(axis=2),
        low=estimate.low if tests else np.nan,
        high=estimate.high if tests else np.nan,
    )
    key = ['measure', 'system']
    if human is not None:
        human = human.select(systems=list(scores.systems), measures=list(scores.measures))
        powered = prediction_powered(scores, human, baseline=baseline, confidence_level=1 - alpha)
        columns = ['mean', 'low', 'high', *OF_HUMAN, *(OF_BASELINE if baseline else ())]
        table = table[key].merge(powered.to_frame()[[*key, *columns]], on=key)
    elif baseline is not None and tests and len(scores.systems) > 1:
        compared = compare(scores, baseline, alpha=alpha, confidence_level=1 - alpha).to_frame()
        names = dict(zip(('low', 'high'), OF_BASELINE[1:]))
        compared = compared[[*key, 'difference', *names]].rename(columns=names)
        table = table.merge(compared, on=key)
    is_ranked = table['system'].isin(ranked)
    by_measure = table['mean'].where(is_ranked).round(12).groupby(table['measure'], sort=False)
    table['rank'] = by_measure.rank(ascending=False, method='min')
    ordered, test = dict[str, int](), ''
    if several:
        part_of_human = None if human is None else human.select(systems=ranked)
        tested = ranks(scores.select(systems=ranked), human=part_of_human, alpha=alpha)
        found = tested.to_frame().rename(columns={'may_be_best': 'top'})
        table = table.merge(found[[*key, *COLUMNS[1:]]], how='left', on=key)
        ordered, test = tested.ordered, tested.tested
    else:
        table = table.assign(rank_low=np.nan, rank_high=np.nan, tier=np.nan, top=table['rank'] == 1)
    table['top'] = table['top'].astype(object).where(is_ranked, False).astype(bool)
    verdicts = [
        _verdict(of_measure[is_ranked.loc[of_measure.index]], ordered.get(str(measure)))
        for measure, of_measure in table.groupby('measure', sort=False)
    ]
    return table, verdicts, test


def _verdict(table: pd.DataFrame, ordered: int | None) -> str:
    """Who is first, how many may be, and how many neighbours can be ordered, of the ranked systems of a measure."""
    if not len(table):
        return 'No system is ranked.'
    first = table[table['rank'] == 1]
    names = first['system'].tolist()
    who = ', '.join(names[:3]) + (f' and {len(names) - 3} more' if len(names) > 3 else '')
    mean = f'{first["mean"].iloc[0]:.3f}'.replace('-', '−')
    said = f'{who} {"has" if len(names) == 1 else "have"} the highest mean {first["measure"].iloc[0]}, {mean}.'
    others = len(table) - 1
    if ordered is None:
        return f'{said} One query says nothing about chance.' if others else said
    near = int(table['top'].sum()) - 1
    if near <= 0:
        of_first = (
            f'{count(others, "other system")} {"is" if others == 1 else "are"} separable from it.'
        )
    elif near == others:
        of_first = 'No other system is separable from it (all are ≈ first).'
    else:
        verb = 'is' if near == 1 else 'are'
        of_first = (
            f'{near:,} of the other {others:,} systems {verb} not separable from it (≈ first).'
        )
    pairs = (
        'no two neighbours'
        if not ordered
        else f'{ordered:,} of {count(others, "pair")} of neighbours'
    )
    return f'{said} {of_first} Tests of all pairs order {pairs} in the ranking.'


def rows_of(table: pd.DataFrame, systems: tuple[str, ...]) -> list[list[dict[str, Any]]]:
    """The table of :func:`standings` as the ``results`` of ``leaderboard.json``, measures × systems."""
    further = [name for name in (*OF_HUMAN, *OF_BASELINE) if name in table]
    rows = [
        {
            **{name: _whole(row[name]) for name in COLUMNS[:-1]},
            'top': bool(row['top']),
            **{name: rounded(row[name]) for name in ('mean', 'low', 'high', *further)},
        }
        for row in table.to_dict('records')
    ]
    n = len(systems)
    return [rows[start : start + n] for start in range(0, len(rows), n)]


def rounded(value: Any) -> float | None:
    """A number with six decimals; None for NaN."""
    return None if value != value else round(float(value), PLACES) + 0.0


def _whole(value: Any) -> int | None:
    return None if value != value else int(value)


def warnings_of(
    scores: Scores, judged: dict[str, float], cutoff: int, human: Scores | None
) -> Iterator[str]:
    """What readers of a leaderboard should know before they look at ranks."""
    if human is not None:
        yield (
            f'Means are those of the automatic judge, corrected with {count(len(human.queries), "query", "queries")} '
            f'that people judged (prediction-powered inference). Rank intervals contain the error of the correction.'
        )
    elif scores.ratings is not None:
        yield 'An automatic judge alone: intervals contain nothing of its error.'
    n = len(scores.queries)
    if n < 10:
        yield f'{count(n, "query", "queries")} only: intervals and tests are rough below 10 queries.'
    few = [share for share in judged.values() if share < JUDGED]
    if few:
        yield (
            f'{len(few)} of {count(len(judged), "system")} {"has" if len(few) == 1 else "have"} less than 90 % of '
            f'the first {cutoff} documents judged; the smallest share is {100 * min(few):.0f} %. Unjudged documents '
            f'count as not relevant.'
        )
    pairs = len(scores.systems) * (len(scores.systems) - 1) / 2
    for measure, values in zip(scores.measures, scores.values.transpose(2, 1, 0)):
        counts = [np.unique(np.round(row, 9), return_counts=True)[1] for row in values]
        ties = sum(float((each * (each - 1) / 2).sum()) for each in counts)
        if pairs and ties / pairs / n > TIED:
            yield (
                f'{measure}: on a query, {100 * ties / pairs / n:.0f} % of the pairs of systems have equal scores.'
            )


def judges_of(scores: Scores) -> list[dict[str, Any]]:
    """The means of all systems by each of several judges, measures × systems."""
    ratings = scores.ratings
    if ratings is None or 'judge' not in ratings or ratings['judge'].nunique() < 2:
        return []
    means = ratings.groupby(['judge', 'measure', 'system'], sort=False)['value'].mean()
    return [
        {
            'name': judge,
            'means': [
                [rounded(means.get((judge, measure, system), np.nan)) for system in scores.systems]
                for measure in scores.measures
            ],
        }
        for judge in dict.fromkeys(ratings['judge'])
    ]
