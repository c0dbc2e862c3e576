"""docs/measures/: a page for each measure, and the lists of the index, made from the registry when the site is built."""

from __future__ import annotations

import inspect
import pathlib
import textwrap
from collections.abc import Iterator

import pandas as pd

from ir_divmeasures.axioms.constraints import CONSTRAINTS
from ir_divmeasures.core import names
from ir_divmeasures.core.registry import DivMeasure, catalogue
from ir_divmeasures.evaluation import catalogue as texts

from .common import ROOT, markdown, templated

FOLDER = ROOT / 'docs/measures'
AXIOMS = ROOT / 'docs/reference/axioms.md'
LISTS = 'families.txt'
"""The file with a table for each family, which docs/measures/index.md includes."""

SYMBOLS = (
    ('@k', 'k', 'the cutoff'),
    (r'\min(k, n)', 'n', 'the number of documents in the ranking'),
    ('d_i', 'd_i', 'the document at rank i'),
    ('w_t', 'w_t', 'the weight of aspect t. Without weights, 1 divided by the number of aspects'),
    ('r_t(d', 'r_t(d)', 'the probability that d satisfies a user with aspect t (``gain``)'),
    ('J(d_i,t)', 'J(d,t)', '1 if d is relevant to aspect t, otherwise 0'),
    ('J(d_i)', 'J(d)', '1 if d is relevant, otherwise 0'),
    ('c_t(i)', 'c_t(i)', 'the number of documents above rank i that are relevant to aspect t'),
    ('R(d_i)', 'R(d)', 'the rareness of d: 1 minus the share of systems that retrieve it'),
    ('v_l', 'v_l', 'the weight of layer l'),
    ('g_i', 'g_i', 'the gain of the document at rank i'),
    ('g_k', 'g_k', 'the gain of the document at rank k'),
    (' P(k)', 'P(k)', 'the probability that the user stops at rank k'),
    ('J_i', 'J_i', '1 if the document at rank i is relevant, otherwise 0'),
    ('R_i', 'R_i', 'the number of relevant documents down to rank i'),
    (r'\mathrm{CG}_i', r'\mathrm{CG}_i', 'the sum of the gains down to rank i'),
    (r'\frac{1}{R}', 'R', 'the number of relevant documents'),
)
"""What a formula contains, the symbol in TeX, and its meaning. Other symbols are explained in the docstring."""

NEEDS = {
    'layer': (
        'an intent hierarchy',
        ':func:`ir_divmeasures.build_hierarchy`',
        '../guide/hierarchies',
    ),
    'document_similarity': (
        'similarities of documents',
        ':func:`ir_divmeasures.with_similarity`',
        '../guide/hierarchies',
    ),
    'n_retrieved': (
        'a pool of systems',
        ':func:`ir_divmeasures.with_rareness`',
        '../guide/innovation',
    ),
}
"""Columns of judgments that a measure cannot do without: what they mean, what adds them, and the guide."""


def parts_of(doc: str) -> dict[str, str]:
    """The parts of a docstring: ``summary``, ``formula``, ``notes``, ``choices``, ``reference`` and ``example``."""
    body, _, example = doc.partition('Examples:\n')
    body, _, reference = body.partition('\n\nReference: ')
    body, _, choices = body.partition('\n\nChoices: ')
    summary, *paragraphs = body.split('\n\n')
    formula = [text for text in paragraphs if text.startswith(('.. math::', '    '))]
    notes = [text for text in paragraphs if text not in formula]
    return {
        'summary': summary,
        'formula': '\n\n'.join(formula),
        'notes': '\n\n'.join(notes),
        'choices': choices[:1].upper() + choices[1:],
        'reference': ' '.join(reference.split()),
        'example': textwrap.dedent(example).strip(),
    }


def symbols_in(formula: str) -> list[tuple[str, str]]:
    """The symbols of a formula in TeX, with their meanings."""
    plain = formula.replace('min(k,n)', 'min(k, n)')
    return [(tex, meaning) for part, tex, meaning in SYMBOLS if part in plain]


def other_names(measure: DivMeasure) -> list[str]:
    """The names that papers and tools use for a measure at its default parameters."""
    own = {measure.NAME, *texts.aliases(measure)}
    elsewhere = [
        name
        for table in names.TABLE.values()
        for name, target in table.items()
        if target in own and name != measure.NAME
    ]
    return list(dict.fromkeys([*texts.aliases(measure), *elsewhere]))


def name_in_words(measure: DivMeasure) -> list[str]:
    """The name with which a short description begins, such as ``Rank-Biased Utility: …``."""
    words, colon, _ = measure.SHORT_DESC.partition(':')
    is_name = bool(colon) and len(words.split()) <= 4 and not words.startswith('Any ')
    return [words.split(' (')[0]] if is_name else []


def related(measure: DivMeasure) -> list[str]:
    """The measures whose formula contains this one, or is contained in this one."""
    others = [other for other in catalogue() if other is not measure]
    return [other.NAME for other in others if uses(measure, other) or uses(other, measure)]


def uses(measure: DivMeasure, part: DivMeasure) -> bool:
    """Whether the docstring of a measure names another one, as a literal or in the formula."""
    doc = inspect.getdoc(measure) or ''
    tex = part.NAME.replace('_', r'\_')
    return f'``{part.NAME}``' in doc or any(
        f'\\mathrm{{{tex}}}{end}' in doc for end in ('@', '_', '^')
    )


def satisfied(measure: DivMeasure) -> list[str]:
    """The constraints that a measure satisfies, by docs/reference/axioms.md."""
    starts = tuple(f'|{measure.NAME}{end}' for end in '|@(')
    rows = [line for line in AXIOMS.read_text('utf-8').splitlines() if line.startswith(starts)]
    cells = rows[0].strip('|').split('|')[1:] if rows else []
    return [name for name, symbol in zip(CONSTRAINTS, cells) if symbol == '●']


def heading_of(family: str) -> str:
    """The heading of a family in the index of measures."""
    return family[:1].upper() + family[1:]


def label_of(family: str) -> str:
    """The label of a family's heading."""
    return f'measures-{family.lower().replace(" ", "-")}'


def measure_page(measure: DivMeasure) -> str:
    """docs/measures/NAME.rst."""
    parts = parts_of(inspect.getdoc(measure) or '')
    also = other_names(measure)
    return templated(
        'measure.rst',
        name=measure.NAME,
        **parts,
        symbols=symbols_in(parts['formula']),
        index=dict.fromkeys([*also, *name_in_words(measure)]),
        also=also,
        aliases=texts.aliases(measure),
        family=heading_of(measure.family),
        label=label_of(measure.family),
        written=measure.NAME + ('@20' if 'cutoff' in measure.SUPPORTED_PARAMS else ''),
        range=texts.values(measure),
        needs=[NEEDS[column] for column in NEEDS if column in measure.needed_columns],
        parameters=[
            parameter
            for name, parameter in measure.SUPPORTED_PARAMS.items()
            if name not in ('cutoff', 'judged_only')
        ],
        satisfied=satisfied(measure),
        related=related(measure),
        sources=[str(source) for source in measure.citation],
    )


def family_lists() -> str:
    """A heading for each family, and its measures with a sentence each, in Markdown."""
    blocks = []
    for members in texts.families().values():
        family = members[0].family
        rows = [
            (f'[`{each.NAME}`]({each.NAME}.rst)', each.SHORT_DESC.replace('|', r'\|'))
            for each in members
        ]
        needs = {
            NEEDS[column] for each in members for column in NEEDS if column in each.needed_columns
        }
        sentences = [
            f'These measures need {what} ([guide]({guide}.md)).' for what, _, guide in needs
        ]
        table = markdown(pd.DataFrame(rows, columns=['measure', 'what it is']))
        heading = f'({label_of(family)})=\n### {heading_of(family)}'
        blocks.append('\n\n'.join([heading, *sentences, table]))
    return '\n\n'.join(blocks) + '\n'


def pages() -> Iterator[tuple[str, str]]:
    """File names with their texts."""
    yield LISTS, family_lists()
    for measure in catalogue():
        yield f'{measure.NAME}.rst', measure_page(measure)


def write(folder: pathlib.Path = FOLDER) -> None:
    """Write the pages that changed, and delete those of measures that no longer exist."""
    written = {'index.md'}
    for name, text in pages():
        path = folder / name
        written.add(name)
        if not path.exists() or path.read_text(encoding='utf-8') != text:
            path.write_text(text, encoding='utf-8')
    for path in folder.iterdir():
        if path.name not in written:
            path.unlink()
