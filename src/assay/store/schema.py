"""The tables as they are now; `migrations` says how they came to be."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    text,
)

SCHEMA_VERSION = "0002"
"""The newest revision in `migrations/versions`."""

metadata = MetaData()

sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("created", Float, nullable=False, index=True),
    Column("flow", String, nullable=False),
    Column("model", String, nullable=False),
    Column("title", String, nullable=False),
    Column("task", Text, nullable=False),
    # Raised by each process that goes on with the session; what an earlier one writes is refused.
    Column("generation", Integer, nullable=False, server_default="1"),
    # No key to another session: a follow-up outlives what it follows.
    Column("base_url", String),
    Column("follows", String, index=True),
    Column("prepared", Text),
)

events = Table(
    "events",
    metadata,
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("time", Float, nullable=False),
    Column("kind", String, nullable=False),
    Column("data", Text, nullable=False),
    PrimaryKeyConstraint("session", "sequence"),
    # A list of sessions sums up their calls, and would otherwise read every piece of text.
    Index("ix_events_calls", "session", sqlite_where=text("kind = 'call_ended'")),
)

replies = Table(
    "replies",
    metadata,
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("step", String, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("role", String, nullable=False),
    Column("prompt_hash", String, nullable=False),
    Column("time", Float, nullable=False),
    Column("messages", Text, nullable=False),
    Column("reply", Text, nullable=False),
    PrimaryKeyConstraint("session", "step", "attempt", "role", "prompt_hash"),
)
