"""Endgames: what is known for certain about positions."""
