"""One-to-one assignment with the greatest total (the Hungarian method; scipy's import would cost more than the whole run)."""

from __future__ import annotations

from collections.abc import Sequence


def assign(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """(row, column) pairs of a rectangular matrix with the greatest sum of scores; every row or every column is used, ordered by row.

    Equal totals are resolved towards the earlier columns, so the same input gives the same result.
    """
    if not scores or not scores[0]:
        return []
    if len(scores) > len(scores[0]):
        turned = [[row[c] for row in scores] for c in range(len(scores[0]))]
        return sorted((row, column) for column, row in assign(turned))
    return _shortest_paths([[-value for value in row] for row in scores])


def _shortest_paths(costs: list[list[float]]) -> list[tuple[int, int]]:
    """Successive shortest augmenting paths with potentials; rows <= columns. Index 0 is a sentinel."""
    n, m = len(costs), len(costs[0])
    row_potential, column_potential = [0.0] * (n + 1), [0.0] * (m + 1)
    row_of, previous = [0] * (m + 1), [0] * (m + 1)
    for row in range(1, n + 1):
        row_of[0], column = row, 0
        least, used = [float("inf")] * (m + 1), [False] * (m + 1)
        while row_of[column]:
            used[column] = True
            current, delta, following = row_of[column], float("inf"), 0
            for j in range(1, m + 1):
                if used[j]:
                    continue
                slack = costs[current - 1][j - 1] - row_potential[current] - column_potential[j]
                if slack < least[j]:
                    least[j], previous[j] = slack, column
                if least[j] < delta:
                    delta, following = least[j], j
            for j in range(m + 1):
                if used[j]:
                    row_potential[row_of[j]] += delta
                    column_potential[j] -= delta
                else:
                    least[j] -= delta
            column = following
        while column:
            row_of[column] = row_of[previous[column]]
            column = previous[column]
    return sorted((row_of[j] - 1, j - 1) for j in range(1, m + 1) if row_of[j])
