"""What measures find by name: distributions, continuation functions, aggregations, efforts. Functions that add more."""

from __future__ import annotations

import ast
import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

import numpy as np

from ...errors import did_you_mean, short
from ..kernels import Array
from ..names import registry
from ..parameters import Parameter, Range, parameter
from . import continuation
from .continuation import Aggregation, Continuation, RankFunction
from .distributions import BUILT_IN, Stopping

TAILS = ('slim', 'medium', 'fat')

Entry = TypeVar('Entry')


class NameRegistry(dict[str, Entry]):
    """Objects of one kind by name, the package's own first.

    Attributes:
        kind: what messages call an object, for example ``'stopping distribution'``.
        parameter: the parameter of measures that takes a name, for example ``'P'``.
        built_in: the names of the package's own objects. Users can neither replace nor remove them.
    """

    def __init__(self, kind: str, parameter: str, built_in: Mapping[str, Entry]):
        super().__init__(built_in)
        self.kind, self.parameter, self.built_in = kind, parameter, frozenset(built_in)

    def names(self) -> tuple[str, ...]:
        """All names, those added at run time included."""
        return tuple(self)

    def __getitem__(self, name: Any) -> Entry:
        """The object of a name.

        Raises:
            ValueError: no object has this name. The message suggests a similar name or lists all of them.
        """
        if isinstance(name, str) and name in self:
            return super().__getitem__(name)
        near = did_you_mean(name, self) if isinstance(name, str) else ''
        raise ValueError(f'{self.parameter}={short(name)}: no such {self.kind}{near}')

    def check_new_name(self, name: Any, overwrite: bool) -> None:
        """Check that an object can be added under this name.

        Raises:
            ValueError: the name is no Python identifier, is one of the package's own, or exists and ``overwrite`` is
                False.
        """
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f'{self.kind} {name!r}: expected a name that is a Python identifier')
        if name in self.built_in:
            raise ValueError(
                f"{self.kind} {name!r} is one of the package's own; choose another name"
            )
        if name in self and not overwrite:
            raise ValueError(f'{self.kind} {name!r} exists; overwrite=True replaces it')

    def remove(self, name: str) -> None:
        """Remove an object that was added at run time.

        Raises:
            ValueError: no object has this name, or the package defines it.
        """
        self[name]  # raises if there is no such object
        if name in self.built_in:
            raise ValueError(f"{self.kind} {name!r} is one of the package's own")
        del self[name]


_distributions = NameRegistry('stopping distribution', 'P', {each.name: each for each in BUILT_IN})
CONTINUATIONS = NameRegistry(
    'continuation function',
    'C',
    {each.name: each for each in continuation.BUILT_IN},
)
AGGREGATIONS = NameRegistry(
    'aggregation', 'out', {each.name: each for each in continuation.AGGREGATIONS}
)
EFFORTS: NameRegistry[Callable[..., Any]] = NameRegistry(
    'effort', 'effort', {'1/k': lambda k: 1 / k, 'k': lambda k: k}
)


def names() -> tuple[str, ...]:
    """The known distributions, those added at run time included."""
    return _distributions.names()


def complete() -> tuple[str, ...]:
    """Names of the distributions whose parameters other than θ all have values."""
    return tuple(
        name
        for name, distribution in _distributions.items()
        if None not in distribution.defaults.values()
    )


def base(name: str) -> Stopping:
    """The distribution of a name as it was registered. Values of parameters in the name are ignored."""
    return _distributions[split(name)[0]]


def get(name: str) -> Stopping:
    """The distribution of a name such as ``'RBP'``, or ``'Weibull(shape=0.7)'`` with values of parameters other than θ.

    Raises:
        ValueError: no distribution has this name, it does not have a parameter, or a parameter has no value.
    """
    distribution, values = base(name), split(name)[1]
    return _bound(distribution, values) if values or distribution.defaults else distribution


@functools.lru_cache(maxsize=10_000)
def _bound(distribution: Stopping, values: tuple[tuple[str, float], ...]) -> Stopping:
    """The distribution with these (parameter, value) pairs and the defaults of its other parameters, checked."""
    check_parameters(f'P={distribution.name!r}', distribution.defaults, dict(values))
    settings = {**distribution.defaults, **dict(values)}
    missing = [name for name, value in settings.items() if value is None]
    if missing:
        example = bound_name(distribution.name, dict.fromkeys(missing, 1.5))
        raise ValueError(f'P={distribution.name!r} needs {", ".join(missing)}, as in P={example!r}')
    bound = distribution.bound(bound_name(distribution.name, dict(values)), settings)
    check(bound)
    return bound


def check_parameters(model: str, known: Iterable[str], names: Iterable[str]) -> None:
    """Check that a distribution or a function has these parameters; ``model`` is its name, as in ``P='Weibull'``.

    Raises:
        ValueError: it does not have one of them.
    """
    for name in names:
        if name not in known:
            theta = name == 'theta' and model.startswith('P=')
            raise ValueError(
                f'{model}: unknown parameter {name!r}'
                + (' (theta is a parameter of the measure)' if theta else did_you_mean(name, known))
            )


def bound_name(name: str, values: dict[str, float]) -> str:
    """The name of a distribution with values of its parameters, for example ``'Weibull(shape=0.7)'``."""
    return name + (
        f'({",".join(f"{key}={value!r}" for key, value in values.items())})' if values else ''
    )


@functools.lru_cache(maxsize=10_000)
def split(text: str) -> tuple[str, tuple[tuple[str, float], ...]]:
    """Split ``'Weibull(shape=0.7)'`` into ``('Weibull', (('shape', 0.7),))``.

    A text of any other form is returned as the name, with no values.

    Raises:
        ValueError: the brackets contain something other than numbers by name.
    """
    try:
        node = ast.parse(text.strip(), mode='eval').body
    except (SyntaxError, AttributeError, RecursionError, MemoryError):  # a thousand minus signs
        return text, ()
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return text, ()
    try:
        values = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
        if node.args or None in [keyword.arg for keyword in node.keywords]:
            raise ValueError('parameters must be named')
        return node.func.id, tuple(sorted((name, float(value)) for name, value in values.items()))
    except (TypeError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(
            f'P={short(text)}: expected numbers by name, as in \'Zipf(s=1.5)\': {error}'
        ) from None


def is_bound(text: Any) -> bool:
    """Whether this is the name of a known distribution, with or without values of its parameters.

    Raises:
        ValueError: the distribution is known, but the values do not fit it.
    """
    return isinstance(text, str) and split(text)[0] in _distributions and bool(get(text))


def standard_name(text: str) -> str:
    """The standard form of a distribution's name, in which parameters are sorted.

    Raises:
        ValueError: the text names no distribution, or a parameter has no value.
    """
    return get(text).name


class RunTime:
    """The distributions that were added at run time. Unpickling the object in another process adds them there.

    Pickle it in front of the objects that need the distributions: ``pickle.dumps((RunTime(), measures))``.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        entries = _distributions.items()
        added = {name: each for name, each in entries if name not in _distributions.built_in}
        return _add_distributions, (added,)


def _add_distributions(added: dict[str, Stopping]) -> RunTime:
    """Add the distributions of another process by name. A name that exists in this process keeps its distribution."""
    for name, distribution in added.items():
        _distributions.setdefault(name, distribution)
    return RunTime()


def register_stopping(
    name: str,
    P: Callable[..., Any],
    F: Callable[..., Any] | None = None,
    *,
    dynamic: bool = False,
    tail: str | None = None,
    overwrite: bool = False,
) -> Stopping:
    """Add a stopping distribution under a name that ``UM``, ``UM_IA`` and :mod:`~ir_divmeasures.user_models` know.

    The distribution is known in this process and in the workers of ``evaluate(jobs=2)``. Another process knows it if
    that process imports a module that registers it.

    Args:
        name: a Python identifier.
        P: the probability of stopping. A static distribution is ``P(k)`` or ``P(k, theta)`` of an array of ranks
            k ≥ 1. A dynamic distribution is ``P(count, total)`` or ``P(count, total, theta)``: the probability of
            stopping at a relevant document, where ``count`` is the number of relevant documents at this rank and
            above, and ``total`` the number of relevant documents of the query. Its users stop at no other document.
            P may have further parameters with any names. You must set those without a default in the name of the
            distribution, ``P='Zipf(s=2)'``, and you can set the others there.
        F: Σ_{i≥k} P(i) of a static distribution in closed form, with the same parameters. By default
            1 − Σ_{i<k} P(i) is computed.
        dynamic: whether P depends on relevance.
        tail: ``'slim'``, ``'medium'`` or ``'fat'``. Robustness studies group distributions by their tails.
        overwrite: replace a distribution of that name, if it was added at run time.

    Raises:
        TypeError: P or F cannot be called with the arguments above.
        ValueError: the name exists or is no identifier, P has a negative or undefined value, the values of P add up
            to more than 1, or F does not fit P. The check uses ranks 1 to 1000, up to 100 relevant documents and
            θ = 0.1, 0.5, 0.9.

    Examples:
        Zipf's law, Σ 1/k² = π²/6:

        >>> zipf = register_stopping('Zipf', lambda k: 6 / (np.pi * k) ** 2, tail='medium')
        >>> from ir_divmeasures import measures
        >>> measures("UM(model=1,P='Zipf')@10")
        [UM(model=1,P='Zipf')@10]
        >>> unregister_stopping('Zipf')

        The discrete Weibull distribution F(k) = q^((k−1)^shape) has a parameter ``shape``:

        >>> F = lambda k, shape, q=0.5: q ** ((k - 1) ** shape)
        >>> weibull = register_stopping('Weibull', lambda k, shape, q=0.5: F(k, shape, q) - F(k + 1, shape, q), F)
        >>> measures("UM(model=2,P='Weibull(shape=2,q=0.9)')@10")
        [UM(P='Weibull(q=0.9,shape=2.0)')@10]
        >>> unregister_stopping('Weibull')
    """
    _distributions.check_new_name(name, overwrite)
    if tail is not None and tail not in TAILS:
        raise ValueError(f'tail={tail!r}: expected {" or ".join(map(repr, TAILS))} or None')
    if dynamic and F is not None:
        raise ValueError(
            f'stopping distribution {name!r}: F of a dynamic distribution follows from the ranking'
        )
    distribution = Stopping(name, P, F, dynamic, tail)
    if not distribution.defaults:
        check(distribution)
    elif None not in distribution.defaults.values():
        check(distribution.bound(name, distribution.defaults))
    _distributions[name] = distribution
    return distribution


def unregister_stopping(name: str) -> None:
    """Remove a distribution that was added at run time.

    Args:
        name: the name that it was registered under.

    Examples:
        >>> _ = register_stopping('first', lambda k: (k == 1) * 1.0)
        >>> unregister_stopping('first')
        >>> 'first' in names()
        False
    """
    _distributions.remove(base(name).name)


def check(distribution: Stopping) -> None:
    """Check that P are probabilities and that F fits them, at ranks 1 to 1000 or for up to 100 relevant documents.

    Raises:
        TypeError, ValueError: as :func:`register_stopping`.
    """
    name = distribution.name
    wanted = 'P(count, total) or P(count, total, theta)'
    if not distribution.dynamic:
        wanted = 'P(k) or P(k, theta) (and F likewise)'
    try:
        with np.errstate(all='ignore'):
            for theta in (0.1, 0.5, 0.9):
                if not distribution.dynamic:
                    _check_static(distribution, *distribution.by_rank(1000, theta))
                    continue
                for total in (1, 2, 3, 10, 100):
                    relevant = np.ones((total, 1)), np.array([float(total)])
                    P = distribution.at_relevant(*relevant, theta)[:, 0]
                    _check_probabilities(name, P, f'relevant document {{}} of {total}')
    except TypeError as error:
        raise TypeError(f'stopping distribution {name!r}: expected {wanted}: {error}') from None


def _check_static(distribution: Stopping, P: Array, F: Array) -> None:
    """Check P and F of a static distribution, from rank 0 on; raise as :func:`check`."""
    _check_probabilities(distribution.name, P[1:], 'rank {}')
    differs = ~(np.abs(F[1:-1] - F[2:] - P[1:-1]) <= 1e-9)
    if distribution.F is not None and differs.any():
        k = int(np.argmax(differs)) + 1
        raise ValueError(
            f'stopping distribution {distribution.name!r}: F({k}) − F({k + 1}) = {F[k] - F[k + 1]:g}, but '
            f'P({k}) = {P[k]:g}'
        )


def _check_probabilities(name: str, P: Array, place: str) -> None:
    """Check that P (n,) are probabilities that add up to at most 1. Messages put a position from 1 into ``place``."""
    bad = np.flatnonzero(~((P >= 0) & (np.cumsum(P) <= 1 + 1e-9)))
    if len(bad):
        raise ValueError(
            f'stopping distribution {name!r}: probability {P[bad[0]]:g} at {place.format(bad[0] + 1)}, expected '
            f'probabilities that add up to at most 1'
        )


# ---------------------------------------------------------------------------- continuation functions, aggregations


_Goal = Annotated[float, Range(), 'the total gain that the user wants']
PARAMETERS: dict[str, Any] = {
    'p': Annotated[float, Range(0, 1), 'the probability that the user goes on'],
    'k': Annotated[int, Range(1), 'the rank at which the user stops. By default it is the cutoff'],
    'K': Annotated[
        float,
        Range(0, open='('),
        'the total cost at which the user stops. By default it is the cutoff',
    ],
    'T': _Goal,
    'rate': Annotated[float, Range(0), 'how much the gain is discounted by rank'],
    'beta': Annotated[
        float, Range(0, open='('), 'the exponent of diminishing returns: at rank i they are i^beta'
    ],
    'hb': Annotated[float, Range(), 'how fast the goal of the user follows the gain'],
    'gain_med': Annotated[float, Range(), 'the gain above which the goal of the user rises'],
    'b1': Annotated[
        float,
        Range(0),
        'the base of the probability that the user goes on until the goal is reached',
    ],
    'R1': Annotated[float, Range(0), 'how rationally the user decides about the goal'],
    'A': Annotated[float, Range(), 'the gain per cost that the user expects'],
    'b2': Annotated[
        float,
        Range(0),
        'the base of the probability that the user stops because the gain per cost is low',
    ],
    'R2': Annotated[float, Range(0), 'how rationally the user decides about the gain per cost'],
    'halflife': Annotated[
        float, Range(0, open='('), 'the cost after which half of the users have left'
    ],
    'L': Annotated[float, Range(0, open='('), 'the cost after which all users have left'],
    'theta': Annotated[
        float, Range(0, 1, '('), 'the probability that a document of gain 1 satisfies the user'
    ],
    'peak': Annotated[
        float, Range(0, 1), 'the share of the best document. The last document has the rest'
    ],
}
"""The parameters of the package's continuation functions and aggregations.

``_SPECIAL`` has those whose range differs by function."""
_SPECIAL = {
    ('INST', 'T'): Annotated[float, Range(0.25), 'the total gain that the user wants'],
    ('INSQ', 'T'): Annotated[float, Range(0), 'the total gain that the user wants'],
    ('NERR11', 'T'): Annotated[float, Range(0), 'the total gain that the user wants'],
}


def continuations() -> tuple[str, ...]:
    """The known continuation functions, those added at run time included.

    Examples:
        >>> continuations()[:4]
        ('P', 'RR', 'AP', 'RBP')
    """
    return CONTINUATIONS.names()


def outputs() -> tuple[str, ...]:
    """The known aggregations, values of ``CWL(out=…)``, those added at run time included.

    Examples:
        >>> outputs()
        ('EU', 'ETU', 'EC', 'ETC', 'ED', 'MEAN', 'MAX', 'LAST', 'RR', 'PE', 'SAT')
    """
    return AGGREGATIONS.names()


@functools.cache
def declared(part: RankFunction | Stopping) -> dict[str, Parameter]:
    """The parameters of a function of C/W/L/A, or those of a distribution other than θ, as parameters of measures.

    Types and ranges come from :data:`PARAMETERS` for the package's own functions. For those of users they come from
    the annotations, or from the type of the default.
    """
    is_P = isinstance(part, Stopping)
    function = part.P if isinstance(part, Stopping) else part.f
    hints = (
        typing.get_type_hints(function, include_extras=True) if inspect.isfunction(function) else {}
    )
    parameters = {}
    for name, default in part.defaults.items():
        number = default is None or type(default) is int
        at_cutoff = not is_P and name in ('k', 'K')  # the default is the cutoff, if there is one
        annotation = hints.get(name, float if number else type(default))
        if isinstance(part, RankFunction) and part.checked:
            annotation = _SPECIAL.get((part.name, name), PARAMETERS[name])
        parameters[name] = parameter(name, annotation, None if at_cutoff else default)
        parameters[name].optional = at_cutoff
    return parameters


def register_continuation(
    name: str, f: Callable[..., Any], *, overwrite: bool = False
) -> Continuation:
    """Add a continuation function under a name that ``CWL`` and :mod:`~ir_divmeasures.user_models` know.

    The function is known in this process. Worker processes (joblib's) know it if they import a module that registers
    it.

    Args:
        name: a Python identifier.
        f: ``f(gains, costs, **parameters)`` of the gains and costs at all n ranks, which returns C(1..n) in [0, 1]. It
            is called with one ranking at a time, arrays (n,). The parameters of f become parameters of ``CWL``.
            They are numbers, strings or truth values, with or without a default, and ``Annotated`` types as in
            :mod:`ir_divmeasures.core.parameters` are checked. A parameter named k or K defaults to the cutoff.
        overwrite: replace a function of that name, if it was added at run time.

    Raises:
        TypeError: f cannot be called with gains and costs, or one of its parameters has the name of a parameter of
            ``CWL``.
        ValueError: the name exists or is no identifier, or a value of C is no probability. C is checked at once where
            all parameters have defaults, and whenever it is used.

    Examples:
        Users who stop at every second document:

        >>> half = register_continuation('Half', lambda gains, costs, share=0.5: np.full(gains.shape, share))
        >>> from ir_divmeasures import measures
        >>> measures("CWL(C='Half',share=0.25)@10")
        [CWL(C='Half',share=0.25)@10]
        >>> unregister_continuation('Half')
    """
    return _register(CONTINUATIONS, Continuation, name, f, overwrite)


def register_aggregation(
    name: str, f: Callable[..., Any], *, overwrite: bool = False
) -> Aggregation:
    """Add an aggregation under a name that ``CWL`` takes as ``out``.

    The measure is Σ L(i) A(i), the expected value of A at the rank where the user stops. The aggregation is known in
    this process. Worker processes (joblib's) know it if they import a module that registers it.

    Args:
        name: a Python identifier.
        f: ``f(gains, costs, **parameters)`` of arrays by rank, which returns A at each rank, finite numbers. It is
            called with one ranking at a time, arrays (n,). Its further parameters become parameters of the measure.
        overwrite: replace an aggregation of that name, if it was added at run time.

    Raises:
        TypeError: f cannot be called with gains and costs, or one of its parameters has the name of a parameter of
            ``CWL``.
        ValueError: the name exists or is no identifier, or a value of A is not finite. A is checked at once where all
            parameters have defaults, and whenever it is used.

    Examples:
        What a user takes away is the gain of the document at the top, however far the user reads:

        >>> first = register_aggregation('First', lambda gains, costs: gains[..., :1] + 0 * gains)
        >>> from ir_divmeasures import CWL
        >>> CWL(p=0.5, out='First', depth=3).calc_aggregate({'q': {'d': 1}}, {'q': {'d': 1.0}})  # 1/2 + 1/4 + 1/8
        0.875
        >>> unregister_aggregation('First')
    """
    return _register(AGGREGATIONS, Aggregation, name, f, overwrite)


def _register(
    known: NameRegistry[Any], kind: type[Any], name: str, f: Callable[..., Any], overwrite: bool
) -> Any:
    """Check a function of gains and costs of a user and add it to its registry."""
    known.check_new_name(name, overwrite)
    words = known.kind
    signature = list(inspect.signature(f).parameters.values())
    if len(signature) < 2 or any(
        argument.kind in (argument.VAR_KEYWORD, argument.VAR_POSITIONAL) for argument in signature
    ):
        raise TypeError(
            f'{words} {name!r}: expected f(gains, costs) with further parameters by name, '
            f'found {inspect.signature(f)}'
        )
    function = kind(name, f)
    for duplicate in type(registry['CWL']).SUPPORTED_PARAMS.keys() & function.defaults:
        raise TypeError(f'{words} {name!r}: CWL has a parameter {duplicate!r} of its own')
    declared(function)
    trial = {
        name: 3 if default is None and name in 'kK' else default
        for name, default in function.defaults.items()
    }
    if None not in trial.values():
        function(np.array([0, 1, 0.5, 0, 0, 1.0]), np.array([1.0, 2, 1, 3, 1, 1]), **trial)
    known[name] = function
    return function


def unregister_aggregation(name: str) -> None:
    """Remove an aggregation that was added at run time.

    Args:
        name: the name that it was registered under.

    Examples:
        >>> _ = register_aggregation('nothing', lambda gains, costs: 0 * gains)
        >>> unregister_aggregation('nothing')
        >>> 'nothing' in outputs()
        False
    """
    AGGREGATIONS.remove(name)


def unregister_continuation(name: str) -> None:
    """Remove a continuation function that was added at run time.

    Args:
        name: the name that it was registered under.

    Examples:
        >>> _ = register_continuation('once', lambda gains, costs: 0 * gains)
        >>> unregister_continuation('once')
        >>> 'once' in continuations()
        False
    """
    CONTINUATIONS.remove(name)


# -------------------------------------------------------------------------------- efforts f(k) of M3 and M4, 1/k by default


def effort_values(name: str, k: Array) -> Array:
    """The effort f(k) of a name at an array of ranks k ≥ 1 of any shape. The result has the shape of k."""
    return np.broadcast_to(np.asarray(EFFORTS[name](k), dtype=float), k.shape)


def register_effort(name: str, f: Callable[..., Any], *, overwrite: bool = False) -> None:
    """Add an effort function under a name that ``UM`` and ``UM_IA`` take as ``effort``, for M3 and M4.

    A measure with a static P and such an effort needs a cutoff, because its sum over all ranks is not known.

    Args:
        name: a Python identifier.
        f: ``f(k)`` of an array of ranks k ≥ 1. Its values must be positive and must not increase with the rank.
        overwrite: replace an effort of that name, if it was added at run time.

    Raises:
        TypeError: f cannot be called with an array of ranks.
        ValueError: the name is taken or no identifier; f is not positive, or increases (checked at ranks 1 to 1000).

    Examples:
        >>> register_effort('root', lambda k: k ** -0.5)
        >>> from ir_divmeasures import measures
        >>> measures("UM(model=4,P='AP',effort='root')")
        [UM(model=4,P='AP',effort='root')]
        >>> unregister_effort('root')
    """
    EFFORTS.check_new_name(name, overwrite)
    k = np.arange(1.0, 1001)
    try:
        value = np.broadcast_to(np.asarray(f(k), dtype=float), k.shape)
    except (TypeError, ValueError) as error:
        raise TypeError(f'effort {name!r}: expected f(k) of an array of ranks: {error}') from None
    before = np.append(np.finfo(float).max, value[:-1])
    bad = np.flatnonzero(~((value > 0) & (value <= before)))
    if len(bad):
        raise ValueError(
            f'effort {name!r}: f({bad[0] + 1}) = {value[bad[0]]:g}, expected positive numbers that do not increase'
        )
    EFFORTS[name] = f


def unregister_effort(name: str) -> None:
    """Remove an effort that was added at run time.

    Args:
        name: the name that it was registered under.

    Raises:
        ValueError: no such effort, or one that the package defines.

    Examples:
        >>> register_effort('flat', lambda k: 1.0)
        >>> unregister_effort('flat')
        >>> EFFORTS.names()
        ('1/k', 'k')
    """
    EFFORTS.remove(name)
