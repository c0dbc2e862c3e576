"""The arithmetic of measures on NumPy arrays, one idea per file. They know no ids and no tables.

Kernels import only NumPy. Shapes in all files: ``Q`` queries, ``H`` hits, ``D`` judged documents of a query, ``T``
aspects. Hits are the documents of a ranking that have a grade above 0, in rank order, padded with rank ``inf`` and
grade 0. Ranks count from 1. Grades are the numbers of the judgments, gains and discounts have no unit, and
probabilities and similarities are in [0, 1].
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
