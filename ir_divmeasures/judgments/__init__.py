"""The judgments table, and the functions that add columns or rows to it."""
