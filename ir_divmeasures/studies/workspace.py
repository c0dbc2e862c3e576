"""The data of a study, and what several tables of a paper compute from them once."""

from __future__ import annotations

import functools
import gzip
import hashlib
import math
import pathlib
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..io.runs import read_runs
from ..judgments.qrels import read_qrels, topic_level
from ..lazy import pd
from ..meta.resampling import query_resamples
from .quantities import NotTestableError, Quantity

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

T = TypeVar('T')
PAPERS = pathlib.Path(__file__).parent / 'papers'
"""The folder of the papers' numbers and claims, a YAML file for each, and of the sample's runs."""

SAMPLE = 'divmeasures/sample'


class Workspace:
    """Runs and judgments of a study, with their parts, each made once when a table first asks for it.

    Attributes:
        runs: ``{system: table}`` with ``query_id, doc_id, score``, only of judged queries.
        qrels: judgments as :func:`ir_divmeasures.read_qrels` returns them, sorted by query.
        topics: ids of the judged queries, in order.
        further: what else was given: ``docs``, ``superintents``, ``assessors``, ``passages``.
        name: what the page calls the data.
        seed: of all random draws.
        full: whether the numbers of simulations and resamples stay those of small data.
    """

    def __init__(
        self,
        runs: RunsLike,
        qrels: QrelsLike,
        *,
        name: str | None = None,
        seed: int = 0,
        full: bool = False,
        **further: Any,
    ) -> None:
        self.qrels = read_qrels(qrels).sort_values('query_id', kind='stable', ignore_index=True)
        self.topics = sorted(set(self.qrels['query_id']))
        self.given = dict(read_runs(runs))
        self.runs = {
            system: run[run['query_id'].isin(self.topics)].reset_index(drop=True)
            for system, run in self.given.items()
        }
        self.further = {key: value for key, value in further.items() if value is not None}
        self.name, self.seed, self.full = name or 'your runs', seed, full
        self._parts: dict[Any, Any] = {}

    @classmethod
    def sample(cls, **settings: Any) -> Workspace:
        """The sample collection with seven rankings, which need no further package."""
        runs: dict[str, Any] = defaultdict(dict)
        with gzip.open(PAPERS / 'sample-runs.tsv.gz', 'rt', encoding='utf-8') as file:
            for line in file:
                system, query, documents = line.split('\t')
                ranks = enumerate(documents.split(), 1)
                runs[system][query] = {document: -float(rank) for rank, document in ranks}
        further: dict[str, Any] = {
            'name': 'the sample collection',
            'docs': SAMPLE,
            'superintents': PAPERS.parents[1] / 'data/sample/superintents.tsv',
        }
        given = {key: value for key, value in settings.items() if value is not None}
        return cls(runs, f'{SAMPLE}/diversity', **further | given)

    @property
    def systems(self) -> list[str]:
        return list(self.runs)

    @functools.cached_property
    def topic_qrels(self) -> pd.DataFrame:
        """The judgments of whole topics: of the grades of a document for several subtopics the largest."""
        return topic_level(self.qrels)

    @functools.cached_property
    def size(self) -> int:
        """Number of retrieved documents: systems × topics × depth."""
        return sum(map(len, self.runs.values()))

    @property
    def n_seeds(self) -> int:
        """How many simulations are drawn: 10, fewer for large data, at least 2."""
        return 10 if self.full else int(np.clip(6_000_000 // max(self.size, 1), 2, 10))

    @property
    def n_resamples(self) -> int:
        """How many resamples of the topics an interval has."""
        return 100 if self.full or self.size <= 1_000_000 else 40

    @functools.cached_property
    def resamples(self) -> np.ndarray:
        """The resamples of the topics, (n_resamples, topics) indices of ``topics``; all tables have the same ones."""
        return query_resamples(len(self.topics), self.n_resamples, self.rng('topics'))

    def rng(self, identifier: str) -> np.random.Generator:
        """The generator of a table, which does not depend on the tables that were computed before."""
        return np.random.default_rng([self.seed, zlib.crc32(identifier.encode())])

    def once(self, function: Callable[..., T], *arguments: Any) -> T:
        """What a function of the workspace and of arguments returns, computed when it is first asked for."""
        key = function, arguments
        if key not in self._parts:
            self._parts[key] = function(self, *arguments)
        return self._parts[key]  # type: ignore[no-any-return]

    def need(self, *keys: str) -> Any:
        """What was given besides runs and judgments, the first of several things that are needed.

        Raises:
            NotTestableError: something is missing; the message names the options that supply it.
        """
        if missing := [f'--{key}' for key in keys if key not in self.further]:
            raise NotTestableError(f'needs {" and ".join(missing)}')
        return self.further[keys[0]]

    def enough(self, systems: int = 3, topics: int = 5) -> None:
        """Check that there are enough data for a comparison.

        Raises:
            NotTestableError: there are fewer systems or topics.
        """
        for name, least in {'systems': systems, 'topics': topics}.items():
            if (found := len(getattr(self, name))) < least:
                raise NotTestableError(f'{found} {name}; at least {least} are needed')

    def resampled(
        self,
        statistic: Callable[[np.ndarray], Any],
        names: Sequence[T],
        total: int = 0,
        limit: float = math.inf,
        resamples: int | None = None,
    ) -> dict[T, Quantity]:
        """Statistics with their values on the resamples of the topics.

        Args:
            statistic: a function of indices of topics, (Q,), that returns one number for each name.
            names: keys of the result.
            total, limit: of each :class:`Quantity`.
            resamples: how many resamples; by default all.
        """
        n = len(self.topics)
        values = np.ravel(statistic(np.arange(n)))
        drawn = self.resamples[:resamples]
        replicates = np.array([np.ravel(statistic(sample)) for sample in drawn])
        return {
            name: Quantity.resampled(value, each, n, total, limit)
            for name, value, each in zip(names, values, replicates.T)
        }

    @functools.cached_property
    def hash(self) -> str:
        """The first 12 hexadecimal digits of SHA-256 over the rows of the judgments, then of each run, sorted."""
        digest = hashlib.sha256()
        for frame in (self.qrels, *(self.given[system] for system in sorted(self.given))):
            columns = [map(str, frame[name].tolist()) for name in frame.columns]
            digest.update('\n'.join(sorted(map('\t'.join, zip(*columns)))).encode())
        return digest.hexdigest()[:12]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {'_parts': {}}
