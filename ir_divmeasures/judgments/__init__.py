"""Judgments, and functions that add columns to them. The names here are imported when they are first used."""

from ..lazy import names_from

_HOMES = {
    'hierarchy': ('build_hierarchy',),
    'intents': ('with_aspects_from', 'with_intents', 'with_subtopic_types', 'with_weights'),
    'judges': ('aggregate_judges',),
    'memberships': ('read_groups',),
    'qrels': ('read_qrels', 'topic_level', 'write_qrels'),
    'similarity': ('Matrix', 'Vectors', 'with_fingerprints', 'with_similarity'),
    'superintents': ('cluster_intents', 'with_superintents'),
    'views': ('describe_hierarchy', 'hierarchy_tree'),
}
_REMOVED = {'draw_hierarchy': 'the guide to hierarchies draws one in a few lines'}
__getattr__, __all__ = names_from(__name__, _HOMES, _REMOVED)
