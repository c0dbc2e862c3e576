"""What a measure is: its parameters, its name, the ranking that it sees, and the registry that knows them all."""
