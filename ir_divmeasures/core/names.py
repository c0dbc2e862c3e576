"""From names to measures: :func:`parse`, and the names that papers and tools give to measures.

:data:`registry` has the measures of this package and of users. :data:`TABLE` is the only list of further names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import ir_measures

from ..errors import did_you_mean, naming, short
from ..presets import PRESETS
from .parameters import Cutoff, parameter

if TYPE_CHECKING:
    from ..typing import MeasureLike, MeasuresLike

registry: dict[str, Any] = {}
"""The measures of this package and of users, by name and alias."""

TABLE: dict[str, dict[str, str]] = {
    'ndeval': {
        'ERR-IA': 'ERR_IA',
        'nERR-IA': 'nERR_IA',
        'alpha-DCG': 'alpha_DCG',
        'alpha-nDCG': 'alpha_nDCG',
        'NRBP': 'NRBP',
        'nNRBP': 'nNRBP',
        'MAP-IA': 'AP_IA',
        'P-IA': 'P_IA',
        'strec': 'StRecall',
    },
    'NTCIREVAL': {
        'I-rec': 'StRecall',
        'D#-nDCG': 'Dsharp_nDCG',
        'D#-MSnDCG': 'Dsharp_nDCG',
        'IA-Q': 'Q_IA',
        'IA-MSnDCG': 'nDCG_IA',
        'IA-nDCG': 'nDCG_IA',
        'IA-ERR': "gERR_IA(gain='linear')",
        'IA-RBP': "RBP_IA(p=0.95,gain='linear')",
        'MSnDCG': 'D_nDCG',
        'Q': 'D_Q',
        'Hit': 'Success',
    },
    'trec_eval': {
        'map': 'AP',
        'map_cut': 'AP',
        'P': 'P',
        'ndcg': 'nDCG',
        'ndcg_cut': 'nDCG',
        'recip_rank': 'RR',
        'recall': 'R',
        'success': 'Success',
        'Rprec': 'Rprec',
        'bpref': 'Bpref',
        'infAP': 'infAP',
        'iprec_at_recall': 'IPrec',
        'set_P': 'SetP',
        'set_recall': 'SetR',
        'set_F': 'SetF',
        'set_map': 'SetAP',
        'set_relative_P': 'SetP(relative=True)',
        'num_q': 'NumQ',
        'num_ret': 'NumRet',
        'num_rel': 'NumRel',
        'num_rel_ret': 'NumRet(rel=1)',
    },
    'papers': {
        'precision': 'P',
        'hit_rate': 'Success',
        'R-precision': 'Rprec',
        'a-nDCG': 'alpha_nDCG',
        'a-DCG': 'alpha_DCG',
        's-recall': 'StRecall',
        'srecall': 'StRecall',
        'S-Rec': 'StRecall',
        'subtopic-recall': 'StRecall',
        'intent-recall': 'StRecall',
        'IA-P': 'P_IA',
        'Prec-IA': 'P_IA',
        'Precision-IA': 'P_IA',
        'IA-MAP': 'AP_IA',
        'IA-AP': 'AP_IA',
        'MRR-IA': 'RR_IA',
        'S-RR': 'StRR',
        'α#-IA-DCG': 'alpha_DCG_IA',
        'node-recall': 'N_rec',
        'LA-I-rec': 'I_rec_LA',
    },
}
"""Measures as this package writes them, by the origin of a name and the name. :func:`standard` ignores case, hyphens
and underscores, and reads ``#`` as ``sharp`` and ``α`` as ``alpha``, so that names of papers which differ only in these
are not listed."""


ALIASES = {
    'α_DCG': 'alpha_DCG',
    'α_nDCG': 'alpha_nDCG',
    'I_rec': 'StRecall',
    'S_Recall': 'StRecall',
    'MAP_IA': 'AP_IA',
}
"""Further names of measures of this package, which ir_measures and PyTerrier know too."""


class UnknownMeasureError(ValueError, NameError):
    """No measure has this name. ir_measures raises NameError here where PyTerrier expects ValueError."""


LAST_NUMBER = re.compile(r'(_at)?[_.](?P<number>\d+(\.\d+)?)$')
"""A parameter as trec_eval, ndeval and other tools write it: ``ndcg_cut_10``, ``iprec_at_recall_0.10``, ``ndcg_at_10``."""

LAST_NUMBER_IS = {'SetF': 'beta'}
"""The parameter that the last number sets, if it is not the one after ``@``."""


def standard(name: str) -> str:
    """A name in one standard form, without case, hyphens and underscores.

    Examples:
        >>> standard('D#-nDCG'), standard('Dsharp_nDCG'), standard('α-nDCG')
        ('dsharpndcg', 'dsharpndcg', 'alphandcg')
    """
    for sign, word in (('#', 'sharp'), ('♯', 'sharp'), ('α', 'alpha'), ('Α', 'alpha')):
        name = name.replace(sign, word)
    return re.sub(r'[\s_‐‑–-]', '', name).casefold()


def rows() -> Iterator[tuple[str, str, str]]:
    """Source, name and measure, for every name of :data:`TABLE`."""
    for source, names in TABLE.items():
        for name, target in names.items():
            yield source, name, target


def measure_of(target: str) -> str:
    """The measure's name in the name of a measure with parameters."""
    return target.partition('(')[0]


def canonical(name: str) -> str:
    """The name of a measure as it prints."""
    return str(parse(name, complete=False))


MeasureName = Annotated[
    str,
    "the name of any measure that ir_measures can compute, for example 'nDCG@10'",
    canonical,
]
"""The type of a parameter that takes a measure: a function with it makes a measure that wraps another one."""


# ------------------------------------------------------------------------------------------------------- parsing

MEASURE = re.compile(r'(?P<name>[^\W\d][^@(]*)(\((?P<inside>.*)\)\s*)?(@(?P<at>[^@()]+))?', re.S)
PARAMETER = re.compile(r'(?P<name>\w+)\s*=(?!=)(?P<value>.*)', re.S)


def parse(text: MeasureLike, complete: bool = True) -> ir_measures.Measure:
    """A measure of this package or of ir_measures from its name: ``RBU(p=0.99,e=0.05)@20``.

    The parser also knows names of papers and tools: ``alpha-nDCG@20``, ``D#-nDCG@10``, ``strec@20``, ``ndcg_cut_10``
    (:mod:`ir_divmeasures.core.names`). With ``complete=False`` the name may lack a cutoff that ir_measures requires.

    Raises:
        ValueError: the text is not the name of a measure, a measure or parameter is unknown, or a value is out of
            range.
    """
    if isinstance(text, ir_measures.Measure):
        if text.NAME not in registry and type(text.params.get('cutoff')) is not bool:
            _check_cutoff(text)
        return text
    if not isinstance(text, str):
        raise TypeError(f'expected the name of a measure or a measure, found {text!r}')
    match = MEASURE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'{short(text)} is not a measure: expected Name(parameter=value,…)@cutoff')
    base, params = _look_up(match['name'].strip())
    try:
        if match['inside']:
            for key, value in _parameters(match['inside'], getattr(base, 'wraps', None)):
                if key in params:
                    raise ValueError(f'{key} is given twice')
                params[key] = value
        if match['at'] is not None:
            params[base.AT_PARAM] = _value('@', re.sub(r'^0+(?=\d)', '', match['at'].strip()))
    except ValueError as error:
        raise ValueError(f'{short(text)} is not a measure: {error}') from None
    try:
        measure = base(**params)
    except RecursionError:
        raise ValueError(f'{short(text)} is not a measure: brackets too deep') from None
    if base.NAME not in registry and measure.params.get('cutoff') is not None:
        measure.params['cutoff'] = _check_cutoff(measure)
    try:
        measure.validate_params()
    except AssertionError as error:
        known = measure.SUPPORTED_PARAMS.items()
        missing = [name for name, info in known if info.required and name not in measure.params]
        if missing == ['cutoff'] and not complete:
            return measure
        needed = f'needs {" and ".join(missing)}' if missing else str(error)
        raise ValueError(f'{text!r}: {needed}') from None
    return measure


_CUTOFF = parameter('cutoff', Cutoff, None)


def _check_cutoff(measure: Any) -> Any:
    """The cutoff of a measure of ir_measures as an int, or None. ir_measures accepts cutoffs that end the process."""
    with naming(measure.NAME):
        return _CUTOFF.check(measure.params.get('cutoff'))


def _look_up(name: str) -> tuple[Any, dict[str, Any]]:
    """The measure of a name without parameters in brackets, and the parameter in its last number, if it has one.

    Raises:
        UnknownMeasureError: no measure has this name. The message suggests a similar name.
    """
    known = {**ir_measures.measures.registry, **registry}
    if name in known:
        return known[name], {}
    if (match := _synonym(name, known)) is not None:
        return match, {}
    last = LAST_NUMBER.search(name)
    if last is not None and (match := _synonym(name[: last.start()], known)) is not None:
        number = float(last['number'])
        parameter = LAST_NUMBER_IS.get(match.NAME, match.AT_PARAM)
        return match, {
            parameter: int(number) if number.is_integer() and parameter == 'cutoff' else number
        }
    if len(name) == 1:  # PyTerrier takes the characters of a string one by one
        raise UnknownMeasureError(
            f"no measure {short(name)}; if you passed a string where a list of measures is expected, as in "
            f"pt.Experiment(…, 'alpha_nDCG@10'), pass ['alpha_nDCG@10']"
        )
    further = [synonym for _, synonym, target in rows() if measure_of(target) in known]
    raise UnknownMeasureError(
        f'no measure {short(name)}'
        + did_you_mean(name[:100], [*known, *further, *PRESETS], list_known=False)
    )


def _synonym(name: str, known: dict[str, Any]) -> Any:
    """The measure that a name of a paper or tool stands for, or None. An ambiguous name is a ValueError.

    These are measures whose names differ only in case, hyphens and underscores, or else what :data:`TABLE` has.

    Examples:
        >>> _synonym('err-ia', registry), _synonym('STREC', registry), _synonym('strecc', registry)
        (ERR_IA, StRecall, None)
    """
    key = standard(name)
    meant = {known[each] for each in known if standard(each) == key} or {
        known[target] if target in known else parse(target)
        for _, synonym, target in rows()
        if standard(synonym) == key and measure_of(target) in known
    }
    if len(meant) > 1:
        raise ValueError(f'{name!r} may be {" or ".join(sorted(map(str, meant)))}')
    return meant.pop() if meant else None


def _parameters(inside: str, wraps: str | None) -> Iterator[tuple[str, Any]]:
    """The parameters in brackets. A wrapped measure needs neither quotes nor the name of the parameter."""
    for number, word in enumerate(_split(inside, ',')):
        match = PARAMETER.fullmatch(word.strip())
        if match is None:
            if wraps is None or number:
                raise ValueError('parameters must be named')
            key, value = wraps, word.strip()
        else:
            key, value = match['name'], match['value'].strip()
        yield (
            key,
            value
            if key == wraps and value[:1].isalpha() and value != 'None'
            else _value(f'{key}=', value),
        )


def _value(label: str, text: str) -> Any:
    """The value that a text stands for in Python. ``label`` precedes it in error messages."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError(
            f'{label}{short(text, quotes=False)}: expected a number, a text in quotes, True, False or '
            f'None'
        ) from None


def measures(text: MeasuresLike) -> list[ir_measures.Measure]:
    """Measures from their names, for ``pt.Experiment`` and ``ir_measures``.

    Args:
        text: names separated by spaces, or an iterable of names and measure objects. Names are those of measures of
            this package and of ir_measures, or those of :mod:`~ir_divmeasures.presets`, which stand for several
            measures: ``'web-track'``.

    Returns:
        A list of measure objects without repetitions, in the order of ``text``.

    Raises:
        ValueError: a measure or parameter is unknown, or a value is out of range. The message suggests a similar name.

    Examples:
        >>> measures('RBU(p=0.99,e=0.05)@20 alpha_nDCG@20 nDCG@20')
        [RBU(p=0.99,e=0.05)@20, alpha_nDCG@20, nDCG@20]
        >>> measures('web-track RBU@20')
        [ERR_IA@20, alpha_nDCG@20, NRBP, StRecall@20, P_IA@20, AP_IA, RBU@20]
        >>> measures('alpha_nDCG(alfa=0.1)@20')
        Traceback (most recent call last):
        ...
        ValueError: alpha_nDCG: unknown parameter 'alfa'; did you mean 'alpha'?
    """
    if isinstance(text, ir_measures.Measure):
        return [text]
    if not isinstance(text, Iterable):
        raise TypeError(f'expected names of measures or measures, found {text!r}')
    parsed: dict[ir_measures.Measure, None] = {}
    for name in _split(text, ' \t\n,') if isinstance(text, str) else text:
        if isinstance(name, str) and name in PRESETS:
            parsed.update(dict.fromkeys(measures(PRESETS[name].measures)))
        else:
            parsed[parse(name)] = None
    return list(parsed)


SIGNS = {'alpha': 'α', 'beta': 'β', 'theta': 'θ', 'mu': 'μ'}
"""Greek letters by the names of parameters and of parts of measures' names."""


def label(text: MeasureLike) -> str:
    """How papers write a measure: Greek letters, ♯ and hyphens, and parameters behind the cutoff.

    A text that is not the name of a measure is returned unchanged.

    Examples:
        >>> label('alpha_nDCG@20'), label('Dsharp_nDCG@20'), label('ndcg_cut_10')
        ('α-nDCG@20', 'D♯-nDCG@20', 'nDCG@10')
        >>> label('RBU(p=0.99,e=0.05)@20'), label('our measure')
        ('RBU@20 (p = 0.99, e = 0.05)', 'our measure')
    """
    try:
        measure = parse(text, complete=False)
    except ValueError:
        return str(text)
    words = [SIGNS.get(word, word) for word in str(measure.NAME).split('_')]
    written = '-'.join(words).replace('sharp', '♯')
    params = dict(measure.params)
    at = params.pop(measure.AT_PARAM, None)
    values = (f'{value:g}' if isinstance(value, float) else str(value) for value in params.values())
    settings = ', '.join(f'{SIGNS.get(key, key)} = {value}' for key, value in zip(params, values))
    return written + (f'@{at}' if at is not None else '') + (f' ({settings})' if settings else '')


def _split(text: str, separators: str) -> list[str]:
    """Split at separators outside brackets and quotes."""
    words, word, depth, quote = [], '', 0, ''
    for character in text:
        if quote:
            quote = '' if character == quote else quote
        elif character in '\'"':
            quote = character
        elif character in '([{':
            depth += 1
        elif character in ')]}':
            depth -= 1
        if character in separators and not depth and not quote:
            words.append(word)
            word = ''
        else:
            word += character
    return [w for w in [*words, word] if w.strip()]
