"""The only place for words, signs, units and their names: numbers, currencies, calendar, legal forms, phrases, folding, matching."""
