"""Faults planted in right outputs, as data: what the rules make of each, with and without a judge that tells the truth."""
