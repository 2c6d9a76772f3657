"""Messages of a request: their words, and the pictures beside them. Pure."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from deterministic.documents.pages import MOST_TOKENS, PagePicture

Message = dict[str, Any]


class PicturePart(dict[str, Any]):
    """A picture as a request holds it. tokens: what it is taken to cost, which is not sent."""

    def __init__(self, tokens: int, url: Mapping[str, str]) -> None:
        super().__init__(type="image_url", image_url=dict(url))
        self.tokens = tokens


def picture_part(picture: PagePicture) -> PicturePart:
    """A page as a message holds it."""
    data = base64.b64encode(picture.data).decode()
    return PicturePart(picture.tokens, {"url": f"data:image/{picture.kind};base64,{data}", "detail": "high"})


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
