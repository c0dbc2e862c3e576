"""The study of Carterette 2011: its scores are those of the measures, its τ those of meta, its verdicts follow."""

import itertools

import numpy as np
import pytest

from ir_divmeasures import evaluate, read_qrels, studies
from ir_divmeasures.meta import kendall
from ir_divmeasures.meta.robustness import topic_robustness
from ir_divmeasures.pools import repool
from ir_divmeasures.studies.carterette import Carterette
from ir_divmeasures.studies.paper import Paper
from ir_divmeasures.studies.rules import NotTestableError

from .builders import expect_error
from .test_papers import moved

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


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
    return qrels, runs


QRELS, RUNS = world()
STATIC, DYNAMIC = ('P_RBP', 'P_DCG', 'P_RR'), ('P_ERR', 'P_AP', 'P_RRR')
MEASURES = [
    *itertools.product(STATIC, ('M1', 'M2', 'M4')),
    *itertools.product(DYNAMIC, ('M3', 'M4')),
]


@pytest.fixture(scope='module', autouse=True)
def fewer_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Paper, 'n_seeds', 3)
        patch.setattr(Paper, 'n_resamples', 25)
        yield


@pytest.fixture(scope='module')
def paper():
    return studies.paper('carterette', QRELS, RUNS)


def scored(qrels, rel=1):
    """(measures, systems, topics) by the measures themselves."""
    norm = {('P_AP', 'M3'), *((P, 'M2') for P in STATIC)}
    names = [
        f'UM(model={model[1]},P={P[2:]!r},rel={rel}{",norm=True" * ((P, model) in norm)})'
        for P, model in MEASURES
    ]
    found = evaluate(qrels, RUNS, names)
    return found.values[:, np.argsort(found.queries)].transpose(2, 0, 1)


def taus(one, other):
    return kendall(one.mean(axis=2), other.mean(axis=2))


def test_scores_are_those_of_the_measures(paper):
    assert list(Carterette.measures()) == MEASURES
    qrels = paper.topic_qrels
    for rel in (1, 2):
        ours = paper.scores(qrels.assign(relevance=(qrels['relevance'] >= rel) * 1))
        assert ours.values.transpose(2, 0, 1) == pytest.approx(scored(QRELS, rel=rel), abs=1e-12)


def test_pools_are_those_of_repool(paper):
    """The error is that of the study on resampled topics."""
    cells, full = paper['figure4'], scored(QRELS)
    for depth, pool in repool(QRELS, RUNS, (1, 3, 10)).items():
        other = scored(pool)
        for model in ('M1', 'M2', 'M3', 'M4'):
            some = [n for n, cell in enumerate(MEASURES) if cell[1] == model]
            cell = cells[f'depth={depth}', model]
            assert cell.value == pytest.approx(taus(full, other)[some].mean(), abs=1e-12)
            if depth == 1:
                again = [
                    taus(full[some][:, :, sample], other[some][:, :, sample]).mean()
                    for sample in paper.topic_samples[1:]
                ]
                assert cell.error == pytest.approx(np.std(again, ddof=1), rel=1e-9)


def test_second_assessor():
    """Judgments that differ, of other documents too."""
    rng = np.random.default_rng(3)
    other = read_qrels(QRELS)
    flipped = 1 - np.minimum(other['relevance'], 1)
    other['relevance'] = other['relevance'].where(rng.random(len(other)) > 0.3, flipped)
    other['doc_id'] = other['doc_id'].where(other.index % 5 > 0, 'd20')
    other = other[rng.random(len(other)) < 0.9].drop_duplicates(['query_id', 'doc_id'])
    paper = studies.paper('carterette', QRELS, RUNS, assessors=[other])
    wanted = dict(zip(MEASURES, taus(scored(QRELS), scored(other))))
    cells = paper['table2']
    assert {cell: cells[cell].value for cell in wanted} == pytest.approx(wanted, abs=1e-12)
    static = [tau for (P, _), tau in wanted.items() if P in STATIC]
    assert cells['static', 'mean'].value == pytest.approx(np.mean(static))
    without = (wanted['P_ERR', 'M3'] + wanted['P_RRR', 'M3']) / 2
    assert cells['mean without P_AP', 'M3'].value == pytest.approx(without)
    fewer = studies.paper('carterette', QRELS, RUNS, assessors=[other[other['query_id'] != 'q00']])
    with expect_error('no judgments of 1 topics; expected all', NotTestableError):
        fewer['table2']


def test_an_assessor_who_agrees_leaves_nothing_to_compare():
    paper = studies.paper('carterette', QRELS, RUNS, assessors=[QRELS])
    assert {round(tau.value, 12) for tau in paper['table2'].values()} == {1}
    verdicts = [paper.claim(claim).verdict for claim in ('c10', 'c11', 'c13')]
    assert verdicts == ['not testable', 'agree', 'not testable']


def test_simulated_assessors_and_a_strict_one(paper, monkeypatch):
    """A simulated assessor who keeps all relevant documents and adds none agrees."""
    for name, chance in (('kept', 1), ('added', 0)):
        monkeypatch.setitem(paper.parts['table2']['chance'], name, chance)
    same = paper.table2()
    assert {round(tau.value, 12) for cell, tau in same.items() if len(cell) == 2} == {1}
    monkeypatch.undo()
    strict = taus(scored(QRELS), scored(QRELS, rel=2))
    cells = paper['table2']
    found = [cells[('a strict assessor', *cell)].value for cell in MEASURES]
    assert found == pytest.approx(strict, abs=1e-12)
    binary = studies.paper('carterette', *world(high=2))
    assert not any(key[0] == 'a strict assessor' for key in binary['table2'])
    assert 'with probability 0.65 and make' in paper.to(tables=['table2'])
    with expect_error('of grade 2', NotTestableError):
        binary['pages']
    assert binary.claim('c27').verdict == 'not testable'


def test_samples_of_topics_on_which_systems_never_change_places():
    """Every topic is the same, so each sample has the order of all topics."""
    run = {f's{s}': {f'q{q}': {f'd{d}': float((d + s) % 4 == 0) - d / 99 for d in range(9)} for q in range(11)} for s in range(4)}  # fmt: skip
    qrels = {f'q{q}': {'d0': 2, 'd3': 1, 'd8': 0} for q in range(11)}
    paper = studies.paper('carterette', qrels, run)
    cells = paper['figure3']
    assert {row for row, _ in cells} == {'N=5', 'N=10'}
    assert {(round(tau.value, 12), tau.error) for tau in cells.values()} == {(1, 0)}
    assert paper.claim('c19').verdict == 'agree'


def test_too_few_topics_for_samples_of_them():
    few = studies.paper('carterette', *world(topics=5))
    for name in ('figure3', 'pages'):
        with expect_error('needs at least 6 topics, found 5', NotTestableError):
            few[name]


def test_figure_3_is_topic_robustness(paper):
    """With many trials both are the mean over samples."""
    some = [n for n, (P, _) in enumerate(MEASURES) if P in ('P_DCG', 'P_AP')]
    scores = np.moveaxis(scored(QRELS)[some], 0, 2)
    wanted = topic_robustness(scores, sizes=[5, 10], n_trials=2000, n_resamples=0, rng=1)
    for size, tau in wanted.to_frame().mean().items():
        assert paper['figure3'][f'N={size}', 'fat'].value == pytest.approx(tau, abs=0.04)


def test_a_page_is_one_document_a_topic(paper, monkeypatch):
    """Every relevant set that is scored has one document of grade 2 for each topic."""
    drawn = []
    original = Carterette.scores
    monkeypatch.setattr(
        Carterette, 'scores', lambda paper, qrels: drawn.append(qrels) or original(paper, qrels)
    )
    paper.pages()
    highest = paper.topic_qrels[paper.topic_qrels['relevance'] == 2]
    relevant = [qrels[qrels['relevance'] == 1] for qrels in drawn]
    assert len(drawn) == paper.n_seeds and len({tuple(each.index) for each in relevant}) > 1
    for each in relevant:
        assert set(each.index) <= set(highest.index)
        assert each['query_id'].tolist() == sorted(set(highest['query_id']))


def test_pages_are_retrieved_documents(monkeypatch):
    """Also where queries list their documents in other orders."""
    qrels = {f'q{q}': {f'd{(q + d) % 4}': 2 for d in range(4)} for q in range(7)}
    run = {q: {'d1': 1.0} for q in qrels}
    paper, drawn = studies.paper('carterette', qrels, {'a': run, 'b': run}), []
    original = Carterette.scores
    monkeypatch.setattr(
        Carterette, 'scores', lambda paper, qrels: drawn.append(qrels) or original(paper, qrels)
    )
    paper.pages()
    assert {page for each in drawn for page in each['doc_id'][each['relevance'] == 1]} == {'d1'}


def test_claims_without_runs(paper):
    words = dict.fromkeys(('c06', 'c29', 'c32'), 'not testable')
    words |= {'c01': 'disagree', 'c02': 'agree'}  # of exact.yaml, which tests/test_papers.py checks
    assert {claim: paper.claim(claim).verdict for claim in words} == words
    web = studies.paper('carterette', QRELS, RUNS, name='TREC Web 2009, ad hoc')
    assert web.claim('c29').verdict != 'not testable'  # it is asked for by name


def test_claims_follow_the_tables(paper):
    """Moved cells move the verdicts."""
    for by, word in ((3, 'agree'), (-3, 'disagree')):
        shift = {'M2': by, 'fat': by, 'M3': -by}
        other = moved(paper, 'figure3', lambda _, column, by=shift: by.get(column, 0))
        assert (other.claim('c15').verdict, other.claim('c20').verdict) == (word, word)
