"""Verbs that play and show games."""
