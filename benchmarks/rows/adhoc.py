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
NO_SLOWER = 1 / 1.05
FORMS = {'DataFrames': 5, 'dicts': NO_SLOWER, 'namedtuples': NO_SLOWER}
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


for form, target in FORMS.items():

    @row(f'{ADHOC}: {form}, one call', 'ir_measures', turns=9, cpu=NO_SLOWER)
    def one_call(form: str = form) -> Any:
        (qrels, frame), asked, host = drawn()[form], parsed(ADHOC), plain()
        return (
            lambda: host.calc_aggregate(asked, qrels, frame),
            anew(lambda: ir_measures.calc_aggregate(asked, qrels, frame)),
        )

    @row(f'{ADHOC}: {form}, one evaluator', 'ir_measures', turns=9, cpu=target)
    def one_evaluator(form: str = form) -> Any:
        qrels, frame = drawn()[form]
        peer, ours = (
            plain().evaluator(parsed(ADHOC), qrels),
            Evaluator(parsed(ADHOC), qrels),
        )
        return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)


@row(f'{ADHOC}: file, one evaluator', 'ir_measures', cpu=5)
def file() -> Any:
    qrels, path = drawn()['DataFrames'][0], run_file()
    peer, ours = (
        plain().evaluator(parsed(ADHOC), qrels),
        Evaluator(parsed(ADHOC), qrels),
    )
    return lambda: peer.calc_aggregate(
        ir_measures.read_trec_run(path)
    ), lambda: ours.calc_aggregate(path)


for form in ('file', 'dict'):

    @row(f'{ADHOC}: {form}, one evaluator', 'ranx, warm', cpu=1)
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


@row(f'{ADHOC}: dict, one evaluator', 'pytrec_eval itself', cpu=1)
def pytrec_eval_itself() -> Any:
    import pytrec_eval

    judged, ranked = drawn()['dicts']
    direct = pytrec_eval.RelevanceEvaluator(judged, {'ndcg_cut_20', 'map', 'P_10'})
    ours = Evaluator(parsed(ADHOC), judged)
    return lambda: direct.evaluate(ranked), lambda: ours.calc_aggregate(ranked)


@row('RBP(rel=1): DataFrame, one evaluator', 'cwl_eval', turns=3, cpu=10)
def cwl_eval() -> Any:
    (qrels, frame), rbp = drawn()['DataFrames'], [ir_measures.RBP(rel=1)]
    peer = ir_measures.providers.registry['cwl_eval'].evaluator(rbp, qrels)
    ours = Evaluator(rbp, qrels)
    return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)
