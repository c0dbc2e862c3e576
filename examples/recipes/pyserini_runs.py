"""Pyserini: search a Lucene index, write a TREC run, and score it with any measures."""

import json
import pathlib
import subprocess
import sys
import tempfile

from pyserini.output_writer import OutputFormat, get_output_writer
from pyserini.search.lucene import LuceneSearcher
from tiny import docs, qrels, queries

from ir_divmeasures import evaluate

folder = pathlib.Path(tempfile.mkdtemp())
(folder / 'docs').mkdir()
(folder / 'docs/docs.jsonl').write_text(
    '\n'.join(json.dumps({'id': i, 'contents': t}) for i, t in docs.items())
)
subprocess.run(
    [
        sys.executable,
        '-m',
        'pyserini.index.lucene',
        '--collection',
        'JsonCollection',
        '--input',
        folder / 'docs',
        '--index',
        folder / 'index',
        '--generator',
        'DefaultLuceneDocumentGenerator',
    ],
    check=True,
)
hits = LuceneSearcher(str(folder / 'index')).batch_search(
    list(queries.values()), list(queries), k=20, threads=2
)
with get_output_writer(str(folder / 'bm25.txt'), OutputFormat.TREC, tag='bm25') as writer:
    for query in queries:
        writer.write(query, hits[query])
print(evaluate(qrels, folder / 'bm25.txt', 'alpha_nDCG@10 RBU@10 StRecall@10').means())
