"""Pools of systems: rareness and unique finds."""

from .pool import Pool, with_rareness
from .repool import repool

__all__ = ['Pool', 'repool', 'with_rareness']
