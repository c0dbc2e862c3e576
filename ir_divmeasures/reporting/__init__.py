"""Rank systems on a page, with what the data can and cannot tell, by :func:`leaderboard`."""

from __future__ import annotations

import json
import os
import types
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.registry import measures as parse_all
from ..errors import DivMeasuresWarning, FewQueriesWarning, did_you_mean, limited, visible, warn
from ..evaluation.diagnose import Examination
from ..evaluation.evaluate import evaluate
from ..evaluation.joint import joint
from ..evaluation.scores import Scores, as_scores
from ..evaluation.tops import Tops
from ..explanation.settings import sensitivities
from ..io import score_forms
from ..io.digests import digest, of_files, of_table, run_digest, together
from ..io.entrants import Entrant, entrants, without_names
from ..io.files import check_targets, is_a_folder, replacing
from ..io.metadata import metadata_table
from ..io.ordering import check_ties
from ..io.runs import named
from ..judgments.table import Judgments
from ..judgments.topics import topic_texts
from ..lazy import pd
from ..meta.agreement import correlations
from ..meta.variance import Sources, split
from ..pools.pool import Pool
from ..results import Result, count
from .facts import (
    correlation_section,
    coverage_section,
    data_section,
    pool_section,
    rankings,
)
from .page import badge, file_name, page
from .parameter_tables import sensitivity_section
from .sections import Section
from .standing import OF_HUMAN, judges_of, rounded, rows_of, standings, warnings_of
from .subtopic_tables import joint_section, subtopic_section

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike

FORMAT = 'ir_divmeasures.leaderboard/1'
DEPTH = 10
FOLDER = ('index.html', 'leaderboard.json', 'leaderboard.csv', 'scores.csv.gz', '.nojekyll')
"""The files of a folder that a static host serves."""


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """The result of :func:`leaderboard`.

    Attributes:
        scores: the scores of the systems that are shown, under the names that are shown.
        systems: a row for each of them: ``system, team, tags, url, about, ranked, judged, answered, sha256``.
        variance: the split of the variance into queries, judges and banks (:func:`ir_divmeasures.meta.sources`), or
            None.
        warnings: what readers should know first.
        provenance: where the data come from, and how they were tested.
        data: what ``leaderboard.json`` has.
    """

    scores: Scores
    systems: pd.DataFrame
    variance: Sources | None
    warnings: tuple[str, ...]
    provenance: dict[str, str]
    data: dict[str, Any]
    _sections: tuple[Section, ...]
    _runs: dict[str, Any] | None

    def to_frame(self) -> pd.DataFrame:
        """A row for each measure and system: ``measure, rank, rank_low, rank_high, tier, top, system, team, tags, mean,
        low, high, difference, difference_low, difference_high, judged, answered``, and with ``human`` also ``human, llm,
        bias``. Unknown values are empty. The best system by a measure comes first."""
        facts = self.systems[['system', 'team', 'tags', 'judged', 'answered']].to_dict('records')
        rows = [
            {'measure': measure, **row, **fact}
            for measure, of_measure in zip(self.data['measures'], self.data['results'])
            for row, fact in sorted(zip(of_measure, facts), key=lambda pair: -pair[0]['mean'])
        ]
        columns = [
            'measure',
            'rank',
            'rank_low',
            'rank_high',
            'tier',
            'top',
            'system',
            'team',
            'tags',
            'mean',
            'low',
            'high',
            'difference',
            'difference_low',
            'difference_high',
            'judged',
            'answered',
        ]
        columns += [name for name in OF_HUMAN if name in rows[0]]
        whole = dict.fromkeys(['rank', 'rank_low', 'rank_high', 'tier', 'answered'], 'Int64')
        return pd.DataFrame(rows).reindex(columns=columns).astype(whole)

    def _headline(self) -> str:
        n = count(len(self.scores.queries), 'query', 'queries')
        intervals = f'Over {n}: intervals of ranks hold together, those of means alone.'
        return ' '.join([f'{self.data["title"]}.', *self.data['verdicts'][:1], intervals])

    def _printed(self) -> tuple[pd.DataFrame, str]:
        frame = self.to_frame()
        return frame[frame['measure'] == self.data['measures'][0]].dropna(
            axis=1, how='all'
        ), 'to_frame()'

    def _notes(self) -> list[str]:
        return [f'! {warning}' for warning in self.warnings]

    def json(self) -> str:
        """The text of ``leaderboard.json``."""
        return json.dumps(self.data, ensure_ascii=False, separators=(',', ':')) + '\n'

    def html(self) -> str:
        """The text of the page."""
        return page(self.data, self._sections, self._runs)

    def badges(self) -> dict[str, str]:
        """A badge (SVG) for each ranked system, by the name of its file."""
        n = sum(each.get('ranked', True) for each in self.data['systems'])
        found: dict[str, str] = {}
        for each, row in zip(self.data['systems'], self.data['results'][0]):
            name = file_name(each['name'])
            while f'{name}.svg' in found:
                name += '_'
            if row['rank'] is not None:
                found[f'{name}.svg'] = badge(visible(self.data['title']), row, n)
        return found

    def write(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, badges: bool = False
    ) -> str:
        """Write the leaderboard as a page, as data, or as a folder that a static host serves.

        Equal input gives equal bytes.

        Args:
            path: a file that ends in ``.html``, ``.json`` or ``.csv``; or a folder, which ends in ``/`` or exists. The
                folder has ``index.html``, ``leaderboard.json``, ``leaderboard.csv``, ``scores.csv.gz`` and ``.nojekyll``.
            overwrite: replace existing files.
            badges: also write ``badges/SYSTEM.svg`` for each ranked system to the folder.

        Returns:
            The path.

        Raises:
            FileExistsError: a file exists and ``overwrite`` is False. Nothing is written then.
            ValueError: another ending, or badges without a folder.
        """
        path = os.fspath(path)
        is_folder = is_a_folder(path)
        check_targets(path, FOLDER, overwrite)
        if badges and not is_folder:
            raise ValueError(f'{path}: badges need a folder, which exists or ends in /')
        texts = {'.html': self.html, '.json': self.json, '.csv': self._csv}
        if not is_folder:
            self._save({path: texts[os.path.splitext(path)[1]]()}, overwrite)
            return path
        os.makedirs(path, exist_ok=True)
        files: dict[str, str | bytes] = {
            os.path.join(path, name): texts[os.path.splitext(name)[1]]() for name in FOLDER[:3]
        }
        files[os.path.join(path, '.nojekyll')] = ''
        if badges:
            os.makedirs(os.path.join(path, 'badges'), exist_ok=True)
            for name, svg in self.badges().items():
                files[os.path.join(path, 'badges', name)] = svg
        self._save(files, overwrite)
        self.scores.write(os.path.join(path, 'scores.csv.gz'), overwrite=overwrite)
        return path

    def _csv(self) -> str:
        return str(self.to_frame().to_csv(index=False, lineterminator='\n'))

    @staticmethod
    def _save(files: Mapping[str, str | bytes], overwrite: bool) -> None:
        for path, text in files.items():
            with replacing(path, overwrite) as partial, open(partial, 'wb') as file:
                file.write(text.encode('utf-8', 'surrogatepass') if isinstance(text, str) else text)


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
        pool: a :class:`~ir_divmeasures.Pool`, or its file, for a section about the systems' parts in the judgments. The
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
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> scores = Scores(rng.random((3, 20)) / [[1], [1], [3]], measures=['AP'])
        >>> board = leaderboard(scores)
        >>> board.to_frame()[['rank', 'rank_low', 'rank_high', 'top', 'system']]
           rank  rank_low  rank_high    top   system
        0     1         1          2   True  system2
        1     2         1          2   True  system1
        2     3         3          3  False  system3
    """
    if isinstance(depth, bool) or int(depth) != depth or depth < 1:
        raise ValueError(f'depth={depth!r}: expected a whole number of at least 1')
    if ties is not None:
        check_ties(ties)
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        if qrels is None:
            own: _Material = _of_scores(source, measures, judges, missing, systems)
        else:
            own = _of_runs(source, qrels, measures, missing, systems, int(depth), rel, ties)
        scores, listed = own.scores, own.listed
        by_people = None if human is None else _of_people(human, scores, listed)
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
        sections: list[Section] = []
        runs = None
        texts = topic_texts(topics, own.judgments) if topics is not None or own.judgments else None
        if isinstance(own, _Runs):
            sections, runs = own.sections(texts, docs, pool, answers, sensitivity, rng)
    said = [(str(record.message), record.category) for record in records]
    for message, category in dict.fromkeys(said):
        warn(message, category)
    judged = {} if own.tops is None else own.tops.judged
    notes = [
        *warnings_of(scores, judged, own.cutoff, by_people),
        *(without_names(text, listed) for text, kind in said if kind is not FewQueriesWarning),
        *own.questions,
    ]
    rows = [
        {
            'name': system,
            **({'team': team} if (team := shown[system].team or own.team(system)) else {}),
            **({'tags': list(shown[system].tags)} if shown[system].tags else {}),
            **{field: text for field in ('about', 'url') if (text := getattr(shown[system], field))},
            **({'ranked': False} if shown[system].status == 'unranked' else {}),
            **({'judged': rounded(judged[system])} if system in judged else {}),
            **({'answered': own.answered[system]} if system in own.answered else {}),
            **({'sha256': own.digests[system]} if system in own.digests and shown[system].status != 'anonymous' else {}),
        }
        for system in scores.systems
    ]  # fmt: skip
    of_error = ', '.join(f'{name} {100 * share:.0f} %' for name, share in shares.items()) or unknown
    provenance = {
        **own.provenance,
        **(
            {'Human judgments': count(len(by_people.queries), 'query', 'queries')}
            if by_people
            else {}
        ),
        **({'Where the error comes from': of_error} if of_error else {}),
        **({'Test': f'{test}, α = {alpha:g}'} if test else {}),
        'Seed': str(rng),
        'Versions': f'ir_divmeasures {_version()}, ir_measures {_version("ir_measures")}',
        **({'Date': date} if date else {}),
    }
    data = {
        'format': FORMAT,
        'title': title,
        'places': 3 if float(abs(scores.values).max()) < 10 else 1,
        'judged': bool(judged),
        'cutoff': own.cutoff,
        'alpha': alpha,
        'baseline': -1 if baseline is None else scores.systems.index(baseline),
        'measures': list(scores.measures),
        'queries': [
            {'id': query, **({'text': text} if texts and (text := texts.query(query)) else {})}
            for query in scores.queries
        ],
        'systems': rows,
        'results': rows_of(table, scores.systems),
        'values': scores.values.transpose(2, 0, 1).round(6).tolist(),
        'verdicts': verdicts,
        'withdrawn': [
            [each.name, each.note] for each in listed.values() if each.status == 'withdrawn'
        ],
        'human_queries': len(by_people.queries) if by_people else 0,
        'variance': {
            **({'judges': judges_of(scores)} if scores.ratings is not None else {}),
            **(
                {'shares': {name: rounded(share) for name, share in shares.items()}}
                if shares
                else {}
            ),
        },
        'warnings': list(dict.fromkeys(note for note in notes if note)),
        'provenance': provenance,
    }
    columns = ('system', 'team', 'tags', 'url', 'about', 'ranked', 'judged', 'answered', 'sha256')
    facts = pd.DataFrame([{'system': row['name'], 'ranked': True, **row} for row in rows])
    facts = facts.reindex(columns=columns).assign(
        tags=[' '.join(row.get('tags', ())) for row in rows]
    )
    return Leaderboard(
        scores, facts, variance, tuple(data['warnings']), provenance, data, tuple(sections), runs
    )


def _version(package: str = 'ir_divmeasures') -> str:
    import importlib.metadata

    if package == 'ir_divmeasures':
        return str(importlib.import_module(package).__version__)
    return importlib.metadata.version(package)


# ----------------------------------------------------------------------------------------- what leaderboards are made of


class _Material:
    """Scores of systems under the names that are shown, and what is known of their origin.

    Attributes:
        scores, listed: the scores, and all systems by their names in the data.
        provenance, questions: where the data come from, and what looks wrong.
        digests: the sha256 of each system's run.
        answered: the number of judged queries of each system's run.
        cutoff: the number of documents whose share of judged ones is shown.
        judgments, tops: the judgments and the first documents, of runs.
    """

    judgments: Judgments | None = None
    tops: Tops | None = None
    cutoff = DEPTH
    questions: Sequence[str] = ()

    def __init__(
        self, scores: Scores, listed: dict[str, Entrant], provenance: dict[str, str]
    ) -> None:
        self.scores, self.listed, self.provenance = scores, listed, provenance
        self.digests: dict[str, str] = {}
        self.answered: dict[str, int] = {}

    def team(self, system: str) -> str:
        """The team that a system's run names."""
        heads, rows = (
            metadata_table({system: self.tops.metadata[system]}) if self.tops else ([], [])
        )
        return rows[0][1] if heads[:1] == ['Team'] else ''


def _of_scores(source: Any, measures: Any, judges: bool, missing: str, systems: Any) -> _Material:
    """The material of a leaderboard from scores."""
    listed_source = source if isinstance(source, (list, tuple)) else [source]
    is_files = isinstance(source, Mapping) or all(
        isinstance(each, (str, os.PathLike)) for each in listed_source
    )
    if is_files:
        scores = Scores.read(source, judges=judges, missing=missing)
        paths = score_forms.paths_of([*source.values()] if isinstance(source, Mapping) else source)
        origin = of_files(paths)
    else:
        scores = as_scores(source, systems=1)
        origin = f'scores, sha256 {digest(scores.to_frame().to_csv(index=False).encode())}'
    if measures is not None:
        names = measures.split() if isinstance(measures, str) else list(map(str, measures))
        scores = scores.select(measures=names)
    listed = entrants(systems, scores.systems)
    return _Material(_renamed(scores, listed), listed, {'Scores': origin})


def _renamed(scores: Scores, listed: Mapping[str, Entrant]) -> Scores:
    """The scores of the systems that a leaderboard has, under the names that it shows."""
    kept = [
        system for system in scores.systems if system not in listed or listed[system].has_scores
    ]
    if not kept:
        raise ValueError('systems: no system has scores that are shown')
    scores = scores.select(systems=kept)
    names = {system: listed[system].name for system in kept if system in listed}
    return scores.renamed(names)


def _of_people(human: Any, scores: Scores, listed: Mapping[str, Entrant]) -> Scores:
    """The scores by people. A single measure is that of the scores, if these have one only."""
    by_people = _renamed(as_scores(human, systems=1), listed)
    one, other = by_people.measures, scores.measures
    if len(one) == len(other) == 1 and one != other:
        warn(f'{one[0]} by people is compared with {other[0]}, as each is the only measure.')
        by_people = by_people.renamed({one[0]: other[0]}, 'measure')
    return by_people


def _of_runs(
    source: Any,
    qrels: Any,
    measures: Any,
    missing: str,
    systems: Any,
    depth: int,
    rel: float,
    ties: str | None,
) -> _Runs:
    """The material of a leaderboard from runs."""
    if measures is None:
        raise ValueError(
            "measures: expected the measures to compute, such as 'RBU@20 alpha_nDCG@20'"
        )
    judgments, every = Judgments.of(qrels), list(named(source)[0])
    listed = entrants(systems, [name for name, _ in every])
    pairs = [(listed[name].name, run) for name, run in every if listed[name].has_scores]
    if not pairs:
        raise ValueError('systems: no system has scores that are shown')
    cutoff = next((each.params.get('cutoff') for each in parse_all(measures)), None) or DEPTH
    tops = Tops(judgments, depth, rel, ties, int(cutoff))
    examination = Examination(judgments)
    scores = evaluate(
        tops.noting(pairs, examination), judgments, measures, missing=missing, ties=ties
    )
    for entrant in listed.values():
        if entrant.status == 'anonymous':
            tops.metadata[entrant.name] = {}
    diagnosis = examination.diagnosis()
    digests = {name: run_digest(run) for name, run in pairs}
    provenance = {'Judgments': of_table(qrels, judgments.table), 'Runs': together(digests, 'run')}
    material = _Runs(scores, listed, provenance)
    material.judgments, material.tops, material.cutoff = judgments, tops, int(cutoff)
    material.diagnosis, material.pairs, material.measures = diagnosis, pairs, measures
    material.questions = [
        question
        for question in diagnosis.questions
        if question.startswith(('judgments: ', 'systems: '))
    ]
    material.answered = {str(name): int(n) for name, n in diagnosis.runs['matched'].items()}
    material.digests = digests
    return material


class _Runs(_Material):
    """Material from runs, which has sections below the table."""

    diagnosis: Any
    pairs: list[tuple[str, Any]]
    measures: Any

    def sections(
        self, texts: Any, docs: Any, pool: Any, answers: Any, sensitivity: Any, rng: int
    ) -> tuple[list[Section], dict[str, Any]]:
        """The folded sections, and the first documents of each system."""
        tops, judgments, scores = self.tops, self.judgments, self.scores
        assert tops is not None and judgments is not None
        places = [tops.place[query] for query in scores.queries]
        is_nuggets = answers is not None or 'importance' in judgments.table.columns
        word = 'nugget' if is_nuggets else 'subtopic'
        sections = [
            coverage_section(tops, scores.systems, places),
            subtopic_section(tops, scores.systems, scores.queries, texts, judgments, word),
        ]
        if answers is not None:
            if not hasattr(answers, 'qrels') or not hasattr(answers, 'runs'):
                raise TypeError(
                    f'answers: expected what read_answers gives, found {type(answers).__name__}'
                )
            by_name = {
                self.listed[name].name: run
                for name, run in answers.runs.items()
                if name in self.listed
            }
            own = types.SimpleNamespace(qrels=answers.qrels, runs=by_name)
            shares = joint(dict(self.pairs), judgments, own, cutoff=tops.depth, rel=tops.rel)
            sections.append(joint_section(shares, tops.depth))
        if sensitivity is not None:
            results = sensitivities(sensitivity, dict(self.pairs), judgments, rng)
            others = {system for result in results for system in result.systems} - set(
                scores.systems
            )
            if others:
                raise ValueError(
                    f'sensitivity: {len(others)} of its systems are not shown; name measures and parameters instead'
                )
            sections.append(sensitivity_section(results))
        if pool is not None:
            sections.append(
                pool_section(self._own_pool(pool), judgments, self.measures, tops.rel, rng)
            )
        if len(scores.systems) > 1 and len(scores.measures) > 1:
            sections.append(correlation_section(correlations(scores)))
        sections.append(data_section(judgments, self.diagnosis, tops.metadata))
        return sections, rankings(
            tops, scores.systems, places, tops.titles(docs), texts, scores.queries
        )

    def _own_pool(self, pool: Any) -> Pool:
        """The pool of the systems that are shown under their own names, in the groups of their teams."""
        own = Pool.of(pool)
        left_out = [
            name for name in own.systems if name in self.listed and self.listed[name].name != name
        ]
        left_out += [
            name for name in own.systems if name in self.listed and not self.listed[name].has_scores
        ]
        if left_out:
            own = own.without(*dict.fromkeys(left_out))
        teams = {name: entrant.team for name, entrant in self.listed.items() if entrant.team}
        return own.regroup({name: teams.get(name, name) for name in own.systems}) if teams else own


__all__ = ['Leaderboard', 'leaderboard']
