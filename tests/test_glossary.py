"""One word, one sense: command help, JSON keys, messages, names in the code, pages and docs keep to docs/contract/glossary.md."""

import ast
import re
from collections.abc import Iterator

import click
import pytest

from judge.cli import COMMANDS, command_of
from tests.source import PACKAGES, ROOT, modules, tree

GLOSSARY = ROOT / "docs" / "contract" / "glossary.md"
LOAN_TERMS = re.compile(r"door-to-door")  # the market's word for a tenor, read from documents


def rows(columns: int) -> list[list[str]]:
    lines = (re.split(r" *\| *", line.strip().strip("|").strip()) for line in GLOSSARY.read_text().splitlines() if line.startswith("| "))
    return [cells for line in lines if len(cells := [*line, ""][:columns] if len(line) == columns - 1 else line) == columns]


TERMS = rows(4)[1:]
REJECTED = sorted({word.strip() for *_, words in TERMS + rows(2)[1:] for word in words.split(";") if word.strip()})
WORDS = re.compile(rf"\b(?:{'|'.join(map(re.escape, REJECTED))})(?:s|es)?\b", re.IGNORECASE)


def rejected_in(text: str) -> list[str]:
    return [match[0] for match in WORDS.finditer(LOAN_TERMS.sub("", text))]


def texts_of(module: ast.AST) -> Iterator[str]:
    """Every text and every name of a module; a name in words: `HalfDone`, `half_done` -> "half done"."""
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        name = next((value for key in ("name", "arg", "attr", "id") if (value := getattr(node, key, None))), None)
        if isinstance(name, str):
            yield re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)


def helps(name: str) -> Iterator[str]:
    command = command_of(name)
    pending = [command]
    while pending:
        each = pending.pop()
        yield each.get_help(click.Context(each))
        pending += list(getattr(each, "commands", {}).values())


def test_the_glossary_is_read() -> None:
    assert len(TERMS) > 40
    assert {"sureness", "door", "stands nowhere"} <= set(REJECTED)
    assert rejected_in("one Door, two doors; stands  nowhere; stands nowhere; door-to-door") == ["Door", "doors", "stands nowhere"]


@pytest.mark.parametrize("name", COMMANDS)
def test_command_help_keeps_to_the_glossary(name: str) -> None:
    assert rejected_in("\n".join([COMMANDS[name], *helps(name)])) == []


def test_messages_keys_and_names_keep_to_the_glossary() -> None:
    found = {
        str(path.relative_to(ROOT)): words for path in modules() for words in [rejected_in("\n".join(set(texts_of(tree(path)))))] if words
    }
    assert found == {}


def test_pages_rubrics_and_docs_keep_to_the_glossary() -> None:
    pages = [path for suffix in ("j2", "html", "js", "toml") for package in PACKAGES for path in (ROOT / package).rglob(f"*.{suffix}")]
    docs = [ROOT / "README.md", *(path for path in (ROOT / "docs").rglob("*.md") if path != GLOSSARY)]
    assert len(pages) > 10
    assert len(docs) > 10
    assert {path.name: words for path in pages + docs if (words := rejected_in(path.read_text()))} == {}


def test_every_name_the_glossary_gives_is_in_the_program() -> None:
    """Of the third column: JSON keys, words of a result, flags and files; in a text of the code, as such or in a longer one."""
    program = "\n".join(path.read_text() for path in modules())
    given = {name for term in TERMS for name in re.findall(r"`([^`]+)`", term[2])}
    assert len(given) > 30
    assert (
        sorted(name for name in given if name.removeprefix("judge ").split(": ")[0].split(" ")[-1].removesuffix(".jsonl") not in program)
        == []
    )
