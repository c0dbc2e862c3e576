"""Names of measures in papers and in the output of tools, and how any name is brought into one form.

:data:`TABLE` is the only list of further names. It may name measures that do not exist (yet); these are left out.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

TABLE: dict[str, dict[str, str]] = {
    'ndeval': {
        'ERR-IA': 'ERR_IA', 'nERR-IA': 'nERR_IA', 'alpha-DCG': 'alpha_DCG', 'alpha-nDCG': 'alpha_nDCG', 'NRBP': 'NRBP',
        'nNRBP': 'nNRBP', 'MAP-IA': 'AP_IA', 'P-IA': 'P_IA', 'strec': 'StRecall'},
    'NTCIREVAL': {
        'I-rec': 'StRecall', 'D-nDCG': 'D_nDCG', 'D#-nDCG': 'Dsharp_nDCG', 'D#-MSnDCG': 'Dsharp_nDCG', 'D-Q': 'D_Q',
        'D#-Q': 'Dsharp_Q', 'D#-ERR': 'Dsharp_ERR', 'D#-nERR': 'Dsharp_nERR', 'D#-EBR': 'Dsharp_EBR',
        'D#-RBP': 'Dsharp_RBP(p=0.99)', 'DIN-nDCG': 'DIN_nDCG', 'DIN#-nDCG': 'DINsharp_nDCG', 'DIN-Q': 'DIN_Q',
        'DIN#-Q': 'DINsharp_Q', 'P+Q': 'PplusQ', 'PplusQ': 'PplusQ', 'P+Q#': 'PplusQsharp', 'PplusQ#': 'PplusQsharp',
        'IA-Q': 'Q_IA', 'IA-MSnDCG': 'nDCG_IA', 'IA-nDCG': 'nDCG_IA', 'IA-ERR': "gERR_IA(gain='linear')",
        'IA-EBR': "IA(M='D_EBR')", 'IA-RBP': "RBP_IA(p=0.95,gain='linear')", 'MSnDCG': 'D_nDCG', 'Q': 'D_Q',
        'nERR': 'D_nERR', 'EBR': 'D_EBR',
        'Hit': 'Success', 'AP': 'AP', 'P': 'P'},
    'trec_eval': {
        'map': 'AP', 'map_cut': 'AP', 'P': 'P', 'ndcg': 'nDCG', 'ndcg_cut': 'nDCG', 'recip_rank': 'RR', 'recall': 'R',
        'success': 'Success', 'Rprec': 'Rprec', 'bpref': 'Bpref', 'infAP': 'infAP', 'iprec_at_recall': 'IPrec',
        'set_P': 'SetP', 'set_recall': 'SetR', 'set_F': 'SetF', 'set_map': 'SetAP',
        'set_relative_P': 'SetP(relative=True)', 'num_q': 'NumQ', 'num_ret': 'NumRet', 'num_rel': 'NumRel',
        'num_rel_ret': 'NumRet(rel=1)'},
    'papers': {
        'alphaNDCG': 'alpha_nDCG', 'α-nDCG': 'alpha_nDCG', 'α-DCG': 'alpha_DCG', 'a-nDCG': 'alpha_nDCG',
        'a-DCG': 'alpha_DCG', 's-recall': 'StRecall', 'srecall': 'StRecall', 'S-Rec': 'StRecall',
        'subtopic-recall': 'StRecall', 'ST-recall': 'StRecall', 'intent-recall': 'StRecall', 'Coverage': 'Coverage',
        'IA-P': 'P_IA', 'Prec-IA': 'P_IA', 'Precision-IA': 'P_IA', 'AP-IA': 'AP_IA', 'IA-MAP': 'AP_IA',
        'IA-AP': 'AP_IA', 'MRR-IA': 'RR_IA',
        'RR-IA': 'RR_IA', 'NDCG-IA': 'nDCG_IA', 'S-RR': 'StRR', 'α#-IA-DCG': 'alpha_DCG_IA', 'Cube-Test': 'CubeTest',
        'ACT': 'ACT', 'RBU': 'RBU', 'EU': 'EU', 'U-measure': 'U_measure', 'I-rec-LA': 'I_rec_LA', 'N-rec': 'N_rec',
        'node-recall': 'N_rec', 'LA-I-rec': 'I_rec_LA', 'HD-nDCG': 'HD_nDCG', 'HD#-nDCG': 'HDsharp_nDCG',
        'HD-Q': 'HD_Q', 'HD#-Q': 'HDsharp_Q', 'LAD#-nDCG': 'LADsharp_nDCG', 'LAD#-Q': 'LADsharp_Q',
        'DS-nDCG': 'DS_nDCG', 'DS-Q': 'DS_Q', 'DS-ERR': 'DS_ERR', 'AP-Rareness': 'AP_Rareness',
        'P-Rareness': 'P_Rareness', 'nDCG-Rareness': 'nDCG_Rareness', 'RBP-Rareness': 'RBP_Rareness'},
}
"""Name → measure as this package writes it, by where the name comes from. Case, hyphens and underscores do not count,
``#`` is ``sharp``, ``+`` is ``plus``, ``α`` is ``alpha`` (:func:`standard`)."""


WITHOUT_COUNTERPART = ('11pt_avg', 'binG', 'G', 'gm_bpref', 'gm_map', 'ndcg_rel', 'num_nonrel_judged_ret', 'relative_P',
                       'relstring', 'Rndcg', 'Rprec_mult', 'runid', 'utility', 'yaap')
"""What trec_eval prints and ir_measures does not compute."""


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
"""What to use instead, for names that stand for no measure here. ``sDCG`` counts only as it is written, since ``SDCG``
is a measure of ir_measures; the others in any case and with or without hyphens."""
_ALSO = {'Vendi Score': 'Vendi', 'EE-D': 'EE', 'EE-L': 'EE', 'EE-R': 'EE', 'expected exposure': 'EE'}


class UnknownMeasureError(ValueError, NameError):
    """No measure has this name. ir_measures raises NameError here where PyTerrier expects ValueError."""


LAST_NUMBER = re.compile(r'[_.](?P<number>\d+(\.\d+)?)$')
"""trec_eval's way of writing a parameter: ``ndcg_cut_10``, ``iprec_at_recall_0.10``; ndeval's columns too."""

LAST_NUMBER_IS = {'SetF': 'beta'}
"""What that number is, where it is not what stands behind ``@``."""


def standard(name: str) -> str:
    """A name without what people write differently.

    Examples:
        >>> standard('D#-nDCG'), standard('Dsharp_nDCG'), standard('α-nDCG')
        ('dsharpndcg', 'dsharpndcg', 'alphandcg')
    """
    for sign, word in (('#', 'sharp'), ('♯', 'sharp'), ('+', 'plus'), ('α', 'alpha'), ('Α', 'alpha')):
        name = name.replace(sign, word)
    return re.sub(r'[\s_‐‑–-]', '', name).casefold()


def meant(name: str, known: Iterable[str]) -> list[str]:
    """What a name stands for, as this package writes it: names among ``known`` that are the same but for case, hyphens
    and underscores; if there are none, what :data:`TABLE` says.

    Examples:
        >>> meant('err-ia', ['ERR_IA', 'nERR_IA']), meant('STREC', ['StRecall']), meant('strecc', ['StRecall'])
        (['ERR_IA'], ['StRecall'], [])
    """
    known = list(known)
    same = [each for each in known if standard(each) == standard(name)]
    return same or list(dict.fromkeys(
        target for _, written, target in rows() if standard(written) == standard(name) and measure_of(target) in known))


def is_without_counterpart(name: str) -> bool:
    """Whether a name is one of trec_eval's that stands for no measure here; a number at its end does not count."""
    return standard(LAST_NUMBER.sub('', name)) in set(map(standard, WITHOUT_COUNTERPART))


def answer(name: str) -> str:
    """What to use instead of a measure that is none here, '' where nothing is known. A last number does not count.

    Examples:
        >>> answer('sDCG'), answer('SDCG')
        ('session DCG is sesDCG, and normalised nsDCG (SDCG of ir_measures is another measure)', '')
        >>> answer('alpha-beta-nDCG') == answer('αβ-nDCG') != ''
        True
    """
    base = LAST_NUMBER.sub('', name)
    if standard(base) == 'sdcg':
        return ANSWERS.get(base, '')
    spelt = standard(base).replace('β', 'beta')
    named = {**ANSWERS, **{other: ANSWERS[known] for other, known in _ALSO.items()}}
    return next((said for written, said in named.items() if standard(written).replace('β', 'beta') == spelt), '')


def rows() -> Iterator[tuple[str, str, str]]:
    """Source, name and measure, for every name of :data:`TABLE`."""
    for source, names in TABLE.items():
        for written, target in names.items():
            yield source, written, target


def measure_of(target: str) -> str:
    """The measure's name in the name of a measure with parameters."""
    return target.partition('(')[0]
