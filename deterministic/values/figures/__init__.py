"""Kinds that are a number with a unit: money, rates, thresholds, gaps; how each is read stands apart from how it is compared."""
