"""Another system's export -> batch or gold, as a map file says: no code, nothing repaired, nothing guessed."""
