"""The experiments of Türkmen, Lease & Kutlu (ECIR 2023) on any runs, with additional experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import meta
from ..core.registry import measures
from ..evaluation.scores import Scores
from ..judgments.qrels import topic_level
from ..lazy import pd
from ..pools import analysis as report
from ..pools import campaign
from ..pools.judged import JudgedPool
from ..pools.pool import Pool
from .rare_common import simulate_rare_common
from .study import Study, noted

if TYPE_CHECKING:
    from ..io.groups import Groups
    from ..typing import QrelsLike, RunsLike

NAMES = ('P', 'AP')
ALPHAS = (0, 0.5, 1)
PAPER_FIRST = {0: 44, 0.5: 33, 1: 28}
"""The paper, §3: relevant documents that S_rare needs for rank 1, on topic 1127540 of DLT20."""

MEASURES = (
    'P_Rareness(alpha=0)',
    'P_Rareness(alpha=0.5)',
    'P_Rareness(alpha=1)',
    'AP_Rareness(alpha=0)',
    'AP_Rareness(alpha=0.5)',
    'AP_Rareness(alpha=1)',
)
"""The measures of the paper's Tables 1 and 2, without the cutoff."""

SETTINGS = [
    (name, alpha, norm)
    for name in NAMES
    for norm in (False, True)
    for alpha in ALPHAS
    if alpha or not norm
]
COLLECTIONS = ('TREC-5', 'TREC-8', 'WT14', 'DLT20')
PAIRS = (1830, 8256, 406, 2016)
TABLE_1 = [
    ((598, 406), (3666, 2973), (218, 174), (61, 15)),
    ((680, 457), (3778, 3050), (213, 168), (173, 24)),
    ((728, 476), (3825, 3079), (213, 168), (237, 82)),
    ((541, 334), (3731, 2976), (211, 169), (320, 169)),
    ((632, 404), (3915, 3209), (216, 168), (352, 209)),
    ((701, 467), (4048, 3363), (214, 170), (376, 238)),
]
"""The paper's Table 1: significantly different pairs at 95 % and at 99 %, by measure and collection."""

TABLE_2 = [
    (0.532, 0.545, 0.635, 0.071),
    (0.642, 0.628, 0.716, 0.128),
    (0.709, 0.684, 0.768, 0.179),
    (0.513, 0.580, 0.433, 0.425),
    (0.578, 0.623, 0.517, 0.444),
    (0.633, 0.656, 0.585, 0.466),
]
"""The paper's Table 2: stability, by measure and collection."""

TABLE_3 = {
    'P@100_Rareness': (0.970, 0.976, 0.983, 0.987, 0.992, 0.995),
    'AP_Rareness': (0.970, 0.984, 0.985, 0.989, 0.993, 0.996),
}
"""The paper's Table 3: TREC-8, 129 systems, N = 2, 4, …, 64."""

N_SYSTEMS = (2, 4, 8, 16, 32, 64)
TESTS = {
    'pairwise HSD (theirs)': ('tukey_pairwise', None),
    'HSD, all systems': ('tukey', None),
    'HSD, one-way': ('tukey_oneway', None),
    'randomised HSD': ('tukey_randomised', None),
    'paired bootstrap': ('bootstrap', None),
    'paired t, Holm': ('t', 'holm'),
    'Wilcoxon, Holm': ('wilcoxon', 'holm'),
}
CHOICES = {
    'P': 'P_Rareness(alpha=0)',
    'P_Rareness, α = 0.5': 'P_Rareness(alpha=0.5)',
    'P_Rareness, α = 1': 'P_Rareness(alpha=1)',
    'P_Rareness, α = 1, norm': 'P_Rareness(alpha=1,norm=True)',
    'Rareness': 'Rareness',
    'NumUnique': 'NumUnique',
}
SIZES = (1, 2, 4, 8, 16, 32)


def innovation(
    runs: RunsLike,
    qrels: QrelsLike,
    *,
    name: str = 'These runs',
    depth: int = 100,
    groups: Groups | None = None,
    high: float = 2,
    n_resamples: int | None = None,
    rng: int = 0,
) -> Study:
    """Repeat the experiments of Türkmen, Lease & Kutlu (ECIR 2023) on the runs of a campaign.

    How rare the relevant documents are, S_rare against S_common (Figure 1), system rankings over α (Figure 2),
    discriminative power, stability and the number of systems (Tables 1 to 3), beside the paper's numbers. Then what the
    paper leaves open: tests that correct for the number of pairs, stability of the plain measures on the same scale,
    other ways to count and to weigh, graded forms, and whether choosing systems by rareness enlarges what they find
    together. Where the groups are known, how far the judgments depend on each.

    Args:
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes; they are the pool.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes; of a document's grades for several
            subtopics the largest counts.
        name: what the tables call the collection.
        depth: of the pool, and the cutoff of the measures (the paper's 100).
        groups: ``{system: group}``, or a function from a system's name to its group. The experiments count systems, as
            the paper does.
        high: the grade from which a document is highly relevant.
        n_resamples: trials and replicates; by default 1000, and 5000 for the randomised HSD.
        rng: seed.

    Returns:
        A :class:`Study` with the tables ``rarity``, ``simulation``, ``rankings``, ``power``, ``power 99``, ``power,
        paper``, ``stability``, ``systems``, ``forms``, ``choices``, ``graded``, ``movers``, ``unions``, and with
        ``groups`` also ``groups``, ``bias``, ``losers`` and ``reusability``.

    Raises:
        TypeError, ValueError: no runs or judgments; fewer than three systems or four queries; a depth below 1.

    Reference: Türkmen, Lease, Kutlu, *New Metrics to Encourage Innovation and Diversity in IR Approaches*, ECIR 2023,
    §3 to §5.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> qrels = {f'q{q}': {f'd{d}': int(rng.integers(0, 3)) for d in range(20)} for q in range(5)}
        >>> runs = {f's{s}': {q: {d: grade + (s + 2) * rng.random() for d, grade in grades.items()}
        ...                   for q, grades in qrels.items()} for s in range(3)}
        >>> study = innovation(runs, qrels, depth=10, n_resamples=20)
        >>> study['rarity'].columns[:3].tolist()
        ['systems that retrieve it', 'judged documents', 'relevant, %']
    """
    systems_pool, table = Pool.from_runs(runs, depth=depth), topic_level(qrels)
    pool = systems_pool.over(table)
    n_systems, n_queries = len(pool.systems), len(pool.collection.query_ids)
    if n_systems < 3 or n_queries < 4:
        raise ValueError(f'{n_systems} systems and {n_queries} queries: expected at least 3 and 4')
    teams = None if groups is None else systems_pool.regroup(groups).over(table)
    with noted() as notes:
        tables, facts = _tables(
            systems_pool,
            pool,
            teams,
            table,
            f'{name}, {n_systems} systems',
            depth,
            high,
            n_resamples,
            rng,
        )
    return Study(
        'innovation',
        tables,
        {
            'name': name,
            'n_systems': n_systems,
            'n_queries': n_queries,
            'depth': depth,
            'high': high,
            'notes': notes,
            **facts,
        },
    )


def _tables(
    systems_pool: Pool,
    pool: JudgedPool,
    teams: JudgedPool | None,
    qrels: pd.DataFrame,
    name: str,
    depth: int,
    high: float,
    n_resamples: int | None,
    rng: int,
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables in the order in which they are printed, and the numbers between them.

    Args:
        systems_pool, qrels: the systems, and topic-level judgments; ``pool`` is one laid over the other.
        teams: the same with systems counted by group; None where groups are not known.
        name: of the collection, for a table's rows.
        depth, high, n_resamples, rng: as for :func:`innovation`.
    """
    n_systems = len(pool.systems)
    scores = pool.scores([f'{measure}@{depth}' for measure in MEASURES])
    simulation, figure = figure_1(pool, simulations(pool, depth))
    at_95, at_99, paper_table = table_1(scores, n_resamples, rng, depth)
    systems, width = table_3(pool, depth, name, n_resamples, rng)
    tables = {
        'rarity': by_rarity(pool, high),
        'simulation': simulation,
        'rankings': report.ranking_change(
            report.rankings(pool, [f'{one}_Rareness@{depth}' for one in NAMES])
        ),
        'power': at_95,
        'power 99': at_99,
        'power, paper': paper_table,
        'stability': table_2(scores, depth, n_resamples, rng),
        'systems': systems,
        'forms': forms(pool, depth, n_resamples, rng),
        'choices': pool_choices(pool, teams, depth),
        'graded': curves(
            pool,
            [
                f'{one}@{depth}'
                for one in ('P_Rareness', 'AP_Rareness', 'nDCG_Rareness', 'RBP_Rareness')
            ],
        ),
        'movers': movers(pool, teams, depth),
        'unions': unions(
            systems_pool,
            qrels,
            depth,
            [size for size in SIZES if size <= n_systems],
            min(200, n_resamples or 200),
            rng,
        ),
    }
    if teams is not None:
        tables['groups'] = campaign.unique_by_group(teams)
        tables['bias'], tables['losers'] = bias_tables(teams, depth)
        tables['reusability'] = campaign.reusability(
            teams, measures([f'P_Rareness(alpha=0)@{depth}', f'P_Rareness@{depth}']), rng=rng
        )
    return tables, {
        'n_pairs': n_systems * (n_systems - 1) // 2,
        'grades': rarity_by_grade(pool, high),
        'figure': figure,
        'width': width,
    }


def _resamples(n_resamples: int | None) -> dict[str, Any]:
    return {} if n_resamples is None else {'n_resamples': n_resamples}


def _trials(n: int | None, n_resamples: int = 100) -> dict[str, Any]:
    """The number of trials of stability, None for the default, and of resamples of the topics for its intervals."""
    return {
        'n_resamples': n_resamples if n is None else min(n, n_resamples),
        **({} if n is None else {'n_trials': n}),
    }


def setting(name: str, alpha: float | str, norm: bool = False, cutoff: int = 100) -> str:
    """The measure of a setting, by its name in the package."""
    return str(measures(f"{name}_Rareness(alpha={alpha!r},norm={norm})@{cutoff}")[0])


def label(name: str, alpha: float, norm: bool, cutoff: int) -> str:
    """Return the label of a setting in tables."""
    if alpha == 0:
        return f'{name}@{cutoff}'
    return f'{name}_Rareness@{cutoff}, α = {alpha}' + (', norm' if norm else '')


def simulations(pool: JudgedPool, cutoff: int = 100) -> dict[str, pd.DataFrame]:
    """``simulate_rare_common`` on every topic with relevant documents."""
    return {
        query: simulate_rare_common(pool, query, f'P_Rareness@{cutoff}', alphas=ALPHAS)
        for query in report.rareness_by_query(pool)['query_id']
    }


def first_ranks(simulations: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the smallest D with rank 1 by topic (rows) and (system, α); NaN where there is none."""

    columns = pd.MultiIndex.from_product(
        [('rare', 'common'), map(float, ALPHAS)], names=['system', 'alpha']
    )
    return pd.DataFrame(
        {
            query: table[table['rank'] == 1].groupby(['system', 'alpha'])['n_relevant'].min()
            for query, table in simulations.items()
        }
    ).T.reindex(columns=columns)


def shown_topic(pool: JudgedPool, first: pd.DataFrame) -> str | None:
    """Of the topics in which both systems get to rank 1, that with the median number of relevant documents."""
    enough = first.dropna().index
    order = (
        report.rareness_by_query(pool)
        .set_index('query_id')
        .loc[enough, 'relevant']
        .sort_values(kind='stable')
    )
    return str(order.index[len(order) // 2]) if len(order) else None


def figure_1(
    pool: JudgedPool, simulations: Mapping[str, pd.DataFrame]
) -> tuple[pd.DataFrame, dict[str, float]]:
    """How many relevant documents bring the simulated systems to rank 1.

    With it the number of topics, that of topics in which both systems get there, and in per cent how many documents
    less S_rare needs with α = 1 than with α = 0: in the paper on its topic, and here on average (if there is a topic).
    """

    first = first_ranks(simulations)
    enough, topic_shown = first.dropna(), shown_topic(pool, first)
    rows = []
    for system in ('rare', 'common'):
        for alpha in ALPHAS:
            paper = str(PAPER_FIRST[alpha]) if system == 'rare' or alpha == 0 else ''
            values_on_topic = (
                ()
                if topic_shown is None
                else (int(first.loc[topic_shown, (system, alpha)]), enough[system, alpha].mean())
            )
            rows.append((f'S_{system}', f'{alpha:g}', paper, *values_on_topic))
    columns = ['system', 'α', 'paper: topic 1127540']
    if topic_shown is not None:
        columns += [f'topic {topic_shown}', f'mean over {len(enough)} topics']
    facts = {'n_topics': len(first), 'n_enough': len(enough), 'paper_saved': 100 * (1 - 28 / 44)}
    if topic_shown is not None:
        facts['saved'] = 100 * ((enough['rare', 0] - enough['rare', 1]) / enough['rare', 0]).mean()
    return pd.DataFrame(rows, columns=columns), facts


def named(cutoff: int = 100) -> pd.DataFrame:
    """The rows of the paper's Tables 1 and 2."""

    return pd.DataFrame(
        {
            'measure': [f'P@{cutoff}', *[f'P@{cutoff}_Rareness'] * 2, 'AP', *['AP_Rareness'] * 2],
            'α': [*map(float, ALPHAS)] * 2,
        }
    )


def table_1(
    scores: Scores,
    n_resamples: int | None = None,
    rng: int = 0,
    cutoff: int = 100,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Ours at 95 % and at 99 %, and the paper's as shares of pairs."""
    paper_table = named()
    for c, collection in enumerate(COLLECTIONS):
        for level, name in enumerate(('95 %', '99 %')):
            paper_table[f'{collection}, {name}'] = [row[c][level] / PAIRS[c] for row in TABLE_1]
    tests = {}
    for name, (method, correction) in TESTS.items():
        options = _resamples(n_resamples) if method in ('bootstrap', 'tukey_randomised') else {}
        tests[name] = meta.discriminative_power(
            scores, method, correction=correction, rng=rng, **options
        )
    at_95, at_99 = (
        named(cutoff).assign(**{name: power.count(alpha) for name, power in tests.items()})
        for alpha in (0.05, 0.01)
    )
    return at_95, at_99, paper_table


def table_2(
    scores: Scores, cutoff: int = 100, n_resamples: int | None = None, rng: int = 0
) -> pd.DataFrame:
    """Stability, and of the plain measures times a constant: their mean is then that of the measure with α = 1."""

    means = scores.values.mean(axis=(0, 1))
    constants = {
        f'P@{cutoff}': (0, _ratio(means[2], means[0])),
        'AP': (3, _ratio(means[5], means[3])),
    }
    stretched = [scores.values[:, :, m] * constant for m, constant in constants.values()]
    values = np.concatenate([scores.values, np.stack(stretched, axis=2)], axis=2)
    scores = Scores(
        values,
        scores.systems,
        scores.queries,
        (
            *scores.measures,
            *(f'{name} × {constant:.2f}' for name, (_, constant) in constants.items()),
        ),
    )
    frame = pd.concat(
        [named(cutoff), pd.DataFrame({'measure': list(scores.measures[6:]), 'α': 0.0})],
        ignore_index=True,
    )
    for name, fuzziness in (('fuzziness 0.05', 0.05), ('fuzziness 0', 0.0)):
        stability = meta.stability(scores, fuzziness=fuzziness, rng=rng, **_trials(n_resamples))
        frame[f'ours, {name}'] = stability.values
        frame[f'low ({name})'], frame[f'high ({name})'] = stability.interval.T
    relative = meta.stability(
        scores, fuzziness=0.05, relative=True, rng=rng, **_trials(n_resamples, 0)
    )
    frame['ours, 5 % of the larger mean'] = relative.values
    for c, collection in enumerate(COLLECTIONS):
        frame[f'paper, {collection}'] = [*(row[c] for row in TABLE_2), np.nan, np.nan]
    return frame


def _ratio(one: float, other: float) -> float:
    return one / other if other else 1.0


def table_3(
    pool: JudgedPool,
    cutoff: int = 100,
    name: str = 'TREC-COVID, 126 systems',
    n_resamples: int | None = None,
    rng: int = 0,
) -> tuple[pd.DataFrame, float]:
    """τ by the number of systems, and the paper's; the largest error of the trials."""

    names = [f'P_Rareness@{cutoff}', f'AP_Rareness@{cutoff}']
    sizes = [size for size in N_SYSTEMS if size < len(pool.systems)]
    counts = meta.system_count(
        lambda members: pool.scores(names, members).values.mean(axis=1),
        len(pool.systems),
        sizes,
        measures=[f'P@{cutoff}_Rareness', 'AP_Rareness'],
        rng=rng,
        n_trials=n_resamples or 1000,
    )
    rows = []
    for m, (measure, paper) in enumerate(zip(counts.measures, TABLE_3)):
        rows.append(
            {
                'measure': measure,
                'data': f'{name} (ours)',
                **{f'N={n}': float(counts.values[i, m]) for i, n in enumerate(counts.sizes)},
            }
        )
        rows.append(
            {
                'measure': paper,
                'data': 'TREC-8, 129 systems (paper)',
                **{f'N={n}': TABLE_3[paper][i] for i, n in enumerate(counts.sizes)},
            }
        )
    return pd.DataFrame(rows), float(
        (counts.monte_carlo[..., 1] - counts.monte_carlo[..., 0]).max() / 2
    )


def forms(
    pool: JudgedPool, cutoff: int = 100, n_resamples: int | None = None, rng: int = 0
) -> pd.DataFrame:
    """Discriminative power and stability of Eq. 1 and of the form in [0, 1]."""

    scores = pool.scores([setting(*s, cutoff=cutoff) for s in SETTINGS])
    table = pd.DataFrame(
        {
            'measure': [label(*s, cutoff=cutoff) for s in SETTINGS],
            'pairwise HSD, 95%': meta.discriminative_power(
                scores, 'tukey_pairwise', correction=None
            ).count(0.05),
            'HSD, all systems, 95%': meta.discriminative_power(scores, 'tukey').count(0.05),
        }
    )
    means = scores.values.mean(axis=(0, 1))
    plain = np.repeat(
        scores.values[:, :, [i for i, s in enumerate(SETTINGS) if s[1] == 0]],
        len(SETTINGS) // 2,
        axis=2,
    )
    levels = plain.mean(axis=(0, 1))
    stretched = plain * np.divide(means, levels, out=np.ones_like(levels), where=levels > 0)
    for text, of, fuzziness in (
        ('stability, fuzziness 0.05', scores.values, 0.05),
        ('of the plain measure with the same mean', stretched, 0.05),
        ('stability, fuzziness 0', scores.values, 0.0),
    ):
        table[text] = meta.stability(
            of, fuzziness=fuzziness, rng=rng, **_trials(n_resamples, 0)
        ).values
    return table


def pool_choices(pool: JudgedPool, teams: JudgedPool | None, cutoff: int = 100) -> pd.DataFrame:
    """τ between the ranking as the paper has it and other ways to count and to weigh."""

    def means(params: str, of: JudgedPool = pool, geometric: bool = False) -> NDArray[np.float64]:
        scores = of.scores(
            measures([f'P_Rareness({params})@{cutoff}', f'AP_Rareness({params})@{cutoff}'])
        )
        return scores.means(geometric).to_numpy()

    reference = means('alpha=1')
    n_relevant = int(report.rareness_by_query(pool)['relevant'].median())
    ways = (
        {}
        if teams is None
        else {
            f'{len(set(teams.groups))} teams instead of {len(pool.systems)} runs': means(
                'alpha=1', teams
            )
        }
    )
    ways |= {
        "rarity R' instead of R": means('alpha=1,rarity="R\'"'),
        'rarity log(S/S_d)/log(S)': means('alpha=1,rarity="idf"'),
        f'α μ/(μ + N_R) by topic, μ = {n_relevant} (the median of N_R)': means(
            f'alpha=1,mu={n_relevant}'
        ),
        "α = 'auto' (1/N_R) by topic": means("alpha='auto'"),
        'geometric mean over topics': means('alpha=1', geometric=True),
        "norm=True (R')": means('alpha=1,norm=True'),
        'norm=True with R': means('alpha=1,norm=True,rarity="R"'),
        'norm=True with log(S/S_d)/log(S)': means('alpha=1,norm=True,rarity="idf"'),
    }
    rows = [
        (way, *(meta.kendall(reference[:, m], values[:, m]) for m in range(2)))
        for way, values in ways.items()
    ]
    return pd.DataFrame(
        rows, columns=['way', f'τ, P_Rareness@{cutoff}', f'τ, AP_Rareness@{cutoff}']
    )


def curves(pool: JudgedPool, names: Sequence[str]) -> pd.DataFrame:
    """τ and τ_AP of measures with their own ranking for α = 0."""
    change = report.ranking_change(report.rankings(pool, names, ALPHAS))
    table = (
        change[change['alpha'] > 0]
        .pivot(index='measure', columns='alpha', values=['tau', 'tau_ap'])
        .loc[[str(m) for m in measures(names)]]
    )
    table.columns = [
        f'{"τ" if kind == "tau" else "τ_AP"}, α = {alpha:g}' for kind, alpha in table.columns
    ]
    return table.reset_index()


def movers(pool: JudgedPool, teams: JudgedPool | None, cutoff: int = 100) -> pd.DataFrame:
    """The six systems that gain and that lose most ranks from α = 0 to α = 1; all where there are at most twelve."""

    ranked = report.rankings(pool, [f'P_Rareness@{cutoff}'], [0, 1]).pivot(
        index='system', columns='alpha', values='rank'
    )
    table = report.system_finds(pool).set_index('system')
    if teams is not None:
        table = table.join(
            report.system_finds(teams).set_index('system')['unique'].rename('unique to the team')
        )
    table = table.assign(before=ranked[0.0], after=ranked[1.0], up=ranked[0.0] - ranked[1.0])
    table = table.sort_values(['up', 'unique'], ascending=False, kind='stable')
    if len(table) > 12:
        table = pd.concat([table.head(6), table.tail(6)])
    return table.reset_index()[
        [
            'system',
            'before',
            'after',
            'up',
            'relevant',
            'rare',
            'unique',
            *(['unique to the team'] if teams is not None else []),
            'mean_rareness',
        ]
    ].rename(columns={'before': 'rank, α = 0', 'after': 'rank, α = 1', 'mean_rareness': 'mean R'})


def by_rarity(pool: JudgedPool, high: float) -> pd.DataFrame:
    """How many of the judged documents are relevant, and of these how many have a high grade, by how many find them."""

    table = pool.judgments().drop_duplicates(['query_id', 'doc_id'])
    n, n_systems = table['n_retrieved'].to_numpy(), len(pool.systems)
    grade = table['relevance'].to_numpy()
    shares = [s for s in (0.05, 0.1, 0.25, 0.5, 1.0) if s * n_systems >= 2]
    bounds = [0, 1, *(int(share * n_systems) for share in shares)]
    rows, below = [], -1
    for bound in bounds:
        at = (n > below) & (n <= bound)
        name = (
            'none' if bound == 0 else str(bound) if bound == below + 1 else f'{below + 1}–{bound}'
        )
        below = bound
        if at.any():
            relevant = at & (grade >= 1)
            rows.append(
                (
                    name,
                    int(at.sum()),
                    100 * relevant.sum() / at.sum(),
                    100 * (relevant & (grade >= high)).sum() / max(relevant.sum(), 1),
                )
            )
    return pd.DataFrame(
        rows,
        columns=[
            'systems that retrieve it',
            'judged documents',
            'relevant, %',
            f'of these with grade {high:g} or more, %',
        ],
    )


def rarity_by_grade(pool: JudgedPool, high: float) -> dict[str, float]:
    """The mean R of relevant documents with ``low`` and with ``high`` grades, compared by topic; empty without both.

    Also their ``difference``, the half width of its 95 % interval (``half``), and the number of topics (``n``).
    """
    from scipy.stats import t

    table = report.relevant_documents(pool).assign(high=lambda rows: rows['relevance'] >= high)
    means = table.pivot_table(
        index='query_id', columns='high', values='rareness', aggfunc='mean'
    ).dropna()
    if means.shape[1] < 2 or len(means) < 2:
        return {}
    difference = (means[False] - means[True]).to_numpy()
    half = t.ppf(0.975, len(difference) - 1) * difference.std(ddof=1) / np.sqrt(len(difference))
    return {
        'low': means[False].mean(),
        'high': means[True].mean(),
        'difference': difference.mean(),
        'half': half,
        'n': len(means),
    }


def unions(
    pool: Pool,
    qrels: pd.DataFrame,
    cutoff: int,
    sizes: Sequence[int] = SIZES,
    draws: int = 200,
    rng: int = 0,
) -> pd.DataFrame:
    """Choose systems on half of the topics, and compute the share of all found documents that they find on the other
    half."""

    queries = np.array(pool.over(qrels).collection.query_ids)
    rows: dict[str, NDArray[np.float64]] = {}
    generator = np.random.default_rng(rng)
    for chosen_on, seen_on in ((queries[::2], queries[1::2]), (queries[1::2], queries[::2])):
        one, other = (
            pool.over(qrels[qrels['query_id'].isin(part)]) for part in (chosen_on, seen_on)
        )
        scores = (
            one.scores(measures([f'{name}@{cutoff}' for name in CHOICES.values()]))
            .means()
            .to_numpy()
        )
        names = np.array(pool.systems)
        ways = [f'P@{cutoff}', *list(CHOICES)[1:]]
        orders = {
            way: [list(names[np.argsort(-scores[:, m].round(12), kind='stable')])]
            for m, way in enumerate(ways)
        }
        orders['greedy on the first half'] = [campaign.union_curve(one)['system'].tolist()]
        orders['at random'] = [list(generator.permutation(names)) for _ in range(draws)]
        total = campaign.union_curve(other)['union'].iloc[-1]
        for way, of_way in orders.items():
            union = np.mean(
                [campaign.union_curve(other, order[: max(sizes)])['union'] for order in of_way],
                axis=0,
            )
            rows[way] = rows.get(way, 0) + 50 * union[np.array(sizes) - 1] / total
    return pd.DataFrame(
        [(way, *row) for way, row in rows.items()],
        columns=['chosen by', *(f'n = {size}' for size in sizes)],
    )


def bias_tables(teams: JudgedPool, cutoff: int = 100) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the changes without the judgments that only one team contributed, and the systems that lose most ranks."""

    shallow = min(10, cutoff)
    labels = {
        f'P_Rareness(alpha=0)@{cutoff}': f'P@{cutoff}',
        f'nDCG_Rareness(alpha=0)@{shallow}': f'nDCG@{shallow}',
    }
    bias = campaign.group_bias(teams, measures(list(labels)))
    rows = []
    for measure, name in zip(measures(list(labels)), labels.values()):
        part = bias[bias['measure'] == str(measure)]
        rows.append(
            (
                name,
                part['change'].abs().mean(),
                part['rank_change'].abs().mean(),
                float((part['rank_change'] == 0).mean()),
                int(part['rank_change'].max()),
                float(meta.kendall(part['score'], part['score_without'])),
            )
        )
    table = pd.DataFrame(
        rows,
        columns=[
            'measure',
            'mean change of score',
            'mean change of rank',
            'share unchanged',
            'most ranks lost',
            'τ of scores with and without',
        ],
    )
    worst = (
        bias[bias['measure'] == str(measures(list(labels))[1])]
        .sort_values('rank_change', ascending=False, kind='stable')
        .head(5)
    )
    return table, worst[
        ['system', 'group', 'unique', 'score', 'score_without', 'rank', 'rank_without']
    ]


__all__ = ['innovation']
