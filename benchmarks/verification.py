"""Per-topic comparison with recorded outputs of ndeval 4.5, the RBU authors' program and NTCIREVAL.

    python benchmarks/verification.py ../shared

Prints, for every column of each recorded output, the number of topics compared and the largest difference. The
reference programs print 6 (ndeval) or 4 decimals (the others), so half a unit of the last place is the best possible.
"""
from __future__ import annotations

import csv
import os
import pathlib
import sys

import pandas as pd


def main(shared: pathlib.Path) -> None:
    os.environ.setdefault('IR_DATASETS_HOME', str(shared / 'ir_datasets'))
    import ir_measures

    from ir_divmeasures import measures, read_qrels, read_run

    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    from tests.test_recorded import NTCIREVAL, ndeval_name

    def scores(names: list[str], qrels: pd.DataFrame, run: pd.DataFrame) -> dict[tuple[str, str], float]:
        return {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(measures(names), qrels, run)}

    def report(label: str, differences: list[float]) -> None:
        print(f'  {label:44} {len(differences):4d} topics   {max(differences):.1e}')

    for file, year, run, alpha, beta in (
            ('indri-baseline-2011', 2011, 'indri-baseline-2011', .5, .5),
            ('indri-baseline-2012', 2012, 'indri-baseline-2012', .5, .5),
            ('indri-ql-cata-filtered-2012', 2012, 'indri-ql-cata-filtered-2012', .5, .5),
            ('indri-baseline-2011-alpha0.25-beta0.8', 2011, 'indri-baseline-2011', .25, .8)):
        print(f'ndeval 4.5 -traditional -c, {file}')
        with open(shared / 'data/ndeval' / f'{file}.csv') as lines:
            rows = [row for row in csv.DictReader(lines) if row['topic'] != 'amean']
        columns = [c for c in rows[0] if c not in ('runid', 'topic') and not (alpha != .5 and 'ERR' in c)]
        names = {c: str(measures(ndeval_name(c, alpha, beta))[0]) for c in columns}
        ours = scores(list(names.values()), read_qrels(f'clueweb09/en/trec-web-{year}/diversity'),
                      read_run(shared / f'data/runs/clueweb09/{run}.run.gz'))
        for c in columns:
            report(f'{c} = {names[c]}', [abs(float(row[c]) - ours[row['topic'], names[c]]) for row in rows])

    print("RBU authors' program, bert_cw12_reinfo, Web Track 2014")
    recorded = pd.read_csv(shared / 'data/rbu/bert_cw12_reinfo-2014.tsv', sep='\t', dtype={'query_id': str})
    qrels = read_qrels('clueweb12/trec-web-2014/diversity')
    run = read_run(shared / 'data/runs/clueweb12/bert_cw12_reinfo.run.gz')
    for column, p, e in (('p0.8_e0.03', .8, .03), ('p0.99_e0.05', .99, .05)):
        name = str(measures(f'RBU(p={p},e={e},norm=True)@100')[0])
        ours = scores([name], qrels, run)
        report(name, [abs(v - ours[q, name]) for q, v in zip(recorded['query_id'], recorded[column])])

    print('NTCIREVAL 190111, TRECRUN, cutoff 10')
    folder = shared / 'data/ntcireval'
    recorded = pd.read_csv(folder / 'expected-l10.tsv', sep='\t', dtype={'topic': str})
    qrels = read_qrels(folder / 'Dtest.Dqrels', intents=folder / 'Dtest.DINprob')
    run = read_run(folder / 'TRECRUN')
    for (table, column), group in recorded.groupby(['table', 'measure'], sort=False):
        short = column.split('@')[0]
        if short in NTCIREVAL[table]:
            name = str(measures(f'{NTCIREVAL[table][short]}@10')[0])
            ours = scores([name], qrels, run)
            report(f'{table} {short} = {name}', [abs(v - ours[q, name]) for q, v in zip(group['topic'],
                                                                                      group['value'])])


if __name__ == '__main__':
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else '../shared').resolve()
    if not (folder / 'data/ndeval').is_dir():
        raise SystemExit(f'{folder}: no recorded outputs there (expected data/ndeval, data/rbu, data/ntcireval); give '
                         f'the folder that holds them')
    main(folder)
