"""Small judgments and runs for tests, and the fast measures on a twin's query."""
from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.judgments.table import Judgments

from .reference.twins import Query


def table_of(queries: dict[str, Query]) -> pd.DataFrame:
    """The judgments of twin queries as one table, with the columns that any of them has something for."""
    rows = [(name, d, g, t, (q.weights or {}).get(t, 0.0), q.types.get(t, 'inf'), layer, (query.prints or {}).get(d, 0),
             (query.counted or [{}])[0].get(d, 0), query.counted[1] if query.counted else 0, 0,
             query.counted[2] if query.counted and len(query.counted) > 2 else 0, pool_ranks_of(query, d))
            for name, query in queries.items() for layer, q in ((-1, query.above), (0, query)) if q is not None
            for (d, t), g in [*q.grades.items(), *((('-', t), -1) for t in q.named)]]
    table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight', 'subtopic_type',
                                        'layer', 'fingerprint', 'n_retrieved', 'n_systems', 'pool_depth',
                                        'newcomer', 'pool_ranks'])
    table['fingerprint'] = [f'{number:016x}' for number in table['fingerprint']]
    if any(q.importance for q in queries.values()):
        table['importance'] = [queries[q].importance.get(t, '')
                               for q, t in zip(table['query_id'], table['subtopic_id'])]
    if any(q.part_of for q in queries.values()):
        table['part_of'] = [queries[q].part_of.get(t, '') for q, t in zip(table['query_id'], table['subtopic_id'])]
    if any(q.points is not None for q in queries.values()):
        table['points'] = [(queries[q].points or {}).get(t, 0.0)
                           for q, t in zip(table['query_id'], table['subtopic_id'])]
    lacking = {'weight': 'weights', 'fingerprint': 'prints', 'n_retrieved': 'counted', 'n_systems': 'counted',
               'pool_depth': 'counted', 'newcomer': 'counted', 'pool_ranks': 'finders', 'layer': 'above'}
    return table.drop(columns=[column for column, fact in lacking.items()
                               if all(getattr(q, fact) is None for q in queries.values())])


def pool_ranks_of(query: Query, document: str) -> str:
    """The groups that retrieve a document: group 1 has the ranking of the query, the others retrieve it far below."""
    ranks = {d: rank for rank, d in enumerate(query.ranking, 1)}
    return ' '.join(f'{group}:{ranks.get(document, 900) if group == 1 else 900 + group}'
                    for group in sorted((query.finders or {}).get(document, ())))


def run_of(queries: dict[str, Query]) -> pd.DataFrame:
    """The rankings of twin queries as a run with falling scores, and the lengths of documents where there are any."""
    run = pd.DataFrame([(name, d, float(-i), q.lengths.get(d), (q.iterations or {}).get(d))
                        for name, q in queries.items() for i, d in enumerate(q.ranking)],
                       columns=['query_id', 'doc_id', 'score', 'length', 'iteration'])
    lacking = {'length': not any(q.lengths for q in queries.values()),
               'iteration': any(q.iterations is None for q in queries.values())}
    return run.drop(columns=[column for column, none in lacking.items() if none])


def iterated(query: Query) -> Query:
    """The query with a ranking by iterations: 1 1 1 2 2 2 4 4 4 5 …. There is no third one."""
    return dataclasses.replace(query, iterations={d: 1 + i // 3 + (i > 5) for i, d in enumerate(query.ranking)})


def in_sessions(queries: dict[str, Query], measures: list) -> dict[str, Query]:
    """The queries, with iterations if one of the measures cannot do without."""
    return {name: iterated(q) for name, q in queries.items()} if any(m.family == 'sessions' for m in measures) \
        else queries


def with_iterations(run: pd.DataFrame, qrels, measures: list) -> pd.DataFrame:
    """The run with iterations of two judged documents each, if one of the measures cannot do without.

    Unjudged documents are of the iteration of the judged one below, so that leaving them out changes no iteration.
    """
    if 'iteration' in run.columns or not any(m.family == 'sessions' for m in measures):
        return run
    run = run.reset_index(drop=True)
    table = qrels.table if isinstance(qrels, Judgments) else qrels
    judged = pd.MultiIndex.from_frame(table[['query_id', 'doc_id']].astype(str).drop_duplicates())
    ordered = run.sort_values(['query_id', 'score', 'doc_id'], ascending=False)
    keys = ordered[['query_id', 'doc_id']].astype(str)
    known = pd.Series(pd.MultiIndex.from_frame(keys).isin(judged).astype(int), index=ordered.index)
    above = known.groupby(ordered['query_id']).cumsum() - known
    return run.assign(iteration=1 + above // 2)


def values(measures: list, qrels, run) -> dict[tuple[str, str], float]:
    """(query, measure as asked) → value, by the evaluator."""
    return {(m.query_id, str(m.measure)): m.value for m in Evaluator(measures, qrels).iter_calc(run)}


def random_query(rng: np.random.Generator, documents: int = 14, aspects: int = 4, top_grade: int = 3,
                 weighted: bool = False, fractions: bool = False, facts: bool = False) -> Query:
    """A random query: unjudged and judged-non-relevant documents, empty aspects, runs of any length.

    With ``facts`` documents have lengths, fingerprints and counts of a pool, to which the run is a newcomer, and
    aspects importance and a layer above; there may be intents that no document was checked for.
    """
    ids = [f'd{i}' for i in range(documents)]
    names = [f't{i}' for i in range(int(rng.integers(1, aspects + 1)))]
    grades: dict[tuple[str, str], float] = {}
    density = rng.choice([0.0, 0.1, 0.3, 0.6], p=[0.05, 0.25, 0.4, 0.3])
    for d in ids:
        for t in names:
            if rng.random() < density:
                grades[d, t] = float(rng.random()) if fractions else int(rng.integers(0, top_grade + 1))
            elif rng.random() < 0.1:
                grades[d, t] = int(rng.choice([0, -2]))
    if not grades:
        grades[ids[0], names[0]] = 0
    extra = [f'u{i}' for i in range(int(rng.integers(0, 6)))]
    ranking = list(rng.permutation([*ids, *extra]))[:int(rng.integers(0, documents + len(extra) + 1))]
    weights = {t: float(rng.choice([0.0, 0.1, 0.25, 0.5])) for t in names} if weighted else None
    types = {t: str(rng.choice(['inf', 'nav'])) for t in names}
    query = Query(tuple(str(d) for d in ranking), grades, weights, types)
    return with_facts(query, rng) if facts else query


def with_facts(query: Query, rng: np.random.Generator) -> Query:
    """The query with random lengths, fingerprints, counts of a pool of five, importance, up to two intents without
    judgments, and a layer of up to two aspects above."""
    documents = sorted({d for d, _ in query.grades} | set(query.ranking))
    parent = {t: f'p{int(rng.integers(0, 2))}' for t in sorted({t for _, t in query.grades})}
    grades: dict[tuple[str, str], float] = {}
    for (d, t), g in query.grades.items():
        grades[d, parent[t]] = max(g, grades.get((d, parent[t]), -9))
    weights = None if query.weights is None else {p: float(rng.choice([0.2, 0.5])) for p in parent.values()}
    named = tuple(f't9{i}' for i in range(int(rng.integers(0, 3))))
    given = None if query.weights is None else {**query.weights, **dict.fromkeys(named, 0.25)}
    every = sorted({t for _, t in query.grades} | set(named))
    counts = {d: int(rng.integers(0, 6)) for d in documents}
    return dataclasses.replace(query, named=named, weights=given,
                               importance=_alike({t: str(rng.choice(['vital', 'okay', ''])) for t in every}),
                               points=_alike({t: float(rng.integers(-3, 6)) for t in every}), part_of=_groups(every),
                               lengths={d: float(rng.integers(0, 90)) for d in documents},
                               prints={d: int(rng.integers(0, 2**63)) for d in documents},
                               counted=(counts, 6, 1),
                               finders={d: {1 + (place + group) % 5 for group in range(counts[d])}
                                        for place, d in enumerate(documents)},
                               above=Query(query.ranking, grades, weights))


def _groups(aspects: list[str]) -> dict[str, str]:
    """The first two aspects are parts of one nugget."""
    return dict.fromkeys(aspects[:2], 'n') if len(aspects) > 2 else {}


def _alike(facts: dict) -> dict:
    """Facts of aspects in which those of the parts of one nugget are the same."""
    return {t: facts[sorted(facts)[0]] if t in _groups(sorted(facts)) else fact for t, fact in facts.items()}
