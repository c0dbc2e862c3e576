"""From judgments and runs to scores."""
