"""Evaluation cases as people write them: one Markdown file a case, read to a gold line."""
