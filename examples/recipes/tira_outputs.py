"""TIRA and TIREx: score the run.txt of each approach's output folder, as a software writes it and TIRA returns it."""

import pathlib
import tempfile

from tiny import bm25, qrels
from tira.third_party_integrations import persist_and_normalize_run

from ir_divmeasures import evaluate

outputs = pathlib.Path(tempfile.mkdtemp())
for approach, depth in (
    ('bm25-top-20', 20),
    ('bm25-top-5', 5),
):  # your software, in TIRA or outside
    folder = outputs / approach
    folder.mkdir()
    persist_and_normalize_run(bm25(), approach, default_output=folder, depth=depth)

runs = {path.parent.name: path for path in outputs.glob('*/run.txt*')}  # the evaluation
print(evaluate(qrels, runs, 'alpha_nDCG@10 RBU@10 StRecall@10').means())
