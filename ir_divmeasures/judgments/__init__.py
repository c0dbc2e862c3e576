"""Judgments, and functions that add columns to them. The names here are imported when they are first used."""

from ..lazy import names_from

_HOMES = {
    'hierarchy': ('build_hierarchy',),
    'intents': ('with_intents', 'with_weights'),
    'qrels': ('read_qrels', 'topic_level', 'write_qrels'),
    'similarity': ('Matrix', 'Vectors', 'with_fingerprints', 'with_similarity'),
    'superintents': ('with_superintents',),
}
__getattr__, __all__ = names_from(__name__, _HOMES)
