"""Our warnings, how a call collects and shows them, and the words of errors."""

from __future__ import annotations

import contextlib
import contextvars
import numbers
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """Show what the block warns of at its end, at the line of the caller of the function, or with ``say``.

    It is a decorator of functions, too. Within another such block, leave the messages to that one.
    """
    if _call.get() is not None:
        yield
        return
    messages: list[Message] = []
    try:
        with collecting(messages):
            yield
    finally:
        for text, category in shortened(messages):
            if say is None:
                # this function, contextlib, the function with the block, its caller
                warnings.warn(text, category, stacklevel=4)
            else:
                say(text)


def shortened(messages: Iterable[Message]) -> list[Message]:
    """The first messages, the last of which counts the others. No text is longer than :data:`LENGTH`."""
    distinct = list(dict.fromkeys(messages))
    shown = []
    for place, (text, category) in enumerate(distinct[:LINES], 1):
        is_last = place == LINES < len(distinct)
        end = f' (and {len(distinct) - LINES} more, see diagnose(qrels, runs))' * is_last
        room = LENGTH - len(end)
        shown.append(((text if len(text) <= room else f'{text[: room - 1]}…') + end, category))
    return shown


def show(messages: Sequence[Message]) -> None:
    """Append messages to the list of the call. Without such a call, show them as warnings of the user's program."""
    collected = _call.get()
    if collected is not None:
        collected += messages
        return
    for text, category in shortened(messages):
        warnings.warn_explicit(text, category, 'ir_divmeasures', 1, '__main__')


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
        kind = type(error)
        if not kind.__module__.startswith('ir_divmeasures'):  # others may take more than a message
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
