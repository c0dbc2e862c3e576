"""A published paper recomputed on runs: its tables, when they are asked for, and the verdicts on its claims."""

from __future__ import annotations

import functools
import importlib
import lzma
import pathlib
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..data.files import read_yaml
from ..data.qrels import read_qrels, topic_level
from ..data.runs import read_runs
from ..errors import Message, collecting, did_you_mean
from ..estimates import Quantity
from ..lazy import pd
from ..meta.resampling import query_resamples
from ..pools.judged import JudgedPool
from ..pools.pool import Pool
from ..typing import QrelsLike, RunsLike
from .layout import grid, write
from .rules import UNTESTED, NotTestableError, Part, contrasts, told, verdict

PAPERS = pathlib.Path(__file__).parents[1] / 'resources/papers'
"""The folder of the papers' numbers and claims, a YAML file for each, and of the sample's runs."""
KEYS = [path.stem for path in sorted(PAPERS.glob('*-????.yaml'))]
SAMPLE: dict[str, Any] = {
    'name': 'the sample collection',
    'docs': 'divmeasures/sample',
    'superintents': PAPERS.parent / 'sample/superintents.tsv',
}
"""What the sample collection has besides runs and judgments."""

Cells = dict[Any, Any]
"""What a table returns: (row, column), or (block, row, column), → Quantity, number or text."""
NOTHING = 'there is nothing to compute'


class Outcome(NamedTuple):
    """What became of a table. Without cells, ``problem`` says why; ``status`` is 2 if data are missing, 1 after an error."""

    cells: Cells = {}
    seconds: float = 0.0
    notes: list[Message] = []
    problem: str = NOTHING
    status: int = 0


class Claim(NamedTuple):
    """A claim, the paper's numbers as text, what was computed or why nothing was, one of four words, and its parts."""

    id: str
    where: str
    says: str
    paper: str
    yours: str
    verdict: str
    parts: Sequence[Part] = ()


@dataclass(eq=False, repr=False)
class Paper:
    """A paper on runs and judgments. ``paper['table2']`` computes this table only, ``paper.claims`` what claims need.

    A subclass is a paper. Its methods are tables, by their ids.

    Attributes:
        key, data: the paper's key and its data file.
        parts, stated: its tables and figures, and its claims, by id; ``further`` are ids of tables that it does not have.
        depth: how many documents of a ranking its measures see; None for all.
        runs: ``{system: table}`` with ``query_id, doc_id, score``, only of judged queries.
        qrels: judgments as :func:`ir_divmeasures.read_qrels` returns them, sorted by query.
        systems, topics: names of the systems, and ids of the judged queries, in order.
        size: number of retrieved documents, systems × topics × depth.
        name, command, seed: of the data, what made the page, and of all random draws.
        full, jobs: whether large data have all simulations and resamples, and the number of processes.
        docs, superintents, assessors: what else was given.
        notes, outcomes: warnings about runs and judgments, and what became of tables, by id.
        interrupted: whether Ctrl-C stopped it.
    """

    key: ClassVar[str]
    data: ClassVar[dict[str, Any]]
    parts: ClassVar[dict[str, dict[str, Any]]]
    stated: ClassVar[dict[str, dict[str, Any]]]
    further: ClassVar[tuple[str, ...]] = ()
    depth: ClassVar[int | None] = None

    qrels: Any
    runs: Any
    _: KW_ONLY
    name: str = 'your runs'
    seed: int = 0
    full: bool = False
    jobs: int = 1
    command: str = ''
    docs: Any = None
    superintents: Any = None
    assessors: Sequence[QrelsLike] = ()

    def __init_subclass__(cls, key: str) -> None:
        cls.key, cls.data = key, read_yaml(PAPERS / f'{key}.yaml')
        for name in ('errata', 'exact'):
            cls.data[name] = read_yaml(PAPERS / f'{name}.yaml')[key]
        cls.parts = {each['id']: each for each in [*cls.data['tables'], *cls.data['figures']]}
        cls.stated = {each['id']: each for each in cls.data['claims']}

    def __post_init__(self) -> None:
        self.notes: list[Message] = []
        with collecting(self.notes):
            qrels = read_qrels(self.qrels)
            runs = dict(sorted(dict(read_runs(self.runs)).items()))
        self.qrels = qrels.sort_values('query_id', kind='stable', ignore_index=True)
        self.topics = sorted(set(qrels['query_id']))
        self.runs = {
            system: run[run['query_id'].isin(self.topics)].reset_index(drop=True)
            for system, run in runs.items()
        }
        self.systems = list(self.runs)
        self.size = sum(map(len, self.runs.values()))
        self.interrupted = False
        self.outcomes: dict[str, Outcome] = {}
        for name, part in self.parts.items():
            if not hasattr(self, name):
                cells = grid(**self.data['exact'].get(name, {}))
                self.outcomes[name] = Outcome(cells, problem=part.get('why', NOTHING))

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

    @property
    def n_seeds(self) -> int:
        """How many simulations are drawn: 10, fewer for large data, at least 2."""
        return 10 if self.full else int(np.clip(6_000_000 // max(self.size, 1), 2, 10))

    @property
    def n_resamples(self) -> int:
        """How many resamples of the topics an interval has."""
        return 100 if self.full or self.size <= 1_000_000 else 40

    @functools.cached_property
    def topic_samples(self) -> np.ndarray:
        """All topics, and their resamples, (1 + n_resamples, topics) indices; all tables have the same ones."""
        n = len(self.topics)
        return np.vstack([np.arange(n), query_resamples(n, self.n_resamples, self.rng('topics'))])

    def rng(self, identifier: str) -> np.random.Generator:
        """The generator of a table, which does not depend on the tables that were computed before."""
        return np.random.default_rng([self.seed, zlib.crc32(identifier.encode())])

    def need(self, *options: str, systems: int = 0, topics: int = 0) -> None:
        """Check that there are so many systems and topics at least, and what options supply. What is missing is named."""
        for name, least in {'systems': systems, 'topics': topics}.items():
            if (found := len(getattr(self, name))) < least:
                raise NotTestableError(f'needs at least {least} {name}, found {found}')
        for name in options:
            if getattr(self, name) is None:
                raise NotTestableError(f'needs --{name}')

    def resampled(self, statistic: Any, names: Iterable[Any], **size: Any) -> Cells:
        """The numbers of a function of indices of topics, by name, with their values on the resamples of the topics."""
        several = np.transpose([np.ravel(statistic(sample)) for sample in self.topic_samples])
        n = len(self.topics)
        return dict(zip(names, (Quantity.resampled(each, n, **size) for each in several)))

    def named(self, name: str) -> str:
        """The id that a user means: ``'2'`` is ``'table2'``. An unknown one is a ValueError."""
        known = [*self.parts, *self.further, 'claims', 'errata']
        for each in (name, f'table{name}'):
            if each in known:
                return each
        raise ValueError(f'{self.key} has no table {name!r}{did_you_mean(name, known)}')

    def __getitem__(self, identifier: str) -> Cells:
        identifier = self.named(identifier)
        self.compute([identifier])
        outcome = self.outcomes[identifier]
        if not outcome.cells:
            raise NotTestableError(f'{identifier}: {outcome.problem}')
        return outcome.cells

    def compute(self, identifiers: Iterable[str]) -> None:
        """Compute the tables that are not computed yet; an interruption keeps those that are finished."""
        import joblib

        wanted = set(identifiers) - set(self.outcomes)
        todo = [each for each in [*self.parts, *self.further] if each in wanted]
        tasks = (joblib.delayed(self.outcome)(each) for each in todo)
        parallel = joblib.Parallel(
            self.jobs if len(todo) > 1 else 1, return_as='generator_unordered'
        )
        # A process gets a copy of this paper, which must not change while it is copied.
        finished: dict[str, Outcome] = {}
        try:
            if self.interrupted:
                raise KeyboardInterrupt
            finished.update(parallel(tasks))
        except KeyboardInterrupt:
            self.interrupted = True
        missing = Outcome(problem='interrupted')
        self.outcomes |= {each: finished.get(each, missing) for each in todo}

    def outcome(self, identifier: str) -> tuple[str, Outcome]:
        """A table with its id. Errors become its problem, so that other tables are still printed."""
        start, notes = time.process_time(), list[Message]()
        with collecting(notes):
            try:
                self.need(systems=2, topics=2)
                found = Outcome(getattr(self, identifier)())
            except NotTestableError as reason:
                found = Outcome(problem=str(reason), status=2)
            except Exception as error:
                found = Outcome(problem=f'error: {type(error).__name__}: {error}', status=1)
        return identifier, found._replace(seconds=time.process_time() - start, notes=notes)

    @functools.cached_property
    def claims(self) -> list[Claim]:
        """The paper's claims in its order, each with its verdict."""
        return [self.claim(identifier) for identifier in self.stated]

    def claim(self, identifier: str) -> Claim:
        """One claim, by its id, with only the tables that its rule needs."""
        claim = self.stated[identifier]
        found = self.data['exact']['claims'].get(identifier) or self.tested(claim)
        numbers = ', '.join(f'{number:g}' for number in claim.get('numbers', ()))
        word, yours, *parts = found
        return Claim(identifier, claim['where'], claim['says'], numbers, yours, word, *parts)

    def tested(self, claim: Mapping[str, Any]) -> tuple[str, str, Sequence[Part]]:
        """The verdict by the rule of a claim or of a sentence, what it compares, or why it is not testable, its parts."""
        try:
            if 'why' in claim:
                raise NotTestableError(claim['why'])
            self.need(*claim.get('needs', '').split(), systems=3, topics=5)
            if (data := claim.get('only', '')) not in self.name:
                raise NotTestableError(f'needs the runs and judgments of {data} (--data-name)')
            parts = [part for rule in claim['rule'] for part in contrasts(self, rule)]
            margins = {f'we take: {each["margin"]:g}' for each in claim['rule'] if 'ours' in each}
            return verdict(parts), '; '.join([told(parts), *margins]), parts
        except NotTestableError as reason:
            return UNTESTED, str(reason), ()
        except KeyboardInterrupt:
            self.interrupted = True
            return UNTESTED, 'interrupted', ()

    def to(self, format: str = 'markdown', tables: Iterable[str] = ()) -> str:
        """The page as ``'markdown'``, ``'html'``, ``'latex'`` or ``'csv'``, or only some of its tables, by their ids."""
        chosen = [self.named(name) for name in tables]
        self.compute(chosen or self.parts)
        return write(self, format, chosen)


@functools.cache
def paper_class(key: str) -> type[Paper]:
    """The class of a paper, by its key or the beginning of it. If none or several fit, it is a ValueError."""
    fitting = [name for name in KEYS if key and name.startswith(key)]
    if len(fitting) != 1:
        raise ValueError(f'no paper {key!r}{did_you_mean(key, KEYS)}')
    name = fitting[0].partition('-')[0]
    module = importlib.import_module(f'.{name}', __package__)
    return getattr(module, name.capitalize())  # type: ignore[no-any-return]


def sample_runs() -> dict[str, Any]:
    """The seven rankings of the sample collection."""
    runs: dict[str, Any] = {}
    with lzma.open(PAPERS / 'sample-runs.tsv.xz', 'rt') as lines:
        for line in lines:
            system, query, documents = line.split('\t')
            ranked = {doc_id: -float(n) for n, doc_id in enumerate(documents.split(), 1)}
            runs.setdefault(system, {})[query] = ranked
    return runs


def paper(
    key: str, qrels: QrelsLike | None = None, runs: RunsLike | None = None, **settings: Any
) -> Paper:
    """A published paper on your runs: its tables beside the paper's numbers, and a verdict on each of its claims.

    Nothing is computed before a table or the claims are asked for.

    Args:
        key: the paper: ``'amigo-2018'``, ``'carterette-2011'``, ``'dou-2019'``, ``'turkmen-2023'``, or a beginning.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes. Without judgments and runs, the page
            is made for the sample collection.
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes.
        settings: ``jobs`` (number of processes; the result does not depend on it), ``command`` (what the page says it
            was made by), ``name`` of the data, ``seed``, ``full`` (all simulations on large data), and what some tables
            need: ``docs`` (texts of documents), ``superintents``, ``assessors`` (further judgments).

    Returns:
        A :class:`Paper`: ``paper['table2']``, ``paper.claims``, ``paper.to('markdown')``.

    Raises:
        TypeError: an unknown setting.
        ValueError: no such paper; runs without judgments.

    Examples:
        >>> study = paper('turkmen')
        >>> study.claim('t06').verdict
        'agree'
    """
    given = ', '.join(repr(each) for each in (key, qrels, runs) if isinstance(each, str))
    settings = {name: value for name, value in settings.items() if value is not None}
    settings.setdefault('command', f'studies.paper({given})')
    if runs is None and qrels is None:
        qrels, runs = 'divmeasures/sample/diversity', sample_runs()
        settings = SAMPLE | settings
    if runs is None or qrels is None:
        raise ValueError('qrels and runs: expected both, or neither for the sample collection')
    return paper_class(key)(qrels, runs, **settings)


__all__ = ['Paper', 'paper']
