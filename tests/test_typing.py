"""Editors see the measures: the package names each of them as a measure."""

import ir_divmeasures
from ir_divmeasures.core.registry import DivMeasure, catalogue, registry


def test_annotations_name_exactly_the_measures():
    own = {made.NAME for made in catalogue()}
    names = {name for name, made in registry.items() if made.NAME in own}
    annotated = {
        name: kind
        for name, kind in ir_divmeasures.__annotations__.items()
        if kind in (DivMeasure, 'DivMeasure')
    }
    assert set(annotated) == names
    for name in names:
        assert getattr(ir_divmeasures, name) is registry[name]
