"""Mutants that no test can kill, each with the reason: (module, lines before, lines after) → reason."""
from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str], str] = {
}
