"""The size and structure of the product: lines by room and sort, modules beyond a length, regular expressions a module, and how many rooms,
floors and arrows (imports between rooms, late ones too) a package has.

    python -m benchmarks.code.size [--longest 400] [--most 12]

A room is a package, or a module at a package's root. A line is blank, of a docstring, of an import, or code (comments too). A regular
expression is a call of `re.compile`, `re.fullmatch`, `re.match`, `re.search`, `re.sub`, `re.split`, `re.findall` or `re.finditer` whose
pattern is written there; the rows of a table of patterns (a tuple, list, set or mapping) are counted with it, once. Rows of the lexicon's
tables of words, which are text files, are told apart: they are no code, and a reader looks them up like any other data.
"""

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("judge", "deterministic", "calibration", "rubrics")
RULES = ("deterministic/values", "deterministic/quotes", "deterministic/lexicon", "judge/capabilities")
SORTS = ("code", "docstring", "import", "blank")
_CALLS = frozenset(("compile", "fullmatch", "match", "search", "sub", "subn", "split", "findall", "finditer"))


@dataclass(frozen=True, slots=True)
class Module:
    """One file: its path below the tree, its lines by sort, and its regular expressions."""

    path: str
    lines: Counter[str]
    expressions: int

    @property
    def length(self) -> int:
        return self.lines.total()

    @property
    def room(self) -> str:
        parts = self.path.split("/")
        return "/".join(parts[:2]) if len(parts) > 2 else self.path


def modules(root: Path = ROOT) -> list[Module]:
    """Every module of the product below `root`, by path."""
    files = (file for package in PACKAGES for file in (root / package).rglob("*.py"))
    return [_read(file, file.relative_to(root).as_posix()) for file in sorted(files)]


def _read(file: Path, path: str) -> Module:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    sorts = dict[int, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            sorts |= dict.fromkeys(_lines_of(node), "import")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            sorts |= dict.fromkeys(_lines_of(node), "docstring")
    rows = enumerate(text.splitlines(), start=1)
    lines = Counter(sorts.get(number) or ("code" if line.strip() else "blank") for number, line in rows)
    return Module(path, lines, _expressions(tree))


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _expressions(node: ast.AST) -> int:
    """Regular expressions written in a part of a module; those of one table are one."""
    count = _is_expression(node) + sum(map(_expressions, ast.iter_child_nodes(node)))
    return min(count, 1) if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict) else count


def _is_expression(node: ast.AST) -> bool:
    """A call of `re` with a pattern written in it: a string, an f-string or a sum of them, no name."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.args):
        return False
    is_written = isinstance(node.args[0], ast.Constant | ast.JoinedStr | ast.BinOp)
    return node.func.value.id == "re" and node.func.attr in _CALLS and is_written


def report(found: list[Module], longest: int, most: int) -> Iterator[str]:
    """The lines of the report."""
    rooms: dict[str, Counter[str]] = {}
    for module in found:
        rooms.setdefault(module.room, Counter()).update(module.lines)
    yield f"{'room':40}{'lines':>8}" + "".join(f"{sort:>11}" for sort in SORTS)
    rows = [*sorted(rooms.items()), ("rules", _total(found, RULES)), ("product", _total(found, PACKAGES))]
    for name, lines in rows:
        yield f"{name:40}{lines.total():8,}" + "".join(f"{lines[sort]:11,}" for sort in SORTS)
    tables = [len(_rows_of(file)) for file in sorted((ROOT / "deterministic").rglob("*.txt"))]
    yield f"rows of {len(tables)} tables of words: {sum(tables)}"
    yield from map(structure, PACKAGES[:2])
    yield f"modules over {longest} lines:"
    yield from (f"  {module.path} {module.length}" for module in found if module.length > longest)
    yield f"modules of the rules with more than {most} regular expressions:"
    yield from (f"  {module.path} {module.expressions}" for module in found if _is_in(module, RULES) and module.expressions > most)


def structure(package: str) -> str:
    """Rooms, floors and arrows of a package, and the modules at its root."""
    arrows: dict[str, set[str]] = {}
    for file in (ROOT / package).rglob("*.py"):
        room = file.relative_to(ROOT / package).parts[0].removesuffix(".py")
        nodes = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom) and node.module]
        named = [node.module.split(".")[1:2] or [one.name for one in node.names] for node in nodes if _is_below(node.module, package)]
        arrows.setdefault(room, set()).update(other for some in named for other in some if other != room)
    arrows.pop("__init__", None)

    def floor(room: str) -> int:
        return 1 + max(map(floor, arrows[room]), default=0)

    root = sum(file.stem != "__init__" for file in (ROOT / package).glob("*.py"))
    rooms, floors, count = len(arrows), max(map(floor, arrows)), sum(map(len, arrows.values()))
    return f"{package}: {rooms} rooms, {floors} floors, {count} arrows, {root} modules at its root"


def _is_below(module: str | None, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def _rows_of(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]


def _is_in(module: Module, folders: tuple[str, ...]) -> bool:
    return any(module.path.startswith(f"{folder}/") for folder in folders)


def _total(found: list[Module], folders: tuple[str, ...]) -> Counter[str]:
    lines = Counter[str]()
    for module in found:
        if _is_in(module, folders):
            lines.update(module.lines)
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description="Lines by room, modules beyond a length, regular expressions a module.")
    parser.add_argument("--longest", type=int, default=400, help="lines of a module beyond which it is named")
    parser.add_argument("--most", type=int, default=12, help="regular expressions of a module of the rules beyond which it is named")
    given = parser.parse_args()
    for line in report(modules(), given.longest, given.most):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
