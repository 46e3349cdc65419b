"""How the database came to be: one file a change of the schema, run by Alembic."""
