"""What the verbs share: options, tables, progress displays."""
