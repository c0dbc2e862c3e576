"""Diversity measures as columns of a PyTerrier experiment: BM25, LSA, and BM25 re-ranked by MMR and by xQuAD.

Runs on the sample collection that ir_divmeasures registers with ir_datasets:

    pip install '.[demo]'
    python examples/pyterrier_experiment.py
"""

import ir_datasets
import pyterrier as pt

from ir_divmeasures import measures, sample
from ir_divmeasures.systems import BM25, LSA, MMR, Documents, XQuAD
from ir_divmeasures.terrier import get_qrels, get_topics

dataset = ir_datasets.load('divmeasures/sample/diversity')
topics = get_topics(dataset)  # qid, query, subtopics, …
qrels = get_qrels(dataset, weights=sample.INTENTS)  # qid, docno, label, subtopic_id, weight

documents = Documents(dataset.docs_iter())
bm25, lsa = BM25(documents), LSA(documents)
systems = {
    'BM25': bm25,
    'LSA': lsa,
    'BM25 >> MMR': bm25 >> MMR(documents),
    'BM25 >> xQuAD': bm25 >> XQuAD(documents),
}

# measures() makes measure objects of names, ours and those of ir_measures. You can also pass the names themselves.
columns = measures('RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 Dsharp_nDCG@20 nDCG@20')
result = (
    pt.Experiment(
        list(systems.values()),
        topics,
        qrels,
        columns,
        names=list(systems),
        baseline=0,
        correction='holm',
        verbose=False,
    )
    .set_index('name')
    .rename_axis(None)
)
print(result[list(map(str, columns))].to_string(float_format='{:.4f}'.format))

print('\nAgainst BM25: queries better and worse, and p-values of a paired t-test (Holm)')
for measure in columns:
    print(f'\n{measure}')
    for name, row in result[1:].iterrows():
        better, worse, p = (
            row[f'{measure} +'],
            row[f'{measure} -'],
            row[f'{measure} p-value corrected'],
        )
        print(f'  {name:14} {better:3.0f} better {worse:3.0f} worse   p = {p:.2g}')
