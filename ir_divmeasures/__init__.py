"""Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

Importing this package registers its measures and its provider with ir_measures::

    >>> import ir_measures, ir_divmeasures
    >>> ir_measures.parse_measure('RBU(p=0.99,e=0.05)@20')
    RBU(p=0.99,e=0.05)@20
"""
from . import families, meta, provider
from .enrich.rareness import Pool, with_rareness
from .enrich.weights import with_subtopic_types, with_weights
from .errors import DivMeasuresWarning
from .evaluation import evaluate
from .judgments import read_qrels, topic_level, write_qrels
from .registry import measures
from .report.innovation import simulate_rare_common
from .runs import read_run, read_runs
from .scores import Scores

__all__ = ['DivMeasuresWarning', 'Pool', 'Scores', 'evaluate', 'families', 'measures', 'meta', 'read_qrels', 'read_run',
           'read_runs', 'simulate_rare_common', 'topic_level', 'with_rareness', 'with_subtopic_types', 'with_weights',
           'write_qrels']

provider.register()
