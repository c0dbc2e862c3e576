"""PyTerrier: measures are names of ``pyterrier.measures``.

The entry points ``pyterrier.modules`` of this package name :mod:`ir_divmeasures_plugin`, which PyTerrier imports. So it
has our measures by name, and :mod:`ir_divmeasures.terrier` as ``pt.divmeasures`` and ``pt.diversity``. It asks
``ir_measures.parse_trec_measure`` for the names in an experiment.
"""

from __future__ import annotations

from . import require

USED = (
    'Transformer',
    'Experiment',
    'get_dataset',
    'validate.query_frame',
    'validate.result_frame',
    'datasets',
)
"""What this package uses inside PyTerrier."""


def check() -> None:
    """Raise ImportError if PyTerrier lacks something that this package uses."""
    import pyterrier

    require(pyterrier, 'python-terrier', '1.0', USED)
