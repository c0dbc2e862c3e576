"""What the greedy ideal of alpha-nDCG costs: its gain against the largest possible one, on topics of the Web Track.

    python -m benchmarks.ideal [FOLDER]   # some minutes; FOLDER has ir_datasets/, as IR_DATASETS_HOME

To find the best ranking is NP-hard in general, so that ndeval and this package take the best document at each rank
(Clarke et al. 2008). Here the best ranking is found rank by rank. Documents that are relevant to the same subtopics can
stand for each other. Of all ways to reach the same state (how often each subtopic was seen, which documents are left),
only the best one is continued, and only if a bound of what can follow exceeds the best ranking known. Where there are
more than :data:`MOST_STATES` states, those with the largest bounds are continued. The best ranking is then known to lie
between what was found and the largest bound of a state that was dropped.
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections import Counter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ir_divmeasures import read_qrels
from ir_divmeasures.data.judgments import Judgments, relevant_rows

YEARS = {
    2009: 'clueweb09/en/trec-web-2009',
    2010: 'clueweb09/en/trec-web-2010',
    2011: 'clueweb09/en/trec-web-2011',
    2012: 'clueweb09/en/trec-web-2012',
    2013: 'clueweb12/trec-web-2013',
    2014: 'clueweb12/trec-web-2014',
}
ALPHA, CUTOFFS, MOST_STATES = 0.5, (5, 10, 20), (1, 50, 2_000, 8_000)
"""The searches of a topic, one after the other until one solves it, continue at most so many states at each rank."""
CLOSE = 1e-12

Array = NDArray[np.float64]


class Search:
    """The largest alpha-DCG of k documents of some kinds.

    Args:
        kinds: sets of subtopics, and how many documents are relevant to just these.
        k: the cutoff.
        alpha: as in alpha-nDCG.

    Attributes:
        serves: (kinds, subtopics) 1 where documents of a kind are relevant to a subtopic.
        available: (kinds,) how many documents there are, at most k.
        most_served: (k,) the largest number of pairs (document, subtopic) that 1, 2, … documents can have.
    """

    def __init__(self, kinds: dict[frozenset[str], int], k: int, alpha: float = ALPHA):
        ordered = sorted(kinds.items(), key=lambda kind: (-len(kind[0]), sorted(kind[0])))
        subtopics = sorted(frozenset().union(*kinds))
        self.serves = np.array([[t in kind for t in subtopics] for kind, _ in ordered], dtype=float)
        self.available = np.minimum([n for _, n in ordered], k)
        self.k, self.keep = k, 1 - alpha
        self.discount = 1 / np.log2(np.arange(2, k + 2))
        sizes = np.sort(np.repeat(self.serves.sum(axis=1), self.available))[::-1][:k].cumsum()
        self.most_served = np.pad(sizes, (0, k - len(sizes)), mode='edge').astype(int)

    def greedy(self) -> float:
        """The gain of the ranking that takes the best document at each rank."""
        left, seen, total = self.available.copy(), np.zeros(self.serves.shape[1]), 0.0
        for discount in self.discount:
            gains = np.where(left > 0, (self.serves @ self.keep**seen).round(12), 0.0)
            at = int(gains.argmax())
            if not gains[at]:
                break
            total += discount * gains[at]
            left[at] -= 1
            seen += self.serves[at]
        return float(total)

    def largest(self) -> tuple[float, float]:
        """The gain of the best ranking found, and an upper bound of all rankings. They are equal where it is solved."""
        best, bound = self.greedy(), np.inf
        for most in MOST_STATES:
            best, above = self._search(most, best)
            bound = min(bound, above)
            if bound <= best + CLOSE:
                return best, best
        return best, bound

    def _search(self, most: int, best: float) -> tuple[float, float]:
        """The same with at most ``most`` states at each rank; ``best`` is the gain of a ranking that is known."""
        seen, left, total = np.zeros((1, self.serves.shape[1])), self.available[None], np.zeros(1)
        dropped = 0.0
        for depth in range(self.k):
            gains = np.where(left > 0, self.keep**seen @ self.serves.T, 0.0)
            above = total + self._rest(seen, left, gains, depth)
            order = np.argsort(-above, kind='stable')
            order = order[above[order] > best + CLOSE]
            if len(order) > most:
                dropped = max(dropped, float(above[order[most]]))
                order = order[:most]
            state, kind = np.nonzero(gains[order] > 0)
            if not len(state):
                break
            state = order[state]
            total = total[state] + self.discount[depth] * gains[state, kind]
            best = max(best, float(total.max()))
            seen, left = seen[state] + self.serves[kind], left[state]
            left[np.arange(len(state)), kind] -= 1
            left = np.minimum(
                left, self.k - depth - 1
            )  # more cannot be taken: states that differ there are the same
            by_total = np.argsort(-total, kind='stable')
            keys = np.ascontiguousarray(np.hstack([seen, left])[by_total].astype(np.int8))
            _, first = np.unique(
                keys.view(np.dtype((np.void, keys.shape[1]))).ravel(), return_index=True
            )
            chosen = by_total[first]
            seen, left, total = seen[chosen], left[chosen], total[chosen]
        return best, max(best, dropped)

    def _rest(self, seen: Array, left: NDArray[np.int64], gains: Array, depth: int) -> Array:
        """(states,): a bound of the gain that the ranks after ``depth`` can add.

        m documents gain, undiscounted, at most the sum of the m largest of these: the j-th document of a kind gains at
        most keep^(j − 1) times what the first one gains now. And at most the sum of the s largest keep^(times seen) of
        single subtopics, where m documents have at most s pairs of document and subtopic. The discount falls with the
        rank, so that bounds of all partial sums give a bound of the discounted sum (Abel's summation).
        """
        rest = self.k - depth
        again = np.arange(rest)
        by_kind = np.where(
            again < left[..., None], gains[..., None] * self.keep**again, 0.0
        ).reshape(len(seen), -1)
        by_kind = -np.sort(np.partition(-by_kind, rest - 1, axis=1)[:, :rest], axis=1)
        documents = left @ self.serves
        single = np.where(again < documents[..., None], self.keep ** (seen[..., None] + again), 0.0)
        by_subtopic = -np.sort(-single.reshape(len(seen), -1), axis=1)
        pairs = np.minimum(self.most_served[:rest], by_subtopic.shape[1]) - 1
        partial = np.minimum(by_kind.cumsum(axis=1), by_subtopic.cumsum(axis=1)[:, pairs])
        discount = self.discount[depth:]
        return np.asarray(partial @ (discount - np.append(discount[1:], 0.0)))


def kinds_of(topic: pd.DataFrame) -> dict[frozenset[str], int]:
    """How many documents of a topic are relevant to each set of subtopics."""
    return dict(Counter(topic.groupby('doc_id')['subtopic_id'].agg(frozenset)))


def compared(qrels: pd.DataFrame, cutoffs: tuple[int, ...] = CUTOFFS) -> pd.DataFrame:
    """A row for each topic and cutoff: ``query_id, k, greedy, largest, bound``.

    ``largest`` is the largest gain found. No ranking gains more than ``bound``.
    """
    rows = []
    for query, topic in relevant_rows(Judgments.of(qrels).table, 1).groupby('query_id', sort=False):
        for k in cutoffs:
            search = Search(kinds_of(topic), k)
            rows.append((query, k, search.greedy(), *search.largest()))
    return pd.DataFrame(rows, columns=['query_id', 'k', 'greedy', 'largest', 'bound'])


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """A row for each cutoff: topics; those solved; those, solved or not, whose greedy ideal is known to be too low; by
    how much the worst one is, in percent; and by how much any topic can be."""
    rows = []
    for k, part in found.groupby('k'):
        short, at_most = (100 * (part[name] / part['greedy'] - 1) for name in ('largest', 'bound'))
        solved = part['bound'] <= part['largest'] + CLOSE
        rows.append(
            (k, len(part), int(solved.sum()), int((short > 1e-9).sum()), short.max(), at_most.max())
        )
    return pd.DataFrame(
        rows, columns=['k', 'topics', 'solved', 'too low', 'largest, %', 'at most, %']
    )


def main() -> None:
    """Print the table."""
    folder = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else os.environ.get('IR_DIVMEASURES_SHARED', '../shared')
    )
    os.environ.setdefault('IR_DATASETS_HOME', str(folder / 'ir_datasets'))
    found = pd.concat([compared(read_qrels(f'{name}/diversity')) for name in YEARS.values()])
    print(summary(found).to_string(index=False, float_format='%.3f'))


if __name__ == '__main__':
    main()
