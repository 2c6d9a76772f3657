"""Files to documents: PDF files, images of pages and Word files, read in a child process within limits into pages of text and clauses."""
