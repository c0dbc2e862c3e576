"""The study of Carterette 2011: its scores are those of the measures, its τ those of meta, its verdicts follow."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from ir_divmeasures import evaluate, read_qrels, repool, studies
from ir_divmeasures.meta import kendall
from ir_divmeasures.studies import carterette
from ir_divmeasures.studies.quantities import NotTestableError

from .builders import over


def world(systems=5, topics=12, high=3, seed=0):
    """Runs of different length with ties and unjudged documents, and graded judgments."""
    rng = np.random.default_rng(seed)
    qrels = {
        f'q{q:02}': {f'd{d}': int(grade) for d, grade in enumerate(rng.integers(0, high, 15))}
        for q in range(topics)
    }
    runs = {
        f's{s}': {
            q: {
                f'd{d}': float(round(judged.get(f'd{d}', 0) + (s + 1) * rng.random(), 1))
                for d in rng.permutation(25)[: 12 + s]
            }
            for q, judged in qrels.items()
        }
        for s in range(systems)
    }
    return runs, qrels


RUNS, QRELS = world()


@pytest.fixture(scope='module')
def paper():
    return studies.paper('carterette', RUNS, QRELS)


def names(rel=1):
    """The measures of this package, in the order of the study."""
    norm = {('P_AP', 'M3'), *((P, 'M2') for P in carterette.STATIC)}
    return [
        f'UM(model={model[1]},P={P[2:]!r},rel={rel}{",norm=True" * ((P, model) in norm)})'
        for P, model in carterette.MEASURES
    ]


def scored(qrels, runs=RUNS, rel=1):
    """(measures, systems, topics) by the measures themselves."""
    found = evaluate(runs, qrels, names(rel))
    return found.values[:, np.argsort(found.queries)].transpose(2, 0, 1)


def taus(one, other):
    return kendall(one.mean(axis=2), other.mean(axis=2))


def test_scores_are_those_of_the_measures(paper):
    found = paper.work.once(carterette.index)
    for rel in (1, 2):
        ours = carterette.scores(found, found.grade >= rel)
        assert ours == pytest.approx(scored(QRELS, rel=rel), abs=1e-12)


def test_pools_are_those_of_repool(paper):
    cells = paper['figure4']
    for depth, pool in repool(QRELS, RUNS, (1, 3, 10)).items():
        wanted = taus(scored(QRELS), scored(pool))
        for model in ('M1', 'M2', 'M3', 'M4'):
            some = [t for t, cell in zip(wanted, carterette.MEASURES) if cell[1] == model]
            assert cells[f'depth={depth}', model].value == pytest.approx(np.mean(some), abs=1e-12)


def other_assessor():
    """Judgments that differ, of other documents too."""
    rng = np.random.default_rng(3)
    table = read_qrels(QRELS)
    flips = rng.random(len(table)) < 0.3
    table = table.assign(
        relevance=np.where(flips, 1 - np.minimum(table['relevance'], 1), table['relevance'])
    )
    return table[rng.random(len(table)) < 0.9].assign(doc_id=lambda t: t['doc_id'].where(t.index % 5 > 0, 'd20')).drop_duplicates(['query_id', 'doc_id'])  # fmt: skip


def test_second_assessor():
    other = other_assessor()
    paper = studies.paper('carterette', RUNS, QRELS, assessors=[other])
    wanted = dict(zip(carterette.MEASURES, taus(scored(QRELS), scored(other))))
    cells = paper['table2']
    assert {cell: cells[cell].value for cell in wanted} == pytest.approx(wanted, abs=1e-12)
    static = [tau for (P, _), tau in wanted.items() if P in carterette.STATIC]
    assert cells['static', 'mean'].value == pytest.approx(np.mean(static))
    assert cells['mean without P_AP', 'M3'].value == pytest.approx(
        (wanted['P_ERR', 'M3'] + wanted['P_RRR', 'M3']) / 2
    )
    assert 'mean over 1 further' in paper.sentences('table2')[0]
    with pytest.raises(NotTestableError, match='no judgments of 1 topics; expected all'):
        studies.paper('carterette', RUNS, QRELS, assessors=[other[other['query_id'] != 'q00']])[
            'table2'
        ]


def test_an_assessor_who_agrees_leaves_nothing_to_compare():
    paper = studies.paper('carterette', RUNS, QRELS, assessors=[QRELS])
    assert {round(tau.value, 12) for tau in paper['table2'].values()} == {1}
    verdicts = [paper.claim(claim).verdict for claim in ('c10', 'c11', 'c13')]
    assert verdicts == ['not testable', 'agree', 'not testable']


def test_simulated_assessors_and_a_strict_one(paper):
    """A simulated assessor keeps .65 of the relevant documents and adds .25 of the others."""
    strict = taus(scored(QRELS), scored(QRELS, rel=2))
    cells = paper['table2']
    found = [cells[('a strict assessor', *cell)].value for cell in carterette.MEASURES]
    assert found == pytest.approx(strict, abs=1e-12)
    binary = studies.paper('carterette', *world(high=2))
    assert not any(key[0] == 'a strict assessor' for key in binary['table2'])
    assert 'simulated' in paper.sentences('table2')[0]
    with pytest.raises(NotTestableError, match='of grade 2'):
        binary['pages']
    assert binary.claim('c27').verdict == 'not testable'


def test_samples_of_topics_on_which_systems_never_change_places():
    """Every topic is the same, so each sample has the order of all topics."""
    run = {f's{s}': {f'q{q}': {f'd{d}': float((d + s) % 4 == 0) - d / 99 for d in range(9)} for q in range(11)} for s in range(4)}  # fmt: skip
    qrels = {f'q{q}': {'d0': 2, 'd3': 1, 'd8': 0} for q in range(11)}
    paper = studies.paper('carterette', run, qrels)
    cells = paper['figure3']
    assert {row for row, _ in cells} == {'N=5', 'N=10'}
    assert {(round(tau.value, 12), tau.error) for tau in cells.values()} == {(1, 0)}
    assert paper.claim('c19').verdict == 'agree'


def test_figure_3_is_topic_robustness(paper):
    """With many trials both are the mean over samples."""
    from ir_divmeasures.meta.robustness import topic_robustness

    by_name = dict(zip(map(str, carterette.MEASURES), scored(QRELS)))
    wanted = topic_robustness(
        by_name, sizes=[5, 10], n_trials=2000, n_resamples=0, rng=1
    ).to_frame()
    cells = paper['figure3']
    for size in (5, 10):
        assert cells[f'N={size}', 'fat'].value == pytest.approx(
            wanted.loc[[str(c) for c in carterette.MEASURES if c[0] in ('P_DCG', 'P_AP')], size].mean(), abs=0.04
        )  # fmt: skip


def test_a_page_is_one_document_a_topic(paper, monkeypatch):
    """Every relevant set that is scored has one document of grade 2 for each topic."""
    drawn = []
    original = carterette.scores
    monkeypatch.setattr(
        carterette, 'scores', lambda found, r: drawn.append(r) or original(found, r)
    )
    work = paper.work
    cells = carterette.pages(work)
    found = work.once(carterette.index)
    assert len(drawn) == work.n_seeds
    for relevant in drawn:
        assert (found.grade[relevant] == 2).all()
        assert sorted(found.topic[relevant]) == sorted(set(found.topic[found.grade == 2]))
    assert len({tuple(r) for r in drawn}) > 1
    again = carterette.pages(studies.paper('carterette', RUNS, QRELS).work)
    assert {k: v.value for k, v in again.items()} == {k: v.value for k, v in cells.items()}


@over(
    'claim, verdict',
    [
        ('c01', 'disagree'), ('c02', 'agree'), ('c03', 'agree'), ('c04', 'agree'), ('c05', 'agree'),
        ('c06', 'not testable'), ('c29', 'not testable'), ('c30', 'disagree'), ('c31', 'disagree'),
        ('c32', 'not testable'),
    ],
)  # fmt: skip
def test_claims_without_runs(claim, verdict):
    assert studies.paper('carterette', RUNS, QRELS).claim(claim).verdict == verdict


def test_claims_follow_the_tables(paper):
    """Moved cells move the verdicts and the sentences."""
    moved = studies.paper('carterette', RUNS, QRELS)
    moved.compute(['figure3'])
    outcome = moved.outcomes['figure3']

    def shifted(shift):
        cells = {key: replace(tau, value=tau.value + shift.get(key[1], 0), deviations=tau.deviations / 1e3)
                 for key, tau in outcome.cells.items()}  # fmt: skip
        moved.outcomes['figure3'] = replace(outcome, cells=cells)
        return moved.claim('c15').verdict, moved.claim('c20').verdict, moved.sentences('figure3')[0]

    *verdicts, text = shifted({'M2': 3, 'fat': 3, 'M3': -3})
    assert verdicts == ['agree', 'agree'] and 'is that of the paper: M2 and M3' in text
    *verdicts, text = shifted({'M2': -3, 'fat': -3, 'M1': 3})
    assert (
        verdicts == ['disagree', 'disagree']
        and 'are M1 and M2; in the paper they are M2 and M3' in text
    )


def test_web_2009_is_asked_for_by_name():
    paper = studies.paper('carterette', RUNS, QRELS, name='TREC Web 2009, ad hoc')
    assert paper.claim('c29').verdict != 'not testable'


def test_the_error_is_that_of_the_study_on_resampled_topics(paper):
    """Figure 4 again, the scores repeated by the resample."""
    full, pool = scored(QRELS), scored(repool(QRELS, RUNS, [1])[1])
    place = carterette.MEASURES.index(('P_AP', 'M4'))
    study = partial(lambda one, other, q: kendall(one[:, q].mean(axis=1), other[:, q].mean(axis=1)), full[place], pool[place])  # fmt: skip
    wanted = np.std([study(sample) for sample in paper.work.resamples], ddof=1)
    found = carterette.quantities(
        paper.work,
        ['depth=1'],
        carterette.against(paper.work, [_pooled(paper, 1)]),
        {'AP': [place]},
    )
    assert found['depth=1', 'AP'].error == pytest.approx(wanted, rel=1e-9)


def _pooled(paper, depth):
    found = paper.work.once(carterette.index)
    near = np.zeros(len(found.grade), dtype=bool)
    near[found.pair[found.rank <= depth]] = True
    return near & (found.grade >= 1)
