"""sentence-transformers: train, and keep the checkpoint with the best alpha-nDCG on the validation queries."""

import ir_measures
import tiny
from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

from ir_divmeasures import measures


class DiversityEvaluator(SentenceEvaluator):
    evaluator = ir_measures.evaluator(measures('alpha_nDCG@10 RBU@10 StRecall@10'), tiny.qrels)

    def __call__(self, model, output_path=None, epoch=-1, steps=-1):
        queries, docs = (
            model.encode_query([*tiny.queries.values()]),
            model.encode_document([*tiny.docs.values()]),
        )
        run = {
            q: dict(zip(tiny.docs, row))
            for q, row in zip(tiny.queries, model.similarity(queries, docs).tolist())
        }
        return {
            str(measure): value for measure, value in self.evaluator.calc_aggregate(run).items()
        }


model, best = (
    tiny.sentence_model(),
    {'load_best_model_at_end': True, 'metric_for_best_model': 'alpha_nDCG@10'},
)
settings = SentenceTransformerTrainingArguments(
    learning_rate=0.05, eval_strategy='epoch', save_strategy='epoch', **best
)
trainer = SentenceTransformerTrainer(
    model,
    settings,
    tiny.pairs(),
    evaluator=DiversityEvaluator(),
    loss=MultipleNegativesRankingLoss(model),
)
trainer.train()
print({name: round(value, 4) for name, value in trainer.evaluate().items() if '@' in name})
