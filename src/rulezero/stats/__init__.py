"""Statistics of results: tallies, Elo, sequential tests, rating ladders. Pure functions."""
