"""Playing tasks in worker processes, and keeping their games."""
