"""Document Q&A's expected output in a case file: the right answer or refusal, and the sections that a right answer cites."""

from __future__ import annotations

from collections.abc import Sequence

from judge.capabilities.case_evidence import Evidence
from judge.capabilities.case_markdown import Faults, Section, keyed
from judge.capabilities.case_reading import Gold, Reading, yes_or_no
from judge.capabilities.wording import fold_text
from judge.printing import quoted

_ANSWER_KEYS = ("answer", "accepted", "topic", "qualified", "refusal")


def read(section: Section, found: Sequence[Evidence], documents: Sequence[str], faults: Faults) -> Reading:
    """The right answer, or the refusal that is right."""
    for child in section.children:
        faults.add(child.line, "heading", f"{quoted(child.title)}: the expected output of a question has no headings below it")
    given: dict[str, list[str]] = {}
    for one in keyed(section.lines, _ANSWER_KEYS, faults):
        if one.key in given and one.key != "accepted":
            faults.add(one.line, one.key, "is given twice: keep one")
        given.setdefault(one.key, []).extend(part for part in one.value.split("\n") if one.key == "accepted" and part)
        if one.key != "accepted":
            given[one.key].append(one.value.strip())
        if not one.value.strip():
            faults.add(one.line, one.key, "says nothing: fill it in or leave the line out")
    if ("answer" in given) == ("refusal" in given):
        faults.add(section.line, "answer", "give `Answer:`, or `Refusal:` where the document does not contain it")
    gold: Gold = {"answerable": "refusal" not in given}
    qualified = yes_or_no(given["qualified"][0]) if "qualified" in given else None
    if "qualified" in given and qualified is None:
        faults.add(section.line, "qualified", f"is yes or no, not {quoted(given['qualified'][0])}")
    if "refusal" in given:
        for key in ("accepted", "qualified"):
            if key in given:
                faults.add(section.line, key, "goes with an answer, not with a refusal")
    else:
        gold |= {key: value for key, value in (("answer", given.get("answer", [None])[0]), ("accepted", given.get("accepted"))) if value}
        gold["required_sections"] = []
        gold |= {} if qualified is None else {"qualified": qualified}
    _required_sections(found, gold, documents, faults)
    return Reading({**gold, **({"topic": given["topic"][0]} if "topic" in given else {})}, lines={"gold": section.line})


def _required_sections(found: Sequence[Evidence], gold: Gold, documents: Sequence[str], faults: Faults) -> None:
    for one in found:
        if not gold["answerable"]:
            faults.add(one.line, "citation", "a refusal has nothing to cite: take the citation out")
        elif one.label and fold_text(one.label) != "answer":
            faults.add(one.line, "citation", f"{quoted(one.label)} names no value of this case; an answer needs no label")
        elif one.section is None:
            faults.add(one.line, "source", "names no clause: each clause here is one that a right answer cites")
        else:
            wanted = one.section if len(documents) < 2 else {"document": one.document, "section": one.section}
            gold["required_sections"] += [wanted] if wanted not in gold["required_sections"] else []


def output_of(gold: Gold) -> Gold:
    """Gold as an output that a person confirms or corrects."""
    sections = [one if isinstance(one, dict) else {"section": one} for one in gold.get("required_sections", ())]
    refusal = f"The document does not contain information about {gold.get('topic') or 'this'}."
    return {"answer": gold.get("answer", "") if gold.get("answerable") else refusal, "citations": sections}
