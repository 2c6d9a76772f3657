"""Does the quote check find what is there, and nothing else: real sentences, altered, reworded, foreign."""
