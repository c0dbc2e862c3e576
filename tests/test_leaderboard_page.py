"""The page of a leaderboard: texts of users stay texts, nothing is loaded, and it works in a browser and without script."""

import contextlib
import csv
import functools
import io
import itertools
import json
import os
import pathlib
import re
import shutil

import numpy as np
import pytest
from lxml import html as parse

import ir_divmeasures
from ir_divmeasures import Scores, reporting
from ir_divmeasures.reporting.page import MOST_ROWS

from . import fresh
from .test_leaderboard import MEASURES, QRELS, RUNS, board, of_scores, page_of, ratings

EVIL = '</script><img src=x onerror=document.title="owned"><!--\u2028&"\'`${1}{{7*7}}'
MATHS = r'$\frac{$ &lt;漢\input{/etc/passwd} ]]>' + '\x07'
PAGE = pathlib.Path(reporting.__file__).parent / 'page'
AXE = os.environ.get('AXE_CORE', '')
"""The path of axe-core's axe.min.js (npm install axe-core)."""


@functools.cache
def evil():
    """A leaderboard in which every text of the user's is an attack."""
    qrels = {EVIL: {f'{EVIL}1': {EVIL: 1, '2': 1}}, 'q2': {'d': {'1': 1}}}
    runs = {
        EVIL: {EVIL: {f'{EVIL}1': 2.0, f'{EVIL}2': 1.0}},
        '<b>b</b>': {'q2': {'d': 1.0}},
        MATHS: {'q2': {'d': 1.0}},
    }
    fields = {field: EVIL for field in ('team', 'tags', 'about')} | {
        'url': f'https://x.example/{EVIL}'
    }
    options = {'title': EVIL, 'docs': {f'{EVIL}1': EVIL}, 'topics': {EVIL: EVIL}, 'date': EVIL}
    pool = ir_divmeasures.pools.Pool.from_runs(runs, 10)
    withdrawn = {'x<b>': {'status': 'withdrawn', 'note': EVIL}}
    return board(runs, qrels, MEASURES, systems={EVIL: fields, **withdrawn}, pool=pool, **options)


def test_texts_of_the_user_stay_texts():
    page = page_of(evil())
    data = json.loads(page.get_element_by_id('data').text)
    assert data == evil().data and data['systems'][0]['name'] == data['queries'][0]['id'] == EVIL
    assert page.find('.//h1').text == EVIL
    assert not page.findall('.//img') and not page.findall('.//b')
    assert len(page.findall('.//script')) == 3


def test_nothing_is_loaded_from_elsewhere():
    page = page_of(evil())
    policy = page.xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')[0]
    assert policy.startswith("default-src 'none';") and 'unsafe' not in policy
    links = page.xpath('//@src | //@href | //@action | //@style')
    assert set(links) == {'data:,', '#board'}
    ids = page.xpath('//*/@id')
    assert len(ids) == len(set(ids)) and not page.xpath('//@onclick')


def test_the_table_is_complete_without_script(covid_like):
    """All systems, sorted, with rank, interval, mean and the other measure; matplotlib is not imported."""
    page = page_of(covid_like)
    rows = page.get_element_by_id('board').find('tbody').findall('tr')
    frame = covid_like.to_frame()
    first = frame[frame['measure'] == 'nDCG@20']
    names = [row.find_class('name')[0].text for row in rows]
    assert names == first['system'].tolist() and len(rows) == 40
    cells = [''.join(cell.itertext()) for cell in rows[0]]
    best = first.iloc[0]
    assert cells[:2] == ['1', f'{best["rank_low"]}–{best["rank_high"]}']
    assert cells[4] == f'{best["mean"]:.3f} ± {(best["high"] - best["low"]) / 2:.3f}'
    assert {row.get('role') for row in rows} == {'row'} and page.get_element_by_id('board').get(
        'role'
    ) == 'table'
    tops = [name for name, row in zip(names, rows) if 'top' in row.get('class').split()]
    assert tops == first.loc[first['top'], 'system'].tolist()
    code = f"""import sys, warnings
from ir_divmeasures import leaderboard, pools
warnings.simplefilter('ignore')
runs = {RUNS}
leaderboard(runs, {QRELS}, 'StRecall@2', pool=pools.Pool.from_runs(runs)).html()
print('matplotlib.figure' in sys.modules)"""
    assert fresh.printed(code) == 'False'


@pytest.fixture(scope='module')
def covid_like():
    rng = np.random.default_rng(1)
    quality = rng.normal(0.5, 0.15, (40, 1, 1))
    values = (quality + rng.normal(0, 0.15, (40, 30, 2))).clip(0, 1)
    scores = Scores(values, [f'system{i}' for i in range(40)], measures=['nDCG@20', 'P@5'])
    teams = {
        f'system{i}': {'team': f'team {i % 4}', 'tags': 'dense' if i % 2 else ''} for i in range(40)
    }
    return of_scores(scores, systems=teams, baseline='system3', title='Forty systems')


def test_style_and_script_have_no_parts_that_nobody_uses():
    """Each class in the style is in the template, the script or the sections; each id that the script reads exists."""
    template, style, script = (
        (PAGE / name).read_text('utf-8') for name in ('leaderboard.html', 'lb.css', 'lb.js')
    )
    python = ''.join(path.read_text('utf-8') for path in PAGE.parent.glob('*.py'))
    classes = set(re.findall(r'\.([a-z][\w-]*)(?=[^{}]*\{)', re.sub(r'\{[^{}]*\}', '{}', style)))
    words = set(re.findall(r'[\w-]+', template + script + python))
    known = {f't{i}' for i in range(11)} | {f's{i}' for i in range(8)}
    assert classes - words - known == set()
    ids = set(re.findall(r"at\('#([\w-]+)'\)", script)) - {'coverage'}  # a section
    assert ids <= set(re.findall(r'id="([\w-]+)"', template))
    assert 'innerHTML' not in script and 'eval(' not in script and 'http://www.w3.org' in script
    assert len(style) < 14_000 and len(script) < 20_000


# ------------------------------------------------------------------------------------------------------ in a browser


@pytest.fixture(scope='module')
def browser():
    program = next(
        filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None
    )
    if program is None:
        pytest.skip('no Chromium')
    from playwright.sync_api import sync_playwright

    flags = '--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync'
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=flags.split())
        yield running
        running.close()


@pytest.fixture(scope='module')
def shared_page(browser):
    """One page for all tests, because a context of its own for each takes half a second."""
    return browser.new_context(bypass_csp=bool(AXE)).new_page()


@pytest.fixture
def opened(shared_page, tmp_path):
    """A function that opens a leaderboard; at the end nothing may have been said on the console or asked of the network."""
    said = []
    listeners = {
        'console': lambda message: said.append(message.text),
        'pageerror': lambda error: said.append(str(error)),
        'request': lambda request: (
            request.url.startswith(('file:', 'data:', 'blob:')) or said.append(request.url)
        ),
    }

    def show(result, fragment='', viewport=WIDE, page=shared_page):
        result.write(tmp_path / 'board.html', overwrite=True)
        for event, listener in listeners.items():
            page.on(event, listener)
        page.set_viewport_size(viewport)
        page.goto('about:blank')  # else a fragment alone would not load the page again
        page.goto(f'file://{tmp_path}/board.html{fragment}')
        return page

    yield show
    for event, listener in listeners.items():
        shared_page.remove_listener(event, listener)
    shared_page.emulate_media(media='null', color_scheme='null')
    assert not said


WIDE, NARROW = {'width': 1280, 'height': 900}, {'width': 390, 'height': 844}


def shown(page):
    """The names of the systems in the order of the page."""
    return page.locator('#board tbody tr[data-i]:visible .name').all_text_contents()


def order(result, measure):
    frame = result.to_frame()
    return frame[frame['measure'] == measure]['system'].tolist()


def test_the_measure_is_chosen(opened, covid_like):
    """The script fills the rows as the template does: after two changes, the page is what it was."""
    page = opened(covid_like)
    rows = 'rows => rows.map(row => row.outerHTML.replace(/ class="[^"]*"/, ""))'
    before = page.locator('#board tbody tr').evaluate_all(rows)
    assert shown(page) == order(covid_like, 'nDCG@20')
    page.get_by_role('radio', name='P@5').focus()
    page.keyboard.press('Space')
    assert shown(page) == order(covid_like, 'P@5') and page.url.endswith('#P%405')
    assert page.locator('#verdict').text_content() == covid_like.data['verdicts'][1].replace(
        '≈ first', '≈\u00a0first'
    )
    heads = page.locator('#board th').all_text_contents()
    assert heads[4] == 'mean P@5' and heads[-1] == 'nDCG@20'
    page.get_by_role('radio', name='nDCG@20').check()
    assert page.locator('#board tbody tr').evaluate_all(rows) == before
    again = opened(covid_like, '#P%405')
    assert (
        shown(again) == order(covid_like, 'P@5')
        and again.get_by_role('radio', name='P@5').is_checked()
    )


def test_the_table_is_found_in_and_sorted(opened, covid_like):
    page = opened(covid_like)
    page.fill('#find', 'SYSTEM1 dense')
    found = shown(page)
    assert set(found) == {'system1', *(f'system{i}' for i in range(11, 20, 2))}
    assert page.locator('#count').text_content() == '6 of 40 systems'
    page.fill('#find', 'nobody')
    assert page.locator('#board tbody').inner_text() == 'No system fits the filter.'
    page.fill('#find', '')
    page.select_option('#team', 'team 2')
    assert set(shown(page)) == {f'system{i}' for i in range(2, 40, 4)}
    page.select_option('#team', '')
    page.select_option('#only', 'top')
    frame = covid_like.to_frame()
    assert shown(page) == frame[(frame['measure'] == 'nDCG@20') & frame['top']]['system'].tolist()
    page.select_option('#only', 'all')
    heading = page.locator('#board th[data-key=system]')
    heading.get_by_role('button').click()
    assert (
        shown(page)[:3] == ['system0', 'system1', 'system2']
        and heading.get_attribute('aria-sort') == 'ascending'
    )
    heading.get_by_role('button').press('Enter')
    assert shown(page)[0] == 'system39' and heading.get_attribute('aria-sort') == 'descending'
    assert (
        page.locator('#board th[aria-sort]').count() == 1 and page.locator('tr.begins').count() == 0
    )


def test_the_baseline_is_chosen(opened, covid_like):
    page = opened(covid_like)
    row = page.locator('tr[data-i="3"] .c-delta')
    assert row.text_content() == 'baseline'
    page.select_option('#base', label='system5')
    means = dict(zip(*[covid_like.to_frame()[column][:40] for column in ('system', 'mean')]))
    difference = means['system3'] - means['system5']
    assert row.text_content() == f'{difference:+.3f}'.replace('-', '−')
    page.select_option('#base', '-1')
    assert not row.is_visible()


def test_a_row_opens(opened, covid_like):
    page = opened(covid_like)
    name = order(covid_like, 'nDCG@20')[1]
    button = page.get_by_role('button', name=name, exact=True)
    button.press('Enter')
    assert button.get_attribute('aria-expanded') == 'true'
    more = page.locator('tr.more')
    assert more.locator('svg.strip circle').count() == 30
    place = covid_like.scores.systems.index(name)
    values = covid_like.scores['nDCG@20']
    gains = values[place] - values[3]
    best = covid_like.scores.queries[int(gains.argmax())]
    row = more.get_by_role('region', name='Gains most').locator('tbody tr').first.locator('td')
    assert (
        row.all_text_contents()[0] == best and row.all_text_contents()[3] == f'{gains.max():+.3f}'
    )
    worst = (
        more.get_by_role('region', name='Gains least').locator('tbody tr').first.locator('td').last
    )
    assert worst.text_content() == f'{gains.min():+.3f}'.replace('-', '−')
    below = int((values[place] < np.median(values, axis=0)).sum())
    assert more.locator('circle.below').count() == below
    assert more.get_by_role('region', name='Every measure').locator('tbody tr').count() == 2
    assert 'difference to system3' in more.inner_text()
    button.press('Enter')
    assert more.count() == 0


def test_judges_are_in_an_opened_row(opened):
    result = of_scores(ratings(2, 2))
    page = opened(result)
    page.locator('button.name').first.click()
    rows = page.get_by_role('region', name='Each judge').locator('tbody tr').all_text_contents()
    means = [judge['means'][0][2] for judge in result.data['variance']['judges']]
    assert rows == [f'j{i}{mean:.3f}1' for i, mean in enumerate(means)]


def downloaded(page, button):
    with page.expect_download() as download:
        page.get_by_role('button', name=button, exact=True).click()
    return pathlib.Path(download.value.path()).read_text('utf-8')


def test_downloads_have_the_data(opened, covid_like):
    for result in (covid_like, evil()):
        page = opened(result)
        assert json.loads(downloaded(page, 'JSON')) == result.data
        rows = list(csv.reader(io.StringIO(downloaded(page, 'CSV'))))
        expected = list(csv.reader(io.StringIO(result.to_frame().to_csv(index=False))))
        assert rows[0] == expected[0] and len(rows) == len(expected)
        for ours, theirs in zip(rows, expected):
            for a, b in zip(ours, theirs):
                assert a == b or float(a) == pytest.approx(float(b), abs=1e-9)


def test_it_fits_and_is_accessible(opened, covid_like):
    """No sideways scrolling; axe-core finds nothing, where AXE_CORE names its script."""
    results = covid_like, board(topics={'q1': 'why'}, baseline='b'), of_scores(ratings(2, 1))
    for result, size in itertools.product(results, [WIDE, NARROW]):
        page = opened(result, viewport=size)
        page.locator('button.name').first.click()
        for summary in page.locator('details.section > summary').all():
            summary.click()
        assert page.locator('#base').is_visible() == (size is WIDE)
        for scheme in ('light', 'dark'):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate('document.documentElement.scrollWidth') <= size['width']
            ink = page.locator('h1').evaluate('heading => getComputedStyle(heading).color')
            bright = sum(map(int, re.findall(r'\d+', ink)[:3]))
            assert (bright > 600) == (scheme == 'dark') and (bright < 150) == (scheme == 'light')
            if AXE:
                page.evaluate(pathlib.Path(AXE).read_text('utf-8'))
                found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
                nodes = [(each['id'], each['nodes'][0]['html']) for each in found['violations']]
                assert nodes == []
    if not AXE:
        pytest.skip('AXE_CORE does not name the script of axe-core')


def test_it_is_printed_without_controls(opened, covid_like):
    page = opened(board())
    page.emulate_media(media='print')
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator('#find').is_visible() and not page.locator('#csv').is_visible()
    assert page.locator('#intents table').is_visible()


def test_a_thousand_systems(opened):
    rng = np.random.default_rng(2)
    values = (rng.normal(0.5, 0.1, (1000, 1)) + rng.normal(0, 0.1, (1000, 12))).clip(0, 1)
    result = of_scores(Scores(values, [f's{i}' for i in range(1000)], measures=['AP']))
    assert html_rows(result) == 1000
    page = opened(result)
    assert len(shown(page)) == MOST_ROWS
    last = order(result, 'AP')[-1]
    page.fill('#find', last)
    assert last in shown(page)
    page.fill('#find', '')
    assert page.locator('#rest').text_content() == 'Show all 1,000 systems'
    page.locator('#rest').click()
    assert len(shown(page)) == 1000 and not page.locator('#rest').is_visible()


def html_rows(result):
    return len(
        parse.fromstring(result.html()).get_element_by_id('board').find('tbody').findall('tr')
    )


def test_without_script(browser, opened, covid_like):
    with contextlib.closing(browser.new_context(java_script_enabled=False)) as context:
        page = opened(covid_like, viewport=NARROW, page=context.new_page())
        assert len(shown(page)) == 40 and not page.locator('#find').is_visible()
        assert page.get_by_text('How to read the table').is_visible()


def test_rankings_of_a_query_are_compared(opened):
    page = opened(board(docs={'d1': 'One'}))
    for summary in page.locator('details.section > summary').all():
        summary.click()
    page.select_option('#cover-left', label='a')
    page.select_option('#cover-right', label='c')
    assert page.locator('#cover h3').all_text_contents() == [
        'a covers 2 of 2 subtopics',
        'c covers 2 of 2 subtopics',
    ]
    page.select_option('#cover-query', label='q2')
    assert page.locator('#cover h3').last.text_content() == 'c retrieves nothing'
    assert 'Oned1' in page.locator('#cover table').first.text_content()
    heading = page.locator('#intents thead button', has_text='systems').first
    heading.click()
    column = page.locator('#intents tbody tr td:nth-child(4)').all_text_contents()
    assert column == sorted(column, reverse=True)


def test_an_attack_shows_as_text_and_does_nothing(opened):
    page = opened(evil())
    assert page.title() in (EVIL, ' '.join(EVIL.split()))
    for button in page.locator('button.name').all():
        button.click()
    page.locator('#coverage summary').click()
    assert page.locator('img').count() == 0
    for menu in ('#cover-query', '#cover-left'):
        page.select_option(menu, index=0)
    assert page.locator('#cover h3').first.text_content().startswith(EVIL)
