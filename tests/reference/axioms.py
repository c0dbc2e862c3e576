"""The constraints of Amigó et al. 2018, read literally: does this pair of rankings fall under one, and which is better?

A ranking is a list of documents, a document the list of its grades by aspect. ``higher`` is the ranking that should
score higher. Each function is one constraint's condition, ``_narrow`` that of its narrower reading.
"""

from .twins import TWINS, Query


def scores(higher, lower, weights, name, params, topic=False, weighted=True):
    """The scores of two rankings by a measure's twin, on judgments of the documents of both.

    Footnote 4: aspects have equally many relevant documents, so each document is judged again for other aspects. At
    topic level (§6.2) a document is as relevant as to its best aspect.
    """
    if topic:
        higher, lower = ([[max(document)] for document in ranking] for ranking in (higher, lower))
    n = len((higher + lower)[0])
    documents = {
        f'{side}{i:04}{turn}': document[turn:] + document[:turn]
        for side, ranking in (('h', higher), ('l', lower))
        for i, document in enumerate(ranking)
        for turn in range(n)
    }
    documents['missed'] = [0.001] * n
    grades = {(d, str(t)): g for d, of_d in documents.items() for t, g in enumerate(of_d)}
    given = {str(t): 1.0 if topic else w for t, w in enumerate(weights[:n])} if weighted else None
    return [
        TWINS[name](Query(tuple(f'{side}{i:04}0' for i in range(count)), grades, given), **params)
        for side, count in (('h', len(higher)), ('l', len(lower)))
    ]


def threshold(n, r=1e-5):
    """Eq. 3 and 4: one relevant document at the top, and n of them below n others; equally long."""
    return [[r]] + [[0.0]] * (2 * n - 1), [[0.0]] * n + [[r]] * n


def _small(*rankings):
    return all(g <= 0.001 for ranking in rankings for document in ranking for g in document)


def _one_aspect(ranking):
    assert all(len(document) == 1 for document in ranking)
    return [document[0] for document in ranking]


def _binary(*rankings):
    return len({g for ranking in rankings for document in ranking for g in document if g > 0}) <= 1


def _no_overlap(*rankings):
    return all(sum(g > 0 for g in document) <= 1 for ranking in rankings for document in ranking)


def _balanced(weights):
    return all(abs(w - 1 / len(weights)) < 1e-12 for w in weights)


def Pri(higher, lower, weights):
    d = _one_aspect(lower)
    for i in range(len(d)):
        for j in range(i + 1, len(d)):
            swapped = d[:]
            swapped[i], swapped[j] = d[j], d[i]
            if d[j] > d[i] and swapped == _one_aspect(higher):
                return _small(lower)
    return False


def Pri_narrow(higher, lower, weights):
    return _binary(lower)


def Deep(higher, lower, weights):
    one, two = _one_aspect(higher), _one_aspect(lower)
    for i in range(len(one) - 1):
        d = one[:]
        d[i], d[i + 1] = one[i + 1], one[i]  # before the first swap
        for j in range(i + 1, len(d) - 1):
            other = d[:]
            other[j], other[j + 1] = d[j + 1], d[j]
            if d[i] == d[j] < d[i + 1] == d[j + 1] and other == two:
                return _small(higher)
    return False


def Deep_narrow(higher, lower, weights):
    return _binary(lower)


def Conf(higher, lower, weights):
    return len(weights) == 1 and lower == [*higher, [0.0]] and _small(lower)


def Conf_narrow(higher, lower, weights):
    return any(g > 0 for g in _one_aspect(higher))


def AspDiv(higher, lower, weights):
    changed = [(new, old) for new, old in zip(higher, lower) if new != old]
    return (
        len(higher) == len(lower)
        and len(changed) == 1
        and _small(higher, lower)
        and abs(sum(weights) - 1) < 1e-9
        and all(n > o for n, o in zip(*changed[0]))
    )


def AspDiv_narrow(higher, lower, weights):
    return _binary(higher, lower)


def _added(higher, lower):
    """One document was added to the same ranking, as relevant to another aspect (2) as the other to aspect 1."""
    new, same = higher[-1], lower[-1]
    return (
        higher[:-1] == lower[:-1]
        and new[1] == same[0] > 0
        and sum(new) == new[1]
        and sum(same) == same[0]
    )


def Red(higher, lower, weights):
    def seen(t):
        return sum(document[t] > 0 for document in lower[:-1])

    return (
        _added(higher, lower)
        and _binary(higher, lower)
        and _balanced(weights)
        and _no_overlap(higher, lower)
        and seen(0) > seen(1)
    )


def Red_narrow(higher, lower, weights):
    return _small(higher, lower)


def MRed(higher, lower, weights):
    return (
        _added(higher, lower)
        and weights == [0.5, 0.5]
        and _small(higher, lower)
        and all(document[0] > document[1] for document in lower[:-1])
    )


def MRed_narrow(higher, lower, weights):
    return True


def AspRel(higher, lower, weights):
    places = [i for i, (new, old) in enumerate(zip(higher, lower)) if new != old]
    if len(higher) != len(lower) or len(places) != 1 or not _no_overlap(higher, lower):
        return False
    i = places[0]
    return (
        higher[i][0] == lower[i][1] > 0
        and weights[0] > weights[1]
        and all(document[0] == document[1] == 0 for document in higher[:i])
    )


def AspRel_narrow(higher, lower, weights):
    i = next(i for i, (new, old) in enumerate(zip(higher, lower)) if new != old)
    return _small(higher, lower) and all(
        document[0] == document[1] == 0 for document in higher[i + 1 :]
    )
