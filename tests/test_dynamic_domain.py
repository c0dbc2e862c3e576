"""TREC Dynamic Domain: runs by iterations, passages, and the measures against what the track's own programs print.

The programs are trec-dd-jig (``old-scorer/cubeTest_dd.pl``, 2015 and 2016, and ``scorer/cubetest.py``, 2017) and the
scorers of trec-dd-simulation-harness (2015), run on the sample run and the passage judgments of 2016; on the run as it
is, and with every third line replaced by a document that nothing is known of.
"""

import numpy as np
import pytest

from ir_divmeasures import measures, read_qrels, read_run, read_runs
from ir_divmeasures.evaluation.provider import Evaluator

from .builders import expect_error, random_query, refused, run_of, table_of, values

TOPICS = ('DD16-1', 'DD16-2', 'DD16-10')
# Mean over the run's topics, then the three topics; ten digits as the programs print them.
PERL = {  # passages by log discount; (CubeTest@k, ACubeTest@k)
    'as it is': {
        1: [
            (0.4176380905, 0.3321817514),
            (0.6922596420, 0.5378953169),
            (0.5333333333, 0.5101581268),
            (0.0988466555, 0.0810193311),
        ],
        2: [
            (0.2642964530, 0.2898634499),
            (0.3799464317, 0.4524973292),
            (0.3142354511, 0.3999648158),
            (0.0945405152, 0.0814517982),
        ],
        10: [
            (0.1547677341, 0.2145551246),
            (0.0771264614, 0.2003506325),
            (0.0672795505, 0.1757408437),
            (0.0377024079, 0.0499373467),
        ],
    }
}
PYTHON = {  # passages added up
    'as it is': {
        1: [
            (0.4445870999915118, 0.35857952423393596),
            (0.7291666667, 0.5625),
            (0.5333333333, 0.52),
            (0.1, 0.08125),
        ],
        5: [
            (0.19349256055632935, 0.25983615140882754),
            (0.163645223, 0.31806706),
            (0.1389583333, 0.2713506944),
            (0.0406820679, 0.0642312785),
        ],
        10: [
            (0.16472050940139793, 0.23068254687694115),
            (0.0819973126, 0.2119533375),
            (0.0695898438, 0.1805441861),
            (0.0378322577, 0.050196443),
        ],
    },
    'with gaps': {
        2: [
            (0.24752099514048048, 0.25247468801283146),
            (0.375, 0.2908333333),
            (0.3166666667, 0.405),
            (0.0921875, 0.07203125),
        ],
        10: [
            (0.14124892076585066, 0.18849708612899888),
            (0.0814090443, 0.1700417015),
            (0.0658854167, 0.1744571594),
            (0.0363934326, 0.0489261474),
        ],
    },
}
# The best passage of a document and subtopic. The harness takes a rating of 0 (19 lines of the run) as probability 0;
# these are its values with such ratings as 1, as both cube test programs and read_qrels have them.
HARNESS = {
    'as it is': {
        'ERR_over_aspects': [
            0.3852994217751764,
            0.41926860360477214,
            0.6468559064119402,
            0.1262202017444292,
        ],
        "ERR_over_aspects(gain='binary')": [
            0.6590132751777269,
            2 / 3,
            0.6944444444444445,
            0.3051020408163266,
        ],
        "ERR_over_aspects(mean='harmonic')": [
            0.2559744184480069,
            0.3927422341826038,
            0.01545859467365316,
            0.020130911686498536,
        ],
        "ERR_over_aspects(mean='harmonic',gain='binary')": [
            0.4978397552870578,
            0.6,
            0.21428571428571427,
            0.046511627906976744,
        ],
        'P_at_Recall(modified=True)': [
            0.4878751697294637,
            0.8333333333333333,
            1 / 9,
            0.07142857142857142,
        ],
        'P_at_Recall': [1, 1, 1, 1],
        'RR_at_Recall': [0.31632972239175106, 0.5, 1 / 12, 0.02040816326530612],
    },
    'with gaps': {
        'ERR_over_aspects': [
            0.31500726670918555,
            0.31437427637295273,
            0.9675196186847803,
            0.07972496791902679,
        ],
        "ERR_over_aspects(gain='binary')": [0.5434551172523489, 0.5277777777777778, 1, 0.18],
        "ERR_over_aspects(mean='harmonic')": [
            0.22081755398899142,
            0.22914492555139815,
            0.967519558792721,
            0.01205049333710461,
        ],
        'P_at_Recall(modified=True)': [0.3479761672948057, 0.625, 0.02, 0.07],
        'P_at_Recall': [0.7029835040004826, 0.75, 0.68, 0.66],
        'RR_at_Recall': [0.22682822078966927, 0.25, 0.02, 0.02],
    },
}


@pytest.fixture
def run_file(shared, tmp_path):
    """The sample run of 2016, as it is or with every third line replaced."""

    def file(kind):
        path = shared / 'data/trec-dd/dd16-run.txt'
        if kind == 'as it is':
            return path
        lines = path.read_text().splitlines()
        for i in range(1, len(lines), 3):
            topic, iteration, _, score, *_ = lines[i].split('\t')
            lines[i] = '\t'.join([topic, iteration, f'none-{i}', score, '0', 'NULL'])
        changed = tmp_path / 'gaps.txt'
        changed.write_text('\n'.join(lines) + '\n')
        return changed

    return file


def scored(names, qrels, path):
    """(mean over the run's topics, the three topics) of each measure."""
    run = read_run(path)
    found = {
        (m.query_id, str(m.measure)): m.value
        for m in Evaluator(measures(names), qrels).iter_calc(run)
    }
    topics = run['query_id'].unique()
    return [
        [np.mean([found[t, str(m)] for t in topics]), *(found[t, str(m)] for t in TOPICS)]
        for m in measures(names)
    ]


@pytest.mark.parametrize(
    'passages, kind, k',
    [
        (how, kind, k)
        for how, table in (('log', PERL), ('sum', PYTHON))
        for kind in table
        for k in table[kind]
    ],
)
def test_cube_test_by_iteration_is_the_tracks(shared, run_file, passages, kind, k):
    qrels = read_qrels(shared / 'data/trec-dd/dd16-passage-qrels.txt.gz', passages=passages)
    wanted = {'log': PERL, 'sum': PYTHON}[passages][kind][k]
    found = scored(f'CubeTest@{k} ACubeTest@{k}', qrels, run_file(kind))
    assert np.transpose(found) == pytest.approx(np.array(wanted), abs=6e-11)


@pytest.mark.parametrize('kind', HARNESS)
def test_measures_over_aspects_are_the_harness_s(shared, run_file, kind):
    qrels = read_qrels(shared / 'data/trec-dd/dd16-passage-qrels.txt.gz', passages='max')
    for name, wanted in HARNESS[kind].items():
        assert scored(name, qrels, run_file(kind))[0] == pytest.approx(wanted, rel=1e-12), name


def test_one_document_an_iteration_is_no_iterations():
    rng = np.random.default_rng(8)
    queries = {f'q{i}': random_query(rng) for i in range(12)}
    run = run_of(queries)
    steps = run.assign(iteration=run.groupby('query_id').cumcount() + 1)
    asked = measures('CubeTest ACubeTest CubeTest@3 ACubeTest@3')
    assert values(asked, table_of(queries), run) == pytest.approx(
        values(asked, table_of(queries), steps)
    )


# ------------------------------------------------------------------------------------------------------ files

DD = (
    't\t0\tb\t1.5\t1\tt.1:2|t.2:3\r\nt\t0\ta\t2.5\t0\tNULL\r\n'
    't\t2\tb\t9\t0\t\r\nt\t2\tc\t9\t0\r\nt\t2\tb\t9\t0\tNULL\r\n'
)


def test_iterations_then_scores_then_the_files_order(tmp_path):
    path = tmp_path / 'mine.txt'
    path.write_bytes(DD.encode())
    for run in (
        read_run(path),
        read_run(path, format='dd'),
        dict(read_runs(path, format='dd'))['mine.txt'],
    ):
        assert list(run.itertuples(index=False, name=None)) == [
            ('t', 'b', 4.0, 1),
            ('t', 'a', 5.0, 1),
            ('t', 'b_dup', 3.0, 3),
            ('t', 'c', 2.0, 3),
            ('t', 'b_dup2', 1.0, 3),
        ]


@pytest.mark.parametrize(
    'line, said',
    [
        ('t 0 d 1.5', 'line 2: expected 6 fields .*, found 4'),
        ('t x d 1.5 1', "line 2: iteration is 'x'"),
        ('t 0 d nan 1', "line 2: score is 'nan'"),
        ('t 0 d 1.5 2', "line 2: on_topic is 2, expected 0 or 1"),
    ],
)
def test_wrong_lines_of_dynamic_domain_runs(tmp_path, line, said):
    path = tmp_path / 'wrong'
    path.write_text(f't 0 a 2 1 NULL\n{line}\n')
    refused(said, read_run, path, format='dd')


def test_wrong_lines_and_names_of_forms(tmp_path):
    path = tmp_path / 'wrong'
    path.write_text('q d\nq e 1\n')
    refused('line 2: expected 2 fields', read_run, path, format='evall')
    with expect_error(
        "format='evail': expected one of trec, dd, evall, msmarco; did you mean 'evall'"
    ):
        read_run(path, format='evail')
    path.write_text('q d\nq d\n')
    refused("line 2: duplicate document 'd' in query 'q'", read_run, path, format="evall")


def test_passages(tmp_path):
    path = tmp_path / 'qrels'
    path.write_text('q\tq.1\td\tp1\t1\nq\tq.1\td\tp2\t4\nq\tq.1\td\tp3\t0\nq\tq.2\td\tp3\t-2\n')
    assert read_qrels(path, passages='sum')['relevance'].tolist() == [6]
    assert read_qrels(path, passages='max')['relevance'].tolist() == [4]
    refused("passages='mean': expected one of sum, log, max", read_qrels, path, passages='mean')
    assert read_qrels(path, passages='log')['relevance'].tolist() == [
        pytest.approx(4 + 1 / np.log2(3) + 1 / 2)
    ]
