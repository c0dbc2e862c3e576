"""Where users stop reading: distributions over ranks (Carterette 2011) and their registry, profile, fit and pictures.

What users call stands in :mod:`ir_divmeasures.user_models`.
"""
