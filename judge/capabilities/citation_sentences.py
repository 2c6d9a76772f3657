"""What is said of a located citation: one plain sentence of what was cited and where it stands."""

from __future__ import annotations

from deterministic.citations.check import CitationCheck

_SENTENCES = {
    "exact": "The quote stands at {cited}.",
    "normalised": "The quote stands at {cited}, up to the published folding rules.",
    "wrong_page": "The quote stands at {elsewhere}, not at {cited}.",
    "paraphrased": "The quote is not verbatim: the document has other words at {stands}.",
    "unsupported": "The citation ({cited}) cannot support the value.",
    "fabricated_location": "The cited place does not exist: {cited}.",
    "unreadable": "The citation ({cited}) cannot be verified: the document cannot be read there, or its numbering is not known.",
    "absent": "There is no citation.",
}


def sentence(check: CitationCheck) -> str:
    """One plain sentence: what was cited and where it stands."""
    claim = check.claim
    cited = ", ".join(str(x) for x in (claim.document, f"page {claim.page}" if claim.page not in (None, "") else None, claim.section) if x)
    stands = ", ".join([f"page {n}" for n in check.pages_found[:3]] + list(check.sections_found[:3]))
    if check.outcome == "incomplete":
        return f"The citation ({cited or 'a quote alone'}) {_lacking(check)}."
    if check.outcome == "not_found":
        return _not_found_sentence(check, cited)
    return _SENTENCES[check.outcome].format(cited=cited, stands=stands or cited, elsewhere=stands or "another place")


def _lacking(check: CitationCheck) -> str:
    """What keeps a citation from being whole."""
    faults = {
        ("document", "missing"): "names no document",
        ("document", "imprecise"): "does not spell the document's name as it is",
        ("page", "missing"): "names no page",
        ("section", "missing"): "names no section",
        ("section", "imprecise"): "names a sub-paragraph that its clause does not have",
        ("quote", "missing"): "has no quote",
    }
    return " and ".join(said for (part, word), said in faults.items() if getattr(check, part) == word) or "lacks an element"


def _not_found_sentence(check: CitationCheck, cited: str) -> str:
    altered = next((detail for code, detail in check.findings if code == "ALTERED_QUOTE"), None)
    if altered is not None:
        return f"The quote differs from the document: {altered} (cited: {cited})."
    return f"The quote cannot be found in the document (cited: {cited})."
