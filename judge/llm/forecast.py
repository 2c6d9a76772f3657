"""What asking would send and cost, without asking: for `judge check` and `--dry-run`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from judge.llm.judge import Judge
from judge.llm.prompt import Prompt, text_of
from judge.llm.tokens import Price
from judge.records import Answer, Question
from judge.settings import Settings

EXPECTED_OUTPUT = 120  # tokens of an answer in an estimate: two short texts and a verdict
SHORTEST_KEPT = 1024  # tokens from which on providers keep the beginning of a prompt


@dataclass
class Estimate:
    """What asking would cost. calls: requests when nothing fails; cached, settled: questions that need none. usd None when a model has no
    price. rubrics: calls by rubric id. kept_tokens: of the input, what a provider that keeps prompt beginnings has seen before; usd_kept:
    the cost at its price for them. pictures: pages that go along as pictures, whose tokens are in the input."""

    calls: int = 0
    cached: int = 0
    settled: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    rubrics: dict[str, int] = field(default_factory=dict)
    kept_tokens: int = 0
    usd_kept: float | None = 0.0
    pictures: int = 0

    def __post_init__(self) -> None:
        self._seen = set[tuple[str, str]]()

    def add(self, model: str, prompt: Prompt, price: Price | None) -> None:
        """One request; four characters are a token, and so are 750 pixels of a picture."""
        size = (len(prompt.system) + len(prompt.user)) // 4 + sum(picture.tokens for picture in prompt.pictures)
        beginning = len(prompt.system) // 4
        kept = beginning if beginning >= SHORTEST_KEPT and (model, prompt.system) in self._seen else 0
        self._seen.add((model, prompt.system))
        self.calls, self.input_tokens, self.output_tokens = self.calls + 1, self.input_tokens + size, self.output_tokens + EXPECTED_OUTPUT
        self.kept_tokens, self.pictures = self.kept_tokens + kept, self.pictures + len(prompt.pictures)
        if price is None or self.usd is None or self.usd_kept is None:
            self.usd = self.usd_kept = None
        else:
            self.usd += price.usd(size, EXPECTED_OUTPUT)
            self.usd_kept += price.usd(size, EXPECTED_OUTPUT, kept)


def estimate(questions: Iterable[Question], judge: Judge) -> Estimate:
    """Calls, tokens and money that asking would cost, after rules and cache. Sends nothing; closes the judge."""
    found, rubrics = Estimate(), Counter[str]()
    if any(judge.price(model) is None for model in judge.settings.models):
        found.usd = found.usd_kept = None
    for question in questions:
        is_settled, needed = isinstance(judge.requests(question), Answer), judge.unanswered(question)
        found.settled += is_settled
        found.cached += not needed and not is_settled
        for request in needed:
            rubrics[question.rubric] += 1
            found.add(request.model, request.prompt, judge.price(request.model))
    judge.close()
    found.rubrics = dict(sorted(rubrics.items()))
    return found


def preview(placed: Callable[[Callable[[Question], Sequence[str]]], Iterable[tuple[str, Question]]], settings: Settings) -> Iterator[str]:
    """For --dry-run: host, model and every text of each request that would be sent, with its place (case, items, round); the shared text of
    a rubric once. Sends nothing. placed: the questions by the menus of the judge's rubrics."""
    judge, shown, count = Judge(settings), set[str](), 0
    for place, question in placed(judge.menu):
        for request in judge.unanswered(question):
            prompt, model, count = request.prompt, request.model, count + 1
            if question.rubric not in shown:
                shown.add(question.rubric)
                yield f"=== with every question of rubric {question.rubric} ===\n{prompt.system}"
            to = f"to {judge.host(model)}, model {model}, rubric {question.rubric}, {place}"
            yield f"=== {to} ===\n{text_of(prompt.messages('CODE')[1])}"
            for one in prompt.pictures:
                yield f"=== with a picture: {one}, {one.kind}, {len(one.data)} bytes, about {one.tokens} tokens ==="
    yield f"=== {count} requests at most leave this machine, beside repetitions; which of the later rounds, the answers decide ==="
    judge.close()
