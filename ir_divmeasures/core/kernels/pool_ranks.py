"""Store which systems of a pool retrieve a judged document at which ranks as one text per document, and read it.

A text has an entry ``group:rank`` for each system that retrieves the document, or ``group.system:rank`` where a group
has several systems, separated by spaces: ``3:1 5.2:17``. Groups are numbered from 1. Group 0 is that of the run that
will be scored, where this run is no member and its group has systems in the pool. Any documents can be omitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_ENTRY = r'[0-9]+(\.[0-9]+)?:[0-9]+'
_TEXT = f'({_ENTRY}( {_ENTRY})*)?'


class Entries(NamedTuple):
    """The entries of some texts, one after the other.

    Attributes:
        place: (entries,) the place of the text.
        system: (entries,) the place of the system in ``labels``.
        rank: (entries,) the rank from 1.
        labels: what the texts call the systems, as in ``3`` or ``5.2``.
        group: (labels,) the number of each system's group.
    """

    place: NDArray[np.intp]
    system: NDArray[np.intp]
    rank: NDArray[np.int64]
    labels: list[str]
    group: NDArray[np.intp]


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


def read(texts: Iterable[Any]) -> Entries:
    """The entries of texts. Values other than non-empty texts have none."""
    present = [(place, text) for place, text in enumerate(texts) if isinstance(text, str) and text]
    counts = np.array([text.count(':') for _, text in present], dtype=np.intp)
    words = ' '.join(text for _, text in present).replace(':', ' ').split()
    names = list(dict.fromkeys(words[0::2]))
    number = {name: i for i, name in enumerate(names)}
    return Entries(
        np.repeat(np.array([place for place, _ in present], dtype=np.intp), counts),
        np.array([number[name] for name in words[0::2]], dtype=np.intp),
        np.array([int(rank) for rank in words[1::2]], dtype=np.int64),
        names,
        np.array([int(name.partition('.')[0]) for name in names], dtype=np.intp),
    )


def bits(texts: NDArray[Any]) -> NDArray[np.uint8]:
    """The groups that retrieve each document, (n, bytes): bit g is set for group g. Bit 0 is free for a newcomer."""
    entries = read(texts.tolist())
    group = entries.group[entries.system]
    sets = np.zeros((len(texts), int(entries.group.max(initial=0)) // 8 + 1), dtype=np.uint8)
    np.bitwise_or.at(sets, (entries.place, group // 8), (1 << (group % 8)).astype(np.uint8))
    return sets


def bits_of(retrieved: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The same from whether each group retrieves each document, (groups, n) → (n, bytes)."""
    sets: NDArray[np.uint8] = np.packbits(
        np.concatenate([np.zeros_like(retrieved[:1]), retrieved]), axis=0, bitorder='little'
    ).T
    return sets


def size(sets: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The number of groups in each set, (…, bytes) → (…)."""
    return np.unpackbits(sets, axis=-1).sum(axis=-1, dtype=np.intp)
