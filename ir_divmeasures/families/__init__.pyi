# mypy: disable-error-code="override"
# pyright: reportIncompatibleMethodOverride=false
"""The measures, for editors and type checkers. Made by ``python -m reference stubs``; do not change it by hand."""
from collections.abc import Mapping
from typing import Literal

from ir_measures import Measure

from ..core.registry import DivMeasure

class _RBU(DivMeasure):
    def __call__(
            self, *, p: float = 0.8, e: float = 0.03, gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp',
            max_rel: float | None = None, norm: bool = False,
            effort: Literal['document', 'aspect', 'length'] = 'document', unit: float = 100.0,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _RBU:
        """Rank-Biased Utility: novel relevance of each aspect, discounted by rank, minus an effort for each document.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            e: the effort of looking at one document, in units of relevance. Allowed: a number in [0, inf).
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            norm: whether the measure is normalised.
            effort: what costs the effort e: each 'document', each 'aspect' of each document, or the 'length' of a
                document, in multiples of unit.
            unit: the length that costs e, with effort='length'. Allowed: a number in (0, inf).
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RBU:
        """The measure with this cutoff."""

RBU: _RBU

class _iRBU(DivMeasure):
    def __call__(
            self, *, p: float = 0.99, gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp',
            max_rel: float | None = None, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _iRBU:
        """Intentwise Rank-Biased Utility: RBU of the topic as a whole, without subtopics, weights and effort.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _iRBU:
        """The measure with this cutoff."""

iRBU: _iRBU

class _EU(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, e: float = 0.05, base: float = 2.0,
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _EU:
        """Expected Utility: novel relevance minus effort, both discounted by rank.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            e: the effort of looking at one document, in units of relevance. Allowed: a number in [0, inf).
            base: the base of the logarithm that discounts ranks. Allowed: a number in (1, inf).
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _EU:
        """The measure with this cutoff."""

EU: _EU

class _CT(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, saturation: float = 1.0,
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _CT:
        """Cube Test: novel relevance divided by the rank at which it is found, until an aspect is full.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            saturation: the total relevance of an aspect at which further documents no longer count for it. Allowed:
                a number in (0, inf).
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _CT:
        """The measure with this cutoff."""

CT: _CT

class _ACT(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, saturation: float = 1.0,
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _ACT:
        """Average Cube Test: the mean of CT at the ranks that the user looks at.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            saturation: the total relevance of an aspect at which further documents no longer count for it. Allowed:
                a number in (0, inf).
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _ACT:
        """The measure with this cutoff."""

ACT: _ACT

class _nDCU(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, e: float = 0.05, base: float = 2.0,
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'binary', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _nDCU:
        """Discounted cumulated utility adds up novel relevance minus effort, and is divided by that of a greedy ideal ranking.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            e: the effort of looking at one document, in units of relevance. Allowed: a number in [0, inf).
            base: the base of the logarithm that discounts ranks. Allowed: a number in (1, inf).
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _nDCU:
        """The measure with this cutoff."""

nDCU: _nDCU

class _CubeTest(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, max_height: float = 5.0, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _CubeTest:
        """Cube Test as TREC Dynamic Domain computes it: how full the cube is, per iteration of the search.

        Args:
            gamma: the factor that multiplies the gain of each further document of the same aspect. Allowed: a
                number in [0, 1].
            max_height: H, the height of the cube: the total gain of an aspect at which further documents no longer
                count for it. Allowed: a number in (0, inf).
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _CubeTest:
        """The measure with this cutoff."""

CubeTest: _CubeTest

class _ACubeTest(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, max_height: float = 5.0, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _ACubeTest:
        """Average Cube Test as TREC Dynamic Domain computes it: the mean over the documents that the user looks at.

        Args:
            gamma: the factor that multiplies the gain of each further document of the same aspect. Allowed: a
                number in [0, 1].
            max_height: H, the height of the cube: the total gain of an aspect at which further documents no longer
                count for it. Allowed: a number in (0, inf).
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _ACubeTest:
        """The measure with this cutoff."""

ACubeTest: _ACubeTest

class _alpha_DCG(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _alpha_DCG:
        """DCG in which each further document for an aspect counts less, divided by the most that any collection could give.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _alpha_DCG:
        """The measure with this cutoff."""

alpha_DCG: _alpha_DCG

class _alpha_nDCG(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _alpha_nDCG:
        """DCG in which each further document for an aspect counts less, divided by that of a greedy ideal ranking.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _alpha_nDCG:
        """The measure with this cutoff."""

alpha_nDCG: _alpha_nDCG

class _ERR_IA(DivMeasure):
    def __call__(
            self, *, aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _ERR_IA:
        """Intent-aware ERR as ndeval computes it: novel relevance divided by rank, and by the most that is possible.

        Args:
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _ERR_IA:
        """The measure with this cutoff."""

ERR_IA: _ERR_IA

class _nERR_IA(DivMeasure):
    def __call__(
            self, *, cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _nERR_IA:
        """Intent-aware ERR as ndeval computes it, divided by that of a greedy ideal ranking.

        Args:
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _nERR_IA:
        """The measure with this cutoff."""

nERR_IA: _nERR_IA

class _NRBP(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, beta: float = 0.5, aspects: Literal['relevant', 'listed'] = 'relevant',
            rel: float = 1, judged_only: bool = False) -> _NRBP:
        """Rank-biased precision in which each further document for an aspect counts less.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            beta: patience, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

NRBP: _NRBP

class _nNRBP(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, beta: float = 0.5, rel: float = 1, judged_only: bool = False) -> _nNRBP:
        """NRBP divided by that of a greedy ideal ranking.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            beta: patience, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

nNRBP: _nNRBP

class _alpha_DCG_IA(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp',
            max_rel: float | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _alpha_DCG_IA:
        """Graded, weighted alpha-DCG, as in the experiments of Amigó et al.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _alpha_DCG_IA:
        """The measure with this cutoff."""

alpha_DCG_IA: _alpha_DCG_IA

class _gNRBP(DivMeasure):
    def __call__(
            self, *, p: float = 0.8, alpha: float = 0.5, gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp',
            max_rel: float | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _gNRBP:
        """Graded, weighted NRBP, as in the experiments of Amigó et al.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _gNRBP:
        """The measure with this cutoff."""

gNRBP: _gNRBP

class _StRecall(DivMeasure):
    def __call__(
            self, *, budget: float | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _StRecall:
        """Subtopic recall (I-rec, S-recall): the share of the query's subtopics that the top k covers.

        Args:
            budget: the total length that the user reads, in the unit of the column length of the run. The run ends
                before the first document that exceeds it. None: there is no limit. Allowed: a number in [0, inf) or
                None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _StRecall:
        """The measure with this cutoff."""

StRecall: _StRecall

class _Coverage(DivMeasure):
    def __call__(
            self, *, partial: float = 0.0, importance: Literal['all', 'vital', 'okay'] = 'all',
            weights: Literal['given', 'uniform', 'importance', 'points'] = 'given', budget: float | None = None,
            gain: Literal['steps', 'linear'] = 'steps', max_rel: float | None = None,
            parts: Literal['each', 'all'] = 'each', aspects: Literal['relevant', 'listed'] = 'listed',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Coverage:
        """The share of intents, nuggets or sub-questions that the top k covers, with weights and partial credit.

        Args:
            partial: the credit for an aspect whose best grade is above 0 and below rel. Allowed: a number in [0,
                1].
            importance: the importance that an aspect must have to count.
            weights: the weights of the aspects: 'given' takes those of the judgments if there are any, 'uniform'
                weights all the same, 'importance' is 1 for vital and 1/2 for okay aspects, and 'points' takes the
                points of a rubric, which can be negative.
            budget: the total length that the user reads, in the unit of the column length of the run. The run ends
                before the first document that exceeds it. None: there is no limit. Allowed: a number in [0, inf) or
                None.
            gain: the credit of a grade g: 'steps' is 1 from rel up and partial below it, 'linear' is min(1,
                g/max_rel).
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            parts: how a nugget with parts (column part_of) counts: 'each' counts every part, 'all' counts the
                nugget once, with the lowest credit of its parts.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade with full credit (0: any grade above 0). Lower grades above 0 have partial credit.
                With gain='linear', every grade has its own credit. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Coverage:
        """The measure with this cutoff."""

Coverage: _Coverage

class _StRR(DivMeasure):
    def __call__(
            self, *, level: float = 1.0, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _StRR:
        """S-RR@100%: the reciprocal of the rank at which the share ``level`` of the subtopics is covered.

        Args:
            level: the subtopic recall that the ranking has to reach. Allowed: a number in (0, 1].
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _StRR:
        """The measure with this cutoff."""

StRR: _StRR

class _Density(DivMeasure):
    def __call__(
            self, *, per: float = 100.0, partial: float = 0.0, gain: Literal['steps', 'linear'] = 'steps',
            max_rel: float | None = None, aspects: Literal['relevant', 'listed'] = 'listed',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Density:
        """How many aspects (nuggets, sub-questions) the ranking contains per 100 tokens, or other units of length.

        Args:
            per: the value is per this length, in the unit of the column length of the run. Allowed: a number in (0,
                inf).
            partial: the credit for an aspect whose best grade is above 0 and below rel. Allowed: a number in [0,
                1].
            gain: the credit of a grade g: 'steps' is 1 from rel up and partial below it, 'linear' is min(1,
                g/max_rel).
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade with full credit (0: any grade above 0). Lower grades above 0 have partial credit.
                With gain='linear', every grade has its own credit. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Density:
        """The measure with this cutoff."""

Density: _Density

class _P_IA(DivMeasure):
    def __call__(
            self, *, aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _P_IA:
        """Intent-aware precision: the precision for each aspect, weighted by the aspect's probability.

        Args:
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _P_IA:
        """The measure with this cutoff."""

P_IA: _P_IA

class _AP_IA(DivMeasure):
    def __call__(
            self, *, aspects: Literal['relevant', 'listed'] = 'relevant', rel: float = 1,
            judged_only: bool = False) -> _AP_IA:
        """Intent-aware average precision: that of each aspect, weighted by the aspect's probability.

        Args:
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

AP_IA: _AP_IA

class _RR_IA(DivMeasure):
    def __call__(
            self, *, aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _RR_IA:
        """Intent-aware reciprocal rank: 1 divided by the rank at which each aspect is first served, weighted.

        Args:
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RR_IA:
        """The measure with this cutoff."""

RR_IA: _RR_IA

class _DCG_IA(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _DCG_IA:
        """Intent-aware DCG: that of each aspect, weighted by the aspect's probability.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DCG_IA:
        """The measure with this cutoff."""

DCG_IA: _DCG_IA

class _nDCG_IA(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _nDCG_IA:
        """Intent-aware nDCG: the DCG of each aspect divided by that of the aspect's own ideal list, weighted.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _nDCG_IA:
        """The measure with this cutoff."""

nDCG_IA: _nDCG_IA

class _RBP_IA(DivMeasure):
    def __call__(
            self, *, p: float = 0.8, gain: Literal['binary', 'linear'] = 'binary', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _RBP_IA:
        """Intent-aware RBP: that of each aspect, weighted by the aspect's probability.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            gain: the gain of a document of grade g: 'binary' is 1 if the document is relevant, 'linear' is g/gmax.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RBP_IA:
        """The measure with this cutoff."""

RBP_IA: _RBP_IA

class _gERR_IA(DivMeasure):
    def __call__(
            self, *, gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _gERR_IA:
        """Intent-aware ERR on grades: that of each aspect, weighted by the aspect's probability.

        Args:
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _gERR_IA:
        """The measure with this cutoff."""

gERR_IA: _gERR_IA

class _Q_IA(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Q_IA:
        """Intent-aware Q-measure: that of each aspect, weighted by the aspect's probability.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Q_IA:
        """The measure with this cutoff."""

Q_IA: _Q_IA

class _IA(DivMeasure):
    def __call__(
            self, M: str | Measure = 'nDCG', *, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _IA:
        """Any measure made intent-aware: its value for each aspect, weighted by the aspect's probability.

        Args:
            M: the name of any measure that ir_measures can compute, for example 'nDCG@10'.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _IA:
        """The measure with this cutoff."""

IA: _IA

class _Area(DivMeasure):
    def __call__(
            self, M: str | Measure = 'Coverage', *, budget: float | None = None,
            along: Literal['length', 'iteration'] | None = None, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Area:
        """The area under a measure's curve over budgets: its expected value at a budget drawn uniformly from 0 to B.

        Args:
            M: the name of any measure that ir_measures can compute, for example 'nDCG@10'.
            budget: the total length that the user reads, in the unit of the column length of the run. The run ends
                before the first document that exceeds it. None: there is no limit. Allowed: a number in [0, inf) or
                None.
            along: what the measure is computed along: the length that is read or the iteration. None: 'length' if
                there is a budget, otherwise 'iteration'.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: rel has no effect, because the measure M has a rel of its own. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Area:
        """The measure with this cutoff."""

Area: _Area

class _D_nDCG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _D_nDCG:
        """nDCG on global gains: a document's gain is the sum of its gains for all aspects, weighted.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_nDCG:
        """The measure with this cutoff."""

D_nDCG: _D_nDCG

class _D_Q(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _D_Q:
        """Q-measure on global gains: blends precision and cumulated gain at each relevant document.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_Q:
        """The measure with this cutoff."""

D_Q: _D_Q

class _Dsharp_nDCG(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Dsharp_nDCG:
        """D#-nDCG: the mean of subtopic recall and ``D_nDCG``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_nDCG:
        """The measure with this cutoff."""

Dsharp_nDCG: _Dsharp_nDCG

class _Dsharp_Q(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Dsharp_Q:
        """D#-Q: the mean of subtopic recall and ``D_Q``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_Q:
        """The measure with this cutoff."""

Dsharp_Q: _Dsharp_Q

class _D_ERR(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _D_ERR:
        """ERR on global gains: the expected reciprocal rank at which the user is satisfied.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_ERR:
        """The measure with this cutoff."""

D_ERR: _D_ERR

class _D_nERR(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _D_nERR:
        """ERR on global gains, divided by that of the list of all judged documents in the order of their gains.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_nERR:
        """The measure with this cutoff."""

D_nERR: _D_nERR

class _D_EBR(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _D_EBR:
        """Expected blended ratio on global gains: the blended ratio at which the user is satisfied.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_EBR:
        """The measure with this cutoff."""

D_EBR: _D_EBR

class _D_RBP(DivMeasure):
    def __call__(
            self, *, p: float = 0.99, gain: Literal['linear', 'exp', 'binary'] = 'linear', cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _D_RBP:
        """RBP on global gains: the gain per document of a user who goes on with probability p.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_RBP:
        """The measure with this cutoff."""

D_RBP: _D_RBP

class _Dsharp_ERR(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Dsharp_ERR:
        """D#-ERR: the mean of subtopic recall and ``D_ERR``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_ERR:
        """The measure with this cutoff."""

Dsharp_ERR: _Dsharp_ERR

class _Dsharp_nERR(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Dsharp_nERR:
        """D#-nERR: the mean of subtopic recall and ``D_nERR``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_nERR:
        """The measure with this cutoff."""

Dsharp_nERR: _Dsharp_nERR

class _Dsharp_EBR(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Dsharp_EBR:
        """D#-EBR: the mean of subtopic recall and ``D_EBR``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_EBR:
        """The measure with this cutoff."""

Dsharp_EBR: _Dsharp_EBR

class _Dsharp_RBP(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, p: float = 0.99, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _Dsharp_RBP:
        """D#-RBP: the mean of subtopic recall and ``D_RBP``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_RBP:
        """The measure with this cutoff."""

Dsharp_RBP: _Dsharp_RBP

class _DIN_nDCG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _DIN_nDCG:
        """D_nDCG in which a navigational intent adds its gain only at its first relevant document of the run.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DIN_nDCG:
        """The measure with this cutoff."""

DIN_nDCG: _DIN_nDCG

class _DINsharp_nDCG(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _DINsharp_nDCG:
        """DIN#-nDCG: the mean of subtopic recall and ``DIN_nDCG``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DINsharp_nDCG:
        """The measure with this cutoff."""

DINsharp_nDCG: _DINsharp_nDCG

class _DIN_Q(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _DIN_Q:
        """D_Q in which a navigational intent adds its gain only at its first relevant document of the run.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DIN_Q:
        """The measure with this cutoff."""

DIN_Q: _DIN_Q

class _DINsharp_Q(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _DINsharp_Q:
        """DIN#-Q: the mean of subtopic recall and ``DIN_Q``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DINsharp_Q:
        """The measure with this cutoff."""

DINsharp_Q: _DINsharp_Q

class _PplusQ(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _PplusQ:
        """P-plus for navigational intents and the Q-measure for informational ones, weighted by intent.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _PplusQ:
        """The measure with this cutoff."""

PplusQ: _PplusQ

class _PplusQsharp(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _PplusQsharp:
        """P+Q#: the mean of subtopic recall and ``PplusQ``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _PplusQsharp:
        """The measure with this cutoff."""

PplusQsharp: _PplusQsharp

class _I_rec_LA(DivMeasure):
    def __call__(
            self, *, layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _I_rec_LA:
        """Layer-aware Intent Recall: the mean of ``StRecall`` over the layers, weighted by layer.

        Args:
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _I_rec_LA:
        """The measure with this cutoff."""

I_rec_LA: _I_rec_LA

class _alpha_nDCG_LA(DivMeasure):
    def __call__(
            self, *, alpha: float = 0.5, layer_weights: str | None = None, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _alpha_nDCG_LA:
        """Layer-aware alpha-nDCG: the mean of ``alpha_nDCG`` over the layers, weighted by layer.

        Args:
            alpha: how much the user dislikes redundancy: each relevant document already seen for an aspect
                multiplies the gain of the next one by 1 - alpha. Allowed: a number in [0, 1].
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _alpha_nDCG_LA:
        """The measure with this cutoff."""

alpha_nDCG_LA: _alpha_nDCG_LA

class _ERR_IA_LA(DivMeasure):
    def __call__(
            self, *, layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _ERR_IA_LA:
        """Layer-aware ERR-IA: the mean of ``ERR_IA`` over the layers, weighted by layer.

        Args:
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _ERR_IA_LA:
        """The measure with this cutoff."""

ERR_IA_LA: _ERR_IA_LA

class _Q_IA_LA(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Q_IA_LA:
        """Layer-aware Q-IA: the mean of ``Q_IA`` over the layers, weighted by layer.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Q_IA_LA:
        """The measure with this cutoff."""

Q_IA_LA: _Q_IA_LA

class _D_nDCG_LA(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear', layer_weights: str | None = None,
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _D_nDCG_LA:
        """Layer-aware D-nDCG: the mean of ``D_nDCG`` over the layers, weighted by layer.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_nDCG_LA:
        """The measure with this cutoff."""

D_nDCG_LA: _D_nDCG_LA

class _D_Q_LA(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _D_Q_LA:
        """Layer-aware D-Q: the mean of ``D_Q`` over the layers, weighted by layer.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _D_Q_LA:
        """The measure with this cutoff."""

D_Q_LA: _D_Q_LA

class _Dsharp_nDCG_LA(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Dsharp_nDCG_LA:
        """Layer-aware D#-nDCG: the mean of ``Dsharp_nDCG`` over the layers, weighted by layer.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_nDCG_LA:
        """The measure with this cutoff."""

Dsharp_nDCG_LA: _Dsharp_nDCG_LA

class _Dsharp_Q_LA(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Dsharp_Q_LA:
        """Layer-aware D#-Q: the mean of ``Dsharp_Q`` over the layers, weighted by layer.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Dsharp_Q_LA:
        """The measure with this cutoff."""

Dsharp_Q_LA: _Dsharp_Q_LA

class _LA(DivMeasure):
    def __call__(
            self, M: str | Measure = 'alpha_nDCG', *, layer_weights: str | None = None, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _LA:
        """Any measure made layer-aware: its mean over the layers, weighted by layer.

        Args:
            M: the name of any measure that ir_measures can compute, for example 'nDCG@10'.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the measure M decides what rel means. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _LA:
        """The measure with this cutoff."""

LA: _LA

class _N_rec(DivMeasure):
    def __call__(
            self, *, aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _N_rec:
        """Node recall: the share of the nodes of all layers that the top k covers.

        Args:
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _N_rec:
        """The measure with this cutoff."""

N_rec: _N_rec

class _HD_nDCG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] = 'linear', layer_weights: str | None = None,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _HD_nDCG:
        """nDCG on global gains summed over layers.

        Args:
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _HD_nDCG:
        """The measure with this cutoff."""

HD_nDCG: _HD_nDCG

class _HD_Q(DivMeasure):
    def __call__(
            self, *, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _HD_Q:
        """Q-measure on global gains summed over layers.

        Args:
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _HD_Q:
        """The measure with this cutoff."""

HD_Q: _HD_Q

class _HDsharp_nDCG(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _HDsharp_nDCG:
        """HD#-nDCG: the mean of node recall and ``HD_nDCG``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _HDsharp_nDCG:
        """The measure with this cutoff."""

HDsharp_nDCG: _HDsharp_nDCG

class _HDsharp_Q(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _HDsharp_Q:
        """HD#-Q: the mean of node recall and ``HD_Q``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _HDsharp_Q:
        """The measure with this cutoff."""

HDsharp_Q: _HDsharp_Q

class _LADsharp_nDCG(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _LADsharp_nDCG:
        """LAD#-nDCG: the mean of node recall and ``D_nDCG_LA``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _LADsharp_nDCG:
        """The measure with this cutoff."""

LADsharp_nDCG: _LADsharp_nDCG

class _LADsharp_Q(DivMeasure):
    def __call__(
            self, *, gamma: float = 0.5, beta: float = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            layer_weights: str | None = None, aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _LADsharp_Q:
        """LAD#-Q: the mean of node recall and ``D_Q_LA``, weighted by γ and 1 − γ.

        Args:
            gamma: the weight of subtopic recall. The other part of the measure has the weight 1 - gamma. Allowed: a
                number in [0, 1].
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            layer_weights: the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with fewer
                layers uses the first weights. The weights are divided by their sum. A layer without a relevant
                document keeps its weight and contributes 0. None: all layers with a relevant document have the same
                weight.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _LADsharp_Q:
        """The measure with this cutoff."""

LADsharp_Q: _LADsharp_Q

class _P_at_Recall(DivMeasure):
    def __call__(
            self, *, modified: bool = False, never: Literal['last', 'zero'] = 'last',
            aspects: Literal['relevant', 'listed'] = 'listed', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _P_at_Recall:
        """Precision at the rank by which every aspect of the topic is covered.

        Args:
            modified: whether a document counts only with the share of its aspects that no earlier document covers.
            never: what happens if the ranking never covers all aspects: 'last' takes its last rank, 'zero' scores
                0.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _P_at_Recall:
        """The measure with this cutoff."""

P_at_Recall: _P_at_Recall

class _RR_at_Recall(DivMeasure):
    def __call__(
            self, *, never: Literal['last', 'zero'] = 'last', aspects: Literal['relevant', 'listed'] = 'listed',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RR_at_Recall:
        """1 divided by the rank by which every aspect of the topic is covered.

        Args:
            never: what happens if the ranking never covers all aspects: 'last' takes its last rank, 'zero' scores
                0.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RR_at_Recall:
        """The measure with this cutoff."""

RR_at_Recall: _RR_at_Recall

class _ERR_over_aspects(DivMeasure):
    def __call__(
            self, *, mean: Literal['arithmetic', 'harmonic'] = 'arithmetic', over: Literal['found', 'all'] = 'found',
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = 4,
            aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _ERR_over_aspects:
        """The mean of ERR over those aspects of a topic for which the ranking found a relevant document.

        Args:
            mean: the kind of mean that is taken of the values of the aspects.
            over: the aspects that the mean includes: 'found' takes those for which the ranking has a relevant
                document, 'all' takes all.
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _ERR_over_aspects:
        """The measure with this cutoff."""

ERR_over_aspects: _ERR_over_aspects

class _sesDCG(DivMeasure):
    def __call__(
            self, *, b: float = 2.0, bq: float = 4.0, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _sesDCG:
        """Session DCG (sDCG): gain discounted by the rank in its iteration, and again by the iteration.

        Args:
            b: the base of the logarithm that discounts ranks. Allowed: a number in (1, inf).
            bq: the base of the logarithm that discounts later iterations. Allowed: a number in (1, inf).
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _sesDCG:
        """The measure with this cutoff."""

sesDCG: _sesDCG

class _nsDCG(DivMeasure):
    def __call__(
            self, *, b: float = 2.0, bq: float = 4.0, per_iteration: int = 5, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _nsDCG:
        """Session DCG divided by that of an ideal session of k iterations.

        Args:
            b: the base of the logarithm that discounts ranks. Allowed: a number in (1, inf).
            bq: the base of the logarithm that discounts later iterations. Allowed: a number in (1, inf).
            per_iteration: the number of documents in each iteration of the ideal session. Allowed: a whole number
                in [1, 1e+15].
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _nsDCG:
        """The measure with this cutoff."""

nsDCG: _nsDCG

class _sRBP(DivMeasure):
    def __call__(
            self, *, p: float = 0.86, b: float = 0.64, gain: Literal['binary', 'linear'] = 'binary',
            max_rel: float | None = None, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _sRBP:
        """Session RBP: the user reads on, goes to the next iteration or leaves, whatever was seen.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            b: the probability that a user who goes on reads on in the same iteration. The probability of going to
                the next iteration is 1 - b. Allowed: a number in [0, 1].
            gain: the gain of a document of grade g: 'binary' is 1 if the document is relevant, 'linear' is g/gmax.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _sRBP:
        """The measure with this cutoff."""

sRBP: _sRBP

class _GF(DivMeasure):
    def __call__(
            self, *, divergence: Literal['JSD', 'NMD', 'RNOD'] = 'JSD',
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'listed', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _GF:
        """Group fairness: how near the groups' shares are to their targets at the rank where the user stops.

        Args:
            divergence: how the distance between the shares of the groups and their targets is measured: 'JSD' for
                groups without an order, 'NMD' or 'RNOD' for groups that are ordered by their ids.
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that satisfies the user (0: any grade above 0). A document of a lower grade above
                0 is still a member of its groups. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _GF:
        """The measure with this cutoff."""

GF: _GF

class _GFR(DivMeasure):
    def __call__(
            self, *, relevance: Literal['ERR', 'iRBU'] = 'ERR', p: float = 0.99, divergence: str = 'JSD',
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            aspects: Literal['relevant', 'listed'] = 'listed', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _GFR:
        """Group fairness and relevance: the mean of a measure of relevance and of GF for each set of groups.

        Args:
            relevance: the measure that judges relevance to the query.
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            divergence: the divergence of all sets of groups, or one for each set, separated by commas, for example
                'NMD,JSD'. A query with fewer sets uses the first ones.
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that satisfies the user (0: any grade above 0). A document of a lower grade above
                0 is still a member of its groups. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _GFR:
        """The measure with this cutoff."""

GFR: _GFR

class _CPR(DivMeasure):
    def __call__(
            self, *, aspects: Literal['relevant', 'listed'] = 'relevant', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _CPR:
        """Cumulative proportionality: how near the numbers of documents of the intents are to their shares, at each rank.

        Args:
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _CPR:
        """The measure with this cutoff."""

CPR: _CPR

class _DocSim(DivMeasure):
    def __call__(
            self, *, scheme: Literal['RA', 'RP', 'NA', 'NP'] = 'RA', pairs: Literal['ranks', 'relevant'] = 'ranks',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _DocSim:
        """How similar the relevant documents of the top k are to each other. A lower value means more diversity.

        Args:
            scheme: which pairs of documents count, and how much. First letter: 'R' weights a pair by its ranks, 'N'
                weights all pairs the same. Second letter: 'A' takes all pairs of ranks, 'P' takes pairs of
                successive relevant documents.
            pairs: what the schemes RA and NA divide by: 'ranks' is the number of all pairs of ranks down to k,
                'relevant' is the number of pairs of relevant documents that were retrieved.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DocSim:
        """The measure with this cutoff."""

DocSim: _DocSim

class _DS_nDCG(DivMeasure):
    def __call__(
            self, *, scheme: Literal['RA', 'RP', 'NA', 'NP'] = 'RA',
            gain: Literal['linear', 'exp', 'binary'] = 'linear', pairs: Literal['ranks', 'relevant'] = 'ranks',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _DS_nDCG:
        """The mean of nDCG on topic-level grades and of the diversity of the relevant documents found.

        Args:
            scheme: which pairs of documents count, and how much. First letter: 'R' weights a pair by its ranks, 'N'
                weights all pairs the same. Second letter: 'A' takes all pairs of ranks, 'P' takes pairs of
                successive relevant documents.
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            pairs: what the schemes RA and NA divide by: 'ranks' is the number of all pairs of ranks down to k,
                'relevant' is the number of pairs of relevant documents that were retrieved.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DS_nDCG:
        """The measure with this cutoff."""

DS_nDCG: _DS_nDCG

class _DS_Q(DivMeasure):
    def __call__(
            self, *, scheme: Literal['RA', 'RP', 'NA', 'NP'] = 'RA', beta: float = 1.0,
            gain: Literal['linear', 'exp', 'binary'] = 'linear', pairs: Literal['ranks', 'relevant'] = 'ranks',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _DS_Q:
        """The mean of the Q-measure on topic-level grades and of the diversity of the relevant documents found.

        Args:
            scheme: which pairs of documents count, and how much. First letter: 'R' weights a pair by its ranks, 'N'
                weights all pairs the same. Second letter: 'A' takes all pairs of ranks, 'P' takes pairs of
                successive relevant documents.
            beta: how much the grades count. With 0, the measure only counts relevant documents. A large value gives
                the cumulated gain more weight than the count. Allowed: a number in [0, inf).
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            pairs: what the schemes RA and NA divide by: 'ranks' is the number of all pairs of ranks down to k,
                'relevant' is the number of pairs of relevant documents that were retrieved.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DS_Q:
        """The measure with this cutoff."""

DS_Q: _DS_Q

class _DS_ERR(DivMeasure):
    def __call__(
            self, *, scheme: Literal['RA', 'RP', 'NA', 'NP'] = 'RA',
            gain: Literal['exp', 'linear', 'binary', 'raw'] = 'exp', max_rel: float | None = None,
            pairs: Literal['ranks', 'relevant'] = 'ranks', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _DS_ERR:
        """The mean of ERR on topic-level grades and of the diversity of the relevant documents found.

        Args:
            scheme: which pairs of documents count, and how much. First letter: 'R' weights a pair by its ranks, 'N'
                weights all pairs the same. Second letter: 'A' takes all pairs of ranks, 'P' takes pairs of
                successive relevant documents.
            gain: the probability that a document of grade g satisfies the user: 'exp' is (2^g - 1)/2^gmax, 'linear'
                is g/(gmax + 1), 'binary' is 1 if the document is relevant, and 'raw' is g itself.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            pairs: what the schemes RA and NA divide by: 'ranks' is the number of all pairs of ranks down to k,
                'relevant' is the number of pairs of relevant documents that were retrieved.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DS_ERR:
        """The measure with this cutoff."""

DS_ERR: _DS_ERR

class _P_Rareness(DivMeasure):
    def __call__(
            self, *, alpha: float | Literal['auto'] = 1.0, norm: bool = False,
            rarity: Literal['R', "R'", 'idf'] | None = None, mu: float | None = None, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _P_Rareness:
        """Precision that rewards relevant documents which other systems miss.

        Args:
            alpha: the weight of rareness. 'auto' is 1/N, where N is the query's number of relevant documents.
                Allowed: a number in [0, inf) or 'auto'.
            norm: whether the weight of a document stays in [0, 1]: (1 - alpha) + alpha R' in place of 1 + alpha R.
            rarity: the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, "R'" is
                1 - (S_d - 1)/(S - 1), and 'idf' is log(S/S_d)/log(S). None: R, or R' with norm=True.
            mu: if you set it, each query has the weight alpha * mu/(mu + N_R) in place of alpha, where N_R is its
                number of relevant documents. Allowed: a number in (0, inf) or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _P_Rareness:
        """The measure with this cutoff."""

P_Rareness: _P_Rareness

class _AP_Rareness(DivMeasure):
    def __call__(
            self, *, alpha: float | Literal['auto'] = 1.0, norm: bool = False,
            rarity: Literal['R', "R'", 'idf'] | None = None, mu: float | None = None, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _AP_Rareness:
        """Average precision that rewards relevant documents which other systems miss.

        Args:
            alpha: the weight of rareness. 'auto' is 1/N, where N is the query's number of relevant documents.
                Allowed: a number in [0, inf) or 'auto'.
            norm: whether the weight of a document stays in [0, 1]: (1 - alpha) + alpha R' in place of 1 + alpha R.
            rarity: the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, "R'" is
                1 - (S_d - 1)/(S - 1), and 'idf' is log(S/S_d)/log(S). None: R, or R' with norm=True.
            mu: if you set it, each query has the weight alpha * mu/(mu + N_R) in place of alpha, where N_R is its
                number of relevant documents. Allowed: a number in (0, inf) or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _AP_Rareness:
        """The measure with this cutoff."""

AP_Rareness: _AP_Rareness

class _nDCG_Rareness(DivMeasure):
    def __call__(
            self, *, alpha: float | Literal['auto'] = 1.0, gain: Literal['linear', 'exp', 'binary'] = 'linear',
            rarity: Literal['R', "R'", 'idf'] | None = None, mu: float | None = None, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _nDCG_Rareness:
        """nDCG whose gains are larger for rare documents.

        Args:
            alpha: the weight of rareness. 'auto' is 1/N, where N is the query's number of relevant documents.
                Allowed: a number in [0, inf) or 'auto'.
            gain: the gain of a document of grade g: 'linear' is g, 'exp' is 2^g - 1, and 'binary' is 1 if the
                document is relevant.
            rarity: the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, "R'" is
                1 - (S_d - 1)/(S - 1), and 'idf' is log(S/S_d)/log(S). None: R, or R' with norm=True.
            mu: if you set it, each query has the weight alpha * mu/(mu + N_R) in place of alpha, where N_R is its
                number of relevant documents. Allowed: a number in (0, inf) or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the grade that at least one judged document of an aspect must have, so that the aspect counts (0:
                any grade above 0). In an aspect that counts, all grades above 0 gain, also in the ideal ranking.
                With gain='binary', rel is the lowest grade that gains. With aspects='listed', every listed aspect
                counts. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _nDCG_Rareness:
        """The measure with this cutoff."""

nDCG_Rareness: _nDCG_Rareness

class _RBP_Rareness(DivMeasure):
    def __call__(
            self, *, p: float = 0.8, alpha: float | Literal['auto'] = 1.0, norm: bool = False,
            rarity: Literal['R', "R'", 'idf'] | None = None, mu: float | None = None, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False) -> _RBP_Rareness:
        """Rank-biased precision that rewards relevant documents which other systems miss.

        Args:
            p: persistence, the probability that the user goes on to the next document. Allowed: a number in [0, 1].
            alpha: the weight of rareness. 'auto' is 1/N, where N is the query's number of relevant documents.
                Allowed: a number in [0, inf) or 'auto'.
            norm: whether the weight of a document stays in [0, 1]: (1 - alpha) + alpha R' in place of 1 + alpha R.
            rarity: the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, "R'" is
                1 - (S_d - 1)/(S - 1), and 'idf' is log(S/S_d)/log(S). None: R, or R' with norm=True.
            mu: if you set it, each query has the weight alpha * mu/(mu + N_R) in place of alpha, where N_R is its
                number of relevant documents. Allowed: a number in (0, inf) or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RBP_Rareness:
        """The measure with this cutoff."""

RBP_Rareness: _RBP_Rareness

class _Rareness(DivMeasure):
    def __call__(
            self, *, rarity: Literal['R', "R'", 'idf'] | None = None, of: Literal['document', 'intent'] = 'document',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Rareness:
        """The mean rareness of the relevant documents that a run finds.

        Args:
            rarity: the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, "R'" is
                1 - (S_d - 1)/(S - 1), and 'idf' is log(S/S_d)/log(S). None: R, or R' with norm=True.
            of: what is rare or unique: relevant documents or intents.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Rareness:
        """The measure with this cutoff."""

Rareness: _Rareness

class _NumUnique(DivMeasure):
    def __call__(
            self, *, of: Literal['document', 'intent'] = 'document', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _NumUnique:
        """The number of relevant documents, or intents, that no other system of the pool finds.

        Args:
            of: what is rare or unique: relevant documents or intents.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _NumUnique:
        """The measure with this cutoff."""

NumUnique: _NumUnique

class _UniqueRecall(DivMeasure):
    def __call__(
            self, *, of: Literal['document', 'intent'] = 'document', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _UniqueRecall:
        """The share of the pool's unique relevant documents that the system finds.

        Args:
            of: what is rare or unique: relevant documents or intents.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _UniqueRecall:
        """The measure with this cutoff."""

UniqueRecall: _UniqueRecall

class _Coverage_Rareness(DivMeasure):
    def __call__(
            self, *, alpha: float = 1.0, norm: bool = False, rarity: Literal['R', "R'", 'idf'] | None = None,
            weights: Literal['given', 'uniform'] = 'given', aspects: Literal['relevant', 'listed'] = 'listed',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _Coverage_Rareness:
        """Coverage of intents that rewards those which other systems miss.

        Args:
            alpha: the weight of rareness. Allowed: a number in [0, inf).
            norm: whether the weight of a document stays in [0, 1]: (1 - alpha) + alpha R' in place of 1 + alpha R.
            rarity: the formula of rarity, where S_d of S systems retrieved the document: 'R' is 1 - S_d/S, "R'" is
                1 - (S_d - 1)/(S - 1), and 'idf' is log(S/S_d)/log(S). None: R, or R' with norm=True.
            weights: the weights of the intents: 'given' takes those of the judgments if there are any, 'uniform'
                weights all intents the same.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _Coverage_Rareness:
        """The measure with this cutoff."""

Coverage_Rareness: _Coverage_Rareness

class _UM(DivMeasure):
    def __call__(
            self, *, model: int = 2, P: str = 'DCG', theta: float | Mapping[float, float] = 0.5,
            gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            base: float = 2.0, effort: str = '1/k', cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _UM:
        """What a user gains who stops at rank k with probability P(k), for four models and any stopping distribution.

        Args:
            model: what is expected: 1 is the gain at the stopping rank, 2 the total gain down to it, 3 the effort
                to reach it, and 4 the average gain down to it. Allowed: a whole number in [1, 4].
            P: the stopping distribution, which gives the probability that the user stops at each rank. Parameters
                other than theta stand in parentheses after its name.
            theta: the probability that the user stops at a document (P='RBP') or at a relevant document (P='ERR').
                For ERR you can give one for each grade. Allowed: a number in (0, 1) or {grade: number in (0, 1),
                …}.
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            base: b, the base of the logarithm of P='DCG', where F(k) = 1/log_b(k + b - 1). Allowed: a number in (1,
                inf).
            effort: the effort f(k) of reaching rank k, which models 3 and 4 use.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _UM:
        """The measure with this cutoff."""

UM: _UM

class _UM_IA(DivMeasure):
    def __call__(
            self, *, model: int = 2, P: str = 'DCG', theta: float | Mapping[float, float] = 0.5,
            alpha: float | None = None, redundancy: str | None = None,
            gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            base: float = 2.0, effort: str = '1/k', aspects: Literal['relevant', 'listed'] = 'relevant',
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _UM_IA:
        """The gain of a user model for each aspect, weighted. Redundant documents count less.

        Args:
            model: what is expected: 1 is the gain at the stopping rank, 2 the total gain down to it, 3 the effort
                to reach it, and 4 the average gain down to it. Allowed: a whole number in [1, 4].
            P: the stopping distribution, which gives the probability that the user stops at each rank. Parameters
                other than theta stand in parentheses after its name.
            theta: the probability that the user stops at a document (P='RBP') or at a relevant document (P='ERR').
                For ERR you can give one for each grade. Allowed: a number in (0, 1) or {grade: number in (0, 1),
                …}.
            alpha: how much the user dislikes redundancy: the gain of the j-th relevant document of an aspect is
                multiplied by (1 - alpha)^(j-1). None: redundant documents gain in full. Allowed: a number in [0, 1]
                or None.
            redundancy: another penalty for redundancy: a static stopping distribution, whose F(j) multiplies the
                gain of the j-th relevant document of an aspect. RBP gives the same penalty as alpha.
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            base: b, the base of the logarithm of P='DCG', where F(k) = 1/log_b(k + b - 1). Allowed: a number in (1,
                inf).
            effort: the effort f(k) of reaching rank k, which models 3 and 4 use.
            aspects: the aspects of a query: 'relevant' takes those that have a relevant document, 'listed' takes
                all that the judgments list.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _UM_IA:
        """The measure with this cutoff."""

UM_IA: _UM_IA

class _CDG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            base: float = 2.0, cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _CDG:
        """Cumulated discounted gain: M1 with P_DCG, the expected gain of the document at which the user stops.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            base: b, the base of the logarithm of P='DCG', where F(k) = 1/log_b(k + b - 1). Allowed: a number in (1,
                inf).
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _CDG:
        """The measure with this cutoff."""

CDG: _CDG

class _RRG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RRG:
        """Reciprocal rank gain: M1 with P_RR, the expected gain of the document at which the user stops.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RRG:
        """The measure with this cutoff."""

RRG: _RRG

class _RBTR(DivMeasure):
    def __call__(
            self, *, theta: float = 0.5, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary',
            norm: bool = False, cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RBTR:
        """Rank-biased total relevance: M2 with P_RBP, the expected gain of all documents a geometric user reads.

        Args:
            theta: the probability that the user stops at a document (P='RBP') or at a relevant document (P='ERR').
                Allowed: a number in (0, 1).
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RBTR:
        """The measure with this cutoff."""

RBTR: _RBTR

class _DCG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'linear', norm: bool = False,
            base: float = 2.0, cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _DCG:
        """Discounted cumulative gain: M2 with P_DCG, the expected gain of all documents down to the stopping rank.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            base: b, the base of the logarithm of P='DCG', where F(k) = 1/log_b(k + b - 1). Allowed: a number in (1,
                inf).
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DCG:
        """The measure with this cutoff."""

DCG: _DCG

class _RRDCG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RRDCG:
        """DCG with a reciprocal rank discount: M2 with P_RR. The paper calls it RR, a name that is taken.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RRDCG:
        """The measure with this cutoff."""

RRDCG: _RRDCG

class _ARR(DivMeasure):
    def __call__(
            self, *, norm: bool = False, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _ARR:
        """Average reciprocal rank: M3 with P_AP, the mean of 1/rank over all relevant documents.

        Args:
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _ARR:
        """The measure with this cutoff."""

ARR: _ARR

class _RRR(DivMeasure):
    def __call__(
            self, *, norm: bool = False, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _RRR:
        """Reciprocal relevant rank: M3 with P_RRR, a mixture of ERR users of every patience.

        Args:
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). All relevant documents count the
                same. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RRR:
        """The measure with this cutoff."""

RRR: _RRR

class _RBAP(DivMeasure):
    def __call__(
            self, *, theta: float = 0.5, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary',
            norm: bool = False, cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RBAP:
        """Rank-biased average precision: M4 with P_RBP, the precision that a geometric user expects.

        Args:
            theta: the probability that the user stops at a document (P='RBP') or at a relevant document (P='ERR').
                Allowed: a number in (0, 1).
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RBAP:
        """The measure with this cutoff."""

RBAP: _RBAP

class _DAG(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            base: float = 2.0, cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _DAG:
        """Discounted average gain: M4 with P_DCG, the precision at the rank where the user stops.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            base: b, the base of the logarithm of P='DCG', where F(k) = 1/log_b(k + b - 1). Allowed: a number in (1,
                inf).
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _DAG:
        """The measure with this cutoff."""

DAG: _DAG

class _EPR(DivMeasure):
    def __call__(
            self, *, theta: float | Mapping[float, float] = 0.5,
            gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _EPR:
        """Expected precision: M4 with P_ERR, the precision at the relevant document that satisfies the user.

        Args:
            theta: the probability that the user stops at a document (P='RBP') or at a relevant document (P='ERR').
                For ERR you can give one for each grade. Allowed: a number in (0, 1) or {grade: number in (0, 1),
                …}.
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _EPR:
        """The measure with this cutoff."""

EPR: _EPR

class _RAP(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RAP:
        """Reciprocal average precision: M4 with P_RR, a mixture of RBAP users of every patience.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RAP:
        """The measure with this cutoff."""

RAP: _RAP

class _RRAP(DivMeasure):
    def __call__(
            self, *, gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', norm: bool = False,
            cutoff: int | None = None, rel: float = 1, judged_only: bool = False) -> _RRAP:
        """Reciprocal relevant average precision: M4 with P_RRR, a mixture of EPR users of every patience.

        Args:
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            norm: whether the measure is normalised.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _RRAP:
        """The measure with this cutoff."""

RRAP: _RRAP

class _GAP(DivMeasure):
    def __call__(
            self, *, g: Mapping[float, float] | None = None, cutoff: int | None = None, rel: float = 1,
            judged_only: bool = False) -> _GAP:
        """Graded average precision: average precision expected over users who draw the line at different grades.

        Args:
            g: g_j, the share of users for whom j is the lowest relevant grade. The shares need not sum to 1. None:
                all grades from rel up have the same share. Allowed: {grade: number in [0, inf), …} or None.
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
        """

    def __matmul__(self, at_param: int, /) -> _GAP:
        """The measure with this cutoff."""

GAP: _GAP

class _CWL(DivMeasure):
    def __call__(
            self, *, C: str = 'RBP', out: str = 'EU', residual: bool = False,
            gain: Literal['linear', 'exp', 'binary'] | Mapping[float, float] = 'binary', max_rel: float | None = None,
            depth: int = 1000, max_cost: float = 1.0, min_cost: float = 1.0, cutoff: int | None = None,
            rel: float = 1, judged_only: bool = False, p: float = 0.8,
            **parameters: bool | float | str | None) -> _CWL:
        """C/W/L/A: what a user takes away who goes on from rank i to the next one with probability C(i).

        Args:
            C: the continuation function, which gives the probability that the user goes on at each rank.
            out: what the measure reports: 'EU' is the expected utility per document, 'ETU' the expected total
                utility, 'EC' and 'ETC' are the same for cost, 'ED' is the expected number of documents. The name of
                an aggregation also works.
            residual: whether the result is the residual: how much unjudged documents and unfilled ranks could add
                to the value.
            gain: the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is 1. A
                mapping gives the gains of the grades that it names. Other grades gain their own value. Allowed:
                'linear' or 'exp' or 'binary' or {grade: number in [0, inf), …}.
            max_rel: gmax, the largest possible grade. None: the largest grade that is judged for the query and
                aspect. Allowed: a number in (0, inf) or None.
            depth: n, the number of ranks of each ranking. A shorter run is filled with documents that gain nothing.
                Allowed: a whole number in [1, 100000].
            max_cost: the cost of a document that has no cost of its own, and of an unfilled rank. Allowed: a number
                in (0, inf).
            min_cost: the same cost in the best case. Only residual=True uses it. Allowed: a number in (0, inf).
            cutoff: the cutoff k: only the first k documents count. None: the whole run counts. Allowed: a whole
                number in [1, 1e+15] or None.
            rel: the lowest grade that counts as relevant (0: any grade above 0). A relevant document gains by its
                grade. A document of a lower grade gains nothing. Allowed: a number in [0, inf).
            judged_only: whether documents that are not judged for the query are removed before ranks are counted.
            p: the probability that the user goes on. Allowed: a number in [0, 1].
        """

    def __matmul__(self, at_param: int, /) -> _CWL:
        """The measure with this cutoff."""

CWL: _CWL

α_DCG: _alpha_DCG
α_nDCG: _alpha_nDCG
I_rec: _StRecall
S_Recall: _StRecall
MAP_IA: _AP_IA

__all__ = [
    'RBU', 'iRBU', 'EU', 'CT', 'ACT', 'nDCU', 'CubeTest', 'ACubeTest', 'alpha_DCG', 'alpha_nDCG', 'ERR_IA',
    'nERR_IA', 'NRBP', 'nNRBP', 'alpha_DCG_IA', 'gNRBP', 'StRecall', 'Coverage', 'StRR', 'Density', 'P_IA', 'AP_IA',
    'RR_IA', 'DCG_IA', 'nDCG_IA', 'RBP_IA', 'gERR_IA', 'Q_IA', 'IA', 'Area', 'D_nDCG', 'D_Q', 'Dsharp_nDCG',
    'Dsharp_Q', 'D_ERR', 'D_nERR', 'D_EBR', 'D_RBP', 'Dsharp_ERR', 'Dsharp_nERR', 'Dsharp_EBR', 'Dsharp_RBP',
    'DIN_nDCG', 'DINsharp_nDCG', 'DIN_Q', 'DINsharp_Q', 'PplusQ', 'PplusQsharp', 'I_rec_LA', 'alpha_nDCG_LA',
    'ERR_IA_LA', 'Q_IA_LA', 'D_nDCG_LA', 'D_Q_LA', 'Dsharp_nDCG_LA', 'Dsharp_Q_LA', 'LA', 'N_rec', 'HD_nDCG',
    'HD_Q', 'HDsharp_nDCG', 'HDsharp_Q', 'LADsharp_nDCG', 'LADsharp_Q', 'P_at_Recall', 'RR_at_Recall',
    'ERR_over_aspects', 'sesDCG', 'nsDCG', 'sRBP', 'GF', 'GFR', 'CPR', 'DocSim', 'DS_nDCG', 'DS_Q', 'DS_ERR',
    'P_Rareness', 'AP_Rareness', 'nDCG_Rareness', 'RBP_Rareness', 'Rareness', 'NumUnique', 'UniqueRecall',
    'Coverage_Rareness', 'UM', 'UM_IA', 'CDG', 'RRG', 'RBTR', 'DCG', 'RRDCG', 'ARR', 'RRR', 'RBAP', 'DAG', 'EPR',
    'RAP', 'RRAP', 'GAP', 'CWL'
]
