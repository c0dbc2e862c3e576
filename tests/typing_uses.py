"""Right and wrong uses of the package, for type checkers: tests/test_typing.py runs them on this file, nothing runs it.

A line with ``# error`` is wrong, and every other line is right. What follows ``# is`` must be in the revealed type.
"""

import pathlib

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

import ir_divmeasures
from ir_divmeasures import (
    CWL,
    IA,
    RBU,
    UM,
    Scores,
    alpha_nDCG,
    bounds,
    diagnose,
    evaluate,
    explain,
    leaderboard,
    measures,
    meta,
    read_qrels,
    read_run,
    read_runs,
    sensitivity,
    terrier,
    topic_level,
    with_rareness,
    with_weights,
)
from ir_divmeasures.pools import Pool
from ir_divmeasures.typing import MeasuresLike, QrelsLike, RunLike, RunsLike

QRELS = {'q': {'d1': {'1': 1, '2': 0}, 'd2': {'2': 1}}}
RUNS = {'a': {'q': {'d1': 2.0, 'd2': 1.0}}, 'b': {'q': {'d1': 1.0}}}
FRAME = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d1'], 'relevance': [1], 'subtopic_id': ['1']})

# ---------------------------------------------------------------------------------------- the most used calls
reveal_type(RBU)  # is RBU
reveal_type(RBU(p=0.9) @ 20)  # is RBU
reveal_type(alpha_nDCG(alpha=0.5) @ 20)  # is alpha_nDCG
reveal_type(measures('RBU@20 nDCG@20'))  # is Measure]
reveal_type(read_qrels('qrels.txt'))  # is DataFrame
reveal_type(read_run('my.run'))  # is DataFrame
reveal_type(read_runs('runs'))  # is Iterator[tuple[str,
reveal_type(topic_level(QRELS))  # is DataFrame
reveal_type(with_weights(QRELS, 'weights.txt'))  # is DataFrame
scores = evaluate(RUNS, QRELS, [RBU @ 20, 'alpha_nDCG@20', nDCG @ 20])
reveal_type(scores)  # is Scores
reveal_type(scores.means())  # is DataFrame
reveal_type(scores.to_frame())  # is DataFrame
reveal_type(scores.select(measures=['RBU@20']))  # is Scores
reveal_type(scores['RBU@20'])  # is float64
reveal_type(scores.values)  # is float64
reveal_type(scores.systems)  # is tuple[str, ...]
reveal_type(evaluate(RUNS, QRELS, 'RBU', along='iteration'))  # is Curves
reveal_type((RBU @ 20).calc_aggregate(QRELS, RUNS['a']))  # is float
reveal_type((RBU @ 20).iter_calc(QRELS, RUNS['a']))  # is Metric
reveal_type(explain(RUNS, QRELS, 'RBU@20', 'q').to_frame())  # is DataFrame
reveal_type(bounds(RUNS, QRELS, RBU @ 20).means())  # is DataFrame
reveal_type(diagnose(RUNS, QRELS))  # is Diagnosis
reveal_type(sensitivity(RUNS, QRELS, RBU @ 20, p=[0.5, 0.9]).means())  # is DataFrame
reveal_type(meta.compare(scores, 'a'))  # is Comparison
reveal_type(meta.compare(scores, 'a').to_frame())  # is DataFrame
reveal_type(meta.compare(scores, 'a').plot())  # is Axes
reveal_type(meta.discriminative_power(scores, rng=1).to_frame())  # is DataFrame
reveal_type(meta.correlations(np.zeros((2, 3, 4))).plot())  # is Axes
reveal_type(Pool.from_runs(RUNS).judgments(QRELS))  # is DataFrame
reveal_type(terrier.get_qrels('trec-diversity'))  # is DataFrame
reveal_type(leaderboard(RUNS, QRELS, 'RBU@20'))  # is Leaderboard

# ------------------------------------------------------------------------------------------------- measures
RBU(q=3)  # error
RBU(p='x')  # error
RBU(gain='exponential')  # error
RBU(0.9)  # error
RBU @ 'ten'  # error
RBU(p=0.9, e=0.05, gain='linear')(norm=True)
RBU(max_rel=None, cutoff=20, rel=2, judged_only=True)
RBU(effort='length', unit=300)
RBU(p=0.9).nothing  # error
IA(nDCG @ 10)
IA(M='nDCG@10') @ 20
IA(10)  # error
UM(model=1, P='RBP', theta={1: 0.3, 2: 0.7})
UM(theta='half')  # error
CWL(C='INSQ', T=2.0)
ir_divmeasures.MAP_IA(aspects='listed')
ir_divmeasures.I_rec(rel='high')  # error
ir_divmeasures.α_nDCG(alpha=0.5) @ 10
ir_divmeasures.RBUU  # error
ir_divmeasures.reed_qrels('qrels.txt')  # error
by_name: ir_measures.Measure = RBU @ 20
ir_measures.calc_aggregate([RBU @ 20, nDCG @ 20], FRAME, RUNS['a'])


# ------------------------------------------------------------------------------------- judgments, runs, measures
def my_scores(runs: RunsLike, qrels: QrelsLike, asked: MeasuresLike) -> Scores:
    return evaluate(runs, qrels, asked)


def my_run(run: RunLike) -> pd.DataFrame:
    return read_run(run)


for runs in ('runs', pathlib.Path('runs'), RUNS, FRAME):
    my_scores(runs, FRAME, 'RBU@20')
my_scores(['a.run', 'b.run'], pathlib.Path('qrels.txt'), measures('RBU'))
my_scores({'a': FRAME, 'b': FRAME}, FRAME, RBU @ 20)
my_scores([('a', FRAME), ('b', FRAME)], FRAME, [RBU @ 20])
my_scores((RUNS[name] for name in RUNS), [ir_measures.Qrel('q', 'd1', 1)], RBU)
my_run([ir_measures.ScoredDoc('q', 'd1', 1.0)])
my_run({'q': {'d1': np.float64(1), 'd2': np.int64(2)}})
with open('qrels.txt') as file:
    read_qrels(file)
evaluate(3, QRELS, 'RBU')  # error
evaluate(RUNS, 3.5, 'RBU')  # error
evaluate(RUNS, QRELS, 20)  # error
evaluate(RUNS, QRELS, [20])  # error
evaluate(RUNS, QRELS)  # error
evaluate(RUNS, QRELS, 'RBU', missing=0)  # error
evaluate(RUNS, QRELS, 'RBU', job=2)  # error
read_qrels(None)  # error
read_qrels({'q': {'d1': {'1': 'high'}}})  # error
read_run({'q': {'d1': [1.0]}})  # error
bounds(RUNS, None, 'RBU')  # error
explain(RUNS, QRELS, RBU @ 20)  # error
explain(RUNS, QRELS, 'q', RBU @ 20)  # error
leaderboard(RUNS, QRELS, 'RBU@20', True)  # error
with_rareness(QRELS, RUNS, depth='deep')  # error
meta.compare(scores, method=3)  # error
meta.discriminative_power(scores, rng='seed')  # error
Scores([[0.5, 0.3], [0.2, 0.4]], systems=['a', 'b'], measures=['AP'])
Scores([[0.5]], system=['a'])  # error
scores.mean()  # error
