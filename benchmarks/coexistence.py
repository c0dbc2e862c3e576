"""Installing this package changes no number of the hosts: every measure of ir_measures, in three states of a process.

The states are: without this package, with nothing but its plugin, and after ``import ir_divmeasures``. Each measure is
computed on judgments with and without subtopics, and on runs with every usual fault, by ``ir_measures.calc``,
``ir_measures.iter_calc`` and ``pt.Experiment``. Values, warnings and exceptions are compared.

With ``--suites`` the hosts' own tests are run too, with this package imported and without: every test must end alike.
They come from the repositories of ir_measures and PyTerrier at the installed releases (their sdists have no tests, or
lack what the tests need). Without Terrier (Java, downloaded by PyTerrier) a small retriever over PyTerrier's Vaswani
fixtures stands in for it; what needs Terrier itself then fails in both.

    python benchmarks/coexistence.py [--suites [--ir-measures FOLDER] [--pyterrier FOLDER]]

The folders are clones at these releases; without them they are cloned.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from typing import Any

# ------------------------------------------------------------------------------------------------ values of the hosts

WITHOUT = '''
import importlib.metadata
real = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **kind: [] if kind.get('group') == 'pyterrier.modules' else real(**kind)
import pyterrier
'''
STATES = {
    'without': WITHOUT,
    'plugin': 'import pyterrier, ir_divmeasures_plugin; ir_divmeasures_plugin.terrier()',
    'imported': 'import pyterrier, ir_divmeasures',
}
"""What a process imports first."""
REQUIRED = {'cutoff': 3, 'rel': 1, 'max_rel': 4, 'min_rel': 0, 'T': 1.0, 'recall': 0.2, 'p': 0.8}
"""Values of parameters that some measure of ir_measures requires."""


def host_measures() -> list[Any]:
    """Every measure of ir_measures and ndeval, with the parameters that it takes."""
    import ir_measures

    from ir_divmeasures_plugin import NDEVAL

    found = {}
    for name, made in list(ir_measures.measures.registry.items()):
        if name in NDEVAL or type(made).__module__.startswith('ir_measures.measures'):
            taken = {k: v for k, v in REQUIRED.items() if k in made.SUPPORTED_PARAMS}
            found[str(made(**taken))] = made(**taken)
    return [found[name] for name in sorted(found)]


def inputs() -> Iterator[tuple[str, Any, Any]]:
    """Names of faults, with judgments (with subtopics too) and a run that have them. Ids are numbers, as gdeval asks."""
    import numpy as np
    import pandas as pd

    rows = [
        (str(q), f'd{d}', f'{t}', (3 * q + 5 * d + 7 * t) % 4)
        for q in (1, 2, 3)
        for d in range(6)
        for t in (1, 2, 3)
        if (q + d + t) % 3
    ]
    judged = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'subtopic_id', 'relevance'])
    judged['iteration'] = judged['subtopic_id']
    plain = judged.drop_duplicates(['query_id', 'doc_id']).drop(
        columns=['subtopic_id', 'iteration']
    )
    run = pd.DataFrame(
        [(str(q), f'd{(d * q) % 7}', 10.0 - d) for q in (1, 2, 3) for d in range(6)],
        columns=['query_id', 'doc_id', 'score'],
    )
    for name, qrels in (('', plain), (' with subtopics', judged)):
        grades = qrels['relevance']
        yield 'clean' + name, qrels, run
        yield 'ties' + name, qrels, run.assign(score=np.where(run.index % 2, 1.0, 2.0))
        yield 'duplicates' + name, qrels, pd.concat([run, run.iloc[:2].assign(score=0.5)])
        yield 'NaN' + name, qrels, run.assign(score=run['score'].where(run.index % 5 > 0))
        yield 'floats' + name, qrels.assign(relevance=grades / 2), run
        yield 'negative grades' + name, qrels.assign(relevance=grades - (grades == 0) * 2), run
        yield 'empty run' + name, qrels, run.iloc[:0]
        yield 'extra queries' + name, qrels, pd.concat([run, run.assign(query_id='9')])


def outcome(call: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What a call returns or raises, and its warnings, as text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            result = repr(call(*arguments))
        except subprocess.CalledProcessError:  # names temporary files
            result = 'CalledProcessError'
        except Exception as error:
            result = f'{type(error).__name__}: {error}'.partition(' object at 0x')[0]
    told = [f'{each.category.__name__}: {each.message}' for each in caught]
    return [result, [each for each in told if not each.startswith('DeprecationWarning')]]


def in_order(metrics: Any) -> list[tuple[str, str, float]]:
    """Queries, measures and values."""
    return sorted((m.query_id, str(m.measure), float(m.value)) for m in metrics)


def by_calc(measures: list[Any], qrels: Any, run: Any) -> Any:
    """Means and values of ``ir_measures.calc``."""
    import ir_measures

    means, each = ir_measures.calc(measures, qrels, run)
    return sorted((str(m), float(mean)) for m, mean in means.items()), in_order(each)


def by_iter_calc(measures: list[Any], qrels: Any, run: Any) -> Any:
    """Values of ``ir_measures.iter_calc``."""
    import ir_measures

    return in_order(ir_measures.iter_calc(measures, qrels, run))


def by_experiment(measures: list[Any], qrels: Any, run: Any) -> Any:
    """Values of ``pt.Experiment``."""
    import pandas as pd
    import pyterrier as pt

    names = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    topics = pd.DataFrame({'qid': qrels['query_id'].unique(), 'query': 'words'})
    systems, judged = [run.rename(columns=names).assign(rank=0)], qrels.rename(columns=names)
    table = pt.Experiment(systems, topics, judged, measures, names=['x'], perquery=True)
    return table.sort_values(['qid', 'measure']).astype(str).to_numpy().tolist()


def print_outcomes(subtopics: bool, quick: bool) -> None:
    """Print, as JSON, the outcome of each measure, input and call; of inputs with subtopics only if asked, and of few faults if it
    should be quick, and then of every second measure.

    ``iter_calc`` is called for each measure. ``calc`` and an experiment are called for all measures that it computes,
    and for one measure for each of its errors.
    """
    measures, found = host_measures()[:: 2 if quick else 1], {}
    for name, qrels, run in inputs():
        is_left_out = quick and not name.startswith('clean')
        if is_left_out or 'with subtopics' in name and not subtopics:
            continue
        groups: dict[tuple[bool, str], list[Any]] = {}
        for measure in measures:
            told = outcome(by_iter_calc, [measure], qrels, run)
            found[f'{measure} | {name} | iter_calc'] = told
            error = '' if told[0].startswith('[') else told[0]
            groups.setdefault((is_ndeval(str(measure)), error), []).append(measure)
        for (_, error), group in groups.items():
            asked = group[:1] if error else group
            for call, compute in (('calc', by_calc), ('pt.Experiment', by_experiment)):
                found[f'{asked[0]} | {name} | {call}'] = outcome(compute, asked, qrels, run)
    print(json.dumps(found))


def outcomes() -> dict[str, dict[str, list[Any]]]:
    """State → call → outcome, each state in a process of its own."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = {
        **os.environ,
        'PYTHONPATH': os.pathsep.join([root, *sys.path]),
        'PYTHONHASHSEED': '0',
    }
    started = {
        state: subprocess.Popen(
            [
                sys.executable,
                '-c',
                f'{first}\nfrom benchmarks.coexistence import print_outcomes\n'
                f'print_outcomes({state != "imported"}, False)',
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for state, first in STATES.items()
    }
    found = {}
    for state, process in started.items():
        printed, told = process.communicate()
        if process.returncode:
            raise RuntimeError(told[-3000:])
        found[state] = dict(json.loads(printed.splitlines()[-1]))
    return found


def differences(found: dict[str, dict[str, list[Any]]]) -> dict[str, list[str]]:
    """What is compared → the calls with another outcome than without this package."""
    alone = [key for key in found['imported'] if not is_ndeval(key)]
    imported = [
        {key: found[state].get(key, []) for key in alone} for state in ('without', 'imported')
    ]
    return {
        f'plugin alone, {len(found["without"])} calls': unlike(found['without'], found['plugin']),
        f'imported, judgments without subtopics, {len(alone)} calls of ad-hoc measures': unlike(
            *imported
        ),
    }


def unlike(one: dict[str, list[Any]], other: dict[str, list[Any]]) -> list[str]:
    """The calls with other outcomes."""
    return sorted(key for key in {*one, *other} if one.get(key) != other.get(key))


# -------------------------------------------------------------------------------------------------- tests of the hosts

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


def results_of_suite(package: str, folder: str, plugins: list[str], into: str) -> dict[str, str]:
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
    """Print the comparisons of values, and with ``--suites`` those of tests; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--suites', action='store_true')
    parser.add_argument('--ir-measures', metavar='FOLDER')
    parser.add_argument('--pyterrier', metavar='FOLDER')
    options = parser.parse_args()
    compared = differences(outcomes())
    for what, changed in compared.items():
        print(f'{what}: {len(changed)} with another outcome')
        for key in changed[:20]:
            print(f'  {key}')
    differ = sum(map(len, compared.values()))
    return int(differ > 0) | (run_suites(vars(options)) if options.suites else 0)


def is_ndeval(key: str) -> bool:
    """Whether a call is of ndeval's measures, which are ours after the import."""
    from ir_divmeasures_plugin import NDEVAL

    return key.partition(' | ')[0].partition('(')[0].partition('@')[0] in NDEVAL


def run_suites(given: dict[str, Any]) -> int:
    """Print a line for each suite, and one for each test that ends otherwise with us; 1 if any does."""
    differ = 0
    with tempfile.TemporaryDirectory() as into:
        with open(os.path.join(into, 'terrier_stand_in.py'), 'w') as file:
            file.write(STAND_IN)
        for package in SUITES:
            folder = tests_of(package, given[package], into)
            plugins = ['terrier_stand_in'] if package == 'pyterrier' else []
            without = results_of_suite(package, folder, plugins, into)
            within = results_of_suite(package, folder, ['ir_divmeasures', *plugins], into)
            kind = [
                {test: told.partition(':')[0] for test, told in found.items()}
                for found in (without, within)
            ]
            changed = [
                test
                for test in sorted(without.keys() | within.keys())
                if kind[0].get(test) != kind[1].get(test)
            ]
            passed = sum(outcome == 'passed' for outcome in without.values())
            print(
                f'{package} {importlib.metadata.version(package.replace("_", "-"))}: {len(without)} tests, {passed} '
                f'pass without ir_divmeasures, {sum(o == "passed" for o in within.values())} with it; '
                f'{len(changed)} end otherwise'
            )
            for test, outcome in without.items():
                if outcome != 'passed':
                    print(f'  without us {test}: {outcome[:150]}')
            for test in changed:
                print(f'  {test}: without {without.get(test)}; with {within.get(test)}')
            differ += len(changed)
    return int(differ > 0)


if __name__ == '__main__':
    sys.exit(main())
