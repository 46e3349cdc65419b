"""Which process may write of a session: the one that has begun its latest generation."""

from __future__ import annotations

from sqlalchemy import select, update

from assay.errors import LeaseLost
from assay.store.database import Database
from assay.store.lookup import not_found
from assay.store.schema import sessions

_RAISE = (
    update(sessions).values(generation=sessions.c.generation + 1).returning(sessions.c.generation)
)


def raise_generation(database: Database, session: str) -> int:
    """Begin the session's next generation; what earlier ones still write is refused.

    Raises:
        SessionNotFound: there is no such session.
    """
    with database.writing() as connection:
        raised = connection.execute(_RAISE.where(sessions.c.id == session))
        generation: int | None = raised.scalar()
    if generation is None:
        raise not_found(session)
    return generation


def latest_generation(database: Database, session: str) -> int:
    """Give the number of the session's latest generation.

    Raises:
        SessionNotFound: there is no such session.
    """
    with database.reading() as connection:
        query = select(sessions.c.generation).where(sessions.c.id == session)
        latest: int | None = connection.execute(query).scalar()
    if latest is None:
        raise not_found(session)
    return latest


def require_generation(database: Database, session: str, generation: int) -> None:
    """Make sure that `generation` is the session's latest.

    Raises:
        SessionNotFound: there is no such session.
        LeaseLost: it is not.
    """
    if latest_generation(database, session) != generation:
        raise LeaseLost(
            f"Another process has gone on with session {session}, so this one stops. "
            f"`assay show {session}` tells what came of it."
        )
