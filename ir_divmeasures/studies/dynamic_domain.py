"""Experiment 4 of Amigó et al. 2018, §6.5: metric unanimity of the measures of TREC Dynamic Domain, and of RBU."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import meta
from ..axioms.claims import EFFORT, PERSISTENCE
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores, join
from ..io.runs import read_runs
from ..judgments.qrels import read_qrels
from ..lazy import pd
from .study import Study

if TYPE_CHECKING:
    from ..typing import RunsLike

BY_SUM = {'ACT@10': 'ACubeTest@10', 'CT@10': 'CubeTest@10'}
"""Measures of the track on the sum of a document's passages."""

BY_MAX = {
    'ERR (arithmetic mean)': 'ERR_over_aspects',
    'ERR (harmonic mean)': "ERR_over_aspects(mean='harmonic')",
    'P@Recall': 'P_at_Recall',
    'P@Recall (modified)': 'P_at_Recall(modified=True)',
    'RR@Recall': 'RR_at_Recall',
}
"""Measures of the track on the best of a document's passages; RBU too."""

RBU = {f'RBU p={p}': [f'RBU(p={p},e={e})' for e in EFFORT] for p in PERSISTENCE}
RBU_FREE = {'RBU e=0': [f'RBU(p={p},e=0)' for p in PERSISTENCE]}

PAPER = {
    'RBU p=0.99': 0.8488,
    'RBU p=0.9': 0.8453,
    'RBU p=0.8': 0.8406,
    'ACT@10': 0.6276,
    'ERR (arithmetic mean)': 0.5955,
    'CT@10': 0.5938,
    'RBU e=0': 0.5937,
    'ERR (harmonic mean)': 0.5912,
    'P@Recall': 0.1162,
    'P@Recall (modified)': 0.1044,
    'RR@Recall': 0.1031,
}
"""The paper's Table 3, right (23 official runs of 2015). It calls the last row RR@10; the track's scorer beside
P@Recall is the reciprocal rank at full recall, which is what stands here."""


def dynamic_domain(
    runs: RunsLike,
    passages: str | os.PathLike[str],
    *,
    name: str = 'These runs',
    variants: bool = True,
    rng: int = 0,
) -> Study:
    """Repeat experiment 4 of Amigó et al. (SIGIR 2018, §6.5) on runs of TREC Dynamic Domain.

    Args:
        runs: runs by iterations, in any form that :func:`ir_divmeasures.read_runs` takes.
        passages: file of passage judgments: ``query subtopic doc passage rating``.
        name: what the tables call the collection.
        variants: whether the systems also include the variants of each run by :func:`run_variants`.
        rng: seed of the variants.

    Returns:
        A :class:`Study` with the tables ``official`` (the paper's Table 3, right), ``variants`` (each RBU) and
        ``systems`` (mean scores).

    Raises:
        TypeError, ValueError: no runs or judgments; fewer than two systems.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.5 and Table 3.

    Examples:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for file, lines in {'qrels': 't\\tt.1\\ta\\t1\\t3\\nt\\tt.2\\tb\\t2\\t2\\n',
        ...                     'run': 't\\t0\\ta\\t2\\t1\\nt\\t0\\tx\\t1\\t0\\nt\\t1\\tb\\t1\\t1\\n'}.items():
        ...     with open(os.path.join(folder, file), 'w') as written:
        ...         _ = written.write(lines)
        >>> study = dynamic_domain(os.path.join(folder, 'run'), os.path.join(folder, 'qrels'))
        >>> study['official'].columns.tolist()
        ['measure', 'paper', 'MU', 'low', 'high', 'ceiling', 'without siblings', 'RBU with e = 0 alone', 'variant']
    """
    systems: dict[str, pd.DataFrame] = {}
    for system, run in read_runs(runs):
        if 'iteration' not in run.columns:
            raise ValueError(
                f"system {system!r}: the run has no iterations, expected one of TREC Dynamic Domain"
            )
        systems |= (
            {f'{system}: {what}': variant for what, variant in run_variants(run, rng).items()}
            if variants
            else {system: run}
        )
    scores = score(systems, passages)
    label = {measure: label for label, measure in (BY_SUM | BY_MAX).items()}
    label |= {m: family for family, names in (RBU | RBU_FREE).items() for m in names}
    family = {m: 'RBU' if label[m].startswith('RBU') else label[m] for m in scores.measures}
    free = scores.select(
        measures=[m for m in scores.measures if m not in label or label[m] not in RBU]
    )
    official = _official(scores, free, label, family)
    tables = {'official': official, 'variants': _each(scores), 'systems': _systems(scores)}
    return Study(
        'dynamic-domain',
        tables,
        {
            'name': name,
            'n_systems': len(systems),
            'n_topics': len(scores.queries),
            'agreement': float(meta.kendall(official['paper'], official['MU'])),
        },
    )


def score(runs: Any, passages: str | os.PathLike[str]) -> Scores:
    """Scores by the measures of the track and by RBU, on the topics of the runs; names as in this module.

    Args:
        runs, passages: as for :func:`dynamic_domain`.
    """
    path = os.fspath(passages)
    systems = dict(read_runs(runs))
    topics = set().union(*(run['query_id'] for run in systems.values()))
    parts = []
    for passages_mode, names in (
        ('sum', [*BY_SUM.values()]),
        ('max', [*BY_MAX.values(), *(m for group in (RBU | RBU_FREE).values() for m in group)]),
    ):
        qrels = read_qrels(path, format='dd', passages=passages_mode)
        scores = evaluate(
            systems, qrels[qrels['query_id'].isin(topics)].reset_index(drop=True), names
        )
        parts.append(Scores(scores.values, scores.systems, scores.queries, tuple(names)))
    return join(*parts)


def run_variants(run: pd.DataFrame, rng: int = 0) -> dict[str, pd.DataFrame]:
    """Return a run by iterations and its variants, as further systems.

    Cut after 1, 2, 3 and 5 iterations, and at random for each topic; shuffled within iterations; the documents in
    reverse and in random order over the same iterations; with 1 and 2 non-relevant documents more at the end of each
    iteration, with one more at its beginning, and with two more iterations of 5 at the end.

    Args:
        run: with a column ``iteration``, as ``read_run(format='dd')`` gives it.
        rng: seed.

    Returns:
        {what was done: run}, the run itself first.
    """

    generator = np.random.default_rng(rng)
    run = run.sort_values(
        ['query_id', 'score'], ascending=[True, False], kind='stable'
    ).reset_index(drop=True)

    def ordered(keys: np.ndarray) -> pd.DataFrame:
        """The documents of each topic by ``keys``, over the same iterations."""
        documents = (
            run.assign(key=keys)
            .sort_values(['query_id', 'key'], kind='stable')['doc_id']
            .to_numpy()
        )
        return run.assign(doc_id=documents)

    def with_more(number: int, first: bool) -> pd.DataFrame:
        places = run[['query_id', 'iteration']].drop_duplicates()
        more = [
            (q, f'none-{i}-{n}', i, n if not first else -1)
            for q, i in places.itertuples(index=False)
            for n in range(number)
        ]
        return placed(
            pd.DataFrame(more, columns=['query_id', 'doc_id', 'iteration', 'key']),
            run.assign(key=-0.5),
        )

    def placed(more: pd.DataFrame, kept_rows: pd.DataFrame) -> pd.DataFrame:
        table = pd.concat([kept_rows, more]).sort_values(
            ['query_id', 'iteration', 'key'], kind='stable'
        )
        grouped = table.groupby('query_id')
        table['score'] = (grouped['doc_id'].transform('size') - grouped.cumcount()).astype(float)
        return table[['query_id', 'doc_id', 'score', 'iteration']].reset_index(drop=True)

    stops = {
        q: generator.integers(1, i, endpoint=True)
        for q, i in run.groupby('query_id')['iteration'].max().items()
    }
    tail = [
        (q, f'none-{step}-{n}', i + step, n)
        for q, i in run.groupby('query_id')['iteration'].max().items()
        for step in (1, 2)
        for n in range(5)
    ]
    place = run.groupby('query_id').cumcount().to_numpy()
    return {
        'as it is': run,
        **{f'cut after {k}': run[run['iteration'] <= k] for k in (1, 2, 3, 5)},
        'cut at random': run[run['iteration'] <= run['query_id'].map(stops)],
        'shuffled within iterations': ordered(
            run['iteration'].to_numpy() + generator.random(len(run))
        ),
        'reverse order': ordered(-place),
        'random order': ordered(generator.random(len(run))),
        '1 non-relevant at the end of each iteration': with_more(1, first=False),
        '2 non-relevant at the end of each iteration': with_more(2, first=False),
        '1 non-relevant at the beginning of each iteration': with_more(1, first=True),
        '2 non-relevant iterations at the end': placed(
            pd.DataFrame(tail, columns=['query_id', 'doc_id', 'iteration', 'key']),
            run.assign(key=-0.5),
        ),
    }


def _official(
    scores: Scores, free: Scores, label: dict[str, str], family: dict[str, str]
) -> pd.DataFrame:
    """The paper's Table 3, right: the best variant of each row.

    Args:
        scores: by all measures.
        free: by all measures but RBU with effort.
        label: measure → row of the table.
        family: measure → its family; RBU is one, whatever its parameters.
    """

    def values_of(result: meta.Unanimity) -> dict[str, float]:
        return dict(zip(result.measures, result.values.tolist()))

    all_measures = meta.unanimity(scores)
    values = values_of(all_measures)
    other_families = values_of(meta.unanimity(scores, families=family, against='others'))
    without_effort = values_of(meta.unanimity(free))
    rows = []
    for row, paper in PAPER.items():
        best, estimate = all_measures.best([m for m in values if label[m] == row])
        ceiling = all_measures.ceiling[all_measures.measures.index(best)]
        rows.append(
            {
                'measure': row,
                'paper': paper,
                'MU': estimate.value,
                'low': estimate.low,
                'high': estimate.high,
                'ceiling': ceiling,
                'without siblings': max(other_families[m] for m in values if label[m] == row),
                'RBU with e = 0 alone': max(
                    (without_effort[m] for m in without_effort if label[m] == row), default=np.nan
                ),
                'variant': best,
            }
        )
    return pd.DataFrame(rows)


def _each(scores: Scores) -> pd.DataFrame:
    """MU of RBU by persistence (rows) and effort (columns)."""

    result = meta.unanimity(scores)
    values = dict(zip(result.measures, result.values.tolist()))
    return pd.DataFrame(
        [
            {
                'measure': f'RBU p={p}',
                **{f'e={e}': values[f'RBU(p={p},e={e})'] for e in (0, *EFFORT)},
            }
            for p in PERSISTENCE
        ]
    )


def _systems(scores: Scores) -> pd.DataFrame:
    """Mean scores of the systems by one variant of each measure."""

    names = {
        **BY_SUM,
        **BY_MAX,
        'RBU p=0.99 e=0.05': 'RBU(p=0.99,e=0.05)',
        'RBU p=0.99 e=0': 'RBU(p=0.99,e=0)',
    }
    means = scores.select(measures=list(names.values())).values.mean(axis=1)
    frame = pd.DataFrame(means, columns=list(names))
    frame.insert(0, 'system', list(scores.systems))
    return frame


__all__ = ['dynamic_domain']
