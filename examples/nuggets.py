"""Retrieval for RAG, and the answers made from it: which nuggets are in the context, and which in the answer?

Without arguments: two systems on two questions, written out below.

    python examples/nuggets.py

With ratings or nugget assignments and a folder of run files (CRUX, AutoNuggetizer, FreshStack, …):

    python examples/nuggets.py RATINGS RUNS [SUBQUESTIONS]
"""

import json
import pathlib
import sys
import tempfile

from ir_divmeasures import Coverage, evaluate, read_answers, read_nuggets
from ir_divmeasures.rag import intents_found, with_lengths

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
CONTEXT = {
    'q1': {'tides': [2, 1, 0, 0], 'moon': [2, 0, 2, 0]},
    'q2': {'bees': [2, 0], 'dance': [2, 2]},
}
ANSWERS = {'short': {'q1': [2, 0, 0, 0], 'q2': [2, 1]}, 'long': {'q1': [2, 2, 1, 0], 'q2': [2, 2]}}
RUNS = {
    'short': {'q1': {'tides': 1.0}, 'q2': {'bees': 1.0}},
    'long': {'q1': {'moon': 2.0, 'tides': 1.0}, 'q2': {'dance': 2.0, 'bees': 1.0}},
}
TOKENS = {'tides': 120, 'moon': 180, 'bees': 90, 'dance': 210}
ASSIGNMENT = ('not_support', 'partial_support', 'support')


def assigned(query: str, grades: list[int]) -> list[dict[str, str]]:
    """Nuggets as AutoNuggetizer writes them."""
    return [
        {'text': text, 'importance': importance, 'assignment': ASSIGNMENT[grade]}
        for (text, importance), grade in zip(NUGGETS[query], grades)
    ]


def written(folder: pathlib.Path) -> None:
    """The two files of AutoNuggetizer: assignments to retrieved documents, and to answers."""
    context = [
        {
            'text': query,
            'qid': query,
            'candidate_text': '',
            'docid': document,
            'nuggets': assigned(query, grades),
        }
        for query, documents in CONTEXT.items()
        for document, grades in documents.items()
    ]
    answers = [
        {
            'query': query,
            'qid': query,
            'answer_text': '',
            'response_length': 50,
            'run_id': system,
            'nuggets': assigned(query, grades),
        }
        for system, queries in ANSWERS.items()
        for query, grades in queries.items()
    ]
    for name, records in (('context.jsonl', context), ('answers.jsonl', answers)):
        (folder / name).write_text('\n'.join(map(json.dumps, records)), encoding='utf-8')


def example() -> None:
    with tempfile.TemporaryDirectory() as name:
        written(pathlib.Path(name))
        qrels = read_nuggets(pathlib.Path(name) / 'context.jsonl')
        answers = read_answers(pathlib.Path(name) / 'answers.jsonl')

    print('Nuggets in the retrieved context, and in the answer (vital ones):')
    vital = Coverage(rel=2, importance='vital', weights='uniform')
    context = evaluate(RUNS, qrels, [vital @ 10]).means().iloc[:, 0]
    answer = evaluate(answers.runs, answers.qrels, [vital @ 1]).means().iloc[:, 0]
    for system in RUNS:
        print(f'  {system:6} context {context[system]:.3f}  answer {answer[system]:.3f}')

    print('\nWhat AutoNuggetizer reports for the answers:')
    print(
        evaluate(answers.runs, answers.qrels, 'trec-rag').means().T.round(3).to_string(header=True)
    )

    print('\nWith 200 tokens of context:')
    measured = {system: with_lengths(run, TOKENS) for system, run in RUNS.items()}
    fits = evaluate(measured, qrels, 'Coverage(rel=2,budget=200)').means().iloc[:, 0]
    tokens = {system: run['length'].sum() / len(NUGGETS) for system, run in measured.items()}
    for system in RUNS:
        print(
            f'  {system:6} {fits[system]:.3f} (all its context: {tokens[system]:.0f} tokens a question)'
        )

    print('\nNuggets that no context supports:')
    found = intents_found(RUNS, qrels, rel=2)
    for row in found[found['systems'] == 0].itertuples():
        print(f'  {row.query_id}, {row.importance}: {row.text}')


def campaign(ratings: str, runs: str, questions: str | None = None) -> None:
    qrels = read_nuggets(ratings, intents=questions)
    print(evaluate(runs, qrels, 'crux').means().round(4).to_string())
    found = intents_found(runs, qrels, cutoff=10, rel=3)
    print(
        f'\n{(found["documents"] == 0).sum()} of {len(found)} sub-questions are answered by no rated document, '
        f'{((found["documents"] > 0) & (found["systems"] == 0)).sum()} by some, but by none in a top 10'
    )


if __name__ == '__main__':
    example() if len(sys.argv) == 1 else campaign(*sys.argv[1:])
