"""Prices of rented GPUs, one YAML file for each date."""
