r"""Docstrings with formulas: as Markdown for the catalogue, as plain text for a terminal.

A measure's formula is written once, as TeX under ``.. math::`` in its docstring; further ones within a sentence as
``:math:`…```. Sphinx sets them on the API's pages, :func:`as_markdown` in the catalogue, and :func:`as_text` writes
them in a line, ``Σ_{i=1..k} p^i``, which is what ``help`` and the command show. The TeX is a small part of the
language: ``SYMBOLS`` and what :func:`plain` says.
"""

from __future__ import annotations

import re
import textwrap
from collections import deque

WIDE = '\0'
SYMBOLS = {
    **{
        f'\\{name}': letter
        for name, letter in zip(('alpha', 'beta', 'gamma', 'theta', 'tau'), 'αβγθτ')
    },
    **{f'\\{name}': name for name in ('min', 'max', 'log')},
    r'\sum': 'Σ',
    r'\prod': 'Π',
    r'\leq': '≤',
    r'\geq': '≥',
    r'\cdot': '·',
    r'\,': ' ',
    r'\;': ' ',
    r'\ ': ' ',
    r'\quad': WIDE,
    r'\#': '#',
    r'\_': '_',
    r'\{': '{',
    r'\}': '}',
    '-': '−',
}
"""What formulas may use besides \\frac, \\mathrm, \\text, \\left and \\right."""
TOKEN = re.compile(r'\\[A-Za-z]+|\\.|.')
BLOCK = re.compile(r'\.\. math::\n\n((?: {4}.*(?:\n|$))+)')
INLINE = re.compile(r':math:`([^`]+)`')
TABLE = re.compile(r'^(=+ [= ]*=)\n(?:.*\n)*?\1\n(?:.*\n)*?\1$', re.M)


def formulas(doc: str) -> list[str]:
    """The TeX of the formulas that are set apart in a docstring.

    Args:
        doc: the docstring, without the indentation of its function.

    Examples:
        >>> formulas('The mean.\\n\\n.. math::\\n\\n    \\\\frac{1}{k}\\n    \\\\sum_i x_i\\n\\nOf all x.')
        ['\\\\frac{1}{k} \\\\sum_i x_i']
    """
    return [' '.join(body.split()) for body in BLOCK.findall(doc)]


def plain(tex: str) -> str:
    r"""A formula in one line of plain text.

    Args:
        tex: letters, digits and signs, ``_``, ``^``, braces, the commands of ``SYMBOLS``, ``\frac{}{}``,
            ``\mathrm{}``, ``\text{}``, ``\left`` and ``\right``.

    Raises:
        ValueError: another command, or a brace without its counterpart.

    Examples:
        >>> plain(r'\mathrm{P\_IA}@k = \sum_{i=1}^{k} \frac{x_i - 1}{\log_2(i+1)}')
        'P_IA@k = Σ_{i=1..k} (x_i − 1) / log_2(i+1)'
    """
    tokens = deque(TOKEN.findall(' '.join(tex.split())))
    try:
        text = _sequence(tokens, '')
    except IndexError:
        raise ValueError(f'{tex!r}: a brace or an argument is missing') from None
    text = re.sub(r'(?<=[(]) | (?=[)])', '', re.sub(' +', ' ', text)).replace('^*', '*')
    return re.sub(f' ?{WIDE} ?', '   ', text).strip()


def _sequence(tokens: deque[str], end: str) -> str:
    parts: list[str] = []
    while end or tokens:
        if tokens[0] == end:
            tokens.popleft()
            break
        parts.append(_part(tokens))
    return ''.join(parts)


def _part(tokens: deque[str]) -> str:
    token = tokens.popleft()
    if token == '{':
        return _sequence(tokens, '}')
    if token == r'\frac':
        text = ' / '.join(_operand(_argument(tokens)) for _ in range(2))
        return f'({text})' if _is_factor(tokens) else text
    if token in ('_', '^'):
        inner = _argument(tokens)
        return token + (inner if len(inner) == 1 else f'{{{inner}}}')
    if token in (r'\sum', r'\prod'):
        limits = []
        while tokens and tokens[0] in ('_', '^'):
            tokens.popleft()
            limits.append(_argument(tokens))
        text = '..'.join(limits)
        return SYMBOLS[token] + (f'_{text}' if len(text) == 1 else f'_{{{text}}}' if text else '')
    if token in (r'\mathrm', r'\text'):
        return _argument(tokens)
    if token in (r'\left', r'\right'):
        return tokens.popleft()
    if token == '}' or token.startswith('\\') and token not in SYMBOLS:
        raise ValueError(
            f'{token} in a formula: expected \\frac, \\mathrm, \\text, \\left, \\right, '
            f'{", ".join(SYMBOLS)}'
        )
    return SYMBOLS.get(token, token)


def _argument(tokens: deque[str]) -> str:
    while tokens[0] == ' ':
        tokens.popleft()
    return _part(tokens).strip()


def _is_factor(tokens: deque[str]) -> bool:
    """Whether what follows is multiplied with what was read last."""
    following = next((token for token in tokens if token not in (' ', r'\,', r'\;')), '')
    return following not in ('', ',', '=', '+', '-', ')', '}', r'\right', r'\quad')


def _operand(text: str) -> str:
    """With brackets around it unless it is one thing: a name, a number, a function's value."""
    outside, inside = text, ''
    while inside != outside:
        inside, outside = outside, re.sub(r'\([^()]*\)|\{[^{}]*\}', '', outside)
    return text if re.fullmatch(r'[^\s+−/·]*', outside) else f'({text})'


def as_text(doc: str) -> str:
    """A docstring for a terminal: formulas in plain text, names of functions without Sphinx' roles.

    A formula with commands that are not among ``SYMBOLS``, as a user's measure may have, stays as it is.

    Args:
        doc: the docstring, without the indentation of its function.

    Examples:
        >>> as_text('Mean.\\n\\n.. math::\\n\\n    m = \\\\frac{1}{k} \\\\sum_i x_i\\n\\nSee :func:`numpy.mean`.')
        'Mean.\\n\\n    m = (1 / k) Σ_i x_i\\n\\nSee ``numpy.mean``.'
    """
    doc = BLOCK.sub(lambda found: f'    {_plain_if_known(found[1])}\n', doc)
    return INLINE.sub(lambda found: _plain_if_known(found[1]), _without_roles(doc, '``'))


def _plain_if_known(tex: str) -> str:
    try:
        return plain(tex)
    except ValueError:
        return ' '.join(tex.split())


class Docstring:
    """A class's ``__doc__`` with its formulas in plain text, made when it is asked for.

    Args:
        written: the docstring with TeX.
    """

    def __init__(self, written: str):
        self.written = written

    def __get__(self, instance: object, owner: type | None = None) -> str:
        return as_text(self.written)


def as_markdown(doc: str) -> str:
    """A docstring as Markdown: formulas as blocks ``math`` and between dollars, tables with bars.

    Args:
        doc: the docstring, without the indentation of its function.

    Examples:
        >>> print(as_markdown('Mean.\\n\\n.. math::\\n\\n    m = \\\\frac{1}{k} \\\\sum_i x_i'))
        Mean.
        <BLANKLINE>
        ```math
        m = \\frac{1}{k} \\sum_i x_i
        ```
    """
    doc = BLOCK.sub(lambda found: f'```math\n{textwrap.dedent(found[1]).strip()}\n```\n', doc)
    doc = TABLE.sub(lambda found: _table(found[0]), doc)
    return INLINE.sub(
        lambda found: f'${" ".join(found[1].split())}$', _without_roles(doc, '`')
    ).strip()


def _without_roles(doc: str, quote: str) -> str:
    return re.sub(r':func:`(?:ir_divmeasures\.)?([\w.]+)`', rf'{quote}\1{quote}', doc)


def _table(text: str) -> str:
    """A simple table of reStructuredText as one of Markdown; a row without a first cell goes on with the row above."""
    rule, heading, _, *body, _ = text.split('\n')
    starts = [match.start() for match in re.finditer('=+', rule)]
    rows: list[list[str]] = []
    for line in [heading, *body]:
        cells = [
            line[start:end].strip().replace('|', r'\|')
            for start, end in zip(starts, [*starts[1:], None])
        ]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [' '.join(filter(None, both)) for both in zip(rows[-1], cells)]
    rows.insert(1, ['---'] * len(starts))
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


__all__ = ['SYMBOLS', 'Docstring', 'as_markdown', 'as_text', 'formulas', 'plain']
