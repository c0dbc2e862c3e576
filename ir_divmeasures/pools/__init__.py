"""Pools of systems: rareness and unique finds."""

from .repool import repool
from .pool import Pool, with_rareness

__all__ = ['Pool', 'repool', 'with_rareness']
