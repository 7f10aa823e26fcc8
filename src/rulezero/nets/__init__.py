"""Nets: towers and heads, checkpoints, export."""
