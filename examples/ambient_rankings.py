"""Rankings of AMBIENT's search results by the retrieval pipelines of the demo, for the page of Dou et al. 2019.

    python examples/ambient_rankings.py FOLDER
    ir_divmeasures study dou-2019 FOLDER/qrels.diversity runs --docs docs.jsonl --data-name 'AMBIENT, 23 rankings'

FOLDER has AMBIENT's files, and ``qrels.diversity`` with a line ``query subtopic document 1`` for each relevant result.
AMBIENT has one ranking, the engine's. The script adds 22 in about 15 seconds, and writes ``runs`` and ``docs.jsonl``
into the current folder.
"""

import pathlib
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd

from ir_divmeasures.systems import BM25, LSA, MMR, Documents, Fusion, XQuAD

folder = pathlib.Path(sys.argv[1])
columns = {
    'results.txt.gz': ['docno', 'url', 'title', 'text'],
    'topics.txt': ['qid', 'query'],
    'subTopics.txt': ['number', 'text'],
}
as_text = {
    'sep': '\t',
    'dtype': str,
    'quoting': 3,
    'keep_default_na': False,
    'encoding_errors': 'replace',
}
results, queries, subtopics = (
    pd.read_csv(folder / file, header=0, names=names, **as_text) for file, names in columns.items()
)
results['qid'] = results['docno'].str.split('.').str[0]
of_query = subtopics.groupby(subtopics['number'].str.split('.').str[0])
aspects = of_query.apply(lambda rows: [SimpleNamespace(**row) for row in rows.to_dict('records')])
topics = queries.assign(subtopics=queries['qid'].map(aspects))
documents = Documents(results[['docno', 'title', 'text']].to_dict('records'))

engine = topics.merge(results[['qid', 'docno']], on='qid')
engine['score'] = 100.0 - engine.groupby('qid').cumcount()
engine['rank'] = engine.groupby('qid').cumcount()
models = {'BM25': BM25(documents, len(results)), 'LSA': LSA(documents, depth=len(results))}
models['BM25+LSA'] = Fusion(list(models.values()))
first = {name: model(topics).merge(results[['qid', 'docno']]) for name, model in models.items()}
shuffled = np.random.default_rng(0).permutation(len(engine))
runs = {'engine': engine, 'random': engine.assign(rank=shuffled), **first}
for name in ('engine', 'BM25', 'BM25+LSA'):
    for share in (0.2, 0.4, 0.6):
        for kind in (MMR, XQuAD):
            ranker = kind(documents, trade_off=share, depth=100)
            runs[f'{name}_{kind.__name__}_{share}'] = ranker(runs[name])

pathlib.Path('runs').mkdir()
for name, run in runs.items():
    run = run.assign(Q0='Q0', score=-run['rank'], tag=name)
    fields = ['qid', 'Q0', 'docno', 'rank', 'score', 'tag']
    run[fields].to_csv(f'runs/{name}.run', sep=' ', header=False, index=False)
texts = results.assign(doc_id=results['docno'], text=results['title'] + ' ' + results['text'])
texts[['doc_id', 'text']].to_json('docs.jsonl', orient='records', lines=True)
