"""Measures on intent hierarchies: reductions, errors, hosts."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

import ir_divmeasures
from ir_divmeasures import measures, with_weights
from ir_divmeasures.data import with_superintents
from tests.reference.layered import LA_OF

from .builders import expect_error, random_query, refused, run_of, table_of, values

pytestmark = pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')  # made-up data


QRELS = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'3': 2}}}
PARENTS = {'q': {'1': 'a', '2': 'a', '3': 'b'}}
RUN = {'q': {'d1': 4.0, 'd2': 3.0, 'x': 2.0}}


def test_one_layer_is_the_flat_measure():
    """All judgments on layer 0: every hierarchical measure equals its flat parent, to the last bit."""
    rng = np.random.default_rng(5)
    queries = {f'q{i}': random_query(rng, weighted=True) for i in range(5)}
    table, run = table_of(queries), run_of(queries)
    flat = {name: base for name, base in LA_OF.items()} | {
        'N_rec': 'StRecall',
        'HD_nDCG': 'D_nDCG',
        'HD_Q': 'D_Q',
        'HDsharp_nDCG': 'Dsharp_nDCG',
        'HDsharp_Q': 'Dsharp_Q',
        'LADsharp_nDCG': 'Dsharp_nDCG',
        'LADsharp_Q': 'Dsharp_Q',
        "LA(M='ERR_IA')": 'ERR_IA',
    }
    found = values([f'{name}@5' for name in {*flat, *flat.values()}], table.assign(layer=0), run)
    plain = values([f'{name}@5' for name in set(flat.values())], table, run)
    for name, base in flat.items():
        for query in table['query_id'].unique():
            assert (
                found[query, f'{name}@5'] == found[query, f'{base}@5'] == plain[query, f'{base}@5']
            )


def test_LA_of_any_measure():
    table = with_superintents(QRELS, PARENTS)
    found = values(
        [
            "LA(M='nDCG')@2",
            'nDCG@2',
            "LA(M='IA(M=\"P@2\")')",
            "LA(M='P(judged_only=True)@2')",
        ],
        table,
        RUN,
    )
    assert found['q', "LA(M='nDCG')@2"] == pytest.approx(found['q', 'nDCG@2'])
    # P@2: on layer −1 a has 2 of 2, b none; on layer 0 1 and 2 have 1 of 2, 3 none
    assert found['q', 'LA(M="IA(M=\'P@2\')")'] == pytest.approx((2 / 3 * 1 + 2 / 3 * 1 / 2) / 2)
    assert found['q', "LA(M='P(judged_only=True)@2')"] == 1


def test_errors():
    flat = {'q': {'d': {'1': 1}}}
    with expect_error(r"HD_nDCG.*column 'layer', which ir_divmeasures.build_hierarchy"):
        values(['HD_nDCG@2'], flat, RUN)
    for name, said in (
        ("LA(M='alpha_nDCG@5')@10", 'LA: two cutoffs'),
        ("LA(M='AP_IA')@10", 'takes no cutoff'),
        ("LA(M='HD_nDCG')@10", 'a layer has no layers; M cannot be HD_nDCG'),
        ("LA(M='D_nDCG(rel=2)')@10", 'give rel and judged_only to LA'),
        ("HD_nDCG(layer_weights='1,x')@10", "'1,x': expected numbers separated by commas"),
        ("HD_nDCG(layer_weights='0,0')@10", 'at least 0, not all 0'),
    ):
        refused(said, measures, name)
    table = with_superintents(QRELS, PARENTS)
    with expect_error('1 weights, but a query has 2 layers'):
        values(["HD_nDCG(layer_weights='1')@2"], table, RUN)
    with expect_error('a query has 1 layers, whose weights sum to 0'):
        values(["HD_nDCG(layer_weights='0,1')@2"], table[table['layer'] == 0], RUN)
    with expect_error(r"document 'd1', subtopic 'a': layer is 0.5, expected a whole number"):
        ir_divmeasures.read_qrels(table.assign(layer=table['layer'] + 1.5))
    with expect_error('give the table of intents a column layer, or give it before the hier'):
        with_weights(table, {'q': {'1': 1, '2': 1, '3': 1}})


def test_weights_go_to_the_layers_that_a_query_has():
    """Of the weights 1, 3, 4 a query without the top layer takes the first two: (1·1 + 3·(1/2))/4, not (3 + 4/2)/7."""
    table = pd.DataFrame(
        [
            ('a', 'd', 1, 't', -1),
            ('a', 'd', 1, 'u', 0),
            ('a', 'd', 1, 'v', 1),
            ('b', 'd', 1, 'u', 0),
            ('b', 'd', 1, 'v', 1),
            ('b', 'e', 1, 'w', 1),
        ],
        columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'layer'],
    )
    (name,) = measures("LA(M='StRecall',layer_weights='1,3,4')@1")
    found = {
        m.query_id: m.value
        for m in ir_measures.iter_calc([name], table, {q: {'d': 2.0, 'e': 1.0} for q in 'ab'})
    }
    assert found == {'a': pytest.approx(1), 'b': pytest.approx((1 * 1 + 3 * (1 / 2)) / 4)}


def test_weights_by_layer():
    table = with_superintents(QRELS, PARENTS).drop(columns='weight')
    given = pd.DataFrame(
        [
            ('q', -1, 'a', 1),
            ('q', -1, 'b', 3),
            ('q', 0, '1', 1),
            ('q', 0, '2', 1),
            ('q', 0, '3', 2),
        ],
        columns=['query_id', 'layer', 'subtopic_id', 'weight'],
    )
    weighted = with_weights(table, given, normalise=True).drop_duplicates(['layer', 'subtopic_id'])
    assert weighted.set_index(['layer', 'subtopic_id'])['weight'].to_dict() == {
        (-1, 'a'): 1 / 4,
        (-1, 'b'): 3 / 4,
        (0, '1'): 1 / 4,
        (0, '2'): 1 / 4,
        (0, '3'): 1 / 2,
    }
