"""Small retrieval pipelines for the demo, examples and tests: BM25, LSA, a fusion, and the re-rankers MMR and xQuAD.

All are PyTerrier transformers over a small collection in memory. They need neither Java nor a downloaded model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

from .hosts import pyterrier as host
from .lazy import INSTALL

if TYPE_CHECKING:
    from .core.ranking import Array

host.check()


class Documents:
    """The texts of a collection, indexed once for all systems.

    Args:
        documents: dicts with ``docno`` and texts, as ``dataset.get_corpus_iter()`` returns them, or documents of
            ir_datasets.

    Attributes:
        docnos: (documents,) ids.
        titles: the title of each id.
        vectorizer, tfidf: the tf-idf vectoriser, and its vectors (documents, terms).

    Raises:
        ModuleNotFoundError: bm25s or scikit-learn is not installed. The message has the command that installs them.
    """

    def __init__(self, documents: Iterable[Any]):
        try:
            import bm25s
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f'{error.name} is not installed, which the retrieval systems need: {INSTALL.format("demo")}',
                name=error.name,
            ) from None
        rows = [each if isinstance(each, Mapping) else each._asdict() for each in documents]
        table = pd.DataFrame(rows).rename(columns={'doc_id': 'docno'})
        titles = table['title'] if 'title' in table else pd.Series('', table.index)
        texts = (titles + ' ' + table['text']).str.strip().tolist()
        self.docnos = table['docno'].to_numpy(dtype=object)
        self.titles = dict(zip(self.docnos, titles))
        self._bm25 = bm25s.BM25()
        self._bm25.index(self._words(texts), show_progress=False)
        self.vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words='english')
        self.tfidf = self.vectorizer.fit_transform(texts)

    @staticmethod
    def _words(texts: list[str]) -> Any:
        import bm25s

        return bm25s.tokenize(texts, return_ids=False, show_progress=False)

    def bm25(self, text: str, without: str = '') -> Array:
        """BM25 scores (k1=1.5, b=0.75) of all documents, (documents,), for the words of a text.

        The words of ``without`` are ignored.
        """
        words, left_out = self._words([text, without])
        words = [word for word in words if word not in left_out]
        return np.asarray(self._bm25.get_scores(words) if words else np.zeros(len(self.docnos)))

    def places(self, docnos: Iterable[str]) -> Any:
        """The indices of documents in the collection, (n,)."""
        return pd.Index(self.docnos).get_indexer(pd.Index(docnos))


class Retriever(pt.Transformer):
    """A transformer from topics to the ``depth`` documents with the highest positive scores.

    Args:
        documents: the collection.
        scores: a function of a query that gives a score for each document of the collection.
        depth: the number of documents.
    """

    def __init__(self, documents: Documents, scores: Callable[[str], Array], depth: int = 100):
        self.documents, self.scores, self.depth = documents, scores, depth

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(topics, extra_columns=['query'])
        scores = np.array([self.scores(query) for query in topics['query']]).reshape(
            -1, len(self.documents.docnos)
        )
        best = np.argsort(-scores, kind='stable')[:, : self.depth]
        values = np.take_along_axis(scores, best, axis=1)
        hits = np.nonzero(values > 0)
        found = {'docno': self.documents.docnos[best[hits]], 'score': values[hits]}
        return _ranked(topics.iloc[hits[0]].assign(**found))


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
        vectors = normalize(svd.fit_transform(documents.tfidf))
        transform = documents.vectorizer.transform
        super().__init__(
            documents, lambda query: vectors @ svd.transform(transform([query]))[0], depth
        )


class Fusion(pt.Transformer):
    """Reciprocal rank fusion: each system adds 1/(k + rank) to a document's score.

    Reference: Cormack, Clarke, Büttcher, SIGIR 2009.
    """

    def __init__(self, systems: Sequence[pt.Transformer], k: int = 60):
        self.systems, self.k = tuple(systems), k

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(topics, extra_columns=['query'])
        results = pd.concat([system(topics) for system in self.systems], ignore_index=True)
        results['score'] = 1 / (self.k + 1 + results['rank'])
        scores = results.groupby(['qid', 'docno'], sort=False, as_index=False)['score'].sum()
        return _ranked(
            topics.merge(scores, on='qid').sort_values(['score', 'docno'], ascending=False)
        )


class Reranker(pt.Transformer):
    """A transformer that orders the first ``depth`` documents of each query again, choosing one after the other.

    The next document d maximises (1 - t) P(d|q) + t · diversity(d), t the ``trade_off``, P(d|q) the score relative to
    the query's best.
    """

    columns = ['query']

    def __init__(self, documents: Documents, trade_off: float = 0.5, depth: int = 50):
        if not 0 <= trade_off <= 1:
            raise ValueError(f'trade_off={trade_off!r}: expected a number in [0, 1]')
        self.documents, self.trade_off, self.depth = documents, trade_off, depth

    def diversity(self, candidates: pd.DataFrame) -> Callable[[list[int]], Array]:
        """A function of the rows chosen so far that has a value for each of one query's candidates."""
        raise NotImplementedError

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(results, extra_columns=self.columns)
        ordered = results.sort_values(['score', 'docno'], ascending=False, ignore_index=True)
        rows: list[int] = []
        for query in results['qid'].unique():
            candidates = ordered[ordered['qid'] == query][: self.depth]
            relevance = (1 - self.trade_off) * _relative(candidates['score'].to_numpy(dtype=float))
            diversity = self.diversity(candidates)
            chosen: list[int] = []
            for _ in range(len(candidates)):
                value = relevance + self.trade_off * diversity(chosen)
                value[chosen] = -np.inf
                chosen.append(int(value.argmax()))
            rows.extend(candidates.index[chosen])
        found = _ranked(ordered.loc[rows])
        return found.assign(score=found.groupby('qid')['rank'].rank(ascending=False))


class MMR(Reranker):
    """Maximal marginal relevance: the diversity of d is -max_{d' chosen} sim(d, d'), the cosine of tf-idf vectors.

    Reference: Carbonell, Goldstein, SIGIR 1998.
    """

    def diversity(self, candidates: pd.DataFrame) -> Callable[[list[int]], Array]:
        vectors = self.documents.tfidf[self.documents.places(candidates['docno'])]
        similarity = (vectors @ vectors.T).toarray()
        return lambda chosen: -similarity[chosen].max(axis=0, initial=0)


class XQuAD(Reranker):
    """Explicit query aspect diversification: the diversity of d is

        sum_i P(i|q) P(d|i) prod_{d' chosen} (1 - P(d'|i)),

    i the query's subtopics. P(d|i) is relative to the best candidate: the BM25 score for the words of the subtopic's
    description that are not in the query, because the query's own words do not distinguish its subtopics. Topics need
    a column ``subtopics``, as :func:`ir_divmeasures.terrier.get_topics` returns it. The re-ranker does not read
    judgments.

    Args:
        documents: the collection.
        weights: P(i|q) as ``{qid: {subtopic number: probability}}``; by default the same for each subtopic.
        trade_off: t, the weight of diversity.
        depth: number of candidates to re-rank.

    Reference: Santos, Macdonald, Ounis, WWW 2010.
    """

    columns = ['query', 'subtopics']

    def __init__(
        self,
        documents: Documents,
        weights: Mapping[str, Mapping[str, float]] | None = None,
        trade_off: float = 0.5,
        depth: int = 50,
    ):
        super().__init__(documents, trade_off, depth)
        self.weights = weights

    def diversity(self, candidates: pd.DataFrame) -> Callable[[list[int]], Array]:
        topic, places = candidates.iloc[0], self.documents.places(candidates['docno'])
        covers = np.array(
            [
                _relative(self.documents.bm25(subtopic.text, without=topic['query'])[places])
                for subtopic in topic['subtopics']
            ]
        )
        weights = np.full(len(covers), 1 / len(covers))
        if self.weights is not None:
            of_query = self.weights[topic['qid']]
            weights = np.array([of_query[subtopic.number] for subtopic in topic['subtopics']])
        return lambda chosen: weights * np.prod(1 - covers[:, chosen], axis=1) @ covers


def _relative(scores: Array) -> Array:
    best = scores.max(initial=0)
    return scores / best if best > 0 else np.zeros(len(scores))


def _ranked(results: pd.DataFrame) -> pd.DataFrame:
    """Results of which each query has the best first, with ranks from 0."""
    results = results.reset_index(drop=True)
    return results.assign(rank=results.groupby('qid', sort=False).cumcount())


__all__ = ['BM25', 'Documents', 'Fusion', 'LSA', 'MMR', 'Reranker', 'Retriever', 'XQuAD']
