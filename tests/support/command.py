"""Runs `rulezero` as `python -m rulezero` does, with the graphs of `support.graphs`."""

import os
import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    from support import graphs

    graphs.install()
    sys.path[0] = os.getcwd()  # noqa: PTH109
    runpy.run_module("rulezero", run_name="__main__", alter_sys=True)
