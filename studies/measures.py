"""docs/reference/measures.md: every measure with its formula, parameters and source, and a picture of each family."""
from ir_divmeasures.explanation.catalogue import measures_page

from .families import shown


def page() -> str:
    """docs/reference/measures.md."""
    return measures_page(shown())
