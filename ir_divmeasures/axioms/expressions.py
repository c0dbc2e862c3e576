"""Expressions over positive symbols, written in SMT-LIB 2 and kept as polynomials too.

The text is what a solver decides. The polynomial shows which goals are the same: two scores have many equal summands,
and what remains of their difference often occurs in other cases too, with other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

Terms = dict[tuple[str, ...], 'int | Fraction']
"""A polynomial: the coefficient of each product of factors, which are sorted."""

_NAME = re.compile(r'(?<![\w.])(?!ite\b)[A-Za-z_]\w*')


class Expression:
    """A number, a symbol, or what arithmetic makes of them. Numbers of Python are taken as operands.

    Attributes:
        text: in SMT-LIB 2.
        terms: as a polynomial. Quotients and conditions are factors of their own.
    """

    __slots__ = ('terms', 'text')

    def __init__(self, text: str, terms: Terms):
        self.text, self.terms = text, terms

    def __str__(self) -> str:
        return self.text if set(self.terms) - {()} else str(self.terms.get((), 0))

    def __add__(self, other: Any) -> Expression:
        other = as_expression(other)
        return Expression(f'(+ {self.text} {other.text})', _sum(self.terms, other.terms, 1))

    def __sub__(self, other: Any) -> Expression:
        other = as_expression(other)
        return Expression(f'(- {self.text} {other.text})', _sum(self.terms, other.terms, -1))

    def __mul__(self, other: Any) -> Expression:
        other = as_expression(other)
        terms: Terms = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                factors = tuple(sorted(left + right))
                terms[factors] = terms.get(factors, 0) + a * b
        return Expression(
            f'(* {self.text} {other.text})', {factors: c for factors, c in terms.items() if c}
        )

    def __truediv__(self, other: Any) -> Expression:
        other = as_expression(other)
        divisor = other.terms.get((), 0) if set(other.terms) <= {()} else 0
        inverse = number(Fraction(1) / divisor) if divisor else _factor(f'(/ 1.0 {other.text})')
        return Expression(f'(/ {self.text} {other.text})', (self * inverse).terms)

    def __radd__(self, other: Any) -> Expression:
        return self if isinstance(other, int) and other == 0 else as_expression(other) + self

    def __rsub__(self, other: Any) -> Expression:
        return as_expression(other) - self

    def __rmul__(self, other: Any) -> Expression:
        return as_expression(other) * self

    def __rtruediv__(self, other: Any) -> Expression:
        return as_expression(other) / self

    def __lt__(self, other: Any) -> str:
        return f'(< {self.text} {as_expression(other).text})'

    def __le__(self, other: Any) -> str:
        return f'(<= {self.text} {as_expression(other).text})'

    def __gt__(self, other: Any) -> str:
        return as_expression(other) < self

    def __ge__(self, other: Any) -> str:
        return as_expression(other) <= self


def number(value: Any) -> Expression:
    """A number as an exact fraction."""
    exact = Fraction(value)
    whole = exact.denominator == 1
    text = (
        f'{abs(exact.numerator)}.0'
        if whole
        else f'(/ {abs(exact.numerator)}.0 {exact.denominator}.0)'
    )
    return Expression(
        text if exact >= 0 else f'(- {text})',
        {(): exact.numerator if whole else exact} if exact else {},
    )


def symbol(name: str) -> Expression:
    """The symbol of a name."""
    return _factor(name)


def conditional(condition: str, then: Any, otherwise: Any) -> Expression:
    """One expression where a condition holds, and another where it does not."""
    return _factor(f'(ite {condition} {as_expression(then).text} {as_expression(otherwise).text})')


def equal(one: Any, other: Any) -> str:
    """The condition that two expressions are equal."""
    return f'(= {as_expression(one).text} {as_expression(other).text})'


def as_expression(value: Any) -> Expression:
    """An expression, or a number as one."""
    return value if isinstance(value, Expression) else number(value)


def symbols_of(text: str) -> set[str]:
    """The symbols in an SMT-LIB text."""
    return set(_NAME.findall(text))


def formula(assumptions: Iterable[str], symbols: Iterable[str]) -> str:
    """The SMT-LIB 2 text that asks whether assumptions about symbols can all hold."""
    return '\n'.join(
        [
            '(set-logic QF_NRA)',
            *(f'(declare-fun {name} () Real)' for name in symbols),
            *(f'(assert {assumption})' for assumption in assumptions),
            '(check-sat)',
            '',
        ]
    )


def essence(
    difference: Expression, strictly: bool, assumptions: Iterable[str], positive: Iterable[str]
) -> str:
    """The text that asks whether a difference can be negative, reduced to what matters, with symbols numbered.

    Summands that cancel, positive factors of all summands, and assumptions about other symbols are left out, so that
    many cases have the same text. If it cannot be satisfied, the case it comes from cannot be either; the converse need
    not hold.

    Args:
        difference: what must not be negative, nor, if not ``strictly``, zero.
        strictly: whether the question is < 0 in place of ≤ 0.
        assumptions: conditions in SMT-LIB 2.
        positive: symbols that these assumptions make positive.
    """
    divisible = {text for name in positive for text in (name, f'(/ 1.0 {name})')}
    products = list(difference.terms)
    common = [factor for factor in products[0] if factor in divisible] if products else []
    for product in products[1:]:
        common = _shared(common, product)
        if not common:
            break
    summands = []
    for product, coefficient in difference.terms.items():
        rest = list(product)
        for factor in common:
            rest.remove(factor)
        text = number(coefficient).text
        summands.append(f'(* {" ".join([text, *rest])})' if rest else text)
    goal = f'({"<" if strictly else "<="} (+ {" ".join([*summands, "0.0"])}) 0.0)'
    known, reached = symbols_of(goal), True
    kept: set[int] = set()
    conditions = [(assumption, symbols_of(assumption)) for assumption in assumptions]
    while reached:
        reached = False
        for place, (_, mentioned) in enumerate(conditions):
            if place not in kept and mentioned & known:
                kept.add(place)
                reached = reached or not mentioned <= known
                known |= mentioned
    names: dict[str, str] = {}
    asked, *where = (
        _NAME.sub(lambda match: names.setdefault(match[0], f'x{len(names)}'), text)
        for text in (goal, *(conditions[place][0] for place in sorted(kept)))
    )
    return formula([*sorted(where), asked], names.values())


def _factor(text: str) -> Expression:
    return Expression(text, {(text,): 1})


def _sum(one: Terms, other: Terms, sign: int) -> Terms:
    terms = dict(one)
    for factors, coefficient in other.items():
        total = terms.get(factors, 0) + sign * coefficient
        if total:
            terms[factors] = total
        else:
            terms.pop(factors, None)
    return terms


def _shared(common: list[str], product: Iterable[str]) -> list[str]:
    """The factors of a list that a product has too, as often as both have them."""
    left, shared = list(product), []
    for factor in common:
        if factor in left:
            left.remove(factor)
            shared.append(factor)
    return shared
