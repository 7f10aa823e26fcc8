"""Experiments, a YAML file each: differences from the settings' own defaults only."""
