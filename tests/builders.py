"""Small judgments and runs for tests, the fast measures on a twin's query, and tests of every row of a table."""

import contextlib
import dataclasses
import functools
import inspect
import shlex
import traceback
import warnings

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures.core.kernels import packed
from ir_divmeasures.data.similarity import alike_prints
from ir_divmeasures.errors import DivMeasuresWarning
from ir_divmeasures.evaluation.provider import Evaluator

from .reference.twins import Query, layers

QUICK = pytest.mark.parametrize('quick', [True, pytest.param(False, marks=pytest.mark.slow)])
"""A test with a quick form and a slow one."""


def one_in(every):
    """A test with a quick form that takes one in ``every`` of something, and a slow one that takes all."""
    return pytest.mark.parametrize('every', [every, pytest.param(1, marks=pytest.mark.slow)])


def over(names, rows, every=1):
    """A test of every row of a table as one case, which reports every row that fails.

    It is used as ``pytest.mark.parametrize`` is, and takes less time. Fixtures are set up once for all rows, so it is
    for tests that leave them as they are. It is skipped if each row is. ``every`` is for rows that combine some values,
    each of which stands in several: the quick form takes each ``every``-th, the slow one all.
    """
    columns = [name.strip() for name in names.split(',')]
    table = [row if len(columns) > 1 else (row,) for row in rows]

    def decorate(test):
        @functools.wraps(test)
        def for_all(**fixtures):
            failures, skipped = [], []
            for row in table[:: fixtures.pop('every') if every > 1 else 1]:
                try:
                    test(**dict(zip(columns, row, strict=True)), **fixtures)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as error:
                    line = traceback.extract_tb(error.__traceback__)[-1].lineno
                    failures.append(f'{row}: {type(error).__name__} in line {line}: {error}')
            assert not failures, '\n'.join(failures)
            if skipped and len(skipped) == len(table):
                raise skipped[0]

        signature = inspect.signature(test)
        left = [known for name, known in signature.parameters.items() if name not in columns]
        if every > 1:
            left.append(inspect.Parameter('every', inspect.Parameter.KEYWORD_ONLY))
        for_all.__signature__ = signature.replace(parameters=left)
        if every == 1:
            return for_all
        return one_in(every)(for_all)

    return decorate


def refused(said, call, *arguments, error=ValueError, **options):
    """A call raises an error that says this."""
    __tracebackhide__ = True
    with expect_error(said, error):
        call(*arguments, **options)


def expect_error(said, kind=ValueError):
    """A block raises an error that says this, a regular expression."""
    return pytest.raises(kind, match=said)


def expect_warning(said, kind=DivMeasuresWarning):
    return pytest.warns(kind, match=said)


@contextlib.contextmanager
def quietly(kind=DivMeasuresWarning):
    """Without the warnings of this package, or of another kind."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', kind)
        yield


@contextlib.contextmanager
def recorded_warnings():
    """A list of all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield caught


def words_of(arguments):
    """What a shell makes of command lines; paths are one word each."""
    return [
        word
        for each in arguments
        for word in (shlex.split(each) if isinstance(each, str) else [str(each)])
    ]


def judgment_table(rows):
    """Judgments of subtopics from rows (query, document, grade, subtopic)."""
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])


def run_table(rows):
    """A run from rows (query, document, score)."""
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score'])


def table_of(queries):
    """The judgments of twin queries as one table, with the columns that any of them has something for."""
    rows = [
        (name, query, q, layer, d, t, g)
        for name, query in queries.items()
        for layer, q in enumerate(layers(query), 1 - len(layers(query)))
        for (d, t), g in [*q.grades.items(), *((('-', t), -1) for t in q.named)]
    ]

    def known(fact):
        return any(getattr(q, fact) is not None for q in queries.values())

    columns = {
        'query_id': [row[0] for row in rows],
        'doc_id': [row[4] for row in rows],
        'relevance': [row[6] for row in rows],
        'subtopic_id': [row[5] for row in rows],
    }
    if known('weights'):
        columns['weight'] = [(q.weights or {}).get(t, 0.0) for _, _, q, _, _, t, _ in rows]
    if known('above'):
        columns['layer'] = [row[3] for row in rows]
    if known('prints'):
        columns['document_similarity'] = written_similarities(
            columns['query_id'], columns['doc_id'], lambda q, d: (queries[q].prints or {}).get(d, 0)
        )
    if known('counted'):
        counted = {name: (*(query.counted or ({}, 0)), 0)[:3] for name, query in queries.items()}
        columns['n_retrieved'] = [counted[name][0].get(d, 0) for name, _, _, _, d, _, _ in rows]
        columns['n_systems'] = [counted[row[0]][1] for row in rows]
        columns['pool_depth'] = [0] * len(rows)
        columns['newcomer'] = [counted[row[0]][2] for row in rows]
    if known('finders'):
        ranks = {
            name: {d: rank for rank, d in enumerate(query.ranking, 1)}
            for name, query in queries.items()
        }
        columns['pool_ranks'] = [
            pool_ranks_of(query, d, ranks[name]) for name, query, _, _, d, _, _ in rows
        ]
    if any(q.importance for q in queries.values()):
        columns['importance'] = [query.importance.get(t, '') for _, query, _, _, _, t, _ in rows]
    return pd.DataFrame(columns, dtype=None if rows else object)


def written_similarities(queries, documents, print_of, scale='cosine'):
    """The similarities of documents with these SimHash fingerprints, as texts in the order of the rows."""
    documents_of = {}
    for query, document in zip(queries, documents):
        documents_of.setdefault(query, {})[document] = ''
    for query, texts in documents_of.items():
        prints = np.array([print_of(query, document) for document in texts], dtype=np.uint64)
        texts.update(zip(texts, packed.pack(alike_prints(prints, scale))))
    return [
        '' if document == '-' else documents_of[query][document]
        for query, document in zip(queries, documents)
    ]


def pool_ranks_of(query, document, ranks):
    """The groups that retrieve a document: group 1 has the ranking of the query, the others retrieve it far below."""
    return ' '.join(
        f'{group}:{ranks.get(document, 900) if group == 1 else 900 + group}'
        for group in sorted((query.finders or {}).get(document, ()))
    )


def run_of(queries):
    """The rankings of twin queries as a run with falling scores."""
    rows = [(name, q, i, d) for name, q in queries.items() for i, d in enumerate(q.ranking)]
    columns = {
        'query_id': [row[0] for row in rows],
        'doc_id': [row[3] for row in rows],
        'score': [float(-row[2]) for row in rows],
    }
    return pd.DataFrame(columns, dtype=None if rows else object)


def values(measures, qrels, run):
    """(query, measure as asked) → value, by the evaluator."""
    return {
        (m.query_id, str(m.measure)): m.value for m in Evaluator(measures, qrels).iter_calc(run)
    }


def random_query(
    rng, documents=14, aspects=4, top_grade=3, weighted=False, fractions=False, facts=False
):
    """A random query: unjudged and judged-non-relevant documents, empty aspects, runs of any length.

    With ``facts`` documents have fingerprints and counts of a pool, to which the run is a newcomer, and aspects
    importance and one or two layers above; there may be intents that no document was checked for.
    """
    ids = [f'd{i}' for i in range(documents)]
    names = [f't{i}' for i in range(int(rng.integers(1, aspects + 1)))]
    grades = {}
    density = rng.choice([0.0, 0.1, 0.3, 0.6], p=[0.05, 0.25, 0.4, 0.3])
    for d in ids:
        for t in names:
            if rng.random() < density:
                grades[d, t] = (
                    float(rng.random()) if fractions else int(rng.integers(0, top_grade + 1))
                )
            elif rng.random() < 0.1:
                grades[d, t] = int(rng.choice([0, -2]))
    if not grades:
        grades[ids[0], names[0]] = 0
    extra = [f'u{i}' for i in range(int(rng.integers(0, 6)))]
    ranking = list(rng.permutation([*ids, *extra]))[
        : int(rng.integers(0, documents + len(extra) + 1))
    ]
    weights = {t: float(rng.choice([0.0, 0.1, 0.25, 0.5])) for t in names} if weighted else None
    query = Query(tuple(str(d) for d in ranking), grades, weights)
    return with_facts(query, rng) if facts else query


def with_facts(query, rng):
    """The query with random fingerprints, counts of a pool of five, importance, up to two intents without
    judgments, and one or two layers above."""
    documents = sorted({d for d, _ in query.grades} | set(query.ranking))
    parent = {t: f'p{int(rng.integers(0, 2))}' for t in sorted({t for _, t in query.grades})}
    above = layer_above(query, parent, rng)
    if rng.random() < 0.5:
        top = layer_above(above, dict.fromkeys(parent.values(), 'top'), rng)
        above = dataclasses.replace(above, above=top)
    named = tuple(f't9{i}' for i in range(int(rng.integers(0, 3))))
    given = None if query.weights is None else {**query.weights, **dict.fromkeys(named, 0.25)}
    every = sorted({t for _, t in query.grades} | set(named))
    counts = {d: int(rng.integers(0, 6)) for d in documents}
    return dataclasses.replace(
        query,
        named=named,
        weights=given,
        importance={t: str(rng.choice(['vital', 'okay', ''])) for t in every},
        prints={d: int(rng.integers(0, 2**63)) for d in documents},
        counted=(counts, 6, 1),
        finders={
            d: {1 + (place + group) % 5 for group in range(counts[d])}
            for place, d in enumerate(documents)
        },
        above=above,
    )


def layer_above(query, parent, rng):
    """The query with the best grades for the parents of its aspects, of random weights."""
    grades = {}
    for (d, t), g in query.grades.items():
        grades[d, parent[t]] = max(g, grades.get((d, parent[t]), -9))
    weights = query.weights and {p: float(rng.choice([0.2, 0.5])) for p in parent.values()}
    return Query(query.ranking, grades, weights)
