"""Every argument and option that the commands share, by the name of the parameter that it is for.

One name has one meaning: its letters, values and text are the same wherever it occurs, and only defaults differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..results.tables import FORMS

PATH = click.Path()
"""A file, a folder or an id: shells complete names of files."""
TARGET = click.Path()
"""A file that the command writes."""


class Argument(click.Argument):
    """An argument with an explanation, which ``--help`` shows."""

    def __init__(self, declarations: list[str], explanation: str = '', **attributes: Any):
        super().__init__(declarations, **attributes)
        self.explanation = explanation


class Measures(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Names of measures or presets, separated by spaces; completion lists the names that the last word begins."""

    name = 'measures'

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ..core import registry
        from ..presets import PRESETS

        names = sorted({*registry.registry, *registry.ir_measures.measures.registry, *PRESETS})
        before, space, begun = incomplete.rpartition(' ')
        return [CompletionItem(before + space + name) for name in names if name.startswith(begun)]


def option(*flags: str, **attributes: Any) -> Callable[..., click.Parameter]:
    """A function that makes the option of a name. Attributes that it is given replace these."""

    def make(name: str, **changes: Any) -> click.Parameter:
        return click.Option([*flags, name], **{'show_default': True, **attributes, **changes})

    return make


def argument(metavar: str, explanation: str, **attributes: Any) -> Callable[..., click.Parameter]:
    """A function that makes the argument of a name, and its explanation in a sentence."""

    def make(name: str, **changes: Any) -> click.Parameter:
        return Argument([name], explanation, **{'metavar': metavar, **attributes, **changes})

    return make


def file(flag: str, help: str, **attributes: Any) -> Callable[..., click.Parameter]:
    """An option that names a file to read."""
    return option(flag, **{'metavar': 'FILE', 'type': PATH, 'help': help, **attributes})


def _one(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from ..presets import PRESETS

    if len(value.split()) != 1 or value in PRESETS:
        raise click.BadParameter(f'{value!r}: expected one measure')
    return value


def forced() -> bool:
    """Whether ``--force`` was given, before or after the subcommand."""
    return bool(click.get_current_context().find_root().params.get('force'))


FILES_OF_DOCUMENTS = 'an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text.'
LINES_OF_WEIGHTS = 'lines `query subtopic weight [inf|nav]`.'
TESTS = (
    't',
    'wilcoxon',
    'bootstrap',
    'max_t',
    'tukey',
    'tukey_oneway',
    'tukey_pairwise',
    'tukey_randomised',
)
CORRECTIONS = ('holm', 'bonferroni', 'bh', 'none')
SEVERAL_MEASURES = (
    "Measures to compute, separated by spaces, for example 'RBU@20 alpha_nDCG@20'. Presets such as web-track also "
    'work. You can repeat this option. `ir_divmeasures measures` lists all names.'
)
PROBABILITY = click.FloatRange(0, 1)
BETWEEN = click.FloatRange(0, 1, min_open=True, max_open=True)
POSITIVE = click.IntRange(min=1)

OPTIONS: dict[str, Callable[..., click.Parameter]] = {
    # arguments, in the order in which they are typed
    'qrels': argument(
        'QRELS',
        'Judgments: a file in any form that the package reads, or an ir_datasets id.',
        type=PATH,
    ),
    'truth': argument(
        'TRUTH', 'Judgments with the subtopics to compare with, in the same forms.', type=PATH
    ),
    'inputs': argument(
        '[QRELS RUN...]',
        'Judgments and runs, unless --scores has the scores. Judgments are a file or an ir_datasets id. Runs are '
        'files, folders, or patterns.',
        nargs=-1,
        type=PATH,
    ),
    'source': argument(
        'POOL',
        'A pool: a file that `pool save` wrote, or a folder or pattern of runs.',
        type=PATH,
    ),
    'sources': argument(
        'FILE...',
        'Files of nuggets or sub-questions, of one form.',
        nargs=-1,
        required=True,
        type=PATH,
    ),
    'answers': argument(
        'FILE', 'Answers with labels, as JSON or JSON lines; a folder or a pattern.', type=PATH
    ),
    'docs': argument('DOCS', f'Texts of documents: {FILES_OF_DOCUMENTS}', type=PATH),
    'weights': argument('SOURCE', f'File of weights, with {LINES_OF_WEIGHTS}', type=PATH),
    'types': argument(
        'SOURCE',
        'File with lines `query subtopic weight inf|nav`, or an ir_datasets id of the Web Track.',
        type=PATH,
    ),
    'parents': argument(
        'PARENTS', 'File of lines `query subtopic superintent`, separated by tabs.', type=PATH
    ),
    'runs': argument(
        'RUN...',
        "Runs: files, folders, or patterns such as 'runs/*.gz'.",
        nargs=-1,
        required=True,
        type=PATH,
    ),
    'newcomers': argument(
        '[RUN...]',
        'Runs to score: files, folders or patterns. Without them, the systems of the pool are scored.',
        nargs=-1,
        type=PATH,
    ),
    'query_id': argument('QUERY', 'Id of a query.'),
    'measure_names': argument(
        'MEASURE...',
        'Names of measures or presets. `ir_divmeasures measures` lists them.',
        nargs=-1,
        required=True,
        type=Measures(),
    ),
    'measure_name': argument(
        '[NAME]',
        'A measure or a preset. Without it, all of them are listed.',
        required=False,
        type=Measures(),
    ),
    # what is computed
    'names': option(
        '-m',
        '--measures',
        multiple=True,
        required=True,
        type=Measures(),
        metavar='MEASURES',
        help=SEVERAL_MEASURES,
    ),
    'optional_names': option(
        '-m',
        '--measures',
        multiple=True,
        type=Measures(),
        metavar='MEASURES',
        help=SEVERAL_MEASURES,
    ),
    'measure': option(
        '-m',
        '--measures',
        required=True,
        type=Measures(),
        metavar='MEASURE',
        callback=_one,
        help='Measure to compute, for example RBU@20. This command takes one. `ir_divmeasures measures` lists all '
        'names.',
    ),
    'files': option(
        '--scores',
        multiple=True,
        metavar='[MEASURE=]FILE',
        help='File of scores, in place of judgments and runs: a table with the columns system, query_id, measure and '
        'value, or a matrix of topics and systems for one measure. For several matrices, repeat this option with the '
        'names of the measures: --scores AP=ap.csv --scores RR=rr.csv.',
    ),
    'save_scores': option(
        '--save-scores',
        metavar='FILE',
        type=TARGET,
        help='Also write the scores to this file, which ends in .csv, .csv.gz, .tsv or .parquet. --scores reads it.',
    ),
    'baseline': option(
        '-b',
        '--baseline',
        metavar='SYSTEM',
        help='System that the others are compared with: the name or the file of a run. The default is the first run.',
    ),
    'method': option(
        '--test',
        type=click.Choice(TESTS),
        help='Test for the differences between systems. t and wilcoxon are the paired tests of these names. bootstrap '
        'and max_t resample the queries. The others are variants of Tukey HSD, which compares all systems at once; '
        'tukey has the queries as blocks.',
    ),
    'correction': option(
        '--correction',
        type=click.Choice(CORRECTIONS),
        default='none',
        help='Correction for multiple comparisons among the pairs of systems. bh controls the false discovery rate, '
        'holm and bonferroni control any false discovery. The tests max_t, tukey, tukey_oneway and tukey_randomised '
        'need none.',
    ),
    'alpha': option(
        '--alpha',
        type=BETWEEN,
        default=0.05,
        help='Level of significance. A difference is significant if its p-value is below this level.',
    ),
    'confidence_level': option(
        '--confidence',
        type=BETWEEN,
        default=0.95,
        help='Confidence level of the intervals.',
    ),
    'coefficient': option(
        '--coefficient',
        type=click.Choice(['kendall', 'tau_ap', 'rbo']),
        help="Coefficient of correlation of two rankings: Kendall's tau, or tau_ap and rank-biased overlap (rbo), in "
        'which the best systems count most.',
    ),
    'fuzziness': option(
        '--fuzziness',
        type=float,
        help='Largest difference of two means that counts as a tie, for example 0.05.',
    ),
    'topics': file(
        '--topics',
        "Texts of queries and subtopics: an ir_datasets id, or a .xml (the Web Track's), .jsonl, .tsv or .csv file.",
        metavar='SOURCE',
    ),
    'optional_docs': file(
        '--docs',
        'Texts of documents, from which each node gets its most typical terms: an ir_datasets id or a file.',
        metavar='DOCS',
    ),
    'similarity': option(
        '--similarity',
        type=click.Choice(['simhash', 'tfidf', 'static']),
        default='simhash',
        help='Similarity of documents. static (English word vectors, which the extra static installs) and tfidf agree '
        'best with subtopics made by hand. simhash is the method of the paper.',
    ),
    'cutoff': option(
        '--cutoff',
        type=float,
        help='Similarity from which documents are one leaf of the hierarchy.',
    ),
    'weighting': option(
        '--weighting',
        type=click.Choice(['WI', 'WD']),
        help='How the weight of a node is divided among its children: by their numbers of leaves (WI), or by their '
        'gains (WD).',
    ),
    'intent_weighting': option(
        '--intent-weighting',
        type=click.Choice(['height', 'uniform', 'given']),
        help='Weights of the subtopics of a query: by the heights of their hierarchies, all equal, or those of the '
        'judgments.',
    ),
    'level': option(
        '--level',
        type=click.Choice(['intent', 'topic']),
        help='Build one hierarchy for each subtopic (intent), or one for each query (topic).',
    ),
    'layer': option(
        '--layer',
        metavar='LAYER',
        type=lambda text: int(text) if text.lstrip('-').isdigit() else text,
        help='Layer of QRELS that has the subtopics: a number, or deepest. The default is the official layer.',
    ),
    'depth': option(
        '--depth',
        type=POSITIVE,
        default=100,
        help='Depth of the pool: a system retrieves a document if it ranks it at most this deep.',
    ),
    'groups': file(
        '--groups', 'File of teams, with lines `system team`. The systems of a team count once.'
    ),
    'newcomer': option(
        '--newcomer',
        is_flag=True,
        help='Write judgments for runs that are not in the pool. Without this option, they are for the runs of the '
        'pool.',
    ),
    'relevance': option(
        '--relevance',
        type=PROBABILITY,
        help='Probability that an unjudged document is relevant. With it, the expected score and its standard error '
        'are printed, too.',
    ),
    'top': option(
        '--top',
        type=POSITIVE,
        metavar='N',
        help='Number of documents of a query that are compared. The default is the depth.',
    ),
    'systems': option(
        '--order',
        multiple=True,
        metavar='SYSTEM',
        help='System to add next. Repeat this option to give the order. By default, the system that adds most comes '
        'next.',
    ),
    'team_sizes': option(
        '--size',
        type=POSITIVE,
        multiple=True,
        help='Number of teams that are pooled. The default is 1, 2, 4, and so on. You can repeat this option.',
    ),
    'document_sizes': option(
        '--size',
        type=click.IntRange(min=0),
        multiple=True,
        help='Number of relevant documents that the made-up systems find. The default is 0, 1, and so on. You can '
        'repeat this option.',
    ),
    'alphas': option(
        '--rareness-alpha',
        type=float,
        multiple=True,
        help='Value of the parameter alpha of the measure: how much rare documents count. You can repeat this option.',
    ),
    'rel': option('--rel', type=float, default=1, help='Lowest grade that counts as relevant.'),
    'longest': option(
        '--longest',
        type=click.IntRange(min=8),
        default=40,
        help='Number of documents in the longest ranking that is tried.',
    ),
    'deepest': option(
        '--deepest',
        type=POSITIVE,
        default=4096,
        help='Largest number n of documents that is tried for the constraints DeepTh and CloseTh.',
    ),
    'n_resamples': option(
        '--resamples',
        type=POSITIVE,
        default=1000,
        help='Number of random resamples. A larger number gives more precise results and takes longer.',
    ),
    'n_trials': option('--trials', type=POSITIVE, help='Number of random samples of each size.'),
    'rng': option(
        '--seed',
        type=int,
        default=0,
        help='Seed for all random draws. The same seed gives the same result.',
    ),
    # what is read and written
    'intents': file(
        '--intents', f'File of weights (and types) of subtopics, with {LINES_OF_WEIGHTS}'
    ),
    'missing': option(
        '--missing',
        type=click.Choice(['zero', 'drop', 'raise']),
        default='zero',
        help='What to do with judged queries that are missing from a run: score them 0 (zero), drop them for all '
        'systems (drop), or stop with an error (raise).',
    ),
    'missing_text': option(
        '--missing-text',
        type=click.Choice(['error', 'skip']),
        default='error',
        help='What to do with relevant documents that have no text: stop with an error, or skip them.',
    ),
    'ties': option(
        '--ties',
        type=click.Choice(['doc_id', 'doc_id_ascending', 'rows']),
        help='How all measures order documents with equal scores: by document id, descending, as trec_eval and ndeval '
        'do (doc_id); by document id, ascending, as pyndeval does (doc_id_ascending); or in the order of the file '
        '(rows). By default, each measure has the order of its original program, and a warning tells you where the '
        'order matters.',
    ),
    'format': option(
        '--from',
        metavar='FORM',
        help='Form of the files to read. By default, the reader finds out. An unknown form gives an error that lists '
        'all of them.',
    ),
    'listed': file(
        '--nuggets', 'File of all nuggets, which also counts those that no document answers.'
    ),
    'run': file('--run', 'Run that ratings of the form lancer are about.'),
    'strict': option(
        '--strict', is_flag=True, help='Stop with an error at a value that the form does not know.'
    ),
    'normalise': option(
        '--normalise', is_flag=True, help='Make the weights of each query sum to 1.'
    ),
    'by_query': option('-q', '--by-query', is_flag=True, help='Print a line for each query, too.'),
    'form': option(
        '--format',
        '--output-format',
        type=click.Choice(list(FORMS)),
        help='Format of the output. By default, it is made to be read on a terminal. JSON has every digit. A '
        'spreadsheet is CSV in which programs read no cell as a formula.',
    ),
    'places': option(
        '-p',
        '--places',
        type=click.IntRange(min=-1),
        default=4,
        help='Number of decimal places. Use -1 to print every digit.',
    ),
    'output': option(
        '-o',
        '--output',
        required=True,
        metavar='FILE',
        type=TARGET,
        help='File to write the output to. An existing file is replaced only with --force.',
    ),
    'plot': option(
        '--plot',
        metavar='FILE',
        type=TARGET,
        help='Also draw a picture to this file, whose name ends in .png, .svg or .pdf.',
    ),
    'jobs': option(
        '-j',
        '--jobs',
        type=int,
        default=1,
        help='Number of worker processes. Use -1 for one process per core.',
    ),
}

__all__ = [
    'CORRECTIONS',
    'OPTIONS',
    'PATH',
    'POSITIVE',
    'TARGET',
    'TESTS',
    'Argument',
    'Measures',
    'argument',
    'file',
    'forced',
    'option',
]
