"""Store which systems of a pool retrieve a judged document at which ranks as one text per document, and read it.

A text has an entry ``group:rank`` for each system that retrieves the document, or ``group.system:rank`` where a group
has several systems, separated by spaces: ``3:1 5.2:17``. Groups are numbered from 1. Group 0 is that of the run that
will be scored, where this run is no member and its group has systems in the pool. Any documents can be omitted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ENTRY = r'[0-9]+(\.[0-9]+)?:[0-9]+'
_TEXT = f'({_ENTRY}( {_ENTRY})*)?'


def labels_of(groups: Sequence[str], own: str | None = None) -> list[str]:
    """What texts call the systems, given each one's group and the group whose number is 0.

    Examples:
        >>> labels_of(['x', 'y', 'x'], own='y')
        ['1.1', '0', '1.2']
    """
    numbers: dict[str, int] = {}
    for number, name in enumerate(dict.fromkeys(groups), 1):
        numbers[name] = 0 if name == own else number
    counts: dict[str, int] = {}
    labels = []
    for name in groups:
        counts[name] = counts.get(name, 0) + 1
        labels.append(
            f'{numbers[name]}.{counts[name]}' if groups.count(name) > 1 else f'{numbers[name]}'
        )
    return labels


def write(
    place: NDArray[Any], system: NDArray[Any], rank: NDArray[Any], labels: Sequence[str], n: int
) -> list[str]:
    """n texts from entries in any order, (entries,) each; ``labels`` has what :func:`labels_of` calls each system."""
    order = np.lexsort((system, place))
    entries = [f'{labels[s]}:{r}' for s, r in zip(system[order].tolist(), rank[order].tolist())]
    ends = np.searchsorted(place[order], np.arange(n + 1)).tolist()
    return [' '.join(entries[start:end]) for start, end in zip(ends[:-1], ends[1:])]


def is_written(text: Any) -> bool:
    """Whether a value is an empty text, or a text of entries.

    Examples:
        >>> [is_written(text) for text in ('3:1 5.2:17', '', '3', '3:1,5:2', None)]
        [True, True, False, False, False]
    """
    return isinstance(text, str) and bool(re.fullmatch(_TEXT, text))


def bits(texts: NDArray[Any]) -> NDArray[np.uint8]:
    """The groups that retrieve each document, (n, bytes): bit g is set for group g. Bit 0 is free for a newcomer.

    Values other than texts have no groups.
    """
    words = [text.replace(':', ' ').split() if isinstance(text, str) else [] for text in texts]
    place = np.repeat(np.arange(len(words)), [len(entries) // 2 for entries in words])
    labels = [label for entries in words for label in entries[::2]]
    numbers = {label: int(label.partition('.')[0]) for label in set(labels)}
    group = np.array([numbers[label] for label in labels], dtype=np.intp)
    sets = np.zeros((len(words), int(group.max(initial=0)) // 8 + 1), dtype=np.uint8)
    np.bitwise_or.at(sets, (place, group // 8), (1 << (group % 8)).astype(np.uint8))
    return sets


def size(sets: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The number of groups in each set, (…, bytes) → (…)."""
    return np.unpackbits(sets, axis=-1).sum(axis=-1, dtype=np.intp)
