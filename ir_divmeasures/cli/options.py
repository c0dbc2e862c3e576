"""Arguments and options, made of the parameters of functions.

Types, defaults and choices are in the signatures, and the texts of ``--help`` in the docstrings. :func:`shared` has all
that several commands share: the same name has the same letters, values and text wherever it occurs, and only defaults
differ.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import click
from click.shell_completion import CompletionItem

from ..tables import FORMS


class _File(click.Path):
    """A path, which the help calls FILE."""

    name = 'file'


PATH = _File()
"""A file, a folder or an id: shells complete names of files."""
TARGET = _File()
"""A file that the command writes."""


class Argument(click.Argument):
    """An argument with an explanation, which ``--help`` shows."""

    def __init__(self, names: list[str], explanation: str, **attributes: Any):
        super().__init__(names, **attributes)
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


class Measure(Measures):
    """One measure."""

    name = 'measure'

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        from ..presets import PRESETS

        if len(value.split()) != 1 or value in PRESETS:
            self.fail(f'{value!r}: expected one measure')
        return value


def forced() -> bool:
    """Whether ``--force`` was given, before or after the subcommand."""
    return bool(click.get_current_context().find_root().params.get('force'))


File = str
Target = str
Several = str
One = str
Form = str
AnyForm = str
Places = int
Positive = int
Level = float
KINDS: dict[str, Any] = {
    'bool': bool,
    'int': int,
    'float': float,
    'str': str,
    'File': PATH,
    'Target': TARGET,
    'Several': Measures(),
    'One': Measure(),
    'Form': click.Choice(list(FORMS)),
    'AnyForm': click.Choice([*FORMS, 'ndeval']),
    'Places': click.IntRange(min=-1),
    'Positive': click.IntRange(min=1),
    'Level': click.FloatRange(0, 1, min_open=True, max_open=True),
}
"""What is typed for a parameter, by its annotation. A sequence can be typed several times."""


def shared(
    qrels: File,
    source: File,
    sources: Sequence[File],
    docs: File,
    parents: File,
    runs: Sequence[File],
    runs_or_measures: Sequence[File],
    runs_and_query: Sequence[File],
    query_id: str,
    measure_names: Sequence[Several],
    inputs: Sequence[File] = (),
    newcomers: Sequence[File] = (),
    measure_name: Several | None = None,
    some_measures: Sequence[Several] = (),
    /,
    *,
    names: Sequence[Several],
    optional_names: Sequence[Several] = (),
    measure: One,
    files: Sequence[File] = (),
    save_scores: Target | None = None,
    baseline: str | None = None,
    pairs: Literal['baseline', 'all'] = 'baseline',
    method: Literal['t', 'bootstrap', 'tukey', 'unpaired'] | None = None,
    correction: Literal['holm', 'none'] = 'none',
    alpha: Level = 0.05,
    confidence_level: Level = 0.95,
    coefficient: Literal['kendall', 'tau_ap'] | None = None,
    fuzziness: float | None = None,
    topics: File | None = None,
    similarity: Literal['simhash', 'tfidf'] = 'simhash',
    cutoff: float | None = None,
    weighting: Literal['WI', 'WD'] | None = None,
    intent_weighting: Literal['height', 'uniform', 'given'] | None = None,
    level: Literal['intent', 'topic'] | None = None,
    depth: Positive = 100,
    groups: File | None = None,
    alphas: Sequence[float] = (),
    rel: float = 1,
    longest: Positive = 40,
    deepest: Positive = 4096,
    n_resamples: Positive = 1000,
    n_trials: Positive | None = None,
    rng: int = 0,
    intents: File | None = None,
    missing: Literal['zero', 'drop', 'raise'] = 'zero',
    missing_text: Literal['error', 'skip'] = 'error',
    ties: Literal['doc_id', 'doc_id_ascending', 'rows'] | None = None,
    format: str | None = None,
    listed: File | None = None,
    strict: bool = False,
    by_query: bool = False,
    form: Form | None = None,
    places: Places = 4,
    printed: Target | None = None,
    output: Target,
    plot: Target | None = None,
    jobs: int = 1,
) -> None:
    """Every argument (before the slash) and option that commands share, in the order of the help.

    Args:
        qrels: Judgments: a file in any form that the package reads, or an ir_datasets id. You can give several, separated by
            commas, if their queries differ.
        source: A pool: a file that `pool save` wrote, or a folder or pattern of runs.
        sources: Files of nuggets, of one form.
        docs: Texts of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text.
        parents: File of lines `query subtopic superintent`, separated by tabs.
        runs: Runs: files, folders, or patterns such as 'runs/*.gz'.
        runs_or_measures: Runs: files, folders, or patterns such as 'runs/*.gz'. Measures may follow them.
        runs_and_query: Runs, and then the id of a query, or with --topics its text.
        query_id: Id of a query.
        measure_names: Names of measures or presets. `ir_divmeasures measures` lists them.
        inputs: Judgments and runs, unless --scores has the scores. Judgments are a file or an ir_datasets id, or
            several of them, separated by commas. Runs are files, folders, or patterns.
        newcomers: Runs to score: files, folders or patterns. Without them, the systems of the pool are scored.
        measure_name: A measure or a preset. Without it, all of them are listed.
        some_measures: Measures or presets. Without them, the measures of the paper are tested.
        names: Measures to compute, separated by spaces, for example 'RBU@20 alpha_nDCG@20'. Presets such as web-track
            also work. You can repeat this option. `ir_divmeasures measures` lists all names.
        optional_names: Measures to compute, separated by spaces, for example 'RBU@20 alpha_nDCG@20'. Presets such as
            web-track also work. You can repeat this option. `ir_divmeasures measures` lists all names.
        measure: Measure to compute, for example RBU@20. This command takes one. `ir_divmeasures measures` lists all
            names.
        files: Scores of each query, in place of judgments and runs: a file, folder or pattern of tables, or of what
            trec_eval -q and ir_measures -q print. You can repeat this option. For matrices of queries and systems, name
            the measures: --scores AP=ap.csv --scores RR=rr.csv.
        save_scores: Also write the scores to this file, which ends in .csv, .csv.gz, .tsv or .parquet. --scores reads
            it.
        baseline: System that the others are compared with: the name or the file of a run. The default is the first
            run.
        pairs: Test each system against the baseline, or all pairs of systems.
        method: Test for the differences between systems. t is the paired t test. bootstrap resamples the queries. tukey
            is Tukey's HSD with the queries as blocks, which compares all systems at once. unpaired is the t test of
            Türkmen et al., which ignores that systems share queries.
        correction: Correction for multiple comparisons among the pairs of systems: that of Holm, or none. The test tukey
            needs none.
        alpha: Level of significance. A difference is significant if its p-value is below this level.
        confidence_level: Confidence level of the intervals.
        coefficient: Coefficient of correlation of two rankings: Kendall's tau, or tau_ap, in which the best systems
            count most.
        fuzziness: Largest difference of two means that counts as a tie, for example 0.05.
        topics: Texts of queries and subtopics: an ir_datasets id, or a .jsonl, .tsv or .csv
            file.
        similarity: Similarity of documents. tfidf agrees best with subtopics made by hand. simhash is the method of the
            paper.
        cutoff: Similarity from which documents are one leaf of the hierarchy.
        weighting: How the weight of a node is divided among its children: by their numbers of leaves (WI), or by their
            gains (WD).
        intent_weighting: Weights of the subtopics of a query: by the heights of their hierarchies, all equal, or those
            of the judgments.
        level: Build one hierarchy for each subtopic (intent), or one for each query (topic).
        depth: Depth of the pool: a system retrieves a document if it ranks it at most this deep.
        groups: File of teams, with lines `system team`. The systems of a team count once.
        alphas: Value of the parameter alpha of the measure: how much rare documents count. You can repeat this option.
        rel: Lowest grade that counts as relevant.
        longest: Number of documents in the longest ranking that is tried.
        deepest: Largest number n of documents that is tried for the constraints DeepTh and CloseTh.
        n_resamples: Number of random resamples. A larger number gives more precise results and takes longer.
        n_trials: Number of random samples of each size.
        rng: Seed for all random draws. The same seed gives the same result.
        intents: File of weights of subtopics, with lines `query subtopic weight`.
        missing: What to do with judged queries that are missing from a run: score them 0 (zero), drop them for all
            systems (drop), or stop with an error (raise).
        missing_text: What to do with relevant documents that have no text: stop with an error, or skip them.
        ties: How all measures order documents with equal scores: by document id, descending, as trec_eval and ndeval
            do (doc_id); by document id, ascending, as pyndeval does (doc_id_ascending); or in the order of the file
            (rows). By default, each measure has the order of its original program, and a warning tells you where the
            order matters.
        format: Form of the files to read. By default, the reader finds out. An unknown form gives an error that lists
            all of them.
        listed: File of all nuggets, which also counts those that no document contains.
        strict: Stop with an error at a value that the form does not know.
        by_query: Print a line for each query, too.
        form: Format of the output. By default, it is made to be read on a terminal. JSON has every digit. A spreadsheet
            is CSV in which programs read no cell as a formula.
        places: Number of decimal places. Use -1 to print every digit.
        printed: File to write the output to. An existing file is replaced only with --force.
        output: File to write the output to. An existing file is replaced only with --force.
        plot: Also draw a picture to this file, whose name ends in .png, .svg or .pdf.
        jobs: Number of worker processes. Use -1 for one process per core.
    """


OPTIONS = inspect.signature(shared).parameters

FLAGS = {
    'alphas': '--rareness-alpha',
    'baseline': '-b --baseline',
    'by_query': '-q --by-query',
    'confidence_level': '--confidence',
    'files': '--scores',
    'form': '--format --output-format',
    'format': '--from',
    'jobs': '-j --jobs',
    'list_papers': '--list',
    'listed': '--nuggets',
    'measure': '-m --measures',
    'method': '--test',
    'n_resamples': '--resamples',
    'n_trials': '--trials',
    'names': '-m --measures',
    'no_summary': '-n --no-summary',
    'new_names': '--name',
    'new_measure_names': '--measure-name',
    'optional_names': '-m --measures',
    'output': '-o --output',
    'places': '-p --places',
    'printed': '-o --output',
    'rng': '--seed',
}
"""Options with a letter, or with another name than the parameter."""

METAVARS = {
    'baseline': 'SYSTEM',
    'data': '[QRELS RUN...]',
    'files': '[MEASURE=]FILE',
    'format': 'FORM',
    'inputs': '[QRELS RUN...]',
    'measure_name': '[NAME]',
    'measure_names': 'MEASURE...',
    'new_measure_names': 'OLD=NEW',
    'new_names': 'OLD=NEW',
    'newcomers': '[RUN...]',
    'query_id': 'QUERY',
    'runs': 'RUN...',
    'runs_and_query': 'RUN... QUERY',
    'runs_or_measures': 'RUN... [MEASURE...]',
    'some_measures': '[MEASURE...]',
    'source': 'POOL',
    'sources': 'FILE...',
}
"""What the help writes for the values of arguments and options, where click's own word says less."""


def explanation(function: Callable[..., Any], name: str) -> str:
    """The text of a parameter in the docstring of its function, as a sentence; '' if there is none."""
    text = ' '.join(_explained(function).get(name, '').split()).replace('``', '')
    return text[:1].upper() + text[1:]


@functools.cache
def _explained(function: Callable[..., Any]) -> dict[str, str]:
    """What stands behind each ``name:`` that begins a line of a docstring, until the next one or an empty line."""
    parts = re.findall(
        r'^ *(\w+): (.*(?:\n(?! *\w+: |\n).*)*)', inspect.getdoc(function) or '', re.MULTILINE
    )
    return dict(reversed(parts))  # the first of a name counts


def kind(annotation: str) -> Any:
    """What is typed for a parameter with an annotation; None if nobody can type it."""
    if annotation.startswith('Literal['):
        return click.Choice(ast.literal_eval(annotation.removeprefix('Literal')))
    return KINDS.get(annotation)


def declared(
    function: Callable[..., Any], parameter: inspect.Parameter, **changes: Any
) -> click.Parameter | None:
    """The argument or option of a parameter of a function; None if nobody can type what it is."""
    name, default = parameter.name, parameter.default
    annotation = str(parameter.annotation).removesuffix(' | None')
    several = re.fullmatch(r'Sequence\[(.*)\]', annotation)
    typed = kind(several[1] if several else annotation)
    if typed is None:
        return None
    required = default is inspect.Parameter.empty
    attributes = {'type': typed, 'required': required, **changes}
    if not required and default != ():
        attributes.setdefault('default', default)
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        metavar = METAVARS.get(name, name.upper())
        nargs = -1 if several else 1
        text = explanation(function, name)
        return Argument([name], text, nargs=nargs, metavar=metavar, **attributes)
    return click.Option(
        [*FLAGS.get(name, '--' + name.replace('_', '-')).split(), name],
        help=explanation(function, name),
        metavar=METAVARS.get(name),
        show_default=True,
        is_flag=typed is bool,
        multiple=several is not None,
        **attributes,
    )
