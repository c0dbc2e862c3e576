"""The papers: their numbers as data, verdicts, pages, and the algebra that makes them fast, against the slow way."""

from __future__ import annotations

import functools
import itertools
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import ir_divmeasures
from ir_divmeasures import cli, evaluate, meta, read_qrels, studies
from ir_divmeasures.errors import SubtopicsWarning
from ir_divmeasures.studies import amigo, turkmen
from ir_divmeasures.studies import layout as page
from ir_divmeasures.studies import quantities as q
from ir_divmeasures.studies.declarations import (
    MODULES,
    RULES,
    SENTENCES,
    TABLES,
    Outcome,
    Sentence,
    load,
    notices,
)
from ir_divmeasures.studies.quantities import NotTestableError, Quantity, verdict
from ir_divmeasures.studies.rare_common import simulate_rare_common
from ir_divmeasures.studies.workspace import PAPERS, Workspace

from .builders import over

COUNTS = {
    'amigo-2018': (4, 28, 12),
    'turkmen-2023': (4, 19, 4),
    'carterette-2011': (2, 33, 3),
    'dou-2019': (8, 24, 8),
}
"""Tables, claims and errata of each paper."""
STATUS = {'text', 'any', 'simulated', 'partly', 'unavailable'}


@pytest.fixture(scope='module')
def sample():
    return Workspace.sample()


def tables_of(data):
    return [
        each for part in data['parts'].values() for each in part.get('blocks', {'': part}).values()
    ]


# ------------------------------------------------------------------------------------------------------- the data


@over('key', MODULES)
def test_data_files_are_whole(key):
    data = load(key)
    assert (len(data['tables']), len(data['claims']), len(data['errata'])) == COUNTS[key]
    for part in data['parts'].values():
        assert part['status'] in STATUS and (part['status'] != 'unavailable' or part['why'])
    for block in tables_of(data):
        if block.get('cells'):
            assert len(block['cells']) == len(block['rows'])
            assert all(len(row) == len(block['columns']) for row in block['cells'])
    for claim in data['claims']:
        known = {'id', 'where', 'says', 'numbers', 'status', 'rule', 'why', 'needs', 'with'}
        assert set(claim) <= known and claim['status'] in STATUS, claim


@over('key', MODULES)
def test_every_claim_has_a_rule_that_was_stated(key):
    for claim in load(key)['claims']:
        rules = claim.get('rule', [])
        rules = [rules] if isinstance(rules, dict) else rules
        if claim['status'] == 'unavailable':
            assert claim['why'] and (key, claim['id']) not in RULES
            continue
        assert rules, claim
        for each in rules:
            wanted = {'above': 'A B', 'near': 'A B margin', 'at least': 'A margin', 'exact': 'says'}
            wanted |= {'share': 'of', 'none': 'why'}
            assert set(wanted[each['kind']].split()) <= set(each), claim
        untestable = rules[0]['kind'] == 'none'
        assert untestable != ((key, claim['id']) in RULES), claim


def test_pairs_of_the_collections():
    for name, collection in load('turkmen-2023')['collections'].items():
        systems = collection['systems']
        assert collection['pairs'] == systems * (systems - 1) / 2, name


@over('key', MODULES)
def test_numbers_of_papers_are_only_in_the_data(key):
    """No cell of three digits or more is in the code."""
    numbers = {
        f'{cell:g}'
        for block in tables_of(load(key))
        for row in block.get('cells') or ()
        for each in row
        for cell in (each if isinstance(each, list) else [each])
        if isinstance(cell, float) and len(f'{cell:g}') > 4
    }
    code = (PAPERS.parent / f'{MODULES[key]}.py').read_text(encoding='utf-8')
    assert not set(re.findall(r'(?<![\w.])0\.\d{3,}', code)) & numbers


# ------------------------------------------------------------------------------------------------------- verdicts


def known(value, error, df=30):
    return Quantity(value, np.array([error]), df)


@over(
    'part, rule, word',
    [
        (q.above(known(1, 0.1), known(0.5, 0.1)), {}, q.AGREE),
        (q.above(known(0.5, 0.2), known(1, 0.1)), {}, q.DISAGREE),
        (q.above(known(0.6, 0.4), known(0.5, 0.1)), {}, q.CLOSE),
        (q.above(known(0.6, 0.1), known(0.6, 0.1)), {}, q.DISAGREE),  # tied in every resample
        (q.near(known(0.6, 0.002), known(0.6, 0)), {'margin': 0.01}, q.AGREE),
        (q.near(known(0.8, 0.002), known(0.6, 0)), {'margin': 0.01}, q.DISAGREE),
        (q.near(known(0.6, 0.02), known(0.6, 0)), {'margin': 0.01}, q.CLOSE),
        (q.at_least(known(0.99, 0.001)), {'margin': 0.97}, q.AGREE),
        (q.at_least(known(0.9, 0.001)), {'margin': 0.97}, q.DISAGREE),
        (q.at_least(known(0.97, 0.01)), {'margin': 0.97}, q.CLOSE),
        (q.exact(True, ''), {}, q.AGREE),
        (q.exact(False, ''), {}, q.DISAGREE),
        (q.share(40, 40), {}, q.AGREE),
        (q.share(2, 40), {}, q.DISAGREE),
        (q.share(22, 40), {}, q.CLOSE),
    ],
)
def test_verdicts(part, rule, word):
    assert verdict([part], [{'kind': part.kind, **rule}]) == word


def test_verdicts_of_several_parts():
    """At 95 % the second part is on the wrong side, at 1 − .05/3 it is not."""
    low = q.above(known(0, 0.1, 1000), known(0.205, 0, 1000))
    high = q.above(known(1, 0.1), known(0, 0))
    assert verdict([low], [{'kind': 'above'}]) == q.DISAGREE
    assert verdict([high, low, high], [{'kind': 'above'}]) == q.CLOSE
    assert verdict([high, high], [{'kind': 'above'}]) == q.AGREE
    with pytest.raises(ValueError, match='near'):
        verdict([q.near(known(0, 0), known(0, 0))], [{'kind': 'above'}])
    with pytest.raises(NotTestableError):
        verdict([], [{'kind': 'above'}])


def test_wilson_interval_of_forty():
    """The lower end for 40 of 40 is n/(n + z²) = 40/43.8415."""
    assert q.share(40, 40).ends(0.95) == pytest.approx((0.91238, 1), abs=1e-5)
    with pytest.raises(NotTestableError):
        q.share(0, 0)


def test_both_sides_at_the_ceiling_are_not_testable():
    top = Quantity(0.9, np.array([0.1]), 30, limit=0.9)
    with pytest.raises(NotTestableError, match='largest possible'):
        q.above(top, top)
    assert q.above(top, known(0.5, 0.1)).kind == 'above'


def test_quantities_are_those_of_meta():
    values = np.random.default_rng(0).random(12)
    mean = ir_divmeasures.results.estimates.mean_over_queries(values)
    assert Quantity.mean(values).interval() == pytest.approx((mean.low, mean.high))
    without = (values.sum() - values) / 11
    jackknife = ir_divmeasures.results.estimates.jackknife(values.mean(), without)
    ours = Quantity.jackknifed(values.mean(), without).interval()
    assert ours == pytest.approx((jackknife.low, jackknife.high))
    drawn = np.random.default_rng(1).random(50)
    around = meta.resampling.from_resamples(0.5, drawn, 12)
    assert Quantity.resampled(0.5, drawn, 12).interval() == pytest.approx((around.low, around.high))
    total = q.average([Quantity.mean(values), Quantity.mean(values * 3)])
    assert total.value == pytest.approx(2 * values.mean())
    assert total.error == pytest.approx(2 * Quantity.mean(values).error)


# ------------------------------------------------------------------------------------------------------- pages


@functools.cache
def made(key, **settings):
    return studies.paper(key, **settings)


def test_a_page_of_each_format(tmp_path):
    """The same numbers in all formats; what was asked for alone is computed alone and is the same."""
    study = made('turkmen')
    texts = {form: study.to(form, ['figure1', 'claims']) for form in page.FORMATS}
    assert all('12.3' in text and 'agree' in text for text in texts.values())
    assert '<svg' in texts['html'] and r'\begin{tabular}' in texts['latex']
    frame = pd.read_csv(pd.io.common.StringIO(texts['csv']))
    assert frame.columns.tolist() == (
        ['paper', 'table', 'row', 'column', 'paper_value', 'value', 'low', 'high', 'verdict']
    )
    first = frame[(frame['row'] == 'first rank') & frame['column'].eq('S_rare, α=0')]
    assert first[['paper_value', 'value']].to_numpy().ravel().tolist() == ['44', '12.325']
    alone = studies.paper('turkmen')
    assert set(alone.outcomes) == set() and alone['table3'] and set(alone.outcomes) == {'table3'}
    study.compute(study.identifiers)
    cells = {key: value.value for key, value in alone['table3'].items()}
    assert cells == {key: value.value for key, value in study['table3'].items()}
    with pytest.raises(ValueError, match='format'):
        study.to('pdf')


def test_whole_page_is_short_and_has_every_part():
    study = made('turkmen')
    text = study.to()
    for head in (
        '# New Metrics',
        '## What the paper asks',
        '## Claims',
        '### Table 2',
        '## Errata',
    ):
        assert head in text
    assert re.search(r'^- hash: [0-9a-f]{12}$', text, re.M)
    assert re.search(r'^These data test 1\d of 19 claims: \d agree, \d disagree', text, re.M)
    prose = [line for line in text.splitlines() if not line.startswith(('|', '#', '-'))]
    assert len(' '.join(prose).split()) < 2000
    assert '. \\| ' in text and '44 \\| 12.3' in text


def test_processes_change_no_number():
    one, two = (
        studies.paper('turkmen', jobs=jobs).to('csv', ['table2', 'table3']) for jobs in (1, 2)
    )
    assert one == two


def test_lost_uncertain_and_empty_cells():
    part = {
        'rows': ['r', 's'],
        'columns': ['a', 'b'],
        'cells': [[1, 0.25], [None, [0.5, 0.75]]],
        'lost': [[1, 0]],
        'uncertain': [[0, 1]],
    }
    counted = Quantity(3, np.array([0.5]), 30, 4, 4)
    (grid,) = page.grids(part, Outcome({('r', 'a'): counted, ('t', 'b'): 0.5}))
    assert grid.texts() == [
        ['r', '1 | 3 (75.0 %) [2, 4]', '0.25?'],
        ['s', '(lost)', '0.50–0.75'],
        ['t', '', '. | 0.50'],
    ]
    assert next(
        page.grids({'rows': ['r'], 'columns': ['a'], 'cells': None}, Outcome())
    ).texts() == [['r', '(lost)']]


def test_notes_are_one_line_a_class():
    notes = [('TiesWarning', f'system {name}: ties') for name in 'abcd'] + [('OrderWarning', 'x')]
    assert notices(notes, 'abcde') == [
        'ties: 4 notices (a, b, c, …); system a: ties',
        'order: 1 notice; x',
    ]
    assert len(notices([(f'A{n}Warning', 'x') for n in range(20)], [])) == 10


@over('key', MODULES)
def test_sentences_have_no_numbers_of_their_own(key):
    load(key)
    for (name, _), several in SENTENCES.items():
        for each in several if name == key else ():
            for _, text in each.choices:
                assert not re.search(r'\d', re.sub(r'\{.*?\}', '', text)), text


def test_numbers_choose_the_sentence():
    """The choice changes with the numbers, and none or two of them are an error."""
    (scale,) = SENTENCES['turkmen-2023', 'table2']
    facts = scale.facts(made('turkmen'))
    gains = list(itertools.product([-0.1, 0.0, 0.1, 0.2], repeat=2))
    texts = [scale.choose({**facts, 'gained': one, 'scaled': other}) for one, other in gains]
    assert len({re.sub(r'[-\d.]+', '', text) for text in texts}) == len(scale.choices)
    with pytest.raises(ValueError, match='0 of 2'):
        Sentence(scale.facts, [(lambda f: False, 'a'), (lambda f: False, 'b')]).choose({})
    with pytest.raises(ValueError, match='2 of 2'):
        Sentence(scale.facts, [(lambda f: True, 'a'), (lambda f: True, 'b')]).choose({})


def test_sentences_hold_for_other_data():
    """Exactly one condition holds of shuffled runs, too."""
    work = Workspace.sample()
    rng = np.random.default_rng(0)
    runs = {
        name: run.assign(score=rng.permutation(run['score'])) for name, run in work.runs.items()
    }
    other = studies.paper('turkmen', runs, work.qrels)
    for identifier in other.identifiers:
        other.compute([identifier])
        other.sentences(identifier)


# ------------------------------------------------------------------------------------------------------- errors


def test_errors_and_interruptions_keep_what_is_finished(monkeypatch):
    def stop(work):
        raise KeyboardInterrupt

    def fail(work):
        raise RuntimeError('broken')

    for function, verdicts in ((stop, 'interrupted'), (fail, 'RuntimeError: broken')):
        monkeypatch.setitem(TABLES, ('turkmen-2023', 'table2'), function)
        study = studies.paper('turkmen')
        text = study.to()
        assert verdicts in text and 'P@100_Rareness' in text
        assert study.interrupted == (function is stop) and study.failed == (function is fail)
        assert study.claim('t13').verdict == q.UNTESTED and study.claim('t05').verdict == q.AGREE


@over(
    'words, code, said',
    [
        ('study', 2, 'expected a paper'),
        ('study wrong --sample', 2, "no paper 'wrong'"),
        ('study amigo-2019 --sample', 2, "did you mean 'amigo-2018'"),
        ('study turkmen', 2, 'either judgments and runs, or --sample'),
        ('study turkmen --sample q r', 2, 'either judgments and runs, or --sample'),
        ('study turkmen q', 2, 'expected runs'),
        ('study turkmen --sample --table tabel2', 2, "did you mean 'table2'"),
        ('study unanimity --sample', 2, "is now a part of 'amigo-2018'"),
        ('study innovation --sample', 2, "is now a part of 'turkmen-2023'"),
        ('study --list', 0, ''),
        ('study turkmen --sample --table 4', 0, ''),
    ],
)
def test_the_command(capsys, words, code, said):
    assert cli.main(words.split()) == code
    out, err = capsys.readouterr()
    assert said in err and (code == 0) == bool(out)
    if code == 0 and '--list' in words:
        assert all(key in out for key in MODULES)
    elif code == 0:
        assert '- command: ir_divmeasures study turkmen --sample --table 4' in out


def test_the_command_reports_a_table_without_its_data(tmp_path, capsys, monkeypatch):
    def lacking(work):
        return work.need('docs', 'superintents')

    monkeypatch.setitem(TABLES, ('turkmen-2023', 'table2'), lacking)
    (tmp_path / 'q').write_text('1 0 a 1\n2 0 a 1\n')
    for name in 'rs':
        (tmp_path / name).write_text(f'1 Q0 a 1 1 {name}\n')
    words = ['study', 'turkmen', *(str(tmp_path / name) for name in 'qrs')]
    out = tmp_path / 'o'
    assert cli.main([*words, '--table', '2', '-o', str(out)]) == 2 and not out.exists()
    assert 'needs --docs and --superintents' in capsys.readouterr().err
    assert cli.main([*words, '-o', str(out)]) == 0
    text = out.read_text('utf-8')
    assert 'Not recomputed: needs --docs and --superintents' in text
    assert '2 systems; at least 3 are needed' in text  # of the claims


def test_old_names_say_what_replaces_them():
    for name in ('unanimity', 'innovation', 'user_models', 'hierarchies', 'axioms', 'nuggets'):
        with pytest.raises(ImportError, match='any more'):
            getattr(studies, name)
    with pytest.raises(ValueError, match='expected both'):
        studies.paper('turkmen', {'a': {'q': {'d': 1.0}}})


def test_workspace(sample):
    assert (len(sample.systems), len(sample.topics), sample.size) == (7, 40, 13503)
    assert sample.n_seeds == 10 and sample.n_resamples == 100
    other = Workspace.sample(seed=1)
    assert sample.hash == other.hash
    assert not np.array_equal(sample.resamples, other.resamples)
    assert np.array_equal(sample.rng('x').random(3), Workspace.sample().rng('x').random(3))
    large = Workspace.sample()
    for size, seeds, resamples in ((630_000, 9, 100), (10_000_000, 2, 40)):
        large.__dict__['size'] = size
        assert (large.n_seeds, large.n_resamples) == (seeds, resamples)
    large.full = True
    assert (large.n_seeds, large.n_resamples) == (10, 100)


def test_hash_follows_the_definition():
    """Rows of judgments, then of each run, each sorted and separated by tabs."""
    import hashlib

    work = Workspace(
        {'b': {'q': {'y': 1.0, 'x': 2.0}}, 'a': {'q': {'x': 1.0}}}, {'q': {'x': 1, 'a': 0}}
    )
    rows = [sorted('\t'.join(map(str, row)) for row in work.qrels.itertuples(index=False))]
    rows += [['q\tx\t1.0'], ['q\tx\t2.0', 'q\ty\t1.0']]
    text = ''.join('\n'.join(each) for each in rows)
    assert work.hash == hashlib.sha256(text.encode()).hexdigest()[:12]


# ------------------------------------------------------------------------------------------------- Türkmen et al.


@pytest.fixture(scope='module')
def campaign():
    """Four systems, six topics, grades 0 to 2."""
    rng = np.random.default_rng(0)
    qrels = {f't{t}': {f'd{d}': int(rng.integers(0, 3)) for d in range(15)} for t in range(6)}
    runs = {
        f's{s}': {
            t: {d: float(rng.random()) for d in docs if rng.random() < 0.7}
            for t, docs in qrels.items()
        }
        for s in range(4)
    }
    return Workspace(runs, qrels)


def test_scores_are_those_of_the_measures(campaign):
    """The linear form against the package's own measures, on the pool and on its parts."""
    names = [f'{name}_Rareness(alpha={a})@100' for name in ('P', 'AP') for a in (0, 0.5, 1)]
    pool = campaign.once(turkmen.judged)
    expected = pool.scores(names).values[
        :, [pool.collection.query_ids.index(t) for t in campaign.topics]
    ]
    assert turkmen.six(campaign).transpose(1, 2, 0) == pytest.approx(expected, abs=1e-14)
    members = [0, 2, 3]
    parts = campaign.once(turkmen.linear)
    for m, name in enumerate(('P', 'AP')):
        base, shared = parts[name]
        alone = (
            2 * base[members].mean(axis=1)
            - shared.mean(axis=0)[np.ix_(members, members)].sum(axis=1) / 3
        )
        theirs = pool.scores(names, members).values[:, :, 3 * m + 2].mean(axis=1)
        assert alone == pytest.approx(theirs, abs=1e-14)


def test_figure_1_is_the_simulation(campaign):
    pool = campaign.once(turkmen.judged)
    for topic, query in zip(campaign.once(turkmen.topics), campaign.topics):
        table = simulate_rare_common(pool, query, 'P_Rareness@100', alphas=(0, 0.5, 1))
        for alpha in (0, 0.5, 1):
            for system, ranks in turkmen.simulated_ranks(topic, alpha, 100).items():
                own = table[(table['system'] == system[2:]) & (table['alpha'] == alpha)]
                assert own['rank'].tolist() == ranks.tolist()


def test_first_ranks_of_the_sample(sample):
    """Values of a program that evaluates each simulated system in full."""
    first = sample.once(turkmen.first_ranks)
    means = [first['S_rare', alpha].mean() for alpha in (0, 0.5, 1)]
    assert means == pytest.approx([12.325, 9.725, 8.075]) and len(first['S_rare', 0]) == 40


def test_first_ranks_of_trec_covid(covid_pool, shared):
    folder = shared / 'data/pool/trec-covid-r5'
    work = Workspace(folder / 'runs', folder / 'qrels.gz')
    first = work.once(turkmen.first_ranks)
    rare = [first['S_rare', alpha].mean() for alpha in (0, 0.5, 1)]
    common = [first['S_common', alpha].mean() for alpha in (0, 0.5, 1)]
    assert rare == pytest.approx([61.545, 53.523, 49.409], abs=5e-4)
    assert common == pytest.approx([61.545, 63.136, 63.977], abs=5e-4)
    assert len(first['S_rare', 0]) == 44 and len(work.topics) == 50


def test_tables_1_to_3_are_those_of_meta(campaign):
    scores = turkmen.six(campaign).transpose(1, 2, 0)
    power = meta.discriminative_power(scores, 'tukey_pairwise', correction=None)
    for level in (0.05, 0.01):
        ours = [
            campaign_cell(campaign, 'table1', row, f'yours {1 - level:.0%}')
            for row in turkmen.rows()
        ]
        assert ours == power.count(level).tolist()
    stable = meta.stability(
        scores, fuzziness=0.05, n_resamples=0, rng=campaign.rng('turkmen-2023 table2')
    )
    ours = [campaign_cell(campaign, 'table2', row, 'yours') for row in turkmen.rows()]
    assert ours == pytest.approx(stable.values)
    pool = campaign.once(turkmen.judged)
    whole, agreed = pool.scores('P_Rareness@100').values.mean(axis=1)[:, 0], []
    for pair in map(list, itertools.combinations(range(4), 2)):
        alone = pool.scores('P_Rareness@100', pair).values.mean(axis=1)[:, 0]
        agreed.append(np.sign(np.subtract(*alone).round(12)) * np.sign(np.subtract(*whole[pair])))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', ir_divmeasures.DivMeasuresWarning)  # a tied pair
        tau = campaign_cell(campaign, 'table3', 'P@100_Rareness, α=1', 'N=2')
    assert tau == pytest.approx(np.mean(agreed), abs=0.05)


def campaign_cell(work, table, *key):
    return TABLES['turkmen-2023', table](work)[key].value


# ------------------------------------------------------------------------------------------------- Amigó et al.


def test_102_measures_are_those_of_the_package():
    """Every family on fractional grades, weights and cut rankings, against the measures of the package."""
    rng = np.random.default_rng(1)
    qrels = pd.DataFrame(
        [
            (f't{t}', f'd{d}', str(a), float(rng.choice([0, 0, 0.4, 1, 2.5])))
            for t, d, a in itertools.product(range(3), range(12), range(3))
        ],
        columns=['query_id', 'doc_id', 'subtopic_id', 'relevance'],
    )
    runs = {
        f's{s}': {
            f't{t}': {f'd{d}': float(rng.random()) for d in range(2 * s + 4)} for t in range(3)
        }
        for s in range(4)
    }
    work = Workspace(runs, qrels)
    found = [amigo.scores(topic, (0, 0.1)) for topic in work.once(amigo.topics)]
    names = {
        ('RBU', 'p=0.9, e=0.1'): 'RBU(p=0.9,e=0.1,rel=0)',
        ('RBU', 'p=0.99, e=0'): 'RBU(p=0.99,e=0,rel=0)',
        ('α-DCG-IA@k', '@20, α=0.25'): 'alpha_DCG_IA(alpha=0.25,rel=0)@20',
        ('DCG-IA@k', '@10'): "DCG_IA(gain='exp',rel=0)@10",
        ('EU', 'α=0.75, e=0.05'): 'EU(alpha=0.75,e=0.05,rel=0)',
        ('ERR-IA@k', '@10'): 'gERR_IA(rel=0)@10',
        ('NRBP', 'p=0.8, α=0.5'): 'gNRBP(p=0.8,alpha=0.5,rel=0)',
        ('AP-IA', ''): 'AP_IA(rel=0)',
        ('P-IA@k', '@10'): 'P_IA(rel=0)@10',
        ('RR-IA', ''): 'RR_IA(rel=0)',
        ('S-Recall@k', '@10'): 'StRecall(rel=0)@10',
    }
    topic = {
        ('DCG@k', '@20'): names['DCG-IA@k', '@10'].replace('@10', '@20'),
        ('ERR@k', '@1000'): 'gERR_IA(rel=0)@1000',
        ('AP', ''): 'AP_IA(rel=0)',
        ('RBP', 'p=0.9'): "RBP_IA(p=0.9,gain='linear',rel=0)",
        ('P@k', '@50'): 'P_IA(rel=0)@50',
        ('RR', ''): 'RR_IA(rel=0)',
    }
    for wanted, judged in ((names, qrels), (topic, work.topic_qrels.assign(subtopic_id='1'))):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', SubtopicsWarning)
            scores = evaluate(runs, judged, list(wanted.values()))
        for m, key in enumerate(wanted):
            ours = np.array([one[key] for one in found]).T
            assert ours == pytest.approx(scores.values[:, :, m], abs=1e-13), key
    assert (
        len(amigo.scores(work.once(amigo.topics)[0], amigo.spec('table2')['parameters']['e']))
        == 102
    )


def test_simulations_stay_within_the_scenario(sample):
    known_topics = sample.once(amigo.topics)
    rng = np.random.default_rng(0)
    for topic in known_topics[:5]:
        for longest in (None, 5):
            drawn = topic.simulated(longest, rng)
            assert ((drawn.grade > 0) == (topic.grade > 0)).all() and (
                drawn.grade <= topic.grade
            ).all()
            assert drawn.weight.sum() == pytest.approx(1) and (drawn.n <= topic.n).all()
            assert longest is None or (drawn.n <= longest).all()
            beyond = np.arange(topic.ids.shape[1]) >= drawn.n[:, None]
            assert (drawn.ids[beyond] == len(topic.grade)).all()
            assert (drawn.ids[~beyond] == topic.ids[~beyond]).all()


def test_unanimity_of_the_sample(sample):
    """Values of unanimity() on the scores of the package's measures; RBU, EU and ERR-IA reach the ceiling."""
    result = sample.once(amigo.official)
    best = {
        row: amigo.best(result, amigo.variants(result, row)) for row in ('RBU', 'EU', 'ERR-IA@k')
    }
    assert [value.value for value in best.values()] == pytest.approx([0.9797] * 3, abs=5e-5)
    assert all(value.value == pytest.approx(value.limit) for value in best.values())
    lower = amigo.best(result, ['AP-IA|'])
    assert (lower.value, lower.limit) == pytest.approx((0.8541, 0.9814), abs=5e-5)


@over(
    'claim, word',
    [
        ('a09', q.DISAGREE),
        ('a10', q.DISAGREE),
        ('a11', q.AGREE),
        ('a12', q.AGREE),
        ('a13', q.AGREE),
        ('a14', q.AGREE),
        ('a18', q.UNTESTED),
        ('a26', q.UNTESTED),
    ],
)
def test_claims_of_amigo(claim, word):
    assert made('amigo').claim(claim).verdict == word
    if claim == 'a10':
        assert '0.625 and 0.4167' in made('amigo').claim(claim).yours


def test_dynamic_domain_of_passages(shared):
    """The columns of passages, on a run and the same run cut and reversed."""
    folder = shared / 'data/trec-dd'
    run = ir_divmeasures.read_run(folder / 'dd16-run.txt')
    passages = folder / 'dd16-passage-qrels.txt.gz'
    runs = {f'cut {n}': run[run['iteration'] <= n] for n in (1, 2, 3, 5, 10)}
    qrels = read_qrels(passages, format='dd', passages='max')
    study = studies.paper(
        'amigo', runs, qrels[qrels['query_id'].isin(set(run['query_id']))], passages=passages
    )
    cells = study['table3']
    assert {column for _, column in cells} == {'DD 2015', 'DD, one RBU'}
    assert all(value.value <= 1 for value in cells.values())
    assert study.claim('a22').verdict == q.UNTESTED
