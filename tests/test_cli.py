"""The command: against ir_measures' own, against ndeval's recorded output, errors, files, every subcommand."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ir_divmeasures
import ir_divmeasures_command
from ir_divmeasures import Scores, cli, explain, meta, read_qrels
from ir_divmeasures.cli import readers
from ir_divmeasures.cli.build import first_sentence
from ir_divmeasures.cli.main import ir_divmeasures as root
from ir_divmeasures.tables import FORMS

from .builders import expect_error, over, words_of
from .fresh import streams

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
        ('topics', 'NumRet NumQ SetP --places 6'),
        ('topics', '-o jsonl AP RR'),
        ('topics', '-q -o jsonl AP -n'),
        ('topics', '-p -1 nDCG AP'),
        ('topics', '--output_format tsv nDCG@2'),
        ('topics', '-q -o jsonl -n nDCG@3'),
        ('topics', '--provider pytrec_eval -q AP'),
        ('topics', 'Rprec Success@2 Judged@3 NumRel R@2 SetF -p 3'),
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


@pytest.mark.parametrize('form', FORMS)
def test_forms_hold_the_same_numbers(files, ran, form):
    text = ran('evaluate qrels runs/one.run runs/two.run StRecall@2 -q --format', form, '-p 6')
    assert text.count('0.5') >= 2 and 'one' in text and 'two' in text
    if form == 'csv':
        frame = pd.read_csv(io.StringIO(text), dtype={'query_id': str})
        assert frame.loc[
            (frame['system'] == 'one') & (frame['query_id'] == '1'), 'StRecall@2'
        ].tolist() == [1.0]
    if form == 'json':
        assert {row['query_id'] for row in json.loads(text)} == {'1', '2', '3', 'all'}
    if form in ('jsonl', 'tsv'):
        assert len(text.splitlines()) == 8  # three queries and the mean, of two systems
    if form == 'latex':
        assert r'StRecall@2 \\' in text and r'\begin{tabular}' in text


def test_globs_sets_of_measures_and_intents(files, ran):
    (files / 'weights').write_text('1 1 0.9\n1 2 0.1\n2 1 0.5\n2 2 0.5\n3 1 1\n')
    out = ran('evaluate qrels runs/t*.run web-track --format csv')
    assert out.startswith('system,ERR_IA@20,alpha_nDCG@20,NRBP,StRecall@20,P_IA@20,AP_IA\nthree,')
    weighted = ran('evaluate qrels runs/one.run P_IA@1 -q -n --intents weights')
    assert weighted.splitlines()[0] == '1\tP_IA@1\t0.9000'


def test_by_subtopic(files, ran):
    """Query 1 of `one`: subtopic 1 has a at rank 1, subtopic 2 b at rank 2; query 2: a at rank 2, d at 3."""
    out = ran('evaluate qrels runs/one.run RR --by-subtopic --format csv')
    assert out.splitlines() == [
        'system,query_id,subtopic_id,RR',
        'one,1,1,1.0000',
        'one,1,2,0.5000',
        'one,2,1,0.5000',
        'one,2,2,0.3333',
        'one,3,1,0.0000',
    ]


# ------------------------------------------------------------------------------------------------- errors and files


@over(
    'line, said',
    [
        ('evalute x', "did you mean 'evaluate'?"),
        ('evaluate nowhere runs/one.run AP', 'nowhere: no such file'),
        ('evaluate - runs/one.run AP', '-: no such file; the standard input is /dev/stdin'),
        ('evaluate qrels runs/one.run', 'no measures'),
        ('evaluate qrels runs/one.run AP -n', '--no-summary needs --by-query'),
        ('evaluate qrels runs/one.run AP --format xml', "'xml' is not one of"),
        ('evaluate qrels runs/none*.run AP', 'no run files there'),
        ('evaluate qrels runs/one.run AP --provider pytrec', "did you mean 'pytrec_eval'?"),
        ('evaluate', "Missing argument 'QRELS'"),
        ('compare qrels runs -m AP -b on', "did you mean 'one'?"),
        ('explain qrels runs/one.run 9 -m AP', "no query '9'"),
        ('evaluate qrels runs/one.run RBU --format ndeval', 'ndeval has no measure RBU'),
        ('pool unique qrels runs -o x', 'No such option'),
        ('qrels convert runs/one.run -o x', 'line 1'),
        ('evaluate runs/one.run qrels AP', 'looks like a run: QRELS comes first'),
        ('evaluate qrels qrels -m AP', 'judgments come first, then runs'),
        ('evaluate qrels runs/one.run AP -o runs/none/out', '/none: no such folder'),
        ('-x qrels runs/one.run AP', 'No such option'),
        ('meta power', 'give QRELS, RUN'),
    ],
)
def test_errors_are_one_line_and_a_hint(files, refused, line, said):
    assert said in refused(line)


def test_debug_shows_the_traceback(files):
    with expect_error('nDGC'):
        cli.main(words_of(['evaluate qrels runs nDGC --debug']))


def test_a_bug_is_one_line_too_and_has_an_exit_code_of_its_own(files, refused, monkeypatch):
    monkeypatch.setattr(readers, 'judgments', lambda *_: {}['gone'])
    said = refused('qrels convert qrels -o x', code=1)
    assert "a bug of ir_divmeasures: KeyError: 'gone'" in said and '--debug' in said


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


def test_by_subtopic_warns_once_of_all_systems(files, capsys):
    for name in 'abc':
        (files / 'runs' / f'{name}.run').write_text('1 Q0 X 1 1 t\n2 Q0 Y 1 1 t\n')
    assert cli.main(words_of(['evaluate qrels runs P@5 --by-subtopic'])) == 0
    err = capsys.readouterr().err
    told = [line for line in err.splitlines() if '3 of 6 systems' in line]
    assert len(told) == 1, (told, err)


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='no named pipes')
@pytest.mark.parametrize('jobs', [1, 2], ids='{} processes'.format)
def test_ctrl_c_leaves_no_half_of_a_file(files, jobs):
    """Ctrl-C while a run is read, which does not come to an end: exit code 130, one line of ours, no new file."""
    os.mkfifo(files / 'slow.run')
    before = sorted(path.name for path in files.iterdir())
    running = subprocess.Popen(
        [
            sys.executable,
            '-m',
            'ir_divmeasures',
            'evaluate',
            files / 'qrels',
            files / 'runs',
            files / 'slow.run',
            '-m',
            'AP',
            '-o',
            files / 'out.csv',
            '--jobs',
            str(jobs),
        ],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # a shell's background job ignores it
    with open(files / 'slow.run', 'w'):  # waits until it is read
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGINT)  # a terminal sends it to all processes
        err = running.communicate(timeout=60)[1]
    told = [line for line in err.splitlines() if line.startswith('interrupted')]
    assert running.returncode == 130 and len(told) == 1, err
    assert jobs > 1 or err.strip().splitlines() == told, (
        err
    )  # joblib's own processes may say so, too
    assert sorted(path.name for path in files.iterdir()) == before


def test_the_end_of_a_file_is_no_ctrl_c(files, capsys, monkeypatch):
    """click takes EOFError, which Python raises for half of a compressed file, for the end of what is typed."""

    def fail(*_, **__):
        raise EOFError('too short')

    monkeypatch.setattr(ir_divmeasures.evaluation.evaluate, 'evaluate', fail)
    given = words_of(['evaluate qrels runs AP'])
    assert cli.main(given) == 1 and 'EOFError: too short' in capsys.readouterr().err
    with pytest.raises(EOFError):
        cli.main([*given, '--debug'])


@pytest.mark.parametrize(
    'error, message',
    [
        (
            BrokenProcessPool('abruptly'),
            'something killed a worker process, perhaps because the memory was full',
        ),
        (MemoryError(), 'the memory is full'),
    ],
)
def test_a_full_memory_is_no_bug(files, capsys, monkeypatch, error, message):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(ir_divmeasures.evaluation.evaluate, 'evaluate', fail)
    assert cli.main(words_of(['evaluate qrels runs AP'])) == 2
    assert capsys.readouterr().err.splitlines() == [
        f'error: {message}',
        'hint: fewer worker processes (--jobs), runs or measures at a time need less memory',
    ]


def test_a_closed_pipe_is_no_error(files):
    command = f'{sys.executable} -m ir_divmeasures evaluate {files}/qrels {files}/runs/one.run -m RBU -q | true; '
    done = subprocess.run(
        command + 'echo ${PIPESTATUS[0]}',
        shell=True,
        capture_output=True,
        text=True,
        executable='/bin/bash',
    )
    assert done.stdout == '0\n' and 'Traceback' not in done.stderr


def test_warnings_are_one_line(files, capsys):
    assert cli.main(words_of(['evaluate qrels runs/one.run AP'])) == 0
    assert capsys.readouterr().err.splitlines() == [
        "warning: 1 of 3 judged queries are in no run (3). They are scored 0; --missing drop leaves them out."
    ]


def test_version_and_help(ran):
    assert ran('--version') == f'ir_divmeasures {ir_divmeasures.__version__}\n'
    text = ran('--help')
    assert all(f'\n  {name} ' in text for name in root.members)


def test_the_list_of_subcommands_is_the_subcommands_with_their_summaries():
    listed = {**ir_divmeasures_command.CORE, **ir_divmeasures_command.RESEARCH}
    assert listed == {name: first_sentence(member.help) for name, member in root.members.items()}
    assert list(ir_divmeasures_command.CORE)[:3] == ['evaluate', 'compare', 'explain']


@over('typed', ["['--help']", "['--version']", '[], complete'])
def test_the_root_answers_without_the_package(typed):
    if typed.endswith('complete'):
        typed = '[]'
        environment = {
            '_IR_DIVMEASURES_COMPLETE': 'bash_complete',
            'COMP_WORDS': 'x ev',
            'COMP_CWORD': '1',
        }
    else:
        environment = {}
    script = (
        f'import atexit, os, sys; os.environ.update({environment}); import ir_divmeasures_command as c; '
        'atexit.register(lambda: print([m for m in ("numpy", "pyarrow", "ir_measures", "ir_divmeasures") '
        f'if m in sys.modules])); c.main({typed})'
    )
    out = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, check=True
    ).stdout
    assert out.splitlines()[-1] == '[]' and ('evaluate' in out or '--version' in typed), out


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


def test_compare_is_scipys_paired_test():
    scores = some_scores()
    frame = meta.compare(scores, 'a', correction=None).set_index(['measure', 'system'])
    for m, measure in enumerate(scores.measures):
        for s, system in enumerate(scores.systems[1:], 1):
            test = stats.ttest_rel(scores.values[s, :, m], scores.values[0, :, m])
            row, low_high = frame.loc[(measure, system)], test.confidence_interval(0.95)
            z = scores.values[s, :, m] - scores.values[0, :, m]
            assert row['pvalue'] == pytest.approx(test.pvalue)
            assert (row['low'], row['high']) == pytest.approx((low_high.low, low_high.high))
            assert row['effect'] == pytest.approx(z.mean() / z.std(ddof=1))
            assert (row['wins'], row['ties'], row['losses']) == ((z > 0).sum(), 0, (z < 0).sum())


def test_correction_is_over_the_tested_pairs():
    """Holm multiplies the smallest p-value by the number of tested pairs."""
    scores = some_scores()
    for pairs, number in [('baseline', 2), ('all', 3)]:
        plain, corrected = (
            meta.compare(scores, pairs=pairs, correction=correction)
            .groupby('measure')['pvalue']
            .min()
            for correction in (None, 'holm')
        )
        assert corrected.tolist() == pytest.approx(np.minimum(number * plain, 1).tolist())


def test_command_compare(files, ran):
    table = pd.read_csv(
        io.StringIO(ran("compare qrels runs -m 'RR P@1' --baseline two --format csv -p -1"))
    )
    assert table['measure'].tolist() == ['RR'] * 2 + ['P@1'] * 2 and table['pvalue'].notna().all()
    assert set(table['other']) == {'two'} and 'two' not in set(table['system'])
    assert r'\toprule' in ran('compare qrels runs -m RR --format latex')


# ----------------------------------------------------------------------------------------------------------- explain


def test_command_explain(files, ran):
    given = ['explain qrels runs/one.run runs/two.run 1 -m RBU@3']
    out = ran(*given)
    scores = explain('qrels', ['runs/one.run', 'runs/two.run'], 'RBU@3', '1').scores
    assert f'RBU@3 of one on query 1: {scores["one"]:.4f}' in out and 'effort' in out
    wide = pd.read_csv(io.StringIO(ran(*given, '--by-rank --format csv -p -1')))
    assert wide[wide['system'] == 'two']['so far'].iloc[-1] == pytest.approx(scores['two'])
    assert len(ran(*given, '--top 1 --format csv').splitlines()) < len(out.splitlines())


# -------------------------------------------------------------------------------------------------------------- ndeval


@pytest.mark.parametrize(
    'year, run',
    [
        (2011, 'indri-baseline-2011'),
        (2012, 'indri-baseline-2012'),
        (2012, 'indri-ql-cata-filtered-2012'),
    ],
)
def test_ndeval_line_by_line(shared, web_track, tmp_path, ran, year, run):
    (tmp_path / 'qrels').write_text(
        ''.join(
            f'{q.query_id} {q.subtopic_id} {q.doc_id} {q.relevance}\n'
            for q in web_track(year).qrels_iter()
        )
    )
    path = shared / f'data/runs/clueweb09/{run}.run.gz'
    given = ['evaluate', tmp_path / 'qrels', path, '--format ndeval -m']
    assert ran(*given, 'web-track') == (shared / f'data/ndeval/{run}.csv').read_text()
    if run == 'indri-baseline-2011':
        recorded = pd.read_csv(shared / f'data/ndeval/{run}-alpha0.25-beta0.8.csv')
        own = 'alpha_DCG(alpha=0.25)@10 alpha_nDCG(alpha=0.25)@20 NRBP(alpha=0.25,beta=0.8) P_IA@5'
        frame = pd.read_csv(io.StringIO(ran(*given, own)))
        pd.testing.assert_frame_equal(frame, recorded[frame.columns])


def test_ndeval_of_topics_that_only_one_side_has(tmp_path, ran):
    """A line of zeros for a topic without judgments. The mean is over all judged topics, or those of the run."""
    (tmp_path / 'q').write_text('1 1 a 1\n1 2 b 1\n2 1 z 1\n')
    (tmp_path / 'r').write_text('1 Q0 x 1 1.0 me\n1 Q0 a 2 9.0 me\n7 Q0 a 1 1.0 me\n')
    given = ['evaluate', tmp_path / 'q', tmp_path / 'r', "-m 'ERR_IA@5 StRecall@5'"]
    lines = ran(*given, '--format ndeval').splitlines()
    # ERR-IA@5: G = 1 at rank 1, over 2 (1 + 1/4 + 1/12 + 1/32 + 1/80)
    assert lines == [
        'runid,topic,ERR-IA@5,strec@5',
        'me,1,0.363086,0.500000',
        'me,7,0.000000,0.000000',
        'me,amean,0.181543,0.250000',
    ]
    dropped = ran(*given, '--format ndeval --missing drop')
    assert dropped.endswith('me,amean,0.363086,0.500000\n')


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


def test_hierarchy_commands(files, ran):
    texts = [json.dumps({'doc_id': d, 'text': f'{d}{d} {d}x'}) for d in 'abcde']
    (files / 'texts.jsonl').write_text('\n'.join(texts))
    pytest.importorskip('sklearn')
    ran('hierarchy build qrels texts.jsonl -o built --similarity tfidf')
    assert set(read_qrels(files / 'built')['layer']) >= {0, 1}
    (files / 'parents').write_text('1\t1\tp\n1\t2\tp\n')
    ran('hierarchy superintents qrels parents -o above')
    assert set(read_qrels(files / 'above')['layer']) == {-1, 0}


@pytest.mark.parametrize(
    'name', ['power', 'correlations', 'ranks', 'stability', 'unanimity', 'robustness']
)
def test_meta_commands(tmp_path, ran, name):
    some_scores().write(tmp_path / 'scores.csv')
    out = ran('meta', name, '--scores', tmp_path / 'scores.csv', '--format csv')
    assert len(out.splitlines()) >= 3 and 'AP' in out and 'RR' in out


def test_meta_of_runs_keeps_scores(files, ran):
    ran("meta correlations qrels runs -m 'RR P@2' --save-scores s.csv")
    assert Scores.read(files / 's.csv').systems == ('one', 'three', 'two')


def test_axioms_command(ran):
    out = ran('axioms StRecall --longest 8 --deepest 64')
    assert out.startswith('constraint') and 'Pri fails for StRecall' in out


# ------------------------------------------------------------------------------------------------------------- tables


def test_pool_commands(files, ran, refused):
    (files / 'teams').write_text('one A\ntwo A\nthree B\n')
    made = ran('pool save runs -o pool.parquet --depth 3 --groups teams')
    assert 'Pool(systems=3, groups=2' in made
    refused('pool save runs -o pool.parquet')
    # NumUnique@3 of `one`: a, b of query 1 and a, d of query 2 are relevant; team B has a of query 1 only.
    out = ran('pool score qrels pool.parquet -m NumUnique@3 --format csv')
    pool = ir_divmeasures.pools.Pool.load(files / 'pool.parquet')
    means = pool.scores(None, str(files / 'qrels'), 'NumUnique@3').means()['NumUnique@3']
    assert out.splitlines() == [
        'system,NumUnique@3',
        *(f'{system},{value:.4f}' for system, value in means.items()),
    ]


@pytest.mark.parametrize(
    'name, more, first',
    [
        # Relevant: a, b, c of query 1, a, d of 2, a of 3. Depth 3: one abc, xad; two xcb, dea; three a, xyz.
        ('unique', '', 'A,2,5,4,2,0.6667,0'),
        ('team', '-m P@1', 'A,one,P@1,'),
    ],
)
@pytest.mark.filterwarnings('ignore::ir_divmeasures.DivMeasuresWarning')
def test_pool_questions(files, ran, name, more, first):
    (files / 'teams').write_text('one A\ntwo A\nthree B\n')
    options = '--depth 3 --groups teams --format csv'
    out = ran('pool', name, 'qrels runs', *more.split(), options)
    assert out.splitlines()[1].startswith(first), out


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


def test_messages_are_in_the_words_of_the_command(files, capsys, refused):
    """No argument of a Python function where the user types options; none at all where there is no such option."""
    lacking = ['1 of 3 judged queries', '--missing drop leaves them out']
    for command, options, said in [
        ('evaluate', '', lacking),
        ('leaderboard', '-o r.html', lacking),
        ('evaluate', '--missing raise', ['--missing zero scores them 0, --missing drop leaves']),
        ('evaluate', '-m P_Rareness@3', ['`ir_divmeasures pool score QRELS POOL -m MEASURES`']),
        ('evaluate', '-m HD_nDCG@3', ['`ir_divmeasures hierarchy build`']),
    ]:
        cli.main(words_of([command, 'qrels runs/one.run -m RBU@3', options]))
        err = capsys.readouterr().err
        assert all(each in err for each in said) and "='" not in err and '=True' not in err, err
    (files / 'texts.tsv').write_text('doc_id\ttext\na\tx\n')
    assert '--missing-text skip goes on' in refused('hierarchy build qrels texts.tsv -o o')


def test_leaderboard(files, ran, refused):
    """A page in a file, or printed; of runs, or of scores."""
    line = 'leaderboard qrels runs -m RBU@3'
    ran(line, '-o r.html')
    assert '<html' in (files / 'r.html').read_text('utf-8')
    refused(line, '-o r.html')
    assert '<title>Web</title>' in ran(line, '--title Web')
    some_scores().write('s.csv')
    assert '<html' in ran('leaderboard --scores s.csv')


def test_a_failed_download_is_no_mistake_of_ours(files, refused, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError('All download sources failed', [])

    monkeypatch.setattr(readers, 'judgments', fails)
    said = refused('evaluate some/dataset runs -m RBU@3')
    assert 'could not download' in said and 'bug' not in said


@over('text', ['', 'other Q0 a 1 2 x\n', '1 Q0 unseen 1 2 x\n'])
def test_a_strict_diagnosis_refuses_runs_that_judgments_say_nothing_about(
    files, ran, refused, text
):
    ran('qrels diagnose qrels runs --strict')
    (files / 'bad.run').write_text(text)
    ran('qrels diagnose qrels bad.run')
    assert 'no judged document: bad' in refused('qrels diagnose qrels bad.run --strict')
