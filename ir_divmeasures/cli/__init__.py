"""The command ``ir_divmeasures`` and the page of a leaderboard."""

from ir_divmeasures_command import main

__all__ = ['main']
