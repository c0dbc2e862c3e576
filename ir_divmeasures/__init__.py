"""Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

Importing this package registers its measures and its provider with ir_measures::

    >>> import ir_measures, ir_divmeasures
    >>> ir_measures.parse_measure('RBU(p=0.99,e=0.05)@20')
    RBU(p=0.99,e=0.05)@20
"""
from . import axioms, families, provider
from .enrich.weights import with_subtopic_types, with_weights
from .errors import DivMeasuresWarning
from .judgments import read_qrels, topic_level, write_qrels
from .registry import measures
from .runs import read_run, read_runs

__all__ = ['DivMeasuresWarning', 'axioms', 'families', 'measures', 'read_qrels', 'read_run', 'read_runs', 'topic_level',
           'with_subtopic_types', 'with_weights', 'write_qrels']

provider.register()
