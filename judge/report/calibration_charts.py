"""Charts of a calibration as inline SVG: intervals, reliability, risk against coverage. Colours come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from calibration.confidence import Bin
from calibration.estimate import Estimate
from judge.report.calibration_text import figure, number

_SIDE, _PAD = 260, 62


def interval_line(estimate: Estimate, low: float = 0.0, high: float = 1.0, bars: Sequence[float] = (), zero: bool = False) -> Markup:
    """The line of one estimate; empty where it has no value."""
    if estimate.value is None:
        return Markup("")

    def x(value: float) -> float:
        return 200 * (min(max(value, low), high) - low) / (high - low)

    parts = ['<path class="grid" d="M0 11H200"/>']
    parts += [f'<path class="bar" d="M{x(bar):.1f} 1V21"/>' for bar in bars]
    if zero:
        parts.append(f'<path class="ideal" d="M{x(0):.1f} 1V21"/>')
    if estimate.low is not None and estimate.high is not None:
        a, b = x(estimate.low), x(estimate.high)
        parts.append(f'<path class="whisker" d="M{a:.1f} 11H{b:.1f}M{a:.1f} 6.5v9M{b:.1f} 6.5v9"/>')
    parts.append(f'<circle class="dot" cx="{x(estimate.value):.1f}" cy="11" r="4"/>')
    label = escape(figure(estimate))
    return Markup(f'<svg class="line" viewBox="-5 0 210 22" role="img" aria-label="{label}">{"".join(parts)}</svg>')


def _frame(below: str, beside: str, top: float = 1.0) -> list[str]:
    parts = []
    for step in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = _PAD + _SIDE * step, _PAD / 2 + _SIDE * (1 - step)
        parts.append(f'<path class="grid" d="M{_PAD} {y:.1f}H{_SIDE + _PAD}M{x:.1f} {_PAD / 2}V{_SIDE + _PAD / 2}"/>')
        parts.append(f'<text x="{_PAD - 6}" y="{y + 4:.1f}" text-anchor="end">{top * step:.3g}</text>')
        parts.append(f'<text x="{x:.1f}" y="{_SIDE + _PAD / 2 + 16}" text-anchor="middle">{step:g}</text>')
    parts.append(f'<path class="axis" d="M{_PAD} {_PAD / 2}V{_SIDE + _PAD / 2}H{_SIDE + _PAD}"/>')
    parts.append(f'<text x="{_PAD + _SIDE / 2}" y="{_SIDE + _PAD / 2 + 34}" text-anchor="middle">{below}</text>')
    parts.append(f'<text transform="translate(9 {_PAD / 2 + _SIDE / 2}) rotate(-90)" text-anchor="middle">{beside}</text>')
    return parts


def _svg(parts: Sequence[str], label: str) -> Markup:
    box = f"0 0 {_SIDE + _PAD + 12} {_SIDE + _PAD / 2 + 42}"
    return Markup(f'<svg class="square" viewBox="{box}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>')


def reliability_diagram(bins: Sequence[Bin]) -> Markup:
    """Confidence against the share that was right, one dot a bin with its interval, larger for more rows; on the dashed line both agree."""
    parts = _frame("confidence of the judge", "share right")
    parts.append(f'<path class="ideal" d="M{_PAD} {_SIDE + _PAD / 2}L{_SIDE + _PAD} {_PAD / 2}"/>')
    most = max((part.n for part in bins), default=1)
    for part in bins:
        value, low, high = part.accuracy.value, part.accuracy.low, part.accuracy.high
        if value is None:
            continue
        x = _PAD + _SIDE * part.confidence
        if low is not None and high is not None:
            parts.append(f'<path class="whisker" d="M{x:.1f} {_y(high):.1f}V{_y(low):.1f}"/>')
        title = f"confidence {number(part.low, 2)} to {number(part.high, 2)}: {part.n} verdicts, right {figure(part.accuracy)}"
        radius = 3 + 4 * (part.n / most) ** 0.5
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{_y(value):.1f}" r="{radius:.1f}"><title>{escape(title)}</title></circle>')
    return _svg(parts, "Reliability diagram; the figures are in the table below it")


def _y(share: float) -> float:
    return _PAD / 2 + _SIDE * (1 - share)


def risk_coverage_curve(points: Sequence[tuple[float, float]], risk: float | None, coverage: float | None) -> Markup:
    """Error rate among the covered verdicts against the share that is covered, the surest first. risk: the level that is allowed.

    coverage: of the certified threshold, None where there is none.
    """
    top = _ceiling(max([rate for _, rate in points] + [risk or 0.0]))
    parts = _frame("share of verdicts kept, the surest first", "share wrong among them", top)
    if risk is not None:
        parts.append(f'<path class="bar" d="M{_PAD} {_y(risk / top):.1f}H{_SIDE + _PAD}"/>')
    path = "L".join(f"{_PAD + _SIDE * share:.1f} {_y(rate / top):.1f}" for share, rate in points)
    parts.append(f'<path class="curve" d="M{path}"/>')
    parts += [f'<circle class="dot" cx="{_PAD + _SIDE * s:.1f}" cy="{_y(r / top):.1f}" r="2.5"/>' for s, r in points if len(points) <= 40]
    if coverage:
        x = _PAD + _SIDE * coverage
        parts.append(f'<path class="certified" d="M{x:.1f} {_PAD / 2}V{_SIDE + _PAD / 2}"/>')
    return _svg(parts, "Risk against coverage; the certified point is in the text beside it")


def _ceiling(value: float) -> float:
    return next((step for step in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8) if value <= step), 1.0)
