"""Rows of the benchmarks: how they are declared, measured and judged. README.md says how to add one."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import math
import os
import pathlib
import pkgutil
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from benchmarks import rows

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = 'IR_DIVMEASURES_BENCHMARKS'
"""The environment variable that names the folder of the run's files."""

TURN = """
import json, sys, benchmarks.measuring as measuring
print('\\n' + json.dumps(measuring.turn_here(*sys.argv[1:5])))
"""


class NotMeasuredError(Exception):
    """Raised by a row's function: what it needs is not there. The message says what."""


class Command(NamedTuple):
    """A command as one side of a row.

    Attributes:
        arguments: the program and its arguments.
        environment: variables that differ from those of the benchmarks.
    """

    arguments: Sequence[str]
    environment: Mapping[str, str] = {}


class Sizes(NamedTuple):
    """One call for each size, for the quantity ``exponent``."""

    calls: Mapping[int, Callable[[], object]]


class Prepared(NamedTuple):
    """A side that has to prepare itself, such as by imports, before it is measured.

    Attributes:
        prepare: what is not measured.
        call: what is measured.
    """

    prepare: Callable[[], object]
    call: Callable[[], object]


Side = Callable[[], object] | Command | Sizes | Prepared
Turn = dict[str, float]
"""What one side took in one turn: ``cpu`` and ``wall`` in seconds, ``mib`` of memory at most, or an ``exponent``."""


class Quantity(NamedTuple):
    """What a target is about.

    Attributes:
        of: which number of a turn.
        ratio: whether it is the peer's number divided by ours, which should be at least the target. If not, it is our
            own number, which should be at most the target.
        label: what tables call it.
        scale, unit: how tables show the numbers of both sides.
        target_unit: how tables show the value and the target.
    """

    of: str
    ratio: bool
    label: str
    scale: float
    unit: str
    target_unit: str


QUANTITIES = {
    'cpu': Quantity('cpu', True, 'CPU time', 1e3, 'ms', '×'),
    'wall': Quantity('wall', True, 'wall time', 1e3, 'ms', '×'),
    'memory': Quantity('mib', True, 'peak memory', 1, 'MiB', '×'),
    'cpu_s': Quantity('cpu', False, 'CPU time', 1e3, 'ms', 's'),
    'wall_s': Quantity('wall', False, 'wall time', 1e3, 'ms', 's'),
    'mib': Quantity('mib', False, 'peak memory', 1, 'MiB', 'MiB'),
    'exponent': Quantity('exponent', False, 'exponent of CPU time', 1, '', ''),
}
"""The quantities that a target can be about, by the keyword of :func:`row`."""


@dataclass(frozen=True)
class Result:
    """One quantity of a row.

    Attributes:
        part, row, peer, quantity: what was measured.
        theirs, ours: the numbers of each turn.
        quartiles: lower quartile, median and upper quartile over the turns of the ratio, or of our number.
        target: what the median should be at least (ratios) or at most.
        met: whether the target is met.
    """

    part: str
    row: str
    peer: str
    quantity: str
    theirs: list[float]
    ours: list[float]
    quartiles: list[float]
    target: float
    met: bool


@dataclass(frozen=True)
class Row:
    """One comparison; see :func:`row` for the attributes."""

    part: str
    name: str
    make: Callable[[], Any]
    peer: str
    targets: Mapping[str, float]
    turns: int
    warm: bool
    isolated: bool

    def results(self) -> list[Result]:
        """Measure the row: both sides in turns, each target judged."""
        theirs, ours = self._isolated() if self.isolated else self._here()
        return [
            self._judge(quantity, target, theirs, ours) for quantity, target in self.targets.items()
        ]

    def _here(self) -> tuple[list[Turn], list[Turn]]:
        sides = self.sides()
        if self.warm:
            for side in sides:
                measure(side)
        turns = [[measure(side) for side in sides] for _ in range(self.turns)]
        return [turn[0] for turn in turns] if len(sides) > 1 else [], [turn[-1] for turn in turns]

    def _isolated(self) -> tuple[list[Turn], list[Turn]]:
        """Each side in a process of its own in each turn."""
        theirs: list[Turn] = []
        ours: list[Turn] = []
        for _ in range(self.turns):
            if self.peer:
                theirs.append(self._process('theirs'))
            ours.append(self._process('ours'))
        return theirs, ours

    def _process(self, side: str) -> Turn:
        folder()  # is the same for all processes
        done = subprocess.run(
            [sys.executable, '-c', TURN, self.part, self.name, self.peer, side],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        if done.returncode:
            message = f'{self.name}, {side}: {done.stderr.strip()[-2000:]}'
            # A peer that fails ends no run of an hour.
            raise (
                NotMeasuredError(message.splitlines()[-1])
                if side == 'theirs'
                else RuntimeError(message)
            )
        turn: Turn | str = json.loads(done.stdout.splitlines()[-1])
        if isinstance(turn, str):
            raise NotMeasuredError(turn)
        return turn

    def sides(self) -> tuple[Side, ...]:
        """The peer's call, if there is one, and ours."""
        made = self.make()
        return (
            made
            if isinstance(made, tuple) and not isinstance(made, (Command, Sizes, Prepared))
            else (made,)
        )

    def _judge(self, name: str, target: float, theirs: list[Turn], ours: list[Turn]) -> Result:
        quantity = QUANTITIES[name]
        own = [turn[quantity.of] for turn in ours]
        peers = [turn[quantity.of] for turn in theirs]
        values = [a / b for a, b in zip(peers, own)] if quantity.ratio else own
        quartiles = (
            statistics.quantiles(values, method='inclusive') if len(values) > 1 else 3 * values
        )
        met = quartiles[1] >= target if quantity.ratio else quartiles[1] <= target
        return Result(
            self.part,
            self.name,
            self.peer,
            name,
            peers,
            own,
            quartiles,
            target,
            bool(met),
        )


_declared: list[Row] = []


def row(
    name: str,
    peer: str = '',
    *,
    turns: int = 5,
    warm: bool = True,
    isolated: bool = False,
    **targets: float,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a row: decorates a function that prepares it and returns the calls that are measured.

    The function returns ``(theirs, ours)``, or ours alone where there is no peer. Each is a function without arguments, a :class:`Command`, or :class:`Sizes`. What the function does
    before it returns is not measured.

    Args:
        name: what is measured, with the sizes.
        peer: with what it is compared.
        turns: how often each side is measured; peer and ours take turns.
        warm: whether each side runs once before it is measured, where sides run in this process.
        isolated: whether each side runs in a process of its own in each turn, as needed for memory.
        targets: one or more of :data:`QUANTITIES`: ``cpu``, ``wall`` and ``memory`` are the peer's number divided by
            ours, at least; ``cpu_s``, ``wall_s``, ``mib`` and ``exponent`` are our own number, at most.

    Raises:
        ValueError: no target, an unknown quantity, or a setting that cannot measure one.
    """
    unknown = [quantity for quantity in targets if quantity not in QUANTITIES]
    if unknown or not targets:
        raise ValueError(
            f'{name}: a target is one of {", ".join(QUANTITIES)}; found {", ".join(unknown) or "none"}'
        )
    if not isolated and {'memory', 'mib'} & set(targets):
        raise ValueError(f'{name}: memory is measured in a process of its own (isolated=True)')
    if not peer and any(QUANTITIES[quantity].ratio for quantity in targets):
        raise ValueError(f'{name}: a ratio needs a peer')

    def declare(make: Callable[..., Any]) -> Callable[..., Any]:
        part = getattr(make, 'func', make).__module__.rpartition('.')[2]
        if any((each.part, each.name, each.peer) == (part, name, peer) for each in _declared):
            raise ValueError(f'two rows of {part} have the name {name!r} and the same peer')
        _declared.append(Row(part, name, make, peer, targets, turns, warm, isolated))
        return make

    return declare


PARTS = sorted(module.name for module in pkgutil.iter_modules(rows.__path__))
"""The modules of ``benchmarks/rows``; each declares the rows of one part of the page."""


def rows_of(part: str) -> list[Row]:
    """The rows that a module declares."""
    importlib.import_module(f'benchmarks.rows.{part}')
    return [each for each in _declared if each.part == part]


def title(part: str) -> str:
    """What a part is about: the docstring of its module."""
    return ' '.join((importlib.import_module(f'benchmarks.rows.{part}').__doc__ or part).split())


def chosen(texts: Sequence[str]) -> Iterator[Row]:
    """The rows that were asked for: all, or those whose part is one of the texts or whose name has one of them."""
    for part in PARTS:
        for each in rows_of(part):
            if not texts or any(
                text == part or text.lower() in each.name.lower() for text in texts
            ):
                yield each


# ---------------------------------------------------------------------------------------------------- measuring


def measure(side: Side) -> Turn:
    """One call in this process, one command, or one call of each size."""
    if isinstance(side, Prepared):
        side.prepare()
        side = side.call
    gc.collect()
    if isinstance(side, Command):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            list(side.arguments),
            check=True,
            capture_output=True,
            env={**os.environ, **side.environment},
        )
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            'cpu': after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            'wall': wall,
        }
    if isinstance(side, Sizes):
        costs = [measure(call)['cpu'] for call in side.calls.values()]
        (_, m), (_, n) = zip(*[list(side.calls)[-2:]] * 2)
        return {'exponent': math.log(costs[-1] / costs[-2]) / math.log(n / m), 'cpu': costs[-1]}
    start, cpu = time.perf_counter(), time.process_time()
    side()
    return {'cpu': time.process_time() - cpu, 'wall': time.perf_counter() - start}


def turn_here(part: str, name: str, peer: str, side: str) -> Turn | str:
    """One side of a row in this process, with its peak memory; the message where it cannot be measured."""
    warnings.simplefilter('ignore')
    declared = next(each for each in rows_of(part) if (each.name, each.peer) == (name, peer))
    try:
        call = declared.sides()[0 if side == 'theirs' else -1]
    except NotMeasuredError as error:
        return str(error)
    if isinstance(call, Prepared):
        call.prepare()
        call = call.call
    memory_before()
    return {**measure(call), 'mib': most_memory() / 1024}


def memory_before() -> int:
    """The memory that this process has now, in KiB; :func:`most_memory` counts from here on, where Linux lets it."""
    gc.collect()
    with contextlib.suppress(OSError):
        pathlib.Path('/proc/self/clear_refs').write_text('5')
    return most_memory()


def most_memory() -> int:
    """The most memory this process has had, in KiB; on Linux not that of the process that started it."""
    status = pathlib.Path('/proc/self/status')
    if status.exists() and (line := re.search(r'VmHWM:\s*(\d+) kB', status.read_text())):
        return int(line[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def folder() -> pathlib.Path:
    """A folder for files that several processes of one run of the benchmarks read."""
    if FOLDER not in os.environ:
        made = tempfile.TemporaryDirectory(prefix='benchmarks-')
        _kept.append(made)
        os.environ[FOLDER] = made.name
    return pathlib.Path(os.environ[FOLDER])


_kept: list[Any] = []


def files(name: str, write: Callable[[pathlib.Path], object]) -> pathlib.Path:
    """The path of a file or folder in :func:`folder`, written by a function when it is first asked for.

    The function runs in a process of its own, so that it adds nothing to the memory of the one that measures.
    """
    path = folder() / name
    if not path.exists():
        import multiprocessing

        making = path.with_name(f'making-{path.name}')
        writer = multiprocessing.get_context('fork').Process(target=write, args=(making,))
        writer.start()
        writer.join()
        if writer.exitcode:
            raise RuntimeError(f'{name}: could not be written')
        making.rename(path)
    return path


def record(result: Result) -> dict[str, Any]:
    """A result as JSON keeps it."""
    return asdict(result)
