"""Where a quote stands in a document, and whether it is that text."""
