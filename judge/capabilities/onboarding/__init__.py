"""Loan onboarding extraction (standard 1)."""
