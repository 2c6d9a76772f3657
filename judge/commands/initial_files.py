"""What `judge init` writes: a commented judge.toml, a sample of two cases with its PDF, and a CI workflow. Existing files are kept."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import partial
from importlib import metadata, resources
from pathlib import Path
from typing import Any

DOCUMENT = "harbour-street-facility-agreement.pdf"

SETTINGS = """\
# Settings of `judge run`. A flag (--rpm 60) or an environment variable (JUDGE_RPM=60) wins over this file; .env stands between.
# Secrets do not belong here: give the key in OPENAI_API_KEY, and the endpoint in OPENAI_BASE_URL when it is not OpenAI's.

gold = "sample/gold.jsonl"            # what is true; leave it out and set no_gold = true to judge production output
documents = "sample/documents"        # folder of the source PDFs
out = "judge-results"                 # result folder; the same command resumes an unfinished run

judge = "offline"                     # a model at your endpoint, "llama:default", or "offline": only what rules decide
# panel = ["model-a", "model-b", "model-c"]
# repeats = 1
# concurrency = 16
# rpm = 500                           # requests a minute
# tpm = 200000                        # tokens a minute
# budget = 5.0                        # hard cap in USD
# allow_endpoint = ["api.openai.com"] # calls to any other host are refused
# max_judge_errors = 0                # allowed share of items with a judge error
# exceptions = "exceptions.jsonl"     # accepted deviations
# require_calibrated = "calibration-record.json"
# contract = "contract.toml"          # a quality contract of your own
"""

PAGES = (
    (
        "FACILITY AGREEMENT",
        "dated 12 March 2026",
        "PARTIES",
        "(1) HARBOUR STREET LOGISTICS PTE. LTD. (the Borrower); and",
        "(2) MERIDIAN BANK LIMITED (the Facility Agent and the Lender).",
        "1. THE FACILITY",
        "1.1 The Lender makes available to the Borrower a term loan facility in an amount of USD 45,000,000 (the Facility).",
        "1.2 The Facility shall be repaid in full in one instalment on the Final Maturity Date.",
        "1.3 The Final Maturity Date is 12 March 2029, 36 months after the date of this Agreement.",
    ),
    (
        "2. INTEREST",
        "2.1 The rate of interest is the aggregate of the Margin and Term SOFR for a period of three months.",
        "2.2 The Margin is 2.35 per cent. per annum.",
        "3. UNDERTAKINGS",
        "3.1 The Borrower shall not create or permit to subsist any Security over any of its assets.",
        "3.2 An Event of Default occurs if a Material Adverse Change occurs.",
        "3.3 No Event of Default under Clause 4.1 occurs if the failure to pay is remedied within five Business Days.",
        "4. PAYMENTS AND LAW",
        "4.1 Failure to pay on the due date is an Event of Default.",
        "4.2 This Agreement is governed by Singapore law.",
    ),
)

# key -> value, page, section, quote; None: absent from the document
FIELDS: dict[str, tuple[Any, int, str, str] | None] = {
    "borrower": ("Harbour Street Logistics Pte. Ltd.", 1, "Parties", PAGES[0][3]),
    "guarantors": None,
    "facility_agent": ("Meridian Bank Limited", 1, "Parties", PAGES[0][4]),
    "facility_amount": ("USD 45,000,000", 1, "Clause 1.1", PAGES[0][6][4:]),
    "currency": ("USD", 1, "Clause 1.1", PAGES[0][6][4:]),
    "facility_type": ("term loan", 1, "Clause 1.1", PAGES[0][6][4:]),
    "tenor": ("36 months", 1, "Clause 1.3", PAGES[0][8][4:]),
    "maturity_date": ("2029-03-12", 1, "Clause 1.3", PAGES[0][8][4:]),
    "margin": ("2.35 per cent. per annum", 2, "Clause 2.2", PAGES[1][2][4:]),
    "reference_rate": ("three months Term SOFR", 2, "Clause 2.1", PAGES[1][1][4:]),
    "commitment_fee": None,
    "repayment_schedule": ("bullet on 12 March 2029", 1, "Clause 1.2", PAGES[0][7][4:]),
    "governing_law": ("Singapore law", 2, "Clause 4.2", PAGES[1][9][4:]),
    "conditions_precedent": None,
    "mac_clause": ("Y", 2, "Clause 3.2", PAGES[1][5][4:]),
    "negative_pledge": ("Y", 2, "Clause 3.1", PAGES[1][4][4:]),
}
QUESTION = "Within how many Business Days may a failure to pay be remedied?"
ANSWER = "Within five Business Days."


def batch_lines() -> list[dict[str, Any]]:
    """The sample outputs: an extraction with one planted slip (the margin without its unit) and a question answered."""
    fields: dict[str, Any] = {}
    for key, truth in FIELDS.items():
        if truth is None:
            fields[key] = {"status": "absent", "confidence": 0.95, "hitl": "none"}
            continue
        value, page, section, quote = truth
        citation = {"document": DOCUMENT, "page": page, "section": section, "quote": quote}
        fields[key] = {"status": "extracted", "value": value, "confidence": 0.95, "hitl": "none", "citation": citation}
    fields["margin"]["value"] = "2.35"
    cited = {"document": DOCUMENT, "page": 2, "section": "Clause 3.3", "quote": PAGES[1][6][4:]}
    extraction = {"document_type": "primary_agreement", "fields": fields}
    return [
        {"case_id": "sample-onboarding", "capability": "loan_onboarding", "document": DOCUMENT, "output": extraction},
        {
            "case_id": "sample-question",
            "capability": "document_qa",
            "document": DOCUMENT,
            "input": {"question": QUESTION},
            "output": {"answer": ANSWER, "citations": [cited]},
        },
    ]


def gold_lines() -> list[dict[str, Any]]:
    """What is true of the sample."""
    fields = {
        key: {"absent": True} if truth is None else {"value": truth[0], "citation": {"page": truth[1], "section": truth[2]}}
        for key, truth in FIELDS.items()
    }
    answer = {"answerable": True, "answer": ANSWER, "accepted": [ANSWER], "required_sections": ["Clause 3.3"], "topic": "remedy period"}
    return [
        {"case_id": "sample-onboarding", "gold": {"document_type": "primary_agreement", "fields": fields}},
        {"case_id": "sample-question", "gold": answer},
    ]


def sample_pdf() -> bytes:
    """The two pages as a PDF."""
    pymupdf: Any = importlib.import_module("pymupdf")
    pdf = pymupdf.open()
    for lines in PAGES:
        page, top = pdf.new_page(), 72.0
        for line in lines:
            size = 10.5
            left = page.insert_textbox(pymupdf.Rect(72, top, 523, top + 60), line, fontsize=size, fontname="tiro")
            top += 60 - left + 8
    data: bytes = pdf.tobytes(no_new_id=True)
    return data


def _jsonl(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def read_ci_template(name: str) -> bytes:
    """A CI file that installs exactly this version."""
    text = resources.files("judge").joinpath("samples", "ci", name).read_text("utf-8")
    return text.replace("@VERSION@", metadata.version("loan-judge")).encode()


# CI system -> where its files go -> their templates
CI_FILES: dict[str, dict[str, str]] = {
    "github": {
        ".github/workflows/judge.yml": "github-workflow.yml",
        ".github/actions/loan-judge/action.yml": "action.yml",
    },
    "gitlab": {".gitlab-ci.yml": "gitlab-ci.yml"},
    "jenkins": {"Jenkinsfile": "Jenkinsfile"},
}
FILES: dict[str, Callable[[], bytes]] = {
    "judge.toml": lambda: SETTINGS.encode(),
    "sample/batch.jsonl": lambda: _jsonl(batch_lines()),
    "sample/gold.jsonl": lambda: _jsonl(gold_lines()),
    f"sample/documents/{DOCUMENT}": sample_pdf,
}


def _deal_files() -> dict[str, Callable[[], bytes]]:
    """The shipped sample of a whole deal."""
    deal = resources.files("judge").joinpath("samples", "deal")
    found = [deal.joinpath(name) for name in ("README.md", "batch.jsonl", "gold.jsonl")] + list(deal.joinpath("documents").iterdir())
    return {f"deal/{'documents/' if file.name.endswith('.pdf') else ''}{file.name}": file.read_bytes for file in found}


def write_initial_files(folder: Path, ci: str = "github", *, with_deal: bool = False) -> list[tuple[str, bool]]:
    """Writes what is not there yet; (name, whether it was written) of every file. ci: a key of CI_FILES."""
    written = []
    files = (
        FILES | {name: partial(read_ci_template, shipped) for name, shipped in CI_FILES[ci].items()} | (_deal_files() if with_deal else {})
    )
    for name, content in files.items():
        path = folder / name
        is_new = not path.exists()
        if is_new:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content())
        written.append((name, is_new))
    return written
