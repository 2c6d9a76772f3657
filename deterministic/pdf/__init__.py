"""PDF files to pages of text, in a child process within limits; the only room that knows a PDF library."""
