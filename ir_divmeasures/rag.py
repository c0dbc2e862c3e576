"""Retrieval for generation: nuggets in contexts and answers, support by citations, and budgets of tokens."""

from .evaluation.coverage import intents_found
from .evaluation.joint import joint
from .evaluation.support import aer, citation_support, f1
from .io.budgets import with_lengths, within_budget
from .judgments.nuggets import Rag, read_answers, read_nuggets, read_rag

__all__ = [
    'Rag',
    'aer',
    'citation_support',
    'f1',
    'intents_found',
    'joint',
    'read_answers',
    'read_nuggets',
    'read_rag',
    'with_lengths',
    'within_budget',
]
