"""Which constraints measures satisfy: Table 1 of Amigó et al. 2018, and every measure of the package.

python -m studies axioms   # a few minutes; writes docs/studies/axioms.md
"""

from __future__ import annotations

from ir_divmeasures import axioms, studies


def page() -> str:
    """The page's text."""
    return studies.axioms(proofs=axioms.proofs()).to_markdown()
