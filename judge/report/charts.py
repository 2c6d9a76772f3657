"""Charts as inline SVG. Colours come from the page's style sheet by class, so they follow light, dark and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from judge.report.wording import OUTCOME_ORDER, OUTCOME_TITLES, number, span_text
from judge.results.statistics import Band


def score_bar(score: float | None, bounds: Sequence[float] | None, interval: Sequence[float] | None, threshold: float | None) -> str:
    """A horizontal bar 0..1: the score (or the open range as a hatched part), its interval as a whisker, the threshold as a line."""
    low, high = (score, score) if score is not None else (bounds[0], bounds[1]) if bounds else (0.0, 0.0)
    label = f"score {number(score)}" if score is not None else f"between {span_text(bounds)}"
    if interval:
        label += f", interval {span_text(interval)}"
    if threshold is not None:
        label += f", threshold {number(threshold, 2)}"
    is_short = threshold is not None and high < threshold
    parts = [
        '<rect class="track" x="0" y="5" width="200" height="8" rx="2"/>',
        f'<rect class="{"bar short" if is_short else "bar"}" x="0" y="5" width="{200 * low:.1f}" height="8" rx="2"/>',
    ]
    if high > low:
        parts.append(f'<rect class="open" x="{200 * low:.1f}" y="5" width="{200 * (high - low):.1f}" height="8"/>')
    if interval:
        a, b = 200 * interval[0], 200 * interval[1]
        parts.append(f'<path class="whisker" d="M{a:.1f} 9H{b:.1f}M{a:.1f} 5.5v7M{b:.1f} 5.5v7"/>')
    if threshold is not None:
        parts.append(f'<path class="threshold" d="M{200 * threshold:.1f} 1v16"/>')
    return f'<svg class="scorebar" viewBox="-1 0 202 18" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def outcome_bar(outcomes: Mapping[str, int]) -> str:
    """How the items of a group came out, as one stacked bar; worst first."""
    total = sum(outcomes.values())
    if total == 0:
        return ""
    parts, x = [], 0.0
    for name in (o for o in OUTCOME_ORDER if outcomes.get(o)):
        width = 200 * outcomes[name] / total
        title = f"{OUTCOME_TITLES[name]}: {outcomes[name]}"
        parts.append(f'<rect class="o-{name}" x="{x:.2f}" y="3" width="{width:.2f}" height="12"><title>{title}</title></rect>')
        x += width
    label = ", ".join(f"{OUTCOME_TITLES[o]} {outcomes[o]}" for o in OUTCOME_ORDER if outcomes.get(o))
    return f'<svg class="outcomebar" viewBox="0 0 200 18" preserveAspectRatio="none" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def reliability_diagram(bins: Sequence[Band]) -> str:
    """Confidence against the share that was right, one dot a bin with its interval; on the dashed line the two agree."""
    size, pad = 240, 34
    parts = [f'<path class="axis" d="M{pad} {pad / 2}V{size + pad / 2}H{size + pad}"/>']
    for tenth in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = pad + size * tenth, pad / 2 + size * (1 - tenth)
        parts.append(f'<path class="grid" d="M{pad} {y:.1f}H{size + pad}M{x:.1f} {pad / 2}V{size + pad / 2}"/>')
        parts.append(f'<text x="{pad - 5}" y="{y + 3:.1f}" text-anchor="end">{tenth:g}</text>')
        parts.append(f'<text x="{x:.1f}" y="{size + pad / 2 + 14}" text-anchor="middle">{tenth:g}</text>')
    parts.append(f'<path class="ideal" d="M{pad} {size + pad / 2}L{size + pad} {pad / 2}"/>')
    dots = [(b.mean_confidence, b.right.value, b.right.interval, b) for b in bins]
    for confidence, value, interval, band in dots:
        if confidence is None or value is None or interval is None:
            continue
        x = pad + size * confidence
        top, bottom = pad / 2 + size * (1 - interval[1]), pad / 2 + size * (1 - interval[0])
        title = f"{band.name}: {band.items} items, mean confidence {number(confidence)}, right {number(value)}"
        parts.append(f'<path class="whisker" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>')
        parts.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{pad / 2 + size * (1 - value):.1f}" r="4.5"><title>{escape(title)}</title></circle>'
        )
    middle = pad + size / 2
    parts.append(f'<text x="{middle}" y="{size + pad / 2 + 30}" text-anchor="middle">confidence reported</text>')
    side = pad / 2 + size / 2
    parts.append(f'<text transform="translate(8 {side}) rotate(-90)" text-anchor="middle">share right</text>')
    box = f"0 0 {size + pad + 12} {size + pad / 2 + 36}"
    head = f'<svg class="reliability" viewBox="{box}" role="img" aria-label="Reliability diagram, in figures in the table">'
    return f"{head}{''.join(parts)}</svg>"
