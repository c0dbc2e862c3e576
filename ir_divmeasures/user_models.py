"""The users that measures assume: stopping distributions and continuation functions (Carterette, SIGIR 2011).

:func:`user_model` gives P(k), F(k), expected stopping rank, expected documents viewed and tail mass of a distribution
on a ranking, :func:`fit_stopping` compares distributions with clicks. :func:`weighted_pairs` is the preference form of M2 and M4.
:func:`cells` lists the combinations of models and distributions, and marks those that do not measure a ranking.
"""

from .core.stopping.registries import (
    continuations,
    names,
    outputs,
    register_aggregation,
    register_continuation,
    register_effort,
    register_stopping,
    unregister_aggregation,
    unregister_continuation,
    unregister_effort,
    unregister_stopping,
)
from .errors import module_without
from .users.fit import fit_stopping
from .users.preferences import weighted_pairs
from .users.prior import mix_stopping, scores_over_users, users
from .users.profile import (
    UserModel,
    cells,
    continuation,
    convert,
    groups,
    ranked_grades,
    user_model,
)

_RECIPE = 'the guide to user models draws it in a few lines'
__getattr__ = module_without(
    __name__,
    {
        **dict.fromkeys(('plot_fit', 'plot_user_models', 'plot_views'), _RECIPE),
        'as_continuation': 'the C of user_model(P) is that of a stopping distribution',
        'UserScores': 'scores_over_users returns a Result, whose table has the quantiles',
        'observed_stopping': 'the guide to C/W/L/A counts the observed ranks in a few lines',
        'compare': 'make a row of user_model() for each distribution',
        'preferences': 'weighted_pairs takes relevant documents as a table, see there',
        'as_stopping': 'the P of continuation(C) is that of a continuation function',
    },
)

__all__ = [
    'UserModel',
    'cells',
    'continuation',
    'continuations',
    'convert',
    'fit_stopping',
    'groups',
    'mix_stopping',
    'names',
    'outputs',
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
