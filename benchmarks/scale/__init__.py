"""Time and memory as batches, documents, reports and clusters grow."""
