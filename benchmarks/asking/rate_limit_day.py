"""A day of questions against a provider's limits, on a virtual clock: python benchmarks/asking/rate_limit_day.py [--questions 50000]

The real limiter, retries and accounting of the judge; only time and the provider are played. The provider rejects by a strict sliding
minute. Three days: prompts so short that requests a minute bind, so long that tokens do, and where both do at once.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from rate_limit_simulation import simulate

DAYS = {"requests bind": (400, 900), "tokens bind": (1200, 3600), "both bind": (500, 1240)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=50_000)
    parser.add_argument("--rpm", type=int, default=500)
    parser.add_argument("--tpm", type=int, default=200_000)
    parser.add_argument("--concurrency", type=int, default=64)
    given = parser.parse_args()
    for name, characters in DAYS.items():
        start = time.process_time()
        day = simulate(given.questions, rpm=given.rpm, tpm=given.tpm, concurrency=given.concurrency, characters=characters)
        shown = {"day": name, **asdict(day), "over_minimum": f"{100 * day.over:.2f} %"}
        print(json.dumps({key: round(v, 1) if isinstance(v, float) else v for key, v in shown.items()}), flush=True)
        print(f"  {1e6 * (time.process_time() - start) / given.questions:.0f} us CPU a question", file=sys.stderr)


if __name__ == "__main__":
    main()
