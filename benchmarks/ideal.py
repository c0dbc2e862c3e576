"""What the greedy ideal of alpha-nDCG costs: its gain against the largest possible one, on topics of the Web Track.

    python -m benchmarks.ideal [FOLDER]   # some minutes; FOLDER has ir_datasets/, as IR_DATASETS_HOME

To find the best ranking is NP-hard in general, so that ndeval and this package take the best document at each rank
(Clarke et al. 2008). Here the best ranking is found by branch and bound: documents that are relevant to the same
subtopics can stand for each other, and no document gains more later than it gains now.
"""
from __future__ import annotations

import math
import os
import pathlib
import sys
from collections import Counter

import numpy as np
import pandas as pd

from ir_divmeasures import read_qrels
from ir_divmeasures.judgments.table import Judgments

YEARS = {2009: 'clueweb09/en/trec-web-2009', 2010: 'clueweb09/en/trec-web-2010', 2011: 'clueweb09/en/trec-web-2011',
         2012: 'clueweb09/en/trec-web-2012', 2013: 'clueweb12/trec-web-2013', 2014: 'clueweb12/trec-web-2014'}
ALPHA, CUTOFFS, MOST_NODES = 0.5, (5, 10, 20), 10_000


class UnsolvedError(Exception):
    """More nodes than :data:`MOST_NODES`."""


class Search:
    """The largest alpha-DCG of k documents of some kinds.

    Args:
        kinds: sets of subtopics, and how many documents are relevant to just these.
        k: the cutoff.
        alpha: as in alpha-nDCG.
    """

    def __init__(self, kinds: dict[frozenset[str], int], k: int, alpha: float = ALPHA):
        self.kinds, self.k, self.keep = sorted(kinds.items(), key=lambda kind: (-len(kind[0]), sorted(kind[0]))), k, \
            1 - alpha
        self.discount = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
        self.best, self.nodes, self.known = 0.0, 0, {}

    def gain(self, kind: frozenset[str], seen: dict[str, int]) -> float:
        """What a document of a kind adds where subtopics were seen so often."""
        return sum(self.keep ** seen[t] for t in sorted(kind))

    def greedy(self) -> float:
        """The gain of the ranking that takes the best document at each rank."""
        left, seen, total = [n for _, n in self.kinds], Counter(), 0.0
        for discount in self.discount:
            gains = [round(self.gain(kind, seen), 12) if n else 0.0 for (kind, _), n in zip(self.kinds, left)]
            at = max(range(len(gains)), key=gains.__getitem__)
            if not gains[at]:
                break
            total += discount * gains[at]
            left[at] -= 1
            seen.update(self.kinds[at][0])
        return total

    def largest(self) -> float:
        """The gain of the best ranking.

        Raises:
            UnsolvedError: it was not found within :data:`MOST_NODES` nodes.
        """
        self.best = self.greedy()
        self._below(0, 0.0, tuple(n for _, n in self.kinds), Counter())
        return self.best

    def _below(self, depth: int, total: float, left: tuple[int, ...], seen: Counter[str]) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise UnsolvedError
        self.best = max(self.best, total)
        if depth == self.k or self.known.get(left, -1.0) >= total - 1e-12:
            return  # the same documents in another order were as good
        self.known[left] = total
        gains = [self.gain(kind, seen) if n else 0.0 for (kind, _), n in zip(self.kinds, left)]
        # The j-th document of one kind gains at most keep^(j − 1) times what the first one gains now.
        rest = self.k - depth
        bound = np.sort(np.concatenate([gain * self.keep ** np.arange(min(n, rest)) for gain, n in zip(gains, left)
                                        if n] or [np.zeros(0)]))[::-1][:rest]
        if total + float(bound @ self.discount[depth:depth + len(bound)]) <= self.best + 1e-12:
            return
        for at in sorted(range(len(gains)), key=lambda at: -gains[at]):
            if gains[at]:
                after = seen.copy()
                after.update(self.kinds[at][0])
                self._below(depth + 1, total + self.discount[depth] * gains[at],
                            (*left[:at], left[at] - 1, *left[at + 1:]), after)


def kinds_of(topic: pd.DataFrame) -> dict[frozenset[str], int]:
    """How many documents of a topic are relevant to each set of subtopics."""
    return dict(Counter(topic.groupby('doc_id')['subtopic_id'].agg(frozenset)))


def compared(qrels: pd.DataFrame, cutoffs: tuple[int, ...] = CUTOFFS) -> pd.DataFrame:
    """A row for each topic and cutoff: ``query_id, k, greedy, largest``; ``largest`` is NaN where it was not found."""
    rows = []
    for query, topic in Judgments.of(qrels).relevant(1).groupby('query_id', sort=False):
        for k in cutoffs:
            search = Search(kinds_of(topic), k)
            try:
                largest = search.largest()
            except UnsolvedError:
                largest = math.nan
            rows.append((query, k, search.greedy(), largest))
    return pd.DataFrame(rows, columns=['query_id', 'k', 'greedy', 'largest'])


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """A row for each cutoff: topics, those solved, those whose greedy ideal is too low, and by how much at most, in
    percent."""
    rows = []
    for k, part in found.groupby('k'):
        solved = part[part['largest'].notna()]
        short = 100 * (solved['largest'] / solved['greedy'] - 1)
        rows.append((k, len(part), len(solved), int((short > 1e-9).sum()), short.max()))
    return pd.DataFrame(rows, columns=['k', 'topics', 'solved', 'too low', 'at most, %'])


def main() -> None:
    """Print the table."""
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get('IR_DIVMEASURES_SHARED', '../shared'))
    os.environ.setdefault('IR_DATASETS_HOME', str(folder / 'ir_datasets'))
    found = pd.concat([compared(read_qrels(f'{name}/diversity')) for name in YEARS.values()])
    print(summary(found).to_string(index=False, float_format='%.2f'))


if __name__ == '__main__':
    main()
