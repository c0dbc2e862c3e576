"""Write tables as text: aligned for terminals, CSV and JSON for files, LaTeX and Markdown for papers and pages."""
from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

from ..errors import visible

if TYPE_CHECKING:
    import pandas as pd

LATEX = {'\\': r'\textbackslash{}', '&': r'\&', '%': r'\%', '$': r'\$', '#': r'\#', '_': r'\_', '{': r'\{', '}': r'\}',
         '~': r'\textasciitilde{}', '^': r'\textasciicircum{}', '<': r'\textless{}', '>': r'\textgreater{}',
         'α': r'$\alpha$', '♯': r'$\sharp$'}
MARKDOWN = {'&': '&amp;', '<': '&lt;', '>': '&gt;', **{sign: f'\\{sign}' for sign in '\\|`*[]'}}
FORMULA = ('=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠')
"""What a text begins with that spreadsheet programs take for a formula."""


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
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == 'NAType'


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
    return '{}' + escaped if escaped[:1] in ('[', '*') else escaped  # at the beginning of a row an option of \\\\


def tabular(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """A LaTeX table (package booktabs) of cells in LaTeX. Columns that are ``numeric`` are aligned to the right."""
    lines = [rf'\begin{{tabular}}{{{"".join("r" if right else "l" for right in numeric)}}}', r'\toprule',
             ' & '.join(heads) + r' \\', r'\midrule', *(' & '.join(row) + r' \\' for row in rows), r'\bottomrule',
             r'\end{tabular}']
    return '\n'.join(lines)


def _cells(frame: pd.DataFrame, places: int, keep: str = '') -> tuple[list[str], list[list[str]], list[bool]]:
    """The texts of the heads and of the cells row by row, with visible control characters but those of ``keep``; and
    whether each column is numeric."""
    heads = [visible(str(column), keep) for column in frame.columns]
    rows = [[visible(number(value, places), keep) for value in row]
            for row in frame.itertuples(index=False, name=None)]
    return heads, rows, [all(missing(value) or (isinstance(value, Number) and not isinstance(value, bool))
                             for value in frame.iloc[:, place].tolist()) for place in range(len(heads))]


def _aligned(frame: pd.DataFrame, places: int) -> str:
    heads, rows, numeric = _cells(frame, places)
    widths = [max(len(head), *(len(row[i]) for row in rows)) if rows else len(head) for i, head in enumerate(heads)]
    lines = [[cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric)]
             for row in (heads, *rows)]
    return '\n'.join('  '.join(line).rstrip() for line in lines)


def _separated(delimiter: str, formulas: bool = True) -> Callable[[pd.DataFrame, int], str]:
    def text(frame: pd.DataFrame, places: int) -> str:
        import csv
        import io

        heads, rows, numeric = _cells(frame, places, '\n\t')  # which are quoted
        if not formulas:
            heads = [_no_formula(head) for head in heads]
            rows = [[cell if right else _no_formula(cell) for cell, right in zip(row, numeric)] for row in rows]
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator='\n').writerows([heads, *rows])
        return out.getvalue().rstrip('\n')
    return text


def _no_formula(text: str) -> str:
    """A text that spreadsheet programs show as it is: with an apostrophe before it, if it looks like a formula."""
    return "'" + text if text.startswith(FORMULA) else text


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, 'item') else value
    return None if missing(value) or (isinstance(value, float) and not math.isfinite(value)) else value


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    heads = [str(column) for column in frame.columns]
    return [dict(zip(heads, map(_plain, row))) for row in frame.itertuples(index=False, name=None)]


def _json(frame: pd.DataFrame, places: int) -> str:
    text = json.dumps(_records(frame), indent=1, ensure_ascii=False)
    return ''.join(character if visible(character, '\n') == character else f'\\u{ord(character):04x}'
                   for character in text)


def _jsonl(frame: pd.DataFrame, places: int) -> str:
    return '\n'.join(json.dumps(record) for record in _records(frame))


def _markdown(frame: pd.DataFrame, places: int) -> str:
    heads, rows, numeric = _cells(frame, places)
    heads, *rows = ([''.join(MARKDOWN.get(character, character) for character in cell) for cell in row]
                    for row in (heads, *rows))
    return '\n'.join('| ' + ' | '.join(row) + ' |'
                     for row in (heads, ['---:' if right else '---' for right in numeric], *rows))


def _latex(frame: pd.DataFrame, places: int) -> str:
    heads, rows, numeric = _cells(frame, places)
    return tabular([latex(head) for head in heads], [[latex(cell) for cell in row] for row in rows], numeric)


FORMS: dict[str, Callable[[pd.DataFrame, int], str]] = {
    'table': _aligned, 'tsv': _separated('\t'), 'csv': _separated(','), 'json': _json, 'jsonl': _jsonl, 'latex': _latex,
    'markdown': _markdown, 'spreadsheet': _separated(',', formulas=False)}
"""The forms of a table by name. ``'spreadsheet'`` is CSV in which no text is a formula."""

__all__ = ['FORMS', 'latex', 'number', 'render', 'tabular']
