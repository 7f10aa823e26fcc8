"""The server's database: rows about tokens, tasks, leases and games; the games are in shards."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Engine

from rulezero.errors import RunError
from rulezero.fleet.packages import install
from rulezero.fleet.server.locks import locked

FILE = "fleet.sqlite"
HEAD = "0001"  # the newest migration
_MIGRATIONS = Path(__file__).with_name("migrations")

metadata = sa.MetaData()

tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),  # SHA-256 of the token
    sa.Column("scopes", sa.String(100), nullable=False),  # separated by spaces
    sa.Column("created", sa.Float, nullable=False),  # seconds since 1970, as all times
    sa.Column("revoked", sa.Float),
    sa.Column("flag", sa.Text),  # why a person should look at its games
    sa.Column("withdrawn", sa.Float),  # nets do not learn from its games up to this time
)
tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),  # the order in which they came
    sa.Column("job", sa.String(64), nullable=False, index=True),
    sa.Column("content", sa.LargeBinary, nullable=False),  # the TaskOrder
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("is_closed", sa.Boolean, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
)
leases = sa.Table(
    "leases",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("task", sa.String(64), nullable=False, index=True),
    sa.Column("token", sa.String(16), nullable=False),
    sa.Column("worker", sa.String(100), nullable=False),
    sa.Column("machine", sa.LargeBinary, nullable=False),  # the Machine
    sa.Column("ranges", sa.LargeBinary, nullable=False),  # the Ranges, in msgpack
    sa.Column("created", sa.Float, nullable=False),
)
games = sa.Table(
    "games",
    metadata,
    sa.Column("task", sa.String(64), primary_key=True),
    sa.Column("index", sa.Integer, primary_key=True),
    sa.Column("sequence", sa.Integer, nullable=False),  # in the task, from 1
    sa.Column("record", sa.String(32), nullable=False),  # its id
    sa.Column("content", sa.LargeBinary, nullable=False),  # digest of the record and its note
    sa.Column("token", sa.String(16), nullable=False),
    sa.Column("shard", sa.Integer, nullable=False),  # its number
    sa.Column("at", sa.Integer, nullable=False),  # where it begins in the shard
    sa.Column("note_shard", sa.Integer),
    sa.Column("note_at", sa.Integer),
    sa.Column("stored", sa.Float, nullable=False),
    # A record's id has its task's name in it, but not its job: two runs may play equal games.
    sa.UniqueConstraint("task", "record"),
    sa.UniqueConstraint("task", "sequence"),
    sa.Index("games_of_tokens", "token", "stored"),
)
shards = sa.Table(
    "shards",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", sa.String(200), nullable=False),  # in the folder of records, when sealed
    sa.Column("end", sa.Integer, nullable=False),  # what follows was never confirmed to a worker
)


def open_database(folder: Path, url: str | None = None) -> Engine:
    """The database in the folder of a fleet, or the one of a URL, with its tables up to date."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE
    # Not as a text: a folder's name may have a "?" or a "%", which mean something in a URL.
    chosen = _read_url(url) if url else sa.URL.create("sqlite", database=str(file))
    engine = _engine(chosen)
    try:
        with locked(folder / "migrations.lock"):
            _migrate(engine)
    except sa.exc.SQLAlchemyError as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
        place, advice = ("", "") if url else (f" '{file}'", "; restore it from a backup")
        raise RunError(f"the fleet's database{place} cannot be opened: {reason}{advice}") from error
    return engine


def _read_url(text: str) -> sa.URL:
    """The URL of --database; RunError, without a password in the text, if it is not one."""
    try:
        url = sa.engine.make_url(text)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        name = url.get_backend_name()
    except (sa.exc.ArgumentError, ValueError) as error:
        shown = "" if "@" in text else f", not {text[:60]!a}"
        raise RunError(
            f"--database must be of the form postgresql://USER@HOST/NAME{shown}"
        ) from error
    if name not in ("sqlite", "postgresql"):
        raise RunError(f"a fleet's database is SQLite or PostgreSQL, not {name}")
    return url


def _engine(url: sa.URL) -> Engine:
    name = url.get_backend_name()
    options: dict[str, Any] = {} if name == "sqlite" else {"pool_pre_ping": True}
    try:
        engine = sa.create_engine(url, pool_size=8, max_overflow=8, **options)
    except sa.exc.ArgumentError as error:
        raise RunError("--database must be of the form postgresql://USER@HOST/NAME") from error
    except ModuleNotFoundError as error:
        raise RunError(
            f"this database needs the package {error.name}: {install('postgresql')}"
        ) from error
    if name == "sqlite":
        sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: object) -> None:
    """A commit survives a power cut; readers do not wait for the writer."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        if sa.inspect(connection).has_table("alembic_version"):
            version = connection.execute(sa.text("SELECT version_num FROM alembic_version"))
            if version.scalar() == HEAD:
                return
    from alembic import command, config, util  # here, as its imports are slow

    settings = config.Config()
    settings.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    try:
        with engine.begin() as connection:
            settings.attributes["connection"] = connection
            command.upgrade(settings, "head")
    except util.CommandError as error:
        raise RunError(
            f"the fleet's database is of a newer rulezero: use that one ({error})"
        ) from error
