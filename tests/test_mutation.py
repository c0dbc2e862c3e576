"""The mutation job (``python -m tests.mutation``): its mistakes, its sample, and its lists."""

from __future__ import annotations

import ast
import functools

from .builders import over
from .mutation.__main__ import candidates
from .mutation.areas import AREAS
from .mutation.equivalent import EQUIVALENT, reason
from .mutation.operators import mutants
from .mutation.run import ROOT


@over(
    'source, expected',
    [
        ('a < b', {'(a <= b)', '(a >= b)'}),
        ('a is None', {'(a is not None)'}),
        ('a + b', {'(a - b)'}),
        ('-a', {'a'}),
        ('f(x, y)', {'f(y, x)'}),
        ('max(x, y)', {'min(x, y)'}),
        ('x[:n]', {'x[:n + 1]'}),
        ('[a, b, c]', {'[b, a, c]'}),
        ('np.cumsum(x)', {'np.cumprod(x)', 'x'}),
        ('f(x, key=y)', {'f(x)'}),
        ('a and b', {'(a or b)'}),
        ('a if b else c', {'a if (not b) else c'}),
        ('True', {'False'}),
        ('3', {'4', '2'}),
        ('[x for x in y if z]', {'[x for x in y if True]'}),
        ("f'{1}'", set()),
    ],
)
def test_mistakes(source, expected):
    assert {mutant.after for mutant in mutants(f'def f():\n    return {source}')} == {
        f'return {x}' for x in expected
    }


@over('source, omitted', [('x.y = z', True), ('f()', True), ('x += y', True), ('x = y', False)])
def test_omitted_statements(source, omitted):
    assert ('pass' in {mutant.after for mutant in mutants(f'def f():\n    {source}')}) == omitted


def test_a_mistake_is_one_and_leaves_the_rest_as_it_is():
    source = 'def f(x: "int | None" = 0):  # ≥ 0\n    """a < b"""\n    if x:\n        raise ValueError\n    return x\n'
    found = mutants(source)
    assert [(mutant.line, mutant.before, mutant.after) for mutant in found] == [
        (1, 'def f(x: "int | None" = 0):  # ≥ 0', 'def f(x: "int | None" = -1):  # ≥ 0'),
        (1, 'def f(x: "int | None" = 0):  # ≥ 0', 'def f(x: "int | None" = 1):  # ≥ 0'),
        (3, 'if x:', 'if (not x):'),
        (4, 'raise ValueError', 'pass'),
    ]
    for mutant in found:
        assert mutant.source(source).replace(mutant.after, mutant.before) == source
        ast.parse(mutant.source(source))


def test_every_test_file_is_there_and_every_area_has_mutants():
    for name, area in AREAS.items():
        assert all((ROOT / test).is_file() for test in area.tests), name
        assert candidates([area]), name


def test_equivalent_mutants_are_of_lines_that_are_there():
    """An entry whose line has changed may hide a mistake: it goes, or is looked at again."""
    mutants_of = functools.cache(
        lambda module: mutants((ROOT / 'ir_divmeasures' / module).read_text(encoding='utf-8'))
    )
    for module, before, after in EQUIVALENT:
        found = mutants_of(module)
        assert any(
            before in mutant.before and (after is None or after in mutant.after) for mutant in found
        ), before
    area = AREAS['kernels']
    assert not any(
        reason('core/kernels/discount.py', mutant)
        for _, path, mutant in candidates([area])
        if path.name == 'discount.py'
    )
