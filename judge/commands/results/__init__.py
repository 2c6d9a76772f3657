"""Commands that show finished result folders and change none of their verdicts."""
