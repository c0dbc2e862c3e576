"""Compare systems with a baseline: differences, intervals, effect sizes, wins, tests, and a LaTeX table."""

from __future__ import annotations

import functools
import string
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.names import label
from ..errors import check_number, fraction, one_of, visible
from ..estimates import differing, mean_over_queries
from ..evaluation.scores import as_scores, some
from ..lazy import pd
from ..plotting import bars
from ..results import Result, count
from ..tables import PAPER, paper_table
from .correlation import place_of
from .significance import discriminative_power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import RngLike, ScoresLike

Array = np.ndarray

PAIRS = ('baseline', 'all')
COUNTS = ('wins', 'ties', 'losses', 'differ')
"""The columns that count queries."""


def compare(
    scores: ScoresLike,
    baseline: str | None = None,
    *,
    method: str = 't',
    correction: str | None = 'holm',
    pairs: str = 'baseline',
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    tolerance: float = 1e-9,
    rng: RngLike = None,
) -> Comparison:
    """Compare systems with a baseline, or all pairs of systems, measure by measure.

    With z_q the difference of two systems on query q, of n queries: the mean difference z̄, its confidence interval
    z̄ ± t_{n−1} s_z/√n, the effect size d = z̄/s_z of paired samples, queries won, tied and lost, the number of queries
    on which the systems differ, and the p-value of a paired test.

    Args:
        scores: a :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures), or a
            DataFrame of scores.
        baseline: a system. The default is the first one.
        method: the test, as for :func:`discriminative_power`: ``'t'``, ``'bootstrap'``, ``'tukey'`` or
            ``'tukey_pairwise'``.
        correction: ``'holm'``, over the tested pairs of each measure, or None. ``'tukey'`` already corrects for all
            pairs, and ignores it.
        pairs: the pairs to test: ``'baseline'`` for every system with the baseline, or ``'all'``.
        alpha: level of significance.
        confidence_level: confidence level of the intervals, which are not corrected for the number of systems.
        n_resamples: number of resamples of tests that sample.
        tolerance: differences up to this are ties.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        :class:`Comparison`.

    Raises:
        ValueError: an unknown system, method or correction; fewer than two systems or queries.

    Examples:
        >>> a, b = [.8, .6, .9, .7, .5, .8, 1, .7, .8, .7], [.7, .6, .8, .6, .5, .6, .9, .7, .7, .6]
        >>> result = compare([b, a])
        >>> result.to_frame()[['system', 'difference', 'low', 'high', 'pvalue', 'verdict', 'differ']].round(3)
            system  difference    low   high  pvalue verdict  differ
        0  system1         NaN    NaN    NaN     NaN     NaN    <NA>
        1  system2        0.08  0.035  0.125   0.003  better       7
    """
    table = as_scores(scores)
    one_of(pairs, PAIRS, 'pairs')
    check_number('tolerance', tolerance, np.inf)
    baseline = table.systems[0] if baseline is None else baseline
    place = place_of(baseline, table.systems, 'system')
    n_systems, n = len(table.systems), len(table.queries)
    power = discriminative_power(
        table,
        method,
        alpha=alpha,
        correction=correction,
        baseline=baseline if pairs == 'baseline' else None,
        n_resamples=n_resamples,
        rng=rng,
    )
    p, (first, second) = power.pvalues, power.pairs.T
    pvalues = np.full((len(table.measures), n_systems, n_systems), np.nan)
    pvalues[:, first, second] = pvalues[:, second, first] = p
    if pairs == 'baseline':
        first, second = first + second - place, np.full(len(first), place)
    x = table.values.transpose(2, 0, 1)  # (measures, systems, queries)
    z, means = x[:, first] - x[:, second], x.mean(axis=2)
    estimate = mean_over_queries(z, fraction(confidence_level, 'confidence_level'))
    spread = z.std(axis=2, ddof=1)
    spread = np.where(spread < 1e-14, np.nan, spread)
    significant = p < alpha
    columns = {
        'difference': estimate.value,
        'low': estimate.low,
        'high': estimate.high,
        'effect': estimate.value / spread,
        'pvalue': p,
    }
    verdicts = np.where(estimate.value > 0, 'better', 'worse').astype(object)
    verdicts[~significant] = 'undecided'
    columns |= {
        'verdict': verdicts,
        'wins': (z > tolerance).sum(axis=2),
        'ties': (np.abs(z) <= tolerance).sum(axis=2),
        'losses': (z < -tolerance).sum(axis=2),
        'differ': differing(z),
        'significant': significant,
    }
    few = np.argwhere(significant & (columns['differ'] < 13))
    named = [
        f'{table.systems[first[pair]]} and {table.systems[second[pair]]} by {table.measures[measure]}'
        for measure, pair in few
    ]
    most = max((columns['differ'][measure, pair] for measure, pair in few), default=0)
    if pairs == 'baseline':
        compared = f'{count(n_systems - 1, "system")} compared with {baseline}'
        for name, values in columns.items():  # the baseline has the mean only
            is_count = name in COUNTS
            missing: Any = None if is_count else np.nan if name != 'significant' else False
            values = values.astype(object) if is_count else values
            columns[name] = np.insert(values, place, missing, axis=1)
        labels = {'system': [*table.systems] * len(x), 'mean': means.ravel().tolist()}
    else:
        compared = f'All pairs of {count(n_systems, "system")}'
        tested = {'system': first, 'other': second}
        labels = {
            name: [table.systems[s] for s in of_pairs] * len(x) for name, of_pairs in tested.items()
        }
    n_rows = columns['pvalue'].shape[1]
    table_columns: dict[str, list[Any]] = {
        'measure': [name for name in table.measures for _ in range(n_rows)],
        **labels,
        **{name: values.ravel().tolist() for name, values in columns.items()},
    }
    notes = [*power._notes()]
    if n_systems > 2 and (power.correction or method == 'tukey'):
        notes.insert(
            0,
            'Each interval is of one difference alone. The p-values are corrected for several pairs, so that a '
            'difference may not be significant although its interval excludes 0.',
        )
    if named:
        notes.append(
            f'{some(named)} differ on at most {most} queries; if large differences are rare and go '
            f'one way, up to 3 in 10 such findings are false.'
        )
    return Comparison(
        lambda: pd.DataFrame(table_columns).astype(dict.fromkeys(COUNTS, 'Int64')),
        f'{compared} on {count(n, "query", "queries")}: mean differences, {power.tested}, '
        f'α = {alpha:g}, {100 * confidence_level:g} % intervals of each difference alone',
        notes,
        columns=table_columns,
        power=power,
        baseline=baseline,
        pairs=pairs,
        confidence_level=confidence_level,
        means=means,
        pvalues=pvalues,
        method=method,
        correction=power.correction,
        alpha=alpha,
        measures=table.measures,
        systems=table.systems,
    )


class Comparison(Result):
    """The result of :func:`compare`.

    :meth:`to_frame` has one row per measure and system: ``measure, system, mean, difference, low, high, effect, pvalue,
    verdict, wins, ties, losses, differ, significant``. The verdict is ``better``, ``worse`` or ``undecided``. The
    baseline has the mean only. With ``pairs='all'`` there is a row for each measure and pair, whose second system is in
    a column ``other``.

    Attributes:
        columns: the columns of :meth:`to_frame` by name, each a list of values.
        power: the test of the pairs, a :class:`DiscriminativePower`.
        baseline, pairs, confidence_level, method, alpha: the arguments.
        correction: the correction, None where the test corrects itself.
        measures, systems: names.
        means: (measures, systems) mean scores.
        pvalues: (measures, systems, systems) corrected p-values; NaN where a pair was not tested.
    """

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self._table.drop(columns='significant'), 'to_frame()'

    @property
    def notes(self) -> list[str]:
        """What readers should know about intervals and p-values."""
        return list(self._below)

    def to_paper(
        self, form: str = 'latex', places: int = 4, names: Mapping[str, str] = MappingProxyType({})
    ) -> str:
        """The means as a table for a paper, systems × measures. All values that round to the best of a measure are marked.

        Behind a mean, with ``pairs='baseline'``, + and − stand for significantly better and worse than the baseline.
        With ``pairs='all'`` there are the letters of the systems that a system is significantly better than. The legend
        says which test, correction and family of p-values, and how many queries.

        Args:
            form: ``'latex'`` (booktabs; the legend is a comment), ``'markdown'``, ``'html'`` or ``'table'``.
            places: number of decimals.
            names: new names of systems and measures by their old ones.
        """
        one_of(form, PAPER, 'form')
        every, few = self.pairs == 'all', len(self.systems) <= 26
        letters = string.ascii_lowercase if few else list(map(str, range(1, len(self.systems) + 1)))
        place = self.systems.index(self.baseline)
        higher = self.means[:, :, None] > self.means[:, None]  # (measures, systems, others)
        better = (self.pvalues < self.alpha) & higher
        rows: list[tuple[str, Sequence[float]]] = []
        marks: list[list[str]] = []
        for s, name in enumerate(self.systems):
            system = names.get(name, name) + (f' ({letters[s]})' if every else '')
            rows.append((system, self.means[:, s].tolist()))
            marks.append(
                [
                    ('' if few else ',').join(letters[o] for o in np.flatnonzero(above[s]))
                    if every
                    else '+' * bool(above[s, place]) + '-' * bool(above[place, s])
                    for above in better
                ]
            )
        legend = f'+ and -: significantly better and worse than {visible(names.get(self.baseline, self.baseline))}'
        if every:
            legend = 'letters: significantly better than that system'
        n = len(self.power.tables[0].queries)
        legend += f' ({self.power.tested}, p < {self.alpha:g}, {count(n, "query", "queries")})'
        heads = ['system', *(names.get(each) or label(each) for each in self.measures)]
        return paper_table(heads, rows, form, places, marks, legend)

    to_latex = functools.partialmethod(to_paper, 'latex')
    to_markdown = functools.partialmethod(to_paper, 'markdown')
    to_html = functools.partialmethod(to_paper, 'html')

    def plot(self, ax: Axes | None = None, measure: str | None = None) -> Axes:
        """Draw differences to the baseline with intervals for a measure (by default the first), and return the axes."""
        measure = measure or self.measures[0]
        frame = self._table[self._table['measure'] == measure].dropna(subset='difference')
        names, label = frame['system'], f'difference to {self.baseline}'
        if self.pairs == 'all':
            names, label = names + ' − ' + frame['other'], 'difference of each pair'
        return bars(frame.set_index(names), 'difference', f'{measure}: {label}', ax)
