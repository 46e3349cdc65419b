"""What Alembic runs for each migration: ours always come with a connection."""

from __future__ import annotations

from alembic import context

from assay.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite cannot change a column: Alembic copies the table instead.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
