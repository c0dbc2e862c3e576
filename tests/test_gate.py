"""One gate: every way to spoil input is told of at every door, honest data are not; ties; exact scores."""

import threading
import warnings

import pytest

from ir_divmeasures import (
    diagnose,
    evaluate,
    meta,
    read_qrels,
    read_run,
)
from ir_divmeasures.data.judgments import Judgments
from ir_divmeasures.data.runs import each
from ir_divmeasures.errors import ScoresWarning
from ir_divmeasures.evaluation.checks import Call, direction
from ir_divmeasures.evaluation.diagnose import MEASURES

from .builders import (
    QUICK,
    over,
    quietly,
    recorded_warnings,
)
from .corruptions import (
    ASKED,
    CORRUPTIONS,
    DOORS,
    ERROR,
    by_experiment,
    clean,
    messages_of,
    real_pair,
)

RUNS, JUDGED = clean()

# ------------------------------------------------------------------------------------------------------ corruptions


@over('door', DOORS)
def test_nothing_is_said_of_a_clean_collection(door, tmp_path):
    assert DOORS[door](RUNS, JUDGED, tmp_path) == []


@QUICK
@over('door', DOORS)
@over('name', CORRUPTIONS)
def test_corruption(name, door, tmp_path, quick):
    """Every door gives the warning that is expected and no other, once, with a count and at most 300 characters. In the
    quick form each corruption has one door."""
    if quick and list(CORRUPTIONS).index(name) % len(DOORS) != list(DOORS).index(door):
        return
    expected, spoil = CORRUPTIONS[name]
    runs, judged = spoil({system: run.copy() for system, run in RUNS.items()}, JUDGED.copy())
    messages = DOORS[door](runs, judged, tmp_path)
    if messages is None:  # a dict cannot have a document twice
        assert door == 'dict' and expected == ERROR
        return
    if name == 'other queries' and door != 'pt.Experiment':  # no query is left
        expected = ERROR
    assert {kind for kind, _ in messages} == {expected}, messages
    # evaluate also counts the queries that runs lack
    assert len(messages) == 1 + (name == 'queries in upper case' and door != 'pt.Experiment')
    for _, text in messages:
        assert len(text) <= 300 and (expected == ERROR or any(c.isdigit() for c in text))
        assert door != 'pt.Experiment' or 'ties=' not in text and 'missing=' not in text


def test_three_lines_of_warnings():
    """Of a call with more causes than that, and once for all systems of ``pt.Experiment``."""
    runs = {
        f'{name}{i}': run.assign(
            score=-run['score'] - i,
            doc_id=run['doc_id'].mask(run['rank'] % 3 == 0, run['doc_id'].str.upper()),
        )
        for i in range(3)
        for name, run in RUNS.items()
    }
    runs = {name: run[run['query_id'] < 'q15'] for name, run in runs.items()}
    spoilt = JUDGED.assign(relevance=JUDGED['relevance'] + 1)
    said = messages_of(lambda: evaluate(spoilt, runs, ASKED))
    assert len(said) == 3 and said[-1][1].endswith(' (and 1 more, see diagnose(qrels, runs))')
    said = by_experiment(runs, spoilt, None)
    assert len(said) == len({kind for kind, _ in said}) == 3
    assert all(len(text) <= 300 for _, text in said)


def test_one_warning_for_all_systems():
    spoilt = {
        f'{name}{i}': run.assign(score=-run['score'] - i)
        for i in range(3)
        for name, run in RUNS.items()
    }
    for jobs in (1, 2):
        with recorded_warnings() as caught:
            evaluate(JUDGED, spoilt, 'alpha_nDCG@10 nDCG@10', jobs=jobs)
        assert [w.category for w in caught] == [ScoresWarning]
        assert str(caught[0].message).startswith(
            '6 of 6 systems (A0, B0 and 4 more); the first: the scores seem '
        )
        assert {w.filename for w in caught} == {__file__}


def test_readers_of_workers_tell_too(tmp_path):
    (tmp_path / 'empty.run').write_text('')
    with recorded_warnings() as caught:
        evaluate(JUDGED, {**RUNS, 'C': tmp_path / 'empty.run'}, 'nDCG@10', jobs=2)
    texts = [str(w.message) for w in caught]
    assert len(texts) == 2 and 'empty.run: a run without documents' in texts[0]


def test_threads_lose_no_message():
    """Four threads evaluate ten times each; Python's own warnings are shown meanwhile."""
    spoilt = {'A': RUNS['A'].assign(score=-RUNS['A']['score'])}
    judged = read_qrels(JUDGED)

    def work():
        for _ in range(10):
            evaluate(judged, spoilt, 'nDCG@10')
            warnings.warn('of the user', RuntimeWarning, stacklevel=1)

    with recorded_warnings() as caught:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    kinds = [w.category for w in caught]
    assert kinds.count(ScoresWarning) == kinds.count(RuntimeWarning) == 40 == len(kinds) / 2


# ------------------------------------------------------------------------------------------------------ honest data

WEB = {2009: 0, 2010: 2, 2011: 1, 2012: 1, 2013: 0, 2014: 0}
"""How many runs of each year are told of, because ties move a mean by at least .005."""


@pytest.mark.slow
def test_web_tracks(shared):
    """A call for each run, one for all, ``compare`` and ``pt.Experiment``."""
    for year in WEB:
        paths, qrels = real_pair(shared, f'Web Track {year}')
        judged, runs = read_qrels(qrels), {path.name: read_run(path) for path in paths}
        single = [each for run in runs.values() for each in said_of(judged, run)]
        assert [kind for kind, _ in single] == ['ScoresWarning'] * WEB[year]
        assert len(said_of(judged, runs)) == min(WEB[year], 1)
        assert len(by_experiment(runs, judged, None, MEASURES)) == min(WEB[year], 1)
        with quietly():
            scores = evaluate(judged, runs, MEASURES)
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            meta.compare(scores)


def said_of(judged, runs, asked=MEASURES):
    return messages_of(lambda: evaluate(judged, runs, asked))


@QUICK
def test_trec_covid_with_adhoc_measures(shared, quick):
    """Nothing about judgments, queries or documents. Four of 126 runs have ties that move nDCG@20 or P@20 by .005 to .08."""
    runs, qrels = real_pair(shared, 'TREC-COVID round 5')
    if quick:
        assert messages_of(lambda: evaluate(qrels, runs[:6], 'nDCG@20 P@20 AP')) == []
        return
    ((kind, text),) = messages_of(lambda: evaluate(qrels, runs, 'nDCG@20 P@20 AP'))
    assert kind == 'ScoresWarning' and text.startswith('4 of 126 systems (DoRAWithJudgments_6k, ')


@QUICK
def test_no_honest_run_is_the_wrong_way_round(shared, quick):
    """Also cut at 10 or 20 documents. Many of the same runs with negated scores are."""
    web = [f'Web Track {year}' for year in WEB]
    for name in ['AMBIENT'] if quick else [*web, 'AMBIENT', 'duc04']:
        runs, judged = real_pair(shared, name)
        judgments = Judgments.of(judged)
        for system, run in each(runs):
            ranked = run.table.sort_values('score', ascending=False, kind='stable')
            for depth in (10, 20, None):
                rows = ranked.groupby('query_id').head(depth) if depth else ranked
                overlay = judgments.align(rows)
                call = Call(judgments, run, overlay, overlay.located(), 1, None, True)
                assert direction(call) is None, (system, depth)


@over('at_end, at_top, is_told', [(9, 0, True), (8, 0, False), (12, 1, True), (12, 2, False)])
def test_direction_from_evidence(at_end, at_top, is_told):
    """The relevant document of 20 is the last one in some queries, and the first in others: 9 − 0 = 3·√9, but 8 < 3·√8;
    12 − 1 > 3·√13, but 12 − 2 < 3·√14."""
    relevant = {f'q{i}': 20 if i < at_end else 1 for i in range(at_end + at_top)}
    run = {q: {f'd{j}': 20.0 - j for j in range(1, 21)} for q in relevant}
    qrels = {q: {f'd{j}': {'1': 1, '2': 0}} for q, j in relevant.items()}
    said = [each for each in diagnose(qrels, {'A': run}).questions if 'distances' in each]
    assert len(said) == is_told and all(
        f'higher for {at_end} of {at_end + at_top} queries' in each for each in said
    )


# ---------------------------------------------------------------------------------------------------------- ties

TIED = {'q': {'d1': 1.0, 'd2': 1.0, 'd3': 0.5}}
TIED_QRELS = {'q': {'d1': {'a': 1, 'b': 1}, 'd2': {'a': 0}, 'd3': {'a': 1}}}


@pytest.mark.parametrize(
    'ties, value', [('doc_id', 0.0), ('doc_id_ascending', 1.0), ('rows', 1.0), (None, 0.0)]
)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.errors.ScoresWarning')
def test_ties_decide_the_first_document(ties, value, tmp_path, ran):
    """d1 has both subtopics, d2 none. By doc_id descending d2 is first. StRecall@1 and P@1 are then 0, else 1."""
    found = evaluate(TIED_QRELS, TIED, 'StRecall@1 P@1', ties=ties).values
    assert found.tolist() == [[[value, value]]]
    (tmp_path / 'a.run').write_text(
        'q Q0 d1 1 1 t\nq Q0 d2 2 1 t\nq Q0 d3 3 0.5 t\n', encoding='utf-8'
    )
    (tmp_path / 'qrels').write_text('q a d1 1\nq b d1 1\nq a d2 0\nq a d3 1\n', encoding='utf-8')
    given = [] if ties is None else [f'--ties {ties}']
    out = ran('evaluate', tmp_path / 'qrels', tmp_path / 'a.run', 'StRecall@1', *given)
    assert out == f'StRecall@1\t{value:.4f}\n'


@over('n, warned', [(200, True), (201, False)])
def test_ties_are_told_of_from_a_mean_that_moves_by_005(n, warned):
    """d1 first: 1 of 200 queries gets 1 for 0."""
    qrels = {f'q{i}': TIED_QRELS['q'] for i in range(n)}
    run = {f'q{i}': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0} for i in range(n)}
    run['q5'] = TIED['q']
    with recorded_warnings() as caught:
        evaluate(qrels, run, 'StRecall@1')
    assert [w.category for w in caught] == [ScoresWarning] * warned
    if warned:
        assert str(caught[0].message) == (
            "system 'run': tied scores in 1 of 200 queries move the mean of StRecall@1 by up to +0.0050. Ties are "
            "ordered by doc_id, descending. Use ties='doc_id' to confirm this order and end this warning"
        )
    (small,) = diagnose(qrels, run, 'StRecall@1').questions[-1:]
    assert 'tied scores in 1 of' in small


@pytest.mark.filterwarnings('error')
@over(
    'run',
    [
        {'d1': 2.0, 'd3': 1.0, 'x': 0.5, 'y': 0.5},
        {'d1': 2.0, 'd2': 1.0, 'y': 1.0},
        {'x': 3.0, 'z': 2.0, 'd1': 1.0, 'd2': 1.0},
    ],
)
def test_ties_that_change_no_value_are_not_told_of(run):
    evaluate(TIED_QRELS, {'q': run}, 'StRecall@2')
    evaluate(TIED_QRELS, TIED, 'StRecall@1', ties='doc_id')


# ----------------------------------------------------------------------------------------------- exact scores and types


def test_same_rankings_of_few_documents_may_be_chance():
    qrels = {'q': {'d1': {'a': 1}, 'd3': {'b': 1}}}
    for n in (9, 10):
        run = {'q': {f'd{i}': 99.0 - i for i in range(n)}}
        questions = diagnose(qrels, {'A': run, 'B': run}).questions
        assert questions == ("systems: 'A', 'B' have the same rankings. Are they one system?",) * (
            n == 10
        )


def test_moves_of_ties_are_those_of_ties_alone():
    """A measure whose inner measure compares scores in 32 bits is compared with itself in one order of near ties."""
    scores = {f'd{i}': 1 - i // 2 * 1e-9 for i in range(8)}
    runs = {'a': {f'q{q}': scores for q in range(4)}}
    judged = {q: {'d1': {'1': 1}, 'd6': {'1': 2, '2': 1}} for q in runs['a']}
    with pytest.warns(ScoresWarning) as said:
        evaluate(judged, runs, 'IA(M="nDCG@5")')
    with quietly(Warning):
        descending, ascending = (
            evaluate(judged, runs, 'IA(M="nDCG@5")', ties=ties).values.mean()
            for ties in ('doc_id', 'doc_id_ascending')
        )
    texts = [str(each.message) for each in said if each.category is ScoresWarning]
    assert len(texts) == 1 and f'by up to {ascending - descending:+.4f}.' in texts[0]
