"""Mutants that no test can kill, each with the reason.

The keys are the module, a part of the line and what the mutant writes there; ``None`` stands for whatever it writes.
They are parts of lines and no line numbers, so that they stay true when lines move.
"""

FASTER = 'saves work and changes no value'
IN_WORDS = 'a remark, or the number of an equation, in the documentation'
ONE_ELEMENT = 'the array has one element'
EQUIVALENT = {
    (
        'core/kernels/blended.py',
        'np.where(finite, i, 1)',
        'np.where(finite, i, 2)',
    ): 'what is divided by there is masked',
    (
        'core/kernels/blended.py',
        'np.where(finite, i, 1)',
        'np.where(finite, i, 0)',
    ): 'what is divided by there is masked',
    (
        'core/kernels/discount.py',
        'ONE_BY_ONE = 100_000',
        None,
    ): 'sums are the same from wherever terms are integrated',
    (
        'core/kernels/discount.py',
        'np.linspace(np.log(ONE_BY_ONE)',
        '2 + int(3 ',
    ): 'more intervals are as exact',
    (
        'core/kernels/discount.py',
        'np.linspace(np.log(ONE_BY_ONE)',
        '(end * ONE_BY_ONE)',
    ): 'more intervals are as exact',
    (
        'core/kernels/discount.py',
        'np.linspace(np.log(ONE_BY_ONE)',
        '(2 / np.log',
    ): 'the terms are so smooth that one interval is as exact, up to 10^18 within 3e-14',
    ('core/kernels/discount.py', 'leggauss(20)', None): 'one node more or less is below rounding',
    ('core/kernels/discount.py', 'np.diff(term(edge))[0]', 'np.diff(term(edge))[-1]'): ONE_ELEMENT,
    ('core/kernels/discount.py', 'np.diff(slope)[0]', 'np.diff(slope)[-1]'): ONE_ELEMENT,
    (
        'core/kernels/discount.py',
        'np.max(m, initial=0)) + 1',
        'initial=-1',
    ): 'an empty range either way',
    (
        'core/kernels/redundancy.py',
        'count.max(initial=0)) + 1, dtype=float)',
        '+ 1)',
    ): 'powers are floats anyway',
    ('core/kernels/redundancy.py', 'count.max(initial=0)', 'initial=1'): 'a power more than needed',
    (
        'core/kernels/pool_ranks.py',
        'dtype=np.int64',
        'words[1::2]])',
    ): 'whole numbers are of 64 bits anyway, and ranks of no text are compared with nothing',
    ('core/ranking.py', 'if n == 1', 'n == 0'): FASTER,
    ('core/ranking.py', 'copies.shape[0] != n * self.shape[0]', 'n / self.shape[0]'): FASTER,
    ('core/ranking.py', 'max(self.once.shape[0], 1)', ', 0)'): 'a block has a query',
    ('judgments/arrays.py', 'max(len(documents), 1)', '0)'): 'without documents there is no key',
    ('io/text_columns.py', 'np.zeros((0, words)', None): 'an array without rows',
    ('io/text_columns.py', 'len(keys).bit_length() + 2', None): 'the number of buckets',
    ('io/text_columns.py', 'np.uint64(64 - bits)', '65 - bits'): FASTER,
    ('io/ordering.py', 'query.max(initial=0)', 'initial=1'): '0 and 1 have the same type',
    (
        'evaluation/adhoc.py',
        'np.isfinite(grades) & (grades >= 0)',
        '(grades >= -1)',
    ): '-1 stands for padding, too',
    ('core/terms.py', '@dataclass(frozen=True)', None): 'nothing writes to it',
    ('families/layered.py', 'equation=2', 'equation=3'): IN_WORDS,
    ('families/layered.py', 'equation=2', '1.0)'): IN_WORDS,
    (
        'core/kernels/sums.py',
        'np.zeros(x.shape[:2])',
        'np.ones(x.shape[:2])',
    ): 'the aspect axis of a block has at least one place',
    ('core/kernels/sums.py', 'one_by_one(x[:, :, 0])', 'x[:, :, -1]'): ONE_ELEMENT,
    ('families/interactive.py', 'r.judgments.aspects(r.rel) * 1.0', '/ 1.0'): 'divided by 1',
    (
        'evaluation/checks.py',
        'except (TypeError, ValueError)',
        'except (ValueError, TypeError)',
    ): 'a set of classes',
    ('families/layered.py', 'equation: int = 1', 'equation: int = 2'): IN_WORDS,
    (
        'families/usermodel.py',
        'take_along_axis(grade, order, axis=1)',
        '(grade, order)',
    ): 'the default is the last axis',
    (
        'evaluation/facts_of_runs.py',
        'len(self.digests) > 1',
        '>= 1',
    ): 'one system is like no other one',
    (
        'families/utility.py',
        'np.where(r.within, m - np.where(r.within, r.rank, 0) + 1, 0)',
        'r.rank, -1)',
    ): 'what is subtracted there is masked',
    (
        'evaluation/ties.py',
        'np.append(run.collection.total_grades, 0.0)[run.pair[rows[members]]] > 0',
        'total_grades, -1.0)',
    ): 'neither is above 0',
}


def reason(module, mutant):
    """Why a mutant of a module (its path in the package) changes nothing that can be seen; None if it may."""
    return next(
        (
            why
            for (path, before, after), why in EQUIVALENT.items()
            if path == module
            and before in mutant.before
            and (after is None or after in mutant.after)
        ),
        None,
    )
