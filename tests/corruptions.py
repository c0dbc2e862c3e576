"""Ways to spoil runs and judgments, what each host says of them, and what real data give: the catalogue of the gate.

:data:`CORRUPTIONS` has a :class:`Corruption` for each way, :data:`RUNNERS` a function for each host, which returns the
kinds of warnings that it gives, or ``'error'``. tests/test_gate.py compares both; ``python -m reference corruptions``
makes docs/reference/corruptions.md of them.
"""

from __future__ import annotations

import pathlib
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ir_divmeasures import (
    DivMeasuresWarning,
    Pool,
    diagnose,
    evaluate,
    measures,
    read_qrels,
    write_qrels,
)
from ir_divmeasures.evaluation.checks import CHECKS
from ir_divmeasures.evaluation.diagnose import MEASURES
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.io.runs import each
from ir_divmeasures.judgments import memory

ASKED = 'alpha_nDCG@10 ERR_IA@10 P_IA@10 nDCG@10'
N_QUERIES, N_DOCUMENTS, N_JUDGED = 40, 30, 24
RELEVANT = np.array([0.5, 0.3, 0.15])
"""The probability that a judged document is relevant to each subtopic."""

Frame = pd.DataFrame
ERROR = 'error'


def clean(seed: int = 0) -> tuple[dict[str, Frame], Frame]:
    """Two runs and judgments about which there is nothing to question: of each query 24 of 30 documents are judged for
    three subtopics, each rarer than the one before. A prefers documents of rare subtopics, B those with high grades."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {'A': [], 'B': []}
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
    return runs, pd.DataFrame(judged, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])


def lists(judged: Frame, write: Callable[[Any], str]) -> Frame:
    """A row for each document with the list of the subtopics to which it is relevant."""
    rows = judged[judged['relevance'] > 0]
    columns = {'relevance': 'max', 'subtopic_id': lambda names: write(list(names))}
    return rows.groupby(['query_id', 'doc_id'], as_index=False).agg(columns)


def two_spellings(judged: Frame, spell: Callable[[str], str]) -> Frame:
    """Subtopics spelled in another way in every second row."""
    is_other = np.arange(len(judged)) % 2 == 0
    names = judged['subtopic_id'].where(is_other, judged['subtopic_id'].map(spell))
    return judged.assign(subtopic_id=names)


def with_adhoc(judged: Frame) -> Frame:
    """Judgments of subtopics and, in the same table, of the whole topic."""
    whole = judged.groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max()
    return pd.concat([judged, whole.assign(subtopic_id='adhoc')], ignore_index=True)


def named(judged: Frame, change: Callable[[str], str]) -> Frame:
    """Subtopics with names, in two spellings."""
    names = judged['subtopic_id'].map({'0': 'Price', '1': 'caf\u00e9', '2': 'Quality'})
    return two_spellings(judged.assign(subtopic_id=names), change)


MEANINGS: dict[str, tuple[Any, ...]] = {
    'all grades higher by 1': (
        'EqualGradesWarning',
        lambda judged: judged.assign(relevance=judged['relevance'] + 1),
        'all relevant',
    ),
    **{
        f'lists of subtopics such as {write(["1", "2"])}': (
            'SubtopicsWarning',
            lambda judged, write=write: lists(judged, write),
            'several subtopics in a cell',
        )
        for write in (','.join, ';'.join, ' '.join, str)
    },
    **{
        f'subtopics 1 and {spell("1")!r}': (
            'SubtopicsWarning',
            lambda judged, spell=spell: two_spellings(judged, spell),
            'subtopics spelled in two ways',
        )
        for spell in ('0{}'.format, '{}.0'.format, '{} '.format)
    },
    **{
        name: (
            'SubtopicsWarning',
            lambda judged, spell=spell: named(judged, spell),
            'subtopics spelled in two ways',
        )
        for name, spell in {
            'subtopics Price and price': str.lower,
            'subtopics in two Unicode forms': lambda name: unicodedata.normalize('NFD', name),
        }.items()
    },
    'grades 0, 0.5 and 1': (
        'GradesWarning',
        lambda judged: judged.assign(relevance=judged['relevance'] / 2),
        'grades between 0 and 1',
    ),
    'grades 0, 0.9999999 and 2': (
        'GradesWarning',
        lambda judged: judged.assign(relevance=judged['relevance'].replace(1, 0.9999999)),
        'grades between 0 and 1',
    ),
    'judgments of the whole topic beside those of subtopics': (
        'SubtopicsWarning',
        with_adhoc,
        'a subtopic is the union of the others',
    ),
    'the subtopics of 39 of 40 queries lost': (
        'SubtopicsWarning',
        lambda judged: judged[(judged['query_id'] == 'q00') | (judged['subtopic_id'] == '1')],
        'subtopics lost',
    ),
    'the document for the subtopic': (
        'SubtopicsWarning',
        lambda judged: judged.assign(subtopic_id=judged['doc_id']).drop_duplicates(
            ['query_id', 'doc_id']
        ),
        'subtopic is the document',
    ),
}
"""Ways to change what judgments mean: for each the arguments of :func:`of_judgments`."""


# ---------------------------------------------------------------------------------------------------- the catalogue


@dataclass(frozen=True)
class Corruption:
    """A way to spoil runs or judgments.

    Attributes:
        name: what is done.
        kind: the class of the warning that is expected, :data:`ERROR`, or '' where the input is read as it is meant.
        spoil: runs by system and judgments → the same, spoilt.
        check: the check of the gate that finds it, from which follows which hosts can know it.
        hosts: a kind for a host that differs, ``- reason`` where it gives none, or ``× reason`` where it cannot be
            handed in.
        also: further kinds that the hosts give.
    """

    name: str
    kind: str
    spoil: Callable[[dict[str, Frame], Frame], tuple[dict[str, Frame], Frame]]
    check: str = ''
    hosts: Mapping[str, str] = field(default_factory=dict)
    also: frozenset[str] = frozenset()

    def expected(self, host: str) -> str:
        """The kind that a host gives, ``'error'``, or ``- reason``."""
        if host in self.hosts:
            return self.hosts[host]
        reason = next(
            (check.reason_without(host) for check in CHECKS if check.name == self.check), None
        )
        return f'- {reason}' if reason else self.kind or '- read as it is meant'


CORRUPTIONS: list[Corruption] = []

NO_JUDGMENTS = {'Pool': '- a pool of runs has no judgments'}
FRAMES = {'command': '× lines of a TREC file cannot have it'}
NAMES = {
    'command': '× lines of a TREC file have no names of columns',
    'parquet': '× parquet files cannot have it',
    'ir_measures.calc': '× namedtuples cannot have it',
    'pt.Experiment': '× PyTerrier stops with its own error',
    'Dask': '× a Dask frame cannot have it',
}
"""Where it cannot be handed in."""


def of_run(
    name: str,
    kind: str,
    change: Callable[[Frame], Frame],
    check: str = '',
    also: Any = (),
    **hosts: Mapping[str, str],
) -> None:
    """A way to spoil the run of system A."""
    add(
        name,
        kind,
        lambda runs, judged: ({**runs, 'A': change(runs['A'].copy())}, judged),
        check,
        also,
        **hosts,
    )


def of_judgments(
    name: str,
    kind: str,
    change: Callable[[Frame], Frame],
    check: str = '',
    also: Any = (),
    **hosts: Mapping[str, str],
) -> None:
    """A way to spoil judgments."""
    add(name, kind, lambda runs, judged: (runs, change(judged.copy())), check, also, **hosts)


def add(
    name: str, kind: str, spoil: Any, check: str = '', also: Any = (), **hosts: Mapping[str, str]
) -> None:
    every: dict[str, str] = {}
    for some in hosts.values():
        every.update(some)
    CORRUPTIONS.append(Corruption(name, kind, spoil, check, every, frozenset(also)))


def scored(change: Callable[[Frame], Any]) -> Callable[[Frame], Frame]:
    return lambda run: run.assign(score=change(run))


def unranked(change: Callable[[Frame], Any]) -> Callable[[Frame], Frame]:
    """The scores changed, and no informative rank column."""
    return lambda run: run.assign(score=change(run), rank=0)


def part(run: Frame, share: float) -> Any:
    """Whether a row is of the first queries."""
    return run['query_id'].isin(sorted(run['query_id'].unique())[: int(share * N_QUERIES)])


def documents(frame: Frame, change: Callable[[str], str], where: Any = None) -> Frame:
    new = frame['doc_id'].map(change)
    return frame.assign(doc_id=new if where is None else new.where(where, frame['doc_id']))


def queries(frame: Frame, change: Callable[[str], str]) -> Frame:
    return frame.assign(query_id=frame['query_id'].map(change))


def both_ids(run_id: Callable[[str], str], judged_id: Callable[[str], str]) -> Any:
    """Ids of documents, those of system B as in the judgments."""
    return lambda runs, judged: (
        {'A': documents(runs['A'], run_id), 'B': documents(runs['B'], judged_id)},
        documents(judged, judged_id),
    )


def both_queries(run_id: Callable[[str], str], judged_id: Callable[[str], str]) -> Any:
    return lambda runs, judged: (
        {'A': queries(runs['A'], run_id), 'B': queries(runs['B'], judged_id)},
        queries(judged, judged_id),
    )


def longer(run: Frame, first: bool) -> Frame:
    """Thirty unjudged documents before or after those of each query, in rows by document."""
    extra = documents(run, lambda name: f'doc{name[3:5]}y{name[6:]}')
    extra = extra.assign(score=extra['score'] + (1000 if first else -1000))
    return (
        pd.concat([run, extra])
        .assign(rank=0)
        .sort_values(['query_id', 'doc_id'], ignore_index=True)
    )


RISES = {'ir_measures.calc': 'ScoresWarning'}  # rows in the order of the ranks say so

# ---- scores against ranks
for name, change in {
    'scores negated': lambda run: -run['score'],
    'scores are the ranks 1, 2, 3, …': lambda run: run['rank'] * 1.0,
    'scores are ranks from 0': lambda run: run['rank'] - 1.0,
    'scores are distances': lambda run: 1 / run['score'],
    'scores are logarithms of ranks': lambda run: np.log(run['rank']),
    'scores negated in 3 of 4 queries': lambda run: run['score'].where(
        ~part(run, 0.75), -run['score']
    ),
}.items():
    of_run(name, 'RankColumnWarning', scored(change), 'rank column', by=RISES)
of_run(
    'scores negated, with noise',
    'RankColumnWarning',
    scored(lambda run: -run['score'] + 4.001 * (run['rank'] % 2)),
    'rank column',
    by=RISES,
)
of_run(
    'the rank column reversed',
    '',
    lambda run: run.assign(rank=N_DOCUMENTS + 1 - run['rank']),
    by={'Pool': 'RankColumnWarning'},  # judgments say that the scores are right
)
of_run(
    'right scores, rows from the last to the first',
    '',
    lambda run: run.assign(rank=0).iloc[::-1].reset_index(drop=True),
    by={'Pool': 'ScoresWarning'},
)
for name, by in {'document': 'doc_id', 'score': 'score'}.items():
    of_run(
        f'scores are distances, rows by {name}',
        'ScoresWarning',
        lambda run, by=by: (
            run.assign(score=1 / run['score'], rank=0)
            .sort_values(['query_id', by], ascending=[True, by == 'doc_id'])
            .reset_index(drop=True)
        ),
        'direction of scores',
    )

# ---- scores that rank nothing, or the wrong way round, without ranks to tell
for name, change in {
    'no ranks, scores 1, 2, 3, …': lambda run: run['rank'] * 1.0,
    'no ranks, scores negated': lambda run: -run['score'],
    'no ranks, scores are distances': lambda run: 1 / run['score'],
    'no ranks, scores are probabilities of non-relevance': lambda run: 1 - run['score'] / 4000,
}.items():
    of_run(name, 'ScoresWarning', unranked(change), 'scores that rise')
for name, change in {
    'all scores 0': lambda run: 0.0,
    'all scores of a query equal': lambda run: run['query_id'].str[1:].astype(float),
    'all scores infinite': lambda run: np.inf,
    'all scores minus infinity': lambda run: -np.inf,
    'scores equal in 3 of 4 queries': lambda run: run['score'].where(~part(run, 0.75), 1.0),
}.items():
    of_run(name, 'ScoresWarning', scored(change), 'scores that rank nothing', also={'TiesWarning'})
of_run(
    'low scores are good, rows by document',
    'ScoresWarning',
    lambda run: longer(run, True),
    'direction of scores',
    also={'UnjudgedWarning', 'DocumentsWarning'},
)
of_run(
    'distances of a long ranking, rows by document',
    'ScoresWarning',
    lambda run: longer(run, False).assign(score=lambda frame: -frame['score']),
    'direction of scores',
    also={'UnjudgedWarning', 'DocumentsWarning'},
)

# ---- several runs
for name, tag in {
    'two run tags': lambda run: np.where(part(run, 0.5), 'one', 'two'),
    'a run tag for each query': lambda run: run['query_id'],
    'another run tag in the last query': lambda run: np.where(
        part(run, 1 - 1 / N_QUERIES), 'one', 'two'
    ),
}.items():
    of_run(name, 'TagsWarning', lambda run, tag=tag: run.assign(tag=tag(run)), 'run tags')
for name, change in {
    'a system twice': lambda run: run,
    'a system twice, scores doubled': lambda run: run.assign(score=2 * run['score']),
    'a system twice, scores by another function': lambda run: run.assign(
        score=np.sqrt(run['score'])
    ),
    'a system twice, scores rounded up': lambda run: run.assign(score=1000.0 - run['rank']),
    'a system twice, queries in another order': lambda run: (
        run.iloc[::-1]
        .sort_values('query_id', ascending=False, kind='stable')
        .sort_values(['query_id', 'rank'], ascending=[False, True], ignore_index=True)
    ),
}.items():
    add(
        name,
        'SameRankingWarning',
        lambda runs, judged, change=change: (
            {'A': runs['A'], 'B': change(runs['A'].assign(tag='B'))},
            judged,
        ),
        'same rankings',
        also={'DivMeasuresWarning'},
    )

# ---- ids
for name, run_id, judged_id in [
    ('ids in upper case in the run', str.upper, str),
    ('ids in upper case in the judgments', str, str.upper),
    ('a suffix .txt in the run', lambda x: f'{x}.txt', str),
    ('a suffix .html in the judgments', str, lambda x: f'{x}.html'),
    (
        'ids of two Unicode forms',
        lambda x: unicodedata.normalize('NFD', f'é{x}'),
        lambda x: f'é{x}',
    ),
    (
        'numbers with .0 in the run',
        lambda x: f'{1000 * int(x[3:5]) + int(x[6:]) + 1}.0',
        lambda x: f'{1000 * int(x[3:5]) + int(x[6:]) + 1}',
    ),
    (
        'numbers with .0 in the judgments',
        lambda x: f'{1000 * int(x[3:5]) + int(x[6:]) + 1}',
        lambda x: f'{1000 * int(x[3:5]) + int(x[6:]) + 1}.0',
    ),
    (
        'leading zeros in the run',
        lambda x: f'{1000 * int(x[3:5]) + int(x[6:]) + 1:08d}',
        lambda x: f'{1000 * int(x[3:5]) + int(x[6:]) + 1}',
    ),
    ('quotation marks in the run', lambda x: f'"{x}"', str),
    ('folders in the run', lambda x: f'corpus/{x}', str),
    ('a slash after ids in the run', lambda x: f'{x}/', str),
    ('numbers of passages in the run', lambda x: f'{x}#0', str),
    ("b'…' around ids in the run", lambda x: f"b'{x}'", str),
    ('an invisible character in the run', lambda x: f'{x[:3]}\u200b{x[3:]}', str),
    ('URL-encoded ids in the run', lambda x: f'{x}%2Fen', lambda x: f'{x}/en'),
    ('a file name with folder in the judgments', str, lambda x: f'corpus/{x}'),
]:
    add(name, 'IdsWarning', both_ids(run_id, judged_id), 'ids of documents')
for name, run_id, judged_id in [
    ('a blank after ids in the run', lambda x: f'{x} ', str),
    ('a blank before ids in the judgments', str, lambda x: f' {x}'),
]:
    add(name, 'IdsWarning', both_ids(run_id, judged_id), 'ids of documents', by=FRAMES)
of_run(
    'ids in upper case in half of the queries',
    'IdsWarning',
    lambda run: documents(run, str.upper, part(run, 0.5)),
    'ids of documents',
)
of_run(
    'one id of three in upper case',
    'IdsWarning',
    lambda run: documents(run, str.upper, run['rank'] % 3 == 0),
    'ids of documents',
)
for name, run_id, judged_id in [
    ('queries in upper case', str.upper, str),
    ('queries as floats', lambda x: f'{int(x[1:]) + 1}.0', lambda x: f'{int(x[1:]) + 1}'),
    (
        'queries with leading zeros',
        lambda x: f'{int(x[1:]) + 1:03d}',
        lambda x: f'{int(x[1:]) + 1}',
    ),
    ('queries with a suffix', lambda x: f'{x}.txt', str),
]:
    add(
        name,
        'IdsWarning',
        both_queries(run_id, judged_id),
        'ids of queries',
        also={'QueriesWarning'},
    )
add(
    'a blank after queries',
    'IdsWarning',
    both_queries(lambda x: f'{x} ', str),
    'ids of queries',
    also={'QueriesWarning'},
    by=FRAMES,
)

# ---- a run and judgments that hardly meet
of_run(
    'most judged queries missing',
    'QueriesWarning',
    lambda run: run[part(run, 0.25)],
    by=NO_JUDGMENTS,
)
of_run(
    'half of the queries unjudged',
    '',
    lambda run: pd.concat([run, queries(run, lambda x: f'x{x[1:]}')], ignore_index=True),
)
of_run(
    'most queries of another collection',
    'QueriesWarning',
    lambda run: run.assign(
        query_id=run['query_id'].where(part(run, 0.25), 'topic-' + run['query_id'])
    ),
    'queries in common',
)
of_run(
    'queries of another collection',
    'QueriesWarning',
    lambda run: queries(run, lambda x: f'topic-{x[1:]}'),
    'queries in common',
)
of_run(
    'documents of another collection',
    'DocumentsWarning',
    lambda run: documents(run, lambda x: f'web{x[3:]}'),
    'documents in common',
)
of_run(
    'almost no document judged',
    'DocumentsWarning',
    lambda run: documents(
        run, lambda x: f'web{x[3:]}', ~((run['query_id'] == 'q00') & (run['rank'] < 3))
    ),
    'documents in common',
)
of_run(
    'a run without documents',
    'EmptyRunWarning',
    lambda run: run.head(0),
    'no documents',
    also={'QueriesWarning'},
    by={
        'evaluate': 'QueriesWarning',
        'leaderboard': 'QueriesWarning',
        'pt.Experiment': ERROR,
        'parquet': '- a system without rows is not in the table',
        'Dask': '- a system without rows is not in the table',
    },
)
of_run(
    '7 of 10 documents unjudged',
    'UnjudgedWarning',
    lambda run: documents(run, lambda x: f'doc{x[3:5]}y{x[6:]}', run['rank'] % 10 < 7),
    'judged@k',
)
of_judgments(
    'only one query of three well judged',
    'UnjudgedWarning',
    lambda judged: documents(
        judged, lambda x: f'doc{x[3:5]}y{x[6:]}', judged['query_id'].str[1:].astype(int) % 3 > 0
    ),
    'judged@k',
)

# ---- ties
for name, change in {
    'scores rounded': lambda run: np.round(run['score'] / 8),
    'scores 1 and 0': lambda run: (run['rank'] <= 10) * 1.0,
    'the first three tied': lambda run: run['score'].where(run['rank'] > 3, 100.0),
    'ties in one query of four': lambda run: run['score'].where(
        ~(part(run, 0.25) & (run['rank'] <= 5)), 100.0
    ),
    'scores saturated at 16': lambda run: run['score'].clip(upper=16.0),
}.items():
    of_run(name, 'TiesWarning', scored(change), 'ties')
for name, change in {
    'scores apart by 1e-9': lambda run: 1 + run['score'] * 1e-9,
    'scores on top of a large number': lambda run: 1e9 + run['score'] / 100,
}.items():
    of_run(name, 'OrderWarning', scored(change), 'order in 32 bits')
add(
    '64-bit whole numbers above 2^53',
    '',
    lambda runs, judged: (
        {name: run.assign(score=2**60 - run['rank']) for name, run in runs.items()},
        judged,
    ),
    also={'TiesWarning'},
    by={'pt.Experiment': 'ScoresWarning'},
)  # PyTerrier makes floats of them

# ---- judgments
of_judgments(
    'all grades 0',
    'NoRelevantWarning',
    lambda judged: judged.assign(relevance=0),
    'no relevant document',
    also={'DivMeasuresWarning'},
)  # in a leaderboard, of correlations of constant scores
of_judgments(
    'grades with the sign flipped',
    'NoRelevantWarning',
    lambda judged: judged.assign(relevance=-judged['relevance']),
    'no relevant document',
    also={'DivMeasuresWarning'},
)
of_judgments(
    'all grades 1', 'EqualGradesWarning', lambda judged: judged.assign(relevance=1), 'all relevant'
)
of_judgments(
    'all grades 4', 'EqualGradesWarning', lambda judged: judged.assign(relevance=4), 'all relevant'
)
of_judgments(
    'grades on a scale from 0 to 0.2',
    'GradesWarning',
    lambda judged: judged.assign(relevance=judged['relevance'] / 10),
    'grades below what counts',
    also={'DivMeasuresWarning'},
)
of_judgments(
    'the column of subtopics lost',
    'SubtopicsWarning',
    lambda judged: judged.groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max(),
    'one subtopic',
)
of_judgments(
    'all subtopics called 1',
    'SubtopicsWarning',
    lambda judged: (
        judged.groupby(['query_id', 'doc_id'], as_index=False)['relevance']
        .max()
        .assign(subtopic_id='1')
    ),
    'one subtopic',
)
add(
    'one query with one subtopic',
    'SubtopicsWarning',
    lambda runs, judged: (
        {name: run[run['query_id'] == 'q00'] for name, run in runs.items()},
        judged[(judged['query_id'] == 'q00') & (judged['subtopic_id'] == '0')],
    ),
    'one subtopic',
)
WEIGHTS = {'ir_measures.calc': '- namedtuples of ir_measures have no weights'}
of_judgments(
    'weights of 1 for each subtopic',
    'WeightsWarning',
    lambda judged: judged.assign(weight=1.0),
    'weights',
    by=WEIGHTS,
)
of_judgments(
    'weights that sum to one half',
    'WeightsWarning',
    lambda judged: judged.assign(weight=1 / 6),
    'weights',
    by=WEIGHTS,
)
for name, change in MEANINGS.items():
    of_judgments(name, *change)
COLUMNS = {
    **NO_JUDGMENTS,
    'ir_measures.calc': '× namedtuples of ir_measures have no further columns',
}
for name, of in {
    'weights': 'weight',
    'Weight': 'weight',
    'prob': 'weight',
    'probability': 'weight',
    'intent_weight': 'weight',
    'layers': 'layer',
    'intentType': 'subtopic_type',
}.items():
    of_judgments(
        f'{of} called {name}',
        'ColumnsWarning',
        lambda judged, name=name: judged.assign(**{name: 1}),
        'a column that is almost one of ours',
        by=COLUMNS,
    )
of_judgments(
    'subtopic_id called sub_topic',
    'ColumnsWarning',
    lambda judged: judged[judged['subtopic_id'] == '1'].rename(
        columns={'subtopic_id': 'sub_topic'}
    ),
    'a column that is almost one of ours',
    also={'SubtopicsWarning'},
    by=COLUMNS,
)
for column, other in {'relevance': 'label', 'doc_id': 'docno', 'query_id': 'qid'}.items():
    of_judgments(
        f'{other} beside {column}, and other values',
        'ColumnsWarning',
        lambda judged, column=column, other=other: judged.assign(
            **{other: judged[column].to_numpy()[::-1]}
        ),
        'two columns for one thing',
        by={**COLUMNS, 'pt.Experiment': '× PyTerrier has one name for each column'},
    )
of_judgments(
    'rows of judgments twice',
    'RepeatedRowsWarning',
    lambda judged: pd.concat([judged, judged.head(50)], ignore_index=True),
    by=NO_JUDGMENTS,
)

# ---- no use is legitimate
for name, values in {
    'scores that are dates': lambda run: (
        pd.Timestamp('2026-01-01') - pd.to_timedelta(run['rank'], unit='D')
    ),
    'scores that are durations': lambda run: pd.to_timedelta(run['rank'], unit='D'),
    'scores that are complex numbers': lambda run: run['score'] + 1j,
    'a score that is missing': lambda run: run['score'].where(run['rank'] > 1),
    'scores that are words': lambda run: 'high',
}.items():
    of_run(
        name,
        ERROR,
        scored(values),
        by={
            'parquet': '× parquet has no such type',
            'pt.Experiment': '- PyTerrier takes their real parts',
        }
        if 'complex' in name
        else {'parquet': '× a column of a parquet file has one type'}
        if 'words' in name
        else {},
    )
of_run(
    'two columns of scores', ERROR, lambda run: pd.concat([run, run[['score']]], axis=1), by=NAMES
)
of_run('a document twice', ERROR, lambda run: pd.concat([run, run.head(1)], ignore_index=True))
of_run(
    "a document called '-'",
    ERROR,
    lambda run: documents(run, lambda x: '-', run['rank'] == 1),
    by={'Pool': ERROR},
)
of_run(
    'a document without an id',
    ERROR,
    lambda run: run.assign(doc_id=run['doc_id'].where(run['rank'] > 1, None)),
    by=FRAMES,
)
for name, values in {
    'grades that are dates': lambda judged: pd.Timestamp('2026-01-01'),
    'grades that are durations': lambda judged: pd.Timedelta(1, 'D'),
    'grades that are complex numbers': lambda judged: judged['relevance'] + 1j,
    'a grade that is missing': lambda judged: judged['relevance'].where(judged.index > 0),
    'grades that are words': lambda judged: 'good',
}.items():
    of_judgments(
        name,
        ERROR,
        lambda judged, values=values: judged.assign(relevance=values(judged)),
        by=NO_JUDGMENTS
        if 'complex' not in name
        else {**NO_JUDGMENTS, 'parquet': '× parquet has no such type'},
    )
of_judgments(
    'two columns of grades',
    ERROR,
    lambda judged: pd.concat([judged, judged[['relevance']]], axis=1),
    by={**NAMES, **NO_JUDGMENTS},
)
of_judgments(
    'two grades of a document',
    ERROR,
    lambda judged: pd.concat([judged, judged.head(1).assign(relevance=9)], ignore_index=True),
    by=NO_JUDGMENTS,
)


# --------------------------------------------------------------------------------------------------------- hosts


def _kinds(call: Callable[[], Any]) -> set[str]:
    """The kinds of warnings that a call gives, or ``'error'``."""
    memory._memory.clear()  # what was said of judgments is not said again
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            call()
        except (TypeError, ValueError):
            return {ERROR}
    return {w.category.__name__ for w in caught if issubclass(w.category, DivMeasuresWarning)}


def _evaluate(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    return _kinds(lambda: evaluate(runs, judged, ASKED))


def _evaluator(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    return _kinds(lambda: Evaluator(measures(ASKED), judged).calc_aggregate(runs['A']))


def _ir_measures(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    run = [
        ir_measures.ScoredDoc(*row)
        for row in zip(*(runs['A'][name].tolist() for name in ('query_id', 'doc_id', 'score')))
    ]
    subtopic = (
        judged['subtopic_id'].tolist() if 'subtopic_id' in judged.columns else ['0'] * len(judged)
    )
    qrels = [
        ir_measures.Qrel(*row)
        for row in zip(
            *(judged[name].tolist() for name in ('query_id', 'doc_id', 'relevance')), subtopic
        )
    ]
    return _kinds(lambda: ir_measures.calc(measures(ASKED), qrels, run))


def _experiment(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    import pyterrier as pt

    names = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    topics = pd.DataFrame({'qid': sorted(set(judged['query_id'])), 'query': 'x'})
    frames = [run.drop(columns='tag').rename(columns=names) for run in runs.values()]
    return _kinds(
        lambda: pt.Experiment(
            frames,
            topics,
            judged.rename(columns=names),
            measures(ASKED),
            list(runs),
            filter_by_topics=False,
        )
    )


def _command(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    from ir_divmeasures.cli import main

    for name, run in runs.items():
        columns = [
            run['query_id'],
            ['Q0'] * len(run),
            run['doc_id'],
            run['rank'],
            run['score'],
            run['tag'],
        ]
        (folder / f'{name}.run').write_text(
            ''.join(
                ' '.join(
                    str(field).replace(' ', '_' if place == 4 else ' ')
                    for place, field in enumerate(row)
                )
                + '\n'
                for row in zip(*columns)
            ),
            encoding='utf-8',
        )
    path = folder / 'qrels.tsv'
    try:
        write_qrels(judged, path, overwrite=True)
    except (TypeError, ValueError):
        judged.to_csv(path, sep='\t', index=False)
    else:
        if judged.duplicated().any():
            judged.to_csv(path, sep='\t', index=False)
    said: set[str] = set()
    module = main.__globals__ if hasattr(main, '__globals__') else vars(main)
    before, module['_warning'] = (
        module['_warning'],
        lambda message, category, *_: said.add(category.__name__),
    )
    try:
        code = main(
            [
                'evaluate',
                str(path),
                *(str(folder / f'{name}.run') for name in runs),
                '-m',
                ASKED,
                '-o',
                str(folder / 'out'),
                '--force',
            ]
        )
    finally:
        module['_warning'] = before
    return {ERROR} if code else said


def _parquet(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    (folder / 'log').mkdir(exist_ok=True)
    _as_one(runs).to_parquet(folder / 'log' / 'part-0.parquet')
    return _kinds(lambda: evaluate(folder / 'log', judged, ASKED))


def _dask(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler='synchronous'):
        parts = dd.from_pandas(_as_one(runs), npartitions=2)
        return _kinds(lambda: evaluate(parts, judged, ASKED))


def _as_one(runs: dict[str, Frame]) -> Frame:
    return pd.concat(
        [run.drop(columns='tag').assign(system=name) for name, run in runs.items()],
        ignore_index=True,
    )


def _leaderboard(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    from ir_divmeasures import leaderboard

    return _kinds(lambda: leaderboard(runs, judged, ASKED))


def _pool(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    return _kinds(lambda: Pool.from_runs(runs))


def _diagnose(runs: dict[str, Frame], judged: Frame, folder: pathlib.Path) -> set[str]:
    kinds: set[str] = set()
    return _kinds(lambda: kinds.update(filter(None, diagnose(runs, judged, ASKED).kinds))) | kinds


RUNNERS: dict[str, Callable[[dict[str, Frame], Frame, pathlib.Path], set[str]]] = {
    'evaluate': _evaluate,
    'Evaluator': _evaluator,
    'ir_measures.calc': _ir_measures,
    'pt.Experiment': _experiment,
    'command': _command,
    'parquet': _parquet,
    'Dask': _dask,
    'leaderboard': _leaderboard,
    'Pool': _pool,
    'diagnose': _diagnose,
}
"""Each host: runs by system, judgments and a folder for files → kinds of warnings, or ``{'error'}``."""


# ------------------------------------------------------------------------------------------------------ real data


def real_pairs(shared: pathlib.Path) -> dict[str, tuple[Any, Any]]:
    """Runs and judgments of the real data that belong together, by name of the collection."""
    from ir_divmeasures import read_nuggets

    data = shared / 'data'
    pairs: dict[str, tuple[Any, Any]] = {}
    for year in range(2009, 2015):
        corpus = 'clueweb12' if year >= 2013 else 'clueweb09'
        runs = [
            path
            for path in sorted((data / 'runs' / corpus).iterdir())
            if 'indri' not in path.name or str(year) in path.name
        ]
        part = '/en' if corpus == 'clueweb09' else ''
        pairs[f'Web Track {year}'] = runs, f'{corpus}{part}/trec-web-{year}/diversity'
    pairs['AMBIENT'] = [data / 'ambient' / 'engine-order.run'], data / 'ambient' / 'qrels.diversity'
    pairs['Dynamic Domain 2016'] = (
        [data / 'trec-dd' / 'dd16-run.txt'],
        data / 'trec-dd' / 'dd16-passage-qrels.txt.gz',
    )
    pairs['NTCIREVAL'] = (
        [data / 'ntcireval' / name for name in ('TRECRUN', 'TRECRUN2')],
        data / 'ntcireval' / 'Dtest.Dqrels',
    )
    for name in ('duc04', 'neuclir24'):
        folder = data / 'nuggets' / name
        pairs[name] = (
            sorted(folder.joinpath('runs').iterdir()),
            read_nuggets(folder / 'ratings.jsonl.gz', intents=folder / 'subquestions.json'),
        )
    covid = data / 'pool' / 'trec-covid-r5'
    pairs['TREC-COVID round 5'] = sorted(covid.joinpath('runs').iterdir()), covid / 'qrels.gz'
    return pairs


def found_in(runs: Any, qrels: Any) -> dict[str, set[str]]:
    """The systems (or ``judgments``, ``systems``) of which ``diagnose`` says something, by kind."""
    found: dict[str, set[str]] = {}
    diagnosis = diagnose(runs, qrels)
    for question, kind in zip(diagnosis.questions, diagnosis.kinds):
        if kind:
            found.setdefault(kind, set()).add(question.partition(':')[0])
    return found


NEURAL = 'Neural scores of near-duplicate pages differ by less than 32 bits can hold.'
EQUAL = 'Near-duplicate pages have equal scores, and were judged differently.'
CURES: dict[str, Callable[..., Any]] = {
    'TiesWarning': lambda run, judged, asked: evaluate(run, judged, asked, ties='doc_id_ascending'),
    'OrderWarning': lambda run, judged, asked: evaluate(run, judged, asked, ties='doc_id'),
    'QueriesWarning': lambda run, judged, asked: evaluate(run, judged, asked, missing='drop'),
    'UnjudgedWarning': lambda run, judged, asked: evaluate(
        run.merge(judged[['query_id', 'doc_id']].drop_duplicates()), judged, asked
    ),
}
"""For each kind of warning on real data, a call without its cause."""


def false_alarms(runs: Any, qrels: Any) -> tuple[int, list[tuple[str, str]]]:
    """The number of runs, and the (system, kind) of each warning of ``evaluate`` whose cause changes no printed mean."""
    judged, found, every = read_qrels(qrels), [], list(each(runs))
    asked = 'nDCG@20 P@20 AP RR' if (judged['subtopic_id'] == '0').all() else MEASURES
    for system, run in every:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            printed = evaluate(run.table, judged, asked).means().round(4)
            found += [
                (system, kind)
                for kind in sorted({w.category.__name__ for w in caught})
                if CURES[kind](run.table, judged, asked).means().round(4).equals(printed)
            ]
    return len(every), found


FALSE_ALARMS = {
    'Web Track 2010': ['cknrm_cw09_reinfo'],
    'Web Track 2011': ['bert_cw09_noweak', 'edrm_cw09_reinfo'],
    'Web Track 2012': ['bert_cw09_reinfo', 'cknrm_cw09_bm25', 'edrm_cw09_reinfo'],
    'Web Track 2013': ['tk_cw12_reinfo'],
}
"""The runs of each collection with such a warning, of 217 runs in all. Each is an ``OrderWarning``: documents that differ
by less than 32 bits can hold have equal grades."""

REAL: dict[str, dict[str, tuple[int, str]]] = {
    'Web Track 2009': {
        'OrderWarning': (1, NEURAL),
        'TiesWarning': (7, EQUAL),
    },
    'Web Track 2010': {
        'UnjudgedWarning': (
            11,
            'The judgments list relevant documents only, so that most of what was judged is absent.',
        ),
        'OrderWarning': (2, NEURAL),
        'TiesWarning': (8, EQUAL),
    },
    'Web Track 2011': {
        'OrderWarning': (3, NEURAL),
        'TiesWarning': (7, EQUAL),
    },
    'Web Track 2012': {
        'OrderWarning': (4, NEURAL),
        'TiesWarning': (10, EQUAL),
        'UnjudgedWarning': (
            2,
            'Spam was not filtered from these runs of category A, which were not pooled.',
        ),
    },
    'Web Track 2013': {
        'OrderWarning': (1, NEURAL),
    },
    'Web Track 2014': {
        'UnjudgedWarning': (
            6,
            'The runs were made years later, and were not pooled: judged@20 is 29 to 32 %.',
        ),
        'TiesWarning': (3, EQUAL),
    },
    'AMBIENT': {},
    'Dynamic Domain 2016': {},
    'NTCIREVAL': {
        'SameRankingWarning': (1, 'The sample has the same ranking twice.'),
    },
    'duc04': {
        'OrderWarning': (3, 'The re-ranker gives many documents almost the same probability.'),
        'TiesWarning': (3, 'The re-ranker gives many documents the same probability.'),
    },
    'neuclir24': {},
    'TREC-COVID round 5': {
        'SubtopicsWarning': (
            1,
            'The judgments have no subtopics, and diversity measures were asked for.',
        ),
        'TiesWarning': (65, 'Scores are rounded, and versions of one article have the same score.'),
        'OrderWarning': (
            6,
            'Scores that differ by less than 32 bits can hold, such as sums with a large constant.',
        ),
        'UnjudgedWarning': (1, 'uogTrDPH_QE_RF_SB_B retrieves much that no pooled run does.'),
        'SameRankingWarning': (
            1,
            'DoRA_MSMARCO_1k and DoRA_NO_Judgments_1k have the same top documents.',
        ),
    },
}
"""What the gate says of real data: by collection and kind, of how many systems (or of the judgments), and why."""
