"""Turn a function into a measure with a name. To add a measure you only need the decorator ``@measure``.

The keyword-only signature of the function states the parameters, and its docstring documents the measure. The decorator
returns a measure object of ir_measures (``RBU(p=0.99)@20``) and registers its name with ir_measures.
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
from .parameters import Aspects, Cutoff, JudgedOnly, Parameter, Rel, parameter, parameters_of
from .terms import NotASumError, Parts, as_parts, value_of

if TYPE_CHECKING:
    from ir_measures import CalcResults, Metric
    from ir_measures.providers import Evaluator

    from ..typing import MeasureLike, MeasuresLike, QrelsLike, RunLike
    from .ranking import Array, Ranking

Columns = tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]]
"""Names of columns, or a function of the parameters of a measure that returns them."""
Further = Callable[[dict[str, Any]], dict[str, Parameter]]
"""A function from the parameters of a call to further parameters."""

Cite = str | Citation | tuple[str | Citation, ...]
"""The sources of a measure: keys of CITATIONS, or citations that a user defines."""

registry: dict[str, DivMeasure] = {}
"""The measures of this package and of users, by name and alias."""


SILENT: dict[str, Any] = {'over': 'ignore', 'invalid': 'ignore'}
"""NumPy does not warn of these while it computes a measure, because the values are checked afterwards."""

ANY, EXTREME = 'any', 'extreme'
"""The grades of unjudged documents that bounds consider: any, or 0 for all aspects and the highest for all aspects."""
UNKNOWN = 'how it changes with a grade is not known: @measure(unjudged=…) states it'
"""Why a measure has no bounds if it does not declare how unjudged documents affect it."""


class DivMeasure(ir_measures.Measure):
    """A measure of this package: a measure of ir_measures that checks its parameters when you create it.

    Equal measures print, compare and hash equally, whatever the order and type (int for float) of the parameters. A
    measure can wrap another one, as ``IA(M='nDCG')`` does.

    Attributes:
        NAME: the name without parameters.
        PRETTY_NAME: the name in words.
        SHORT_DESC: the first line of the docstring.
        SUPPORTED_PARAMS: every parameter by name, as :class:`ir_divmeasures.core.parameters.Parameter`.
        params: the values of the parameters that were passed, by name. :attr:`all_params` includes the defaults.
        own_params: the names of the parameters that the function takes.
        compute: the function. It takes a ranking and the parameters, and returns terms, a value, or a tuple of them
            (:mod:`ir_divmeasures.core.terms`).
        written_doc: the docstring as its author wrote it, with formulas in TeX.
        family: the heading under which the catalogue lists the measure.
        sources: the citations of the measure itself. :attr:`citation` adds those of the wrapped measure.
        diversity: whether the measure reads subtopics. Its values are then of no use on judgments with one subtopic per
            query.
        reads: the default of the parameter ``aspects``, ``'relevant'`` or ``'listed'``, or None without that parameter.
        wraps: the name of the parameter that takes the wrapped measure, or None.
        bounds: the lowest and the highest possible value. None stands for a bound that does not exist.
        rises: why documents that are appended without a judgment may raise a score at a fixed cutoff; '' if not.
        takes_any_scale: whether no value changes when all weights are multiplied by one number. A measure that wraps
            another one states this under the condition that it holds for the wrapped measure.
        affine: the parameters x in which every value is affine, a + b·x where a and b do not depend on x.
        is_of_package: whether the package defines the measure. Its values are then checked to be finite.
        symbolic: a function that returns the score of a ranking in symbols, or None.
        validated: always True. ir_measures reads it and does not check the parameters again.
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
    is_of_package = False

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
                raise ValueError(
                    f'{self.NAME}: unknown parameter {name!r}'
                    + did_you_mean(name, self.SUPPORTED_PARAMS)
                )
        values = {}
        for name, info in self.SUPPORTED_PARAMS.items():
            if name in params:
                value = params[name]
                if name == self.wraps and isinstance(value, ir_measures.Measure):
                    value = str(value)
                try:
                    value = info.check(value)
                except (TypeError, ValueError) as error:
                    raise type(error)(f'{self.NAME}: {error}') from None
                if value is not None or info.default is not None:
                    values[name] = value
        super().__init__(**values)  # type: ignore[no-untyped-call]
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
        """Why the value does not depend on the ranking, or not on its order, with these parameters.

        None if it does.
        """
        wrapped = ours(self.wrapped)
        own = type(self)._marks(self.all_params) if self._marks is not None else None  # type: ignore[misc]
        return own or (wrapped.marked if wrapped is not None else None)

    # ---- how a measure runs -------------------------------------------------------------------------------

    @functools.cached_property
    def wrapped(self) -> Any:
        """The measure that this one wraps, or None."""
        return parse(self[self.wraps], complete=False) if self.wraps else None

    @property
    def citation(self) -> tuple[Citation, ...]:
        """The papers and programs that define the measure, followed by those of the wrapped measure.

        Examples:
            >>> [each.key for each in parse('LA(M=alpha_nDCG@20)').citation]
            ['Wang2016', 'Dou2019', 'Clarke2008', 'TRECWebTrack2013']
        """
        wrapped = ours(self.wrapped)
        return tuple(
            dict.fromkeys(self.sources + (wrapped.citation if wrapped is not None else ()))
        )

    @property
    def rel(self) -> float:
        """The lowest grade that counts as relevant."""
        return self['rel']

    @property
    def judged_only(self) -> bool:
        """Whether ranks are counted over judged documents only, here or in the wrapped measure."""
        wrapped = ours(self.wrapped)
        return self['judged_only'] or (wrapped is not None and wrapped.judged_only)

    @property
    def cutoff(self) -> int | None:
        """The cutoff of this or the wrapped measure; None for the whole run."""
        own = self.params.get('cutoff')
        return self.wrapped.params.get('cutoff') if own is None and self.wraps else own

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the judgments that the measure itself requires."""
        return self._columns('needs')

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The columns of the judgments that the measure or the wrapped measure requires."""
        wrapped = ours(self.wrapped)
        return tuple(dict.fromkeys(self.needs + (wrapped.needed_columns if wrapped else ())))

    @property
    def run_columns(self) -> tuple[str, ...]:
        """The further columns of runs that the measure or the wrapped measure reads."""
        wrapped = ours(self.wrapped)
        return tuple(
            dict.fromkeys(self._columns('run_columns') + (wrapped.run_columns if wrapped else ()))
        )

    def _columns(self, kind: str) -> tuple[str, ...]:
        columns = self._recipe[kind]
        return tuple(columns(self.all_params) if callable(columns) else columns)

    @property
    def any_scale(self) -> bool:
        """Whether values stay the same when all weights of a query are multiplied by one number."""
        wrapped = ours(self.wrapped)
        return self.takes_any_scale and (wrapped is None or wrapped.any_scale)

    @property
    def unjudged(self) -> str:
        """Which grades of unjudged documents the bounds consider, ``'any'`` or ``'extreme'``, or why there are none.

        With ``'any'`` the value never falls as a grade rises. With ``'extreme'`` the lowest and the highest value occur
        where the first m or the last m unjudged documents have the highest grade for every aspect.
        """
        if self.judged_only:
            return 'judged_only=True leaves unjudged documents out of the ranking'
        params = self.all_params
        if not isinstance(params.get('gain', ''), str):
            return 'gains that are given one by one'
        answer = self._unjudged if isinstance(self._unjudged, str) else type(self)._unjudged(self)  # type: ignore[operator]
        if (
            answer == ANY
            and params.get('aspects') == 'listed'
            and params.get('gain') in ('exp', 'linear')
            and 'max_rel' in params
            and params['max_rel'] is None
        ):
            return EXTREME  # an aspect without a relevant document has no highest grade
        return answer

    def extremes(self, ranking: Ranking, best: Ranking) -> tuple[Array, Array] | None:
        """The lowest and the highest value over all judgments of the unjudged documents, (Q,) each.

        The result is None if the measure declares no ``extremes``. The values are then those of a few judgments
        (:attr:`unjudged`).

        Args:
            ranking: as for :meth:`on`.
            best: the same ranking, where all unjudged documents down to the cutoff have the highest grade.
        """
        if self._extremes is None:
            return None
        ranking, best = (
            each if self.cutoff is None else each.cut(self.cutoff) for each in (ranking, best)
        )
        return type(self)._extremes(ranking, best, **{name: self[name] for name in self.own_params})  # type: ignore[misc]

    def parts(self, ranking: Ranking) -> Parts:
        """The terms of the measure's sum, or its value, on rankings.

        Args:
            ranking: rankings for this ``rel`` and ``judged_only``. They are cut at the measure's cutoff if it has one.

        Raises:
            ValueError: the judgments do not admit a setting, or the provider of the wrapped measure cannot compute it.
                The message names the measure.
        """
        ranking = ranking if self.cutoff is None else ranking.cut(self.cutoff)
        ranking = ranking if self.reads is None else ranking.reading(self['aspects'])
        try:
            with np.errstate(**(SILENT if self.is_of_package else {})):
                return as_parts(
                    self.compute(
                        ranking,
                        **{name: self[name] for name in self.own_params},
                    )
                )
        except Exception as error:
            self._raise_named(error)

    def on(self, ranking: Ranking) -> Array:
        """The values of the measure on rankings; (Q,).

        Args:
            ranking: rankings for this ``rel`` and ``judged_only``. They are cut at the measure's cutoff if it has one.

        Raises:
            ValueError: as :meth:`parts`, or a value of a measure of this package is not finite.
        """
        parts = self.parts(ranking)
        try:
            with np.errstate(**(SILENT if self.is_of_package else {})):
                values = value_of(parts)
        except Exception as error:
            self._raise_named(error)
        if self.is_of_package and not np.isfinite(values).all():
            raise ValueError(
                f'{self}: the values of {np.count_nonzero(~np.isfinite(values))} of {values.size} queries '
                f'are not finite: a parameter, grade or weight is too large'
            )
        return values

    def _raise_named(self, error: Exception) -> NoReturn:
        """Raise an error of the measure's function. Messages about settings or a wrapped measure name the measure."""
        if isinstance(error, NotASumError) or type(error) is not ValueError and not self.wraps:
            raise error
        message = (
            str(error) if isinstance(error, ValueError) else f'{type(error).__name__}: {error}'
        )
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
        if (
            type(self).__module__ == '__main__'
        ):  # the process that unpickles it cannot import a notebook or script
            import joblib  # pickle itself would find this measure under the function's name

            whole = joblib.wrap_non_picklable_objects(
                (self._recipe, self.compute), keep_wrapper=False
            )
            return _remake_whole, (whole, self.params)
        return _make, (self.NAME, self.params, type(self).__module__)


def _signature(parameters: dict[str, Parameter]) -> inspect.Signature:
    return inspect.Signature(
        [
            inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default)
            for each in parameters.values()
        ]
    )


def _make(name: str, params: dict[str, Any], module: str = __name__) -> DivMeasure:
    if name not in registry:
        importlib.import_module(module)
    if name not in registry:
        raise ValueError(f'measure {name}: importing {module} does not define it in this process')
    return registry[name](**params)


def _remake_whole(
    whole: tuple[dict[str, Any], Callable[..., Any]], params: dict[str, Any]
) -> DivMeasure:
    return _remake(*whole, params)


def _remake(
    recipe: dict[str, Any], function: Callable[..., Any], params: dict[str, Any]
) -> DivMeasure:
    """A measure from its declaration, function and parameters, which is registered unless it is already."""
    instance = registry.get(function.__name__)
    if instance is None or not _are_same(instance.compute, function):
        instance = measure(**recipe)(function)
    return instance(**params)


def _are_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions are the same function, or one is a copy of the other."""
    return (
        one is other
        or all(hasattr(each, '__code__') and each.__closure__ is None for each in (one, other))
        and one.__code__ == other.__code__
    )


@overload
def measure(function: Callable[..., Any], /) -> DivMeasure: ...


@overload
def measure(
    function: None = None,
    /,
    *,
    family: str = ...,
    cutoff: bool = ...,
    bounds: tuple[float | None, float | None] = ...,
    diversity: bool | Callable[[dict[str, Any]], bool] = ...,
    needs: Columns = ...,
    run_columns: Columns = ...,
    aspects: str | None = ...,
    wraps: str | None = ...,
    aliases: tuple[str, ...] = ...,
    pretty: str | None = ...,
    check: Callable[[dict[str, Any]], None] | None = ...,
    further: Further | None = ...,
    marks: Callable[[dict[str, Any]], str | None] | None = ...,
    rises: str = ...,
    unjudged: str | Callable[[DivMeasure], str] = ...,
    extremes: Callable[..., Any] | None = ...,
    any_scale: bool = ...,
    affine: tuple[str, ...] = ...,
    symbolic: Callable[[Any], Any] | None = ...,
    cite: Cite = ...,
    parameters: dict[str, Parameter] | None = ...,
) -> Callable[[Callable[..., Any]], DivMeasure]: ...


def measure(
    function: Callable[..., Any] | None = None,
    /,
    *,
    family: str = 'own measures',
    cutoff: bool = True,
    bounds: tuple[float | None, float | None] = (0, 1),
    diversity: bool | Callable[[dict[str, Any]], bool] = True,
    needs: Columns = (),
    run_columns: Columns = (),
    aspects: str | None = None,
    wraps: str | None = None,
    aliases: tuple[str, ...] = (),
    pretty: str | None = None,
    check: Callable[[dict[str, Any]], None] | None = None,
    further: Further | None = None,
    marks: Callable[[dict[str, Any]], str | None] | None = None,
    rises: str = '',
    unjudged: str | Callable[[DivMeasure], str] = UNKNOWN,
    extremes: Callable[..., Any] | None = None,
    any_scale: bool = False,
    affine: tuple[str, ...] = (),
    symbolic: Callable[[Any], Any] | None = None,
    cite: Cite = (),
    parameters: dict[str, Parameter] | None = None,
) -> Any:
    """Turn a function ``f(ranking, *, parameters)`` into a measure and register its name.

    The function returns the terms of a sum (:class:`ir_divmeasures.core.terms.Terms`) or values (Q,). Terms give both
    the score and its explanation. Values are explained rank by rank.

    :func:`ir_divmeasures.measures`, ir_measures and PyTerrier then know the measure. They check its parameters, and it
    takes ``@k``, ``rel`` and ``judged_only``. A second definition, as in a notebook cell, replaces the first.

    Args:
        function: takes a :class:`ir_divmeasures.core.ranking.Ranking`, a block of Q rankings, and keyword-only
            parameters with a type (``float``, ``int``, ``str``, ``bool``, or ``Annotated[type, admitted values,
            meaning]`` as in :mod:`ir_divmeasures.core.parameters`) and a default. Its docstring documents the measure.
        family: the heading under which the catalogue lists the measure.
        cutoff: whether ``@k`` applies. The function reads the cutoff from the ranking.
        bounds: the lowest and the highest possible value. None stands for a bound that does not exist.
        diversity: whether the measure is of no use on judgments with one subtopic per query, or a function of the
            parameters that returns this.
        needs: the columns of the judgments that the measure requires, or a function of the parameters that returns
            them.
        run_columns: the further columns of the run that the measure reads
            (:meth:`ir_divmeasures.core.ranking.Ranking.run_column`), or a function of the parameters that returns them.
        aspects: adds a parameter ``aspects`` with this default. With ``'relevant'`` the aspects of a query are those
            with a relevant document. With ``'listed'`` they are all that the judgments list. The function gets a
            ranking with these aspects.
        wraps: the name of the parameter that takes the wrapped measure.
        aliases: further names.
        pretty: the name in words.
        check: raises ValueError for combinations of parameters that make no sense.
        further: returns parameters that depend on the value of another one. The function takes them as
            ``**parameters``.
        marks: returns why a measure with given parameters does not compare rankings, or None. Users of such a measure
            get a warning.
        rises: why documents that are appended without a judgment may raise a score at a fixed cutoff; empty if they
            cannot.
        unjudged: how unjudged documents affect :func:`ir_divmeasures.bounds`. ``'any'``: the value never falls as a
            grade rises. ``'extreme'``: the lowest and the highest value occur where the first m or the last m unjudged
            documents have the highest grade. Any other text states why there are no bounds. A function of the measure
            can return one of these.
        extremes: needed if the lowest or the highest value occurs elsewhere. It is a function of the ranking, the
            ranking in which all unjudged documents have the highest grade, and the parameters. It returns the lowest
            and the highest value, (Q,) each, or None for parameters for which ``unjudged`` is sufficient.
        any_scale: whether no value changes when all weights are multiplied by one number.
        affine: the parameters x in which every value is a + b·x, where a and b do not depend on x.
        symbolic: a function for :func:`ir_divmeasures.axioms.prove`. It takes a ranking in symbols
            (:class:`ir_divmeasures.axioms.symbols.SymbolicRanking`) and returns its score as an expression.
        cite: the sources of the measure: keys of :data:`ir_divmeasures.core.citations.CITATIONS`, or
            :class:`ir_divmeasures.core.citations.Citation` objects.
        parameters: the parameters of the function, if they are not those of its signature. A measure that is derived
            from another one passes them.

    Returns:
        The measure, or a decorator that returns it if ``function`` is omitted.

    Raises:
        ValueError: this package or ir_measures has a measure of this name, or ``cite`` contains an unknown key.
        TypeError: a parameter has no type or no default.

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
    recipe: dict[str, Any] = {
        'family': family,
        'cutoff': cutoff,
        'bounds': bounds,
        'diversity': diversity,
        'needs': needs,
        'run_columns': run_columns,
        'aspects': aspects,
        'wraps': wraps,
        'aliases': tuple(aliases),
        'pretty': pretty,
        'check': check,
        'further': further,
        'marks': marks,
        'rises': rises,
        'unjudged': unjudged,
        'extremes': extremes,
        'any_scale': any_scale,
        'affine': affine,
        'symbolic': symbolic,
        'cite': cite,
        'parameters': parameters,
    }

    def decorate(function: Callable[..., Any]) -> DivMeasure:
        name, every = (
            function.__name__,
            dict(parameters_of(function) if parameters is None else parameters),
        )
        own = tuple(every)
        for duplicate in {'cutoff', 'rel', 'judged_only'} & set(own):
            raise TypeError(
                f'{name}: every measure has {duplicate}; read r.k, r.rel or r.judged_only'
            )
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
        measure_class = type(
            name,
            (DivMeasure,),
            {
                '__doc__': doc,
                'written_doc': doc,
                '__module__': _module_of(function),
                '__name__': name,
                'NAME': name,
                '__signature__': _signature(every),
                'SUPPORTED_PARAMS': every,
                'SHORT_DESC': doc.split('\n')[0],
                'PRETTY_NAME': pretty or name.replace('_', ' '),
                'compute': staticmethod(function),
                'diversity': diversity
                if isinstance(diversity, bool)
                else property(lambda self: diversity(self.all_params)),
                'reads': aspects,
                'wraps': wraps,
                'bounds': bounds,
                'family': family,
                'own_params': own,
                '_check': staticmethod(check) if check else None,
                '_further': staticmethod(further) if further else None,
                '_marks': staticmethod(marks) if marks else None,
                'rises': rises,
                'takes_any_scale': any_scale,
                'affine': affine,
                'symbolic': staticmethod(symbolic) if symbolic else None,
                '_unjudged': unjudged if isinstance(unjudged, str) else staticmethod(unjudged),
                '_extremes': staticmethod(extremes) if extremes else None,
                'sources': sources,
                'is_of_package': _is_ours(_module_of(function)),
                '_recipe': recipe,
            },
        )
        instance: DivMeasure = measure_class()
        _register(instance, recipe['aliases'])
        return instance

    return decorate if function is None else decorate(function)


def unregister_measure(name: str) -> None:
    """Remove a measure that you registered with :func:`measure`, and its aliases.

    Args:
        name: the name of the measure.

    Raises:
        ValueError: no measure has this name, or the package defines it.

    Examples:
        >>> unregister_measure('RBU')
        Traceback (most recent call last):
        ...
        ValueError: RBU is a measure of ir_divmeasures
    """
    instance = registry.get(name)
    if instance is None:
        raise ValueError(f'no measure {name!r}' + did_you_mean(name, registry, list_known=False))
    if _is_ours(type(instance).__module__):
        raise ValueError(f'{name} is a measure of ir_divmeasures')
    _forget(instance)


def _forget(instance: DivMeasure) -> None:
    for name in [name for name, each in registry.items() if each is instance]:
        del registry[name]
        host.unregister_name(name)


def _module_of(function: Callable[..., Any]) -> str:
    return function.__module__ or '__main__'  # code run by exec has no module


def _is_ours(module: str) -> bool:
    return module.split('.')[0] == __name__.split('.')[0]


def _check_name(function: Callable[..., Any], names: Iterable[str]) -> None:
    """Check that the names of a user's measure are free, or belong to an earlier definition of it."""
    if _is_ours(_module_of(function)):
        return
    for name in names:
        other = registry.get(name) or ir_measures.measures.registry.get(name)
        of_ours = host.is_a_measure_of_ours(other)
        if other is not None and (not of_ours or _is_ours(type(other).__module__)):
            owner = 'ir_divmeasures' if of_ours else 'ir_measures'
            raise ValueError(f'{name} is a measure of {owner}; give yours another name')


def _register(instance: DivMeasure, aliases: Iterable[str]) -> None:
    if instance.NAME in registry:
        _forget(registry[instance.NAME])
    for name in (instance.NAME, *aliases):
        registry[name] = instance
        host.register_name(name, instance)


def ours(measure: Any) -> DivMeasure | None:
    """The measure of this package that computes a measure, or None.

    Measures of ndeval that were created before this package was imported have a class of ir_measures. Measures that
    were created before this package was imported a second time have a class that no longer exists. The function
    identifies both by their names.
    """
    if measure is None or isinstance(measure, DivMeasure):
        return measure
    if host.is_ndevals(measure):
        return registry[measure.NAME](**measure.params)
    if host.is_a_measure_of_ours(measure):
        instance = registry.get(measure.NAME)
        return (
            instance(**measure.params)
            if instance is not None
            else _remake(measure._recipe, type(measure).compute, measure.params)
        )
    return None


# ------------------------------------------------------------------------------------------------ names of measures

MEASURE = re.compile(r'(?P<name>[^\W\d][^@(]*)(\((?P<inside>.*)\)\s*)?(@(?P<at>[^@()]+))?', re.S)
PARAMETER = re.compile(r'(?P<name>\w+)\s*=(?!=)(?P<value>.*)', re.S)
SEVERAL = re.compile(r'[._](\d[\d.]*(?:,\d[\d.]*)+)$')


def parse(text: MeasureLike, complete: bool = True) -> ir_measures.Measure:
    """A measure of this package or of ir_measures from its name: ``RBU(p=0.99,e=0.05)@20``.

    The parser also knows names of papers and tools: ``alpha-nDCG@20``, ``D#-nDCG@10``, ``strec@20``, ``ndcg_cut_10``
    (:mod:`ir_divmeasures.core.names`). With ``complete=False`` the name may lack a cutoff that ir_measures requires.

    Raises:
        ValueError: the text is not the name of a measure, a measure or parameter is unknown, or a value is out of
            range.
    """
    if isinstance(text, ir_measures.Measure):
        return _with_valid_cutoff(text)
    if not isinstance(text, str):
        raise TypeError(f'expected the name of a measure or a measure, found {text!r}')
    match = MEASURE.fullmatch(text.strip())
    if match is None and writing.is_without_counterpart(text):
        _look_up(text)
    if match is None:
        raise ValueError(f'{short(text)} is not a measure: expected Name(parameter=value,…)@cutoff')
    try:
        return _measure_from(text, match, complete)
    except RecursionError:
        raise ValueError(f'{short(text)} is not a measure: brackets too deep') from None


def _measure_from(text: str, match: re.Match[str], complete: bool) -> Any:
    """The measure of a text that matches :data:`MEASURE`; ``complete`` and errors as for :func:`parse`."""
    base, params = _look_up(match['name'].strip())
    try:
        for key, value in _parameters(match['inside'] or '', getattr(base, 'wraps', None)):
            if key in params:
                raise ValueError(f'{key} is given twice')
            params[key] = value
        if match['at'] is not None:
            params[base.AT_PARAM] = _value('@', re.sub(r'^0+(?=\d)', '', match['at'].strip()))
    except ValueError as error:
        raise ValueError(f'{short(text)} is not a measure: {error}') from None
    if base.AT_PARAM == 'cutoff' and 'cutoff' in params and not isinstance(base, DivMeasure):
        params['cutoff'] = _check_cutoff(base, params['cutoff'])
    result = base(**params)
    if not isinstance(result, DivMeasure):
        try:
            result.validate_params()
        except AssertionError as error:
            missing = [
                n
                for n, p in result.SUPPORTED_PARAMS.items()
                if p.required and n not in result.params
            ]
            if missing == ['cutoff'] and not complete:
                return result
            raise ValueError(
                f'{text!r}: ' + (f'needs {" and ".join(missing)}' if missing else str(error))
            ) from None
    return result


_CUTOFF = parameter('cutoff', Cutoff, None)


def _check_cutoff(base: Any, cutoff: Any) -> Any:
    """A cutoff as an int. An error names the measure."""
    try:
        return _CUTOFF.check(cutoff)
    except (TypeError, ValueError) as error:
        raise type(error)(f'{base.NAME}: {error}') from None


def _with_valid_cutoff(measure: Any) -> Any:
    """The measure, after a check of its cutoff: ir_measures accepts cutoffs that end the process."""
    cutoff = None if isinstance(measure, DivMeasure) else measure.params.get('cutoff')
    if cutoff is not None and type(cutoff) is not bool:
        _check_cutoff(measure, cutoff)
    return measure


def _look_up(name: str) -> tuple[Any, dict[str, Any]]:
    """The measure of a name without parameters in brackets, and the parameter in its last number, if it has one.

    Raises:
        UnknownMeasureError: no measure has this name. The message suggests a similar name or says what to use instead.
    """
    known = {**ir_measures.measures.registry, **registry}
    if name in known:
        return known[name], {}
    if advice := writing.answer(name):
        raise writing.UnknownMeasureError(f'no measure {short(name)}: {advice}')
    if (match := _synonym(name, known)) is not None:
        return match, {}
    last = writing.LAST_NUMBER.search(name)
    if last is not None and (match := _synonym(name[: last.start()], known)) is not None:
        number = float(last['number'])
        parameter = writing.LAST_NUMBER_IS.get(match.NAME, match.AT_PARAM)
        return match, {
            parameter: int(number) if number.is_integer() and parameter == 'cutoff' else number
        }
    if writing.is_without_counterpart(name):
        raise writing.UnknownMeasureError(
            f"no measure {short(name)}: ir_measures has no counterpart of trec_eval's"
        )
    further = [
        synonym for _, synonym, target in writing.rows() if writing.measure_of(target) in known
    ]
    raise writing.UnknownMeasureError(
        f'no measure {short(name)}'
        + did_you_mean(name[:100], [*known, *further, *PRESETS], list_known=False)
    )


def _synonym(name: str, known: dict[str, Any]) -> Any:
    """The measure that a name of a paper or tool stands for, or None. An ambiguous name is a ValueError."""
    candidates = list(
        dict.fromkeys(
            known[each] if each in known else parse(each)
            for each in writing.candidates(name, known)
        )
    )
    if len(candidates) > 1:
        raise ValueError(f'{name!r} may be {" or ".join(str(each) for each in candidates)}')
    return candidates[0] if candidates else None


def _parameters(inside: str, wraps: str | None) -> Iterator[tuple[str, Any]]:
    """The parameters in brackets. A wrapped measure needs neither quotes nor the name of the parameter."""
    for number, word in enumerate(_split(inside, ',')):
        match = PARAMETER.fullmatch(word.strip())
        if match is None:
            if wraps is None or number:
                raise ValueError('parameters must be named')
            key, value = wraps, word.strip()
        else:
            key, value = match['name'], match['value'].strip()
        yield (
            key,
            value
            if key == wraps and value[:1].isalpha() and value != 'None'
            else _value(f'{key}=', value),
        )


def _value(label: str, text: str) -> Any:
    """The value that a text stands for in Python. ``label`` precedes it in error messages."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError(
            f'{label}{short(text, quotes=False)}: expected a number, a text in quotes, True, False or '
            f'None'
        ) from None


def parse_all(text: MeasureLike) -> list[ir_measures.Measure]:
    """The measures of a text as :func:`parse` takes it, of a preset, or of a list of trec_eval (``ndcg_cut.10,20``)."""
    if isinstance(text, str) and text in PRESETS:
        return measures(PRESETS[text].measures)
    several = SEVERAL.search(text) if isinstance(text, str) else None
    if several is None or not text[: several.start()].strip():
        return [parse(text)]
    return [parse(text[: several.start(1)] + number) for number in several[1].split(',')]


def measures(text: MeasuresLike) -> list[ir_measures.Measure]:
    """Measures from their names, for ``pt.Experiment`` and ``ir_measures``.

    Args:
        text: names separated by spaces, or an iterable of names and measure objects. Names are those of measures of
            this package and of ir_measures, or those of :mod:`~ir_divmeasures.presets`, which stand for several
            measures: ``'crux'``, ``'web-track'``.

    Returns:
        A list of measure objects without repetitions, in the order of ``text``.

    Raises:
        ValueError: a measure or parameter is unknown, or a value is out of range. The message suggests a similar name.

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
    return list(dict.fromkeys(each for name in names for each in parse_all(name)))


def _split(text: str, separators: str) -> list[str]:
    """Split at separators outside brackets and quotes. The comma of trec_eval's ``ndcg_cut.10,20`` is no separator."""
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
        if (
            character in separators
            and not depth
            and not quote
            and not (text[place + 1 : place + 2].isdigit() and re.search(r'\w[._]\d[\d.,]*$', word))
        ):
            words.append(word)
            word = ''
        else:
            word += character
    return [w for w in [*words, word] if w.strip()]


def catalogue() -> list[DivMeasure]:
    """The registered measures in the order of their definition, without aliases."""
    return [each for name, each in registry.items() if name == each.NAME]


__all__ = [
    'DivMeasure',
    'measure',
    'measures',
    'parse',
    'parse_all',
    'catalogue',
    'registry',
    'ir_measures',
]
