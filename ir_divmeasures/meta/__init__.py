"""Meta-evaluation: statistics of measures, computed from their scores of systems on queries.

The functions take scores only, no judgments and no files. Scores are :class:`ir_divmeasures.Scores`, an array (systems,
queries) or (systems, queries, measures), or a DataFrame. Functions that sample take ``rng=`` and draw the same
replicates for all measures. Intervals and p-values are over queries unless a function says otherwise; systems are
fixed. Results are frozen objects with ``to_frame()`` and ``plot()``.
"""

from ..estimates import Estimate
from .agreement import correlations, preference_agreement
from .comparison import Comparison, compare
from .correlation import kendall, tau_ap
from .ranks import Ranks, ranks
from .robustness import Robustness, assessor_robustness, pool_robustness, topic_robustness
from .significance import DiscriminativePower, discriminative_power
from .stability import Stability, stability, system_count
from .unanimity import Unanimity, unanimity

__all__ = [
    'Comparison',
    'DiscriminativePower',
    'Estimate',
    'Ranks',
    'Robustness',
    'Stability',
    'Unanimity',
    'assessor_robustness',
    'compare',
    'correlations',
    'discriminative_power',
    'kendall',
    'pool_robustness',
    'preference_agreement',
    'ranks',
    'stability',
    'system_count',
    'tau_ap',
    'topic_robustness',
    'unanimity',
]
