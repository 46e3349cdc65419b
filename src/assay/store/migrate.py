"""Runs the migrations of this package with Alembic; no alembic.ini is needed."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the database up to `revision`, inside the transaction that `connection` is in."""
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def configuration() -> Config:
    """Alembic's configuration, with where the migrations are."""
    config = Config()
    # Percent signs are special in Alembic's options.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
