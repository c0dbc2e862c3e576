"""The page of a paper as Markdown, HTML, LaTeX or CSV. Its text is made of the numbers and of the paper's data file."""

from __future__ import annotations

import html
import io
import pathlib
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import visible
from ..lazy import pd
from ..results.plotting import axes
from ..results.tables import latex, markdown, render
from .declarations import MODULES, TABLES, Outcome, load, notices
from .quantities import UNTESTED, VERDICTS, Quantity

FORMATS = ('markdown', 'html', 'latex', 'csv')


@dataclass(frozen=True)
class Block:
    """A part of a page.

    Attributes:
        kind: ``'heading'``, ``'text'``, ``'item'``, ``'table'`` or ``'picture'``.
        text: the heading, the paragraph, the name of the table, or the picture.
        heads, rows: of a table.
        level: of a heading, 1 for the title.
    """

    kind: str
    text: str = ''
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    level: int = 2


@dataclass(frozen=True)
class Grid:
    """A table of the paper, or a block of one, with our numbers.

    Attributes:
        name: the block's name; '' for a table that has none.
        columns, rows: those of the paper, then further ones of ours.
        paper: (row, column) → what the paper prints.
        yours: (row, column) → what was computed.
        places: number of decimals.
    """

    name: str
    columns: list[str]
    rows: list[str]
    paper: Mapping[tuple[str, str], str]
    yours: Mapping[tuple[str, str], Any]
    places: int

    def texts(self) -> list[list[str]]:
        """The rows as texts, ``paper | yours``."""
        return [[row, *(self.cell(row, column) for column in self.columns)] for row in self.rows]

    def cell(self, row: str, column: str) -> str:
        key = row, column
        if key not in self.yours:
            return self.paper.get(key, '')
        return f'{self.paper.get(key) or "."} | {self.number(key)}'

    def number(self, key: tuple[str, str]) -> str:
        """Our number with its interval, and with its share of the pairs."""
        value = self.yours[key]
        if isinstance(value, (str, int)):
            return str(value)
        if not isinstance(value, Quantity):
            return f'{value:.{self.places}f}'
        places = 0 if value.total else self.places or 1
        text = f'{value.value:.{places}f}'
        if value.total:
            text += f' ({100 * value.value / value.total:.1f} %)'
        low, high = value.interval()
        return text if np.isnan(low) else f'{text} [{low:.{places}f}, {high:.{places}f}]'


def _printed(value: Any, places: int, mark: str) -> str:
    """A cell as the paper prints it: '' if it is empty, a range for a pair of numbers."""
    if isinstance(value, list):
        return '–'.join(_printed(each, places, mark) for each in value)
    if isinstance(value, float):
        return f'{value:.{places}f}{mark}'
    return '' if value is None else f'{value}{mark}'


def _decimals(cells: Any) -> int:
    """The largest number of decimals in nested lists."""
    if isinstance(cells, list):
        return max(map(_decimals, cells), default=0)
    return len(str(cells).partition('.')[2]) if isinstance(cells, float) else 0


def grids(part: Mapping[str, Any], outcome: Outcome) -> Iterator[Grid]:
    """The tables of a table or figure: one, or one for each block."""
    yours: dict[str, dict[tuple[str, str], Any]] = {}
    for (*block, row, column), value in outcome.cells.items():
        yours.setdefault(''.join(block), {})[row, column] = value
    blocks = part.get('blocks') or ({'': part} if 'rows' in part else {})
    for name in dict.fromkeys([*blocks, *yours]):
        block, own, paper = blocks.get(name, {}), yours.get(name, {}), {}
        rows, columns, cells = (block.get(each) for each in ('rows', 'columns', 'cells'))
        places = _decimals(cells or []) or 3
        for r, row in enumerate(rows or ()):
            for c, column in enumerate(columns or ()):
                lost = cells is None or [r, c] in block.get('lost', ())
                mark = '?' * ([r, c] in block.get('uncertain', ()))
                paper[row, column] = '(lost)' if lost else _printed(cells[r][c], places, mark)
        yield Grid(
            name,
            list(dict.fromkeys(column for _, column in [*paper, *own])),
            list(dict.fromkeys(row for row, _ in [*paper, *own])),
            paper,
            own,
            places,
        )


def commit() -> str:
    """The commit of this checkout; '' for an installed package."""
    root = pathlib.Path(__file__).resolve().parents[2]
    if not (root / '.git').exists():
        return ''
    found = subprocess.run(
        ['git', '-C', str(root), 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True
    )
    return found.stdout.strip()


def head(paper: Any) -> Iterator[Block]:
    """Title and where the numbers come from."""
    import importlib

    cite, work = paper.data['paper'], paper.work
    yield Block('heading', cite['title'], level=1)
    doi = f', doi {cite["doi"]}' if 'doi' in cite else ''
    yield Block('text', f'{cite["authors"]}. {cite["venue"]}{doi}.')
    version = importlib.import_module(__package__.partition('.')[0]).__version__
    seconds = ', '.join(f'{name} {outcome.seconds:.1f}' for name, outcome in paper.outcomes.items())
    notes = [note for outcome in paper.outcomes.values() for note in outcome.notes]
    facts = {
        'command': paper.command,
        'version': f'{version} {commit()}'.strip(),
        'seed': work.seed,
        'data': f'{work.name} ({len(work.runs)} systems, {len(work.topics)} topics, '
        f'{len(work.qrels)} judgments)',
        'hash': work.hash,
        'seconds': seconds or 'none',
    }
    if work.n_seeds < 10:
        facts['seeds'] = f'{work.n_seeds} of 10 (size); --full for all'
    lines = notices([*paper.notes, *notes], work.systems)
    facts |= {f'note {n}': line for n, line in enumerate(lines, 1)}
    for name, value in facts.items():
        yield Block('item', f'{name}: {value}')


def asks(paper: Any) -> Iterator[Block]:
    """The question of the paper, and how many of its claims the data test."""
    words = [claim.verdict for claim in paper.claims]
    tested = len(words) - words.count(UNTESTED)
    counted = ', '.join(f'{words.count(word)} {word}' for word in VERDICTS if word in words)
    yield Block('heading', 'What the paper asks')
    yield Block('text', paper.data['asks'])
    yield Block('text', f'These data test {tested} of {len(words)} claims: {counted}.')


def claims(paper: Any) -> Iterator[Block]:
    """The claims with their verdicts."""
    yield Block('heading', 'Claims')
    yield Block(
        'table',
        heads=['section', 'claim', 'paper', 'yours', 'verdict'],
        rows=[[c.where, c.says, c.paper, c.yours, c.verdict] for c in paper.claims],
    )


def part(paper: Any, identifier: str) -> Iterator[Block]:
    """A table or figure: the paper's numbers, ours, and the sentences that they choose."""
    spec = paper.data['parts'].get(identifier, {'caption': '', 'where': 'not in the paper'})
    outcome = paper.outcomes.get(identifier, Outcome())
    caption = spec.get('caption') or spec.get('says', '')
    name = (
        identifier.rstrip('0123456789').capitalize()
        + ' '
        + identifier.lstrip('abcdefghijklmnopqrstuvwxyz')
    )
    yield Block('heading', f'{name.strip()} ({spec["where"]})', level=3)
    if caption:
        yield Block('text', caption + '.')
    if 'rows' in spec or 'blocks' in spec or outcome.cells:
        for grid in grids(spec, outcome):
            yield Block('table', grid.name, ['', *grid.columns], grid.texts())
    if identifier.startswith('figure') and outcome.cells:
        yield Block('picture', picture(outcome))
    for text in paper.sentences(identifier) if outcome.cells else ():
        yield Block('text', text)
    if isinstance(spec.get('lost'), str):
        yield Block('text', f'Our copy of the paper lost {spec["lost"]}.')
    if outcome.problem:
        yield Block('text', f'Not recomputed: {outcome.problem}.')
    elif not outcome.cells:
        why = spec.get('why', 'there is nothing to compute')
        yield Block('text', f'Not recomputed: {why}.')


def errata(paper: Any) -> Iterator[Block]:
    """What is false as printed."""
    yield Block('heading', 'Errata')
    yield Block(
        'table',
        heads=['section', 'kind', 'as printed', 'shown'],
        rows=[[e['where'], e['kind'], e['says'], e['shown']] for e in paper.data['errata']],
    )


def blocks(paper: Any, chosen: Sequence[str]) -> Iterator[Block]:
    """The page, or the parts that were chosen; the verdicts first, since they may compute tables."""
    body: list[Block] = []
    if not chosen:
        body += asks(paper)
    if not chosen or 'claims' in chosen:
        body += claims(paper)
    for identifier in chosen or paper.data['parts']:
        if identifier not in ('claims', 'errata'):
            body += part(paper, identifier)
    if (not chosen or 'errata' in chosen) and paper.data['errata']:
        body += errata(paper)
    yield from head(paper)
    yield from body


def picture(outcome: Outcome) -> str:
    """A figure as SVG: a line for each column over the rows that are numbers."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for (*_, row, column), value in outcome.cells.items():
        try:
            x = float(row.rpartition('=')[2])
        except ValueError:
            continue
        if not isinstance(value, str):
            y = value.value if isinstance(value, Quantity) else float(value)
            lines.setdefault(column, []).append((x, y))
    if not lines:
        return ''
    ax = axes()
    for column, points in lines.items():
        ax.plot(*zip(*points), label=column)
    ax.legend(fontsize='small')
    text = io.StringIO()
    ax.figure.savefig(text, format='svg', metadata={'Date': None})
    return '<svg' + text.getvalue().partition('<svg')[2]


# ------------------------------------------------------------------------------------------------------------- formats


def _written(block: Block, form: str) -> str:
    """A part of the page in Markdown, HTML or LaTeX."""
    escape: dict[str, Callable[[str], str]] = {
        'markdown': markdown,
        'html': html.escape,
        'latex': latex,
    }
    text = escape[form](block.text)
    if block.kind == 'picture':
        return block.text if form == 'html' else ''
    if block.kind == 'table':
        frame = pd.DataFrame(block.rows, columns=block.heads)
        name = _written(Block('text', block.text), form) + '\n\n' if text else ''
        return name + (frame.to_html(index=False) if form == 'html' else render(frame, form))
    tag = f'h{block.level}' if block.kind == 'heading' else 'p'
    texts = {'html': f'<{tag}>{text}</{tag}>', 'latex': text, 'markdown': text}
    if block.kind == 'heading':
        texts['latex'] = rf'\{"sub" * (block.level - 1)}section*{{{text}}}'
        texts['markdown'] = '#' * block.level + ' ' + text
    elif block.kind == 'item':
        texts['markdown'] = '- ' + text
    return texts[form]


HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 sans-serif; max-width: 70rem; margin: auto; padding: 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
td, th {{ border: 1px solid #bbb; padding: .2rem .5rem; text-align: left; }}
</style></head><body>
{body}
</body></html>"""


def write(paper: Any, format: str = 'markdown', chosen: Sequence[str] = ()) -> str:
    """The page, or a part of it, in a format.

    Raises:
        ValueError: an unknown format.
    """
    if format not in FORMATS:
        raise ValueError(f'format={format!r}: expected one of {", ".join(FORMATS)}')
    if format == 'csv':
        return render(_records(paper, chosen), 'csv', -1)
    parts = list(blocks(paper, chosen))
    body = '\n\n'.join(filter(None, (_written(each, format) for each in parts)))
    if format == 'markdown':
        body = body.replace('\n\n- ', '\n- ').replace('\n- ', '\n\n- ', 1)
    return HTML.format(title=html.escape(parts[0].text), body=body) if format == 'html' else body


def _records(paper: Any, chosen: Sequence[str]) -> pd.DataFrame:
    """A row for each number of the paper or of ours, and for each claim."""
    names = ['paper', 'table', 'row', 'column', 'paper_value', 'value', 'low', 'high', 'verdict']
    rows: list[tuple[Any, ...]] = []
    if not chosen or 'claims' in chosen:
        rows += [
            (paper.key, 'claims', c.id, c.says, c.paper, c.yours, '', '', c.verdict)
            for c in paper.claims
        ]
    for identifier in chosen or paper.data['parts']:
        outcome = paper.outcomes.get(identifier, Outcome())
        for grid in grids(paper.data['parts'].get(identifier, {}), outcome):
            for row in grid.rows:
                for column in grid.columns:
                    value = grid.yours.get((row, column), '')
                    low, high = value.interval() if isinstance(value, Quantity) else ('', '')
                    value = value.value if isinstance(value, Quantity) else value
                    name = f'{identifier} {grid.name}'.strip()
                    printed = grid.paper.get((row, column), '')
                    rows.append((paper.key, name, row, column, printed, value, low, high, ''))
    return pd.DataFrame(rows, columns=names, dtype=object)


def listing() -> str:
    """The papers and their tables, with what each needs."""
    lines = []
    for key in MODULES:
        data = load(key)
        lines.append(f'{key}: {data["paper"]["authors"]}. {data["paper"]["title"]}.')
        for name, each in data['parts'].items():
            state = each['status'] if (key, name) in TABLES else 'not recomputed'
            lines.append(f'  {name}  {state}  {each.get("with", each.get("why", ""))}'.rstrip())
    return visible('\n'.join(lines), '\n')


__all__ = ['FORMATS', 'blocks', 'grids', 'listing', 'write']
