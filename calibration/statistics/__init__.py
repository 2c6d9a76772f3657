"""Intervals, agreement, tests, how many labels are needed: of counts and clusters, never of a label file, a judge or a rule."""
