"""The process that opens documents: requests come as JSON lines on standard input, answers go as JSON lines to standard output.
It runs apart from the judge because a file can be hostile: memory and processor time are limited by the operating system, and a crash of
the PDF library ends this process and no other. Started by `parsing.Worker` as `python -m deterministic.documents.parsing_child`."""

import gc
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deterministic.documents.kinds import ReadingError, is_memory, kind_of, one_line
from deterministic.documents.page_images import find_marked, find_rectangles, picture, recognise, render
from deterministic.documents.parsed_document import parse, parse_images
from deterministic.documents.reading import silence
from deterministic.documents.second_reading import read_again
from deterministic.documents.word.container import Container
from deterministic.documents.word.text import marked_word, parse_word

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

Request = dict[str, Any]

_OBJECTS = 500_000
"""New objects from which on unreachable circles are looked for. A page comes as a tree of some thousand objects that lives for a moment."""


def limit_memory(size: int) -> None:
    """Address space of this process in bytes; no limit where the system knows none (it is no POSIX system): the wall clock alone guards."""
    if resource is not None:
        size = _within(size, resource.getrlimit(resource.RLIMIT_AS)[1])
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_cpu(seconds: int) -> None:
    """Processor seconds from now until the system ends this process."""
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (_within(int(used.ru_utime + used.ru_stime) + seconds + 1, hard), hard))


def _within(limit: int, hard: int) -> int:
    """A limit, or the one that was set from outside where that is lower."""
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)


def _parse(path: str, pages: int, characters: int) -> Any:
    if (kind := kind_of(Path(path))) == "zip":
        return parse_word(path, characters=characters)
    return parse_images(path, pages=pages) if kind == "image" else parse(path, pages=pages, characters=characters)


def _kind(path: str) -> Any:
    if (kind := kind_of(Path(path))) == "zip":
        Container(path).close()
    return kind


OPERATIONS: dict[str, Callable[..., Any]] = {
    "kind": _kind,
    "parse": _parse,
    "alternatives": read_again,
    "ocr": recognise,
    "marked": lambda path, number: marked_word(path) if kind_of(Path(path)) == "zip" else find_marked(path, number),
    "image": render,
    "picture": picture,
    "rectangles": find_rectangles,
}


def answer(request: Request) -> Request:
    """The answer to one request: {"result": ...} or {"error": message, "cause": cause}."""
    try:
        limit_cpu(request.pop("cpu_seconds"))
        return {"result": OPERATIONS[request.pop("operation")](**request)}
    except ReadingError as error:
        return {"error": error.message, "cause": error.cause}
    except Exception as error:  # whatever reading raises is a fact about the file
        if is_memory(error):
            return {"error": "reading it needs more memory than the limit allows", "cause": "memory"}
        return {"error": f"cannot be read ({one_line(error)})", "cause": "corrupt"}


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; only the parent knows what it means
    # The PDF libraries write to descriptor 1; answers keep their own copy of it.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    limit_memory(int(sys.argv[1]))
    gc.set_threshold(_OBJECTS, 10, 10)
    silence()
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line)), ensure_ascii=True, separators=(",", ":")) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
