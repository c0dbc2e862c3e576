"""The data file of proofs, and ``reference/proofs.py``, which writes it and is run nightly."""

import pathlib

import pytest

from ir_divmeasures import axioms
from ir_divmeasures.axioms.claims import CLAIMS
from ir_divmeasures.axioms.constraints import CONSTRAINTS

KEYS = ['measure', 'constraint', 'reading']
"""The columns that name a cell."""
SCRIPTS = str(pathlib.Path(__file__).parents[1] / 'reference')
# Both readings, stated and narrow: r refuted, p proved, d depends on the discount.
EXPECTED = {
    'P-IA@k': {'AspRel': 'pp', 'Pri': 'rr', 'AspDiv': 'rp', 'Deep': 'rr'},
    'RR': {'Sat': 'pp', 'Conf': 'rr'},
    'nDCG@k': {'Deep': 'dd', 'Pri': 'pp'},
    'ERR-IA@k': {'Pri': 'pp', 'MRed': 'pp', 'Red': 'rp', 'AspRel': 'rp'},
    'RBP-IA': {'AspDiv': 'pp', 'Red': 'rr', 'Deep': 'pp'},
    'S-Recall@k': {'Sat': 'pp', 'AspDiv': 'rr'},
    'NRBP': {'Pri': 'rp', 'Red': 'pp'},
    'α-nDCG@k': {'Red': 'pp', 'Pri': 'rp'},
    'EU': {'Conf': 'pp', 'Sat': 'rr'},
    'CT@k': {'Sat': 'pp', 'Conf': 'rr'},
    'RBU@k': {'Pri': 'pp', 'Conf': 'pp', 'MRed': 'pp', 'Sat': 'pp', 'Red': 'rp', 'AspRel': 'rp'},
}


def test_verdicts_of_the_data_file():
    """Every cell is decided, refuted ones have a witness that the measure itself orders wrongly."""
    found = axioms.proofs()
    proved = set(CONSTRAINTS) - {'DeepTh', 'DeepTh∃', 'CloseTh'}
    assert set(found['constraint']) == proved, 'python reference/proofs.py'
    assert set(found['measure']) == set(CLAIMS) and not found.duplicated(KEYS).any()
    assert len(found) == len(CLAIMS) * len(proved) * 2
    verdict = found.set_index(KEYS)['verdict'].str[0]
    for label, of_row in EXPECTED.items():
        for constraint, letters in of_row.items():
            both = verdict[label, constraint, 'stated'] + verdict[label, constraint, 'narrow']
            assert both == letters, (label, constraint)
    refuted = found[found['verdict'] == 'refuted']
    assert (found['counterexample'] != '').equals(found['verdict'] == 'refuted')
    for example in refuted['counterexample']:
        higher, lower = map(float, example.splitlines()[-1].split()[1:])
        assert higher <= lower
    depends = found[found['verdict'] == 'depends on the discount']
    assert set(depends['constraint']) == {'Deep'} and (depends['note'] != '').all()


def test_proofs_and_the_search_agree():
    """What the search refutes with few documents is refuted."""
    table = axioms.table(longest=8, deepest=16)
    for label, constraint, reading, n, verdict in axioms.proofs()[
        [*KEYS, 'n', 'verdict']
    ].itertuples(index=False):
        for check in table[label].checks:
            cell = check[constraint]
            example = cell.counterexample if reading == 'stated' else cell.narrow_counterexample
            if example is not None and example.length <= n and example.case.weight.shape[1] <= 2:
                assert verdict == 'refuted', (label, constraint, reading)


def test_the_script_gives_these_verdicts(monkeypatch):
    pytest.importorskip('z3')
    monkeypatch.syspath_prepend(SCRIPTS)
    import proofs as script

    known = axioms.proofs().set_index(KEYS)['verdict']
    for label, constraint in (('RBU@k', 'Conf'), ('EU', 'Deep'), ('RR', 'Sat'), ('CT@k', 'Red')):
        for reading in script.READINGS:
            found = script.prove(label, constraint, reading=reading)['verdict']
            assert found == known[label, constraint, reading]
