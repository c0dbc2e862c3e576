"""For the tests of ir_measures, in their style: measures that another package declares as an entry point.

Each test writes a package with its metadata to a temporary folder and puts that folder on the path. Registered measures
and imported modules are removed afterwards.
"""

import os
import sys
import tempfile
import unittest
import warnings

import ir_measures

PLUGIN = '''
from ir_measures import measures


class _Always(measures.Measure):
    """The same value for every query."""
    __name__ = 'Always'
    NAME = __name__
    SUPPORTED_PARAMS = {'cutoff': measures.ParamInfo(dtype=int), 'value': measures.ParamInfo(dtype=float, default=1.)}


Always = _Always()
measures.register(Always, ['Ever'])
'''


class TestEntryPoints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        known = dict(ir_measures.measures.registry)
        modules = set(sys.modules)
        sys.path.insert(0, self.folder)

        def restore():
            sys.path.remove(self.folder)
            ir_measures.measures.registry.clear()
            ir_measures.measures.registry.update(known)
            for name in set(sys.modules) - modules:
                if name.startswith('im_plugin'):
                    del sys.modules[name]

        self.addCleanup(restore)

    def declare(self, module, source, group='ir_measures.measures'):
        """A package of one module that declares this module in a group of entry points."""
        metadata = os.path.join(self.folder, f'{module}-1.0.dist-info')
        os.mkdir(metadata)
        with open(os.path.join(metadata, 'METADATA'), 'w') as f:
            f.write(f'Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n')
        with open(os.path.join(metadata, 'entry_points.txt'), 'w') as f:
            f.write(f'[{group}]\n{module} = {module}\n')
        with open(os.path.join(self.folder, f'{module}.py'), 'w') as f:
            f.write(source)

    def test_unknown_name(self):
        self.declare('im_plugin_a', PLUGIN)
        measure = ir_measures.parse_measure('Always(value=0.5)@10')
        self.assertEqual(str(measure), 'Always(value=0.5)@10')
        self.assertIs(type(measure), type(ir_measures.measures.registry['Always']))

    def test_alias(self):
        self.declare('im_plugin_b', PLUGIN)
        self.assertEqual(str(ir_measures.parse_measure('Ever@5')), 'Always@5')

    def test_known_name_imports_nothing(self):
        self.declare('im_plugin_c', PLUGIN)
        self.assertEqual(ir_measures.parse_measure('nDCG@10'), ir_measures.nDCG @ 10)
        self.assertNotIn('im_plugin_c', sys.modules)

    def test_name_that_nobody_declares(self):
        self.declare('im_plugin_d', PLUGIN)
        with self.assertRaisesRegex(NameError, 'Never'):
            ir_measures.parse_measure('Never@10')

    def test_another_group(self):
        self.declare('im_plugin_e', PLUGIN, group='something.else')
        with self.assertRaises(NameError):
            ir_measures.parse_measure('Always')
        self.assertNotIn('im_plugin_e', sys.modules)

    def test_module_that_cannot_be_imported(self):
        self.declare('im_plugin_broken', 'import im_plugin_that_does_not_exist')
        self.declare('im_plugin_f', PLUGIN)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            self.assertEqual(str(ir_measures.parse_measure('Always')), 'Always')
        self.assertIn(
            'cannot import the measures of im_plugin_broken: ModuleNotFoundError',
            '\n'.join(str(each.message) for each in caught),
        )


if __name__ == '__main__':
    unittest.main()
