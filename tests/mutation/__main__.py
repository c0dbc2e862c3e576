"""Make small mistakes in the package, one at a time, and see whether the tests notice.

    python -m tests.mutation [area …] [--number 200] [--seed 0] [--processes 2]

Prints each mistake that no test noticed, and the share noticed for each module. A mistake is looked for by the tests of
its area, the quick ones first; they must pass without it.
"""

import argparse
import pathlib
import random
import tempfile
from collections import Counter

from .areas import AREAS
from .operators import mutants
from .run import ROOT, Task, outcomes


def candidates(areas):
    """Every mutant of the areas' modules."""
    return [
        (area, path, mutant)
        for area in areas
        for path in area.paths()
        for mutant in mutants((ROOT / path).read_text(encoding='utf-8'))
    ]


def main():
    parser = argparse.ArgumentParser('python -m tests.mutation')
    parser.add_argument('areas', nargs='*', help=f'what to mutate, by default all: {[*AREAS]}')
    parser.add_argument('--number', type=int, default=200, help='number of mutants')
    parser.add_argument('--seed', type=int, default=0, help='seed of the sample')
    parser.add_argument('--processes', type=int, default=2, help='number tested at a time')
    parser.add_argument('--limit', type=float, default=900, help='seconds for a file of tests')
    asked = parser.parse_args()
    known = candidates([AREAS[name] for name in asked.areas or AREAS])
    chosen = random.Random(asked.seed).sample(known, min(asked.number, len(known)))
    print(f'{len(chosen)} of {len(known)} mutants, seed {asked.seed}', flush=True)
    tasks = [Task(path, mutant, area.tests(path)) for area, path, mutant in chosen]
    ended, killed = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for task, verdict in outcomes(tasks, asked.processes, asked.limit, pathlib.Path(folder)):
            ended.update([task.module.as_posix(), 'all'])
            if verdict in ('killed', 'timeout'):
                killed.update([task.module.as_posix(), 'all'])
            else:
                mutant = task.mutant
                print(f'{verdict} {task.module}:{mutant.line}\n- {mutant.before}\n+ {mutant.after}')
    for module, number in sorted(ended.items()):
        print(f'{module}: {killed[module]} of {number} killed')


if __name__ == '__main__':
    main()
