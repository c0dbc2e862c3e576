"""The measures, one file a family. Importing this package registers their names with ir_measures."""
from . import utility, novelty, subtopic, intent_aware, dmeasures, layered  # noqa: F401, I001 (the catalogue's order)
from . import similarity, rareness, usermodel  # noqa: F401
