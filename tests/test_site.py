"""The pages of the measures: every measure has one, with facts that are recorded or computed, and links that hold."""

import functools
import inspect
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from docs.generators import drawing, families
from docs.generators import measures as pages
from ir_divmeasures.core.names import TABLE
from ir_divmeasures.core.registry import catalogue, registry

from .builders import over

MEASURES = {made.NAME: made for made in catalogue()}
SECTIONS = [
    'What rank, repetition and grade are worth',
    'Compared with other programs',
    'Parameters',
    'Choices',
    'Worked example',
    'Names elsewhere',
    'Constraints',
    'Values',
    'Related measures',
    'Cite',
]


@functools.cache
def pictures(name):
    return drawing.measure_pictures(MEASURES[name])


@over('name', MEASURES)
def test_what_a_page_needs_is_known_of_every_measure(name):
    made = MEASURES[name]
    assert (name in pages.constraints()) != (name in pages.left_out()), (
        'python -m docs.generators axioms'
    )
    file, by_hand = pages.twins()[name]
    assert (pages.ROOT / file).is_file() and by_hand >= 1
    found = pages.parts_of(inspect.getdoc(made))
    assert found['summary'] == made.SHORT_DESC and all(
        found[part] for part in ('definition', 'reference', 'example')
    )
    assert '>>>' in found['example'] and 'Reference:' not in found['definition'] + found['choices']


@over('name', ['RBU', 'IA', 'P_Rareness', 'Coverage'])
def test_a_page(name):
    made = MEASURES[name]
    text = pages.measure_page(made, pictures(name))
    headings = re.findall(r'^## (.*)$', text, re.M)
    assert headings == [each for each in SECTIONS if each in headings]
    assert set(SECTIONS) - set(headings) <= {'Choices', 'What rank, repetition and grade are worth'}
    for each in made.citation:
        assert each.bibtex() in text
    for parameter in made.own_params:
        assert f'| `{parameter}` | `{made.SUPPORTED_PARAMS[parameter].default!r}` |' in text
    linked = {link.removesuffix('.md') for link in re.findall(r'\]\((\w+\.md)\)', text)}
    assert linked <= {*MEASURES, 'index'}


def test_names_on_no_two_pages_differ_by_case_alone():
    """Files of some systems are the same then."""
    names = [*MEASURES, *map(pages.family_file, families.FAMILIES), 'index', 'table']
    assert len({name.lower() for name in names}) == len(names)


@over(
    'name, wanted',
    [
        ('RBU', ['Rank-Biased Utility']),
        ('StRecall', ['Subtopic recall']),
        ('alpha_nDCG', []),
        ('IA', []),
    ],
)
def test_names_in_words_are_in_the_index(name, wanted):
    assert pages.long_names(MEASURES[name]) == wanted


def test_every_name_of_the_table_is_on_the_page_of_its_measure():
    shown = {
        (made.NAME, re.sub(r' \(.*', '', name))
        for made in MEASURES.values()
        for several in pages.elsewhere(made).values()
        for name in several
    }
    wanted = {
        (registry[target.partition('(')[0]].NAME, name)
        for table in TABLE.values()
        for name, target in table.items()
        if target.partition('(')[0] in registry
    }
    assert {(measure, name) for measure, name in wanted if measure != name} <= shown and len(
        wanted
    ) > 30


# ------------------------------------------------------------------------------------------ comparisons with programs


def test_deviations_stand_with_the_measures_that_they_name():
    rows = pages.deviations()['nNRBP']
    assert [row[0] for row in rows] == ['pyndeval'] and 'NaN' in rows[0][1]
    assert 'RBU' not in pages.deviations()


# ------------------------------------------------------------------------------------------------- facts by scoring


@over(
    'name, wanted',
    [
        ('RBU', {'rank', 'grades', 'novelty', 'weights', 'effort'}),
        ('alpha_nDCG', {'rank', 'novelty', 'weights'}),
        ('P_IA', {'weights'}),
        ('D_nDCG', {'rank', 'grades', 'weights'}),
        ('StRecall', {'novelty'}),
    ],
)
def test_what_measures_look_at(name, wanted):
    bounded = {'0 to 1'} if MEASURES[name].bounds == (0, 1) else set()
    assert set(pages.properties(MEASURES[name], pictures(name))) == wanted | bounded


@over(
    'name, wanted',
    [
        ('RBU', []),
        ('P_Rareness', ['pool']),
        ('LA', ['hierarchy']),
        ('DocSim', ['similarity']),
    ],
)
def test_what_measures_need(name, wanted):
    assert pages.needs(MEASURES[name]) == wanted


def test_the_worked_example_adds_up():
    """Its contributions are the score: 1/3 · 0.8 · 1/2 for d1 less 0.03 · 0.8 for reading it, and so on."""
    found = pages.worked(MEASURES['RBU'])
    assert found['table']['contribution'].sum() == pytest.approx(found['score'])
    first = found['table'][found['table']['rank'] == 1]['contribution']
    assert sorted(first) == pytest.approx([-0.03 * 0.8, 0.8 / 2 / 3])


# ----------------------------------------------------------------------------------------------------------- pictures


def test_other_values_of_parameters():
    known = MEASURES['RBU'].SUPPORTED_PARAMS
    assert drawing.values_of(known['p']) == [0.5, 0.95]
    assert drawing.values_of(known['e']) == [0.0075, 0.12]
    assert drawing.values_of(known['gain']) == ['linear', 'binary', 'raw']
    assert drawing.values_of(known['norm']) == [True]
    assert drawing.variants(MEASURES['RBU'])['effort'] == ["RBU(effort='aspect')"]


def test_what_parameters_change():
    found = drawing.measure_pictures(MEASURES['gERR_IA'])
    assert found.changes['gain'] == 'repetition, grade'
    assert drawing.measure_pictures(MEASURES['RBP_IA']).changes['p'] == 'rank'
    assert drawing.measure_pictures(MEASURES['P_IA']).flat == ('rank', 'repetition', 'grade')


def test_curves_by_grade():
    """Gains g and 2^g − 1 of grades 1 to 4, as shares of the last."""
    found = families.graded(['DCG_IA', "DCG_IA(gain='exp')"])
    assert found['DCG_IA'] == pytest.approx([1 / 4, 2 / 4, 3 / 4, 1])
    assert found["DCG_IA(gain='exp')"] == pytest.approx([1 / 15, 3 / 15, 7 / 15, 1])


def test_a_picture_is_well_formed_and_has_its_points_where_they_belong():
    values = np.array([1.0, 0.5])
    text = drawing.svg(
        [('a < b', 0, values)],
        'two <points>',
        title='T',
        xlabel='x',
        ylabel='y',
        ylim=(0.0, 1.0),
        xticks=np.array([1, 2]),
    )
    root = ET.fromstring(text)
    space = '{http://www.w3.org/2000/svg}'
    assert root.find(f'{space}title').text == 'two <points>'
    line = next(path.get('d') for path in root.iter(f'{space}path') if path.get('class') == 'line')
    left, right = drawing.LEFT + 8, drawing.WIDTH - drawing.RIGHT - 8
    half = drawing.ABOVE + drawing.HEIGHT / 2
    assert line == f'M{left:.1f} {drawing.ABOVE:.1f}L{right:.1f} {half:.1f}'
    assert '\n\n' not in text  # a blank line would end the block of HTML within Markdown
    assert [each.text for each in root.iter(f'{space}text')][-1] == 'a < b'


# -------------------------------------------------------------------------------------------------------------- links


@over(
    'text, name',
    [
        ('RBU', 'RBU'),
        ('RBU(p=0.99,e=0.05)@20', 'RBU'),
        ('alpha_nDCG@k', 'alpha_nDCG'),
        ('I_rec', 'I_rec'),
        ('evaluate', 'evaluate'),
        ('DCG', None),
        ('DCG@20', 'DCG'),
        ('nDCG@20', None),
        ('RBU + EU', None),
        ('p', None),
    ],
)
def test_literals_that_become_links(text, name):
    site = pytest.importorskip('docs.generators.site', reason='needs Sphinx, of the extra docs')
    assert site.meant(text) == name
