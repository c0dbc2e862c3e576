"""The command: against ir_measures' own, errors, files, every subcommand."""

import contextlib
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import click
import numpy as np
import pandas as pd
import pytest
import requests
from click.shell_completion import BashComplete

import ir_divmeasures
from ir_divmeasures import Scores, cli, explain, read_qrels
from ir_divmeasures.tables import FORMS
from ir_divmeasures_command import RESEARCH, SCORING, root

from .builders import expect_error, over, words_of
from .fresh import ROOT, printed, streams

ENVIRONMENT = {**os.environ, 'PYTHONPATH': str(ROOT)}

# Two queries of two subtopics, one that no run has; graded.
QRELS = """\
1 1 a 1
1 2 b 2
1 1 c 0
1 2 c 1
2 1 a 1
2 2 d 1
2 1 e 0
3 1 a 1
"""
RUNS = {
    'one': [('1', 'abcx'), ('2', 'xad')],
    'two': [('1', 'xcba'), ('2', 'dea')],
    'three': [('2', 'xyze'), ('1', 'a')],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Judgments with subtopics, the same at topic level, a folder of runs."""
    (tmp_path / 'qrels').write_text(QRELS)
    ir_divmeasures.write_qrels(ir_divmeasures.topic_level(QRELS_FRAME), tmp_path / 'topics')
    (tmp_path / 'runs').mkdir()
    for name, rankings in RUNS.items():
        (tmp_path / 'runs' / f'{name}.run').write_text(
            ''.join(
                f'{query} Q0 {doc} {rank} {10 - rank} {name}\n'
                for query, docs in rankings
                for rank, doc in enumerate(docs, 1)
            )
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


QRELS_FRAME = pd.DataFrame(
    [line.split() for line in QRELS.splitlines()],
    columns=['query_id', 'subtopic_id', 'doc_id', 'relevance'],
).astype({'relevance': int})


@pytest.fixture
def refused(capsys):
    """What a command line prints that is not accepted: one line of an error, and perhaps a hint."""

    def refused(*arguments, code=2):
        assert cli.main(words_of(arguments)) == code
        out, err = capsys.readouterr()
        lines = [line for line in err.splitlines() if not line.startswith('warning: ')]
        assert lines[0].startswith('error: ') and len(lines) <= 2 and 'Traceback' not in err
        return err

    return refused


# -------------------------------------------------------------------------------------------- as ir_measures' command


IR_MEASURES = """import sys
from ir_measures.__main__ import main_cli
sys.argv = ['ir_measures', *{}]
main_cli()"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason='ir_measures 0.4.3 parses no names')
@over(
    'qrels, arguments',
    [
        ('topics', 'nDCG@3 P@2 AP'),
        ('topics', '-q nDCG@3 P(rel=2)@2'),
        ('topics', '--by_query --no_summary RR -p 2'),
        ('topics', '-o jsonl AP RR'),
        ('topics', '-q -o jsonl AP -n'),
        ('topics', '-p -1 nDCG AP'),
        ('topics', '--output_format tsv nDCG@2'),
        ('topics', 'Rprec Success@2 Judged@3 NumRel NumRet NumQ R@2 SetF --places 3'),
        ('--provider pytrec_eval -q topics', 'AP'),
        ('-p 2 topics', 'nDCG -n -q'),
        ('qrels', 'alpha_nDCG@5 ERR_IA@10 StRecall@2'),
        ('qrels', '-q alpha_DCG@5 P_IA@5 -p 6'),
    ],
)
def test_lines_of_the_command_ir_measures(files, ran, qrels, arguments):
    """The same lines when only the name of the command changes; per query in the order of the judgments."""
    *options, qrels = qrels.split()
    given = [*options, str(files / qrels), str(files / 'runs/one.run'), *arguments.split()]
    failed, theirs, err = streams(IR_MEASURES.format(given), 'import ir_measures.__main__')
    assert not failed, err
    assert sorted(ran(*given).splitlines()) == sorted(theirs.splitlines())
    if '-q' not in given and '--by_query' not in given and not options:
        assert ran('evaluate', *given).splitlines() == theirs.splitlines()


# --------------------------------------------------------------------------------------------------------- evaluate


def test_several_runs_are_a_table(files, ran):
    assert ran("evaluate qrels runs -m 'StRecall@2 P@1'") == (
        'system  StRecall@2     P@1\n'
        'one         0.5000  0.3333\n'
        'three       0.1667  0.3333\n'
        'two         0.3333  0.3333\n'
    )


@pytest.mark.parametrize('form', [*FORMS, 'tsv', 'jsonl'])
def test_forms_hold_the_same_numbers(files, ran, form):
    text = ran('evaluate qrels runs/one.run runs/two.run StRecall@2 -q --format', form, '-p 6')
    assert text.count('0.5') >= 2 and 'one' in text and 'two' in text
    if form == 'csv':
        frame = pd.read_csv(io.StringIO(text), dtype={'query_id': str})
        assert frame.loc[
            (frame['system'] == 'one') & (frame['query_id'] == '1'), 'StRecall@2'
        ].tolist() == [1.0]
    if form in ('jsonl', 'tsv'):
        assert len(text.splitlines()) == 8  # three queries and the mean, of two systems


def test_globs_sets_of_measures_and_intents(files, ran):
    (files / 'weights').write_text('1 1 0.9\n1 2 0.1\n2 1 0.5\n2 2 0.5\n3 1 1\n')
    out = ran('evaluate qrels runs/t*.run web-track --format csv')
    assert out.startswith('system,ERR_IA@20,alpha_nDCG@20,NRBP,StRecall@20,P_IA@20,AP_IA\nthree,')
    weighted = ran('evaluate qrels runs/one.run P_IA@1 -q -n --intents weights')
    assert weighted.splitlines()[0] == '1\tP_IA@1\t0.9000'


# ------------------------------------------------------------------------------------------------- errors and files


@over(
    'line, said',
    [
        ('evalute x', "No such command 'evalute'"),
        ('evaluate nowhere runs/one.run AP', 'nowhere: no such file'),
        ('evaluate - runs/one.run AP', '-: no such file; the standard input is /dev/stdin'),
        ('evaluate qrels runs/one.run', 'no measures'),
        ('evaluate qrels runs/one.run nDGC@10', "no measure 'nDGC'; did you mean"),
        ('evaluate qrels runs/one.run AP -n', '--no-summary needs --by-query'),
        ('evaluate qrels runs/one.run AP --format xml', "'xml' is not one of"),
        ('evaluate qrels runs/none*.run AP', 'no run files there'),
        ('evaluate qrels runs/one.run AP --provider pytrec', "did you mean 'pytrec_eval'?"),
        ('evaluate', "Missing argument 'QRELS'"),
        ('compare qrels runs -m AP -b on', "did you mean 'one'?"),
        ('compare qrels runs -m AP --name on=x', "'on' is not in the results; did you mean 'one'?"),
        ('qrels hierarchy qrels -o x', 'expected --docs, --superintents, or both'),
        ('evaluate runs/one.run qrels AP', 'judgments come first, then runs'),
        ('evaluate qrels runs/one.run AP -o runs/none/out', '/none: no such folder'),
        ('-x qrels runs/one.run AP', 'No such option'),
        ('meta power', 'expected QRELS, RUN'),
    ],
)
def test_errors_are_one_line_and_a_hint(files, refused, line, said):
    assert said in refused(line)


def test_debug_shows_the_traceback(files):
    with expect_error('nDGC'):
        cli.main(words_of(['--debug evaluate qrels runs nDGC']))


def test_files_are_never_overwritten_without_force(files, ran, refused):
    out = files / 'scores.csv'
    given = ['evaluate qrels runs AP --format csv -o', out]
    assert ran(*given) == '' and out.read_text().startswith('system,AP\n')
    out.write_text('mine')
    assert '--force' in refused(*given) and out.read_text() == 'mine'
    ran(*given, '--force')
    assert out.read_text().startswith('system,AP\n')
    assert sorted(path.name for path in files.iterdir()) == [
        'qrels',
        'runs',
        'scores.csv',
        'topics',
    ]


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='no devices')
def test_output_to_a_device_needs_no_force(files, ran, refused):
    assert ran('evaluate qrels runs AP -o /dev/null') == ''
    assert 'a folder, expected a file' in refused(
        'evaluate missing runs AP -o', files, '--force'
    )  # before it reads anything


def test_a_closed_output_is_an_error_only_where_it_is_needed(files, capsys, monkeypatch):
    monkeypatch.setattr(sys, 'stdout', None)
    given = words_of(['evaluate qrels runs AP --missing drop'])
    assert (
        cli.main(given) == 2 and capsys.readouterr().err == 'error: the standard output is closed\n'
    )
    assert cli.main([*given, '-o', 'out']) == 0


@over(
    'line',
    [
        'evaluate qrels runs AP -o qrels',
        'evaluate qrels runs AP -o runs/one.run',
        'evaluate qrels,topics runs AP --save-scores topics',
        'compare --scores scores.csv -o scores.csv',
        'explain qrels runs/one.run 1 -m RBU@3 --plot runs/one.run',
        'qrels convert qrels -o qrels',
    ],
)
def test_an_output_never_replaces_an_input(files, refused, line):
    some_scores().write('scores.csv', overwrite=True)
    before = {path: path.read_bytes() for path in files.rglob('*') if path.is_file()}
    assert 'is an input of the command' in refused(line, '--force')
    assert before == {path: path.read_bytes() for path in files.rglob('*') if path.is_file()}


def test_an_output_is_compressed_by_its_name(files, ran):
    ran('evaluate qrels runs AP --format csv -o scores.csv.gz')
    with gzip.open('scores.csv.gz', 'rt') as lines:
        assert next(lines) == 'system,AP\n'


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='no devices')
def test_a_full_disk_is_named_with_the_output(files, refused, monkeypatch):
    assert 'error: output: no space left' in refused('evaluate qrels runs AP -o /dev/full')

    def full(*_):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(os, 'fsync', full)
    assert 'error: new: no space left' in refused('evaluate qrels runs AP -o new')
    assert not (files / 'new').exists()


@over('encoding', ['cp1252', 'cp437', 'cp932'])
def test_every_encoding_takes_the_output(files, monkeypatch, encoding):
    """Characters that it lacks are spelled out, so that no page ends in the middle."""
    for line, said in [
        (
            'compare qrels runs -m Dsharp_nDCG@3 --format markdown',
            '| Dsharp-nDCG@3 |'.replace('sharp', '♯' if encoding == 'cp932' else 'sharp'),
        ),
        ('measures alpha_nDCG', 'Values: 0'),
        ('cite RBU --style text', 'Damiano Spina'),
    ]:
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, 'stdout', stream)
        assert cli.main(words_of([line])) == 0
        assert said in stream.buffer.getvalue().decode(encoding)


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='no named pipes')
@pytest.mark.parametrize('jobs', [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_leaves_no_half_of_a_file(files, jobs):
    """Ctrl-C while a run is read, which does not come to an end: exit code 130, one line of ours, no new file."""
    os.mkfifo(files / 'slow.run')
    before = sorted(path.name for path in files.iterdir())
    words = f'evaluate qrels runs slow.run -m AP -o out.csv --jobs {jobs}'.split()
    running = subprocess.Popen(
        [sys.executable, '-m', 'ir_divmeasures', *words],
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
        # A shell's background job ignores it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    file = None
    while file is None and running.poll() is None:
        with contextlib.suppress(OSError):  # nobody reads it yet
            file = os.open('slow.run', os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.1)
    with open(file, 'w'):
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGINT)  # a terminal sends it to all processes
        err = running.communicate(timeout=60)[1]
    told = [line for line in err.splitlines() if line.startswith('interrupted')]
    assert running.returncode == 130 and len(told) == 1, err
    assert jobs > 1 or err.strip().splitlines() == told, (
        err
    )  # joblib's own processes may say so, too
    assert sorted(path.name for path in files.iterdir()) == before


@over(
    'error, said',
    [
        (BrokenProcessPool('abruptly'), '--jobs'),
        (MemoryError(), '--jobs'),
        (RuntimeError('All download sources failed', []), 'could not download'),
        (requests.ConnectionError(), 'could not download'),
        (KeyError('gone'), "a bug of ir_divmeasures: KeyError: 'gone'"),
    ],
)
def test_what_is_a_bug_and_what_is_none(files, refused, monkeypatch, error, said):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(ir_divmeasures.data.judgments.Judgments, 'of', fail)
    assert said in refused('evaluate qrels runs AP', code=1 if 'bug' in said else 2)


def test_a_closed_pipe_is_no_error(files):
    command = f'{sys.executable} -m ir_divmeasures evaluate {files}/qrels {files}/runs/one.run -m RBU -q | true; '
    done = subprocess.run(
        command + 'echo ${PIPESTATUS[0]}',
        shell=True,
        capture_output=True,
        text=True,
        executable='/bin/bash',
        env=ENVIRONMENT,
    )
    assert (done.stdout, 'Traceback' in done.stderr) == ('0\n', False), done.stderr


def test_warnings_are_one_line(files, capsys):
    assert cli.main(words_of(['evaluate qrels runs/one.run AP'])) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith('warning: 1 of 3 judged queries are in no run (3). They are scored 0')


def walk(group, path=()):
    """Every subcommand by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from walk(command, (*path, name))
        else:
            yield ' '.join((*path, name)), command


COMMANDS = dict(walk(root))


def test_version_and_help(ran):
    assert ran('--version') == f'ir_divmeasures {ir_divmeasures.__version__}\n'
    text = ran('--help')
    assert all(f'\n  {name} ' in text for name in (*SCORING, *RESEARCH))


@over('words', COMMANDS)
def test_every_command_has_help(ran, words):
    assert ran(words, '--help').startswith(f'Usage: ir_divmeasures {words}')


@over(
    'words, completed',
    [
        ('ev', ['evaluate']),
        ('evaluate --by', ['--by-query']),
        ('compare q r --correction ho', ['holm']),
        ('pool un', ['unique']),
    ],
)
def test_commands_options_and_values_are_completed(words, completed):
    *typed, last = words.split()
    shell = BashComplete(root, {}, 'ir_divmeasures', '_IR_DIVMEASURES_COMPLETE')
    assert [each.value for each in shell.get_completions(typed, last)] == completed


def test_the_help_does_not_import_the_package():
    """Importing ir_measures alone takes longer than the whole help may take."""
    code = """import sys, ir_divmeasures_command
ir_divmeasures_command.main(['--help'])
print([name for name in ('numpy', 'ir_measures', 'ir_divmeasures') if name in sys.modules])"""
    assert printed(code, 'import sys').endswith('[]')


# ----------------------------------------------------------------------------------------------------------- compare


def some_scores():
    rng = np.random.default_rng(3)
    base = rng.random((1, 12, 2))
    return Scores(
        np.concatenate(
            [
                base,
                base + 0.02 * rng.standard_normal((1, 12, 2)),
                np.clip(base + 0.3 + 0.05 * rng.standard_normal((1, 12, 2)), 0, None),
            ]
        ),
        systems=['a', 'b', 'c'],
        measures=['AP', 'RR'],
    )


def test_command_compare(files, ran):
    table = pd.read_csv(
        io.StringIO(ran("compare qrels runs -m 'RR P@1' --baseline two --format csv"))
    )
    assert table['measure'].tolist() == ['RR'] * 2 + ['P@1'] * 2 and table['pvalue'].notna().all()
    assert set(table['other']) == {'two'} and 'two' not in set(table['system'])
    printed = ran(
        'compare qrels runs -m StRecall@2 --format latex --name one=A_1 --name StRecall@2=s_2'
    )
    assert r'system & s\_2 \\' in printed and r'A\_1 & \textbf{0.5000}' in printed


# ----------------------------------------------------------------------------------------------------------- explain


def test_command_explain(files, ran):
    given = ['explain qrels runs/one.run runs/two.run 1 -m RBU@3']
    out = ran(*given)
    scores = explain('qrels', ['runs/one.run', 'runs/two.run'], 'RBU@3', '1').scores
    assert f'RBU@3 of one on query 1: {scores["one"]:.4f}' in out and 'effort' in out
    wide = pd.read_csv(io.StringIO(ran(*given, '--by-rank --format csv')))
    assert wide[wide['system'] == 'two']['so far'].iloc[-1] == pytest.approx(scores['two'])


# -------------------------------------------------------------------------------------------------- other commands


def test_qrels_commands(files, ran):
    ran('qrels convert qrels -o out.tsv.gz --to tsv')
    pd.testing.assert_frame_equal(read_qrels(files / 'out.tsv.gz'), read_qrels(files / 'qrels'))
    ran('qrels convert qrels -o flat --topic-level')
    assert (files / 'flat').read_text().splitlines()[:3] == ['1 0 a 1', '1 0 b 2', '1 0 c 1']
    (files / 'more').write_text('9 1 a 1\n')
    ran('qrels convert qrels,more -o both')
    assert (files / 'both').read_text() == QRELS + '9 1 a 1\n'
    assert 'judged@10' in ran('qrels diagnose qrels runs')


def test_qrels_nuggets(files, ran):
    (files / 'bank.csv').write_text('query,nugget,doc,grade\n1,n1,a,1\n1,n2,b,1\n')
    ran('qrels nuggets bank.csv -o made')
    assert set(read_qrels(files / 'made')['subtopic_id']) == {'n1', 'n2'}


def test_qrels_hierarchy(files, ran, refused):
    texts = [json.dumps({'doc_id': d, 'text': f'{d}{d} {d}x'}) for d in 'abcde']
    (files / 'texts.jsonl').write_text('\n'.join(texts))
    (files / 'parents').write_text('1\t1\tp\n1\t2\tp\n')
    ran('qrels hierarchy qrels --superintents parents -o above')
    assert set(read_qrels(files / 'above')['layer']) == {-1, 0}
    pytest.importorskip('sklearn')
    ran('qrels hierarchy above --docs texts.jsonl --similarity tfidf -o built')
    assert set(read_qrels(files / 'built')['layer']) >= {-1, 0, 1}
    (files / 'texts.jsonl').write_text(texts[0])
    refused('qrels hierarchy qrels --docs texts.jsonl -o fewer')


@pytest.mark.parametrize(
    'name', ['power', 'correlations', 'ranks', 'stability', 'unanimity', 'robustness']
)
def test_meta_commands(tmp_path, ran, name):
    some_scores().write(tmp_path / 'scores.csv')
    out = ran('meta', name, '--scores', tmp_path / 'scores.csv', '--format csv')
    assert len(out.splitlines()) >= 3 and 'AP' in out and 'RR' in out


def test_saved_scores_are_read(files, ran):
    ran("evaluate qrels runs -m 'RR P@2' --save-scores s.csv")
    assert Scores.read(files / 's.csv').systems == ('one', 'three', 'two')
    line = 'meta correlations --format csv'
    assert ran(line, '--scores s.csv') == ran(line, "qrels runs -m 'RR P@2'")


def test_axioms_command(ran):
    out = ran('axioms StRecall')
    assert out.startswith('constraint') and 'Pri fails for StRecall' in out


# ------------------------------------------------------------------------------------------------------------- tables


@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_pool_commands(files, ran, refused):
    (files / 'teams').write_text('one A\ntwo A\nthree B\n')
    ran('pool save runs -o pool.parquet --depth 3 --groups teams')
    refused('pool save runs -o pool.parquet')
    # Relevant: a, b, c of query 1, a, d of 2, a of 3. Depth 3: one abc, xad; two xcb, dea; three a, xyz.
    out = ran('pool score qrels pool.parquet -m NumUnique@3 --format csv')
    pool = ir_divmeasures.pools.Pool.load(files / 'pool.parquet')
    means = pool.scores(None, str(files / 'qrels'), 'NumUnique@3').means()['NumUnique@3']
    assert out.splitlines() == [
        'system,NumUnique@3',
        *(f'{system},{value}' for system, value in means.items()),
    ]
    line = 'qrels pool.parquet --format csv'
    assert ran('pool unique', line).splitlines()[1].startswith('A,2,5,4,2,0.6666666666666666,0')
    assert ran('pool team -m P@1', line).splitlines()[1].startswith('A,one,P@1,')


@pytest.mark.parametrize(
    'name, text',
    [
        ('t.jsonl', '{"query_id": 1, "query": "big cats", "subtopics": ["where", "what"]}\n'),
        ('t.tsv', 'qid\tquery\tsubtopic_id\ttext\n1\tbig cats\t1\twhere\n1\tbig cats\t2\twhat\n'),
        ('t.csv', 'query_id,query,subtopic_id,text\n1,big cats,1,where\n1,big cats,2,what\n'),
    ],
    ids=lambda text: text[:6],
)
def test_topics_are_read_from_files(files, ran, refused, name, text):
    """A query by its text, and texts of intents."""
    (files / name).write_text(text)
    line = f'explain qrels runs/one.run -m StRecall@3 --topics {name}'
    table = pd.read_csv(io.StringIO(ran(line, "'Big  cats' --format csv")))
    assert dict(zip(table['aspect'], table['text'])) == {1: 'where', 2: 'what'}
    assert "no query 'big cat'" in refused(line, "'big cat'")


@pytest.mark.parametrize(
    'name, text, said',
    [
        ('t.jsonl', '{"query_id": 1, "query": "x"}\nx\n', 't.jsonl, line 2: not JSON'),
        ('t.tsv', '1\tx\n2\n', 't.tsv, line 2: expected 2 fields (query_id query), found 1'),
        ('t.csv', 'query_id,description\n1,x\n', 't.csv, line 2: expected query_id'),
        (
            't.csv',
            'query_id,query\n1,x\n2\n',
            't.csv, line 3: expected 2 fields (query_id query), found 1',
        ),
        ('none.tsv', None, 'none.tsv: no such file'),
    ],
)
def test_mistakes_in_topics_name_file_and_line(files, refused, name, text, said):
    if text is not None:
        (files / name).write_text(text)
    assert said in refused('explain qrels runs/one.run 1 -m RBU@3 --topics', files / name)


def test_topics_of_queries_alone(files, ran, refused):
    (files / 't.txt').write_text('1\tbig cats\n2\tbig dogs\n3\tbig dogs\n')
    line = 'explain qrels runs/one.run -m RBU@3 --topics t.txt'
    assert 'RBU@3 of one on query 1' in ran(line, "'big cats'")
    assert 'several queries: 2, 3' in refused(line, "'big dogs'")


def test_leaderboard(files, ran, refused):
    """A page of runs, or of scores."""
    line = 'leaderboard qrels runs -m RBU@3 --title Web -o r.html'
    ran(line)
    assert '<title>Web</title>' in (files / 'r.html').read_text('utf-8')
    refused(line)
    some_scores().write('s.csv')
    ran('leaderboard --scores s.csv -o s.html')
    assert '<html' in (files / 's.html').read_text('utf-8')
