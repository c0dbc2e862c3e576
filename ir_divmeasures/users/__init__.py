"""What data say about users: stopping distributions fitted to logs and preferences, profiles, priors, pictures."""
