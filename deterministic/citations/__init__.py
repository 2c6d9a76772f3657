"""A citation against a document: page, section and quote together."""
