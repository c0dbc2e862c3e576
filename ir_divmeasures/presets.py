"""Sets of measures that evaluation campaigns and tools report, by name: ``measures('crux')``.

You can use the name of a preset wherever the package takes names of measures. A preset sets measures, cutoffs, the
lowest relevant grade (``rel``), the aspects of a query (``aspects``) and partial credit. :data:`PRESETS` describes the
judgments that each preset needs.
"""

from __future__ import annotations

from typing import NamedTuple

from .lazy import pd


class Preset(NamedTuple):
    """Measures that are reported together.

    Attributes:
        name: the name that :func:`ir_divmeasures.measures` takes.
        measures: names of the measures, separated by spaces.
        says: a description of the measures and the campaign or tool that reports them.
        judgments: a description of the judgments that the measures need.
        source: the publication or program that defines them.
        labels: the names of the columns in which the campaign or tool reports the measures, in their order;
            measures beyond the last one keep their names.
        rounds: the round after which each measure is computed, where each has its own.
    """

    name: str
    measures: str
    says: str
    judgments: str
    source: str
    labels: tuple[str, ...] = ()
    rounds: tuple[int, ...] = ()


def _with_cutoffs(names: str, *cutoffs: int) -> str:
    """Every name, separated by spaces, with every cutoff."""
    return ' '.join(f'{name}@{k}' for name in names.split() for k in cutoffs)


_P, _ALPHA, _E, _K = (
    (0.8, 0.9, 0.99),
    (0.1, 0.25, 0.5, 0.75),
    (0.001, 0.05, 0.1, 0.5),
    (10, 20, 50, 100, 1000),
)

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            'freshstack',
            'alpha_nDCG@10 Coverage@20 R@50',
            'FreshStack: diversity, nugget coverage over all nuggets, recall',
            'nuggets with supporting documents (grades 0 and 1)',
            'Thakur et al., FreshStack, 2025',
            ('alpha-nDCG@10', 'Coverage@20', 'Recall@50'),
        ),
        Preset(
            'crux',
            'Coverage(rel=3)@10 alpha_nDCG(rel=3)@20 P(rel=3)@10 AP(rel=3)@10 '
            'nDCG(gains={1:0,2:0,3:1,4:1,5:1})@10',
            'CRUX and LANCER: coverage of all sub-questions answered at 3, and measures of documents that answer one',
            'ratings 0–5 of sub-questions',
            'Ju et al., CRUX, 2025; its script cuts alpha-nDCG at 20',
            ('mean_coverage_at_10', 'alpha_nDCG'),
        ),
        Preset(
            'trec-rag',
            "Coverage(rel=2,importance='vital',weights='uniform')@1 Coverage(rel=2,weights='uniform')@1 "
            "Coverage(rel=2,partial=0.5,importance='vital',weights='uniform')@1 "
            "Coverage(rel=2,partial=0.5,weights='uniform')@1 Coverage(rel=2,partial=0.5,weights='importance')@1",
            'AutoNuggetizer: strict vital, strict all, vital, all and weighted score of an answer (or document)',
            'assignments (support 2, partial 1, none 0) and importance of nuggets',
            'Pradeep et al., The Great Nugget Recall, 2025',
            (
                'strict_vital_score',
                'strict_all_score',
                'vital_score',
                'all_score',
                'weighted_score',
            ),
        ),
        Preset(
            'argue',
            "Coverage(rel=2,weights='uniform',parts='all')@1 "
            "Coverage(rel=2,weights='importance',parts='all')@1",
            'Auto-ARGUE: nuggets that a report answers, an AND nugget only with all its parts',
            'assignments of nuggets to answers, importance of nuggets',
            'Auto-ARGUE, 2025',
            ('nugget_coverage', 'nugget_coverage_weighted'),
        ),
        Preset(
            'rubric',
            "Coverage(rel=2,partial=0.5,weights='points')@1",
            'ResearchRubrics: points of the criteria that an answer meets, half of them where it meets one in part',
            'verdicts on criteria with points',
            'ResearchRubrics, 2025',
            ('compliance',),
        ),
        Preset(
            'bright-pro',
            'Coverage@25 alpha_nDCG@25 nDCG@25',
            'BRIGHT-Pro: weighted aspect recall and weighted α-nDCG',
            'aspects with weights and supporting documents',
            'BRIGHT-Pro, weighted_aspect_recall.py and alpha-ndcg-evaluation.py',
            ('A-Recall@25', 'α-nDCG@25', 'NDCG@25'),
        ),
        Preset(
            'bright-pro-rounds',
            _with_cutoffs('alpha_nDCG', 5, 10, 15),
            "BRIGHT-Pro's agents: weighted α-nDCG after rounds 1, 2 and 3, with evaluate(…, along='iteration')",
            'aspects with weights that sum to 1 and supporting documents',
            'BRIGHT-Pro, Table of agentic search',
            ('r1_ndcg@5', 'r2_ndcg@10', 'r3_ndcg@15'),
            (1, 2, 3),
        ),
        Preset(
            'web-track',
            f'{_with_cutoffs("ERR_IA alpha_nDCG", 20)} NRBP {_with_cutoffs("StRecall P_IA", 20)} AP_IA',
            'TREC Web Track 2009–2014, diversity task',
            'grades of subtopics; below 0 counts as 0',
            'Clarke, Craswell, Voorhees, TREC 2012',
        ),
        Preset(
            'ndeval',
            f'{_with_cutoffs("ERR_IA nERR_IA alpha_DCG alpha_nDCG", 5, 10, 20)} NRBP nNRBP AP_IA '
            f'{_with_cutoffs("P_IA StRecall", 5, 10, 20)}',
            'every column that ndeval 4.5 prints, in its order',
            'grades of subtopics; below 0 counts as 0',
            'ndeval 4.5',
        ),
        Preset(
            'ntcir',
            _with_cutoffs('I_rec D_nDCG Dsharp_nDCG', 10),
            'NTCIR INTENT and IMine: intent recall, D-nDCG and D♯-nDCG',
            'intents with probabilities and grades L0, L1, …',
            'Sakai and Song, SIGIR 2011',
        ),
        Preset(
            'fairweb',
            "GFR(relevance='ERR',divergence='NMD,JSD',rel=0,max_rel=2)@20 "
            "GFR(relevance='iRBU',divergence='NMD,JSD',rel=0,max_rel=2)@20",
            'NTCIR FairWeb: relevance and group fairness, the first set of groups ordinal and the second one nominal',
            'documents, memberships and targets (read_groups); grades 0 to 2',
            'Sakai, Kim, Kang, TOIS 2023',
        ),
        Preset(
            'dynamic-domain',
            'ACubeTest@10 CubeTest@10 sesDCG@10 nsDCG@10',
            'TREC Dynamic Domain: cube test, its average, and session DCG, after ten iterations',
            'ratings of passages; a run with a column iteration',
            'TREC Dynamic Domain 2017',
        ),
        Preset(
            'rbu-paper',
            ' '.join(
                (
                    *(f'RBU(p={p},e={e})' for p in _P for e in _E),
                    *(f'alpha_DCG_IA(alpha={a})@{k}' for a in _ALPHA for k in _K),
                    *(f"DCG_IA(gain='exp')@{k}" for k in _K),
                    *(f'EU(alpha={a},e={e})' for a in _ALPHA for e in _E),
                    *(f'gERR_IA@{k}' for k in _K),
                    *(f'gNRBP(p={p},alpha={a})' for p in _P for a in _ALPHA),
                    'AP_IA',
                    'RR_IA',
                    _with_cutoffs('P_IA StRecall', *_K),
                )
            ),
            'the diversity measures and settings of the experiments with RBU',
            'grades of subtopics',
            'Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.2',
        ),
        Preset(
            'user-models',
            "UM(model=1,P='RBP') CDG RRG RBTR DCG RRDCG UM(model=3,P='ERR') ARR RRR RBAP DAG EPR "
            "UM(model=4,P='AP') RAP RRAP",
            'the fifteen measures of four user models and six stopping distributions',
            'grades of documents',
            'Carterette, SIGIR 2011, Table 1',
        ),
    )
}
"""Every preset by name."""


def table() -> pd.DataFrame:
    """The presets as a table with the columns ``name, says, judgments, measures, source``.

    Examples:
        >>> table()['name'].tolist()[:3]
        ['freshstack', 'crux', 'trec-rag']
    """
    columns = ['name', 'says', 'judgments', 'measures', 'source']
    return pd.DataFrame([*PRESETS.values()])[columns]


__all__ = ['PRESETS', 'Preset', 'table']
