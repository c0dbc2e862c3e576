"""Slow, literal readings of the statistics of ``ir_divmeasures.meta``: loops over systems, queries and orders."""

import itertools
import math


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def orders(scores):
    """All rankings of the systems by score descending, one per way to break the ties."""
    for order in itertools.permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            yield list(order)


def tau_ap_of_orders(truth, estimate):
    """Yilmaz et al. 2008, Eq. 3, for rankings without ties."""
    n, total = len(estimate), 0.0
    for i in range(1, n):
        above = estimate[:i]
        correct = [s for s in above if truth.index(s) < truth.index(estimate[i])]
        total += len(correct) / i
    return 2 / (n - 1) * total - 1


def tau_ap_a(x, y):
    """The mean over all orders of the tied systems of both rankings."""
    return mean(tau_ap_of_orders(a, b) for a in orders(x) for b in orders(y))


def unanimity(values, m):
    """Amigó et al. 2018, §6.1 by its words; values[system][query][measure]."""
    both = improved = unanimous = n = 0.0
    compared = [o for o in range(len(values[0][0])) if o != m]
    for i, j in itertools.permutations(range(len(values)), 2):
        for a, b in zip(values[i], values[j]):
            mine = 1.0 if a[m] > b[m] else 0.5 if a[m] == b[m] else 0.0
            all_others = all(a[o] >= b[o] for o in compared)
            n += 1
            improved += mine
            unanimous += all_others
            both += mine * all_others
    if unanimous == 0:
        return 0.0
    if both == 0:
        return -math.inf
    return math.log2((both / n) / ((improved / n) * (unanimous / n)))


def unanimity_parts(values, m):
    """What becomes of the pairs on which the other measures are unanimous, pair by pair."""
    parts = dict.fromkeys(('unanimous', 'tied', 'seen', 'missed', 'contradicted'), 0)
    compared = [o for o in range(len(values[0][0])) if o != m]
    for i, j in itertools.permutations(range(len(values)), 2):
        for a, b in zip(values[i], values[j]):
            if not all(a[o] >= b[o] for o in compared):
                continue
            parts['unanimous'] += 1
            if all(a[o] == b[o] for o in compared):
                parts['tied'] += 1
            else:
                parts['seen' if a[m] > b[m] else 'missed' if a[m] == b[m] else 'contradicted'] += 1
    return parts


def simulation(grades, lengths, longest, rng):
    """Amigó et al. 2018, §6.3, of one topic: a number from (0, g) for each grade g, weights of the aspects with a relevant
    document that sum to 1, and lengths of rankings from 0, …, n, or from 0, …, ``longest``.

    The draws are in the package's order: weights, lengths, then grades from the last document to the first.
    """
    relevant = {cell: g for cell, g in grades.items() if g > 0}
    documents, aspects = (sorted({cell[i] for cell in relevant}) for i in (0, 1))
    weights = {t: 1 - rng.random() for t in aspects}
    cut = [
        min(n, rng.integers(0, n if longest is None else longest, endpoint=True)) for n in lengths
    ]
    shares = {(d, t): 1 - rng.random() for d in reversed(documents) for t in aspects}
    drawn = {cell: g * shares[cell] if g > 0 else g for cell, g in grades.items()}
    return drawn, {t: w / sum(weights.values()) for t, w in weights.items()}, cut


def t_statistic(z):
    centre = mean(z)
    deviation = math.sqrt(math.fsum((x - centre) ** 2 for x in z) / (len(z) - 1))
    if deviation == 0:
        return 0.0 if centre == 0 else math.inf
    return abs(centre) / (deviation / math.sqrt(len(z)))


def bootstrap(a, b, samples, alpha):
    """Sakai 2006, Figures 1 and 5: the achieved significance level, and the difference at the borderline."""
    z = [x - y for x, y in zip(a, b)]
    centre, observed = mean(z), t_statistic(z) * (1 - 1e-12)
    drawn = [[z[q] - centre for q in sample] for sample in samples]
    trials = [(t_statistic(w), abs(mean(w))) for w in drawn]
    asl = (1 + sum(t >= observed for t, _ in trials)) / (1 + len(trials))
    return asl, sorted(trials, reverse=True)[max(int(alpha * len(trials)), 1) - 1][1]


def stability(a, b, size, fuzziness):
    """Over all samples of the queries instead of R random ones."""
    wins = losses = total = 0
    for sample in itertools.combinations(range(len(a)), size):
        difference = mean(a[q] for q in sample) - mean(b[q] for q in sample)
        wins += difference > fuzziness + 1e-12
        losses += -difference > fuzziness + 1e-12
        total += 1
    return max(wins, losses) / total


def preference_agreement(scores, preferences):
    """Dou et al. 2019, §5.4, by its words: the agreement, its error and degrees of freedom.

    ``scores[system, query]`` are those of one measure. Queries and users are samples (Cameron et al. 2011, Eq. 2.11).
    """
    agreement = []
    for row in preferences:
        a, b = (scores[row[side], row['query_id']] for side in ('system_a', 'system_b'))
        measure = 'a' if a > b else 'b' if a < b else 'equal'
        user = 'a' if row['preference'] > 0 else 'b' if row['preference'] < 0 else 'equal'
        agreement.append(1 if measure == user else -1)
    value = mean(agreement)

    def variance(*columns):
        totals = {}
        for row, agrees in zip(preferences, agreement):
            level = tuple(row[column] for column in columns)
            totals[level] = totals.get(level, 0) + agrees - value
        n = len(totals)
        squares = sum(total**2 for total in totals.values())
        return n, n / (n - 1) * squares / len(agreement) ** 2 if n > 1 else 0

    (n_queries, by_query), (n_users, by_user) = variance('query_id'), variance('user')
    _, by_cell = variance('query_id', 'user')
    df = min(n for n in (n_queries, n_users) if n > 1) - 1
    return value, math.sqrt(max(by_query + by_user - by_cell, by_query, by_user)), df
