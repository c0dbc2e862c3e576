"""Look at the built site with a browser: ``python .ci/site.py build/site``.

A search that names a measure finds the page of the measure first, no page scrolls sideways on a phone, and the site and
its sidebar are small. Build the site afresh for it: Sphinx forgets entries of the index of pages that it does not read
again. The script prints one line for each finding and then exits with 1. Where Playwright or Chromium is absent, it
says so and exits with 0.
"""

from __future__ import annotations

import functools
import http.server
import pathlib
import shutil
import sys
import threading
import urllib.parse
from typing import Any

FIRST = {
    'RBU': 'measures/RBU',
    'alpha-nDCG': 'measures/alpha_nDCG',
    'alpha-nDCG Python': 'measures/alpha_nDCG',
    'D#-nDCG': 'measures/Dsharp_nDCG',
    'MAP-IA': 'measures/AP_IA',
    'ERR-IA': 'measures/ERR_IA',
    'subtopic recall': 'measures/StRecall',
    'rank-biased utility': 'measures/RBU',
}
"""Queries, and the page that the search must list first."""
WIDTH = 390
MOST_PAGES = 110
MOST_LINKS = 60
"""Pages of the site, and links in the sidebar."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


def first_found(page: Any, address: str, query: str) -> str:
    """The page that the search lists first."""
    page.goto(f'{address}/search.html?q={urllib.parse.quote(query)}')
    summary = "document.querySelector('#search-results .search-summary')"
    page.wait_for_function(f'{summary}?.textContent.match(/found|match/)')
    link = page.query_selector('ul.search > li > a')
    return '' if link is None else link.get_attribute('href').partition('.html')[0]


def main(folder: pathlib.Path) -> int:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print('Playwright is not installed: the search and the widths of the pages are not checked')
        return 0
    chromium = shutil.which('chromium')
    if chromium is None:
        print('Chromium is not installed: the search and the widths of the pages are not checked')
        return 0
    server = http.server.ThreadingHTTPServer(
        ('127.0.0.1', 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address, findings = f'http://127.0.0.1:{server.server_port}', []
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob('*.html'))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=['--no-sandbox'])
        page = browser.new_page(viewport={'width': WIDTH, 'height': 844})
        page.set_default_timeout(120_000)  # milliseconds
        for query, wanted in FIRST.items():
            if (found := first_found(page, address, query)) != wanted:
                findings.append(
                    f'search for {query!r}: {found or "nothing"} is first, expected {wanted}'
                )
        for name in names:
            page.goto(f'{address}/{name}')
            page.evaluate('(async () => { await window.MathJax?.startup?.promise; })()')
            # Furo hides what is too wide for the page, and lets the content scroll.
            if (width := page.evaluate("document.querySelector('.content').scrollWidth")) > WIDTH:
                findings.append(f'{name}: {width} pixels wide on a screen of {WIDTH}')
        page.goto(f'{address}/index.html')
        n_links = len(page.query_selector_all('.sidebar-drawer a'))
        browser.close()
    if len(names) > MOST_PAGES or n_links > MOST_LINKS:
        findings.append(
            f'{len(names)} pages and {n_links} links in the sidebar, expected at most {MOST_PAGES} and {MOST_LINKS}'
        )
    print(
        *findings,
        f'{len(findings)} findings in {len(FIRST)} searches and {len(names)} pages',
        sep='\n',
    )
    return int(bool(findings))


if __name__ == '__main__':
    raise SystemExit(main(pathlib.Path(sys.argv[1])))
