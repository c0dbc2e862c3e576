"""The package's messages in the words of the command: options and subcommands where Python has arguments."""
from __future__ import annotations

import re

SUBCOMMANDS = {
    r'with_rareness\(…, newcomer=True\) or Pool\.judgments\(…, newcomer=True\)': 'pool judgments --newcomer',
    r"evaluate\(…, ties='doc_id'\)": 'evaluate --ties doc_id', r'distinct_scores': 'evaluate --ties',
    r'with_weights\(…, normalise=True\)': 'qrels add weights --normalise',
    'with_rareness': 'pool judgments', r'Pool\.judgments': 'pool judgments', r'Pool\.scores': 'pool score',
    'with_weights': 'qrels add weights', 'with_subtopic_types': 'qrels add types', 'with_intents': 'qrels add intents',
    'with_fingerprints': 'qrels add fingerprints', 'build_hierarchy': 'hierarchy build',
    'with_superintents': 'hierarchy superintents', 'read_nuggets': 'qrels nuggets'}
"""Functions, as messages name them, and the subcommand that does the same."""
OPTIONS = {
    'overwrite=True': '--force', 'strict=True': '--strict', 'traditional=True': '-traditional',
    r"format=('?)(\w+)\1: expected": r'--from \2: expected', r"format='(\w+)'": r'`qrels convert --from \1`',
    **{rf"\b{name}=('?)(\w+)\1": rf'--{option} \2' for name, option in (
        ('missing', 'missing'), ('similarity', 'similarity'), ('weighting', 'weighting'), ('method', 'test'),
        ('intent_weighting', 'intent-weighting'), ('correction', 'correction'), ('n_resamples', 'resamples'),
        ('n_trials', 'trials'))},
    r'^(order|topics): ': r'--\1: ', r"\blevel=('?)(topic|intent)\1": r'--level \2'}
"""Arguments that are no parameters of measures, and the option that is meant."""


def spoken(message: str) -> str:
    """A message as the command says it.

    Examples:
        >>> spoken("They are scored 0; missing='drop' leaves them out.")
        'They are scored 0; --missing drop leaves them out.'
        >>> spoken("needs judgments with a column 'fingerprint', which ir_divmeasures.with_fingerprints adds")
        "needs judgments with a column 'fingerprint', which `ir_divmeasures qrels add fingerprints` adds"
    """
    for function, subcommand in SUBCOMMANDS.items():
        message = re.sub(rf'(?<![\w`])(ir_divmeasures\.)?{function}\b(\(\))?' if function[-1] != ')' else
                         rf'(ir_divmeasures\.)?{function}', f'`ir_divmeasures {subcommand}`', message)
    for argument, option in OPTIONS.items():
        message = re.sub(argument, option, message)
    return message


def hint(said: str) -> str:
    """What may help with an error; '' where the message says it.

    Examples:
        >>> hint('a.run, line 1: expected 4 fields (query_id subtopic_id doc_id relevance), found 6: …')
        'that looks like a run: QRELS come first, then RUN'
    """
    if re.search(r'expected 4 fields \(query_id .*found 6', said):
        return 'that looks like a run: QRELS come first, then RUN'
    if re.search(r'expected 6 fields \(query_id .*found 4', said):
        return 'that looks like judgments: QRELS come first, then RUN'
    return '' if said.endswith('?') or '--' in said or 'pip install' in said else '--debug shows where'


__all__ = ['hint', 'spoken']
