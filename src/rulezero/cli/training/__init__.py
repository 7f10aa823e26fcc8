"""Verbs that make games, data and nets."""
