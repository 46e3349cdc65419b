"""What a session needs so that another process can go on with it, and what it follows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns; each session so far is in its first generation.

    A reply's step was its role's name, and is now that of the graph's node that asked for it.
    """
    generation = sa.Column("generation", sa.Integer, nullable=False, server_default="1")
    op.add_column("sessions", generation)
    op.add_column("sessions", sa.Column("base_url", sa.String))
    op.add_column("sessions", sa.Column("follows", sa.String))
    op.add_column("sessions", sa.Column("prepared", sa.Text))
    op.create_index("ix_sessions_follows", "sessions", ["follows"])
    for role, node in (("programmer", "generate"), ("critic", "reflect")):
        op.execute(f"UPDATE replies SET step = '{node}' WHERE step = '{role}'")  # noqa: S608
