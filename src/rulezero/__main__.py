"""`python -m rulezero` is the command line too."""

from rulezero.cli import main

main()
