"""How far the judges of the same documents agree: Krippendorff's α and Cohen's κ with intervals over queries."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..io.coding import distinct
from ..io.columns import combined_codes
from ..judgments.judges import SeveralJudgments, one_of
from ..results.estimates import jackknife

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import QrelsLike

Array = NDArray[np.float64]

COEFFICIENTS = ('alpha', 'kappa')
SCALES = ('nominal', 'interval')
WEIGHTS = ('linear', 'quadratic')


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
    import pandas as pd

    one_of(coefficient, COEFFICIENTS, 'coefficient')
    one_of(scale, SCALES, 'scale')
    if weights is not None:
        one_of(weights, WEIGHTS, 'weights')
    if coefficient == 'alpha' and weights is not None:
        raise ValueError(f"weights={weights!r} need coefficient='kappa'. With 'alpha', pass scale=")
    if coefficient == 'kappa' and scale != 'nominal':
        raise ValueError(f"scale={scale!r} needs coefficient='alpha'. With 'kappa', pass weights=")
    if not 0 < confidence_level < 1:
        raise ValueError(f'confidence_level={confidence_level!r}: expected a number in (0, 1)')
    records = SeveralJudgments(judgments)
    cell = distinct(combined_codes(records.table, [*records.aspects, 'doc_id']))[1]
    is_compared = np.bincount(cell)[cell] > 1
    if not is_compared.any():
        raise ValueError(
            f'judgments: none of {len(is_compared)} ratings is of a document and intent that several '
            f'judges rated'
        )
    ratings = pd.DataFrame(
        {
            'query': records.table['query_id'].to_numpy(),
            'cell': cell,
            'judge': records.judge_of_row,
            'grade': records.table['relevance'].to_numpy(dtype=float),
        }
    )
    ratings = ratings[is_compared].reset_index(drop=True)
    rows = []
    if coefficient == 'alpha':
        counts, grades = _coincidences(ratings)
        rows.append(
            (
                None,
                None,
                *_estimate(counts, _disagreement(grades, scale), False, confidence_level),
                ratings['cell'].nunique(),
                len(counts),
            )
        )
    else:
        by_judge = dict(iter(ratings.groupby('judge', sort=False)))
        for one, other in itertools.combinations(by_judge, 2):
            both = by_judge[one].merge(
                by_judge[other], on=['query', 'cell'], suffixes=('', '_other')
            )
            if len(both):
                grades, codes = np.unique(
                    both[['grade', 'grade_other']].to_numpy(), return_inverse=True
                )
                counts = _counts(
                    both['query'], codes.reshape(-1, 2), np.ones(len(both)), len(grades)
                )
                places = np.arange(len(grades), dtype=float)
                rows.append(
                    (
                        one,
                        other,
                        *_estimate(
                            counts,
                            _disagreement(places, weights or 'nominal'),
                            True,
                            confidence_level,
                        ),
                        len(both),
                        len(counts),
                    )
                )
    return pd.DataFrame(
        rows, columns=['judge', 'other', 'value', 'low', 'high', 'cells', 'queries']
    )


def _counts(query: Any, codes: NDArray[np.intp], weight: Array, n: int) -> Array:
    """Weighted counts of pairs of grades by query, (queries, n, n); ``codes`` is (pairs, 2)."""
    place = np.unique(np.asarray(query, dtype=str), return_inverse=True)[1]
    flat = (place * n + codes[:, 0]) * n + codes[:, 1]
    counts: Array = np.bincount(flat, weights=weight, minlength=(place.max() + 1) * n * n).astype(
        float
    )
    return counts.reshape(-1, n, n)


def _coincidences(ratings: pd.DataFrame) -> tuple[Array, Array]:
    """Krippendorff's coincidences by query, (queries, grades, grades), and the grades.

    Each ordered pair of ratings of a cell counts 1/(m − 1), where m is the number of ratings of the cell.
    """
    grades, code = np.unique(ratings['grade'].to_numpy(), return_inverse=True)
    coded = ratings[['query', 'cell']].assign(code=code, row=np.arange(len(ratings)))
    both = coded.merge(coded, on=['query', 'cell'], suffixes=('', '_other'))
    both = both[both['row'] != both['row_other']]
    weight = 1 / (np.bincount(ratings['cell'])[both['cell']] - 1)
    return _counts(
        both['query'], both[['code', 'code_other']].to_numpy(), weight, len(grades)
    ), grades


def _disagreement(grades: Array, kind: str) -> Array:
    """δ of each two grades, (grades, grades)."""
    apart = np.abs(grades[:, None] - grades)
    return {
        'nominal': (apart > 0).astype(float),
        'linear': apart,
        'interval': apart**2,
        'quadratic': apart**2,
    }[kind]


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


def _estimate(
    counts: Array, delta: Array, independent: bool, confidence_level: float
) -> tuple[float, float, float]:
    """The coefficient with the ends of its jackknife interval over queries; counts are (queries, grades, grades)."""
    whole = counts.sum(axis=0)
    with np.errstate(invalid='ignore', divide='ignore'):
        without = _coefficient(whole - counts, delta, independent)
    return jackknife(_coefficient(whole, delta, independent), without, confidence_level)[:3]


__all__ = ['judge_agreement']
