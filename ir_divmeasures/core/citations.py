"""The papers and programs that define the measures: ``CITATIONS``, by key, as BibTeX and as text.

A measure names its sources in ``@measure(cite=…)``. Every DOI appears with the title of the paper in at least two
sources, in the paper itself, or on its publisher's page. Papers whose DOI could not be checked in this way have none.
"""

from __future__ import annotations

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
DOI = re.compile(r'10\.\d{4,9}/\S+')


@dataclass(frozen=True)
class Citation:
    """A paper, a book or a program that is cited.

    Attributes:
        key: surname of the first author and year, in ASCII, with a letter if two papers share them: ``Sakai2011b``.
        authors: ``'Family, Given'`` for each person. A name without a comma is the name of an institution.
        title: as printed.
        venue: the proceedings, journal or publisher.
        year: of publication.
        doi: without ``https://doi.org/``; None if there is none, or if it could not be checked.
        kind: the type of the BibTeX entry, a key of :data:`VENUES`.
        volume, number, pages: as printed, with an en dash between pages; '' where there is none.
        url: where the text is, for a paper without a DOI and for a program.

    Raises:
        ValueError: there is no author, the kind is unknown, the DOI does not look like one, or BibTeX cannot read the
            key.
        TypeError: ``authors`` is a single string.

    Examples:
        >>> mine = Citation('Doe2026', ('Doe, Jane', 'Roe, Max'), 'Halves & Quarters', 'Proceedings of X 2026', 2026)
        >>> print(mine)
        Jane Doe and Max Roe. Halves & Quarters. Proceedings of X 2026.
        >>> print(mine.bibtex())
        @inproceedings{Doe2026,
          author = {Doe, Jane and Roe, Max},
          title = {{Halves \\& Quarters}},
          booktitle = {Proceedings of X 2026},
          year = {2026}
        }
    """

    key: str
    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    doi: str | None = None
    kind: str = 'inproceedings'
    volume: str = ''
    number: str = ''
    pages: str = ''
    url: str = ''

    def __post_init__(self) -> None:
        if isinstance(self.authors, str):
            raise TypeError(
                f"{self.key}: authors={self.authors!r}: expected a tuple of 'Family, Given'"
            )
        if not self.authors:
            raise ValueError(f"{self.key}: no authors: expected a tuple of 'Family, Given'")
        if self.kind not in VENUES:
            raise ValueError(f'{self.key}: kind={self.kind!r}' + did_you_mean(self.kind, VENUES))
        if self.doi is not None and not DOI.fullmatch(self.doi):
            raise ValueError(
                f"{self.key}: doi={self.doi!r}: expected a DOI such as '10.1145/3209978.3210024'"
            )
        if not re.fullmatch(r'[A-Za-z]\w*', self.key, re.A):
            raise ValueError(
                f'key={self.key!r}: expected ASCII letters and digits, such as Clarke2008'
            )

    def bibtex(self) -> str:
        """The BibTeX entry, in UTF-8; the title is in double braces so that its capitals are kept."""
        fields = {
            'author': ' and '.join(
                each if ',' in each else f'{{{each}}}' for each in map(_escaped, self.authors)
            ),
            'title': f'{{{_escaped(self.title)}}}',
            VENUES[self.kind]: _escaped(self.venue),
            'year': str(self.year),
            'volume': self.volume,
            'number': self.number,
            'pages': self.pages.replace('–', '--'),
            'doi': self.doi or '',
            'url': self.url,
        }
        lines = [f'  {name} = {{{value}}}' for name, value in fields.items() if value]
        return f'@{self.kind}{{{self.key},\n' + ',\n'.join(lines) + '\n}'

    def __str__(self) -> str:
        names = [' '.join(reversed(each.split(', ', 1))) for each in self.authors]
        authors = ' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))
        number = f'({self.number})' if self.number else ''
        venue = (
            self.venue
            + (f' {self.volume}{number}' if self.volume else '')
            + (f', {self.pages}' if self.pages else '')
        )
        year = '' if str(self.year) in venue else f', {self.year}'
        link = f'https://doi.org/{self.doi}' if self.doi else self.url
        return f'{authors}. {self.title}. {venue}{year}.' + (f' {link}' if link else '')


def _escaped(text: str) -> str:
    return re.sub(r'([&%#_$])', r'\\\1', text)


CITATIONS: dict[str, Citation] = {
    each.key: each
    for each in (
        Citation(
            'Agrawal2009',
            ('Agrawal, Rakesh', 'Gollapudi, Sreenivas', 'Halverson, Alan', 'Ieong, Samuel'),
            'Diversifying Search Results',
            'Proceedings of WSDM 2009',
            2009,
            '10.1145/1498759.1498766',
            pages='5–14',
        ),
        Citation(
            'Amigo2018',
            ('Amigó, Enrique', 'Spina, Damiano', 'Carrillo-de-Albornoz, Jorge'),
            'An Axiomatic Analysis of Diversity Evaluation Metrics: Introducing the Rank-Biased Utility Metric',
            'Proceedings of SIGIR 2018',
            2018,
            '10.1145/3209978.3210024',
        ),
        Citation(
            'Azzopardi2019',
            ('Azzopardi, Leif', 'Thomas, Paul', 'Moffat, Alistair'),
            'cwl_eval: An Evaluation Tool for Information Retrieval',
            'Proceedings of SIGIR 2019',
            2019,
            '10.1145/3331184.3331398',
            pages='1321–1324',
        ),
        Citation(
            'Carterette2011',
            ('Carterette, Ben',),
            'System Effectiveness, User Models, and User Utility: A Conceptual Framework for Investigation',
            'Proceedings of SIGIR 2011',
            2011,
            '10.1145/2009916.2010037',
        ),
        Citation(
            'Chapelle2009',
            ('Chapelle, Olivier', 'Metzler, Donald', 'Zhang, Ya', 'Grinspan, Pierre'),
            'Expected Reciprocal Rank for Graded Relevance',
            'Proceedings of CIKM 2009',
            2009,
            '10.1145/1645953.1646033',
            pages='621–630',
        ),
        Citation(
            'Clarke2008',
            (
                'Clarke, Charles L. A.',
                'Kolla, Maheedhar',
                'Cormack, Gordon V.',
                'Vechtomova, Olga',
                'Ashkan, Azin',
                'Büttcher, Stefan',
                'MacKinnon, Ian',
            ),
            'Novelty and Diversity in Information Retrieval Evaluation',
            'Proceedings of SIGIR 2008',
            2008,
            '10.1145/1390334.1390446',
            pages='659–666',
        ),
        Citation(
            'Clarke2009',
            ('Clarke, Charles L. A.', 'Kolla, Maheedhar', 'Vechtomova, Olga'),
            'An Effectiveness Measure for Ambiguous and Underspecified Queries',
            'Proceedings of ICTIR 2009',
            2009,
            '10.1007/978-3-642-04417-5_17',
            pages='188–199',
        ),
        Citation(
            'Dang2012',
            ('Dang, Van', 'Croft, W. Bruce'),
            'Diversity by Proportionality: An Election-based Approach to Search Result Diversification',
            'Proceedings of SIGIR 2012',
            2012,
            '10.1145/2348283.2348296',
        ),
        Citation(
            'Dou2019',
            ('Dou, Zhicheng', 'Yang, Xue', 'Li, Diya', 'Wen, Ji-Rong', 'Sakai, Tetsuya'),
            'Low-cost, bottom-up measures for evaluating search result diversification',
            'Information Retrieval Journal',
            2019,
            '10.1007/s10791-019-09356-x',
            'article',
        ),
        Citation(
            'Jarvelin2002',
            ('Järvelin, Kalervo', 'Kekäläinen, Jaana'),
            'Cumulated Gain-Based Evaluation of IR Techniques',
            'ACM Transactions on Information Systems',
            2002,
            '10.1145/582415.582418',
            'article',
            '20',
            '4',
            '422–446',
        ),
        Citation(
            'Jarvelin2008',
            (
                'Järvelin, Kalervo',
                'Price, Susan L.',
                'Delcambre, Lois M. L.',
                'Nielsen, Marianne Lykke',
            ),
            'Discounted Cumulated Gain Based Evaluation of Multiple-Query IR Sessions',
            'Proceedings of ECIR 2008',
            2008,
            pages='4–15',
        ),
        Citation(
            'Ju2025',
            ('Ju, Jia-Huei', 'Verberne, Suzan', 'de Rijke, Maarten', 'Yates, Andrew'),
            'Controlled Retrieval-augmented Context Evaluation for Long-form RAG',
            'Findings of the Association for Computational Linguistics: EMNLP 2025',
            2025,
            '10.18653/v1/2025.findings-emnlp.1151',
            pages='21102–21121',
        ),
        Citation(
            'Lipani2019',
            ('Lipani, Aldo', 'Carterette, Ben', 'Yilmaz, Emine'),
            'From a User Model for Query Sessions to Session Rank Biased Precision (sRBP)',
            'Proceedings of ICTIR 2019',
            2019,
            '10.1145/3341981.3344216',
            pages='109–116',
        ),
        Citation(
            'Luo2013',
            ('Luo, Jiyun', 'Wing, Christopher', 'Yang, Hui', 'Hearst, Marti'),
            'The Water Filling Model and the Cube Test: Multi-dimensional Evaluation for Professional Search',
            'Proceedings of CIKM 2013',
            2013,
            '10.1145/2505515.2523648',
            pages='709–714',
        ),
        Citation(
            'Moffat2008',
            ('Moffat, Alistair', 'Zobel, Justin'),
            'Rank-Biased Precision for Measurement of Retrieval Effectiveness',
            'ACM Transactions on Information Systems',
            2008,
            '10.1145/1416950.1416952',
            'article',
            '27',
            '1',
            '2:1–2:27',
        ),
        Citation(
            'Moffat2017',
            ('Moffat, Alistair', 'Bailey, Peter', 'Scholer, Falk', 'Thomas, Paul'),
            'Incorporating User Expectations and Behavior into the Measurement of Search Effectiveness',
            'ACM Transactions on Information Systems',
            2017,
            '10.1145/3052768',
            'article',
            '35',
            '3',
            '24:1–24:38',
        ),
        Citation(
            'Moffat2022',
            ('Moffat, Alistair', 'Mackenzie, Joel', 'Thomas, Paul', 'Azzopardi, Leif'),
            'A Flexible Framework for Offline Effectiveness Metrics',
            'Proceedings of SIGIR 2022',
            2022,
            '10.1145/3477495.3531924',
        ),
        Citation(
            'Pradeep2025',
            (
                'Pradeep, Ronak',
                'Thakur, Nandan',
                'Upadhyay, Shivani',
                'Campos, Daniel',
                'Craswell, Nick',
                'Lin, Jimmy',
            ),
            'The Great Nugget Recall: Automating Fact Extraction and RAG Evaluation with Large Language Models',
            'Proceedings of SIGIR 2025',
            2025,
            '10.1145/3726302.3730090',
            pages='180–190',
        ),
        Citation(
            'Robertson2010',
            ('Robertson, Stephen E.', 'Kanoulas, Evangelos', 'Yilmaz, Emine'),
            'Extending Average Precision to Graded Relevance Judgments',
            'Proceedings of SIGIR 2010',
            2010,
            '10.1145/1835449.1835550',
            pages='603–610',
        ),
        Citation(
            'Sakai2008',
            ('Sakai, Tetsuya', 'Robertson, Stephen'),
            'Modelling A User Population for Designing Information Retrieval Metrics',
            'Proceedings of EVIA 2008',
            2008,
            url='https://research.nii.ac.jp/ntcir/workshop/OnlineProceedings7/pdf/EVIA2008/07-EVIA2008-SakaiT.pdf',
        ),
        Citation(
            'Sakai2011a',
            ('Sakai, Tetsuya', 'Song, Ruihua'),
            'Evaluating Diversified Search Results Using Per-intent Graded Relevance',
            'Proceedings of SIGIR 2011',
            2011,
            '10.1145/2009916.2010055',
            pages='1043–1052',
        ),
        Citation(
            'Sakai2011b',
            ('Sakai, Tetsuya',),
            'NTCIREVAL: A Generic Toolkit for Information Access Evaluation',
            'Proceedings of FIT 2011',
            2011,
            url='http://research.nii.ac.jp/ntcir/tools/ntcireval-en.html',
        ),
        Citation(
            'Sakai2012',
            ('Sakai, Tetsuya',),
            'Evaluation with Informational and Navigational Intents',
            'Proceedings of WWW 2012',
            2012,
            '10.1145/2187836.2187904',
            pages='499–508',
        ),
        Citation(
            'Sakai2023',
            ('Sakai, Tetsuya', 'Kim, Jin Young', 'Kang, Inho'),
            'A Versatile Framework for Evaluating Ranked Lists in Terms of Group Fairness and Relevance',
            'ACM Transactions on Information Systems',
            2023,
            kind='article',
            url='https://arxiv.org/abs/2204.00280',
        ),
        Citation(
            'Thakur2025',
            (
                'Thakur, Nandan',
                'Lin, Jimmy',
                'Havens, Sam',
                'Carbin, Michael',
                'Khattab, Omar',
                'Drozdov, Andrew',
            ),
            'FreshStack: Building Realistic Benchmarks for Evaluating Retrieval on Technical Documents',
            'arXiv:2504.13128',
            2025,
            '10.48550/arXiv.2504.13128',
            'misc',
        ),
        Citation(
            'TRECWebTrack2013',
            ('TREC Web Track',),
            'ndeval, version 4.5',
            'Program of the TREC Web Track',
            2013,
            kind='misc',
            url='https://github.com/trec-web/trec-web-2014',
        ),
        Citation(
            'Turkmen2023',
            ('Türkmen, Mehmet Deniz', 'Lease, Matthew', 'Kutlu, Mucahid'),
            'New Metrics to Encourage Innovation and Diversity in Information Retrieval Approaches',
            'Proceedings of ECIR 2023',
            2023,
            '10.1007/978-3-031-28238-6_16',
        ),
        Citation(
            'Voorhees2005',
            ('Voorhees, Ellen M.', 'Harman, Donna K.'),
            'TREC: Experiment and Evaluation in Information Retrieval',
            'MIT Press',
            2005,
            kind='book',
        ),
        Citation(
            'Wang2016',
            ('Wang, Xiaojie', 'Dou, Zhicheng', 'Sakai, Tetsuya', 'Wen, Ji-Rong'),
            'Evaluating Search Result Diversity using Intent Hierarchies',
            'Proceedings of SIGIR 2016',
            2016,
            '10.1145/2911451.2911497',
            pages='415–424',
        ),
        Citation(
            'Yang2007',
            (
                'Yang, Yiming',
                'Lad, Abhimanyu',
                'Lao, Ni',
                'Harpale, Abhay',
                'Kisiel, Bryan',
                'Rogati, Monica',
            ),
            'Utility-based Information Distillation over Temporally Sequenced Documents',
            'Proceedings of SIGIR 2007',
            2007,
            pages='31–38',
        ),
        Citation(
            'Yang2009',
            ('Yang, Yiming', 'Lad, Abhimanyu'),
            'Modeling Expected Utility of Multi-session Information Distillation',
            'Proceedings of ICTIR 2009',
            2009,
            pages='164–175',
        ),
        Citation(
            'Yang2015',
            ('Yang, Hui', 'Frank, John R.', 'Soboroff, Ian'),
            'TREC 2015 Dynamic Domain Track Overview',
            'Proceedings of TREC 2015',
            2015,
            url='https://trec.nist.gov/pubs/trec24/papers/overview-dd.pdf',
        ),
        Citation(
            'Zhai2003',
            ('Zhai, ChengXiang', 'Cohen, William W.', 'Lafferty, John'),
            'Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval',
            'Proceedings of SIGIR 2003',
            2003,
            '10.1145/860435.860440',
            pages='10–17',
        ),
        Citation(
            'Zobel1998',
            ('Zobel, Justin',),
            'How Reliable Are the Results of Large-Scale Information Retrieval Experiments?',
            'Proceedings of SIGIR 1998',
            1998,
            '10.1145/290941.291014',
            pages='307–314',
        ),
    )
}
"""Everything that the measures of this package cite, by key."""


def citations_of(cite: str | Citation | Iterable[str | Citation]) -> tuple[Citation, ...]:
    """The citations that ``cite=`` names: keys of :data:`CITATIONS`, or citations of one's own.

    Raises:
        ValueError: an unknown key; or a citation under a key that another one in :data:`CITATIONS` has.
        TypeError: neither a key nor a :class:`Citation`.

    Examples:
        >>> [each.year for each in citations_of(('Clarke2008', 'Zhai2003'))]
        [2008, 2003]
        >>> citations_of('Clark2008')
        Traceback (most recent call last):
        ...
        ValueError: cite='Clark2008': no such citation; did you mean 'Clarke2008'?
    """
    return tuple(map(_citation, (cite,) if isinstance(cite, (str, Citation)) else cite))


def _citation(given: str | Citation) -> Citation:
    if isinstance(given, Citation):
        known = CITATIONS.get(given.key, given)
        if known != given:
            raise ValueError(
                f'cite: {given.key} is the key of {known.title!r}; give yours another key'
            )
        return given
    if not isinstance(given, str):
        raise TypeError(f'cite={given!r}: expected a key of CITATIONS or a Citation')
    if given not in CITATIONS:
        raise ValueError(f'cite={given!r}: no such citation' + did_you_mean(given, CITATIONS))
    return CITATIONS[given]


__all__ = ['CITATIONS', 'Citation', 'citations_of']
