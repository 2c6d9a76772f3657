"""Data and its reader: the quality contract and the judge's rubrics."""

from rubrics.contract import Contract, ContractFileError, load_contract

__all__ = ["Contract", "ContractFileError", "load_contract"]
