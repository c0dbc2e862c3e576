"""The package's messages in the words of the command."""

from __future__ import annotations

import re

import click

from .options import FLAGS

ANYWHERE = ('--debug', '--force')
"""Options of all commands, which may stand anywhere."""

SUBCOMMANDS = {
    r'with_rareness\(…, newcomer=True\) or Pool\.judgments\(…, newcomer=True\)': 'pool score',
    r'diagnose\(runs, qrels\)': 'qrels diagnose',
    'build_hierarchy': 'hierarchy build',
    'with_superintents': 'hierarchy superintents',
}
"""Functions, as messages name them, and the subcommand that does the same."""
OPTIONS = {
    r"evaluate\(…, ties='doc_id'\)|(ir_divmeasures\.)?distinct_scores\(run\)": '--ties doc_id',
    'overwrite=True': '--force',
    'strict=True': '--strict',
    r"format=('?)(\w+)\1: expected": r'--from \2: expected',
    r"\bmissing=('?)(skip|error)\1": r'--missing-text \2',
    **{
        rf"\b{name}=('?)(\w+)\1": rf'{FLAGS.get(name, "--" + name.replace("_", "-"))} \2'
        for name in (
            'missing',
            'similarity',
            'weighting',
            'method',
            'intent_weighting',
            'correction',
            'n_resamples',
            'n_trials',
        )
    },
    r'\bgroups=\{.*?\}': '--groups FILE',
    r"\b(jobs|test)=('?)([\w-]+)\2": r'--\1 \3',
    r'^topics: ': '--topics: ',
    r"\blevel=('?)(topic|intent)\1": r'--level \2',
}
"""Arguments that are no parameters of measures, and the option that is meant."""


def spoken(message: str) -> str:
    """A message as the command says it.

    Examples:
        >>> spoken("They are scored 0; missing='drop' leaves them out.")
        'They are scored 0; --missing drop leaves them out.'
        >>> spoken("needs judgments with a column 'layer', which ir_divmeasures.build_hierarchy adds")
        "needs judgments with a column 'layer', which `ir_divmeasures hierarchy build` adds"
        >>> spoken('distinct_scores(run) gives scores that all measures order alike')
        '--ties doc_id gives scores that all measures order alike'
    """
    for function, subcommand in SUBCOMMANDS.items():
        message = re.sub(
            rf'(?<![\w`])(ir_divmeasures\.)?(judgments\.)?{function}\b(\(\w*\))?'
            if function[-1] != ')'
            else rf'(ir_divmeasures\.)?{function}',
            f'`ir_divmeasures {subcommand}`',
            message,
        )
    for argument, option in OPTIONS.items():
        message = re.sub(argument, option, message)
    return message


def fitting(message: str, command: click.Command) -> str:
    """A message without the clauses that advise an option which the command lacks.

    The first clause always stays, and so does the option of another command between backquotes.

    Examples:
        >>> fitting('They are scored 0; --missing drop leaves them out.', click.Command('demo'))
        'They are scored 0.'
    """
    options = {option for parameter in command.params for option in parameter.opts} | {*ANYWHERE}
    first, *rest = re.split(r'(?=[.;] |\.$)', message)
    return first + ''.join(
        clause
        for clause in rest
        if options.issuperset(re.findall(r'(?<![\w-])--[a-z][\w-]*', re.sub('`.*?`', '', clause)))
    )


HINTS = {
    r'expected 4 fields \(query_id .*found 6': 'this looks like a run: QRELS comes first, then RUN',
    r"line 1: expected 6 fields .*found 4: (?!.*Q0).*(?: |\\t)-?\d+'$": 'this looks like judgments: QRELS comes first, then RUN',
    r"expected \d fields .*found 1: '[^']*,": 'a CSV file needs a header, such as query_id,doc_id,score',
    r'^no measure ': '`ir_divmeasures measures` lists all measures and presets',
    r"column '(n_retrieved|n_systems|pool_depth|newcomer)'": '`ir_divmeasures pool score QRELS POOL -m MEASURES` computes measures of innovation; POOL can be a folder of runs',
}
"""What helps with errors, by what they say."""


def hint(said: str) -> str:
    """What helps with an error that the user can mend; '' where the message says all.

    Examples:
        >>> hint('a.run, line 1: expected 4 fields (query_id subtopic_id doc_id relevance), found 6: …')
        'this looks like a run: QRELS comes first, then RUN'
        >>> hint("a.run, line 1: expected 6 fields (query_id Q0 doc_id rank score tag), found 4: '1 0 d1 1'")
        'this looks like judgments: QRELS comes first, then RUN'
        >>> hint("a.run, line 1: expected 6 fields (query_id Q0 doc_id rank score tag), found 4: '1 Q0 d1 1'")
        ''
    """
    return next((help for pattern, help in HINTS.items() if re.search(pattern, said)), '')
