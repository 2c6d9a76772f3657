"""May the judge gate? Which items count, what speaks against it, the answer with its reasons, and the record that keeps it."""
