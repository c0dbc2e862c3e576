"""What the hosts hold of ir_divmeasures before they need it: hooks that import the package when they are first used.

PyTerrier imports every module that an entry point ``pyterrier.modules`` names. This one costs it next to nothing. It is
not part of the package :mod:`ir_divmeasures`, because importing a part of a package imports the package. The page
docs/hosts-state.md lists everything that is changed in the hosts, here and in :mod:`ir_divmeasures.hosts`.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import ir_measures
from ir_measures import providers

PACKAGE = 'ir_divmeasures'
NDEVAL = (
    'ERR_IA',
    'nERR_IA',
    'alpha_DCG',
    'α_DCG',
    'alpha_nDCG',
    'α_nDCG',
    'NRBP',
    'nNRBP',
    'AP_IA',
    'MAP_IA',
    'P_IA',
    'StRecall',
)
"""ndeval's measures under the names that ir_measures gives them; we compute these too."""
NAMESPACES = ('ir_measures', 'ir_measures.measures', 'pyterrier.measures')
"""The modules of the hosts in which measures are names."""


# -------------------------------------------------------------------------------------- who imports the package


class Imports:
    """Who imported the package.

    Attributes:
        by_plugin: the number of imports by this module that are under way.
        by_user: whether anybody else imported it, or used ``pt.divmeasures``.
    """

    by_plugin = 0
    by_user = False


class _Watched(types.ModuleType):
    """The package as long as nothing but this module imported it.

    An ``import`` of a module that is loaded executes nothing, but it reads ``__spec__``.
    """

    @property
    def __spec__(self) -> Any:  # type: ignore[override]
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get('__name__') in IMPORTING:
            frame = frame.f_back
        importer = frame and str(frame.f_globals.get('__name__')).partition('.')[0]
        if importer not in (PACKAGE, __name__, 'importlib'):
            self.__class__ = types.ModuleType  # type: ignore[assignment]
            Imports.by_user = True
        return vars(self)['__spec__']


IMPORTING = ('importlib', 'importlib._bootstrap')
"""Modules of Python whose frames lie between an import and the module that is imported."""


def note_import() -> None:
    """Note who imports the package, which calls this when it is executed."""
    if Imports.by_plugin:
        sys.modules[PACKAGE].__class__ = _Watched
    else:
        Imports.by_user = True


def _import(name: str) -> Any:
    """A module, imported by the hosts' need and not by a user."""
    Imports.by_plugin += 1
    try:
        return importlib.import_module(name)
    finally:
        Imports.by_plugin -= 1


def _package(name: str) -> Any:
    """A module of the package, imported now if it was not before."""
    return _import(f'{PACKAGE}.{name}')


def is_ndevals(made: Any) -> bool:
    """Whether a measure is one of ndeval's in ir_measures' own class."""
    return type(made).__module__ == 'ir_measures.measures.diversity' and made.NAME in NDEVAL


def is_a_measure_of_ours(measure: Any) -> bool:
    """Whether a measure was made by ``@measure``, also by that of an earlier import of this package."""
    return any(
        (base.__module__, base.__qualname__) == ('ir_divmeasures.core.registry', 'DivMeasure')
        for base in type(measure).__mro__
    )


# ------------------------------------------------------------------------------------------------------ parsing


def patch_parsers() -> None:
    """Let ``ir_measures.parse_measure`` and ``parse_trec_measure`` ask us where they do not understand a name.

    They answer as before what they can answer. PyTerrier asks ``parse_trec_measure`` in ``pt.Experiment``,
    ``pt.Evaluate``, ``pt.GridSearch`` and ``pt.KFoldGridSearch``. Parsers that were patched before stay as they are.
    """
    for name, one in (('parse_measure', True), ('parse_trec_measure', False)):
        theirs = getattr(ir_measures.util, name)
        if hasattr(theirs, '_without_ir_divmeasures'):
            continue
        patched = _with_fallback(theirs, one)
        for module in (ir_measures, ir_measures.util):
            if getattr(module, name) is theirs:
                setattr(module, name, patched)


def _with_fallback(theirs: Callable[[Any], Any], one: bool) -> Callable[[Any], Any]:
    """A parser of ir_measures that asks ``core.registry.parse_all`` after an error; ``one`` returns a measure, else a
    list."""

    @functools.wraps(theirs)
    def parse(measure: Any) -> Any:
        try:
            return theirs(measure)
        except (
            ValueError,
            NameError,
            SyntaxError,
            TypeError,
            RecursionError,
            MemoryError,
            AttributeError,
        ):  # Python 3.14 has no ast.Num, which ir_measures 0.4.3 uses
            if not isinstance(measure, str):
                raise
        parsed = _package('core.registry').parse_all(measure)
        if one and len(parsed) > 1:
            raise ValueError(f'{measure!r} names {len(parsed)} measures')
        return parsed[0] if one else parsed

    parse._without_ir_divmeasures = theirs  # type: ignore[attr-defined]
    return parse


# ----------------------------------------------------------------------------------------------------- provider


def others() -> list[providers.Provider]:
    """The hosts' own providers: those of the default pipeline but ourselves and run-time definitions.

    Measures defined at run time see the judgments as they are, whatever their columns.
    """
    return [
        p
        for p in ir_measures.DefaultPipeline.providers
        if p.NAME not in (DivMeasuresProvider.NAME, 'runtime')
    ]


def is_nested(qrels: Any) -> bool:
    """Whether judgments are ``{query: {document: {subtopic: grade}}}``, which the hosts do not read."""
    if not isinstance(qrels, Mapping):
        return False
    documents = [each.values() for each in qrels.values() if isinstance(each, Mapping)]
    return any(issubclass(kind, Mapping) for kind in {type(g) for of in documents for g in of})


class DivMeasuresProvider(providers.Provider):
    """ir_divmeasures: diversity, novelty, innovation and user models; ad-hoc measures on diversity judgments.

    The hosts' own providers compute a call of their measures alone as if this package were not installed, unless the
    judgments have subtopics and a user imported the package.
    """

    NAME = 'divmeasures'
    said = False
    """Whether a user was told that ad-hoc measures are computed on the topic level."""

    @property
    def SUPPORTED_MEASURES(self) -> list[Any]:  # type: ignore[override]
        """Our measures, with any parameters."""
        return list(_package('core.registry').catalogue())

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of judgments without which these measures cannot be computed."""
        return list(_package('evaluation.provider').qrel_inputs(measures))

    def supports(self, measure: Any) -> bool:
        """Our measures and ndeval's, and whatever the providers after us support."""
        return is_ndevals(measure) or is_a_measure_of_ours(measure) or _do_hosts_compute(measure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        measures, qrels = list(measures), _kept(qrels)
        of_ours = [m for m in measures if is_ndevals(m) or is_a_measure_of_ours(m)]
        if Imports.by_user:
            left = not of_ours and not _package('evaluation.provider').lists_subtopics(qrels)
        else:
            left = all(m.NAME in NDEVAL and _do_hosts_compute(m) for m in of_ours)
            left = left and not (of_ours and is_nested(qrels))
        crashes = left and (_crashes_trec_eval(qrels) or any(map(_has_fatal_cutoff, measures)))
        if crashes or not left:
            return _package('evaluation.provider').evaluator(measures, qrels, quiet=crashes)
        chain = [_Gdeval(p) if p.NAME == 'gdeval' else p for p in others()]
        return providers.FallbackProvider(chain).evaluator(measures, qrels)


def _kept(rows: Any) -> Any:
    """Judgments that can be read more than once, except lines of files and batches of tables, which the hosts do not read."""
    if not isinstance(rows, Iterator):
        return rows
    kept = list(rows)
    return kept if not kept or hasattr(kept[0], '_fields') else iter(kept)


def _has_fatal_cutoff(measure: Any) -> bool:
    """Whether trec_eval's library ends the process at a measure's cutoff; our error names it."""
    cutoff = measure.params.get('cutoff')
    return isinstance(cutoff, int) and not 0 < cutoff <= 10**15


def _crashes_trec_eval(qrels: Any) -> bool:
    """Whether a query has grades below -1 only, on which trec_eval's library ends the process."""
    if isinstance(qrels, Iterator):
        return False
    try:
        if isinstance(qrels, Mapping):
            return any(max(grades.values(), default=0) < -1 for grades in qrels.values())
        if isinstance(qrels, Sequence) and all(row.relevance >= -1 for row in qrels):
            return False
        table = ir_measures.util.QrelsConverter(qrels).as_pd_dataframe()
        below = table['relevance'] < -1
        return bool(below.any() and below.groupby(table['query_id']).all().any())
    except Exception:  # the host says what is wrong with them
        return False


def _do_hosts_compute(measure: Any) -> bool:
    """Whether one of the hosts' own providers computes a measure, or we do in place of gdeval."""
    # A provider is imported when it is asked whether it is available, which may take seconds.
    return any(p.supports(measure) and (p.NAME == 'gdeval' or p.is_available()) for p in others())


class _Gdeval(providers.Provider):
    """gdeval, or ourselves where it cannot compute a measure: without Perl, or where query ids are no numbers."""

    NAME = 'gdeval'

    def __init__(self, theirs: providers.Provider):
        super().__init__()  # type: ignore[no-untyped-call]
        self.supports = theirs.supports  # type: ignore[method-assign]
        self._theirs = theirs

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        qrels = _kept(qrels)

        def ours() -> Any:
            return _package('evaluation.provider').evaluator(measures, qrels, quiet=True)

        def calc(run: Any) -> Iterator[Any]:
            import subprocess

            run = _kept(run)
            try:
                return iter(list(by_gdeval(run)))
            except (subprocess.CalledProcessError, OSError) as error:
                try:
                    return iter(list(ours().iter_calc(run)))
                except ValueError:
                    raise error from None

        if not self._theirs.is_available():
            return ours()
        made = self._theirs.evaluator(measures, qrels)
        by_gdeval, made._iter_calc = made._iter_calc, calc  # type: ignore[method-assign]
        return made


def register_provider() -> None:
    """Register the provider with ir_measures, and insert it into the default pipeline before all providers but the one
    of measures defined at run time. Does nothing if the pipeline has it."""
    pipeline = ir_measures.DefaultPipeline.providers
    names = [each.NAME for each in pipeline]
    if DivMeasuresProvider.NAME in names:
        return
    provider = DivMeasuresProvider()  # type: ignore[no-untyped-call]
    providers.register(provider)  # type: ignore[no-untyped-call]
    pipeline.insert(names.index('runtime') + 1 if 'runtime' in names else 0, provider)


# ----------------------------------------------------------------------------------------------- names of measures


def defer_names() -> None:
    """Let names of measures that a host lacks import the package.

    The package registers its names when it is imported; this is for the time before.
    """
    for name in NAMESPACES:
        module = sys.modules.get(name)
        if module is not None and '__getattr__' not in vars(module):
            module.__getattr__ = functools.partial(_name_of, module)  # type: ignore[method-assign]


def _name_of(module: types.ModuleType, name: str) -> Any:
    """What ``module.name`` is after the package is imported. ``from module import *`` asks for ``__all__``."""
    if name == '__all__' or not name.startswith('_'):
        _import(PACKAGE)
        if name in vars(module):
            return vars(module)[name]
    raise AttributeError(f'module {module.__name__!r} has no attribute {name!r}')


# -------------------------------------------------------------------------------------------------- ir_datasets


class _AfterImport:  # not a subclass of importlib.abc.MetaPathFinder, whose import takes a while
    """Registers the sample collection when ir_datasets has been imported, and then leaves ``sys.meta_path``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> Any:
        if name != 'ir_datasets':
            return None
        specs = (
            finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self
        )
        spec = next((each for each in specs if each is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = functools.partial(  # type: ignore[method-assign]
                self._execute, spec.loader, spec.loader.exec_module
            )
        return spec

    def _execute(
        self, loader: Any, execute: Callable[[types.ModuleType], None], module: types.ModuleType
    ) -> None:
        del loader.exec_module  # the loader is as it was
        execute(module)
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        try:
            _package('sample')
        except ImportError as error:  # a later ir_datasets without something that the sample uses
            _package('errors').warn(f'the sample collection is not registered: {error}')


def register_sample() -> None:
    """Register the sample collection with ir_datasets: now if it is imported, else as soon as it is."""
    if 'ir_datasets' in sys.modules:
        _package('sample')
    elif not any(
        type(finder).__name__ == _AfterImport.__name__ and type(finder).__module__ == __name__
        for finder in sys.meta_path
    ):
        sys.meta_path.insert(0, _AfterImport())


# ------------------------------------------------------------------------------------------- PyTerrier's entry point


class _Terrier(types.ModuleType):
    """:mod:`ir_divmeasures.terrier`, imported when it is first used."""

    def __getattr__(self, name: str) -> Any:
        if name[:2] == '__' and name != '__all__':  # what repr, copy and the like look for
            raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')
        if name != '__all__':
            Imports.by_user = True
        return getattr(_package('terrier'), name)

    def __dir__(self) -> list[str]:
        return list(_package('terrier').__all__)


@functools.cache
def terrier() -> types.ModuleType:
    """What PyTerrier has as ``pt.divmeasures`` and ``pt.diversity``. Registers us with the hosts."""
    try:
        patch_parsers()
        register_provider()
        register_sample()
        if PACKAGE not in sys.modules:
            defer_names()
    except AttributeError:
        _import(PACKAGE)  # says which part of a host is missing
        raise
    return _Terrier(
        'ir_divmeasures.terrier',
        'PyTerrier: judgments and topics with subtopics; Experiment over a pool '
        'of systems. Imported when it is first used.',
    )
