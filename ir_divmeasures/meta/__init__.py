"""Meta-evaluation: what scores of systems on queries say about measures. Knows nothing of judgments or files."""
