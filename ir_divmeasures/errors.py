"""Our warnings, how a call collects and shows them, and the words of errors."""

from __future__ import annotations

import contextlib
import contextvars
import numbers
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any


class DivMeasuresWarning(UserWarning):
    """Data or settings that are usable but probably not what was meant. Says what was found, with counts.

    You can silence each subclass: ``warnings.simplefilter('ignore', ir_divmeasures.errors.ScoresWarning)``.
    """


class FilesWarning(DivMeasuresWarning):
    """Files or rows that are skipped, and runs without documents."""


class QueriesWarning(DivMeasuresWarning):
    """A run and judgments have few queries in common."""


class DocumentsWarning(DivMeasuresWarning):
    """Almost no document that a run retrieved is judged, or their ids match only after a change."""


class ScoresWarning(DivMeasuresWarning):
    """The scores of a run rank nothing, rank the wrong way round, or tie where a mean depends on it."""


class JudgmentsWarning(DivMeasuresWarning):
    """The grades or subtopics of judgments are probably not what measures take them for."""


LINES, LENGTH = 3, 300
"""The largest number of warnings of a call, and of characters of a warning."""

Message = tuple[str, type[Warning]]
"""The text and the class of a warning."""

_call: contextvars.ContextVar[list[Message] | None] = contextvars.ContextVar('call', default=None)

NOT_THE_USERS = frozenset(
    [
        'ir_divmeasures',
        'ir_divmeasures_command',
        'ir_divmeasures_plugin',
        'ir_measures',
        'pyterrier',
        'pandas',
        'joblib',
        'tqdm',
        'concurrent',
        'contextlib',
        'functools',
        'importlib',
        'threading',
    ]
)
"""Packages whose frames can lie between the user's line and ours."""


def warn(text: str, category: type[Warning] = DivMeasuresWarning) -> None:
    """Append a message to the list of the call. Without such a call, show it as a warning."""
    show([(text, category)])


@contextlib.contextmanager
def collecting(messages: list[Message]) -> Iterator[None]:
    """Append what the block warns of to a list, which belongs to this call in this thread, instead of showing it."""
    token = _call.set(messages)
    try:
        yield
    finally:
        _call.reset(token)


@contextlib.contextmanager
def limited(say: Callable[[str], None] | None = None) -> Iterator[None]:
    """Show what the block warns of at its end, with :func:`show` or ``say``. Within another such block, leave it to that
    one."""
    if _call.get() is not None:
        yield
        return
    messages: list[Message] = []
    try:
        with collecting(messages):
            yield
    finally:
        if say is None:
            show(messages)
        else:
            for text, _ in shortened(messages):
                say(text)


def shortened(messages: Iterable[Message], most: int = LINES) -> list[Message]:
    """The first messages, the last of which counts the others. No text is longer than :data:`LENGTH`."""
    distinct = list(dict.fromkeys(messages))
    kept, n = distinct[:most], len(distinct) - most
    more = f' (and {n} more, see diagnose(qrels, runs))' if n > 0 else ''
    ends = [''] * (len(kept) - 1) + [more]
    return [(_cut(text, LENGTH - len(end)) + end, kind) for (text, kind), end in zip(kept, ends)]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f'{text[: most - 1]}…'


def show(messages: Sequence[Message], said: set[Any] | None = None, most: int = LINES) -> int:
    """Show messages as warnings at the user's line, or append them to the list of the call.

    Args:
        messages: texts and classes.
        said: the lines of ``pt.Experiment`` and the classes of warnings that were shown for these judgments.
            ``pt.Experiment`` calls us once for each system; each class is shown once for all of them.
        most: the largest number of warnings.

    Returns:
        The number of warnings that were shown.
    """
    collected = _call.get()
    if collected is not None:
        collected += messages
    if not messages or collected is not None:
        return 0
    frame, of_pyterrier = _user_frame()
    line = frame.f_code.co_filename, frame.f_lineno
    if of_pyterrier and said is not None:
        messages = [each for each in messages if (line, each[1]) not in said]
        most = LINES - sum(place == line for place, _ in said)
        said |= {(line, category) for _, category in messages}
    kept = shortened(messages, most)
    for text, category in kept:
        registry = frame.f_globals.setdefault('__warningregistry__', {})
        module = frame.f_globals.get('__name__') or '__main__'
        warnings.warn_explicit(text, category, *line, module, registry)
    return len(kept)


def _user_frame() -> tuple[FrameType, bool]:
    """The frame of the user's line, in whose module Python's filters look, and whether PyTerrier is between."""
    frame, passed = sys._getframe(1), set[str]()
    while frame.f_back is not None:
        package = str(frame.f_globals.get('__name__')).partition('.')[0]
        if package not in NOT_THE_USERS:
            break
        passed.add(package)
        frame = frame.f_back
    return frame, 'pyterrier' in passed


def did_you_mean(word: str, known: Iterable[str], list_known: bool = True) -> str:
    """``; did you mean 'alpha'?`` when something known is close, else the known names, if they are to be listed."""
    import difflib

    known = sorted(known)
    folded = {k.casefold(): k for k in reversed(known)}
    close = difflib.get_close_matches(word.casefold(), folded, n=5, cutoff=0.6)
    close.sort(
        key=lambda name: sorted(name) != sorted(word.casefold())
    )  # letters in another order are nearest
    if close:
        return f'; did you mean {folded[close[0]]!r}?'
    return f'; known: {", ".join(known)}' if known and list_known else ''


@contextlib.contextmanager
def naming(name: str) -> Iterator[None]:
    """Errors about types and values in the block begin with this name."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if str(error).startswith(name):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f'{name}: {error}') from None


SHORT = 100
"""A message shows no more characters of a value than these."""


def short(value: Any, quotes: bool = True) -> str:
    """A value in a message: its ``repr`` (of a text without ``quotes`` itself), without hundreds of digits or
    characters."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return f'{value:.0e}' if abs(value) < 10**300 else 'a number of more than 300 digits'
    if isinstance(value, str) and len(value) > SHORT:
        return (
            f'{value[: SHORT - 20]!r}… ({len(value)} characters)'
            if quotes
            else f'{value[: SHORT - 20]}… ({len(value)} characters)'
        )
    shown = value if isinstance(value, str) and not quotes else repr(plain(value))
    return shown if len(shown) <= 2 * SHORT else f'{shown[:SHORT]}…'


def whole(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number from ``least`` to ``most``.

    Raises:
        ValueError: another value; names the parameter.
    """
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        range_ = f'of at least {least}' if most is None else f'from {least} to {most}'
        raise ValueError(f'{name}={value!r}: expected a whole number {range_}')
    return int(value)


def check_number(name: str, value: Any, highest: float = 1.0) -> None:
    """Raise unless a parameter is a number from 0 to the highest one.

    Raises:
        ValueError: names the parameter and its value.
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= highest:
        raise ValueError(f'{name}={value!r}: expected a number in [0, {highest:g}]')


def fraction(value: Any, name: str) -> float:
    """A number between 0 and 1, both excluded.

    Raises:
        ValueError: another value; names the parameter.
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:
        raise ValueError(f'{name}={value!r}: expected a number in (0, 1)')
    return float(value)


def one_of(value: Any, choices: Iterable[str], name: str) -> str:
    """Return the value if it is one of the choices.

    Raises:
        TypeError: it is no text.
        ValueError: it is another text. The message lists the choices.
    """
    known = ', '.join(map(repr, choices))
    if not isinstance(value, str):
        raise TypeError(f'{name}: expected one of {known}, found {type(value).__name__}')
    if value not in choices:
        near = did_you_mean(value, choices, list_known=False)
        raise ValueError(f'{name}={value!r}: expected one of {known}{near}')
    return value


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own, which prints without its type."""
    return value.item() if type(value).__module__ == 'numpy' and hasattr(value, 'item') else value


_UNSEEN = '[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
"""Control characters, line separators, what turns the direction of a text, and halves of characters."""


def visible(text: str, keep: str = '') -> str:
    """A text of whose control characters only those of ``keep`` are left. Others are written as in Python, so that a
    name neither begins a line nor changes what a terminal shows.

    Examples:
        >>> visible('bm25\\n\\x1b[2J')
        'bm25\\\\n\\\\x1b[2J'
    """
    return re.sub(
        _UNSEEN,
        lambda match: (
            match[0] if match[0] in keep else match[0].encode('unicode_escape').decode('ascii')
        ),
        text,
    )
