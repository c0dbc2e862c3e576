"""Where users stop reading (Carterette 2011): distributions over ranks, their registry, profile, fit and pictures.

What users call is in :mod:`ir_divmeasures.user_models`. A new distribution is one line of :mod:`.distributions`; the
tests then ask for its literal twin and an arithmetic case.
"""
