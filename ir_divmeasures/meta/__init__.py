"""Meta-evaluation: statistics of measures, computed from their scores of systems on queries.

The functions take scores only, no judgments and no files. Scores are :class:`ir_divmeasures.Scores`, an array (systems,
queries) or (systems, queries, measures), or a DataFrame. Functions that sample take ``rng=`` and draw the same
replicates for all measures. Intervals and p-values are over queries unless a function says otherwise; systems are
fixed. Results are frozen objects with ``to_frame()`` and ``plot()``.
"""

from ..errors import module_without as _module_without
from ..results.estimates import Estimate, jackknife
from .agreement import (
    correlations,
    intuitiveness,
    measure_agreement,
    preference_agreement,
    sample_pairs,
)
from .comparison import Comparison, compare
from .correlation import kendall, rbo, tau_ap
from .overview import overview
from .prediction_powered import prediction_powered
from .queries import queries_needed
from .ranks import Ranks, ranks
from .resampling import around, chance_pvalue, clustered
from .robustness import Robustness, assessor_robustness, pool_robustness, topic_robustness
from .significance import DiscriminativePower, adjust, discriminative_power
from .stability import Stability, stability, system_count
from .unanimity import Unanimity, unanimity
from .variance import Sources, sources

__all__ = [
    'Comparison',
    'DiscriminativePower',
    'Estimate',
    'Ranks',
    'Robustness',
    'Sources',
    'Stability',
    'Unanimity',
    'adjust',
    'around',
    'assessor_robustness',
    'chance_pvalue',
    'clustered',
    'compare',
    'correlations',
    'discriminative_power',
    'intuitiveness',
    'jackknife',
    'kendall',
    'measure_agreement',
    'overview',
    'pool_robustness',
    'prediction_powered',
    'preference_agreement',
    'queries_needed',
    'ranks',
    'rbo',
    'sample_pairs',
    'sources',
    'stability',
    'system_count',
    'tau_ap',
    'topic_robustness',
    'unanimity',
]

_REMOVED = {
    **dict.fromkeys(
        [
            'Correlations',
            'Intuitiveness',
            'MeasureAgreement',
            'Overview',
            'PreferenceAgreement',
            'QueriesNeeded',
            'SystemCount',
        ],
        'its function returns an ir_divmeasures.results.Result with the same attributes',
    ),
    **dict.fromkeys(['verdict', 'verdicts'], 'ask whether the interval contains 0'),
    'simulate': "use the recipe 'Simulated scenarios' in docs/guide/recipes.md",
}
__getattr__ = _module_without(__name__, _REMOVED)
