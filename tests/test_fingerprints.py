"""Texts, SimHash, and the measures of document similarity."""

import hashlib
import re
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import measures, read_qrels, with_similarity
from ir_divmeasures.data.similarity import alike_prints, simhash
from ir_divmeasures.data.texts import read_texts, terms
from tests.reference import similarity as twins

from .builders import expect_error, expect_warning, over, refused, written_similarities

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


@over(
    'text, value',
    [
        # PyPI simhash 2.1.2: f'{Simhash(dict(Counter(re.findall(r"\w+", text.lower())))).value:016x}'
        ('beagle dogs', '9221200290038120'),
        ('the Beagle 2 lander', '22017801c5158224'),
        ('Windows Defender: download Windows Defender now', '452083082582f344'),
        ('defender arcade game', 'f77142042fdae7ac'),
        ('Über café 東京 x', '84511412110c75a2'),
        ('', '0000000000000000'),
    ],
)
def test_simhash(text, value):
    assert f'{simhash([text])[0]:016x}' == value == f'{twins.simhash(text):016x}'


def test_simhash_where_md5_is_forbidden(monkeypatch):
    """As it is for security where OpenSSL obeys FIPS 140."""

    def md5(data, usedforsecurity=True):
        if usedforsecurity:
            raise ValueError('[digital envelope routines] unsupported')
        return hashlib.new('md5', data)

    monkeypatch.setattr(hashlib, 'md5', md5)
    assert f'{simhash(["beagle dogs"])[0]:016x}' == '9221200290038120'


def test_simhash_of_many():
    rng = np.random.default_rng(0)
    many = [
        ' '.join(rng.choice(['a', 'b', 'cd', 'e', 'ü'], size=int(n)))
        for n in rng.integers(0, 30, 200)
    ]
    prints = simhash(many)
    assert prints.tolist() == [twins.simhash(text) for text in many] and len(simhash([])) == 0
    for scale in ('cosine', 'hamming'):
        matrix = alike_prints(prints, scale)
        for i, j in rng.integers(0, 200, (100, 2)):
            expected = twins.sim(int(prints[i]), int(prints[j]), scale)
            assert matrix[i, j] == pytest.approx(expected, abs=1e-15)
    assert alike_prints(np.array([0, 2**32 - 1], dtype=np.uint64))[0, 1] == 0  # cos(π/2) is 6e-17


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str
    url: str

    def default_text(self):
        return f'{self.title} {self.text}'


class Page(NamedTuple):
    doc_id: str
    url: str
    http_headers: bytes
    body: bytes


class Store:
    """An ir_datasets docs_store."""

    def __init__(self, docs):
        self.docs = {doc.doc_id: doc for doc in docs}
        self.asked = []

    def get_many_iter(self, doc_ids):
        self.asked += doc_ids
        return (doc for doc_id, doc in self.docs.items() if doc_id in set(doc_ids))


class Dataset:
    def __init__(self, docs):
        self.store = Store(docs)

    def docs_store(self):
        return self.store


DOCS = [
    Doc('d1', 'Beagle', 'dogs', 'u'),
    Doc('d2', 'Beagle 2', 'a lander', 'u'),
    Doc('d3', 'x', 'not relevant', 'u'),
]
QRELS = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 2}, 'd3': {'2': 0}}}


def test_sources_of_texts():
    wanted = {'d1': 'Beagle dogs', 'd2': 'Beagle 2 a lander'}
    dataset = Dataset(DOCS)
    frame = pd.DataFrame([doc._asdict() for doc in DOCS])
    for source in (
        dataset,
        dataset.store,
        frame,
        frame.rename(columns={'doc_id': 'docno'}),
        {doc.doc_id: doc.default_text() for doc in DOCS},
    ):
        assert read_texts(source, ['d1', 'd2']) == wanted
        printed = with_similarity(QRELS, source)['document_similarity']
        assert printed.tolist() == with_similarity(QRELS, wanted)['document_similarity'].tolist()
    assert 'd3' not in dataset.store.asked and printed.iloc[-1] == ''  # relevant documents only
    refused('docs: expected .* found int', read_texts, 7, ['d1'], error=TypeError)
    refused('1 of 1 documents have no text in dict', read_texts, {'d1': {'d': 1}}, ['d1'])
    with expect_error(
        "expected texts of documents in columns 'doc_id' or 'docno' and others, found url"
    ):
        read_texts(frame[['url']], ['d1'])


def test_web_pages_are_reduced_to_text():
    page = (
        b'<!DOCTYPE html><html><head><title>Beagle</title><style>p {color: red}</style></head>'
        b'<body><script>var x;</script><p>caf\xc3\xa9 <b>dogs</b></p></body></html>'
    )
    assert read_texts({'d1': page}, ['d1'])['d1'].split() == ['Beagle', 'café', 'dogs']
    assert read_texts({'d1': page.decode()}, ['d1'])['d1'].split() == ['Beagle', 'café', 'dogs']
    with expect_warning('1 of 1 documents have a text without a single term'):
        assert read_texts({'d2': b'<!-- -->'}, ['d2']) == {'d2': ''}
    latin = page.decode().encode('latin-1')
    western = Page('d1', 'u', b'Content-Type: text/html; charset=iso-8859-1', latin)
    assert read_texts(Store([western]), ['d1'])['d1'].split() == ['Beagle', 'café', 'dogs']
    assert read_texts(
        {'d1': b'<table><tr><td>one<td>two</table><ul><li>three</li><li>four</li></ul>'}, ['d1']
    ) == {'d1': 'one two three four'}
    from ir_datasets.formats import WarcDoc

    warc = WarcDoc('d1', 'u', '', b'Content-Type: text/html; charset=utf-8', page, 'text/html')
    assert read_texts(Store([warc]), ['d1'])['d1'].split() == ['Beagle', 'café', 'dogs']


def test_sources_of_real_hosts(tmp_path):
    import ir_datasets
    import pyterrier as pt

    path = tmp_path / 'docs.tsv'
    path.write_text('d1\tdogs\nd2\ta lander\n')
    dataset = ir_datasets.create_dataset(docs_tsv=str(path))
    ir_datasets.registry.register('divmeasures-test-docs', dataset)
    terrier = pt.get_dataset('irds:divmeasures-test-docs')
    frame = terrier.text_loader()(pd.DataFrame({'docno': ['d1', 'd2']}))
    for source in (dataset, 'divmeasures-test-docs', terrier, frame):
        assert read_texts(source, ['d2', 'd1']) == {'d1': 'dogs', 'd2': 'a lander'}
        refused("1 of 2 documents have no text in .*: 'd9'", read_texts, source, ['d1', 'd9'])


def test_missing_and_empty_texts():
    with expect_error("1 of 2 documents have no text in Dataset: 'd2'; missing='skip'"):
        with_similarity(QRELS, Dataset(DOCS[:1]))
    with expect_warning("'d2'; they are left out"):
        printed = with_similarity(QRELS, Dataset(DOCS[:1]), missing='skip')
    with expect_error("DocSim@5: 1 relevant documents have no document_similarity: 'd2'"):
        value('DocSim@5', printed, {'q': {'d1': 1.0}})
    with expect_warning('1 of 2 documents have a text without a single term'):
        with_similarity(QRELS, {'d1': '…', 'd2': 'x'})
    refused("missing='no': expected one of 'error', 'skip'", read_texts, {}, [], missing='no')


def value(name, qrels, run):
    return {m.query_id: m.value for m in ir_measures.iter_calc(measures(name), qrels, run)}


def table_of(prints):
    rows = [('q', d, 1) for d in prints]
    table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance'])
    similarities = written_similarities(table['query_id'], table['doc_id'], lambda _, d: prints[d])
    return table.assign(document_similarity=similarities)


def test_errors():
    qrels = table_of({'a': 0})
    refused('need a cutoff, as in DocSim@20', value, 'DS_nDCG', qrels, {'q': {'a': 1.0}})
    with expect_error("needs judgments with a column 'document_similarity'"):
        value('DocSim@5', QRELS, {'q': {'d1': 1.0}})
    with expect_error("document 'a': document_similarity is 'xyz', expected similarities"):
        read_qrels(qrels.assign(document_similarity='xyz'))
    twice = pd.concat(
        [qrels.assign(subtopic_id='1'), qrels.assign(subtopic_id='2', document_similarity='')]
    )
    refused("document 'a' has several values of document_similarity", read_qrels, twice)


def test_terms_of_every_ascii_character():
    """Letters, digits and underscores are terms, in lower case; every other character parts them."""
    for code in range(128):
        said = re.findall(r'\w+', f'a{chr(code)}B'.lower())
        assert terms(f'a{chr(code)}B') == said and terms(f'é a{chr(code)}B') == ['é', *said]
