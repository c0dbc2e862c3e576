"""Parameters of measures: one declaration of the admitted values, for checks, printing and documentation.

A measure states its parameters in its keyword-only signature::

    def RBU(r, *, p: Annotated[float, Range(0, 1), 'persistence'] = 0.8): ...

:func:`parameter` turns such an annotation into a :class:`Parameter`, a subclass of ir_measures' ``ParamInfo``.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from ir_measures.measures import ParamInfo

from ..errors import short


class Range(NamedTuple):
    """Numbers from ``low`` to ``high``, or one of a few words.

    Attributes:
        low, high: the ends of the range.
        open: the ends that do not belong to the range: ``'('``, ``')'`` or ``'()'``.
        words: strings that are admitted in place of a number.
    """

    low: float = -math.inf
    high: float = math.inf
    open: str = ''
    words: tuple[str, ...] = ()

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in self.words
        if math.isinf(value):
            return False  # it prints as inf, and a measure's name with inf cannot be parsed
        above = value > self.low if '(' in self.open else value >= self.low
        below = value < self.high if ')' in self.open else value <= self.high
        return above and below

    def __str__(self) -> str:
        left = '(' if '(' in self.open or math.isinf(self.low) else '['
        right = ')' if ')' in self.open or math.isinf(self.high) else ']'
        return ' or '.join([f'{left}{self.low:g}, {self.high:g}{right}', *map(repr, self.words)])


class Choice(NamedTuple):
    """One of several names."""

    names: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return value in self.names

    def __str__(self) -> str:
        return ' or '.join(map(repr, self.names))


class ByGrade(Mapping[float, float]):
    """A hashable mapping of grades to numbers. It prints in full, as ``{1:0.3,2:1}``, which ir_measures does not do for
    a dict."""

    def __init__(self, values: Mapping[float, float]):
        self._values = {_grade(grade): _grade(values[grade]) for grade in sorted(values)}

    def __getitem__(self, grade: float) -> float:
        return self._values[grade]

    def __iter__(self) -> Iterator[float]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return '{' + ','.join(f'{grade!r}:{value!r}' for grade, value in self._values.items()) + '}'


class PerGrade(NamedTuple):
    """The mappings of grades to numbers that a parameter admits besides its other values.

    Attributes:
        values: the admitted numbers.
        decreasing: whether the numbers may decrease with the grade.
    """

    values: Range
    decreasing: bool = True

    def check(self, name: str, mapping: Mapping[Any, Any]) -> ByGrade:
        """The mapping in its standard form.

        Raises:
            TypeError: a grade or a value is not a number.
            ValueError: the mapping is empty, a grade or a value is not admitted, or values decrease with the grade.
        """
        number, message = Parameter(name, float), f'{name}={short(dict(mapping))}: expected'
        try:
            values = {number.check(grade): number.check(value) for grade, value in mapping.items()}
        except (TypeError, ValueError) as error:
            raise type(error)(f'{message} {self}') from None
        order = [values[grade] for grade in sorted(values)]
        if not values or any(
            math.isinf(grade) or value not in self.values for grade, value in values.items()
        ):
            raise ValueError(f'{message} {self}')
        if not self.decreasing and order != sorted(order):
            raise ValueError(f'{message} values that do not decrease with the grade')
        return ByGrade(values)

    def __str__(self) -> str:
        return f'{{grade: number in {self.values}, …}}'


@dataclass(eq=False, repr=False)
class Parameter(ParamInfo):
    """One parameter of a measure.

    Attributes:
        name: the name.
        dtype: the type: float, int, str, bool, or :class:`ByGrade` for a parameter that only takes mappings.
        admits: the admitted values, a :class:`Range` or :class:`Choice`, or None for all of the type.
        default: the default.
        desc: the meaning in words.
        optional: whether None is admitted.
        standardise: a function that returns a value in its standard form, or None.
        per_grade: the admitted mappings of grades to numbers, or None.
    """

    name: str
    dtype: type
    admits: Any = None
    default: Any = None
    desc: str = ''
    optional: bool = False
    standardise: Callable[[Any], Any] | None = None
    per_grade: PerGrade | None = None
    required = False
    choices = None

    def check(self, value: Any) -> Any:
        """A value in its standard form. An int becomes a float if the type is float.

        Raises:
            TypeError, ValueError: the value has another type or is not admitted. The message names the parameter, the
                value and the admitted values.
        """
        if value is None and self.optional:
            return None
        if self.per_grade is not None and isinstance(value, Mapping):
            return self.per_grade.check(self.name, value)
        words = getattr(self.admits, 'words', ())
        is_bool = isinstance(value, bool) or type(value).__name__ in ('bool_', 'bool')
        kind = bool if is_bool else str if isinstance(value, str) else float
        wrong: type[Exception] | None = None
        if kind is str and value in words:
            return value
        if kind is not (float if self.dtype is int else self.dtype):
            wrong = TypeError
        elif kind is bool:
            value = bool(value)
        elif kind is float:
            try:
                value = float(value) + 0.0  # -0.0 is 0.0
            except OverflowError:  # the number exceeds a float
                wrong = ValueError
            except (TypeError, ValueError):
                wrong = TypeError
            else:
                if math.isnan(value) or self.dtype is int and math.isinf(value):
                    wrong = ValueError
                elif self.dtype is int and not value.is_integer():
                    wrong = TypeError
                elif self.dtype is int:
                    value = int(value)
        if wrong is None and self.admits is not None and value not in self.admits:
            wrong = ValueError
        if wrong is not None:
            raise wrong(f'{self.name}={short(value)}: expected {self.expected}')
        return self.standardise(value) if self.standardise else value

    @property
    def expected(self) -> str:
        """The admitted values in words: ``a number in [0, 1]``, ``'exp' or 'linear'``."""
        if isinstance(self.admits, Choice):
            ways = [str(self.admits)]
        elif self.dtype is ByGrade:
            ways = []
        else:
            kinds = {
                float: 'a number',
                int: 'a whole number',
                bool: 'True or False',
                str: 'a string',
            }
            ways = [kinds[self.dtype] + ('' if self.admits is None else f' in {self.admits}')]
        if self.per_grade is not None:
            ways.append(str(self.per_grade))
        return ' or '.join([*ways, *['None'] * self.optional])

    def validate(self, value: Any) -> bool:
        """Whether a value is admitted. ir_measures calls this method of each parameter."""
        if value is self.default:
            return True
        try:
            self.check(value)
        except (TypeError, ValueError):
            return False
        return True


def parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """The :class:`Parameter` that an annotation ``Annotated[type, Range|Choice, 'meaning']`` states."""
    if (
        typing.get_origin(annotation) is typing.Union
    ):  # Python 3.10 adds None to the hint of a default of None
        annotation = typing.get_args(annotation)[0]
    base, *rest = (
        typing.get_args(annotation) if typing.get_origin(annotation) is Annotated else (annotation,)
    )
    arms = [a for a in typing.get_args(base) if a is not type(None) and a is not ByGrade]
    optional = type(None) in typing.get_args(base)
    dtype = arms[0] if arms else ByGrade if optional and ByGrade in typing.get_args(base) else base
    if dtype not in (float, int, str, bool, ByGrade):
        raise TypeError(
            f'parameter {name}: found the type {annotation!r}, expected float, int, str or bool, or '
            f'Annotated[type, admitted values, meaning]'
        )

    def first(kind: Any) -> Any:
        return next((x for x in rest if isinstance(x, kind)), None)

    return Parameter(
        name,
        dtype,
        first((Range, Choice)),
        default,
        first(str) or '',
        optional,
        first(Callable),
        first(PerGrade),
    )


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters in the keyword-only signature of a function, by name, in its order. One of type None is left out."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = {}
    for name, argument in inspect.signature(function).parameters.items():
        if argument.kind is argument.KEYWORD_ONLY:
            if argument.default is argument.empty:
                raise TypeError(f'{function.__name__}: parameter {name} has no default')
            if name not in hints:
                raise TypeError(
                    f'{function.__name__}: parameter {name} has no type, as in {name}: float = …'
                )
            if hints[name] is not type(None):
                parameters[name] = parameter(name, hints[name], argument.default)
    return parameters


def _grade(value: float) -> float:
    """A whole number as an int, because ir_measures prints grades as in ``rel=2``, not ``rel=2.0``."""
    return int(value) if abs(value) < 2**53 and value == int(value) else value


# Parameters that several measures share, named as the field names them.
Cutoff = Annotated[
    int | None,
    Range(1, 1e15),
    'the cutoff k: only the first k documents count. None: the whole run counts',
]
REL_MEANS = {
    'relevant': 'the lowest grade that counts as relevant (0: any grade above 0). All relevant '
    'documents count the same',
    'gain': 'the lowest grade that counts as relevant (0: any grade above 0). A relevant document'
    ' gains by its grade. A document of a lower grade gains nothing',
    'gate': "an aspect counts if a judged document has at least this grade for it (0: any grade "
    "above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking. "
    "With gain='binary', rel is the lowest grade that gains. With aspects='listed', every "
    "listed aspect counts",
    'credit': "the lowest grade with full credit (0: any grade above 0). Lower grades above 0 have "
    "partial credit. With gain='linear', every grade has its own credit",
    'wrapped': 'the measure M decides what rel means',
}
"""What ``rel`` decides, for the word that a measure declares (``@measure(rel_means=…)``)."""


def rel_parameter(means: str) -> Parameter:
    """The parameter ``rel`` of a measure.

    Raises:
        ValueError: ``means`` is not a word of :data:`REL_MEANS`.
    """
    if means not in REL_MEANS:
        raise ValueError(f'rel_means={means!r}: expected {" or ".join(map(repr, REL_MEANS))}')
    return Parameter('rel', float, Range(0, math.inf), 1, REL_MEANS[means], standardise=_grade)


Aspects = Annotated[
    str,
    Choice(('relevant', 'listed')),
    "the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' "
    "takes all that the judgments list",
]
BinaryOrShare = Annotated[
    str,
    Choice(('binary', 'linear')),
    "the gain of a document of grade g: 'binary' is 1 if the document is relevant, "
    "'linear' is g/gmax",
]
JudgedOnly = Annotated[
    bool, 'whether documents that are not judged for the query are removed before ranks are counted'
]
Persistence = Annotated[
    float, Range(0, 1), 'persistence, the probability that the user goes on to the next document'
]
Alpha = Annotated[
    float,
    Range(0, 1),
    'how much the user dislikes redundancy: each relevant document already seen for an aspect'
    ' multiplies the gain of the next one by 1 - alpha',
]
Beta = Annotated[
    float,
    Range(0, math.inf),
    'how much the grades count. With 0, the measure only counts relevant documents. A '
    'large value gives the cumulated gain more weight than the count',
]
Gamma = Annotated[
    float,
    Range(0, 1),
    'the weight of subtopic recall. The other part of the measure has the weight 1 - gamma',
]
Effort = Annotated[
    float, Range(0, math.inf), 'the effort of looking at one document, in units of relevance'
]
Gain = Annotated[
    str,
    Choice(('linear', 'exp', 'binary')),
    "the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if"
    " the document is relevant",
]
Probability = Annotated[
    str,
    Choice(('exp', 'linear', 'binary', 'raw')),
    "the probability that a document of grade g satisfies the user: 'exp' is (2^g - "
    "1)/2^gmax, 'linear' is g/(gmax + 1), 'binary' is 1 if the document is relevant, and "
    "'raw' is g itself",
]
MaxRel = Annotated[
    float | None,
    Range(0, math.inf, '('),
    'gmax, the largest possible grade. None: the largest grade that is judged for the query '
    'and aspect',
    _grade,
]
Norm = Annotated[bool, 'whether the measure is normalised']
