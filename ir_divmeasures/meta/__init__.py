"""Meta-evaluation: statistics of measures, computed from their scores of systems on queries.

The functions take scores only, no judgments and no files. Scores are :class:`ir_divmeasures.Scores`, an array (systems,
queries) or (systems, queries, measures), or a DataFrame. Functions that sample take ``rng=`` and draw the same
replicates for all measures. Results are frozen objects with ``to_frame()`` and ``plot()``.
"""
from .agreement import (
    Correlations,
    Intuitiveness,
    MeasureAgreement,
    PreferenceAgreement,
    correlations,
    intuitiveness,
    measure_agreement,
    preference_agreement,
    sample_pairs,
)
from .comparison import Comparison, compare
from .correlation import kendall, rbo, tau_ap
from .overview import Overview, overview
from .robustness import Robustness, assessor_robustness, pool_robustness, topic_robustness
from .significance import DiscriminativePower, adjust, discriminative_power
from .simulate import Simulation, simulate
from .stability import Stability, SystemCount, stability, system_count
from .unanimity import Unanimity, unanimity

__all__ = ['Comparison', 'Correlations', 'DiscriminativePower', 'Intuitiveness', 'MeasureAgreement', 'Overview',
           'PreferenceAgreement', 'Robustness', 'Simulation', 'Stability', 'SystemCount', 'Unanimity', 'adjust',
           'assessor_robustness', 'compare', 'correlations', 'discriminative_power', 'intuitiveness', 'kendall',
           'measure_agreement', 'overview', 'pool_robustness', 'preference_agreement', 'rbo', 'sample_pairs',
           'simulate', 'stability', 'system_count', 'tau_ap', 'topic_robustness', 'unanimity']
