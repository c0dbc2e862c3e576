"""Nuggets as judgments: which nuggets do the retrieved documents contain?

Without arguments: two systems on two questions, written out below.

    python examples/nuggets.py

With ratings or nugget assignments and a folder of run files (CRUX, AutoNuggetizer, FreshStack, a table):

    python examples/nuggets.py RATINGS RUNS [SUBQUESTIONS]
"""

import json
import pathlib
import sys
import tempfile

from ir_divmeasures import evaluate, read_nuggets

NUGGETS = {
    'q1': [
        ('Tides follow the moon.', 'vital'),
        ('The sun raises smaller tides.', 'okay'),
        ('Spring tides come at new and full moon.', 'vital'),
        ('Friction slows the earth.', 'okay'),
    ],
    'q2': [
        ('Bees dance to tell where food is.', 'vital'),
        ('The angle tells the direction.', 'vital'),
    ],
}
GRADES = {
    'q1': {'tides': [2, 1, 0, 0], 'moon': [2, 0, 2, 0]},
    'q2': {'bees': [2, 0], 'dance': [2, 2]},
}
RUNS = {
    'short': {'q1': {'tides': 1.0}, 'q2': {'bees': 1.0}},
    'long': {'q1': {'moon': 2.0, 'tides': 1.0}, 'q2': {'dance': 2.0, 'bees': 1.0}},
}
ASSIGNMENT = ('not_support', 'partial_support', 'support')
MEASURES = (
    "Coverage(rel=2,importance='vital',weights='uniform')@10 Coverage(rel=2,weights='uniform')@10 "
    "Coverage(rel=2,partial=0.5,weights='importance')@10 alpha_nDCG(rel=2)@10"
)


def write_assignments(path: pathlib.Path) -> None:
    """Write the nuggets of each document as AutoNuggetizer does."""
    records = [
        {
            'text': query,
            'qid': query,
            'candidate_text': '',
            'docid': document,
            'nuggets': [
                {'text': text, 'importance': importance, 'assignment': ASSIGNMENT[grade]}
                for (text, importance), grade in zip(NUGGETS[query], grades)
            ],
        }
        for query, documents in GRADES.items()
        for document, grades in documents.items()
    ]
    path.write_text('\n'.join(map(json.dumps, records)), encoding='utf-8')


def score_example() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'assignments.jsonl'
        write_assignments(path)
        qrels = read_nuggets(path)
    print(evaluate(RUNS, qrels, MEASURES).means().T.round(3).to_string())


def score_runs(ratings: str, runs: str, questions: str | None = None) -> None:
    qrels = read_nuggets(ratings, intents=questions)
    print(evaluate(runs, qrels, 'Coverage(rel=3)@10 alpha_nDCG(rel=3)@20').means().round(4))


if __name__ == '__main__':
    score_example() if len(sys.argv) == 1 else score_runs(*sys.argv[1:])
