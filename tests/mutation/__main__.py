"""Make small mistakes in the core, one at a time, and see whether the tests notice.

    python -m tests.mutation [area …] [--number 200] [--seed 0] [--processes 2]

Prints each mistake that no test noticed, and the share noticed for each module. A mistake is looked for by the tests of
its area, the quick ones first; they must pass without it.
"""

import argparse
import pathlib
import random
import tempfile
from collections import Counter

from .areas import AREAS, examples
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


def sample(asked, number, seed):
    """The places of at most ``number`` mutants, drawn without replacement, as many of every module as its share."""
    by_module = {}
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


def main():
    parser = argparse.ArgumentParser('python -m tests.mutation')
    parser.add_argument('areas', nargs='*', help=f'what to mutate, by default all: {[*AREAS]}')
    parser.add_argument('--number', type=int, default=200, help='number of mutants')
    parser.add_argument('--seed', type=int, default=0, help='seed of the sample')
    parser.add_argument('--processes', type=int, default=2, help='number tested at a time')
    parser.add_argument('--limit', type=float, default=900, help='seconds for a file of tests')
    parser.add_argument('--list', action='store_true', help='print the mutants, run nothing')
    asked = parser.parse_args()
    known = candidates([AREAS[name] for name in asked.areas or AREAS])
    chosen = [known[place] for place in sample(known, asked.number, asked.seed)]
    print(f'{len(chosen)} of {len(known)} mutants, seed {asked.seed}', flush=True)
    tasks = [Task(path, mutant, (*area.tests, examples(path))) for area, path, mutant in chosen]
    ended, killed = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        found = outcomes(tasks, asked.processes, asked.limit, pathlib.Path(folder))
        for task, verdict in ((task, 'listed') for task in tasks) if asked.list else found:
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
