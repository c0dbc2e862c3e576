"""Public names, for editors and type checkers. Made by ``python -m reference stubs``; do not change it by hand."""
from .hierarchy import build_hierarchy as build_hierarchy
from .intents import with_aspects_from as with_aspects_from
from .intents import with_intents as with_intents
from .intents import with_subtopic_types as with_subtopic_types
from .intents import with_weights as with_weights
from .judges import aggregate_judges as aggregate_judges
from .memberships import read_groups as read_groups
from .qrels import read_qrels as read_qrels
from .qrels import topic_level as topic_level
from .qrels import write_qrels as write_qrels
from .similarity import Matrix as Matrix
from .similarity import Vectors as Vectors
from .similarity import with_fingerprints as with_fingerprints
from .similarity import with_similarity as with_similarity
from .superintents import cluster_intents as cluster_intents
from .superintents import with_superintents as with_superintents
from .views import describe_hierarchy as describe_hierarchy
from .views import hierarchy_tree as hierarchy_tree

__all__: list[str]
