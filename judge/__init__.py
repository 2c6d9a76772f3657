"""loan-judge: judges AI outputs on loan documents against a written quality contract."""

__version__ = "0.1.0"
