"""The catalogue as text, for ``ir_divmeasures measures`` and for pages of the documentation.

All of it is derived from the declarations of the measures.
"""

from __future__ import annotations

import inspect
import itertools

from ..core.registry import DivMeasure, catalogue, measures, ours, registry
from ..errors import warn
from ..families.usermodel import DYNAMIC, STATIC
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
    own = ','.join(
        f'{name}={measure.SUPPORTED_PARAMS[name].default!r}' for name in measure.own_params
    )
    return (
        measure.NAME
        + (f'({own})' if own else '')
        + ('@k' if 'cutoff' in measure.SUPPORTED_PARAMS else '')
    )


def aliases(measure: DivMeasure) -> list[str]:
    """Further names of a measure."""
    return [name for name, other in registry.items() if other is measure and name != measure.NAME]


def listing() -> str:
    """One line per measure, by family."""
    lines: list[str] = []
    for heading, members in families().items():
        lines += ['', heading]
        lines += [
            f'  {signature(m)}' + (f'  (also {", ".join(aliases(m))})' if aliases(m) else '')
            for m in members
        ]
    lines += ['', 'Presets, names for several measures']
    lines += [f'  {preset.name:<12} {preset.says}' for preset in PRESETS.values()]
    lines += ['', 'Every measure also takes rel=1 and judged_only=False.']
    return '\n'.join(lines[1:])


def describe(measure: DivMeasure) -> str:
    """The full description of a measure: formula, choices, source, parameters, range of values and cautions."""
    lines = [signature(measure), '', inspect.getdoc(measure) or '', '', 'Parameters:']
    lines += [
        f'  {name} = {info.default!r}: {info.desc}. Allowed: {info.expected}'
        for name, info in measure.SUPPORTED_PARAMS.items()
    ]
    lines += ['', f'Values: {values(measure)}.']
    if measure.needs:
        lines.append(f'Needs judgments with: {", ".join(measure.needs)}.')
    lines += [f'{title}: {text}.' for title, text in cautions(measure)]
    return '\n'.join(lines)


def describe_preset(preset: Preset) -> str:
    """The description of a preset: its measures, and the judgments that they are made for."""
    return '\n'.join(
        [
            preset.name,
            '',
            preset.says,
            '',
            f'Measures: {preset.measures}',
            f'Judgments: {preset.judgments}',
            f'Source: {preset.source}',
        ]
    )


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
    citations = {
        measure: own.citation if (own := ours(measure)) is not None else ()
        for measure in measures(names)
    }
    without = ', '.join(str(measure) for measure, sources in citations.items() if not sources)
    message = f'no citation for {without}; the documentation of ir_measures names the sources of its own measures'
    if not any(citations.values()):
        raise ValueError(message)
    if without:
        warn(message)
    sources = dict.fromkeys(each for group in citations.values() for each in group)
    return (
        '\n\n'.join(each.bibtex() for each in sources)
        if form == 'bibtex'
        else '\n'.join(map(str, sources))
    )


def cautions(measure: DivMeasure) -> list[tuple[str, str]]:
    """Titles and texts of cautions: padding that raises the score, and marked combinations of parameters."""
    entries = (
        [('Appending documents without a judgment may raise the score', measure.facts.rises)]
        if measure.facts.rises
        else []
    )
    if measure.facts.marks is not None:
        reasons: dict[str, list[str]] = {}
        for cell in itertools.product((1, 2, 3, 4), (*STATIC, *DYNAMIC)):
            reason = measure.facts.marks(dict(zip(('model', 'P'), cell)))
            if reason is not None:
                reasons.setdefault(reason, []).append('M{} with {}'.format(*cell))
        entries += [(f'Marked, {", ".join(cells)}', reason) for reason, cells in reasons.items()]
    return entries


def values(measure: DivMeasure) -> str:
    """The range of a measure's values, in words."""
    low, high = measure.bounds
    if low is None:
        return 'any number'
    return f'{low:g} to {high:g}' if high is not None else f'{low:g} or more'
