"""Lets `python -m rulezero` run the command line."""

from rulezero.cli import main

main()
