"""A published paper on runs and judgments: its tables, and a page with the paper's values beside yours."""

from __future__ import annotations

import functools
import importlib
import lzma
import pathlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ..data.files import read_yaml
from ..data.qrels import read_qrels, topic_level
from ..data.runs import read_runs
from ..errors import did_you_mean
from ..evaluation.scores import Scores
from ..lazy import pd
from ..pools.judged import JudgedPool
from ..pools.pool import Pool
from ..tables import number, render
from ..typing import QrelsLike, RunsLike

FOLDER = pathlib.Path(__file__).parents[1] / 'resources/papers'
"""The folder of the papers' numbers, a YAML file for each, and of the sample's runs."""
PAPERS = sorted(path.stem for path in FOLDER.glob('*-????.yaml'))
"""The keys of the papers."""

Cells = Iterable[tuple[Any, ...]]
"""Cells of a table: row, column and value, which may be followed by the ends of its 95 % interval over topics."""


@dataclass(eq=False, repr=False)
class Study:
    """A paper on runs and judgments. A subclass is a paper; its methods with the ids of tables compute their cells.

    Attributes:
        data: the paper's texts and numbers.
        depth: the number of documents of a ranking that its measures see; None for all.
        qrels, runs: judgments as :func:`ir_divmeasures.read_qrels` returns them, sorted by query, and ``{system: table}``
            with the judged queries.
        topics: ids of the judged queries, in order.
        docs, superintents, assessors: what some tables need: texts of documents, a file of superintents, and further
            judgments.
        name, seed: the name of the data, and the seed of all random draws.
    """

    data: ClassVar[dict[str, Any]]
    depth: ClassVar[int | None] = None

    qrels: Any
    runs: Any
    _: KW_ONLY
    docs: Any = None
    superintents: Any = None
    assessors: Sequence[QrelsLike] = ()
    name: str = 'your runs'
    seed: int = 0

    def __init_subclass__(cls, key: str) -> None:
        cls.data = read_yaml(FOLDER / f'{key}.yaml')

    def __post_init__(self) -> None:
        qrels = read_qrels(self.qrels)
        self.qrels = qrels.sort_values('query_id', kind='stable', ignore_index=True)
        self.topics = sorted(set(qrels['query_id']))
        runs = sorted(dict(read_runs(self.runs)).items())
        self.runs = {name: run[run['query_id'].isin(self.topics)] for name, run in runs}
        if min(len(self.runs), len(self.topics)) < 2:
            raise ValueError(
                f'expected at least 2 systems and 2 judged topics, found {len(self.runs)} and {len(self.topics)}'
            )

    @functools.cached_property
    def topic_qrels(self) -> pd.DataFrame:
        """The judgments of whole topics: of the grades of a document for several subtopics the largest."""
        return topic_level(self.qrels)

    @functools.cached_property
    def pool(self) -> Pool:
        """The runs, read once for the scores by several sets of judgments."""
        return Pool.from_runs(self.runs, depth=self.depth)

    @functools.cached_property
    def judged(self) -> JudgedPool:
        """The pool with the judgments of whole topics."""
        return self.pool.over(self.topic_qrels)

    def scores(self, qrels: Any, measures: Iterable[str]) -> Scores:
        """The scores of all systems by these judgments; the names of the measures are those given."""
        names = list(dict.fromkeys(measures))
        scores = self.pool.over(qrels).scores(names)
        return Scores(scores.values, scores.systems, scores.queries, tuple(names))

    def rng(self, identifier: str) -> np.random.Generator:
        """The generator of a table, which does not depend on the tables that were computed before."""
        return np.random.default_rng([self.seed, zlib.crc32(identifier.encode())])

    @classmethod
    def named(cls, names: Iterable[str]) -> list[str]:
        """The ids of tables that names mean: ``'2'`` means ``'table2'``, and a beginning all tables that begin so.

        Raises:
            ValueError: no such table.
        """
        known = [table['id'] for table in cls.data['tables']]
        identifiers = []
        for name in names:
            matches = [
                each for each in known if f'{each} '.startswith((f'{name} ', f'table{name} '))
            ]
            if not matches:
                raise ValueError(f'no table {name!r}{did_you_mean(name, known)}')
            identifiers += matches
        return identifiers or known

    def tables(self, names: Iterable[str] = ()) -> dict[str, pd.DataFrame]:
        """The tables by id; see :func:`tables`."""
        identifiers = self.named(names)
        return {
            table['id']: self._joined(table)
            for table in self.data['tables']
            if table['id'] in identifiers
        }

    def paper_table(self, identifier: str) -> dict[str, Any]:
        """The title, texts and numbers of a table."""
        return next(table for table in self.data['tables'] if table['id'] == identifier)

    def _joined(self, table: dict[str, Any]) -> pd.DataFrame:
        """The cells of the paper and of these data, in the order of the paper's rows and columns."""
        identifier, *block = table['id'].split(' ', 1)
        compute: Callable[..., Cells] = getattr(self, identifier, lambda: cells_of(table, 'yours'))
        yours = {cell[:2]: (*cell[2:], None, None)[:3] for cell in compute(*block)}
        paper = {cell[:2]: cell[2] for cell in cells_of(table)}
        rows, columns = (dict.fromkeys(key[place] for key in [*paper, *yours]) for place in (0, 1))
        columns = dict.fromkeys([*table['columns'], *columns])
        cells = [
            (row, column, paper.get((row, column)), *yours.get((row, column), (None, None, None)))
            for row in rows
            for column in columns
            if (row, column) in paper or (row, column) in yours
        ]
        names = ['row', 'column', 'paper', 'yours', 'low', 'high']
        return pd.DataFrame(cells, columns=names, dtype=object)

    def page(self, names: Iterable[str] = (), form: str = 'markdown', made_by: str = '') -> str:
        """The page of the paper, or some of its tables, as ``'markdown'`` or ``'csv'``.

        Args:
            names: ids of tables; all by default.
            form: the format. CSV has a row for each cell, with the table's id.
            made_by: the command that made the page.
        """
        tables, data = self.tables(names), self.data
        if form == 'csv':
            table = pd.concat([frame.assign(table=name) for name, frame in tables.items()])
            return render(table[['table', *table.columns.drop('table')]], 'csv', -1)
        sizes = f'{len(self.runs)} systems, {len(self.topics)} topics, {len(self.qrels)} judgments'
        parts = [
            f'# {data["title"]}',
            f'{data["authors"]}. {data["venue"]}.',
            data['asks'],
            'The columns *paper* have the printed values. The columns *yours* have the values on '
            f'{self.name} ({sizes}), with 95 % intervals over topics in brackets. Rows and columns that these data '
            'cannot fill are omitted.',
        ]
        for table in data['tables']:
            if table['id'] in tables and len(tables[table['id']]):
                layout = {'columns': table['columns'], 'places': table.get('places', 3)}
                parts += [
                    f'## {table["title"]} ({table["where"]})',
                    table['caption'],
                    render(beside(tables[table['id']], **layout), 'markdown'),
                    table.get('note', ''),
                ]
        if not names:
            errata = pd.DataFrame(data['errata'])[['where', 'says', 'shown']]
            renamed = errata.rename(columns={'says': 'as printed', 'shown': 'what we found'})
            parts += ['## Errata', render(renamed, 'markdown')]
        version = importlib.import_module('ir_divmeasures').__version__
        parts += ['## How this page was made', f'`{made_by}`' if made_by else '']
        parts += [f'Version {version}, seed {self.seed}.']
        return '\n\n'.join(filter(None, parts))


def cells_of(table: dict[str, Any], kind: str = 'cells') -> Iterator[tuple[str, str, Any]]:
    """The cells of a table of a data file that are not empty."""
    for row, values in table[kind].items():
        for column, value in zip(table['columns'], values):
            if value is not None:
                yield row, column, value


def beside(cells: pd.DataFrame, columns: Sequence[str], places: int) -> pd.DataFrame:
    """The table with a column for each column of the paper, and one beside it for your values with their intervals.

    The columns of the paper come first, in its order.

    Where a table has cells with both values, rows and columns without a value of yours are left out.
    """
    cells = cells.assign(has_paper=cells['paper'].notna(), has_yours=cells['yours'].notna())
    if (cells['has_paper'] & cells['has_yours']).any():
        for axis in 'column', 'row':
            cells = cells[cells.groupby(axis)['has_yours'].transform('any')]
    texts: dict[str, dict[str, str]] = {row: {'': row} for row in cells['row']}
    for cell in cells.itertuples():
        if cell.has_paper:
            texts[cell.row][f'{cell.column}, paper'] = number(cell.paper, places)
        if cell.has_yours:
            ends = f' [{number(cell.low, places)}, {number(cell.high, places)}]'
            value = number(cell.yours, places) + (ends if pd.notna(cell.low) else '')
            texts[cell.row][f'{cell.column}, yours'] = value
    filled = {column for row in texts.values() for column in row}
    order = dict.fromkeys([*columns, *cells['column']])
    headings = [f'{column}, {kind}' for column in order for kind in ('paper', 'yours')]
    headings = ['', *filter(filled.__contains__, headings)]
    table = pd.DataFrame(list(texts.values()), columns=headings).fillna('')
    if not cells['has_paper'].any():
        table.columns = [heading.removesuffix(', yours') for heading in headings]
    return table


def study(paper: str) -> type[Study]:
    """The class of a paper, by its key or the beginning of it.

    Raises:
        ValueError: none or several papers fit.
    """
    matches = [key for key in PAPERS if paper and key.startswith(paper)]
    if len(matches) != 1:
        raise ValueError(f'no paper {paper!r}{did_you_mean(paper, PAPERS)}')
    name = matches[0].partition('-')[0]
    paper_class: type[Study] = getattr(
        importlib.import_module(f'.{name}', __package__), name.capitalize()
    )
    return paper_class


def tables(
    paper: str, qrels: QrelsLike, runs: RunsLike, names: Iterable[str] = (), **settings: Any
) -> dict[str, pd.DataFrame]:
    """The tables and figures of a published paper on your runs, beside the paper's values.

    Args:
        paper: ``'amigo-2018'``, ``'carterette-2011'``, ``'dou-2019'``, ``'turkmen-2023'``, or a beginning.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes.
        names: ids of tables, such as ``'table2'``; all by default.
        settings: ``seed``, and what some tables need: ``docs`` (texts of documents), ``superintents``, ``assessors``
            (further judgments), and ``name`` of the data.

    Returns:
        Id → one row per cell: ``row, column, paper, yours, low, high``. ``low`` and ``high`` are the ends of the 95 %
        interval of your value over topics. Values that the paper or your data do not have are missing.

    Raises:
        ValueError: no such paper or table, fewer than two systems or topics, or no texts for a table that needs them.

    Examples:
        >>> runs = {'A': {'1': {'d1': 2.0, 'd2': 1.0}, '2': {'d3': 1.0}}, 'B': {'1': {'d1': 1.0}, '2': {'d4': 1.0}}}
        >>> qrels = {'1': {'d1': 1, 'd2': 1}, '2': {'d3': 1}}
        >>> table = tables('turkmen', qrels, runs, ['table1'])['table1']
        >>> table[table['column'] == 'unpaired t, 95%']['yours'].tolist()
        [0, 0, 0, 0, 0, 0, 1]
    """
    return study(paper)(qrels, runs, **settings).tables(names)


def sample() -> dict[str, Any]:
    """Runs (seven rankings), judgments and texts of the sample collection, as arguments of a study."""
    runs: dict[str, Any] = {}
    with lzma.open(FOLDER / 'sample-runs.tsv.xz', 'rt') as lines:
        for line in lines:
            system, query, documents = line.split('\t')
            ranked = {doc_id: -float(n) for n, doc_id in enumerate(documents.split(), 1)}
            runs.setdefault(system, {})[query] = ranked
    return {
        'qrels': 'divmeasures/sample/diversity',
        'runs': runs,
        'docs': 'divmeasures/sample',
        'superintents': FOLDER.parent / 'sample/superintents.tsv',
        'name': 'the sample collection',
    }
