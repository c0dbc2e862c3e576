"""Laws that hold for every measure of the registry, those of other families included.

What a law needs to know of a measure is derived from its declaration: bounds, needed columns, parameters. Exceptions
are listed by name, each with the reason, and tested to be real.
"""

import functools
import inspect
import zlib

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures.core.registry import ABOUT_1, catalogue, measures, registry
from ir_divmeasures.data import arrays
from ir_divmeasures.data.judgments import Judgments
from ir_divmeasures.data.runs import read
from ir_divmeasures.evaluation.explain import ranking_of
from ir_divmeasures.evaluation.provider import Evaluator

from .builders import (
    QUICK,
    judgment_table,
    over,
    quietly,
    random_query,
    run_of,
    table_of,
    written_similarities,
)
from .reference.twins import Query

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

MEASURES = {m.NAME: m for m in catalogue()}
LAWS = {}
"""The laws by name: functions of the name of a measure."""


def EVERY(law):
    """The law is tested for every measure of the package; a measure of one's own is put to it by its name."""
    LAWS[law.__name__] = law

    @functools.wraps(law)
    def for_all(**options):
        failures = []
        for name in MEASURES:
            try:
                law(name, **options)
            except (Exception, pytest.skip.Exception) as error:  # a skipped law holds nothing
                failures.append(f'{name}: {type(error).__name__}: {error}')
        assert not failures, '\n'.join(failures)

    signature = inspect.signature(law)
    for_all.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
    return for_all


def SAME(tolerance=1e-9):
    """A law that a group's scores are the same in several ways; the function returns those of each way."""

    def decorate(ways):
        computed = functools.cache(ways)

        @functools.wraps(ways)
        def law(name):
            expected, *others = (found.get(name, {}) for found in computed(group_of(name)))
            for other in others:
                same(expected, other, tolerance)

        law.__signature__ = inspect.signature(lambda name: None)
        return EVERY(law)

    return decorate


# A document without relevance at the tail costs effort, or makes the run longer where its length divides.
EFFORT = {'RBU', 'EU'}
RUN_LENGTH_DIVIDES = {
    'ACT',
    'P_IA',
    'alpha_DCG',
    'ERR_IA',
    'ERR_IA_LA',
    'P_Rareness',
    'nDCU',
    'P_at_Recall',
    'RR_at_Recall',
}


def similarities(table):
    return written_similarities(
        table['query_id'], table['doc_id'], lambda q, d: zlib.crc32(d.encode())
    )


COLUMNS = {
    'weight': lambda t: (
        t.groupby(['query_id', 'subtopic_id'])['relevance'].transform('size') * 0 + 0.25
    ),
    'layer': lambda t: 0,
    'document_similarity': similarities,
    'n_retrieved': lambda t: t['doc_id'].map(lambda d: 1 + zlib.crc32(d.encode()) % 4),
    'n_systems': lambda t: 5,
    'pool_depth': lambda t: 0,
    'newcomer': lambda t: 0,
    # group 0, to which the run belongs, retrieves every document, so that any run may be scored
    'pool_ranks': lambda t: t['doc_id'].map(
        lambda d: ' '.join(
            f'{system}:{900 + system}' for system in range(1 + zlib.crc32(d.encode()) % 4)
        )
    ),
}
"""How a test supplies a column that a measure needs. A measure with a column of its own adds a line here."""


def judgments(group, queries):
    """Judgments with the columns that the measures of a group need."""
    table = table_of(queries)
    needed = {c: None for name in group for c in registry[name].needed_columns}
    missing = [c for c in needed if c not in table.columns]
    assert {*missing} <= {*COLUMNS}, f'write a line into COLUMNS for each of {missing}'
    return table.assign(**{c: COLUMNS[c] for c in missing})


def some_queries(seed, n=6, **kind):
    rng = np.random.default_rng(seed)
    return {f'q{i}': random_query(rng, **kind) for i in range(n)}


def settings_of(measure):
    """A measure as it is, or at rank 1, and with a deeper cutoff and ``judged_only``."""
    if 'cutoff' not in measure.SUPPORTED_PARAMS:
        return [measure, measure(judged_only=True)]
    first = measure(cutoff=1) if needs_cutoff(measure) else measure
    return [first, measure(cutoff=3, judged_only=True)]


def needs_cutoff(measure):
    """Whether a measure refuses to be computed without a cutoff."""
    return 'document_similarity' in measure.needed_columns


def scored(measures, qrels, run):
    """(measure, query) → value."""
    with quietly():
        return {
            (str(m.measure), m.query_id): m.value for m in Evaluator(measures, qrels).iter_calc(run)
        }


def same(one, other, tolerance=1e-9):
    assert one.keys() == other.keys()
    off = {key: (one[key], other[key]) for key in one if abs(one[key] - other[key]) > tolerance}
    assert not off, off


def seed_of(name):
    return zlib.crc32(name.encode())


def group_of(name):
    """The measures that a law computes in one call, which takes less time than a call for each: all of the package, or
    one of one's own. Their values are the same (``test_asked_together_equals_asked_alone``)."""
    return tuple(MEASURES) if name in MEASURES else (name,)


def of_group(law):
    """A function of a group of measures that computes what a law compares, once, for the name of a measure."""
    remembered = functools.cache(law)
    return lambda name, *options: remembered(group_of(name), *options)


def settings(group):
    return [asked for name in group for asked in settings_of(registry[name])]


def data(group, seed=5, n=12, **kind):
    """Judgments and a run of random queries."""
    queries = some_queries(seed, n, **kind)
    return judgments(group, queries), run_of(queries)


@of_group
def unchanged(group):
    """Judgments and a run, with which laws compare changed ones, and the scores."""
    qrels, run = data(group)
    return qrels, run, scored_each(settings(group), qrels, run)


def with_a_layer_above(table):
    above = table.sort_values('relevance').drop_duplicates(['query_id', 'doc_id'], keep='last')
    return pd.concat([table, above.assign(layer=-1, subtopic_id='above')])


def scored_each(asked, qrels, run):
    """Name of the measure → (measure, query) → value."""
    names = {str(m): m.NAME for m in asked}
    found = {name: {} for name in names.values()}
    for key, value in scored(asked, qrels, run).items():
        found[names[key[0]]][key] = value
    return found


# ------------------------------------------------------------------------------------------------------ values


RICH = Query((*'abcdefghi',), {(d, 't'): 3 for d in 'abcdefghi'})  # its gains sum to more than 1


@of_group
def within_bounds(group, weighted):
    queries = some_queries(70 + weighted, 20, weighted=weighted)
    if weighted:  # bounds are stated for weights that sum to at most 1
        queries = {n: q for n, q in queries.items() if sum(q.weights.values()) <= 1}
    else:
        queries['rich'] = RICH
    return scored_each(settings(group), judgments(group, queries), run_of(queries))


@EVERY
@pytest.mark.parametrize('weighted', [False, True])
def test_values_are_finite_and_within_the_declared_bounds(name, weighted):
    low, high = registry[name].bounds
    high = None if high == ABOUT_1 else high
    found = within_bounds(name, weighted)[name]
    assert np.isfinite([*found.values()]).all()
    lowest, highest = min(found, key=found.get), max(found, key=found.get)
    assert low is None or found[lowest] == pytest.approx(low, abs=1e-12), lowest
    assert high is None or found[highest] <= high + 1e-12, highest


@of_group
def with_absent_queries(group):
    qrels, run = data(group)
    return (
        scored_each(settings(group), qrels, run[run['query_id'] == 'q0']),
        scored_each(settings(group), qrels, run.iloc[:0]),
    )


@EVERY
def test_query_absent_from_the_run_scores_zero(name):
    one_present, none_present = (found[name] for found in with_absent_queries(name))
    for (asked, query), value in one_present.items():
        if query != 'q0' and not asked.startswith('DS_'):
            assert value == 0, (asked, query)
    assert all(
        value == 0 for (asked, _), value in none_present.items() if not asked.startswith('DS_')
    )


@of_group
def without_relevant_documents(group):
    qrels, run = data(group)
    empty = qrels.assign(
        relevance=np.where(qrels['query_id'] == 'q0', -qrels['relevance'].abs(), qrels['relevance'])
    )
    return scored_each(settings(group), empty, run), 'q0' in set(run['query_id'])


@EVERY
def test_query_without_a_relevant_document_scores_zero_or_effort(name):
    found, retrieved = without_relevant_documents(name)
    for (asked, query), value in found[name].items():
        if query == 'q0':
            assert np.isfinite(value)
            assert (
                value < 0 if name in EFFORT and retrieved else value == 0 or asked.startswith('DS_')
            )


# ------------------------------------------------------------------------------------------------- irrelevance


def appended(run, ids, first, step):
    """Unjudged documents of every query of the run, with scores ``first``, ``first + step``, …"""
    return pd.DataFrame(
        [
            (query, doc_id, first + i * step)
            for query in run['query_id'].unique()
            for i, doc_id in enumerate(ids)
        ],
        columns=run.columns,
    )


@of_group
def padded(group):
    """Scores without and with five unjudged documents at the tail of every run: of the settings, and at fixed cutoffs."""
    qrels, run = data(group, n=20)
    chosen = [registry[name] for name in group if 'cutoff' in registry[name].SUPPORTED_PARAMS]
    asked = settings(group) + [made(cutoff=k) for made in chosen for k in (1, 20)]
    pads = appended(run, [f'pad{i}' for i in range(5)], -1e6, -1)
    return [scored_each(asked, qrels, each) for each in (run, pd.concat([run, pads]))]


@EVERY
def test_unjudged_documents_at_the_tail_change_nothing_but_effort_and_length(name):
    before, after = (found[name] for found in padded(name))
    takes_cutoff = 'cutoff' in registry[name].SUPPORTED_PARAMS
    if name in EFFORT | RUN_LENGTH_DIVIDES:
        deepest = str(settings_of(registry[name])[0])
        assert any(
            abs(before[key] - after[key]) > 1e-9 for key in before if key[0] == deepest
        )  # the exception is real
        first = str(registry[name](cutoff=1)) if takes_cutoff else None
        same(*({k: v for k, v in found.items() if k[0] == first} for found in (before, after)))
    else:
        same(before, after)
    fixed = {str(registry[name](cutoff=k)) for k in (1, 20)} if takes_cutoff else {name}
    raised = [key for key in before if key[0] in fixed and after[key] > before[key] + 1e-12]
    assert bool(raised) == (name == 'ACT')  # the mean of CT at all ranks, which never falls


@SAME()
def test_judged_only_is_filtering_by_hand(group):
    qrels, run, found = unchanged(group[0])
    asked = {str(m(judged_only=False)): m for m in settings(group) if m['judged_only']}
    judged = run.merge(qrels[['query_id', 'doc_id']].drop_duplicates(), on=['query_id', 'doc_id'])
    by_hand = scored_each([m(judged_only=False) for m in asked.values()], qrels, judged)
    wanted = {
        name: {(str(asked[m]), q): value for (m, q), value in values.items()}
        for name, values in by_hand.items()
    }
    return wanted, {
        name: {key: found[name][key] for key in values} for name, values in wanted.items()
    }


@SAME()
def test_names_of_aspects_queries_and_documents_do_not_matter(group):
    qrels, run, found = unchanged(group[0])
    # Documents keep their order, which decides ties; aspects get names in the opposite order.
    documents = {d: f'π{i:04d}' for i, d in enumerate(sorted({*qrels['doc_id'], *run['doc_id']}))}
    aspects = {a: f'é{999 - i}' for i, a in enumerate(sorted(set(qrels['subtopic_id'])))}
    other = qrels.assign(
        doc_id=qrels['doc_id'].map(documents),
        subtopic_id=qrels['subtopic_id'].map(aspects),
        query_id='r' + qrels['query_id'],
    ).sample(frac=1, random_state=1)
    ran = run.assign(doc_id=run['doc_id'].map(documents), query_id='r' + run['query_id'])
    return found, {
        name: {(m, q[1:]): value for (m, q), value in values.items()}
        for name, values in scored_each(settings(group), other, ran).items()
    }


@SAME(0)
def test_order_of_rows_and_size_of_scores_do_not_matter(group):
    qrels, run, found = unchanged(group[0])
    other = run.sample(frac=1, random_state=2).reset_index(drop=True)
    other['score'] = np.exp2(other['score'])
    return found, scored_each(settings(group), qrels.sample(frac=1, random_state=3), other)


# -------------------------------------------------------------------------------------------- listed intents

UNSERVED_UNDER_WEIGHTS = {
    'ERR_over_aspects': {'over': 'all'},
    'IA': {'M': 'RBU(e=0.3)'},
}
"""Settings in which an unserved intent shows where it does not with the measure's defaults."""
COUNT_INTENTS = {
    'alpha_DCG',
    'ERR_IA',
    'ERR_IA_LA',
    'StRecall',
    'I_rec_LA',
    'StRR',
    'Coverage',
    'N_rec',
    'IA',
    'P_at_Recall',
    'RR_at_Recall',
    'ERR_over_aspects',
}
"""Measures that count or sum the intents, whatever the weights."""


@of_group
def under_scaled_weights(group):
    """The scores under some weights of the intents, and under three times these weights."""
    table, run = data(group)
    if 'layer' in table.columns:
        table = with_a_layer_above(table)
    weight = table['subtopic_id'].map(lambda name: 0.1 + zlib.crc32(str(name).encode()) % 7 / 7)
    asked = [
        m
        for name in group
        for m in settings_of(registry[name](**UNSERVED_UNDER_WEIGHTS.get(name, {})))
    ]
    return [scored_each(asked, table.assign(weight=times * weight), run) for times in (1, 3)]


@EVERY
def test_the_scale_of_weights_changes_values_exactly_if_the_measure_says_so(name):
    measure = registry[name](**UNSERVED_UNDER_WEIGHTS.get(name, {}))
    once, thrice = (found[name] for found in under_scaled_weights(name))
    assert measure.any_scale == (measure.diversity and once == pytest.approx(thrice))


def readings_of(name):
    """Settings of a measure in the reading 'relevant' of aspects, and in 'listed'; if it has no readings, its settings."""
    asked = settings_of(registry[name](**UNSERVED_UNDER_WEIGHTS.get(name, {})))
    if not asked[0].facts.aspects:
        return asked, []
    return [[m(aspects=reading) for m in asked] for reading in ('relevant', 'listed')]


@of_group
def with_unserved_intents(group, weighted):
    """The judgments with an unserved intent, the run, and the scores without and with it."""
    table, run = data(group)
    if 'layer' in table.columns:  # on one layer alone HD_nDCG is scale-free
        table = with_a_layer_above(table)
    if weighted:
        table['weight'] = 0.25
    more = judgment_table([(q, '-', -1, 'zz') for q in table['query_id'].unique()])
    more = more.assign(**{c: table[c].iloc[0] for c in table.columns if c not in more.columns})
    listed = pd.concat([table, more])
    asked = [m for name in group for reading in readings_of(name) for m in reading]
    listed, run = Judgments.of(listed), read(run)
    return listed, run, [scored_each(asked, qrels, run) for qrels in (table, listed)]


@EVERY
@pytest.mark.parametrize('weighted', [False, True])
def test_an_unserved_intent_changes_listed_readings_only(name, weighted):
    """It changes no value of the default reading, and some value of the other one exactly if there is another one."""
    measure = registry[name](**UNSERVED_UNDER_WEIGHTS.get(name, {}))
    listed, run, scores = with_unserved_intents(name, weighted)
    before, after = (found[name] for found in scores)
    changed = {key[0] for key in before if abs(before[key] - after[key]) > 1e-9}
    of_relevant, of_listed = ({str(m) for m in reading} for reading in readings_of(name))
    assert not changed & of_relevant
    if measure.facts.aspects:
        counts = name in COUNT_INTENTS or 'sharp' in name
        # given weights stand: only what counts or sums the intents changes
        assert bool(changed & of_listed) == (counts or not weighted), 'COUNT_INTENTS?'
    elif not measure.wraps:  # it has no other reading, because that would change nothing
        made = measure(cutoff=3) if 'cutoff' in measure.SUPPORTED_PARAMS else measure
        ranking = ranking_of(made, listed, run)
        assert made.on(ranking.listed) == pytest.approx(made.on(ranking), abs=1e-12)


@of_group
def with_one_intent(group):
    """The scores, and those by each document's highest grade for any intent."""
    qrels, run, found = unchanged(group[0])
    keys = ['query_id', 'doc_id']
    highest = qrels.assign(
        relevance=qrels.groupby(keys)['relevance'].transform('max'),
        subtopic_id='1',
    )
    return found, scored_each(settings(group), highest.drop_duplicates(keys), run)


@EVERY
def test_measures_without_intents_declare_it(name):
    measure = registry[name]
    with_intents, without = (
        ({}, {})
        if 'layer' in measure.needed_columns
        else (found[name] for found in with_one_intent(name))
    )
    assert measure.diversity == (
        'layer' in measure.needed_columns  # layers of one intent each would be other judgments
        or any(abs(with_intents[key] - without[key]) > 1e-9 for key in with_intents)
    )


# ---------------------------------------------------------------------------------------------- independence


def everything(queries):
    """Every measure that judgments with all columns serve, in every setting; such judgments, and a run."""
    table = table_of(queries)
    asked = [
        m
        for measure in MEASURES.values()
        for m in settings_of(measure)
        if not set(measure.needed_columns) - {*COLUMNS, *table.columns}
    ]
    table = table.assign(**{c: make(table) for c, make in COLUMNS.items()})
    return asked, table, run_of(queries)


def test_asked_together_equals_asked_alone():
    queries = some_queries(11)
    asked, qrels, run = everything(queries)
    qrels, run = Judgments.of(qrels), read(run)
    together = scored(asked, qrels, run)
    overlay = qrels.align(run)
    for m in asked[::4] + asked[3::4]:  # each measure in one of its settings
        alone = Evaluator([m], qrels).values(overlay)[m].tolist()
        assert alone == [together[str(m), query] for query in qrels.query_ids], m


SIZES = [(14, 4), (3, 1), (150, 4), (14, 30), (40, 12), (14, 1)]
"""Documents and aspects of queries, whose arrays are padded to one size: of lengths that NumPy adds up differently."""


@pytest.fixture(
    scope='module',
    params=[
        pytest.param(False, marks=pytest.mark.slow, id='uniform'),
        pytest.param(True, id='weighted'),
    ],
)
def of_many_sizes(request):
    """Every measure, ad-hoc ones that we compute too, in every setting; judgments and a run of queries of many sizes;
    the scores."""
    rng = np.random.default_rng(57)
    queries = {
        f'q{i}': random_query(rng, documents, aspects, weighted=request.param)
        for i, (documents, aspects) in enumerate(SIZES)
    }
    asked, qrels, run = everything(queries)
    if not request.param:
        qrels = qrels.drop(columns='weight')
        asked = [m for m in asked if 'weight' not in m.needed_columns]
    asked += measures(
        'AP AP@10 nDCG nDCG@20 RR P@5 R@5 Rprec ERR@20 RBP(rel=1) Judged@10 alpha_nDCG(alpha=.37)@20 '
        'GAP(g={1:.3,2:.7,3:.1}) DocSim(scheme="RP")@20 IA(M="nDCG@5")'
    )
    return asked, qrels, run, scored(asked, qrels, run)


@QUICK
@over('subset', [*range(len(SIZES)), slice(1, None, 2), slice(0, 2)])
def test_a_subset_of_the_queries_has_the_same_values(of_many_sizes, subset, quick):
    """To the last bit: alone, and beside others. The quick form takes one query alone, and three."""
    asked, qrels, run, together = of_many_sizes
    if quick and subset not in (2, slice(1, None, 2)):
        return
    names = np.atleast_1d(qrels['query_id'].unique()[subset]).tolist()
    alone = scored(asked, qrels[qrels['query_id'].isin(names)], run)
    assert {query for _, query in alone} == set(names)
    same({key: value for key, value in together.items() if key[1] in names}, alone, 0)


def test_the_order_of_rows_and_the_size_of_blocks_change_no_bit(of_many_sizes, monkeypatch):
    asked, qrels, run, expected = of_many_sizes
    monkeypatch.setattr(arrays, 'BLOCK_CELLS', 300)
    in_parts = Judgments.of(qrels.sample(frac=1, random_state=5))
    assert len(in_parts.blocks) > 2
    same(expected, scored(asked, in_parts, run.iloc[::-1]), 0)


def test_one_evaluator_for_many_runs():
    qrels, run, wanted = unchanged('RBU')
    with quietly():
        evaluator = Evaluator(settings(group_of('RBU')), qrels)
        for each in (run_of(some_queries(22)), run):
            found = {(str(m.measure), m.query_id): m.value for m in evaluator.iter_calc(each)}
    same({key: value for of in wanted.values() for key, value in of.items()}, found, 0)


# --------------------------------------------------------------------------------------------------- cutoffs

NO_CUTOFF_IS_NOT_A_DEEP_ONE = {
    'P_IA',
    'alpha_DCG',
    'ERR_IA',
    'ERR_IA_LA',
    'P_Rareness',
    'RBAP',
    'DAG',
    'RAP',
}
"""k itself is in their formula: without a cutoff it is the run's length, or there is no end."""


@of_group
def with_deep_cutoffs(group):
    qrels, run = data(group)
    asked = [
        registry[name]
        for name in group
        if 'cutoff' in registry[name].SUPPORTED_PARAMS and not needs_cutoff(registry[name])
    ]
    return scored_each(asked, qrels, run), scored_each([m(cutoff=500) for m in asked], qrels, run)


@EVERY
def test_a_cutoff_beyond_the_run_is_none(name):
    measure = registry[name]
    if 'cutoff' not in measure.SUPPORTED_PARAMS or needs_cutoff(measure):
        return  # always with a cutoff, or never
    none, deep = ({q: v for (_, q), v in found[name].items()} for found in with_deep_cutoffs(name))
    if name in NO_CUTOFF_IS_NOT_A_DEEP_ONE:
        assert any(none[q] != deep[q] for q in none)
    else:
        same(none, deep)


@SAME()
def test_a_cutoff_is_cutting_the_run(group):
    """What stands below rank k plays no part."""
    qrels, run = data(group)
    asked = [
        made(cutoff=4) for made in map(registry.get, group) if 'cutoff' in made.SUPPORTED_PARAMS
    ]
    return scored_each(asked, qrels, run), scored_each(
        asked, qrels, run[run.groupby('query_id').cumcount() < 4]
    )


# ------------------------------------------------------------------------------------------------ reductions


@of_group
def with_large_grades(group):
    qrels, run = data(group, 51, 3)
    large = Judgments.of(qrels.assign(relevance=qrels['relevance'] * 1500.0))
    return large, large.align(read(run))


@EVERY
def test_large_grades_give_numbers_or_an_error(name):
    """2^g overflows at a grade of 1024."""
    measure = registry[name]
    large, overlay = with_large_grades(name)
    gains = (
        measure.SUPPORTED_PARAMS['gain'].admits.names
        if 'gain' in measure.SUPPORTED_PARAMS
        else [None]
    )
    for gain in gains:
        asked = measure(gain=gain) if gain else measure
        try:
            asked = asked(cutoff=5) if needs_cutoff(measure) else asked
            found = Evaluator([asked], large).values(overlay)[asked]
        except ValueError as error:
            assert (
                'too large for 2^g' in str(error)
                or 'max_rel=4, but a grade of' in str(error)
                or gain == 'raw'
            )
        else:
            assert np.isfinite(found).all(), found


REL = 3


def settings_of_grades(name):
    """A measure with each way to read grades."""
    measure = registry[name](rel=REL)
    measure = measure(cutoff=8) if 'cutoff' in measure.SUPPORTED_PARAMS else measure
    gain = measure.SUPPORTED_PARAMS.get('gain')
    own = [{'gain': g} for g in ('linear', 'binary') if gain and g in gain.admits]
    own += [{'partial': 0.5}, {}] if 'partial' in measure.SUPPORTED_PARAMS else []
    own += [{'M': 'D_nDCG'}, {'M': 'StRecall'}] if name == 'LA' else []
    return [measure(**each) for each in own or [{}]]


def lower_grades_count(measure):
    """Whether grades above 0 and below ``rel`` change values, as the measure declares."""
    means = measure.facts.rel_means
    if means == 'wrapped':
        return lower_grades_count(measure.wrapped)
    partial = measure.all_params.get('partial') or measure.all_params.get('gain') == 'linear'
    return {
        'gate': measure.all_params.get('gain') != 'binary',
        'credit': bool(partial),
        'none': True,
        'gain': False,
        'relevant': False,
    }[means]


@of_group
def with_other_grades_below_rel(group):
    asked = [each for name in group for each in settings_of_grades(name)]
    qrels, run = data(group, 5, 12, top_grade=4, facts=True)
    return [
        scored_each(asked, qrels.assign(relevance=qrels['relevance'].replace(*grades)), run)
        for grades in ((1, 1), (1, 2), (1, 0), (4, 3))
    ]


@EVERY
def test_grades_below_rel_change_values_where_it_is_declared(name):
    before, raised, lowered, _ = (found[name] for found in with_other_grades_below_rel(name))
    for measure in settings_of_grades(name):
        changed = [
            key
            for key in before
            if key[0] == str(measure)
            and max(abs(each[key] - before[key]) for each in (raised, lowered)) > 1e-9
        ]
        assert bool(changed) == lower_grades_count(measure), (str(measure), changed)


@EVERY
def test_relevant_documents_count_the_same_where_it_is_declared(name):
    before, *_, equal = (found[name] for found in with_other_grades_below_rel(name))
    means = registry[name].facts.rel_means
    if means in ('relevant', 'gain'):
        assert (equal == pytest.approx(before, abs=1e-9)) == (means == 'relevant')
