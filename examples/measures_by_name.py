"""Measures by name in ir_measures: two rankings that nDCG cannot tell apart.

Both rankings contain the same documents of the sample collection, in the order of their best grade. They differ among
documents of equal grade: "one meaning" lists subtopic after subtopic, "many meanings" takes turns.

    python examples/measures_by_name.py
"""

import ir_measures

import ir_divmeasures
from ir_divmeasures import read_qrels

qrels = read_qrels('divmeasures/sample/diversity')
relevant = qrels[qrels['relevance'] > 0]  # in the order of query and subtopic

runs: dict[str, dict[str, dict[str, float]]] = {'one meaning': {}, 'many meanings': {}}
for query, rows in relevant.groupby('query_id'):
    grade = rows.groupby('doc_id', sort=False)['relevance'].max()
    subtopic = rows.groupby('doc_id', sort=False)['subtopic_id'].first()
    turn = grade.groupby(
        [grade, subtopic], sort=False
    ).cumcount()  # its place in its grade and subtopic
    for name, order in (('one meaning', range(len(grade))), ('many meanings', turn)):
        ranking = sorted(zip(-grade, order, range(len(grade)), grade.index))
        runs[name][query] = {doc: -float(rank) for rank, (*_, doc) in enumerate(ranking)}

names = [
    'nDCG@10',
    'alpha_nDCG@10',
    'RBU(p=0.99,e=0.05)@10',
    'Dsharp_nDCG@10',
    'StRecall@3',
    'ERR_IA@10',
]
measures = ir_divmeasures.measures(names)
evaluator = ir_measures.evaluator(measures, qrels)  # judgments are read once for all runs
means = {name: evaluator.calc_aggregate(run) for name, run in runs.items()}
print(f'{"mean of 40 queries":24}' + ''.join(f'{name:>15}' for name in runs))
for measure in measures:
    print(f'{measure!s:24}' + ''.join(f'{means[name][measure]:15.4f}' for name in runs))

print('\nQuery 1, "jaguar":')
for name, run in runs.items():
    only = {
        metric.measure: metric.value
        for metric in evaluator.iter_calc(run)
        if metric.query_id == '1'
    }
    print(f'{name:15}' + '  '.join(f'{measure} {only[measure]:.3f}' for measure in measures))
