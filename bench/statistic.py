"""The few numbers we take from many: medians, percentiles, and ratios of contestants that took turns.

A ratio of two contestants is not the quotient of two overall medians: the machine may have been slower while one of
them ran. Every round gives one quotient, of the two medians of that round, taken milliseconds apart; the ratio is the
median of these quotients, and the middle half of them tells how far to trust it.
"""

import statistics

median = statistics.median


def percentile(values, percent):
    """The smallest value that `percent` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def ratio(rounds, above, below):
    """(median, lower quartile, upper quartile) of above/below over all rounds. A round is {contestant: [ns, ...]}."""
    quotients = [median(one_round[above]) / median(one_round[below]) for one_round in rounds]
    return median(quotients), percentile(quotients, 25), percentile(quotients, 75)


def joined(rounds, contestant):
    """All samples of one contestant."""
    return [sample for one_round in rounds for sample in one_round[contestant]]
