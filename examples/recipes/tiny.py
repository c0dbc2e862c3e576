"""What stands in for your data and models in the recipes: the sample collection, and models with random weights.

Nothing is downloaded. The models have as few parameters as their libraries allow, so that a recipe runs on a CPU in
seconds; their scores mean nothing.
"""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any

import ir_datasets

from ir_divmeasures import read_qrels

DATASET = 'divmeasures/sample/diversity'
_dataset = ir_datasets.load(DATASET)
queries: dict[str, str] = {query.query_id: query.query for query in _dataset.queries_iter()}
docs: dict[str, str] = {doc.doc_id: doc.default_text() for doc in _dataset.docs_iter()}
qrels = read_qrels(DATASET)


def pairs() -> Any:
    """Queries with a relevant document each, for training: a ``datasets.Dataset`` of ``anchor`` and ``positive``."""
    from datasets import Dataset

    relevant = qrels[qrels['relevance'] > 0].drop_duplicates(['query_id', 'doc_id'])
    return Dataset.from_list(
        [
            {'anchor': queries[query], 'positive': docs[doc]}
            for query, doc in zip(relevant['query_id'], relevant['doc_id'])
        ]
    )


def _tokenizer() -> Any:
    """Words of the collection as tokens, with BERT's special tokens."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordLevel(unk_token='[UNK]'))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(
        [*queries.values(), *docs.values()],
        trainers.WordLevelTrainer(special_tokens=['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']),
    )
    tokenizer.post_processor = processors.BertProcessing(('[SEP]', 3), ('[CLS]', 2))
    return tokenizer


def sentence_model() -> Any:
    """A model of sentence-transformers with one vector of 32 numbers a word."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding

    torch.manual_seed(0)
    return SentenceTransformer(
        modules=[StaticEmbedding(_tokenizer(), embedding_dim=32)], device='cpu'
    )


def bert_folder() -> str:
    """A folder with a BERT model of one layer and its tokenizer, as ``from_pretrained`` reads it."""
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=_tokenizer(),
        pad_token='[PAD]',
        unk_token='[UNK]',
        cls_token='[CLS]',
        sep_token='[SEP]',
        mask_token='[MASK]',
    )
    folder = tempfile.mkdtemp()
    tokenizer.save_pretrained(folder)
    BertModel(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
        )
    ).save_pretrained(folder)
    return folder


def bm25(depth: int = 20) -> Any:
    """PyTerrier's columns of a run of BM25: ``qid, query, docno, score, rank``."""
    from ir_divmeasures import terrier
    from ir_divmeasures.systems import BM25, Documents

    found = BM25(Documents(_dataset.docs_iter()))(terrier.get_topics(_dataset))
    return found[found['rank'] < depth]


def run_file() -> pathlib.Path:
    """BM25 as a TREC run in a temporary folder. Lightning IR takes the id of the dataset from its name."""
    path = pathlib.Path(tempfile.mkdtemp(), f'bm25__{DATASET.replace("/", "-")}.run')
    lines = bm25().assign(q0='Q0', tag='bm25')[['qid', 'q0', 'docno', 'rank', 'score', 'tag']]
    lines.to_csv(path, sep=' ', header=False, index=False)
    return path


def mteb_task() -> Any:
    """The sample collection as a task of MTEB, which knows whether a document is relevant, not for what."""
    from mteb import TaskMetadata
    from mteb.abstasks import AbsTaskRetrieval

    class Sample(AbsTaskRetrieval):
        """See :func:`mteb_task`."""

        metadata = TaskMetadata(
            name='DivMeasuresSample',
            description='The sample collection.',
            type='Retrieval',
            category='t2t',
            modalities=['text'],
            eval_splits=['test'],
            eval_langs=['eng-Latn'],
            main_score='ndcg_at_10',
            dataset={'path': 'in this file', 'revision': '1'},
        )

        def load_data(self, **_: Any) -> None:
            """Fill the attributes that MTEB reads."""
            relevant = qrels[qrels['relevance'] > 0]
            self.queries, self.corpus = {'test': queries}, {'test': docs}
            self.relevant_docs = {
                'test': {
                    query: dict.fromkeys(rows['doc_id'], 1)
                    for query, rows in relevant.groupby('query_id')
                }
            }
            self.data_loaded = True

    return Sample()
