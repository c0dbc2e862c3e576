"""Our values beside those of other programs: ndeval 4.5, the RBU authors' program, NTCIREVAL and the programs of TREC
Dynamic Domain as they were recorded; pyndeval and cwl_eval as they are installed.

    python benchmarks/verification.py ../shared                # print the comparisons
    python benchmarks/verification.py ../shared --json         # and write benchmarks/results/agreement.json

The site shows the file on the page of each measure. Recorded outputs have as many decimals as their program prints
(ndeval 6, NTCIREVAL and the RBU authors' program 4, the cube tests 10), so that half a unit of the last decimal is the
smallest difference that can be expected.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import importlib.metadata
import json
import os
import pathlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / 'benchmarks/results/agreement.json'
SEEDS = range(4)


@dataclass
class Comparison:
    """One measure with one setting, beside one program.

    Attributes:
        measure: its name in the registry.
        setting: the measure that was computed, as it is written.
        program: the program, with its version and options.
        column: what the program calls it.
        data: what was scored.
        values: number of values compared, without those that deviate in a known way.
        largest: the largest absolute difference of these.
        decimals: number of decimals that the program prints; None for 64-bit numbers.
        deviations: number of values for each known deviation.
    """

    measure: str
    setting: str
    program: str
    column: str
    data: str
    values: int
    largest: float
    decimals: int | None = None
    deviations: dict[str, int] = field(default_factory=dict)


def scores(
    names: list[str], qrels: pd.DataFrame, run: pd.DataFrame
) -> dict[tuple[str, str], float]:
    """(query, measure) → value."""
    import ir_measures

    from ir_divmeasures import measures

    return {
        (m.query_id, str(m.measure)): m.value
        for m in ir_measures.iter_calc(measures(names), qrels, run)
    }


def compared(
    name: str,
    program: str,
    column: str,
    data: str,
    differences: list[float],
    decimals: int | None = None,
    deviations: dict[str, int] | None = None,
) -> Comparison:
    """A comparison from its differences."""
    from ir_divmeasures import measures

    (made,) = measures(name)
    return Comparison(
        made.NAME,
        str(made),
        program,
        column,
        data,
        len(differences),
        float(max(differences)),
        decimals,
        deviations or {},
    )


def by_ndeval(shared: pathlib.Path) -> Iterator[Comparison]:
    from ir_divmeasures import read_qrels, read_run
    from tests.test_recorded import of_ndeval

    for file, year, run, alpha, beta in (
        ('indri-baseline-2011', 2011, 'indri-baseline-2011', 0.5, 0.5),
        ('indri-baseline-2012', 2012, 'indri-baseline-2012', 0.5, 0.5),
        ('indri-ql-cata-filtered-2012', 2012, 'indri-ql-cata-filtered-2012', 0.5, 0.5),
        ('indri-baseline-2011-alpha0.25-beta0.8', 2011, 'indri-baseline-2011', 0.25, 0.8),
    ):
        with open(shared / 'data/ndeval' / f'{file}.csv') as lines:
            rows = [row for row in csv.DictReader(lines) if row['topic'] != 'amean']
        columns = [
            c for c in rows[0] if c not in ('runid', 'topic') and not (alpha != 0.5 and 'ERR' in c)
        ]
        names = {c: str(of_ndeval(c, alpha=alpha, beta=beta)) for c in columns}
        ours = scores(
            list(names.values()),
            read_qrels(f'clueweb09/en/trec-web-{year}/diversity'),
            read_run(shared / f'data/runs/clueweb09/{run}.run.gz'),
        )
        for c in columns:
            yield compared(
                names[c],
                'ndeval 4.5 (-traditional -c)',
                c,
                f'Web Track {year}, run {run}',
                [abs(float(row[c]) - ours[row['topic'], names[c]]) for row in rows],
                6,
            )


def by_rbu_program(shared: pathlib.Path) -> Iterator[Comparison]:
    from ir_divmeasures import measures, read_qrels, read_run

    recorded = pd.read_csv(
        shared / 'data/rbu/bert_cw12_reinfo-2014.tsv', sep='\t', dtype={'query_id': str}
    )
    qrels = read_qrels('clueweb12/trec-web-2014/diversity')
    run = read_run(shared / 'data/runs/clueweb12/bert_cw12_reinfo.run.gz')
    for column, p, e in (('p0.8_e0.03', 0.8, 0.03), ('p0.99_e0.05', 0.99, 0.05)):
        name = str(measures(f'RBU(p={p},e={e},norm=True)@100')[0])
        ours = scores([name], qrels, run)
        yield compared(
            name,
            'program of the authors (Amigó et al. 2018)',
            'RBU',
            'Web Track 2014, run bert_cw12_reinfo',
            [abs(v - ours[q, name]) for q, v in zip(recorded['query_id'], recorded[column])],
            4,
        )


def by_ntcireval(shared: pathlib.Path) -> Iterator[Comparison]:
    from ir_divmeasures import read_qrels, read_run
    from tests.test_recorded import of_ntcireval

    folder = shared / 'data/ntcireval'
    recorded = pd.read_csv(folder / 'expected-l10.tsv', sep='\t', dtype={'topic': str})
    qrels = read_qrels(folder / 'Dtest.Dqrels', intents=folder / 'Dtest.DINprob')
    run = read_run(folder / 'TRECRUN')
    for (table, column), group in recorded.groupby(['table', 'measure'], sort=False):
        if made := of_ntcireval(table, column):
            name = str(made)
            ours = scores([name], qrels, run)
            yield compared(
                name,
                'NTCIREVAL 190111',
                column,
                "NTCIREVAL's own test data, TRECRUN",
                [abs(v - ours[q, name]) for q, v in zip(group['topic'], group['value'])],
                4,
            )


def by_dynamic_domain(shared: pathlib.Path) -> Iterator[Comparison]:
    """Three topics, and the mean of all topics of the run."""
    from ir_divmeasures import measures, read_qrels
    from tests import test_dynamic_domain as recorded

    folder = shared / 'data/trec-dd'
    data = 'Dynamic Domain 2016, sample run'
    for passages, table, program in (
        ('log', recorded.PERL, 'cubeTest_dd.pl (trec-dd-jig)'),
        ('sum', recorded.PYTHON, 'cubetest.py (trec-dd-jig)'),
    ):
        qrels = read_qrels(folder / 'dd16-passage-qrels.txt.gz', passages=passages)
        for k, wanted in table['as it is'].items():
            names = [f'CubeTest@{k}', f'ACubeTest@{k}']
            for name, ours, theirs in zip(
                names, recorded.scored(names, qrels, folder / 'dd16-run.txt'), zip(*wanted)
            ):
                yield compared(
                    name,
                    program,
                    name.replace('ACubeTest', 'ACT').replace('CubeTest', 'CT'),
                    data,
                    np.abs(np.subtract(ours, theirs)).tolist(),
                    10,
                )
    qrels = read_qrels(folder / 'dd16-passage-qrels.txt.gz', passages='max')
    for name, theirs in recorded.HARNESS['as it is'].items():
        (ours,) = recorded.scored(name, qrels, folder / 'dd16-run.txt')
        yield compared(
            str(measures(name)[0]),
            'trec-dd-simulation-harness (2015)',
            name.partition('(')[0],
            data,
            np.abs(np.subtract(ours, theirs)).tolist(),
        )


def by_pyndeval() -> Iterator[Comparison]:
    """Random queries with ties, unjudged documents, negative grades and queries without a relevant document."""
    from tests import test_differential as random

    program = f'pyndeval {importlib.metadata.version("pyndeval")}'
    differences: dict[str, list[float]] = {}
    deviations: dict[str, Counter[str]] = {}
    for setting, (seed, n, subtopics, alpha, beta, rel, _) in random.SETTINGS.items():
        qrels, run = random.collection(seed, n, subtopics)
        asked = {str(m): m for m in random.asked_of_ndeval(alpha, beta, rel)}
        ours = random.scored(list(asked.values()), qrels, run)
        theirs = random.by_pyndeval(
            list(asked.values()), qrels, random.untied(run), alpha, beta, rel
        )
        off = random.unlike(ours, theirs)
        for key, value in ours.items():
            name = asked[key[0]].NAME
            if key not in off:
                differences.setdefault(name, []).append(abs(value - theirs[key]))
                continue
            kind = random.deviation(asked[key[0]], key[1], off[key], qrels, alpha, beta, rel)
            if kind is None:
                raise ValueError(f'{setting}: {key} is {value} here and {theirs[key]} there')
            deviations.setdefault(name, Counter())[kind] += 1
    for name, found in differences.items():
        yield compared(
            name,
            program,
            random.NDEVAL[name],
            f'{len(random.SETTINGS)} random collections, α, β, rel and cutoffs varied',
            found,
            deviations=dict(deviations.get(name, {})),
        )


def by_cwl_eval() -> Iterator[Comparison]:
    from tests import test_cwl
    from tests import test_differential as random

    depth = 40
    qrels, run = random.collection(300, 200)
    ranked = random.untied(run)
    best = (
        qrels.assign(relevance=qrels['relevance'].clip(lower=0))
        .groupby(['query_id', 'doc_id'])['relevance']
        .max()
    )
    gains = ranked.join(best, on=['query_id', 'doc_id'])['relevance'] / 4
    for C, params in test_cwl.NO_OVERFLOW:
        written = ','.join(f'{name}={value}' for name, value in {'C': repr(C), **params}.items())
        asked = test_cwl.five(C, params, gain='linear', max_rel=4, depth=depth)
        ours = random.scored(asked, qrels, run)
        differences = [
            abs(mine - its)
            for query, rows in gains.groupby(ranked['query_id'], sort=False)
            for mine, its in zip(
                (ours[str(m), query] for m in asked),
                test_cwl.by_cwl_eval(C, params, rows.tolist(), [np.nan] * len(rows), depth),
            )
        ]
        yield compared(
            f'CWL({written})',
            f'cwl_eval {importlib.metadata.version("cwl-eval")}',
            C,
            'random collection of 200 queries, five outputs and their residuals',
            differences,
        )


def comparisons(shared: pathlib.Path) -> Iterator[Comparison]:
    """All comparisons."""
    for part in (by_ndeval, by_rbu_program, by_ntcireval, by_dynamic_domain):
        yield from part(shared)
    yield from by_pyndeval()
    yield from by_cwl_eval()


def main() -> None:
    parser = argparse.ArgumentParser(
        description='Compares our values with those of other programs.'
    )
    parser.add_argument(
        'shared',
        type=pathlib.Path,
        nargs='?',
        default=ROOT.parent / 'shared',
        help='folder with the recorded outputs (data/ndeval, data/rbu, data/ntcireval, data/trec-dd)',
    )
    parser.add_argument(
        '--json', action='store_true', help=f'also write {RESULTS.relative_to(ROOT)}'
    )
    options = parser.parse_args()
    shared = options.shared.resolve()
    if not (shared / 'data/ndeval').is_dir():
        raise SystemExit(
            f'{shared}: no recorded outputs there (expected data/ndeval, data/rbu, data/ntcireval); give '
            f'the folder that holds them'
        )
    os.environ.setdefault('IR_DATASETS_HOME', str(shared / 'ir_datasets'))
    sys.path.insert(0, str(ROOT))
    warnings.simplefilter('ignore')
    found = []
    for each in comparisons(shared):
        found.append(each)
        print(
            f'{each.program:44} {each.setting:48} {each.values:6d} values   {each.largest:.1e}'
            + (f'   {each.deviations}' if each.deviations else ''),
            flush=True,
        )
    if options.json:
        table = {
            'date': datetime.date.today().isoformat(),
            'comparisons': [asdict(each) for each in found],
        }
        RESULTS.write_text(json.dumps(table, indent=1, ensure_ascii=False) + '\n', encoding='utf-8')
        print(f'wrote {RESULTS.relative_to(ROOT)}')


if __name__ == '__main__':
    main()
