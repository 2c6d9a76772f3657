"""Is the judge of the same model family as the system that it judges? Models rate text like their own higher (Panickssery, Bowman and Feng,
NeurIPS 37, 2024)."""

from __future__ import annotations

import re
from collections.abc import Iterable

FAMILIES = {
    "gpt": ("gpt", "chatgpt", "openai", "davinci", "o"),
    "claude": ("claude", "anthropic", "opus", "sonnet", "haiku"),
    "gemini": ("gemini", "gemma", "palm", "bison"),
    "llama": ("llama", "codellama", "vicuna"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral"),
    "qwen": ("qwen", "qwq"),
    "deepseek": ("deepseek",),
    "phi": ("phi",),
    "command": ("command", "cohere", "aya"),
    "grok": ("grok",),
    "granite": ("granite",),
    "nova": ("nova",),
}  # the first word of a model's name, its number taken off
_WORD = re.compile(r"([a-z]+)(\d*)")


def family_of(name: str) -> str:
    """The family of a model or system by the words of its name; "" where none is known. `o` counts with its number only (o1, o3)."""
    for word, number in _WORD.findall(name.casefold()):
        for family, words in FAMILIES.items():
            if word in words and (word != "o" or number):
                return family
    return ""


def family_note(judges: Iterable[str], system: str) -> str:
    """What a reader must know where judge and judged system are of one family; "" where they are not, or nobody said what is judged."""
    own = family_of(system)
    if own and (same := sorted(name for name in judges if family_of(name) == own)):
        return (
            f"judge ({', '.join(same)}) and judged system ({system}) are of one model family, {own}: such a judge can favour what it judges"
        )
    return ""
