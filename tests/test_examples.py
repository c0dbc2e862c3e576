"""The examples and the commands run, and print what they should."""

import pathlib
import runpy
import sys

import pytest

from ir_divmeasures import cli, demo, read_run

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

ROOT = pathlib.Path(__file__).parents[1]


@pytest.fixture(scope='module')
def made():
    return demo.make()


@pytest.fixture
def indexed(made, monkeypatch):
    """The demo's systems, built once for several tests."""
    monkeypatch.setattr(demo, 'make', lambda: made)


@pytest.fixture
def run_example(capsys, monkeypatch):
    def run(name, *arguments):
        monkeypatch.setattr(sys, 'argv', [name, *arguments])
        runpy.run_path(str(ROOT / 'examples' / name), run_name='__main__')
        return capsys.readouterr().out

    return run


@pytest.mark.slow
def test_hierarchies(run_example, indexed):
    out = run_example('hierarchies.py')
    assert out.count('HDsharp_nDCG@10') == 4 and '├─ cars: 5 documents' in out
    assert 'What are Jaguar cars like to buy, own and repair?' in out


def test_pyterrier_experiment(run_example):
    out = run_example('pyterrier_experiment.py')
    assert 'RBU(p=0.99,e=0.05)@20  alpha_nDCG@20  Dsharp_nDCG@20  nDCG@20' in out
    assert 'BM25 >> xQuAD   38 better   2 worse' in out


def test_measures_by_name(run_example):
    out = run_example('measures_by_name.py')
    assert 'nDCG@10                          1.0000         1.0000' in out
    first, second = (
        line for line in out.splitlines() if 'StRecall@3 ' in line and 'meaning' in line
    )
    assert 'StRecall@3 0.200' in first and 'StRecall@3 0.800' in second


@pytest.mark.slow
def test_web_track_without_data(run_example, indexed):
    out = run_example('web_track_2014.py')
    assert 'for want of: ' in out and 'a folder of run files' in out
    assert 'BM25 >> xQuAD' in out and 'First by each measure' in out


def test_web_track_with_data(run_example, shared):
    out = run_example('web_track_2014.py', str(shared / 'data' / 'runs' / 'clueweb12'))
    assert (
        'clueweb12/trec-web-2014/diversity, means over queries' in out and 'bert_cw12_reinfo' in out
    )


@pytest.mark.slow
def test_ambient_rankings(run_example, shared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_example('ambient_rankings.py', str(shared / 'data' / 'ambient'))
    runs = {path.stem: read_run(path) for path in pathlib.Path('runs').glob('*.run')}
    assert len(runs) == 23 and all(
        (run['doc_id'].str.partition('.')[0] == run['query_id']).all() for run in runs.values()
    )
    engine = read_run(shared / 'data' / 'ambient' / 'engine-order.run')
    assert len(engine.merge(runs['engine'], on=['query_id', 'doc_id'])) == len(engine)


def test_innovation(run_example, tmp_path):
    name, *table = (line.split() for line in run_example('innovation.py').splitlines())
    assert [row[0] for row in table] == [
        'P@20',
        'P_Rareness(alpha=0.5)@20',
        'P_Rareness@20',
        'AP@20',
        'AP_Rareness(alpha=0.5)@20',
        'AP_Rareness@20',
    ]
    assert all(float(a) < float(b) < float(c) for a, b, c in zip(*(row[1:] for row in table[:3])))
    (tmp_path / 'runs').mkdir()
    (tmp_path / 'qrels').write_text('q 0 d1 1\nq 0 d2 1\n')
    (tmp_path / 'runs/A.run').write_text('q Q0 d1 1 2.0 A\nq Q0 d2 2 1.0 A\n')
    (tmp_path / 'runs/B.run').write_text('q Q0 d1 1 2.0 B\n')
    out = run_example('innovation.py', str(tmp_path / 'qrels'), str(tmp_path / 'runs'))
    assert (
        'A                              0.1000 0.1125 0.1250 1.0000' in out
    )  # 2/20, (1 + 5/4)/20, (1 + 3/2)/20


def test_nuggets(run_example, tmp_path):
    """By hand: of two vital nuggets of each question, short has one, and long has both."""
    out = run_example('nuggets.py')
    rows = [line.split() for line in out.splitlines() if 'Coverage' in line]
    assert [row[1:] for row in rows[:2]] == [['0.500', '1.000'], ['0.375', '0.750']]
    (tmp_path / 'ratings.jsonl').write_text('{"id": "q", "docid": "d", "rating": [5, 0, 1]}\n')
    (tmp_path / 'A.run').write_text('q Q0 d 1 2.0 A\n')
    out = run_example('nuggets.py', str(tmp_path / 'ratings.jsonl'), str(tmp_path / 'A.run'))
    assert '0.3333' in out


def test_demo(capfd, indexed):
    """It says nothing but its report, also where progress bars would go."""
    assert cli.main(['demo']) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert err == ''
    head = next(line for line in lines if line.startswith('name'))
    assert head.split() == ['name', *demo.MEASURES.split()]
    rows = lines[lines.index(head) + 1 : lines.index(head) + 8]
    assert sum('*' in row for row in rows) >= 2
    assert rows[0].startswith('BM25 ') and 'Why: the first 5 documents' in out


def test_demo_with_a_wrong_measure(capsys):
    assert cli.main(['demo', '--measures', 'alpha_nDCG(alfa=1)@5']) == 2
    assert (
        "error: alpha_nDCG: unknown parameter 'alfa'; did you mean 'alpha'?"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize('missing', ['bm25s', 'sklearn'])
def test_demo_without_its_extra(missing, capsys, monkeypatch):
    for name in [n for n in sys.modules if n == missing or n.startswith(f'{missing}.')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert cli.main(['demo']) == 2
    assert "pip install '.[demo]'" in capsys.readouterr().err


def test_measures_lists_and_describes(ran, capsys):
    out = ran('measures')
    assert 'Utility and cascade\n  RBU(p=0.8,e=0.03,' in out and '\nSubtopics covered\n' in out
    assert '\n  web-track ' in out
    out = ran('measures RBU')
    assert 'p = 0.8: persistence' in out and 'a number in [0, 1]' in out and 'Eq. 11' in out
    assert cli.main(['measures', 'RBUU']) == 2
    assert "did you mean 'RBU'?" in capsys.readouterr().err
    assert cli.main(['measures', 'nDCG']) == 2


def test_no_command(capsys):
    assert cli.main([]) == 2
    assert '--help' in capsys.readouterr().out
