"""Our warnings, and the words for near misses."""

from __future__ import annotations

import contextlib
import contextvars
import numbers
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


class DivMeasuresWarning(UserWarning):
    """Data or settings that are usable but probably not what was meant. Says what was found, with counts.

    Its subclasses are silenced one by one: ``warnings.simplefilter('ignore', ir_divmeasures.errors.OrderWarning)``.
    """


class QueriesWarning(DivMeasuresWarning):
    """A run and judgments have few queries in common."""


class EmptyRunWarning(QueriesWarning):
    """A run without documents."""


class FilesWarning(DivMeasuresWarning):
    """Files of a folder of runs that are skipped."""


class UnjudgedWarning(DivMeasuresWarning):
    """Most of the documents at the top of a run are not judged, although many documents of its queries are."""


class DocumentsWarning(UnjudgedWarning):
    """Almost none of the documents that a run retrieved is judged, although its queries are."""


class IdsWarning(DocumentsWarning, QueriesWarning):
    """Ids of a run that match those of the judgments only after a change, such as one of upper and lower case."""


class ScoresWarning(DivMeasuresWarning):
    """Scores that order no ranking, or the wrong one: they are ranks or distances, all equal, or all infinite."""


class RankColumnWarning(ScoresWarning):
    """The scores of a run order its documents against its own column of ranks."""


class FewQueriesWarning(DivMeasuresWarning):
    """A test on so few queries that its p-values are rough."""


class SameRankingWarning(DivMeasuresWarning):
    """Two systems have the same rankings."""


class TiesWarning(DivMeasuresWarning):
    """Documents of equal scores, whose order changes a mean."""


class OrderWarning(DivMeasuresWarning):
    """Measures of one call order a run differently, because some compare scores in 32 bits."""


class SubtopicsWarning(DivMeasuresWarning):
    """Judgments without subtopics meet measures of diversity, or the subtopics may be read wrongly."""


class ColumnsWarning(DivMeasuresWarning):
    """A column of judgments that is not read, although it looks like one that measures read or contradicts it."""


class WeightsWarning(DivMeasuresWarning):
    """Intent weights of a query that do not sum to 1."""


class GradesWarning(DivMeasuresWarning):
    """Grades above 0 that do not reach what a measure counts as relevant."""


class NoRelevantWarning(GradesWarning):
    """Judgments without any relevant document."""


class EqualGradesWarning(GradesWarning):
    """Judgments in which every document is relevant to every subtopic of its query, or has the same grade, although
    many documents are judged."""


class TopicLevelWarning(DivMeasuresWarning):
    """Ad-hoc measures in a call with diversity measures have other values than in a call of their own."""


class RepeatedRowsWarning(DivMeasuresWarning):
    """Rows of judgments that repeat another one."""


NOT_THE_USERS = frozenset(
    [
        'ir_divmeasures',
        'ir_divmeasures_command',
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
"""Packages whose frames lie between the user's line and ours."""


def warn(message: str, category: type[Warning] = DivMeasuresWarning) -> None:
    """Warn at the user's line: the first frame that is neither ours nor a host's, however deep we are."""
    frame = sys._getframe(1)
    while (
        frame.f_back is not None
        and frame.f_globals.get('__name__', '').partition('.')[0] in NOT_THE_USERS
    ):
        frame = frame.f_back
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get('__name__'),
        frame.f_globals.setdefault('__warningregistry__', {}),
    )


LINES = 3
"""The largest number of warnings of ours that a call gives."""

Message = tuple[str, type[DivMeasuresWarning]]
"""The text and the class of a warning."""

_is_limited: contextvars.ContextVar[bool] = contextvars.ContextVar('is_limited', default=False)


def shortened(messages: Sequence[Message], lines: int = LINES) -> Sequence[Message]:
    """The first messages, of which the last one counts the others, if there are too many; all in :func:`limited`."""
    if _is_limited.get() or len(messages) <= lines:
        return messages
    if lines < 1:
        return []
    (text, category), rest = messages[lines - 1], messages[lines:]
    kinds = ', '.join(dict.fromkeys(each.__name__ for _, each in rest))
    more = f'{text}. And {len(rest)} more: {kinds}; diagnose(qrels, runs) lists all'
    return [*messages[: lines - 1], (more, category)]


def by_class(messages: Sequence[Message], systems: Iterable[str]) -> list[str]:
    """A line for each class of warnings: class, count, up to three systems, the first text; at most ten lines."""
    lines = []
    for category in dict.fromkeys(category for _, category in messages):
        several = [text for text, each in messages if each is category]
        *words, _ = re.findall('[A-Z][a-z]+', category.__name__)
        label = ' '.join(words).lower().replace('div measures', 'other')
        named = [name for name in systems if any(name in text for text in several)]
        which = f' ({", ".join(named[:3])}{", …" * (len(named) > 3)})' if named else ''
        n = f'{len(several)} notice{"s" * (len(several) > 1)}'
        lines.append(f'{label}: {n}{which}; {several[0]}')
    return lines[:10]


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Give the warnings of ours at the end, at most :data:`LINES`; of calls in calls, the outermost counts."""
    if _is_limited.get():
        yield
        return
    token = _is_limited.set(True)
    try:
        with warnings.catch_warnings(record=True) as records:
            yield
    finally:
        _is_limited.reset(token)
        for message, category in shortened([*dict.fromkeys(repeat_others(records))]):
            warn(message, category)


def repeat_others(records: Iterable[warnings.WarningMessage]) -> list[Message]:
    """Give the warnings of other packages again, and return those of this package."""
    own: list[Message] = []
    for record in records:
        if issubclass(record.category, DivMeasuresWarning):
            own.append((str(record.message), record.category))
        else:
            warnings.warn_explicit(record.message, record.category, record.filename, record.lineno)
    return own


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
        raise type(error)(f'{name}: {error}') from None


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
