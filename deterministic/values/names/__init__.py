"""Kinds that are words: parties and their roles, laws, benchmarks, types of facilities, yes and no, lists."""
