"""Does the judge agree with people, and may it gate? A leaf: it knows labels and numbers, never a document, a rubric or the engine."""
