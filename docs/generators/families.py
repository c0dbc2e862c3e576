"""The curves of measures and families on the site: the value of rank, repetition and grade, with explanations.

The curves do not use formulas. The measures score rankings of ten documents, and the difference between two scores is
the value that a document adds. :mod:`docs.generators.drawing` draws the curves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ir_divmeasures import (
    evaluate,
    measures,
    with_rareness,
    with_similarity,
)
from ir_divmeasures.data import with_superintents
from ir_divmeasures.errors import DivMeasuresWarning

DEPTH = 10
RANKS = np.arange(1, DEPTH + 1)
RELEVANT = [f'd{i}' for i in RANKS]
OTHERS = [f'z{i:02}' for i in RANKS]
HIGHEST = 4
"""The highest grade of the pictures by grade."""
Curves = dict[str, NDArray[np.float64]]


def scored(
    names: Sequence[str],
    rankings: dict[str, list[str]],
    judged: Callable[[dict[str, Any]], Any],
    subtopic: Callable[[str], str] = lambda doc: 'a',
    grades: dict[str, int] | None = None,
) -> pd.DataFrame:
    """Scores of rankings, each of them that of a query of its own with the same judgments: rankings × measures.

    Args:
        names: measures; each is cut at the length of the rankings, if it takes a cutoff.
        rankings: documents from the first rank down, by the ranking's name.
        judged: adds to judgments ``{query: {document: {subtopic: grade}}}`` what the measures need.
        subtopic: the one subtopic that a relevant document is relevant to.
        grades: of the documents; by default 1 for each.
    """
    grade = grades or dict.fromkeys(RELEVANT, 1)
    qrels = judged(
        {query: {doc: {subtopic(doc): grade[doc]} for doc in RELEVANT} for query in rankings}
    )
    run = pd.DataFrame(
        [(query, doc, float(-i)) for query, docs in rankings.items() for i, doc in enumerate(docs)],
        columns=['query_id', 'doc_id', 'score'],
    )
    cut_names = [cut(name, max(len(docs) for docs in rankings.values())) for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)  # one subtopic is intended
        scores = evaluate(qrels, {'': run}, cut_names)
    return pd.DataFrame(scores.values[0], index=scores.queries, columns=names)


def cut(name: str, depth: int) -> Any:
    """A measure at a cutoff, or as it is where it takes none or has one."""
    (measure,) = measures(name)
    return (
        measure @ depth
        if 'cutoff' in measure.SUPPORTED_PARAMS and measure.cutoff is None
        else measure
    )


def at(documents: list[str], ranks: Sequence[int]) -> list[str]:
    """A ranking of DEPTH documents with these at these ranks (from 1), and documents that nobody judged elsewhere."""
    document_at = dict(zip(ranks, documents))
    return [document_at.get(rank, OTHERS[rank - 1]) for rank in RANKS]


def discount(
    names: Sequence[str], judged: Callable[[dict[str, Any]], Any] = lambda qrels: qrels
) -> Curves:
    """What a relevant document at each rank adds to a ranking without others, as a share of what it adds at rank 1."""
    rankings = {'none': at([], []), **{f'at {i}': at(RELEVANT[:1], [i]) for i in RANKS}}
    scores = scored(names, rankings, judged)
    added = scores.loc[[f'at {i}' for i in RANKS]] - scores.loc['none']
    return {name: (added[name] / added[name].iloc[0]).to_numpy() for name in names}


def redundancy(
    names: Sequence[str],
    judged: Callable[[dict[str, Any]], Any] = lambda qrels: qrels,
    subtopic: Callable[[str], str] = lambda doc: 'a',
) -> Curves:
    """What the j-th relevant document adds at rank j below j − 1 others, as a share of what it adds below none."""
    rankings = {'none': at([], [])}
    for j in RANKS:
        rankings[f'first {j}'] = at(RELEVANT[:j], range(1, j + 1))
        rankings[f'only {j}'] = at(RELEVANT[j - 1 : j], [j])
    scores = scored(names, rankings, judged, subtopic)
    first = scores.loc[['none', *(f'first {j}' for j in RANKS)]].diff().iloc[1:].to_numpy()
    only = (scores.loc[[f'only {j}' for j in RANKS]] - scores.loc['none']).to_numpy()
    return dict(zip(names, np.divide(first, only, out=np.zeros_like(first), where=only != 0).T))


def pool(qrels: dict[str, Any], ranks: bool = False) -> Any:
    """A pool of ten systems; document d_j is retrieved by j of them. With ``ranks`` the ranking drawn is the eleventh,
    without it is one of the ten."""
    runs = {
        f'system {s}': {
            query: {doc: float(-i) for i, doc in enumerate(RELEVANT) if i + 1 >= s}
            for query in qrels
        }
        for s in RANKS
    }
    if ranks:
        return with_rareness(
            qrels, runs, depth=DEPTH, newcomer=True
        )  # the rankings drawn are no members
    return with_rareness(qrels, runs, depth=DEPTH).drop(columns='pool_ranks')


def graded(
    names: Sequence[str], judged: Callable[[dict[str, Any]], Any] = lambda qrels: qrels
) -> Curves:
    """What a document of grade 1, 2, 3 and 4 adds at rank 1, as a share of what one of grade 4 adds."""
    grades = {doc: int(i) if i <= HIGHEST else 0 for i, doc in zip(RANKS, RELEVANT)}
    rankings = {
        'none': at([], []),
        **{f'grade {g}': at(RELEVANT[g - 1 : g], [1]) for g in range(1, HIGHEST + 1)},
    }
    scores = scored(names, rankings, judged, grades=grades)
    added = scores.loc[[f'grade {g}' for g in range(1, HIGHEST + 1)]] - scores.loc['none']
    return {name: (added[name] / added[name].iloc[-1]).to_numpy() for name in names}


def rareness(names: Sequence[str]) -> Curves:
    """Scores at cutoff 1 of a ranking of one relevant document, by how many of ten systems retrieve it."""
    scores = scored(names, {f'd{j}': [f'd{j}'] for j in RANKS}, pool).loc[[f'd{j}' for j in RANKS]]
    return {name: scores[name].to_numpy() for name in names}


def alike(names: Sequence[str]) -> Curves:
    """Scores of two relevant documents, the only ones, by how alike they are (0 to 1 in ten steps)."""
    steps = np.linspace(0, 1, DEPTH + 1)
    rows = []
    for step in steps:
        matrix = pd.DataFrame(step, index=RELEVANT, columns=RELEVANT).where(
            ~np.eye(DEPTH, dtype=bool), 1.0
        )
        rows.append(
            scored(
                names,
                {'both': at(RELEVANT[:2], [1, 5])},
                lambda qrels, matrix=matrix: with_similarity(qrels, similarity=matrix),
            )
        )
    table = pd.concat(rows)
    return {name: table[name].to_numpy() for name in names}


def layered(qrels: dict[str, Any]) -> Any:
    """All subtopics belong to one superintent."""
    return with_superintents(
        qrels,
        {query: {t: 'all' for doc in docs.values() for t in doc} for query, docs in qrels.items()},
    )


def unlike(qrels: dict[str, Any]) -> Any:
    """No two documents are alike."""
    return with_similarity(
        qrels, similarity=pd.DataFrame(np.eye(DEPTH), index=RELEVANT, columns=RELEVANT)
    )


@dataclass(frozen=True)
class Family:
    """The two pictures of a family.

    Attributes:
        left: the measures whose discount is drawn.
        words: what to see.
        right: those of the second picture, if others.
        judged: adds to judgments what the measures need.
        second: makes the second picture's curves; None: redundancy.
        x, y, top: its axes.
    """

    left: tuple[str, ...]
    words: str
    right: tuple[str, ...] = ()
    judged: Callable[[dict[str, Any]], Any] = lambda qrels: qrels
    second: Callable[[Sequence[str]], Curves] | None = None
    x: str = 'j-th relevant document for the same aspect'
    y: str = 'share of what it adds if it is the first one'
    top: float = 1.05


FAMILIES = {
    'utility': Family(
        ('RBU', 'RBU(p=0.99,e=0.05)', 'EU', 'CT', 'ACT', 'nDCU'),
        'By rank: at `p=0.8` RBU gives a document at rank 5 about 40 % of what it is worth at rank 1; at `p=0.99`, '
        'as its authors set it, the rank hardly counts and what remains is novelty less effort. By document: the second '
        'document for an aspect adds half. For RBU the grade decides that (grade 1 of 1 satisfies half of the '
        'users, a high grade more), for the others `alpha` or `gamma`. `CT` and `ACT` add nothing once the aspect '
        'is full, here after two documents.',
    ),
    'novelty': Family(
        ('alpha_nDCG', 'alpha_nDCG(alpha=0.9)', 'ERR_IA', 'NRBP', 'gNRBP'),
        'By rank: `alpha_nDCG` looks deepest, since a logarithm falls slowly; the user of `NRBP` hardly sees rank '
        '5; `ERR_IA` takes 1 divided by the rank. By document: the second document for an aspect adds half of what the '
        'first one adds; at `alpha=0.9` a tenth, which is close to counting aspects. `ERR_IA` has no such '
        'parameter.',
    ),
    'subtopics': Family(
        ('StRecall', 'Coverage', 'StRR'),
        'By rank: where in the top k an aspect is covered first does not count, except for `StRR`. By document: a '
        'second document for the same aspect adds nothing.',
    ),
    'intent-aware': Family(
        ('P_IA', 'AP_IA', 'RR_IA', 'nDCG_IA', 'RBP_IA', 'gERR_IA', 'Q_IA'),
        'By rank: each has the discount of the measure that it averages over aspects. By document: most of them '
        'have nothing against redundancy. `P_IA`, `nDCG_IA` and `RBP_IA` give the tenth document for an aspect as '
        'much as if it were the first; for `AP_IA` and `Q_IA` it even counts ten times as much (the line leaves the '
        'picture), since precision grows. Only `RR_IA` and `gERR_IA` ask for something new: of the others, a '
        'ranking that serves the likeliest aspect alone can be the best.',
        top=2.05,
    ),
    'D-measures': Family(
        ('D_nDCG', 'D_Q', 'Dsharp_nDCG', 'Dsharp_Q'),
        'By rank: `Dsharp_nDCG` looks flat because half of it is subtopic recall, which has no discount. By '
        'document: D-measures add up gains, whatever was seen (`D_Q` rewards repetition, as `Q_IA` does); it is the '
        'half of subtopic recall in the D♯ forms that asks for diversity.',
        top=2.05,
    ),
    'intent hierarchies': Family(
        ('I_rec_LA', 'alpha_nDCG_LA', 'ERR_IA_LA', 'N_rec', 'HD_nDCG', 'HDsharp_nDCG'),
        'By document: ten documents, each for another subintent of one and the same intent. For the layer of '
        'intents all but the first are redundant, for the layer of subintents none is: `N_rec` and `alpha_nDCG_LA` '
        'lie between. `I_rec_LA` gives little, since a tenth of the subintents is little beside a whole intent. '
        '`HD_nDCG` has nothing against redundancy; `HDsharp_nDCG` takes it from node recall.',
        judged=layered,
        second=lambda names: redundancy(names, layered, subtopic=lambda doc: f'sub{doc}'),
        x='j-th document, each for another subintent of one intent',
    ),
    'interactive search': Family(
        ('P_at_Recall', 'RR_at_Recall', 'ERR_over_aspects'),
        'By rank: with a single aspect all of them fall like 1 divided by the rank. `RR_at_Recall` is 0 at the last '
        'rank because a ranking that never covers the aspect gets as much (`never=\'last\'`). By document: nothing '
        'counts once every aspect is covered. `ERR_over_aspects` goes on for long, since grade 1 of 4 satisfies one '
        'user of 16.',
    ),
    'document similarity': Family(
        ('DS_nDCG', 'DS_Q', 'DS_ERR'),
        'These need no aspects. By document: two relevant documents at ranks 1 and 5 of ten. By default the '
        'similarity of a pair is divided by all pairs of ranks, so that it moves the score little; with '
        '`scheme=\'NP\'` neighbours among the relevant documents are compared, and two copies take 0.5 off the score. '
        '`DocSim` itself is the better, the lower it is.',
        right=('DS_nDCG', "DS_nDCG(scheme='NP')", 'DocSim', "DocSim(scheme='NP')"),
        judged=unlike,
        second=alike,
        x='similarity of the two relevant documents',
        y='score',
    ),
    'innovation': Family(
        ('P_Rareness', 'AP_Rareness', 'nDCG_Rareness', 'RBP_Rareness', 'NumUnique'),
        'By rank: the discounts are those of P, AP, nDCG and RBP. By document: what a document is worth by how many '
        'of the pool\'s systems retrieve it. A document that one system of ten finds is worth 1.9 common ones at '
        '`alpha=1`; with `norm=True` one that everyone finds is worth nothing. `NumUnique` counts what nobody else '
        'has.',
        right=(
            'P_Rareness',
            'P_Rareness(alpha=0.5)',
            'P_Rareness(norm=True)',
            "P_Rareness(rarity='idf')",
            'NumUnique',
        ),
        judged=pool,
        second=rareness,
        x='systems of ten that retrieve the document',
        y='score of this document alone',
        top=2.05,
    ),
    'user models': Family(
        ('DCG', 'RBTR', 'RRDCG', 'CDG', 'RAP', 'EPR'),
        'By rank: of all documents down to where the user stops (`DCG`, `RBTR`, `RRDCG`) each counts if the user '
        'gets to its rank; of the one at which the user stops (`CDG`) only if it is the last. By document: a '
        'document is redundant only where the user may have stopped satisfied before it (`EPR`, `RRR`), or where '
        '`UM_IA` is told so with `alpha` or `redundancy`.',
        right=('DCG', 'UM_IA(alpha=0.5)', "UM_IA(redundancy='DCG')", 'RAP', 'EPR', 'RRR'),
        top=1.05,
    ),
}
"""The pictures, by the families' names in the registry."""


def together(curves: Curves) -> list[tuple[list[str], NDArray[np.float64]]]:
    """The measures that have a curve in common, and the curve."""
    groups: list[tuple[list[str], NDArray[np.float64]]] = []
    for label, values in curves.items():
        labels = next((labels for labels, curve in groups if np.allclose(curve, values)), None)
        if labels is None:
            groups.append(([label], values))
        else:
            labels.append(label)
    return groups


def judged_for(measure: Any) -> Callable[[dict[str, Any]], Any]:
    """What adds to judgments the columns that a measure needs: as its family, or with the ranks of the pool."""
    if 'pool_ranks' in measure.needed_columns:
        return lambda qrels: pool(qrels, ranks=True)
    return FAMILIES[measure.family].judged
