"""Document Q&A's gold: what a person makes it of, what the documents must have of it, and how a case file says it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from deterministic.values.names import binary
from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.case_files import Evidence, Faults, Gold, Reading, Section, keyed
from judge.capabilities.cases import Case, Citation
from judge.capabilities.gold import ABSENT, CORRECT, Documents, Input, citation_faults, figure_doubts, form_choices, gold_task, read_form
from judge.capabilities.qa import QaGold, QaOutput
from judge.capabilities.qa.refusals import read_refusal, topic_of
from judge.capabilities.wording import fold_text
from judge.printing import quoted
from rubrics.contract import Contract, load_contract


def _form(case: Case) -> tuple[Input, ...]:
    several = (Input("document", "Document", "choice", tuple((n, n) for n in case.documents)), Input("section", "Section", is_needed=True))
    title = "Sections that a right answer cites"
    sections = (
        Input("required_sections", title, "forms", inner=several)
        if len(case.documents) > 1
        else Input("required_sections", f"{title}, one a line", "lines", hint="Clause 5.1(a)")
    )
    return (
        Input("answerable", "The document contains it", "yes_no", value="yes", is_needed=True),
        Input("answer", "The right answer", "lines"),
        Input("accepted", "Other right wordings, one a line", "lines"),
        sections,
        Input("qualified", "The source uses qualified language that the answer must reflect", "yes_no"),
        Input("topic", "Topic in a few words"),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """The one answer."""
    output: QaOutput = case.output
    draft = _draft(case, output)
    right = "Right as reported: the document contains this answer" if draft["answerable"] else "Right as reported: a refusal"
    choices = form_choices(_form(case), _shown(draft, case), "The document does not contain it", right)
    question = f"Is this the right answer: {case.input.get('question', '')}"
    return [gold_task(("answer",), question, output.answer, choices, output)]


def _shown(draft: dict[str, Any], case: Case) -> dict[str, Any]:
    sections = draft.get("required_sections", ())
    as_forms = [{"section": section} if isinstance(section, str) else section for section in sections]
    return {**draft, "required_sections": as_forms if len(case.documents) > 1 else list(sections)}


def _read(case: Case, text: str) -> dict[str, Any]:
    """Gold of a filled-in form. Raises ValueError."""
    found = read_form(_form(case), json.loads(text))
    if found["answerable"] and not found.get("answer"):
        raise ValueError("The right answer: fill this in")
    if "answer" in found:
        found["answer"] = "\n".join(found["answer"])
    sections = [entry["citation"] if isinstance(entry, dict) else entry for entry in found.get("required_sections", ())]
    return {**found, "required_sections": [s if not isinstance(s, dict) or "document" in s else s["section"] for s in sections]}


def _draft(case: Case, output: QaOutput) -> dict[str, Any]:
    """The reported answer as gold. Who confirms one says that the document contains it, of a refusal that it does not."""
    policy = load_contract().qa
    refusal = read_refusal(output.answer, str(case.input.get("question", "")), None, policy)
    if refusal.is_refusal and refusal.is_pure:
        return {"answerable": False} | ({"topic": topic} if (topic := topic_of(output.answer, policy)) else {})
    sections = [c.section for c in output.claims if c.section]
    return {"answerable": True, "answer": output.answer, "required_sections": list(dict.fromkeys(sections))}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    answer = answers["answer",]
    if answer.value == ABSENT:
        return {"answerable": False}
    return _read(case, answer.text) if answer.value == CORRECT else _draft(case, case.output)


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected answer is no gold."""
    QaGold.model_validate(_read(case, text))


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Required sections that the documents do not have."""
    gold: QaGold = case.gold
    if gold.answerable:
        for n, wanted in enumerate(gold.required_sections):
            place = Citation(section=wanted) if isinstance(wanted, str) else Citation(document=wanted.document, section=wanted.section)
            yield from ((f"gold.required_sections[{n}]", message) for _, message in citation_faults(place, "", documents))


def gold_doubts(case: Case, documents: Documents) -> Iterator[Fault]:
    """Figures of a right answer that are not in the document."""
    gold, question = case.gold, str(case.input.get("question", ""))
    texts = {"gold.answer": gold.answer or "", **{f"gold.accepted[{n}]": text for n, text in enumerate(gold.accepted)}}
    for path, text in texts.items():
        yield from figure_doubts(text, path, documents, question) if gold.answerable else ()


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
    qualified = binary.parse(given["qualified"][0]) if "qualified" in given else None
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
