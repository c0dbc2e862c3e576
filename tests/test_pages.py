"""Generated pages are what the code says, and examples in pages run."""

import doctest
import inspect
import re

import pytest

from docs.generators import axioms as axioms_page
from docs.generators.common import PAGES, ROOT
from docs.generators.common import rows as rows_of
from ir_divmeasures import axioms
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


@one_in(12)
def test_axioms_page_has_every_measure(every):
    """A row for every measure and variant, in order; the first row of every family is computed anew, in full. The quick
    form computes that of the first family.

    Table 1 is checked in tests/test_axioms.py.
    """
    page = PAGES['axioms'].file.read_text(encoding='utf-8')
    assert rows_of(axioms_page.constraint_table()) in page, 'python -m docs.generators axioms'
    without_a_row = page.split('## Measures without a row\n')[1]
    computed = {}
    for place, (family, names) in enumerate(axioms_page.tested_by_family().items()):
        section = page.split(f'### {family[:1].upper() + family[1:]}\n', 1)[1].strip()
        table = section.split('\n:::\n')[0].splitlines()
        rows = [line for line in table if line.startswith('|')][2:]
        left_out = [name for name in names if f'`{name}`' in without_a_row]
        assert [row.split('|')[1] for row in rows] == [
            name for name in names if name not in left_out
        ], family
        if place % every == 0 and names[0] not in left_out:
            computed[names[0]] = rows[0]
    made = axioms_page.rows(axioms.table(list(computed))).splitlines()
    assert made == list(computed.values()) and len(made) > 6 / every


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
