"""Covenant monitoring (standard 2)."""
