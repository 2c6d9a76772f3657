"""Benchmark terms validation (standard 3)."""
