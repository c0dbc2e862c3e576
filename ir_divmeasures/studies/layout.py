"""The page of a paper as Markdown, HTML, LaTeX or CSV. Its text is made of the numbers and of the paper's data file."""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import pathlib
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import Message, one_of
from ..lazy import pd
from ..results import count
from ..results.plotting import axes
from ..results.tables import PAPER, render
from .rules import UNTESTED, VERDICTS, Quantity

RECORD = ['paper', 'table', 'row', 'column', 'paper_value', 'value', 'low', 'high', 'verdict']
"""The columns of a page as CSV."""

Block = tuple[str, Any]
"""A part of a page: its kind and its content, a text, a list of texts, a DataFrame, or the cells of a figure."""


class Cell(NamedTuple):
    """A cell of a table of the paper, with our number.

    Attributes:
        block, row, column: its names; the block is '' in a table without blocks.
        paper: what the paper prints.
        value: what was computed; None if nothing was.
        places: number of decimals.
    """

    block: str
    row: str
    column: str
    paper: str
    value: Any
    places: int

    @property
    def text(self) -> str:
        """``paper | yours``."""
        if self.value is None:
            return self.paper
        return f'{self.paper or "."} | {printed(self.value, self.places)}'


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


def grid(
    rows: Sequence[str] = (), columns: Sequence[str] = (), cells: Sequence[Any] = (), **_: Any
) -> dict[tuple[str, str], Any]:
    """The cells of a table of a data file by row and column."""
    names = itertools.product(rows, columns)
    return dict(zip(names, itertools.chain.from_iterable(cells)))


def cells_of(part: Mapping[str, Any], found: Mapping[Any, Any]) -> Iterator[Cell]:
    """The cells of a table or figure, by blocks. Rows and columns are those of the paper, then further ones of ours."""
    blocks = part.get('blocks', {'': part})
    ours = {(''.join(key[:-2]), *key[-2:]): value for key, value in found.items()}
    for name in dict.fromkeys([*blocks, *(key[0] for key in ours)]):
        block = blocks.get(name, {})
        places = max(map(len, re.findall(r'\d\.(\d+)', str(block.get('cells')))), default=3)
        paper = {(name, *key): printed(value, places) for key, value in grid(**block).items()}
        keys = [key for key in paper | ours if key[0] == name]
        rows, columns = (dict.fromkeys(key[place] for key in keys) for place in (1, 2))
        for key in itertools.product([name], rows, columns):
            yield Cell(*key, paper.get(key, ''), ours.get(key), places)


def commit() -> str:
    """The commit of this checkout; '' for an installed package."""
    root = pathlib.Path(__file__).resolve().parents[2]
    if not (root / '.git').exists():
        return ''
    command = ['git', 'rev-parse', '--short', 'HEAD']
    return subprocess.run(command, cwd=root, capture_output=True, text=True).stdout.strip()


def notices(notes: Iterable[Message], systems: Iterable[str]) -> list[str]:
    """A line for each class of warnings: class, count, up to three systems, the first text; at most ten lines."""
    texts: dict[str, list[str]] = defaultdict(list)
    for text, category in notes:
        *words, _ = re.findall('[A-Z][a-z]+', category.__name__)
        texts[' '.join(words).lower().replace('div measures', 'other')].append(text)
    lines = []
    for label, several in texts.items():
        named = [name for name in systems if any(name in text for text in several)]
        which = f' ({", ".join(named[:3])}{", …" * (len(named) > 3)})' if named else ''
        lines.append(f'{label}: {count(len(several), "notice")}{which}; {several[0]}')
    return lines[:10]


def head(paper: Any) -> Iterator[Block]:
    """Title and where the numbers come from."""
    cite, outcomes = paper.data['paper'], paper.outcomes
    doi = f', doi {cite["doi"]}' if 'doi' in cite else ''
    version = importlib.import_module(__package__.partition('.')[0]).__version__
    seconds = ', '.join(f'{name} {outcome.seconds:.1f}' for name, outcome in outcomes.items())
    sizes = f'{len(paper.runs)} systems, {len(paper.topics)} topics, {len(paper.qrels)} judgments'
    notes = sum((outcome.notes for outcome in outcomes.values()), paper.notes)
    facts = {
        'command': paper.command,
        'version': f'{version} {commit()}'.strip(),
        'seed': str(paper.seed),
        'data': f'{paper.name} ({sizes})',
        'hash': paper.hash,
        'seconds': seconds or 'none',
        'seeds': f'{paper.n_seeds} of 10 (size); --full for all' if paper.n_seeds < 10 else '',
        **{f'note {n}': line for n, line in enumerate(notices(notes, paper.runs), 1)},
    }
    yield 'h1', cite['title']
    yield 'text', f'{cite["authors"]}. {cite["venue"]}{doi}.'
    yield 'list', [f'{name}: {fact}' for name, fact in facts.items() if fact]


def part(paper: Any, identifier: str) -> Iterator[Block]:
    """A table or figure: the paper's numbers, ours, and the sentence that they choose."""
    spec, outcome = paper.entry(identifier)
    name = re.sub(r'(?<=\D)(?=\d)', ' ', identifier.capitalize())
    yield 'h3', f'{name} ({spec.get("where", "not in the paper")})'
    if caption := spec.get('caption') or spec.get('says'):
        yield 'text', f'{caption}.'
    for name, cells in itertools.groupby(cells_of(spec, outcome.cells), lambda cell: cell.block):
        rows: dict[str, dict[str, str]] = {}
        for cell in cells:
            rows.setdefault(cell.row, {'': cell.row})[cell.column] = cell.text
        yield 'text', name
        yield 'table', pd.DataFrame(list(rows.values()))
    if outcome.cells:
        yield 'svg', outcome.cells if identifier.startswith('figure') else {}
        yield 'text', paper.sentence(identifier)
    if 'lost' in spec:
        yield 'text', f'Our copy of the paper lost {spec["lost"]}.'
    if not outcome.cells:
        why = outcome.problem or spec.get('why', 'there is nothing to compute')
        yield 'text', f'Not recomputed: {why}.'


def body(paper: Any, chosen: Sequence[str]) -> Iterator[Block]:
    """The page without its head, or the parts that were chosen. Verdicts may compute tables."""
    if not chosen:
        words = [claim.verdict for claim in paper.claims]
        tested = len(words) - words.count(UNTESTED)
        counted = ', '.join(f'{words.count(word)} {word}' for word in VERDICTS if word in words)
        yield 'h2', 'What the paper asks'
        yield 'text', paper.data['asks']
        yield 'text', f'These data test {tested} of {len(words)} claims: {counted}.'
    for name in chosen or ['claims', *paper.parts, 'errata']:
        if name == 'claims':
            yield 'h2', 'Claims'
            heads = ['section', 'claim', 'paper', 'yours', 'verdict']
            yield 'table', pd.DataFrame([claim[1:] for claim in paper.claims], columns=heads)
        elif name == 'errata':
            yield 'h2', 'Errata'
            errata = pd.DataFrame(paper.data['errata'])[['where', 'kind', 'says', 'shown']]
            yield 'table', errata.rename(columns={'where': 'section', 'says': 'as printed'})
        else:
            yield from part(paper, name)


def picture(cells: Mapping[Any, Any]) -> str:
    """A figure as SVG: a line for each column over the rows that are numbers."""
    points: dict[str, dict[float, float]] = defaultdict(dict)
    for (*_, row, column), value in cells.items():
        with contextlib.suppress(ValueError):
            number = float(row.rpartition('=')[2])
            points[column][number] = float(value)
    if not points:
        return ''
    frame, ax, text = pd.DataFrame(points), axes(), io.StringIO()
    ax.plot(frame.index, frame, label=list(frame))
    ax.legend(fontsize='small')
    ax.figure.savefig(text, format='svg', metadata={'Date': None})
    return '<svg' + text.getvalue().partition('<svg')[2]


# ------------------------------------------------------------------------------------------------------------- formats

KINDS = ('h1', 'h2', 'h3', 'text', 'list')
MARKS = {
    'markdown': ('# {}', '## {}', '### {}', '{}', '- {}'),
    'html': ('<h1>{}</h1>', '<h2>{}</h2>', '<h3>{}</h3>', '<p>{}</p>', '<p>{}</p>'),
    'latex': (r'\section*{{{}}}', r'\subsection*{{{}}}', r'\subsubsection*{{{}}}', '{}', '{}\n'),
}
"""The texts of a page in each format, by kind."""
FORMATS = (*MARKS, 'csv')

HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 sans-serif; max-width: 70rem; margin: auto; padding: 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
td, th {{ border: 1px solid #bbb; padding: .2rem .5rem; text-align: left; }}
</style></head><body>
{body}
</body></html>"""


def written(kind: str, content: Any, form: str) -> str:
    """A part of the page in Markdown, HTML or LaTeX."""
    if kind == 'table':
        return render(content, form)
    if kind == 'svg':
        return picture(content) if form == 'html' else ''
    texts, mark = [content] if isinstance(content, str) else content, MARKS[form][KINDS.index(kind)]
    return '\n'.join(mark.format(PAPER[form].escaped(text)) for text in texts if text)


def write(paper: Any, format: str, chosen: Sequence[str]) -> str:
    """The page, or a part of it, in a format.

    Raises:
        ValueError: an unknown format.
    """
    one_of(format, FORMATS, 'format')
    if format == 'csv':
        return render(pd.DataFrame(records(paper, chosen), columns=RECORD, dtype=object), 'csv', -1)
    after = list(body(paper, chosen))
    text = '\n\n'.join(filter(None, (written(*each, format) for each in (*head(paper), *after))))
    title = PAPER['html'].escaped(paper.data['paper']['title'])
    return HTML.format(title=title, body=text) if format == 'html' else text


def records(paper: Any, chosen: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """A row for each claim, and for each number of the paper or of ours."""
    for identifier in chosen or ['claims', *paper.parts]:
        for name, _, says, numbers, yours, word in paper.claims if identifier == 'claims' else ():
            yield paper.key, identifier, name, says, numbers, yours, '', '', word
        spec, outcome = paper.entry(identifier)
        for block, row, column, text, value, _ in cells_of(spec, outcome.cells):
            ends = value.interval() if isinstance(value, Quantity) else ('', '')
            number, name = getattr(value, 'value', value), f'{identifier} {block}'.strip()
            yield paper.key, name, row, column, text, number, *ends, ''
