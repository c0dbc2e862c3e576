"""The catalogue as text, for ``ir_divmeasures measures`` and for pages of the documentation.

All of it is derived from the declarations of the measures.
"""

from __future__ import annotations

import inspect
import itertools

from ..core.names import ALIASES
from ..core.registry import DivMeasure, catalogue, measures, ours
from ..errors import warn
from ..presets import PRESETS, Preset

FAMILIES = {
    'utility': 'Utility and cascade',
    'novelty': 'Novelty: the ndeval family and its graded forms',
    'subtopics': 'Subtopics covered',
    'intent-aware': 'Intent-aware',
    'D-measures': 'D- and D#-measures',
    'interactive search': 'Interactive search',
    'intent hierarchies': 'Intent hierarchies',
    'document similarity': 'Document similarity',
    'innovation': 'Innovation across systems',
    'user models': 'User models',
}
"""Headings of the families. The heading of any other family is its name."""


def families() -> dict[str, list[DivMeasure]]:
    """Measures by heading, in the order of their definition."""
    by_heading: dict[str, list[DivMeasure]] = {}
    for measure in catalogue():
        by_heading.setdefault(FAMILIES.get(measure.family, measure.family), []).append(measure)
    return by_heading


def signature(measure: DivMeasure) -> str:
    """The name of a measure with its own parameters and their defaults: ``EU(alpha=0.5,e=0.05,…)@k``."""
    known = measure.SUPPORTED_PARAMS
    own = ','.join(f'{name}={known[name].default!r}' for name in measure.own_params)
    return measure.NAME + (f'({own})' if own else '') + ('@k' if 'cutoff' in known else '')


def aliases(measure: DivMeasure) -> list[str]:
    """Further names of a measure."""
    return [name for name, target in ALIASES.items() if target == measure.NAME]


def listing() -> str:
    """One line per measure, by family."""
    blocks = []
    for heading, members in families().items():
        also = [f'  (also {", ".join(aliases(each))})' if aliases(each) else '' for each in members]
        lines = [f'  {signature(each)}{names}' for each, names in zip(members, also)]
        blocks.append('\n'.join([heading, *lines]))
    presets = [f'  {preset.name:<12} {preset.says}' for preset in PRESETS.values()]
    blocks.append('\n'.join(['Presets, names for several measures', *presets]))
    return '\n\n'.join(
        [*blocks, 'Every measure also has the parameters rel=1 and judged_only=False.']
    )


def describe(measure: DivMeasure) -> str:
    """The full description of a measure: formula, choices, source, parameters, range of values and cautions."""
    text = (inspect.getdoc(measure) or '').replace('.. math::\n\n', '').replace('``', '`')
    lines = [signature(measure), '', text, '', 'Parameters:']
    lines += [
        f'  {name} = {info.default!r}: {info.desc}. Allowed: {info.expected}'
        for name, info in measure.SUPPORTED_PARAMS.items()
    ]
    lines += ['', f'Values: {values(measure)}.']
    if measure.needed_columns:
        lines.append(f'Needs judgments with: {", ".join(measure.needed_columns)}.')
    return '\n'.join(lines + [f'{title}: {text}.' for title, text in cautions(measure)])


def values(measure: DivMeasure) -> str:
    """The range of a measure's values, in words."""
    low, high = (f'{end:g}' if isinstance(end, (int, float)) else end for end in measure.bounds)
    if low is None:
        return 'any number' if high is None else f'at most {high}'
    return f'{low} or more' if high is None else f'{low} to {high}'


def describe_preset(preset: Preset) -> str:
    """The description of a preset: its measures, and the judgments that they are made for."""
    facts = {
        'Measures': preset.measures,
        'Judgments': preset.judgments,
        'Source': preset.source,
    }
    lines = [f'{name}: {text}' for name, text in facts.items()]
    return '\n'.join([preset.name, '', preset.says, '', *lines])


def cautions(measure: DivMeasure) -> list[tuple[str, str]]:
    """Titles and texts of cautions: the combinations of a user model that do not compare rankings, by the reason."""
    if not {'model', 'P'} <= {*measure.own_params}:
        return []
    reasons: dict[str, list[str]] = {}
    for model, P in itertools.product((1, 2, 3, 4), measure.SUPPORTED_PARAMS['P'].admits.names):
        if (reason := measure(model=model, P=P).marked) is not None:
            reasons.setdefault(reason, []).append(f'M{model} with {P}')
    return [(f'Marked, {", ".join(cells)}', reason) for reason, cells in reasons.items()]


def cite(names: str, form: str = 'bibtex') -> str:
    """The sources of measures, each once, in the order of the measures.

    Args:
        names: names of measures or presets, separated by spaces.
        form: ``'bibtex'``, or ``'text'`` for one line for each source.

    Raises:
        ValueError: none of the measures has a citation.

    Examples:
        >>> print(cite('RBU@20', form='text'))
        Enrique Amigó, Damiano Spina and Jorge Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation
        Metrics: Introducing the Rank-Biased Utility Metric. Proceedings of SIGIR 2018.
        https://doi.org/10.1145/3209978.3210024
    """
    sources = {
        each: () if (own := ours(each)) is None else own.citation for each in measures(names)
    }
    without = ', '.join(str(each) for each, cited in sources.items() if not cited)
    message = f'no citation for {without}; the documentation of ir_measures names the sources of its own measures'
    if not any(sources.values()):
        raise ValueError(message)
    if without:
        warn(message)
    every = dict.fromkeys(each for cited in sources.values() for each in cited)
    texts = [each.bibtex() if form == 'bibtex' else str(each) for each in every]
    return ('\n\n' if form == 'bibtex' else '\n').join(texts)
