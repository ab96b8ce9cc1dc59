"""A few numbers from many: medians, percentiles, and ratios of contestants that took turns.

The ratio of two contestants is not the quotient of their overall medians, because the machine may
have been slower while one of them ran. Instead, each round gives the quotient of its two medians,
measured milliseconds apart. The ratio is the median of these quotients; their middle half shows how
reliable it is.
"""

import statistics

median = statistics.median


def percentile(values, percent):
    """The smallest value that `percent` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def ratio(rounds, above, below):
    """(median, lower quartile, upper quartile) of above/below over all rounds.

    A round is {contestant: [ns, ...]}.
    """
    quotients = [median(one_round[above]) / median(one_round[below]) for one_round in rounds]
    return median(quotients), percentile(quotients, 25), percentile(quotients, 75)


def joined(rounds, contestant):
    """All samples of one contestant."""
    return [sample for one_round in rounds for sample in one_round[contestant]]
