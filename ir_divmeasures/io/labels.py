"""Labels of support, as people and judges write them, as grades."""

from __future__ import annotations

import functools
import math
import re
from typing import Any

from ..errors import plain
from .text import number as plain_number

GRADES = {
    2: (
        'full',
        'full support',
        'fully supported',
        'support',
        'supported',
        'FS',
        'satisfied',
        'yes',
        'met',
        'true',
    ),
    1: ('partial', 'partial support', 'partially supported', 'PS', 'partially satisfied'),
    0: (
        'no support',
        'not support',
        'not supported',
        'unsupported',
        'NS',
        'not satisfied',
        'not met',
        'no',
        'false',
    ),
}
"""The labels of each grade. Case, blanks, ``_`` and ``-`` make no difference."""
UNJUDGED = ('', 'failed', 'null', 'none')
"""Labels that say that there is no judgment, as −1 does."""


@functools.lru_cache(1024)
def _folded(label: str) -> str:
    return re.sub(r'[\s_-]+', '', label).lower()


_KNOWN: dict[str, float | None] = {
    **{_folded(label): grade for grade, labels in GRADES.items() for label in labels},
    **dict.fromkeys(UNJUDGED),
}


def grade_of(value: Any, at: str, what: str = 'label') -> float | None:
    """The grade of a label: 2 full, 1 partial, 0 no support; numbers stay as they are. None: not judged.

    Args:
        value: a text, a number, a truth value (2 or 0), or None.
        at: the place in words, for the message.
        what: the name of the field, for the message.

    Raises:
        ValueError: an unknown label, or a number below 0 other than −1.

    Examples:
        >>> [grade_of(label, 'here') for label in ('partial_support', 'Not Satisfied', True, 3, -1)]
        [1, 0, 2, 3, None]
    """
    value = plain(value)
    if value is None or isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bool):
        return 2 if value else 0
    if isinstance(value, str):
        if (label := _folded(value)) in _KNOWN:
            return _KNOWN[label]
        value = written if (written := plain_number(value)) is not None else value
    if isinstance(value, (int, float)) and (value == -1 or 0 <= value < math.inf):
        return None if value == -1 else int(value) if value == int(value) else value
    raise ValueError(
        f"{at}: {what} is {value!r}, expected a number of at least 0, −1 (not judged), or a label such as "
        f"'support', 'partial_support' or 'not_support'"
    )
