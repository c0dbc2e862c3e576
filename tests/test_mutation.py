"""The mutation job (``python -m tests.mutation``): its mistakes, its sample, and its lists."""

import functools

from .mutation.__main__ import candidates
from .mutation.areas import AREAS
from .mutation.equivalent import EQUIVALENT, reason
from .mutation.operators import mutants
from .mutation.run import ROOT


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
