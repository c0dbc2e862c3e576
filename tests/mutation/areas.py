"""Which tests look at which modules."""

from typing import NamedTuple

from .run import ROOT


class Area(NamedTuple):
    """Modules, as patterns of paths in the package, and the tests that notice mistakes in them, quick ones first."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]

    def paths(self):
        """The modules' paths from the root of the project.

        Raises:
            ValueError: a pattern without a module.
        """
        found = [sorted(ROOT.joinpath('ir_divmeasures').glob(pattern)) for pattern in self.modules]
        if not all(found):
            raise ValueError(f'no module {self.modules[found.index([])]}')
        return [
            path.relative_to(ROOT) for each in found for path in each if path.stem != '__init__'
        ]


def examples(module):
    """The test of the examples in docstrings of a module's folder."""
    return f'tests/test_docs.py::test_examples_in_docstrings[{module.parts[1]}]'


def _tests(*names):
    return tuple(f'tests/{name}.py' for name in names)


MEASURES = (
    'test_measures',
    'test_layered',
    'test_rareness',
    'test_usermodel',
    'test_fingerprints',
    'test_hierarchy',
)
AREAS = {
    'kernels': Area(
        ('core/kernels/*.py',), _tests('test_kernels', *MEASURES, 'test_recorded', 'test_limits')
    ),
    'families': Area(
        ('families/*.py',),
        _tests(
            *MEASURES,
            'test_coverage',
            'test_registry',
            'test_questions',
            'test_explain',
            'test_laws',
            'test_citations',
            'test_own_measures',
        ),
    ),
    'terms': Area(('core/terms.py',), _tests('test_terms', *MEASURES, 'test_explain')),
    'ranking': Area(
        ('core/ranking.py',),
        _tests(*MEASURES, 'test_own_measures', 'test_laws'),
    ),
    'arrays': Area(
        ('data/arrays.py', 'data/judgments.py'),
        _tests(
            'test_ids',
            'test_judgments',
            'test_measures',
            'test_adhoc',
            'test_hierarchy',
            'test_parts',
            'test_pool',
            'test_rareness',
            'test_several_runs',
            'test_laws',
        ),
    ),
    'reading': Area(
        ('data/ids.py', 'data/lines.py'),
        _tests('test_ids', 'test_lines', 'test_runs', 'test_adhoc', 'test_input', 'test_questions'),
    ),
    'checks': Area(
        ('evaluation/checks.py', 'evaluation/ties.py'),
        _tests('test_questions', 'test_gate', 'test_input', 'test_adhoc'),
    ),
    'adhoc': Area(
        ('evaluation/adhoc.py',), _tests('test_adhoc', 'test_differential', 'test_input')
    ),
    'registry': Area(
        ('core/registry.py',),
        _tests(
            'test_registry',
            'test_names',
            'test_own_measures',
            'test_hosts',
            'test_usermodel',
            'test_questions',
        ),
    ),
}
