"""Write tables as text: aligned for terminals, CSV and JSON for files, LaTeX and Markdown for papers and pages."""

from __future__ import annotations

import csv
import io
import json
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from numbers import Number
from typing import Any, NamedTuple, Union

from .errors import visible
from .lazy import pd

_WORDS = [r'\alpha', r'\beta', r'\theta', r'\delta', r'\mu', r'\lambda', r'\sharp']
LATEX = str.maketrans(
    {
        **{sign: f'\\{sign}' for sign in '&%$#_{}'},
        '\\': r'\textbackslash{}',
        '~': r'\textasciitilde{}',
        '^': r'\textasciicircum{}',
        '<': r'\textless{}',
        '>': r'\textgreater{}',
        **{sign: rf'${word}$' for sign, word in zip('αβθδμλ♯', _WORDS)},
    }
)
HTML = str.maketrans({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})
MARKDOWN = str.maketrans(
    {'&': '&amp;', '<': '&lt;', '>': '&gt;', **{sign: f'\\{sign}' for sign in '\\|`*[]'}}
)

Table = Union['pd.DataFrame', Mapping[str, list[Any]]]
"""A table as a DataFrame, or as a list of values for each column, which needs no import of pandas."""


class Column(NamedTuple):
    """The texts of a column, its heading first, and whether it is numeric, which aligns it to the right."""

    texts: list[str]
    numeric: bool = False


def render(frame: Table, form: str = 'table', places: int = 4) -> str:
    """A DataFrame as text, without its index.

    Args:
        frame: the table, or a list of values for each column. Floating-point numbers have ``places`` decimals, except in JSON. Missing values are empty
            (``null`` in JSON).
        form: one of :data:`FORMS`.
        places: number of decimals; −1 prints all.

    Raises:
        ValueError: an unknown form.

    Examples:
        >>> import pandas as pd
        >>> frame = pd.DataFrame({'system': ['a', 'b_2'], 'nDCG@20': [0.25, 1 / 3], 'n': [1, 12]})
        >>> print(render(frame))
        system  nDCG@20   n
        a        0.2500   1
        b_2      0.3333  12
        >>> print(render(frame, 'csv', 2))
        system,nDCG@20,n
        a,0.25,1
        b_2,0.33,12
    """
    if form not in FORMS:
        raise ValueError(f'format={form!r}: expected one of {", ".join(FORMS)}')
    return FORMS[form](frame, places)


def missing(value: Any) -> bool:
    """Whether a cell has no value: None, NaN or pandas' NA."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ == 'NAType'


def number(value: Any, places: int) -> str:
    """The text of a cell. Floating-point numbers have ``places`` decimals, and a missing value is empty."""
    if missing(value):
        return ''
    if isinstance(value, float):
        return f'{value:.{places}f}' if places >= 0 else str(float(value))
    return str(value)


def latex(text: str) -> str:
    """Text with LaTeX's special characters escaped, and control characters visible.

    Examples:
        >>> latex('alpha_nDCG@20 & 5%')
        'alpha\\\\_nDCG@20 \\\\& 5\\\\%'
    """
    escaped = visible(text).translate(LATEX)  # '[' and '*' begin an option at the start of a row
    return '{}' + escaped if escaped[:1] in ('[', '*') else escaped


def markdown(text: str) -> str:
    """Text with Markdown's special characters escaped, and control characters visible."""
    return visible(text).translate(MARKDOWN)


def _html(text: str) -> str:
    """Text with HTML's special characters escaped, and control characters visible."""
    return visible(text).translate(HTML)


def plain_list(values: Any) -> list[Any]:
    """A list or a column of pandas as a list of Python's own types."""
    return values if isinstance(values, list) else values.tolist()


def _column(head: str, values: list[Any], text: Callable[[Any], str]) -> Column:
    numeric = all(
        missing(value) or isinstance(value, Number) and not isinstance(value, bool)
        for value in values
    )
    return Column([head, *map(text, values)], numeric)


def _columns(frame: Table, places: int, escape: Callable[[str], str]) -> list[Column]:
    return [
        _column(escape(str(head)), plain_list(values), lambda value: escape(number(value, places)))
        for head, values in frame.items()
    ]


# ------------------------------------------------------------------------------------------ forms of columns


def lines_of(columns: list[Column]) -> list[str]:
    """The rows of columns as aligned lines, the headings first."""
    padded = []
    for texts, numeric in columns:
        width = max(map(len, texts))
        padded.append([text.rjust(width) if numeric else text.ljust(width) for text in texts])
    return ['  '.join(row).rstrip() for row in zip(*padded)]


def _left(columns: list[Column]) -> str:
    """Aligned lines; columns are aligned to the left, so that marks behind numbers do not move them."""
    return '\n'.join(lines_of([Column(texts) for texts, _ in columns]))


def _tabular(columns: list[Column]) -> str:
    """A LaTeX table (package booktabs) of cells in LaTeX."""
    heads, *rows = (' & '.join(row) + r' \\' for row in zip(*(texts for texts, _ in columns)))
    aligned = ''.join('r' if numeric else 'l' for _, numeric in columns)
    top = rf'\begin{{tabular}}{{{aligned}}}'
    return '\n'.join(
        [top, r'\toprule', heads, r'\midrule', *rows, r'\bottomrule', r'\end{tabular}']
    )


def _piped(columns: list[Column]) -> str:
    """A Markdown table of cells in Markdown."""
    heads, *rows = zip(*(texts for texts, _ in columns))
    rule = ['---:' if numeric else '---' for _, numeric in columns]
    return '\n'.join(f'| {" | ".join(row)} |' for row in (heads, rule, *rows))


def _html_table(columns: list[Column]) -> str:
    """An HTML table of cells in HTML."""
    styled = []
    for (head, *texts), numeric in columns:
        style = ' style="text-align: right"' if numeric else ''
        cells = [f'<td{style}>{text}</td>' for text in texts]
        styled.append([f'<th{style}>{head}</th>', *cells])
    head, *rows = (f'<tr>{"".join(row)}</tr>' for row in zip(*styled))
    body = '\n'.join(rows)
    return f'<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def _aligned(frame: Table, places: int) -> str:
    """Aligned lines."""
    return '\n'.join(lines_of(_columns(frame, places, visible)))


def _csv(frame: Table, places: int) -> str:
    """CSV with a line of headings."""
    columns = _columns(frame, places, partial(visible, keep='\n\t'))
    out = io.StringIO()
    csv.writer(out, lineterminator='\n').writerows(zip(*(texts for texts, _ in columns)))
    return out.getvalue().rstrip('\n')


def _json(frame: Table, places: int) -> str:
    """A JSON list of the rows. What JSON has no number for is null."""

    def plain(value: Any) -> Any:
        value = value.item() if hasattr(value, 'item') else value
        infinite = isinstance(value, float) and not math.isfinite(value)
        return None if missing(value) or infinite else value

    columns = [[plain(value) for value in plain_list(values)] for _, values in frame.items()]
    heads = [str(head) for head in frame]
    return json.dumps([dict(zip(heads, row)) for row in zip(*columns)], indent=1)


class Markup(NamedTuple):
    """How a form writes the table of a paper.

    Attributes:
        escaped: a function that escapes texts.
        best, mark: formats of a best value and of the marks behind a value.
        table: a function that writes columns of escaped texts.
        whole: the format of the table with its legend.
    """

    escaped: Callable[[str], str]
    best: str
    mark: str
    table: Callable[[list[Column]], str]
    whole: str


PAPER = {
    'latex': Markup(latex, r'\textbf{{{}}}', '$^{{{}}}$', _tabular, '% {legend}\n{table}'),
    'markdown': Markup(markdown, '**{}**', '<sup>{}</sup>', _piped, '{table}\n\n{legend}'),
    'html': Markup(
        _html, '<strong>{}</strong>', '<sup>{}</sup>', _html_table, '{table}\n<p>{legend}</p>'
    ),
    'table': Markup(visible, '{}*', '{}', _left, '{table}\n{legend}'),
}
"""The forms of a table for a paper by name."""


def _marked_up(frame: Table, places: int, form: str) -> str:
    return PAPER[form].table(_columns(frame, places, PAPER[form].escaped))


FORMS: dict[str, Callable[[Table, int], str]] = {
    'table': _aligned,
    'csv': _csv,
    'json': _json,
    **{form: partial(_marked_up, form=form) for form in ('latex', 'markdown', 'html')},
}
"""The forms of a table by name."""


def paper_table(
    heads: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float]]],
    form: str,
    places: int = 4,
    marks: Sequence[Sequence[str]] | None = None,
    legend: str = '',
) -> str:
    """A table of systems and measures for a paper, in which all values that round to the largest of a column are marked.

    Args:
        heads: the headings, first that of the systems.
        rows: the name of each system and its values, NaN for none.
        form: one of :data:`PAPER`.
        places: number of decimals; −1 prints all.
        marks: the marks behind each value, by system and measure.
        legend: what the marks mean.

    Examples:
        >>> print(paper_table(['system', 'α-nDCG@20'], [('a', [0.25]), ('b_2', [0.333]), ('c', [0.334])], 'table', 2))
        system  α-nDCG@20
        a       0.25
        b_2     0.33*
        c       0.33*
        *: best
    """
    markup = PAPER[form]
    columns = [Column([markup.escaped(text) for text in (heads[0], *(name for name, _ in rows))])]
    for m, head in enumerate(heads[1:]):
        texts = [number(float(values[m]), places) for _, values in rows]
        best = max((float(text) for text in texts if text and len(rows) > 1), default=None)
        column = Column([markup.escaped(head)], True)
        for s, text in enumerate(texts):
            mark = marks[s][m] if marks is not None else ''
            shown = markup.best.format(text) if text and float(text) == best else text
            column.texts.append(shown + markup.mark.format(mark) if mark else shown)
        columns.append(column)
    table = markup.table(columns)
    if len(rows) < 2:
        return table
    words = '; '.join(filter(None, [f'{"*" if form == "table" else "bold"}: best', legend]))
    words = words if form == 'latex' else markup.escaped(words)
    return markup.whole.format(table=table, legend=words)


# ------------------------------------------------------------------------------------------------ the screen

ROWS, NOTES, COLUMNS = 16, 6, 100
"""The largest number of rows and of lines of notes of a printed result, and of characters of its lines."""


def screen(
    headline: str, frame: pd.DataFrame, notes: Iterable[str] = (), whole: str = 'to_frame()'
) -> str:
    """A headline, a table and notes that fit on a screen.

    Rows and columns that do not fit are omitted, and a line below the table says how many.

    Args:
        headline: what the table shows.
        frame: the table. Its index is printed if it has a name.
        notes: sentences that are printed below the table.
        whole: the expression that returns the whole table.

    Examples:
        >>> import pandas as pd
        >>> print(screen('Numbers', pd.DataFrame({'n': range(100)})).splitlines()[-1])
        … 84 of 100 rows are not shown. to_frame() returns all.
    """
    table = frame if frame.index.names == [None] else frame.reset_index()
    columns = [
        Column([_shortened(text) for text in texts], numeric)
        for texts, numeric in _columns(table.head(ROWS), 4, visible)
    ]
    n_columns = len(columns)
    while len(max(lines_of(columns), key=len, default='')) > COLUMNS:
        columns.pop()
    lines = [*textwrap.wrap(visible(headline), COLUMNS), *lines_of(columns)]
    for name, n, n_shown in ('rows', len(table), ROWS), ('columns', n_columns, len(columns)):
        if n > n_shown:
            lines.append(f'… {n - n_shown:,} of {n:,} {name} are not shown. {whole} returns all.')
    below = [line for note in notes for line in textwrap.wrap(visible(note), COLUMNS)]
    if len(below) > NOTES:
        below[NOTES - 1 :] = [f'… {len(below) - NOTES + 1} more lines']
    return '\n'.join([*lines, *below])


def _shortened(text: str, most: int = 36) -> str:
    """A text of at most so many characters, from whose middle some are omitted."""
    half = (most - 1) // 2
    return text if len(text) <= most else f'{text[:half]}…{text[-half:]}'
