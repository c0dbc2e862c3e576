"""Start of the command and of PyTerrier, whole processes"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import pathlib
import random
import sys
import sysconfig
from collections.abc import Callable

from benchmarks.measuring import ROOT, Command, NotMeasuredError, files, row

OURS = [
    sys.executable,
    '-c',
    'import sys; from ir_divmeasures_command import main; sys.exit(main())',
]
"""What the script that an installer writes for the entry point runs."""

MEASURES = {'nDCG@10 AP P@5': 1, 'alpha_nDCG@10 ERR_IA@10': 3}
"""Measures that both commands compute, and the number of subtopics of the judgments."""


def theirs(*arguments: str) -> Command:
    """The command ``ir_measures``."""
    script = pathlib.Path(sysconfig.get_path('scripts'), 'ir_measures')
    if not script.exists():
        raise NotMeasuredError('the command ir_measures is not installed')
    return Command([sys.executable, str(script), *arguments])


def ours(*arguments: str) -> Command:
    """Our command, with bytecode as an installed package has."""
    return Command(
        [*OURS, *arguments],
        {
            'PYTHONPATH': os.pathsep.join([str(ROOT), os.environ.get('PYTHONPATH', '')]),
            'PYTHONDONTWRITEBYTECODE': '',
            'PYTHONPYCACHEPREFIX': str(bytecode()),
        },
    )


def bytecode() -> pathlib.Path:
    """A folder for bytecode, which the first turn fills."""
    return files('bytecode', lambda path: pathlib.Path(path).mkdir(exist_ok=True))


@functools.cache
def written(subtopics: int) -> tuple[str, str]:
    """Files of judgments, 5 queries × 12 documents, and of a run of 50 lines."""
    draw = random.Random(1)
    judged = [
        f'{q} {s} d{d} {draw.randint(0, 2)}\n'
        for q in range(5)
        for d in range(12)
        for s in range(subtopics)
    ]
    ranked = [
        f'{q} Q0 d{d} {rank} {20 - rank} x\n'
        for q in range(5)
        for rank, d in enumerate(draw.sample(range(20), 10), 1)
    ]

    def write(lines: list[str]) -> Callable[[pathlib.Path], object]:
        return lambda path: pathlib.Path(path).write_text(''.join(lines), encoding='utf-8')

    return str(files(f'small-{subtopics}.qrels', write(judged))), str(
        files('small.run', write(ranked))
    )


for names, subtopics in MEASURES.items():

    @row(f'a run of 50 lines, {names}', 'the command ir_measures', turns=9, cpu=1.0)
    def small(names: str = names, subtopics: int = subtopics) -> tuple[Command, Command]:
        arguments = [*written(subtopics), *names.split()]
        return theirs(*arguments), ours(*arguments)


@row('--help', 'the command ir_measures', turns=9, cpu=0.5)
def help_page() -> tuple[Command, Command]:
    return theirs('--help'), ours('--help')


WITHOUT_US = """
import importlib.metadata
every = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **of: [e for e in every(**of) if not e.value.startswith('ir_divmeasures')]
"""
"""Python that hides the package's entry points from programs that are imported next."""


@row(
    'import pyterrier, with this package installed',
    'without its entry points',
    turns=9,
    cpu=1 / 1.15,
)
def import_pyterrier() -> tuple[Command, Command]:
    found = importlib.metadata.entry_points(group='pyterrier.modules')
    if not any(each.value.startswith('ir_divmeasures') for each in found):
        raise NotMeasuredError('this package is not installed')
    without, with_us = (
        ours()._replace(arguments=[sys.executable, '-c', hide + 'import pyterrier'])
        for hide in (WITHOUT_US, '')
    )
    return without, with_us
