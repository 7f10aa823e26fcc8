"""What is special about training one game."""
