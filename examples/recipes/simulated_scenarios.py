"""Simulated scenarios (Amigó et al., SIGIR 2018): real grades, random weights of subtopics, shorter rankings."""

import numpy as np

from ir_divmeasures import evaluate, read_qrels

rng = np.random.default_rng(0)
qrels = read_qrels('divmeasures/sample/diversity')  # your judgments, and below your run
grades = np.maximum(qrels['relevance'], 0)
qrels['relevance'] = grades * (1 - rng.random(len(qrels)))  # uniform in (0, grade]
subtopics = qrels[qrels['relevance'] > 0][['query_id', 'subtopic_id']].drop_duplicates()
subtopics['weight'] = 1 - rng.random(len(subtopics))
subtopics['weight'] /= subtopics.groupby('query_id')['weight'].transform('sum')
qrels = qrels.merge(subtopics, how='left', on=['query_id', 'subtopic_id']).fillna({'weight': 0})
run = qrels.groupby(['query_id', 'doc_id'], as_index=False).size().rename(columns={'size': 'score'})
run = run.sort_values(['query_id', 'score'], ascending=[True, False], kind='stable')
ranks = run.groupby('query_id').cumcount()
lengths = run.groupby('query_id').size()
kept = run['query_id'].map(dict(zip(lengths.index, rng.integers(0, lengths, endpoint=True))))
# rel=0, since every grade above 0 is relevant
print(
    evaluate(
        qrels, run.assign(score=-ranks)[ranks < kept], 'alpha_nDCG(rel=0)@20 RBU(rel=0)@20'
    ).means()
)
