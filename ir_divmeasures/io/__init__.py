"""Files and frames of runs and judgments, and what every table needs: ids as numbers, ties, the order of a ranking."""
