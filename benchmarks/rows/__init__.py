"""Rows of the benchmarks, one module for each part; ``benchmarks/README.md`` says how to add one."""
