"""Moved to :mod:`ir_divmeasures.data.columns`."""

from ..data.columns import *
from ..data.columns import NO_DOCUMENT as NO_DOCUMENT
