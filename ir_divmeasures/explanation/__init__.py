"""Why a query scored what it did: ``explain``."""

from .explain import Explanation, explain

__all__ = ['Explanation', 'explain']
