"""Large data: many files, many lines"""

from __future__ import annotations

import pathlib
from typing import Any

from benchmarks.measuring import Prepared, files, row

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


@row('756 files × 50 × 1000, nine measures, jobs=2', 'jobs=1', turns=2, isolated=True, wall=1.5)
def two_jobs() -> Any:
    from ir_divmeasures import evaluate

    folder = systems()
    runs = {f'{path.stem} {n}': path for n in range(6) for path in (folder / 'runs').iterdir()}
    return tuple(
        lambda jobs=jobs: evaluate(folder / 'qrels.txt', runs, DIVERSITY, jobs=jobs)
        for jobs in (1, 2)
    )


# ------------------------------------------------------------------------------------------------- many lines


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


@row('read_qrels, 5 million lines', 'pt.io.read_qrels', turns=2, isolated=True, cpu=1, memory=1)
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


def write_lines(folder: pathlib.Path) -> None:
    """A run of 5 million lines, 5,000 queries × 1,000 documents, and a million judgments."""
    import numpy as np

    rng = np.random.default_rng(8)
    folder.mkdir(parents=True)
    with open(folder / 'run.txt', 'w') as run, open(folder / 'qrels.txt', 'w') as qrels:
        for q in range(5000):
            names = [f'clueweb09-en{x:08d}-00' for x in rng.choice(10_000_000, 1000, replace=False)]
            run.write(
                ''.join(f'{q} Q0 {name} {i + 1} {1000 - i}.5 tag\n' for i, name in enumerate(names))
            )
            qrels.write(
                ''.join(
                    f'{q} {i % 5} {name} {i % 2}\n{q} {(i + 1) % 5} {name} 1\n'
                    for i, name in enumerate(names[:100])
                )
            )


@row(
    '5 million lines, 1 million judgments, nine measures',
    'ir_measures + pyndeval',
    turns=2,
    isolated=True,
    cpu=3,
    mib=700,
)
def many_lines() -> Any:
    folder = files('lines', write_lines)
    qrels, run = str(folder / 'qrels.txt'), str(folder / 'run.txt')

    def theirs() -> Any:
        import ir_measures

        measures = [ir_measures.parse_measure(name) for name in DIVERSITY.split()]
        return ir_measures.providers.registry['pyndeval'].calc_aggregate(
            measures, ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
        )

    def ours() -> Any:
        from ir_divmeasures import evaluate

        return evaluate(qrels, run, DIVERSITY)

    return theirs, ours
