"""docs/measures/: a page for every measure and every family, made from the registry when the site is built.

The templates are ``docs/generators/pages/measure.md.jinja`` and ``family.md.jinja`` beside it. Which constraints hold is
in ``docs/reference/axioms.md``, and known deviations from other programs are in ``docs/deviations.md``.
"""

from __future__ import annotations

import functools
import inspect
import pathlib
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import yaml

from ir_divmeasures import explain, with_weights
from ir_divmeasures.axioms.constraints import CONSTRAINTS
from ir_divmeasures.core import names as names_elsewhere
from ir_divmeasures.core.registry import DivMeasure, catalogue, parse, registry
from ir_divmeasures.data.columns import COLUMNS
from ir_divmeasures.evaluation import catalogue as texts
from ir_divmeasures.studies.study import FOLDER as PAPERS

from . import drawing, families
from .common import ROOT, markdown, templated

FOLDER = ROOT / 'docs/measures'
AXIOMS = ROOT / 'docs/reference/axioms.md'
DEVIATIONS = ROOT / 'docs/deviations.md'
BLOCK = re.compile(r'\.\. math::\n\n((?: {4}.*(?:\n|$))+)')
INLINE = re.compile(r':math:`([^`]+)`')
ROLE = re.compile(r':func:`(?:ir_divmeasures\.)?([\w.]+)`')
TABLE = re.compile(r'^(=+ [= ]*=)\n(?:.*\n)*?\1\n(?:.*\n)*?\1$', re.M)
"""Formulas, names of functions and tables in the docstrings of measures."""
SHOWN_VARIANTS = 6
"""Rows of constraints that a page shows; the page of the study has all of them."""

NEEDS = {
    'layer': 'hierarchy',
    'document_similarity': 'similarity',
    'n_retrieved': 'pool',
}
"""What the index calls columns of judgments that a measure cannot do without."""
GUIDES = {
    'hierarchy': ('a hierarchy', '../guide/hierarchies.md'),
    'similarity': ('similarities of documents', '../guide/hierarchies.md'),
    'pool': ('a pool of systems', '../guide/innovation.md'),
}
"""What these needs are in words, and the guide that says how to add it."""


# ------------------------------------------------------------------------------------------------ facts of a measure


def needs(made: DivMeasure) -> list[str]:
    """What a measure cannot do without besides judgments of subtopics and a run."""
    return [said for column, said in NEEDS.items() if column in made.needed_columns]


def properties(made: DivMeasure, drawn: drawing.Drawn) -> list[str]:
    """What a measure tells apart, by its own scores, and what it declares."""
    found = []
    if drawn.pictures:
        found += [
            said for kind, said in (('rank', 'rank'), ('grade', 'grades')) if kind not in drawn.flat
        ]
    if lowers_repetition(made):
        found.append('novelty')
    if reads_weights(made):
        found.append('weights')
    if made.bounds == (0, 1):
        found.append('0 to 1')
    if {'e', 'effort'} & set(made.own_params):
        found.append('effort')
    return found


def quietly(compute: Callable[[], Any]) -> Any:
    """What a function returns without its warnings; None where these judgments do not suit the measure."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            return compute()
        except ValueError:
            return None


def lowers_repetition(made: DivMeasure) -> bool:
    """Whether a second document for an aspect adds less than it would add as the first one."""
    found = quietly(lambda: families.redundancy([made.NAME], families.judged_for(made))[made.NAME])
    return made.diversity and found is not None and bool(found[1] < 1 - 1e-9)


def reads_weights(made: DivMeasure) -> bool:
    """Whether a score changes as the weights of two aspects change places."""

    def score(weight: float) -> float:
        def judged(qrels: dict[str, Any]) -> Any:
            weights = {query: {'a': weight, 'b': 1 - weight} for query in qrels}
            return with_weights(families.judged_for(made)(qrels), weights)

        found = families.scored(
            [made.NAME],
            {'one': families.at(['d1'], [1])},
            judged,
            lambda doc: 'a' if int(doc[1:]) % 2 else 'b',
        )
        return float(found.iloc[0, 0])

    both = quietly(lambda: (score(0.9), score(0.1)))
    return made.diversity and both is not None and abs(both[0] - both[1]) > 1e-9


def parameters(made: DivMeasure, drawn: drawing.Drawn) -> pd.DataFrame:
    """Name, default, admitted values, meaning, and which pictures each parameter changes."""
    rows = []
    for name in made.own_params:
        known = made.SUPPORTED_PARAMS[name]
        rows.append(
            (
                f'`{name}`',
                f'`{known.default!r}`',
                known.expected,
                known.desc,
                drawn.changes.get(name) or 'none',
            )
        )
    return pd.DataFrame(
        rows, columns=['parameter', 'default', 'admitted', 'meaning', 'changes the picture of']
    )


def as_markdown(doc: str) -> str:
    """A docstring as Markdown: formulas as blocks ``math`` and between dollars, tables with bars."""
    doc = BLOCK.sub(lambda found: f'```math\n{textwrap.dedent(found[1]).strip()}\n```\n', doc)
    doc = TABLE.sub(lambda found: _table(found[0]), doc)
    return INLINE.sub(
        lambda found: f'${" ".join(found[1].split())}$', ROLE.sub(r'`\1`', doc)
    ).strip()


def _table(text: str) -> str:
    """A simple table of reStructuredText as one of Markdown; a row without a first cell goes on with the row above."""
    rule, heading, _, *body, _ = text.split('\n')
    starts = [match.start() for match in re.finditer('=+', rule)]
    rows: list[list[str]] = []
    for line in [heading, *body]:
        cells = [
            line[start:end].strip().replace('|', r'\|')
            for start, end in zip(starts, [*starts[1:], None])
        ]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [' '.join(filter(None, both)) for both in zip(rows[-1], cells)]
    rows.insert(1, ['---'] * len(starts))
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


def parts_of(doc: str) -> dict[str, str]:
    """A docstring as Markdown: ``summary``, ``definition``, ``choices``, ``reference`` and ``example``."""
    body, _, example = doc.partition('Examples:\n')
    body, _, reference = as_markdown(body).partition('\n\nReference: ')
    body, _, choices = body.partition('\n\nChoices: ')
    summary, _, definition = body.partition('\n\n')
    blocks = re.split(r'\n\s*\n', textwrap.dedent(example).strip())
    shown = [
        f'```python\n{block}\n```' if block.startswith('>>>') else as_markdown(block)
        for block in blocks
    ]
    return {
        'summary': summary,
        'definition': definition,
        'choices': choices,
        'reference': reference,
        'example': '\n\n'.join(shown),
    }


def elsewhere(made: DivMeasure) -> dict[str, list[str]]:
    """Where a name comes from → names that stand for the measure."""
    found = {'this package': texts.aliases(made)}
    for source, table in names_elsewhere.TABLE.items():
        found[source] = [
            name + (f' (`{target}`)' if target != made.NAME else '')
            for name, target in table.items()
            if name != made.NAME and target.partition('(')[0] in {made.NAME, *texts.aliases(made)}
        ]
    return {source: several for source, several in found.items() if several}


def long_names(made: DivMeasure) -> list[str]:
    """The name in words with which a short description begins, as ``Rank-Biased Utility: …``."""
    found = re.match(r'(?!Any )([^:(@]+)(?: \([^)]*\))?:', made.SHORT_DESC)
    return [found[1]] if found and len(found[1].split()) <= 4 else []


def related(made: DivMeasure) -> dict[str, list[str]]:
    """Links to other measures: those it is made of or that are made of it, and those of the same paper."""
    others = [other for other in catalogue() if other is not made]
    word = re.compile(rf'(?<![A-Za-z]){re.escape(made.NAME)}(?![A-Za-z])')
    kin = [
        other
        for other in others
        if any(
            re.search(rf'(^|_|sharp_|LA|HD|DS_){re.escape(one)}($|_)', two)
            for one, two in ((made.NAME, other.NAME), (other.NAME, made.NAME))
        )
        or word.search(repr(other.all_params.get(other.wraps, '')))
    ]
    paper = [
        other
        for other in others
        if other not in kin
        and made.sources
        and other.sources
        and made.sources[0] == other.sources[0]
    ]
    return {
        'Variants': [link(other) for other in kin],
        'Of the same source': [link(other) for other in paper],
    }


def link(made: DivMeasure) -> str:
    """A link from another page of a measure."""
    return f'[`{made.NAME}`]({made.NAME}.md)'


# ----------------------------------------------------------------------------------------------- the worked example

QRELS = {'q': {'d1': {'a': 1}, 'd2': {'a': 1, 'b': 1}, 'd4': {'b': 2}, 'd5': {'c': 1}}}
RUN = ['d1', 'd2', 'd3', 'd4']


def worked(made: DivMeasure) -> dict[str, Any]:
    """The score of :data:`RUN`, term by term: ``table``, ``score``, ``measure`` and ``says``."""
    run = pd.DataFrame({'query_id': 'q', 'doc_id': RUN, 'score': [4.0, 3.0, 2.0, 1.0]})
    asked = families.cut(made.NAME, len(RUN))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        found = explain(families.judged_for(made)(QRELS), {'example': run}, asked, 'q')
    table = found.table.drop(columns=['system', 'text'], errors='ignore')
    table = table.rename(columns={'doc_id': 'document'}).dropna(axis=1, how='all')
    neutral = [
        column
        for column in ('scale', 'divisor')
        if column in table and table[column].dropna().eq(1).all()
    ]
    table = table.drop(columns=neutral)
    return {
        'measure': str(asked),
        'table': table,
        'score': next(iter(found.scores.values())),
        'says': found.says,
    }


def cells(table: pd.DataFrame) -> str:
    """A table of numbers in Markdown, short."""

    def text(value: Any) -> Any:
        return ('' if pd.isna(value) else f'{value:.4g}') if isinstance(value, float) else value

    return markdown(table.map(text))


# -------------------------------------------------------------------------------------------------- recorded facts


def errata(made: DivMeasure) -> list[tuple[str, str]]:
    """Title and text of what a paper says of the measure that is not so."""
    found = []
    for path in sorted(PAPERS.glob('*-????.yaml')):
        key = path.stem
        for each in yaml.safe_load(path.read_text('utf-8'))['errata']:
            if made.NAME in each.get('measures', ()):
                title = f'Erratum in {key}, {each["where"]} ({each["kind"]})'
                found.append((title, f'the paper says: {each["says"]}. Shown: {each["shown"]}'))
    return found


@functools.cache
def twins() -> dict[str, tuple[str, int]]:
    """Measure → the file of its second implementation in the tests, and the number of results worked out by hand."""
    from tests.reference import every

    counted: dict[str, int] = {}
    for name, *_ in every.CASES:
        counted[registry[name].NAME] = counted.get(registry[name].NAME, 0) + 1
    files = {
        name: module.__name__.replace('.', '/') + '.py'
        for module in every._modules
        for name in getattr(module, 'TWINS', {})
    }
    return {
        registry[name].NAME: (file, counted.get(registry[name].NAME, 0))
        for name, file in files.items()
        if name in registry
    }


@functools.cache
def constraints() -> dict[str, list[list[str]]]:
    """Measure → rows of the study of axioms: the measure with its parameters, then a symbol for each constraint."""
    section = (
        AXIOMS.read_text(encoding='utf-8')
        .split('## Every measure of the package\n', 1)[1]
        .split('\n## ')[0]
    )
    found: dict[str, list[list[str]]] = {}
    for row in re.findall(r'^\|(\w.*)\|$', section, re.M):
        cells = row.split('|')
        if len(cells) == len(CONSTRAINTS) + 1 and cells[0] != 'measure':
            found.setdefault(parse(cells[0]).NAME, []).append(cells)
    return found


@functools.cache
def left_out() -> dict[str, str]:
    """Measure → why the study of axioms has no row of it."""
    section = AXIOMS.read_text(encoding='utf-8').split('## Measures without a row\n', 1)[1]
    return {
        name: reason[0].lower() + reason[1:]
        for reason, names in re.findall(r'^- (.*): `(.*)`\.$', section, re.M)
        for name in names.split('`, `')
        if name in registry
    }


@functools.cache
def deviations() -> dict[str, list[tuple[str, str, str]]]:
    """Measure → rows of the page of deviations that name it."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in re.findall(r'^\| (.*) \|$', DEVIATIONS.read_text(encoding='utf-8'), re.M):
        cells = row.split(' | ')
        words = set(re.findall(r'\w+', ' '.join(re.findall(r'`([^`]*)`', row)))) | set(
            re.findall(r'[A-Za-z]+_\w+', row)
        )
        for name in words & set(registry):
            if len(cells) == 3:
                found.setdefault(registry[name].NAME, []).append((cells[0], cells[1], cells[2]))
    return found


# ------------------------------------------------------------------------------------------------------- the pages


def measure_page(made: DivMeasure, drawn: drawing.Drawn) -> str:
    """docs/measures/NAME.md."""
    listed = elsewhere(made)
    plain = [re.sub(r' \(.*', '', name) for several in listed.values() for name in several]
    asked = needs(made)
    rows = constraints().get(made.NAME, [])
    if not rows and made.NAME not in left_out():
        raise ValueError(f'{made.NAME} is not in {AXIOMS.name}: python -m docs.generators axioms')
    return templated(
        'measure',
        made=made,
        name=made.NAME,
        drawn=drawn,
        **parts_of(inspect.getdoc(made)),
        index=[
            name
            for name in dict.fromkeys([*plain, *long_names(made)])
            if not re.search('[!;]', name)
        ],
        heading=texts.FAMILIES.get(made.family, made.family),
        family=family_file(made.family),
        written=made.NAME + ('@20' if 'cutoff' in made.SUPPORTED_PARAMS else ''),
        signature=texts.signature(made).replace(',', ', '),
        aliases=texts.aliases(made),
        range=texts.values(made),
        cautions=texts.cautions(made) + errata(made),
        needed=[
            (
                *GUIDES[each],
                [f'`{column}`' for column, said in NEEDS.items() if said == each][0],
                f'`{COLUMNS[column].added_by}`'
                if (column := {s: c for c, s in NEEDS.items()}[each]) in COLUMNS
                else '',
            )
            for each in asked
        ],
        properties=properties(made, drawn),
        parameters=parameters(made, drawn),
        elsewhere=listed,
        related=related(made),
        worked=worked(made),
        cells=cells,
        twin=twins()[made.NAME],
        deviations=deviations().get(made.NAME, []),
        constraints=list(CONSTRAINTS),
        rows=rows[:SHOWN_VARIANTS],
        further=len(rows) - len(rows[:SHOWN_VARIANTS]),
        why=left_out().get(made.NAME),
        holds=sum(symbol == '●' for symbol in rows[0][1:]) if rows else 0,
    )


def family_file(name: str) -> str:
    return f'family-{name.lower().replace(" ", "-")}'


def pages() -> Iterator[tuple[str, str]]:
    """File names with their texts: families, measures, and the table that docs/measures/index.md includes."""
    rows, listed = [], []
    for heading, members in texts.families().items():
        name = members[0].family
        listed.append(family_file(name))
        yield (
            f'{family_file(name)}.md',
            templated(
                'family',
                heading=heading,
                members=members,
                pictures=drawing.family_pictures(name),
                words=families.FAMILIES[name].words,
            ),
        )
        for made in members:
            drawn = drawing.measure_pictures(made)
            yield f'{made.NAME}.md', measure_page(made, drawn)
            held = [
                constraint
                for constraint, symbol in zip(
                    CONSTRAINTS, constraints().get(made.NAME, [[]])[0][1:]
                )
                if symbol == '●'
            ]
            rows.append(
                (
                    f'[{made.NAME}]({made.NAME}.md)',
                    made.SHORT_DESC.replace('|', r'\|'),
                    heading,
                    ', '.join(needs(made)) or 'judgments only',
                    ', '.join(properties(made, drawn)),
                    ', '.join(held),
                )
            )
    table = pd.DataFrame(
        rows,
        columns=['measure', 'what it is', 'family', 'needs', 'properties', 'constraints that hold'],
    )
    toctree = '\n'.join(['```{toctree}', ':hidden:', '', *listed, '```'])
    yield 'table.txt', f'```{{table}}\n:class: measures\n\n{markdown(table)}\n```\n\n{toctree}\n'


def sources() -> Iterator[pathlib.Path]:
    """The files that the pages are made from."""
    yield from (AXIOMS, DEVIATIONS)
    for pattern in (
        'ir_divmeasures/**/*.py',
        'ir_divmeasures/resources/papers/*.yaml',
        'docs/generators/**/*',
        'tests/reference/*.py',
    ):
        yield from (path for path in ROOT.glob(pattern) if '__pycache__' not in path.parts)


def write(folder: pathlib.Path = FOLDER) -> bool:
    """Write the pages that changed and delete those of measures that are no more; whether anything had to be made.

    Nothing is made where all pages are newer than their sources.
    """
    stamp = folder / '.made'
    if stamp.exists() and stamp.stat().st_mtime > max(path.stat().st_mtime for path in sources()):
        return False
    written = {'index.md', stamp.name}
    for name, text in pages():
        path = folder / name
        written.add(name)
        if not path.exists() or path.read_text(encoding='utf-8') != text:
            path.write_text(text, encoding='utf-8')
    for path in folder.iterdir():
        if path.name not in written:
            path.unlink()
    stamp.touch()
    return True
