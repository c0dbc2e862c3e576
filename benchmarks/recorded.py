"""Record values and outputs of commands, and compare two recordings. This script leaves with the end of the rewrite.
    python -m benchmarks.recorded values VALUES.parquet
    python -m benchmarks.recorded outputs OUTPUTS.parquet
    python -m benchmarks.recorded compare OLD.parquet NEW.parquet

With another checkout in PYTHONPATH, the script records an older state.
"""

# fmt: off
import inspect
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import ir_datasets
import ir_measures
import pandas as pd
import pyterrier as pt

import ir_divmeasures as d

DATA = pathlib.Path(__file__).resolve().parents[2] / 'shared/data'
FLAT = """RBU RBU@20 RBU(p=0.99,e=0.05)@20 RBU(gain='linear')@20 RBU(norm=True)@10 RBU(effort='aspect')@10 RBU(max_rel=4,gain='binary')@10 EU@20 EU(alpha=0.1,base=10)@20 CT@20 CT(saturation=0.5)@10 ACT@10 nDCU@20 nDCU(alpha=1,e=0.1)@10 P_at_Recall P_at_Recall(modified=True) RR_at_Recall ERR_over_aspects(max_rel=5) ERR_over_aspects(mean='harmonic',max_rel=5) ERR_over_aspects(gain='binary',over='all',max_rel=5) alpha_DCG@20 alpha_nDCG@20 alpha_nDCG(alpha=0.9)@10 alpha_nDCG alpha_nDCG(rel=2)@20 alpha_nDCG(judged_only=True)@20
ERR_IA@20 ERR_IA(aspects='listed')@20 nERR_IA@20 NRBP NRBP(alpha=0.2,beta=0.9) nNRBP AP_IA P_IA@20 P_IA(judged_only=True)@10 StRecall@20 StRecall(aspects='listed')@20 I_rec@10 alpha_DCG_IA@20 gNRBP gNRBP(p=0.9,alpha=0.1)@20 StRR StRR(level=0.5)@20 Coverage@20 Coverage(rel=2,partial=0.5)@10 Coverage(weights='uniform',aspects='relevant')@20 RR_IA DCG_IA@20 nDCG_IA@20 nDCG_IA(gain='exp')@10 RBP_IA@20 RBP_IA(gain='linear',p=0.95)@20 gERR_IA@20 Q_IA@20 Q_IA(beta=10) IA(M='nDCG')@10 IA(M='RBU')@10 D_nDCG@20
D_nDCG(gain='exp')@20 D_nDCG(rel=2)@10 D_Q@20 D_Q(beta=0.1) Dsharp_nDCG@20 Dsharp_nDCG(gamma=0.2)@10 Dsharp_Q@20 CDG@20 RRG@20 RBTR@20 RBTR(theta=0.2) DCG@20 DCG(gain='exp') RRDCG@20 ARR@20 RRR@20 RBAP@20 DAG@20 EPR@20 RAP@20 RRAP@20 UM(model=2,P='RBP',gain='linear')@20 UM(model=4,P='ERR')@20 UM(model=2,P='ERR',theta={1:.3,2:.6,3:.7,4:.8,5:.9})@10 UM(model=4,P='AP',norm=True)@20 UM(model=3,P='RRR',effort='k')@10 UM(model=1,P='DCG',base=10)@10 UM_IA(model=2,P='DCG',alpha=0.5)@20
UM_IA(model=4,P='RR',redundancy='RR')@20 UM_IA(model=3,P='AP')@20 GAP@20 GAP nDCG@20 nDCG(dcg='exp-log2')@20 P@10 AP AP(rel=2)@100 RR RBP(p=0.8,rel=1) Judged@10 R@100 Bpref Rprec SetP"""
LAYERED = """I_rec_LA@20 alpha_nDCG_LA@20 ERR_IA_LA@20 Q_IA_LA@20 D_nDCG_LA@20 D_Q_LA@20 Dsharp_nDCG_LA@20 Dsharp_Q_LA@20 LA(M='RBU')@20 N_rec@20 HD_nDCG@20 HD_nDCG(gain='exp')@5 HD_Q@20 HDsharp_nDCG@20 HDsharp_nDCG(gamma=0.2)@10 HDsharp_Q@20 LADsharp_nDCG@20 LADsharp_Q@20 RBU@20 alpha_nDCG@20 nDCG@20"""
SIMILAR = """DocSim@20 DocSim(scheme='NA')@10 DocSim(scheme='RP')@10 DocSim(scheme='NP',pairs='relevant')@10 DS_nDCG@20 DS_nDCG(scheme='NP')@10 DS_Q@20 DS_ERR@20 DS_ERR(scheme='NA',pairs='relevant')@20"""
POOLED = """P_Rareness@20 P_Rareness(alpha='auto')@20 P_Rareness(alpha=0.5,norm=True)@20 AP_Rareness AP_Rareness@20 AP_Rareness(alpha=10)@50 nDCG_Rareness@20 RBP_Rareness@20 RBP_Rareness(p=0.95,alpha=0.3,norm=True)@20 Rareness@20 NumUnique@50 UniqueRecall@50 P@20 AP@100"""
COMMANDS = """evaluate QRELS RUNS -m 'RBU@20 alpha_nDCG@20 nDCG@20'; evaluate QRELS RUNS -m 'RBU@20 ERR_IA@20' --by-query; compare QRELS RUNS -m 'RBU@20 alpha_nDCG@20' --pairs all; compare QRELS RUNS -m 'alpha_nDCG@20 P_IA@20' --format latex; explain QRELS RUN QUERY -m RBU@5; measures alpha_nDCG; cite RBU alpha_nDCG; qrels diagnose QRELS RUNS;
qrels convert QRELS -o /dev/stdout; pool score QRELS RUNS -m 'P_Rareness@20 NumUnique@20'; pool unique QRELS RUNS; meta power QRELS RUNS -m 'RBU@20 alpha_nDCG@20'; meta correlations QRELS RUNS -m 'RBU@20 alpha_nDCG@20 ERR_IA@20'; meta ranks QRELS RUNS -m alpha_nDCG@20; meta unanimity QRELS RUNS -m 'RBU@20 alpha_nDCG@20 ERR_IA@20';
meta stability QRELS RUNS -m 'RBU@20 alpha_nDCG@20'; meta robustness QRELS RUNS -m 'RBU@20 alpha_nDCG@20'; axioms RBU alpha_nDCG; study turkmen-2023 --sample; study amigo-2018 --sample; study carterette-2011 --sample; study dou-2019 --sample; demo"""


def evaluate(runs, qrels, *rest, **options):
    """Evaluate, with the arguments in the order of this checkout."""
    pair = (qrels, runs) if next(iter(inspect.signature(d.evaluate).parameters)) == 'qrels' else (runs, qrels)
    return d.evaluate(*pair, *rest, **options).to_frame().rename(columns={'name': 'system'})


def read_frames(folder, step=1, most=None):
    """Some runs of a folder, as DataFrames by name."""
    return {path.name[:-7]: d.read_run(str(path)) for path in sorted((DATA / folder).glob('*.run.gz'))[::step][:most]}


def draw_world(seed, weights=False, tie=False, real=False):
    """Small judgments and runs with unjudged documents, negative grades, missing queries and, if asked, weights and ties."""
    draw, queries, runs = random.Random(seed), list(map(str, range(12))), {}
    cells = [(q, f'd{doc}', str(subtopic)) for q in queries for doc in range(30) for subtopic in range(1, 2 + int(q) % 5) if draw.random() < 0.35]
    rows = [(q, doc, draw.random() if real else draw.choice((-2, 0, 0, 1, 2, 3)), subtopic) for q, doc, subtopic in cells]
    qrels = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])
    if weights:
        table = [(q, s, draw.choice([1, 2, 5])) for q, s in sorted(set(zip(qrels.query_id, qrels.subtopic_id)))]
        qrels = d.with_weights(qrels, pd.DataFrame(table, columns=['query_id', 'subtopic_id', 'weight']), normalise=True)
    for name in 'ABCD':
        rows = [(q, f'd{doc}', float(draw.randint(0, 9)) if tie else draw.random()) for q in queries[:-1] for doc in draw.sample(range(40), draw.randint(5, 30))]
        runs[name] = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score'])
    return qrels, runs


def collections():
    """Yield the name, judgments, runs and measures of each collection."""
    sample, draw, runs = d.read_qrels('divmeasures/sample/diversity'), random.Random(1), {}
    for name in 'xyz':
        rows = [(q, doc, draw.random()) for q, group in sample.groupby('query_id') for doc in sorted(set(group.doc_id)) if draw.random() < 0.7]
        runs[name] = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score'])
    yield 'sample', sample, runs, FLAT
    texts = {doc.doc_id: ' '.join(map(str, doc[1:])) for doc in ir_datasets.load('divmeasures/sample').docs_iter()}
    for similarity, options in {'simhash': {}, 'tfidf': {'weighting': 'WD'}}.items():
        yield f'sample-{similarity}', d.build_hierarchy(sample, texts, similarity, **options), runs, LAYERED
        yield f'sample-docsim-{similarity}', d.with_similarity(sample, texts, similarity), runs, SIMILAR
    for seed, options in enumerate([{}, {'weights': True}, {'tie': True}, {'real': True}, {'weights': True, 'tie': True}]):
        yield f'random{seed}', *draw_world(seed, **options), FLAT.split(' nDCG(dcg')[0] if 'real' in options else FLAT
    for year in range(2009, 2015):
        name = f'clueweb09/en/trec-web-{year}/diversity' if year < 2013 else f'clueweb12/trec-web-{year}/diversity'
        rows = pd.DataFrame(ir_datasets.load(name).qrels_iter())[['query_id', 'doc_id', 'relevance', 'subtopic_id']]
        frames = {run: frame[frame.query_id.isin(set(rows.query_id))] for run, frame in read_frames(f'runs/{name[:9]}', most=6).items()}
        yield f'web{year}', rows, {run: frame for run, frame in frames.items() if len(frame)}, FLAT
    frames, qrels = read_frames('pool/trec-covid-r5/runs', step=12), d.read_qrels(str(DATA / 'pool/trec-covid-r5/qrels.gz'))
    members = dict(list(frames.items())[2:])
    yield 'covid', d.with_rareness(qrels, frames), frames, POOLED
    yield 'covid-teams', d.with_rareness(qrels, frames, groups={name: name[:3] for name in frames}), frames, POOLED
    yield 'covid-newcomer', d.with_rareness(qrels, members, newcomer=True), dict(list(frames.items())[:2]), POOLED
    for name in ('duc04', 'neuclir24'):
        listed = json.loads((DATA / 'nuggets' / name / 'subquestions.json').read_text())
        qrels = d.read_nuggets(str(DATA / 'nuggets' / name / 'ratings.jsonl.gz'), intents=listed)
        yield name, qrels, read_frames(f'nuggets/{name}/runs', most=4), FLAT.split(' nDCG(dcg')[0]


def values():
    """Yield the values of each collection through each door."""
    for name, qrels, runs, text in collections():
        parsed = d.measures(text)
        with tempfile.TemporaryDirectory() as folder:
            d.write_qrels(qrels, f'{folder}/qrels.tsv')
            for system, frame in runs.items():
                d.write_run(frame, f'{folder}/{system}.run')
            yield evaluate({system: f'{folder}/{system}.run' for system in runs}, f'{folder}/qrels.tsv', parsed).assign(collection=name, door='file')
        yield evaluate(runs, qrels, parsed).assign(collection=name, door='frame')
        nested = {system: {q: dict(zip(g.doc_id, g.score)) for q, g in frame.groupby('query_id', sort=False)} for system, frame in runs.items()}
        ties = None if 'covid' in name else 'doc_id_ascending'
        yield evaluate(nested, qrels, parsed, ties=ties).assign(collection=name, door='dict')
        system, frame = next(iter(runs.items()))
        metrics = pd.DataFrame(ir_measures.iter_calc(parsed, qrels, frame))
        yield metrics.assign(measure=metrics['measure'].astype(str), collection=name, door='ir_measures', system=system)
        result = frame.rename(columns={'query_id': 'qid', 'doc_id': 'docno'}).assign(query='x')
        result['rank'] = result.groupby('qid')['score'].rank(ascending=False, method='first').astype(int) - 1
        truth = qrels.rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
        table = pt.Experiment([result], result[['qid', 'query']].drop_duplicates(), truth, parsed, names=[system], perquery=True)
        yield table.rename(columns={'name': 'system', 'qid': 'query_id'}).assign(measure=table['measure'].astype(str), collection=name, door='pt.Experiment')


def outputs():
    """Yield what each command prints, on the sample and on Web 2014, a row a line."""
    for name, qrels, runs, _ in (each for each in collections() if each[0] in ('sample', 'web2014')):
        with tempfile.TemporaryDirectory() as folder:
            words = {'QRELS': f'{folder}/{name}.qrels.tsv', 'RUNS': f'{folder}/{name}', 'RUN': f'{folder}/{name}/{next(iter(runs))}.run', 'QUERY': str(qrels.query_id.iloc[0])}
            d.write_qrels(qrels, words['QRELS'])
            pathlib.Path(words['RUNS']).mkdir()
            for system, frame in runs.items():
                d.write_run(frame, f'{folder}/{name}/{system}.run')
            for line in [line for line in COMMANDS.replace('\n', ' ').split('; ') if name == 'sample' or 'QRELS' in line]:
                command = [sys.executable, '-m', 'ir_divmeasures', *(words.get(word, word) for word in shlex.split(line))]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                lines = (done.stdout or done.stderr).replace(folder, '').splitlines()
                yield pd.DataFrame([(name, line, n, text) for n, text in enumerate(lines)], columns=['collection', 'command', 'number', 'text'])


def compare(old, new):
    """Print how many values or lines two recordings share, how many differ, and the largest difference."""
    old, new = pd.read_parquet(old), pd.read_parquet(new)
    last = 'value' if 'value' in old else 'text'
    both = old.merge(new, on=[name for name in old.columns if name != last], how='outer', indicator=True, suffixes=('_old', '_new'))
    differ = (both[f'{last}_old'] != both[f'{last}_new']) & both[[f'{last}_old', f'{last}_new']].notna().any(axis=1)
    if last == 'value':
        print('largest difference', (both['value_old'] - both['value_new']).abs().max())
        differ &= ~((both['value_old'] - both['value_new']).abs() <= 1e-12)
    print(f'{len(both)} in all, {differ.sum()} differ, {(both["_merge"] != "both").sum()} in one only', both[differ].head(40).to_string(), sep='\n')


if __name__ == '__main__':
    if sys.argv[1] == 'compare':
        compare(*sys.argv[2:4])
    else:
        parts = values() if sys.argv[1] == 'values' else outputs()
        pd.concat(parts, ignore_index=True).to_parquet(sys.argv[2], index=False)
