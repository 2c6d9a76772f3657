"""Commands through which people speak: labels, decisions, disputes, and how far a judge agrees with them."""
