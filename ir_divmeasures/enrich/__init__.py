"""Judgments → judgments: each function adds columns that measures read."""
