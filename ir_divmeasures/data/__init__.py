"""Judgments, and functions that add columns to them. The names here are imported when they are first used."""

from ..lazy import names_from

_HOMES = {
    'data.hierarchy': ('build_hierarchy',),
    'data.intents': ('with_intents', 'with_superintents', 'with_weights'),
    'data.qrels': ('read_qrels', 'topic_level', 'write_qrels'),
    'data.similarity': ('Matrix', 'Vectors', 'with_similarity'),
}
__getattr__, __all__ = names_from('ir_divmeasures', _HOMES)
