"""From a function to a measure with a name: ``@measure`` is the only thing that adding a measure needs.

The function's keyword-only signature states the parameters; its docstring documents the measure. The decorator makes a
measure object as ir_measures has them (``RBU(p=0.99)@20``) and registers its name with ir_measures.
"""
from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, overload

import ir_measures
import numpy as np

from ..errors import did_you_mean, short
from ..hosts import ir_measures as host
from ..presets import PRESETS
from . import names as writing
from .citations import Citation, citations_of
from .formulas import Docstring
from .parameters import Aspects, Cutoff, JudgedOnly, Parameter, Rel, parameter, parameters_of
from .terms import NotASumError, Parts, as_parts, value_of

if TYPE_CHECKING:
    from ir_measures import CalcResults, Metric
    from ir_measures.providers import Evaluator

    from ..typing import MeasureLike, MeasuresLike, QrelsLike, RunLike
    from .ranking import Array, Ranking

Columns = tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]]
"""Names of columns, or a function of a measure's parameters that gives them."""
Further = Callable[[dict[str, Any]], dict[str, Parameter]]
"""From the parameters as they were given to further parameters."""

Cite = str | Citation | tuple[str | Citation, ...]
"""What a measure cites: keys of CITATIONS, or citations of a user's own."""

registry: dict[str, DivMeasure] = {}
"""Our measures by name, aliases included."""


SILENT: dict[str, Any] = {'over': 'ignore', 'invalid': 'ignore'}
"""What NumPy does not warn of while a measure is computed whose values are checked afterwards."""

ANY, EXTREME = 'any', 'extreme'
"""Over which grades of unjudged documents bounds are: any, or only 0 for all aspects or the highest for all aspects."""
UNKNOWN = 'how it changes with a grade is not known: @measure(unjudged=…) states it'
"""Why a measure that states nothing of unjudged documents has no bounds."""


class DivMeasure(ir_measures.Measure):
    """A measure of this package: an ir_measures measure whose parameters are checked when it is made.

    Equal measures print, compare and hash equally, whatever the order and type (int for float) of the parameters.

    Attributes:
        NAME: the name without parameters.
        PRETTY_NAME, SHORT_DESC: the name in words; the first line of the docstring.
        SUPPORTED_PARAMS: every parameter by name, as :class:`ir_divmeasures.core.parameters.Parameter`.
        own_params: the names of the parameters that the function takes.
        compute: the function: a ranking and the parameters → terms, a value, or a tuple of them
            (:mod:`ir_divmeasures.core.terms`).
        written_doc: the docstring as its author wrote it, with formulas in TeX.
        family: the heading under which the catalogue lists it.
        sources: what it cites itself; :attr:`citation` adds what the measure inside cites.
        diversity: whether it reads subtopics, so that judgments with one subtopic per query say nothing.
        reads: the default of the parameter ``aspects``, ``'relevant'`` or ``'listed'``; None without that parameter.
        wraps: the name of the parameter that names the measure inside; None if there is none.
        bounds: its least and greatest value; None where there is none.
        rises: why documents appended without a judgment may raise a score at a fixed cutoff; '' if they never do.
        takes_any_scale: whether multiplying all weights by one number changes no value; for a measure made of another
            one, whether that is so if it is so of the measure inside.
        affine: parameters in which every value of the measure is affine, a + b·x with a and b that do not depend on it.
        symbolic: the score of a ranking in symbols, or None.
    """
    NAME: str
    SUPPORTED_PARAMS: dict[str, Parameter]  # type: ignore[assignment]
    compute: Callable[..., Any]
    diversity = True
    wraps: str | None = None
    bounds: tuple[float | None, float | None] = (0, 1)
    written_doc: str = ''
    family = ''
    sources: tuple[Citation, ...] = ()
    own_params: tuple[str, ...] = ()
    reads: str | None = None
    SHORT_DESC = ''
    rises = ''
    takes_any_scale = False
    affine: tuple[str, ...] = ()
    symbolic: Callable[[Any], Any] | None = None
    _marks: Callable[[dict[str, Any]], str | None] | None = None
    _check: Callable[[dict[str, Any]], None] | None = None
    _further: Further | None = None
    _unjudged: str | Callable[[DivMeasure], str] = UNKNOWN
    _extremes: Callable[..., tuple[Array, Array] | None] | None = None
    _recipe: dict[str, Any]
    _finite = False

    def __init__(self, **params: Any):
        if self._further is not None:
            try:
                further = type(self)._further(params)  # type: ignore[misc]
            except (TypeError, ValueError) as error:
                raise type(error)(f'{self.NAME}: {error}') from None
            self.SUPPORTED_PARAMS = {**self.SUPPORTED_PARAMS, **further}
            self.own_params = (*self.own_params, *further)
            self.__signature__ = _signature(self.SUPPORTED_PARAMS)
        for name in params:
            if name not in self.SUPPORTED_PARAMS:
                if name == self.AT_PARAM:
                    raise ValueError(f'{self.NAME} takes no cutoff')
                raise ValueError(f'{self.NAME}: unknown parameter {name!r}'
                                 + did_you_mean(name, self.SUPPORTED_PARAMS))
        checked = {}
        for name, known in self.SUPPORTED_PARAMS.items():
            if name in params:
                given = params[name]
                if name == self.wraps and isinstance(given, ir_measures.Measure):
                    given = str(given)
                try:
                    value = known.check(given)
                except (TypeError, ValueError) as error:
                    raise type(error)(f'{self.NAME}: {error}') from None
                if value is not None or known.default is not None:
                    checked[name] = value
        super().__init__(**checked)  # type: ignore[no-untyped-call]
        self.validated = True
        self._repr = super().__repr__()  # type: ignore[no-untyped-call]
        if self._check is not None:
            type(self)._check(self.all_params)  # type: ignore[misc]

    def __call__(self, *inner: Any, **params: Any) -> DivMeasure:
        """The measure with further parameters; ``IA(nDCG)`` is ``IA(M='nDCG')``."""
        if inner:
            if self.wraps is None or len(inner) > 1 or self.wraps in params:
                raise TypeError(f'{self.NAME}: parameters must be named')
            params[self.wraps] = inner[0]
        return super().__call__(**params)  # type: ignore[no-untyped-call]

    if TYPE_CHECKING:  # ir_measures has no annotations for these
        params: dict[str, Any]

        def __matmul__(self, at_param: Any, /) -> DivMeasure: ...
        def iter_calc(self, qrels: QrelsLike, run: RunLike) -> Iterator[Metric]: ...
        def calc_aggregate(self, qrels: QrelsLike, run: RunLike) -> float: ...
        def calc(self, qrels: QrelsLike, run: RunLike) -> CalcResults: ...
        def evaluator(self, qrels: QrelsLike) -> Evaluator: ...

    @property
    def all_params(self) -> dict[str, Any]:
        """Every parameter with its value, defaults included."""
        return {name: self[name] for name in self.SUPPORTED_PARAMS}

    @property
    def marked(self) -> str | None:
        """Why these parameters measure no ranking (a constant, or blind to the order of documents); None if they do."""
        wrapped = ours(self.wrapped)
        own = type(self)._marks(self.all_params) if self._marks is not None else None  # type: ignore[misc]
        return own or (wrapped.marked if wrapped is not None else None)

    # ---- how a measure runs -------------------------------------------------------------------------------

    @functools.cached_property
    def wrapped(self) -> Any:
        """The measure that this one is made of (``wraps``), or None."""
        return parse(self[self.wraps], complete=False) if self.wraps else None

    @property
    def citation(self) -> tuple[Citation, ...]:
        """The papers and programs that define it, then those of the measure inside.

        Examples:
            >>> [each.key for each in parse('LA(M=alpha_nDCG@20)').citation]
            ['Wang2016', 'Dou2019', 'Clarke2008', 'TRECWebTrack2013']
        """
        wrapped = ours(self.wrapped)
        return tuple(dict.fromkeys(self.sources + (wrapped.citation if wrapped is not None else ())))

    @property
    def rel(self) -> float:
        """The lowest grade that counts as relevant."""
        return self['rel']

    @property
    def judged_only(self) -> bool:
        """Whether ranks are counted over judged documents only, here or in the measure inside."""
        wrapped = ours(self.wrapped)
        return self['judged_only'] or (wrapped is not None and wrapped.judged_only)

    @property
    def cutoff(self) -> int | None:
        """The cutoff, here or in the measure inside; None for the whole run."""
        own = self.params.get('cutoff')
        return self.wrapped.params.get('cutoff') if own is None and self.wraps else own

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of judgments that the measure itself cannot do without."""
        return self._columns('needs')

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The columns of judgments that cannot be done without, here or in the measure inside."""
        wrapped = ours(self.wrapped)
        return tuple(dict.fromkeys(self.needs + (wrapped.needed_columns if wrapped else ())))

    @property
    def run_columns(self) -> tuple[str, ...]:
        """The further columns of runs that are read, here or in the measure inside."""
        wrapped = ours(self.wrapped)
        return tuple(dict.fromkeys(self._columns('run_columns') + (wrapped.run_columns if wrapped else ())))

    def _columns(self, kind: str) -> tuple[str, ...]:
        stated = self._recipe[kind]
        return tuple(stated(self.all_params) if callable(stated) else stated)

    @property
    def any_scale(self) -> bool:
        """Whether multiplying all weights of a query by one number changes no value, here and in the measure inside."""
        wrapped = ours(self.wrapped)
        return self.takes_any_scale and (wrapped is None or wrapped.any_scale)

    @property
    def unjudged(self) -> str:
        """Over which grades of unjudged documents its bounds are, ``'any'`` or ``'extreme'``; or why it has none.

        With ``'any'`` the value never falls as a grade rises. With ``'extreme'`` the least and the largest value are
        among those with the first m or the last m unjudged documents of the highest grade for every aspect.
        """
        if self.judged_only:
            return 'judged_only=True leaves unjudged documents out of the ranking'
        params = self.all_params
        if not isinstance(params.get('gain', ''), str):
            return 'gains that are given one by one'
        answer = self._unjudged if isinstance(self._unjudged, str) else type(self)._unjudged(self)  # type: ignore[operator]
        if answer == ANY and params.get('aspects') == 'listed' and params.get('gain') in ('exp', 'linear') \
                and 'max_rel' in params and params['max_rel'] is None:
            return EXTREME  # an aspect without a relevant document has no highest grade
        return answer

    def extremes(self, ranking: Ranking, best: Ranking) -> tuple[Array, Array] | None:
        """The least and the largest value over judgments of unjudged documents, (Q,) each, where the measure states how
        to find them; None where they are among few fillings (:attr:`unjudged`).

        Args:
            ranking: as for :meth:`on`.
            best: the same, in which all unjudged documents down to the cutoff have the highest grade.
        """
        if self._extremes is None:
            return None
        ranking, best = (each if self.cutoff is None else each.cut(self.cutoff) for each in (ranking, best))
        return type(self)._extremes(ranking, best, **{name: self[name] for name in self.own_params})  # type: ignore[misc]

    def parts(self, ranking: Ranking, **settings: Array) -> Parts:
        """The terms of its sum, or its value, on rankings as seen with this ``rel`` and ``judged_only``.

        Args:
            ranking: is cut at the measure's cutoff; without one it stays as it is.
            settings: parameters in place of the measure's own, arrays of S settings in the shape (S, 1, 1, 1); see
                :mod:`ir_divmeasures.core.terms`.

        Raises:
            ValueError: a setting that these judgments do not admit, a measure inside that its provider cannot compute.
                Names the measure.
        """
        ranking = ranking if self.cutoff is None else ranking.cut(self.cutoff)
        ranking = ranking if self.reads is None else ranking.reading(self['aspects'])
        try:
            with np.errstate(**(SILENT if self._finite else {})):
                return as_parts(self.compute(ranking, **{name: settings[name] if name in settings else self[name]
                                                         for name in self.own_params}))
        except Exception as error:
            self._raise_named(error)

    def on(self, ranking: Ranking) -> Array:
        """The values on rankings as seen with this ``rel`` and ``judged_only``; (Q,).

        Args:
            ranking: is cut at the measure's cutoff; without one it stays as it is.

        Raises:
            ValueError: as for :meth:`parts`; or a value of a measure of this package that is not finite.
        """
        parts = self.parts(ranking)
        try:
            with np.errstate(**(SILENT if self._finite else {})):
                values = value_of(parts)
        except Exception as error:
            self._raise_named(error)
        if self._finite and not np.isfinite(values).all():
            raise ValueError(f'{self}: the values of {np.count_nonzero(~np.isfinite(values))} of {values.size} queries '
                             f'are not finite: a parameter, grade or weight is too large')
        return values

    def _raise_named(self, error: Exception) -> NoReturn:
        """Raise an error of the measure's function: one of a setting, or of a measure inside, names the measure."""
        if isinstance(error, NotASumError) or type(error) is not ValueError and not self.wraps:
            raise error
        message = str(error) if isinstance(error, ValueError) else f'{type(error).__name__}: {error}'
        if isinstance(error, ValueError) and self.NAME in message:
            raise error
        raise ValueError(f'{self}: {message}') from error

    def __repr__(self) -> str:
        return self._repr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ir_measures.Measure) and self._repr == repr(other)

    def __hash__(self) -> int:
        return hash(self._repr)

    def __reduce__(self) -> tuple[Any, ...]:
        if type(self).__module__ == '__main__':  # of a notebook or script: goes whole, to where that is not imported
            import joblib  # pickle itself would find this measure under the function's name

            whole = joblib.wrap_non_picklable_objects((self._recipe, self.compute), keep_wrapper=False)
            return _remake_whole, (whole, self.params)
        return _make, (self.NAME, self.params, type(self).__module__)


def _signature(parameters: dict[str, Parameter]) -> inspect.Signature:
    return inspect.Signature([inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default)
                              for each in parameters.values()])


def _make(name: str, params: dict[str, Any], module: str = __name__) -> DivMeasure:
    if name not in registry:
        importlib.import_module(module)
    if name not in registry:
        raise ValueError(f'measure {name}: importing {module} does not define it in this process')
    return registry[name](**params)


def _remake_whole(whole: tuple[dict[str, Any], Callable[..., Any]], params: dict[str, Any]) -> DivMeasure:
    return _remake(*whole, params)


def _remake(recipe: dict[str, Any], function: Callable[..., Any], params: dict[str, Any]) -> DivMeasure:
    known = registry.get(function.__name__)
    made = known if known is not None and _same(known.compute, function) else measure(**recipe)(function)
    return made(**params)


def _same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions are one, or one is a copy of the other."""
    return one is other or all(hasattr(each, '__code__') and each.__closure__ is None for each in (one, other)) \
        and one.__code__ == other.__code__


@overload
def measure(function: Callable[..., Any], /) -> DivMeasure: ...


@overload
def measure(function: None = None, /, *, family: str = ..., cutoff: bool = ...,
            bounds: tuple[float | None, float | None] = ...,
            diversity: bool | Callable[[dict[str, Any]], bool] = ..., needs: Columns = ...,
            run_columns: Columns = ..., aspects: str | None = ..., wraps: str | None = ...,
            aliases: tuple[str, ...] = ..., pretty: str | None = ...,
            check: Callable[[dict[str, Any]], None] | None = ..., further: Further | None = ...,
            marks: Callable[[dict[str, Any]], str | None] | None = ..., rises: str = ...,
            unjudged: str | Callable[[DivMeasure], str] = ...,
            extremes: Callable[..., Any] | None = ..., any_scale: bool = ..., affine: tuple[str, ...] = ...,
            symbolic: Callable[[Any], Any] | None = ...,
            cite: Cite = ..., parameters: dict[str, Parameter] | None = ...
            ) -> Callable[[Callable[..., Any]], DivMeasure]: ...


def measure(function: Callable[..., Any] | None = None, /, *, family: str = 'own measures', cutoff: bool = True,
            bounds: tuple[float | None, float | None] = (0, 1),
            diversity: bool | Callable[[dict[str, Any]], bool] = True, needs: Columns = (),
            run_columns: Columns = (), aspects: str | None = None, wraps: str | None = None,
            aliases: tuple[str, ...] = (), pretty: str | None = None,
            check: Callable[[dict[str, Any]], None] | None = None, further: Further | None = None,
            marks: Callable[[dict[str, Any]], str | None] | None = None, rises: str = '',
            unjudged: str | Callable[[DivMeasure], str] = UNKNOWN,
            extremes: Callable[..., Any] | None = None, any_scale: bool = False, affine: tuple[str, ...] = (),
            symbolic: Callable[[Any], Any] | None = None,
            cite: Cite = (), parameters: dict[str, Parameter] | None = None) -> Any:
    """Make a measure of a function ``f(ranking, *, parameters)`` and register its name.

    The function returns the terms of a sum (:class:`ir_divmeasures.core.terms.Terms`), from which score and explanation
    are made, or values (Q,), which are explained rank by rank.

    The measure is then known to :func:`ir_divmeasures.measures`, to ir_measures and to PyTerrier, with parameters that
    are checked, ``@k``, ``rel`` and ``judged_only``. Defining it again, as in a notebook cell, replaces it.

    Args:
        function: takes a :class:`ir_divmeasures.core.ranking.Ranking`, a block of Q rankings, and keyword-only
            parameters with a type (``float``, ``int``, ``str``, ``bool``, or ``Annotated[type, admitted values,
            meaning]`` as in :mod:`ir_divmeasures.core.parameters`) and a default; its docstring documents the measure.
        family: under which heading the catalogue lists it.
        cutoff: whether ``@k`` applies; the function reads it from the ranking.
        bounds: least and greatest value; None where there is none.
        diversity: whether the measure says nothing on judgments with one subtopic per query, or a function of the
            parameters that tells it.
        needs: columns of the judgments it cannot do without, or a function of the parameters that tells them.
        run_columns: further columns of the run that it reads
            (:meth:`ir_divmeasures.core.ranking.Ranking.run_column`), or a function of the parameters that tells them.
        aspects: gives the measure a parameter ``aspects`` and is its default: ``'relevant'``, a query's aspects are
            those with a relevant document, or ``'listed'``, all that the judgments list. The ranking that the function
            sees goes by it.
        wraps: the parameter that names the measure which this one is made of.
        aliases: further names.
        pretty: the name in words.
        check: raises ValueError for combinations of parameters that make no sense.
        further: gives parameters that depend on the value of another one; the function takes them as ``**parameters``.
        marks: says of parameters why they measure no ranking, or None; who asks for such a measure is warned.
        rises: why documents appended without a judgment may raise a score at a fixed cutoff; empty if they never do.
        unjudged: for :func:`ir_divmeasures.bounds`. ``'any'``: the value never falls as a grade rises. ``'extreme'``:
            its extremes are among those where the first m or the last m unjudged documents have the highest grade. Or
            why it has no bounds, or a function of the measure that gives one of these.
        extremes: for a measure whose extremes are elsewhere: a function of the ranking, the ranking in which all
            unjudged documents have the highest grade, and the parameters. It returns the least and the largest value,
            (Q,) each, or None for parameters with which ``unjudged`` says it all.
        any_scale: whether multiplying all weights by one number changes no value.
        affine: parameters x in which every value is a + b·x with a and b that do not depend on x.
        symbolic: for :func:`ir_divmeasures.axioms.prove`: a function of a ranking in symbols
            (:class:`ir_divmeasures.axioms.symbols.SymbolicRanking`) that returns its score as an expression.
        cite: the measure's sources: keys of :data:`ir_divmeasures.core.citations.CITATIONS`, or
            :class:`ir_divmeasures.core.citations.Citation` objects.
        parameters: the parameters of the function, in place of those of its signature, for a measure that is declared
            from another one.

    Returns:
        The measure; without a function, the decorator that makes it.

    Raises:
        ValueError: the name is that of a measure of this package or of ir_measures; an unknown key in ``cite``.
        TypeError: a parameter without a type or a default.

    Examples:
        >>> import ir_divmeasures
        >>> from ir_divmeasures.core.terms import Terms
        >>> @ir_divmeasures.measure
        ... def Halves(r, *, patience: float = 0.5):
        ...     return Terms(r, gain=r.relevant(), discount=patience ** r.rank)
        >>> (Halves@1).calc_aggregate({'q': {'d1': {'1': 1}}}, {'q': {'d1': 1.0}})
        0.5
        >>> ir_divmeasures.unregister_measure('Halves')
    """
    recipe: dict[str, Any] = {'family': family, 'cutoff': cutoff, 'bounds': bounds, 'diversity': diversity,
                              'needs': needs, 'run_columns': run_columns, 'aspects': aspects, 'wraps': wraps,
                              'aliases': tuple(aliases), 'pretty': pretty, 'check': check, 'further': further,
                              'marks': marks, 'rises': rises, 'unjudged': unjudged, 'extremes': extremes,
                              'any_scale': any_scale, 'affine': affine, 'symbolic': symbolic, 'cite': cite,
                              'parameters': parameters}

    def decorate(function: Callable[..., Any]) -> DivMeasure:
        name, every = function.__name__, dict(parameters_of(function) if parameters is None else parameters)
        own = tuple(every)
        for taken in {'cutoff', 'rel', 'judged_only'} & set(own):
            raise TypeError(f'{name}: every measure has {taken}; read r.k, r.rel or r.judged_only')
        if aspects is not None:
            every['aspects'] = parameter('aspects', Aspects, aspects)
        if cutoff:
            every['cutoff'] = parameter('cutoff', Cutoff, None)
        every['rel'] = parameter('rel', Rel, 1)
        every['judged_only'] = parameter('judged_only', JudgedOnly, False)
        doc = inspect.getdoc(function) or ''
        _check_name(function, (name, *recipe['aliases']))
        try:
            sources = citations_of(cite)
        except (TypeError, ValueError) as error:
            raise type(error)(f'{name}: {error}') from None
        made = type(name, (DivMeasure,), {
            '__doc__': Docstring(doc), 'written_doc': doc, '__module__': _module_of(function), '__name__': name,
            'NAME': name, '__signature__': _signature(every), 'SUPPORTED_PARAMS': every,
            'SHORT_DESC': doc.split('\n')[0],
            'PRETTY_NAME': pretty or name.replace('_', ' '), 'compute': staticmethod(function),
            'diversity': diversity if isinstance(diversity, bool) else property(
                lambda self: diversity(self.all_params)),
            'reads': aspects, 'wraps': wraps, 'bounds': bounds, 'family': family,
            'own_params': own, '_check': staticmethod(check) if check else None,
            '_further': staticmethod(further) if further else None,
            '_marks': staticmethod(marks) if marks else None, 'rises': rises, 'takes_any_scale': any_scale,
            'affine': affine, 'symbolic': staticmethod(symbolic) if symbolic else None,
            '_unjudged': unjudged if isinstance(unjudged, str) else staticmethod(unjudged),
            '_extremes': staticmethod(extremes) if extremes else None,
            'sources': sources,
            '_finite': _is_ours(_module_of(function)), '_recipe': recipe})
        instance: DivMeasure = made()
        _register(instance, recipe['aliases'])
        return instance
    return decorate if function is None else decorate(function)


def unregister_measure(name: str) -> None:
    """Forget a measure that :func:`measure` made, and its further names.

    Args:
        name: of a measure of one's own.

    Raises:
        ValueError: no such measure, or one of this package.

    Examples:
        >>> unregister_measure('RBU')
        Traceback (most recent call last):
        ...
        ValueError: RBU is a measure of ir_divmeasures
    """
    made = registry.get(name)
    if made is None:
        raise ValueError(f'no measure {name!r}' + did_you_mean(name, registry, list_known=False))
    if _is_ours(type(made).__module__):
        raise ValueError(f'{name} is a measure of ir_divmeasures')
    _forget(made)


def _forget(made: DivMeasure) -> None:
    for name in [name for name, each in registry.items() if each is made]:
        del registry[name]
        host.unregister_name(name)


def _module_of(function: Callable[..., Any]) -> str:
    return function.__module__ or '__main__'  # none where code is run by exec


def _is_ours(module: str) -> bool:
    return module.split('.')[0] == __name__.split('.')[0]


def _check_name(function: Callable[..., Any], names: Iterable[str]) -> None:
    """A user's measure takes no name of another measure but of an earlier definition of itself."""
    if _is_ours(_module_of(function)):
        return
    for name in names:
        known = registry.get(name) or ir_measures.measures.registry.get(name)
        of_ours = host.is_a_measure_of_ours(known)
        if known is not None and (not of_ours or _is_ours(type(known).__module__)):
            owner = 'ir_divmeasures' if of_ours else 'ir_measures'
            raise ValueError(f'{name} is a measure of {owner}; give yours another name')


def _register(made: DivMeasure, aliases: Iterable[str]) -> None:
    if made.NAME in registry:
        _forget(registry[made.NAME])
    for name in (made.NAME, *aliases):
        registry[name] = made
        host.register_name(name, made)


def ours(measure: Any) -> DivMeasure | None:
    """The measure of ours that computes a given measure, or None.

    A measure of ndeval's that was made before this package was imported is of ir_measures' own class, and one that was
    made before this package was imported again is of a class that is no more: they are understood by name.
    """
    if isinstance(measure, DivMeasure):
        return measure
    if host.is_ndevals(measure):
        return registry[measure.NAME](**measure.params)
    if host.is_a_measure_of_ours(measure):
        known = registry.get(measure.NAME)
        return known(**measure.params) if known is not None \
            else _remake(measure._recipe, type(measure).compute, measure.params)
    return None


# ------------------------------------------------------------------------------------------------ names of measures

WRITTEN = re.compile(r'(?P<name>[^\W\d][^@(]*)(\((?P<inside>.*)\)\s*)?(@(?P<at>[^@()]+))?', re.S)
PARAMETER = re.compile(r'(?P<name>\w+)\s*=(?!=)(?P<value>.*)', re.S)
SEVERAL = re.compile(r'[._](\d[\d.]*(?:,\d[\d.]*)+)$')


def parse(text: MeasureLike, complete: bool = True) -> ir_measures.Measure:
    """One measure from its name, ours or ir_measures': ``RBU(p=0.99,e=0.05)@20``.

    Names of papers and tools are understood: ``alpha-nDCG@20``, ``D#-nDCG@10``, ``strec@20``, ``ndcg_cut_10``
    (:mod:`ir_divmeasures.core.names`). With ``complete=False`` a cutoff may still be missing that ir_measures asks for.

    Raises:
        ValueError: not a measure's name, an unknown measure or parameter, a value out of range.
    """
    if isinstance(text, ir_measures.Measure):
        return _with_cutoff_checked(text)
    if not isinstance(text, str):
        raise TypeError(f'expected the name of a measure or a measure, found {text!r}')
    written = WRITTEN.fullmatch(text.strip())
    if written is None and writing.is_without_counterpart(text):
        _named(text)
    if written is None:
        raise ValueError(f'{short(text)} is not a measure: expected Name(parameter=value,…)@cutoff')
    try:
        return _made(text, written, complete)
    except RecursionError:
        raise ValueError(f'{short(text)} is not a measure: brackets too deep') from None


def _made(text: str, written: re.Match[str], complete: bool) -> Any:
    found, params = _named(written['name'].strip())
    try:
        for key, value in _parameters(written['inside'] or '', getattr(found, 'wraps', None)):
            if key in params:
                raise ValueError(f'{key} is given twice')
            params[key] = value
        if written['at'] is not None:
            params[found.AT_PARAM] = _value('@', re.sub(r'^0+(?=\d)', '', written['at'].strip()))
    except ValueError as error:
        raise ValueError(f'{short(text)} is not a measure: {error}') from None
    if found.AT_PARAM == 'cutoff' and 'cutoff' in params and not isinstance(found, DivMeasure):
        params['cutoff'] = _checked_cutoff(found, params['cutoff'])
    made = found(**params)
    if not isinstance(made, DivMeasure):
        try:
            made.validate_params()
        except AssertionError as error:
            missing = [n for n, p in made.SUPPORTED_PARAMS.items() if p.required and n not in made.params]
            if missing == ['cutoff'] and not complete:
                return made
            raise ValueError(f'{text!r}: ' + (f'needs {" and ".join(missing)}' if missing else str(error))) from None
    return made


_CUTOFF = parameter('cutoff', Cutoff, None)


def _checked_cutoff(found: Any, given: Any) -> Any:
    try:
        return _CUTOFF.check(given)
    except (TypeError, ValueError) as error:
        raise type(error)(f'{found.NAME}: {error}') from None


def _with_cutoff_checked(made: Any) -> Any:
    """A measure; one of ir_measures, which takes any cutoff, only with one that ends no process."""
    given = None if isinstance(made, DivMeasure) else made.params.get('cutoff')
    if given is not None and type(given) is not bool:
        _checked_cutoff(made, given)
    return made


def _named(name: str) -> tuple[Any, dict[str, Any]]:
    """The measure that a name without parameters means, and the parameter that its last number is, if it is one."""
    known = {**ir_measures.measures.registry, **registry}
    if name in known:
        return known[name], {}
    if said := writing.answer(name):
        raise writing.UnknownMeasureError(f'no measure {short(name)}: {said}')
    if (found := _meant(name, known)) is not None:
        return found, {}
    last = writing.LAST_NUMBER.search(name)
    if last is not None and (found := _meant(name[:last.start()], known)) is not None:
        number = float(last['number'])
        parameter = writing.LAST_NUMBER_IS.get(found.NAME, found.AT_PARAM)
        return found, {parameter: int(number) if number.is_integer() and parameter == 'cutoff' else number}
    if writing.is_without_counterpart(name):
        raise writing.UnknownMeasureError(f"no measure {short(name)}: ir_measures has no counterpart of trec_eval's")
    further = [written for _, written, target in writing.rows() if writing.measure_of(target) in known]
    raise writing.UnknownMeasureError(f'no measure {short(name)}'
                                      + did_you_mean(name[:100], [*known, *further, *PRESETS], list_known=False))


def _meant(name: str, known: dict[str, Any]) -> Any:
    candidates = list(dict.fromkeys(
        known[each] if each in known else parse(each) for each in writing.meant(name, known)))
    if len(candidates) > 1:
        raise ValueError(f'{name!r} may be {" or ".join(str(each) for each in candidates)}')
    return candidates[0] if candidates else None


def _parameters(inside: str, wraps: str | None) -> Iterator[tuple[str, Any]]:
    """Parameters from what stands in brackets; a measure inside needs neither quotes nor the parameter's name."""
    for number, word in enumerate(_split(inside, ',')):
        written = PARAMETER.fullmatch(word.strip())
        if written is None:
            if wraps is None or number:
                raise ValueError('parameters must be named')
            key, value = wraps, word.strip()
        else:
            key, value = written['name'], written['value'].strip()
        yield key, value if key == wraps and value[:1].isalpha() and value != 'None' else _value(f'{key}=', value)


def _value(of: str, text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError(f'{of}{short(text, quotes=False)}: expected a number, a text in quotes, True, False or '
                         f'None') from None


def parse_all(text: MeasureLike) -> list[ir_measures.Measure]:
    """As :func:`parse`, but all measures of a preset, and of trec_eval's ``ndcg_cut.10,20`` several."""
    if isinstance(text, str) and text in PRESETS:
        return measures(PRESETS[text].measures)
    several = SEVERAL.search(text) if isinstance(text, str) else None
    if several is None or not text[:several.start()].strip():
        return [parse(text)]
    return [parse(text[:several.start(1)] + number) for number in several[1].split(',')]


def measures(text: MeasuresLike) -> list[ir_measures.Measure]:
    """Measures from their names, for ``pt.Experiment`` and ``ir_measures``.

    Args:
        text: names separated by spaces, or an iterable of names and measure objects. Names are ours or ir_measures', or
            those of :mod:`~ir_divmeasures.presets`, which stand for several measures: ``'crux'``, ``'web-track'``.

    Returns:
        A list of measure objects, without repetitions, in the order given.

    Raises:
        ValueError: an unknown measure or parameter, or a value out of range; says which, and the nearest known one.

    Examples:
        >>> measures('RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 nDCG@20')
        [RBU(p=0.99,e=0.05)@20, alpha_nDCG@20, nDCG@20]
        >>> measures('freshstack RBU@20')
        [alpha_nDCG@10, Coverage@20, R@50, RBU@20]
        >>> measures('alpha_nDCG(alfa=0.1)@20')
        Traceback (most recent call last):
        ...
        ValueError: alpha_nDCG: unknown parameter 'alfa'; did you mean 'alpha'?
    """
    if isinstance(text, ir_measures.Measure):
        return [text]
    if not isinstance(text, Iterable):
        raise TypeError(f'expected names of measures or measures, found {text!r}')
    names = _split(text, ' \t\n,') if isinstance(text, str) else list(text)
    return list(dict.fromkeys(made for name in names for made in parse_all(name)))


def _split(text: str, separators: str) -> list[str]:
    """Split at separators that stand outside brackets and quotes, and not in trec_eval's ``ndcg_cut.10,20``."""
    words, word, depth, quote = [], '', 0, ''
    for place, character in enumerate(text):
        if quote:
            quote = '' if character == quote else quote
        elif character in '\'"':
            quote = character
        elif character in '([{':
            depth += 1
        elif character in ')]}':
            depth -= 1
        if character in separators and not depth and not quote \
                and not (text[place + 1:place + 2].isdigit() and re.search(r'\w[._]\d[\d.,]*$', word)):
            words.append(word)
            word = ''
        else:
            word += character
    return [w for w in [*words, word] if w.strip()]


def catalogue() -> list[DivMeasure]:
    """Our measures in the order of their definition, aliases left out."""
    return [made for name, made in registry.items() if name == made.NAME]


__all__ = ['DivMeasure', 'measure', 'measures', 'parse', 'parse_all', 'catalogue', 'registry', 'ir_measures']
