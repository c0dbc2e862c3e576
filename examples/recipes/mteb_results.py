"""MTEB: score saved predictions with judgments that have subtopics, which MTEB's own results do not use."""

import json
import pathlib
import tempfile

import mteb
from tiny import mteb_task, qrels, sentence_model

from ir_divmeasures import evaluate

folder = pathlib.Path(tempfile.mkdtemp())
mteb.evaluate(sentence_model(), mteb_task(), prediction_folder=folder, cache=None)

runs = {}
for path in folder.glob('*_predictions.json'):
    predictions = json.loads(path.read_text())
    runs[predictions['mteb_model_meta']['model_name']] = predictions['default']['test']
print(evaluate(qrels, runs, 'alpha_nDCG@10 RBU@10 nDCG@10').means())
