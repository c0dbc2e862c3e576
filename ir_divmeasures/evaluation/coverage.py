"""The intents (nuggets, sub-questions) that the documents of several runs cover, with their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import whole
from ..io import columns
from ..io import runs as several
from ..judgments.table import Judgments
from ..lazy import pd

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

FACTS = ('text', 'importance', 'weight')


def intents_found(
    runs: RunsLike, qrels: QrelsLike, *, cutoff: int | None = None, rel: float = 1
) -> pd.DataFrame:
    """Return, for every listed intent, how many judged documents serve it and which systems retrieve one of them.

    A document serves an intent if its grade is above 0 and at least ``rel``, as in
    :class:`~ir_divmeasures.Coverage`, which is the mean of the column ``found`` of one system over a query's intents.

    Args:
        runs: several runs, in any form that :func:`~ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes, or what
            :func:`~ir_divmeasures.read_nuggets` gives.
        cutoff: how many documents of each ranking count; all by default.
        rel: the lowest grade that serves an intent.

    Returns:
        DataFrame with a row for each intent: ``query_id, subtopic_id``, its text, importance and weight where the
        judgments have them, ``documents`` (that serve it), ``systems`` (that found one of them), and a column of
        booleans for each system.

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.evaluate`; a cutoff below 1.

    Examples:
        >>> import pandas as pd
        >>> from ir_divmeasures import with_intents
        >>> table = pd.DataFrame([('q', '1', 'Who?'), ('q', '2', 'When?'), ('q', '3', 'Why?')],
        ...                      columns=['query_id', 'subtopic_id', 'text'])
        >>> qrels = with_intents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, table)
        >>> intents_found({'A': {'q': {'d1': 2.0}}, 'B': {'q': {'d1': 2.0, 'd2': 1.0}}}, qrels)
          query_id subtopic_id   text  documents  systems      A      B
        0        q           1   Who?          1        2   True   True
        1        q           2  When?          1        1  False   True
        2        q           3   Why?          0        0  False  False
    """
    if cutoff is not None:
        whole(cutoff, 'cutoff')
    judgments = Judgments.of(qrels)
    table, collection = judgments.table, judgments.collection
    key = columns.aspect_key(table)
    intent = table.groupby(key, sort=False).ngroup().to_numpy()
    listed = table[columns.listing(table)].drop_duplicates(key)
    rows = listed[[*key, *(fact for fact in FACTS if fact in table.columns)]].reset_index(drop=True)
    grade = table['relevance'].to_numpy()
    serves = (grade > 0) & (grade >= rel)
    documents = np.bincount(intent[serves], minlength=len(intent))
    found = {}
    for name, run in several.each(runs):
        located = collection.read(run).located()
        retrieved = located.pair[located.rank <= (cutoff or np.inf)]
        hits = intent[serves & np.isin(collection.row_pair, retrieved)]
        found[name] = np.isin(intent[listed.index], hits)
    if not found:
        raise ValueError('no runs')
    systems = np.sum([*found.values()], axis=0)
    return rows.assign(documents=documents[intent[listed.index]], systems=systems, **found)
