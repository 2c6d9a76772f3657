"""The places of a Python module where one small change of the code ought to be noticed by a test.

A place is a span of the source and what would stand there instead. Left out is what decides nothing: docstrings, annotations, `Literal`
types, decorators, `__all__`, texts that are written for a reader, and what an exception says.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
LABELS = {
    "Outcome.CORRECT": "Outcome.FAIL",
    "NonOutcome.UNDECIDED": "NonOutcome.JUDGE_ERROR",
    "NonOutcome.JUDGE_ERROR": "NonOutcome.UNDECIDED",
    "NonOutcome.EXTRA": "NonOutcome.UNDECIDED",
}
LABEL = re.compile(r"[A-Za-z]+(_[A-Za-z]+)*\Z")
STEP = 0.05  # a share such as 0.75 is moved by this
FLAT = (ast.stmt, ast.ExceptHandler, ast.match_case)


@dataclass(frozen=True, slots=True)
class Place:
    """One change. `start`, `end`: offsets in the source, in bytes; `line`, `last`: of the statement's own lines, from 1.
    `key` names it without its line, so that a sample stays the same while other lines of the module change."""

    file: str
    key: str
    kind: str
    start: int
    end: int
    line: int
    last: int
    was: str
    now: str
    in_function: bool

    def apply(self, source: bytes) -> bytes:
        """The source with the change made."""
        return source[: self.start] + self.now.encode() + source[self.end :]

    def rank(self, seed: int) -> str:
        """Where it stands in the sample of a seed."""
        return hashlib.sha256(f"{seed}|{self.key}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Around:
    """What a node stands in: the functions and classes, the statement's own lines."""

    names: tuple[str, ...] = ()
    lines: tuple[int, int] = (1, 1)
    in_function: bool = False


def places_of(file: str, source: str) -> list[Place]:
    """All places of a module, in reading order."""
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    seen: Counter[str] = Counter()
    found = []
    for node, around in _walk(ast.parse(source), _Around()):
        start, end = _offset(starts, node.lineno, node.col_offset), _offset(starts, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        was = raw[start:end].decode()
        for kind, now in _changes(node):
            name = f"{file}|{'.'.join(around.names)}|{kind}|{' '.join(was.split())}|{' '.join(now.split())}"
            seen[name] += 1
            text = f"({now})" if isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Attribute, ast.Name)) else now
            key = f"{name}|{seen[name]}"
            found.append(Place(file, key, kind, start, end, *around.lines, was, text, around.in_function))
    return found


def _offset(starts: list[int], line: int, column: int) -> int:
    return starts[line - 1] + column


def _walk(node: ast.AST, around: _Around) -> Iterator[tuple[ast.AST, _Around]]:
    """Every node that may be changed, with what it stands in."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params", "exc", "keywords_of_class"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _decides_nothing(child):
                continue
            below = _enter(child, around)
            if isinstance(child, (ast.expr, ast.stmt)):
                yield child, below
            yield from _walk(child, below)


def _enter(node: ast.AST, around: _Around) -> _Around:
    names, lines, in_function = around.names, around.lines, around.in_function
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names, in_function = (*names, node.name), in_function or not isinstance(node, ast.ClassDef)
    if isinstance(node, FLAT) and hasattr(node, "lineno"):
        inner = [
            child.lineno
            for name in ("body", "orelse", "handlers", "cases")
            for child in getattr(node, name, ())
            if hasattr(child, "lineno")
        ]
        lines = (node.lineno, max(node.lineno, min(inner) - 1) if inner else node.end_lineno or node.lineno)
    return _Around(names, lines, in_function)


def _decides_nothing(node: ast.AST) -> bool:
    """A docstring, a type, a text with values put in, a test for the type checker."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Subscript(value=ast.Name(id="Literal")) | ast.Call(func=ast.Name(id="cast" | "TypeVar")):
            return True
    return False


def _changes(node: ast.AST) -> Iterator[tuple[str, str]]:
    """(kind, what would stand there) of one node."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield "comparison", ast.unparse(ast.Compare(left, [COMPARISONS[type(op)]()], [right]))
        case ast.Compare(left=left, ops=[op, *ops], comparators=rights) if type(op) in COMPARISONS:
            yield "comparison", ast.unparse(ast.Compare(left, [COMPARISONS[type(op)](), *ops], rights))
        case ast.BoolOp(op=op, values=values):
            yield "and, or", ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not dropped", ast.unparse(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not _is_text(left) and not _is_text(right):
            yield "arithmetic", ast.unparse(ast.BinOp(left, ARITHMETIC[type(op)](), right))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "branches swapped", ast.unparse(ast.IfExp(test, orelse, body))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in CALLS:
            yield "min, max, any, all", ast.unparse(ast.Call(ast.Name(CALLS[name]), args, keywords))
        case ast.Constant(value=value):
            yield from (("constant", now) for now in _other(value))
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in ("Outcome", "NonOutcome"):
            yield "label", LABELS.get(f"{name}.{attr}", "Outcome.CORRECT")
        case ast.comprehension():
            return
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Continue() | ast.Break():
            yield "statement removed", "pass"
        case ast.If(body=[ast.Return() | ast.Raise() | ast.Continue() | ast.Break()], orelse=[]):
            yield "guard removed", "pass"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _other(value: object) -> list[str]:
    """What stands in for a constant: a number moved by one step, the other truth, a word that names nothing."""
    if isinstance(value, bool):
        return [repr(not value)]
    if isinstance(value, int):
        return [repr(value + 1)]
    if isinstance(value, float):
        return [repr(round(value + STEP, 6))]
    if isinstance(value, str) and LABEL.match(value):
        return [repr(f"{value}x")]
    return []
