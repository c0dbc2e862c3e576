"""Where users stop reading (Carterette 2011): stopping distributions, continuation functions, efforts and their names.

Users import from :mod:`ir_divmeasures.user_models`. To add a distribution to the package, write one line in
:mod:`.distributions`. The tests then fail until the distribution has a literal twin and an arithmetic case.
"""
