"""Names for the types of arguments, for annotations in your own code.

They name what the functions of this package take, as ``numpy.typing.ArrayLike`` does for NumPy::

    from ir_divmeasures.typing import QrelsLike, RunsLike

    def my_report(runs: RunsLike, qrels: QrelsLike) -> str: ...

Tables of other packages are described by the methods that they have (:class:`Table`, :class:`ArrowTable`, …). So a type
checker understands them whether or not these packages come with types.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, SupportsFloat, TypeAlias

import numpy as np
import numpy.typing as npt
from ir_measures import Measure


class Table(Protocol):
    """A DataFrame of pandas or Dask."""

    @property
    def columns(self) -> Any: ...

    @property
    def iloc(self) -> Any: ...


class ArrowTable(Protocol):
    """A table that Arrow can read: of Polars, PyArrow, DuckDB, Ibis, …."""

    def __arrow_c_stream__(self) -> object: ...


class SparkTable(Protocol):
    """A DataFrame of Spark."""

    def toPandas(self) -> Any: ...


class LazyTable(Protocol):
    """A LazyFrame of Polars."""

    def collect(self) -> Any: ...

    def collect_schema(self) -> Any: ...


class ArrowDataset(Protocol):
    """A dataset of PyArrow."""

    def to_table(self) -> Any: ...


class OpenFile(Protocol):
    """An open file or a pipe."""

    def read(self) -> str | bytes: ...


class ReadJudgments(Protocol):
    """Judgments that this package has read."""

    def frame(self) -> Any: ...


class ReadRun(Protocol):
    """A run that this package has read."""

    @property
    def query_id(self) -> Any: ...

    @property
    def doc_id(self) -> Any: ...


class ReadScores(Protocol):
    """:class:`ir_divmeasures.Scores`."""

    @property
    def systems(self) -> Any: ...

    @property
    def values(self) -> Any: ...


class Dataset(Protocol):
    """A dataset of ir_datasets that has judgments."""

    def qrels_iter(self) -> Any: ...


class TerrierDataset(Protocol):
    """A dataset of PyTerrier."""

    def get_qrels(self) -> Any: ...


TableLike: TypeAlias = Table | ArrowTable | SparkTable | LazyTable | ArrowDataset | OpenFile
"""A table with named columns, or an open file that contains one."""

PathLike: TypeAlias = str | os.PathLike[str]
"""A path."""

Rows: TypeAlias = Iterable[tuple[Any, ...]]
"""Named tuples, such as those of ir_measures and ir_datasets."""

QrelsLike: TypeAlias = (
    PathLike
    | TableLike
    | Dataset
    | TerrierDataset
    | Rows
    | ReadJudgments
    | Mapping[Any, Mapping[Any, SupportsFloat | Mapping[Any, SupportsFloat]]]
    | Sequence[PathLike]
)
"""Judgments in all forms that :func:`ir_divmeasures.read_qrels` reads."""

RunLike: TypeAlias = (
    PathLike | TableLike | Rows | ReadRun | Mapping[Any, Mapping[Any, SupportsFloat]]
)
"""One run in all forms that :func:`ir_divmeasures.read_run` reads."""

RunsLike: TypeAlias = (
    RunLike | Mapping[Any, RunLike] | Iterable[RunLike] | Iterable[tuple[Any, RunLike]]
)
"""Runs of one or several systems, in all forms that :func:`ir_divmeasures.read_runs` reads."""

MeasureLike: TypeAlias = str | Measure
"""One measure, by name or as an object."""

MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike]
"""One or several measures, as :func:`ir_divmeasures.measures` takes them."""

ScoresLike: TypeAlias = ReadScores | Table | npt.ArrayLike
"""Scores of systems, as :class:`ir_divmeasures.Scores`, as an array, or as a table in tidy or wide form."""

RngLike: TypeAlias = (
    int
    | Sequence[int]
    | np.random.Generator
    | np.random.BitGenerator
    | np.random.SeedSequence
    | None
)
"""A seed or a generator, as :func:`numpy.random.default_rng` takes it. None draws a new seed."""
