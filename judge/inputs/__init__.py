"""Batch, gold and documents folder to cases; every problem with file, line and JSON path."""
