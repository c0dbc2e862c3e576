"""Your own run files on a collection of ir_datasets: TREC Web Track 2014, diversity task.

    python examples/web_track_2014.py FOLDER

FOLDER contains TREC run files for topics 251-300, plain or .gz. Judgments are taken from ir_datasets' home folder (the
environment variable IR_DATASETS_HOME names another one). Where judgments or runs are missing, the script says so and
evaluates runs that it makes for the sample collection.
"""

import pathlib
import sys

import ir_datasets
import ir_measures
import pandas as pd

from ir_divmeasures import demo, measures, read_run

WEB_TRACK, SAMPLE = 'clueweb12/trec-web-2014/diversity', 'divmeasures/sample/diversity'
MEASURES = measures(
    'RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 ERR_IA@20 Dsharp_nDCG@20 StRecall@20 nDCG@20'
)


def evaluate(dataset_id: str, runs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Means of all measures, one row a run."""
    evaluator = ir_measures.evaluator(MEASURES, ir_datasets.load(dataset_id).qrels_iter())
    rows = {}
    for name, run in runs.items():
        means = evaluator.calc_aggregate(run)
        rows[name] = {str(measure): means[measure] for measure in MEASURES}
    return pd.DataFrame.from_dict(rows, orient='index')


def missing(folder: pathlib.Path | None) -> list[str]:
    """What an evaluation on the Web Track lacks."""
    judgments = ir_datasets.util.home_path() / 'clueweb12' / 'trec-web-2014' / 'qrels.all'
    lacks = []
    if not judgments.exists():
        lacks.append(
            f'judgments ({judgments}; with a network, "ir_datasets export {WEB_TRACK} qrels" fetches them)'
        )
    if folder is None:
        lacks.append('a folder of run files (give it as argument)')
    elif not folder.is_dir() or not any(folder.iterdir()):
        lacks.append(f'run files ({folder} is no folder or is empty)')
    return lacks


def main(folder: pathlib.Path | None) -> None:
    lacks = missing(folder)
    if folder is not None and not lacks:
        files = sorted(path for path in folder.iterdir() if path.is_file())
        runs = {path.name.split('.run')[0]: read_run(path) for path in files}
        dataset_id, result = WEB_TRACK, evaluate(WEB_TRACK, runs)
    else:
        print(f'Not evaluated on {WEB_TRACK}, for want of: {"; ".join(lacks)}.')
        print('Instead, runs made for the sample collection:\n')
        made = demo.make()
        runs = {name: read_run(system(made.topics)) for name, system in made.systems.items()}
        dataset_id, result = SAMPLE, evaluate(SAMPLE, runs)
    print(f'{dataset_id}, means over queries, best alpha_nDCG@20 first:\n')
    print(
        result.sort_values('alpha_nDCG@20', ascending=False).to_string(float_format='{:.4f}'.format)
    )
    first = {measure: result[measure].idxmax() for measure in result}
    print(
        '\nFirst by each measure: '
        + '; '.join(f'{measure} {run}' for measure, run in first.items())
        + '.'
    )


if __name__ == '__main__':
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None)
