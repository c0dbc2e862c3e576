"""Meta-evaluation: what scores of systems on queries say about measures and systems.

The functions take scores only, no judgments and no files. Scores are :class:`ir_divmeasures.Scores`, an array (systems,
queries) or (systems, queries, measures), or a DataFrame. They return DataFrames, in which ``statistic`` is the value,
``low`` and ``high`` are the ends of its confidence interval and ``pvalue`` is that of a two-sided test. Functions that
sample take ``rng=`` and draw the same samples for all measures. Intervals and p-values are over queries unless a
function says otherwise; systems are fixed. Means are rounded to 12 places before they are ranked.
"""

from .agreement import preference_agreement
from .correlation import correlations, kendall, spearman, tau_ap
from .ranking import ranks
from .robustness import assessor_robustness, pool_robustness, topic_robustness
from .significance import Comparison, Tests, compare, discriminative_power, pvalues
from .stability import stability, system_count
from .unanimity import unanimity

__all__ = [
    'Comparison',
    'Tests',
    'assessor_robustness',
    'compare',
    'correlations',
    'discriminative_power',
    'kendall',
    'pool_robustness',
    'preference_agreement',
    'pvalues',
    'ranks',
    'spearman',
    'stability',
    'system_count',
    'tau_ap',
    'topic_robustness',
    'unanimity',
]
