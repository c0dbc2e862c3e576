"""The subcommands that call one function, a row each."""

from __future__ import annotations

from typing import Any

from . import commands
from .build import Group, Sub, subcommand

compare = Sub(
    'compare',
    'meta.comparison:compare',
    """Compare systems with a baseline: differences, intervals, tests.

    Prints, for each measure and system, the mean, the difference to the baseline with its confidence interval, the
    effect size, the p-value and what follows from it, the numbers of queries won, tied and lost, and the number of
    those on which the two systems differ. The p-values are corrected for the number of pairs, the intervals are not.
    With --format latex, markdown or html it prints the table of a paper: the best means are marked, and superscripts
    show significant differences. A picture shows the differences by the first measure.

    \b
    ir_divmeasures compare qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' --baseline bm25
    ir_divmeasures compare qrels.txt runs/ -m web-track --pairs all --format latex
    ir_divmeasures compare --scores 'results/*.txt' --baseline bm25
    """,
    plot='plot',
    without='n_resamples tolerance',
    further='printed',
    then=commands.for_paper,
    names={'scores': 'evaluated', 'baseline': 'compared'},
)

# ----------------------------------------------------------------------------------------------------------- qrels


@subcommand('statistics')
def counts(qrels: Any, by_query: bool = False, grades: bool = False) -> Any:
    """Count queries, subtopics, and judged and relevant documents.

    Args:
        grades: Print how many judgments have each grade instead.
    """
    from ..judgments.statistics import by_query as counts_of
    from ..judgments.statistics import grade_counts, summary

    if grades:
        numbers = grade_counts(qrels)
        return {'grade': [*numbers], 'judgments': [*numbers.values()]}
    counted = counts_of(qrels)
    return {'query_id': qrels.query_ids, **counted} if by_query else summary(counted)


ADD = Group(
    'add',
    'Add a column that measures need, and write the judgments.',
    [
        Sub(
            'weights',
            'judgments.intents:with_weights',
            """Add weights of subtopics.

            \b
            ir_divmeasures qrels add weights qrels.txt weights.txt -o weighted.tsv
            """,
            without='aspects',
            further='output',
            names={'table': 'weights'},
        ),
        Sub(
            'types',
            'judgments.intents:with_subtopic_types',
            'Add types of subtopics: informational (inf) or navigational (nav).',
            further='output',
            names={'source': 'types'},
        ),
        Sub(
            'intents',
            'judgments.intents:with_intents',
            'Add all subtopics of a list, even those for which no document is judged.',
            further='output',
            names={'table': 'weights'},
        ),
        Sub(
            'fingerprints',
            'judgments.similarity:with_fingerprints',
            'Add SimHash similarities of the relevant documents, which measures of document similarity need.',
            further='output',
            names={'missing': 'missing_text'},
        ),
    ],
)
qrels = Group(
    'qrels',
    'Check, convert, count and diagnose judgments, and add what measures need.',
    [
        commands.validate,
        commands.convert,
        counts,
        ADD,
        Sub(
            'nuggets',
            'judgments.nuggets:read_nuggets',
            """Write nuggets or sub-questions, and the documents that answer them, as judgments.

            \b
            ir_divmeasures qrels nuggets bank.jsonl -o qrels.tsv
            """,
            without='ratings queries',
            further='output',
            names={'source': 'one_or_more', 'intents': 'listed'},
        ),
        commands.diagnose,
        commands.groups,
    ],
)

# ----------------------------------------------------------------------------------------------------------- pool


def means(scores: Any, by_query: bool = False) -> Any:
    """Means of scores or bounds, or those of each query."""
    return scores.table if by_query else scores.means()


def change(ranked: Any) -> Any:
    """How rankings change with α."""
    from ..pools.analysis import ranking_change

    return ranking_change(ranked)


def headed(tables: dict[str, Any]) -> list[tuple[str, Any]]:
    """Tables below their names."""
    return [(f'# {name}', table) for name, table in tables.items()]


POOL = (
    commands.save,
    Sub(
        'score',
        'pools.pool:Pool.scores',
        """Score runs by measures of innovation against a pool.

        Runs that are not in the pool are scored as newcomers.

        \b
        ir_divmeasures pool score qrels.txt runs/ -m 'NumUnique@100 P_Rareness@100'
        ir_divmeasures pool score qrels.txt pool.parquet my.run -m NumUnique@100
        """,
        without='groups missing',
        further='form places',
        then=lambda scores: scores.means(),
        names={'runs': 'newcomers'},
    ),
    Sub(
        'bounds',
        'pools.pool:Pool.bounds',
        """Print the lowest and the highest score that runs could have if their unjudged documents were judged.

        \b
        ir_divmeasures pool bounds qrels.txt runs/ -m NumUnique@100 --relevance 0.1
        """,
        without='groups n_samples',
        then=means,
        names={'runs': 'newcomers'},
    ),
    Sub(
        'judgments',
        'pools.pool:Pool.judgments',
        """Write judgments with the columns that measures of innovation read, so that `evaluate` can compute them.

        \b
        ir_divmeasures pool judgments qrels.txt runs/ -o pooled.tsv
        """,
        further='output',
    ),
    Sub(
        'tables',
        'pools.campaign:tables',
        """Print a table for each question of an organiser.

        The tables are unique finds, what each run adds, how the union grows, how far the judgments favour teams,
        near-duplicate runs, bounds over unjudged documents, and reusability.
        """,
        then=headed,
    ),
    Sub(
        'unique',
        'pools.campaign:unique_by_group',
        'Print how many relevant documents only one team found, and which teams found significantly more of them.',
        plot='pools.campaign:plot_unique_by_group',
        without='alpha n_resamples',
    ),
    Sub(
        'gain',
        'pools.campaign:union_gain',
        'Print what each run adds to the relevant documents of all other runs, and to those of other teams.',
    ),
    Sub(
        'union',
        'pools.campaign:union_curve',
        'Print how many relevant documents are known as systems are added one by one.',
        plot='pools.campaign:plot_union_curve',
    ),
    Sub(
        'bias',
        'pools.campaign:group_bias',
        "Print the scores and ranks of each team's runs with and without the judgments that only this team brought.",
        plot='pools.campaign:plot_group_bias',
    ),
    Sub(
        'newcomer-loss',
        'pools.campaign:newcomer_loss',
        'Print the change of score to expect of a team that took no part in the pooling, with its interval.',
    ),
    Sub(
        'reusability',
        'pools.campaign:reusability',
        'Print how well judgments that were pooled from some of the teams rank all systems.',
        plot='pools.campaign:plot_reusability',
        without='confidence_level',
        names={'sizes': 'team_sizes'},
    ),
    Sub(
        'finds',
        'pools.analysis:system_finds',
        'Print how many relevant, rare and unique documents each system found.',
        plot='pools.analysis:plot_system_finds',
        without='rare',
    ),
    Sub(
        'rankings',
        'pools.analysis:rankings',
        """Print how far the ranking by a measure of innovation moves away from that by the plain measure.

        It moves as the parameter alpha of the measure grows.
        """,
        plot='pools.analysis:plot_ranking_change',
        then=change,
        names={'alphas': 'ranked_alphas'},
    ),
    Sub(
        'overlap',
        'pools.campaign:run_overlap',
        'Print the share of their top documents that each two runs have in common. It needs no judgments.',
        plot='pools.campaign:plot_run_overlap',
    ),
)
pool = Group('pool', 'Measure innovation, and what systems add to a pool of systems.', POOL)

# ------------------------------------------------------------------------------------------------------- hierarchy


def best_cutoff(result: Any) -> list[Any]:
    """The table of cutoffs, and a sentence about the best one."""
    return [
        result.to_frame(),
        f'Best cutoff: {result.best:g}. Mean omega with the best cutoff of the other queries: {result.held_out:.3f}.',
    ]


@subcommand(further='', names={'docs': 'optional_docs'})
def tree(qrels: Any, query_id: str, docs: Any = None) -> str:
    """Print the hierarchy of a query as a tree."""
    from ..judgments.views import hierarchy_tree

    return hierarchy_tree(qrels, query_id, docs)


hierarchy = Group(
    'hierarchy',
    'Build hierarchies of subtopics into judgments, and look at them.',
    [
        Sub(
            'build',
            'judgments.hierarchy:build_hierarchy',
            """Cluster the relevant documents of each subtopic, and write judgments with the hierarchy.

            \b
            ir_divmeasures hierarchy build qrels.txt texts.jsonl -o layered.tsv --similarity tfidf
            """,
            without='raw aspects scale quantile',
            further='output',
            names={'missing': 'missing_text'},
        ),
        Sub(
            'agreement',
            'evaluation.subtopic_quality:subtopic_agreement',
            """Compare the subtopics of QRELS with those of TRUTH, and with random assignments.

            \b
            ir_divmeasures hierarchy agreement layered.tsv qrels.txt --layer deepest
            """,
            names={'a': 'qrels', 'b': 'truth'},
        ),
        Sub(
            'calibrate',
            'evaluation.subtopic_quality:calibrate_cutoff',
            """Find the cutoff of `hierarchy build` whose clusters agree best with the official subtopics of QRELS.

            \b
            ir_divmeasures hierarchy calibrate qrels.txt texts.jsonl
            """,
            without='scale',
            then=best_cutoff,
            names={'missing': 'missing_text'},
        ),
        Sub(
            'superintents',
            'judgments.superintents:with_superintents',
            'Add a layer of superintents above the subtopics, and write the judgments.',
            without='rel aspects',
            further='output',
        ),
        Sub(
            'describe',
            'judgments.views:describe_hierarchy',
            'Print the nodes of the hierarchies in judgments, one on each line.',
            without='n_terms missing topics',
            names={'docs': 'optional_docs'},
        ),
        tree,
    ],
)

# ------------------------------------------------------------------------------------------------------------- meta

meta = Group(
    'meta',
    """Compare measures and rank systems: discriminative power, stability, correlation, unanimity, robustness, ranks.

    Each question takes either QRELS, runs and measures, or files of scores (--scores).
    """,
    [
        Sub(
            'overview',
            'meta:overview',
            """Print how discriminative, stable, alike and unanimous measures are.

            \b
            ir_divmeasures meta overview qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20 ERR_IA@20'
            """,
            plot='plot',
            without='coefficient fuzziness',
        ),
        Sub(
            'power',
            'meta:discriminative_power',
            """Print the discriminative power of measures.

            It is the share of the pairs of systems between which a measure finds a significant difference.

            \b
            ir_divmeasures meta power qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
            ir_divmeasures meta power --scores scores.csv --test max_t --alpha 0.01
            """,
            plot='plot',
            without='n_resamples confidence_level baseline',
        ),
        Sub(
            'correlations',
            'meta:correlations',
            'Print how much alike each two measures rank the systems.',
            plot='plot',
            without='n_resamples confidence_level rng',
        ),
        Sub(
            'ranks',
            'meta:ranks',
            """Print ranks of systems with intervals, which systems may be best, and tiers.

            \b
            ir_divmeasures meta ranks qrels.txt runs/ -m alpha_nDCG@20
            """,
        ),
        Sub(
            'sources',
            'meta:sources',
            """Print means with intervals over queries and judges, or other samples, and shares of their variance.

            \b
            ir_divmeasures meta sources --scores 'judges/*.csv' --judges
            """,
            without='facets',
            names={'scores': 'ratings'},
        ),
        Sub(
            'stability',
            'meta:stability',
            'Print how often samples of the queries agree on which of two systems is better.',
            plot='plot',
            without='n_trials size relative n_resamples confidence_level',
        ),
        Sub(
            'unanimity',
            'meta:unanimity',
            'Print how far each measure agrees with what all other measures say unanimously.',
            plot='plot',
            without='against tied tolerance confidence_level',
        ),
        Sub(
            'robustness',
            'meta:topic_robustness',
            """Print how far the ranking of the systems on samples of the queries agrees with that on all queries.

            The agreement is Kendall's tau.
            """,
            plot='plot',
            without='sizes n_resamples',
        ),
    ],
)

# ------------------------------------------------------------------------------------- other programs, and measures

compat = Group(
    'compat',
    'Print what another program prints, from the same arguments.',
    [
        Sub(name, f'evaluation.rag_tools:{name}', help, further='', names={'source': 'answers'})
        for name, help in (
            (
                'nuggetizer',
                """Print the metrics of castorini's nuggetizer.

                There is a JSON line for each record, then one with their means.
                """,
            ),
            (
                'ragdoll',
                """Print the metrics of castorini's RAGDoll for the support of sentences by citations.

                There is a JSON line for each topic and run, with six metrics and the number of sentences.
                """,
            ),
            (
                'argue',
                """Print the macro averages of Auto-ARGUE.

                There is a line `run_id request_id metric value` for each run, request and metric.
                """,
            ),
        )
    ],
)


@subcommand('axioms')
def axioms(measure_names: Any, longest: int = 40, deepest: int = 4096, rng: int = 0) -> Any:
    """Test which constraints on rankings measures satisfy.

    The constraints are those of Amigó et al. (2018). Prints a report with counter-examples for one measure, and a table
    for several.

    \b
    ir_divmeasures axioms RBU
    ir_divmeasures axioms RBU alpha_nDCG ERR_IA --format csv > axioms.csv
    """
    from .. import axioms as known
    from ..core.registry import measures as parsed

    chosen = parsed(' '.join(measure_names))
    if len(chosen) == 1:
        return known.check(chosen[0], longest=longest, deepest=deepest, rng=rng)
    return known.table(chosen, longest=longest, deepest=deepest, rng=rng)


@subcommand(further='')
def measures(measure_name: str | None) -> str:
    """List the measures and presets, or describe one of them.

    \b
    ir_divmeasures measures
    ir_divmeasures measures alpha_nDCG
    ir_divmeasures measures web-track
    """
    from ..core import registry
    from ..explanation import catalogue
    from ..presets import PRESETS

    if measure_name is None:
        return f'{catalogue.listing()}\n\n`ir_divmeasures measures NAME` describes one of them.'
    if measure_name in PRESETS:
        return catalogue.describe_preset(PRESETS[measure_name])
    try:
        measure = registry.ours(registry.parse(measure_name, complete=False))
    except ValueError:
        function = catalogue.continuation_of(measure_name)
        if function is None:
            raise
        cwl = catalogue.describe(registry.registry['CWL'])
        return (
            f"{measure_name} is CWL(C='{function}'), with its total utility if out='ETU'.\n\n{cwl}"
        )
    if measure is None:
        raise ValueError(
            f'{measure_name} is a measure of ir_measures, which documents it. `ir_divmeasures measures` lists the '
            f'measures of ir_divmeasures'
        )
    return catalogue.describe(measure)
