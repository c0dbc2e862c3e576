"""Compare systems with a baseline: differences, intervals, effect sizes, wins, tests, and a LaTeX table."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import visible
from ..evaluation.scores import as_scores
from ..results import Result, count
from ..results.estimates import mean_over_queries
from ..results.plotting import bars
from ..results.tables import latex, markdown, piped, tabular
from .correlation import one_of, place_of
from .resampling import fraction
from .significance import FAMILYWISE, adjust, discriminative_power

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ..typing import RngLike, ScoresLike

Array = np.ndarray

PAIRS = ('baseline', 'all')


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
    """Compare systems with a baseline, measure by measure.

    With z_q the difference of a system to the baseline on query q, of n queries: the mean difference z̄, its
    confidence interval z̄ ± t_{n−1} s_z/√n, the effect size d = z̄/s_z of paired samples, queries won, tied and lost,
    and the p-value of a paired test.

    Args:
        scores: a :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures), or a
            DataFrame of scores.
        baseline: a system. The default is the first one.
        method: the test, as for :func:`discriminative_power`: ``'t'``, ``'wilcoxon'``, ``'bootstrap'``,
            ``'tukey'``, ``'tukey_randomised'``, ``'max_t'``, ….
        correction: ``'holm'``, ``'bonferroni'``, ``'bh'`` or None, over the tested pairs of each measure. The Tukey
            tests and ``'max_t'`` already correct for all pairs, and ignore it.
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
        >>> result = compare([[.1, .2, .3, .2], [.5, .6, .6, .7]])
        >>> result.to_frame()[['system', 'mean', 'difference', 'low', 'high', 'wins', 'pvalue']].round(4)
            system  mean  difference     low    high  wins  pvalue
        0  system1   0.2         NaN     NaN     NaN  <NA>     NaN
        1  system2   0.6         0.4  0.2701  0.5299     4  0.0023
    """
    table = as_scores(scores)
    one_of(pairs, dict.fromkeys(PAIRS), 'pairs')
    baseline = table.systems[0] if baseline is None else baseline
    place = place_of(baseline, table.systems, 'system')
    if method in FAMILYWISE:
        correction = None
    power = discriminative_power(table, method, alpha=alpha, n_resamples=n_resamples, rng=rng)
    is_tested = (power.pairs == place).any(axis=1) | (pairs == 'all')
    pvalues = np.full((len(table.measures), len(table.systems), len(table.systems)), np.nan)
    first, second = power.pairs[is_tested].T
    uncorrected = power.pvalues[:, is_tested]
    corrected = adjust(uncorrected, correction) if correction else uncorrected
    pvalues[:, first, second] = pvalues[:, second, first] = corrected
    x = table.values.transpose(2, 0, 1)  # (measures, systems, queries)
    z = x - x[:, place, None]
    spread = z.std(axis=2, ddof=1)
    estimate = mean_over_queries(z, fraction(confidence_level, 'confidence_level'))
    intervals = np.stack([estimate.low, estimate.high])
    difference = z.mean(axis=2)
    with np.errstate(invalid='ignore', divide='ignore'):
        effect = np.where(spread > 0, difference / spread, np.nan)
    counts = np.stack([z > tolerance, np.abs(z) <= tolerance, z < -tolerance]).sum(axis=3)
    return Comparison(
        baseline,
        method,
        correction,
        pairs,
        alpha,
        confidence_level,
        table.measures,
        table.systems,
        x.mean(axis=2),
        difference,
        intervals,
        effect,
        counts,
        pvalues,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """The result of :func:`compare`.

    Attributes:
        baseline, method, correction, pairs, alpha, confidence_level: the arguments.
        measures, systems: names.
        means: (measures, systems) mean scores.
        differences: (measures, systems) mean differences to the baseline.
        intervals: (2, measures, systems) ends of the confidence intervals of the differences.
        effects: (measures, systems) effect sizes d; NaN where all differences are the same.
        counts: (3, measures, systems) numbers of queries won, tied and lost.
        pvalues: (measures, systems, systems) corrected p-values; NaN where a pair was not tested.
    """

    baseline: str
    method: str
    correction: str | None
    pairs: str
    alpha: float
    confidence_level: float
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    means: Array
    differences: Array
    intervals: Array
    effects: Array
    counts: Array
    pvalues: Array

    def _headline(self) -> str:
        corrected = f', {self.correction} correction' if self.correction else ''
        return (
            f'{count(len(self.systems) - 1, "system")} compared with {self.baseline}: {self.method} '
            f'test{corrected}, α = {self.alpha:g}, {100 * self.confidence_level:g} % intervals of the differences'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        # The p-value comes before the counts, which are omitted if the lines are too long.
        columns = [
            'measure',
            'system',
            'mean',
            'difference',
            'low',
            'high',
            'pvalue',
            'significant',
            'wins',
            'losses',
        ]
        return self.to_frame()[columns], 'to_frame()'

    def _notes(self) -> list[str]:
        return [
            *([self.caution] if self.caution else []),
            'to_frame() also has effect sizes and ties.',
        ]

    @property
    def caution(self) -> str:
        """A sentence for readers if the p-values are corrected for several pairs, since the intervals are not."""
        if len(self.systems) < 3 or not self.correction and self.method not in FAMILYWISE:
            return ''
        return (
            'Each interval is of one difference alone. The p-values are corrected for several pairs, so that a '
            'difference may not be significant although its interval excludes 0.'
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per measure and system: ``measure, system, mean, difference, low, high, effect, wins, ties, losses,
        pvalue, significant``. The baseline has the mean only."""
        import pandas as pd

        place = self.systems.index(self.baseline)
        shape = len(self.measures), len(self.systems)
        others = np.broadcast_to(np.arange(shape[1]) != place, shape)
        pvalues = self.pvalues[:, :, place]
        columns: dict[str, Any] = {
            'measure': np.repeat(np.array(self.measures, dtype=object), shape[1]),
            'system': np.tile(np.array(self.systems, dtype=object), shape[0]),
            'mean': self.means.ravel(),
        }
        for name, values in (
            ('difference', self.differences),
            ('low', self.intervals[0]),
            ('high', self.intervals[1]),
            ('effect', self.effects),
        ):
            columns[name] = np.where(others, values, np.nan).ravel()
        for name, values in zip(('wins', 'ties', 'losses'), self.counts):
            columns[name] = pd.array(values.ravel(), dtype='Int64')
            columns[name][~others.ravel()] = pd.NA
        return pd.DataFrame(
            {**columns, 'pvalue': pvalues.ravel(), 'significant': (pvalues < self.alpha).ravel()}
        )

    def _rows(
        self, places: int, escaped: Callable[[str], str], bold: str, superscript: str
    ) -> list[list[str]]:
        """The rows of :meth:`to_latex` and :meth:`to_markdown`: the label of a system, and its means with their marks.

        Args:
            places: number of decimals.
            escaped: a function that escapes the labels.
            bold, superscript: formats of the best means, and of marks.
        """
        every, few = self.pairs == 'all', len(self.systems) <= 26
        letters = string.ascii_lowercase if few else list(map(str, range(1, len(self.systems) + 1)))
        place = self.systems.index(self.baseline)
        best = np.round(self.means, places).max(axis=1)
        rows = []
        for s, system in enumerate(self.systems):
            row = [escaped(f'{system} ({letters[s]})' if every else system)]
            for means, pvalues, highest in zip(self.means, self.pvalues, best):
                better = (pvalues[s] < self.alpha) & (means[s] > means)
                worse = (pvalues[s] < self.alpha) & (means[s] < means)
                if every:
                    marks = ('' if few else ',').join(letters[o] for o in np.flatnonzero(better))
                else:
                    marks = '+' * bool(better[place]) + '-' * bool(worse[place])
                text = f'{means[s]:.{places}f}'
                if np.round(means[s], places) == highest:
                    text = bold.format(text)
                row.append(text + superscript.format(marks) if marks else text)
            rows.append(row)
        return rows

    def _legend(self, baseline: str) -> str:
        corrected = f', {self.correction} correction' if self.correction else ''
        legend = f'+ and -: significantly better and worse than {baseline}'
        if self.pairs == 'all':
            legend = 'letters: significantly better than that system'
        return f'{legend} ({self.method} test, p < {self.alpha:g}{corrected})'

    def to_latex(self, places: int = 4) -> str:
        """The means as a LaTeX table (booktabs), systems × measures: the best of a measure in bold.

        Superscripts: with ``pairs='baseline'`` + or − for significantly better or worse than the baseline; with
        ``pairs='all'`` the letters of the systems that a system is significantly better than.
        """
        heads = ['system', *map(latex, self.measures)]
        rows = self._rows(places, latex, r'\textbf{{{}}}', '$^{{{}}}$')
        table = tabular(heads, rows, [False] + [True] * len(self.measures))
        return f'% bold: best; {self._legend(visible(self.baseline))}\n{table}'

    def to_markdown(self, places: int = 4) -> str:
        """The table of :meth:`to_latex` in Markdown, in which superscripts are ``<sup>``, and a line that explains
        them."""
        heads = ['system', *map(markdown, self.measures)]
        rows = self._rows(places, markdown, '**{}**', '<sup>{}</sup>')
        table = piped(heads, rows, [False] + [True] * len(self.measures))
        legend = self._legend(markdown(self.baseline))
        return f'{table}\n\nBold: best. {legend[0].upper()}{legend[1:]}.'

    def plot(self, ax: Axes | None = None, measure: str | None = None) -> Axes:
        """Draw differences to the baseline with intervals for a measure (by default the first), and return the axes."""
        measure = measure or self.measures[0]
        frame = self.to_frame().set_index('system').drop(index=self.baseline)
        frame = frame[frame['measure'] == measure]
        return bars(frame, 'difference', f'{measure}: difference to {self.baseline}', ax)


__all__ = ['Comparison', 'compare']
