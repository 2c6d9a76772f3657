"""The only place for words, signs, units and names of them: quotes and values read the same tables."""
