"""The page of a paper as Markdown, HTML, LaTeX or CSV. Its text is made of the numbers and of the paper's data file."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import one_of
from ..estimates import Quantity
from ..lazy import pd
from ..plotting import svg
from ..tables import PAPER, render
from .rules import UNTESTED, tally, verdict

RECORD = ['paper', 'table', 'row', 'column', 'paper_value', 'value', 'low', 'high', 'verdict']
"""The columns of a page as CSV."""
FORMATS = ('markdown', 'html', 'latex', 'csv')
MARKS = {
    'h1': ('# {}', '<h1>{}</h1>', r'\section*{{{}}}'),
    'h2': ('## {}', '<h2>{}</h2>', r'\subsection*{{{}}}'),
    'h3': ('### {}', '<h3>{}</h3>', r'\subsubsection*{{{}}}'),
    'text': ('{}', '<p>{}</p>', '{}'),
    'list': ('- {}', '<p>{}</p>', '{}\n'),
}
"""The texts of a page by kind, in each format but CSV."""
LEGEND = (
    'A cell is the number of the paper | ours, with its 95 % interval over topics; a dot means that the paper has none. '
    'A claim agrees if the interval of what it compares, in parentheses, is on its side, and disagrees if it is on the '
    'other side. All parts must agree.'
)
"""How a page is to be read."""
HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 sans-serif; max-width: 70rem; margin: auto; padding: 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
td, th {{ border: 1px solid #bbb; padding: .2rem .5rem; text-align: left; }}
</style></head><body>{body}</body></html>"""
Block = tuple[str, Any]
"""A part of a page: its kind and its content, a text, a list of texts, a DataFrame, or the cells of a figure."""


def printed(value: Any, places: int) -> str:
    """A cell as the paper prints it: '' if it is empty, a range for a pair of numbers.

    A quantity has its share of the pairs and its interval, with a decimal at least.
    """
    if isinstance(value, Quantity):
        places = 0 if value.total else places or 1
        share = f' ({value.value / value.total:.1%})'.replace('%', ' %') if value.total else ''
        low, high = (printed(float(end), places) for end in value.interval())
        ends = '' if low == 'nan' else f' [{low}, {high}]'
        return f'{printed(value.value, places)}{share}{ends}'
    if isinstance(value, list):
        return '–'.join(printed(each, places) for each in value)
    if isinstance(value, float):
        return f'{value:.{places}f}'
    return '' if value is None else str(value)


def grid(rows: Any = (), columns: Any = (), cells: Any = (), **_: Any) -> dict[Any, Any]:
    """The cells of a table of a data file by row and column."""
    return dict(zip(itertools.product(rows, columns), itertools.chain.from_iterable(cells)))


def cells_of(part: Mapping[str, Any], found: Mapping[Any, Any]) -> pd.DataFrame:
    """The cells of a table or figure: what the paper prints, what was computed (or None), and both as text.

    Rows and columns are those of the paper, then further ones of ours. The block is '' in a table without blocks.
    """
    blocks, cells = part.get('blocks', {'': part}), []
    ours = {(''.join(key[:-2]), *key[-2:]): value for key, value in found.items()}
    for name in dict.fromkeys([*blocks, *(key[0] for key in ours)]):
        block = blocks.get(name, {})
        places = max(map(len, re.findall(r'\d\.(\d+)', str(block.get('cells')))), default=3)
        paper = {(name, *key): printed(value, places) for key, value in grid(**block).items()}
        keys = [key for key in paper | ours if key[0] == name]
        rows, columns = (dict.fromkeys(key[place] for key in keys) for place in (1, 2))
        for key in itertools.product([name], rows, columns):
            text, value = paper.get(key, ''), ours.get(key)
            both = f'{text or "."} | {printed(value, places)}'
            cells.append((*key, text, value, text if value is None else both))
    names = ['block', 'row', 'column', 'paper', 'value', 'text']
    return pd.DataFrame(cells, columns=names, dtype=object)


def head(paper: Any) -> Iterator[Block]:
    """Title and where the numbers come from."""
    cite, outcomes = paper.data['paper'], paper.outcomes
    doi = f', doi {cite["doi"]}' if 'doi' in cite else ''
    seconds = [f'{name} {each.seconds:.1f}' for name, each in outcomes.items() if each.seconds]
    sizes = f'{len(paper.runs)} systems, {len(paper.topics)} topics, {len(paper.qrels)} judgments'
    notes = sum((outcome.notes for outcome in outcomes.values()), paper.notes)
    texts = list(dict.fromkeys(text for text, _ in notes))
    facts = {
        'command': paper.command,
        'version': importlib.import_module('ir_divmeasures').__version__,
        'seed': str(paper.seed),
        'data': f'{paper.name} ({sizes})',
        'seconds': ', '.join(seconds) or 'none',
        'seeds': f'{paper.n_seeds} of 10 (size); --full for all' if paper.n_seeds < 10 else '',
        **{f'note {n}': line for n, line in enumerate(texts[:10], 1)},
    }
    yield 'h1', cite['title']
    yield 'text', f'{cite["authors"]}. {cite["venue"]}{doi}.'
    yield 'list', [f'{name}: {fact}' for name, fact in facts.items() if fact]


def part(paper: Any, name: str) -> Iterator[Block]:
    """What the paper asks, its claims, its errata, or a table: its numbers, ours, and the sentence that they choose."""
    if name == 'asks':
        words = [claim.verdict for claim in paper.claims]
        tested = len(words) - words.count(UNTESTED)
        yield 'h2', 'What the paper asks'
        yield 'text', paper.data['asks']
        yield 'text', f'These data test {tested} of {len(words)} claims: {tally(words)}.'
        yield 'text', LEGEND
    elif name == 'claims':
        yield 'h2', 'Claims'
        lines: list[Any] = []
        for _, *claim, parts in paper.claims:
            own = [['', '', '', part.yours, verdict([part])] for part in parts]
            lines += [claim, *own] if len({word for *_, word in own}) > 1 else [claim]
        heads = ['section', 'claim', 'paper', 'yours', 'verdict']
        yield 'table', pd.DataFrame(lines, columns=heads)
    elif name == 'errata':
        yield 'h2', 'Errata'
        errata = pd.DataFrame(paper.data['errata'])[['where', 'kind', 'says', 'shown']]
        yield 'table', errata.rename(columns={'where': 'section', 'says': 'as printed'})
    else:
        spec, outcome = paper.parts.get(name, {}), paper.outcomes[name]
        label = re.sub(r'(?<=\D)(?=\d)', ' ', name.capitalize())
        yield 'h3', f'{label} ({spec.get("where", "not in the paper")})'
        if caption := spec.get('caption') or spec.get('says'):
            yield 'text', f'{caption}.'.format_map(spec)
        for block, cells in cells_of(spec, outcome.cells).groupby('block', sort=False):
            rows: dict[str, dict[str, str]] = {}
            for cell in cells.itertuples():
                rows.setdefault(cell.row, {'': cell.row})[cell.column] = cell.text
            yield 'text', block
            yield 'table', pd.DataFrame(list(rows.values()))
        if outcome.cells:
            yield 'svg', outcome.cells if name.startswith('figure') else {}
            for known in spec.get('sentences', ()):  # the verdict on its rule chooses one
                word, yours, parts = paper.tested(known)
                yield 'text', known[word].format('; '.join(each.yours for each in parts) or yours)
        if 'lost' in spec:
            yield 'text', f'Our copy of the paper lost {spec["lost"]}.'
        if not outcome.cells:
            yield 'text', f'Not recomputed: {outcome.problem}.'


def picture(cells: Mapping[Any, Any]) -> str:
    """A figure as SVG: a line for each column over the rows that are numbers."""
    points: dict[str, dict[float, float]] = {}
    for (*_, row, column), value in cells.items():
        with contextlib.suppress(ValueError):
            number, y = float(row.rpartition('=')[2]), float(value)
            points.setdefault(column, {})[number] = y
    return svg(pd.DataFrame(points)) if points else ''


def written(kind: str, content: Any, form: str) -> str:
    """A part of the page in Markdown, HTML or LaTeX."""
    if kind == 'table':
        return render(content, form)
    if kind == 'svg':
        return picture(content) if form == 'html' else ''
    texts, mark = (
        [content] if isinstance(content, str) else content,
        MARKS[kind][FORMATS.index(form)],
    )
    return '\n'.join(mark.format(PAPER[form].escaped(text)) for text in texts if text)


def records(paper: Any, name: str) -> Iterator[tuple[Any, ...]]:
    """A row for each claim, or for each number of the paper or of ours in a table."""
    if name == 'claims':
        for claim, _, says, numbers, yours, word, parts in paper.claims:
            yield paper.key, name, claim, says, numbers, '' if parts else yours, '', '', word
            for part in parts:
                numbers = part.value, *part.ends(0.95)
                yield paper.key, name, claim, part.yours, '', *numbers, verdict([part])
    elif name in paper.outcomes:
        cells = cells_of(paper.parts.get(name, {}), paper.outcomes[name].cells)
        for block, row, column, text, value, _ in cells.itertuples(index=False):
            ends = value.interval() if isinstance(value, Quantity) else ('', '')
            number, table = getattr(value, 'value', value), f'{name} {block}'.strip()
            yield paper.key, table, row, column, text, number, *ends, ''


def write(paper: Any, format: str, chosen: Sequence[str]) -> str:
    """The page, or a part of it, in one of the formats. Verdicts may compute tables, of which the head has the times."""
    one_of(format, FORMATS, 'format')
    names = chosen or ['asks', 'claims', *paper.parts, 'errata']
    if format == 'csv':
        rows = [row for name in names for row in records(paper, name)]
        return render(pd.DataFrame(rows, columns=RECORD, dtype=object), 'csv', -1)
    parts = [block for name in names for block in part(paper, name)]
    text = '\n\n'.join(filter(None, (written(*each, format) for each in (*head(paper), *parts))))
    title = PAPER['html'].escaped(paper.data['paper']['title'])
    return HTML.format(title=title, body=text) if format == 'html' else text
