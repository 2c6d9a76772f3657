"""Word files as text; knows no PDF library."""
