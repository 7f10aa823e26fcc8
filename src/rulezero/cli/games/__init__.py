"""Verbs about games and their rules."""
