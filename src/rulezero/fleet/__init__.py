"""Who plays the tasks of a run: this machine, or others."""
