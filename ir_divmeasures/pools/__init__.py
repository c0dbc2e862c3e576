"""Pools of systems: rareness, unique finds, and what unjudged documents leave open."""

from ..judgments.repool import repool
from .pool import Pool, with_rareness

__all__ = ['Pool', 'repool', 'with_rareness']
