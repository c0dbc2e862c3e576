"""Turn a function into a measure with a name. To add a measure you only need the decorator ``@measure``.

The keyword-only signature of the function states the parameters, and its docstring documents the measure. The decorator
returns a measure object of ir_measures (``RBU(p=0.99)@20``) and registers its name with ir_measures.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar, overload

import ir_measures
import numpy as np

from .. import hosts as host
from ..errors import did_you_mean, naming
from ..lazy import cached_property
from .citations import Citation, citations_of
from .names import ALIASES, canonical, measures, parse, registry
from .parameters import (
    Aspects,
    Cutoff,
    JudgedOnly,
    Parameter,
    parameter,
    parameters_of,
    rel_parameter,
)
from .terms import Parts, Terms

if TYPE_CHECKING:
    from ir_measures import CalcResults, Metric
    from ir_measures.providers import Evaluator

    from ..typing import QrelsLike, RunLike
    from .ranking import Array, Ranking

T = TypeVar('T')
Columns = tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]]
"""Names of columns, or a function of the parameters of a measure that returns them."""


ABOUT_1 = 'about 1'
"""The highest value of a measure that is divided by the value of a greedy ideal ranking, which it can exceed by a little.
Intervals of means read it as at most 1."""


class Facts(NamedTuple):
    """What ``@measure(…)`` declares about a measure. Everything else follows from its function.

    Attributes:
        family: the heading under which the catalogue lists the measure.
        pretty: the name in words.
        bounds: the lowest and the highest possible value. None stands for a bound that does not exist, and the highest
            value can be :data:`ABOUT_1`.
        diversity: whether the measure is of no use on judgments with one subtopic per query, or a function of the
            parameters that returns this.
        needs: the columns of the judgments that the measure requires, or a function of the parameters that returns
            them.
        aspects: adds a parameter ``aspects`` with this default. With ``'relevant'`` the aspects of a query are those
            with a relevant document. With ``'listed'`` they are all that the judgments list. The function gets a
            ranking with these aspects.
        any_scale: whether no value changes when all weights are multiplied by one number. A measure that wraps another
            one states this under the condition that it holds for the wrapped measure.
        rel_means: what the parameter ``rel`` decides: a word of :data:`ir_divmeasures.core.parameters.REL_MEANS`. With
            ``'relevant'`` and ``'gain'``, grades above 0 and below ``rel`` change no value.
        check: a function of the parameters that raises ValueError for combinations that make no sense, and returns why
            the measure does not compare rankings with these parameters, or None. Users get this reason as a warning.
        cite: the sources of the measure: keys of :func:`ir_divmeasures.core.citations.references`, or
            :class:`ir_divmeasures.core.citations.Citation` objects.
    """

    family: str = 'own measures'
    pretty: str | None = None
    bounds: tuple[float | None, float | str | None] = (0, 1)
    diversity: bool | Callable[[dict[str, Any]], bool] = True
    needs: Columns = ()
    aspects: str | None = None
    any_scale: bool = False
    rel_means: str = 'relevant'
    check: Callable[[dict[str, Any]], str | None] | None = None
    cite: str | Citation | tuple[str | Citation, ...] = ()


SILENT: dict[str, Any] = {'over': 'ignore', 'invalid': 'ignore'}
"""NumPy does not warn of these while it computes a measure, because the values are checked afterwards."""


class _OfClass:
    """An attribute of a class that is computed when it is first read, there or at an instance."""

    def __init__(self, compute: Callable[[Any], Any]):
        self.compute = compute

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        if not hasattr(owner, 'facts'):  # the base class of all measures
            return self
        value = self.compute(owner)
        setattr(owner, self.name, value)
        return value


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
        rel: the value of ``rel``. What it decides is ``facts.rel_means``.
        own_params: the names of the parameters that the function takes.
        wraps: the name of the parameter that takes a measure, or None.
        compute: the function. It takes a ranking and the parameters, and returns terms, values, or a tuple of them
            (:mod:`ir_divmeasures.core.terms`).
        facts: what ``@measure`` declares.
        is_of_package: whether the package defines the measure. Its values are then checked to be finite.
        validated: always True. ir_measures reads it and does not check the parameters again.
    """

    NAME: str
    PRETTY_NAME: str
    compute: Callable[..., Any]
    facts: Facts
    is_of_package = False

    SUPPORTED_PARAMS: dict[str, Parameter] = _OfClass(lambda cls: _supported(cls))  # type: ignore[assignment]
    own_params: tuple[str, ...] = _OfClass(lambda cls: _own(cls))  # type: ignore[assignment]
    wraps: str | None = _OfClass(lambda cls: _wraps(cls))  # type: ignore[assignment]
    SHORT_DESC: str = _OfClass(lambda cls: cls.__doc__.split('\n')[0])  # type: ignore[assignment]
    __signature__: inspect.Signature = _OfClass(lambda cls: _signature(cls.SUPPORTED_PARAMS))  # type: ignore[assignment]

    family = property(lambda self: self.facts.family)
    bounds = property(lambda self: self.facts.bounds)

    def __init__(self, **params: Any):
        values = {}
        if (
            params
        ):  # the parameters of a measure are read from its function when the first one is set
            for name in params:
                if name not in self.SUPPORTED_PARAMS and name == self.AT_PARAM:
                    raise ValueError(f'{self.NAME} takes no cutoff')
                if name not in self.SUPPORTED_PARAMS:
                    near = did_you_mean(name, self.SUPPORTED_PARAMS)
                    raise ValueError(f'{self.NAME}: unknown parameter {name!r}{near}')
            with naming(self.NAME):
                for name, info in self.SUPPORTED_PARAMS.items():
                    if name in params:
                        value = params[name]
                        if name == self.wraps and isinstance(value, ir_measures.Measure):
                            value = str(value)
                        value = info.check(value)
                        if value is not None or info.default is not None:
                            values[name] = value
        super().__init__(**values)  # type: ignore[no-untyped-call]
        self.validated, self.rel = True, values.get('rel', 1)
        self._repr = super().__repr__()  # type: ignore[no-untyped-call]
        if params and self.facts.check is not None:
            with naming(self.NAME):
                self.facts.check(self.all_params)

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
        own = None if self.facts.check is None else self.facts.check(self.all_params)
        return own or self._of_wrapped('marked', None)

    # ---- how a measure runs -------------------------------------------------------------------------------

    @cached_property
    def wrapped(self) -> Any:
        """The measure that this one wraps, or None."""
        return parse(self[self.wraps], complete=False) if self.wraps else None

    def _of_wrapped(self, name: str, default: T) -> T:
        """An attribute of the wrapped measure, if that is one of this package, else the default."""
        value: T = getattr(ours(self.wrapped), name, default) if self.wraps else default
        return value

    @property
    def diversity(self) -> bool:
        """Whether the measure reads subtopics. Its values are then of no use on one subtopic per query."""
        declared = self.facts.diversity
        return declared(self.all_params) if callable(declared) else declared

    @property
    def citation(self) -> tuple[Citation, ...]:
        """The papers and programs that define the measure, followed by those of the wrapped measure.

        Examples:
            >>> [each.key for each in parse('LA(M=alpha_nDCG@20)').citation]
            ['Wang2016', 'Dou2019', 'Clarke2008', 'TRECWebTrack2013']
        """
        return tuple(
            dict.fromkeys(citations_of(self.facts.cite) + self._of_wrapped('citation', ()))
        )

    @property
    def judged_only(self) -> bool:
        """Whether ranks are counted over judged documents only, here or in the wrapped measure."""
        return self['judged_only'] or self._of_wrapped('judged_only', False)

    @property
    def cutoff(self) -> int | None:
        """The cutoff of this or the wrapped measure; None for the whole run."""
        own = self.params.get('cutoff')
        return self.wrapped.params.get('cutoff') if own is None and self.wraps else own

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The columns of the judgments that the measure or the wrapped measure requires."""
        needs = self.facts.needs
        own = needs(self.all_params) if callable(needs) else needs
        return tuple(dict.fromkeys(own + self._of_wrapped('needed_columns', ())))

    @property
    def any_scale(self) -> bool:
        """Whether values stay the same when all weights of a query are multiplied by one number."""
        return self.facts.any_scale and self._of_wrapped('any_scale', True)

    def parts(self, ranking: Ranking) -> Parts:
        """The terms of the measure's sum, or its values, on rankings.

        Args:
            ranking: rankings for this ``rel`` and ``judged_only``. They are cut at the measure's cutoff if it has one.

        Raises:
            ValueError: the judgments do not admit a setting, or the provider of the wrapped measure cannot compute it.
                The message names the measure.
        """
        ranking = ranking if self.cutoff is None else ranking.cut(self.cutoff)
        if self.facts.aspects is not None and self['aspects'] == 'listed':
            ranking = ranking.listed
        try:
            with np.errstate(**(SILENT if self.is_of_package else {})):
                own = {name: self[name] for name in self.own_params}
                result = self.compute(ranking, **own)
        except Exception as error:
            self._raise_named(error)
        return result if isinstance(result, tuple) else (result,)

    def on(self, ranking: Ranking) -> Array:
        """The values of the measure on rankings; (Q,).

        Args:
            ranking: rankings for this ``rel`` and ``judged_only``. They are cut at the measure's cutoff if it has one.

        Raises:
            ValueError: as :meth:`parts`; the function did not return a value for each query; or a value is not finite.
        """
        parts = self.parts(ranking)
        try:
            with np.errstate(**(SILENT if self.is_of_package else {})):
                values, *others = (
                    each.value() if isinstance(each, Terms) else each for each in parts
                )
                for other in others:
                    values = values + other
                values = np.asarray(values, dtype=float)
        except Exception as error:
            self._raise_named(error)
        if np.shape(values) != ranking.n.shape:
            raise ValueError(
                f'{self}: its function returned an array of shape {np.shape(values)}, expected a value for each of '
                f'{ranking.n.size} queries, {ranking.n.shape}'
            )
        if not np.isfinite(values).all():
            why = ': a parameter, grade or weight is too large' if self.is_of_package else ''
            raise ValueError(
                f'{self}: the values of {np.count_nonzero(~np.isfinite(values))} of {values.size} queries '
                f'are not finite{why}'
            )
        return values

    def _raise_named(self, error: Exception) -> NoReturn:
        """Raise an error of the measure's function. Messages about settings or a wrapped measure name the measure."""
        if type(error) is not ValueError and not self.wraps:
            raise error
        message = (
            str(error) if isinstance(error, ValueError) else f'{type(error).__name__}: {error}'
        )
        if isinstance(error, ValueError) and self.NAME in message:
            raise error
        raise ValueError(f'{self}: {message}') from error

    def __repr__(self) -> str:
        return self._repr

    def __reduce__(self) -> tuple[Any, ...]:
        module = type(self).__module__
        if module != '__main__':
            return _make, (self.NAME, self.params, module)
        # The process that unpickles it cannot import a notebook or script, and pickle would find this measure under the
        # name of the function.
        import joblib

        whole = joblib.wrap_non_picklable_objects((self.facts, self.compute), keep_wrapper=False)
        return _remake, (whole, self.params)


OF_ALL = ('aspects', 'cutoff', 'rel', 'judged_only')
"""Parameters that measures have besides those of their functions."""


def _supported(cls: Any) -> dict[str, Parameter]:
    """The parameters of a measure: those of its function, then those of all measures.

    A function that is made from another one has an attribute ``parameters``, a function that returns its parameters. A
    parameter ``cutoff`` of type None says that the measure takes no cutoff.
    """
    facts, function = cls.facts, cls.compute
    own = function.parameters() if hasattr(function, 'parameters') else parameters_of(function)
    for name in OF_ALL[1:]:
        if name in own:
            raise TypeError(
                f'{cls.NAME}: every measure has {name}; read r.k, r.rel or r.judged_only'
            )
    of_all = {
        'aspects': parameter('aspects', Aspects, facts.aspects),
        'cutoff': parameter('cutoff', Cutoff, None),
        'rel': rel_parameter(facts.rel_means),
        'judged_only': parameter('judged_only', JudgedOnly, False),
    }
    if facts.aspects is None:
        del of_all['aspects']
    if 'cutoff' in inspect.signature(function).parameters:
        del of_all['cutoff']
    return {**own, **of_all}


def _own(cls: Any) -> tuple[str, ...]:
    of_all = OF_ALL if cls.facts.aspects else OF_ALL[1:]
    return tuple(name for name in cls.SUPPORTED_PARAMS if name not in of_all)


def _wraps(cls: Any) -> str | None:
    parameters = cls.SUPPORTED_PARAMS.values()
    return next((each.name for each in parameters if each.standardise is canonical), None)


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


def _remake(whole: tuple[Facts, Callable[..., Any]], params: dict[str, Any]) -> DivMeasure:
    """A measure from its facts, function and parameters, which is registered unless it or a copy of it is already."""
    facts, function = whole
    known = registry.get(function.__name__)
    if known is not None and (
        known.compute is function
        or not function.__closure__
        and known.compute.__code__ == function.__code__
    ):
        return known(**params)
    return _define(function, facts)(**params)


@overload
def measure(function: Callable[..., Any], /) -> DivMeasure: ...


@overload
def measure(
    function: None = None, /, **facts: Any
) -> Callable[[Callable[..., Any]], DivMeasure]: ...


def measure(function: Callable[..., Any] | None = None, /, **facts: Any) -> Any:
    """Turn a function ``f(ranking, *, parameters)`` into a measure and register its name.

    The function returns the terms of a sum (:class:`ir_divmeasures.core.terms.Terms`) or values (Q,). Terms give both
    the score and its explanation. Values are explained rank by rank. A function of a parameter ``cutoff: None = None``
    makes a measure without a cutoff.

    :func:`ir_divmeasures.measures`, ir_measures and PyTerrier then know the measure. They check its parameters, and it
    takes ``@k``, ``rel`` and ``judged_only``. A second definition, as in a notebook cell, replaces the first.

    Args:
        function: takes a :class:`ir_divmeasures.core.ranking.Ranking`, a block of Q rankings, and keyword-only
            parameters with a type (``float``, ``int``, ``str``, ``bool``, or ``Annotated[type, admitted values,
            meaning]`` as in :mod:`ir_divmeasures.core.parameters`) and a default. Its docstring documents the measure.
        facts: what else is known about the measure: the attributes of :class:`ir_divmeasures.core.registry.Facts`,
            such as ``family``, ``bounds``, ``needs`` and ``cite``.

    Returns:
        The measure, or a decorator that returns it if ``function`` is omitted.

    Raises:
        ValueError: this package or ir_measures has a measure of this name, or ``cite`` contains an unknown key.
        TypeError: a parameter has no type or no default, or a fact is unknown.

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
    for name in facts:
        if name not in Facts._fields:
            near = did_you_mean(name, Facts._fields)
            raise TypeError(f'@measure: unknown argument {name!r}{near}')
    declared = Facts(**facts)
    return _define(function, declared) if function else lambda each: _define(each, declared)


def _define(function: Callable[..., Any], facts: Facts) -> DivMeasure:
    """Make the measure of a function and register it."""
    name = function.__name__
    module = function.__module__ or '__main__'  # code run by exec has no module
    of_package = _is_ours(module)
    if not of_package:
        _check_name(name)
    attributes = {
        '__doc__': function.__doc__ or '',
        '__module__': module,
        '__name__': name,
        'NAME': name,
        'PRETTY_NAME': facts.pretty or name.replace('_', ' '),
        'compute': staticmethod(function),
        'facts': facts,
        'is_of_package': of_package,
    }
    measure_class = type(name, (DivMeasure,), attributes)
    instance: DivMeasure = measure_class()
    if not of_package:  # the package's own declarations are read when they are needed
        with naming(name):
            citations_of(facts.cite)
        _ = instance.own_params
    if name in registry:
        _forget(registry[name])
    further = [alias for alias, target in ALIASES.items() if target == name and of_package]
    for each in (name, *further):
        registry[each] = instance
        host.register_name(each, instance)
    return instance


def unregister_measure(name: str) -> None:
    """Remove a measure that you registered with :func:`measure`.

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


def _is_ours(module: str) -> bool:
    return module.split('.')[0] == __name__.split('.')[0]


def _check_name(name: str) -> None:
    """Check that the name of a user's measure is free, or belongs to an earlier definition of it."""
    other = registry.get(name) or ir_measures.measures.registry.get(name)
    of_ours = host.is_ours(other)
    if other is not None and (not of_ours or _is_ours(type(other).__module__)):
        owner = 'ir_divmeasures' if of_ours else 'ir_measures'
        raise ValueError(f'{name} is a measure of {owner}; give yours another name')


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
    if host.is_ours(measure):
        instance = registry.get(measure.NAME)
        return (
            instance(**measure.params)
            if instance is not None
            else _remake((measure.facts, type(measure).compute), measure.params)
        )
    return None


def catalogue() -> list[DivMeasure]:
    """The registered measures in the order of their definition, without aliases."""
    return [each for name, each in registry.items() if name == each.NAME]


__all__ = [
    'DivMeasure',
    'measure',
    'measures',
    'parse',
    'catalogue',
    'registry',
    'ir_measures',
]
