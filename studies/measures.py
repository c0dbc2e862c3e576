"""docs/reference/measures.md: every measure with its formula, parameters and source."""
from ir_divmeasures.pages import measures_page as page

__all__ = ['page']
