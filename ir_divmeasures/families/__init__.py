"""The measures, one file a family. Importing this package registers their names with ir_measures."""

from . import (  # noqa: I001 (the order of the catalogue)
    utility,
    novelty,
    subtopic,
    intent_aware,
    area,
    dmeasures,
    layered,
    interactive,
    sessions,
    proportionality,
    document_similarity,
    rareness,
    usermodel,
    gap,
    cwl,
)

FAMILIES = (
    utility, novelty, subtopic, intent_aware, area, dmeasures, layered, interactive, sessions,
    proportionality, document_similarity, rareness, usermodel, gap, cwl,
)  # fmt: skip

__all__ = [name for family in FAMILIES for name in family.__all__]
globals().update({name: getattr(family, name) for family in FAMILIES for name in family.__all__})
