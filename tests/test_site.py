"""The pages of measures: every measure has one, with its formula, parameters, example and sources."""

import inspect

from docs.generators import measures as pages
from ir_divmeasures.core.names import TABLE
from ir_divmeasures.core.registry import catalogue, registry

from .builders import over

MEASURES = {measure.NAME: measure for measure in catalogue()}


@over('name', MEASURES)
def test_the_docstring_of_a_measure_has_every_part_of_its_page(name):
    parts = pages.parts_of(inspect.getdoc(MEASURES[name]))
    assert parts['summary'] == MEASURES[name].SHORT_DESC
    assert parts['reference'] and '>>>' in parts['example']
    assert parts['formula'].startswith('.. math::') and '.. math::' not in parts['notes']


def test_every_other_name_of_a_measure_is_on_its_page():
    wanted = {
        (registry[target].NAME, name)
        for table in TABLE.values()
        for name, target in table.items()
        if target in registry and name != registry[target].NAME
    }
    shown = {(m.NAME, name) for m in MEASURES.values() for name in pages.other_names(m)}
    assert wanted <= shown and len(wanted) > 30
