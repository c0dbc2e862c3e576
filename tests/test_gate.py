"""One gate: every way to spoil input has a kind of warning in every host, or a reason; ties; exact scores."""

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    DivMeasuresWarning,
    cli,
    diagnose,
    errors,
    evaluate,
    measures,
    read_qrels,
    read_run,
)
from ir_divmeasures.errors import (
    IdsWarning,
    RankColumnWarning,
    SameRankingWarning,
    ScoresWarning,
    TiesWarning,
)
from ir_divmeasures.evaluation.diagnose import MEASURES
from ir_divmeasures.evaluation.facts_of_runs import Facts
from ir_divmeasures.evaluation.gate import CHECKS, STAGES
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.io.runs import each
from ir_divmeasures.judgments.table import Judgments
from ir_divmeasures.pools import Pool

from . import corruptions
from .builders import (
    QUICK,
    expect_error,
    expect_warning,
    over,
    quietly,
    recorded_warnings,
    run_table,
)
from .corruptions import CORRUPTIONS, ERROR, REAL, RUNNERS, clean, real_pair

RUNS, JUDGED = clean()
KINDS = {
    kind.__name__: kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, DivMeasuresWarning)
    and kind is not DivMeasuresWarning
}


# ----------------------------------------------------------------------------------------------------- catalogue


def test_the_catalogue_is_complete():
    names = [corruption.name for corruption in CORRUPTIONS]
    assert len(names) >= 60 and len(set(names)) == len(names)
    kinds = {corruption.kind for corruption in CORRUPTIONS} - {ERROR, ''}
    assert kinds <= set(KINDS)
    # What is said elsewhere than in a check is tested where it is said: test_input, test_forms,
    # test_membership. Repeated rows are in the catalogue too.
    checked = {check.warning for check in CHECKS}
    assert {kind.__name__ for kind in set(KINDS.values()) - checked} == {
        'FewQueriesWarning',
        'FilesWarning',
        'MembershipWarning',
        'RepeatedRowsWarning',
        'TopicLevelWarning',
    }
    assert {kind.__name__ for kind in checked} <= kinds <= set(KINDS)
    assert {check.name for check in CHECKS} - {''} == {c.check for c in CORRUPTIONS} - {''} | {
        'queries in common'
    }, 'a check without a corruption'
    for check in CHECKS:
        assert check.stage in STAGES
    for corruption in CORRUPTIONS:
        for host in RUNNERS:
            expected = corruption.expected(host)
            assert (
                expected in {*KINDS, ERROR} or expected[:2] in ('- ', '× ') and len(expected) > 10
            ), host


@pytest.mark.parametrize('host', RUNNERS)
def test_nothing_is_said_of_a_clean_collection(host, tmp_path):
    assert RUNNERS[host](RUNS, JUDGED, tmp_path) == set()


@QUICK
@pytest.mark.parametrize('corruption', CORRUPTIONS, ids=lambda corruption: corruption.name)
def test_corruption(corruption, quick, tmp_path):
    """In every host, or in the quick form in one after the other: the kind that is expected, and none but those that may go
    with it."""
    pytest.importorskip('dask.dataframe')
    runs, judged = corruption.spoil({name: run.copy() for name, run in RUNS.items()}, JUDGED.copy())
    hosts = [host for host in RUNNERS if not corruption.expected(host).startswith('×')]
    for host in [hosts[CORRUPTIONS.index(corruption) % len(hosts)]] if quick else hosts:
        kinds_of, expected = RUNNERS[host], corruption.expected(host)
        wanted = set() if expected.startswith('-') else {expected}
        found = kinds_of(runs, judged, tmp_path)
        assert wanted <= found <= wanted | corruption.also, f'{host}: {found}, expected {expected}'


@QUICK
def test_real_data(shared, quick):
    """Every warning has a cause in the catalogue, and none of those is missing."""
    assert all(why for kinds in REAL.values() for _, why in kinds.values())
    for name in ('AMBIENT', 'neuclir24') if quick else REAL:
        found = {
            kind: len(about)
            for kind, about in corruptions.found_in(*real_pair(shared, name)).items()
        }
        assert found == {kind: n for kind, (n, _) in REAL[name].items()}, name


@QUICK
def test_false_alarms(shared, quick):
    """At most one run of ten has a warning whose cause, removed, changes no printed value."""
    n_runs = n_false = 0
    for name in ('Web Track 2013', 'AMBIENT') if quick else REAL:
        n, found = corruptions.false_alarms(*real_pair(shared, name))
        recorded = [(each, 'OrderWarning') for each in corruptions.FALSE_ALARMS.get(name, ())]
        assert found == recorded, name
        n_runs, n_false = n_runs + n, n_false + len({system for system, _ in found})
    assert quick or n_runs == 217 and n_false <= 0.1 * n_runs


@QUICK
def test_no_real_run_is_the_wrong_way_round(shared, quick):
    """Also cut at 10 or 20 documents."""
    for name in ['AMBIENT'] if quick else REAL:
        runs, judged = real_pair(shared, name)
        judgments = Judgments.of(judged)
        for system, run in each(runs):
            ranked = run.table.sort_values('score', ascending=False, kind='stable')
            for depth in (10, 20, None):
                rows = ranked.groupby('query_id').head(depth) if depth else ranked
                coded = judgments.collection.read(rows)
                assert Facts(judgments, run=run, coded=coded).direction >= 0, (system, depth)


@pytest.mark.filterwarnings('error')
def test_nothing_is_said_of_the_sample():
    Evaluator(measures(MEASURES), 'divmeasures/sample/diversity')


def test_one_warning_of_a_kind_and_call():
    spoilt = {
        f'{name}{i}': run.assign(score=-run['score'] - i)
        for i in range(3)
        for name, run in RUNS.items()
    }
    for jobs in (1, 2):
        with recorded_warnings() as caught:
            evaluate(spoilt, JUDGED, 'alpha_nDCG@10 nDCG@10', jobs=jobs)
        assert [w.category.__name__ for w in caught] == ['RankColumnWarning', 'SameRankingWarning']
        assert str(caught[0].message).startswith(
            '6 of 6 systems (A0, B0, A1, B1, A2 and 1 more); the first one: the scores are against the rank column in '
            '40 of 40 queries, exactly opposite in 40 (query \'q00\': rank 1 has the score -'
        )
        assert "another one ('A0', 'A1', 'A2'; and 1 more group)" in str(caught[1].message)
        assert {w.filename for w in caught} == {__file__}


@pytest.mark.parametrize('host', [host for host in RUNNERS if host not in ('Pool', 'diagnose')])
def test_three_lines_of_warnings(host, tmp_path, monkeypatch):
    """Of a call with six causes; a host that evaluates one system after the other gives as many for each."""
    said = []
    monkeypatch.setattr(corruptions, '_kinds', lambda call: said.extend(of_ours(call)) or set())
    runs = {
        name: corruptions.documents(run, str.upper, run['rank'] % 3 == 0).assign(
            score=np.round(run['score'] / 8), tag=run['query_id']
        )
        for name, run in RUNS.items()
    }
    spoilt = JUDGED.assign(
        subtopic_id=corruptions.two_spellings(JUDGED, '0{}'.format)['subtopic_id'],
        relevance=JUDGED['relevance'] / 2,
        Weight=1.0,
    )
    kinds = RUNNERS[host](runs, spoilt, tmp_path)
    assert 0 < max(len(said), len(kinds)) <= (6 if host == 'pt.Experiment' else 3)
    if host == 'evaluate':
        assert said[-1].endswith(
            '. And 3 more: TagsWarning, IdsWarning, TiesWarning; diagnose(runs, qrels) lists all'
        )


def of_ours(call):
    """The texts of our warnings that a call gives."""
    with recorded_warnings() as caught:
        call()
    return [str(w.message) for w in caught if issubclass(w.category, DivMeasuresWarning)]


def test_silenced_kinds_are_not_counted():
    runs = {'A': RUNS['A'].assign(score=-RUNS['A']['score']), 'B': RUNS['B']}
    spoilt = JUDGED.assign(Weight=1.0, relevance=JUDGED['relevance'] / 2)
    with recorded_warnings() as caught:
        warnings.simplefilter('ignore', errors.GradesWarning)
        evaluate({**runs, 'C': runs['B']}, spoilt, 'alpha_nDCG@10')
    kinds = [w.category.__name__ for w in caught]
    assert kinds == ['ColumnsWarning', 'RankColumnWarning', 'SameRankingWarning']
    assert not any(' more: ' in str(w.message) for w in caught)


def test_opposite_to_the_rank_column_but_for_two_documents():
    """In five queries the first two documents are exchanged. The ranks are texts."""
    run = RUNS['A'].assign(score=-RUNS['A']['score'], rank=RUNS['A']['rank'].astype(str))
    for _, rows in list(run.groupby('query_id'))[:5]:
        run.loc[rows.index[:2], 'score'] = rows['score'].to_numpy()[1::-1]
    with expect_warning('in 40 of 40 queries, exactly opposite in 35 ', RankColumnWarning):
        evaluate(run, JUDGED, 'nDCG@10')


@over(
    'at_end, from_end, at_top, is_told',
    [(8, 1, 2, True), (7, 1, 3, False), (8, 1, 1, False), (8, 5, 2, True), (8, 6, 2, False)],
)
def test_direction_from_evidence(at_end, from_end, at_top, is_told):
    """The relevant document of 20 is so many places from the end in some queries, and the first in others. Reversed, a
    query of the first kind has 1/log2(1 + from_end), at rank 5 .387 and at rank 6 .356, and the others have 0. So 8 of
    10 queries win, and the mean is 8 · .387 / 2 = 1.55 or 8 · .356 / 2 = 1.42 times as high."""
    relevant = {f'q{i}': 21 - from_end if i < at_end else 1 for i in range(at_end + at_top)}
    run = {q: {f'd{j}': 20.0 - j for j in range(1, 21)} for q in relevant}
    qrels = {q: {f'd{j}': {'1': 1, '2': 0}} for q, j in relevant.items()}
    shuffled = {q: dict(sorted(of.items())) for q, of in run.items()}
    said = [each for each in diagnose({'A': shuffled}, qrels).questions if 'distances' in each]
    assert len(said) == is_told and all(
        f'higher for {at_end} of the {at_end + at_top} queries' in each for each in said
    )


def test_scores_that_rise_once_in_a_query():
    scores = [1.0, 1.0, 1.0, 2.0]
    run = run_table(
        [(q, f'{q}-{j}', score) for q in map(str, range(9)) for j, score in enumerate(scores)]
    )
    with expect_warning(
        'scores rise along the rows, as ranks and distances do, in 9 of 9 queries', ScoresWarning
    ):
        Pool.from_runs({'a': run})


def test_the_rank_column_may_count_from_the_lowest_score_if_scores_agree():
    """Rows from the last rank to the first: scores rise, and so they should."""
    upside_down = RUNS['A'].iloc[::-1].reset_index(drop=True)
    assert diagnose({'A': upside_down}, JUDGED).kinds == ()


@over('n', [8, 9])
def test_few_documents_say_nothing(n):
    """Nine documents have eight pairs of neighbours."""
    run = pd.DataFrame(dict.fromkeys(['doc_id', 'rank', 'score'], range(n))).assign(query_id='q')
    assert bool(of_ours(lambda: Pool.from_runs({'a': run}))) == (n == 9)


@pytest.mark.filterwarnings('ignore::ir_divmeasures.errors.QueriesWarning')
def test_queries_whose_ids_differ_are_those_of_the_run():
    """Query c is in both; d is of the judgments alone."""
    judgments = {query: {'d1': {'1': 1}, 'd2': {'2': 1}} for query in ('A', 'B', 'c', 'd')}
    run = {query: {'d1': 2.0, 'd2': 1.0} for query in ('a', 'b', 'c', 'e')}
    with expect_warning(
        r"2 of 3 queries of the run that have no judgments have some if ids are "
        r"compared in lower case \(run: 'a', judgments: 'A'\)\. They do not count$",
        IdsWarning,
    ):
        evaluate(run, judgments, 'P@2')


def test_ids_in_the_message():
    runs = {'A': RUNS['A'].assign(doc_id=RUNS['A']['doc_id'] + '.txt')}
    with expect_warning(
        r"[0-9]+ of 200 unjudged documents in the top 10 of 20 queries are judged if "
        r"ids are compared without a file suffix \(run: 'doc00x\d+\.txt', judgments: ",
        IdsWarning,
    ):
        evaluate(runs, JUDGED, 'nDCG@10')


# ---------------------------------------------------------------------------------------------------------- ties

TIED = {'q': {'d1': 1.0, 'd2': 1.0, 'd3': 0.5}}
TIED_QRELS = {'q': {'d1': {'a': 1, 'b': 1}, 'd2': {'a': 0}, 'd3': {'a': 1}}}


@pytest.mark.parametrize(
    'ties, value', [('doc_id', 0.0), ('doc_id_ascending', 1.0), ('rows', 1.0), (None, 0.0)]
)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.errors.TiesWarning')
def test_ties_decide_the_first_document(ties, value, tmp_path, capsys):
    """d1 has both subtopics, d2 none. By doc_id descending d2 is first. StRecall@1 and P@1 are then 0, else 1."""
    found = evaluate(TIED, TIED_QRELS, 'StRecall@1 P@1', ties=ties).values
    assert found.tolist() == [[[value, value]]]
    frame = run_table([('q', d, s) for d, s in TIED['q'].items()])
    reverse = evaluate(frame.iloc[[1, 0, 2]], TIED_QRELS, 'StRecall@1', ties=ties).values
    assert reverse.tolist() == [[[0.0 if ties == 'rows' else value]]]
    (tmp_path / 'a.run').write_text(
        'q Q0 d1 1 1 t\nq Q0 d2 2 1 t\nq Q0 d3 3 0.5 t\n', encoding='utf-8'
    )
    (tmp_path / 'qrels').write_text('q a d1 1\nq b d1 1\nq a d2 0\nq a d3 1\n', encoding='utf-8')
    given = [] if ties is None else ['--ties', ties]
    assert (
        cli.main(
            ['evaluate', str(tmp_path / 'qrels'), str(tmp_path / 'a.run'), 'StRecall@1', *given]
        )
        == 0
    )
    assert capsys.readouterr().out == f'StRecall@1\t{value:.4f}\n'


def test_unknown_ties():
    with expect_error("ties='id': expected one of 'doc_id', 'doc_id_ascending', 'rows'"):
        evaluate(TIED, TIED_QRELS, 'P@1', ties='id')


@over('n, warned', [(100, True), (101, False), (200, False)])
def test_ties_are_told_of_from_one_query_of_a_hundred(n, warned):
    qrels = {f'q{i}': TIED_QRELS['q'] for i in range(n)}
    run = {f'q{i}': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0} for i in range(n)}
    run['q5'] = TIED['q']
    with recorded_warnings() as caught:
        evaluate(run, qrels, 'StRecall@1')
    assert [w.category for w in caught] == [TiesWarning] * warned
    if warned:  # d1 first: 1 of 100 queries gets 1 for 0
        assert "tied scores matter in 1 of 100 queries ('q5')" in str(caught[0].message)
        assert (
            'the mean of StRecall@1 moves by +0.0000 to +0.0100 (+0.0100 by doc_id ascending'
            in str(caught[0].message)
        )


@over('run', [{'d1': 2.0, 'd3': 1.0, 'x': 0.5, 'y': 0.5}, {'d1': 2.0, 'd2': 1.0, 'y': 1.0}])
def test_ties_that_change_no_value_are_not_told_of(run):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        evaluate({'q': run}, TIED_QRELS, 'StRecall@2')


@pytest.mark.filterwarnings('error')
def test_ties_below_the_cutoff_are_not_told_of():
    evaluate({'q': {'x': 3.0, 'd1': 1.0, 'd2': 1.0}}, TIED_QRELS, 'StRecall@1')
    evaluate(TIED, TIED_QRELS, 'StRecall@1', ties='doc_id')


# ----------------------------------------------------------------------------------------------- exact scores and types

LARGE = 2**60
"""Floats in its neighbourhood are 128 apart."""


@over('form', ['unsigned', 'objects', 'dict', 'json', 'csv', 'run'])
def test_large_whole_numbers_are_ordered_exactly(form, tmp_path):
    """As floats, the scores of d1, d2 and d3 are one, and d3 would be first."""
    frame = pd.DataFrame({'query_id': 'q', 'doc_id': ['d1', 'd2', 'd3']})
    frame['score'] = [LARGE + 3, LARGE + 2, LARGE + 1]
    nested, path = {'q': dict(zip(frame['doc_id'], frame['score'].tolist()))}, tmp_path / 'a'
    forms = {
        'unsigned': frame.assign(score=frame['score'].astype('uint64') + np.uint64(2**63 - LARGE)),
        'objects': frame.assign(score=pd.Series([10**30 + i for i in (3, 2, 1)], dtype=object)),
        'dict': nested,
    }
    if form == 'json':
        path.write_text(json.dumps(nested), encoding='utf-8')
    elif form == 'csv':
        frame.to_csv(path, index=False)
    elif form == 'run':
        columns = frame.assign(q0='Q0', rank=0, tag='t')
        columns = columns[['query_id', 'q0', 'doc_id', 'rank', 'score', 'tag']]
        columns.to_csv(path, sep=' ', header=False, index=False)
    run = forms.get(form, path)
    qrels = {'q': {'d1': {'a': 1}, 'd2': {'b': 0}, 'd3': {'b': 1}}}
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = evaluate({'A': run}, qrels, 'StRecall@1 StRecall@2')
    assert found.values.tolist() == [[[0.5, 0.5]]]
    read = read_run(run).set_index('doc_id')['score']
    assert read['d1'] > read['d2'] > read['d3']


def test_small_whole_numbers_stay_as_they_are():
    assert read_run({'q': {'d1': 2**53 - 1, 'd2': 7}})['score'].tolist() == [2.0**53 - 1, 7.0]


@over(
    'value',
    [
        pd.Timestamp('2026-01-01'),
        np.timedelta64(5, 'D'),
        datetime.date(2026, 1, 1),
        np.complex128(3),
    ],
)
def test_no_scores_and_no_grades(value):
    for as_object in (True, False):
        column = pd.Series([value, value], dtype=object) if as_object else pd.Series([value, value])
        ids = {'query_id': ['q', 'q'], 'doc_id': ['a', 'b']}
        with expect_error(r"run: query 'q', document 'a': score is .*, expected a number"):
            read_run(pd.DataFrame({**ids, 'score': column}))
        with expect_error(r"query 'q', document 'a', subtopic '0': grade is .*, expected a number"):
            read_qrels(pd.DataFrame({**ids, 'relevance': column}))


def test_columns_of_one_name():
    run = RUNS['A'][['query_id', 'doc_id', 'score']]
    with expect_error(
        r"run: has the column 'score' twice \(found query_id, doc_id, score, score\)"
    ):
        read_run(pd.concat([run, run[['score']]], axis=1))
    with expect_error("has the column 'relevance' twice"):
        read_qrels(pd.concat([JUDGED, JUDGED[['relevance']]], axis=1))


def test_same_rankings_of_few_documents_may_be_chance():
    small = {'q': {f'd{i}': 9.0 - i for i in range(9)}}
    qrels = {'q': {'d1': {'a': 1}, 'd3': {'b': 1}}}
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        evaluate({'A': small, 'B': small}, qrels, 'StRecall@2')
    larger = {'q': {f'd{i}': 99.0 - i for i in range(10)}}
    with expect_warning('2 of 2 systems have the rankings of another one', SameRankingWarning):
        evaluate({'A': larger, 'B': larger}, qrels, 'StRecall@2')


def test_moves_of_ties_are_those_of_ties_alone():
    """A measure whose inner measure compares scores in 32 bits is compared with itself in one order of near ties."""
    scores = {f'd{i}': 1 - i // 2 * 1e-9 for i in range(8)}
    runs = {'a': {f'q{q}': scores for q in range(4)}}
    judged = {q: {'d1': {'1': 1}, 'd6': {'1': 2, '2': 1}} for q in runs['a']}
    with pytest.warns(TiesWarning) as said:
        evaluate(runs, judged, 'IA(M="nDCG@5")')
    with quietly(Warning):
        descending, ascending = (
            evaluate(runs, judged, 'IA(M="nDCG@5")', ties=ties).values.mean()
            for ties in ('doc_id', 'doc_id_ascending')
        )
    texts = [str(each.message) for each in said if each.category is TiesWarning]
    assert len(texts) == 1 and f'({ascending - descending:+.4f} by doc_id ascending' in texts[0]
