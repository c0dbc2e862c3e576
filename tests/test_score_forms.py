"""Files of scores: three forms, each told by its content, and read or refused with a sentence of its own."""

import gzip

import pandas as pd

from ir_divmeasures import Scores, compare
from ir_divmeasures.cli import main
from ir_divmeasures.errors import FilesWarning

from .builders import expect_error, expect_warning, over, refused

EXAMPLES = {
    'tidy': ('x.csv', 'system,query_id,measure,value\na,q1,AP,0.5\na,q2,AP,0.2\n', ('a', 'AP')),
    'wide': ('AP.csv', 'query_id,a,b\nq1,0.5,0.2\n', ('a', 'AP')),
    'wide, by system': ('AP.csv', 'name,q1,q2\na,0.5,0.2\n', ('a', 'AP')),
    'ir_measures': ('a.eval.tsv', 'q1\tAP\t0.5\nq2\tAP\t0.2\n', ('a', 'AP')),
    'trec_eval': ('a.txt', 'map   \tq1\t0.5\nmap   \tall\t0.5\n', ('a', 'map')),
}
"""The name and content of a file, and the first system and measure in it; its score on q1 is .5."""


def save(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@over('form', EXAMPLES)
def test_each_form_is_read(tmp_path, form):
    name, content, (system, measure) = EXAMPLES[form]
    scores = Scores.read(save(tmp_path / form, name, content))
    assert (scores.systems[0], scores.queries[0], scores.measures[0]) == (system, 'q1', measure)
    assert scores.values[0, 0, 0] == 0.5


@over(
    'content, said',
    [
        ('q Q0 d 1 2.5 tag\n', 'x.txt'),
        ('map 0.5\nP_5 0.2\n', 'x.txt'),
        ('map all 0.5\n', 'x.txt'),
        ('\n \n', 'x.txt: no header'),
        ('\nq1 AP 0.5\n\nq2 AP nan\n', "x.txt, line 4: .*'nan', expected a number"),
        ('q1 AP 0.5\nq1 AP 0.5\n', 'AP of x on q1 is there twice'),
    ],
)
def test_what_is_no_score_is_refused(tmp_path, content, said):
    refused(said, Scores.read, save(tmp_path, 'x.txt', content))


def test_a_table_of_means_is_refused(tmp_path):
    """Its headings, or the names of its rows, are names of measures."""
    for content in (
        *(f'{name},AP,nDCG@10\na,0.5,0.2\n' for name in ('system', 'model', 'run', '', 'setting')),
        'name,ndcg_at_10,hit_rate_at_5\na,0.5,0.2\n',
        'name,AP,AP +,AP p-value\na,0.5,,\nb,0.2,1,0.3\n',
        'measure,a,b\nAP,0.5,0.2\nP@5,0.1,0.2\n',
        'query_id,AP,P@5\n1,0.5,0.2\n',
    ):
        refused('means|expected columns', Scores.read, save(tmp_path, 'x.csv', content))
    means = pd.DataFrame({'AP': [0.5, 0.3], 'P@5': [0.4, 0.2]}, ['a', 'b'])
    for table in means, means.T:
        refused('means', compare, table)


@over('word', ['Average', 'mean', 'all', 'overall'])
def test_rows_of_means_are_left_out(tmp_path, word):
    content = f'query_id,a,b\nq1,0.5,0.2\n{word},0.5,0.2\n'
    with expect_warning('2 means .* left out', FilesWarning):
        assert Scores.read(save(tmp_path, 'AP.csv', content)).queries == ('q1',)


def test_the_endings_of_files_are_no_part_of_a_system(tmp_path):
    for ending in ('.txt', '.eval.txt', '.trec_eval.gz', '.irmeasures-qn.tsv'):
        content = b'q1 AP 0.5\n'
        path = save(
            tmp_path, f'bm25.v2{ending}', gzip.compress(content) if ending[-2:] == 'gz' else content
        )
        assert Scores.read(path).systems == ('bm25.v2',), ending


def test_folders_are_read(tmp_path):
    for name in ('b.txt', 'a.txt'):
        save(tmp_path, name, 'q1 AP 0.5\n')
    save(tmp_path, '.hidden', 'nothing\n')
    assert set(Scores.read(tmp_path).systems) == {'a', 'b'}
    with expect_error('empty', FileNotFoundError):
        Scores.read(save(tmp_path, 'empty/.x', '').parent)


def test_commands_take_files_of_scores(tmp_path, capsys):
    for system, values in {'a': (0.5, 0.7, 0.4), 'b': (0.2, 0.3, 0.1)}.items():
        save(tmp_path, f'{system}.txt', ''.join(f'q{q} P@5 {v}\n' for q, v in enumerate(values)))
    assert main(['compare', '--scores', str(tmp_path / '*.txt'), '--format', 'csv']) == 0
    assert '0.5333' in capsys.readouterr().out  # (.5 + .7 + .4)/3
