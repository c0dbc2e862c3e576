"""The measures, one file a family. Importing this package registers their names with ir_measures."""

from ..core.registry import catalogue

# isort: off (the order of the catalogue)
from . import (  # noqa: F401
    area,
    cwl,
    dmeasures,
    document_similarity,
    gap,
    intent_aware,
    interactive,
    layered,
    novelty,
    proportionality,
    rareness,
    sessions,
    subtopic,
    usermodel,
    utility,
)

# isort: on

_MEASURES = {made.NAME: made for made in catalogue()}
__all__ = [*_MEASURES]  # noqa: PLE0604 (names all the same)
globals().update(_MEASURES)
