"""The leaderboard: one page that shows what users wrote as text, loads nothing, and is complete without script."""

import shutil

import numpy as np
import pytest
from lxml import html as parse

from ir_divmeasures import Scores, evaluate, leaderboard, meta

from .builders import refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

EVIL = '</script><img src=x onerror=document.title="owned"><!--\u2028&"\'`${1}{{7*7}}'
MATHS = r'$\frac{$ &lt;漢\input{/etc/passwd} ]]>' + '\x07'
TURNED = 'abc\u202edef'


def page_of(board):
    return parse.fromstring(board.html)


def rows_of(page):
    return page.find('.//table').find('tbody').findall('tr')


def names_of(page):
    return [row.find_class('name')[0].text_content() for row in rows_of(page)]


def test_names_of_the_user_stay_text():
    names = [EVIL, '<b>b</b>', MATHS, TURNED]
    values = np.random.default_rng(0).random((4, 5, 2))
    board = leaderboard(
        Scores(values, names, [EVIL, 'q2', 'q3', 'q4', 'q5'], [EVIL, 'AP']), title=EVIL
    )
    page = page_of(board)
    assert page.find('.//h1').text == page.find('.//title').text
    assert EVIL.partition('\u2028')[0] in page.find('.//h1').text
    assert not page.findall('.//img') and not page.findall('.//b')
    assert len(page.findall('.//script')) == len(page.findall('.//style')) == 1
    shown = names_of(page)
    assert '<b>b</b>' in shown and len(shown) == 4
    assert '\u202e' not in board.html and '\x07' not in board.html and '\u2028' not in board.html


def test_nothing_is_loaded():
    page = page_of(leaderboard(Scores([[0.5, 0.2], [0.1, 0.2]])))
    policy = page.xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')[0]
    assert policy.startswith("default-src 'none';") and 'unsafe' not in policy
    assert not page.xpath('//@src | //@href | //@style | //@onclick')


QRELS = {f'q{n}': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 1}, 'd3': {'2': n % 2}} for n in range(1, 6)}
RUNS = {
    'a': {query: {'d1': 3.0, 'd2': 2.0} for query in QRELS},
    'b': {query: {'d2': 3.0, 'd3': 2.0} for query in QRELS},
    'c': {query: {'d9': 3.0, 'd3': 2.0} for query in QRELS},
}
ASKED = 'StRecall@1 alpha_nDCG@2'


def test_runs_and_their_scores_give_the_same_page():
    of_runs = leaderboard(QRELS, RUNS, ASKED)
    assert of_runs.html == leaderboard(evaluate(QRELS, RUNS, ASKED)).html
    refused('measures', leaderboard, QRELS, RUNS)


def test_the_table_has_what_ranks_says():
    scores = evaluate(QRELS, RUNS, ASKED)
    board = leaderboard(scores)
    frame, wanted = board.table, meta.ranks(scores)
    assert set(frame['measure']) == {'StRecall@1', 'alpha_nDCG@2'} and len(frame) == 6
    keys = ['measure', 'system']
    both = frame.merge(wanted, on=keys, suffixes=('', '_wanted'))
    assert (both['rank_low'] == both['rank_low_wanted']).all()
    assert (both['may_be_first'] == (both['rank_low'] == 1)).all()
    first = frame[frame['measure'] == 'StRecall@1'].sort_values('rank')
    page = page_of(board)
    assert names_of(page) == first['system'].tolist() == ['b', 'a', 'c']
    assert 'b has the highest mean StRecall@1, 1.000' in page.find_class('says')[0].text_content()
    said = [row.text_content() for row in rows_of(page)]
    assert '1.000' in said[0] and '0.500' in said[1] and '0.000' in said[2]


def test_decimals_are_those_of_the_column():
    """One measure with values of 10 and more does not round the means of the other."""
    values = np.stack([[[0.25, 0.75], [0.125, 0.25]], [[10.5, 22.5], [11.0, 30.0]]], axis=2)
    text = page_of(leaderboard(Scores(values, measures=['AP', 'NumRet']))).text_content()
    assert '0.500' in text and '16.5' in text and '16.500' not in text


# -------------------------------------------------------------------------------------------------------- in a browser


def test_in_a_browser(tmp_path):
    """A heading sorts, and changes ranks and the sentence; the search hides rows; nothing is said or asked for."""
    program = next(
        filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None
    )
    if program is None:
        pytest.skip('no Chromium')
    sync_playwright = pytest.importorskip('playwright.sync_api').sync_playwright

    values = np.random.default_rng(1).random((12, 30, 2)) * np.linspace(1, 0.3, 12)[:, None, None]
    values[..., 1] = values[::-1, :, 1]
    scores = Scores(values, [f'system{i}' for i in range(12)], measures=['nDCG@20', 'P@5'])
    board = leaderboard(scores)
    board.write(tmp_path / 'board.html')
    said = []
    with sync_playwright() as playwright:
        flags = ['--no-sandbox', '--disable-gpu']
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page()
        page.on('console', lambda message: said.append(message.text))
        page.on('pageerror', lambda error: said.append(str(error)))
        page.goto(f'file://{tmp_path}/board.html')
        names = page.locator('table').first.locator('tbody th:visible')
        means = scores.means()
        assert names.all_text_contents() == means.sort_values('nDCG@20')[::-1].index.tolist()
        page.get_by_role('button', name='P@5').click()
        assert names.all_text_contents() == means.sort_values('P@5')[::-1].index.tolist()
        sentence = page.locator('.says:visible').text_content()
        assert sentence.startswith(f'{means["P@5"].idxmax()} has the highest mean P@5')
        page.get_by_role('searchbox').fill('SYSTEM1')
        assert set(names.all_text_contents()) == {'system1', 'system10', 'system11'}
        browser.close()
    assert said == []
