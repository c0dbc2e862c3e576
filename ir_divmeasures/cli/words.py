"""The package's messages in the words of the command: options and subcommands where Python has arguments."""

from __future__ import annotations

import re

SUBCOMMANDS = {
    r'with_rareness\(…, newcomer=True\) or Pool\.judgments\(…, newcomer=True\)': 'pool judgments --newcomer',
    r"evaluate\(…, ties='doc_id'\)": 'evaluate --ties doc_id',
    r'distinct_scores': 'evaluate --ties',
    r'with_weights\(…, normalise=True\)': 'qrels add weights --normalise',
    'with_rareness': 'pool judgments',
    r'Pool\.judgments': 'pool judgments',
    r'Pool\.scores': 'pool score',
    'with_weights': 'qrels add weights',
    'with_subtopic_types': 'qrels add types',
    'with_intents': 'qrels add intents',
    'with_(similarity|fingerprints)': 'qrels add fingerprints',
    'build_hierarchy': 'hierarchy build',
    'with_superintents': 'hierarchy superintents',
    'read_nuggets': 'qrels nuggets',
}
"""Functions, as messages name them, and the subcommand that does the same."""
OPTIONS = {
    'overwrite=True': '--force',
    'strict=True': '--strict',
    'traditional=True': '-traditional',
    r"format=('?)(\w+)\1: expected": r'--from \2: expected',
    r"format='(\w+)'": r'`qrels convert --from \1`',
    r"\bmissing=('?)(skip|error)\1": r'--missing-text \2',
    **{
        rf"\b{name}=('?)(\w+)\1": rf'--{option} \2'
        for name, option in (
            ('missing', 'missing'),
            ('similarity', 'similarity'),
            ('weighting', 'weighting'),
            ('method', 'test'),
            ('test', 'test'),
            ('intent_weighting', 'intent-weighting'),
            ('correction', 'correction'),
            ('n_resamples', 'resamples'),
            ('jobs', 'jobs'),
            ('n_trials', 'trials'),
        )
    },
    r'^(order|topics): ': r'--\1: ',
    r"\blevel=('?)(topic|intent)\1": r'--level \2',
}
"""Arguments that are no parameters of measures, and the option that is meant."""


def spoken(message: str) -> str:
    """A message as the command says it.

    Examples:
        >>> spoken("They are scored 0; missing='drop' leaves them out.")
        'They are scored 0; --missing drop leaves them out.'
        >>> spoken("needs judgments with a column 'document_similarity', which ir_divmeasures.with_similarity adds")
        "needs judgments with a column 'document_similarity', which `ir_divmeasures qrels add fingerprints` adds"
        >>> spoken('distinct_scores(run) gives scores that all measures order alike')
        '`ir_divmeasures evaluate --ties` gives scores that all measures order alike'
    """
    for function, subcommand in SUBCOMMANDS.items():
        message = re.sub(
            rf'(?<![\w`])(ir_divmeasures\.)?{function}\b(\(\w*\))?'
            if function[-1] != ')'
            else rf'(ir_divmeasures\.)?{function}',
            f'`ir_divmeasures {subcommand}`',
            message,
        )
    for argument, option in OPTIONS.items():
        message = re.sub(argument, option, message)
    return message


HINTS = {
    r'expected 4 fields \(query_id .*found 6': 'this looks like a run: QRELS comes first, then RUN',
    r'expected 6 fields \(query_id .*found 4': 'this looks like judgments: QRELS comes first, then RUN',
    r'^no measure ': '`ir_divmeasures measures` lists all measures and presets',
    r"column '(n_retrieved|n_systems|pool_depth|newcomer)'": '`ir_divmeasures pool score QRELS POOL -m MEASURES` computes measures of innovation; POOL can be a folder of '
    'runs',
}
"""What helps with errors, by what they say."""


def hint(said: str) -> str:
    """What helps with an error that the user can mend; '' where the message says all.

    Examples:
        >>> hint('a.run, line 1: expected 4 fields (query_id subtopic_id doc_id relevance), found 6: …')
        'this looks like a run: QRELS comes first, then RUN'
    """
    return next((help for pattern, help in HINTS.items() if re.search(pattern, said)), '')


__all__ = ['hint', 'spoken']
