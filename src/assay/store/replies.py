"""Replies of models with their prompts, each stored before it is used.

A graph's checkpoint is written only after its node, so a session that was killed in between finds
the reply here and does not pay for it twice.
"""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import literal_column, select
from sqlalchemy.dialects.sqlite import insert

from assay.domain.message import Message, Reply
from assay.store.database import Database
from assay.store.json_text import to_json
from assay.store.records import StoredReply
from assay.store.schema import replies

_MESSAGES = TypeAdapter(tuple[Message, ...])
_REPLY = TypeAdapter(Reply)


def save_reply(database: Database, session: str, stored: StoredReply) -> None:
    """Store a reply for good; where there is one under its key already, that one stays.

    Raises:
        sqlalchemy.exc.IntegrityError: there is no such session.
    """
    row = {
        "session": session,
        **stored.model_dump(include={"step", "attempt", "role", "prompt_hash", "time"}),
        "messages": to_json(_MESSAGES, stored.messages),
        "reply": to_json(_REPLY, stored.reply),
    }
    with database.writing(durable=True) as connection:
        connection.execute(insert(replies).on_conflict_do_nothing(), row)


def find_reply(
    database: Database, session: str, step: str, attempt: int, role: str, prompt_hash: str
) -> Reply | None:
    """Give the reply that was stored under this key, None where there is none."""
    query = select(replies.c.reply).where(
        replies.c.session == session,
        replies.c.step == step,
        replies.c.attempt == attempt,
        replies.c.role == role,
        replies.c.prompt_hash == prompt_hash,
    )
    with database.reading() as connection:
        data = connection.execute(query).scalar()
        return None if data is None else _REPLY.validate_json(data)


def list_replies(database: Database, session: str) -> list[StoredReply]:
    """Give all replies of the session in the order in which they came."""
    query = select(replies).where(replies.c.session == session).order_by(literal_column("rowid"))
    with database.reading() as connection:
        return [
            StoredReply(
                step=row.step,
                attempt=row.attempt,
                role=row.role,
                prompt_hash=row.prompt_hash,
                time=row.time,
                messages=_MESSAGES.validate_json(row.messages),
                reply=_REPLY.validate_json(row.reply),
            )
            for row in connection.execute(query)
        ]
