"""The first form of the database."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates all tables."""
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("scopes", sa.String(100), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("revoked", sa.Float),
        sa.Column("flag", sa.Text),
        sa.Column("withdrawn", sa.Float),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False, unique=True),
        sa.Column("job", sa.String(64), nullable=False, index=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("is_closed", sa.Boolean, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    op.create_table(
        "leases",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("task", sa.String(64), nullable=False, index=True),
        sa.Column("token", sa.String(16), nullable=False),
        sa.Column("worker", sa.String(100), nullable=False),
        sa.Column("machine", sa.LargeBinary, nullable=False),
        sa.Column("ranges", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    op.create_table(
        "games",
        sa.Column("task", sa.String(64), primary_key=True),
        sa.Column("index", sa.Integer, primary_key=True),
        sa.Column("sequence", sa.Integer, nullable=False),
        sa.Column("record", sa.String(32), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("token", sa.String(16), nullable=False),
        sa.Column("shard", sa.Integer, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("note_shard", sa.Integer),
        sa.Column("note_at", sa.Integer),
        sa.Column("stored", sa.Float, nullable=False),
        sa.UniqueConstraint("task", "record"),
        sa.UniqueConstraint("task", "sequence"),
    )
    op.create_index("games_of_tokens", "games", ["token", "stored"])
    op.create_table(
        "shards",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("path", sa.String(200), nullable=False),
        sa.Column("end", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Removes all tables."""
    for name in ("shards", "games", "leases", "tasks", "tokens"):
        op.drop_table(name)
