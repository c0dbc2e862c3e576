"""Write one self-contained HTML page about runs with :func:`report`."""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib
import os
import warnings
from typing import TYPE_CHECKING, Any

from ..errors import DivMeasuresWarning, limited, warn
from ..evaluation.diagnose import Examination
from ..evaluation.evaluate import evaluate
from ..evaluation.joint import joint
from ..io.files import check_target, replacing
from ..io.ordering import check_ties
from ..io.runs import named
from ..judgments.table import Judgments
from ..judgments.topics import topic_texts
from ..meta.agreement import correlations
from ..results.plotting import figure_class
from .charts import (
    MOST_LINES,
    MOST_MEASURES,
    TOP,
    of_correlations,
    of_coverage,
    of_differences,
    of_means,
)
from .facts import Tops, coverage_by_rank, judgment_facts, metadata_table, pool_section
from .letters import TESTS, significance_groups
from .parameter_tables import sensitivities, sensitivity_section
from .subtopic_tables import joint_section, subtopic_section

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RunsLike

DEPTH = 10
_PLACES = 4


@limited()
def report(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasuresLike,
    path: str | os.PathLike[str],
    *,
    title: str = 'Evaluation report',
    docs: Any = None,
    topics: Any = None,
    baseline: str | None = None,
    depth: int = DEPTH,
    rel: float = 1,
    test: str = 't',
    alpha: float = 0.05,
    missing: str = 'zero',
    pool: Any = None,
    answers: Any = None,
    sensitivity: Any = None,
    ties: str | None = None,
    overwrite: bool = False,
) -> str:
    """Write one HTML page about runs, which works offline and can be sent to colleagues.

    It shows the means with confidence intervals and significance groups, a heat map of scores by query and of
    differences to a baseline, which subtopics the first documents of two systems cover, who finds each subtopic and how
    hard it is, how measures correlate, and a diagnosis of the data. If the runs have metadata (see
    :func:`ir_divmeasures.read_run`), a table shows the team, method and hardware of each. With more than 30 systems
    most sections are folded. Charts need matplotlib (extra ``plot``), and are SVG that is part of the page. Nothing is
    loaded from elsewhere. Texts of runs, judgments and documents are escaped, and a content security policy lets the
    page execute only its own script.

    Systems share a letter for a measure exactly if they do not differ significantly. The default is the
    paired t test with Holm's correction for all pairs of systems, measure by measure. Unlike Tukey's tests, it does not
    assume that the scores of all systems have the same variance.

    Args:
        runs: several runs, or one, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measures: as :func:`ir_divmeasures.measures` takes them.
        path: the file to write.
        title: heading of the page.
        docs: the source of document titles: an ir_datasets id, dataset or docs_store, a DataFrame with ``doc_id`` or
            ``docno`` and ``title`` or ``text``, or ``{doc_id: title}``. Without it the page shows ids.
        topics: the source of query texts: an ir_datasets id or dataset, a file of topics
            (:func:`~ir_divmeasures.judgments.topics.read_topics`), a DataFrame of topics, or ``{query_id: text}``.
            Texts of subtopics come from its field ``subtopics``, or else from the judgments' column ``text``.
        baseline: the system that others are compared with. The default is the first one.
        depth: number of documents of a ranking that the page shows.
        rel: lowest grade that counts as relevant for coverage.
        test: a test of :func:`ir_divmeasures.meta.discriminative_power`. P-values of a test that does not correct for
            all pairs of systems get Holm's correction.
        alpha: level of significance.
        missing: as in :func:`ir_divmeasures.evaluate`.
        pool: a :class:`~ir_divmeasures.Pool`, or its file. The page then has tables of the relevant documents that
            one team alone retrieves, and of the influence of each team on the judgments
            (:func:`ir_divmeasures.pools.campaign.tables`).
        answers: what :func:`ir_divmeasures.read_answers` returns for the same systems. The page then says what became
            of the nuggets (:func:`ir_divmeasures.joint`), with the first ``depth`` documents as the context.
        sensitivity: measures and the values of their parameters, ``{'RBU@20': {'p': [0.7, 0.8, 0.9]}}``, or what
            :func:`ir_divmeasures.sensitivity` returns, or several of these. The page then shows which system is best at
            which setting.
        ties: the order of documents with equal scores, as in :func:`ir_divmeasures.evaluate`.
        overwrite: replace an existing file.

    Returns:
        The path.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False. Nothing is computed then.
        ImportError: matplotlib is not installed.
        TypeError: ``answers`` or ``sensitivity`` of another form.
        ValueError: an unknown baseline or test, a depth below 1, and what :func:`ir_divmeasures.evaluate`,
            :func:`ir_divmeasures.joint` and :func:`ir_divmeasures.sensitivity` raise.

    Examples:
        >>> import os, tempfile
        >>> qrels = {'q1': {'d1': {'1': 1}, 'd2': {'2': 1}}, 'q2': {'d1': {'1': 1}, 'd3': {'2': 0}}}
        >>> runs = {'a': {'q1': {'d1': 2.0, 'd2': 1.0}, 'q2': {'d3': 1.0}}, 'b': {'q1': {'d2': 1.0}, 'q2': {'d1': 1.0}}}
        >>> path = report(runs, qrels, 'StRecall@2 alpha_nDCG@2', os.path.join(tempfile.mkdtemp(), 'report.html'))
        >>> os.path.basename(path)
        'report.html'
    """
    path = os.fspath(path)
    check_target(path, overwrite)
    if test not in TESTS:
        raise ValueError(f'test={test!r}: expected one of {", ".join(map(repr, TESTS))}')
    if isinstance(depth, bool) or int(depth) != depth or depth < 1:
        raise ValueError(f'depth={depth!r}: expected a whole number of at least 1')
    figure_class()  # raises at once if matplotlib is not installed
    judgments, pairs = Judgments.of(qrels), list(named(runs)[0])
    if ties is not None:
        check_ties(ties)
    tops = Tops(judgments, int(depth), rel, ties)
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        examination = Examination(judgments)
        scores = evaluate(
            tops.noting(pairs, examination), judgments, measures, missing=missing, ties=ties
        )
        if baseline is not None and baseline not in scores.systems:
            scores.select(systems=[baseline])  # raises an error that suggests a similar name
        several = len(scores.systems) > 1
        compared = several and len(scores.queries) > 1
        groups = significance_groups(scores, test, alpha) if compared else None
        alike = None
        if several and len(scores.measures) > 1:
            alike = of_correlations(correlations(scores))
        titles = tops.titles(docs)
        texts = topic_texts(topics, judgments)
        nuggets = answers is not None or 'importance' in judgments.table.columns
        sections = [
            subtopic_section(
                tops,
                scores.systems,
                scores.queries,
                texts,
                judgments,
                'nugget' if nuggets else 'subtopic',
            )
        ]
        if answers is not None:
            shares = joint(dict(pairs), judgments, answers, cutoff=tops.depth, rel=rel)
            sections.append(joint_section(shares, tops.depth))
        if sensitivity is not None:
            sections.append(sensitivity_section(sensitivities(sensitivity, dict(pairs), judgments)))
        if pool is not None:
            sections.append(pool_section(pool, judgments, measures, rel))
        diagnosis = examination.diagnosis()
    for message, category in dict.fromkeys(
        (str(warning.message), warning.category) for warning in records
    ):
        warn(message, category)
    means = scores.values.mean(axis=1)
    places = [tops.place[query] for query in scores.queries]
    base = scores.systems.index(baseline) if baseline is not None else 0
    coverage = coverage_by_rank(tops, scores.systems, places)
    about_heads, about = metadata_table(tops.metadata)
    data = {
        'systems': scores.systems,
        'measures': scores.measures,
        'depth': tops.depth,
        'baseline': base,
        'queries': [{'id': query, 'text': texts.query(query)} for query in scores.queries],
        'values': scores.values.transpose(2, 0, 1).round(_PLACES).tolist(),
        'subtopics': [
            [
                {'id': subtopic, 'text': texts.subtopic(query, subtopic)}
                for subtopic in tops.subtopics[place]
            ]
            for query, place in zip(scores.queries, places)
        ],
        'documents': [
            [
                {
                    'id': doc_id,
                    'title': titles.get(doc_id, ''),
                    'grades': tops.grades(place, doc_id),
                }
                for doc_id in tops.documents[place]
            ]
            for place in places
        ],
        'tops': [[tops.tops[system][place] for place in places] for system in scores.systems],
    }
    template, parts = _page()
    page = template.render(
        title=title,
        data=data,
        systems=scores.systems,
        measures=scores.measures,
        queries=scores.queries,
        means=means,
        best=means.max(axis=0),
        groups=groups,
        test=TESTS[test],
        alpha=alpha,
        correlations=alike,
        coverage=coverage,
        coverage_chart=of_coverage(coverage, scores.systems),
        depth=tops.depth,
        rel=rel,
        mean_charts=of_means(scores),
        baseline=scores.systems[base],
        top=TOP,
        most_measures=MOST_MEASURES,
        most_lines=MOST_LINES,
        difference_charts=of_differences(scores, base) if compared else [],
        judgments=judgment_facts(judgments, diagnosis),
        sections=sections,
        about_heads=about_heads,
        about=about,
        runs=diagnosis.runs.to_dict('index'),
        warnings=list(
            dict.fromkeys([*(str(warning.message) for warning in records), *diagnosis.questions])
        ),
        version=importlib.import_module('ir_divmeasures').__version__,
        **parts,
    )
    with replacing(path, overwrite) as partial, open(partial, 'w', encoding='utf-8') as file:
        file.write(page)
    return path


@functools.cache
def _page() -> tuple[Any, dict[str, str]]:
    """The template of the page, and what goes into it on every page: style, script and the hashes of both."""
    import jinja2

    loader = jinja2.PackageLoader('ir_divmeasures.reporting', 'page')
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = {name: loader.get_source(environment, f'report.{name}')[0] for name in ('css', 'js')}
    allowed = {
        f'{name}_hash': base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for name, text in own.items()
    }
    return environment.get_template('report.html'), {**own, **allowed}


__all__ = ['report']
