"""Sheets in and out: CSV and Excel files as rows of text and numbers, the items of a run as a sheet and back."""
