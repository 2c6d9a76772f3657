"""Commands that end with the verdict of the gates, or say before a run what it would do; what they print lies beside them."""
