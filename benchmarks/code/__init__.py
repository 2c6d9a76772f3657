"""The code itself: its size, and whether the tests notice a change of it."""
