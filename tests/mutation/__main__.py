"""Make small mistakes in the core, one at a time, and see whether the tests notice.

    python -m tests.mutation [area …] [--number 200] [--seed 0] [--processes 2]

Prints a table of the areas, and each mistake that no test noticed. Mistakes that change nothing that can be seen are
listed with the reason in ``equivalent.py``. A mistake is looked for by the tests of its area, the quick ones first.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence

from tqdm import tqdm

from .areas import AREAS, Area, examples
from .equivalent import reason
from .operators import Mutant, mutants
from .run import ROOT, Outcome, Task, copy_project, outcomes


def candidates(areas: Sequence[Area]) -> list[tuple[Area, pathlib.Path, Mutant]]:
    """Every mutant of the areas' modules that is not known to be equivalent."""
    return [
        (area, path, mutant)
        for area in areas
        for path in area.paths()
        for mutant in mutants((ROOT / path).read_text(encoding='utf-8'))
        if reason(path.relative_to('ir_divmeasures').as_posix(), mutant) is None
    ]


def sample(asked: Sequence[tuple[Area, pathlib.Path, Mutant]], number: int, seed: int) -> list[int]:
    """The places of at most ``number`` mutants, drawn without replacement, as many of every module as its share."""
    by_module: dict[pathlib.Path, list[int]] = {}
    for place, (_, path, _) in enumerate(asked):
        by_module.setdefault(path, []).append(place)
    drawn = random.Random(seed)
    # Systematic sampling: each module in random order, then every n-th of all.
    order = [
        place for members in by_module.values() for place in drawn.sample(members, len(members))
    ]
    if number >= len(order):
        return order
    step, begin = len(order) / number, drawn.random()
    chosen = [order[int((begin + i) * step)] for i in range(number)]
    drawn.shuffle(chosen)  # those of a run that is interrupted are a sample, too
    return chosen


def table(results: Sequence[Outcome]) -> str:
    """A row for each module: mutants, killed, of these by the time limit, survivors, share killed."""
    counts: dict[str, Counter[str]] = {}
    for outcome in results:
        counts.setdefault(outcome.task.module.as_posix(), Counter())[outcome.verdict] += 1
    rows = [(name, *_numbers(each)) for name, each in sorted(counts.items())]
    rows.append(('all', *_numbers(sum(counts.values(), Counter()))))
    lines = [
        '| module | mutants | killed | by the time limit | survived | killed, % |',
        '|---|---|---|---|---|---|',
    ]
    return '\n'.join([*lines, *('| ' + ' | '.join(map(str, row)) + ' |' for row in rows)])


def _numbers(verdicts: Counter[str]) -> tuple[int, int, int, int, str]:
    total, survived = verdicts.total(), verdicts['survived']
    return (
        total,
        total - survived,
        verdicts['timeout'],
        survived,
        f'{100 * (total - survived) / max(total, 1):.1f}',
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog='python -m tests.mutation', description=__doc__.split('\n')[0]
    )
    parser.add_argument(
        'areas',
        nargs='*',
        metavar='area',
        help=f'what to mutate, by default all: {", ".join(AREAS)}',
    )
    parser.add_argument('--number', type=int, default=200, help='number of mutants')
    parser.add_argument('--seed', type=int, default=0, help='seed of the sample')
    parser.add_argument(
        '--processes', type=int, default=2, help='number of mutants tested at a time'
    )
    parser.add_argument(
        '--limit', type=float, default=900, help='seconds after which a mutant counts as killed'
    )
    parser.add_argument(
        '--files', type=int, help='only so many of the test files of each area, for a first look'
    )
    parser.add_argument(
        '--passed', action='store_true', help='the tests are known to pass without a mutant'
    )
    parser.add_argument('--line', default='', help='only mutants of lines that contain this text')
    parser.add_argument('--list', action='store_true', help='print the mutants, run nothing')
    asked = parser.parse_args()
    areas = [
        area._replace(tests=area.tests[: asked.files])
        for name, area in AREAS.items()
        if not asked.areas or name in asked.areas
    ]
    known = [each for each in candidates(areas) if asked.line in each[2].before]
    chosen = [known[place] for place in sample(known, asked.number, asked.seed)]
    print(f'{len(chosen)} of {len(known)} mutants, seed {asked.seed}', flush=True)
    if asked.list:
        for _, path, mutant in chosen:
            print(_difference(path, mutant))
        return 0
    tasks = [Task(path, mutant, (*area.tests, examples(path))) for area, path, mutant in chosen]
    with tempfile.TemporaryDirectory() as folder:
        copies = [
            copy_project(pathlib.Path(folder, str(number))) for number in range(asked.processes)
        ]
        files = [] if asked.passed else dict.fromkeys(test for area in areas for test in area.tests)
        for outcome in outcomes(
            [Task(areas[0].paths()[0], None, (test,)) for test in files], copies, asked.limit
        ):
            if outcome.verdict != 'survived':
                print(f'the tests fail without a mutant:\n{outcome.output}', file=sys.stderr)
                return 1
        results = []
        try:
            for outcome in tqdm(
                outcomes(tasks, copies, asked.limit), total=len(tasks), unit='mutant', disable=None
            ):
                results.append(outcome)
                if outcome.verdict == 'survived':
                    difference = _difference(outcome.task.module, outcome.task.mutant)
                    print(f'survived ({outcome.seconds:.0f} s)\n{difference}', flush=True)
        except KeyboardInterrupt:
            print(f'interrupted after {len(results)} of {len(tasks)} mutants')
    print(table(results))
    return 0


def _difference(path: pathlib.Path, mutant: Mutant) -> str:
    return f'{path}:{mutant.line}\n- {mutant.before}\n+ {mutant.after}\n'


if __name__ == '__main__':
    sys.exit(main())
