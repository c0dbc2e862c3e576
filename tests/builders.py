"""Small judgments and runs for tests, and the fast measures on a twin's query."""
from __future__ import annotations

import numpy as np
import pandas as pd

from ir_divmeasures.evaluation.provider import Evaluator

from .reference.twins import Query


def table_of(queries: dict[str, Query]) -> pd.DataFrame:
    """The judgments of twin queries as one table (weights and types where any of them has them)."""
    rows = [(name, d, g, t, (q.weights or {}).get(t, 0.0), q.types.get(t, 'inf'))
            for name, q in queries.items() for (d, t), g in q.grades.items()]
    table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight', 'subtopic_type'])
    return table if any(q.weights is not None for q in queries.values()) else table.drop(columns='weight')


def run_of(queries: dict[str, Query]) -> pd.DataFrame:
    """The rankings of twin queries as a run with falling scores."""
    return pd.DataFrame([(name, d, float(-i)) for name, q in queries.items() for i, d in enumerate(q.ranking)],
                        columns=['query_id', 'doc_id', 'score'])


def values(measures: list, qrels, run) -> dict[tuple[str, str], float]:
    """(query, measure as asked) → value, by the evaluator."""
    return {(m.query_id, str(m.measure)): m.value for m in Evaluator(measures, qrels).iter_calc(run)}


def random_query(rng: np.random.Generator, documents: int = 14, aspects: int = 4, top_grade: int = 3,
                 weighted: bool = False, fractions: bool = False) -> Query:
    """A random query: unjudged and judged-non-relevant documents, empty aspects, runs of any length."""
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
    return Query(tuple(str(d) for d in ranking), grades, weights, types)
