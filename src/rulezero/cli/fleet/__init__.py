"""Verbs for fleets of several machines."""
