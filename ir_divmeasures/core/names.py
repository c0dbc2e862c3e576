"""Names of measures in papers and in the output of tools, and how any name is brought into one form.

:data:`TABLE` is the only list of further names. It may name measures that do not exist (yet); these are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

TABLE: dict[str, dict[str, str]] = {
    'ndeval': {
        'ERR-IA': 'ERR_IA',
        'nERR-IA': 'nERR_IA',
        'alpha-DCG': 'alpha_DCG',
        'alpha-nDCG': 'alpha_nDCG',
        'NRBP': 'NRBP',
        'nNRBP': 'nNRBP',
        'MAP-IA': 'AP_IA',
        'P-IA': 'P_IA',
        'strec': 'StRecall',
    },
    'NTCIREVAL': {
        'I-rec': 'StRecall',
        'D-nDCG': 'D_nDCG',
        'D#-nDCG': 'Dsharp_nDCG',
        'D#-MSnDCG': 'Dsharp_nDCG',
        'D-Q': 'D_Q',
        'D#-Q': 'Dsharp_Q',
        'D#-ERR': 'Dsharp_ERR',
        'D#-nERR': 'Dsharp_nERR',
        'D#-EBR': 'Dsharp_EBR',
        'D#-RBP': 'Dsharp_RBP(p=0.99)',
        'DIN-nDCG': 'DIN_nDCG',
        'DIN#-nDCG': 'DINsharp_nDCG',
        'DIN-Q': 'DIN_Q',
        'DIN#-Q': 'DINsharp_Q',
        'P+Q': 'PplusQ',
        'PplusQ': 'PplusQ',
        'P+Q#': 'PplusQsharp',
        'PplusQ#': 'PplusQsharp',
        'IA-Q': 'Q_IA',
        'IA-MSnDCG': 'nDCG_IA',
        'IA-nDCG': 'nDCG_IA',
        'IA-ERR': "gERR_IA(gain='linear')",
        'IA-EBR': "IA(M='D_EBR')",
        'IA-RBP': "RBP_IA(p=0.95,gain='linear')",
        'MSnDCG': 'D_nDCG',
        'Q': 'D_Q',
        'nERR': 'D_nERR',
        'EBR': 'D_EBR',
        'Hit': 'Success',
        'AP': 'AP',
        'P': 'P',
    },
    'trec_eval': {
        'map': 'AP',
        'map_cut': 'AP',
        'P': 'P',
        'ndcg': 'nDCG',
        'ndcg_cut': 'nDCG',
        'recip_rank': 'RR',
        'recall': 'R',
        'success': 'Success',
        'Rprec': 'Rprec',
        'bpref': 'Bpref',
        'infAP': 'infAP',
        'iprec_at_recall': 'IPrec',
        'set_P': 'SetP',
        'set_recall': 'SetR',
        'set_F': 'SetF',
        'set_map': 'SetAP',
        'set_relative_P': 'SetP(relative=True)',
        'num_q': 'NumQ',
        'num_ret': 'NumRet',
        'num_rel': 'NumRel',
        'num_rel_ret': 'NumRet(rel=1)',
    },
    'papers': {
        'alphaNDCG': 'alpha_nDCG',
        'α-nDCG': 'alpha_nDCG',
        'α-DCG': 'alpha_DCG',
        'a-nDCG': 'alpha_nDCG',
        'a-DCG': 'alpha_DCG',
        's-recall': 'StRecall',
        'srecall': 'StRecall',
        'S-Rec': 'StRecall',
        'subtopic-recall': 'StRecall',
        'ST-recall': 'StRecall',
        'intent-recall': 'StRecall',
        'Coverage': 'Coverage',
        'IA-P': 'P_IA',
        'Prec-IA': 'P_IA',
        'Precision-IA': 'P_IA',
        'AP-IA': 'AP_IA',
        'IA-MAP': 'AP_IA',
        'IA-AP': 'AP_IA',
        'MRR-IA': 'RR_IA',
        'RR-IA': 'RR_IA',
        'NDCG-IA': 'nDCG_IA',
        'S-RR': 'StRR',
        'α#-IA-DCG': 'alpha_DCG_IA',
        'Cube-Test': 'CubeTest',
        'ACT': 'ACT',
        'RBU': 'RBU',
        'EU': 'EU',
        'U-measure': 'U_measure',
        'I-rec-LA': 'I_rec_LA',
        'N-rec': 'N_rec',
        'node-recall': 'N_rec',
        'LA-I-rec': 'I_rec_LA',
        'HD-nDCG': 'HD_nDCG',
        'HD#-nDCG': 'HDsharp_nDCG',
        'HD-Q': 'HD_Q',
        'HD#-Q': 'HDsharp_Q',
        'LAD#-nDCG': 'LADsharp_nDCG',
        'LAD#-Q': 'LADsharp_Q',
        'DS-nDCG': 'DS_nDCG',
        'DS-Q': 'DS_Q',
        'DS-ERR': 'DS_ERR',
        'AP-Rareness': 'AP_Rareness',
        'P-Rareness': 'P_Rareness',
        'nDCG-Rareness': 'nDCG_Rareness',
        'RBP-Rareness': 'RBP_Rareness',
    },
}
"""Measures as this package writes them, by the origin of a name and the name. :func:`standard` ignores case, hyphens
and underscores, and reads ``#`` as ``sharp``, ``+`` as ``plus`` and ``α`` as ``alpha``."""


WITHOUT_COUNTERPART = (
    '11pt_avg',
    'binG',
    'G',
    'gm_bpref',
    'gm_map',
    'ndcg_rel',
    'num_nonrel_judged_ret',
    'relative_P',
    'relstring',
    'Rndcg',
    'Rprec_mult',
    'runid',
    'utility',
    'yaap',
)
"""Measures of trec_eval that ir_measures does not compute."""


_EXPOSURE = 'is a measure of exposure, which is out of scope; GFR is the measure here of fairness towards groups'
_UNJUDGED = 'needs no judgments and is out of scope; DocSim and DS_nDCG compare the texts of judged documents'
ANSWERS: dict[str, str] = {
    'sDCG': 'session DCG is sesDCG, and normalised nsDCG (SDCG of ir_measures is another measure)',
    'AWRF': f'attention-weighted rank fairness {_EXPOSURE}, and the evaluation scripts of the TREC Fair Ranking Track '
    f'(github fair-trec/trec2022-fair-public) compute AWRF',
    'EE': f'expected exposure {_EXPOSURE}, and github diazf/expeval computes expected exposure',
    'ILD': f'intra-list diversity {_UNJUDGED}, and libraries for recommender systems such as RankSys compute ILD',
    'Vendi': f'the Vendi Score {_UNJUDGED}, and the package vendi_score computes the Vendi Score',
    'α-β-nDCG': 'it needs the ratings of a user, which judgments do not have; alpha_nDCG is the measure here of '
    'novelty, and the authors (Parapar and Radlinski, RecSys 2021) define this one for recommender systems',
}
"""What to use instead of measures that this package does not have. Case and hyphens do not matter, except for ``sDCG``,
because ``SDCG`` is a measure of ir_measures."""
_ALSO = {
    'Vendi Score': 'Vendi',
    'EE-D': 'EE',
    'EE-L': 'EE',
    'EE-R': 'EE',
    'expected exposure': 'EE',
}


class UnknownMeasureError(ValueError, NameError):
    """No measure has this name. ir_measures raises NameError here where PyTerrier expects ValueError."""


LAST_NUMBER = re.compile(r'[_.](?P<number>\d+(\.\d+)?)$')
"""A parameter as trec_eval and ndeval write it: ``ndcg_cut_10``, ``iprec_at_recall_0.10``."""

LAST_NUMBER_IS = {'SetF': 'beta'}
"""The parameter that the last number sets, if it is not the one after ``@``."""


def standard(name: str) -> str:
    """A name in one standard form, without case, hyphens and underscores.

    Examples:
        >>> standard('D#-nDCG'), standard('Dsharp_nDCG'), standard('α-nDCG')
        ('dsharpndcg', 'dsharpndcg', 'alphandcg')
    """
    for sign, word in (
        ('#', 'sharp'),
        ('♯', 'sharp'),
        ('+', 'plus'),
        ('α', 'alpha'),
        ('Α', 'alpha'),
    ):
        name = name.replace(sign, word)
    return re.sub(r'[\s_‐‑–-]', '', name).casefold()


def candidates(name: str, known: Iterable[str]) -> list[str]:
    """The measures that a name may stand for, as this package writes them.

    These are the names in ``known`` that differ only in case, hyphens and underscores. If there are none, the function
    looks the name up in :data:`TABLE`.

    Examples:
        >>> candidates('err-ia', ['ERR_IA', 'nERR_IA'])
        ['ERR_IA']
        >>> candidates('STREC', ['StRecall']), candidates('strecc', ['StRecall'])
        (['StRecall'], [])
    """
    known = list(known)
    same = [each for each in known if standard(each) == standard(name)]
    return same or list(
        dict.fromkeys(
            target
            for _, synonym, target in rows()
            if standard(synonym) == standard(name) and measure_of(target) in known
        )
    )


def is_without_counterpart(name: str) -> bool:
    """Whether a name is one of :data:`WITHOUT_COUNTERPART`. A number at its end is ignored."""
    return standard(LAST_NUMBER.sub('', name)) in set(map(standard, WITHOUT_COUNTERPART))


def answer(name: str) -> str:
    """What to use instead of a measure that this package does not have, or ''. A number at the end is ignored.

    Examples:
        >>> answer('sDCG'), answer('SDCG')
        ('session DCG is sesDCG, and normalised nsDCG (SDCG of ir_measures is another measure)', '')
        >>> answer('alpha-beta-nDCG') == answer('αβ-nDCG') != ''
        True
    """
    base = LAST_NUMBER.sub('', name)
    if standard(base) == 'sdcg':
        return ANSWERS.get(base, '')
    key = standard(base).replace('β', 'beta')
    answers = {**ANSWERS, **{synonym: ANSWERS[measure] for synonym, measure in _ALSO.items()}}
    return next(
        (text for other, text in answers.items() if standard(other).replace('β', 'beta') == key), ''
    )


def rows() -> Iterator[tuple[str, str, str]]:
    """Source, name and measure, for every name of :data:`TABLE`."""
    for source, names in TABLE.items():
        for name, target in names.items():
            yield source, name, target


def measure_of(target: str) -> str:
    """The measure's name in the name of a measure with parameters."""
    return target.partition('(')[0]
