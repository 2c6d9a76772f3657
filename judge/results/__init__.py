"""The result folder: verdict lines, summary, gates, exceptions, and comparing two runs."""
