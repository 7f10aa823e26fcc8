"""Runs the migrations on the connection that `open_database` gives; Alembic executes this file."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
