"""Which tests look at which modules."""

from typing import NamedTuple

from .run import ROOT

PACKAGE = ROOT / 'ir_divmeasures'


class Area(NamedTuple):
    """Modules, as patterns of paths in the package, and the tests that notice mistakes in them, quick ones first.

    Both are separated by spaces, the tests without ``tests/test_`` and ``.py``.
    """

    modules: str
    names: str

    def paths(self):
        """The modules' paths from the root of the project."""
        found = [path for each in self.modules.split() for path in sorted(PACKAGE.glob(each))]
        return [path.relative_to(ROOT) for path in found]

    def tests(self, module):
        """The files of tests, and the examples in docstrings of the module's folder."""
        folder = module.parts[1].removesuffix('.py')
        folder = {'__init__': '', '__main__': 'cli'}.get(folder, folder)
        examples = f'tests/test_docs.py::test_examples_in_docstrings[{folder}]'
        return (*(f'tests/test_{name}.py' for name in self.names.split()), examples)


MEASURES = 'measures layered rareness usermodel fingerprints hierarchy'
AREAS = {
    'kernels': Area('core/kernels/*.py', f'kernels {MEASURES} recorded limits similarities'),
    'families': Area(
        'families/*.py',
        f'{MEASURES} coverage registry questions explain stopping laws citations own_measures',
    ),
    'terms': Area('core/terms.py', f'terms {MEASURES} explain'),
    'ranking': Area('core/ranking.py', f'{MEASURES} own_measures laws'),
    'registry': Area(
        '__*.py core/__init__.py core/registry.py core/names.py core/parameters.py core/citations.py '
        'presets.py typing.py lazy.py',
        'registry names citations typing own_measures nuggets usermodel docs questions startup hosts cli',
    ),
    'arrays': Area(
        'data/__init__.py data/arrays.py data/judgments.py data/intents.py data/qrels.py data/sources.py',
        'judgments coverage measures adhoc hierarchy ids judgments_kept nuggets forms input pool rareness '
        'readers several_runs parts laws',
    ),
    'reading': Area(
        'data/ids.py data/lines.py data/columns.py data/files.py data/forms.py data/runs.py data/writing.py',
        'runs judgments ids lines forms adhoc input several_runs readers limits questions writing parts',
    ),
    'hierarchies': Area(
        'data/clustering.py data/hierarchy.py data/similarity.py data/texts.py',
        'hierarchy similarities fingerprints explain dou sample layered cli',
    ),
    'nuggets': Area('data/nuggets.py', 'nuggets readers coverage input'),
    'scores': Area(
        'data/score_files.py evaluation/scores.py evaluation/means.py tables.py results.py progress.py',
        'scores score_forms results meta hostile_names cli leaderboard',
    ),
    'checks': Area(
        'evaluation/checks.py evaluation/ties.py evaluation/diagnose.py errors.py',
        'questions errors gate input adhoc several_runs hostile_names cli',
    ),
    'adhoc': Area('evaluation/adhoc.py', 'adhoc differential input'),
    'evaluate': Area(
        'evaluation/__init__.py evaluation/evaluate.py evaluation/provider.py evaluation/pooled.py '
        'evaluation/parts.py evaluation/catalogue.py evaluation/listing.py hosts.py terrier.py',
        'scores several_runs adhoc terrier membership rareness parts questions gate names examples registry '
        'own_measures hosts cli',
    ),
    'explain': Area('evaluation/explain.py', 'explain terms cli'),
    'meta': Area('meta/*.py', 'meta robustness options calibration papers'),
    'axioms': Area('axioms/*.py', 'axioms options pages papers'),
    'pools': Area('pools/*.py', 'pool membership rareness robustness options papers'),
    'studies': Area('studies/*.py', 'carterette dou papers cli'),
    'users': Area('user_models.py', 'stopping usermodel options carterette'),
    'systems': Area('systems.py sample.py demo.py', 'sample terrier examples blocks'),
    'cli': Area('cli/*.py', 'cli pages leaderboard forms score_forms hostile_names startup'),
}
missing = {*PACKAGE.rglob('*.py')} - {
    ROOT / path for area in AREAS.values() for path in area.paths()
}
if missing:
    raise ValueError(f'no area has these modules: {sorted(map(str, missing))}')
