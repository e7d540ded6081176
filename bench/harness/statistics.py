"""Medians, and how sure a difference is."""
import random


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def percentile(values, share):
    """The smallest value that at least `share` hundredths of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * share // 100) - 1)]


def bootstrap(values, statistic=median, level=95, times=10_000, seed=1):
    """The interval in which `statistic` of so many draws, each as many as there are values, lies at `level` per cent."""
    draws = random.Random(seed)
    found = [statistic(draws.choices(values, k=len(values))) for _ in range(times)]
    tail = (100 - level) / 2
    return percentile(found, tail), percentile(found, 100 - tail)


def compare(pairs):
    """Of interleaved pairs (before, after): the median ratio, its interval, and whether the difference is real: the
    interval does not hold 1."""
    ratios = [after / before for before, after in pairs]
    low, high = bootstrap(ratios)
    return median(ratios), low, high, not low <= 1 <= high
