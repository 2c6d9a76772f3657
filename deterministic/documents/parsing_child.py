"""The process that opens documents: requests come as JSON lines on standard input, answers go as JSON lines to standard output.

It runs apart from the judge because a file can be hostile: memory and processor time are limited by the operating system, and a crash
of the PDF library ends this process and no other. Started by `parsing.Worker` as `python -m deterministic.documents.parsing_child`.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Request = dict[str, Any]

_OBJECTS = 500_000
"""New objects from which on unreachable circles are looked for. A page comes as a tree of some thousand objects that lives for a moment."""


def limit_memory(size: int) -> None:
    """Address space of this process in bytes; no limit where the system knows none."""
    try:
        import resource
    except ImportError:  # not a POSIX system: the wall clock alone guards
        return
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_cpu(seconds: int) -> None:
    """Processor seconds from now until the system ends this process."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def _parse(request: Request) -> Any:
    from deterministic.documents.kinds import kind_of

    kind = kind_of(Path(request["path"]))
    if kind == "zip":
        from deterministic.documents.word.reading import parse_word

        return parse_word(request["path"], characters=request["characters"])
    if kind == "image":
        from deterministic.documents.images import parse_images

        return parse_images(request["path"], pages=request["pages"])
    from deterministic.documents.parsed_document import parse

    return parse(request["path"], pages=request["pages"], characters=request["characters"])


def _kind(request: Request) -> Any:
    from deterministic.documents.kinds import kind_of

    kind = kind_of(Path(request["path"]))
    if kind == "zip":
        from deterministic.documents.word.container import Container

        Container(request["path"]).close()
    return kind


def _alternatives(request: Request) -> Any:
    from deterministic.documents.second_reading import read_again

    return read_again(request["path"], request["numbers"], request["is_plain"])


def _ocr(request: Request) -> Any:
    from deterministic.documents.page_recognition import recognise

    return recognise(request["path"], request["number"], request["language"], request["dpi"])


def _marked(request: Request) -> Any:
    if request["is_word"]:
        from deterministic.documents.word.reading import marked_word

        return marked_word(request["path"])
    from deterministic.documents.marked_text import find_marked

    return find_marked(request["path"], request["number"])


def _image(request: Request) -> Any:
    from deterministic.documents.page_images import render

    return render(request["path"], request["number"], request["dpi"])


def _picture(request: Request) -> Any:
    from deterministic.documents.page_images import picture

    return picture(request["path"], request["number"])


def _rectangles(request: Request) -> Any:
    from deterministic.documents.page_images import find_rectangles

    return find_rectangles(request["path"], request["ranges"])


OPERATIONS: dict[str, Callable[[Request], Any]] = {
    "kind": _kind,
    "parse": _parse,
    "alternatives": _alternatives,
    "ocr": _ocr,
    "marked": _marked,
    "image": _image,
    "picture": _picture,
    "rectangles": _rectangles,
}


def answer(request: Request) -> Request:
    """The answer to one request: {"result": ...} or {"error": message, "cause": cause}."""
    from deterministic.documents.images import is_memory
    from deterministic.documents.kinds import ReadingError

    try:
        limit_cpu(request["cpu_seconds"])
        return {"result": OPERATIONS[request["operation"]](request)}
    except ReadingError as error:
        return {"error": error.message, "cause": error.cause}
    except Exception as error:  # whatever reading raises is a fact about the file
        if is_memory(error):
            return {"error": "reading it needs more memory than the limit allows", "cause": "memory"}
        return {"error": f"cannot be read ({' '.join(str(error).split())[:200] or type(error).__name__})", "cause": "corrupt"}


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; only the parent knows what it means
    # The PDF libraries write to descriptor 1; answers keep their own copy of it.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    limit_memory(int(sys.argv[1]))
    gc.set_threshold(_OBJECTS, 10, 10)
    from deterministic.documents.reading import silence

    silence()
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line)), ensure_ascii=True, separators=(",", ":")) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
