"""Plays tasks in worker processes, and stores their games."""
