"""How far the judges of the same documents agree: Krippendorff's α and Cohen's κ with intervals over queries."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import fraction, one_of
from ..judgments.judges import SeveralJudgments
from ..lazy import pd
from ..results.estimates import jackknife

if TYPE_CHECKING:
    from ..typing import QrelsLike

Array = NDArray[np.float64]


def judge_agreement(
    judgments: QrelsLike,
    coefficient: str = 'alpha',
    scale: str = 'nominal',
    weights: str | None = None,
    *,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """How far several judges agree, corrected for agreement by chance.

    A *cell* is a query, a document and an intent that several judges rated. Ratings of −1 are unknown and do not count.
    Both coefficients are 1 − D_o/D_e, the observed over the expected disagreement, where δ(a, b) is the disagreement of
    two grades:

    * Krippendorff's α takes all judges together. A cell with m ratings contributes each ordered pair of them with
      weight 1/(m − 1), and the expected disagreement is that of two of all n ratings drawn without replacement.
    * Cohen's κ takes each pair of judges by itself. The expected disagreement is that of one rating of each judge,
      drawn independently.

    The interval is the coefficient ± t · se with the jackknife over queries, se² = (Q − 1)/Q Σ_q (x_q − x̄)², where x_q
    is the coefficient without query q. Cells of a query are not independent: intervals that count cells as if they were
    are too narrow.

    Agreement does not say how often a judge is wrong: two ratings by exchangeable judges cannot tell the rates of the
    two kinds of error from the share of relevant documents.

    Args:
        judgments: judgments of several judges, as for :func:`aggregate_judges`.
        coefficient: ``'alpha'`` or ``'kappa'``.
        scale: δ of α: ``'nominal'`` is 1 where the grades differ, ``'interval'`` is (a − b)².
        weights: δ of κ: None is 1 where the grades differ, ``'linear'`` is |i − j| and ``'quadratic'`` (i − j)² of the
            places i, j of the grades among all grades of the two judges, as in scikit-learn.
        confidence_level: of the intervals.

    Returns:
        DataFrame ``judge, other, value, low, high, cells, queries``: one row for α, with ``judge`` and ``other`` None,
        and a row for each pair of judges with common cells for κ. ``queries`` are those with such cells. The value is
        NaN where only one grade occurs, and the ends are NaN where one query determines whether several grades occur,
        or there is only one query.

    Raises:
        TypeError, ValueError: as :func:`aggregate_judges`; an unknown coefficient, scale or weights; weights for α or a
            scale for κ; no cell that several judges rated.

    Reference: Krippendorff, *Computing Krippendorff's Alpha-Reliability*, 2011; Cohen, *A coefficient of agreement for
    nominal scales*, 1960.

    Examples:
        Of four cells the judges agree on three. D_o = 1/4 and, with 5 ones among 8 ratings, D_e = 2 · 5 · 3/(8 · 7), so
        α = 1 − 14/30. The expected disagreement of κ is 1/2, since the shares of ones are 1/2 and 3/4.

        >>> import pandas as pd
        >>> rows = [(f'q{i}', 'd', grade, '1', judge) for judge, grades in (('a', [1, 1, 0, 0]), ('b', [1, 1, 1, 0]))
        ...         for i, grade in enumerate(grades)]
        >>> table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge'])
        >>> judge_agreement(table)[['value', 'cells', 'queries']].round(4).values.tolist()
        [[0.5333, 4.0, 4.0]]
        >>> judge_agreement(table, 'kappa')[['judge', 'other', 'value']].values.tolist()
        [['a', 'b', 0.5]]
    """
    one_of(coefficient, ('alpha', 'kappa'), 'coefficient')
    one_of(scale, ('nominal', 'interval'), 'scale')
    one_of(weights or 'linear', ('linear', 'quadratic'), 'weights')
    if coefficient == 'alpha' and weights is not None:
        raise ValueError(f"weights={weights!r} need coefficient='kappa'. With 'alpha', pass scale=")
    if coefficient == 'kappa' and scale != 'nominal':
        raise ValueError(f"scale={scale!r} needs coefficient='alpha'. With 'kappa', pass weights=")
    fraction(confidence_level, 'confidence_level')
    records = SeveralJudgments(judgments)
    cell = records.table.groupby([*records.aspects, 'doc_id'], sort=False).ngroup()
    n_ratings = cell.groupby(cell).transform('size')
    ratings = pd.DataFrame(
        {
            'query': records.table['query_id'],
            'cell': cell,
            'judge': records.judge_of_row,
            'grade': records.table['relevance'].astype(float),
            'weight': 1 / (n_ratings - 1).clip(lower=1),
        }
    )[n_ratings > 1]
    if not len(ratings):
        raise ValueError(
            f'judgments: none of {len(cell)} ratings is of a document and intent that several '
            f'judges rated'
        )
    both = ratings.merge(ratings, on=['query', 'cell', 'weight'], suffixes=('', '_other'))
    both = both[both['judge'] != both['judge_other']]
    if coefficient == 'alpha':
        of_judges = {(None, None): both}
    else:
        by_pair = both.assign(weight=1.0).groupby(['judge', 'judge_other'], sort=False)
        pairs = itertools.combinations(ratings['judge'].unique(), 2)
        of_judges = {pair: by_pair.get_group(pair) for pair in pairs if pair in by_pair.groups}
    kind = scale if coefficient == 'alpha' else weights or 'nominal'
    rows = [
        (
            *judges,
            *_estimate(of_pair, kind, coefficient == 'kappa', confidence_level),
            of_pair['cell'].nunique(),
            of_pair['query'].nunique(),
        )
        for judges, of_pair in of_judges.items()
    ]
    return pd.DataFrame(
        rows, columns=['judge', 'other', 'value', 'low', 'high', 'cells', 'queries']
    )


def _estimate(
    pairs: pd.DataFrame, kind: str, independent: bool, confidence_level: float
) -> tuple[float, float, float]:
    """A coefficient with the ends of its jackknife interval over queries.

    Args:
        pairs: ``query, grade, grade_other, weight``: pairs of ratings of one cell.
        kind: δ, as for :func:`judge_agreement`.
        independent: as for :func:`_coefficient`.
        confidence_level: of the interval.
    """
    grades, codes = np.unique(pairs[['grade', 'grade_other']].to_numpy(), return_inverse=True)
    first, second = codes.reshape(-1, 2).T
    query = pd.factorize(pairs['query'])[0]
    counts = np.zeros((query.max() + 1, len(grades), len(grades)))
    np.add.at(counts, (query, first, second), pairs['weight'].to_numpy())
    values = np.arange(len(grades)) if independent else grades
    apart = np.abs(values[:, None] - values).astype(float)
    power = {'nominal': 0, 'linear': 1}.get(kind, 2)
    delta = np.where(apart > 0, apart**power, 0.0)
    whole = counts.sum(axis=0)
    with np.errstate(invalid='ignore', divide='ignore'):
        without = _coefficient(whole - counts, delta, independent)
    return jackknife(_coefficient(whole, delta, independent), without, confidence_level)[:3]


def _coefficient(counts: Array, delta: Array, independent: bool) -> Array:
    """1 − D_o/D_e of counts of pairs of grades (…, grades, grades); NaN where D_e is 0.

    Args:
        counts: the counts.
        delta: δ of each two grades.
        independent: whether the expected disagreement is that of independent draws (κ), or of draws without
            replacement (α).
    """
    n = counts.sum(axis=(-2, -1))
    first, second = counts.sum(axis=-1), counts.sum(axis=-2)
    observed = (counts * delta).sum(axis=(-2, -1)) / n
    # δ is 0 for equal grades, so that pairs of a rating with itself never count.
    expected = np.einsum('...i,ij,...j->...', first, delta, second) / (
        n * (n if independent else n - 1)
    )
    return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1.0), np.nan)
