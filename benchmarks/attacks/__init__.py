"""Damaged inputs and interrupts: no traceback, no silence, nothing half written."""
