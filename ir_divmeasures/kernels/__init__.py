"""The arithmetic of measures on NumPy arrays: one idea a file, no ids, no tables, nothing imported but NumPy.

Shapes, everywhere: ``Q`` queries, ``H`` hits (documents of a ranking that have a grade above 0, in rank order, padded
with rank ``inf`` and grade 0), ``D`` judged documents of a query, ``T`` aspects.
"""
