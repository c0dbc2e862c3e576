"""The picture of README.md: which subtopics the top of each ranking covers in the sample collection, and the scores."""

from __future__ import annotations

import matplotlib
import pyterrier as pt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ir_divmeasures import demo, measures

from .common import IMAGES

QUERY = 'spring'
DEPTH = 8
SYSTEMS = ('BM25', 'BM25+LSA', 'BM25 >> xQuAD', 'BM25+LSA >> xQuAD')
MEASURES = 'alpha_nDCG@20 Dsharp_nDCG@20 StRecall@5 nDCG@20'


def page() -> None:
    """docs/images/coverage.png."""
    demo_data = demo.make()
    topics, qrels = demo_data.topics, demo_data.qrels
    results = {name: demo_data.systems[name](topics) for name in SYSTEMS}
    table = pt.Experiment(
        list(results.values()), topics, qrels, measures(MEASURES), names=list(results)
    )

    qid = topics['qid'][topics['query'] == QUERY].iloc[0]
    relevant = qrels[(qrels['qid'] == qid) & (qrels['label'] > 0)]
    subtopics = sorted(qrels['subtopic_id'][qrels['qid'] == qid].unique())
    colours = dict(zip(subtopics, matplotlib.colormaps['Set2'].colors))

    figure = Figure(figsize=(11, 3.4), layout='constrained')
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
    for row, result in enumerate(results.values()):
        ranked = result[result['qid'] == qid].sort_values('rank')['docno'].head(DEPTH)
        for rank, docno in enumerate(ranked, 1):
            covered = sorted(relevant['subtopic_id'][relevant['docno'] == docno])
            left.barh(row, 0.9, left=rank - 0.45, height=0.7, color='#eeeeee')
            for part, subtopic in enumerate(covered):
                width = 0.9 / len(covered)
                left.barh(
                    row, width, left=rank - 0.45 + part * width, height=0.7, color=colours[subtopic]
                )
    left.set(
        yticks=range(len(results)),
        yticklabels=list(results),
        xticks=range(1, DEPTH + 1),
        xlabel='rank',
        title=f'“{QUERY}”: the subtopics that each document serves',
    )
    left.invert_yaxis()
    handles = [Rectangle((0, 0), 1, 1, color=colours[s]) for s in subtopics]
    handles.append(Rectangle((0, 0), 1, 1, color='#eeeeee'))
    left.legend(
        handles,
        [f'subtopic {s}' for s in subtopics] + ['not relevant'],
        ncols=3,
        fontsize=8,
        frameon=False,
        loc='upper center',
        bbox_to_anchor=(0.5, -0.22),
    )

    names = [str(m) for m in measures(MEASURES)]
    for i, name in enumerate(table['name']):
        right.bar(
            [m + (i - 1.5) * 0.2 for m in range(len(names))],
            table.loc[i, names],
            width=0.19,
            label=name,
            color=matplotlib.colormaps['Blues'](0.3 + 0.2 * i),
        )
    right.set(
        xticks=range(len(names)),
        title='the scores over all 40 queries',
        ylim=(0, 1.15),
        yticks=[0, 0.2, 0.4, 0.6, 0.8, 1],
    )
    right.set_xticklabels(names, fontsize=8)
    right.legend(fontsize=8, frameon=False, ncols=2, loc='upper center')
    for axis in (left, right):
        axis.spines[['top', 'right']].set_visible(False)
    figure.savefig(IMAGES / 'coverage.png', dpi=120)
