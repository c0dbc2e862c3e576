"""Generated pages are what the code says, and examples in pages run."""

import doctest
import inspect
import re

import pytest

from docs.generators import axioms as axioms_page
from docs.generators.common import PAGES, ROOT
from docs.generators.common import rows as rows_of
from ir_divmeasures.core.registry import catalogue, registry

from .builders import one_in, over

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


def test_the_page_of_commands_is_what_the_code_says():
    page = PAGES['commands']
    assert page.file.read_text(encoding='utf-8') == page.make(), (
        'python -m docs.generators commands'
    )


def test_axioms_page_has_every_measure():
    """A row for every measure and variant, in order. Their cells are checked in tests/test_axioms.py."""
    page = PAGES['axioms'].file.read_text(encoding='utf-8')
    assert rows_of(axioms_page.constraint_table()) in page, 'python -m docs.generators axioms'
    without_a_row = page.split('## Measures without a row\n')[1]
    for family, names in axioms_page.tested_by_family().items():
        section = page.split(f'### {family[:1].upper() + family[1:]}\n', 1)[1].strip()
        rows = [row for row in section.split('\n:::\n')[0].splitlines() if row.startswith('|')][2:]
        expected = [name for name in names if f'`{name}`' not in without_a_row]
        assert [row.split('|')[1] for row in rows] == expected, family


@one_in(10)
@over('place, name', enumerate(measure.NAME for measure in catalogue()))
def test_every_formula_can_be_set(place, name, every):
    """By matplotlib, whose TeX is a part of MathJax's. The quick form sets those of every tenth measure."""
    mathtext = pytest.importorskip('matplotlib.mathtext')
    doc = inspect.getdoc(registry[name])
    formulas = re.findall(r'\.\. math::\n\n((?: {4}.*\n?)+)', doc)
    for formula in formulas + re.findall(r':math:`([^`]+)`', doc) if place % every == 0 else ():
        mathtext.MathTextParser('path').parse(f'${" ".join(formula.split())}$')


# ------------------------------------------------------------------------------------------------------- the docs


def test_examples_of_the_page_of_names():
    page = str(ROOT / 'docs/names.md')
    flags = doctest.NORMALIZE_WHITESPACE
    assert not doctest.testfile(page, module_relative=False, optionflags=flags, encoding='utf-8')[0]
