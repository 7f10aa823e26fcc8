"""The version of rulezero, defined only here."""

__version__ = "0.1.0"
