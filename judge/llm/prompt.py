"""From a rubric and a question to the texts of a request. Pure.
Order of sections, always: who you are and how data is marked; the question, its choices, what counts, worked examples (one text a rubric,
of more than 1,024 tokens, so that an endpoint keeps it as a common prefix); then, per question, the texts in the rubric's order, each
between fence lines; the question again, last. Fence lines carry a code drawn for this request, which no text can know. The code is not part
of what is hashed for the cache: a prompt is rendered with a placeholder that no cleaned text can contain."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.words import table
from deterministic.documents.pages import MOST_TOKENS, PagePicture
from judge.errors import ContractError
from judge.llm.untrusted import addresses, bound, clean
from judge.records import Answer, Finding, Question
from rubrics.rubric import Rubric, RubricFileError, Settled, read_rubrics, shipped_rubric
from rubrics.verdicts import CANNOT_DETERMINE

Message = dict[str, Any]
PROMPT_FORMAT = "4"  # raise it when the layout below or prompt.toml changes: every cached answer was given to other texts
_CODE = "\x02"  # placeholder of the fence code; `clean` leaves no control character in a text

_TEXTS = table("judge.llm", "prompt.toml")
_FENCE = f"Fence code: {_CODE}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two texts of a request, the user's one with the placeholder in place of the fence code.
    pictures: of pages, which the user's text names.
    findings: texts that speak to the judge. too_long: variables that may not be cut and are over their limit (then it cannot be sent).
    asked: the user's text from the question on, which is none of the given texts."""

    system: str
    user: str
    findings: tuple[Finding, ...] = ()
    too_long: tuple[str, ...] = ()
    pictures: tuple[PagePicture, ...] = ()
    asked: str = ""

    def messages(self, code: str) -> list[Message]:
        """The messages as sent, with this fence code."""
        text = self.user.replace(_CODE, code)
        content = [{"type": "text", "text": text}, *map(PicturePart, self.pictures)] if self.pictures else text
        return [{"role": "system", "content": self.system}, {"role": "user", "content": content}]


@dataclass(frozen=True, slots=True)
class Form:
    """What every question of one rubric shares, made once: the system text, the answer's schema, and the hashes of both. rubric_hash: of
    everything but the texts that goes into the prompt; schema_hash: of the schema."""

    rubric: Rubric
    system: str
    schema: Mapping[str, Any]
    response_format: Mapping[str, Any]
    schema_hash: str
    rubric_hash: str
    both: "tuple[Form, Form] | None" = None  # of a request that puts two questions

    @classmethod
    def of(cls, rubric: Rubric) -> "Form":
        """The form of a rubric."""
        schema = answer_schema(rubric.choices, has_checks=bool(rubric.checks))
        digest = hashlib.sha256(json.dumps(schema).encode()).hexdigest()
        system = f"{_role([rubric])}\n\n{_rules(rubric)}"
        shown = "\n".join([system, *(f"{name} {v.label} {v.limit} {v.keep}" for name, v in rubric.variables.items())])
        response_format = {"type": "json_schema", "json_schema": {"name": rubric.id, "strict": True, "schema": schema}}
        return cls(rubric, system, schema, response_format, digest, hashlib.sha256(shown.encode()).hexdigest())

    def fingerprint(self, parameters: Mapping[str, Any], *, together: bool) -> dict[str, Any]:
        """Version, and the hash of prompt, schema and parameters: equal hashes mean equally asked questions."""
        asked = json.dumps([self.rubric_hash, self.schema_hash, dict(parameters), PROMPT_FORMAT, *["together"] * together], sort_keys=True)
        return {"version": self.rubric.version, "hash": hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()}

    def with_choices(self, choices: Sequence[tuple[str, str]]) -> "Form":
        """The form of a question that brings choices of its own, before the rubric's; the shared text and its hash stay."""
        if not choices:
            return self
        rubric = self.rubric.model_copy(update={"choices": {**dict(choices), **self.rubric.choices}})
        own = Form.of(rubric)
        return replace(self, rubric=rubric, schema=own.schema, response_format=own.response_format, schema_hash=own.schema_hash)

    def beside(self, other: "Form") -> "Form":
        """The form of a request that puts this question and then another one; each keeps its own rules, menu and answer."""
        schema = _object({"first": self.schema, "second": other.schema})
        name = f"{self.rubric.id}+{other.rubric.id}"
        rubric = self.rubric.model_copy(update={"id": name})
        rules = (f"THE {place} QUESTION\n\n{_rules(form.rubric)}" for place, form in (("FIRST", self), ("SECOND", other)))
        response_format = {"type": "json_schema", "json_schema": {"name": name.replace("+", "_"), "strict": True, "schema": schema}}
        system = "\n\n".join([_role([self.rubric, other.rubric]), _TEXTS["both"], *rules])
        return replace(self, rubric=rubric, system=system, schema=schema, response_format=response_format, both=(self, other))


def render(form: Form, question: Question) -> Prompt:
    """The prompt of a question. Raises RubricVariableError when a template variable is missing or unknown."""
    rubric, given, texts = form.rubric, dict(question.variables), _cleaned(question)
    rubric.check([name for name, _ in question.variables])
    too_long = tuple(name for name, v in rubric.variables.items() if not v.keep and len(texts[name]) > v.limit)
    shown = _labelled_texts(rubric, texts)
    sections = [_FENCE, *map(_section, shown, shown.values()), *[_TEXTS["pictured"]] * bool(question.pictures), _asked(rubric)]
    signs = [(v.label, addresses(given[name])) for name, v in rubric.variables.items() if v.is_untrusted]
    findings = tuple(Finding("INSTRUCTION_IN_TEXT", f"{label}: {'; '.join(found)}") for label, found in signs if found)
    return Prompt(form.system, "\n\n".join(sections), findings, too_long, question.pictures, sections[-1])


def render_both(form: Form, questions: tuple[Question, Question]) -> Prompt:
    """The prompt of two questions that go together; a text that both are about stands once. form: of both (`Form.beside`)."""
    assert form.both is not None
    shown, more = (_labelled_texts(one.rubric, _cleaned(question)) for one, question in zip(form.both, questions, strict=True))
    own = {label if shown.get(label, text) == text else f"{label} (second question)": text for label, text in more.items()}
    sections = [_section(label, text) for label, text in (shown | own).items()]
    asked = [f"{place} question: {_asked(one.rubric)}" for place, one in zip(("First", "Second"), form.both, strict=True)]
    return Prompt(form.system, "\n\n".join([_FENCE, *sections, *asked]))


def _cleaned(question: Question) -> dict[str, str]:
    return {name: clean(text) for name, text in question.variables}


def _labelled_texts(rubric: Rubric, texts: Mapping[str, str]) -> dict[str, str]:
    """Cleaned texts by their labels, bounded."""
    return {v.label: bound(texts[name], v.limit, [texts[k] for k in v.keep]) for name, v in rubric.variables.items()}


def _section(label: str, text: str) -> str:
    return f"<<<{_CODE} {label}\n{text}\n{_CODE}>>>" if text.strip() else f"{label}: none given."


def _asked(rubric: Rubric) -> str:
    return f"{rubric.question}\nVerdict: {' | '.join(rubric.choices)}"


def _role(rubrics: Sequence[Rubric]) -> str:
    has_passages = any(v.source == "document" for rubric in rubrics for v in rubric.variables.values())
    has_checks = any(rubric.checks for rubric in rubrics)
    role: str = _TEXTS["role"]
    return role.format(passages=_TEXTS["passages"] if has_passages else "", reasoning=_TEXTS["stepwise" if has_checks else "brief"])


def _rules(rubric: Rubric) -> str:
    """What holds for every question of a rubric."""
    choices = list[str]()
    for verdict, meaning in rubric.choices.items():
        own = (f"  - {name}: {one.means}" for name, one in rubric.relations.items() if one.verdict == verdict)
        choices += [f'- "{verdict}": {meaning}', *own]
    sections = {
        "The question": [rubric.question],
        "The choices, with near cases": choices,
        "What the standard says": [f"- {line}" for line in rubric.standard],
        "What counts": [f"- {line}" for line in rubric.guidance],
        "What to check, one by one": [f"{n}. {line}" for n, line in enumerate(rubric.checks, start=1)],
        "Evidence": [rubric.evidence],
        "Worked examples (made up)": ["\n\n".join(_example(rubric, number) for number in range(len(rubric.examples)))],
    }
    return "\n\n".join(f"{title}\n" + "\n".join(lines) for title, lines in sections.items() if any(lines))


def _example(rubric: Rubric, number: int) -> str:
    example = rubric.examples[number]
    texts = "\n".join(f"{variable.label}: {example.given[name] or 'none given.'}" for name, variable in rubric.variables.items())
    checks = {"checks": list(example.checks)} if rubric.checks else {}
    answer = {"evidence": example.evidence, **checks, "reasoning": example.reasoning, "verdict": example.verdict}
    return f"{texts}\n{json.dumps(answer, ensure_ascii=False)}"


def answer_schema(choices: Iterable[str], *, has_checks: bool = False) -> dict[str, Any]:
    """The strict JSON Schema of an answer: evidence (and checks) before reasoning before the closed verdict."""
    text = {"type": "string"}
    checks = {"checks": {"type": "array", "items": text}} if has_checks else {}
    return _object({"evidence": text, **checks, "reasoning": text, "verdict": {"type": "string", "enum": list(choices)}})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


class PicturePart(dict[str, Any]):
    """A page as a message holds it. tokens: what it is taken to cost, which is not sent."""

    def __init__(self, picture: PagePicture) -> None:
        url = f"data:image/{picture.kind};base64,{base64.b64encode(picture.data).decode()}"
        super().__init__(type="image_url", image_url={"url": url, "detail": "high"})
        self.tokens = picture.tokens


def picture_tokens(message: Mapping[str, Any]) -> int:
    """Tokens that the pictures of a message are taken to cost (see `PagePicture.tokens`); the most of one whose size is not known."""
    return sum(getattr(part, "tokens", MOST_TOKENS) for part in picture_parts(message))


def picture_parts(message: Mapping[str, Any]) -> list[Any]:
    """The pictures of a message, as they are sent."""
    content = message.get("content")
    return [part for part in content if part.get("type") == "image_url"] if isinstance(content, list) else []


def text_of(message: Mapping[str, Any]) -> str:
    """The words of a message; pictures beside them are none."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(str(part.get("text") or "") for part in content)


class Forms:
    """A user's own rubrics (read at once, so that a mistake in them costs nothing) before the shipped ones (read when asked for)."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises ContractError for a file that is wrong."""
        try:
            self._own: dict[str, Rubric] = read_rubrics(paths)
        except RubricFileError as error:
            raise ContractError(str(error)) from error
        self.used: dict[str, Form] = {}

    def __getitem__(self, rubric_id: str) -> Form:
        """The form of a rubric. Raises ContractError when there is none of this id."""
        if (form := self.used.get(rubric_id)) is None:
            try:
                rubric = self._own.get(rubric_id) or shipped_rubric(rubric_id)
            except RubricFileError as error:
                raise ContractError(str(error)) from error
            form = self.used[rubric_id] = Form.of(rubric)
        return form


_MARKS = re.compile(r"[\W_]+")


def settled_answer(rubric: Rubric, question: Question, prompt: Prompt) -> Answer | None:
    """The answer that a rule gives, None when only a model can tell. A text that may not be cut and is over its limit is never judged in
    part."""
    if prompt.too_long:
        names = ", ".join(rubric.variables[name].label for name in prompt.too_long)
        told = f"too long to be judged whole: {names}"
        return Answer(CANNOT_DETERMINE, reasoning=told, by="deterministic", findings=(Finding("TEXT_TOO_LONG", told), *prompt.findings))
    given = dict(question.variables)
    if (rule := rule_for(rubric, given)) is None:
        return None
    label, text = rubric.variables[rule.variable].label, given[rule.variable]
    told = f"{label} is {text.strip()[:60]!r}, which {'a rule decides' if rule.also else 'says nothing that could be judged'}"
    told = told if folded(text) else f"{label} is empty"
    return Answer(rule.verdict, reasoning=told, by="deterministic", findings=prompt.findings)


def rule_for(rubric: Rubric, given: Mapping[str, str]) -> Settled | None:
    """The rubric's rule that decides these texts, None where a model must; a text that is not there is none of a rule's."""
    short = {name: folded(text) for name, text in given.items() if len(text) <= 200}
    for rule in rubric.settled:
        if all(short.get(name) in {*map(folded, texts)} for name, texts in {rule.variable: rule.texts, **rule.also}.items()):
            return rule
    return None


def folded(text: str) -> str:
    """Letters and digits, case aside, words apart."""
    return _MARKS.sub(" ", text).strip().casefold()
