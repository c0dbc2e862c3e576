"""Ways to spoil runs and judgments, the doors through which they are handed in, and pairs of real runs and judgments.

:data:`CORRUPTIONS` has a way for each check, :data:`DOORS` a function for each door, which returns the messages of a call.
"""

import numpy as np
import pandas as pd
import pyterrier as pt

from ir_divmeasures import evaluate, measures
from ir_divmeasures.data import judgments as judgments_module
from ir_divmeasures.errors import DivMeasuresWarning

from .builders import judgment_table, recorded_warnings

ASKED = 'alpha_nDCG@10 ERR_IA@10 P_IA@10 nDCG@10'
N_QUERIES, N_DOCUMENTS, N_JUDGED = 40, 30, 24
RELEVANT = np.array([0.5, 0.3, 0.15])
"""The probability that a judged document is relevant to each subtopic."""

ERROR = 'error'


def clean(seed=0):
    """Two runs and judgments about which there is nothing to question: of each query 24 of 30 documents are judged for
    three subtopics, each rarer than the one before. A prefers documents of rare subtopics, B those with high grades."""
    rng = np.random.default_rng(seed)
    rows = {'A': [], 'B': []}
    judged = []
    for q in range(N_QUERIES):
        names = [f'doc{q:02d}x{d:03d}' for d in range(N_DOCUMENTS)]
        some = rng.permutation(N_DOCUMENTS)[:N_JUDGED]
        grades = np.zeros((N_DOCUMENTS, 3), dtype=int)
        grades[some] = rng.choice([1, 1, 2], (N_JUDGED, 3)) * (rng.random((N_JUDGED, 3)) < RELEVANT)
        pooled = np.isin(np.arange(N_DOCUMENTS), some)
        for system, liked in {
            'A': (grades > 0) @ (1 / RELEVANT),
            'B': grades.sum(axis=1) + 2 * pooled,
        }.items():
            order = np.argsort(-liked - rng.normal(0, liked.std(), N_DOCUMENTS))
            scores = np.sort(rng.choice(np.arange(1, 4000), N_DOCUMENTS, replace=False))[::-1] / 128
            rows[system] += [
                (f'q{q:02d}', names[d], rank, score, system)
                for rank, (d, score) in enumerate(zip(order, scores), 1)
            ]
        judged += [
            (f'q{q:02d}', names[d], int(grades[d, t]), str(t)) for d in some for t in range(3)
        ]
    runs = {
        system: pd.DataFrame(kept, columns=['query_id', 'doc_id', 'rank', 'score', 'tag'])
        for system, kept in rows.items()
    }
    return runs, judgment_table(judged)


def of_run(change):
    """A change of the run of system A."""
    return lambda runs, judged: ({**runs, 'A': change(runs['A'].copy())}, judged)


def of_runs(change):
    return lambda runs, judged: ({name: change(run.copy()) for name, run in runs.items()}, judged)


def of_grades(change):
    return lambda runs, judged: (runs, judged.assign(relevance=change(judged['relevance'])))


def documents(change):
    return of_run(lambda run: run.assign(doc_id=run['doc_id'].map(change)))


def rounded(run):
    """Scores of which about eight documents share one, in an order of ids that has nothing to do with the ranks."""
    return run.assign(score=np.ceil(run['score'] / 8))


def without_ranks(run):
    return run.assign(rank=0).sort_values(['query_id', 'doc_id'], ignore_index=True)


QUERIES, DOCUMENTS, SCORES, JUDGMENTS = (
    f'{kind}Warning' for kind in ('Queries', 'Documents', 'Scores', 'Judgments')
)
CORRUPTIONS = {
    # a document twice, two grades of a document, values that are no numbers
    'a document twice': (ERROR, of_run(lambda run: pd.concat([run, run.head(1)]))),
    'two grades': (
        ERROR,
        lambda runs, judged: (runs, pd.concat([judged, judged.head(1).assign(relevance=9)])),
    ),
    'a missing score': (
        ERROR,
        of_run(lambda run: run.assign(score=run['score'].where(run['rank'] > 1))),
    ),
    'grades that are words': (ERROR, of_grades(lambda grade: 'good')),
    # queries
    'other queries': (QUERIES, of_runs(lambda run: run.assign(query_id='x' + run['query_id']))),
    'most queries missing': (QUERIES, of_runs(lambda run: run[run['query_id'] < 'q15'])),
    'queries in upper case': (
        QUERIES,
        of_runs(
            lambda run: run.assign(
                query_id=run['query_id'].mask(run['query_id'] < 'q10', run['query_id'].str.upper())
            )
        ),
    ),
    # documents
    'documents of another collection': (DOCUMENTS, documents(lambda name: f'WT-{name[3:]}')),
    'documents in upper case': (DOCUMENTS, documents(str.upper)),
    'documents with a suffix': (DOCUMENTS, documents('{}.txt'.format)),
    'documents with zeros': (
        DOCUMENTS,
        lambda runs, judged: (
            {name: run.assign(doc_id='00' + _number(run)) for name, run in runs.items()},
            judged.assign(doc_id=_number(judged)),
        ),
    ),
    # scores
    'scores negated': (SCORES, of_run(lambda run: run.assign(score=-run['score']))),
    'scores are distances': (
        SCORES,
        of_run(lambda run: without_ranks(run.assign(score=1 / run['score']))),
    ),
    'scores are ranks': (SCORES, of_run(lambda run: run.assign(score=run['rank'] * 1.0))),
    'scores 0': (SCORES, of_run(lambda run: run.assign(score=0.0))),
    'scores rounded': (SCORES, of_run(rounded)),
    # judgments; the first three were silent, and so was a run of 20 documents with negated scores
    'grades shifted by one': (JUDGMENTS, of_grades(lambda grade: grade + 1)),
    'grades reversed': (JUDGMENTS, of_grades(lambda grade: 2 - grade)),
    'grades binarised at 0': (JUDGMENTS, of_grades(lambda grade: (grade >= 0) * 1)),
    'short runs negated': (
        SCORES,
        of_run(
            lambda run: without_ranks(
                run[run['rank'] <= 20].assign(score=lambda each: -each['score'])
            )
        ),
    ),
    'grades negated': (JUDGMENTS, of_grades(lambda grade: -grade)),
    'no subtopics': (
        JUDGMENTS,
        lambda runs, judged: (
            runs,
            judged.groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max(),
        ),
    ),
}
"""By name what is expected, the class of a warning or :data:`ERROR`, and a function of runs and judgments."""


def _number(frame):
    return (
        1 + 1000 * frame['doc_id'].str[3:5].astype(int) + frame['doc_id'].str[6:].astype(int)
    ).astype(str)


# ---------------------------------------------------------------------------------------------------------- doors


def messages_of(call):
    """The classes and texts of our warnings in a call, or ``[('error', …)]``."""
    judgments_module._memory.clear()  # what was said of judgments is not said again
    with recorded_warnings() as caught:
        try:
            call()
        except (TypeError, ValueError) as error:
            return [(ERROR, str(error))]
    ours = [each for each in caught if issubclass(each.category, DivMeasuresWarning)]
    kinds = [(each.category.__name__, str(each.message)) for each in ours]
    return [each for each in kinds if not each[1].startswith('Ad-hoc measures')]


def nested(table, *columns):
    """The last column as a dict of dicts by the others; None if two rows have the same ids."""
    if table.duplicated([*columns[:-1]]).any():
        return None
    found = {}
    for *path, last, value in table[[*columns]].itertuples(index=False, name=None):
        inner = found
        for key in path:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return found


def by_dicts(runs, judged, folder):
    dicts = {name: nested(run, 'query_id', 'doc_id', 'score') for name, run in runs.items()}
    subtopic = [name for name in ('subtopic_id',) if name in judged]
    grades = nested(judged, 'query_id', 'doc_id', *subtopic, 'relevance')
    if grades is None or None in dicts.values():
        return None
    return messages_of(lambda: evaluate(grades, dicts, ASKED))


def by_files(runs, judged, folder):
    for name, run in runs.items():
        table = run.assign(q0='Q0', tag=name)[['query_id', 'q0', 'doc_id', 'rank', 'score', 'tag']]
        table.to_csv(folder / f'{name}.run', sep=' ', header=False, index=False, na_rep='nan')
    judged.to_csv(folder / 'qrels.tsv', sep='\t', index=False)
    paths = [folder / f'{name}.run' for name in runs]
    return messages_of(lambda: evaluate(folder / 'qrels.tsv', paths, ASKED))


def by_frames(runs, judged, folder):
    return messages_of(lambda: evaluate(judged, runs, ASKED))


def by_experiment(runs, judged, folder, asked=ASKED):
    names = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    frames = [run.rename(columns=names) for run in runs.values()]
    topics = pd.DataFrame(
        {'qid': sorted(set(judged['query_id']) | set(frames[0]['qid'])), 'query': 'x'}
    )
    qrels = judged.rename(columns=names)
    return messages_of(
        lambda: pt.Experiment(frames, topics, qrels, measures(asked), [*runs], validate='ignore')
    )


DOORS = {'dict': by_dicts, 'file': by_files, 'DataFrame': by_frames, 'pt.Experiment': by_experiment}
"""By door a function of runs, judgments and a folder: classes and texts of warnings; None if it cannot be handed in."""


# ------------------------------------------------------------------------------------------------------ real data


def real_pair(shared, name):
    """Runs and judgments of a collection of the real data, by its name in ``REAL``."""
    from ir_divmeasures import read_nuggets

    data = shared / 'data'
    kind, _, year = name.rpartition(' ')
    if kind == 'Web Track':
        corpus, part = ('clueweb12', '') if int(year) >= 2013 else ('clueweb09', '/en')
        folder = data / 'runs' / corpus
        runs = [
            path
            for path in sorted(folder.iterdir())
            if 'indri' not in path.name or year in path.name
        ]
        return runs, f'{corpus}{part}/trec-web-{year}/diversity'
    if name == 'duc04':
        folder = data / 'nuggets' / name
        judged = read_nuggets(folder / 'ratings.jsonl.gz', intents=folder / 'subquestions.json')
        return sorted(folder.joinpath('runs').iterdir()), judged
    if name == 'TREC-COVID round 5':
        folder = data / 'pool/trec-covid-r5'
        return sorted(folder.joinpath('runs').iterdir()), folder / 'qrels.gz'
    return [data / 'ambient/engine-order.run'], data / 'ambient/qrels.diversity'
