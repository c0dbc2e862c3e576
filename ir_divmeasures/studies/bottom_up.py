"""The studies of Dou et al. 2019, §5.2 and §5.3, on any runs with texts: hierarchies and document similarity."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import meta
from ..core.kernels.packed import unpack
from ..errors import DivMeasuresWarning
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores, join
from ..io.runs import read_runs
from ..judgments.hierarchy import build_hierarchy
from ..judgments.qrels import read_qrels, topic_level
from ..judgments.similarity import with_similarity
from ..judgments.superintents import with_superintents
from ..judgments.texts import texts
from ..judgments.views import describe_hierarchy
from ..lazy import pd
from .study import Study, noted

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

B, SEED, SHUFFLES = 1000, 0, 99
RESAMPLES = 100  # of the queries, for differences between counts of pairs
VERDICTS = {True: 'holds', False: 'fails'}
CUTOFFS = tuple(round(0.1 * i, 1) for i in range(11))
SCHEMES = ('RA', 'RP', 'NA', 'NP')
LAYERED = {
    'I-rec': 'I_rec_LA@20',
    'α-nDCG': 'alpha_nDCG_LA@20',
    'ERR-IA': 'ERR_IA_LA@20',
    'Q-IA': 'Q_IA_LA@20',
    'D#-nDCG (LA)': 'Dsharp_nDCG_LA@20',
    'D#-Q (LA)': 'Dsharp_Q_LA@20',
    'D#-nDCG (HD)': 'HDsharp_nDCG@20',
    'D#-Q (HD)': 'HDsharp_Q@20',
    'D#-nDCG (LAD)': 'LADsharp_nDCG@20',
    'D#-Q (LAD)': 'LADsharp_Q@20',
}
FLAT = {
    'I-rec': 'StRecall@20',
    'α-nDCG': 'alpha_nDCG@20',
    'ERR-IA': 'ERR_IA@20',
    'Q-IA': 'Q_IA@20',
    'D#-nDCG': 'Dsharp_nDCG@20',
    'D#-Q': 'Dsharp_Q@20',
}
FIELDS = {
    'superintents': 'parents',
    'vectors': 'vectors',
}  # the data that a claim needs, and its field in Data


def hierarchies(
    runs: RunsLike,
    qrels: QrelsLike,
    docs: Any,
    *,
    vectors: Any = None,
    superintents: Any = None,
    name: str = 'These runs',
    n_resamples: int = 1000,
    n_shuffles: int = SHUFFLES,
    rng: int = 0,
) -> Study:
    """Repeat the studies of Dou et al. (IRJ 2019, §5.2 and §5.3) on the runs of a campaign.

    The study compares hierarchies of intents, built from the texts of the relevant documents, and measures with
    document similarity, with flat intents. It computes discriminative power by the paired bootstrap for several
    similarities, weightings and cutoffs δ, and rank correlations, and it checks each claim of the paper on your runs.
    All measures have the cutoff 20, as in the paper.

    A claim that one measure separates more pairs of systems than another holds where the difference is above 0 over
    queries, fails where it is below 0, and is undecided otherwise. Where a claim is about several measures, p-values
    are corrected by Holm's method. The control *shuffled* asks whether the texts are what separates systems:
    texts are exchanged among the documents that are relevant to the same intents, and hierarchies are built of them
    again.

    Args:
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes; at least two.
        qrels: diversity judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        docs: texts of the relevant documents, as for :func:`ir_divmeasures.build_hierarchy`.
        vectors: ``{doc_id: vector}`` of the texts, a further similarity; none if not given.
        superintents: as for :func:`ir_divmeasures.with_superintents`; none if not given.
        name: what the tables call the collection.
        n_resamples: resamples of the paired bootstrap test, and of the queries for differences (at most 100).
        n_shuffles: number of shuffles of the texts.
        rng: seed.

    Returns:
        A :class:`Study` with the tables ``claims``, ``shuffled``, ``similarities`` (Figure 7), ``cutoffs`` (Figure 8),
        ``measures`` (Table 4), ``document similarity``, ``delta`` and ``precision`` (of these), ``correlation``
        (Table 3).

    Raises:
        TypeError, ValueError: no runs, judgments or texts; fewer than two systems; a relevant document without a text.

    Reference: Dou, Yang, Li, Wen, Sakai, *Low-cost, bottom-up measures for evaluating search result diversification*,
    IRJ 2019, §5.2 and §5.3.

    Examples:
        >>> import ir_divmeasures
        >>> words = ['jaguar car engine', 'jaguar car price', 'jaguar cat forest', 'jaguar cat prey', 'apple pie']
        >>> docs = {f'd{d}': text for d, text in enumerate(words)}
        >>> qrels = {f'q{q}': {f'd{d}': {'1': int(d < 3), '2': int(d in (q, 4))} for d in range(5)} for q in range(4)}
        >>> runs = {f's{s}': {q: {d: float((3 * i + s) % 5) for i, d in enumerate(docs)} for q in qrels}
        ...         for s in range(3)}
        >>> study = hierarchies(runs, qrels, docs, n_resamples=20, n_shuffles=3)
        >>> study['measures'].columns.tolist()
        ['measure', 'flat', 'Δ', 'WI', 'WD', 'docs', 'TL', 'WI TF-IDF', 'Δ WI']
        >>> study['claims']['These runs'].value_counts()[['no vectors', 'no superintents']].tolist()
        [2, 2]
    """
    table = read_qrels(qrels)
    data = Data(
        table, docs, dict(read_runs(runs)), vectors, superintents, n_resamples, rng, n_shuffles
    )
    with noted() as notes:
        results = measured(data)
        counts, kinds = results['counts'], list(data.kinds())
        tables = {
            'claims': claims({name: results}),
            'shuffled': results['shuffled'],
            'similarities': results['alike'],
            'cutoffs': results['cutoffs'].reset_index(drop=True),
            'measures': table_4(counts),
            'document similarity': table_ds(counts, kinds),
            'delta': table_ds(counts, kinds, 'delta'),
            'precision': by_precision(results),
            'correlation': correlations(results['means']),
        }
    return Study(
        'hierarchies',
        tables,
        {
            'name': name,
            'n_systems': len(data.pool),
            'n_queries': table['query_id'].nunique(),
            'n_pairs': len(data.pool) * (len(data.pool) - 1) // 2,
            'n_resamples': n_resamples,
            'n_shuffles': n_shuffles,
            'ndcg': counts.loc['nDCG@20', ['significant', 'delta']].to_dict(),
            'notes': notes,
        },
    )


class Data(NamedTuple):
    """A collection with texts: judgments, texts, runs, vectors of the texts, superintents where there are some."""

    qrels: pd.DataFrame
    docs: Any
    pool: dict[str, pd.DataFrame]
    vectors: Any = None
    parents: Any = None
    n_resamples: int = B
    rng: int = SEED
    n_shuffles: int = SHUFFLES

    def kinds(self) -> dict[str, dict[str, Any]]:
        """The names of the similarities in the tables, with the arguments for each."""
        named: dict[str, dict[str, Any]] = {
            'SimHash': {},
            'SimHash 1 − H/64': {'scale': 'hamming'},
            'TF-IDF': {'similarity': 'tfidf'},
        }
        return named if self.vectors is None else {**named, 'vectors': {'similarity': self.vectors}}


def pairs_of(data: Data, **settings: Any) -> np.ndarray:
    """Similarities of all pairs of documents relevant to the same intent."""
    table = with_similarity(
        data.qrels, data.docs, settings.pop('similarity', 'simhash'), **settings
    )
    values = []
    for _, rows in table[table['relevance'] > 0].groupby(['query_id', 'subtopic_id']):
        matrix = unpack(rows['document_similarity'].to_numpy(dtype=object))
        values.append(matrix[np.triu_indices(len(matrix), 1)])
    return np.concatenate([np.empty(0), *values])


def similarities(data: Data) -> pd.DataFrame:
    """Share of pairs of documents relevant to the same intent, by similarity (the paper's Figure 7)."""

    edges = np.r_[np.arange(10) / 10, 1.0001]
    kinds = data.kinds() | {'SimHash, no stop words': {'stopwords': 'english'}}
    shares = {}
    for name, settings in kinds.items():
        counts = np.histogram(pairs_of(data, **settings).round(9), edges)[0]
        shares[name] = counts / max(counts.sum(), 1)
    frame = pd.DataFrame(shares)
    frame.insert(
        0, 'similarity', [f'[{low:.1f}, {low + 0.1:.1f})' for low in edges[:9]] + ['[0.9, 1.0]']
    )
    return frame


def power(scores: Scores, n_resamples: int = B, rng: int = SEED) -> pd.DataFrame:
    """Significantly different pairs and the difference needed, by the paired bootstrap."""
    return meta.discriminative_power(
        scores, 'bootstrap', correction=None, n_resamples=n_resamples, rng=rng
    ).to_frame()


def exchanged_texts(data: Data, rng: np.random.Generator) -> dict[str, str]:
    """The texts of the relevant documents, exchanged among those that are relevant to the same intents."""
    relevant = data.qrels[data.qrels['relevance'] > 0]
    intents = (
        relevant[['query_id', 'subtopic_id']]
        .agg(tuple, axis=1)
        .groupby(relevant['doc_id'])
        .agg(frozenset)
    )
    text_of = texts(data.docs, intents.index)
    shuffled: dict[str, str] = {}
    for _, members in intents.groupby(intents).groups.items():
        shuffled |= dict(zip(members, (text_of[members[i]] for i in rng.permutation(len(members)))))
    return shuffled


def by_chance(data: Data) -> pd.DataFrame:
    """Count significantly different pairs by the t test for subintents of exchanged texts, over shuffles.

    p is the share of (real and shuffled) hierarchies that separate at least as many pairs as the real ones. A large p
    says that the texts have no effect.
    """

    rng = np.random.default_rng(data.rng)

    def counts(docs: Any) -> list[int]:
        scores = evaluate(data.pool, build_hierarchy(data.qrels, docs), list(LAYERED.values()))
        return meta.discriminative_power(scores, correction=None).counts.tolist()

    flat = meta.discriminative_power(
        evaluate(data.pool, data.qrels, list(FLAT.values())), correction=None
    )
    count_of = dict(zip(FLAT, flat.counts.tolist()))
    real = counts(data.docs)
    shuffled = np.array(
        [quiet(lambda: counts(exchanged_texts(data, rng))) for _ in range(data.n_shuffles)]
    )
    return pd.DataFrame(
        [
            {
                'measure': label,
                'flat': int(count_of[label.split(' (')[0]]),
                'subintents': real[m],
                'shuffled, least': int(shuffled[:, m].min()),
                'most': int(shuffled[:, m].max()),
                'p': meta.chance_pvalue(real[m], shuffled[:, m]),
            }
            for m, label in enumerate(LAYERED)
        ]
        if data.n_shuffles
        else []
    )


def quiet(build: Any) -> Any:
    """Call a function without the warning about undivided hierarchies, which low cutoffs give on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        return build()


def by_cutoff(data: Data) -> pd.DataFrame:
    """HD#-nDCG@20 with different δ (the paper's Figure 8)."""

    variants: dict[str, dict[str, Any]] = {
        f'WI {name}': kind for name, kind in data.kinds().items()
    }
    variants |= {
        'WD': {'weighting': 'WD'},
        'by documents': {'weighting': 'documents'},
        'raw': {'raw': True},
        'TL': {'level': 'topic'},
    }
    if data.parents is not None:
        variants['SUP+WI'] = {}
    rows = []
    for cutoff in CUTOFFS:
        row: dict[str, object] = {'δ': cutoff}
        for name, settings in variants.items():
            flat = with_superintents(data.qrels, data.parents) if name == 'SUP+WI' else data.qrels
            built = quiet(lambda: build_hierarchy(flat, data.docs, cutoff=cutoff, **settings))  # noqa: B023
            if name.startswith('WI'):
                nodes = describe_hierarchy(built)
                lowest = nodes['layer'] == nodes.groupby('query_id')['layer'].transform('max')
                row[f'leaves {name[3:]}'] = float(lowest.sum() / nodes['query_id'].nunique())
            scores = quiet(lambda: evaluate(data.pool, built, ['HDsharp_nDCG@20']))  # noqa: B023
            row[name] = int(power(scores, data.n_resamples, data.rng)['significant'].iloc[0])
        rows.append(row)
    frame = pd.DataFrame(rows)
    return frame[['δ', *(c for c in frame if c.startswith('leaves')), *variants]]


def renamed(scores: Scores, suffix: str) -> Scores:
    """Scores whose measures have a suffix."""
    return Scores(
        scores.values,
        scores.systems,
        scores.queries,
        tuple(f'{m} {suffix}' for m in scores.measures),
    )


def built_of(data: Data) -> dict[str, pd.DataFrame]:
    """The hierarchies of Table 4 by their names: SimHash with δ = .3 unless a name says something else."""
    settings: dict[str, dict[str, Any]] = {
        'WI': {},
        'WD': {'weighting': 'WD'},
        'docs': {'weighting': 'documents'},
        'WI TF-IDF': {'similarity': 'tfidf'},
        'raw': {'raw': True},
    }
    built = {
        name: build_hierarchy(data.qrels, data.docs, **arguments)
        for name, arguments in settings.items()
    }
    if data.vectors is not None:
        built['WI vectors'] = build_hierarchy(
            data.qrels, data.docs, similarity=data.vectors, quantile=0.5
        )
    built['TL'] = build_hierarchy(topic_level(data.qrels), data.docs, level='topic')
    if data.parents is not None:
        above = with_superintents(data.qrels, data.parents)
        built |= {
            'SUP': above,
            'SUP+WI': build_hierarchy(above, data.docs),
            'SUP+WD': build_hierarchy(above, data.docs, weighting='WD'),
        }
    return built


def compared(data: Data) -> Scores:
    """Every measure of the paper's Tables 3 and 4."""
    parts = [evaluate(data.pool, data.qrels, [*FLAT.values(), 'nDCG@20', 'P@20'])]
    parts += [
        renamed(evaluate(data.pool, built, list(LAYERED.values())), name)
        for name, built in built_of(data).items()
    ]
    for name, settings in data.kinds().items():
        alike = with_similarity(data.qrels, data.docs, **({'similarity': 'simhash'} | settings))
        for pairs in ('ranks', 'relevant'):
            names = [
                f"{m}(scheme='{s}',pairs='{pairs}')@20"
                for m in ('DS_nDCG', 'DocSim')
                for s in SCHEMES
            ]
            scores = evaluate(data.pool, alike, names)
            labels = tuple(f'{m} {s} {name} {pairs}' for m in ('DS', 'S') for s in SCHEMES)
            parts.append(Scores(scores.values, scores.systems, scores.queries, labels))
    return join(*parts)


def table_4(counts: pd.DataFrame) -> pd.DataFrame:
    """Flat and hierarchical measures by hierarchy, from what :func:`power` returns for all of them."""

    names = [
        name
        for name in ('WI', 'WD', 'docs', 'SUP', 'SUP+WI', 'SUP+WD', 'TL', 'WI TF-IDF', 'WI vectors')
        if f'I_rec_LA@20 {name}' in counts.index
    ]
    rows = []
    for label, layered in LAYERED.items():
        base = FLAT[label.split(' (')[0]]
        row = {
            'measure': label,
            'flat': int(counts.loc[base, 'significant']),
            'Δ': counts.loc[base, 'delta'],
            **{name: int(counts.loc[f'{layered} {name}', 'significant']) for name in names},
            'Δ WI': counts.loc[f'{layered} WI', 'delta'],
        }
        rows.append(row)
    return pd.DataFrame(rows)


def table_ds(
    counts: pd.DataFrame, kinds: Iterable[str], column: str = 'significant'
) -> pd.DataFrame:
    """Discriminative power of nDCG with document similarity by scheme, similarity and denominator."""

    return pd.DataFrame(
        [
            {
                'scheme': scheme,
                **{
                    f'{kind}, {pairs}': counts.loc[f'DS {scheme} {kind} {pairs}', column].item()
                    for kind in kinds
                    for pairs in ('ranks', 'relevant')
                },
            }
            for scheme in SCHEMES
        ]
    ).astype(
        {}
        if column == 'delta'
        else {f'{kind}, {pairs}': int for kind in kinds for pairs in ('ranks', 'relevant')}
    )


def tau(means: pd.DataFrame, one: str, other: str) -> float:
    """Symmetric τ_AP of the systems' means by two measures."""
    return float(meta.tau_ap(means[one], means[other], symmetric=True))


def table_3(means: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Symmetric τ_AP of the systems' mean scores."""

    return pd.DataFrame(
        [
            {
                '': one,
                **{other: tau(means, a, b) if one != other else 1.0 for other, b in names.items()},
            }
            for one, a in names.items()
        ]
    )


Results = dict[str, Any]
"""What :func:`measured` returns."""

Evidence = tuple[bool | str, str]
"""Whether a claim holds, as a truth value or as a word, and the numbers that show it."""


def more_pairs(results: Results, pairs: list[tuple[str, str]]) -> tuple[str, int]:
    """Whether the first of each pair of measures separates more systems, and for how many it is as many or more."""
    estimates = [
        results['power'].difference(
            one, other, n_resamples=results['resamples'], rng=results['data'].rng
        )
        for one, other in pairs
    ]
    outcomes = set(meta.verdicts(estimates))
    # one that is clearly below speaks against a claim about all of them
    return 'fails' if 'fails' in outcomes else 'holds' if outcomes == {
        'holds'
    } else 'undecided', sum(estimate.value >= 0 for estimate in estimates)


def flat_form(label: str) -> str:
    """The flat measure of a layered one's label."""
    return FLAT[label.split(' (')[0]]


def hierarchy_against(results: Results, ones: Iterable[str], base: str) -> Evidence:
    """Whether measures on hierarchies separate more pairs than the flat measures (``'flat'``) or on another one."""
    pairs = [
        (f'{layered} {one}', flat_form(label) if base == 'flat' else f'{layered} {base}')
        for label, layered in LAYERED.items()
        for one in ones
    ]
    verdict, wins = more_pairs(results, pairs)
    return verdict, f'{wins} of {len(pairs)} measures'


def power_peaks(results: Results) -> Evidence:
    """Whether most pairs are separated with a cutoff δ of .2 to .5, and clearly fewer with 1."""
    curve = results['cutoffs']['WI SimHash']
    best = curve.idxmax()
    some = ' '.join(str(curve[delta]) for delta in (0.0, 0.3, 0.5, 0.7, 1.0))
    return bool(
        0.2 <= best <= 0.5 and curve.loc[1.0] < curve.max() - 3
    ), f'{some}, most at {best:g}'


def topic_level_fewer(results: Results) -> Evidence:
    """Whether hierarchies without intents separate fewer pairs than the flat measures."""
    counts = results['counts']['significant'].astype(int)
    pairs = [
        (flat_form(label), f'{LAYERED[label]} TL')
        for label in ('α-nDCG', 'ERR-IA', 'Q-IA', 'D#-nDCG (LA)')
    ]
    return more_pairs(results, pairs)[0], ', '.join(
        f'{counts[without]} ({counts[flat]})' for flat, without in pairs
    )


def similarity_as_many(results: Results, kind: str, pairs: str) -> Evidence:
    """Whether nDCG with document similarity separates as many pairs as nDCG."""
    counts = results['counts']['significant'].astype(int)
    names = [f'DS {scheme} {kind} {pairs}' for scheme in SCHEMES]
    return more_pairs(results, [(name, 'nDCG@20') for name in names])[
        0
    ], f'{" ".join(str(counts[name]) for name in names)} ({counts["nDCG@20"]})'


def similarity_as_hierarchies(results: Results) -> Evidence:
    """Whether nDCG with document similarity separates as many pairs as HD#-nDCG, within ten."""
    counts = results['counts']['significant'].astype(int)
    one, others = (
        counts['HDsharp_nDCG@20 WI'],
        [counts[f'DS {s} SimHash relevant'] for s in SCHEMES],
    )
    return max(
        abs(one - value) for value in others
    ) <= 10, f'{" ".join(map(str, others))} (HD# {one})'


def flat_at_0(results: Results) -> Evidence:
    """Whether all variants with the cutoff δ = 0 separate the pairs that the flat measure separates."""
    row, flat = (
        results['cutoffs'].loc[0.0],
        int(results['counts'].loc['Dsharp_nDCG@20', 'significant']),
    )
    kinds = [
        name
        for name in row.index
        if name.startswith('WI ') or name in ('WD', 'by documents', 'raw')
    ]
    return all(row[name] == flat for name in kinds), f'{flat} in all {len(kinds)} variants'


def compressed_beats_raw(results: Results) -> Evidence:
    """Whether compressed hierarchies with weights by height separate more pairs than raw ones."""
    table = results['cutoffs'].loc[0.1:]
    return more_pairs(results, [('HDsharp_nDCG@20 WI', 'HDsharp_nDCG@20 raw')])[
        0
    ], f'at {int((table["WI SimHash"] >= table["raw"]).sum())} of {len(table)} δ; verdict at .3'


def weightings_alike(results: Results) -> Evidence:
    """Whether both weightings of a hierarchy rank systems alike."""
    low = min(tau(results['means'], f'{m} WI', f'{m} WD') for m in LAYERED.values())
    return low > 0.9, f'lowest {low:.3f}'


def alpha_ndcg_near_err_ia(results: Results) -> Evidence:
    """Whether α-nDCG ranks systems more like ERR-IA than like HD#-nDCG."""
    means = results['means']
    flat, other = (
        tau(means, 'alpha_nDCG@20', 'ERR_IA@20'),
        tau(means, 'alpha_nDCG@20', 'HDsharp_nDCG@20 WI'),
    )
    return flat > other, f'{flat:.3f}, {other:.3f}'


def schemes_near(results: Results, pairs: str) -> Evidence:
    """Whether nDCG with the schemes RA and NP rank systems more like each other than like nDCG."""
    means = results['means']
    own = tau(means, f'DS RA SimHash {pairs}', f'DS NP SimHash {pairs}')
    other = [tau(means, 'nDCG@20', f'DS {scheme} SimHash {pairs}') for scheme in ('RA', 'NP')]
    return own > max(other), f'{own:.3f}; {other[0]:.3f}, {other[1]:.3f}'


class Claim(NamedTuple):
    """A claim of the paper.

    Attributes:
        text: the claim.
        paper: the paper's numbers, or where they stand.
        depends_on: what the outcome depends on.
        evidence: the function that checks it.
        needs: the data that it needs, a key of :data:`FIELDS`; empty if it needs no further data.
    """

    text: str
    paper: str
    depends_on: str
    evidence: Callable[[Results], Evidence]
    needs: str = ''


CLAIMS = (
    Claim('δ = 0 is the flat measure', 'by construction', '≥ in the pruning', flat_at_0),
    Claim(
        'Subintents (WI, WD) separate at least as many pairs as flat intents',
        '557 → 574, 573 of 950',
        'room: on the sample nearly all pairs differ',
        partial(hierarchy_against, ones=('WI', 'WD'), base='flat'),
    ),
    Claim(
        'The same by TF-IDF',
        'Fig. 8',
        'room',
        partial(hierarchy_against, ones=('WI TF-IDF',), base='flat'),
    ),
    Claim(
        'Subintents separate at least as many as superintents',
        '573, 560',
        'hand-made superintents of few intents',
        partial(hierarchy_against, ones=('WI', 'WD'), base='SUP'),
        'superintents',
    ),
    Claim(
        'Both together separate most',
        '574, 575',
        'as above',
        partial(hierarchy_against, ones=('SUP+WI',), base='WI'),
        'superintents',
    ),
    Claim(
        'Compression and weights by height beat raw hierarchies',
        'Fig. 8',
        'δ',
        compressed_beats_raw,
    ),
    Claim(
        'Power peaks at δ = .3 and falls after .5 (pairs at δ = 0 .3 .5 .7 1)',
        'Fig. 8, to δ = .7',
        'what the systems differ in: with δ = 1 N-rec counts relevant documents',
        power_peaks,
    ),
    Claim(
        'Without intents (TL) fewer pairs than flat ones',
        '547 < 573, 541 < 557',
        'as above: TL sees relevance; α-nDCG, ERR-IA, Q-IA, D# by their LA forms',
        topic_level_fewer,
    ),
    *(
        Claim(
            f'nDCG with similarity (RA RP NA NP) separates as many pairs as nDCG: {kind}, {pairs}',
            '520 551 515 555 (515)',
            'similarity, denominator, scale, room',
            partial(similarity_as_many, kind=kind, pairs=pairs),
            'vectors' if kind == 'vectors' else '',
        )
        for kind in ('SimHash', 'SimHash 1 − H/64', 'TF-IDF', 'vectors')
        for pairs in ('ranks', 'relevant')
    ),
    Claim(
        'nDCG with similarity about as many as HD#',
        '520 551 515 555 (574)',
        'denominator, scale',
        similarity_as_hierarchies,
    ),
    Claim(
        'WI and WD rank systems alike (symmetric τ_AP)',
        'over .900',
        'grades (binary on AMBIENT), few documents an intent',
        weightings_alike,
    ),
    Claim(
        'α-nDCG is nearer to ERR-IA than to HD#-nDCG',
        '.870, .726',
        'the systems',
        alpha_ndcg_near_err_ia,
    ),
    *(
        Claim(
            f'nDCG RA and NP are nearer to each other than to nDCG, pairs={pairs!r}',
            '.891; .705, .660',
            'the systems',
            partial(schemes_near, pairs=pairs),
        )
        for pairs in ('ranks', 'relevant')
    ),
)


def claims(collections: dict[str, Results]) -> pd.DataFrame:
    """Each of the paper's claims, whether it holds on each collection, and what it depends on.

    Args:
        collections: what :func:`measured` returns, by the collection's name, which is that of its column.
    """

    return pd.DataFrame(
        [
            {
                'claim': claim.text,
                'paper': claim.paper,
                **{name: _outcome(claim, results) for name, results in collections.items()},
                'depends on': claim.depends_on,
            }
            for claim in CLAIMS
        ]
    )


def _outcome(claim: Claim, results: Results) -> str:
    """The verdict and the evidence on a collection, or which data it lacks."""
    if claim.needs and getattr(results['data'], FIELDS[claim.needs]) is None:
        return f'no {claim.needs}'
    verdict, evidence = claim.evidence(results)
    return f'{verdict if isinstance(verdict, str) else VERDICTS[bool(verdict)]}: {evidence}'


def measured(data: Data) -> dict[str, Any]:
    """Compute the numbers for the tables of a collection.

    Returns:
        ``data``; ``counts``, discriminative power by measure; ``means``, systems × measures; ``alike``, the
        similarities of documents; ``cutoffs``, a row for each δ; ``power``, that by the t test, from which claims are
        judged with ``resamples`` of the queries; ``shuffled``, what exchanged texts do.
    """
    scores = compared(data)
    counts = power(scores, data.n_resamples, data.rng)
    return {
        'data': data,
        'counts': counts,
        'means': scores.means(),
        'alike': similarities(data),
        'cutoffs': by_cutoff(data).set_index('δ', drop=False),
        'power': meta.discriminative_power(scores, correction=None),
        'resamples': min(data.n_resamples, RESAMPLES),
        'shuffled': by_chance(data),
    }


def by_precision(results: dict[str, Any]) -> pd.DataFrame:
    """Show how closely S@20 follows the number of relevant documents: Kendall's τ with P@20 over the systems."""

    means, kinds = results['means'], list(results['data'].kinds())
    return pd.DataFrame(
        [
            {
                'scheme': scheme,
                **{
                    f'{kind}, {pairs}': meta.kendall(
                        means[f'S {scheme} {kind} {pairs}'], means['P@20']
                    )
                    for kind in kinds[:3]
                    for pairs in ('ranks', 'relevant')
                },
            }
            for scheme in SCHEMES
        ]
    )


def correlations(means: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 3, with further measures."""
    named = {
        'α-nDCG': 'alpha_nDCG@20',
        'ERR-IA': 'ERR_IA@20',
        'D#-nDCG': 'Dsharp_nDCG@20',
        'nDCG': 'nDCG@20',
        'HD#-nDCG WI': 'HDsharp_nDCG@20 WI',
        'LAD#-nDCG WI': 'LADsharp_nDCG@20 WI',
        'HD#-nDCG TF-IDF': 'HDsharp_nDCG@20 WI TF-IDF',
        'HD#-nDCG vectors': 'HDsharp_nDCG@20 WI vectors',
        'nDCG RA, ranks': 'DS RA SimHash ranks',
        'nDCG RA, relevant': 'DS RA SimHash relevant',
        'nDCG NP': 'DS NP SimHash ranks',
    }
    return table_3(means, {label: name for label, name in named.items() if name in means.columns})


__all__ = ['hierarchies']
