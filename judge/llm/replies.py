"""From a completion as it came to a verdict. The schema field alone decides; whatever else the reply says is kept as words.
Accepted beside a bare JSON object: one in a Markdown fence, behind thoughts, or with prose around it (endpoints without structured output).
Refused: no verdict or two that differ anywhere in the reply, drafts, fences, broken objects, the prose around it and objects in its
reasons included; one that stands in thoughts alone, or word for word in the question's texts; a key twice, a missing or unknown key, a
verdict outside the menu."""

import contextlib
import html
import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from calibration.strict_json import no_key_twice
from judge.llm.faults import Fault, one_line
from judge.llm.prompt import Prompt
from judge.printing import shown
from rubrics.verdicts import CANNOT_DETERMINE
from rubrics.wording import message_of

_THOUGHT = re.compile(
    r"<(/?)(?:think|thinking|thought|reasoning|analysis)>|\[(/?)THINK\]|<\|channel\|>(?:(final)|\w+)<\|message\|>", re.IGNORECASE
)
_VERDICT = re.compile(r"""(?:["'`“”‘’]verdict["'`“”‘’]|[{,]\s*verdict)\s*[:=]""", re.IGNORECASE)  # in what is no whole object
_BESIDE = r"(?:verdict\S*|final answer|boxed)(?: \S+){0,7}? "  # before a verdict in prose around the answer
_OWN = r"\b(?:verdict|final answer|boxed) (?:is )?"  # in its reasons
_MOST_FOUND = 4  # verdicts of a reply that are read: more are no answer
_DECODER = json.JSONDecoder(object_pairs_hook=no_key_twice, strict=False)  # a line end may stand in a string
_MOST_TEXT = 200_000  # characters: no answer to one closed question is longer
_MOST_TRIES = 50  # places in a text where an object is looked for
_MOST_NAME = 200  # characters of a model's name as the server gives it


class StructuredAnswer(BaseModel):
    """The object that every rubric asks for (docs/contract/formats.md)."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    evidence: str
    checks: list[str] = []
    reasoning: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A validated answer of one model to one question, as it is cached. probability: 0..1 of the verdict's tokens, None when not given."""

    verdict: str
    evidence: str
    reasoning: str
    model: str
    probability: float | None = None
    second: "Reply | None" = None  # to the question that went along; never cached with the first


def read_reply(
    completion: Any,
    choices: Collection[str],
    *,
    second: Collection[str] | None = None,
    asked_model: str,
    has_meaning: bool = True,
    clean: Callable[[str], str] = str,
    texts: str = "",
) -> Reply:
    """The reply in a chat completion. Raises Fault: refusal, content_filter, truncated, schema, off_menu, or transport for what is none.
    has_meaning: whether the endpoint's log-probabilities are those of the text that it sent. clean: takes secrets out of the text, which
    may have come in parts, and out of what its escapes stand for. texts: those of the question, as sent. second: the menu of a question
    that went along; such a reply is a bare object of two answers."""
    message, finish, choice = _message(completion)
    parts = message.get("content")
    places = [message, *(part for part in parts if isinstance(part, Mapping))] if isinstance(parts, list) else [message]
    if refusal := next((one["refusal"] for one in places if one.get("refusal")), None):
        raise Fault("refusal", "give_up", f"the model refused: {one_line(str(refusal))}")
    if finish == "content_filter":
        raise Fault("content_filter", "give_up", "the endpoint's content filter cut the reply")
    if finish == "length":
        raise _cut(_text(message), completion)
    text = clean(_text(message, choice))
    try:
        answers = [StructuredAnswer.model_validate(one) for one in _answers(text, texts, choices, are_two=second is not None)]
        for answer, menu in zip(answers, (choices, second or ()), strict=False):
            own = [answer.reasoning, *answer.checks, *([] if answer.evidence in texts else [answer.evidence])]
            if answer.verdict in menu and any(_says_another(said, answer.verdict, menu, _OWN) for said in own):
                raise ValueError("another verdict in its reasons")
            if any(held.get("verdict") not in [one.verdict for one in answers] for held in (*_held(own, True), *_held(completion))):
                raise ValueError("another verdict beside the answer")
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'reply'}: {message_of(e)}" for e in error.errors())
        raise Fault("schema", "reask", f"the reply is not the asked object: {one_line(faults)}", reply=completion) from None
    except ValueError as error:
        raise Fault("schema", "reask", f"the reply is not the asked object: {one_line(str(error))}", reply=completion) from None
    for answer, menu in zip(answers, (choices, second or ()), strict=False):
        if answer.verdict not in menu:
            raise Fault("off_menu", "reask", f"verdict {answer.verdict[:60]!r} is not one of: {', '.join(menu)}", reply=completion)
    told = completion.get("model")
    model = (shown(told[:_MOST_NAME]) if isinstance(told, str) else "") or asked_model
    replies = [
        Reply(a.verdict, _whole_characters(clean(a.evidence)), _whole_characters(clean("\n".join([*a.checks, a.reasoning]))), model)
        for a in answers
    ]
    if second is not None:
        return replace(replies[0], second=replies[1])
    return replace(replies[0], probability=verdict_probability(choice.get("logprobs"), text, answers[0].verdict) if has_meaning else None)


def _cut(text: str, completion: Any) -> Fault:
    """A reply that ends in a long blank would be as long with any limit: models in JSON mode write line ends without end."""
    if len(text) - len(text.rstrip()) > max(200, len(text) // 2):
        told = "the reply is white space without end; try another model, and bound its cost with --max-output-tokens"
        return Fault("truncated", "give_up", told, reply=completion)
    return Fault("truncated", "longer", "the reply was cut at the token limit", reply=completion)


def _whole_characters(text: str) -> str:
    """The text with a question mark for each lone surrogate (half of a pair that the model cut apart), which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _message(completion: Any) -> tuple[Mapping[str, Any], str | None, Mapping[str, Any]]:
    """(message, finish reason, choice). A 200 that holds no completion (a gateway's page, an error object) is a transport fault."""
    if isinstance(completion, Mapping) and not completion.get("error"):
        found = completion.get("choices")
        if isinstance(found, list) and len(found) > 1:
            raise Fault("schema", "reask", f"the reply has {len(found)} choices in place of one", reply=completion)
        if isinstance(found, list) and found and isinstance(found[0], Mapping) and isinstance(found[0].get("message"), Mapping):
            return found[0]["message"], found[0].get("finish_reason"), found[0]
    shown = completion if isinstance(completion, str) else json.dumps(completion, default=str)
    raise Fault("transport", "retry", f"the endpoint answered with something that is no completion: {shown[:120]!r}")


def _text(message: Mapping[str, Any], choice: Mapping[str, Any] = MappingProxyType({})) -> str:
    """The text of a reply, wherever it stands: what is said twice, or in thoughts with an object of theirs, is all of it."""
    calls = message.get("tool_calls")
    if isinstance(calls, list) and len(calls) > 1:
        raise Fault("schema", "reask", "the reply calls the function more than once")
    call = calls[0] if isinstance(calls, list) and calls else {"function": message.get("function_call")}
    function = call.get("function") if isinstance(call, Mapping) else None
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    called = json.dumps(arguments) if isinstance(arguments, Mapping) else arguments if isinstance(arguments, str) else ""
    delta = choice.get("delta")
    also = (message.get("content"), choice.get("text"), delta.get("content") if isinstance(delta, Mapping) else None)
    said = [called, *dict.fromkeys(text for one in also if (text := _joined(one)).strip())]
    text = "\n".join(filter(None, said))
    thoughts = next((one for name in ("reasoning_content", "reasoning") if (one := _joined(message.get(name))).strip()), "")
    if not text and not calls:  # some servers take the whole reply for thoughts
        return thoughts if thoughts.strip()[:1] == "{" else f"<think>{thoughts}" if thoughts else ""
    return text


def _joined(content: Any) -> str:
    """A text, or the texts of its parts, as some gateways send."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _answers(text: str, texts: str, choices: Collection[str], *, are_two: bool) -> list[Any]:
    """The JSON object of a text that is the answer, or both of one that holds two. Raises ValueError when there is none, one more that
    differs, a key twice, no end, or one copied from the question's texts."""
    if len(text) > _MOST_TEXT:
        raise ValueError(f"it has {len(text)} characters")
    try:
        found = _two_objects(text) if are_two else [_sought_object(text, choices)]
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    squeezed = "".join(texts.split()) if "{" in texts else ""
    for source, value in found:
        if any("".join(form.split()) in squeezed for form in (source, json.dumps(value), json.dumps(value, ensure_ascii=False))):
            raise ValueError("it is copied from the question's texts, word for word")
    return [value for _, value in found]


def _two_objects(text: str) -> list[tuple[str, Any]]:
    """The answers to two questions, as written and as values. Raises ValueError for anything but one bare object of both."""
    both = _DECODER.decode(text.strip())
    if not isinstance(both, dict) or both.keys() != {"first", "second"}:
        raise ValueError('it is no object of "first" and "second"')
    return [(json.dumps(both[place]), both[place]) for place in ("first", "second")]


def _sought_object(text: str, choices: Collection[str]) -> tuple[str, Any]:
    """An answer as written and as a value."""
    with contextlib.suppress(json.JSONDecodeError):
        return text, _DECODER.decode(text.strip())
    if not (found := _objects(text)):
        raise ValueError("no JSON object in it" if text.strip() else "it is empty")
    verdicts = [held for _, _, value in found for held in _verdicts(value)]
    if not (answers := [one for one in found if isinstance(one[2], dict) and "verdict" in one[2]]):
        raise ValueError("no JSON object with a verdict in it")
    start, end, value = answers[-1]
    around = _around(text, [(start, end) for start, end, _ in found])
    if any(held != value for held in verdicts) or _VERDICT.search(_without_markup(around)):
        raise ValueError("several JSON objects in it, or a broken one beside another")
    if (marks := list(_THOUGHT.finditer(around, 0, start))) and not (any(marks[-1].groups())):
        raise ValueError("an answer in its thoughts alone")
    thought = marks[-1].end() if marks else 0
    beside = _around(text, [(0, thought), *((low, high) for low, high, other in found if other == value)])
    if isinstance(value["verdict"], str) and _says_another(beside, value["verdict"], choices):
        raise ValueError("another verdict beside the JSON object")
    return text[start:end], value


def _without_markup(text: str) -> str:
    """A text without the dress of HTML, Markdown and other widths."""
    return unicodedata.normalize("NFKC", html.unescape(text)).replace("\\", "")


def _says_another(text: str, verdict: str, choices: Collection[str], before: str = _BESIDE) -> bool:
    """Whether prose holds another of the choices as it is written in the menu, or names one as the verdict. A word of everyday language
    says nothing by itself. before: what makes it the verdict."""
    text = _without_markup(text)
    if any("_" in one and one != verdict and re.search(rf"\b{re.escape(one)}\b", text, re.IGNORECASE) for one in choices):
        return True
    names = {" ".join(_words(one)): one for one in sorted(choices, key=len, reverse=True)}
    named = f"({'|'.join(map(re.escape, names))})"
    said = re.finditer(rf"(?:{before}){named}\b|^{named}$", " ".join(_words(text)))
    return any(names[one[1] or one[2]] != verdict for one in said)


def _quoted(text: str) -> list[dict[str, Any]]:
    """Every object with a verdict that stands in a text as one."""
    try:
        return [held for _, _, value in _objects(text) for held in _verdicts(value)] if "verdict" in text.casefold() else []
    except (ValueError, RecursionError):
        return []


def _objects(text: str) -> list[tuple[int, int, Any]]:
    """Every outermost JSON object that stands in a text, with its bounds."""
    found, tries, at = list[tuple[int, int, Any]](), 0, text.find("{")
    while at >= 0:
        if (tries := tries + 1) > _MOST_TRIES or len(found) > _MOST_FOUND:
            raise ValueError("no single JSON object is found among its many braces")
        try:
            value, end = _DECODER.raw_decode(text, at)
            found.append((at, end, value))
        except json.JSONDecodeError:
            end = at + 1
        at = text.find("{", end)
    return found


def _around(text: str, bounds: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in the place of its objects."""
    for start, end in bounds:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _verdicts(value: Any) -> Iterator[Any]:
    """Every object with a verdict, at whatever depth."""
    if isinstance(value, dict):
        if any(_words(key) == ["verdict"] for key in value):
            yield value
        for held in value.values():
            yield from _verdicts(held)
    elif isinstance(value, list):
        for held in value:
            yield from _verdicts(held)


def _held(value: Any, is_said: bool = False) -> Iterator[dict[str, Any]]:
    """Every object of a completion with a text as its verdict, those that its choices hold as text included."""
    waiting = [(value, is_said)]
    while waiting:
        value, is_said = waiting.pop()
        if isinstance(value, str) and is_said:
            yield from _quoted(value)
        elif isinstance(value, list):
            waiting += [(one, is_said) for one in value]
        elif isinstance(value, dict):
            yield from [value] if isinstance(value.get("verdict"), str) else []
            waiting += [(one, is_said or key == "choices") for key, one in value.items() if key != "logprobs"]


def verdict_probability(logprobs: Any, text: str, verdict: str) -> float | None:
    """Probability 0..1 of the verdict's own tokens, from `logprobs` of a choice; None when they are not given or do not spell the text."""
    tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    start = text.rfind(f'"{verdict}"')
    if not isinstance(tokens, list) or not tokens or start < 0:
        return None
    try:
        if "".join(t["token"] for t in tokens) != text:
            return None
        at, total = 0, 0.0
        for token in tokens:
            end = at + len(token["token"])
            if at < start + 1 + len(verdict) and end > start + 1:
                total += float(token["logprob"])
            at = end
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return math.exp(min(0.0, total)) if total == total else None  # not a number is no probability


RUN = 4  # words in a row that show that a piece was copied


def is_found(prompt: Prompt, verdict: str | None, evidence: str) -> bool:
    """Whether some words in a row of the evidence (all, where it has fewer) stand in the prompt's texts; letters and digits count. A single
    word tells nothing, and a reply that cannot determine owes no evidence."""
    if verdict in (None, CANNOT_DETERMINE) or prompt.pictures:  # words of a picture can be found nowhere
        return True
    words, texts = _words(evidence), prompt.user.removesuffix(prompt.asked)
    size = min(RUN, len(words))
    if size < 2 or evidence in texts:  # as most do; the search below takes as long as all else of a cached answer
        return True
    text = f" {' '.join(_words(texts))} "
    return any(f" {' '.join(words[at : at + size])} " in text for at in range(len(words) - size + 1))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
