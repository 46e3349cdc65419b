"""The database's file: made, opened, and brought to the schema of today."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from assay.errors import StoreError
from assay.store.faults import BUSY_SECONDS, store_error
from assay.store.schema import SCHEMA_VERSION


class Database:
    """Transactions on one file, with StoreError for all that SQLite complains about."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = _engine(path)
        self._writer = self._engine.execution_options(writes=True)
        self._durable_writer = self._engine.execution_options(writes=True, durable=True)

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open the database at `path`; make it, or migrate it, where that is needed.

        Raises:
            StoreError: it cannot be used; the message says what to do.
        """
        with explained(path):
            create_file(path)
            version, is_wal = _inspect(path)
            if version != SCHEMA_VERSION or not is_wal:
                _bring_up_to_date(path)
        return cls(path)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads. What is read has to be parsed inside it.

        Raises:
            StoreError: the database cannot be read, or holds what this Assay does not know.
        """
        with explained(self._path), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[Connection]:
        """A transaction that holds the write lock from its beginning.

        Args:
            durable: Wait for the disk, so that it survives a loss of power, with all before it.

        Raises:
            StoreError: the database cannot be written.
            sqlalchemy.exc.IntegrityError: a row that this one belongs to is not there.
        """
        writer = self._durable_writer if durable else self._writer
        with explained(self._path), writer.begin() as connection:
            yield connection

    def empty_log(self) -> None:
        """Write the write-ahead log back and cut it, so that deleted text is not left in it.

        Raises:
            StoreError: the database cannot be written.
        """
        with explained(self._path), closing(connect(self._path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite, SQLAlchemy and the system raise into StoreError.

    Raises:
        StoreError: the database cannot be used, or holds what this Assay does not know.
        sqlalchemy.exc.IntegrityError: a row that another belongs to is not there.
    """
    try:
        yield
    except DBAPIError as error:
        if getattr(error.orig, "sqlite_errorname", None) == "SQLITE_CONSTRAINT_FOREIGNKEY":
            raise
        raise store_error(path, error.orig) from error
    # sqlite3 cannot decode its own messages where they quote damaged text.
    except (sqlite3.Error, OSError, ValidationError, UnicodeDecodeError) as error:
        raise store_error(path, error) from error


def create_file(path: Path) -> None:
    """Make an empty file that only its owner can read, and its folder; SQLite accepts both.

    Raises:
        OSError: they cannot be made.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Made without being opened: were it closed again, all locks that SQLite holds on it in this
    # process would be gone, and another process could remove the log under its hands.
    with suppress(FileExistsError):
        os.mknod(path, stat.S_IFREG | 0o600)


def connect(path: Path) -> sqlite3.Connection:
    """Connect to the database in autocommit mode, so that transactions are begun by name.

    Raises:
        sqlite3.Error: the file is no database, or cannot be opened.
    """
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # With a write-ahead log this loses nothing when a process is killed, and the last moments
        # when the machine loses its power; in return an append does not wait for the disk. What
        # must not be lost even then is written by a durable transaction.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _engine(path: Path) -> Engine:
    engine = create_engine("sqlite://", creator=lambda: connect(path), poolclass=QueuePool)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    # A transaction that reads first and then writes fails at once when another has written in
    # between, however long it may wait; one that will write therefore takes the lock first.
    options = connection.get_execution_options()
    writes = options.get("writes", False)
    if writes:  # connections are shared, so each transaction says what it wants
        level = "FULL" if options.get("durable", False) else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _inspect(path: Path) -> tuple[str | None, bool]:
    """The schema's version (None: there is none yet), and whether there is a write-ahead log."""
    with closing(connect(path)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'")
        if known.fetchone() is None:
            return None, mode == "wal"
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        version = None if row is None else str(row[0])
    if version is not None and not (version.isdecimal() and version <= SCHEMA_VERSION):
        raise StoreError(
            f"A newer Assay wrote the database {path} (its schema is {version}, this one knows "
            f"{SCHEMA_VERSION}). Update Assay, or name another folder in ASSAY_DATA_FOLDER."
        )
    return version, mode == "wal"


def _bring_up_to_date(path: Path) -> None:
    # The lock is a file of its own: SQLite's lock does not cover the change of journal mode, in
    # which a second process would get "database is locked" without waiting.
    with _exclusive(path.with_name(path.name + ".lock")):
        with closing(connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        version, _ = _inspect(path)
        if version == SCHEMA_VERSION:
            return
        # Alembic takes a tenth of a second to import, and is hardly ever needed.
        from assay.store.migrate import upgrade

        engine = _engine(path)
        try:
            with engine.execution_options(writes=True).begin() as connection:
                upgrade(connection)
        finally:
            engine.dispose()


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
