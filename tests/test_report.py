"""The HTML report: what it says, that nothing of the user's becomes markup, and that it works in a browser."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
import shutil
import sys
import warnings

import numpy as np
import pytest
from lxml import html as parse

import ir_divmeasures
from ir_divmeasures import DivMeasuresWarning, Scores, evaluate, meta, report, reporting
from ir_divmeasures.reporting import charts as drawing
from ir_divmeasures.reporting import row_charts
from ir_divmeasures.reporting.charts import short
from ir_divmeasures.reporting.letters import _letter, _letters, significance_groups
from ir_divmeasures.results.estimates import bounded

from .builders import over

EVIL = '</script><img src=x onerror=document.title="owned"><!--\u2028&"\'`${1}{{7*7}}'
MATHS = r'$\frac{$ &lt;漢\input{/etc/passwd} ]]>' + '\x07'
QRELS = {
    'q1': {'d1': {'1': 1}, 'd2': {'2': 2}, 'd3': {'1': 0}},
    'q2': {'d1': {'1': 1}, 'd4': {'2': 0}},
}
RUNS = {
    'a': {'q1': {'d1': 3.0, 'd2': 2.0, 'd9': 1.0}, 'q2': {'d4': 2.0, 'd1': 1.0}},
    'b': {'q1': {'d3': 2.0, 'd1': 1.0}, 'q2': {'d1': 1.0}},
    'c': {'q1': {'d2': 1.0, 'd1': 1.0}, 'q2': {}},
}
MEASURES = 'StRecall@2 alpha_nDCG@2'


def written(path, runs=RUNS, qrels=QRELS, measures=MEASURES, **options):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        page = parse.fromstring(
            pathlib.Path(report(runs, qrels, measures, path, **options)).read_text('utf-8')
        )
    return page, json.loads(page.get_element_by_id('data').text)


@pytest.fixture(scope='module')
def page(tmp_path_factory):
    return written(tmp_path_factory.mktemp('report') / 'r.html')


def table(page, section, number=0):
    """The rows of a table, with ' | ' between the cells."""
    found = page.get_element_by_id(section).findall('.//table')[number]
    return [' | '.join(''.join(cell.itertext()) for cell in row) for row in found.find('tbody')]


def charts(page, section):
    """The charts of a section; the parser of HTML leaves their elements without a namespace."""
    return page.get_element_by_id(section).findall('.//svg')


def texts_of(chart):
    return [text.text for text in chart.iter('text')]


# ------------------------------------------------------------------------------------------------- what it says


def test_a_pool_has_a_section(tmp_path):
    """Of the relevant d1, d2 of q1 and d1 of q2: team A (a) has all, C (c) those of q1, B d1 twice."""
    runs = {**RUNS, EVIL: RUNS['b']}
    pool = ir_divmeasures.Pool.from_runs(runs, 10, {'a': 'A', 'b': 'B', 'c': 'C', EVIL: EVIL})
    page, _ = written(tmp_path / 'r.html', runs, measures='StRecall@2', pool=pool)
    headings = [each.text for each in page.get_element_by_id('pool').findall('.//h3')]
    assert headings == [
        'Relevant documents that one team alone found',
        'What each run adds to the union of the others',
        'How the union grows',
        'How far the judgments depend on each team',
        'Near-duplicate runs',
        'Reusability',
    ]
    added = {tuple(row.split(' | ')[::2][:2]) for row in table(page, 'pool', 1)}
    assert added == {('a', '3'), ('b', '2'), ('c', '2'), (EVIL, '2')}
    assert [row.split(' | ', 1)[1] for row in table(page, 'pool', 2)] == [
        '1 | 3 | 3',
        *(f'{n} | 3 | 0' for n in (2, 3, 4)),
    ]  # a has all
    assert table(page, 'pool', 4)[0].startswith(f'{EVIL} | b | 1')
    drawn = [chart.get('aria-label') for chart in charts(page, 'pool')]
    assert drawn == [headings[place] for place in (0, 2, 3, 5)]
    assert {'A', 'B', 'C', short(EVIL)} <= {*texts_of(charts(page, 'pool')[0])}
    assert not page.get_element_by_id('pool').findall('.//img')
    file = tmp_path / 'pool.parquet'
    pool.save(file)
    again, _ = written(tmp_path / 's.html', runs, measures='StRecall@2', pool=str(file))
    assert table(again, 'pool', 1) == table(page, 'pool', 1)


def test_subtopics_say_who_finds_them(page, tmp_path):
    """Among the first two: q1, 1 has d1 (a at 1, b and c at 2); q1, 2 has d2 (a at 2, c at 1); q2, 1 has d1 (a at 2,
    b at 1); q2, 2 has no relevant document."""
    page, _ = written(tmp_path / 'r.html', depth=2)
    assert table(page, 'intents') == [
        'q1 | 2 | 1 | 2 | 0.667 | 1 | a, c',
        'q2 | 1 | 1 | 2 | 0.667 | 1 | a, b',
        'q1 | 1 | 1 | 3 | 1 | 1 | all',
        'q2 | 2 | 0 | 0 | 0 | – | none',
    ]
    heads = ' | '.join(page.get_element_by_id('intents').xpath('.//thead//th/text()'))
    assert heads == 'query | subtopic | relevant documents | systems | share | best rank | found by'
    qrels = ir_divmeasures.read_qrels(QRELS).assign(text=EVIL, importance='vital')
    page, data = written(tmp_path / 's.html', qrels=qrels, topics={'q2': 'why'}, depth=1)
    first, *_, last = table(page, 'intents')
    assert first == f'q1 | 1 | {EVIL} | vital | 1 | 1 | 0.333 | 1 | a'
    assert last == f'q2 why | 2 | {EVIL} | vital | 0 | 0 | 0 | – | none'
    assert 'Nuggets' in page.xpath('//nav/a/text()')
    assert [each['text'] for each in data['subtopics'][0]] == [EVIL, EVIL]


def test_answers_have_a_section(tmp_path):
    """a retrieves nuggets 1 and 2 of q1 and states 1 in full and 2 in part; b retrieves 1 and states 2."""
    qrels = {'q1': QRELS['q1']}
    runs = {'a': {'q1': {'d1': 3.0, 'd2': 2.0}}, 'b': {'q1': {'d1': 1.0}}}
    labels = {
        'a': {'q1': {'1': 'support', '2': 'partial_support'}},
        'b': {'q1': {'1': 'not_support', '2': 'support'}},
    }
    answers = ir_divmeasures.read_answers(labels)
    page, _ = written(tmp_path / 'r.html', runs, qrels, answers=answers)
    heads = page.get_element_by_id('joint').findall('.//table')[0].xpath('.//th/text()')[:7]
    assert ' '.join(heads) == 'system used unused unsupported unfound found stated'
    assert table(page, 'joint') == [  # one query
        'a | 0.500 [0.123, 0.877] | 0.500 [0.123, 0.877] | 0.000 [0.000, 0.853] | 0.000 [0.000, 0.853] | '
        '1.000 [0.147, 1.000] | 0.500 [0.123, 0.877]',
        'b | 0.000 [0.000, 0.853] | 0.500 [0.123, 0.877] | 0.500 [0.123, 0.877] | 0.000 [0.000, 0.853] | '
        '0.500 [0.123, 0.877] | 0.500 [0.123, 0.877]',
    ]
    assert table(page, 'joint', 1) == [
        'q1 | 2 | 0.5 | 0.5 | 0 | 0.5 | 0.5 | 0',
        'q1 | 1 | 1 | 0.5 | 0.5 | 0.5 | 0 | 0',
    ]
    assert {'a', 'b', 'used', 'unfound'} <= {*texts_of(charts(page, 'joint')[0])}
    with pytest.raises(ValueError, match="system 'c' has no answers"):
        written(tmp_path / 's.html', {**runs, 'c': runs['a']}, qrels, answers=answers)
    with pytest.raises(TypeError, match='expected what read_answers gives, found dict'):
        written(tmp_path / 's.html', runs, qrels, answers={})


def test_parameters_have_a_section(tmp_path):
    """The third document of b costs more than it gives from e = 1/8 on, as in the example of `sensitivity`."""
    qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'1': 1}}}
    runs = {'a': {'q': {'d1': 2.0, 'd2': 1.0}}, 'b': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
    grid = {'p': [0.7, 0.8], 'e': [0, 0.1, 0.2, 0.3]}
    grids = {'RBU@20': grid, 'RBU@10': {'p': [0.8]}}
    page, _ = written(tmp_path / 'r.html', runs, qrels, 'RBU@20', sensitivity=grids)
    assert table(page, 'parameters') == [
        'b | 4 | 0.5 | 0.7 to 0.8 | 0 to 0.1',
        'a | 4 | 0.5 | 0.7 to 0.8 | 0.2 to 0.3',
    ]
    assert table(page, 'parameters', 1) == [
        'p | 0.7 | 0 | -1',
        'p | 0.8 | 0 | -1',
        'e | 0 | 1 | 1',
        'e | 0.1 | 1 | 1',
        'e | 0.2 | -1 | -1',
        'e | 0.3 | -1 | -1',
    ]
    (drawn,) = charts(page, 'parameters')  # one setting has no picture
    assert {'a', 'b', 'p', 'e'} <= {*texts_of(drawn)}
    assert drawn.find('.//image').get('href').startswith('data:image/png')
    known = [ir_divmeasures.sensitivity(runs, qrels, 'RBU@20', rng=0, **grid)]
    again, _ = written(tmp_path / 's.html', runs, qrels, 'RBU@20', sensitivity=known)
    assert table(again, 'parameters') == table(page, 'parameters')
    with pytest.raises(TypeError, match='sensitivity: expected {measure: {parameter: values}}'):
        written(tmp_path / 't.html', runs, qrels, 'RBU@20', sensitivity='RBU@20')


def test_ties_are_in_the_order_asked(tmp_path):
    """Of the tied d2, d1 (rows in this order) only the first counts: with d1 subtopic 1 is covered, with d2 2."""
    runs = {'c': {'q1': {'d2': 1.0, 'd1': 1.0}}}
    qrels = {'q1': {'d1': {'1': 1, '2': 1}, 'd2': {'2': 1}}}
    for ties, mean in (('doc_id', '0.5'), ('doc_id_ascending', '1.0'), ('rows', '0.5')):
        page, data = written(tmp_path / f'{ties}.html', runs, qrels, 'StRecall@1', ties=ties)
        assert table(page, 'leaderboard')[0].startswith(f'c | {mean}')
        first = data['documents'][0][data['tops'][0][0][0]]['id']
        assert first == {'doc_id_ascending': 'd1'}.get(ties, 'd2')
    with pytest.raises(ValueError, match="ties='id': expected one of 'doc_id'"):
        written(tmp_path / 'r.html', ties='id')


def test_the_leaderboard_has_the_means_of_evaluate(page):
    with pytest.warns(DivMeasuresWarning, match='lack queries'):
        means = evaluate(RUNS, QRELS, MEASURES).means()
    shown = [row.split(' | ') for row in table(page[0], 'leaderboard')]
    assert [[system, *(cell[:6] for cell in cells)] for system, *cells in shown] == [
        [system, *(f'{x:.4f}' for x in row)] for system, row in zip('abc', means.to_numpy())
    ]


def test_what_is_covered_is_said_by_rank(page):
    """q1 has relevant documents for subtopics 1 and 2, q2 for 1 only.

    a: q1 d1 d2 → 1/2 1, q2 d4 d1 → 0 1; b: q1 d3 d1 → 0 1/2, q2 d1 → 1 1; c: q1, tied, d2 d1 → 1/2 1, q2 nothing.
    """
    rows = [row[:22] for row in table(page[0], 'coverage')]
    assert rows == ['a | 0.25 | 1.00 | 1.00', 'b | 0.50 | 0.75 | 0.75', 'c | 0.25 | 0.50 | 0.50']


def test_documents_are_in_the_order_of_the_ranking(page):
    data = page[1]
    shown = [
        [
            [data['documents'][q][place]['id'] for place in of_query]
            for q, of_query in enumerate(of_system)
        ]
        for of_system in data['tops']
    ]
    assert shown == [[['d1', 'd2', 'd9'], ['d4', 'd1']], [['d3', 'd1'], ['d1']], [['d2', 'd1'], []]]
    grades = {doc['id']: doc['grades'] for doc in data['documents'][0]}
    assert grades == {'d1': [[0, 1]], 'd2': [[1, 2]], 'd9': None, 'd3': []}


def test_the_data_is_diagnosed(page):
    facts = table(page[0], 'data-checks')
    assert {
        'Queries | 2',
        'Subtopics without a relevant document | 1 of 4',
        'Grades | 0: 2, 1: 2, 2: 1',
        'Subtopics of a query | 2.0 on average, 2 to 2',
    } <= {*facts}
    a, _, c = table(page[0], 'data-checks', 1)
    assert a == 'a | 2 | 0 | 0 | 2.5 | 80 % | 80 % | 0 %'  # 4 of 5 documents are judged
    assert c.startswith('c | 1 | 1 |') and c.endswith('| 100 %')
    assert 'lack queries' in page[0].get_element_by_id('data-checks').find('.//ul').text_content()


def test_correlations_are_those_of_meta(page):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        expected = meta.correlations(evaluate(RUNS, QRELS, MEASURES)).values
    (chart,) = charts(page[0], 'correlations')
    numbers = [text for text in texts_of(chart) if text[-3] == '.']
    assert numbers == [f'{x:.2f}' for x in expected.ravel()]
    assert {*MEASURES.split()} <= {*texts_of(chart)}


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_what_is_drawn_is_what_is_said(page):
    """StRecall@2 of q1 and q2: a 1, 1; b 1/2, 1; c 1, 0; intervals between 0 and 1, s/√2 = 0, 1/4, 1/2."""
    for section, heading in (('leaderboard', 'mean'), ('difference', 'difference to a')):
        drawn = charts(page[0], section)
        assert [chart.get('aria-label') for chart in drawn] == MEASURES.split()
        assert all(heading in texts_of(chart) for chart in drawn)
    for section, systems in (('leaderboard', 'abc'), ('difference', 'bc')):
        drawn = texts_of(charts(page[0], section)[0])
        assert ''.join(text for text in drawn if text in RUNS) == systems
    assert {'a', 'b', 'c', 'rank'} <= {*texts_of(charts(page[0], 'coverage')[0])}
    chart = charts(page[0], 'leaderboard')[0]
    value_at = scale_of(chart)
    assert value_at(
        [float(bar.get('x')) + float(bar.get('width')) for bar in chart.findall('rect')]
    ) == pytest.approx([1, 0.75, 0.5], abs=0.02)
    expected = [bounded(mean, error, 2)[1:3] for mean, error in ((1, 0), (0.75, 0.25), (0.5, 0.5))]
    assert value_at(ends_of_lines(chart)) == pytest.approx(np.array(expected), abs=0.02)


def scale_of(chart):
    """The values of pixels on the x axis, from the places of its first and last numbers."""
    numbers = [
        (float(text.get('x')), float(text.text.replace('−', '-')))
        for text in chart.iter('text')
        if re.fullmatch(r'−?[0-9.]+', text.text)
    ]
    (x0, v0), (x1, v1) = numbers[0], numbers[-1]
    return lambda x: v0 + (np.array(x) - x0) * (v1 - v0) / (x1 - x0)


def ends_of_lines(chart):
    """The ends of the whiskers of a chart of rows."""
    path = next(path.get('d') for path in chart.findall('path') if path.get('stroke-width') == '2')
    return [
        [float(start), float(end)]
        for start, end in re.findall(r'M(-?[0-9.]+) [0-9.]+H(-?[0-9.]+)', path)
    ]


def test_dots_are_differences_by_query():
    """Two rows and two queries: above 0 and at 0 in the one colour, below 0 in the other."""
    values = np.array([[0.1, -0.3], [0, 0.5]])
    chart = parse.fromstring(
        row_charts.dots('h', ['x', 'y'], values, np.array([[-1, 0], [1, 0.5]]), 'd')
    )
    value_at, (above, below) = scale_of(chart), chart.findall('g')[:2]
    assert [group.get('fill') for group in (above, below)] == ['var(--high)', 'var(--low)']
    for group, expected in ((above, [0.1, 0, 0.5]), (below, [-0.3])):
        assert value_at([float(dot.get('cx')) for dot in group]) == pytest.approx(
            expected, abs=0.01
        )
    rows = [float(text.get('y')) for text in chart.iter('text') if text.text in 'xy']
    assert [float(dot.get('cy')) < np.mean(rows) for dot in above] == [True, False, False]
    means = re.findall(r'M([0-9.]+) ', chart.findall('path')[1].get('d'))
    assert value_at([float(x) for x in means]) == pytest.approx([-0.1, 0.25], abs=0.01)
    assert value_at(ends_of_lines(chart)) == pytest.approx(np.array([[-1, 1], [0, 0.5]]), abs=0.01)
    assert [text.text for text in chart.iter('text')][:2] == ['x', 'y'] and rows == sorted(rows)


def test_charts_of_rows_leave_out_what_is_not_finite():
    """A score of −∞ has neither bar nor dot, and equal scores have an axis."""
    bars = parse.fromstring(
        row_charts.bars('h', ['a', 'b'], np.array([-np.inf, 2.0]), None, 'mean')
    )
    (bar,) = bars.findall('rect')
    assert scale_of(bars)(float(bar.get('x'))) == pytest.approx(0, abs=0.02)
    dots = parse.fromstring(
        row_charts.dots('h', ['a'], np.array([[np.nan, 1.0]]), np.full((2, 1), np.nan), 'd')
    )
    assert len(dots.findall('.//circle')) == 1 and 'nan' not in parse.tostring(dots).decode()
    zeros = parse.fromstring(row_charts.bars('h', ['長い'], np.zeros(1), None, 'mean'))
    assert texts_of(zeros)[0] == '長い' and '0.00' in texts_of(zeros)


def test_many_systems_and_measures_are_cut_and_said(tmp_path, monkeypatch):
    """40 systems and 3 measures: 30 rows, charts of as many measures as may have some, 8 lines."""
    for module in (drawing, reporting):
        monkeypatch.setattr(module, 'MOST_MEASURES', 2)
    runs = {
        f's{i:02}': {'q1': {'d1': 1.0, 'd2': float(i)}, 'q2': {'d1': float(i % 2)}}
        for i in range(40)
    }
    measures = 'StRecall@1 StRecall@2 StRecall@3'
    page, _ = written(tmp_path / 'r.html', runs, measures=measures)
    for section in ('leaderboard', 'difference'):
        drawn = charts(page, section)
        assert len(drawn) == 2 and sum(text in runs for text in texts_of(drawn[0])) == 30
        said = page.get_element_by_id(section).text_content()
        assert 'Charts of the first 2 measures. Of 40 systems the 30 best are drawn.' in said
    assert sum(text in runs for text in texts_of(charts(page, 'coverage')[0])) == 8
    assert (
        'The 8 systems that cover most at rank 10 are drawn.'
        in page.get_element_by_id('coverage').text_content()
    )
    opened = {
        section.get('id')
        for section in page.findall('.//section')
        if section.find('details[@open]') is not None
    }
    assert opened == {'leaderboard', 'queries'}  # more than 30 systems: the others are folded


def test_sections_of_few_systems_are_open(page):
    sections = page[0].findall('.//section')
    assert len(sections) == 7 and all(
        section.find('details[@open]') is not None for section in sections
    )


def test_without_matplotlib_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    with pytest.raises(ImportError, match=r"pip install '\.\[plot\]'"):
        report(RUNS, QRELS, MEASURES, tmp_path / 'r.html')
    assert not list(tmp_path.iterdir())


def test_titles_and_texts_of_the_sample_collection(tmp_path):
    dataset = 'divmeasures/sample/diversity'
    documents = [doc.doc_id for doc in ir_divmeasures.sample.ir_datasets.load(dataset).docs_iter()][
        :3
    ]
    runs = {'one': {'1': {doc_id: -float(i) for i, doc_id in enumerate(documents)}}}
    page, data = written(
        tmp_path / 'r.html', runs, dataset, 'StRecall@5', docs=dataset, topics=dataset
    )
    assert data['queries'][0] == {'id': '1', 'text': 'jaguar'}
    assert all(doc['title'] for doc in data['documents'][0]) and data['subtopics'][0][0]['text']
    assert not page.xpath('//*[@id="correlations"]')  # one system, one measure


@pytest.mark.parametrize('docs', [{'d1': 'one', 'd2': 'x' * 500}, 'frame'], ids=['dict', 'frame'])
def test_titles_from_tables(tmp_path, docs):
    import pandas as pd

    if isinstance(docs, str):
        docs = pd.DataFrame({'docno': ['d1', 'd2'], 'title': ['one', 'x' * 500]})
    titles = {
        doc['id']: doc['title']
        for doc in written(tmp_path / 'r.html', docs=docs)[1]['documents'][0]
    }
    assert titles['d1'] == 'one' and len(titles['d2']) == 120 and titles['d9'] == ''


# ------------------------------------------------------------------------------------------ significance groups


@over('test', ['max_t', 'tukey', 'tukey_randomised'])
@over('spread', [0.1, 1])
def test_systems_share_a_letter_exactly_if_they_are_not_apart(test, spread):
    rng = np.random.default_rng(5)
    scores = Scores(
        rng.random((8, 20, 2)) + spread * np.arange(8)[[3, 1, 7, 0, 6, 2, 5, 4], None, None]
    )
    power = meta.discriminative_power(scores, test, rng=0)
    groups = significance_groups(scores, test, 0.05)
    for m, pvalues in enumerate(power.pvalues):
        letters = [spelled(of_system[m]) for of_system in groups]
        assert [not letters[a] & letters[b] for a, b in power.pairs] == (pvalues < 0.05).tolist()
        best = int(scores.values[:, :, m].mean(axis=1).argmax())
        assert 'a' in letters[best]


@over('seed', range(20))
def test_letters_when_p_does_not_follow_the_difference(seed):
    """Any pairs may differ: a letter for each largest set of systems of which no two differ, and no other."""
    rng = np.random.default_rng(seed)
    apart = np.triu(rng.random((7, 7)) < rng.random(), 1)
    apart |= apart.T
    letters = [spelled(each) for each in _letters(rng.random(7), apart)]
    assert [[not letters[a] & letters[b] for b in range(7) if b != a] for a in range(7)] == [
        [bool(apart[a, b]) for b in range(7) if b != a] for a in range(7)
    ]
    free = [
        set(chosen)
        for n in range(1, 8)
        for chosen in itertools.combinations(range(7), n)
        if not apart[np.ix_(chosen, chosen)].any()
    ]
    largest = {frozenset(one) for one in free if not any(one < other for other in free)}
    assert {
        frozenset(s for s in range(7) if letter in letters[s]) for letter in set().union(*letters)
    } == largest


def spelled(letters: str) -> set[str]:
    """The single letters of ``abc``, ``a–d`` and ``a, c–e``."""
    spread = set()
    for part in letters.split(', '):
        first, _, last = part.partition('–')
        spread |= {chr(c) for c in range(ord(first), ord(last) + 1)} if last else set(part)
    return spread


def test_letters_go_on_after_z():
    letters = [_letter(n) for n in (1, 26, 27, 52, 53, 702, 703)]
    assert ' '.join(letters) == 'a z aa az ba zz aaa'


# --------------------------------------------------------------------------------------------------------- safety


@pytest.fixture(scope='module')
def evil(tmp_path_factory):
    """A report in which every text of the user's is an attack."""
    qrels = {EVIL: {f'{EVIL}1': {EVIL: 1, '2': 1}}, 'q2': {'d': {'1': 1}}}
    runs = {
        EVIL: {EVIL: {f'{EVIL}1': 2.0, f'{EVIL}2': 1.0}},
        '<b>b</b>': {'q2': {'d': 1.0}},
        MATHS: {'q2': {'d': 1.0}},
    }
    path = tmp_path_factory.mktemp('evil') / 'r.html'
    pool = ir_divmeasures.Pool.from_runs(runs, 10)
    return path, *written(
        path, runs, qrels, title=EVIL, docs={f'{EVIL}1': EVIL}, topics={EVIL: EVIL}, pool=pool
    )


def test_texts_of_the_user_stay_texts(evil):
    _, page, data = evil
    assert (
        data['systems'][0] == data['queries'][0]['id'] == data['documents'][0][0]['title'] == EVIL
    )
    assert (
        page.find('.//h1').text == EVIL and not page.findall('.//img') and not page.findall('.//b')
    )
    assert len(page.findall('.//script')) == 2


ATTRIBUTES = re.compile(
    '(fill|stroke|font-|xmlns).*|id|href|d|x|y|width|height|transform|clip-path|viewbox|version'
    '|role|aria-label|opacity|text-anchor|cx|cy|r'
)


def test_charts_are_shapes_and_texts(evil):
    """Names are texts as they are: no mathematics, no markup; nothing that a browser would run or fetch."""
    _, page, _ = evil
    drawn = page.findall('.//svg')
    assert len(drawn) == 2 + 2 + 1 + 1 + 4  # means, differences, coverage, correlations, the pool
    elements = [each for chart in drawn for each in chart.iter()]
    assert ' '.join(sorted({each.tag for each in elements})) == (
        'circle clippath defs g path rect svg text use'
    )
    names = {name for each in elements for name in each.attrib}
    assert [name for name in names if not ATTRIBUTES.fullmatch(name)] == []
    colours = {each.get(name, 'none') for each in elements for name in ('fill', 'stroke')}
    assert all(colour.startswith('var(--') for colour in colours - {'none'}), colours
    ids = page.xpath('//*/@id')
    assert len(ids) == len(set(ids))
    shown = {text for chart in charts(page, 'leaderboard') for text in texts_of(chart)}
    assert {short(EVIL), short('<b>b</b>'), short(MATHS).replace('\x07', '\ufffd')} <= shown


def test_nothing_is_loaded_from_elsewhere(evil):
    path, page, _ = evil
    policy = page.xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')[0]
    assert policy.startswith("default-src 'none';") and 'unsafe' not in policy
    links = page.xpath('//@src | //@href | //@action | //@style')
    assert set(links) - {'data:,'} == {link for link in links if link.startswith('#')}
    assert all(page.xpath(f'//*[@id="{link[1:]}"]') for link in links if link.startswith('#'))


# --------------------------------------------------------------------------------------------------------- errors


def test_a_file_is_overwritten_only_when_asked(tmp_path):
    path = tmp_path / 'r.html'
    path.write_text('mine')
    with pytest.raises(FileExistsError, match='overwrite=True replaces it'):
        report(RUNS, QRELS, MEASURES, path)
    assert path.read_text() == 'mine'
    written(path, overwrite=True)
    assert path.read_text(encoding='utf-8').startswith('<!doctype html>') and list(
        tmp_path.iterdir()
    ) == [path]


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_wrong_use_leaves_no_file(tmp_path):
    right = {'runs': RUNS, 'qrels': QRELS, 'measures': MEASURES, 'path': tmp_path / 'r.html'}
    for options, said in (
        ({'baseline': 'A'}, "no system 'A'; did you mean 'a'"),
        ({'test': 'sign'}, "test='sign': expected one of "),
        ({'depth': 0}, 'depth=0: expected a whole number'),
        ({'measures': ''}, 'no measures'),
        ({'runs': []}, 'no runs'),
    ):
        with pytest.raises(ValueError, match=said):
            report(**{**right, **options})
    assert not list(tmp_path.iterdir())


def test_a_mistake_in_a_run_file_names_its_line(tmp_path):
    (tmp_path / 'x.run').write_text('q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n')
    with pytest.raises(ValueError, match=r'x.run, line 2: duplicate document'):
        report(tmp_path / 'x.run', QRELS, MEASURES, tmp_path / 'r.html')


def test_warnings_are_the_users_too(tmp_path):
    with pytest.warns(DivMeasuresWarning, match='lack queries') as caught:
        report(RUNS, QRELS, MEASURES, tmp_path / 'r.html')
    assert caught[0].filename == __file__


# ------------------------------------------------------------------------------------------------- in a browser


@pytest.fixture(scope='module')
def browser():
    program = (
        shutil.which('chromium')
        or shutil.which('chromium-browser')
        or shutil.which('google-chrome')
    )
    if program is None:
        pytest.skip('no Chromium')
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=['--no-sandbox'])
        yield running
        running.close()


@pytest.fixture
def opened(browser):
    """A function that opens a file; at the end nothing may have been said on the console or asked of the network."""
    said: list[str] = []
    pages = []

    def show(path, **options):
        page = browser.new_page(**options)
        page.on('console', lambda message: said.append(message.text))
        page.on('pageerror', lambda error: said.append(str(error)))
        page.on(
            'request',
            lambda request: request.url.startswith(('file:', 'data:')) or said.append(request.url),
        )
        page.goto(f'file://{path}')
        pages.append(page)
        return page

    yield show
    for page in pages:
        page.close()
    assert not said


def test_names_of_rows_are_not_cut(tmp_path, opened):
    names = [
        'BM25-xQuAD-weighted',
        'WWWWWWWWWWMMMMMMMMMM',
        'QUOD_ERAT_DEMONSTRANDUM',
        '長い名前の系統',
        'i',
    ]
    chart = row_charts.bars('h', names, np.ones(5), None, 'mean')
    path = tmp_path / 'chart.html'
    path.write_text(f'<meta charset="utf-8"><body style="font-family: sans-serif">{chart}', 'utf-8')
    page = opened(path)
    assert (
        page.evaluate(
            "Math.min(...[...document.querySelectorAll('text')].map(text => text.getBBox().x))"
        )
        >= 0
    )


@pytest.mark.parametrize('width', [1280, 390], ids='{} pixels'.format)
@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_it_renders(tmp_path, opened, width, scheme):
    path = tmp_path / 'r.html'
    written(path)
    page = opened(path, viewport={'width': width, 'height': 800}, color_scheme=scheme)
    assert (
        page.locator('#heat tbody tr').count() == 3 and page.locator('#heat tbody td').count() == 6
    )
    assert page.locator('#cover .side').count() == 2
    assert (
        page.evaluate('document.documentElement.scrollWidth') <= width
    )  # wide tables scroll by themselves
    chart, text = (
        page.locator('#leaderboard svg').first,
        page.locator('#leaderboard svg text').first,
    )
    assert 200 < chart.bounding_box()['width'] <= width
    bright = sum(
        map(int, text.evaluate('text => getComputedStyle(text).fill').strip('rgb()').split(','))
    )
    assert (bright > 600) == (scheme == 'dark') and (bright < 150) == (scheme == 'light')


def test_it_sorts_filters_and_compares(tmp_path, opened):
    path = tmp_path / 'r.html'
    written(path)
    page = opened(path)
    assert page.locator('svg text').first.is_visible()
    first = page.locator('#board tbody tr th')
    heading = page.locator('#board thead th').nth(1)
    heading.get_by_role('button').click()
    assert (
        first.all_text_contents() == ['a', 'b', 'c']
        and heading.get_attribute('aria-sort') == 'descending'
    )
    heading.get_by_role('button').click()
    assert (
        first.all_text_contents() == ['c', 'b', 'a']
        and heading.get_attribute('aria-sort') == 'ascending'
    )
    page.fill('#filter', 'B')
    assert page.locator('#board tbody tr:visible th').all_text_contents() == ['b']
    assert page.locator('#shown').text_content() == '1 of 3'
    page.select_option('#pair-system', label='b')
    assert (
        page.locator('#pair-summary')
        .text_content()
        .startswith('Better on 0, equal on 1, worse on 1 queries')
    )
    pair = page.locator('#pair tbody tr')
    assert pair.locator('th').all_text_contents() == ['q2', 'q1']  # 0, −1/2
    page.locator('#pair thead button', has_text='Difference').click()
    page.locator('#pair thead button', has_text='Difference').click()
    assert pair.locator('th').all_text_contents() == ['q1', 'q2']
    page.select_option('#heat-kind', 'difference')
    assert 'better than a' in page.locator('#heat-legend').text_content()
    page.locator('#heat td[data-system="2"][data-query="0"]').click()
    assert page.locator('#cover h3').all_text_contents() == [
        'a covers 2 of 2 subtopics',
        'c covers 2 of 2 subtopics',
    ]


def test_a_page_of_many_systems_is_short_and_unfolds(tmp_path, opened):
    runs = {
        f's{i:03}': {'q1': {'d1': 1.0, 'd2': float(i % 5)}, 'q2': {'d1': float(i % 2), 'd4': 0.5}}
        for i in range(126)
    }
    path = tmp_path / 'r.html'
    written(path, runs, measures='StRecall@1 P@1')
    page = opened(path, viewport={'width': 1280, 'height': 800})
    height = page.evaluate('document.documentElement.scrollHeight')
    assert height < 4000
    assert not page.locator('#intents table').is_visible()
    page.locator('nav a', has_text='Subtopics').click()
    assert page.locator('#intents table').is_visible()
    assert page.evaluate('document.documentElement.scrollHeight') < height + 1000
    page.select_option('#heat-measure', label='StRecall@1')
    zero = page.locator('#heat td[aria-label="0.0000"]')
    assert zero.count() > 0 and {*zero.all_text_contents()} == {'0'}
    page.locator('#heat td').first.click()
    assert page.locator('#cover').is_visible()


def test_an_attack_shows_as_text_and_does_nothing(evil, opened):
    page = opened(evil[0])
    page.select_option('#heat-kind', 'difference')
    assert page.title() == ' '.join(EVIL.split()) or page.title() == EVIL
    assert (
        page.locator('img').count() == 0 and EVIL in page.locator('#cover h3').first.text_content()
    )
