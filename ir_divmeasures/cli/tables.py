"""The subcommands that call one function, a row each."""

from __future__ import annotations

from typing import Any

from . import commands
from .build import Group, Sub, subcommand

compare = Sub(
    'compare',
    'meta:compare',
    """Compare systems with a baseline: differences, intervals, tests.

    Prints, for each measure and system, the mean, the difference to the baseline with its confidence interval, the
    effect size, the p-value and what follows from it, and the numbers of queries won, tied and lost. The p-values are
    corrected for the number of pairs, the intervals are not. With --format latex, markdown or html it prints the table
    of a paper: the best means are marked, and superscripts show significant differences.

    \b
    ir_divmeasures compare qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' --baseline bm25
    ir_divmeasures compare qrels.txt runs/ -m web-track --pairs all --format latex
    ir_divmeasures compare --scores 'results/*.txt' --baseline bm25
    """,
    without='n_resamples',
    further='printed',
    then=commands.for_paper,
    names={'scores': 'evaluated', 'baseline': 'compared'},
)

leaderboard = Sub(
    'leaderboard',
    'cli.leaderboard:leaderboard',
    """Rank systems on a page that anyone can host, with intervals of ranks, and who may be first.

    The first measure ranks. The page is one HTML file that works offline.

    \b
    ir_divmeasures leaderboard qrels.txt runs/ -m 'RBU@20 nDCG@20' -o index.html
    ir_divmeasures leaderboard --scores 'results/*.txt' -o index.html
    """,
    without='runs measures missing jobs',
    further='printed',
    then=lambda board: board.html,
    names={'qrels': 'evaluated'},
)

# ----------------------------------------------------------------------------------------------------------- qrels

qrels = Group(
    'qrels',
    'Convert and diagnose judgments, and make judgments of nuggets.',
    [
        commands.convert,
        Sub(
            'nuggets',
            'data.nuggets:read_nuggets',
            """Write nuggets, and the documents that contain them, as judgments.

            \b
            ir_divmeasures qrels nuggets bank.jsonl -o qrels.tsv
            """,
            further='output',
            names={'source': 'one_or_more', 'intents': 'listed'},
        ),
        commands.diagnose,
    ],
)

# ----------------------------------------------------------------------------------------------------------- pool


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
        'unique',
        'pools.campaign:unique_by_group',
        'Print how many relevant documents only one team found, and which teams found significantly more of them.',
        without='alpha',
    ),
    Sub(
        'team',
        'pools.campaign:group_bias',
        "Print the scores and ranks of each team's runs with and without the judgments that only this team brought.",
    ),
)
pool = Group('pool', 'Measure innovation, and what systems add to a pool of systems.', POOL)

# ------------------------------------------------------------------------------------------------------- hierarchy

hierarchy = Group(
    'hierarchy',
    'Build hierarchies of subtopics into judgments.',
    [
        Sub(
            'build',
            'data.hierarchy:build_hierarchy',
            """Cluster the relevant documents of each subtopic, and write judgments with the hierarchy.

            \b
            ir_divmeasures hierarchy build qrels.txt texts.jsonl -o layered.tsv --similarity tfidf
            """,
            without='raw aspects scale quantile',
            further='output',
            names={'missing': 'missing_text'},
        ),
        Sub(
            'superintents',
            'data.intents:with_superintents',
            'Add a layer of superintents above the subtopics, and write the judgments.',
            without='rel aspects',
            further='output',
        ),
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
            'power',
            'meta:discriminative_power',
            """Print the discriminative power of measures.

            It is the share of the pairs of systems between which a measure finds a significant difference.

            \b
            ir_divmeasures meta power qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
            ir_divmeasures meta power --scores scores.csv --test bootstrap --alpha 0.01
            """,
            without='n_resamples',
        ),
        Sub(
            'correlations',
            'meta:correlations',
            'Print how much alike each two measures rank the systems.',
            without='n_resamples confidence_level rng',
        ),
        Sub(
            'ranks',
            'meta:ranks',
            """Print ranks of systems with intervals, which systems may be first, and tiers.

            \b
            ir_divmeasures meta ranks qrels.txt runs/ -m alpha_nDCG@20
            """,
        ),
        Sub(
            'stability',
            'meta:stability',
            'Print how often samples of the queries agree on which of two systems is better.',
            without='n_trials size relative n_resamples confidence_level',
        ),
        Sub(
            'unanimity',
            'meta:unanimity',
            'Print how far each measure agrees with what all other measures say unanimously.',
            without='against tolerance confidence_level',
        ),
        Sub(
            'robustness',
            'meta:topic_robustness',
            """Print how far the ranking of the systems on samples of the queries agrees with that on all queries.

            The agreement is Kendall's tau.
            """,
            without='sizes n_resamples confidence_level',
        ),
    ],
)

# --------------------------------------------------------------------------------------------------------- measures


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
    if len(chosen) > 1:
        return known.table(chosen, longest=longest, deepest=deepest, rng=rng).reset_index()
    cells = known.check(chosen, longest=longest, deepest=deepest, rng=rng)
    shown = [cells[['constraint', 'symbol', 'evidence']]]
    for cell in cells[cells['counterexample'] != ''].itertuples():
        shown.append(f'{cell.constraint} fails for {cell.setting}:\n{cell.counterexample}')
    return shown


@subcommand(further='')
def measures(measure_name: str | None) -> str:
    """List the measures and presets, or describe one of them.

    \b
    ir_divmeasures measures
    ir_divmeasures measures alpha_nDCG
    ir_divmeasures measures web-track
    """
    from ..core import registry
    from ..evaluation import catalogue
    from ..presets import PRESETS

    if measure_name is None:
        return f'{catalogue.listing()}\n\n`ir_divmeasures measures NAME` describes one of them.'
    if measure_name in PRESETS:
        return catalogue.describe_preset(PRESETS[measure_name])
    measure = registry.ours(registry.parse(measure_name, complete=False))
    if measure is None:
        raise ValueError(
            f'{measure_name} is a measure of ir_measures, which documents it. `ir_divmeasures measures` lists the '
            f'measures of ir_divmeasures'
        )
    return catalogue.describe(measure)
