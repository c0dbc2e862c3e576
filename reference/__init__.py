"""The pages and pictures that are made by program, and the studies behind them: ``python -m studies``."""
