"""The scripts of `examples`, the demo, and the list of measures print what they should."""

import pathlib
import re
import runpy
import sys

import pytest

from ir_divmeasures import cli, demo, read_run

ROOT = pathlib.Path(__file__).parents[1]


@pytest.mark.slow
def test_ambient_rankings(shared, tmp_path, monkeypatch):
    """Twenty-three rankings of the query's own documents, among them the order of the engine."""
    ambient = shared / 'data' / 'ambient'
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'argv', ['ambient_rankings.py', str(ambient)])
    runpy.run_path(str(ROOT / 'examples/ambient_rankings.py'), run_name='__main__')
    runs = {path.stem: read_run(path) for path in pathlib.Path('runs').glob('*.run')}
    assert len(runs) == 23
    for run in runs.values():
        assert (run['doc_id'].str.partition('.')[0] == run['query_id']).all()
    engine = read_run(ambient / 'engine-order.run')
    assert len(engine.merge(runs['engine'], on=['query_id', 'doc_id'])) == len(engine)


def test_demo_prints_the_table_of_the_readme(capfd):
    """It prints nothing but its report, not even progress bars."""
    assert cli.main(['demo']) == 0
    out, err = capfd.readouterr()
    assert err == ''
    (table,) = re.findall(
        r'^```\n(name .*?)^```', (ROOT / 'README.md').read_text('utf-8'), re.M | re.S
    )
    assert table in out and table.split()[:7] == ['name', *demo.MEASURES.split()]
    assert 'Why: the first 5 documents' in out


@pytest.mark.parametrize('missing', ['bm25s', 'sklearn'])
def test_demo_without_its_extra(missing, capsys, monkeypatch):
    for name in [n for n in sys.modules if n == missing or n.startswith(f'{missing}.')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert cli.main(['demo']) == 2
    assert "pip install '.[demo]'" in capsys.readouterr().err


def test_measures_lists_and_describes(ran):
    out = ran('measures')
    assert 'Utility and cascade\n  RBU(p=0.8,e=0.03,' in out and '\n  web-track ' in out
    out = ran('measures RBU')
    assert 'p = 0.8: persistence' in out and 'a number in [0, 1]' in out and 'Eq. 11' in out
