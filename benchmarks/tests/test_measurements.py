"""The page of figures is what its data say, and every benchmark supports a figure of a page, or one that does."""

import re
from pathlib import Path

from benchmarks.code import measurements

ROOT = measurements.ROOT


def test_the_page_is_written_from_its_data() -> None:
    told = "run `python -m benchmarks.code.measurements`: the page is never edited by hand"
    assert measurements.PAGE.read_text("utf-8") == measurements.page(), told


def test_every_figure_has_a_script_that_exists_and_no_script_is_without_a_figure() -> None:
    scripts = [*(ROOT / "benchmarks").glob("*/*.py")]
    modules = {path.relative_to(ROOT).as_posix() for path in scripts if path.parent.name != "tests" and path.stem != "__init__"}
    docs = "\n".join(path.read_text("utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))
    found = re.findall(r"\bbenchmarks/([a-z_]+/[a-z_]+)\.py|\bbenchmarks\.([a-z_]+\.[a-z_]+)\b", docs)
    named = {f"benchmarks/{(path or module).replace('.', '/')}.py" for path, module in found}
    assert named <= modules, "a page names a script that is not there"
    source = {path: path.read_text("utf-8") for path in scripts}
    used = {
        one for one in modules for path, text in source.items() if path.stem != Path(one).stem and re.search(rf"\b{Path(one).stem}\b", text)
    }
    assert modules - named - used == set(), "it supports no figure of a page: name it there, or take it away"
