"""The command ``ir_divmeasures`` (``python -m ir_divmeasures``): a file a group of subcommands; thin."""

from .main import main

__all__ = ['main']
