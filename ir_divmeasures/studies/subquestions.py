"""Coverage of sub-questions by the runs for retrieval-augmented generation, by many measures, on any runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import meta
from ..evaluation.evaluate import evaluate
from ..evaluation.judge_noise import resample_judges
from ..evaluation.scores import Scores
from ..io.runs import read_runs
from ..judgments.judges import aggregate_judges
from ..judgments.qrels import read_qrels
from ..lazy import pd
from ..pools import campaign
from ..pools.pool import Pool
from .study import Study, noted

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

REPLICATES = 1000


def nuggets(
    runs: RunsLike,
    qrels: QrelsLike,
    *,
    judges: pd.DataFrame | None = None,
    name: str = 'These runs',
    rel: int = 3,
    cutoff: int = 10,
    n_resamples: int | None = None,
    rng: int = 0,
    jobs: int = 1,
) -> Study:
    """Compare coverage of sub-questions (nuggets) with other measures on the runs of a campaign.

    Coverage of all listed sub-questions, of those that some document answers, with half credit for partial answers;
    measures of novelty and ad-hoc measures: mean scores, the pairs of systems that two measures order differently and
    whether either tells them apart, discriminative power, unanimity, thresholds. How many of the relevant documents
    that one system alone retrieves answer a sub-question that no other system's documents answer. If documents were
    rated more than once, the effect of the judge's noise on means and on comparisons of systems.

    Args:
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes; at least two.
        qrels: judgments of documents for sub-questions, as :func:`ir_divmeasures.read_nuggets` gives them or in any
            form that :func:`ir_divmeasures.read_qrels` takes; sub-questions without an answer with grade 0.
        judges: the ratings of several judges, with a column ``judge``, of which those in ``qrels`` are the first's.
        name: what the tables call the collection.
        rel: the grade from which a sub-question counts as answered.
        cutoff: of the measures (AP has ten times that).
        n_resamples: bootstrap resamples and replicates; by default 1000, and 5000 for the randomised HSD.
        rng: seed.
        jobs: the number of processes for the replicates (needs joblib); −1 takes all cores.

    Returns:
        A :class:`Study` with the tables ``means``, ``exchanged``, ``pairs`` (where there are any), ``power``,
        ``thresholds``, ``unique``, and with ``judges`` also ``noise``, ``unsure`` (where there are any) and ``ways``.

    Raises:
        TypeError, ValueError: no runs or judgments; fewer than two systems; ``judges`` without a column ``judge`` or
            with one rating of each document only; grades that are not whole.

    Reference: coverage of sub-questions at a threshold, and ratings from 0 to 5, are those of CRUX; the comparison with
    other measures is not from a paper.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> qrels = {f'q{q}': {f'd{d}': {str(t): int(g) for t, g in enumerate(rng.integers(0, 6, 3))}
        ...                    for d in range(12)} for q in range(5)}
        >>> runs = {f's{s}': {q: {d: max(grades.values()) + s * rng.random() for d, grades in judged.items()}
        ...                   for q, judged in qrels.items()} for s in range(1, 4)}
        >>> study = nuggets(runs, qrels, n_resamples=20, cutoff=2)
        >>> study['thresholds']['threshold'].tolist()
        [1, 2, 3, 4, 5]
    """
    with noted() as notes:
        one = Collection(name, dict(read_runs(runs)), read_qrels(qrels), judges, rel, cutoff)
        tables, facts = _compared(one, n_resamples, rng, jobs)
    return Study(
        'nuggets',
        tables,
        {
            'name': name,
            'n_systems': len(one.runs),
            'n_queries': len(one.scores.queries),
            'cutoff': cutoff,
            'rel': rel,
            'n_pairs': one.n_pairs,
            'notes': notes,
            **facts,
        },
    )


class Collection:
    """The judgments, runs and scores of one collection.

    Args:
        name: its name in tables.
        runs, qrels: the systems' runs and the first judge's judgments.
        several: the judgments of all judges; None where there is one.
        rel, cutoff: of the measures.
    """

    def __init__(
        self,
        name: str,
        runs: dict[str, pd.DataFrame],
        qrels: pd.DataFrame,
        several: Any = None,
        rel: int = 3,
        cutoff: int = 10,
    ):
        self.name, self.runs, self.qrels, self.several = name, runs, qrels, several
        self.rel, self.cutoff = rel, cutoff
        grades = qrels['relevance'].to_numpy()
        if (grades % 1 != 0).any():
            raise ValueError(f'grade {grades[grades % 1 != 0][0]:g}: expected whole grades')
        self.grades: Sequence[int] = range(1, max(int(grades.max()), rel) + 1)
        self.listed = f'Coverage(rel={rel})@{cutoff}'
        self.coverage = {
            'Coverage, listed': self.listed,
            'Coverage, served': f"Coverage(aspects='relevant',rel={rel})@{cutoff}",
            'StRecall': f'StRecall(rel={rel})@{cutoff}',
            'Coverage, listed, partial ½': f'Coverage(partial=0.5,rel={rel})@{cutoff}',
        }
        self.novelty = {
            'α-nDCG': f'alpha_nDCG(rel={rel})@{cutoff}',
            'ERR-IA': f'ERR_IA(rel={rel})@{cutoff}',
            'RBU p=.8': f'RBU@{cutoff}',
            'RBU p=.99': f'RBU(p=0.99)@{cutoff}',
            'RBU p=.99, listed': f"RBU(p=0.99,aspects='listed')@{cutoff}",
        }
        self.ad_hoc = {
            'P': f'P(rel={rel})@{cutoff}',
            'nDCG': f'nDCG@{cutoff}',
            f'AP@{10 * cutoff}': f'AP(rel={rel})@{10 * cutoff}',
        }
        self.by_grade = {f'rel={grade}': f'Coverage(rel={grade})@{cutoff}' for grade in self.grades}
        self.scores = self._scored({**self.coverage, **self.novelty, **self.ad_hoc})
        self.thresholds = self._scored(self.by_grade)

    def _scored(self, names: dict[str, str]) -> Scores:
        """Scores by measures, which the result has by their short names: short name → measure."""
        scores = evaluate(self.runs, self.qrels, list(names.values()))
        return Scores(scores.values, scores.systems, scores.queries, tuple(names))

    @property
    def n_pairs(self) -> int:
        """Pairs of systems."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    def intents(self) -> pd.DataFrame:
        """A row for each intent: its best grade."""
        return self.qrels.groupby(['query_id', 'subtopic_id'], as_index=False)['relevance'].max()


def _compared(
    one: Collection,
    n_resamples: int | None,
    rng: int,
    jobs: int,
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """Return the tables of :func:`nuggets`, and the facts about repeated ratings for its text."""
    summary, pairs = exchanged(one)
    tables = {
        'means': means(one),
        'exchanged': summary,
        'pairs': pairs,
        'power': power(one.scores, n_resamples, rng),
        'thresholds': by_threshold(one),
        'unique': unique(one, rng=rng),
    }
    facts: dict[str, Any] = {'unique': unique_totals(tables['unique']), 'depth': 2 * one.cutoff}
    if one.several is not None:
        replicates = n_resamples or REPLICATES
        tables['noise'], tables['unsure'], again = noise(one, replicates, rng, jobs)
        tables['ways'] = ways(one)
        facts |= {
            'replicates': replicates,
            'least_again': 100 * min(again),
            'most_again': 100 * max(again),
        }
    return {name: table for name, table in tables.items() if len(table)}, facts


def described(collections: list[Collection]) -> pd.DataFrame:
    """Return a row of counts for each collection, with the number of documents that were rated more than once."""

    rows = []
    for one in collections:
        if one.several is None:
            raise ValueError(f'{one.name}: one judge')
        best = one.intents()['relevance']
        again = one.several.loc[
            one.several['judge'] != '', ['query_id', 'doc_id', 'judge']
        ].drop_duplicates()
        documents = again.groupby(['query_id', 'doc_id']).size()
        rows.append(
            {
                'collection': one.name,
                'queries': len(one.scores.queries),
                'runs': len(one.runs),
                'documents rated': len(documents),
                'of these more than once': int((documents > 1).sum()),
                'sub-questions': len(best),
                **{f'answered at {t} by none': int((best < t).sum()) for t in (1, 3)},
            }
        )
    return pd.DataFrame(rows)


def means(one: Collection) -> pd.DataFrame:
    """Systems × measures, by coverage."""
    frame = one.scores.means()
    return (
        frame.sort_values('Coverage, listed', ascending=False)
        .rename_axis(columns=None)
        .reset_index()
    )


def significance(scores: Scores) -> tuple[np.ndarray, np.ndarray]:
    """(pairs, 2) and p of the paired t-test with Holm's correction over the pairs, (measures, pairs)."""
    tests = meta.discriminative_power(scores, 't', correction='holm')
    return tests.pairs, tests.pvalues


def exchanged(
    one: Collection, against: str = 'Coverage, listed'
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """τ of every measure with another one, and the pairs of systems that the two order differently, with tests."""

    mean = one.scores.means()
    pairs, p = significance(one.scores)
    reference = list(one.scores.measures).index(against)
    summary, swaps = [], []
    for m, name in enumerate(one.scores.measures):
        if name == against:
            continue
        differences = [
            np.array([mean[measure].iloc[i] - mean[measure].iloc[j] for i, j in pairs])
            for measure in (against, name)
        ]
        swapped = np.flatnonzero(differences[0] * differences[1] < -1e-24)
        significant = p[[reference, m]] < 0.05
        summary.append(
            {
                'measure': name,
                'Kendall τ': meta.kendall(mean[against], mean[name]),
                'pairs exchanged': len(swapped),
                'significant by one of the two': int(significant[:, swapped].any(axis=0).sum()),
                'by both': int(significant[:, swapped].all(axis=0).sum()),
                'other pairs significant by one only': int(
                    (significant[0] ^ significant[1]).sum()
                    - (significant[0] ^ significant[1])[swapped].sum()
                ),
            }
        )
        swaps += [
            {
                'measure': name,
                'better by it': one.scores.systems[j if differences[0][s] > 0 else i],
                'better by Coverage': one.scores.systems[i if differences[0][s] > 0 else j],
                'Δ': abs(differences[1][s]),
                'p': p[m, s],
                'Δ Coverage': abs(differences[0][s]),
                'p Coverage': p[reference, s],
            }
            for s in swapped
            for i, j in [pairs[s]]
        ]
    return pd.DataFrame(summary), pd.DataFrame(swaps)


def power(scores: Scores, n_resamples: int | None = None, rng: int = 1) -> pd.DataFrame:
    """Discriminative power by three tests, and unanimity with its confidence interval."""

    distinct = scores.select(measures=[m for m in scores.measures if m != 'StRecall'])
    unanimity = meta.unanimity(distinct)
    agreed = dict(
        zip(unanimity.measures, zip(unanimity.values, unanimity.ceiling, unanimity.interval))
    )
    bootstrap = meta.discriminative_power(
        scores, 'bootstrap', correction=None, n_resamples=n_resamples, rng=rng
    )
    needed = [] if bootstrap.delta is None else bootstrap.delta.tolist()
    randomised = meta.discriminative_power(
        scores, 'tukey_randomised', n_resamples=n_resamples, rng=rng
    )
    holm = meta.discriminative_power(scores, 't', correction='holm')
    return pd.DataFrame(
        [
            {
                'measure': name,
                'bootstrap': int(bootstrap.counts[m]),
                'Δ needed': needed[m],
                'randomised HSD': int(randomised.counts[m]),
                't, Holm': int(holm.counts[m]),
                'unanimity': agreed[name][0] if name in agreed else float('nan'),
                'ceiling': agreed[name][1] if name in agreed else float('nan'),
                '95 %': '[{:.3f}, {:.3f}]'.format(*agreed[name][2]) if name in agreed else '',
            }
            for m, name in enumerate(scores.measures)
        ]
    )


def by_threshold(one: Collection) -> pd.DataFrame:
    """Coverage at each grade as the threshold."""

    mean, best = one.thresholds.means(), one.intents()['relevance']
    scores = evaluate(
        one.runs,
        one.qrels,
        [f"Coverage(aspects='relevant',rel={t})@{one.cutoff}" for t in one.grades],
    ).means()
    holm = meta.discriminative_power(one.thresholds, 't', correction='holm')
    return pd.DataFrame(
        [
            {
                'threshold': t,
                'answered by no document': int((best < t).sum()),
                'mean over runs, listed': float(mean[n].mean()),
                'served': float(scores.iloc[:, t - 1].mean()),
                'best run, listed': float(mean[n].max()),
                f'τ with {one.rel}': float(meta.kendall(mean[f'rel={one.rel}'], mean[n])),
                'pairs significant (t, Holm)': int(holm.counts[t - 1]),
            }
            for t, n in enumerate(one.by_grade, 1)
        ]
    )


def unique(one: Collection, rng: int = 0) -> pd.DataFrame:
    """The relevant documents that one system alone retrieves in its top documents, down to twice the cutoff, and how
    many of them answer a sub-question that no other system's top documents answer."""
    pool = Pool.from_runs(one.runs, depth=2 * one.cutoff)
    table = campaign.unique_by_group(pool.over(one.qrels), one.rel)
    names = {
        'group': 'system',
        'relevant': 'relevant documents',
        'unique': 'unique',
        'bringing': 'of these bringing one',
        'unique_intents': 'unique sub-questions',
    }
    return table[list(names)].rename(columns=names)


def unique_totals(table: pd.DataFrame) -> dict[str, int]:
    """Sums over the systems of the table of :func:`unique`."""
    return {
        'documents': int(table['unique'].sum()),
        'bringing': int(table['of these bringing one'].sum()),
        'intents': int(table['unique sub-questions'].sum()),
    }


def noise(
    one: Collection,
    n_resamples: int = REPLICATES,
    rng: int = 1,
    jobs: int = -1,
) -> tuple[pd.DataFrame, pd.DataFrame, list[float]]:
    """Return the effect of repeated ratings: for each measure, how much a new round of ratings may change means and
    which comparisons.

    The second table has the pairs of systems that another draw of queries would not turn, but a fresh round of ratings
    may: the interval of their difference over queries is on one side of 0, that over ratings is not. The last item has
    the shares of documents rated again.
    """

    measures_by_name = {
        **{k: v for k, v in {**one.coverage, **one.novelty}.items() if k != 'StRecall'},
        **{f'Coverage, listed, {k}': v for k, v in one.by_grade.items() if k != f'rel={one.rel}'},
    }
    replicated = [
        (
            names,
            resample_judges(
                one.runs,
                one.several,
                list(names.values()),
                n_resamples=n_resamples,
                rng=rng,
                reference=reference,
                jobs=jobs,
            ),
        )
        for names, reference in ((measures_by_name, 'mean'), (one.ad_hoc, 'majority'))
    ]
    rows, pairs = [], []
    for names, result in replicated:
        over = {
            of: (result.interval(of=of), result.difference_interval(of=of))
            for of in ('queries', 'again')
        }
        for m, name in enumerate(names):
            half = {of: (ends[:, m, 1] - ends[:, m, 0]) / 2 for of, (ends, _) in over.items()}
            clear = {
                of: (ends[:, m, 0] > 0) | (ends[:, m, 1] < 0) for of, (_, ends) in over.items()
            }
            differences, ends = result.differences[:, m], over['again'][1][:, m]
            rows.append(
                {
                    'measure': name,
                    'mean ± over ratings': float(half['again'].mean()),
                    'largest': float(half['again'].max()),
                    'mean ± over queries': float(half['queries'].mean()),
                    'pairs open to ratings': int((~clear['again']).sum()),
                    'open to queries': int((~clear['queries']).sum()),
                    'open to ratings alone': int((clear['queries'] & ~clear['again']).sum()),
                }
            )
            pairs += [
                {
                    'measure': name,
                    'system': result.systems[i],
                    'other': result.systems[j],
                    'difference': float(differences[p]),
                    'low': float(ends[p, 0]),
                    'high': float(ends[p, 1]),
                }
                for p, (i, j) in enumerate(result.pairs)
                if clear['queries'][p] and not clear['again'][p] and name in one.scores.measures
            ]
    return (
        pd.DataFrame(rows),
        pd.DataFrame(pairs),
        [float(each) for each in replicated[0][1].rated_again],
    )


def disagreement(one: Collection) -> dict[str, float]:
    """Shares of repeats that differ, of grades, and across the threshold."""
    if one.several is None:
        raise ValueError(f'{one.name}: one judge')
    ratings = one.several[one.several['judge'] != '']
    first_judge = ratings['judge'].iloc[0]
    first = ratings[ratings['judge'] == first_judge].rename(columns={'relevance': 'first'})
    again = ratings[ratings['judge'] != first_judge].merge(
        first[['query_id', 'doc_id', 'subtopic_id', 'first']],
        on=['query_id', 'doc_id', 'subtopic_id'],
    )
    differ = again['relevance'] != again['first']
    across = (again['relevance'] >= one.rel) != (again['first'] >= one.rel)
    records = again.assign(differ=differ).groupby(['query_id', 'doc_id', 'judge'])['differ'].any()
    return {
        'repeats': len(records),
        'differ': int(records.sum()),
        'grades': len(again),
        'grades_differ': int(differ.sum()),
        'across': int(across.sum()),
    }


def ways(one: Collection) -> pd.DataFrame:
    """Return coverage for three ways to combine the judges, and with the first judge alone."""

    scored = {
        method: evaluate(one.runs, aggregate_judges(one.several, method), one.listed)
        .values[:, :, 0]
        .mean(axis=1)
        for method in ('max', 'mean', 'majority')
    }
    first = one.scores.means()['Coverage, listed'].to_numpy()
    return pd.DataFrame(
        [
            {
                'collection': one.name,
                'judges': method,
                'mean over runs': float(values.mean()),
                'largest change of a run': float(np.abs(values - first).max()),
                'τ with the first judge': float(meta.kendall(first, values)),
            }
            for method, values in scored.items()
        ]
    )


__all__ = ['nuggets']
