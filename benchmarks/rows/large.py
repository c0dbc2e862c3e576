"""Large data: files, many queries, many systems"""

from __future__ import annotations

import pathlib
from typing import Any

from benchmarks.measuring import NotMeasuredError, Prepared, files, row

SYSTEMS, TOPICS, DEPTH, JUDGED, DOCUMENTS = 126, 50, 1000, 300, 5000
DIVERSITY = 'ERR_IA@20 nERR_IA@20 alpha_DCG@20 alpha_nDCG@20 NRBP nNRBP AP_IA P_IA@20 StRecall@20'


# ----------------------------------------------------------------------------------------------- many systems


def write_systems(folder: pathlib.Path) -> None:
    """126 run files of 50 queries × 1000 documents, and judgments of 300 documents a query."""
    import numpy as np

    rng = np.random.default_rng(7)
    (folder / 'runs').mkdir(parents=True)
    worth = rng.normal(size=(TOPICS, DOCUMENTS))
    with open(folder / 'qrels.txt', 'w') as file:
        for q, best in enumerate(np.argsort(-worth, axis=1)[:, : 2 * JUDGED : 2]):
            for document in best.tolist():
                for subtopic in range(1, 7):
                    file.write(f'{q + 1} {subtopic} doc{document:05d} {int(rng.random() < 0.15)}\n')
    for s in range(SYSTEMS):
        order = np.argsort(-(worth + rng.normal(scale=2, size=worth.shape)), axis=1)[:, :DEPTH]
        (folder / f'runs/s{s:03d}.run').write_text(
            ''.join(
                f'{q + 1} Q0 doc{d:05d} {i + 1} {DEPTH - i} s{s}\n'
                for q in range(TOPICS)
                for i, d in enumerate(order[q].tolist())
            )
        )


def systems() -> pathlib.Path:
    """The folder of :func:`write_systems`."""
    return files('systems', write_systems)


@row('126 files × 50 × 1000, nine measures, jobs=2', 'jobs=1', wall=0.8)
def too_little_for_workers() -> Any:
    """No workers start for work of less than five seconds, so this must not take longer."""
    return one_job_and_two(1)


@row('1,260 files × 50 × 1000, nine measures, jobs=2', 'jobs=1', turns=2, isolated=True, wall=1.5)
def two_jobs() -> Any:
    return one_job_and_two(10)


def one_job_and_two(times: int) -> Any:
    """The evaluation of so many times 126 files, with one process and with two."""
    from ir_divmeasures import evaluate

    folder = systems()
    runs = {f'{path.stem} {n}': path for n in range(times) for path in (folder / 'runs').iterdir()}
    return tuple(
        lambda jobs=jobs: evaluate(folder / 'qrels.txt', runs, DIVERSITY, jobs=jobs)
        for jobs in (1, 2)
    )


@row('Pool of 126 runs at depth 1000', turns=3, isolated=True, wall_s=2.5, mib=512)
def pool() -> Any:
    from ir_divmeasures.pools import Pool

    folder = systems()
    return lambda: Pool.from_runs(folder / 'runs', depth=DEPTH)


# ------------------------------------------------------------------------------------------------- judgments


def write_qrels(path: pathlib.Path) -> None:
    """5 million lines: 500,000 queries with ten judged documents each."""
    import numpy as np

    rng = np.random.default_rng(8)
    with open(path, 'w') as file:
        for q in range(500_000):
            grades = rng.integers(0, 3, 10).tolist()
            file.write(
                ''.join(
                    f'{q} 0 D{q * 7 % 999983:06d}_{i} {grade}\n' for i, grade in enumerate(grades)
                )
            )


@row('read_qrels, 5 million lines', 'pt.io.read_qrels', turns=3, isolated=True, cpu=1, memory=1)
def read_qrels() -> Any:
    path = str(files('large.qrels', write_qrels))

    small = pathlib.Path(path).with_suffix('.small')
    small.write_text('q 0 d 1\n')  # what is imported when a file is first read is not measured

    def theirs(path: str = path) -> None:
        import pyterrier as pt

        pt.io.read_qrels(path)

    def ours(path: str = path) -> None:
        import ir_divmeasures

        ir_divmeasures.read_qrels(path)

    return Prepared(lambda: theirs(str(small)), theirs), Prepared(lambda: ours(str(small)), ours)


# ---------------------------------------------------------------------------------------------- many queries


def write_log(folder: pathlib.Path) -> None:
    """Parquet folders of 10^6 queries: ten documents retrieved, five judged for one of three subtopics each."""
    from benchmarks.log import write

    write(folder, 1_000_000, retrieved=10, judged=5, candidates=40, seed=9)


COMMON = """
    WITH qrels AS (SELECT * FROM '{folder}/qrels/*.parquet'),
         ranked AS (SELECT query_id, doc_id, row_number() OVER (
                        PARTITION BY query_id ORDER BY score DESC, doc_id DESC) AS rank
                    FROM '{folder}/runs/*.parquet'),
"""
"""SQL that ranks the documents."""

NDCG = (
    COMMON
    + """
         gained AS (SELECT query_id, sum(relevance / log2(rank + 1)) AS dcg
                    FROM ranked JOIN qrels USING (query_id, doc_id) WHERE rank <= 10 GROUP BY query_id),
         best AS (SELECT query_id, relevance, row_number() OVER (
                      PARTITION BY query_id ORDER BY relevance DESC) AS rank FROM qrels WHERE relevance > 0),
         ideal AS (SELECT query_id, sum(relevance / log2(rank + 1)) AS dcg FROM best WHERE rank <= 10 GROUP BY query_id)
    SELECT query_id, coalesce(gained.dcg / ideal.dcg, 0) AS value
    FROM (SELECT DISTINCT query_id FROM qrels) LEFT JOIN gained USING (query_id) LEFT JOIN ideal USING (query_id)
"""
)
"""nDCG@10 of each query. Each document is judged once, for one subtopic."""

ALPHA_NDCG = (
    COMMON
    + """
         relevant AS (SELECT query_id, doc_id, subtopic_id FROM qrels WHERE relevance > 0),
         hits AS (SELECT query_id, rank, row_number() OVER (
                      PARTITION BY query_id, subtopic_id ORDER BY rank) - 1 AS seen
                  FROM ranked JOIN relevant USING (query_id, doc_id)),
         gained AS (SELECT query_id, sum(0.5 ** seen / log2(rank + 1)) AS dcg
                    FROM hits WHERE rank <= 10 GROUP BY query_id),
         -- Each document is relevant for one subtopic, so that the greedy ideal takes the largest gains in order.
         gains AS (SELECT query_id, row_number() OVER (PARTITION BY query_id, subtopic_id) - 1 AS seen FROM relevant),
         best AS (SELECT query_id, seen, row_number() OVER (PARTITION BY query_id ORDER BY seen) AS rank FROM gains),
         ideal AS (SELECT query_id, sum(0.5 ** seen / log2(rank + 1)) AS dcg FROM best WHERE rank <= 10
                   GROUP BY query_id)
    SELECT query_id, coalesce(gained.dcg / ideal.dcg, 0) AS value
    FROM (SELECT DISTINCT query_id FROM qrels) LEFT JOIN gained USING (query_id) LEFT JOIN ideal USING (query_id)
"""
)
"""α-nDCG@10 of each query, α = 0.5."""


def of_log(sql: str, measure: str) -> Any:
    """A measure of each query in SQL, and by this package."""
    folder = files('log', write_log)

    def theirs() -> Any:
        import duckdb

        connection = duckdb.connect(config={'threads': 1})
        return connection.execute(sql.format(folder=folder)).fetchnumpy()

    def ours() -> Any:
        from ir_divmeasures import evaluate

        return evaluate(folder / 'qrels', folder / 'runs', measure)

    def imports() -> Any:
        import pyarrow.dataset  # noqa: F401

        from ir_divmeasures.evaluation import evaluate  # noqa: F401

    try:
        import duckdb  # noqa: F401
    except ImportError:
        raise NotMeasuredError('duckdb is not installed') from None
    return theirs, Prepared(imports, ours)


@row(
    'nDCG@10, 10^6 queries × 10, 5 million judgments, parquet',
    'DuckDB, one thread',
    turns=3,
    isolated=True,
    cpu=1,
    memory=1,
)
def ndcg() -> Any:
    return of_log(NDCG, 'nDCG@10')


@row(
    'alpha_nDCG@10, 10^6 queries × 10, 5 million judgments, parquet',
    'DuckDB, one thread',
    turns=3,
    isolated=True,
    cpu=1,
    memory=1,
)
def alpha_ndcg() -> Any:
    return of_log(ALPHA_NDCG, 'alpha_nDCG@10')
