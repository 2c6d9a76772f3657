"""Checks that need no model: documents and their clauses, quotes, citations and typed values."""
