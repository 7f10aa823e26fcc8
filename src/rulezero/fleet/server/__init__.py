"""The server of a fleet: gives games of tasks to workers, and checks and keeps what they upload."""
