"""Sheets as rows of text and numbers: CSV and Excel files."""
