"""Document Q&A (standard 4)."""
