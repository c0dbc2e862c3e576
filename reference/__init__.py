"""The pages and pictures that are made by program (``python -m reference``), and the proofs of axioms."""
