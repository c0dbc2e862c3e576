"""The measures, one file a family. Importing this package registers their names with ir_measures."""

from ..core.registry import catalogue
from . import (  # noqa: F401 (the order of the catalogue)
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

_MEASURES = {made.NAME: made for made in catalogue()}
__all__ = [*_MEASURES]  # noqa: PLE0604 (names all the same)
globals().update(_MEASURES)
