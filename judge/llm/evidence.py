"""Whether the words that a reply gives as evidence stand in the texts that it was about."""

from __future__ import annotations

import json
import re
import unicodedata

from judge.llm.messages import Message
from judge.llm.prompt import Prompt
from judge.llm.replies import Reply
from rubrics.verdicts import CANNOT_DETERMINE

RUN = 4  # words in a row that show that a piece was copied
REQUEST = (
    "The words that you gave as evidence do not stand in the texts. Copy the evidence from the texts, word by word, and give the whole "
    "JSON object again; change the verdict if the texts ask for it."
)


def is_found(prompt: Prompt, verdict: str | None, evidence: str) -> bool:
    """Whether some words in a row of the evidence (all, where it has fewer) stand in the prompt's texts; letters and digits count.

    A single word tells nothing, and a reply that cannot determine owes no evidence.
    """
    if verdict in (None, CANNOT_DETERMINE) or prompt.pictures:  # words of a picture can be found nowhere
        return True
    words = _words(evidence)
    size = min(RUN, len(words))
    if size < 2 or evidence in prompt.user:  # as most do; the search below takes as long as all else of a cached answer
        return True
    text = f" {' '.join(_words(prompt.user))} "
    return any(f" {' '.join(words[at : at + size])} " in text for at in range(len(words) - size + 1))


def request_again(messages: list[Message], reply: Reply) -> list[Message]:
    """The conversation with the reply and what it lacks."""
    said = json.dumps({"evidence": reply.evidence, "reasoning": reply.reasoning, "verdict": reply.verdict}, ensure_ascii=False)
    return [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": REQUEST}]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
