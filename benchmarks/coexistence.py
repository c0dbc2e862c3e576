"""The hosts' own tests, with this package imported and without: every test must end alike.

Takes the tests of ir_measures and of PyTerrier's experiments from their repositories at the installed releases (their
sdists have no tests, or lack what the tests need), and runs each suite twice: ``-p ir_divmeasures`` imports us before
the tests. Without Terrier (Java, downloaded by PyTerrier) a small retriever over PyTerrier's Vaswani fixtures stands in
for it; what needs Terrier itself then fails in both.

    python benchmarks/coexistence.py [--ir-measures FOLDER] [--pyterrier FOLDER]

The folders are clones at these releases; without them they are cloned.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SUITES = {
    'ir_measures': ('https://github.com/terrierteam/ir_measures', 'v{}', ['tests']),
    'pyterrier': (
        'https://github.com/terrier-org/pyterrier',
        '{}',
        [
            'tests/test_experiment_linear.py',
            'tests/test_experiment_tree.py',
            'tests/test_experiment_other.py',
            'tests/test_grid.py',
        ],
    ),
}

STAND_IN = '''
import collections, math, re, sys, types
import pandas as pd
import pyterrier as pt

HERE = 'tests/fixtures/vaswani_npl'
try:
    pt.java.init()
except Exception:
    def words(text):
        return re.findall('[a-z]+', text.lower())

    def read(path, tag):
        found = re.findall(rf'<{tag}>(.*?)</{tag}>(.*?)(?=<{tag}>|$)', open(path).read(), flags=re.S)
        return {number.strip(): words(re.sub('<[^>]+>', ' ', text)) for number, text in found}

    class Dataset:
        def get_topics(self, *args, **kwargs):
            topics = read(HERE + '/query-text.trec', 'num')
            return pd.DataFrame([(q, ' '.join(text)) for q, text in topics.items()], columns=['qid', 'query'])

        def get_qrels(self, *args, **kwargs):
            return pt.io.read_qrels(HERE + '/qrels')

        def get_index(self, *args, **kwargs):
            return INDEX

    class Index:
        def __init__(self):
            self.postings = collections.defaultdict(dict)
            documents = read(HERE + '/corpus/doc-text.trec', 'DOCNO')
            self.n = len(documents)
            for document, text in documents.items():
                for word, count in collections.Counter(text).items():
                    self.postings[word][document] = count / (count + 0.4 + 0.8 * len(text) / 40)

    class Retriever(pt.Transformer):
        def __init__(self, index, wmodel='BM25', controls=None, num_results=100, **kwargs):
            self.parameters = {'wmodel': wmodel, **(controls or {})}
            self.num_results = num_results

        def get_parameter(self, name):
            return self.parameters[name]

        def set_parameter(self, name, value):
            self.parameters[name] = value

        def __repr__(self):
            return f"TerrierRetr({self.parameters['wmodel']})"

        def transform(self, inp):
            pt.validate.query_frame(inp, ['query'])
            power = 2 if self.parameters['wmodel'] == 'BM25' else 1
            power += float(self.parameters.get('c', 0)) / 100
            frames = []
            for row in inp.itertuples(index=False):
                scores = collections.Counter()
                for word in row.query.split():
                    found = INDEX.postings.get(word, {})
                    for document, weight in found.items():
                        scores[document] += weight * math.log(1 + INDEX.n / len(found)) ** power
                top = scores.most_common(self.num_results)
                frames.append(pd.DataFrame({'qid': row.qid, 'query': row.query, 'docid': [int(d) for d, _ in top],
                                            'docno': [d for d, _ in top], 'score': [s for _, s in top]}))
            columns = ['qid', 'query', 'docid', 'docno', 'score']
            found = pd.concat(frames) if frames else pd.DataFrame(columns=columns)
            return pt.model.add_ranks(found.reset_index(drop=True))

    INDEX = Index()
    pt.java.init = lambda *args, **kwargs: None
    pt.java.started = lambda: True
    pt.IndexFactory = types.SimpleNamespace(of=lambda *args, **kwargs: INDEX)
    pt.terrier.Retriever = Retriever
    pt.get_dataset = pt.datasets.get_dataset = lambda *args, **kwargs: Dataset()
    print('stand-in for Terrier')
'''


def tests_of(package: str, folder: str | None, into: str) -> str:
    """The folder of a package's repository at the installed release."""
    url, tag, _ = SUITES[package]
    if folder is None:
        folder = os.path.join(into, package)
        subprocess.run(
            [
                'git',
                'clone',
                '--quiet',
                '--depth',
                '1',
                '--branch',
                tag.format(importlib.metadata.version(package.replace('_', '-'))),
                url,
                folder,
            ],
            check=True,
        )
    return folder


def outcomes(package: str, folder: str, plugins: list[str], into: str) -> dict[str, str]:
    """Each test of a suite with its outcome, and the first line of its error."""
    report = os.path.join(into, 'report.xml')
    command = [
        sys.executable,
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        f'--junitxml={report}',
        '--continue-on-collection-errors',
        *(f'-p{plugin}' for plugin in plugins),
        *SUITES[package][2],
    ]
    subprocess.run(
        command,
        cwd=folder,
        env={
            **os.environ,
            'PYTHONPATH': os.pathsep.join(
                [into, os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
            ),
        },
        stdout=subprocess.DEVNULL,
        check=False,
    )
    found = {}
    for case in ElementTree.parse(report).iter('testcase'):
        bad = [child for child in case if child.tag in ('failure', 'error', 'skipped')]
        message = bad[0].get('message', '').partition('\n')[0] if bad else ''
        found[f"{case.get('classname')}.{case.get('name')}"] = (
            f'{bad[0].tag}: {message}' if bad else 'passed'
        )
    return found


def main() -> int:
    """Print a line for each suite, and one for each test that ends otherwise with us; 1 if any does."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--ir-measures', metavar='FOLDER')
    parser.add_argument('--pyterrier', metavar='FOLDER')
    given = vars(parser.parse_args())
    differ = 0
    with tempfile.TemporaryDirectory() as into:
        with open(os.path.join(into, 'terrier_stand_in.py'), 'w') as file:
            file.write(STAND_IN)
        for package in SUITES:
            folder = tests_of(package, given[package], into)
            plugins = ['terrier_stand_in'] if package == 'pyterrier' else []
            without = outcomes(package, folder, plugins, into)
            within = outcomes(package, folder, ['ir_divmeasures', *plugins], into)
            kind = [
                {test: told.partition(':')[0] for test, told in found.items()}
                for found in (without, within)
            ]
            unlike = [
                test
                for test in sorted(without.keys() | within.keys())
                if kind[0].get(test) != kind[1].get(test)
            ]
            passed = sum(outcome == 'passed' for outcome in without.values())
            print(
                f'{package} {importlib.metadata.version(package.replace("_", "-"))}: {len(without)} tests, {passed} '
                f'pass without ir_divmeasures, {sum(o == "passed" for o in within.values())} with it; '
                f'{len(unlike)} end otherwise'
            )
            for test, outcome in without.items():
                if outcome != 'passed':
                    print(f'  without us {test}: {outcome[:150]}')
            for test in unlike:
                print(f'  {test}: without {without.get(test)}; with {within.get(test)}')
            differ += len(unlike)
    return int(differ > 0)


if __name__ == '__main__':
    sys.exit(main())
