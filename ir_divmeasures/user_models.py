"""The users that measures assume: stopping distributions and continuation functions (Carterette, SIGIR 2011).

:func:`user_model` gives P(k), F(k), expected stopping rank, expected documents viewed and tail mass of a distribution
on a ranking. :func:`compare` gives a table of several distributions, and :func:`plot_user_models` draws them.
:func:`fit_stopping` compares distributions with clicks. :func:`weighted_pairs` is the preference form of M2 and M4.
:func:`cells` lists the combinations of models and distributions, and marks those that do not measure a ranking.
"""

from .core.stopping.efforts import register_effort, unregister_effort
from .core.stopping.registries import (
    continuations,
    names,
    outputs,
    register_aggregation,
    register_continuation,
    register_stopping,
    unregister_aggregation,
    unregister_continuation,
    unregister_stopping,
)
from .users.conversion import as_continuation, as_stopping, continuation, convert, plot_views
from .users.fit import fit_stopping
from .users.model_cells import cells
from .users.observed import observed_stopping, plot_fit
from .users.plots import plot_user_models
from .users.preferences import preferences, weighted_pairs
from .users.prior import UserScores, mix_stopping, scores_over_users, users
from .users.profile import UserModel, compare, groups, ranked_grades, user_model

__all__ = [
    'UserModel',
    'UserScores',
    'as_continuation',
    'as_stopping',
    'cells',
    'compare',
    'continuation',
    'continuations',
    'convert',
    'fit_stopping',
    'groups',
    'mix_stopping',
    'names',
    'observed_stopping',
    'outputs',
    'plot_fit',
    'plot_user_models',
    'plot_views',
    'preferences',
    'ranked_grades',
    'register_aggregation',
    'register_continuation',
    'register_effort',
    'register_stopping',
    'scores_over_users',
    'unregister_aggregation',
    'unregister_continuation',
    'unregister_effort',
    'unregister_stopping',
    'user_model',
    'users',
    'weighted_pairs',
]
