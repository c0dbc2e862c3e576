"""Intent hierarchies and document similarity on AMBIENT: the studies of Dou et al. 2019, §5.2 and §5.3.

    python -m studies hierarchies   # about two minutes; writes docs/studies/hierarchies.md
"""
from __future__ import annotations

import gzip
import pathlib
import textwrap
import warnings

import numpy as np
import pandas as pd

from ir_divmeasures import (
    DivMeasuresWarning,
    Scores,
    build_hierarchy,
    describe_hierarchy,
    evaluate,
    hierarchy_tree,
    meta,
    read_qrels,
    read_run,
    topic_level,
    with_fingerprints,
)
from ir_divmeasures.evaluation.scores import join
from ir_divmeasures.judgments.fingerprints import simhash
from ir_divmeasures.judgments.texts import terms
from ir_divmeasures.kernels.fingerprint import similarity_matrix

from .common import markdown

B, SEED = 1000, 0
SAMPLE = 'divmeasures/sample/diversity'
CUTOFFS = tuple(round(0.1 * i, 1) for i in range(11))
DELTA = {'simhash': 0.6, 'tfidf': 0.2}
KINDS = {'simhash': 'SimHash', 'tfidf': 'TF-IDF'}
LAYERED = {'I-rec': 'I_rec_LA@20', 'α-nDCG': 'alpha_nDCG_LA@20', 'ERR-IA': 'ERR_IA_LA@20', 'Q-IA': 'Q_IA_LA@20',
           'D#-nDCG (LA)': 'Dsharp_nDCG_LA@20', 'D#-Q (LA)': 'Dsharp_Q_LA@20', 'D#-nDCG (HD)': 'HDsharp_nDCG@20',
           'D#-Q (HD)': 'HDsharp_Q@20', 'D#-nDCG (LAD)': 'LADsharp_nDCG@20', 'D#-Q (LAD)': 'LADsharp_Q@20'}
FLAT = {'I-rec': 'StRecall@20', 'α-nDCG': 'alpha_nDCG@20', 'ERR-IA': 'ERR_IA@20', 'Q-IA': 'Q_IA@20',
        'D#-nDCG': 'Dsharp_nDCG@20', 'D#-Q': 'Dsharp_Q@20'}


# ---------------------------------------------------------------------------------------------------- the data

def ambient(folder: pathlib.Path) -> tuple[dict[str, str], dict[str, str], dict[str, list[str]]]:
    """Texts of the results, query texts, and descriptions of their subtopics."""
    with gzip.open(folder / 'results.txt.gz', 'rt', encoding='utf-8', errors='replace') as file:
        rows = [line.rstrip('\n').split('\t') for line in file][1:]
    topics = pd.read_csv(folder / 'topics.txt', sep='\t', dtype=str, quoting=3)
    subtopics = pd.read_csv(folder / 'subTopics.txt', sep='\t', dtype=str, quoting=3)
    of_topic = subtopics.groupby(subtopics['ID'].str.split('.').str[0])['description'].apply(list).to_dict()
    return {row[0]: ' '.join(row[2:]) for row in rows}, dict(zip(topics['ID'], topics['description'])), of_topic


def systems(engine: pd.DataFrame, docs: dict[str, str], queries: dict[str, str], subtopics: dict[str, list[str]],
            ) -> dict[str, pd.DataFrame]:
    """Real rankings of each query's 100 results: the engine's, retrieval models, and diversified forms of them."""
    import bm25s
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    rng = np.random.default_rng(SEED)
    made: dict[str, list[tuple[str, str, float]]] = {}
    for query, rows in engine.groupby('query_id', sort=False):
        ids = rows.sort_values('score', ascending=False)['doc_id'].tolist()
        n = len(ids)
        x = TfidfVectorizer(analyzer=terms).fit([docs[d] for d in ids])
        vectors = x.transform([docs[d] for d in ids])
        alike = (vectors @ vectors.T).toarray()
        by_engine = 1 - np.arange(n) / n

        def put(name: str, order: np.ndarray, query: str = query, ids: list[str] = ids) -> None:
            made.setdefault(name, []).extend((query, ids[d], float(len(ids) - i)) for i, d in enumerate(order))

        put('engine', np.arange(n))  # BM25 where there is no engine
        put('engine, halves swapped', np.r_[n // 2:n, 0:n // 2])
        for number in (1, 2):
            put(f'random {number}', rng.permutation(n))
        put('TF-IDF', np.argsort(-(vectors @ x.transform([queries[query]]).T).toarray().ravel(), kind='stable'))
        for k1, b in ((0.9, 0.4), (1.5, 0.75), (2.0, 1.0)):
            index = bm25s.BM25(k1=k1, b=b)
            index.index([terms(docs[d]) for d in ids], show_progress=False)
            score = index.get_scores([t for t in terms(queries[query]) if t in index.vocab_dict] or ['']) \
                if any(t in index.vocab_dict for t in terms(queries[query])) else np.zeros(n)
            put(f'BM25 k1={k1} b={b}', np.argsort(-score, kind='stable'))
        for share in (0.3, 0.5, 0.7, 0.9):
            put(f'MMR λ={share}', mmr(by_engine, alike, share))
        for groups in (5, 10, 20):
            labels = KMeans(groups, n_init=1, random_state=SEED).fit_predict(vectors)
            put(f'k-means {groups}, in turn', in_turn(labels))
            labels = AgglomerativeClustering(groups, metric='precomputed', linkage='average').fit_predict(
                np.clip(1 - alike, 0, 1))
            put(f'average link {groups}, in turn', in_turn(labels))
        aspects = (vectors @ x.transform(subtopics[query]).T).toarray()
        for share in (0.3, 0.6, 0.9):
            put(f'xQuAD λ={share}', xquad(by_engine, aspects, share))
    return {name: pd.DataFrame(found, columns=['query_id', 'doc_id', 'score']) for name, found in made.items()}


def mmr(relevance: np.ndarray, alike: np.ndarray, share: float) -> np.ndarray:
    """Carbonell & Goldstein 1998: next the largest λ·relevance − (1 − λ)·similarity to what was chosen."""
    chosen: list[int] = []
    nearest = np.zeros(len(relevance))
    for _ in relevance:
        value = share * relevance - (1 - share) * nearest
        value[chosen] = -np.inf
        chosen.append(int(value.argmax()))
        nearest = np.maximum(nearest, alike[chosen[-1]])
    return np.array(chosen)


def in_turn(labels: np.ndarray) -> np.ndarray:
    """One document of each cluster at a time, within a cluster in the engine's order."""
    place = pd.Series(labels).groupby(labels).cumcount().to_numpy()
    return np.lexsort((np.arange(len(labels)), place))


def xquad(relevance: np.ndarray, aspects: np.ndarray, share: float) -> np.ndarray:
    """Santos et al. 2010 with the collection's subtopic descriptions as aspects."""
    chosen: list[int] = []
    left = np.ones(aspects.shape[1])
    for _ in relevance:
        value = (1 - share) * relevance + share * (aspects * left).mean(axis=1)
        value[chosen] = -np.inf
        chosen.append(int(value.argmax()))
        left = left * (1 - aspects[chosen[-1]])
    return np.array(chosen)


def sample() -> tuple[pd.DataFrame, dict[str, str], dict[str, str], dict[str, list[str]]]:
    """The package's sample collection: BM25's first 100 documents per query, and texts as of :func:`ambient`."""
    import bm25s
    import ir_datasets

    dataset = ir_datasets.load(SAMPLE)
    docs = {doc.doc_id: doc.default_text() for doc in dataset.docs_iter()}
    queries = {query.query_id: query.query for query in dataset.queries_iter()}
    subtopics = {query.query_id: [subtopic.text for subtopic in query.subtopics] for query in dataset.queries_iter()}
    index = bm25s.BM25()
    index.index([terms(text) for text in docs.values()], show_progress=False)
    rows, ids = [], np.array(list(docs))
    for query, text in queries.items():
        score = index.get_scores([term for term in terms(text) if term in index.vocab_dict])
        rows += [(query, ids[i], float(-rank)) for rank, i in enumerate(np.argsort(-score, kind='stable')[:100])]
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score']), docs, queries, subtopics


# ---------------------------------------------------------------------------------------------------- the tables

def similarities(qrels: pd.DataFrame, docs: dict[str, str]) -> pd.DataFrame:
    """Share of pairs of documents relevant to the same intent, by similarity (the paper's Figure 7)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    ids = qrels.loc[qrels['relevance'] > 0, 'doc_id'].drop_duplicates().tolist()
    place = {d: i for i, d in enumerate(ids)}
    values = [docs[d] for d in ids]
    prints, vectors = simhash(values), TfidfVectorizer(analyzer=terms).fit_transform(values)
    found: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS.values()}
    for _, rows in qrels[qrels['relevance'] > 0].groupby(['query_id', 'subtopic_id']):
        here = [place[d] for d in rows['doc_id']]
        above = np.triu_indices(len(here), 1)
        found['SimHash'].append(similarity_matrix(prints[here])[above])
        found['TF-IDF'].append((vectors[here] @ vectors[here].T).toarray()[above])
    edges = np.r_[np.arange(10) / 10, 1.0001]
    shares = {kind: np.histogram(np.concatenate(parts), edges)[0] for kind, parts in found.items()}
    frame = pd.DataFrame({kind: counts / counts.sum() for kind, counts in shares.items()})
    frame.insert(0, 'similarity', [f'[{low:.1f}, {low + 0.1:.1f})' for low in edges[:9]] + ['[0.9, 1.0]'])
    return frame


def power(scores: Scores) -> pd.DataFrame:
    """Significantly different pairs and the difference needed, by the paired bootstrap."""
    return meta.discriminative_power(scores, n_resamples=B, rng=SEED).to_frame()


def by_cutoff(pool: dict[str, pd.DataFrame], qrels: pd.DataFrame, docs: dict[str, str]) -> pd.DataFrame:
    """HD#-nDCG@20 with different δ (the paper's Figure 8)."""
    variants = {'WI': {}, 'WD': {'weighting': 'WD'}, 'WI raw': {'raw': True}, 'WI TF-IDF': {'similarity': 'tfidf'},
                'WI TL': {'level': 'topic'}}
    rows = []
    for cutoff in CUTOFFS:
        row: dict[str, object] = {'δ': cutoff}
        for name, settings in variants.items():
            built = build_hierarchy(qrels, docs, cutoff=cutoff, **settings)
            if name in ('WI', 'WI TF-IDF'):
                nodes = describe_hierarchy(built)
                lowest = nodes['layer'] == nodes.groupby('query_id')['layer'].transform('max')
                row[f'leaves ({KINDS[settings.get("similarity", "simhash")]})'] = \
                    float(lowest.sum() / nodes['query_id'].nunique())
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', DivMeasuresWarning)  # TL with a low cutoff has one cluster per query
                row[name] = int(power(evaluate(pool, built, ['HDsharp_nDCG@20']))['significant'].iloc[0])
        rows.append(row)
    frame = pd.DataFrame(rows)
    return frame[['δ', *(c for c in frame if c.startswith('leaves')), *variants]]


def renamed(scores: Scores, suffix: str) -> Scores:
    return Scores(scores.values, scores.systems, scores.queries, tuple(f'{m} {suffix}' for m in scores.measures))


def compared(pool: dict[str, pd.DataFrame], qrels: pd.DataFrame, docs: dict[str, str]) -> Scores:
    """Every measure of the paper's Tables 3 and 4 that needs no superintents."""
    printed = with_fingerprints(qrels, docs)
    parts = [evaluate(pool, qrels, [*FLAT.values(), 'nDCG@20']),
             evaluate(pool, printed, ['DocSim@20', 'P@20',
                                      *(f"DS_nDCG(scheme='{scheme}')@20" for scheme in ('RA', 'RP', 'NA', 'NP'))])]
    for kind, cutoff in DELTA.items():
        for weighting in ('WI', 'WD'):
            built = build_hierarchy(qrels, docs, similarity=kind, cutoff=cutoff, weighting=weighting)
            parts.append(renamed(evaluate(pool, built, list(LAYERED.values())), f'{weighting} {KINDS[kind]}'))
        built = build_hierarchy(topic_level(qrels), docs, similarity=kind, cutoff=cutoff, level='topic')
        parts.append(renamed(evaluate(pool, built, list(LAYERED.values())), f'TL {KINDS[kind]}'))
    return join(*parts)


def table_4(counts: pd.DataFrame) -> str:
    rows = []
    for name, layered in LAYERED.items():
        base = FLAT[name.split(' (')[0]]
        row = {'measure': name, 'flat': int(counts.loc[base, 'significant']), 'flat Δ': counts.loc[base, 'delta']}
        for kind in KINDS.values():
            for suffix in ('WI', 'WD', 'TL'):
                at = f'{layered} {suffix} {kind}'
                row[f'{suffix} {kind}'] = int(counts.loc[at, 'significant'])
                if suffix == 'WI':
                    row[f'WI Δ {kind}'] = counts.loc[at, 'delta']
        rows.append(row)
    return markdown(pd.DataFrame(rows), 2)


def table_3(means: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Symmetric τ_AP of the systems' mean scores."""
    return pd.DataFrame([{'': one, **{other: float(meta.tau_ap(means[a], means[b], symmetric=True)) if one != other
                                      else 1.0 for other, b in names.items()}} for one, a in names.items()])


def page(data: pathlib.Path) -> str:
    """The page's text."""
    folder = data / 'data/ambient'
    docs, queries, subtopics = ambient(folder)
    qrels = read_qrels(folder / 'qrels.diversity')
    pool = systems(read_run(folder / 'engine-order.run'), docs, queries, subtopics)
    relevant = qrels[qrels['relevance'] > 0]
    sizes = relevant.groupby(['query_id', 'subtopic_id']).size()
    pairs = len(pool) * (len(pool) - 1) // 2
    alike = similarities(qrels, docs)
    cutoffs = by_cutoff(pool, qrels, docs).set_index('δ', drop=False)
    scores = compared(pool, qrels, docs)
    counts, means = power(scores), scores.means()
    simhash_wi, tfidf_wi = 'HDsharp_nDCG@20 WI SimHash', 'HDsharp_nDCG@20 WI TF-IDF'
    third = table_3(means, {
        'α-nDCG': 'alpha_nDCG@20', 'ERR-IA': 'ERR_IA@20', 'D#-nDCG': 'Dsharp_nDCG@20', 'HD#-nDCG WI': simhash_wi,
        'HD#-nDCG WD': 'HDsharp_nDCG@20 WD SimHash', 'LAD#-nDCG WI': 'LADsharp_nDCG@20 WI SimHash',
        'α-nDCG-LA WI': 'alpha_nDCG_LA@20 WI SimHash', 'ERR-IA-LA WI': 'ERR_IA_LA@20 WI SimHash',
        'HD#-nDCG WI TF-IDF': tfidf_wi})
    by_similarity = {'nDCG': 'nDCG@20', 'nDCG RA': 'DS_nDCG@20',
                     **{f'nDCG {scheme}': f"DS_nDCG(scheme='{scheme}')@20" for scheme in ('RP', 'NA', 'NP')}}
    fourth = table_3(means, {**by_similarity, 'HD#-nDCG WI': simhash_wi})
    weighting = {kind: [float(meta.tau_ap(means[f'{m} WI {kind}'], means[f'{m} WD {kind}'], symmetric=True))
                        for m in LAYERED.values()] for kind in KINDS.values()}
    topic = {name: [float(meta.tau_ap(means[FLAT[name]], means[f'{LAYERED[at]} TL {kind}'], symmetric=True))
                    for kind in KINDS.values()]
             for name, at in (('α-nDCG', 'α-nDCG'), ('ERR-IA', 'ERR-IA'), ('Q-IA', 'Q-IA'),
                              ('D#-nDCG', 'D#-nDCG (LA)'))}
    similar = [{'measure': name, 'pairs': int(counts.loc[at, 'significant']), 'Δ': counts.loc[at, 'delta']}
               for name, at in by_similarity.items()]
    example = build_hierarchy(qrels, docs, similarity='tfidf', cutoff=DELTA['tfidf'])
    tree = hierarchy_tree(example, '44')
    low, high = (int(counts.loc['Dsharp_nDCG@20', end]) for end in ('low', 'high'))
    sample_run, sample_docs, sample_queries, sample_subtopics = sample()
    sample_qrels = read_qrels(SAMPLE)
    sample_pool = systems(sample_run, sample_docs, sample_queries, sample_subtopics)
    sample_cutoffs = by_cutoff(sample_pool, sample_qrels, sample_docs)
    sample_counts = power(compared(sample_pool, sample_qrels, sample_docs))
    better, sample_better = (sum(
        found.loc[f'{at} WI {kind}', 'significant'] >= found.loc[FLAT[name.split(' (')[0]], 'significant']
        for name, at in LAYERED.items() for kind in KINDS.values()) for found in (counts, sample_counts))
    tau = third.set_index('')
    significant = counts['significant'].astype(int)

    best = means['nDCG@20'].idxmax()
    place = int(means['DS_nDCG@20'].rank(ascending=False)[best])
    text = f'''# Intent hierarchies and document similarity

## In short

```python
from ir_divmeasures import build_hierarchy, evaluate, hierarchy_tree, with_fingerprints, write_qrels

built = build_hierarchy('my.qrels', docs, similarity='tfidf', cutoff=0.2)   # docs: ir_datasets, DataFrame, dict, …
print(hierarchy_tree(built, '44', docs))                                    # look at it
write_qrels(built, 'my.hierarchy.tsv')                                      # judgments like any others
evaluate('runs/', built, ['HDsharp_nDCG@20', 'alpha_nDCG_LA@20', 'N_rec@20'])

printed = with_fingerprints('my.qrels', docs)                               # can be shared where documents cannot
build_hierarchy(printed)                                                    # no texts needed any more
evaluate('runs/', printed, ['DS_nDCG@20'])
```

## The study

Made by `python -m studies hierarchies`; every number on this page was printed by it. Definitions: Dou, Yang, Li,
Wen, Sakai, *Low-cost, bottom-up measures for evaluating search result diversification*, IRJ 2019, below "the paper".

The paper uses TREC Web Track 2009-2013: 250 topics, ClueWeb pages, 950 pairs of submitted runs. Those pages may not be
shared. AMBIENT (Carpineto & Romano) is what can be: {qrels['query_id'].nunique()} short ambiguous queries with 100
results each, of which only title and snippet are known (about {np.median([len(terms(t)) for t in docs.values()]):.0f}
terms); judgments are binary. {len(sizes)} intents have relevant documents, {sizes.median():.0f} in the median and
{sizes.mean():.1f} on average; {int((sizes == 1).sum())} have one. {len(pool)} rankings of the same 100 results per
query: the engine's, BM25, TF-IDF, MMR, clusters taken in turn, xQuAD with the subtopics' descriptions, random ones;
{pairs} pairs. All cutoffs are 20. A pair is significantly different at p < 0.05 by the paired bootstrap, B = {B}. As p
is estimated from {B} resamples, a count is uncertain by a few pairs: that of D#-nDCG, {counts.loc['Dsharp_nDCG@20',
'significant']}, surely lies between {low} and {high}. Small differences between counts below mean nothing.

There are no superintents for AMBIENT, so nothing is said here about SUP and its combinations.

## How alike relevant documents of an intent are (Dou et al. 2019, Fig. 7)

Share of pairs of documents that are relevant to the same intent:

{markdown(alike)}

SimHash of unrelated texts lies around 0.5 by construction (each bit is a coin), so with δ = 0.3, which the paper uses,
no hierarchy arises here at all: nearly every cluster is pruned into its intent. On long pages the paper finds most
pairs between 0.4 and 0.5. The right δ depends on the similarity and on the length of the texts; look at this table
first.

## δ and discriminative power (Dou et al. 2019, Fig. 8)

Significantly different pairs of {pairs} by HD#-nDCG@20, and leaves per query:

{markdown(cutoffs, 1)}

WI, WD: SimHash, weights by leaves and by gains. WI raw: without compression, uniform intents. WI TF-IDF: cosine. WI TL:
clusters of topic-level relevant documents, no intents used.

## Flat and hierarchical measures (Dou et al. 2019, Table 4)

Significantly different pairs of {pairs}; Δ is the difference of means that suffices. δ = {DELTA['simhash']} for
SimHash, {DELTA['tfidf']} for TF-IDF. LA takes the measure layer by layer, HD sums gains over layers, LAD combines node
recall with the layer-aware D-measure. TL starts from topic-level judgments.

{table_4(counts)}

## Rank correlation (Dou et al. 2019, Table 3)

Symmetric τ_AP between the systems' means:

{markdown(third)}

WI against WD, over the ten measures above: τ_AP from {min(weighting['SimHash']):.3f} to {max(weighting['SimHash']):.3f}
with SimHash, {min(weighting['TF-IDF']):.3f} to {max(weighting['TF-IDF']):.3f} with TF-IDF (paper: over 0.9).

Flat measures against their layer-aware forms on hierarchies made without any intents (TL):

{markdown(pd.DataFrame([{'measure': name, **dict(zip(KINDS.values(), values))} for name, values in topic.items()]))}

## Document similarity (Dou et al. 2019, §4)

{markdown(pd.DataFrame(similar))}

{markdown(fourth)}

## A hierarchy

Query 44, TF-IDF, δ = {DELTA['tfidf']} (`hierarchy_tree` shows top terms as well when it is given the texts):

```
{tree}
```

## The same on the sample collection

`{SAMPLE}`, which comes with the package: {sample_qrels['query_id'].nunique()} queries, grades 0 to 3,
{len(sample_docs)} documents of about {np.median([len(terms(text)) for text in sample_docs.values()]):.0f} terms, the
same {len(sample_pool)} systems with BM25's first 100 documents in place of an engine's.

{markdown(sample_cutoffs, 1)}

{table_4(sample_counts)}

Documents alone: nDCG {sample_counts.loc['nDCG@20', 'significant']}, with similarity
{sample_counts.loc['DS_nDCG@20', 'significant']} (RA),
{sample_counts.loc["DS_nDCG(scheme='RP')@20", 'significant']} (RP),
{sample_counts.loc["DS_nDCG(scheme='NA')@20", 'significant']} (NA),
{sample_counts.loc["DS_nDCG(scheme='NP')@20", 'significant']} (NP) pairs.

These systems differ so much that most of the {pairs} pairs are significant whatever the measure, and nothing can be
said about the best δ. Where there is room, for I-rec, subintents help as on AMBIENT: from
{int(sample_counts.loc['StRecall@20', 'significant'])} to
{int(sample_counts.loc['I_rec_LA@20 WI TF-IDF', 'significant'])} pairs.

## What agrees with the paper, and what does not

* **δ = 0** gives the flat measure in every variant made of intents ({cutoffs.loc[0.0, 'WI']} pairs). Agrees.

* **Subintents raise discriminative power**: {better} of {2 * len(LAYERED)} layered measures (WI, both similarities)
separate at least as many pairs as their flat parents; on the sample collection, near its ceiling, {sample_better}.
Agrees on AMBIENT, and by more than in the paper: HD#-nDCG goes from
{significant['Dsharp_nDCG@20']} to {significant[simhash_wi]} and {significant[tfidf_wi]} of {pairs} (paper: from 557 to
574 of 950).

* **WI or WD** hardly matters, and SimHash and TF-IDF end up alike once δ suits them. Agrees.

* **Raw hierarchies** are worse than compressed ones with weights by height from δ = 0.7 on
({cutoffs.loc[1.0, 'WI raw']} against {cutoffs.loc[1.0, 'WI']} pairs at δ = 1). Agrees, though not at δ = 0.6.

* **The best δ.** The paper has a peak at 0.3 to 0.5 and a decline after it. Here power rises with δ and stays: at δ =
1, where every document is a leaf of its own, HD#-nDCG separates {cutoffs.loc[1.0, 'WI']} pairs. Disagrees. One should
not read this as "finer is better": node recall then is the share of relevant documents found, and nDCG, which knows
nothing of diversity, separates {significant['nDCG@20']} pairs as well. On these rankings relevance is easier to tell
apart than diversity, and a fine hierarchy brings a diversity measure nearer to relevance. The paper itself calls
discriminative power necessary, not sufficient.

* **TL**, without intents, is about as discriminative as WI here, in the paper less than the flat measures. Disagrees,
for the same reason: at δ = 0 TL has one node per query and is an ad-hoc measure, with {cutoffs.loc[0.0, 'WI TL']}
pairs.

* **Document similarity.** In the paper all four schemes separate at least as many pairs as nDCG; here
{sum(row['pairs'] >= significant['nDCG@20'] for row in similar[1:])} of the four. RA and NA fall behind most: S@k over
all ranks grows with the number of relevant documents retrieved (Kendall's τ of the systems' DocSim@20 and P@20:
{meta.kendall(means['DocSim@20'], means['P@20']):.3f}), so that half of the score works against the other half; the
system that is first by nDCG ({best}) has rank {place} of {len(pool)} by nDCG RA. RP and NP, which only look at
neighbours, stay close to nDCG. The similarities of snippets also vary little (see above), which leaves S little to
tell.

* **Rank correlation** between flat and hierarchical measures is higher than in the paper: α-nDCG with HD#-nDCG WI
{tau.loc['α-nDCG', 'HD#-nDCG WI']:.3f} (paper: .726), D#-nDCG with it {tau.loc['D#-nDCG', 'HD#-nDCG WI']:.3f} (.760),
ERR-IA with it {tau.loc['ERR-IA', 'HD#-nDCG WI']:.3f} (.675). Intents here have few documents, so that hierarchies add
less. The order agrees: HD# and LAD# are nearly the same ({tau.loc['HD#-nDCG WI', 'LAD#-nDCG WI']:.3f}; paper: .966).
'''
    return wrapped(text)


def wrapped(page: str) -> str:
    """Prose in lines of at most 120; tables, headings and listings as they are."""
    parts = []
    for number, piece in enumerate(page.split('```')):
        paragraphs = piece.split('\n\n')
        parts.append(piece if number % 2 else '\n\n'.join(
            textwrap.fill(' '.join(text.split()), 120, subsequent_indent='  ' if text.startswith('* ') else '')
            if text.strip() and not text.lstrip().startswith(('|', '#')) else text for text in paragraphs))
    return '```'.join(parts)
