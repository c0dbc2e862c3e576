"""The pages and pictures that are made by program: ``python -m docs.generators``."""
