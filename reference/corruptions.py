"""docs/reference/corruptions.md: the messages of each host on corrupted input, and of the checks on real data."""

from __future__ import annotations

from tests.corruptions import CORRUPTIONS, ERROR, REAL, RUNNERS

from .common import templated


def page() -> str:
    """The text of the page."""
    reasons: dict[str, int] = {}

    def cell(expected: str) -> str:
        if expected[:2] in ('- ', '× '):
            number = reasons.setdefault(expected[2:], len(reasons) + 1)
            return f'{expected[0].replace("-", "–")} ({number})'
        return 'error' if expected == ERROR else expected.removesuffix('Warning')

    rows = [(c.name, [cell(c.expected(host)) for host in RUNNERS]) for c in CORRUPTIONS]
    return templated(
        'corruptions',
        hosts=list(RUNNERS),
        rows=rows,
        reasons=list(reasons),
        real=[
            (collection, kind, n, why)
            for collection, kinds in REAL.items()
            for kind, (n, why) in kinds.items()
        ],
        silent=[collection for collection, kinds in REAL.items() if not kinds],
    )


__all__ = ['page']
