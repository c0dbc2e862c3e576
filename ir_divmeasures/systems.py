"""Small retrieval pipelines for the demo, examples and tests: BM25, LSA, a fusion, and the re-rankers MMR and xQuAD.

All are PyTerrier transformers over a small collection in memory. They need neither Java nor a downloaded model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

from .hosts import pyterrier as host

if TYPE_CHECKING:
    import numpy.typing as npt

host.check()
INSTALL = "pip install 'ir_divmeasures[demo]'"


class Documents:
    """The texts of a collection, indexed once for all systems.

    Args:
        documents: dicts with ``docno`` and texts, as ``dataset.get_corpus_iter()`` returns them, or documents of
            ir_datasets.

    Attributes:
        docnos: (documents,) ids.
        titles: the title of each id.
        texts: title and text of each document.
        place: the index of each id.
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
                f'{error.name} is not installed, which the retrieval systems need: {INSTALL}',
                name=error.name,
            ) from None
        parts = [_parts(document) for document in documents]
        self.docnos = np.array([docno for docno, _, _ in parts], dtype=object)
        self.titles = {docno: title for docno, title, _ in parts}
        self.texts = [f'{title} {text}'.strip() for _, title, text in parts]
        self.place = {docno: i for i, docno in enumerate(self.docnos)}
        self._bm25 = bm25s.BM25()
        self._bm25.index(self._words(self.texts), show_progress=False)
        self.vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words='english')
        self.tfidf = self.vectorizer.fit_transform(self.texts)

    @staticmethod
    def _words(texts: Sequence[str]) -> list[list[str]]:
        import bm25s

        return bm25s.tokenize(list(texts), return_ids=False, show_progress=False)  # type: ignore[return-value]

    def bm25(self, text: str, without: str = '') -> npt.NDArray[np.float64]:
        """BM25 scores (k1=1.5, b=0.75) of all documents, (documents,), for the words of a text.

        The words of ``without`` are ignored.
        """
        words, left_out = self._words([text, without])
        words = [word for word in words if word not in left_out]
        return np.asarray(self._bm25.get_scores(words) if words else np.zeros(len(self.docnos)))

    def places(self, docnos: Iterable[str]) -> npt.NDArray[np.intp]:
        """The indices of documents in the collection, (n,)."""
        return np.array([self.place[docno] for docno in docnos], dtype=np.intp)


def _parts(document: Any) -> tuple[str, str, str]:
    """Id, title and text of a document."""
    fields = dict(document) if isinstance(document, Mapping) else document._asdict()
    docno = fields['docno'] if 'docno' in fields else fields['doc_id']
    if 'text' in fields:
        return docno, fields.get('title', ''), fields['text']
    return docno, '', document.default_text()


class Retriever(pt.Transformer):
    """A transformer from topics to the ``depth`` documents with the highest positive scores."""

    def __init__(self, documents: Documents, depth: int = 100):
        self.documents, self.depth = documents, depth

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """A score for each document of the collection."""
        raise NotImplementedError

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(topics, extra_columns=['query'])
        rows, places, found = [], [np.zeros(0, np.intp)], [np.zeros(0)]
        for row, query in enumerate(topics['query']):
            scores = self.scores(query)
            best = np.argsort(-scores, kind='stable')[: self.depth]
            best = best[scores[best] > 0]
            rows += [row] * len(best)
            places.append(best)
            found.append(scores[best])
        results = topics.iloc[rows].reset_index(drop=True)
        docnos = pd.Series(self.documents.docnos[np.concatenate(places)], dtype=object)
        return _ranked(results.assign(docno=docnos, score=np.concatenate(found)))


class BM25(Retriever):
    """BM25 by bm25s."""

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        return self.documents.bm25(query)


class LSA(Retriever):
    """Latent semantic analysis: cosine of query and document in a truncated SVD of the tf-idf matrix."""

    def __init__(self, documents: Documents, dimensions: int = 150, depth: int = 100):
        from sklearn.decomposition import TruncatedSVD
        from sklearn.preprocessing import normalize

        super().__init__(documents, depth)
        dimensions = min(dimensions, min(documents.tfidf.shape) - 1)
        self._svd = TruncatedSVD(dimensions, random_state=0)
        self._vectors = normalize(self._svd.fit_transform(documents.tfidf))

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        return self._vectors @ self._svd.transform(self.documents.vectorizer.transform([query]))[0]


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
        scores = topics.merge(scores, on='qid').sort_values(
            ['score', 'docno'], ascending=False, ignore_index=True
        )
        return _ranked(scores)


class Reranker(pt.Transformer):
    """A transformer that orders the first ``depth`` documents of each query again, choosing one after the other."""

    def __init__(self, documents: Documents, trade_off: float = 0.5, depth: int = 50):
        if not 0 <= trade_off <= 1:
            raise ValueError(f'trade_off={trade_off!r}: expected a number in [0, 1]')
        self.documents, self.trade_off, self.depth = documents, trade_off, depth

    def order(self, candidates: pd.DataFrame) -> list[int]:
        """Row numbers of one query's candidates, best first."""
        raise NotImplementedError

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(results, extra_columns=['query'])
        ordered = results.sort_values(['score', 'docno'], ascending=False, ignore_index=True)
        parts = [ordered[:0]]
        for query in results['qid'].unique():
            candidates = ordered[ordered['qid'] == query][: self.depth].reset_index(drop=True)
            chosen = candidates.iloc[self.order(candidates)]
            parts.append(chosen.assign(score=np.arange(len(chosen), 0.0, -1)))
        return _ranked(pd.concat(parts[1:] or parts, ignore_index=True))


class MMR(Reranker):
    """Maximal marginal relevance: the next document d maximises

        (1 - t) rel(d) - t max_{d' chosen} sim(d, d'),

    t the ``trade_off``, rel the score relative to the query's best, sim the cosine of the tf-idf vectors.

    Reference: Carbonell, Goldstein, SIGIR 1998.
    """

    def order(self, candidates: pd.DataFrame) -> list[int]:
        relevance = _relative(candidates['score'].to_numpy(dtype=float))
        vectors = self.documents.tfidf[self.documents.places(candidates['docno'])]
        similarity = (vectors @ vectors.T).toarray()
        chosen: list[int] = []
        closest = np.zeros(len(candidates))
        for _ in range(len(candidates)):
            value = (1 - self.trade_off) * relevance - self.trade_off * closest
            value[chosen] = -np.inf
            chosen.append(int(value.argmax()))
            closest = np.maximum(closest, similarity[chosen[-1]])
        return chosen


class XQuAD(Reranker):
    """Explicit query aspect diversification: the next document d maximises

        (1 - t) P(d|q) + t sum_i P(i|q) P(d|i) prod_{d' chosen} (1 - P(d'|i)),

    t the ``trade_off``, i the query's subtopics. P(d|q) and P(d|i) are scores relative to the best candidate's, for i
    the BM25 scores for the words of the subtopic's description that are not in the query, because the query's own words
    do not distinguish its subtopics. Topics need a column ``subtopics``, as :func:`ir_divmeasures.terrier.get_topics`
    returns it. The re-ranker does not read judgments.

    Args:
        documents: the collection.
        weights: P(i|q) as ``{qid: {subtopic number: probability}}``; by default the same for each subtopic.
        trade_off: t, the weight of diversity.
        depth: number of candidates to re-rank.

    Reference: Santos, Macdonald, Ounis, WWW 2010.
    """

    def __init__(
        self,
        documents: Documents,
        weights: Mapping[str, Mapping[str, float]] | None = None,
        trade_off: float = 0.5,
        depth: int = 50,
    ):
        super().__init__(documents, trade_off, depth)
        self.weights = weights

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(results, extra_columns=['query', 'subtopics'])
        return super().transform(results)

    def order(self, candidates: pd.DataFrame) -> list[int]:
        relevance = _relative(candidates['score'].to_numpy(dtype=float))
        subtopics = candidates['subtopics'].iloc[0]
        places = self.documents.places(candidates['docno'])
        query = candidates['query'].iloc[0]
        covers = np.array(
            [
                _relative(self.documents.bm25(subtopic.text, without=query)[places])
                for subtopic in subtopics
            ]
        )
        weights = np.full(len(subtopics), 1 / len(subtopics))
        if self.weights is not None:
            of_query = self.weights[candidates['qid'].iloc[0]]
            weights = np.array([of_query[subtopic.number] for subtopic in subtopics], dtype=float)
        chosen: list[int] = []
        missing = np.ones(len(subtopics))
        for _ in range(len(candidates)):
            value = (1 - self.trade_off) * relevance + self.trade_off * (weights * missing) @ covers
            value[chosen] = -np.inf
            chosen.append(int(value.argmax()))
            missing = missing * (1 - covers[:, chosen[-1]])
        return chosen


def _relative(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    best = scores.max(initial=0)
    return scores / best if best > 0 else np.zeros(len(scores))


def _ranked(results: pd.DataFrame) -> pd.DataFrame:
    """Results of which each query has the best first, with ranks from 0."""
    return results.assign(rank=results.groupby('qid', sort=False).cumcount())


__all__ = ['BM25', 'Documents', 'Fusion', 'LSA', 'MMR', 'Reranker', 'Retriever', 'XQuAD']
