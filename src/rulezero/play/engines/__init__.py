"""Engines: programs that speak UCI, and sit where a player sits."""
