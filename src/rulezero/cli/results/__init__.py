"""Verbs that measure a run."""
