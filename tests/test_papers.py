"""The papers: their numbers as data, verdicts, pages, and the algebra that makes them fast, against the slow way."""

import copy
import dataclasses
import functools
import io
import itertools
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

from docs.generators.common import ROOT
from ir_divmeasures import cli, estimates, meta, studies
from ir_divmeasures.estimates import Quantity
from ir_divmeasures.pools import Pool
from ir_divmeasures.studies import amigo, layout, turkmen
from ir_divmeasures.studies import rules as q
from ir_divmeasures.studies.amigo import Amigo
from ir_divmeasures.studies.paper import KEYS, paper_class
from ir_divmeasures.studies.rules import NotTestableError, contrasts, verdict
from ir_divmeasures.studies.turkmen import Turkmen
from ir_divmeasures.tables import markdown

from .builders import over, refused

WANTED = {'at least': 'margin', 'near': 'A margin', 'exact': 'says', 'share': 'A B each of'}
"""What a rule of each kind states."""


@functools.cache
def made(key):
    return studies.paper(key)


# ------------------------------------------------------------------------------------------------------- the data


def published(key):
    """The lines of the page of a paper."""
    docs = ROOT / 'docs'
    return (docs / f'studies/{key}.md').read_text('utf-8').splitlines()


@over('key', KEYS)
def test_margins_are_the_papers_or_those_of_the_page(key):
    """A margin that the paper does not state is ours, and is printed."""
    lines = published(key)
    for claim in paper_class(key).data['claims']:
        for rule in claim.get('rule', ()):
            if margin := rule.get('margin'):
                numbers = re.findall(r'\d*\.\d+', claim['says']) + claim.get('numbers', [])
                stated = margin in map(float, numbers)
                (line,) = (each for each in lines if f'| {markdown(claim["says"])} |' in each)
                untested = line.endswith('| not testable |')
                printed = f'we take: {margin:g}' in line or untested
                assert printed if rule.get('ours') else stated, claim


@over('key', KEYS)
def test_every_number_of_a_paper_stands_on_its_page(key):
    rows = [line.split(' | ') for line in published(key)]
    for part in paper_class(key).parts.values():
        for cell in layout.cells_of(part, {}).itertuples():
            texts = (text for row in rows if row[0] == f'| {markdown(cell.row)}' for text in row)
            papers = {text.split(' \\| ')[0].strip(' |') for text in texts}
            assert not cell.paper or markdown(cell.paper) in papers, cell


# ------------------------------------------------------------------------------------------------------- verdicts


def known(value, error=0.0, df=30):
    return Quantity(value, np.array([error]), df)


def part(kind, a, b=None, margin=0):
    return q.compared({'kind': kind, 'margin': margin}, 'of these', a, b)


@over(
    'word, kind, value, error, margin',
    [
        (q.AGREE, 'above', 1, 0.1, 0),
        (q.DISAGREE, 'above', 0.1, 0.1, 0),
        (q.CLOSE, 'above', 0.7, 0.3, 0),
        (q.DISAGREE, 'above', 0.6, 0, 0),  # tied in every resample
        (q.AGREE, 'near', 0.6, 0.002, 0.01),
        (q.DISAGREE, 'near', 0.8, 0.002, 0.01),
        (q.CLOSE, 'near', 0.6, 0.02, 0.01),
        (q.AGREE, 'at least', 0.99, 0.001, 0.37),
        (q.DISAGREE, 'at least', 0.9, 0.001, 0.37),
        (q.CLOSE, 'at least', 0.97, 0.01, 0.37),
        (q.AGREE, 'exact', 0.6, 0, 0),
        (q.DISAGREE, 'exact', 0.6, 0.1, 0),  # the same mean
    ],
)
def test_verdicts(word, kind, value, error, margin):
    """Of a quantity and .6, which has no error; without it, the number is compared with the margin."""
    assert verdict([part(kind, known(value, error), known(0.6), margin)]) == word
    if kind in ('near', 'at least'):
        assert verdict([part(kind, known(value - 0.6, error), None, margin)]) == word


def test_verdicts_of_shares_and_of_numbers_without_error():
    """Wilson's lower end for 40 of 40 is n/(n + z²) = 40/43.8415."""
    words = [verdict([q.share(n, 40)]) for n in (40, 2, 22)]
    assert words == [q.AGREE, q.DISAGREE, q.CLOSE]
    assert q.share(40, 40).yours == '40 of 40 [0.9124, 1]'
    assert [verdict([part('exact', n)]) for n in (1e-15, 1e-9)] == [q.AGREE, q.DISAGREE]


def test_verdicts_of_several_parts():
    """At 95 % the second part is on the wrong side, at 1 − .05/3 it is not."""
    low = part('above', known(0, 0.1, 1000), known(0.205, df=1000))
    high = part('above', known(1, 0.1), known(0))
    assert verdict([low]) == q.DISAGREE
    assert verdict([high, low, high]) == q.CLOSE
    assert verdict([high, high]) == q.AGREE
    top = Quantity(0.9, np.array([0.1]), 30, limit=0.9)
    for testable in (lambda: verdict([]), lambda: q.share(0, 0), lambda: part('above', top, top)):
        with pytest.raises(NotTestableError):
            testable()
    assert verdict([part('above', top, known(0.5, 0.1))]) == q.AGREE


def test_quantities_are_those_of_meta():
    values, drawn = np.random.default_rng(0).random(12), np.random.default_rng(1).random(50)
    mean = Quantity.mean(values)
    for ours, theirs in (
        (mean, estimates.mean_over_queries(values)),
        (Quantity.resampled([0.5, *drawn], 12), meta.resampling.from_resamples(0.5, drawn, 12)),
    ):
        assert ours.interval() == pytest.approx((theirs.low, theirs.high))
    total = np.mean([mean, Quantity.mean(values * 3)])
    assert (total.value, total.error) == pytest.approx((2 * mean.value, 2 * mean.error))


TOLD = {
    't': {('r', 'a'): 2, ('r', 'b'): 0, ('s', 'a'): 4, ('s', 'b'): 2},
    'u': {('x', 'r', 'a'): 9, ('x', 'r', 'b'): 8, ('y', 'r', 'a'): 0, ('r', 'c'): 5},
    'v': {('v', 'c'): -1},
}
"""Tables by name, of which the second has blocks."""


@over(
    'rule, wanted',
    [
        ('{A: [a], B: [b]}', 'a 3, b 1 (2 [2, 2])'),
        ('{A: [a], B: [b], rows: [s]}', 'a 4, b 2 (2 [2, 2])'),
        ('{A: [a], B: [b, none], each: true}', 'r: a 2, b 0 (2 [2, 2]); s: a 4, b 2 (2 [2, 2])'),
        ('{A: [s], B: [r], column: b}', 'b: s 2, r 0 (2 [2, 2])'),
        ('{A: [a, b], B: [a, b], extremes: AB}', 'b 1, a 3 (-2 [-2, -2])'),
        ('{A: [s and a]}', 's and a 4 [4, 4]'),
        ('{}', 'r and a 2 [2, 2]; r and b 0 [0, 0]; s and a 4 [4, 4]; s and b 2 [2, 2]'),
        ('{in: t v, extremes: A}', 'v and c -1 [-1, -1]'),
        ('{in: u, extremes: A}', 'y and r and a 0 [0, 0]'),
        ('{in: u}', 'x and r and a 9 [9, 9]; x and r and b 8 [8, 8]; y and r and a 0 [0, 0]; r and c 5 [5, 5]'),
        ('{A: [a], B: [b], block: x, in: u}', 'a 9, b 8 (1 [1, 1])'),
        ('{A: [r and a], block: y, in: u}', 'r and a 0 [0, 0]'),
        ('{A: [x and r and a], B: [r and c], in: u}', 'x and r and a 9, r and c 5 (4 [4, 4])'),
        ('{column: a, successive: true, A: [r, none, s]}', 'a: s 4, r 2 (2 [2, 2])'),
        ('{A: [a], B: [b], than: {in: u, block: x, A: [a], B: [b]}}', 'a − b 2, a − b 1 (1 [1, 1])'),
        ('{kind: share, each: true, A: [b], B: [a, c]}', 'b 1 above a 3: 0 of 2 rows [0, 0.6576]'),
        ('{kind: share, each: true, A: [a, b], B: [b]}', 'a 3, b 1 above b 1: 2 of 2 rows [0.3424, 1]'),
        ('{kind: exact, A: [a], rows: [s]}', 'a 4'),
        ('{A: [none], B: [a]}', ''),
        ('{A: [a], B: [none]}', ''),
    ],
)  # fmt: skip
def test_contrasts(rule, wanted):
    """Rules as the data files have them."""
    stated = {'in': 't', 'kind': 'at least', 'of': 'rows', **yaml.safe_load(rule)}
    paper = {
        name: {key: Quantity(n, np.zeros(1), 9, 10) for key, n in cells.items()}
        for name, cells in TOLD.items()
    }
    parts = list(contrasts(paper, stated))
    assert '; '.join(each.yours for each in parts) == wanted
    if {'rows', 'each'} & set(stated) and stated['kind'] == 'at least':  # as shares of the pairs
        number = float(re.search(r'\((\S+)', wanted)[1])
        for margin, side in ((number / 10 - 1e-9, 1), (number / 10 + 1e-9, -1)):
            first, *_ = contrasts(paper, stated | {'margin': margin})
            assert first.truth() == side


# ------------------------------------------------------------------------------------------------------- pages


def test_a_page_of_each_format():
    """The same numbers in all formats; what was asked for alone is computed alone and is the same."""
    study = made('turkmen')
    texts = {form: study.to(form, ['figure1', 'claims']) for form in layout.FORMATS}
    assert all('12.3' in text and 'agree' in text for text in texts.values())
    assert '<svg' in texts['html'] and r'\begin{tabular}' in texts['latex']
    frame = pd.read_csv(io.StringIO(texts['csv']))
    assert frame.columns.tolist() == layout.RECORD
    first = frame[(frame['row'] == 'first rank') & frame['column'].eq('S_rare, α=0')]
    assert first[['paper_value', 'value']].to_numpy().ravel().tolist() == ['44', '12.325']
    alone = studies.paper('turkmen')
    assert not alone.outcomes and alone['table3'] and set(alone.outcomes) == {'table3'}
    cells = {key: value.value for key, value in alone['table3'].items()}
    assert cells == {key: value.value for key, value in study['table3'].items()}
    refused('format', study.to, 'pdf')
    parts = frame[(frame['row'] == 't12') & frame['value'].notna()]
    counts = study['table1']
    gains = [
        counts[f'{name}_Rareness, α=1', f'yours {level}%'].value
        - counts[f'{name}_Rareness, α=.5', f'yours {level}%'].value
        for level in (95, 99)
        for name in ('P@100', 'AP')
    ]
    assert parts['value'].astype(float).tolist() == pytest.approx(gains)
    assert parts['verdict'].isin(q.VERDICTS).all() and parts[['low', 'high']].notna().all(axis=None)
    text = study.to()
    heads = ['# New Metrics', '## What the paper asks', '## Claims', '### Table 2', '## Errata']
    assert all(head in text for head in heads)
    assert re.search(r'^These data test 1\d of 19 claims: \d agree, \d disagree', text, re.M)


@pytest.mark.slow
def test_processes_change_no_number():
    one, two = (
        studies.paper('turkmen', jobs=jobs).to('csv', ['table2', 'table3']) for jobs in (1, 2)
    )
    assert one == two


def test_ties_say_so():
    assert part('above', known(0.6), known(0.6)).yours == 'of these (tied)'


def moved(paper, table, shift):
    """A paper with another table: ``shift`` of (row, column) is added to numbers, which have no error."""
    other = copy.copy(paper)
    vars(other).pop('claims', None)
    cells = {
        key: dataclasses.replace(
            cell, value=cell.value + shift(*key[-2:]), deviations=cell.deviations * 0
        )
        if isinstance(cell, Quantity)
        else cell
        for key, cell in paper[table].items()
    }
    other.outcomes = paper.outcomes | {table: paper.outcomes[table]._replace(cells=cells)}
    return other


def sentence(paper, table):
    """What stands below a table."""
    return paper.to(tables=[table]).split('|\n\n')[-1]


def test_numbers_choose_the_sentence():
    for shift, words in (
        (-2, 'not all of the gain'),
        (2, 'which order all systems as P and AP do, are as stable'),
    ):
        study = moved(
            made('turkmen'), 'table2', lambda row, _, by=shift: by * row.endswith('constant')
        )
        assert words in sentence(study, 'table2')
    assert sentence(made('turkmen'), 'table2').startswith('It cannot be told whether P and AP')
    for own, others, words in (
        (0, -2, 'RBU has the highest'),
        (-2, 0, 'higher MU than RBU'),
        (0, 0, 'cannot be told whether RBU has the highest MU: official: RBU 0.9797, α-DCG'),
    ):
        study = moved(made('amigo'), 'table2', lambda row, _, by=(others, own): by[row == 'RBU'])
        assert words in sentence(study, 'table2')


# ------------------------------------------------------------------------------------------------------- errors


def test_errors_and_interruptions_keep_what_is_finished(tmp_path, capsys, monkeypatch):
    def stop(paper):
        raise KeyboardInterrupt

    def fail(paper):
        raise RuntimeError('broken')

    out, told = tmp_path / 'o', 'interrupted. The page has the tables that were finished.\n'
    for function, code, problem, said in (
        (stop, 130, 'interrupted', told),
        (fail, 1, 'error: RuntimeError: broken', ''),
    ):
        monkeypatch.setattr(Turkmen, 'table2', function)
        assert cli.main(['--force', 'study', 'turkmen', '--sample', '-o', str(out)]) == code
        assert capsys.readouterr().err == said
        text = out.read_text('utf-8')
        assert f'Not recomputed: {problem}.' in text and '12 (57.1 %)' in text
        assert re.search(r'more stable in all cases .* not testable \|', text)
        assert re.search(r'separate more pairs than P and AP .* too close \|', text)


def test_what_a_process_is_handed_does_not_change(monkeypatch):
    """A table sees no table that is finished before all are; otherwise a copy of the paper fails now and then."""
    seen = {('seen', 'n'): 0}
    monkeypatch.setattr(
        Turkmen, 'table2', lambda paper: seen | {('seen', 'n'): len(paper.outcomes)}
    )
    study = studies.paper('turkmen')
    study.compute(['table1', 'table2'])
    assert study['table2'] == seen and list(study.outcomes) == ['table1', 'table2']


def test_later_tables_that_are_finished_are_kept(monkeypatch):
    def outcomes(*_, **__):
        def several(tasks):
            (function, words, _), (other, more, _) = tasks
            yield other(*more)
            raise KeyboardInterrupt

        return several

    monkeypatch.setattr('joblib.Parallel', outcomes)
    study = studies.paper('turkmen', jobs=2)
    study.compute(['table1', 'table3'])
    assert study.interrupted and study.outcomes['table3'].cells
    assert study.outcomes['table1'].problem == 'interrupted'


@over(
    'words, code, said',
    [
        ('study', 2, 'expected a paper'),
        ('study amigo-2019 --sample', 2, "no paper 'amigo-2019'; did you mean 'amigo-2018'?"),
        ('study turkmen', 2, 'either judgments and runs, or --sample'),
        ('study turkmen --sample q r', 2, 'either judgments and runs, or --sample'),
        ('study turkmen q', 2, 'expected runs'),
        ('study turkmen --sample --table tabel2', 2, "did you mean 'table2'"),
        ('study --list', 0, 'dou-2019'),
        ('study turkmen --sample --table 4', 0, '- command: ir_divmeasures study turkmen --sample --table 4'),
    ],
)  # fmt: skip
def test_the_command(capsys, words, code, said):
    assert cli.main(words.split()) == code
    out, err = capsys.readouterr()
    assert said in (err if code else out)


def test_the_command_reports_a_table_without_its_data(tmp_path, capsys, monkeypatch):
    def lacking(paper):
        paper.need('docs')

    monkeypatch.setattr(Turkmen, 'table2', lacking)
    (tmp_path / 'q').write_text('1 0 a 1\n2 0 a 1\n')
    for name in 'rs':
        (tmp_path / name).write_text(f'1 Q0 a 1 1 {name}\n')
    words = ['study', 'turkmen', *(str(tmp_path / name) for name in 'qrs')]
    out = tmp_path / 'o'
    assert cli.main([*words, '--table', '2', '-o', str(out)]) == 2 and not out.exists()
    assert 'needs --docs' in capsys.readouterr().err
    assert cli.main([*words, '-o', str(out)]) == 0
    text = out.read_text('utf-8')
    assert 'Not recomputed: needs --docs' in text
    assert 'needs at least 3 systems, found 2' in text  # of the claims


def test_the_data_of_a_paper():
    sample, other = studies.paper('turkmen'), studies.paper('turkmen', seed=1)
    assert (len(sample.systems), len(sample.topics), sample.size) == (7, 40, 13503)
    assert not np.array_equal(sample.topic_samples[1:], other.topic_samples[1:])
    assert np.array_equal(sample.rng('x').random(3), studies.paper('dou').rng('x').random(3))
    for size, full, sizes in (
        (13503, False, (10, 100)),
        (630_000, False, (9, 100)),
        (10_000_000, False, (2, 40)),
        (10_000_000, True, (10, 100)),
    ):
        sample.__dict__['size'], sample.full = size, full
        assert (sample.n_seeds, sample.n_resamples) == sizes


# ------------------------------------------------------------------------------------------------- Türkmen et al.


ALPHAS = (0, 0.5, 1)


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
    return Turkmen(qrels, runs)


def among(work, members):
    """The pool of some systems alone."""
    runs = {name: work.runs[name] for name in np.array(work.systems)[members].tolist()}
    return Pool.from_runs(runs).over(work.topic_qrels)


def test_scores_of_parts_of_the_pool_are_those_of_the_measures(campaign):
    """What systems share gives the scores that they have in a pool of their own."""
    for members in (range(4), [0, 2, 3]):
        own = among(campaign, list(members)).scores(['P_Rareness@100', 'AP_Rareness@100']).values
        for m, shared in enumerate(campaign.shared):
            common = shared[np.ix_(members, members)].mean(axis=1)
            alone = 2 * shared.diagonal()[members] - common
            assert alone == pytest.approx(own.mean(axis=1)[:, m], abs=1e-14)


def ranks_of_one_more(paper, query, documents):
    """The ranks by each α of a further system with these documents and non-relevant ones below, by the measure on a
    pool that it is a part of; new documents are relevant."""
    judged = paper.topic_qrels[paper.topic_qrels['query_id'] == query]
    grades = dict.fromkeys(documents, 1) | dict(zip(judged['doc_id'], judged['relevance']))
    ranked = [*documents, *(f'none{n}' for n in range(100 - len(documents)))]
    made_up = {query: {document: -float(n) for n, document in enumerate(ranked)}}
    pool = Pool.from_runs({**paper.runs, 'made up': made_up}).over({query: grades})
    scores = pool.scores([f'P_Rareness(alpha={alpha})@100' for alpha in ALPHAS]).values[:, 0]
    return 1 + (scores > scores[pool.systems.index('made up')] + 1e-12).sum(axis=0)


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')  # other queries
def test_simulated_systems_are_further_runs(campaign):
    """S_rare and S_common of Figure 1, each as one more run of the pool. Without a weight on rareness the two fare
    alike; the larger the weight, the better does S_rare."""
    for query in campaign.topics[:3]:
        relevant = campaign.relevant[campaign.relevant['query_id'] == query]
        retrieved = campaign.judged.retrieved[:, relevant.index]
        by_n = sorted(zip(relevant['n_retrieved'], relevant['doc_id']), reverse=True)
        documents = {'S_rare': [f'new{n}' for n in range(15)], 'S_common': [doc for _, doc in by_n]}
        ranks = turkmen.simulated_ranks(retrieved, ALPHAS, 100)
        assert ranks.columns.tolist() == list(campaign.parts['figure1']['columns'])
        ranks = {system: ranks.filter(regex=f'^{system}').T.to_numpy() for system in documents}
        for system, found in documents.items():
            sizes = range(len(relevant) + 1)
            wanted = [ranks_of_one_more(campaign, query, found[:size]) for size in sizes]
            assert np.array_equal(ranks[system], np.transpose(wanted))
        assert (np.diff(ranks['S_rare'], axis=0) <= 0).all()
        assert (ranks['S_rare'][0] == ranks['S_common'][0]).all()


def test_first_ranks_of_the_sample():
    """Values of a program that evaluates each simulated system in full."""
    first = made('turkmen').first_ranks
    assert first.mean()[:3].tolist() == pytest.approx([12.325, 9.725, 8.075]) and len(first) == 40


@pytest.mark.slow
def test_first_ranks_of_trec_covid(shared):
    folder = shared / 'data/pool/trec-covid-r5'
    first = Turkmen(folder / 'qrels.gz', folder / 'runs').first_ranks
    means = [61.545, 53.523, 49.409, 61.545, 63.136, 63.977]
    assert first.mean().tolist() == pytest.approx(means, abs=5e-4) and len(first) == 44


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')  # a tied pair
def test_tables_1_to_3_are_those_of_meta(campaign):
    def cells(table, column):
        found = campaign[table]
        return [cell.value for (row, name), cell in found.items() if name == column]

    names = [f'{name}_Rareness(alpha={a})@100' for name in ('P', 'AP') for a in ALPHAS]
    scores = campaign.judged.scores(names)
    power = meta.discriminative_power(scores, 'tukey_pairwise', correction=None)
    for level in (0.05, 0.01):
        assert (
            cells('table1', f'yours {1 - level:.0%}')
            == (power.pvalues < level).sum(axis=1).tolist()
        )
    rng = campaign.rng('turkmen-2023 table2')
    stable = meta.stability(scores, fuzziness=0.05, n_resamples=0, rng=rng)
    assert cells('table2', 'yours')[:6] == pytest.approx(stable.values)
    pool, agreed = campaign.judged, []
    whole = pool.scores('P_Rareness@100').values.mean(axis=1)[:, 0]
    for pair in map(list, itertools.combinations(range(4), 2)):
        alone = among(campaign, pair).scores('P_Rareness@100').values.mean(axis=1)[:, 0]
        agreed.append(np.sign(np.subtract(*alone).round(12)) * np.sign(np.subtract(*whole[pair])))
    assert cells('table3', 'N=2')[0] == pytest.approx(np.mean(agreed), abs=0.05)


def test_rareness_of_documents_and_grades(campaign):
    """R document by document, of those that a system retrieves."""
    found, means, qrels = {}, [], campaign.topic_qrels
    never = qrels.drop_duplicates('query_id').assign(doc_id='never', relevance=1)
    campaign = Turkmen(pd.concat([qrels, never]), campaign.runs)
    runs = pd.concat(campaign.runs.values())
    for query, judged in campaign.topic_qrels.groupby('query_id'):
        n = runs['doc_id'][runs['query_id'] == query].value_counts()
        relevant = judged[(judged['relevance'] >= 1) & judged['doc_id'].isin(n.index)]
        R = 1 - relevant['doc_id'].map(n) / 4
        means.append([R[relevant['relevance'] == grade].mean() for grade in (1, 2)])
        found |= {f'{d} (topic {query})': r for d, r in zip(relevant['doc_id'], R)}
    chosen = {row: value for (row, _), value in campaign['table4'].items()}
    assert chosen == pytest.approx({row: found[row] for row in chosen})
    topic = min(chosen).partition(' ')[2]
    of_topic = [value for row, value in found.items() if row.endswith(topic)]
    first, *_, last = chosen.values()
    assert (first, last) == pytest.approx((max(of_topic), min(of_topic)))
    cells = [cell.value for cell in campaign['grades'].values()]
    assert cells == pytest.approx(np.mean(means, axis=0))


# ------------------------------------------------------------------------------------------------- Amigó et al.


def test_102_measures_and_one_row_without_effort():
    assert len({*Amigo.measures('intents'), *Amigo.measures('topics')}) == 102 + 3 + 4
    for family in ('RBU', 'EU'):
        both, others = {family, f'{family} e=0'}, {'RBU e=0', 'EU e=0'} - {f'{family} e=0'}
        for without in both:
            names = made('amigo').unanimity('official', (without, *others)).measures
            assert both & {name.partition('|')[0] for name in names} == both - {without}
    by_family = [name.partition('|')[0] for name in Amigo.measures('intents')]
    assert (by_family.count('RBU'), by_family.count('RBU e=0')) == (12, 3)


def test_simulations_stay_within_the_scenario():
    """Grades stay above 0 or are 0, weights of a topic sum to 1, and rankings are cut; and with draws that change
    nothing, the scores are those of the package."""
    pool, rng = made('amigo').judged, np.random.default_rng(0)
    query = pool.judged.query_of_pair
    for longest in (None, 5):
        drawn = amigo.simulated(pool, longest, [rng])
        before, after = pool.table['relevance'], drawn.table['relevance']
        assert ((after > 0) == (before > 0)).all() and (after <= before).all()
        weights = drawn.table[after > 0].groupby(['query_id', 'subtopic_id'])['weight']
        assert (weights.nunique() == 1).all()
        assert weights.first().groupby('query_id').sum().to_numpy() == pytest.approx(1)
        assert (drawn.n <= pool.n).all() and (longest is None or (drawn.n <= longest).all())
        kept = (pool.rank > 0) & (pool.rank <= drawn.n[:, query])
        assert (drawn.rank == np.where(kept, pool.rank, 0)).all()
    nothing = SimpleNamespace(random=np.zeros, integers=lambda low, high, endpoint: high)
    values = made('amigo').scores(amigo.simulated(pool, None, [nothing]))
    assert values == pytest.approx(
        made('amigo').scores(pool), abs=1e-13
    )  # the sample has equal weights


def test_unanimity_of_the_sample():
    """Values of unanimity() on the scores of the package's measures; RBU, EU and ERR-IA reach the ceiling."""
    cells = made('amigo')['table2']
    for row in ('RBU', 'EU', 'ERR-IA@k'):
        best = cells[row, 'official']
        assert (best.value, best.limit) == pytest.approx((0.9797, best.value), abs=5e-5)
    lower = cells['AP-IA', 'official']
    assert (lower.value, lower.limit) == pytest.approx((0.8541, 0.9814), abs=5e-5)
    words = {'a09': q.DISAGREE, 'a10': q.DISAGREE, 'a18': q.UNTESTED, 'a26': q.UNTESTED}
    words |= dict.fromkeys(('a11', 'a12', 'a13', 'a14'), q.AGREE)
    claims = {claim: made('amigo').claim(claim) for claim in words}
    assert {claim: judged.verdict for claim, judged in claims.items()} == words
    assert '0.625 and 0.4167' in claims['a10'].yours


def test_dynamic_domain(dynamic_domain):
    """The columns of Dynamic Domain, on a run and the same run cut."""
    qrels, run = dynamic_domain
    runs = {f'first {n}': run.groupby('query_id').head(n) for n in (5, 10, 15, 25, 50)}
    qrels = qrels[qrels['query_id'].isin(set(run['query_id']))]
    study = studies.paper('amigo', qrels, runs, name='TREC Dynamic Domain 2016')
    cells = study['table3']
    assert {column for _, column in cells} == {'DD 2015', 'DD, one RBU'}
    assert all(value.value <= 1 for value in cells.values())
    verdicts = [study.claim(claim).verdict for claim in ('a22', 'a27')]
    assert verdicts[0] == q.UNTESTED != verdicts[1]
