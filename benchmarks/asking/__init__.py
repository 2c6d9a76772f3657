"""The judge's questions and the way to an endpoint: answers, speed, limits, faults, and what is paid."""
