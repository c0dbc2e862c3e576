"""Who finds relevant documents that the others miss? P@K and AP with rareness, compared with the plain measures.

Without arguments: a PyTerrier experiment on the sample collection, in which the systems compared are the pool:

    pip install '.[demo]'
    python examples/innovation.py

With judgments and a folder of run files: the same for an evaluation campaign:

    python examples/innovation.py QRELS RUNS
"""

import sys

import ir_datasets

from ir_divmeasures import measures
from ir_divmeasures.pools import Pool
from ir_divmeasures.pools.campaign import group_bias, unique_by_group
from ir_divmeasures.systems import BM25, LSA, MMR, Documents, XQuAD
from ir_divmeasures.terrier import Experiment, get_qrels, get_topics

DEPTH = 20  # a document counts as retrieved if it is in a system's top 20
COLUMNS = measures(
    'P@20 P_Rareness(alpha=0.5)@20 P_Rareness@20 AP@20 AP_Rareness(alpha=0.5)@20 AP_Rareness@20'
)


def experiment() -> None:
    dataset = ir_datasets.load('divmeasures/sample/diversity')
    documents = Documents(dataset.docs_iter())
    bm25, lsa = BM25(documents), LSA(documents)
    systems = {
        'BM25': bm25,
        'LSA': lsa,
        'BM25 >> MMR': bm25 >> MMR(documents),
        'BM25 >> xQuAD': bm25 >> XQuAD(documents),
    }
    topics, qrels = get_topics(dataset), get_qrels(dataset)
    # Each pipeline runs once; then every one is scored against the pool of all four. BM25 and its re-rankers count as
    # one participant, so that a document which all three retrieve is not common for that.
    table = (
        Experiment(
            list(systems.values()),
            topics,
            qrels,
            COLUMNS,
            names=list(systems),
            depth=DEPTH,
            groups=lambda system: system.split(' ')[0],
            verbose=False,
        )
        .set_index('name')
        .rename_axis(None)
    )
    print(table[list(map(str, COLUMNS))].T.to_string(float_format='{:.4f}'.format))


def campaign(qrels: str, folder: str) -> None:
    pool = Pool.from_runs(
        folder, depth=DEPTH
    )  # pool.save('pool.parquet') is what a campaign publishes
    scores = pool.scores(None, qrels, COLUMNS).means()
    print(f'{"system":30}', *COLUMNS)
    for system, values in scores.iterrows():
        print(f'{system:30}', *(f'{value:.4f}' for value in values))
    print('\nRelevant documents that nobody else has')
    print(unique_by_group(pool.over(qrels)).head(10).to_string(index=False))
    print('\nScores and ranks without the judgments that only the system itself brought')
    print(group_bias(pool.over(qrels), 'P@20').head(10).to_string(index=False))


if __name__ == '__main__':
    experiment() if len(sys.argv) == 1 else campaign(*sys.argv[1:])
