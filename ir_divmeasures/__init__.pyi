"""Public names, for editors and type checkers. Made by ``python -m reference stubs``; do not change it by hand."""
from . import presets as presets
from .core.registry import measure as measure
from .core.registry import measures as measures
from .core.registry import unregister_measure as unregister_measure
from .errors import DivMeasuresWarning as DivMeasuresWarning
from .families import *
from . import axioms as axioms
from . import judgments as judgments
from . import meta as meta
from . import pools as pools
from . import quality as quality
from . import rag as rag
from . import sample as sample
from . import studies as studies
from . import systems as systems
from . import terrier as terrier
from . import typing as typing
from . import user_models as user_models
from .evaluation.bounds import bounds as bounds
from .evaluation.diagnose import diagnose as diagnose
from .evaluation.evaluate import evaluate as evaluate
from .evaluation.scores import Scores as Scores
from .evaluation.ties import distinct_scores as distinct_scores
from .explanation.explain import explain as explain
from .explanation.sensitivity import sensitivity as sensitivity
from .io.runs import read_run as read_run
from .io.runs import read_runs as read_runs
from .io.runs import write_run as write_run
from .judgments.hierarchy import build_hierarchy as build_hierarchy
from .judgments.intents import with_intents as with_intents
from .judgments.intents import with_subtopic_types as with_subtopic_types
from .judgments.intents import with_weights as with_weights
from .judgments.nuggets import read_answers as read_answers
from .judgments.nuggets import read_nuggets as read_nuggets
from .judgments.nuggets import read_rag as read_rag
from .judgments.qrels import read_qrels as read_qrels
from .judgments.qrels import topic_level as topic_level
from .judgments.qrels import write_qrels as write_qrels
from .judgments.similarity import with_similarity as with_similarity
from .meta.comparison import compare as compare
from .pools.pool import with_rareness as with_rareness
from .reporting import leaderboard as leaderboard
from .families import α_DCG as α_DCG
from .families import α_nDCG as α_nDCG
from .families import I_rec as I_rec
from .families import S_Recall as S_Recall
from .families import MAP_IA as MAP_IA

__version__: str
__all__ = [
    'DivMeasuresWarning', 'measure', 'measures', 'presets', 'unregister_measure', 'axioms', 'judgments', 'meta',
    'pools', 'quality', 'rag', 'sample', 'studies', 'systems', 'terrier', 'user_models', 'bounds', 'diagnose',
    'evaluate', 'Scores', 'distinct_scores', 'explain', 'sensitivity', 'read_run', 'read_runs', 'write_run',
    'build_hierarchy', 'with_intents', 'with_subtopic_types', 'with_weights', 'read_answers', 'read_nuggets',
    'read_rag', 'read_qrels', 'topic_level', 'write_qrels', 'with_similarity', 'compare', 'with_rareness',
    'leaderboard', 'RBU', 'iRBU', 'EU', 'CT', 'ACT', 'nDCU', 'CubeTest', 'ACubeTest', 'alpha_DCG', 'alpha_nDCG',
    'ERR_IA', 'nERR_IA', 'NRBP', 'nNRBP', 'alpha_DCG_IA', 'gNRBP', 'StRecall', 'Coverage', 'StRR', 'Density',
    'P_IA', 'AP_IA', 'RR_IA', 'DCG_IA', 'nDCG_IA', 'RBP_IA', 'gERR_IA', 'Q_IA', 'IA', 'Area', 'D_nDCG', 'D_Q',
    'Dsharp_nDCG', 'Dsharp_Q', 'D_ERR', 'D_nERR', 'D_EBR', 'D_RBP', 'Dsharp_ERR', 'Dsharp_nERR', 'Dsharp_EBR',
    'Dsharp_RBP', 'DIN_nDCG', 'DINsharp_nDCG', 'DIN_Q', 'DINsharp_Q', 'PplusQ', 'PplusQsharp', 'I_rec_LA',
    'alpha_nDCG_LA', 'ERR_IA_LA', 'Q_IA_LA', 'D_nDCG_LA', 'D_Q_LA', 'Dsharp_nDCG_LA', 'Dsharp_Q_LA', 'LA', 'N_rec',
    'HD_nDCG', 'HD_Q', 'HDsharp_nDCG', 'HDsharp_Q', 'LADsharp_nDCG', 'LADsharp_Q', 'P_at_Recall', 'RR_at_Recall',
    'ERR_over_aspects', 'sesDCG', 'nsDCG', 'sRBP', 'GF', 'GFR', 'CPR', 'DocSim', 'DS_nDCG', 'DS_Q', 'DS_ERR',
    'P_Rareness', 'AP_Rareness', 'nDCG_Rareness', 'RBP_Rareness', 'Rareness', 'NumUnique', 'UniqueRecall',
    'Coverage_Rareness', 'UM', 'UM_IA', 'CDG', 'RRG', 'RBTR', 'DCG', 'RRDCG', 'ARR', 'RRR', 'RBAP', 'DAG', 'EPR',
    'RAP', 'RRAP', 'GAP', 'CWL'
]
