"""Evaluation cases in Markdown: every section and form of value becomes gold, a rendered case reads back, all faults come at once."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from engine_samples import Inputs, write_lines
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deterministic.values.stated import is_stated
from judge.capabilities.case_files import field_gold
from judge.capabilities.qa.gold import output_of
from judge.cli import execute, group
from judge.inputs.case_files import CaseFile, read_case_file
from judge.inputs.index import Sources, index_cases
from judge.labelling.gold_sink import GoldSink, gold_tasks
from judge.labelling.label_file import Label
from rubrics.contract_sections import FIELD_KEYS
from tests.tables import entries, text
from tests.tables import table as cases_of

HEAD = text("case_files", "head")
TAIL = text("case_files", "tail")


def case_text(capability: str, expected: str, cited: str = "", table: str = "", case_id: str = "XX-001") -> str:
    word = "Question" if capability == "document_qa" else "Task"
    parts = [HEAD.format(id=case_id, capability=capability, word=word) + expected]
    parts += [f"## Ground truth citation\n\n{cited}"] if cited else []
    parts += [f"## Scoring criteria\n\n{table}"] if table else []
    return "\n\n".join(parts) + TAIL


def read(text: str, case_id: str = "XX-001") -> CaseFile:
    return read_case_file(Path(f"{case_id}.md"), text.encode())


def gold(text: str) -> dict[str, Any]:
    found = read(text)
    assert found.problems == ()
    return dict(found.gold_line["gold"])


def said(text: str) -> list[str]:
    return [str(problem) for problem in read(text).problems]


def cite(label: str, quote: str, place: str) -> str:
    named = f"**{label}**\n\n" if label else ""
    return f"{named}> {quote}\n>\n> Source: deal.pdf{place}\n\n"


def table(*rows: str) -> str:
    titles, *cells = rows
    return "\n".join([titles, "|" + "---|" * (titles.count("|") - 1), *cells])


FIELDS = "| Field | Expected value | Confidence | HITL required | Applies to |"
REST = [f"| {key} | absent | HIGH | no | — |" for key in FIELD_KEYS]


def fields(**values: str) -> list[str]:
    return [f"| {key} | {values[key]} | HIGH | no | — |" if key in values else row for key, row in zip(FIELD_KEYS, REST, strict=True)]


# ---- the format ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cell", "is_list", "expected"), cases_of("case_files", "every_form_of_a_value"))
def test_every_form_of_a_value(cell: str, is_list: bool, expected: dict[str, Any]) -> None:
    assert field_gold(cell, is_list=is_list) == expected


@pytest.mark.parametrize(("value", "is_value"), cases_of("case_files", "what_says_that_it_cannot_be_read"))
def test_what_says_that_it_cannot_be_read_is_no_value_unless_it_gives_one_all_the_same(value: str, is_value: bool) -> None:
    assert is_stated(value) is is_value


READ = entries("case_files", "read")
COVENANTS_AND_FLAGS, FINDINGS = (text("case_files", list(READ)[n]).partition("\n----\n")[0] for n in (3, 4))


@pytest.mark.parametrize("name", READ)
def test_expected_output_and_its_citations_become_gold(name: str) -> None:
    expected, cited, found = text("case_files", name).split("\n----\n")
    assert gold(case_text(READ[name], expected, cited)) == json.loads(found)


def test_an_answer_a_refusal_and_what_a_right_answer_cites() -> None:
    answer = "Answer: Ten days; after that\nthe Lenders may accelerate.\nAccepted: 10 days\nAccepted: ten (10) days\n"
    answer += "Topic: grace\nQualified: yes"
    cited = cite("", "ten days", ", page 5, Clause 18.2") + cite("answer", "accelerate", ", page 6, Clause 18.9")
    found = read(case_text("document_qa", answer, cited))
    assert found.problems == () and found.line["metadata"]["task"] == "Do it." and found.question == "Do it."
    assert found.gold_line["gold"] == entries("case_files", "gold_of_an_answer")
    assert output_of(found.gold_line["gold"]) == {
        "answer": "Ten days; after that the Lenders may accelerate.",
        "citations": [{"section": "Clause 18.2"}, {"section": "Clause 18.9"}],
    }
    refusal = gold(case_text("document_qa", "Refusal: it is not there\nTopic: hedging", "None: it is silent."))
    assert refusal == {"answerable": False, "topic": "hedging"}
    assert output_of(refusal) == {"answer": "The document does not contain information about hedging.", "citations": []}


def test_scoring_rows_with_scopes_hallucination_and_rules() -> None:
    rows = table(
        "| Condition | Score | Rule |",
        "| all right | 1.0 | quote: exact, normalised; cites: Schedule 1, Part II, Clause 3 |",
        "| invented | 0 for the case, hallucination | — |",
        "| notation | 0.75 for the field | |",
        "| no dates | .25 for the field Repayment schedule | content: partial |",
    )
    found = read(case_text("loan_onboarding", table(FIELDS, *fields(margin="1 %")), table=rows))
    assert found.problems == ()
    assert [(r["id"], r["score"], r["scope"], r["item"], r["hallucination"]) for r in found.line["criteria"]] == [
        ("c1", "1.0", "case", None, False),
        ("c2", "0", "case", None, True),
        ("c3", "0.75", "field", None, False),
        ("c4", ".25", "field", "repayment_schedule", False),
    ]
    assert found.line["criteria"][0]["rule"] == {"quote": ["exact", "normalised"], "cites": ["Schedule 1, Part II", "Clause 3"]}
    assert found.line["criteria"][3]["rule"] == {"content": ["partial"]}
    assert found.line["metadata"]["scenario"] == "First line goes on.\n\nSecond paragraph."
    assert found.line["metadata"]["failure_modes"] == ["takes the wrong page", "and a long one"]


# ---- a rendered case reads back --------------------------------------------------------------------------------------------------------

WORDS = st.text("abcdefghijklmnopqrstuvwxyzÄÖé0123456789,.:()'/ |&%", min_size=1, max_size=30).map(str.strip)
TEXT = WORDS.filter(
    lambda text: (
        len(text) > 1
        and text[0].isalpha()
        and text[-1].isalnum()
        and is_stated(text)
        and field_gold(text, is_list=False) == {"value": text}
    )
)
PAGES, SECTIONS = st.integers(1, 99) | st.sampled_from(["iv", "S-1"]), st.sampled_from(["Clause 2.1(a)", "Schedule 3, Part I"])
PLACES = st.fixed_dictionaries({"page": PAGES}, optional={"section": SECTIONS}) | st.fixed_dictionaries({"section": SECTIONS})
NAMES = st.lists(
    TEXT.map(lambda text: f"N {text}"), min_size=1, max_size=4, unique_by=lambda text: "".join(filter(str.isalnum, text.casefold()))
)


@st.composite
def values(draw: st.DrawFn, key: str) -> dict[str, Any]:
    is_list = key in ("guarantors", "conditions_precedent")
    value = st.lists(TEXT, min_size=1, max_size=3) if is_list else TEXT
    cited = draw(st.lists(PLACES, max_size=2))
    place = {} if not cited else {"citation": cited[0]} if len(cited) == 1 else {"citations": cited}
    return draw(
        st.one_of(
            value.map(lambda text: {"value": text, **place}),
            st.just({"absent": True}),
            st.just({"legible": False, **place}),
            st.integers(1, 400).map(lambda page: {"legible": False, "missing_page": page}),
            st.just({"legible": False, "visible": ["Orms"] if is_list else "Orms", **place}),
        )
    )


@st.composite
def onboarding(draw: st.DrawFn) -> dict[str, Any]:
    labels = draw(st.lists(st.sampled_from(["Facility A", "Facility B", "Term Loan 2"]), max_size=2, unique=True))
    inside = {"margin", "facility_amount"} if labels else set()
    top: dict[str, Any] = {key: draw(values(key)) for key in FIELD_KEYS if key not in inside}
    if labels and "value" in top["commitment_fee"]:
        top["commitment_fee"]["scope"] = [labels[0]]
    tranches = [{"label": label, "fields": {key: draw(values(key)) for key in sorted(inside)}} for label in labels]
    return {"document_type": "primary_agreement", "fields": top, **({"tranches": tranches} if tranches else {})}


@st.composite
def covenants(draw: st.DrawFn) -> dict[str, Any]:
    found = []
    for name in draw(NAMES):
        items = draw(st.lists(st.fixed_dictionaries({"scope": TEXT}, optional={"cap": TEXT}), max_size=2))
        flags = [{"kind": "carve_out", "items": items}] if items else []
        flags += [{"kind": "grace_period", "days": draw(st.integers(1, 60))}] if draw(st.booleans()) else []
        one = {"name": name, "type": draw(st.sampled_from(["financial", "negative", "positive", "information"])), "flags": flags}
        optional = {"threshold": draw(st.none() | TEXT), "effective_date": draw(st.none() | TEXT)}
        found.append({**one, **optional, "testing_frequency": draw(st.sampled_from([None, "quarterly", "none", "semi_annual"]))})
    case = [{"kind": "cross_default", "threshold": draw(TEXT)}] if draw(st.booleans()) else []
    return {"covenants": found, **({"flags": case} if case else {})}


@st.composite
def benchmarks(draw: st.DrawFn) -> dict[str, Any]:
    found = []
    for name in draw(NAMES):
        optional = dict.fromkeys(("deal_value", "benchmark_value", "gap", "benchmark_reference"), TEXT)
        one = draw(st.fixed_dictionaries({"finding": st.sampled_from(["deviation", "conforming", "not_comparable"])}, optional=optional))
        low = draw(st.integers(0, 300))
        ranges = {"benchmark_range": {"low": low, "high": low + draw(st.integers(0, 99)), "unit": "bps"}} if draw(st.booleans()) else {}
        found.append({"term": name, **one, **ranges})
    head = {
        "benchmark": draw(st.sampled_from([None, "LMA"])),
        "jurisdiction": "English law",
        "market": draw(st.sampled_from([None, "APAC"])),
    }
    return {**head, "jurisdiction_ambiguous": False, "findings": found}


def cell(value: Any) -> str:
    text = "; ".join(value) if isinstance(value, list) else "—" if value is None else str(value)
    return text.replace("|", "\\|")


def row(*cells: Any) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def shown_value(one: dict[str, Any]) -> str:
    if "missing_page" in one:
        return f"missing page {one['missing_page']}"
    if not one.get("legible", True):
        return f"illegible, visible: {cell(one['visible'])}" if "visible" in one else "illegible"
    return "absent" if one.get("absent") else cell(one["value"])


def shown_places(name: str, one: dict[str, Any]) -> str:
    places = one.get("citations", [one["citation"]] if "citation" in one else [])
    parts = [f", page {p.get('page')}" * ("page" in p) + f", {p.get('section')}" * ("section" in p) for p in places]
    return "".join(cite(name, "words", part) for part in parts)


def rendered_fields(fields: dict[str, Any], label: str = "") -> tuple[str, str]:
    rows = [f"| {key} | {shown_value(one)} | HIGH | no | {cell(one.get('scope'))} |" for key, one in fields.items()]
    return table(FIELDS, *rows), "".join(shown_places(f"{label}: {key}" if label else key, one) for key, one in fields.items())


def render(gold: dict[str, Any]) -> str:
    if "fields" in gold:
        parts = [("", *rendered_fields(gold["fields"]))]
        parts += [(f"### {t['label']}\n\n", *rendered_fields(t["fields"], t["label"])) for t in gold.get("tranches", ())]
        return case_text("loan_onboarding", "\n\n".join(a + b for a, b, _ in parts), "".join(c for *_, c in parts))
    if "covenants" in gold:
        keys = ("name", "type", "threshold", "testing_frequency", "effective_date")
        flags = [(c["name"], f) for c in gold["covenants"] for f in c["flags"]] + [(None, f) for f in gold.get("flags", ())]
        carved = [row(name, i["scope"], i.get("cap")) for name, f in flags for i in f.get("items", ())]
        grace = [row(name, f["days"], None) for name, f in flags if "days" in f]
        cross = [row(name, f["threshold"]) for name, f in flags if "threshold" in f]
        parts = [table("| Covenant | Type | Threshold | Frequency | Effective |", *(row(*(c[k] for k in keys)) for c in gold["covenants"]))]
        parts += [f"### Carve-outs\n\n{table('| Covenant | Scope | Cap |', *carved)}"] if carved else []
        parts += [f"### Grace periods\n\n{table('| Covenant | Days | Triggers |', *grace)}"] if grace else []
        parts += [f"### Cross-default\n\n{table('| Covenant | Threshold |', *cross)}"] if cross else []
        return case_text("covenant_monitoring", "\n\n".join(parts))
    keys = ("term", "finding", "deal_value", "benchmark_value", "gap", "benchmark_reference")
    rows = [row(*(f.get(k) for k in keys)) for f in gold["findings"]]
    ranges = [row(f["term"], r["low"], r["high"], r["unit"]) for f in gold["findings"] if (r := f.get("benchmark_range"))]
    head = f"Benchmark: {cell(gold['benchmark'])} ({gold['jurisdiction']}{', ' + gold['market'] if gold['market'] else ''})"
    parts = [head, table("| Term | Finding | Deal value | Benchmark | Gap | Reference |", *rows)]
    parts += [f"### Ranges\n\n{table('| Term | Low | High | Unit |', *ranges)}"] if ranges else []
    return case_text("benchmark_validation", "\n\n".join(parts))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(onboarding() | covenants() | benchmarks())
def test_a_rendered_case_reads_back(expected: dict[str, Any]) -> None:
    assert gold(render(expected)) == expected


# ---- what is wrong with a file ---------------------------------------------------------------------------------------------------------


def test_all_faults_come_at_once_with_line_key_and_what_to_do() -> None:
    rows = fields(borrower="—", margin="1.5 per cent.")
    rows[5] = "| facilty_type | term loan | | | |"
    scores = table(
        "| Condition | Score |", "| right | 1.0 |", "| wrong | half |", "| worse | 0.5 for the covenant |", "| x | 0 for the field tenr |"
    )
    cited = cite("margn", "1.5 per cent.", ", page 2, Clause 1") + "> a quote\n>\n> Source: other.pdf, page 2, Clause 1\n"
    text = case_text("loan_onboarding", table(FIELDS, *rows), cited, scores).replace("Known failure modes", "Known falure modes")
    found = {entry.split(": ", 2)[1]: entry for entry in said(text)}
    number = {line: n for n, line in enumerate(text.splitlines(), 1)}
    assert found["heading"].startswith(
        f"XX-001.md:{number['## Known falure modes']}: heading: unknown heading 'Known falure modes'; did you mean"
    )
    assert f'XX-001.md:{number["| wrong | half |"]}: score: a number from 0 to 1, or "<number> for the field|case …", not "half"' in said(
        text
    )
    assert "says nothing of borrower" in found["expected value"] and "did you mean 'facility_type'" in found["field"]
    assert any("'margn' names no value of this case; did you mean 'margin'?" in entry for entry in said(text))
    assert "other.pdf" in found["source"] and "deal.pdf" in found["source"]
    assert any("'tenr' is no field of this case; did you mean 'tenor'?" in entry for entry in said(text))
    assert sum("score:" in entry for entry in said(text)) == 3
    assert any("gold must say" in entry and "facility_type" in entry for entry in said(text))


@pytest.mark.parametrize(("change", "what"), cases_of("case_files", "a_fault_is_named_where_it_stands", tuples=True))
def test_a_fault_is_named_where_it_stands(change: tuple[str, str], what: str) -> None:
    rows = table("| Condition | Score | Rule |", "| fits | 1.0 | cited: yes |")
    text = case_text("document_qa", "Answer: Yes.\nTopic: t\nQualified: no", cite("", "yes", ", page 2, Clause 3"), rows)
    assert said(text) == [] and change[0] in text
    assert any(what in entry for entry in said(text.replace(*change, 1)))


AMENDED = "| Field | Status | Original value | New value | Effective date | Remark |"
UNCHANGED = "Document type: amendment\n\n" + table(AMENDED, *(f"| {key} | unchanged | — | — | — | — |" for key in FIELD_KEYS))
LOANS = [f"### Loan {n}\n\n" + table(FIELDS, f"| margin | {n}.10 per cent. | HIGH | no | — |") for n in (1, 2)]
TRANCHES = "\n\n".join([table(FIELDS, *(row for row in fields(tenor="5 years") if "margin" not in row)), *LOANS])


TABLES = {
    "covenants": case_text("covenant_monitoring", COVENANTS_AND_FLAGS),
    "findings": case_text("benchmark_validation", FINDINGS),
    "tranches": case_text("loan_onboarding", TRANCHES),
    "unchanged": case_text("loan_onboarding", UNCHANGED),
}


@pytest.mark.parametrize(("of", "change", "what"), cases_of("case_files", "a_fault_in_a_table_is_named"))
def test_a_fault_in_a_table_is_named(of: str, change: list[str], what: str) -> None:
    assert said(TABLES[of]) == [] and change[0] in TABLES[of]
    assert any(what in entry for entry in said(TABLES[of].replace(*change, 1)))


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"# a", b"|---|---|", b"## Expected output\n|a|\n|-|\n", b"# XX-001: t\n> Source: x"])
def test_no_file_ends_in_a_traceback(data: bytes) -> None:
    assert read_case_file(Path("XX-001.md"), data).problems


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([*render({"covenants": []}).splitlines(), "| a | b |", "> Source: deal.pdf, page", "### x", "**y**", "# z"]))
)
def test_lines_in_any_order_give_faults_and_no_traceback(lines: list[str]) -> None:
    found = read_case_file(Path("XX-001.md"), "\n".join(lines).encode())
    assert all(problem.line for problem in found.problems)


# ---- import, and gold as it stands -----------------------------------------------------------------------------------------------------

ANSWER = case_text(
    "document_qa", "Answer: Ten days.\nTopic: grace\nQualified: no", cite("", "ten days", ", page 5, Clause 18.2"), case_id="QA-7"
)


def write_cases(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in texts.items():
        (folder / f"{name.replace('_', '-')}.md").write_text(content, "utf-8")
    (folder / "README.md").write_text("notes of the team")
    return folder


def test_import_writes_gold_or_lists_every_fault_and_writes_nothing(tmp_path: Path) -> None:
    folder, out = write_cases(tmp_path / "cases", QA_7=ANSWER), tmp_path / "new" / "gold.jsonl"
    done = CliRunner().invoke(group, ["gold", "import", str(folder), "--out", str(out)], standalone_mode=False)
    assert done.exit_code == 0 and [json.loads(line)["case_id"] for line in out.read_text().splitlines()] == ["QA-7"]
    write_cases(folder, QA_8=ANSWER.replace("QA-7", "QA-8").replace("Qualified: no", "Qualified: so"), QA_9=ANSWER)
    out.unlink()
    done = CliRunner().invoke(group, ["gold", "import", str(folder), "--out", str(out)], standalone_mode=False)
    assert "QA-8.md:" in str(done.exception) and "QA-9.md:1: case_id" in str(done.exception) and not out.exists()


def test_a_draft_is_completed_on_the_label_page(tmp_path: Path) -> None:
    rows = fields(borrower="Ostrava Glass a.s.", margin="—", tenor="missing page 3", maturity_date="illegible")
    scores = table("| Condition | Score |", "| right | 1.0 |")
    deal = case_text("loan_onboarding", table(FIELDS, *rows), table=scores, case_id="LO-7")
    folder, out = write_cases(tmp_path / "cases", QA_7=ANSWER, LO_7=deal), tmp_path / "gold.jsonl"
    done = CliRunner().invoke(group, ["gold", "import", str(folder), "--out", str(out), "--draft"], standalone_mode=False)
    assert done.return_value == 0 and "LO-7.md:" in done.stderr and len(out.read_text().splitlines()) == 1
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "deal.pdf").write_bytes(b"%PDF-1.4")
    index = index_cases(Sources(tmp_path / "needs.jsonl", None, tmp_path / "documents"))
    case = index.load(index.entries[0])
    sink = GoldSink(out, [case])
    for task in gold_tasks(case):
        value, text = (
            ("correct", json.dumps({"value": "2 %", "page": "2", "section": "Clause 1"}))
            if task.task_id.endswith('"margin"]')
            else ("confirm", "")
        )
        value = (
            task.choices[0].value if "document_type" in task.task_id else value if value in {c.value for c in task.choices} else "absent"
        )
        sink.changed(task, [Label(task.task_id, "gold", "ann", value, text=text)])
    line = json.loads(out.read_text().splitlines()[-1])
    assert line["case_id"] == "LO-7" and line["criteria"][0]["score"] == "1.0" and line["metadata"]["difficulty"] == "complex"
    assert line["gold"]["fields"]["margin"]["value"] == "2 %" and line["gold"]["fields"]["tenor"] == {"legible": False, "missing_page": 3}
    assert line["gold"]["fields"]["maturity_date"] == {"legible": False} and line["gold"]["fields"]["currency"] == {"absent": True}


def test_a_case_without_document_can_be_drafted_by_nobody(tmp_path: Path) -> None:
    folder = write_cases(tmp_path / "cases", QA_7=ANSWER.replace("**Document:** deal.pdf", ""))
    done = CliRunner().invoke(group, ["gold", "import", str(folder), "--out", str(tmp_path / "g.jsonl"), "--draft"], standalone_mode=False)
    assert done.return_value == 2 and "in neither file" in done.stderr


def test_a_folder_of_cases_is_gold_of_several_outputs(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path / "in")
    line = inputs.batch[1] | {"metadata": {"case": "QA-7"}}
    inputs.write()
    write_lines(inputs.folder / "batch.jsonl", [line | {"case_id": "one"}, line | {"case_id": "two"}])
    folder = write_cases(tmp_path / "cases", QA_7=ANSWER)
    index = index_cases(Sources(inputs.folder / "batch.jsonl", folder, inputs.folder / "documents"))
    assert [(entry.case_id, entry.gold_id) for entry in index.entries] == [("one", "QA-7"), ("two", "QA-7")]
    assert [index.load(entry).gold.answer for entry in index.entries] == ["Ten days.", "Ten days."]


def test_check_names_the_line_of_the_case_once_for_all_its_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = Inputs(tmp_path / "in")
    line = inputs.batch[1] | {"metadata": {"case": "QA-7"}}
    write_lines(inputs.folder / "batch.jsonl", [line | {"case_id": "one"}, line | {"case_id": "two"}])
    folder = write_cases(tmp_path / "cases", QA_7=ANSWER.replace("Clause 18.2", "Clause 99.9"))
    arguments = inputs.arguments(command="check")
    arguments[arguments.index("--gold") + 1] = str(folder)
    assert execute(arguments) == 2
    told = [entry for entry in capsys.readouterr().err.splitlines() if "GOLD_NOT_FOUND" in entry]
    number = ANSWER.splitlines().index("## Expected output") + 1
    assert len(told) == 1 and f"QA-7.md:{number}: gold.required_sections[0]: GOLD_NOT_FOUND" in told[0]


@pytest.mark.parametrize("line", ["# " + " " * 60_000 + "x", "| " * 30_000, "**" * 30_000, "<!--" * 20_000, "." * 60_000 + " illegible"])
def test_a_long_line_costs_no_time(line: str) -> None:
    found = read_case_file(Path("XX-001.md"), f"# XX-001: t\n{line}\n".encode())
    assert found.problems


def test_a_file_that_is_too_large_for_a_case_is_refused() -> None:
    assert "is larger than" in str(read_case_file(Path("XX-001.md"), b"x" * 2_000_001).problems[0])
