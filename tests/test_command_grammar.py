"""One grammar: every subcommand, its options and helps, walked from click's tree; completion; hints."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any

import click
import pytest
from click.shell_completion import BashComplete

from ir_divmeasures import cli
from ir_divmeasures.cli.build import Sub, build
from ir_divmeasures.cli.main import EXIT_CODES, ir_divmeasures
from ir_divmeasures.cli.options import OPTIONS, TARGET, Measures, declared, shared
from ir_divmeasures.meta import significance

from .builders import over, words_of

PAGE = pathlib.Path(__file__).parents[1] / 'docs/guide/command.md'


def walk(group, path=()):
    """Every subcommand that is no group, by its words."""
    found = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found.update(walk(command, (*path, name)))
        elif not command.hidden:
            found[(*path, name)] = command
    return found


COMMANDS = walk(ir_divmeasures)
EVERY = over('words', COMMANDS)


def options(words):
    return [
        each
        for each in COMMANDS[words].params
        if isinstance(each, click.Option) and not each.hidden
    ]


def long_name(option):
    return next(each for each in option.opts if each.startswith('--'))


@EVERY
def test_an_output_is_written_with_the_same_option(words):
    """Commands that only print text have none: a shell writes it to a file."""
    given = [each for each in options(words) if '-o' in each.opts]
    assert all(each.opts == ['-o', '--output'] and each.type is TARGET for each in given)
    assert not any(each.name in ('target', 'out') for each in COMMANDS[words].params)
    assert [each.name for each in ir_divmeasures.params] == ['version', 'debug', 'force']


def test_an_option_is_the_same_wherever_it_occurs():
    """Its letters, its values and its help; only defaults differ."""
    own = {
        '--cutoff',
        '--depth',
        '--docs',
        '--strict',
        '--top',
        '--format',
    }
    seen = {}
    for words in COMMANDS:
        for each in options(words):
            same = (tuple(each.opts), each.help, f'{each.type!r}', each.metavar)
            seen.setdefault(long_name(each), set()).add(same)
    seen.pop('--measures')  # several, or one
    several = {name for name, kinds in seen.items() if len(kinds) > 1}
    assert several <= own
    assert len(seen['--format']) == 3  # evaluate also has ndeval's, and study those of a page


def test_measures_are_asked_for_in_one_way():
    """Several, or one; and no option is called by the name of another one's short letter."""
    seen = {
        (tuple(each.opts), each.multiple, each.help)
        for words in COMMANDS
        for each in options(words)
        if isinstance(each.type, Measures)
    }
    assert {(opts, multiple) for opts, multiple, _ in seen} == {
        (('-m', '--measures'), True),
        (('-m', '--measures'), False),
    } and len(seen) == 2
    letters = {}
    for words in COMMANDS:
        for each in options(words):
            for letter in each.opts:
                if not letter.startswith('--'):
                    letters.setdefault(letter, set()).add(long_name(each))
    assert letters == {
        '-b': {'--baseline'},
        '-j': {'--jobs'},
        '-m': {'--measures'},
        '-n': {'--no-summary'},
        '-o': {'--output'},
        '-p': {'--places'},
        '-q': {'--by-query'},
    }


def test_tests_and_corrections_are_those_of_the_package():
    tests, corrections = (
        set(declared(shared, OPTIONS[name]).type.choices) for name in ('method', 'correction')
    )
    assert tests == set(significance.METHODS)
    assert corrections == {'holm', 'none'}


def test_a_row_is_a_command():
    """Options from the signature; texts from the docstring where the table of options has none."""

    def shares(runs: Any, share: float = 0.5, exact: bool = False, hidden: Any = None) -> Any:
        """Shares.

        Args:
            runs: systems.
            share: the least share that
                counts.
            exact: compare the scores exactly, too.
            hidden: what nobody can type.
        """

    made = build(Sub('shares', shares, 'Print the shares of runs.'))
    assert [each.name for each in made.params] == ['runs', 'form', 'share', 'exact']
    assert [each.help for each in made.params[2:]] == [
        'The least share that counts.',
        'Compare the scores exactly, too.',
    ]
    assert made.params[2].default == 0.5 and made.params[3].is_flag


def test_the_page_lists_every_exit_code():
    page = PAGE.read_text('utf-8')
    for code, meaning in EXIT_CODES.items():
        assert f'| {code} | {meaning} |' in page


# ------------------------------------------------------------------------------------------------------- completion


def test_a_shell_completes_measures():
    done = subprocess.run(
        [sys.executable, '-m', 'ir_divmeasures'],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            '_IR_DIVMEASURES_COMPLETE': 'bash_complete',
            'COMP_WORDS': 'ir_divmeasures evaluate q r -m alpha_n',
            'COMP_CWORD': '5',
        },
    )
    assert done.stdout.splitlines() == ['plain,alpha_nDCG', 'plain,alpha_nDCG_LA']


@over(
    'words, completed',
    [
        ('ev', ['evaluate']),
        ('evaluate --by', ['--by-query', '--by-subtopic']),
        ('compare q r --correction ho', ['holm']),
        ('pool un', ['unique']),
    ],
)
def test_commands_options_and_values_are_completed(words, completed):
    *typed, last = words.split()
    shell = BashComplete(ir_divmeasures, {}, 'ir_divmeasures', '_IR_DIVMEASURES_COMPLETE')
    assert [each.value for each in shell.get_completions(typed, last)] == completed


def test_completion_of_the_last_of_several_measures():
    command = COMMANDS['evaluate',]
    context = click.Context(command)
    found = Measures().shell_complete(context, command.params[0], 'RBU@20 NRB')
    assert [each.value for each in found] == ['RBU@20 NRBP']


# ---------------------------------------------------------------------------------------------- mistakes of the user


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / 'qrels').write_text('1 1 a 1\n1 2 b 1\n2 1 a 1\n2 2 c 1\n')
    (tmp_path / 'runs').mkdir()
    (tmp_path / 'runs/one.run').write_text('1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 a 1 3 x\n')
    (tmp_path / 'runs/two.run').write_text('1 Q0 b 1 3 x\n1 Q0 z 2 2 x\n2 Q0 c 1 3 x\n')
    (tmp_path / 'run.csv').write_text('q_id,doc_id,score\n1,a,1\n')
    (tmp_path / 'qrels.csv').write_text('query_id,doc_id,grade\n1,a,1\n')
    (tmp_path / 'teams').write_text('one A\ntwo B\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refused(capsys):
    def refused(*arguments):
        assert cli.main(words_of(arguments)) == 2
        err = capsys.readouterr().err
        assert '--debug' not in err
        return err

    return refused


def test_mistakes_say_what_to_do(files, refused):
    qrels, run = files / 'qrels', files / 'runs/one.run'
    said = refused('evaluate', qrels, run, '-m nDGC@10')
    assert (
        "no measure 'nDGC'; did you mean" in said
        and 'hint: `ir_divmeasures measures` lists all' in said
    )
    said = refused('evaluate', qrels, 'run.csv -m AP')
    assert "no column 'query_id' (found q_id, doc_id, score)" in said and "'qid'" in said
    assert "if it is 'q_id', rename" in said
    said = refused('evaluate qrels.csv', run, '-m AP')
    assert (
        "no column 'relevance'" in said and "if it is 'grade', rename" in said and "'label'" in said
    )
    assert 'hint: `ir_divmeasures pool score' in refused('evaluate', qrels, run, '-m NumUnique@10')
    assert 'RBP@10 needs the parameter rel, for example RBP(rel=1)@10' in refused(
        'evaluate', qrels, run, '-m RBP@10'
    )
    assert 'expected one measure' in refused('explain', qrels, run, "1 -m 'RBU@3 EU@3'")
    assert 'cannot be combined' in refused('evaluate', qrels, run, 'AP -q --by-subtopic')


def test_options_may_be_written_with_underscores(files, ran):
    given = ['evaluate qrels runs/one.run P@1']
    assert ran(*given, '--by_query --no_summary') == ran(*given, '-q -n')
    assert ran(*given, '--output_format jsonl') == ran(*given, '--format jsonl')
