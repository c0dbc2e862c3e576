"""Intent hierarchies and document similarity on AMBIENT: the studies of Dou et al. 2019, §5.2 and §5.3.

python -m studies hierarchies   # some minutes; writes docs/studies/hierarchies.md
"""

from __future__ import annotations

import gzip
import pathlib
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from ir_divmeasures import (
    build_hierarchy,
    cluster_intents,
    evaluate,
    hierarchy_tree,
    read_qrels,
    read_run,
)
from ir_divmeasures.judgments.hierarchy import hierarchies_in_orders
from ir_divmeasures.judgments.similarity import SCALES, alike_prints, simhash, static_model
from ir_divmeasures.judgments.texts import terms, tokenizer_of
from ir_divmeasures.sample import SUPERINTENTS
from ir_divmeasures.studies.bottom_up import (
    SEED,
    B,
    Data,
    by_precision,
    claims,
    correlations,
    measured,
    power,
    quiet,
    table_4,
    table_ds,
    tau,
)

from .common import templated

SAMPLE = 'divmeasures/sample/diversity'


# ---------------------------------------------------------------------------------------------------- the data


def ambient(folder: pathlib.Path) -> tuple[dict[str, str], dict[str, str], dict[str, list[str]]]:
    """Texts of the results, query texts, and descriptions of their subtopics."""
    with gzip.open(folder / 'results.txt.gz', 'rt', encoding='utf-8', errors='replace') as file:
        rows = [line.rstrip('\n').split('\t') for line in file][1:]
    topics = pd.read_csv(folder / 'topics.txt', sep='\t', dtype=str, quoting=3)
    subtopics = pd.read_csv(folder / 'subTopics.txt', sep='\t', dtype=str, quoting=3)
    of_topic = (
        subtopics.groupby(subtopics['ID'].str.split('.').str[0])['description']
        .apply(list)
        .to_dict()
    )
    return (
        {row[0]: ' '.join(row[2:]) for row in rows},
        dict(zip(topics['ID'], topics['description'])),
        of_topic,
    )


def systems(
    engine: pd.DataFrame,
    docs: dict[str, str],
    queries: dict[str, str],
    subtopics: dict[str, list[str]],
) -> dict[str, pd.DataFrame]:
    """Real rankings of each query's 100 results: the engine's, retrieval models, and diversified forms of them."""
    import bm25s
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    rng = np.random.default_rng(SEED)
    rows_of: dict[str, list[tuple[str, str, float]]] = {}
    for query, rows in engine.groupby('query_id', sort=False):
        ids = rows.sort_values('score', ascending=False)['doc_id'].tolist()
        n = len(ids)
        x = TfidfVectorizer(analyzer=terms).fit([docs[d] for d in ids])
        vectors = x.transform([docs[d] for d in ids])
        alike = (vectors @ vectors.T).toarray()
        by_engine = 1 - np.arange(n) / n

        def put(name: str, order: np.ndarray, query: str = query, ids: list[str] = ids) -> None:
            rows_of.setdefault(name, []).extend(
                (query, ids[d], float(len(ids) - i)) for i, d in enumerate(order)
            )

        put('engine', np.arange(n))  # BM25 where there is no engine
        put('engine, halves swapped', np.r_[n // 2 : n, 0 : n // 2])
        for number in (1, 2):
            put(f'random {number}', rng.permutation(n))
        put(
            'TF-IDF',
            np.argsort(
                -(vectors @ x.transform([queries[query]]).T).toarray().ravel(), kind='stable'
            ),
        )
        for k1, b in ((0.9, 0.4), (1.5, 0.75), (2.0, 1.0)):
            index = bm25s.BM25(k1=k1, b=b)
            index.index([terms(docs[d]) for d in ids], show_progress=False)
            score = (
                index.get_scores(
                    [t for t in terms(queries[query]) if t in index.vocab_dict] or ['']
                )
                if any(t in index.vocab_dict for t in terms(queries[query]))
                else np.zeros(n)
            )
            put(f'BM25 k1={k1} b={b}', np.argsort(-score, kind='stable'))
        for share in (0.3, 0.5, 0.7, 0.9):
            put(f'MMR λ={share}', mmr(by_engine, alike, share))
        for groups in (5, 10, 20):
            labels = KMeans(groups, n_init=1, random_state=SEED).fit_predict(vectors)
            put(f'k-means {groups}, in turn', in_turn(labels))
            labels = AgglomerativeClustering(
                groups, metric='precomputed', linkage='average'
            ).fit_predict(np.clip(1 - alike, 0, 1))
            put(f'average link {groups}, in turn', in_turn(labels))
        aspects = (vectors @ x.transform(subtopics[query]).T).toarray()
        for share in (0.3, 0.6, 0.9):
            put(f'xQuAD λ={share}', xquad(by_engine, aspects, share))
    return {
        name: pd.DataFrame(ranked, columns=['query_id', 'doc_id', 'score'])
        for name, ranked in rows_of.items()
    }


def mmr(relevance: np.ndarray, alike: np.ndarray, share: float) -> np.ndarray:
    """Carbonell & Goldstein 1998: next the largest λ·relevance − (1 − λ)·similarity to what was chosen."""
    selection: list[int] = []
    nearest = np.zeros(len(relevance))
    for _ in relevance:
        value = share * relevance - (1 - share) * nearest
        value[selection] = -np.inf
        selection.append(int(value.argmax()))
        nearest = np.maximum(nearest, alike[selection[-1]])
    return np.array(selection)


def in_turn(labels: np.ndarray) -> np.ndarray:
    """One document of each cluster at a time, within a cluster in the engine's order."""
    place = pd.Series(labels).groupby(labels).cumcount().to_numpy()
    return np.lexsort((np.arange(len(labels)), place))


def xquad(relevance: np.ndarray, aspects: np.ndarray, share: float) -> np.ndarray:
    """Santos et al. 2010 with the collection's subtopic descriptions as aspects."""
    selection: list[int] = []
    left = np.ones(aspects.shape[1])
    for _ in relevance:
        value = (1 - share) * relevance + share * (aspects * left).mean(axis=1)
        value[selection] = -np.inf
        selection.append(int(value.argmax()))
        left = left * (1 - aspects[selection[-1]])
    return np.array(selection)


def sample() -> tuple[pd.DataFrame, dict[str, str], dict[str, str], dict[str, list[str]]]:
    """The package's sample collection: BM25's first 100 documents per query, and texts as of :func:`ambient`."""
    import bm25s
    import ir_datasets

    dataset = ir_datasets.load(SAMPLE)
    docs = {doc.doc_id: doc.default_text() for doc in dataset.docs_iter()}
    queries = {query.query_id: query.query for query in dataset.queries_iter()}
    subtopics = {
        query.query_id: [subtopic.text for subtopic in query.subtopics]
        for query in dataset.queries_iter()
    }
    index = bm25s.BM25()
    index.index([terms(text) for text in docs.values()], show_progress=False)
    rows, ids = [], np.array(list(docs))
    for query, text in queries.items():
        score = index.get_scores([term for term in terms(text) if term in index.vocab_dict])
        rows += [
            (query, ids[i], float(-rank))
            for rank, i in enumerate(np.argsort(-score, kind='stable')[:100])
        ]
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score']), docs, queries, subtopics


def embedded(docs: dict[str, str]) -> dict[str, np.ndarray]:
    """Vectors of texts by the model of ``similarity='static'``: averages of 256-dimensional word vectors."""
    return dict(zip(docs, static_model().embed(list(docs.values()))))


def largest_share(scale: str, low: float = 0.4, high: float = 0.5) -> float:
    """The most pairs that can lie in a bin when bits differ independently, with any one probability up to ½."""
    inside = (SCALES[scale] >= low) & (SCALES[scale] < high)
    return max(
        float(binom.pmf(np.flatnonzero(inside), 64, p).sum()) for p in np.linspace(0, 0.5, 501)
    )


def unrelated(docs: dict[str, str]) -> pd.DataFrame:
    """Mean SimHash similarity of 200 texts of unrelated documents, by their length."""
    rng = np.random.default_rng(SEED)
    values, rows = list(docs.values()), []
    for n in (1, 3, 10, 30):
        order = rng.permutation(len(values))
        texts = [
            ' '.join(values[i] for i in order[np.arange(k * n, k * n + n) % len(values)])
            for k in range(200)
        ]
        row: dict[str, object] = {'terms': int(np.median([len(terms(text)) for text in texts]))}
        for name, stopwords in (('all terms', None), ('without stop words', 'english')):
            prints = simhash(texts, tokenizer_of(None, stopwords))
            for scale, label in (('cosine', 'cos(π·H/64)'), ('hamming', '1 − H/64')):
                row[f'{label}, {name}'] = float(
                    alike_prints(prints, scale)[np.triu_indices(200, 1)].mean()
                )
        rows.append(row)
    return pd.DataFrame(rows)


def tie_orders(data: Data) -> tuple[pd.DataFrame, list[int]]:
    """Ranges of scores over ten orders of keys, for four runs; discriminative power in each order."""
    rows = []
    runs = list(data.pool)[:: len(data.pool) // 4][:4]
    built = list(hierarchies_in_orders(data.qrels, data.docs, 10, SEED))
    for name in ('HD_nDCG@20', 'HDsharp_nDCG@20', 'N_rec@20'):
        scores = [
            evaluate({run: data.pool[run] for run in runs}, each, [name]).values[:, :, 0]
            for each in built
        ]
        spread = np.max(scores, axis=0) - np.min(scores, axis=0)
        rows.append(
            {
                'measure': name,
                'mean range of a query': spread.mean(),
                'largest': spread.max(),
                'range of a mean': np.ptp(np.mean(scores, axis=2), axis=0).max(),
            }
        )
    counts = [
        int(power(evaluate(data.pool, each, ['HDsharp_nDCG@20']))['significant'].iloc[0])
        for each in built
    ]
    return pd.DataFrame(rows), counts


def section(results: dict[str, Any]) -> dict[str, Any]:
    """A collection's tables, and the numbers of nDCG itself."""
    counts, kinds = results['counts'], list(results['data'].kinds())
    return {
        'alike': results['alike'],
        'shuffled': results['shuffled'],
        'cutoffs': results['cutoffs'].reset_index(drop=True),
        'measures': table_4(counts),
        'ndcg': counts.loc['nDCG@20', ['significant', 'delta']].to_dict(),
        'similarity': table_ds(counts, kinds),
        'delta': table_ds(counts, kinds, 'delta'),
        'precision': by_precision(results),
        'correlation': correlations(results['means']),
        'significant': counts['significant'].astype(int).to_dict(),
    }


def drafts(names: str) -> pd.DataFrame:
    """Superintents by clustering of the intents' texts against those by hand: pairs of intents that are together."""
    hand = pd.read_csv(SUPERINTENTS, sep='\t', dtype=str)

    def together(table: pd.DataFrame) -> set[tuple[str, str, str]]:
        joined = table.merge(table, on=['query_id', 'superintent'])
        joined = joined[joined['subtopic_id_x'] < joined['subtopic_id_y']]
        return set(zip(joined['query_id'], joined['subtopic_id_x'], joined['subtopic_id_y']))

    rows = []
    for cutoff in (0.05, 0.1, 0.2):
        together_by_cluster = together(quiet(lambda: cluster_intents(names, cutoff=cutoff)))  # noqa: B023
        rows.append(
            {
                'δ': f'{cutoff:g}',
                'pairs': len(together_by_cluster),
                'also by hand': len(together_by_cluster & together(hand)),
                'by hand': len(together(hand)),
            }
        )
    return pd.DataFrame(rows)


def page(data: pathlib.Path) -> str:
    """The page's text."""
    folder = data / 'data/ambient'
    docs, queries, subtopics = ambient(folder)
    qrels = read_qrels(folder / 'qrels.diversity')
    sizes = qrels[qrels['relevance'] > 0].groupby(['query_id', 'subtopic_id']).size()
    run, *texts = sample()
    collections = {
        'AMBIENT': measured(
            Data(
                qrels,
                docs,
                systems(read_run(folder / 'engine-order.run'), docs, queries, subtopics),
                embedded(docs),
            )
        ),
        'sample': measured(
            Data(
                read_qrels(SAMPLE), texts[0], systems(run, *texts), embedded(texts[0]), SUPERINTENTS
            )
        ),
    }
    first = collections['AMBIENT']
    ties, orders = tie_orders(first['data'])
    n_systems = len(first['data'].pool)
    sample_means = collections['sample']['means']
    return wrapped(
        templated(
            'hierarchies',
            sections={name: section(results) for name, results in collections.items()},
            SAMPLE=SAMPLE,
            B=B,
            n_queries=qrels['query_id'].nunique(),
            length=np.median([len(terms(text)) for text in docs.values()]),
            sizes=sizes,
            n_systems=n_systems,
            n_pairs=n_systems * (n_systems - 1) // 2,
            claims=claims(collections),
            nearly={
                pairs: tau(sample_means, 'nDCG@20', f'DS RA SimHash {pairs}')
                for pairs in ('ranks', 'relevant')
            },
            scale=SCALES['cosine'],
            below={
                kind: first['alike'][kind].iloc[:3].sum()
                for kind in ('SimHash', 'SimHash 1 − H/64')
            },
            shares={scale: largest_share(scale) for scale in SCALES},
            unrelated=unrelated(docs),
            ties=ties,
            orders=orders,
            tree=hierarchy_tree(build_hierarchy(qrels, docs, similarity='tfidf', cutoff=0.2), '44'),
            drafts=drafts(SAMPLE),
        )
    )


def wrapped(page: str) -> str:
    """Prose in lines of at most 120; tables, headings and listings as they are."""
    parts = []
    for number, piece in enumerate(page.split('```')):
        paragraphs = piece.split('\n\n')
        parts.append(
            piece
            if number % 2
            else '\n\n'.join(
                textwrap.fill(
                    ' '.join(text.split()),
                    120,
                    subsequent_indent='  ' if text.startswith('* ') else '',
                )
                if text.strip() and not text.lstrip().startswith(('|', '#'))
                else text
                for text in paragraphs
            )
        )
    return '```'.join(parts)
