"""What ir_measures 0.4.3 reads names of measures with and Python 3.14 lacks: its parser is a reference there too."""

import ast
import sys


class _Constants(type):
    types: tuple[type, ...]

    def __instancecheck__(cls, node):
        return isinstance(node, ast.Constant) and type(node.value) in cls.types


def give_back(put=setattr):
    """Put ``ast.Num``, ``Str`` and ``NameConstant`` back as they were in Python 3.13, where they are gone."""
    if sys.version_info < (3, 14):
        return
    for name, types in (
        ('Num', (int, float, complex)),
        ('Str', (str,)),
        ('NameConstant', (bool, type(None))),
    ):
        put(ast, name, _Constants(name, (), {'types': types}))
    for name in ('n', 's'):
        put(ast.Constant, name, property(lambda node: node.value))
