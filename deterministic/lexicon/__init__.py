"""The only place for words, signs and units and the names of them: numbers, currencies, calendar, legal forms, phrases, folding, matching."""
