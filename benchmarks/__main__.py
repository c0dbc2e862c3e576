"""How fast scores come and how much memory they take, compared with peers in one run.

    python -m benchmarks [--only TEXT …] [--list] [--json FILE] [--against FILE] [--readme] [--ndeval PATH] [--trec-eval PATH]

Each row prints the numbers of the peer and ours, the quartiles over its turns, its target, and whether the target is
met. ``--json`` saves the results, ``--against`` compares with saved ones, and ``--readme`` writes benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics
import string
import sys
import time
import warnings
from typing import Any

from benchmarks.measuring import PARTS, QUANTITIES, NotMeasuredError, Row, chosen, record, title

PACKAGES = (
    'numpy',
    'pandas',
    'pyarrow',
    'ir_measures',
    'python-terrier',
    'pyndeval',
    'pytrec_eval-terrier',
    'ranx',
)
HERE = pathlib.Path(__file__).parent
HEAD = '| what | peer | quantity | peer | ours | quartiles | target | |\n|---|---|---|---|---|---|---|---|'


def machine() -> dict[str, Any]:
    """Where and with what was measured."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = 'not installed'
    return {
        'date': time.strftime('%Y-%m-%d'),
        'python': platform.python_version(),
        'system': platform.system(),
        'cores': os.cpu_count(),
        'load': round(os.getloadavg()[0], 1),
        'versions': versions,
    }


def table_row(result: dict[str, Any], earlier: dict[str, Any] | None = None) -> str:
    """A result as a row of a Markdown table; with an earlier one, how our number has changed."""
    quantity = QUANTITIES[result['quantity']]

    def median(values: list[float]) -> str:
        if not values or not quantity.unit:
            return ''
        value = quantity.scale * statistics.median(values)
        return f'{value:,.{1 if value < 100 else 0}f} {quantity.unit}'

    def shown(value: float) -> str:
        return f'{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}'

    target = f'{"≥" if quantity.ratio else "≤"} {shown(result["target"])} {quantity.target_unit}'.rstrip()
    cells = [
        result['row'],
        result['peer'],
        quantity.label,
        median(result['theirs']),
        median(result['ours']),
        ' · '.join(map(shown, result['quartiles'])),
        target,
        'met' if result['met'] else '**missed**',
    ]
    change = earlier and statistics.median(result['ours']) / statistics.median(earlier['ours'])
    return '| ' + ' | '.join(cells) + ' |' + (f' {change:.2f} × before' if change else '')


def key(result: dict[str, Any]) -> tuple[str, ...]:
    """What tells one result from the others of a run."""
    return result['part'], result['row'], result['peer'], result['quantity']


def page(results: dict[str, Any]) -> str:
    """benchmarks/README.md."""
    m, tables = results['machine'], []
    for part in PARTS:
        lines = [table_row(result) for result in results['results'] if result['part'] == part]
        lines += [
            f'| {each["row"]} | {each["peer"]} | not measured: {each["reason"]} | | | | | |'
            for each in results['not_measured']
            if each['part'] == part
        ]
        if lines:
            tables.append(f'## {title(part)}\n\n{HEAD}\n' + '\n'.join(lines) + '\n')
    n = len(results['results'])
    return string.Template((HERE / 'page.md').read_text(encoding='utf-8')).substitute(
        m,
        versions=', '.join(f'{name} {version}' for name, version in m['versions'].items()),
        remark=results.get('remark', ''),
        minutes=round(results['seconds'] / 60),
        tables='\n'.join(tables).rstrip(),
        n=n,
        n_met=sum(result['met'] for result in results['results']),
    )


def run(
    rows: list[Row], earlier: list[dict[str, Any]], path: pathlib.Path | None
) -> dict[str, Any]:
    """Measure rows, print each, and save all of them after each if there is a path."""
    before, start, part = {key(result): result for result in earlier}, time.perf_counter(), ''
    results: dict[str, Any] = {
        'machine': machine(),
        'seconds': 0.0,
        'results': [],
        'not_measured': [],
    }
    for row in rows:
        if row.part != part:
            part = row.part
            print(f'\n{title(part)}\n{HEAD}', flush=True)
        try:
            measured = [record(result) for result in row.results()]
        except NotMeasuredError as error:
            results['not_measured'].append(
                {'part': part, 'row': row.name, 'peer': row.peer, 'reason': str(error)}
            )
            print(f'| {row.name} | {row.peer} | not measured: {error} | | | | | |', flush=True)
            measured = []
        results['results'] += measured
        for result in measured:
            print(table_row(result, before.get(key(result))), flush=True)
        results['seconds'] = round(time.perf_counter() - start, 1)
        if path:
            path.write_text(
                json.dumps(results, indent=1, ensure_ascii=False) + '\n', encoding='utf-8'
            )
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks', description=__doc__.split('\n')[0]
    )
    parser.add_argument(
        '--only',
        action='append',
        default=[],
        metavar='TEXT',
        help='measure the rows of the part TEXT '
        f'({", ".join(PARTS)}), or the rows whose name contains TEXT; you can repeat this option',
    )
    parser.add_argument(
        '--list', action='store_true', help='list the rows and their targets; measure nothing'
    )
    parser.add_argument('--json', type=pathlib.Path, help='save the results in this file')
    parser.add_argument(
        '--against', type=pathlib.Path, help='compare with the results in this file'
    )
    parser.add_argument('--readme', action='store_true', help='write benchmarks/README.md')
    parser.add_argument('--ndeval', help='path of the ndeval program')
    parser.add_argument('--trec-eval', help='path of the trec_eval program')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    if options.ndeval:
        os.environ['NDEVAL'] = options.ndeval
    if options.trec_eval:
        os.environ['TREC_EVAL'] = options.trec_eval
    rows = list(chosen(options.only))
    if not rows:
        parser.error(f'no row has one of these texts in its name: {", ".join(options.only)}')
    if options.list:
        for row in rows:
            print(
                f'{row.part}: {row.name}{f" (peer: {row.peer})" if row.peer else ""}:',
                ', '.join(
                    f'{QUANTITIES[name].label} {"≥" if QUANTITIES[name].ratio else "≤"} {target:.3g} '
                    f'{QUANTITIES[name].target_unit}'.rstrip()
                    for name, target in row.targets.items()
                ),
            )
        return
    results = run(
        rows,
        json.loads(options.against.read_text())['results'] if options.against else [],
        options.json,
    )
    met = sum(result['met'] for result in results['results'])
    print(
        f'\n{met} of {len(results["results"])} targets are met; {results["seconds"] / 60:.1f} minutes'
    )
    if options.readme:
        (HERE / 'README.md').write_text(page(results), encoding='utf-8')
    sys.exit(met < len(results['results']))


if __name__ == '__main__':
    main()
