"""A numeric option of a public function takes the numbers in its range; another value is an error that names the option."""

import inspect

import numpy as np
import pandas as pd

import ir_divmeasures
from ir_divmeasures import Scores, axioms, meta, user_models
from ir_divmeasures.pools import Pool, campaign

from .builders import over

SCORES = Scores(np.random.default_rng(0).random((4, 12, 2)), measures=['AP', 'RBU'])
RUN = {'q': {'d1': 2.0, 'd2': 1.0}}
QRELS = {'q': {'d1': {'1': 1, '2': 0}, 'd2': {'1': 1, '2': 1}}}
TEXTS = {'d1': 'a b c', 'd2': 'a b d'}
JUDGED = Pool.from_runs({'a': RUN, 'b': {'q': {'d2': 1.0}}}).over(QRELS)
ANSWERS = pd.DataFrame([('1', 'system1', 'system2', 1)])
ANSWERS.columns = ['query_id', 'system_a', 'system_b', 'preference']
PREFERRED = pd.DataFrame({'query': ['q'], 'preferred': 'd1', 'other': 'd2'})
FEW = {'n_trials': 3, 'n_resamples': 2}
SHORT = {'longest': 8, 'deepest': 16}
CALLS = {
    ir_divmeasures.leaderboard: ((QRELS, {'a': RUN, 'b': RUN}, 'P@1'), {}),
    ir_divmeasures.build_hierarchy: ((QRELS, TEXTS), {}),
    ir_divmeasures.with_superintents: ((QRELS, {'q': {'1': 's'}}), {}),
    ir_divmeasures.with_similarity: ((QRELS, TEXTS), {}),
    ir_divmeasures.with_rareness: ((QRELS, {'a': RUN}), {}),
    meta.compare: ((SCORES,), {}),
    meta.correlations: ((SCORES,), {}),
    meta.discriminative_power: ((SCORES,), {}),
    meta.preference_agreement: ((SCORES, ANSWERS), {}),
    meta.ranks: ((SCORES,), {}),
    meta.stability: ((SCORES,), FEW),
    meta.topic_robustness: ((SCORES,), FEW),
    meta.unanimity: ((SCORES,), {}),
    axioms.table: (('StRecall@5',), SHORT),
    user_models.weighted_pairs: ((RUN, PREFERRED), {}),
    **dict.fromkeys(
        (
            campaign.unique_finds,
            campaign.unique_by_group,
        ),
        ((JUDGED,), {}),
    ),
}


def options(function):
    """The options that are one number, and values that each of them refuses."""
    for name, parameter in inspect.signature(function).parameters.items():
        kind = str(parameter.annotation).removesuffix(' | None')
        if parameter.default is not parameter.empty and kind in ('int', 'float'):
            least = -1 if name == 'n_resamples' else 0
            yield name, ['x', np.nan, *([least, 1.5] if kind == 'int' else [])]


@over('function', CALLS)
def test_values_out_of_range_are_errors_that_name_the_option(function):
    arguments, further = CALLS[function]
    wrong = []
    for name, values in options(function):
        for value in values:
            try:
                function(*arguments, **{**further, name: value})
                wrong.append(f'{name}={value!r} is accepted')
            except (TypeError, ValueError) as error:
                wrong += [f'{name}={value!r}: {error}'] * (name not in str(error))
    assert not wrong
