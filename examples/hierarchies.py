"""Intent hierarchies from texts in pt.Experiment: superintents, subintents, and the similarity of documents.

    python examples/hierarchies.py

Systems and judgments are those of the sample collection that comes with the package; nothing is downloaded. Needs bm25s
and scikit-learn.
"""

import pandas as pd
import pyterrier as pt

from ir_divmeasures import build_hierarchy, demo, measures, sample, with_similarity
from ir_divmeasures.judgments import with_superintents

NAME = 'divmeasures/sample/diversity'
MEASURES = measures("Dsharp_nDCG@10 HDsharp_nDCG@10 N_rec@10 DS_nDCG(scheme='NP')@10 nDCG@10")


def main() -> None:
    made = demo.make()
    systems = [made.systems[name] for name in (demo.PLAIN, demo.DIVERSIFIED)]
    alike = with_similarity(made.qrels, NAME, 'tfidf')  # for DS_nDCG, and read by build_hierarchy
    above = with_superintents(alike, sample.SUPERINTENTS)
    tables = {
        'TF-IDF, δ = .2': build_hierarchy(alike, cutoff=0.2),
        'SimHash, δ = .3': build_hierarchy(alike, NAME),
        'half of the pairs': build_hierarchy(alike, quantile=0.5),
        'with superintents': build_hierarchy(above, cutoff=0.2),
    }
    for name, qrels in tables.items():
        nodes = qrels[['qid', 'layer', 'subtopic_id']].drop_duplicates()
        print(f'\n{name}: {len(nodes) / nodes["qid"].nunique():.1f} nodes a query')
        print(
            pt.Experiment(
                systems, made.topics, qrels, MEASURES, [demo.PLAIN, demo.DIVERSIFIED], plan='tree'
            )
            .round(3)
            .to_string(index=False)
        )


if __name__ == '__main__':
    pd.set_option('display.width', 160)
    main()
