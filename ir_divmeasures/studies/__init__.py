"""Published studies repeated on your own runs: tables with the papers' numbers in them, printed as Markdown.

``STUDIES`` holds every study by the name that commands take.
"""

from __future__ import annotations

from .axiom_tables import axioms
from .bottom_up import hierarchies
from .dynamic_domain import dynamic_domain, run_variants
from .metric_unanimity import unanimity
from .paper import Paper, paper
from .rarity import innovation
from .study import Study
from .subquestions import nuggets
from .user_robustness import user_models

STUDIES = {
    'axioms': axioms,
    'dynamic-domain': dynamic_domain,
    'hierarchies': hierarchies,
    'innovation': innovation,
    'nuggets': nuggets,
    'unanimity': unanimity,
    'user-models': user_models,
}
"""The studies by name: functions of runs and judgments, or of nothing, that return a :class:`Study`."""

__all__ = [
    'STUDIES',
    'Paper',
    'Study',
    'axioms',
    'dynamic_domain',
    'hierarchies',
    'innovation',
    'nuggets',
    'paper',
    'run_variants',
    'unanimity',
    'user_models',
]
