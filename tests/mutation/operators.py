"""Small mistakes in Python source: each changes one expression or one statement.

A mistake replaces a stretch of the source text, so that everything else stays as written.
"""

import ast
import copy
import itertools
from typing import NamedTuple

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {
    'max': 'min',
    'maximum': 'minimum',
    'argmax': 'argmin',
    'any': 'all',
    'ones': 'zeros',
    'ones_like': 'zeros_like',
    'floor': 'ceil',
    'cumsum': 'cumprod',
}
NAMES |= {new: old for old, new in NAMES.items()}
SYMMETRIC = {'minimum', 'maximum', 'min', 'max'}
CALLS_TO_OMIT = {
    'cumsum',
    'cumprod',
    'round',
    'maximum',
    'minimum',
    'abs',
    'sort',
    'sorted',
    'reversed',
    'cut',
    'copy',
    'clip',
    'unique',
}
TEXTS = {'left': 'right', 'right': 'left', 'inf': 'nav'}


class Mutant(NamedTuple):
    """A mistake: its line, the changed lines before and after, and which bytes of the source become which text."""

    line: int
    before: str
    after: str
    begin: int
    end: int
    text: str

    def source(self, original):
        """The module's source with the mistake."""
        raw = original.encode()
        return (raw[: self.begin] + self.text.encode() + raw[self.end :]).decode()


def mutants(source):
    """All mistakes that the operators make in a module, in the order of its lines, none twice."""
    raw = source.encode()
    lines = raw.split(b'\n')
    starts = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    result = set()
    for node, text in _replacements(ast.parse(source)):
        first, last = node.lineno - 1, node.end_lineno - 1
        begin, end = starts[first] + node.col_offset, starts[last] + node.end_col_offset
        if raw[begin:end].decode() == text:
            continue  # such as (x, x) with its elements exchanged
        head, tail = (
            lines[first][: node.col_offset].decode(),
            lines[last][node.end_col_offset :].decode(),
        )
        before = b'\n'.join(lines[first : last + 1]).decode()
        result.add(
            Mutant(node.lineno, _one_line(before), _one_line(head + text + tail), begin, end, text)
        )
    return sorted(result)


def _one_line(text):
    return ' '.join(line.strip() for line in text.split('\n'))


def _replacements(tree):
    """Each node to replace, and the text that replaces it."""
    for node in _walk(tree):
        for operator in OPERATORS:
            for new in operator(node):
                text = ast.unparse(ast.fix_missing_locations(new))
                yield (
                    node,
                    f'({text})'
                    if isinstance(new, (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp))
                    else text,
                )


def _walk(node):
    """The code that runs: no annotations, names of types, docstrings, texts made of parts, blocks for type checkers."""
    if (
        isinstance(node, ast.JoinedStr)
        or isinstance(node, ast.If)
        and ast.unparse(node.test) == 'TYPE_CHECKING'
    ):
        return
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        node.test.is_condition = True  # type: ignore[attr-defined]
    for each in node.ifs if isinstance(node, ast.comprehension) else []:
        each.is_filter = True  # type: ignore[attr-defined]
    yield node
    for name, value in ast.iter_fields(node):
        if name in ('annotation', 'returns'):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            all_names = isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == '__all__'
            alias = isinstance(node, ast.Module) and isinstance(
                getattr(child, 'value', None), ast.Subscript
            )
            if isinstance(child, ast.AST) and not (is_text or all_names or alias):
                yield from _walk(child)


def _with(node, **fields):
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def compare(node):
    """``<`` becomes ``<=`` or ``>=``, ``==`` becomes ``!=``, …"""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS[type(node.ops[0])]:
            yield _with(node, ops=[other()])


def compute(node):
    """``+`` becomes ``−``, ``*`` becomes ``/``, ``&`` becomes ``|``, a sign or ``~`` goes."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in ARITHMETIC:
        yield _with(node, op=ARITHMETIC[type(node.op)]())
    if isinstance(node, ast.UnaryOp):
        yield node.operand


def change_constant(node):
    """Numbers plus and minus 1, truth values negated, and a few texts that choose."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, (int, float)):
            yield ast.Constant(node.value + 1)
            yield ast.Constant(node.value - 1)
        elif isinstance(node.value, str) and node.value in TEXTS:
            yield ast.Constant(TEXTS[node.value])


def decide(node):
    """``and`` becomes ``or``, a condition its opposite or, in a comprehension, true."""
    if isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if getattr(node, 'is_condition', False) and not isinstance(
        node, (ast.Compare, ast.UnaryOp)
    ):  # made above
        yield ast.UnaryOp(ast.Not(), node)
    if getattr(node, 'is_filter', False):
        yield ast.Constant(True)


def call(node):
    """A related function, two arguments exchanged, a keyword omitted, or the argument in place of the call."""
    if not isinstance(node, ast.Call):
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, 'id', '')
    if name in NAMES:
        new = NAMES[name]
        yield _with(
            node,
            func=_with(
                node.func, **{'attr' if isinstance(node.func, ast.Attribute) else 'id': new}
            ),
        )
    starred = any(isinstance(each, ast.Starred) for each in node.args[:2])
    if len(node.args) >= 2 and name not in SYMMETRIC and not starred:
        yield _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    for number, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            yield _with(node, keywords=[*node.keywords[:number], *node.keywords[number + 1 :]])
    if name in CALLS_TO_OMIT:
        of_numpy = (
            not isinstance(node.func, ast.Attribute) or getattr(node.func.value, 'id', '') == 'np'
        )
        if of_numpy and node.args:
            yield node.args[0]
        elif isinstance(node.func, ast.Attribute):
            yield node.func.value


def omit_statement(node):
    """``pass`` in place of a statement whose absence is no error by itself."""
    stored = isinstance(node, ast.Assign) and all(
        isinstance(each, (ast.Subscript, ast.Attribute)) for each in node.targets
    )
    if stored or isinstance(node, (ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Expr)):
        yield ast.Pass()


OPERATORS = (
    compare,
    compute,
    change_constant,
    decide,
    call,
    omit_statement,
)
