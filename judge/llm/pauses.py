"""What the interpreter does on its own account is kept short while calls are in flight, so that the loop takes replies at once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SWITCH_S = 0.001
"""How long the thread that looks at a case may compute before the loop gets its turn; Python's own 5 ms are paid several times a reply."""
_OBJECTS = 2_000
"""New objects after which circles are looked for among them: a millisecond's work. With many more, the pauses are those to be avoided."""

_is_on = False


@contextmanager
def short_pauses() -> Iterator[None]:
    """Turns between threads are short and collections small; the process's own settings come back at the end."""
    global _is_on
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(min(interval, _SWITCH_S))
    gc.set_threshold(_OBJECTS, 10, 10)
    _is_on = True
    try:
        yield
    finally:
        _is_on = False
        gc.unfreeze()
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)


def settle() -> None:
    """Lets later collections pass over all that stands now, modules most of all: a full one held the loop up for 50 to 100 ms. Called
    before the first call; what nobody holds any more still goes at once. Nothing outside `short_pauses`, whose end takes it back."""
    if _is_on:
        gc.collect()
        gc.freeze()
