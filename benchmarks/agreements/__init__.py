"""Whole outputs on real agreements, held against what a careful reader noted before."""
