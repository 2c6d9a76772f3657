"""The clause index of a document: references, headings, paragraphs, contents pages, provisions."""
