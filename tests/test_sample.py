"""The sample collection keeps its promises, in ir_datasets, PyTerrier and ir_measures."""

import collections
import pathlib

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from ir_divmeasures import (
    read_qrels,
    sample,
    with_weights,
)

from .builders import refused
from .fresh import printed

ID = 'divmeasures/sample/diversity'
ROOT = pathlib.Path(__file__).parents[1]


@pytest.fixture(scope='module')
def dataset():
    return ir_datasets.load(ID)


@pytest.fixture(scope='module')
def qrels():
    return read_qrels(ID)


class TestCollection:
    def test_counts(self, dataset, qrels):
        queries = list(dataset.queries_iter())
        assert (dataset.docs_count(), dataset.queries_count(), len(queries)) == (630, 40, 40)
        assert sum(len(query.subtopics) for query in queries) == 206
        assert all(3 <= len(query.subtopics) <= 6 for query in queries)
        assert collections.Counter(query.type for query in queries) == {
            'ambiguous': 21,
            'faceted': 19,
        }
        assert len(qrels) == 2659 and set(qrels['relevance']) == {0, 1, 2, 3} == set(
            dataset.qrels_defs()
        )

    def test_intents(self, qrels):
        """Weights of all intents that are judged, which sum to 1 for each query."""
        columns = ['query_id', 'subtopic_id', 'weight']
        weights = with_weights(qrels, sample.INTENTS)[columns].drop_duplicates()
        assert weights['weight'].gt(0).sum() == 206
        totals = weights.groupby('query_id')['weight'].sum()
        assert len(totals) == 40 and [*totals] == pytest.approx([1] * 40)


class TestIrDatasets:
    def test_documents(self, dataset):
        first = next(dataset.docs_iter())
        assert first == dataset.docs_iter()[0] == dataset.docs_store().get('D0001')
        assert first.default_text() == f'{first.title} {first.text}'
        assert [d.doc_id for d in dataset.docs_iter()[10:14:2]] == ['D0011', 'D0013']
        assert set(dataset.docs_store().get_many(['D0002', 'none', 'D0001'])) == {'D0001', 'D0002'}
        assert dataset.docs_store().get_many(['D0001'], 'title') == {'D0001': first.title}
        with pytest.raises(KeyError):
            dataset.docs_store().get('D9999')

    def test_base_dataset_has_no_judgments(self):
        base = ir_datasets.load('divmeasures/sample')
        assert base.has_docs() and base.has_queries() and not base.has_qrels()
        refused('no judgments', read_qrels, 'divmeasures/sample')

    def test_import_does_with_a_home_folder_that_cannot_be_made(self, tmp_path):
        (tmp_path / 'file').touch()
        home = str(tmp_path / 'file' / 'home')
        code = f'import os; os.environ["IR_DATASETS_HOME"] = {home!r}\nimport ir_divmeasures'
        assert printed(code + "; print(len(ir_divmeasures.measures('RBU')))") == '1'

    def test_imports_that_register_it(self):
        for first in (
            'import ir_datasets, ir_divmeasures',
            f'import ir_divmeasures, ir_datasets; ir_divmeasures.read_qrels({ID!r})',
        ):
            code = f"{first}\nprint(ir_datasets.load({ID!r}).docs_count())"
            assert printed(code) == '630', first

    def test_export_by_the_command_of_ir_datasets(self):
        """The form in the docstring of the module."""
        code = f"""
import sys; sys.argv = ['ir_datasets', 'export', {ID!r}, 'qrels']
import ir_divmeasures.sample, ir_datasets; print(ir_datasets.load({ID!r}).docs_count()); ir_datasets.main_cli()"""
        first, *lines = printed(code).splitlines()
        assert first == '630' and len(lines) == 2659 and lines[-1] == '40 0 D0624 0 5'

    @pytest.mark.filterwarnings('ignore:The inplace keyword')  # PyTerrier's own calls of pandas
    def test_pyterrier_dataset(self, dataset, capsys):
        terrier = pt.get_dataset(f'irds:{ID}')
        assert terrier.get_topics('query')['query'].iloc[2] == 'crane'
        assert list(terrier.get_qrels().columns) == ['qid', 'docno', 'label', 'subtopic_id']
        corpus = list(terrier.get_corpus_iter(verbose=False, start=5, count=2))
        assert [d['docno'] for d in corpus] == ['D0006', 'D0007'] and set(corpus[0]) == {
            'docno',
            'title',
            'text',
        }
        texts = terrier.text_loader(['title'])(pd.DataFrame({'docno': ['D0003', 'D0001']}))
        assert list(texts['title']) == [
            dataset.docs_store().get(d).title for d in ('D0003', 'D0001')
        ]
