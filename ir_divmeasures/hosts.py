"""Registration with ir_measures and PyTerrier.

One rule decides which calls of the hosts are ours. It reads the call and nothing else, so no state is kept between calls:

* A call is ours if one of its measures is ours.
* A call is also ours if one of its measures is one of ndeval's and the judgments have a column ``subtopic_id`` and no column
  ``iteration``. ir_measures reads subtopics from ``iteration``, so it would score every query as if it had one subtopic.
* Every other call goes to the hosts' own providers unchanged.

:func:`register` inserts one provider and replaces one function of the hosts, ``ir_measures.parse_trec_measure``.
:func:`register_name` adds names. A name that a host already uses stays the host's: ``ir_measures.alpha_nDCG`` is the measure
of ir_measures, and ``ir_divmeasures.alpha_nDCG`` is ours.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
from ir_measures import providers

NAME = 'divmeasures'
NDEVAL = (
    'ERR_IA',
    'nERR_IA',
    'alpha_DCG',
    'alpha_nDCG',
    'NRBP',
    'nNRBP',
    'AP_IA',
    'P_IA',
    'StRecall',
)
"""The names of ndeval's measures in ir_measures. This package computes them too."""
NAMESPACES = ('ir_measures', 'ir_measures.measures', 'pyterrier.measures')
"""The modules of the hosts that have measures as attributes."""


def later(module: str) -> Any:
    """A module of this package, imported when a call needs it: ``import pyterrier`` does not."""
    return importlib.import_module(f'ir_divmeasures.{module}')


def is_ours(measure: Any) -> bool:
    """Whether a measure was made by ``@measure``, also by that of an earlier import of this package."""
    return any(
        (base.__module__, base.__qualname__) == ('ir_divmeasures.core.registry', 'DivMeasure')
        for base in type(measure).__mro__
    )


def is_ndevals(measure: Any) -> bool:
    """Whether a measure is one of ndeval's in the class of ir_measures."""
    return type(measure).__module__ == 'ir_measures.measures.diversity' and measure.NAME in NDEVAL


# -------------------------------------------------------------------------------------------------------- provider


def others() -> list[providers.Provider]:
    """The providers of the hosts, except the one of measures defined at run time, which reads judgments as they are."""
    return [p for p in ir_measures.DefaultPipeline.providers if p.NAME not in (NAME, 'runtime')]


def peek_columns(qrels: Any) -> tuple[Iterable[str], Any]:
    """The names of the columns of judgments, and the judgments with all rows, also those of an iterator."""
    if isinstance(qrels, Mapping) or not hasattr(qrels, '__iter__'):
        return (), qrels
    if hasattr(qrels, 'columns'):
        return qrels.columns, qrels
    rows, qrels = itertools.tee(qrels)
    return getattr(next(rows, None), '_fields', ()), qrels


class DivMeasuresProvider(providers.Provider):
    """Computes the calls that are ours, and gives the others to the hosts' own providers.

    In a call that is ours, ad-hoc measures are computed from the highest grade of each document.
    """

    NAME = NAME

    @property
    def SUPPORTED_MEASURES(self) -> list[Any]:  # type: ignore[override]
        """Our measures, with any parameters."""
        return list(later('core.registry').catalogue())

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of judgments that these measures require."""
        needed = (column for m in measures if is_ours(m) for column in m.needed_columns)
        return list(dict.fromkeys(['query_id', 'doc_id', 'relevance', *needed]))

    def supports(self, measure: Any) -> bool:
        """Whether the measure is ours or a host has a provider for it, which need not be installed."""
        return is_ours(measure) or any(p.supports(measure) for p in others())

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        measures = sorted(measures, key=str)  # ir_measures passes sets
        is_our_call = any(map(is_ours, measures))
        if not is_our_call and any(map(is_ndevals, measures)):
            columns, qrels = peek_columns(qrels)
            is_our_call = 'subtopic_id' in columns and 'iteration' not in columns
        if not is_our_call:
            return providers.FallbackProvider(others()).evaluator(measures, qrels)
        return later('evaluation.provider').Evaluator(measures, qrels)


# ----------------------------------------------------------------------------------------------------------- names


def parse_trec_measure(measure: str) -> list[Any]:
    """Parse a name as ``ir_measures.parse_trec_measure`` does, or as :func:`ir_divmeasures.measures` if that fails.

    PyTerrier parses the names in ``pt.Experiment`` by it. They therefore mean our measures: ``'alpha_nDCG@20'``.
    """
    try:
        return list(ir_measures.util.parse_trec_measure(measure))
    except ValueError:
        return list(later('core.names').measures([measure]))


def namespaces() -> list[dict[str, Any]]:
    """Where the hosts look up names of measures: ir_measures' registry, and the modules that are imported."""
    modules = [vars(sys.modules[name]) for name in NAMESPACES if name in sys.modules]
    return [ir_measures.measures.registry, *modules]


def register_name(name: str, measure: Any) -> None:
    """Register a measure of ours, wherever a host does not use the name for something else."""
    for names in namespaces():
        if is_ours(names.get(name, measure)):
            names[name] = measure


def unregister_name(name: str) -> None:
    """Remove a name of ours from the hosts."""
    for names in namespaces():
        if is_ours(names.get(name)):
            del names[name]


def register() -> None:
    """Register the provider, the parser and, if ir_datasets is imported, the sample collection.

    Registration is idempotent. Importing the package a second time replaces what the first import registered.
    """
    ir_measures.parse_trec_measure = parse_trec_measure
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [p for p in pipeline if p.NAME != NAME]
    runtime = next((place for place, p in enumerate(pipeline, 1) if p.NAME == 'runtime'), 0)
    provider = providers.register(DivMeasuresProvider())  # type: ignore[no-untyped-call]
    pipeline.insert(runtime, provider)
    if 'ir_datasets' in sys.modules:
        later('sample')
