"""How fast scores come, against peers run side by side in this process, and how cost grows.

    python -m benchmarks [part …] [--json FILE] [--against FILE] [--readme] [--ndeval PATH]

Times are CPU time of one process, all its threads counted (of the ndeval program that of its processes); peer and ours
take turns, and medians are compared. An absolute time means little on a shared machine; the ratios are what to look at.
``--json`` keeps the results, ``--against`` compares with kept ones, ``--readme`` writes benchmarks/README.md.
"""
# ruff: noqa: B023
from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import ir_divmeasures
from benchmarks.data import FORTY, NDEVAL, collection, memory_before, most_memory, run, write
from ir_divmeasures import evaluate
from ir_divmeasures.evaluation.provider import Evaluator, others
from ir_divmeasures.judgments import memory

Row = dict[str, Any]
ADHOC = 'nDCG@20 AP P@10'
PACKAGES = ('numpy', 'pandas', 'pyarrow', 'ir_measures', 'pyndeval', 'pytrec_eval-terrier', 'ranx', 'cwl-eval')
HERE = pathlib.Path(__file__).parent


# ---------------------------------------------------------------------------------------------------- measuring

def cpu(call: Callable[[], object], children: bool = False) -> float:
    """CPU seconds of a call, of its child processes where it is they that work."""
    gc.collect()
    if children:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        call()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    start = time.process_time()
    call()
    return time.process_time() - start


def against(part: str, what: str, peer: str, theirs: Callable[[], object], ours: Callable[[], object],
            target: float | None = None, repeat: int = 5, children: bool = False) -> Row:
    """One comparison: both once to warm up, then in turns."""
    theirs(), ours()
    times = [(cpu(theirs, children), cpu(ours)) for _ in range(repeat)]
    a, b = (statistics.median(each) for each in zip(*times))
    return {'part': part, 'what': what, 'peer': peer, 'peer_ms': 1e3 * a, 'ours_ms': 1e3 * b, 'ratio': a / b,
            'target': target}


def anew(call: Callable[[], object]) -> Callable[[], object]:
    """A call that finds no judgments of earlier calls."""
    def forgetful() -> None:
        memory._memory.clear()
        call()
    return forgetful


def plain() -> Any:
    """ir_measures without this package."""
    return ir_measures.providers.FallbackProvider(others())


def parsed(names: str) -> list[Any]:
    """Measures in ir_measures' own classes where it has them, for its providers."""
    return [ir_measures.parse_measure(name) for name in names.split()]


# -------------------------------------------------------------------------------------------------------- parts

def peers(options: argparse.Namespace) -> Iterator[Row]:
    """50 queries × 1000 documents against ir_measures with pyndeval and pytrec_eval, the ndeval program, cwl_eval."""
    rng = np.random.default_rng(1)
    nine, theirs = ir_divmeasures.measures(NDEVAL), parsed(NDEVAL)
    mixed = NDEVAL + ' nDCG@20 P@20 AP RR'
    pyndeval, host = ir_measures.providers.registry['pyndeval'], plain()
    with tempfile.TemporaryDirectory() as folder:
        for name, judged, share in (('', 300, .1), ('; 500 judged a query, 450 of them retrieved', 500, .45)):
            qrels, frame = collection(rng, judged=judged), run(rng, judged=judged, share=share)
            peer, ours = pyndeval.evaluator(theirs, qrels), ir_measures.evaluator(nine, qrels)
            yield against('peers', f'DataFrame, one evaluator{name}', 'ir_measures + pyndeval',
                          lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame), 15)
            yield against('peers', f'DataFrame, one call{name}', 'ir_measures + pyndeval',
                          lambda: pyndeval.calc_aggregate(theirs, qrels, frame),
                          anew(lambda: ir_measures.calc_aggregate(nine, qrels, frame)), 10)
            for suffix in ('run', 'run.gz'):
                path = write(frame, pathlib.Path(folder) / f'{judged}.{suffix}')
                yield against('peers', f'file (.{suffix}), one evaluator{name}', 'ir_measures + pyndeval',
                              lambda p=path: peer.calc_aggregate(ir_measures.read_trec_run(str(p))),
                              lambda p=path: ours.calc_aggregate(str(p)), 10 if suffix == 'run' else None)
            if options.ndeval:
                plain_qrels = pathlib.Path(folder) / f'{judged}.qrels'
                qrels[['query_id', 'iteration', 'doc_id', 'relevance']].to_csv(plain_qrels, sep=' ', header=False,
                                                                               index=False)
                command = [options.ndeval, '-traditional', '-c', str(plain_qrels), f'{folder}/{judged}.run']
                yield against('peers', f'file (.run), one evaluator{name}', 'ndeval program',
                              lambda c=command: subprocess.run(c, check=True, capture_output=True),
                              lambda j=judged: ours.calc_aggregate(f'{folder}/{j}.run'), None, children=True)
            peer13, ours13 = host.evaluator(parsed(mixed), qrels), ir_measures.evaluator(
                ir_divmeasures.measures(mixed), qrels)
            yield against('peers', f'DataFrame, nine of ndeval and nDCG@20 P@20 AP RR{name}', 'ir_measures',
                          lambda: peer13.calc_aggregate(frame), lambda: ours13.calc_aggregate(frame), 10)
    yield experiment(qrels, [run(rng, judged=500, share=.45) for _ in range(6)])
    forty, ours40 = len(FORTY.split()), ir_measures.evaluator(ir_divmeasures.measures(FORTY), qrels)
    found = against('peers', f'DataFrame, {forty} measures of ours, nine of theirs, per measure',
                    'ir_measures + pyndeval', lambda: peer.calc_aggregate(frame), lambda: ours40.calc_aggregate(frame))
    found['peer_ms'], found['ours_ms'] = found['peer_ms'] / 9, found['ours_ms'] / forty
    yield {**found, 'ratio': found['peer_ms'] / found['ours_ms'], 'target': 5}


def experiment(qrels: pd.DataFrame, frames: list[pd.DataFrame]) -> Row:
    """``pt.Experiment``, with ir_measures' pipeline as it is without this package and with it."""
    import pyterrier as pt

    judged = qrels.rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    systems = [frame.rename(columns={'query_id': 'qid', 'doc_id': 'docno'}) for frame in frames]
    topics = pd.DataFrame({'qid': judged['qid'].unique(), 'query': 'x'})
    names, nine, theirs = [f's{i}' for i in range(len(systems))], ir_divmeasures.measures(NDEVAL), parsed(NDEVAL)

    def without() -> None:
        pipeline = ir_measures.DefaultPipeline
        with_us, pipeline.providers = pipeline.providers, [p for p in pipeline.providers if p.NAME != 'divmeasures']
        try:
            pt.Experiment(systems, topics, judged, theirs, names=names)
        finally:
            pipeline.providers = with_us

    return against('peers', f'pt.Experiment, {len(systems)} systems; 500 judged a query, 450 of them retrieved',
                   'PyTerrier without us', without, anew(lambda: pt.Experiment(
                       systems, topics, judged, nine, names=names)), 40, repeat=3)


def adhoc(options: argparse.Namespace) -> Iterator[Row]:
    """Ad-hoc measures only, 50 × 1000: plain ir_measures, pytrec_eval itself, ranx, cwl_eval."""
    rng = np.random.default_rng(2)
    qrels = collection(rng).groupby(['query_id', 'doc_id'], as_index=False, sort=False)['relevance'].max()
    frame, asked, host = run(rng), parsed(ADHOC), plain()
    judged = {q: dict(zip(rows['doc_id'], rows['relevance'].tolist())) for q, rows in qrels.groupby('query_id')}
    ranked = {q: dict(zip(rows['doc_id'], rows['score'].tolist())) for q, rows in frame.groupby('query_id')}
    forms = {
        'DataFrames': (qrels, frame), 'dicts': (judged, ranked),
        'namedtuples': ([ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)],
                        [ir_measures.ScoredDoc(*row) for row in frame.itertuples(index=False)])}
    for form, (q, r) in forms.items():
        yield against('adhoc', f'{ADHOC}: {form}, one call', 'ir_measures', lambda: host.calc_aggregate(asked, q, r),
                      anew(lambda: ir_measures.calc_aggregate(asked, q, r)), 1 / 1.05)
        peer, ours = host.evaluator(asked, q), ir_measures.evaluator(asked, q)
        yield against('adhoc', f'{ADHOC}: {form}, one evaluator', 'ir_measures', lambda: peer.calc_aggregate(r),
                      lambda: ours.calc_aggregate(r), 5 if form == 'DataFrames' else 1 / 1.05)
    with tempfile.TemporaryDirectory() as folder:
        path = str(write(frame, pathlib.Path(folder) / 'a.run'))
        ours = ir_measures.evaluator(asked, qrels)
        peer = host.evaluator(asked, qrels)
        yield against('adhoc', f'{ADHOC}: file, one evaluator', 'ir_measures',
                      lambda: peer.calc_aggregate(ir_measures.read_trec_run(path)),
                      lambda: ours.calc_aggregate(path), 5)
        try:
            import ranx
        except ImportError:
            print('ranx is not installed: passed over', file=sys.stderr)
        else:
            known, name = ranx.Qrels.from_dict(judged), 'ranx, warm'
            names = ['ndcg@20', 'map', 'precision@10']
            yield against('adhoc', f'{ADHOC}: file, one evaluator', name, lambda: ranx.evaluate(
                known, ranx.Run.from_file(path, kind='trec'), names, make_comparable=True),
                lambda: ours.calc_aggregate(path), 1)
            yield against('adhoc', f'{ADHOC}: dict, one evaluator', name, lambda: ranx.evaluate(
                known, ranx.Run.from_dict(ranked), names, make_comparable=True),
                lambda: ours.calc_aggregate(ranked), 1)
    import pytrec_eval
    direct = pytrec_eval.RelevanceEvaluator(judged, {'ndcg_cut_20', 'map', 'P_10'})
    ours = ir_measures.evaluator(asked, judged)
    yield against('adhoc', f'{ADHOC}: dict, one evaluator', 'pytrec_eval itself', lambda: direct.evaluate(ranked),
                  lambda: ours.calc_aggregate(ranked))
    rbp = [ir_measures.RBP(rel=1)]
    cwl = ir_measures.providers.registry['cwl_eval']
    peer, ours = cwl.evaluator(rbp, qrels), ir_measures.evaluator(rbp, qrels)
    yield against('adhoc', 'RBP(rel=1): DataFrame, one evaluator', 'cwl_eval', lambda: peer.calc_aggregate(frame),
                  lambda: ours.calc_aggregate(frame), repeat=3)


def sizes(options: argparse.Namespace) -> Iterator[Row]:
    """Other sizes: many systems, many queries, many subtopics, the whole catalogue."""
    rng = np.random.default_rng(3)
    nine, theirs, pyndeval = ir_divmeasures.measures(NDEVAL), parsed(NDEVAL), ir_measures.providers.registry['pyndeval']

    def calls(qrels: pd.DataFrame, frames: dict[str, pd.DataFrame]) -> tuple[Callable[[], object], ...]:
        def peer() -> None:
            evaluator = pyndeval.evaluator(theirs, qrels)
            for frame in frames.values():
                evaluator.calc_aggregate(frame)
        return peer, anew(lambda: evaluate(frames, qrels, nine))

    for what, queries, depth, judged, subtopics, systems in (
            ('126 systems, 50 × 1000', 50, 1000, 300, 6, 126), ('100 subtopics, 50 × 1000', 50, 1000, 300, 100, 1),
            ('100,000 queries × 20', 100_000, 20, 10, 3, 1)):
        qrels = collection(rng, queries, judged, subtopics)
        frames = {f's{i}': run(rng, queries, depth, judged, .25) for i in range(min(systems, 6))}
        frames = {f's{i}': frames[f's{i % len(frames)}'] for i in range(systems)}
        peer, ours = calls(qrels, frames)
        yield against('sizes', f'{what}, judgments read', 'ir_measures + pyndeval', peer, ours, repeat=1)
    qrels, asked = rich(rng)
    frames = {f's{i}': run(rng) for i in range(30)}
    took = statistics.median(cpu(anew(lambda: evaluate(frames, qrels, asked))) for _ in range(3))
    yield {'part': 'sizes', 'what': f'30 runs, 50 × 1000, the catalogue: {len(asked)} measures', 'peer': '',
           'peer_ms': None, 'ours_ms': 1e3 * took, 'ratio': None, 'target': '2 s'}


def rich(rng: np.random.Generator) -> tuple[pd.DataFrame, list[Any]]:
    """Judgments with all the further columns that measures may need, and every measure that can be computed on them."""
    from ir_divmeasures.core.registry import catalogue

    qrels = collection(rng)
    qrels['weight'] = 1 / 6
    qrels['subtopic_type'] = np.where(qrels['iteration'] < '4', 'inf', 'nav')
    qrels['n_retrieved'] = qrels.groupby(['query_id', 'doc_id'], sort=False).ngroup() % 29 + 1
    qrels['n_systems'], qrels['pool_depth'], qrels['newcomer'] = 30, 1000, 0
    numbers = rng.integers(0, 2**63, len(qrels) // 6, dtype=np.uint64)
    qrels['fingerprint'] = np.repeat([f'{number:016x}' for number in numbers], 6)
    below, top = qrels.assign(layer=0), qrels.assign(layer=1, iteration=lambda x: (x['iteration'] > '3').astype(str))
    top = top.sort_values('relevance', ascending=False).drop_duplicates(['query_id', 'doc_id', 'iteration'])
    top = top.assign(subtopic_type='inf', weight=.5)
    layered = pd.concat([below, top], ignore_index=True)
    asked, short, refused = [], run(rng, depth=5), ''
    for measure in catalogue():
        for cutoff in (None, 20):  # some need one
            try:
                one = measure if cutoff is None else measure @ cutoff
                Evaluator([one], layered).calc_aggregate(short)
            except (TypeError, ValueError) as error:
                refused = refused or str(error)
            else:
                asked.append(one)
                break
        else:
            print(f'catalogue without {measure}: {refused}', file=sys.stderr)
        refused = ''
    return layered, asked


GROWTH: dict[str, tuple[tuple[int, ...], Callable[[int], Any]]] = {
    'queries': ((2_000, 10_000, 50_000), lambda n: (n, 20, 20, 3, 1, 9)),
    'depth': ((100, 1_000, 10_000), lambda n: (20, n, 300, 3, 1, 9)),
    'systems': ((4, 16, 64), lambda n: (50, 200, 100, 5, n, 9)),
    'subtopics': ((5, 25, 125), lambda n: (50, 200, 100, n, 1, 9)),
    'measures': ((10, 20, 40), lambda n: (50, 1000, 300, 5, 1, n))}
"""What grows: sizes, and queries, depth, judged, subtopics, systems, measures of each."""


def growth(options: argparse.Namespace) -> Iterator[Row]:
    """The exponent of cost, judgments to means, between each two sizes; target: at most 1.1 between the largest."""
    for what, (sizes, shape) in GROWTH.items():
        times = []
        for size in sizes:
            rng = np.random.default_rng(4)
            queries, depth, judged, subtopics, systems, n = shape(size)
            qrels, frame = collection(rng, queries, judged, subtopics), run(rng, queries, depth, judged, .2)
            asked = ir_divmeasures.measures(NDEVAL if n == 9 else ' '.join(FORTY.split()[:n]))

            def call(qrels: Any = qrels, frame: Any = frame, asked: Any = asked, systems: int = systems) -> None:
                memory._memory.clear()
                evaluator = Evaluator(asked, qrels)
                for _ in range(systems):
                    evaluator.calc_aggregate(frame)
            call()
            times.append(min(cpu(call) for _ in range(3)))
        exponents = [math.log(b / a) / math.log(m / n) for a, b, n, m in zip(times, times[1:], sizes, sizes[1:])]
        yield {'part': 'growth', 'what': what, 'sizes': list(sizes), 'ours_ms': [1e3 * t for t in times],
               'exponents': exponents, 'target': 1.1}


def _peak_queries() -> None:
    rng = np.random.default_rng(5)
    qrels, frame = collection(rng, 100_000, 10, 3), run(rng, 100_000, 20, 10, .25)
    print(memory_before())
    ir_measures.calc_aggregate(ir_divmeasures.measures(NDEVAL), qrels, frame)


def _peak_systems() -> None:
    rng = np.random.default_rng(5)
    qrels, frame = collection(rng), run(rng)
    print(memory_before())
    evaluate({f's{i}': frame for i in range(126)}, qrels, NDEVAL)


def _peak_subtopics() -> None:
    rng = np.random.default_rng(5)
    qrels, frame = collection(rng, subtopics=100), run(rng)
    print(memory_before())
    ir_measures.calc_aggregate(ir_divmeasures.measures(NDEVAL), qrels, frame)


def _peak_bootstrap() -> None:
    from ir_divmeasures import Scores, meta

    scores = Scores(np.random.default_rng(5).random((126, 50, 1)))
    print(memory_before())
    meta.discriminative_power(scores, 'bootstrap', n_resamples=100_000, rng=0)


PEAKS = {'100,000 queries × 20, one call': _peak_queries, '126 systems, 50 × 1000': _peak_systems,
         '100 subtopics, 50 × 1000, one call': _peak_subtopics,
         'bootstrap, 126 × 50, B = 100,000': _peak_bootstrap}


def peak(options: argparse.Namespace) -> Iterator[Row]:
    """Peak memory of a process of its own, with and without the data it works on."""
    for what in PEAKS:
        done = subprocess.run([sys.executable, '-m', 'benchmarks', '--peak-of', what], check=True, text=True,
                              capture_output=True, cwd=HERE.parent)
        before, after = (int(line) / 1024 for line in done.stdout.split()[:2])
        yield {'part': 'peak', 'what': what, 'before_mib': before, 'peak_mib': after,
               'target': '1 GiB' if what.startswith('bootstrap') else None}


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    'peers': peers, 'adhoc': adhoc, 'sizes': sizes, 'growth': growth, 'peak': peak}


# ------------------------------------------------------------------------------------------------------ results

def machine() -> dict[str, Any]:
    """Where and with what was measured."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = 'not installed'
    return {'date': time.strftime('%Y-%m-%d'), 'python': platform.python_version(), 'system': platform.system(),
            'cores': os.cpu_count(), 'load': round(os.getloadavg()[0], 1), 'versions': versions}


def told(row: Row, earlier: Row | None = None) -> str:
    """A result as a row of a Markdown table; with an earlier one, how the time or memory has changed."""
    if row['part'] == 'growth':
        cells = [row['what'], ' → '.join(f'{n:,}' for n in row['sizes']),
                 ' → '.join(f'{t:,.0f}' for t in row['ours_ms']), ', '.join(f'{e:.2f}' for e in row['exponents'])]
        change = earlier and row['ours_ms'][-1] / earlier['ours_ms'][-1]
    elif row['part'] == 'peak':
        cells = [row['what'], f'{row["before_mib"]:,.0f}', f'{row["peak_mib"]:,.0f}', row['target'] or '']
        change = earlier and row['peak_mib'] / earlier['peak_mib']
    else:
        target = f'{row["target"]:.3g} ×' if isinstance(row['target'], (int, float)) else row['target'] or ''
        cells = [row['what'], row['peer'], f'{row["peer_ms"]:,.1f}' if row['peer_ms'] else '', f'{row["ours_ms"]:,.1f}',
                 f'{row["ratio"]:.1f} ×' if row['ratio'] else '', target]
        change = earlier and row['ours_ms'] / earlier['ours_ms']
    return '| ' + ' | '.join(cells) + ' |' + (f' {change:.2f} × before' if change else '')


HEADS = {'growth': '| grows | sizes | ours, ms | exponents |\n|---|---|---|---|',
         'peak': '| work | before it, MiB | peak, MiB | target |\n|---|---|---|---|'}
HEAD = '| what | peer | peer, ms | ours, ms | times faster | target |\n|---|---|---|---|---|---|'
TITLES = {'peers': 'Diversity measures, 50 queries × 1000 documents', 'adhoc': 'Ad-hoc measures, 50 × 1000',
          'sizes': 'Other sizes, nine ndeval measures', 'growth': 'How cost grows', 'peak': 'Peak memory'}


def page(results: dict[str, Any]) -> str:
    """benchmarks/README.md."""
    m = results['machine']
    versions = ', '.join(f'{name} {version}' for name, version in m['versions'].items())
    text = [f"""# Benchmarks

Written by `python -m benchmarks --json FILE --readme` on {m['date']}: Python {m['python']}, {m['system']},
{m['cores']} cores (load {m['load']} when it began), {versions}.

Times are CPU time of one process with all its threads; peer and ours take turns in one process, and medians of up to
five turns are compared after one turn to warm up. The ratios are what to look at: an absolute time means little on a
shared machine. `--against FILE` compares a run with the kept results of an earlier one, `--ndeval PATH` adds the ndeval
program, and names of parts (`{'`, `'.join(PARTS)}`) choose some. Collections are drawn at random (`data.py`).
"""]
    for part in PARTS:
        rows = [row for row in results['results'] if row['part'] == part]
        if rows:
            about = ' '.join((PARTS[part].__doc__ or '').split())
            text.append(f'## {TITLES[part]}\n{about}\n\n{HEADS.get(part, HEAD)}\n' + '\n'.join(map(told, rows)) + '\n')
    text.append("""## The other scripts

`coexistence.py` (the hosts' own tests with and without this package), `continuation.py`, `hierarchies.py`,
`log.py` (a log larger than memory), `meta.py`, `rareness.py`, `user_models.py` (speed of these parts) and
`verification.py` (values of NTCIREVAL and others) say in their first lines what they measure.
""")
    return '\n'.join(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m benchmarks', description=__doc__.split('\n')[0])
    parser.add_argument('parts', nargs='*', metavar='part', help=', '.join(PARTS))
    parser.add_argument('--json', type=pathlib.Path, help='keep the results in this file')
    parser.add_argument('--against', type=pathlib.Path, help='results kept earlier')
    parser.add_argument('--readme', action='store_true', help='write benchmarks/README.md')
    parser.add_argument('--ndeval', help='path of the ndeval program, if it is built')
    parser.add_argument('--peak-of', help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    if options.peak_of:
        PEAKS[options.peak_of]()
        print(most_memory())
        return
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f'no part {unknown[0]!r}: choose from {", ".join(PARTS)}')
    earlier = json.loads(options.against.read_text())['results'] if options.against else []
    before = {(row['part'], row['what'], row.get('peer')): row for row in earlier}
    results: dict[str, Any] = {'machine': machine(), 'results': []}
    for part in options.parts or PARTS:
        print(f'\n{TITLES[part]}\n{HEADS.get(part, HEAD)}', flush=True)
        for row in PARTS[part](options):
            results['results'].append(row)
            print(told(row, before.get((row['part'], row['what'], row.get('peer')))), flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1) + '\n')
    if options.readme:
        (HERE / 'README.md').write_text(page(results))


if __name__ == '__main__':
    main()
