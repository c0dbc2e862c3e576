"""Ad-hoc measures, 50 × 1000"""

from __future__ import annotations

import functools
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from benchmarks.data import anew, collection, parsed, plain, run, write
from benchmarks.measuring import NotMeasuredError, files, row
from ir_divmeasures.evaluation.provider import Evaluator

ADHOC = 'nDCG@20 AP P@10'
FORMS = {'DataFrames': 18, 'dicts': 1.3, 'namedtuples': 1.3}
"""Forms of judgments and runs, and the target of an evaluator on each."""


@functools.cache
def drawn() -> dict[str, tuple[Any, Any]]:
    """Judgments and a run in each form."""
    rng = np.random.default_rng(2)
    qrels = (
        collection(rng)
        .groupby(['query_id', 'doc_id'], as_index=False, sort=False)['relevance']
        .max()
    )
    frame = run(rng)
    return {
        'DataFrames': (qrels, frame),
        'dicts': (nested(qrels, 'relevance'), nested(frame, 'score')),
        'namedtuples': (
            [ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)],
            [ir_measures.ScoredDoc(*row) for row in frame.itertuples(index=False)],
        ),
    }


def nested(table: pd.DataFrame, values: str) -> dict[str, dict[str, Any]]:
    """A table as a dict of dicts."""
    return {
        query: dict(zip(rows['doc_id'], rows[values].tolist()))
        for query, rows in table.groupby('query_id')
    }


def run_file() -> str:
    """The run as a file."""
    return str(files('adhoc.run', lambda path: write(drawn()['DataFrames'][1], path)))


def both(form: str) -> tuple[Any, Any]:
    """An evaluator of the hosts, and one of ours."""
    qrels, _ = drawn()[form]
    return plain().evaluator(parsed(ADHOC), qrels), Evaluator(parsed(ADHOC), qrels)


for form, target in FORMS.items():

    @row(f'{ADHOC}: {form}', 'ir_measures', turns=9, cpu=target)
    def one_evaluator(form: str = form) -> Any:
        (peer, ours), (_, frame) = both(form), drawn()[form]
        return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)


@row(f'{ADHOC}: namedtuples, beside 200,000 others', 'ir_measures', turns=9, cpu=1.3)
def many_tuples() -> Any:
    (peer, ours), (_, frame) = both('namedtuples'), drawn()['namedtuples']
    others = [ir_measures.ScoredDoc(str(n), str(n), 1.0) for n in range(200_000)]
    return (
        lambda others=others: peer.calc_aggregate(frame),
        lambda others=others: ours.calc_aggregate(frame),
    )


@row(f'{ADHOC}: file', 'ir_measures', turns=9, cpu=8)
def file() -> Any:
    (peer, ours), path = both('DataFrames'), run_file()
    return lambda: peer.calc_aggregate(
        ir_measures.read_trec_run(path)
    ), lambda: ours.calc_aggregate(path)


@row(f'{ADHOC}: dicts, judgments read, no measure of ours', 'ir_measures', turns=9, cpu=1 / 1.05)
def call_of_the_host() -> Any:
    """The hosts compute this call, in an environment with and without this package."""
    (qrels, frame), asked, host = drawn()['dicts'], parsed(ADHOC), plain()
    return (
        lambda: host.calc_aggregate(asked, qrels, frame),
        anew(lambda: ir_measures.calc_aggregate(asked, qrels, frame)),
    )


for form in ('file', 'dict'):

    @row(f'{ADHOC}: {form}', 'ranx, warm', cpu=1)
    def ranx_warm(form: str = form) -> Any:
        try:
            import ranx
        except ImportError:
            raise NotMeasuredError('ranx is not installed') from None
        judged, ranked = drawn()['dicts']
        known, names, path = (
            ranx.Qrels.from_dict(judged),
            ['ndcg@20', 'map', 'precision@10'],
            run_file(),
        )
        ours = Evaluator(parsed(ADHOC), drawn()['DataFrames'][0])

        def read() -> Any:
            return (
                ranx.Run.from_file(path, kind='trec')
                if form == 'file'
                else ranx.Run.from_dict(ranked)
            )

        return (
            lambda: ranx.evaluate(known, read(), names, make_comparable=True),
            lambda: ours.calc_aggregate(path if form == 'file' else ranked),
        )
