"""Every twin and every case on paper: what the modules of this package call TWINS and CASES.

A twin is ``f(query, **parameters) -> float``, of a query whose aspects are in a reading; a case is (measure, query,
parameters, value).
"""

import importlib
import pathlib

_modules = [
    importlib.import_module(f'{__package__}.{path.stem}')
    for path in sorted(pathlib.Path(__file__).parent.glob('*.py'))
    if path.stem not in ('__init__', 'every')
]

TWINS = {
    name: twin
    for module in _modules
    for name, twin in getattr(module, 'TWINS', {}).items()
    if not module.__name__.endswith('by_hand')
}
CASES = [case for module in _modules for case in getattr(module, 'CASES', [])]


LISTED = ('Coverage', 'P_at_Recall', 'RR_at_Recall')
"""Measures whose aspects are, by default, all that the judgments list."""


def literal(name, query, aspects=None, **params):
    """The value of a measure's twin, the query's aspects in the reading asked for."""
    return TWINS[name](
        query.read(aspects or ('listed' if name in LISTED else 'relevant')), **params
    )
