"""The verdicts that the program knows by name, apart from the rubrics' models, whose import costs more than the rest of a short command."""

CANNOT_DETERMINE = "cannot_determine"
NONE_FITS = "none_of_these"  # a rubric with this choice takes the others from each question: rows of a case's own table
