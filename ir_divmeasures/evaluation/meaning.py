"""Checks of judgments: whether grades, subtopics and columns mean what measures take them for.

Each check is a function of :class:`~ir_divmeasures.evaluation.facts_of_runs.Facts` that returns its message, or None.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import columns
from ..data.forms import NAMES
from ..data.sources import NUMBER
from ..errors import (
    ColumnsWarning,
    EqualGradesWarning,
    GradesWarning,
    NoRelevantWarning,
    SubtopicsWarning,
    WeightsWarning,
    plain,
)
from .facts_of_runs import EXAMPLES, FEW_QUERIES, MANY_DOCUMENTS, Facts
from .gate import check, first_of, some

WEIGHT_TOLERANCE = 0.02
"""The largest difference from 1 at which a sum of intent probabilities counts as 1, because files round them."""

PER_QUERY = 20
"""With fewer judged documents a query on average, equal grades are common: only what is relevant was collected."""

FULL = 0.95
"""The smallest share of the (document, subtopic) pairs of a query that are relevant if nearly all are. In honest
collections at most 5 % of the queries have 90 %."""

NEARLY_ALL = 0.9
"""The smallest share of queries that counts as nearly all."""

SOME_QUERIES = 0.05
"""A smaller share of queries with ids that can be split may be chance, as in ``dog``, ``cat`` and ``dog cat``."""

SAME_ROWS, SAMPLED_ROWS = 10, 400
"""The fewest rows whose document is called as its subtopic, and the number of rows from which they are estimated."""

NEAR = 0.83
"""The similarity from which on the name of a column is a misspelling of a declared one."""

NOT_IDS = frozenset(['query', 'docid'])
"""Names of ids that other packages use for something else beside them: the text of a query, Terrier's numbers."""

SYNONYMS = {'prob': 'weight', 'probability': 'weight'}
"""What columns with weights of intents are called elsewhere."""

ASPECTS = ('subtopic', 'intent', 'aspect', 'facet', 'nugget')
"""The words for a subtopic that begin names of columns."""


# ---------------------------------------------------------------------------------------------------- subtopics


@check('one subtopic', SubtopicsWarning, 'judgments', 'judgments', 'measures', every_part=True)
def _one_subtopic(facts: Facts) -> str | None:
    """Every query has one subtopic. The coverage of nuggets is no measure of diversity."""
    judgments, column = facts.judgments, facts.judgments.subtopic_column
    names = sorted(
        str(own)
        for own in facts.own
        if own.diversity and (column is None or own.NAME != 'Coverage')
    )
    n = len(judgments.query_ids)
    if not names or np.sum([each.n for each in judgments.aspects.values()], axis=0).max() > 1:
        return None
    others = ', '.join(name for name in judgments.names if name != 'subtopic_id')
    subtopics_seen = (
        f'found {column!r}, in which every query has one value'
        if column
        else judgments.passed_over or f'found neither (columns: {others})'
    )
    return (
        f'{n} of {n} queries have one subtopic only: {", ".join(names[:3])}{" …" if len(names) > 3 else ""} cannot tell anything about diversity. Looked for a '
        f"column 'subtopic_id' or 'iteration', {subtopics_seen}."
    )


@check('subtopic 0', SubtopicsWarning, 'judgments', 'judgments', 'measures')
def _left_out(facts: Facts) -> str | None:
    """Subtopic 0 marks documents that are not relevant, and a measure reads the subtopics that judgments list."""
    names = sorted(str(own) for own in facts.own if own.all_params.get('aspects') == 'listed')
    lists = facts.judgments.lists
    if not names or lists.all():
        return None
    code, subtopics = facts.judgments.subtopic
    aspect = facts.judgments.query_of_row * len(subtopics) + code
    n = np.count_nonzero(~np.isin(aspect[~lists], aspect[lists]))
    if not n:
        return None
    return (
        f"subtopic '0' is left out by {first_of(names)}: its {n} rows have no grade above 0, and their documents no "
        f'other row, so that it marks documents that are not relevant. with_intents lists it if it is a subtopic'
    )


@check('subtopics lost', SubtopicsWarning, 'judgments', 'judgments', 'subtopics')
def _subtopics_lost(facts: Facts) -> str | None:
    """Nearly all queries have one subtopic that has a name, and others have several."""
    every = facts.subtopics
    lost = [query for query, names in every.items() if len(names) == 1 and names != ['0']]
    several = [query for query, names in every.items() if len(names) > 1]
    if not several or len(lost) < NEARLY_ALL * len(every):
        return None
    return (
        f'{len(lost)} of {len(every)} queries ({some(lost)}) have one subtopic only, and {len(several)} have several '
        f'(query {several[0]!r}: {len(every[several[0]])}). Were the subtopics of most queries lost?'
    )


@check('subtopic is the document', SubtopicsWarning, 'judgments', 'judgments', 'subtopics')
def _subtopic_is_document(facts: Facts) -> str | None:
    """Most rows have the document's id for their subtopic."""
    judgments, n = facts.judgments, len(facts.cells.row)
    rows = facts.cells.row[np.linspace(0, n - 1, min(n, SAMPLED_ROWS)).astype(np.intp)]
    code, subtopics = judgments.subtopic
    ids = zip(judgments.document_ids.pick(rows), subtopics.pick(code[rows]))
    same = [document for document, subtopic in ids if document == subtopic]
    if n < SAME_ROWS or 2 * len(same) < len(rows):
        return None
    return (
        f'the subtopic has the id of the document in {len(same)} of {len(rows)} rows of the judgments '
        f'({some(same)}). Is another column the subtopic?'
    )


@check('several subtopics in a cell', SubtopicsWarning, 'judgments', 'judgments', 'subtopics')
def _several_in_a_cell(facts: Facts) -> str | None:
    """Ids of subtopics that are lists of ids of the same query, or of small numbers."""
    found = [
        (query, name)
        for query, names in facts.subtopics.items()
        for name in names
        if len(parts := _parts(name)) > 1
        and all(NUMBER.fullmatch(part) or part in names for part in parts)
    ]
    n, n_queries = len({query for query, _ in found}), len(facts.subtopics)
    if not found or n < SOME_QUERIES * n_queries:
        return None
    return (
        f'{len(found)} subtopics are lists of several ids, in {n} of {n_queries} queries (query {found[0][0]!r}: '
        f'{found[0][1]!r}). Write a row for each subtopic of a document'
    )


def _parts(name: str) -> list[str]:
    """The ids that a list of ids consists of."""
    return [
        part
        for part in (each.strip('\'"') for each in re.split(r'[\s,;|/&+()\[\]{}]+', name))
        if part
    ]


@check('subtopics spelled in two ways', SubtopicsWarning, 'judgments', 'judgments', 'subtopics')
def _two_spellings(facts: Facts) -> str | None:
    """Ids of one query that differ in white space, case, Unicode form, or the way a number is written."""
    pairs = []
    for query, names in facts.subtopics.items():
        first: dict[str, str] = {}
        found = [(first.setdefault(_folded(name), name), name) for name in names]
        pairs += [(query, *pair) for pair in found if pair[0] != pair[1]]
    if not pairs:
        return None
    query, one, other = pairs[0]
    return (
        f'{len(pairs)} subtopics in {len({query for query, *_ in pairs})} of {len(facts.subtopics)} queries are spelled '
        f'in two ways, and count twice (query {query!r}: {one!r} and {other!r})'
    )


def _folded(name: str) -> str:
    """An id without what people write in several ways."""
    if name.isascii() and name.isdigit() and name[0] != '0':
        return name
    text = ''.join(
        c for c in unicodedata.normalize('NFKC', name) if unicodedata.category(c) != 'Cf'
    )
    text = ' '.join(text.casefold().split())
    return re.sub(r'^0+(?=\d)|\.0+$', '', text) if re.fullmatch(r'\d+(\.0+)?', text) else text


@check(
    'a subtopic is the union of the others', SubtopicsWarning, 'judgments', 'judgments', 'subtopics'
)
def _union(facts: Facts) -> str | None:
    """In most queries one subtopic has exactly the relevant documents that all others have together, as a table has
    that ad-hoc judgments were added to."""
    cells, names = facts.cells, facts.judgments.query_ids
    positive = cells.grade > 0
    aspect, pair = cells.aspect[positive], cells.pair[positive]
    query = cells.query_of_aspect
    per_aspect = np.bincount(aspect, minlength=len(query))
    per_pair = np.bincount(pair, minlength=facts.judgments.n_pairs)
    owner, n = facts.judgments.query_of_pair, len(names)
    relevant = np.bincount(owner[per_pair > 0], minlength=n)
    once = np.bincount(owner[per_pair == 1], minlength=n)
    whole = (per_aspect == relevant[query]) & (per_aspect > 0)
    n_whole = np.bincount(query[whole], minlength=n)
    several = np.bincount(query[per_aspect > 0], minlength=n) > 2
    union = several & (n_whole == 1) & (once == 0)
    if np.count_nonzero(several) < FEW_QUERIES or 2 * union.sum() <= several.sum():
        return None
    at = int(np.flatnonzero(union)[0])
    code = cells.subtopic_of_aspect[np.flatnonzero(whole & (query == at))[:1]]
    subtopics = facts.judgments.subtopic[1]
    return (
        f'one subtopic has exactly the relevant documents of the others together, in {union.sum()} of {several.sum()} '
        f'queries with three or more (query {names[at]!r}: {subtopics.pick(code)[0]!r}), and counts as one more. '
        f'Is it the whole topic?'
    )


# ------------------------------------------------------------------------------------------------------- grades


@check('no relevant document', NoRelevantWarning, 'judgments', 'judgments', every_part=True)
def _no_relevant(facts: Facts) -> str | None:
    grades = facts.grades
    if not len(grades) or grades.max() > 0:
        return None
    lowest = grades.min()
    flipped = f'; the lowest grade is {lowest:g}: is their sign flipped?' if lowest < 0 else ''
    return f'none of the {len(grades)} judgments has a grade above 0, so that all scores are 0{flipped}'


@check('all relevant', EqualGradesWarning, 'judgments', 'judgments', every_part=True)
def _all_relevant(facts: Facts) -> str | None:
    """Every judged document is relevant to every subtopic of its query; with one subtopic for each query, all grades
    are equal."""
    cells, grades = facts.cells, facts.grades
    if len(grades) < MANY_DOCUMENTS or grades.max() <= 0:
        return None
    rel = min((own.rel for own in facts.own), default=0)
    n, owner = len(facts.judgments.query_ids), facts.judgments.query_of_pair
    is_counted = (grades > 0) & (grades >= rel)
    is_judged = np.zeros(len(owner), dtype=bool)
    is_judged[cells.pair] = True
    documents = np.bincount(owner[is_judged], minlength=n)
    subtopics = np.bincount(cells.query_of_aspect, minlength=n)
    several = (documents > 1) & (subtopics > 1)
    if not several.any():
        if grades.min() != grades.max() or documents.mean() < PER_QUERY:
            return None
        return (
            f'all {len(grades)} judgments have the grade {grades[0]:g}, so that all {documents.sum()} judged documents of '
            f'{n} queries are relevant. Were grades lost, or documents that are not relevant left out?'
        )
    relevant = np.bincount(cells.query_of_aspect[cells.aspect[is_counted]], minlength=n)
    full = several & (relevant >= FULL * documents * subtopics)
    if full.sum() < NEARLY_ALL * several.sum():
        return None
    at = int(np.flatnonzero(full)[0])
    return (
        f'every judged document is relevant to every subtopic of its query, in {full.sum()} of {several.sum()} queries '
        f'with several of each (query {facts.judgments.query_ids[at]!r}: {relevant[at]} of {documents[at]} × '
        f'{subtopics[at]} grades). Does the grade {grades.min():g} mean not relevant? rel= is the lowest grade that '
        f'counts'
    )


@check('grades below what counts', GradesWarning, 'judgments', 'judgments', 'measures')
def _low_grades(facts: Facts) -> str | None:
    """No document has the lowest grade that a measure counts, but some have a lower one above 0."""
    highest = facts.grades.max(initial=0.0)
    too_high = sorted((str(own), own.rel) for own in facts.own if own.rel > highest > 0)
    if not too_high:
        return None
    rel = too_high[0][1]
    return (
        f'no document has a grade of at least {rel:g}, which {first_of([each for each, _ in too_high])} counts as '
        f'relevant; the highest of {len(facts.grades)} grades is {highest:g}: all scores are 0'
    )


@check('grades between 0 and 1', GradesWarning, 'judgments', 'judgments', 'measures')
def _fractions(facts: Facts) -> str | None:
    """Some grades are between 0 and 1 and others are higher, and measures have the default of ``rel``."""
    grades = facts.grades
    low = (grades > 0) & (grades < 1)
    names = sorted(str(own) for own in facts.own if 'rel' not in own.params)
    if not names or not low.any() or grades.max() < 1:
        return None
    owner, row = facts.judgments.query_of_pair, int(np.flatnonzero(low)[0])
    documents = np.unique(facts.cells.pair[low])
    document = facts.judgments.document_ids.pick(facts.cells.row[[row]])[0]
    return (
        f'{len(documents)} documents have {low.sum()} of {len(grades)} grades between 0 and 1 (query '
        f'{facts.judgments.query_ids[owner[facts.cells.pair[row]]]!r}, document {document!r}: {plain(grades[row])!r}), which '
        f'{first_of(names)} counts as not relevant. rel={plain(grades[low].min())!r} counts them'
    )


@check('weights', WeightsWarning, 'judgments', 'judgments', 'measures')
def _weights(facts: Facts) -> str | None:
    """The weights of a query's intents do not sum to 1, and the value of a measure depends on it. Intents of a query
    without a relevant document need no weight."""
    names = sorted(str(own) for own in facts.own if own.diversity and not own.any_scale)
    if not names or 'weight' not in facts.judgments.names:
        return None
    rows = facts.judgments.official
    rows = rows[rows['query_id'].isin(rows['query_id'][rows['relevance'] > 0].unique())]
    aspects = rows.drop_duplicates(columns.aspect_key(rows))
    sums = aspects.groupby('query_id', sort=False)['weight'].sum()
    off = sums[(sums - 1).abs() > WEIGHT_TOLERANCE]
    if not len(off):
        return None
    first = ', '.join(f'{query!r} {total:.4g}' for query, total in off.head(EXAMPLES).items())
    return (
        f'the weights of {len(off)} of {len(sums)} queries do not sum to 1 over the judged intents ({first}'
        f'{", …" if len(off) > EXAMPLES else ""}): {first_of(names)} takes them as they '
        f'stand; with_weights(…, normalise=True) makes them sum to 1'
    )


# ------------------------------------------------------------------------------------------------------ columns


@check('two columns for one thing', ColumnsWarning, 'judgments', 'judgments')
def _contradictions(facts: Facts) -> str | None:
    """A column that is not read contradicts the one that is read, of which it has another name."""
    names = facts.judgments.names
    for column in ('relevance', 'doc_id', 'query_id'):
        for other in NAMES[column][1:]:
            if other not in names or other in NOT_IDS:
                continue
            read, unread = (_comparable(facts.judgments.table[name]) for name in (column, other))
            if read.dtype.kind != unread.dtype.kind:
                continue
            rows = np.flatnonzero(read != unread)
            if len(rows):
                return (
                    f'the judgments have two columns for {column}, and {other!r} contradicts {column!r} in {len(rows)} of '
                    f'{len(read)} rows (row {rows[0]}: {unread[rows[0]]} and {read[rows[0]]}). Only {column!r} is read'
                )
    return None


def _comparable(values: Any) -> NDArray[Any]:
    """The values of a column as numbers, or as texts if they are none."""
    numbers = columns.numbers(values)
    return values.astype(str).to_numpy(dtype=object) if np.isnan(numbers).any() else numbers


@check('a column that is almost one of ours', ColumnsWarning, 'judgments', 'judgments')
def _near_columns(facts: Facts) -> str | None:
    """A column that nothing reads is called almost like one that measures read, which the judgments lack."""
    judgments = facts.judgments
    unknown = [name for name in judgments.names if columns.is_text(name) is None]
    if not unknown:
        return None
    read = {name for name, each in columns.COLUMNS.items() if each.array or each.of == 'key'}
    lacking = read - set(judgments.names)
    if set(judgments.subtopic[1].array.to_pylist()) <= {'0'}:
        lacking.add('subtopic_id')
    near = [(name, meant) for name in unknown if (meant := _meant(str(name), lacking))]
    if not near:
        return None
    name, meant = near[0]
    return (
        f'no measure reads the column{"s" * (len(near) > 1)} {some([name for name, _ in near])} of the judgments '
        f'({len(judgments.table)} rows; the first value is {plain(judgments.table[name].iloc[0])!r}). If it is '
        f'{meant!r}, rename it'
    )


def _meant(name: str, declared: set[str]) -> str | None:
    """The declared column that a name is almost the name of, or None."""
    import difflib  # of no use where all columns are known

    text = re.sub('[^a-z]', '', name.lower())
    if text.startswith(('topic', 'query')):  # what is said of the query
        return None
    known = {each.replace('_', ''): each for each in declared}
    known |= {each: meant for each, meant in SYNONYMS.items() if meant in declared}
    ends = [text.removeprefix(word) for word in ASPECTS if text.startswith(word)]
    for form in (text, *(start + end for end in ends for start in ('subtopic', ''))):
        for close in difflib.get_close_matches(form, known, 1, NEAR):
            return known[close]
    return None
