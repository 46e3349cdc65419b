"""Sessions, their events and their replies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("flow", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
    )
    op.create_index("ix_sessions_created", "sessions", ["created"])
    op.create_table(
        "events",
        _session(),
        sa.Column("sequence", sa.Integer, nullable=False),
        sa.Column("time", sa.Float, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("session", "sequence"),
    )
    calls = sa.text("kind = 'call_ended'")
    op.create_index("ix_events_calls", "events", ["session"], sqlite_where=calls)
    op.create_table(
        "replies",
        _session(),
        sa.Column("step", sa.String, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("prompt_hash", sa.String, nullable=False),
        sa.Column("time", sa.Float, nullable=False),
        sa.Column("messages", sa.Text, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("session", "step", "attempt", "role", "prompt_hash"),
    )


def _session() -> sa.Column[str]:
    key = sa.ForeignKey("sessions.id", ondelete="CASCADE")
    return sa.Column("session", sa.String, key, nullable=False)
