"""Retrieval pipelines for the demo, examples and tests: PyTerrier transformers over a small collection in memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from .core.ranking import Array
from .errors import check_number
from .lazy import INSTALL


class Documents:
    """A collection, indexed once for all systems: dicts as of ``dataset.get_corpus_iter()``, or ir_datasets' documents.

    Attributes:
        docnos, titles: (documents,) ids, and the title of each id.
        vectorizer, tfidf: the tf-idf vectoriser, and its vectors (documents, terms).
    """

    def __init__(self, documents: Iterable[Any]):
        try:
            import bm25s
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ModuleNotFoundError as error:
            needed = f'which the retrieval systems need: {INSTALL.format("demo")}'
            error.msg = f'{error.name} is not installed, {needed}'
            raise
        rows = [each if isinstance(each, Mapping) else each._asdict() for each in documents]
        table = pd.DataFrame(rows).rename(columns={'doc_id': 'docno'})
        titles = table['title'] if 'title' in table else pd.Series('', table.index)
        texts = (titles + ' ' + table['text']).str.strip().tolist()
        self.docnos = table['docno'].to_numpy(dtype=object)
        self.titles = dict(zip(self.docnos, titles))
        self._words = functools.partial(bm25s.tokenize, return_ids=False, show_progress=False)
        self._bm25 = bm25s.BM25()
        self._bm25.index(self._words(texts), show_progress=False)
        self.vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words='english')
        self.tfidf = self.vectorizer.fit_transform(texts)

    def bm25(self, text: str, without: str = '') -> Array:
        """BM25 scores (k1=1.5, b=0.75) of all documents, (documents,), for the words of a text but not of ``without``."""
        words, left_out = self._words([text, without])
        words = [word for word in words if word not in left_out]
        return np.asarray(self._bm25.get_scores(words) if words else np.zeros(len(self.docnos)))

    def places(self, docnos: Iterable[str]) -> Any:
        """The indices of documents in the collection, (n,)."""
        return pd.Index(self.docnos).get_indexer(pd.Index(docnos))


class Retriever(pt.Transformer):
    """From topics to the ``depth`` documents with the highest positive ``scores``, a function of a query: (documents,)."""

    def __init__(self, documents: Documents, scores: Callable[[str], Array], depth: int = 100):
        self.documents, self.scores, self.depth = documents, scores, depth

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(topics, extra_columns=['query'])
        size = len(self.documents.docnos)
        scores = np.reshape([self.scores(query) for query in topics['query']], (-1, size))
        best = np.argsort(-scores, kind='stable')[:, : self.depth]
        values = np.take_along_axis(scores, best, axis=1)
        hits = np.nonzero(values > 0)
        columns = {'docno': self.documents.docnos[best[hits]], 'score': values[hits]}
        return _ranked(topics.iloc[hits[0]].assign(**columns))


class BM25(Retriever):
    """BM25 by bm25s."""

    def __init__(self, documents: Documents, depth: int = 100):
        super().__init__(documents, documents.bm25, depth)


class LSA(Retriever):
    """Latent semantic analysis: cosine of query and document in a truncated SVD of the tf-idf matrix."""

    def __init__(self, documents: Documents, dimensions: int = 150, depth: int = 100):
        from sklearn.decomposition import TruncatedSVD
        from sklearn.preprocessing import normalize

        svd = TruncatedSVD(min(dimensions, min(documents.tfidf.shape) - 1), random_state=0)
        vectors, words = normalize(svd.fit_transform(documents.tfidf)), documents.vectorizer
        super().__init__(
            documents, lambda query: vectors @ svd.transform(words.transform([query]))[0], depth
        )


class Fusion(pt.Transformer):
    """Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): each system adds 1/(k + rank) to a document."""

    def __init__(self, systems: Sequence[pt.Transformer], k: int = 60):
        self.systems, self.k = tuple(systems), k

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(topics, extra_columns=['query'])
        results = pd.concat([system(topics) for system in self.systems], ignore_index=True)
        results['score'] = 1 / (self.k + 1 + results['rank'])
        scores = results.groupby(['qid', 'docno'], sort=False, as_index=False)['score'].sum()
        fused = topics.merge(scores, on='qid').sort_values(['score', 'docno'], ascending=False)
        return _ranked(fused)


class Reranker(pt.Transformer):
    """Orders the first ``depth`` documents of each query again, choosing one after the other.

    The next document d maximises (1 - t) P(d|q) + t · diversity(d), t the ``trade_off``, P(d|q) the score relative to
    the query's best.
    """

    columns = ['query']

    def __init__(self, documents: Documents, trade_off: float = 0.5, depth: int = 50):
        check_number('trade_off', trade_off)
        self.documents, self.trade_off, self.depth = documents, trade_off, depth

    def diversity(self, candidates: pd.DataFrame) -> Callable[[list[int]], Array]:
        """A function of the rows chosen so far that has a value for each of one query's candidates."""
        raise NotImplementedError

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(results, extra_columns=self.columns)
        results = results.reset_index(drop=True)
        rows: list[int] = []
        for _, rows_of_query in results.groupby('qid', sort=False):
            candidates = rows_of_query.sort_values(['score', 'docno'], ascending=False)[
                : self.depth
            ]
            relevance = (1 - self.trade_off) * _relative(candidates['score'].to_numpy(dtype=float))
            diversity = self.diversity(candidates)
            chosen: list[int] = []
            for _ in range(len(candidates)):
                value = relevance + self.trade_off * diversity(chosen)
                value[chosen] = -np.inf
                chosen.append(int(value.argmax()))
            rows.extend(candidates.index[chosen])
        reranked = _ranked(results.loc[rows])
        return reranked.assign(score=reranked.groupby('qid')['rank'].rank(ascending=False))


class MMR(Reranker):
    """Maximal marginal relevance (Carbonell, Goldstein, SIGIR 1998): diversity is -max_{d' chosen} sim(d, d'), the cosine."""

    def diversity(self, candidates: pd.DataFrame) -> Callable[[list[int]], Array]:
        vectors = self.documents.tfidf[self.documents.places(candidates['docno'])]
        similarity = (vectors @ vectors.T).toarray()
        return lambda chosen: -similarity[chosen].max(axis=0, initial=0)


class XQuAD(Reranker):
    """Explicit query aspect diversification (Santos, Macdonald, Ounis, WWW 2010) by descriptions, not by judgments.

    Diversity is sum_i P(i|q) P(d|i) prod_{d' chosen} (1 - P(d'|i)), i the query's subtopics. P(d|i) is relative to the
    best candidate: the BM25 score for the words of the subtopic's description that are not in the query. Topics need a
    column ``subtopics``, as :func:`ir_divmeasures.terrier.get_topics` returns it. ``weights`` are P(i|q) as ``{qid:
    {subtopic number: probability}}``, by default the same for each subtopic.
    """

    columns = ['query', 'subtopics']

    def __init__(self, documents: Documents, weights: Any = None, *settings: Any, **named: Any):
        super().__init__(documents, *settings, **named)
        self.weights = weights

    def diversity(self, candidates: pd.DataFrame) -> Callable[[list[int]], Array]:
        topic, places = candidates.iloc[0], self.documents.places(candidates['docno'])
        bm25, subtopics, query = self.documents.bm25, topic['subtopics'], topic['query']
        covers = np.array([_relative(bm25(each.text, without=query)[places]) for each in subtopics])
        weights = np.full(len(covers), 1 / len(covers))
        if self.weights is not None:
            weights = np.array([self.weights[topic['qid']][each.number] for each in subtopics])
        return lambda chosen: weights * np.prod(1 - covers[:, chosen], axis=1) @ covers


def _relative(scores: Array) -> Array:
    best = scores.max(initial=0)
    return scores / best if best > 0 else np.zeros(len(scores))


def _ranked(results: pd.DataFrame) -> pd.DataFrame:
    """Results of which each query has the best first, with ranks from 0."""
    results = results.reset_index(drop=True)
    return results.assign(rank=results.groupby('qid', sort=False).cumcount())


__all__ = ['BM25', 'Documents', 'Fusion', 'LSA', 'MMR', 'Reranker', 'Retriever', 'XQuAD']
