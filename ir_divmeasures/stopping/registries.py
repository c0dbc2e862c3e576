"""The stopping distributions and continuation functions that are known by name: the package's own, and those added at
run time, checked."""
from __future__ import annotations

import ast
import functools
import inspect
import typing
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import numpy as np

from ..core.parameters import Parameter, Range, parameter
from ..errors import did_you_mean, short
from . import continuation
from .continuation import Continuation
from .distributions import BUILT_IN, Array, Stopping

TAILS = ('slim', 'medium', 'fat')

_built_in = {made.name: made for made in BUILT_IN}
_registry = dict(_built_in)


def names() -> tuple[str, ...]:
    """The known distributions, those added at run time included."""
    return tuple(_registry)


def complete() -> tuple[str, ...]:
    """Names of the distributions whose parameters other than θ all have values."""
    return tuple(name for name, made in _registry.items() if None not in made.parameters.values())


def base(name: str) -> Stopping:
    """The distribution of a name as it was registered, without the values in brackets.

    Raises:
        ValueError: no such distribution; lists the known ones.
    """
    found, _ = split(name)
    if found not in _registry:
        raise ValueError(f'P={short(name)}: no such stopping distribution; known: {", ".join(_registry)}')
    return _registry[found]


def get(name: str) -> Stopping:
    """The distribution of a name: ``'RBP'``, or with values of parameters other than θ, ``'Weibull(shape=0.7)'``.

    Raises:
        ValueError: no such distribution (lists the known ones), or parameters that it does not have or lacks.
    """
    made, values = base(name), split(name)[1]
    return _bound(made, values) if values or made.parameters else made


@functools.lru_cache(maxsize=10_000)
def _bound(made: Stopping, values: tuple[tuple[str, float], ...]) -> Stopping:
    check_parameters(made, dict(values))
    given = {**made.parameters, **dict(values)}
    missing = [name for name, value in given.items() if value is None]
    if missing:
        example = bound_name(made.name, dict.fromkeys(missing, 1.5))
        raise ValueError(f'P={made.name!r} needs {", ".join(missing)}, as in P={example!r}')
    bound = made.bound(bound_name(made.name, dict(values)), given)
    check(bound)
    return bound


def check_parameters(made: Stopping, names: Iterable[str]) -> None:
    """Whether a distribution has these parameters other than θ.

    Raises:
        ValueError: one that it does not have.
    """
    for name in names:
        if name not in made.parameters:
            raise ValueError(f'P={made.name!r}: unknown parameter {name!r}'
                             + (' (theta is a parameter of the measure)' if name == 'theta' else
                                did_you_mean(name, made.parameters)))


def bound_name(name: str, values: dict[str, float]) -> str:
    """How a distribution with values of its parameters is written: ``'Weibull(shape=0.7)'``."""
    return name + (f'({",".join(f"{key}={value!r}" for key, value in values.items())})' if values else '')


def split(text: str) -> tuple[str, tuple[tuple[str, float], ...]]:
    """``'Weibull(shape=0.7)'`` → ``('Weibull', (('shape', 0.7),))``."""
    try:
        node = ast.parse(text.strip(), mode='eval').body
    except (SyntaxError, AttributeError, RecursionError, MemoryError):  # minus signs by the thousand
        return text, ()
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return text, ()
    try:
        values = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
        if node.args or None in [each.arg for each in node.keywords]:
            raise ValueError('parameters must be named')
        return node.func.id, tuple(sorted((name, float(value)) for name, value in values.items()))
    except (TypeError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f'P={short(text)}: expected numbers by name, as in \'Zipf(s=1.5)\': {error}') from None


def is_bound(text: Any) -> bool:
    """Whether this is a known distribution with values of its parameters; raises if the values are wrong."""
    return isinstance(text, str) and split(text)[0] in _registry and bool(get(text))


def standard_name(text: str) -> str:
    """A distribution's name in its one written form; raises if a parameter is missing."""
    return get(text).name


class RunTime:
    """The distributions that were added at run time; unpickled in another process, they are added there.

    What is pickled after it finds them: ``pickle.dumps((RunTime(), measures))``.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _adopt, ({name: made for name, made in _registry.items() if name not in _built_in},)


def _adopt(added: dict[str, Stopping]) -> RunTime:
    for name, made in added.items():
        _registry.setdefault(name, made)
    return RunTime()


def register_stopping(name: str, P: Callable[..., Any], F: Callable[..., Any] | None = None, *, dynamic: bool = False,
                      tail: str | None = None, overwrite: bool = False) -> Stopping:
    """Add a stopping distribution under a name that ``UM``, ``UM_IA`` and :mod:`~ir_divmeasures.user_models` know.

    It is known to this process, and to the workers of ``evaluate(jobs=2)``; another process knows it if a module that
    it imports registers it.

    Args:
        name: a Python identifier.
        P: static: ``P(k)`` or ``P(k, theta)``, the probability of stopping at each of an array of ranks k ≥ 1.
            Dynamic: ``P(count, total)`` or ``P(count, total, theta)``, the probability of stopping at a relevant
            document, given how many were found up to and with it and how many there are; 0 elsewhere. Further
            parameters may have any name and number; those without a default must be given in the name of the
            distribution, ``P='Zipf(s=2)'``, others can be.
        F: static only: Σ_{i≥k} P(i) in closed form, with the same parameters; else 1 − Σ_{i<k} P(i) is used.
        dynamic: P depends on relevance.
        tail: ``'slim'``, ``'medium'`` or ``'fat'``, by which robustness studies group distributions.
        overwrite: replace a distribution of that name, if it was added at run time.

    Raises:
        TypeError: P or F cannot be called with the arguments above.
        ValueError: the name is taken or no identifier; P gives a negative or undefined probability, or more than 1 in
            all; F does not fit P (checked at ranks 1 to 1000, for up to 100 relevant documents, θ = 0.1, 0.5, 0.9).

    Examples:
        Zipf's law, Σ 1/k² = π²/6:

        >>> zipf = register_stopping('Zipf', lambda k: 6 / (np.pi * k) ** 2, tail='medium')
        >>> from ir_divmeasures import measures
        >>> measures("UM(model=1,P='Zipf')@10")
        [UM(model=1,P='Zipf')@10]
        >>> unregister_stopping('Zipf')

        With a shape: F(k) = q^((k−1)^shape), the discrete Weibull distribution.

        >>> F = lambda k, shape, q=0.5: q ** ((k - 1) ** shape)
        >>> made = register_stopping('Weibull', lambda k, shape, q=0.5: F(k, shape, q) - F(k + 1, shape, q), F)
        >>> measures("UM(model=2,P='Weibull(shape=2,q=0.9)')@10")
        [UM(P='Weibull(q=0.9,shape=2.0)')@10]
        >>> unregister_stopping('Weibull')
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f'stopping distribution {name!r}: expected a name that is a Python identifier')
    if name in _built_in:
        raise ValueError(f"stopping distribution {name!r} is one of the package's own; choose another name")
    if name in _registry and not overwrite:
        raise ValueError(f'stopping distribution {name!r} exists; overwrite=True replaces it')
    if tail is not None and tail not in TAILS:
        raise ValueError(f'tail={tail!r}: expected {" or ".join(map(repr, TAILS))} or None')
    if dynamic and F is not None:
        raise ValueError(f'stopping distribution {name!r}: F of a dynamic distribution follows from the ranking')
    made = Stopping(name, P, F, dynamic, tail)
    if not made.parameters:
        check(made)
    elif None not in made.parameters.values():
        check(made.bound(name, made.parameters))
    _registry[name] = made
    return made


def unregister_stopping(name: str) -> None:
    """Forget a distribution that was added at run time.

    Args:
        name: what it was registered as.

    Raises:
        ValueError: no such distribution, or one that the package defines.

    Examples:
        >>> _ = register_stopping('first', lambda k: (k == 1) * 1.0)
        >>> unregister_stopping('first')
        >>> 'first' in names()
        False
    """
    if base(name).name in _built_in:
        raise ValueError(f"stopping distribution {name!r} is one of the package's own")
    del _registry[base(name).name]


def check(made: Stopping) -> None:
    """Whether P are probabilities and F fits them, at ranks 1 to 1000 or for up to 100 relevant documents.

    Raises:
        TypeError, ValueError: as :func:`register_stopping`.
    """
    for theta in (0.1, 0.5, 0.9):
        _check_dynamic(made, theta) if made.dynamic else _check_static(made, theta)


def _check_static(made: Stopping, theta: float) -> None:
    try:
        with np.errstate(all='ignore'):
            P, F = made.by_rank(1000, theta)
    except TypeError as error:
        raise TypeError(f'stopping distribution {made.name!r}: expected P(k) or P(k, theta) (and F likewise): '
                        f'{error}') from None
    _check_probabilities(made.name, P[1:], lambda at: f'rank {at + 1}')
    off = np.abs(F[1:-1] - F[2:] - P[1:-1])
    if made.F is not None and not (off <= 1e-9).all():
        k = int(np.argmax(~(off <= 1e-9))) + 1
        raise ValueError(f'stopping distribution {made.name!r}: F({k}) − F({k + 1}) = {F[k] - F[k + 1]:g}, but '
                         f'P({k}) = {P[k]:g}')


def _check_dynamic(made: Stopping, theta: float) -> None:
    for total in (1, 2, 3, 10, 100):
        try:
            with np.errstate(all='ignore'):
                P = made.at_relevant(np.ones((total, 1)), np.array([float(total)]), theta)[:, 0]
        except TypeError as error:
            raise TypeError(f'stopping distribution {made.name!r}: expected P(count, total) or '
                            f'P(count, total, theta): {error}') from None
        _check_probabilities(made.name, P, lambda at, of=total: f'relevant document {at + 1} of {of}')  # type: ignore[misc]


def _check_probabilities(name: str, P: Array, place: Callable[[int], str]) -> None:
    bad = np.flatnonzero(~(P >= 0) | ~np.isfinite(P))
    if len(bad):
        raise ValueError(f'stopping distribution {name!r}: probability {P[bad[0]]:g} at {place(int(bad[0]))}')
    if P.sum() > 1 + 1e-9:
        raise ValueError(f'stopping distribution {name!r}: the probabilities up to {place(len(P) - 1)} add up to '
                         f'{P.sum():g}, expected at most 1')


# ------------------------------------------------------------------------------------------ continuation functions

_own_continuations = {made.name: made for made in continuation.BUILT_IN}
_continuations = dict(_own_continuations)

_Goal = Annotated[float, Range(), 'total gain that the user wants']
PARAMETERS: dict[str, Any] = {
    'p': Annotated[float, Range(0, 1), 'probability of going on'],
    'k': Annotated[int, Range(1), 'rank at which the user stops; by default the cutoff'],
    'K': Annotated[float, Range(0, open='('), 'total cost at which the user stops; by default the cutoff'],
    'T': _Goal,
    'rate': Annotated[float, Range(0), 'discount of gain by rank'],
    'beta': Annotated[float, Range(0, open='('), 'returns diminish with the rank as i^beta'],
    'hb': Annotated[float, Range(), 'how fast the goal follows the gain'],
    'gain_med': Annotated[float, Range(), 'gain above which the goal rises'],
    'b1': Annotated[float, Range(0), 'base of going on until the goal is reached'],
    'R1': Annotated[float, Range(0), 'rationality about the goal'],
    'A': Annotated[float, Range(), 'rate of gain that the user expects'],
    'b2': Annotated[float, Range(0), 'base of stopping for a low rate'],
    'R2': Annotated[float, Range(0), 'rationality about the rate'],
    'halflife': Annotated[float, Range(0, open='('), 'cost after which half of the users have left'],
    'L': Annotated[float, Range(0, open='('), 'cost after which all users have left'],
}
"""The parameters of the package's continuation functions; what differs from function to function is in _SPECIAL."""
_SPECIAL = {('INST', 'T'): Annotated[float, Range(0.25), 'total gain that the user wants'],
            ('INSQ', 'T'): Annotated[float, Range(0), 'total gain that the user wants'],
            ('NERR11', 'T'): Annotated[float, Range(0), 'total gain that the user wants']}


def continuations() -> tuple[str, ...]:
    """The known continuation functions, those added at run time included.

    Examples:
        >>> continuations()[:4]
        ('P', 'RR', 'AP', 'RBP')
    """
    return tuple(_continuations)


def get_continuation(name: str) -> Continuation:
    """The continuation function of a name.

    Raises:
        ValueError: no such function; lists the known ones.
    """
    if name not in _continuations:
        raise ValueError(f'C={short(name)}: no such continuation function' + (did_you_mean(name, _continuations)
                                                                        if isinstance(name, str) else ''))
    return _continuations[name]


def parameters_of_continuation(name: str) -> dict[str, Parameter]:
    """The parameters of a continuation function, checked as those of measures are."""
    return _declared(get_continuation(name))


@functools.cache
def _declared(made: Continuation) -> dict[str, Parameter]:
    hints = typing.get_type_hints(made.f, include_extras=True)
    found = {}
    for name, default in made.defaults.items():
        if made.name in _own_continuations:
            annotation = _SPECIAL.get((made.name, name), PARAMETERS[name])
        else:
            annotation = hints.get(name, float if default is None or type(default) is int else type(default))
        at_cutoff = name in ('k', 'K')  # the default is the cutoff, if there is one
        found[name] = parameter(name, annotation, None if at_cutoff else default)
        found[name].optional = at_cutoff
    return found


def register_continuation(name: str, f: Callable[..., Any], *, overwrite: bool = False) -> Continuation:
    """Add a continuation function under a name that ``CWL`` and :mod:`~ir_divmeasures.user_models` know.

    It is known to this process. Worker processes (joblib's) know it if a module that they import registers it.

    Args:
        name: a Python identifier.
        f: ``f(gains, costs, **parameters)`` of the gains and costs at all n ranks → C(1..n) in [0, 1]. If it works
            along the last axis, it is given many rankings at once, arrays (rankings, n); else one ranking at a time.
            Its parameters (numbers, strings or truth values, with or without default; ``Annotated`` types as in
            :mod:`ir_divmeasures.core.parameters` are checked) are parameters of ``CWL``. One named k or K is the cutoff
            unless it is given.
        overwrite: replace a function of that name, if it was added at run time.

    Raises:
        TypeError: f cannot be called with gains and costs, or has a parameter that is called as one of ``CWL`` is.
        ValueError: the name is taken or no identifier; C is no probability (checked where all parameters have
            defaults, and whenever it is used).

    Examples:
        Users who stop at every second document:

        >>> made = register_continuation('Half', lambda gains, costs, share=0.5: np.full(gains.shape, share))
        >>> from ir_divmeasures import measures
        >>> measures("CWL(C='Half',share=0.25)@10")
        [CWL(C='Half',share=0.25)@10]
        >>> unregister_continuation('Half')
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f'continuation function {name!r}: expected a name that is a Python identifier')
    if name in _own_continuations:
        raise ValueError(f"continuation function {name!r} is one of the package's own; choose another name")
    if name in _continuations and not overwrite:
        raise ValueError(f'continuation function {name!r} exists; overwrite=True replaces it')
    signature = list(inspect.signature(f).parameters.values())
    if len(signature) < 2 or any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in signature):
        raise TypeError(f'continuation function {name!r}: expected f(gains, costs) with further parameters by name, '
                        f'found {inspect.signature(f)}')
    made = Continuation(name, f, by_row=True)
    for taken in {'C', 'out', 'residual', 'gain', 'max_rel', 'depth', 'max_cost', 'min_cost', 'cutoff', 'rel',
                  'judged_only'} & set(made.defaults):
        raise TypeError(f'continuation function {name!r}: CWL has a parameter {taken!r} of its own')
    _declared(made)
    made = Continuation(name, f, by_row=_takes_one_ranking(made))
    _continuations[name] = made
    return made


def _takes_one_ranking(made: Continuation) -> bool:
    """Whether f, given two rankings at once, gives something else than for each of them."""
    trial = {name: 3 if default is None and name in 'kK' else default for name, default in made.defaults.items()}
    if None in trial.values():
        return True
    gains, costs = np.array([[0, 1, .5, 0, 0, 1.0], [.25, 0, 0, 1, 0, 0]]), np.array([[1.0, 2, 1, 3, 1, 1]] * 2)
    one_by_one = made(gains, costs, **trial)
    try:
        at_once = Continuation(made.name, made.f)(gains, costs, **trial)
    except Exception:  # whatever a function for one ranking does with two
        return True
    return not np.array_equal(np.broadcast_to(at_once, gains.shape), one_by_one)


def unregister_continuation(name: str) -> None:
    """Forget a continuation function that was added at run time.

    Args:
        name: what it was registered as.

    Raises:
        ValueError: no such function, or one that the package defines.

    Examples:
        >>> _ = register_continuation('once', lambda gains, costs: 0 * gains)
        >>> unregister_continuation('once')
        >>> 'once' in continuations()
        False
    """
    if get_continuation(name).name in _own_continuations:
        raise ValueError(f"continuation function {name!r} is one of the package's own")
    del _continuations[name]
