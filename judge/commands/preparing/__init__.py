"""Commands of the time before a run: first files, inputs from elsewhere, the configuration tried, what this machine keeps and trusts."""
