"""The picture of README.md: the subtopics that the top of each ranking serves in the sample collection, and the scores."""

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
GREY = '#eeeeee'


def page() -> None:
    """Write docs/images/coverage.png. The two parts are one above the other, to be legible on a phone."""
    demo_data = demo.make()
    topics, qrels = demo_data.topics, demo_data.qrels
    results = {name: demo_data.systems[name](topics) for name in SYSTEMS}
    table = pt.Experiment(
        list(results.values()), topics, qrels, measures(MEASURES), names=list(results)
    )
    figure = Figure(figsize=(5.2, 5), layout='constrained')
    upper, lower = figure.subplots(2, 1)

    qid = topics['qid'][topics['query'] == QUERY].iloc[0]
    relevant = qrels[(qrels['qid'] == qid) & (qrels['label'] > 0)]
    subtopics = sorted(qrels['subtopic_id'][qrels['qid'] == qid].unique())
    colours = dict(zip(subtopics, matplotlib.colormaps['Set2'].colors))
    for row, result in enumerate(results.values()):
        ranked = result[result['qid'] == qid].sort_values('rank')['docno'].head(DEPTH)
        for rank, docno in enumerate(ranked, 1):
            covered = sorted(relevant['subtopic_id'][relevant['docno'] == docno])
            width = 0.9 / max(len(covered), 1)
            for i, colour in enumerate([colours[each] for each in covered] or [GREY]):
                left = rank - 0.45 + i * width
                upper.barh(row, width, left=left, height=0.7, color=colour)
    upper.set_yticks(range(len(results)), list(results))
    upper.set(
        xticks=range(1, DEPTH + 1),
        xlabel='rank',
        title=f'“{QUERY}”: the subtopics of each document',
    )
    upper.invert_yaxis()
    colours |= {'none': GREY}
    upper.legend(
        [Rectangle((0, 0), 1, 1, color=colour) for colour in colours.values()],
        list(colours),
        ncols=len(colours),
        frameon=False,
        handlelength=1,
        columnspacing=1,
        loc='upper center',
        bbox_to_anchor=(0.35, -0.3),
    )

    names = [str(measure) for measure in measures(MEASURES)]
    for i, name in enumerate(table['name']):
        places = [place + (i - 1.5) * 0.2 for place in range(len(names))]
        colour = matplotlib.colormaps['Blues'](0.3 + 0.2 * i)
        lower.bar(places, table.loc[i, names], width=0.19, label=name, color=colour)
    lower.set_xticks(range(len(names)), [name.replace('@', '\n@') for name in names], fontsize=8.5)
    lower.set(title='Mean scores of 40 queries', ylim=(0, 1.45), yticks=[0, 0.5, 1])
    lower.legend(frameon=False, ncols=2, loc='upper center')
    for axes in (upper, lower):
        axes.spines[['top', 'right']].set_visible(False)
    figure.savefig(IMAGES / 'coverage.png', dpi=140)
