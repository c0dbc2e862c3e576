"""The experiment of ``ir_divmeasures demo``: a comparison of retrieval pipelines on the sample collection."""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import pyterrier as pt

from . import sample, terrier
from .core.registry import measures
from .errors import TiesWarning, TopicLevelWarning
from .systems import BM25, LSA, MMR, Documents, Fusion, XQuAD

DATASET = 'divmeasures/sample/diversity'
MEASURES = 'alpha_nDCG@20 ERR_IA@20 StRecall@5 Dsharp_nDCG@20 RBU@20 nDCG@20'
PLAIN, DIVERSIFIED = 'BM25', 'BM25 >> xQuAD'
TOP = 5


@dataclass
class Demo:
    """The data of the demo.

    Attributes:
        systems: the pipelines by name.
        topics: topics with their subtopics, in PyTerrier's columns.
        qrels: judgments with subtopics, in PyTerrier's columns.
        documents: the indexed collection.
    """

    systems: dict[str, pt.Transformer]
    topics: pd.DataFrame
    qrels: pd.DataFrame
    documents: Documents


def make() -> Demo:
    """The sample collection and seven systems over it.

    All settings are fixed beforehand (trade-offs 0.5), and nothing is fitted to the judgments. The re-ranker xQuAD
    reads the descriptions of the subtopics, and in one system their probabilities. It never reads relevance judgments.
    """
    import ir_datasets

    dataset = ir_datasets.load(DATASET)
    qrels = terrier.get_qrels(dataset, weights=sample.INTENTS)
    documents = Documents(dataset.docs_iter())
    intents = qrels.drop_duplicates(['qid', 'subtopic_id'])
    probabilities = {
        query: dict(zip(rows['subtopic_id'], rows['weight']))
        for query, rows in intents.groupby('qid')
    }
    bm25, lsa = BM25(documents), LSA(documents)
    fusion = Fusion([bm25, lsa])
    systems = {
        PLAIN: bm25,
        'LSA': lsa,
        'BM25+LSA': fusion,
        'BM25 >> MMR': bm25 >> MMR(documents),
        DIVERSIFIED: bm25 >> XQuAD(documents),
        'BM25 >> xQuAD weighted': bm25 >> XQuAD(documents, probabilities),
        'BM25+LSA >> xQuAD': fusion >> XQuAD(documents),
    }
    return Demo(systems, terrier.get_topics(dataset), qrels, documents)


def report(names: str = MEASURES) -> Iterator[str]:
    """Run the experiment and return the lines of its report.

    Args:
        names: names of the measures, separated by spaces.

    Raises:
        ValueError: an unknown measure or parameter.
        ModuleNotFoundError: bm25s or scikit-learn is not installed.
    """
    parsed = measures(names)
    demo = make()
    with warnings.catch_warnings():
        # the sample is small, its retrieval scores tie, and the table says nothing about what nDCG is computed from
        warnings.simplefilter('ignore', TiesWarning)
        warnings.simplefilter('ignore', TopicLevelWarning)
        means = pt.Experiment(
            list(demo.systems.values()),
            demo.topics,
            demo.qrels,
            parsed,
            names=list(demo.systems),
            verbose=False,
        )
    subtopics = sum(map(len, demo.topics['subtopics']))
    yield (
        f'{len(demo.systems)} systems on the sample collection {DATASET}: {len(demo.topics)} queries, '
        f'{subtopics} subtopics, {len(demo.documents.docnos)} documents\n'
    )
    means = means.set_index('name')[[str(m) for m in parsed]].round(3)
    cells = means.map('{:.3f}'.format) + means.eq(means.max()).replace({True: '*', False: ' '})
    cells = cells.rename(columns='{} '.format).rename_axis(columns='name', index=None)
    lines = cells.to_string(
        line_width=10**6, col_space=[max(len(column) + 1, 7) for column in cells]
    )
    yield re.sub(' +$', '', lines, flags=re.MULTILINE)
    yield '* best of the column\n'
    yield textwrap.fill(
        'xQuAD re-ranks by what the subtopics\' descriptions say, "weighted" also by how likely each '
        'subtopic is. No system sees judgments.',
        110,
    )
    yield ''
    yield from _explanation(demo)


def _explanation(demo: Demo) -> Iterator[str]:
    """The paragraphs that explain the scores with an example query."""
    relevant = demo.qrels[demo.qrels['label'] > 0]
    tops, covered = {}, pd.DataFrame(index=demo.topics['qid'])
    for name in (PLAIN, DIVERSIFIED):
        run = demo.systems[name].transform(demo.topics)
        tops[name] = run[run['rank'] < TOP]
        found = tops[name].merge(relevant, on=['qid', 'docno']).groupby('qid')
        covered[name] = found['subtopic_id'].nunique()
    covered = covered.fillna(0).astype(int)
    # the first of the largest difference
    example = (covered[DIVERSIFIED] - covered[PLAIN]).idxmax()
    topic = demo.topics.set_index('qid').loc[example]
    yield textwrap.fill(
        f'Why: the first {TOP} documents of {PLAIN} cover {covered[PLAIN].mean():.2f} subtopics of a query on average, '
        f'those of {DIVERSIFIED} {covered[DIVERSIFIED].mean():.2f}. For the query "{topic["query"]}", with '
        f'{len(topic["subtopics"])} subtopics, it is {covered[PLAIN][example]} against '
        f'{covered[DIVERSIFIED][example]} (subtopics in brackets):',
        110,
    )
    for subtopic in topic['subtopics']:
        yield f'    [{subtopic.number}] {subtopic.text}'
    subtopics = relevant[relevant['qid'] == example].groupby('docno')['subtopic_id'].agg(' '.join)
    columns = []
    for name, top in tops.items():
        columns.append([name])
        for docno in top[top['qid'] == example].sort_values('rank')['docno']:
            title = demo.documents.titles[docno]
            title = title if len(title) <= 44 else f'{title[:43].rstrip()}…'
            columns[-1].append(f'{title} [{subtopics.get(docno, "-")}]')
    width = max(map(len, columns[0]))
    yield ''
    for rank, (left, right) in enumerate(zip(*columns)):
        yield f'  {rank or " "}  {left:<{width}}  {right}'
