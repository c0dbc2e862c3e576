"""Measures on intent hierarchies: worked values, the literal twins, reductions, errors, hosts."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

import ir_divmeasures
from ir_divmeasures import measures, with_subtopic_types, with_weights
from ir_divmeasures.judgments import with_superintents
from tests.reference import layered as twins
from tests.reference.layered import LA_OF
from tests.reference.twins import Query

from .builders import expect_error, over, refused

pytestmark = pytest.mark.filterwarnings('ignore:the weights of .* do not sum to 1')  # random ones


def hierarchy(rng, n_queries=3, weighted=True, layers=(-1, 0, 1)):
    """Random layered judgments and a run; some queries lack the deepest layer."""
    rows, run = [], {}
    for q in range(n_queries):
        docs = [f'd{i:02}' for i in range(rng.integers(2, 12))]
        mine = layers if q else layers[:-1]
        for layer in mine:
            for node in range(int(rng.integers(1, 5))):
                share = round(float(rng.uniform(0.1, 1)), 3)
                judged = rng.choice(docs, size=int(rng.integers(1, len(docs) + 1)), replace=False)
                rows += [
                    (f'q{q}', d, int(rng.integers(-1, 4)), f'{layer}.{node}', layer, share)
                    for d in judged
                ]
        ranked = [str(d) for d in rng.permutation([*docs, *(f'x{i}' for i in range(4))])]
        run[f'q{q}'] = {
            d: float(len(ranked) - i)
            for i, d in enumerate(ranked[: int(rng.integers(1, len(ranked)))])
        }
    table = pd.DataFrame(
        rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'layer', 'weight']
    )
    return (table if weighted else table.drop(columns='weight')), run


def as_twins(table, run, query):
    """The query's layers, top first, for the twins; every judged document is judged on every layer."""
    mine = table[table['query_id'] == query]
    docs = mine['doc_id'].unique()
    result = []
    for layer in sorted(table['layer'].unique()):
        rows = mine[mine['layer'] == layer]
        grades = {(r.doc_id, r.subtopic_id): r.relevance for r in rows.itertuples()}
        grades |= {(d, 'none'): 0 for d in docs}
        weights = dict(zip(rows['subtopic_id'], rows['weight'])) if 'weight' in rows else None
        ranking = tuple(sorted(run.get(query, {}), key=lambda d: (-run[query][d], d)))
        result.append(Query(ranking, grades, weights))
    return result


def values(names, table, run):
    return {
        (m.query_id, str(m.measure)): m.value
        for m in ir_measures.iter_calc(measures(names), table, run)
    }


@over('seed', range(4))
def test_against_the_literal_twins(seed):
    rng = np.random.default_rng(seed)
    table, run = hierarchy(rng, weighted=seed % 3 != 0)
    k, rel, only, gain = (
        (None, 3)[seed % 2],
        1 + seed % 2,
        bool(seed % 4 > 1),
        ('linear', 'exp', 'binary')[seed % 3],
    )
    given = None if seed % 2 else [3.0, 2.0, 1.0]
    at, where = '' if k is None else f'@{k}', {'cutoff': k, 'rel': rel, 'judged_only': only}
    common = f'rel={rel},judged_only={only}' + (
        f",layer_weights='{','.join(map(str, given))}'" if given else ''
    )
    cases = {}
    for name, base in LA_OF.items():
        mine = (
            {'gain': gain} if base in ('Q_IA', 'D_nDCG', 'D_Q', 'Dsharp_nDCG', 'Dsharp_Q') else {}
        )
        cases[f'{name}({common}{"".join(f",{p}={v!r}" for p, v in mine.items())}){at}'] = (
            lambda q, base=base, mine=mine: twins.LA(base, q, given=given, **where, **mine)
        )
    cases[f"LA(M='nDCG_IA',{common}){at}"] = lambda q: twins.LA('nDCG_IA', q, given=given, **where)
    cases[f'LA(M="RBU(p=0.9)",{common}){at}'] = lambda q: twins.LA(
        'RBU', q, given=given, p=0.9, **where
    )
    cases[f'N_rec(rel={rel},judged_only={only}){at}'] = lambda q: twins.N_rec(q, **where)
    for name, twin in (('HD_nDCG', twins.HD_nDCG), ('HD_Q', twins.HD_Q)):
        cases[f'{name}({common},gain={gain!r}){at}'] = lambda q, twin=twin: twin(
            q, gain=gain, given=given, **where
        )
        sharp = name.replace('HD', 'HDsharp')
        cases[f'{sharp}({common},gain={gain!r},gamma=0.3){at}'] = lambda q, twin=twin: twins.sharp(
            twin(q, gain=gain, given=given, **where), q, 0.3, **where
        )
    for name, base in (('LADsharp_nDCG', 'D_nDCG'), ('LADsharp_Q', 'D_Q')):
        cases[f'{name}({common},gamma=0.3){at}'] = lambda q, base=base: twins.sharp(
            twins.LA(base, q, given=given, **where), q, 0.3, **where
        )
    found = values(list(cases), table, run)
    for name, twin in cases.items():
        canonical = str(measures(name)[0])
        for query in table['query_id'].unique():
            assert found[query, canonical] == pytest.approx(
                twin(as_twins(table, run, query)), abs=1e-10
            ), (name, query)


QRELS = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'3': 2}}}
PARENTS = {'q': {'1': 'a', '2': 'a', '3': 'b'}}
RUN = {'q': {'d1': 4.0, 'd2': 3.0, 'x': 2.0}}


def test_one_layer_is_the_flat_measure():
    """All judgments on layer 0: every hierarchical measure equals its flat parent, to the last bit."""
    rng = np.random.default_rng(5)
    table, run = hierarchy(rng, n_queries=5, layers=(0, 0))
    table = table.drop_duplicates(['query_id', 'doc_id', 'subtopic_id'])
    table['weight'] = table.groupby(['query_id', 'subtopic_id'])['weight'].transform('first')
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
    found = values([f'{name}@5' for name in {*flat, *flat.values()}], table, run)
    plain = values([f'{name}@5' for name in set(flat.values())], table.drop(columns='layer'), run)
    for name, base in flat.items():
        for query in table['query_id'].unique():
            assert (
                found[query, f'{name}@5'] == found[query, f'{base}@5'] == plain[query, f'{base}@5']
            )


def test_flat_measures_and_others_read_the_official_layer():
    table = with_superintents(QRELS, PARENTS)
    names = [
        'alpha_nDCG@2',
        'D_nDCG@2',
        'StRecall@2',
        "IA(M='nDCG')@2",
        'nDCG@2',
        'AP',
        'P@2',
        'P_IA@2',
    ]
    layered, flat = values(names, table, RUN), values(names, QRELS, RUN)
    assert layered == pytest.approx(flat)


def test_LA_of_any_measure():
    table = with_superintents(QRELS, PARENTS)
    found = values(
        [
            "LA(M='alpha_nDCG')@2",
            "LA(M='alpha_nDCG@2')",
            'alpha_nDCG_LA@2',
            "LA(M='nDCG')@2",
            'nDCG@2',
            "LA(M='IA(M=\"P@2\")')",
            "LA(M='P(judged_only=True)@2')",
        ],
        table,
        RUN,
    )
    assert found['q', 'LA@2'] == found['q', "LA(M='alpha_nDCG@2')"] == found['q', 'alpha_nDCG_LA@2']
    assert found['q', "LA(M='nDCG')@2"] == pytest.approx(found['q', 'nDCG@2'])
    # P@2: on layer −1 a has 2 of 2, b none; on layer 0 1 and 2 have 1 of 2, 3 none
    assert found['q', 'LA(M="IA(M=\'P@2\')")'] == pytest.approx((2 / 3 * 1 + 2 / 3 * 1 / 2) / 2)
    assert found['q', "LA(M='P(judged_only=True)@2')"] == 1


def test_types_reach_the_layers():
    table = with_superintents(with_subtopic_types(QRELS, {'q': {'3': 'nav'}}), PARENTS)
    types = table.drop_duplicates(['layer', 'subtopic_id']).set_index(['layer', 'subtopic_id'])[
        'subtopic_type'
    ]
    assert types.to_dict() == {
        (-1, 'a'): 'inf',
        (-1, 'b'): 'nav',
        (0, '1'): 'inf',
        (0, '2'): 'inf',
        (0, '3'): 'nav',
    }
    assert 0 < values(["LA(M='DIN_nDCG')@2"], table, RUN)['q', "LA(M='DIN_nDCG')@2"] < 1


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
    with expect_error(r"LA\(M='DIN_nDCG'\)@2 needs judgments with a column 'subtopic_type'"):
        values(["LA(M='DIN_nDCG')@2"], table, RUN)
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
