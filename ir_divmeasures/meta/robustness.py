"""Robustness of a measure's ranking of systems to fewer topics, shallower pools or another assessor.

The studies are those of Carterette (SIGIR 2011, §4.2). Each study computes, for every measure, Kendall's τ between the
ranking of systems by all the data and the ranking by less or other data. Results are averages over measures, or over
groups of measures (model families, tail types). Scores are a mapping ``measure → (systems, topics)``, or a form that
other functions of ``meta`` take (:class:`ir_divmeasures.Scores`, an array, a DataFrame of scores).
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..evaluation.scores import as_scores
from ..results import Result
from .correlation import kendall

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Result):
    """Kendall's τ to the full ranking of systems.

    Attributes:
        measures: (M,) names.
        level: the variable: ``'topics'``, ``'pool depth'`` or ``'assessor'``.
        levels: (L,) values of the variable.
        tau: (M, L, R) Kendall's τ in R trials; R = 1 where nothing is random.
    """
    measures: tuple[str, ...]
    level: str
    levels: tuple[Any, ...]
    tau: Array

    def to_frame(self, groups: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Mean τ over trials, measures × levels.

        With groups (measure → its group), rows are means over the measures of a group. Measures that belong to no group
        are omitted.

        Raises:
            ValueError: none of the measures belongs to a group.
        """
        import pandas as pd

        names, values = self._grouped(groups)
        return pd.DataFrame(values.mean(axis=2), index=pd.Index(names, name='group' if groups else 'measure'),
                            columns=pd.Index(self.levels, name=self.level))

    def pivot(self, groups: Mapping[str, Mapping[str, str]], by: tuple[str, str] = ('model', 'P')) -> pd.DataFrame:
        """Mean τ over levels and trials by two groupings, with the means over measures in the margins.

        Args:
            groups: for each grouping measure → its group, as :func:`ir_divmeasures.user_models.groups` gives for
                user models.
            by: the groupings of rows and of columns. Groups are in the order of the measures. Measures that lack one
                of the groupings are omitted.

        Raises:
            ValueError: a grouping that ``groups`` lacks, or none of the measures belongs to a group of both.

        Examples:
            The paper's Table 2 has distributions in rows and models in columns.

            >>> groups = {'model': {'RRG': 'M1', 'RAP': 'M4', 'CDG': 'M1'},
            ...           'P': {'RRG': 'RR', 'RAP': 'RR', 'CDG': 'DCG'}}
            >>> scores = {name: [[3.0], [2.0], [1.0]] for name in ('RRG', 'RAP', 'CDG')}
            >>> assessor_robustness(scores, {'second': scores}).pivot(groups, by=('P', 'model'))
            model   M1   M4  mean
            P
            RR     1.0  1.0   1.0
            DCG    1.0  NaN   1.0
            mean   1.0  1.0   1.0
        """
        import pandas as pd

        for name in by:
            if name not in groups:
                raise ValueError(f'by={by!r}: no grouping {name!r} (found {", ".join(groups)})')
        row, column = (groups[name] for name in by)
        kept = [i for i, m in enumerate(self.measures) if m in row and m in column]
        if not kept:
            raise ValueError(f'none of the measures belongs to a group; measures: {", ".join(self.measures[:5])} …')
        frame = pd.DataFrame({by[0]: [row[self.measures[i]] for i in kept],
                              by[1]: [column[self.measures[i]] for i in kept],
                              'tau': self.tau[kept].mean(axis=(1, 2))})
        table = frame.pivot_table(index=by[0], columns=by[1], values='tau', margins=True, margins_name='mean')
        index, columns = ([*dict.fromkeys(frame[name]), 'mean'] for name in by)
        return table.reindex(index=index, columns=columns)

    def interval(self, groups: Mapping[str, str] | None = None, confidence_level: float = 0.95) -> pd.DataFrame:
        """Half the width of the t confidence interval of each mean in :meth:`to_frame`, over trials.

        Raises:
            ValueError: fewer than two trials.
        """
        import pandas as pd
        from scipy import stats

        names, values = self._grouped(groups)
        trials = values.shape[2]
        if trials < 2:
            raise ValueError(f'an interval needs at least two trials, found {trials}')
        half = stats.t.ppf((1 + confidence_level) / 2, trials - 1) * values.std(axis=2, ddof=1) / np.sqrt(trials)
        return pd.DataFrame(half, index=pd.Index(names, name='group' if groups else 'measure'),
                            columns=pd.Index(self.levels, name=self.level))

    def difference(self, groups: Mapping[str, str], one: str, other: str) -> tuple[float, float]:
        """The mean over levels of τ of one group minus τ of another, and the p of a paired two-tailed t test on trials.

        In each trial all measures have the same sample, so the test uses the differences of each trial. p is NaN for
        fewer than two trials.
        """
        from scipy import stats

        names, values = self._grouped(groups)
        for name in (one, other):
            if name not in names:
                raise ValueError(f'no group {name!r} (found {", ".join(names)})')
        differences = (values[names.index(one)] - values[names.index(other)]).mean(axis=0)
        tested = len(differences) > 1 and differences.std() > 0
        p = float(stats.ttest_1samp(differences, 0).pvalue) if tested else float('nan')
        return float(differences.mean()), p

    def plot(self, groups: Mapping[str, str] | None = None, ax: Any = None) -> Any:
        """Draw mean τ by level, a line per measure or group, as in the paper's Figures 3 and 4; return the axes."""
        from ..results.plotting import axes

        ax = axes(ax)
        places = [str(level) for level in self.levels]
        for name, row in self.to_frame(groups).iterrows():
            ax.plot(places, row.to_numpy(), marker='o', markersize=3, label=str(name))
        ax.set(xlabel=self.level, ylabel="Kendall's τ to the full ranking")
        ax.legend(fontsize='small')
        return ax

    def _grouped(self, groups: Mapping[str, str] | None) -> tuple[list[str], Array]:
        if groups is None:
            return list(self.measures), self.tau
        names = sorted({groups[m] for m in self.measures if m in groups})
        if not names:
            raise ValueError(f'none of the measures belongs to a group; measures: {", ".join(self.measures[:5])} …')
        return names, np.stack([self.tau[[groups.get(m) == name for m in self.measures]].mean(axis=0)
                                for name in names])


def topic_robustness(scores: Any, sizes: Iterable[int] | None = None, *, n_trials: int = 100,
                     rng: Any = None) -> Robustness:
    """Kendall's τ between the ranking of systems on a sample of the topics and on all of them.

    In each trial all measures use the same topics, drawn without replacement.

    Args:
        scores: the same systems and topics for every measure.
        sizes: numbers of topics; by default 5, 10, 15, … below the number of topics.
        n_trials: samples for every size.
        rng: seed or generator, as for ``numpy.random.default_rng``.

    Returns:
        A :class:`Robustness` of shape (measures, sizes, trials).

    Raises:
        ValueError: arrays of different shape, NaN, fewer than two systems, a size that is not between 1 and the number
            of topics.

    Reference: Carterette, SIGIR 2011, §4.2 (100 trials of 5 to 45 of 50 topics).

    Examples:
        Three systems whose order is the same on every topic.

        >>> result = topic_robustness({'M': [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}, sizes=[1, 2], n_trials=4, rng=0)
        >>> result.to_frame().loc['M'].tolist()
        [1.0, 1.0]
    """
    from tqdm import tqdm

    names, arrays = _checked(scores, 'scores')
    topics = arrays.shape[2]
    chosen = tuple(range(5, topics, 5)) if sizes is None else tuple(sizes)
    if not chosen:
        raise ValueError(f'{topics} topics: expected sizes, the default being 5, 10, … below the number of topics')
    for size in chosen:
        if not 1 <= size <= topics or size != int(size):
            raise ValueError(f'size {size!r}: expected a whole number from 1 to the number of topics, {topics}')
    if n_trials < 1:
        raise ValueError(f'n_trials={n_trials!r}: expected at least 1')
    generator = np.random.default_rng(rng)
    full = arrays.mean(axis=2)[:, None, :]
    tau = np.empty((len(names), len(chosen), n_trials))
    for level, size in enumerate(tqdm(chosen, desc='topic samples', disable=None, leave=False)):
        drawn = np.stack([generator.permutation(topics)[:size] for _ in range(n_trials)])
        sample = arrays[:, :, drawn].mean(axis=3)  # (M, S, R)
        tau[:, level] = kendall(full, np.swapaxes(sample, 1, 2))
    return Robustness(names, 'topics', chosen, tau)


def pool_robustness(scores: Any, shallower: Mapping[Any, Any]) -> Robustness:
    """Kendall's τ between the ranking of systems by shallower pools and by all judgments.

    Args:
        scores: by all judgments.
        shallower: pool depth → the same by the judgments of that pool (:func:`ir_divmeasures.repool` makes them).

    Returns:
        A :class:`Robustness` of shape (measures, depths, 1).

    Raises:
        ValueError: arrays of different shape or for other measures, NaN, fewer than two systems.

    Reference: Carterette, SIGIR 2011, §4.2, Figure 4.

    Examples:
        >>> deep, shallow = [[0.5, 0.5], [0.4, 0.4], [0.3, 0.3]], [[0.5, 0.5], [0.2, 0.2], [0.3, 0.3]]
        >>> result = pool_robustness({'AP': deep}, {1: {'AP': shallow}, 9: {'AP': deep}})
        >>> result.to_frame().round(3).loc['AP'].tolist()
        [0.333, 1.0]
    """
    return _against(scores, shallower, 'pool depth')


def assessor_robustness(scores: Any, others: Mapping[Any, Any]) -> Robustness:
    """Kendall's τ between the rankings of systems by one assessor's judgments and by others'.

    Args:
        scores: by the first assessor's judgments.
        others: name of another assessor → the same by their judgments.

    Returns:
        A :class:`Robustness` of shape (measures, assessors, 1).

    Raises:
        ValueError: arrays of different shape or for other measures, NaN, fewer than two systems.

    Reference: Carterette, SIGIR 2011, §4.2, Table 2.

    Examples:
        >>> first, second = {'AP': [[0.5], [0.4], [0.3]]}, {'AP': [[0.5], [0.2], [0.3]]}
        >>> assessor_robustness(first, {'Waterloo': second}).to_frame().round(3).loc['AP'].tolist()
        [0.333]
    """
    return _against(scores, others, 'assessor')


def _against(scores: Any, others: Mapping[Any, Any], level: str) -> Robustness:
    """Kendall's τ between the ranking of systems by some scores and by others (value of the level → scores)."""
    names, arrays = _checked(scores, 'scores')
    if not others:
        raise ValueError(f'no {level} to compare with')
    tau = np.empty((len(names), len(others), 1))
    for i, (label, other) in enumerate(others.items()):
        what = f'{level} {label!r}'
        compared_names, compared = _checked(other, what)
        if set(compared_names) != set(names):
            raise ValueError(f'{what}: found other measures than in scores; only one of the two has '
                             f'{", ".join(sorted(set(compared_names) ^ set(names)))}')
        compared = compared[[compared_names.index(name) for name in names]]
        if compared.shape[1] != arrays.shape[1] or getattr(scores, 'systems', 0) != getattr(other, 'systems', 0):
            raise ValueError(f'{what}: {compared.shape[1]} systems, expected the same {arrays.shape[1]} in the same '
                             f'order')
        tau[:, i, 0] = kendall(arrays.mean(axis=2), compared.mean(axis=2))
    return Robustness(names, level, tuple(others), tau)


def _checked(scores: Any, what: str) -> tuple[tuple[str, ...], Array]:
    """The names of measures, and their scores as one array (M, S, Q). Messages about the scores begin with ``what``."""
    if not isinstance(scores, Mapping):
        try:
            scores = as_scores(scores)
        except ValueError as error:
            raise ValueError(f'{what}: {error}') from None
        scores = {name: scores[name] for name in scores.measures}
    if not scores:
        raise ValueError(f'{what}: no measure, expected measure → (systems, topics) arrays')
    arrays = {str(name): np.asarray(values, dtype=float) for name, values in scores.items()}
    first_name, first = next(iter(arrays.items()))
    for name, values in arrays.items():
        if values.ndim != 2 or values.shape[1] == 0:
            raise ValueError(f'{what}: {name}: expected (systems, topics), found shape {values.shape}')
        if values.shape != first.shape:
            raise ValueError(f'{what}: {name} has shape {values.shape}, {first_name} {first.shape}')
        if np.isnan(values).any():
            raise ValueError(f'{what}: {name}: {int(np.isnan(values).sum())} of {values.size} are NaN')
    if len(first) < 2:
        raise ValueError(f'{what}: {len(first)} system, expected at least two')
    return tuple(arrays), np.stack(list(arrays.values()))
