"""The steps from each form of the server's database to the next, for Alembic."""
