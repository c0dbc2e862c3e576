"""Groups, proportionality and sessions: FairWeb's pilot, files that are wrong, and cases that the twins do not show."""

import gzip
import pathlib

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    DivMeasuresWarning,
    evaluate,
    read_qrels,
    read_run,
)
from ir_divmeasures.core.names import ANSWERS, UnknownMeasureError
from ir_divmeasures.core.registry import parse
from ir_divmeasures.judgments import read_groups

from .builders import expect_error, over, refused
from .reference.groups import GF_of
from .reference.twins import Query

ATTRIBUTES = ('R-HINDEX', 'R-GENDER', 'M-RATINGS', 'M-ORIGIN', 'T-FOLLOWERS', 'Y-SUBSCS')
RUNS = {'bm25': 'run.bm25-depThre6.bm25-depThre6', 'qljm': 'run.qljm-depThre6'}


# ----------------------------------------------------------------------------------------------------- FairWeb's pilot


@pytest.fixture(scope='module')
def pilot(shared):
    folder = shared / 'data/fairweb'
    return folder, read_groups(
        folder / 'fairweb1pilot.qrels',
        {name: folder / f'fairweb1pilot.{name}.gmemb' for name in ATTRIBUTES},
        {name: folder / f'{name}.golddistr' for name in ATTRIBUTES},
    )


def lines(path):
    return [line.split() for line in path.read_text().splitlines()]


def test_scores_of_the_pilot_are_those_of_the_definition(pilot):
    """From the files themselves: grades, memberships and targets, without read_groups."""
    folder, table = pilot
    asked = "GFR(divergence='NMD,JSD',rel=0,max_rel=2)@10"
    scores = evaluate({name: folder / file for name, file in RUNS.items()}, table, asked)
    graded = {
        (topic, doc): int(level[1:]) for topic, doc, level in lines(folder / 'fairweb1pilot.qrels')
    }
    sets = {}
    for name in ATTRIBUTES:
        target = {str(g): float(x) for g, (x,) in enumerate(lines(folder / f'{name}.golddistr'), 1)}
        shares = {}
        for topic, doc, *p in lines(folder / f'fairweb1pilot.{name}.gmemb'):
            shares.setdefault(topic, {}).update({(doc, g): float(x) for g, x in zip(target, p)})
        for topic, known in sorted(shares.items()):
            groups = Query((), known, target, named=tuple(target), reading='listed')
            sets.setdefault(topic, []).append(groups)
    for s, file in enumerate(RUNS.values()):
        run = read_run(folder / file).sort_values(['score', 'doc_id'], ascending=False)
        for q, topic in enumerate(scores.queries):
            docs = run['doc_id'][run['query_id'] == topic][:10].tolist()
            x = [(2 ** graded.get((topic, d), 0) - 1) / 4 for d in docs]
            left = np.cumprod([1.0, *(1 - np.array(x))])[:-1] * x
            value = [np.sum(left / np.arange(1, len(x) + 1))]
            for groups, kind in zip(sets[topic], ('NMD', 'JSD')):
                value.append(GF_of(x, groups, docs, 0, kind))
            assert scores.values[s, q, 0] == pytest.approx(np.mean(value), abs=1e-12), (file, topic)


# ------------------------------------------------------------------------------------------------------ wrong files

GOOD = {'qrels': 't d1 L2\nt d2 L0\n', 'members': 't d1 1 3\nt d2 1 1\n', 'target': '0.5\n0.5\n'}


def read(folder, **texts):
    for name, text in {**GOOD, **texts}.items():
        (folder / name).write_text(text)
    return read_groups(folder / 'qrels', {'a': folder / 'members'}, {'a': folder / 'target'})


@over(
    'file, text, said',
    [
        (
            'members',
            't d1 1 3 1\n',
            r'members, line 1: found 3 memberships, expected 2, as many as .*target has target',
        ),
        ('members', '# shares\nt d1 1\n', r'members, line 2: found 1 memberships, expected 2'),
        (
            'members',
            't d1 1 3\nt d2 1\n',
            r'members, line 2: expected 4 fields \(query_id doc_id p_1 p_2\), found 3',
        ),
        (
            'members',
            't d1 1 3\n\nt d2 1 -0.5\n',
            r'members, line 3: found the share -0.5 of group 2, expected a number',
        ),
        ('members', 't d1 1 x\n', r"members, line 1: p_2 is 'x', expected a number"),
        ('members', 't d1 1 inf\n', r'members, line 1: found the share inf of group 2'),
        (
            'members',
            't d1 1 3\nt d1 1 3\n',
            r"members, line 2: duplicate document 'd1' of topic 't'",
        ),
        ('members', 'u d1 1 3\n', r"members: no topic of the judgments \('t', …\); found 'u'"),
        ('members', '', r'members: no topic of the judgments'),
        (
            'target',
            '0.5\n-0.5\n',
            r'target, line 2: found the share -0.5, expected a number of at least 0',
        ),
        (
            'target',
            '0\n0\n',
            r'target: expected target shares of which at least one is above 0, found 2 lines of 0',
        ),
        (
            'target',
            '',
            r'target: expected target shares of which at least one is above 0, found no lines',
        ),
        ('target', 'a\n0.5\n', r"target, line 1: share is 'a', expected a number"),
        (
            'qrels',
            't d1 L2\nt d2 Lx\n',
            r"qrels, line 2: grade is 'Lx', expected one such as 'L2' or '2'",
        ),
        ('qrels', 't d1 L2\nt d1 L1\n', r"qrels, line 2: duplicate document 'd1' of topic 't'"),
    ],
)
def test_wrong_files_are_named_with_their_line(tmp_path, file, text, said):
    refused(said, read, tmp_path, **{file: text})


def test_wrong_arguments(tmp_path):
    read(tmp_path)
    file = tmp_path / 'members'
    refused("targets: no file for attribute 'a'", read_groups, tmp_path / 'qrels', {'a': file}, {})
    with expect_error("members: no file for attribute 'b'"):
        read_groups(tmp_path / 'qrels', {'a': file}, {'a': file, 'b': file})
    refused('members: no attributes', read_groups, tmp_path / 'qrels', {}, {})
    with expect_error('members: expected a dict', TypeError):
        read_groups(tmp_path / 'qrels', file, file)
    with expect_error('nothing: no such file', FileNotFoundError):
        read_groups(tmp_path / 'qrels', {'a': tmp_path / 'nothing'}, {'a': tmp_path / 'target'})


def test_what_is_read(tmp_path):
    """Counts; a document without a membership; a grade without L; memberships that are lost; an omitted topic."""
    with pytest.warns(DivMeasuresWarning) as caught:
        table = read(
            tmp_path,
            qrels='t d1 L2\nt d2 0\nt d3 1\nt d4 L1\nu d1 1\n',
            members='t d1 1 3\nt d2 1 0\nt d3 0 0\nt d9 0 1\nv d1 1 0\n',
            target='30\n10\n',
        )
    said = [str(each.message) for each in caught]
    assert (
        len(said) == 2
        and "1 of 2 judged topics are omitted, since no attribute names them: 'u'" in said[0]
    )
    assert said[1].startswith('2 memberships are lost')  # d2 has no grade above 0, d9 no judgment
    assert table.groupby('doc_id')['relevance'].agg(list).to_dict() == {
        'd1': [2 / 3, 2],
        'd2': [0, 0],
        'd3': [1, 1],
        'd4': [1, 1],
    }
    assert set(table['weight']) == {30, 10}


def test_judgments_may_be_of_any_form(tmp_path):
    expected = read(tmp_path)
    for qrels in ({'t': {'d1': 2, 'd2': 0}}, tmp_path / 'trec'):
        (tmp_path / 'trec').write_text('t 0 d1 2\nt 0 d2 0\n')
        found = read_groups(qrels, {'a': tmp_path / 'members'}, {'a': tmp_path / 'target'})
        pd.testing.assert_frame_equal(found, expected)
    (tmp_path / 'qrels.gz').write_bytes(gzip.compress(GOOD['qrels'].encode()))
    pd.testing.assert_frame_equal(
        read_groups(tmp_path / 'qrels.gz', {'a': tmp_path / 'members'}, {'a': tmp_path / 'target'}),
        expected,
    )


# --------------------------------------------------------------------------------------------------- group fairness


def test_groups_stand_in_the_order_of_their_ids():
    """10 is far from 1, 2 is near: all documents are of group 1."""
    weights = {'1': 0, '2': 1, '10': 0}
    near, far = ({'q': {'d': {'1': 1, '2': 0, '10': 0}}}, {'q': {'d': {'1': 0, '2': 0, '10': 1}}})
    for qrels, target in ((near, weights), (far, {'1': 1, '2': 0, '10': 0})):
        table = read_qrels(qrels).assign(weight=lambda t: t['subtopic_id'].map(target))  # noqa: B023
        value = evaluate(
            {'s': {'q': {'d': 1.0}}}, table, "GF(divergence='NMD',max_rel=1)"
        ).values.item()
        assert value == pytest.approx(0.5 * (1 - (0.5 if qrels is near else 1)))


def test_weights_of_0_give_0():
    table = read_qrels({'q': {'d': {'1': 1, '2': 1}}}).assign(weight=0.0)
    found = evaluate({'s': {'q': {'d': 1.0}}}, table, 'GF GFR CPR@2 GF(divergence="RNOD")')
    assert found.values[0, 0].tolist() == pytest.approx([0, 0.25, 0, 0])  # ERR is 1/2


def test_cpr_needs_a_cutoff():
    with expect_error('CPR needs a cutoff, as in CPR@20'):
        evaluate({'s': {'q': {'d': 1.0}}}, {'q': {'d': {'1': 1}}}, 'CPR')


def test_more_layers_than_divergences_is_an_error():
    table = pd.concat(
        [read_qrels({'q': {'d': {'1': 1}}}).assign(layer=n, weight=1.0) for n in (1, 2, 3)]
    )
    run = {'s': {'q': {'d': 1.0}}}
    with expect_error("divergence='NMD,JSD': 2 divergences, but a query has 3 layers"):
        evaluate(run, table, "GFR(divergence='NMD,JSD')")
    two = evaluate(
        run, table[table['layer'] < 3], "GFR(divergence='NMD,JSD,RNOD')"
    )  # the first ones count
    assert two.values.item() == pytest.approx(0.5)
    for wrong in ("GFR(divergence='NMD,XYZ')", "GF(divergence='NMD,JSD')", "GFR(divergence='')"):
        refused('divergence', parse, wrong)
    assert str(parse("GFR(divergence='NMD, JSD')")) == "GFR(divergence='NMD,JSD')"


# ---------------------------------------------------------------------------------------------------- proportionality


@over('k', [7, 100_000, 10**12])
def test_cpr_at_a_deep_cutoff(k):
    """One document of two intents: from rank 2 on v − s = i/2 − 1, i/2 for the other, n = i − 1; summed by hand."""
    found = evaluate(
        {'s': {'q': {'d': 1.0}}}, {'q': {'d': {'1': 1}, 'e': {'2': 1}}}, f'CPR@{k}'
    ).values.item()
    i = np.arange(2.0, min(k, 100_000) + 1)
    dp = (
        (i / 2 - 1) ** 2 + (i / 2) ** 2 + (i - 1) ** 2 / 2
    )  # at rank 1: v = 1/2 < s, 1/4 of the other, n = 0
    summed = (1 - 1 / 4) + np.sum(1 - dp / i**2)
    if k > len(i) + 1:  # 1 − DP/IDP is 2/i − 3/2/i²
        summed += 2 * np.log(k / 1e5)
    assert found == pytest.approx(summed / k, rel=1e-5 if k > 100_000 else 1e-11)


def test_a_weight_that_is_due_very_late():
    table = read_qrels({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}).assign(
        weight=lambda t: t['subtopic_id'].map({'1': 1.0, '2': 1e-300})
    )
    both = evaluate({'s': {'q': {'d1': 2.0, 'd2': 1.0}}}, table, 'CPR@2').values.item()
    # rank 1: v = s. rank 2: v_1 = 2, s_1 = 1: 1 of 4 + 2
    assert both == pytest.approx((1 + 5 / 6) / 2)


# ------------------------------------------------------------------------------------------------------------ sessions

SESSION = pd.DataFrame(
    [('q', 'd1', 2.0, 1), ('q', 'd2', 1.0, 2)], columns=['query_id', 'doc_id', 'score', 'iteration']
)
QRELS = {'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}


@over('name', ['sesDCG', 'nsDCG@3', 'sRBP@2'])
def test_a_run_without_iterations_is_an_error(name):
    with expect_error(rf"{name.split('@')[0]}.* needs a run with a column 'iteration'"):
        evaluate(SESSION.drop(columns='iteration'), QRELS, name)
    with expect_error('iterations go back along a ranking: rank 1 is of iteration 2'):
        evaluate(SESSION.assign(iteration=[2, 1]), QRELS, name)
    with expect_error("document 'd1': iteration is 0, expected a whole number of at least 1"):
        evaluate(SESSION.assign(iteration=[0, 1]), QRELS, name)


def test_nsdcg_needs_a_cutoff_and_may_exceed_1():
    refused('nsDCG needs a cutoff, the number of iterations', evaluate, SESSION, QRELS, 'nsDCG')
    value = evaluate(SESSION.assign(iteration=1), QRELS, 'nsDCG(per_iteration=1)@1').values.item()
    assert value == pytest.approx((1 + 2 / 2) / 2)
    more = evaluate(
        SESSION.assign(iteration=1, score=[1.0, 2.0]), QRELS, 'nsDCG(per_iteration=1)@1'
    ).values.item()
    assert more == pytest.approx((2 + 1 / 2) / 2) and more > 1
    assert (
        evaluate(
            SESSION, QRELS, 'nsDCG(per_iteration=1000000000000000)@1000000000000000'
        ).values.item()
        <= 1
    )


# -------------------------------------------------------------------------------------------- names that are answered


@over(
    'name, said',
    [
        ('sDCG@10', 'session DCG is sesDCG'),
        ('AWRF@20', 'TREC Fair Ranking'),
        ('awrf', 'exposure'),
        ('EE', 'diazf/expeval'),
        ('ild_10', 'DocSim'),
        ('Vendi Score@5', 'vendi_score'),
        ('α-β-nDCG', 'Parapar'),
    ],
)
def test_names_out_of_scope_are_answered(name, said):
    import ir_measures

    for understood in (parse, ir_measures.parse_measure):
        refused(said, understood, name, error=UnknownMeasureError)


def test_every_answer_is_on_the_page_of_the_scope():
    page = (pathlib.Path(__file__).parents[1] / 'docs/scope.md').read_text(encoding='utf-8')
    assert all(name in page for name, *_ in ANSWERS if name != 'sDCG')


def test_ir_measures_keeps_its_sdcg():
    import ir_measures

    assert str(parse("SDCG(max_rel=4)@10")) == str(ir_measures.parse_measure('SDCG(max_rel=4)@10'))
    refused('needs max_rel', parse, 'SDCG@10')
