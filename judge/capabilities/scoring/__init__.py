"""The companion rubrics: what citations, items and cases score under them, and a case's own scoring table."""
