"""The twins against arithmetic done on paper.

The example, aspects x and y, w = 1/2 each (c is not judged, e not retrieved):

    rank  1  2  3  4   -
    doc   a  b  c  d   e
    x     1  2  .  .   1     gmax 2, r(exp) = 1/4, 3/4, -, -, 1/4
    y     .  1  .  1   .     gmax 1, r(exp) =   -, 1/2, -, 1/2, -
    GG   .5 1.5 0 .5  .5     ideal 1.5, .5, .5, .5
    G    .5 .75 0 .25        (alpha = 0.5)

Greedy ideal: b, then e before a and d (tie at 1/4, larger id), then d, then a:
G = 1, .25, .25, .125.
"""

import math

import pytest

from ..builders import over
from .twins import TWINS, Query

L3 = math.log2(3)
L5 = math.log2(5)

RANKING = ("a", "b", "c", "d")
GRADES = {("a", "x"): 1, ("b", "x"): 2, ("b", "y"): 1, ("d", "y"): 1, ("e", "x"): 1}
EXAMPLE = Query(RANKING, GRADES)
WEIGHTED = Query(RANKING, GRADES, weights={"x": 0.6, "y": 0.2})
# a = {1, 2}, z = {2, 3} and c = {3, 4} tie at first. The largest id, z, gains 2/4, then c and a 1.5/4 each.
TIED = Query(
    ("a",), {(d, t): 1 for d, served in (("a", "12"), ("z", "23"), ("c", "34")) for t in served}
)
NO_ASPECT = Query(("a", "b"), {("a", "x"): 0, ("b", "y"): -2})

# fmt: off
CASES = [
    ("IA", EXAMPLE, dict(M="RR_IA"), .5 * 1 + .5 * 1/2),
    ("IA", EXAMPLE, dict(cutoff=2), .5 * (1 + 2/L3) / (2 + 1/L3) + .5 * (1/L3) / (1 + 1/L3)),
    ("IA", WEIGHTED, dict(M="AP"), .6 * (1/1 + 2/2)/3 + .2 * (1/2 + 2/4)/2),
    # --- section 1
    ("RBU", EXAMPLE, {}, .8 * (.5 * 1/4 - .03) + .8**2 * (.5 * (3/4 * 3/4 + 1/2) - .03)
        + .8**3 * (-.03) + .8**4 * (.5 * 1/2 * 1/2 - .03)),
    ("RBU", EXAMPLE, dict(cutoff=1, effort="aspect"), .8 * (.5 * 1/4 - 2 * .03)),
    ("RBU", EXAMPLE, dict(cutoff=2, p=.5, e=0, norm=True), .5/.5 * (.5 * .5 * 1/4 + .25 * .5 * (9/16 + 1/2))),
    ("RBU", EXAMPLE, dict(cutoff=2, p=1, e=0, gain="linear"), .5 * 1/3 + .5 * (2/3 * 2/3 + 1/2)),
    ("RBU", EXAMPLE, dict(cutoff=1, p=1, e=0, max_rel=4), .5 * 1/16),
    ("RBU", NO_ASPECT, {}, -.03 * (.8 + .8**2)),
    ("RBU", NO_ASPECT, dict(effort="aspect"), 0),
    ("EU", EXAMPLE, {}, (.5 * 1/4 - .05) / 1 + (.5 * (3/4 * .5 + 1/2) - .05) / 2
        - .05 / (1 + L3) + (.5 * 1/2 * .5 - .05) / 3),
    ("CT", EXAMPLE, {}, .5 * 1/4 + 1/2 * .5 * (3/4 * .5 + 1/2) + 1/4 * .5 * (1/2 * .5)),
    ("CT", EXAMPLE, dict(saturation=.5), .5 * 1/4 + 1/2 * .5 * (3/4 * .5 + 1/2)),
    ("ACT", EXAMPLE, dict(cutoff=2), (.5 * 1/4 + (.5 * 1/4 + 1/2 * .5 * (3/4 * .5 + 1/2))) / 2),
    # --- section 2
    ("alpha_DCG", EXAMPLE, dict(cutoff=4), (.5 + .75/L3 + .25/L5) / (1 + .5/L3 + .25/2 + .125/L5)),
    ("alpha_DCG", EXAMPLE, dict(judged_only=True), (.5 + .75/L3 + .25/2) / (1 + .5/L3 + .25/2)),
    ("alpha_DCG", WEIGHTED, dict(cutoff=1), .6 / .8),
    ("alpha_nDCG", EXAMPLE, dict(cutoff=4), (.5 + .75/L3 + .25/L5) / (1 + .25/L3 + .25/2 + .125/L5)),
    ("ERR_IA", EXAMPLE, dict(cutoff=4), (.5 + .75/2 + .25/4) / (1 + .5/2 + .25/3 + .125/4)),
    ("nERR_IA", EXAMPLE, dict(cutoff=4), (.5 + .75/2 + .25/4) / (1 + .25/2 + .25/3 + .125/4)),
    ("NRBP", WEIGHTED, dict(alpha=.25, beta=.8), (1 - .6) * (.6 + .8 * (.6 * .75 + .2) + .8**3 * .2 * .75)),
    ("nNRBP", EXAMPLE, {}, (.5 + .75/2 + .25/8) / (1 + .25/2 + .25/4 + .125/8)),
    ("alpha_nDCG", TIED, {}, .5 / (.5 + .375/L3 + .375/2)),
    ("nERR_IA", TIED, {}, .5 / (.5 + .375/2 + .375/3)),
    ("nNRBP", TIED, {}, .5 / (.5 + .375/2 + .375/4)),
    ("StRecall", EXAMPLE, dict(cutoff=1), 1/2),
    ("I_rec", EXAMPLE, dict(cutoff=2), 1),
    ("S_Recall", EXAMPLE, dict(cutoff=2, rel=2), 1),
    ("alpha_DCG_IA", EXAMPLE, {}, .5 * 1/4 + .5 * (3/4 * .5 + 1/2)/L3 + .5 * 1/2 * .5/L5),
    ("gNRBP", EXAMPLE, {}, .5 * 1/4 + .8 * .5 * (3/4 * .5 + 1/2) + .8**3 * .5 * 1/2 * .5),
    ("StRR", EXAMPLE, {}, 1/2),
    ("StRR", EXAMPLE, dict(level=.5), 1),
    # --- section 3
    ("P_IA", EXAMPLE, dict(cutoff=2), .5 * 2/2 + .5 * 1/2),
    ("AP_IA", EXAMPLE, {}, .5 * (1/1 + 2/2)/3 + .5 * (1/2 + 2/4)/2),
    ("RR_IA", EXAMPLE, {}, .5 * 1 + .5 * 1/2),
    ("DCG_IA", EXAMPLE, dict(cutoff=2, gain="exp"), .5 * (1 + 3/L3) + .5 * 1/L3),
    ("nDCG_IA", EXAMPLE, {}, .5 * (1 + 2/L3)/(2 + 1/L3 + 1/2) + .5 * (1/L3 + 1/L5)/(1 + 1/L3)),
    ("RBP_IA", EXAMPLE, dict(gain="linear", p=.5), .5 * (.5 * (1/2 + .5 * 1) + .5 * (.5 + .5**3))),
    ("RBP_IA", EXAMPLE, dict(gain="linear", max_rel=2, cutoff=2), .2 * .5 * (1/2 + .8 * (1 + 1/2))),  # a grade of max_rel
    ("gERR_IA", EXAMPLE, {}, .5 * (1/4 + 3/4 * 3/4 / 2) + .5 * (1/2 / 2 + 1/2 * 1/2 / 4)),
    ("Q_IA", EXAMPLE, {}, .5 * ((1+1)/(1+2) + (2+3)/(2+3))/3 + .5 * ((1+1)/(2+2) + (2+2)/(4+2))/2),
    # --- section 4
    ("D_nDCG", EXAMPLE, dict(cutoff=2), (.5 + 1.5/L3) / (1.5 + .5/L3)),
    ("D_nDCG", EXAMPLE, dict(cutoff=1, gain="exp"), .5 / 2),
    ("D_Q", EXAMPLE, {}, ((1+.5)/(1+1.5) + (2+2)/(2+2) + (3+2.5)/(4+3)) / 4),
    ("Dsharp_nDCG", EXAMPLE, dict(cutoff=1, gamma=.25), .25 * 1/2 + .75 * .5/1.5),
    ("Dsharp_Q", EXAMPLE, dict(cutoff=1), .5 * 1/2 + .5 * 1.5/2.5),
]
# fmt: on


@over("name, query, params, expected", CASES)
def test_on_paper(name, query, params, expected):
    assert TWINS[name](query, **params) == pytest.approx(expected, abs=1e-12)
