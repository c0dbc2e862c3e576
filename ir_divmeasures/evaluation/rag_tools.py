"""Stand-ins for programs that score RAG answers from labels: what they print, from the files that they read."""

from __future__ import annotations

import json
import warnings
from typing import Any

from ..core.registry import measures
from ..errors import QueriesWarning
from ..judgments.nuggets import read_answers, read_rag
from ..presets import PRESETS
from .evaluate import evaluate
from .support import citation_support, f1

KEY = ['system', 'query_id']
NUGGETIZER = ('strict_vital_score', 'strict_all_score', 'vital_score', 'all_score')


def nuggetizer(source: Any) -> str:
    """The metrics of castorini's nuggetizer: a JSON line for each record, in the order of the file, then their means.

    If the importance of a nugget is unknown, the metrics of vital nuggets are null.

    Args:
        source: assignments of nuggets to the answers of one system, in any form of
            :func:`~ir_divmeasures.read_answers`.

    Raises:
        ValueError: answers of several systems or judges; as :func:`~ir_divmeasures.read_answers`.

    Examples:
        >>> print(nuggetizer({'A': {'q1': {'1': 'support', '2': 'partial_support'}}}), end='')
        {"qid": "q1", "strict_vital_score": null, "strict_all_score": 0.5, "vital_score": null, "all_score": 0.75}
        {"qid": "all", "strict_vital_score": null, "strict_all_score": 0.5, "vital_score": null, "all_score": 0.75}
    """
    answers = read_answers(source)
    if len(answers.runs) > 1:
        raise ValueError(
            f'answers of {len(answers.runs)} systems ({", ".join(list(answers.runs)[:5])}), expected one'
        )
    if 'judge' in answers.qrels.columns:
        raise ValueError(
            'answers of several judges, expected one; aggregate_judges makes one judgment of them'
        )
    known = 'importance' in answers.qrels.columns and answers.qrels['importance'].ne('').all()
    of_labels = dict(zip(PRESETS['trec-rag'].labels, measures('trec-rag')))
    names = [name for name in NUGGETIZER if known or 'vital' not in name]
    queries = list(dict.fromkeys(next(iter(answers.runs.values()))['query_id']))
    scores = evaluate(answers.runs, answers.qrels, [of_labels[label] for label in names])
    values = scores.select(queries=queries).values[0]
    rows = [*zip(queries, values.tolist()), ('all', values.mean(axis=0).tolist())]
    return ''.join(
        json.dumps({'qid': query, **dict.fromkeys(NUGGETIZER), **dict(zip(names, row))}) + '\n'
        for query, row in rows
    )


def argue(source: Any) -> str:
    """The macro-averaged metrics of Auto-ARGUE as lines ``run_id request_id metric value``, separated by tabs.

    An AND nugget counts if all its parts are answered. Requests of each system come first, then ``all``, their means.

    Args:
        source: answers with labels of nuggets and of citations, in any form of :func:`~ir_divmeasures.read_rag`.

    Raises:
        ValueError: no labels of nuggets or of citations, nuggets without importance.
    """
    rag = read_rag(source)
    if rag.answers is None:
        raise ValueError('no nuggets (assignment) there')
    if rag.citations is None:
        raise ValueError('no sentences with citations (answer, responses) there')
    coverage = evaluate(rag.answers.runs, rag.answers.qrels, 'argue').labelled('argue')
    support = citation_support(rag.citations, sentence='all', partial=0).select(
        systems=coverage.systems, queries=coverage.queries, measures=['recall', 'citations']
    )
    names = ('nugget_coverage', 'nugget_coverage_weighted')
    recall = support.select(measures=['recall'])
    columns = {name: coverage[name] for name in names}
    columns |= {'sentence_support': support['recall'], 'citation_support': support['citations']}
    for name, label in zip(names, ('f1', 'f1_weighted')):
        columns[label] = f1(recall, coverage.select(measures=[name]))['f1']
    return ''.join(
        f'{system}\t{query}\t{name}\t{value:.4f}\n'
        for s, system in enumerate(coverage.systems)
        for q, query in enumerate([*coverage.queries, 'all'])
        for name, values in columns.items()
        for value in [[*values[s], values[s].mean()][q]]
    )


def ragdoll(source: Any) -> str:
    """The metrics of castorini's RAGDoll for the support of sentences by citations: a JSON line for each topic and run.

    A label counts 1, ½ or 0 (full, partial, no support). The ``hard`` metrics count partial support as 0. A sentence
    has the credit of its first citation, or by the ``all_judged_citations`` metrics the mean of its judged citations.
    Unjudged sentences count nowhere, and sentences without a citation only in recall. Numbers have six decimal places.

    Args:
        source: answers with citations and labels of support, in any form of :func:`~ir_divmeasures.read_rag`.

    Raises:
        ValueError: no sentences with citations there.

    Reference: castorini/RAGDoll, ``support/metrics.py``.

    Examples:
        >>> import json, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'A.jsonl')
        >>> record = {'query_id': 'q', 'references': ['d1', 'd2'], 'answer': [
        ...     {'text': 'The moon.', 'citations': [0], 'support': 'full'}, {'text': 'The wind.', 'citations': []}]}
        >>> with open(path, 'w') as file:
        ...     _ = file.write(json.dumps(record))
        >>> json.loads(ragdoll(path))['weighted_recall_first_citation']
        0.5
    """
    citations = read_rag(source).citations
    if citations is None:
        raise ValueError('no sentences with citations (answer, responses) there')
    settings: dict[str, dict[str, Any]] = {
        'weighted_{}_first_citation': {},
        'weighted_{}_all_judged_citations': {'sentence': 'mean'},
        'hard_{}': {'partial': 0},
    }
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', QueriesWarning)  # an answer that is not there has no line
        scores = {
            name: citation_support(citations, **options).per_query.set_index(KEY)
            for name, options in settings.items()
        }
    lines = []
    for key, rows in citations.groupby(KEY, sort=False):
        system, query = map(str, key)
        values = {
            name.format(kind): round(float(table.loc[(system, query), kind]), 6)
            for name, table in scores.items()
            for kind in ('precision', 'recall')
        }
        n_sentences = int(rows['sentence'].nunique())
        record = {'topic_id': query, 'run_id': system, **values, 'sentences': n_sentences}
        lines.append(json.dumps(record) + '\n')
    return ''.join(lines)
