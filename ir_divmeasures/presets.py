"""Sets of measures that evaluation campaigns and papers report, by name: ``measures('web-track')``.

You can use the name of a preset wherever the package takes names of measures. A preset sets measures, cutoffs and
parameters. :data:`PRESETS` describes the judgments that each preset needs.
"""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """Measures that are reported together.

    Attributes:
        name: the name that :func:`ir_divmeasures.measures` takes.
        measures: names of the measures, separated by spaces.
        says: a description of the measures and the campaign or paper that reports them.
        judgments: a description of the judgments that the measures need.
        source: the publication that defines them.
    """

    name: str
    measures: str
    says: str
    judgments: str
    source: str


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
            'web-track',
            f'{_with_cutoffs("ERR_IA alpha_nDCG", 20)} NRBP {_with_cutoffs("StRecall P_IA", 20)} AP_IA',
            'TREC Web Track 2009–2014, diversity task',
            'grades of subtopics; below 0 counts as 0',
            'Clarke, Craswell, Voorhees, TREC 2012',
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
            'innovation',
            ' '.join(
                f'{name}@100 ' + _with_cutoffs(f'{name}_Rareness(alpha=0.5) {name}_Rareness', 100)
                for name in ('P', 'AP')
            ),
            'precision and average precision that reward what other systems miss',
            'grades of documents, and a pool of depth 100 (with_rareness)',
            'Türkmen, Lease, Kutlu, ECIR 2023, §4',
        ),
        Preset(
            'user-models',
            "UM(model=1,P='RBP') CDG RRG RBTR DCG RRDCG UM(model=3,P='ERR') ARR RRR RBAP DAG EPR "
            "UM(model=4,P='AP') RAP RRAP",
            'the fifteen measures of four user models and six stopping distributions',
            'grades of documents',
            'Carterette, SIGIR 2011, Table 1',
        ),
        Preset(
            'hierarchies',
            _with_cutoffs(
                'I_rec_LA alpha_nDCG_LA ERR_IA_LA Q_IA_LA Dsharp_nDCG_LA Dsharp_Q_LA HDsharp_nDCG HDsharp_Q '
                'LADsharp_nDCG LADsharp_Q',
                20,
            ),
            'measures of the intents, subintents and superintents of a hierarchy',
            'grades of intents in a hierarchy (build_hierarchy, with_superintents)',
            'Dou, Yang, Li, Wen, Sakai, Information Retrieval Journal 2019, §5',
        ),
    )
}
"""Every preset by name."""
