"""Ways to spoil runs and judgments, what each host says of them, and what real data give: the catalogue of the gate.

:data:`CORRUPTIONS` has a :class:`Corruption` for each way, :data:`RUNNERS` a function for each host, which returns the
kinds of warnings that it gives, or ``'error'``. tests/test_gate.py compares both.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import ir_measures
import numpy as np
import pandas as pd

from ir_divmeasures import DivMeasuresWarning, diagnose, evaluate, measures, read_qrels
from ir_divmeasures.data import judgments as judgments_module
from ir_divmeasures.data.runs import each
from ir_divmeasures.errors import TopicLevelWarning
from ir_divmeasures.evaluation.diagnose import MEASURES
from ir_divmeasures.evaluation.gate import CHECKS
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.pools import Pool

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


def lists(judged, write):
    """A row for each document with the list of the subtopics to which it is relevant."""
    rows = judged[judged['relevance'] > 0]
    columns = {'relevance': 'max', 'subtopic_id': lambda names: write(list(names))}
    return rows.groupby(['query_id', 'doc_id'], as_index=False).agg(columns)


def two_spellings(judged, spell):
    """Subtopics spelled in another way in every second row."""
    is_other = np.arange(len(judged)) % 2 == 0
    names = judged['subtopic_id'].where(is_other, judged['subtopic_id'].map(spell))
    return judged.assign(subtopic_id=names)


def whole_topic(judged):
    """Judgments without subtopics."""
    return judged.groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max()


def named(judged, change):
    """Subtopics with names, in two spellings."""
    names = judged['subtopic_id'].map({'0': 'Price', '1': 'caf\u00e9', '2': 'Quality'})
    return two_spellings(judged.assign(subtopic_id=names), change)


# ---------------------------------------------------------------------------------------------------- the catalogue


LACKS = {
    'Evaluator': {'systems': 'scores one run a call'},
    'ir_measures.calc': {
        'rank': 'namedtuples of ir_measures have no rank',
        'tag': 'namedtuples of ir_measures have no tag',
        'systems': 'scores one run a call',
    },
    'pt.Experiment': {
        'tag': 'frames of PyTerrier have no tag',
        'systems': 'evaluates one system after the other',
    },
    'parquet': {'tag': 'the column names the systems'},
    'Dask': {'tag': 'the column names the systems'},
    'Pool': {
        'judgments': 'a pool of runs has no judgments',
        'measures': 'a pool of runs has no measures',
    },
}
"""What a host cannot know, and why: it does not make checks that need it."""


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
    spoil: Callable
    check: str = ''
    hosts: Mapping[str, str] = field(default_factory=dict)
    also: frozenset[str] = frozenset()

    def expected(self, host):
        """The kind that a host gives, ``'error'``, or ``- reason``."""
        if host in self.hosts:
            return self.hosts[host]
        reason = next(
            (
                why
                for check in CHECKS
                if check.name == self.check
                for what, why in LACKS.get(host, {}).items()
                if what in check.needs
            ),
            None,
        )
        return f'- {reason}' if reason else self.kind or '- read as it is meant'


CORRUPTIONS = []

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


def of_run(change):
    """A change of the run of system A."""
    return lambda runs, judged: ({**runs, 'A': change(runs['A'].copy())}, judged)


def of_scores(change):
    return of_run(lambda run: run.assign(score=change(run)))


def of_judgments(change):
    return lambda runs, judged: (runs, change(judged.copy()))


def of_grades(change):
    return of_judgments(lambda judged: judged.assign(relevance=change(judged)))


def add(kind, check, of, changes, also=(), hosts=()):
    """Ways to spoil input that are alike: their names, and changes from which ``of`` makes ``spoil``."""
    for name, change in changes.items():
        CORRUPTIONS.append(Corruption(name, kind, of(change), check, dict(hosts), frozenset(also)))


def part(run, share):
    """Whether a row is of the first queries."""
    return run['query_id'].isin(sorted(run['query_id'].unique())[: int(share * N_QUERIES)])


def documents(frame, change, where=None):
    new = frame['doc_id'].map(change)
    return frame.assign(doc_id=new if where is None else new.where(where, frame['doc_id']))


def queries(frame, change):
    return frame.assign(query_id=frame['query_id'].map(change))


def both(change):
    """Ids of the run of A and of the judgments, given how to write each; those of system B as in the judgments."""
    return lambda writes: (
        lambda runs, judged: (
            {name: change(run, writes[name == 'B']) for name, run in runs.items()},
            change(judged, writes[1]),
        )
    )


def longer(run, first):
    """Thirty unjudged documents before or after those of each query, in rows by document."""
    extra = documents(run, lambda name: f'doc{name[3:5]}y{name[6:]}')
    extra = extra.assign(score=extra['score'] + (1000 if first else -1000))
    return (
        pd.concat([run, extra])
        .assign(rank=0)
        .sort_values(['query_id', 'doc_id'], ignore_index=True)
    )


def number(name):
    return 1000 * int(name[3:5]) + int(name[6:]) + 1


def unjudged(name):
    return f'doc{name[3:5]}y{name[6:]}'


# ---- scores against ranks
add(
    'RankColumnWarning',
    'rank column',
    of_scores,
    {
        'scores negated': lambda run: -run['score'],
        'scores are the ranks 1, 2, 3, …': lambda run: run['rank'] * 1.0,
        'scores are distances': lambda run: 1 / run['score'],
        'scores negated in 3 of 4 queries': lambda run: run['score'].where(
            ~part(run, 0.75), -run['score']
        ),
        'scores negated, with noise': lambda run: -run['score'] + 4.001 * (run['rank'] % 2),
    },
    hosts={'ir_measures.calc': 'ScoresWarning'},  # rows in the order of the ranks say so
)
# judgments say that the scores are right
add(
    '',
    '',
    of_run,
    {'the rank column reversed': lambda run: run.assign(rank=N_DOCUMENTS + 1 - run['rank'])},
    hosts={'Pool': 'RankColumnWarning'},
)
add(
    '',
    '',
    of_run,
    {
        'right scores, rows from the last to the first': lambda run: (
            run.assign(rank=0).iloc[::-1].reset_index(drop=True)
        )
    },
    hosts={'Pool': 'ScoresWarning'},
)

# ---- scores that rank nothing, or the wrong way round, without ranks to tell
add(
    'ScoresWarning',
    'scores that rise',
    of_run,
    {
        'no ranks, scores negated': lambda run: run.assign(score=-run['score'], rank=0),
        'no ranks, scores are distances': lambda run: run.assign(score=1 / run['score'], rank=0),
    },
)
add(
    'ScoresWarning',
    'scores that rank nothing',
    of_scores,
    {
        'all scores 0': lambda run: 0.0,
        'all scores of a query equal': lambda run: run['query_id'].str[1:].astype(float),
        'all scores infinite': lambda run: np.inf,
        'scores equal in 3 of 4 queries': lambda run: run['score'].where(~part(run, 0.75), 1.0),
    },
    {'TiesWarning'},
)
add(
    'ScoresWarning',
    'direction of scores',
    of_run,
    {
        'scores are distances, rows by document': lambda run: run.assign(
            score=1 / run['score'], rank=0
        ).sort_values(['query_id', 'doc_id'], ignore_index=True),
        'low scores are good, rows by document': lambda run: longer(run, True),
        'distances of a long ranking, rows by document': lambda run: longer(run, False).assign(
            score=lambda frame: -frame['score']
        ),
    },
    {'UnjudgedWarning', 'DocumentsWarning'},
)

# ---- several runs
add(
    'SameRankingWarning',
    'same rankings',
    lambda change: (
        lambda runs, judged: ({'A': runs['A'], 'B': change(runs['A'].assign(tag='B'))}, judged)
    ),
    {
        'a system twice': lambda run: run,
        'a system twice, scores by another function': lambda run: run.assign(
            score=np.sqrt(run['score'])
        ),
        'a system twice, queries in another order': lambda run: run.sort_values(
            ['query_id', 'rank'], ascending=[False, True], ignore_index=True
        ),
    },
    {'DivMeasuresWarning'},
)

# ---- ids
add(
    'IdsWarning',
    'ids of documents',
    both(documents),
    {
        'ids in upper case in the run': (str.upper, str),
        'ids in upper case in the judgments': (str, str.upper),
        'a suffix .txt in the run': ('{}.txt'.format, str),
        'ids of two Unicode forms': (
            lambda name: unicodedata.normalize('NFD', f'é{name}'),
            'é{}'.format,
        ),
        'numbers with .0 in the run': (
            lambda name: f'{number(name)}.0',
            lambda name: f'{number(name)}',
        ),
        'numbers with .0 in the judgments': (
            lambda name: f'{number(name)}',
            lambda name: f'{number(name)}.0',
        ),
        'leading zeros in the run': (
            lambda name: f'{number(name):08d}',
            lambda name: f'{number(name)}',
        ),
        'quotation marks in the run': ('"{}"'.format, str),
        'a slash after ids in the run': ('{}/'.format, str),
        'numbers of passages in the run': ('{}#0'.format, str),
        "b'…' around ids in the run": ("b'{}'".format, str),
        'an invisible character in the run': (lambda name: f'{name[:3]}\u200b{name[3:]}', str),
        'URL-encoded ids in the run': ('{}%2Fen'.format, '{}/en'.format),
        'a file name with folder in the judgments': (str, 'corpus/{}'.format),
    },
)
add(
    'IdsWarning',
    'ids of documents',
    both(documents),
    {
        'a blank after ids in the run': ('{} '.format, str),
        'a blank before ids in the judgments': (str, ' {}'.format),
    },
    hosts=FRAMES,
)
add(
    'IdsWarning',
    'ids of documents',
    of_run,
    {
        'ids in upper case in half of the queries': lambda run: documents(
            run, str.upper, part(run, 0.5)
        ),
        'one id of three in upper case': lambda run: documents(
            run, str.upper, run['rank'] % 3 == 0
        ),
    },
)
add(
    'IdsWarning',
    'ids of queries',
    both(queries),
    {
        'queries in upper case': (str.upper, str),
        'queries as floats': (lambda name: f'{name[1:]}.0', lambda name: name[1:]),
        'queries with leading zeros': (lambda name: f'0{name[1:]}', lambda name: name[1:]),
    },
    {'QueriesWarning'},
)
add(
    'IdsWarning',
    'ids of queries',
    both(queries),
    {'a blank after queries': ('{} '.format, str)},
    {'QueriesWarning'},
    FRAMES,
)

# ---- a run and judgments that hardly meet
add(
    'QueriesWarning',
    'queries in common',
    of_run,
    {
        'most judged queries missing': lambda run: run[part(run, 0.25)],
        'most queries of another collection': lambda run: run.assign(
            query_id=run['query_id'].where(part(run, 0.25), 'topic-' + run['query_id'])
        ),
        'queries of another collection': lambda run: queries(run, lambda x: f'topic-{x[1:]}'),
    },
)
add(
    '',
    '',
    of_run,
    {
        'half of the queries unjudged': lambda run: pd.concat(
            [run, queries(run, lambda name: f'x{name[1:]}')], ignore_index=True
        )
    },
)
add(
    'DocumentsWarning',
    'documents in common',
    of_run,
    {
        'documents of another collection': lambda run: documents(run, lambda x: f'web{x[3:]}'),
        'almost no document judged': lambda run: documents(
            run, lambda x: f'web{x[3:]}', ~((run['query_id'] == 'q00') & (run['rank'] < 3))
        ),
    },
)
add(
    'EmptyRunWarning',
    'no documents',
    of_run,
    {'a run without documents': lambda run: run.head(0)},
    {'QueriesWarning'},
    {
        'evaluate': 'QueriesWarning',
        'pt.Experiment': ERROR,
        'parquet': '- a system without rows is not in the table',
        'Dask': '- a system without rows is not in the table',
    },
)
add(
    'UnjudgedWarning',
    'judged@k',
    of_run,
    {'7 of 10 documents unjudged': lambda run: documents(run, unjudged, run['rank'] % 10 < 7)},
)
add(
    'UnjudgedWarning',
    'judged@k',
    of_judgments,
    {
        'only one query of three well judged': lambda judged: documents(
            judged, unjudged, judged['query_id'].str[1:].astype(int) % 3 > 0
        )
    },
)

# ---- ties
add(
    'TiesWarning',
    'ties',
    of_scores,
    {
        'scores rounded': lambda run: np.round(run['score'] / 8),
        'scores 1 and 0': lambda run: (run['rank'] <= 10) * 1.0,
        'ties in one query of four': lambda run: run['score'].where(
            ~(part(run, 0.25) & (run['rank'] <= 5)), 100.0
        ),
    },
)
add(
    'OrderWarning',
    'order in 32 bits',
    of_scores,
    {
        'scores apart by 1e-9': lambda run: 1 + run['score'] * 1e-9,
        'scores on top of a large number': lambda run: 1e9 + run['score'] / 100,
    },
)
add(
    '',
    '',
    lambda change: lambda runs, judged: ({name: change(run) for name, run in runs.items()}, judged),
    {'64-bit whole numbers above 2^53': lambda run: run.assign(score=2**60 - run['rank'])},
    {'TiesWarning'},
    {'pt.Experiment': 'ScoresWarning'},
)  # PyTerrier makes floats of them

# ---- judgments
add(
    'NoRelevantWarning',
    'no relevant document',
    of_grades,
    {
        'all grades 0': lambda judged: 0,
        'grades with the sign flipped': lambda judged: -judged['relevance'],
    },
)
add(
    'EqualGradesWarning',
    'all relevant',
    of_grades,
    {
        'all grades 1': lambda judged: 1,
        'all grades higher by 1': lambda judged: judged['relevance'] + 1,
    },
)
add(
    'GradesWarning',
    'grades below what counts',
    of_grades,
    {'grades on a scale from 0 to 0.2': lambda judged: judged['relevance'] / 10},
)
add(
    'GradesWarning',
    'grades between 0 and 1',
    of_grades,
    {
        'grades 0, 0.5 and 1': lambda judged: judged['relevance'] / 2,
        'grades 0, 0.9999999 and 2': lambda judged: judged['relevance'].replace(1, 0.9999999),
    },
)
add(
    'SubtopicsWarning',
    'one subtopic',
    of_judgments,
    {
        'the column of subtopics lost': whole_topic,
        'all subtopics called 1': lambda judged: whole_topic(judged).assign(subtopic_id='1'),
    },
)
add(
    'SubtopicsWarning',
    'several subtopics in a cell',
    lambda write: of_judgments(lambda judged: lists(judged, write)),
    {
        f'lists of subtopics such as {write(["1", "2"])}': write
        for write in (','.join, ';'.join, ' '.join, str)
    },
)
add(
    'SubtopicsWarning',
    'subtopics spelled in two ways',
    lambda spell: of_judgments(lambda judged: two_spellings(judged, spell)),
    {
        f'subtopics 1 and {spell("1")!r}': spell
        for spell in ('0{}'.format, '{}.0'.format, '{} '.format)
    },
)
add(
    'SubtopicsWarning',
    'subtopics spelled in two ways',
    lambda spell: of_judgments(lambda judged: named(judged, spell)),
    {
        'subtopics Price and price': str.lower,
        'subtopics in two Unicode forms': lambda name: unicodedata.normalize('NFD', name),
    },
)
add(
    'SubtopicsWarning',
    'a subtopic is the union of the others',
    of_judgments,
    {
        'judgments of the whole topic beside those of subtopics': lambda judged: pd.concat(
            [judged, whole_topic(judged).assign(subtopic_id='adhoc')], ignore_index=True
        )
    },
)
add(
    'SubtopicsWarning',
    'subtopics lost',
    of_judgments,
    {
        'the subtopics of 39 of 40 queries lost': lambda judged: judged[
            (judged['query_id'] == 'q00') | (judged['subtopic_id'] == '1')
        ]
    },
)
add(
    'SubtopicsWarning',
    'subtopic is the document',
    of_judgments,
    {
        'the document for the subtopic': lambda judged: judged.assign(
            subtopic_id=judged['doc_id']
        ).drop_duplicates(['query_id', 'doc_id'])
    },
)
add(
    'WeightsWarning',
    'weights',
    of_judgments,
    {
        'weights of 1 for each subtopic': lambda judged: judged.assign(weight=1.0),
        'weights that sum to one half': lambda judged: judged.assign(weight=1 / 6),
    },
    hosts={'ir_measures.calc': '- namedtuples of ir_measures have no weights'},
)
COLUMNS = {
    **NO_JUDGMENTS,
    'ir_measures.calc': '× namedtuples of ir_measures have no further columns',
}
add(
    'ColumnsWarning',
    'a column that is almost one of ours',
    lambda name: of_judgments(lambda judged: judged.assign(**{name: 1})),
    {
        f'{of} called {name}': name
        for name, of in {
            'Weight': 'weight',
            'prob': 'weight',
            'intent_weight': 'weight',
            'layers': 'layer',
        }.items()
    },
    hosts=COLUMNS,
)
add(
    'ColumnsWarning',
    'a column that is almost one of ours',
    of_judgments,
    {
        'subtopic_id called sub_topic': lambda judged: judged[judged['subtopic_id'] == '1'].rename(
            columns={'subtopic_id': 'sub_topic'}
        )
    },
    {'SubtopicsWarning'},
    COLUMNS,
)
add(
    'ColumnsWarning',
    'two columns for one thing',
    lambda names: of_judgments(
        lambda judged: judged.assign(**{names[0]: judged[names[1]].to_numpy()[::-1]})
    ),
    {
        f'{other} beside {column}, and other values': (other, column)
        for column, other in {'relevance': 'label', 'doc_id': 'docno', 'query_id': 'qid'}.items()
    },
    hosts={**COLUMNS, 'pt.Experiment': '× PyTerrier has one name for each column'},
)
add(
    'RepeatedRowsWarning',
    '',
    of_judgments,
    {
        'rows of judgments twice': lambda judged: pd.concat(
            [judged, judged.head(50)], ignore_index=True
        )
    },
    hosts=NO_JUDGMENTS,
)

# ---- no use is legitimate
add(
    ERROR,
    '',
    of_scores,
    {
        'scores that are dates': lambda run: (
            pd.Timestamp('2026-01-01') - pd.to_timedelta(run['rank'], unit='D')
        ),
        'a score that is missing': lambda run: run['score'].where(run['rank'] > 1),
    },
)
add(
    ERROR,
    '',
    of_scores,
    {'scores that are complex numbers': lambda run: run['score'] + 1j},
    hosts={
        'parquet': '× parquet has no such type',
        'pt.Experiment': '- PyTerrier takes their real parts',
    },
)
add(
    ERROR,
    '',
    of_scores,
    {'scores that are words': lambda run: 'high'},
    hosts={'parquet': '× a column of a parquet file has one type'},
)
add(
    ERROR,
    '',
    of_run,
    {'two columns of scores': lambda run: pd.concat([run, run[['score']]], axis=1)},
    hosts=NAMES,
)
add(
    ERROR,
    '',
    of_run,
    {
        'a document twice': lambda run: pd.concat([run, run.head(1)], ignore_index=True),
        "a document called '-'": lambda run: documents(run, lambda x: '-', run['rank'] == 1),
    },
)
add(
    ERROR,
    '',
    of_run,
    {
        'a document without an id': lambda run: run.assign(
            doc_id=run['doc_id'].where(run['rank'] > 1, None)
        )
    },
    hosts=FRAMES,
)
add(
    ERROR,
    '',
    of_grades,
    {
        'grades that are dates': lambda judged: pd.Timestamp('2026-01-01'),
        'a grade that is missing': lambda judged: judged['relevance'].where(judged.index > 0),
        'grades that are words': lambda judged: 'good',
    },
    hosts=NO_JUDGMENTS,
)
add(
    ERROR,
    '',
    of_judgments,
    {
        'two grades of a document': lambda judged: pd.concat(
            [judged, judged.head(1).assign(relevance=9)], ignore_index=True
        )
    },
    hosts=NO_JUDGMENTS,
)


# --------------------------------------------------------------------------------------------------------- hosts


def _kinds(call):
    """The kinds of warnings that a call gives, or ``'error'``."""
    judgments_module._memory.clear()  # what was said of judgments is not said again
    with recorded_warnings() as caught:
        try:
            call()
        except (TypeError, ValueError):
            return {ERROR}
    kinds = {w.category for w in caught if issubclass(w.category, DivMeasuresWarning)}
    return {kind.__name__ for kind in kinds - {TopicLevelWarning}}


def _evaluate(runs, judged, folder):
    return _kinds(lambda: evaluate(judged, runs, ASKED))


def _evaluator(runs, judged, folder):
    return _kinds(lambda: Evaluator(measures(ASKED), judged).calc_aggregate(runs['A']))


def rows(frame):
    return frame.itertuples(index=False, name=None)


def _ir_measures(runs, judged, folder):
    judged = pd.DataFrame({'subtopic_id': '0', **judged})
    columns = ['query_id', 'doc_id', 'relevance', 'subtopic_id']
    run = [ir_measures.ScoredDoc(*row) for row in rows(runs['A'][['query_id', 'doc_id', 'score']])]
    qrels = [ir_measures.Qrel(*row) for row in rows(judged[columns])]
    return _kinds(lambda: ir_measures.calc(measures(ASKED), qrels, run))


def _experiment(runs, judged, folder):
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


def _command(runs, judged, folder):
    from ir_divmeasures.cli import main

    for name, run in runs.items():
        table = run.assign(q0='Q0')[['query_id', 'q0', 'doc_id', 'rank', 'score', 'tag']]
        table.to_csv(folder / f'{name}.run', sep=' ', header=False, index=False, na_rep='nan')
    path = folder / 'qrels.tsv'
    judged.to_csv(path, sep='\t', index=False)
    said = set()
    module = main.__globals__ if hasattr(main, '__globals__') else vars(main)
    before, module['_warning'] = (
        module['_warning'],
        lambda words, message, category, *_: said.add(category.__name__),
    )
    try:
        paths = [str(folder / f'{name}.run') for name in runs]
        code = main(
            ['evaluate', str(path), *paths, '-m', ASKED, '-o', str(folder / 'out'), '--force']
        )
    finally:
        module['_warning'] = before
    return {ERROR} if code else said


def _parquet(runs, judged, folder):
    (folder / 'log').mkdir(exist_ok=True)
    _as_one(runs).to_parquet(folder / 'log' / 'part-0.parquet')
    return _kinds(lambda: evaluate(judged, folder / 'log', ASKED))


def _dask(runs, judged, folder):
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler='synchronous'):
        parts = dd.from_pandas(_as_one(runs), npartitions=2)
        return _kinds(lambda: evaluate(judged, parts, ASKED))


def _as_one(runs):
    return pd.concat(
        [run.drop(columns='tag').assign(system=name) for name, run in runs.items()],
        ignore_index=True,
    )


def _pool(runs, judged, folder):
    return _kinds(lambda: Pool.from_runs(runs))


def _diagnose(runs, judged, folder):
    kinds = set()
    return _kinds(lambda: kinds.update(filter(None, diagnose(judged, runs, ASKED).kinds))) | kinds


RUNNERS = {
    'evaluate': _evaluate,
    'Evaluator': _evaluator,
    'ir_measures.calc': _ir_measures,
    'pt.Experiment': _experiment,
    'command': _command,
    'parquet': _parquet,
    'Dask': _dask,
    'Pool': _pool,
    'diagnose': _diagnose,
}
"""Each host: runs by system, judgments and a folder for files → kinds of warnings, or ``{'error'}``."""


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
    if name in ('duc04', 'neuclir24'):
        folder = data / 'nuggets' / name
        judged = read_nuggets(folder / 'ratings.jsonl.gz', intents=folder / 'subquestions.json')
        return sorted(folder.joinpath('runs').iterdir()), judged
    if name == 'TREC-COVID round 5':
        folder = data / 'pool/trec-covid-r5'
        return sorted(folder.joinpath('runs').iterdir()), folder / 'qrels.gz'
    files = {
        'AMBIENT': ('ambient', 'qrels.diversity', 'engine-order.run'),
    }
    folder, judged, *runs = files[name]
    return [data / folder / run for run in runs], data / folder / judged


def found_in(runs, qrels):
    """The systems (or ``judgments``, ``systems``) of which ``diagnose`` says something, by kind."""
    found = {}
    diagnosis = diagnose(qrels, runs)
    for question, kind in zip(diagnosis.questions, diagnosis.kinds):
        if kind:
            found.setdefault(kind, set()).add(question.partition(':')[0])
    return found


NEURAL = 'Neural scores of near-duplicate pages differ by less than 32 bits can hold.'
EQUAL = 'Near-duplicate pages have equal scores, and were judged differently.'
CURES = {
    'TiesWarning': lambda run, judged, asked: evaluate(judged, run, asked, ties='doc_id_ascending'),
    'OrderWarning': lambda run, judged, asked: evaluate(judged, run, asked, ties='doc_id'),
    'QueriesWarning': lambda run, judged, asked: evaluate(judged, run, asked, missing='drop'),
    'UnjudgedWarning': lambda run, judged, asked: evaluate(
        judged, run.merge(judged[['query_id', 'doc_id']].drop_duplicates()), asked
    ),
}
"""For each kind of warning on real data, a call without its cause."""


def false_alarms(runs, qrels):
    """The number of runs, and the (system, kind) of each warning of ``evaluate`` whose cause changes no printed mean."""
    judged, found, every = read_qrels(qrels), [], list(each(runs))
    asked = 'nDCG@20 P@20 AP RR' if (judged['subtopic_id'] == '0').all() else MEASURES
    for system, run in every:
        with recorded_warnings() as caught:
            printed = evaluate(judged, run.table, asked).means().round(4)
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

REAL = {
    'Web Track 2009': {'OrderWarning': (1, NEURAL), 'TiesWarning': (7, EQUAL)},
    'Web Track 2010': {
        'UnjudgedWarning': (
            11,
            'The judgments list relevant documents only, so that most of what was judged is absent.',
        ),
        'OrderWarning': (2, NEURAL),
        'TiesWarning': (8, EQUAL),
    },
    'Web Track 2011': {'OrderWarning': (3, NEURAL), 'TiesWarning': (7, EQUAL)},
    'Web Track 2012': {
        'OrderWarning': (4, NEURAL),
        'TiesWarning': (10, EQUAL),
        'UnjudgedWarning': (
            2,
            'Spam was not filtered from these runs of category A, which were not pooled.',
        ),
    },
    'Web Track 2013': {'OrderWarning': (1, NEURAL)},
    'Web Track 2014': {
        'UnjudgedWarning': (
            6,
            'The runs were made years later, and were not pooled: judged@20 is 29 to 32 %.',
        ),
        'TiesWarning': (3, EQUAL),
    },
    'AMBIENT': {},
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
