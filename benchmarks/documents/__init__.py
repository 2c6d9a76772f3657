"""Are documents opened, or refused with a reason, and are their clauses where a reader sees them?"""
