"""From a function to a measure with a name: ``@measure`` is the only thing that adding a measure needs.

The function's keyword-only signature states the parameters; its docstring documents the measure. The decorator makes a
measure object as ir_measures has them (``RBU(p=0.99)@20``) and registers its name with ir_measures.
"""
from __future__ import annotations

import ast
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import ir_measures

from .errors import DivMeasuresWarning, did_you_mean
from .parameters import Cutoff, JudgedOnly, Parameter, Rel, parameter, parameters_of

registry: dict[str, DivMeasure] = {}
"""Our measures by name, aliases included."""


NDEVAL = ('ERR_IA', 'nERR_IA', 'alpha_DCG', 'α_DCG', 'alpha_nDCG', 'α_nDCG', 'NRBP', 'nNRBP', 'AP_IA', 'MAP_IA',
          'P_IA', 'StRecall')
"""ndeval's measures under the names that ir_measures gives them; we compute these too."""


class DivMeasure(ir_measures.Measure):
    """A measure of this package: an ir_measures measure whose parameters are checked when it is made.

    Equal measures print, compare and hash equally, whatever the order and type (int for float) of the parameters.
    """
    NAME: str
    SUPPORTED_PARAMS: dict[str, Parameter]  # type: ignore[assignment]
    compute: Callable[..., Any]
    diversity = True
    needs: tuple[str, ...] = ()
    bounds: tuple[float | None, float | None] = (0, 1)
    family = ''
    own_params: tuple[str, ...] = ()
    SHORT_DESC = ''
    _check: Callable[[dict[str, Any]], None] | None = None

    def __init__(self, **params: Any):
        for name in params:
            if name not in self.SUPPORTED_PARAMS:
                if name == self.AT_PARAM:
                    raise ValueError(f'{self.NAME} takes no cutoff')
                raise ValueError(f'{self.NAME}: unknown parameter {name!r}'
                                 + did_you_mean(name, self.SUPPORTED_PARAMS))
        checked = {}
        for name, known in self.SUPPORTED_PARAMS.items():
            if name in params:
                try:
                    value = known.check(params[name])
                except (TypeError, ValueError) as error:
                    raise type(error)(f'{self.NAME}: {error}') from None
                if value is not None or known.default is not None:
                    checked[name] = value
        super().__init__(**checked)  # type: ignore[no-untyped-call]
        self.validated = True
        self._repr = super().__repr__()  # type: ignore[no-untyped-call]
        if self._check is not None:
            type(self)._check(self.all_params)  # type: ignore[misc]

    @property
    def all_params(self) -> dict[str, Any]:
        """Every parameter with its value, defaults included."""
        return {name: self[name] for name in self.SUPPORTED_PARAMS}

    def __repr__(self) -> str:
        return self._repr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ir_measures.Measure) and self._repr == repr(other)

    def __hash__(self) -> int:
        return hash(self._repr)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.NAME, self.params)


def _make(name: str, params: dict[str, Any]) -> DivMeasure:
    return registry[name](**params)


def measure(*, family: str, cutoff: bool = True, bounds: tuple[float | None, float | None] = (0, 1),
            diversity: bool = True, needs: tuple[str, ...] = (), aliases: tuple[str, ...] = (),
            pretty: str | None = None, check: Callable[[dict[str, Any]], None] | None = None,
            ) -> Callable[[Callable[..., Any]], DivMeasure]:
    """Make a measure of a function ``f(ranking, *, parameters) -> (Q,) array`` and register its name.

    Args:
        family: under which heading the catalogue lists it.
        cutoff: whether ``@k`` applies; the function reads it from the ranking.
        bounds: least and greatest value; None where there is none.
        diversity: whether the measure says nothing on judgments with one subtopic per query.
        needs: columns of the judgments it cannot do without.
        aliases: further names.
        pretty: the name in words.
        check: raises ValueError for combinations of parameters that make no sense.
    """
    def decorate(function: Callable[..., Any]) -> DivMeasure:
        parameters = parameters_of(function)
        if cutoff:
            parameters['cutoff'] = parameter('cutoff', Cutoff, None)
        parameters['rel'] = parameter('rel', Rel, 1)
        parameters['judged_only'] = parameter('judged_only', JudgedOnly, False)
        doc = inspect.getdoc(function) or ''
        made = type(function.__name__, (DivMeasure,), {
            '__doc__': doc, '__module__': function.__module__, '__name__': function.__name__,
            'NAME': function.__name__, 'SUPPORTED_PARAMS': parameters, 'SHORT_DESC': doc.split('\n')[0],
            'PRETTY_NAME': pretty or function.__name__.replace('_', ' '), 'compute': staticmethod(function),
            'diversity': diversity, 'needs': needs, 'bounds': bounds, 'family': family,
            'own_params': tuple(parameters_of(function)), '_check': staticmethod(check) if check else None})
        instance: DivMeasure = made()
        _register(instance, aliases)
        return instance
    return decorate


def _register(made: DivMeasure, aliases: Iterable[str]) -> None:
    for name in (made.NAME, *aliases):
        registry[name] = made
        present = ir_measures.measures.registry.get(name)
        if present is None:
            ir_measures.measures.registry[name] = made
        elif name in NDEVAL and type(present).__module__ == 'ir_measures.measures.diversity':
            # ndeval's measures keep their objects and get our parameters, wherever they have been imported to.
            _take_over(present, made)
        elif present is not made and not isinstance(present, DivMeasure):
            warnings.warn(f'ir_measures has a measure {name} of its own; ours is ir_divmeasures.measures({name!r})',
                          DivMeasuresWarning, stacklevel=4)
            continue
        else:
            ir_measures.measures.registry[name] = made
        pyterrier = sys.modules.get('pyterrier.measures')
        if pyterrier is not None:
            setattr(pyterrier, name, ir_measures.measures.registry[name])


def _take_over(present: Any, made: DivMeasure) -> None:
    present.__class__ = type(made)
    present.__dict__.clear()
    present.__dict__.update(made.__dict__)


def ours(measure: Any) -> DivMeasure | None:
    """The measure of ours that computes a given measure, or None.

    An ndeval measure made before this package was imported is of ir_measures' own class; it is understood by name.
    """
    if isinstance(measure, DivMeasure):
        return measure
    if type(measure).__module__ == 'ir_measures.measures.diversity' and measure.NAME in NDEVAL:
        return registry[measure.NAME](**measure.params)
    return None


def parse(text: str | Any, complete: bool = True) -> Any:
    """One measure from its name, ours or ir_measures': ``RBU(p=0.99,e=0.05)@20``.

    With ``complete=False`` a cutoff may still be missing that ir_measures asks for.

    Raises:
        ValueError: not a measure's name, an unknown measure or parameter, a value out of range.
    """
    if isinstance(text, ir_measures.Measure):
        return text
    if not isinstance(text, str):
        raise TypeError(f'expected the name of a measure or a measure, found {text!r}')
    try:
        node: ast.expr = ast.parse(text.strip(), mode='eval').body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = ast.literal_eval(node.right)
            node = node.left
        params = {}
        if isinstance(node, ast.Call):
            if node.args:
                raise ValueError('parameters must be named')
            params = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
            node = node.func
        if not isinstance(node, ast.Name):
            raise ValueError('expected Name(parameter=value,…)@cutoff')
        name = node.id
    except (SyntaxError, ValueError) as error:
        reason = 'expected Name(parameter=value,…)@cutoff' if isinstance(error, SyntaxError) else error
        raise ValueError(f'{text!r} is not a measure: {reason}') from None
    found = registry.get(name) or ir_measures.measures.registry.get(name)
    if found is None:
        raise ValueError(f'no measure {name!r}'
                         + did_you_mean(name, {**registry, **ir_measures.measures.registry}, list_known=False))
    if at is not None:
        params[found.AT_PARAM] = at
    if found.AT_PARAM == 'cutoff' and 'cutoff' in params and not isinstance(found, DivMeasure):
        try:
            params['cutoff'] = parameter('cutoff', Cutoff, None).check(params['cutoff'])
        except (TypeError, ValueError) as error:
            raise type(error)(f'{name}: {error}') from None
    made = found(**params)
    if not isinstance(made, DivMeasure):
        try:
            made.validate_params()
        except AssertionError as error:
            missing = [n for n, p in made.SUPPORTED_PARAMS.items() if p.required and n not in params]
            if missing == ['cutoff'] and not complete:
                return made
            raise ValueError(f'{text!r}: ' + (f'needs {" and ".join(missing)}' if missing else str(error))) from None
    return made


def measures(text: str | Iterable[str | Any]) -> list[Any]:
    """Measures from their names, for ``pt.Experiment`` and ``ir_measures``.

    Args:
        text: names parted by blanks, or an iterable of names and measure objects. Names are ours or ir_measures'.

    Returns:
        A list of measure objects, without repetitions, in the order given.

    Raises:
        ValueError: an unknown measure or parameter, or a value out of range; says which, and the nearest known one.

    Examples:
        >>> measures('RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 nDCG@20')
        [RBU(p=0.99,e=0.05)@20, alpha_nDCG@20, nDCG@20]
        >>> measures('alpha_nDCG(alfa=0.1)@20')
        Traceback (most recent call last):
        ...
        ValueError: alpha_nDCG: unknown parameter 'alfa'; did you mean 'alpha'?
    """
    if isinstance(text, ir_measures.Measure):
        return [text]
    if not isinstance(text, Iterable):
        raise TypeError(f'expected names of measures or measures, found {text!r}')
    names = _words(text) if isinstance(text, str) else list(text)
    return list(dict.fromkeys(parse(name) for name in names))


def _words(text: str) -> list[str]:
    """Split at blanks and commas that stand outside brackets and quotes."""
    words, word, depth, quote = [], '', 0, ''
    for character in text:
        if quote:
            quote = '' if character == quote else quote
        elif character in '\'"':
            quote = character
        elif character in '([{':
            depth += 1
        elif character in ')]}':
            depth -= 1
        if character in ' \t\n,' and not depth and not quote:
            words.append(word)
            word = ''
        else:
            word += character
    return [w for w in [*words, word] if w]


def catalogue() -> list[DivMeasure]:
    """Our measures in the order of their definition, aliases left out."""
    return [made for name, made in registry.items() if name == made.NAME]


__all__ = ['DivMeasure', 'measure', 'measures', 'parse', 'catalogue', 'registry', 'ir_measures']
