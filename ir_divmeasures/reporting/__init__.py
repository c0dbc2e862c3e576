"""Rank systems on a page, with what the data can and cannot tell, by :func:`leaderboard`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import DivMeasuresWarning, FewQueriesWarning, did_you_mean, limited, warn, whole
from ..io.ordering import check_ties
from ..judgments.topics import topic_texts
from ..lazy import pd
from ..meta.variance import split
from ..results import count
from ..typing import MeasuresLike, QrelsLike
from .board import FOLDER, Leaderboard
from .entrants import without_names
from .material import DEPTH, of_people, of_runs, of_scores
from .standing import (
    COLUMNS,
    OF_BASELINE,
    OF_HUMAN,
    judges_of,
    rounded,
    rows_of,
    standings,
    warnings_of,
)

FORMAT = 'ir_divmeasures.leaderboard/1'


@limited()
def leaderboard(
    source: Any,
    qrels: QrelsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    human: Any = None,
    judges: bool = False,
    systems: Any = None,
    baseline: str | None = None,
    title: str = 'Leaderboard',
    date: str | None = None,
    topics: Any = None,
    docs: Any = None,
    depth: int = DEPTH,
    rel: float = 1,
    missing: str = 'zero',
    ties: str | None = None,
    pool: Any = None,
    answers: Any = None,
    sensitivity: Any = None,
    alpha: float = 0.05,
    rng: int = 0,
) -> Leaderboard:
    """Rank systems, with intervals of ranks, tiers, and the systems that may be first, for a page that anyone can host.

    The first measure ranks. Ranks, their intervals and tiers are those of :func:`ir_divmeasures.meta.ranks`,
    differences and their intervals those of :func:`ir_divmeasures.meta.compare`. The page is one file that works
    offline and loads nothing. Texts of runs, judgments and documents are escaped, and a content security policy lets
    the page execute only its own script. From runs, it has folded sections below the table: the first documents of each
    system for a query, who finds each subtopic, correlations of the measures, and a diagnosis of the data.

    Args:
        source: with ``qrels`` the runs, in any form that :func:`ir_divmeasures.read_runs` takes. Without, the scores:
            :class:`~ir_divmeasures.Scores`, what ``Scores.read`` reads, or a table.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measures: measures to compute; of scores, the measures to show, in this order. The first one ranks.
        human: scores of the same systems by people on a random part of the queries. The scores are then those of an
            automatic judge, and the means are corrected (:func:`ir_divmeasures.meta.prediction_powered`).
        judges: each file of scores has those of one judge.
        systems: what to show of each system: a table or file with a column ``system`` and some of ``name, team, tags,
            url, about, status, note``, or ``{system: {field: text}}``. The status is ``shown``, ``anonymous`` (under
            ``name`` or a number, without team), ``hidden`` (in no test and no file), ``withdrawn`` (without scores,
            listed with its note) or ``unranked`` (shown without a rank, and in no test). Without it, teams are those
            of the runs' metadata.
        baseline: a system that all others are compared with.
        title: heading of the page.
        date: date of the leaderboard, for its provenance.
        topics: the source of query texts, as for :func:`ir_divmeasures.explain`: an ir_datasets id or dataset, a file of
            topics, a DataFrame, or ``{query_id: text}``.
        docs: the source of document titles: an ir_datasets id, dataset or docs_store, a DataFrame with ``doc_id`` or
            ``docno`` and ``title`` or ``text``, or ``{doc_id: title}``.
        depth: number of documents of a ranking that the page shows.
        rel: lowest grade that counts as relevant for coverage.
        missing: as in :func:`ir_divmeasures.evaluate`.
        ties: the order of documents with equal scores, as in :func:`ir_divmeasures.evaluate`.
        pool: a :class:`~ir_divmeasures.pools.Pool`, or its file, for a section about the systems' parts in the judgments. The
            teams of ``systems`` are its groups.
        answers: what :func:`ir_divmeasures.read_answers` returns for the same systems, for a section about nuggets.
        sensitivity: measures and values of their parameters, ``{'RBU@20': {'p': [0.7, 0.8, 0.9]}}``, or what
            :func:`ir_divmeasures.sensitivity` returns, or several of these.
        alpha: level of significance. Intervals of means have confidence level 1 − alpha.
        rng: seed for the draws of ``sensitivity`` and ``pool``.

    Returns:
        :class:`Leaderboard`, whose ``write`` writes the page, its data, or a folder that a static host serves.

    Raises:
        TypeError: ``systems``, ``answers`` or ``sensitivity`` of another form.
        ValueError: an unknown system or measure, no ranked system, a depth below 1, runs without measures, and what
            :func:`ir_divmeasures.evaluate`, :meth:`ir_divmeasures.Scores.read` and
            :func:`ir_divmeasures.meta.prediction_powered` raise.

    Examples:
        >>> from ir_divmeasures import Scores
        >>> rng = np.random.default_rng(0)
        >>> scores = Scores(rng.random((3, 20)) / [[1], [1], [3]], measures=['AP'])
        >>> board = leaderboard(scores)
        >>> board.to_frame()[['rank', 'rank_low', 'rank_high', 'top', 'system']]
           rank  rank_low  rank_high    top   system
        0     1         1          2   True  system2
        1     2         1          2   True  system1
        2     3         3          3  False  system3
    """
    whole(depth, 'depth')
    if ties is not None:
        check_ties(ties)
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        own = (
            of_scores(source, measures, judges, missing, systems)
            if qrels is None
            else of_runs(source, qrels, measures, missing, systems, depth, rel, ties)
        )
        scores, listed = own.scores, own.listed
        by_people = None if human is None else of_people(human, scores, listed)
        shown = {entrant.name: entrant for entrant in listed.values() if entrant.has_scores}
        ranked = [system for system in scores.systems if shown[system].status != 'unranked']
        if not ranked:
            raise ValueError('systems: no system is ranked')
        if baseline is not None:
            baseline = listed[baseline].name if baseline in listed else baseline
            if baseline not in scores.systems:
                raise ValueError(f'no system {baseline!r}{did_you_mean(baseline, scores.systems)}')
        table, verdicts, test = standings(scores, ranked, by_people, baseline, alpha)
        variance, shares, unknown = split(scores)
        texts = topic_texts(topics, own.judgments) if topics is not None or own.judgments else None
        sections, runs = own.sections(texts, docs, pool, answers, sensitivity, rng)
    said = [(str(record.message), record.category) for record in records]
    for message, category in dict.fromkeys(said):
        warn(message, category)
    notes = [
        *warnings_of(scores, own.judged, own.cutoff, by_people),
        *(without_names(text, listed) for text, kind in said if kind is not FewQueriesWarning),
        *own.questions,
    ]
    rows = []
    for system in scores.systems:
        entrant = shown[system]
        rows.append(
            _known(
                name=system,
                team=entrant.team or own.teams.get(system),
                tags=list(entrant.tags),
                about=entrant.about,
                url=entrant.url,
                ranked=False if entrant.status == 'unranked' else None,
                judged=rounded(own.judged.get(system, np.nan)),
                answered=own.answered.get(system),
                sha256=None if entrant.status == 'anonymous' else own.digests.get(system),
            )
        )
    n_human = len(by_people.queries) if by_people else 0
    provenance = _known(
        **own.provenance,
        **{
            'Human judgments': count(n_human, 'query', 'queries') if n_human else '',
            'Where the error comes from': unknown
            if not shares
            else ', '.join(f'{name} {100 * share:.0f} %' for name, share in shares.items()),
            'Test': f'{test}, α = {alpha:g}' if test else '',
            'Seed': str(rng),
            'Versions': f'ir_divmeasures {_version()}, ir_measures {_version("ir_measures")}',
            'Date': date,
        },
    )
    data = {
        'format': FORMAT,
        'title': title,
        'places': 3 if float(abs(scores.values).max()) < 10 else 1,
        'judged': bool(own.judged),
        'cutoff': own.cutoff,
        'alpha': alpha,
        'baseline': -1 if baseline is None else scores.systems.index(baseline),
        'measures': list(scores.measures),
        'queries': [
            _known(id=query, text=texts.query(query) if texts else '') for query in scores.queries
        ],
        'systems': rows,
        'results': rows_of(table, scores.systems),
        'values': scores.values.transpose(2, 0, 1).round(6).tolist(),
        'verdicts': verdicts,
        'withdrawn': [
            [each.name, each.note] for each in listed.values() if each.status == 'withdrawn'
        ],
        'human_queries': n_human,
        'variance': {
            **({} if scores.ratings is None else {'judges': judges_of(scores)}),
            **_known(shares={name: rounded(share) for name, share in shares.items()}),
        },
        'warnings': list(dict.fromkeys(note for note in notes if note)),
        'provenance': provenance,
    }
    facts = pd.DataFrame(
        {'system': row['name'], 'ranked': True, **row, 'tags': ' '.join(row.get('tags', ()))}
        for row in rows
    ).reindex(
        columns=['system', 'team', 'tags', 'url', 'about', 'ranked', 'judged', 'answered', 'sha256']
    )
    queries = count(len(scores.queries), 'query', 'queries')
    return Leaderboard(
        _frame(data, facts),
        f'{title}. {verdicts[0]} Over {queries}: intervals of ranks hold together, those of means alone.',
        [f'! {warning}' for warning in data['warnings']],
        scores=scores,
        systems=facts,
        variance=variance,
        warnings=tuple(data['warnings']),
        provenance=provenance,
        data=data,
        _sections=sections,
        _runs=runs,
    )


def _frame(data: dict[str, Any], facts: pd.DataFrame) -> pd.DataFrame:
    """The table of a leaderboard, from what ``leaderboard.json`` has and facts about the systems."""
    shown = facts[['system', 'team', 'tags', 'judged', 'answered']].to_dict('records')
    rows = [
        {'measure': measure, **row, **fact}
        for measure, of_measure in zip(data['measures'], data['results'])
        for row, fact in sorted(zip(of_measure, shown), key=lambda pair: -pair[0]['mean'])
    ]
    columns = ['measure', *COLUMNS, 'system', 'team', 'tags', 'mean', 'low', 'high', *OF_BASELINE]
    columns += ['judged', 'answered', *(OF_HUMAN if data['human_queries'] else ())]
    integers = dict.fromkeys([*COLUMNS[:-1], 'answered'], 'Int64')
    return pd.DataFrame(rows).reindex(columns=columns).astype(integers)


def _known(**fields: Any) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value not in (None, '', [], {})}


def _version(package: str = 'ir_divmeasures') -> str:
    import importlib.metadata

    if package == 'ir_divmeasures':
        return str(importlib.import_module(package).__version__)
    return importlib.metadata.version(package)


__all__ = ['FOLDER', 'Leaderboard', 'leaderboard']
