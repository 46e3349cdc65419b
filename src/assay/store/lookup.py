"""Finding a session by the beginning of its id."""

from __future__ import annotations

from sqlalchemy import or_, select

from assay.errors import SessionNotFound
from assay.store.database import Database
from assay.store.ids import as_typed
from assay.store.schema import sessions


def find_session(database: Database, prefix: str) -> str:
    """Give the id of the one session whose id, or its part after the dash, begins so.

    Raises:
        SessionNotFound: there is none, or more than one.
    """
    typed = as_typed(prefix)
    if typed is None:
        raise not_found(prefix)
    begins = or_(
        sessions.c.id.startswith(typed, autoescape=True),
        sessions.c.id.contains(f"-{typed}", autoescape=True),
    )
    query = select(sessions.c.id).where(begins).order_by(sessions.c.id.desc()).limit(4)
    with database.reading() as connection:
        found: list[str] = list(connection.execute(query).scalars())
    if typed in found:
        return typed
    if not found:
        raise not_found(prefix)
    if len(found) == 1:
        return found[0]
    names = ", ".join(found[:3]) + (" and more" if len(found) > 3 else "")
    raise SessionNotFound(f"Several sessions begin with {prefix}: {names}. Type more of the id.")


def not_found(session: str) -> SessionNotFound:
    """The error for a session that is not there."""
    return SessionNotFound(f"There is no session {session!r}. `assay sessions` lists them.")
