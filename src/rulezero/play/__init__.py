"""Playing: seats, evaluators, tasks, matches, ratings."""
