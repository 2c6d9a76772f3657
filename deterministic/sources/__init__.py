"""What a document file is by its content, and Word files as text; knows no PDF library."""
