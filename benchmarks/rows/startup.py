"""Start of the command and of PyTerrier, whole processes"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import pathlib
import random
import sys
from collections.abc import Callable

from benchmarks.measuring import ROOT, Command, NotMeasuredError, files, row

MEASURES = {'nDCG@10 AP P@5': 1, 'alpha_nDCG@10 ERR_IA@10': 3}
"""Measures that both commands compute, and the number of subtopics of the judgments."""


def theirs(*arguments: str) -> Command:
    """The command ``ir_measures``, as the script that an installer writes for it."""
    return python(
        'import sys; from ir_measures.__main__ import main_cli; sys.exit(main_cli())', *arguments
    )


def ours(*arguments: str) -> Command:
    """Our command, as such a script."""
    return python(
        'import sys; from ir_divmeasures_command import main; sys.exit(main())', *arguments
    )


def python(program: str, *arguments: str) -> Command:
    """A program of Python, with bytecode as an installed package has."""
    return Command(
        [sys.executable, '-c', program, *arguments],
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

    @row(f'a run of 50 lines, {names}', 'the command ir_measures', turns=9, cpu=1 / 1.2)
    def small(names: str = names, subtopics: int = subtopics) -> tuple[Command, Command]:
        arguments = [*written(subtopics), *names.split()]
        return theirs(*arguments), ours(*arguments)


@row('--help', 'the command ir_measures', turns=9, cpu=1 / 0.6)
def help_page() -> tuple[Command, Command]:
    return theirs('--help'), ours('--help')


@row('import ir_divmeasures', 'import ir_measures', turns=15, cpu=1 / 1.25)
def import_package() -> tuple[Command, Command]:
    return python('import ir_measures'), python('import ir_divmeasures')


WITHOUT_US = """
import importlib.metadata
every = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **of: [e for e in every(**of) if not e.value.startswith('ir_divmeasures')]
"""
"""Python that hides the package's entry points from programs that are imported next."""


@row(
    'import pyterrier, with this package installed',
    'without its entry points',
    turns=15,
    cpu=1 / 1.05,
)
def import_pyterrier() -> tuple[Command, Command]:
    found = importlib.metadata.entry_points(group='pyterrier.modules')
    if not any(each.value.startswith('ir_divmeasures') for each in found):
        raise NotMeasuredError('this package is not installed')
    return python(WITHOUT_US + 'import pyterrier'), python('import pyterrier')
