"""Write tables as text: aligned for terminals, CSV and JSON for files, LaTeX and Markdown for papers and pages."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

from ..errors import visible

if TYPE_CHECKING:
    import pandas as pd

LATEX = {
    '\\': r'\textbackslash{}',
    '&': r'\&',
    '%': r'\%',
    '$': r'\$',
    '#': r'\#',
    '_': r'\_',
    '{': r'\{',
    '}': r'\}',
    '~': r'\textasciitilde{}',
    '^': r'\textasciicircum{}',
    '<': r'\textless{}',
    '>': r'\textgreater{}',
    'α': r'$\alpha$',
    '♯': r'$\sharp$',
}
MARKDOWN = {'&': '&amp;', '<': '&lt;', '>': '&gt;', **{sign: f'\\{sign}' for sign in '\\|`*[]'}}
FORMULA = ('=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠')
"""The first characters of texts that spreadsheet programs read as formulas."""


def render(frame: pd.DataFrame, form: str = 'table', places: int = 4) -> str:
    """A DataFrame as text, without its index.

    Args:
        frame: the table. Floating-point numbers have ``places`` decimals, except in JSON. Missing values are empty
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
    return (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or type(value).__name__ == 'NAType'
    )


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
    escaped = ''.join(LATEX.get(character, character) for character in visible(text))
    return (
        '{}' + escaped if escaped[:1] in ('[', '*') else escaped
    )  # at the beginning of a row an option of \\\\


def tabular(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """A LaTeX table (package booktabs) of cells in LaTeX. Columns that are ``numeric`` are aligned to the right."""
    lines = [
        rf'\begin{{tabular}}{{{"".join("r" if right else "l" for right in numeric)}}}',
        r'\toprule',
        ' & '.join(heads) + r' \\',
        r'\midrule',
        *(' & '.join(row) + r' \\' for row in rows),
        r'\bottomrule',
        r'\end{tabular}',
    ]
    return '\n'.join(lines)


def markdown(text: str) -> str:
    """Text with Markdown's special characters escaped, and control characters visible."""
    return ''.join(MARKDOWN.get(character, character) for character in visible(text))


def piped(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """A Markdown table of cells in Markdown. Columns that are ``numeric`` are aligned to the right."""
    return '\n'.join(
        '| ' + ' | '.join(row) + ' |'
        for row in (heads, ['---:' if right else '---' for right in numeric], *rows)
    )


def _cells(
    frame: pd.DataFrame, places: int, keep: str = ''
) -> tuple[list[str], list[list[str]], list[bool]]:
    """The texts of the heads and of the cells row by row, with visible control characters but those of ``keep``; and
    whether each column is numeric."""
    heads = [visible(str(column), keep) for column in frame.columns]
    rows = [
        [visible(number(value, places), keep) for value in row]
        for row in frame.itertuples(index=False, name=None)
    ]
    return (
        heads,
        rows,
        [
            all(
                missing(value) or (isinstance(value, Number) and not isinstance(value, bool))
                for value in frame.iloc[:, place].tolist()
            )
            for place in range(len(heads))
        ],
    )


def _aligned(frame: pd.DataFrame, places: int) -> str:
    heads, rows, numeric = _cells(frame, places)
    widths = [
        max(len(head), *(len(row[i]) for row in rows)) if rows else len(head)
        for i, head in enumerate(heads)
    ]
    lines = [
        [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric)
        ]
        for row in (heads, *rows)
    ]
    return '\n'.join('  '.join(line).rstrip() for line in lines)


LINES, COLUMNS = 24, 100
"""The size of a screen, in lines and characters."""
CAPS = (48, 36, 28, 22)
"""Lengths to which texts are shortened, one after the other, until a table is narrow enough."""


def screen(
    headline: str,
    frame: pd.DataFrame,
    notes: Iterable[str] = (),
    whole: str = 'to_frame()',
    source: str = '',
) -> str:
    """A headline and a table that fit on a screen of :data:`LINES` lines of :data:`COLUMNS` characters.

    Long texts lose their middle, and the rows and columns that do not fit are omitted. The line below the table says
    how many. A square matrix whose column headings are too long gets numbers in their place.

    Args:
        headline: what the table shows.
        frame: the table. Its index is printed if it has a name, or is not of whole numbers.
        notes: sentences that are printed below the table, as far as there is room. Long ones are wrapped.
        whole: the expression that returns the whole table, for the line that says what is omitted.
        source: the attribute that has all notes, if there is one.

    Examples:
        >>> import pandas as pd
        >>> print(screen('Numbers', pd.DataFrame({'n': range(100)})).splitlines()[-1])
        … not shown: 79 of 100 rows. to_frame() returns all.
    """
    import textwrap

    top = textwrap.wrap(visible(headline), COLUMNS, max_lines=3, placeholder=' …')
    below = [
        line
        for note in notes
        for line in textwrap.wrap(visible(note), COLUMNS, subsequent_indent='  ')
    ]
    most_below = max(LINES // 2 - len(top), LINES - len(top) - 2 - len(frame))
    if len(below) > most_below:
        below = [
            *below[: most_below - 1],
            f'… {len(below) - most_below + 1} more lines of notes'
            + (f'. All notes are in {source}.' if source else ''),
        ]
    if not len(frame.columns) or not len(frame):
        return '\n'.join([*top, '(no rows)', *below])
    room = LINES - len(top) - 1 - len(below)
    table, n_columns = _narrow(frame, room if len(frame) <= room else room - 1)
    if n_columns < len(frame.columns) and len(frame) == room:
        table = table[:-1]
    n_rows = len(table) - 1
    omitted = [
        f'{n - n_shown:,} of {n:,} {name}'
        for n, n_shown, name in (
            (len(frame), n_rows, 'rows'),
            (len(frame.columns), n_columns, 'columns'),
        )
        if n_shown < n
    ]
    if omitted:
        table.append(
            shortened(f'… not shown: {" and ".join(omitted)}. {whole} returns all.', COLUMNS)
        )
    return '\n'.join([*top, *table, *below])


def _narrow(frame: pd.DataFrame, n_rows: int) -> tuple[list[str], int]:
    """The first rows as aligned lines of at most :data:`COLUMNS` characters, and how many columns they have.

    Args:
        frame: the table.
        n_rows: number of rows at most.
    """
    import pandas as pd

    first = frame.iloc[:n_rows]
    index: list[tuple[str, list[Any]]] = []
    if any(name is not None for name in frame.index.names) or not pd.api.types.is_integer_dtype(
        frame.index.dtype
    ):
        index = [
            ('' if name is None else str(name), first.index.get_level_values(level).tolist())
            for level, name in enumerate(frame.index.names)
        ]
    heads = [
        ' '.join(map(str, head)) if isinstance(head, tuple) else str(head) for head in frame.columns
    ]
    body = [first.iloc[:, place].tolist() for place in range(len(heads))]
    if (
        len(index) == 1
        and len(heads) == len(frame)
        and list(map(str, frame.index)) == heads
        and sum(min(len(head), CAPS[-1]) + 2 for head in heads) + CAPS[-1] > COLUMNS
    ):
        index.insert(0, ('', [str(place + 1) for place in range(len(first))]))
        heads = [str(place + 1) for place in range(len(heads))]
    columns = [_column(head, values) for head, values in (*index, *zip(heads, body))]
    for cap in CAPS:
        fitted = [([shortened(text, cap) for text in texts], right) for texts, right in columns]
        widths = [max(map(len, texts)) for texts, _ in fitted]
        if sum(widths) + 2 * (len(widths) - 1) <= COLUMNS:
            break
    used, n = -2, 0
    for width in widths:
        if used + width + 2 > COLUMNS and n > len(index):
            break
        used, n = used + width + 2, n + 1
    lines = [
        '  '.join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, (right for _, right in fitted))
        ).rstrip()
        for row in zip(*(texts for texts, _ in fitted[:n]))
    ]
    return [shortened(line, COLUMNS) for line in lines], n - len(index)


def _column(head: str, values: list[Any]) -> tuple[list[str], bool]:
    """The texts of a column, its heading first, and whether they are aligned to the right."""
    numeric = all(
        missing(value) or (isinstance(value, Number) and not isinstance(value, bool))
        for value in values
    )
    floats = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    counts = (
        bool(floats) and all(value.is_integer() for value in floats) and max(map(abs, floats)) > 1
    )
    return [
        visible(head),
        *(visible(_figure(value, 0 if counts else 4)) for value in values),
    ], numeric


def _figure(value: Any, places: int) -> str:
    """A value for the screen. Numbers that four decimals do not show are written with powers of ten."""
    if isinstance(value, float) and math.isfinite(value) and value and not 5e-5 <= abs(value) < 1e7:
        return f'{value:.1e}'
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    if isinstance(value, (list, tuple, set, frozenset)):
        return ', '.join(map(str, value))
    return number(value, places)


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, from which the middle is omitted.

    Examples:
        >>> shortened('alpha_nDCG(alpha=0.9)@10', 16)
        'alpha_nD…0.9)@10'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f'{text[: most - 1 - end]}…{text[len(text) - end :]}'


def _separated(delimiter: str, formulas: bool = True) -> Callable[[pd.DataFrame, int], str]:
    def text(frame: pd.DataFrame, places: int) -> str:
        import csv
        import io

        heads, rows, numeric = _cells(frame, places, '\n\t')  # which are quoted
        if not formulas:
            heads = [_no_formula(head) for head in heads]
            rows = [
                [cell if right else _no_formula(cell) for cell, right in zip(row, numeric)]
                for row in rows
            ]
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator='\n').writerows([heads, *rows])
        return out.getvalue().rstrip('\n')

    return text


def _no_formula(text: str) -> str:
    """A text that spreadsheet programs show as it is: with an apostrophe before it, if it looks like a formula."""
    return "'" + text if text.startswith(FORMULA) else text


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, 'item') else value
    return (
        None if missing(value) or (isinstance(value, float) and not math.isfinite(value)) else value
    )


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    heads = [str(column) for column in frame.columns]
    return [dict(zip(heads, map(_plain, row))) for row in frame.itertuples(index=False, name=None)]


def _json(frame: pd.DataFrame, places: int) -> str:
    text = json.dumps(_records(frame), indent=1, ensure_ascii=False)
    return ''.join(
        character if visible(character, '\n') == character else f'\\u{ord(character):04x}'
        for character in text
    )


def _jsonl(frame: pd.DataFrame, places: int) -> str:
    return '\n'.join(json.dumps(record) for record in _records(frame))


def _markdown(frame: pd.DataFrame, places: int) -> str:
    heads, rows, numeric = _cells(frame, places)
    return piped(
        [markdown(head) for head in heads],
        [[markdown(cell) for cell in row] for row in rows],
        numeric,
    )


def _latex(frame: pd.DataFrame, places: int) -> str:
    heads, rows, numeric = _cells(frame, places)
    return tabular(
        [latex(head) for head in heads], [[latex(cell) for cell in row] for row in rows], numeric
    )


FORMS: dict[str, Callable[[pd.DataFrame, int], str]] = {
    'table': _aligned,
    'tsv': _separated('\t'),
    'csv': _separated(','),
    'json': _json,
    'jsonl': _jsonl,
    'latex': _latex,
    'markdown': _markdown,
    'spreadsheet': _separated(',', formulas=False),
}
"""The forms of a table by name. ``'spreadsheet'`` is CSV in which no text is a formula."""

__all__ = [
    'FORMS',
    'latex',
    'markdown',
    'number',
    'piped',
    'render',
    'screen',
    'shortened',
    'tabular',
]
