"""Citations: every measure has its sources, every source is used, and entries can be read."""

import pickle
import re

import pytest

import ir_divmeasures
from ir_divmeasures import cli
from ir_divmeasures.core.citations import Citation, references
from ir_divmeasures.core.registry import catalogue, parse, registry

from .builders import over, refused

MEASURES = {m.NAME: m for m in catalogue() if type(m).__module__.startswith('ir_divmeasures.')}
ENTRY = '''@inproceedings{Doe2026,
  author = {Doe, Jane},
  title = {{Halves}},
  booktitle = {Proceedings of X 2026},
  year = {2026}
}'''
DOE = Citation(ENTRY)


def keys_of(bibtex):
    """The keys of entries in which the braces pair."""
    assert bibtex.count('{') == bibtex.count('}')
    return re.findall(r'^@\w+\{(\w+),$', bibtex, re.MULTILINE)


def test_every_citation_is_used_and_its_entry_can_be_read():
    for key, cited in references().items():
        assert keys_of(cited.bibtex()) == [key]
        assert re.fullmatch(r'10\.\d{4,5}/[\w./()-]+|', cited.fields.get('doi', '')), key
    assert {each.key for made in MEASURES.values() for each in made.citation} == set(references())


def test_an_entry_as_it_is_written():
    assert (
        references()['Moffat2008'].bibtex()
        == """\
@article{Moffat2008,
  author = {Moffat, Alistair and Zobel, Justin},
  title = {{Rank-Biased Precision for Measurement of Retrieval Effectiveness}},
  journal = {ACM Transactions on Information Systems},
  year = {2008},
  volume = {27},
  number = {1},
  pages = {2:1--2:27},
  doi = {10.1145/1416950.1416952}
}"""
    )
    assert str(references()['Moffat2008']) == (
        'Alistair Moffat and Justin Zobel. Rank-Biased Precision for Measurement of Retrieval Effectiveness. '
        'ACM Transactions on Information Systems 27(1), 2:1–2:27, 2008. https://doi.org/10.1145/1416950.1416952'
    )
    assert (
        'author = {{TREC Web Track}}' in references()['TRECWebTrack2013'].bibtex()
    )  # no family name


def test_a_measure_made_of_another_one_cites_it_too():
    assert [each.key for each in parse("IA(M='RBU')@5").citation] == ['Agrawal2009', 'Amigo2018']
    assert [each.key for each in parse("IA(M='P@5')").citation] == [
        'Agrawal2009'
    ]  # P is ir_measures' own


@pytest.fixture
def define():
    def halves(cite):
        return ir_divmeasures.measure(cite=cite)(Halves)

    yield halves
    if 'Halves' in registry:
        ir_divmeasures.unregister_measure('Halves')


def Halves(r):
    return r.n * 0.5


def test_a_measure_of_ones_own_cites_by_key_or_by_object(define):
    assert define(('Clarke2008', DOE)).citation == (references()['Clarke2008'], DOE)
    assert define(DOE).citation == (DOE,) and define(()).citation == ()
    assert pickle.loads(pickle.dumps(DOE)) == DOE


@pytest.mark.parametrize(
    'cite, error, message',
    [
        (
            'Clark2008',
            ValueError,
            "Halves: cite='Clark2008': no such citation; did you mean 'Clarke2008'",
        ),
        ('xyz', ValueError, "no such citation; known: Agrawal2009, Amigo2018, .*Zobel1998"),
        ((2008,), TypeError, 'cite=2008: expected the key of a citation, or a Citation'),
    ],
)
def test_citations_that_do_not_exist(define, cite, error, message):
    refused(message, define, cite, error=error)
    assert 'Halves' not in registry


@over(
    'old, new, message',
    [
        ('Doe2026', 'Doe 2026', 'expected a BibTeX entry'),
        (ENTRY, 'Doe 2026', "found 'Doe 2026'"),
    ],
)
def test_a_citation_that_is_none(old, new, message):
    refused(message, Citation, ENTRY.replace(old, new))


def test_the_command(capsys, tmp_path):
    assert cli.main(['cite', 'alpha_nDCG@20', 'RBU', 'alpha-nDCG@10']) == 0
    out = capsys.readouterr().out
    assert keys_of(out) == ['Clarke2008', 'TRECWebTrack2013', 'Amigo2018']
    assert cli.main(['cite', 'RBU', '--style', 'text', '-o', str(tmp_path / 'refs')]) == 0
    assert (tmp_path / 'refs').read_text(encoding='utf-8') == f'{references()["Amigo2018"]}\n'
    assert cli.main(['cite', 'RBU', 'nDCG@10']) == 0
    said = capsys.readouterr()
    assert keys_of(said.out) == ['Amigo2018'] and said.err.startswith(
        'warning: no citation for nDCG@10;'
    )
    assert cli.main(['cite', 'nDCG@10']) == 2
    assert capsys.readouterr().err.startswith('error: no citation for nDCG@10;')
