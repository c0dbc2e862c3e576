"""The papers and programs that define the measures: :func:`references`, read from ``resources/references.bib``.

A measure names its sources in ``@measure(cite=…)``. Every DOI appears with the title of the paper in at least two
sources, in the paper itself, or on its publisher's page. Papers whose DOI could not be checked in this way have none.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import did_you_mean

VENUES = {
    'inproceedings': 'booktitle',
    'article': 'journal',
    'book': 'publisher',
    'misc': 'howpublished',
}
"""Types of BibTeX entries, and the field that names the venue in an entry of this type."""
ENTRY = r'(?sa)@(?P<kind>\w+)\{(?P<key>[A-Za-z]\w*),\n(?P<fields>.*)\n\}'
FIELD = r'(?m)^\s*(\w+)\s*=\s*\{(.*)\},?$'


@dataclass(frozen=True)
class Citation:
    """A paper, a book or a program that is cited, as a BibTeX entry.

    Attributes:
        entry: the BibTeX entry with one field a line. It has the fields ``author``, ``title``, ``year`` and the venue
            (:data:`VENUES`), and optionally ``volume``, ``number``, ``pages``, ``doi`` and ``url``.

    Raises:
        ValueError: the text is no BibTeX entry.

    Examples:
        >>> mine = Citation('''@inproceedings{Doe2026,
        ...   author = {Doe, Jane and Roe, Max},
        ...   title = {{Halves}},
        ...   booktitle = {Proceedings of X 2026},
        ...   year = {2026}
        ... }''')
        >>> print(mine.key, mine)
        Doe2026 Jane Doe and Max Roe. Halves. Proceedings of X 2026.
    """

    entry: str

    def __post_init__(self) -> None:
        match = re.fullmatch(ENTRY, self.entry.strip())
        if match is None:
            raise ValueError(
                f'expected a BibTeX entry such as @article{{Clarke2008, …}} with one field a line, '
                f'found {self.entry[:60]!r}'
            )

    @property
    def key(self) -> str:
        """Surname of the first author and year, with a letter if two papers share them: ``Sakai2011b``."""
        return self.entry.strip().partition('{')[2].partition(',')[0]

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the entry as plain text, by name."""
        return {
            name: re.sub(r'\\(?=[&%$#_])|[{}]', '', text).replace('--', '–')
            for name, text in re.findall(FIELD, self.entry)
        }

    def bibtex(self) -> str:
        """The BibTeX entry."""
        return self.entry.strip()

    def __str__(self) -> str:
        fields = self.fields
        names = [
            ' '.join(reversed(each.split(', ', 1))) for each in fields['author'].split(' and ')
        ]
        authors = ' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))
        venue = next(fields[name] for name in VENUES.values() if name in fields)
        if 'volume' in fields:
            venue += f' {fields["volume"]}'
            venue += f'({fields["number"]})' if 'number' in fields else ''
        venue += f', {fields["pages"]}' if 'pages' in fields else ''
        venue += '' if fields['year'] in venue else f', {fields["year"]}'
        link = f'https://doi.org/{fields["doi"]}' if 'doi' in fields else fields.get('url', '')
        return f'{authors}. {fields["title"]}. {venue}.' + (f' {link}' if link else '')


@functools.cache
def references() -> dict[str, Citation]:
    """Everything that the measures of this package cite, by key."""
    path = os.path.join(os.path.dirname(__file__), '../resources/references.bib')
    with open(path, encoding='utf-8') as file:
        entries = re.split(r'\n(?=@)', file.read())
    return {each.key: each for each in map(Citation, entries)}


def citations_of(cite: str | Citation | Iterable[str | Citation]) -> tuple[Citation, ...]:
    """The citations that ``cite=`` names: keys of :func:`references`, or citations of one's own.

    Raises:
        ValueError: an unknown key.
        TypeError: neither a key nor a :class:`Citation`.

    Examples:
        >>> [each.fields['year'] for each in citations_of(('Clarke2008', 'Zhai2003'))]
        ['2008', '2003']
        >>> citations_of('Clark2008')
        Traceback (most recent call last):
        ...
        ValueError: cite='Clark2008': no such citation; did you mean 'Clarke2008'?
    """
    cited = []
    for source in (cite,) if isinstance(cite, (str, Citation)) else cite:
        if not isinstance(source, (str, Citation)):
            raise TypeError(f'cite={source!r}: expected the key of a citation, or a Citation')
        if isinstance(source, str) and source not in references():
            raise ValueError(
                f'cite={source!r}: no such citation' + did_you_mean(source, references())
            )
        cited.append(references()[source] if isinstance(source, str) else source)
    return tuple(cited)


__all__ = ['Citation', 'citations_of', 'references']
