"""The experiment of ``ir_divmeasures demo``: a comparison of retrieval pipelines on the sample collection."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import pyterrier as pt

from . import sample, terrier
from .core.registry import measures
from .errors import TiesWarning, TopicLevelWarning
from .io.files import replacing
from .judgments.qrels import write_qrels
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
    probabilities: dict[str, dict[str, float]] = {}
    for line in sample.INTENTS.read_text(encoding='utf-8').splitlines():
        query, subtopic, probability, _ = line.split()
        probabilities.setdefault(query, {})[subtopic] = float(probability)
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


def report(
    names: str = MEASURES, per_query: bool = False, save: str | None = None
) -> Iterator[str]:
    """Run the experiment and return the lines of its report.

    Args:
        names: names of the measures, separated by spaces.
        per_query: whether the report has a table of queries × systems for each measure too.
        save: the folder for runs and judgments; None saves nothing.

    Raises:
        ValueError: an unknown measure or parameter.
        ModuleNotFoundError: bm25s or scikit-learn is not installed.
        FileExistsError: a file to save exists. Nothing is written then.
    """
    parsed = measures(names)
    demo = make()
    files = {}
    if save is not None:
        tags = {name: re.sub(r'[^\w+]', '-', name.replace(' >> ', '-')) for name in demo.systems}
        files = {name: os.path.join(save, f'{tag}.run') for name, tag in tags.items()}
        files |= {name: os.path.join(save, f'{name}.txt') for name in ('qrels', 'intents')}
    for path in files.values():
        if os.path.lexists(path):
            raise FileExistsError(f'{path} exists; nothing was written')
    with warnings.catch_warnings():
        # the sample is small, its retrieval scores tie, and the table says nothing about what nDCG is computed from
        warnings.simplefilter('ignore', TiesWarning)
        warnings.simplefilter('ignore', TopicLevelWarning)
        means, values = pt.Experiment(
            list(demo.systems.values()),
            demo.topics,
            demo.qrels,
            parsed,
            names=list(demo.systems),
            perquery='both',
            verbose=False,
        )
    means = means.set_index('name')[[str(m) for m in parsed]]
    subtopics = sum(map(len, demo.topics['subtopics']))
    yield (
        f'{len(demo.systems)} systems on the sample collection {DATASET}: {len(demo.topics)} queries, '
        f'{subtopics} subtopics, {len(demo.documents.docnos)} documents\n'
    )
    yield table(means)
    yield '* best of the column\n'
    yield _wrapped(
        'xQuAD re-ranks by what the subtopics\' descriptions say, "weighted" also by how likely each '
        'subtopic is. No system sees judgments.\n'
    )
    yield from explanation(demo)
    if per_query:
        queries = dict(zip(demo.topics['qid'], demo.topics['query']))
        for m in parsed:
            wide = values[values['measure'] == str(m)].pivot(
                index='qid', columns='name', values='value'
            )
            wide = wide.loc[[q for q in queries if q in wide.index], list(demo.systems)]
            wide.index = pd.Index([f'{q} {queries[q]}' for q in wide.index], name=str(m))
            yield f'\n{table(wide, by_row=True)}'
    if save is not None:
        os.makedirs(save, exist_ok=True)
        for name, system in demo.systems.items():
            run = demo.topics[['qid']].merge(system.transform(demo.topics), on='qid')
            run = run.assign(Q0='Q0', tag=tags[name])
            with replacing(files[name], overwrite=False) as partial:
                columns = ['qid', 'Q0', 'docno', 'rank', 'score', 'tag']
                run[columns].to_csv(partial, sep=' ', header=False, index=False)
        judgments = demo.qrels[['qid', 'docno', 'label', 'subtopic_id']]
        write_qrels(judgments, files['qrels'], format='trec')
        shutil.copyfile(sample.INTENTS, files['intents'])
        yield (
            f'\nSaved {len(demo.systems)} runs, judgments (qrels.txt) and intents (intents.txt) in {save}'
        )


def table(values: pd.DataFrame, by_row: bool = False) -> str:
    """A table of numbers, rounded to three decimals.

    An asterisk marks the highest number of each column, or with ``by_row`` of each row with different numbers.
    """
    values = values.round(3)
    best = values.eq(values.max(axis=1), axis=0) if by_row else values.eq(values.max())
    if by_row:
        best[best.all(axis=1)] = False
    cells = values.map('{:.3f}'.format) + best.replace({True: '*', False: ' '})
    cells = cells.rename(columns='{} '.format).rename_axis(columns=cells.index.name, index=None)
    widths = [max(len(column), *map(len, cells[column])) + 1 for column in cells]
    lines = cells.to_string(line_width=10**6, col_space=widths)
    return re.sub(' +$', '', lines, flags=re.MULTILINE)


def explanation(demo: Demo) -> Iterator[str]:
    """The paragraphs that explain the scores with an example query."""
    relevant = demo.qrels[demo.qrels['label'] > 0]
    runs = {name: demo.systems[name].transform(demo.topics) for name in (PLAIN, DIVERSIFIED)}
    tops = {name: run[run['rank'] < TOP] for name, run in runs.items()}
    covered = pd.DataFrame(
        {
            name: top.merge(relevant, on=['qid', 'docno']).groupby('qid')['subtopic_id'].nunique()
            for name, top in tops.items()
        },
        index=demo.topics['qid'],
    )
    covered = covered.fillna(0).astype(int)
    example = (
        covered[DIVERSIFIED] - covered[PLAIN]
    ).idxmax()  # the first of the largest difference
    topic = demo.topics.set_index('qid').loc[example]
    yield _wrapped(
        f'Why: the first {TOP} documents of {PLAIN} cover {covered[PLAIN].mean():.2f} subtopics of a query on average, '
        f'those of {DIVERSIFIED} {covered[DIVERSIFIED].mean():.2f}. For the query "{topic["query"]}", with '
        f'{len(topic["subtopics"])} subtopics, it is {covered[PLAIN][example]} against '
        f'{covered[DIVERSIFIED][example]} (subtopics in brackets):'
    )
    for subtopic in topic['subtopics']:
        yield f'    [{subtopic.number}] {subtopic.text}'
    relevant = relevant[relevant['qid'] == example].groupby('docno')['subtopic_id'].agg(' '.join)
    columns = []
    for name, top in tops.items():
        columns.append([name])
        for docno in top[top['qid'] == example].sort_values('rank')['docno']:
            title = demo.documents.titles[docno]
            title = title if len(title) <= 44 else f'{title[:43].rstrip()}…'
            columns[-1].append(f'{title} [{relevant.get(docno, "-")}]')
    width = max(map(len, columns[0]))
    yield ''
    for rank, (left, right) in enumerate(zip(*columns)):
        yield f'  {rank or " "}  {left:<{width}}  {right}'


def _wrapped(text: str) -> str:
    return '\n'.join(textwrap.fill(line, 110) for line in text.split('\n'))


__all__ = ['Demo', 'MEASURES', 'explanation', 'make', 'report', 'table']
