"""Documentation and attachments: read, counted, fitted into a prompt."""
