"""What may stand beside a value and says nothing of it: articles, and the names of the field that the value is given for."""

from deterministic.lexicon.calendar import WEEKDAYS
from deterministic.lexicon.guarded import carriers
from deterministic.lexicon.tables import lists

ARTICLES = carriers("a an the of at is are be being was were equals namely viz")
"""Beside a value of any kind."""
OF_A_DAY = ARTICLES | carriers(f"dated date {WEEKDAYS}", own="on day")
OF_A_LENGTH = ARTICLES | carriers("length duration total long")
OF_A_RATE = ARTICLES | carriers("rate")
OF_A_BENCHMARK = ARTICLES | carriers("rate rates reference benchmark interest index screen tenor")

LABELS = dict(lists("field_labels"))
"""Field of the contract -> what its value may be called beside it."""

NOTHING = {kind: frozenset(texts) for kind, texts in lists("nothing")}
"""value, threshold, frequency -> whole texts that say that there is none."""
