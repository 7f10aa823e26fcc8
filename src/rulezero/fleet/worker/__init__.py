"""Plays games for a server."""
