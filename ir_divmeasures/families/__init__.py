"""The measures, one file a family. Importing this package registers their names with ir_measures."""

from ..core.registry import catalogue

# The order of the imports is that of the catalogue.
# isort: off
from . import (  # noqa: F401
    utility,
    novelty,
    subtopic,
    intent_aware,
    dmeasures,
    layered,
    interactive,
    document_similarity,
    rareness,
    usermodel,
    named_models,
    gap,
)
# isort: on

_MEASURES = {each.NAME: each for each in catalogue()}
__all__ = [*_MEASURES]  # noqa: PLE0604 (names all the same)
globals().update(_MEASURES)
