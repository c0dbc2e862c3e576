"""The studies of ``ir_divmeasures.studies``: what takes part, what is compared with what, and what they print."""

from __future__ import annotations

import inspect

import jinja2
import numpy as np
import pytest

from ir_divmeasures import meta, read_qrels, read_run, read_runs, studies
from ir_divmeasures.studies import metric_unanimity
from ir_divmeasures.studies.dynamic_domain import PAPER
from ir_divmeasures.studies.study import PAGES, expect, markdown, render


@pytest.fixture(scope='module')
def small():
    """Eight systems on ten queries: by relevance, and with more and more noise; of different length."""
    rng = np.random.default_rng(0)
    qrels = {
        f'q{q}': {
            f'd{d}': {str(t): int(g) for t, g in enumerate(rng.integers(0, 4, 3))}
            for d in range(12)
        }
        for q in range(10)
    }
    worth = {
        q: {f'd{d}': sum(grades.get(f'd{d}', {}).values()) for d in range(20)}
        for q, grades in qrels.items()
    }
    runs = {
        f's{s}': {
            q: {d: float(w + 2 * s * rng.normal()) for d, w in list(docs.items())[: 20 - s]}
            for q, docs in worth.items()
        }
        for s in range(8)
    }
    return runs, qrels


@pytest.fixture(scope='module')
def found(small):
    return studies.unanimity(*small, seeds=2, name='Small')


def test_the_papers_measures_take_part():
    """12 RBU, 16 EU, 12 NRBP, 20 alpha-DCG, 5 cutoffs of 7 measures, 3 RBP, AP and RR with aspects and without."""
    count = {family: len(names) for family, names in metric_unanimity.VARIANTS.items()}
    assert count == {
        'RBU': 12,
        'EU': 16,
        'NRBP': 12,
        'α-DCG-IA@k': 20,
        'RBP': 3,
        **dict.fromkeys(('AP', 'AP-IA', 'RR', 'RR-IA'), 1),
        **dict.fromkeys(
            ('DCG-IA@k', 'ERR-IA@k', 'P-IA@k', 'S-Recall@k', 'DCG@k', 'ERR@k', 'P@k'), 5
        ),
    }
    assert len(metric_unanimity.FAMILY) == 102 and set(count) == set(metric_unanimity.TABLE_2)
    assert {metric_unanimity.FAMILY[name] for name in metric_unanimity.ONE_EACH} == set(count)
    assert len(metric_unanimity.ONE_EACH) == 16


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore:.*have one subtopic only')
def test_unanimity_is_that_of_meta(found, small):
    runs, qrels = small
    scores = metric_unanimity.score(dict(read_runs(runs)), read_qrels(qrels))
    mine = meta.unanimity(scores.select(measures=metric_unanimity.FAMILY))
    assert (mine.unanimous > 0).all() and len(set(mine.values.round(6))) > 5, mine.values
    values = dict(zip(mine.measures, mine.values))
    rows = found['best'].query("scenario == 'official'").set_index('measure')
    for family, names in metric_unanimity.VARIANTS.items():
        assert rows.loc[family, 'MU'] == pytest.approx(max(values[name] for name in names)), family
        assert not rows.loc[family, 'low'] > rows.loc[family, 'MU'] + 1e-9, (
            family
        )  # NaN: no interval
    apart = meta.unanimity(
        scores.select(measures=metric_unanimity.FAMILY),
        families=metric_unanimity.FAMILY,
        against='others',
    )
    rbu = max(
        v for name, v in zip(apart.measures, apart.values) if metric_unanimity.FAMILY[name] == 'RBU'
    )
    families = found['families'].query("scenario == 'official'").set_index('measure')
    assert families.loc['RBU', 'without siblings'] == pytest.approx(rbu)
    lead = found['lead'].query("scenario == 'official'")
    assert (
        lead['lead'].tolist() == pytest.approx((lead['RBU'] - lead['its MU']).tolist())
        and len(lead) == 6
    )


def test_the_study_prints_every_table(found):
    text = found.to_markdown()
    assert text.startswith(
        '## Small: 8 systems, 10 queries\n\n102 measures. The longest ranking has'
    )
    assert set(found) == {
        'best',
        'decomposition',
        'families',
        'lead',
        'effort',
        'depth',
        'tolerance',
        'official',
    }
    assert all(markdown(frame, 4) in text for frame in found.tables.values())
    assert '| official | RBU | 0.8024 | ' in text
    with pytest.raises(KeyError, match="no table 'beste'"):
        found['beste']


def test_templates_say_nothing_that_the_numbers_do_not(tmp_path):
    (tmp_path / 'a.md.jinja').write_text("{{ expect(x > 1, 'x is large') }}x is {{ x }}.\n")
    assert render(tmp_path, 'a', x=2) == 'x is 2.\n'
    with pytest.raises(ValueError, match='the text says "x is large"'):
        render(tmp_path, 'a', x=1)
    with pytest.raises(jinja2.UndefinedError, match="'x' is undefined"):
        render(tmp_path, 'a')
    assert expect(True, '') == ''


def test_every_study_has_a_template():
    assert set(studies.STUDIES) <= {path.name.split('.')[0] for path in PAGES.glob('*.md.jinja')}


def test_registry_of_studies():
    assert set(studies.STUDIES) == {
        'axioms',
        'dynamic-domain',
        'hierarchies',
        'innovation',
        'nuggets',
        'unanimity',
        'user-models',
    }
    assert all(inspect.getdoc(function) for function in studies.STUDIES.values())


# ------------------------------------------------------------------------------------------------ Dynamic Domain

RUN = 't\t0\ta\t3\t1\nt\t0\tb\t2\t1\nt\t2\tc\t1\t1\nu\t0\tz\t1\t0\n'


@pytest.fixture
def run(tmp_path):
    path = tmp_path / 'run'
    path.write_text(RUN)
    return read_run(path)


def test_variants_of_a_run(run):
    made = studies.run_variants(run, rng=1)
    first = next(iter(made))
    assert first == 'as it is' and len(made) == 13
    as_list = {
        name: [
            (q, d, i)
            for q, d, i in one.sort_values(['query_id', 'score'], ascending=[True, False])[
                ['query_id', 'doc_id', 'iteration']
            ].itertuples(index=False, name=None)
        ]
        for name, one in made.items()
    }
    assert as_list['as it is'] == [('t', 'a', 1), ('t', 'b', 1), ('t', 'c', 3), ('u', 'z', 1)]
    assert as_list['cut after 2'] == [('t', 'a', 1), ('t', 'b', 1), ('u', 'z', 1)]
    assert as_list['reverse order'] == [('t', 'c', 1), ('t', 'b', 1), ('t', 'a', 3), ('u', 'z', 1)]
    assert [d for _, d, _ in as_list['1 non-relevant at the end of each iteration']] == [
        'a',
        'b',
        'none-1-0',
        'c',
        'none-3-0',
        'z',
        'none-1-0',
    ]
    assert [d for _, d, _ in as_list['1 non-relevant at the beginning of each iteration']] == [
        'none-1-0',
        'a',
        'b',
        'none-3-0',
        'c',
        'none-1-0',
        'z',
    ]
    longer = as_list['2 non-relevant iterations at the end']
    assert [i for q, _, i in longer if q == 't'] == [1, 1, 3] + [4] * 5 + [5] * 5
    for name, rows in as_list.items():
        for topic in 'tu':
            steps = [i for q, _, i in rows if q == topic]
            assert steps == sorted(steps) and len(rows) == len(set(rows)), name
    assert sorted(as_list['shuffled within iterations']) == sorted(as_list['as it is'])


def test_dynamic_domain_study(shared):
    path = shared / 'data/trec-dd/dd16-passage-qrels.txt.gz'
    study = studies.dynamic_domain(shared / 'data/trec-dd/dd16-run.txt', path)
    table = study['official'].set_index('measure')
    assert table['paper'].to_dict() == PAPER and len(study['systems']) == 13
    assert ((table['low'] <= table['MU']) & (table['MU'] <= table['high'])).all()
    assert (
        table.loc[['RBU p=0.99', 'RBU p=0.9', 'RBU p=0.8'], 'MU'].min()
        > table['MU'].drop(['RBU p=0.99', 'RBU p=0.9', 'RBU p=0.8']).max()
    )  # as in the paper; not so without effort
    assert study['systems']['CT@10'].iloc[0] == pytest.approx(
        0.16472050940139793, abs=1e-9
    )  # the track's own mean


def test_runs_without_iterations_are_no_dynamic_domain_runs(tmp_path):
    with pytest.raises(ValueError, match="system 'a': the run has no iterations"):
        studies.dynamic_domain({'a': {'t': {'d': 1.0}}}, tmp_path / 'none')
