"""The experiment of ``ir_divmeasures demo``: a comparison of retrieval pipelines on the sample collection."""

from __future__ import annotations

import functools
import textwrap
from collections import namedtuple
from collections.abc import Iterator

import ir_datasets
import pandas as pd
import pyterrier as pt

from . import sample, terrier
from .core.registry import measures
from .errors import collecting
from .systems import BM25, LSA, MMR, Documents, Fusion, XQuAD

DATASET = 'divmeasures/sample/diversity'
MEASURES = 'alpha_nDCG@20 ERR_IA@20 StRecall@5 Dsharp_nDCG@20 RBU@20 nDCG@20'
PLAIN, DIVERSIFIED = 'BM25', 'BM25 >> xQuAD'
Demo = namedtuple('Demo', 'systems topics qrels documents')
"""The pipelines by name; topics and judgments with subtopics, in PyTerrier's columns; the indexed collection."""
paragraph = functools.partial(textwrap.fill, width=110)


def make() -> Demo:
    """The sample collection and seven systems over it, whose settings are fixed beforehand.

    The re-ranker xQuAD reads descriptions of subtopics, in one system their probabilities, and never judgments.
    """
    qrels = terrier.get_qrels(DATASET, weights=sample.INTENTS)
    documents = Documents(ir_datasets.load(DATASET).docs_iter())
    probabilities = qrels.groupby(['qid', 'subtopic_id'])['weight'].first()
    bm25, lsa, mmr, xquad = BM25(documents), LSA(documents), MMR(documents), XQuAD(documents)
    fusion = Fusion([bm25, lsa])
    systems = {
        PLAIN: bm25,
        'LSA': lsa,
        'BM25+LSA': fusion,
        'BM25 >> MMR': bm25 >> mmr,
        DIVERSIFIED: bm25 >> xquad,
        'BM25 >> xQuAD weighted': bm25 >> XQuAD(documents, probabilities),
        'BM25+LSA >> xQuAD': fusion >> xquad,
    }
    return Demo(systems, terrier.get_topics(DATASET), qrels, documents)


def report(names: str = MEASURES) -> Iterator[str]:
    """Run the experiment with measures, whose names are separated by spaces, and return the lines of its report."""
    parsed, demo = measures(names), make()
    systems, topics = demo.systems, demo.topics
    with collecting([]):  # the retrieval scores of the small sample tie
        means = pt.Experiment([*systems.values()], topics, demo.qrels, parsed, names=[*systems])
    yield (
        f'{len(systems)} systems on the sample collection {DATASET}: {len(topics)} queries, '
        f'{topics["subtopics"].map(len).sum()} subtopics, {len(demo.documents.docnos)} documents\n'
    )
    means = means.set_index('name')[[str(m) for m in parsed]].round(3)
    cells = means.map('{:.3f}'.format) + means.eq(means.max()).replace({True: '*', False: ' '})
    cells = cells.rename(columns='{} '.format).rename_axis(columns='name', index=None)
    table = cells.to_string(line_width=10**6, col_space=[max(len(head) + 1, 7) for head in cells])
    yield from map(str.rstrip, table.splitlines())
    yield '* best of the column\n'
    yield paragraph(
        'xQuAD re-ranks by what the subtopics\' descriptions say, "weighted" also by how likely each '
        'subtopic is. No system sees judgments.'
    )
    yield ''
    yield from _explanation(demo)


def _explanation(demo: Demo, depth: int = 5) -> Iterator[str]:
    """The paragraphs that explain the scores by the first documents of an example query."""
    relevant, topics = demo.qrels[demo.qrels['label'] > 0], demo.topics.set_index('qid')
    covered = pd.DataFrame(0, topics.index, [PLAIN, DIVERSIFIED])
    for name in covered:
        run = demo.systems[name].transform(demo.topics)
        top = run[run['rank'] < depth]
        subtopics = top.merge(relevant, on=['qid', 'docno']).groupby('qid')['subtopic_id']
        covered[name] = covered[name].add(subtopics.nunique(), fill_value=0).astype(int)
    more = covered[DIVERSIFIED] - covered[PLAIN]
    example = more.idxmax()  # the first of the largest difference
    topic, mean, in_example = topics.loc[example], covered.mean(), covered.loc[example]
    yield paragraph(
        f'Why: the first {depth} documents of {PLAIN} cover {mean[PLAIN]:.2f} subtopics of a query on average, '
        f'those of {DIVERSIFIED} {mean[DIVERSIFIED]:.2f}. For the query "{topic["query"]}", with '
        f'{len(topic["subtopics"])} subtopics, it is {in_example[PLAIN]} against {in_example[DIVERSIFIED]}. These '
        f'are its subtopics:'
    )
    yield from (f'    {subtopic.text}' for subtopic in topic['subtopics'])
