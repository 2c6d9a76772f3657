"""Kinds that are a place in time or a length of it: dates, periods, and how often something is due."""
