"""What a leaderboard is made of: scores, or runs with judgments, under the names that are shown."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.registry import measures as parse_all
from ..errors import warn
from ..evaluation.diagnose import Diagnosis, Examination
from ..evaluation.evaluate import collect, score
from ..evaluation.joint import joint
from ..evaluation.scores import Scores, as_scores
from ..evaluation.scoring import System
from ..evaluation.tops import Tops
from ..explanation.settings import sensitivities
from ..io import score_forms
from ..io.digests import digest, of_files, of_table, run_digest, together
from ..io.inputs import named
from ..io.metadata import metadata_table
from ..judgments.table import Judgments
from ..meta.agreement import correlations
from ..pools.pool import Pool
from .entrants import Entrant, entrants
from .sections import (
    Section,
    correlation_section,
    coverage_section,
    data_section,
    joint_section,
    pool_section,
    rankings,
    sensitivity_section,
    subtopic_section,
)

DEPTH = 10


@dataclass(kw_only=True)
class Material:
    """Scores of systems under the names that are shown, and what is known of their origin.

    Attributes:
        scores, listed: the scores, and all systems by their names in the data.
        provenance, questions: where the data come from, and what looks wrong.
        teams: the teams that systems' runs name.
        digests: the sha256 of each system's run.
        answered: the number of judged queries of each system's run.
        judged: the share of judged documents among the first ``cutoff`` of each system's run.
        judgments: the judgments, of runs.
    """

    scores: Scores
    listed: dict[str, Entrant]
    provenance: dict[str, str]
    questions: Sequence[str] = ()
    teams: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    judged: dict[str, float] = field(default_factory=dict)
    cutoff: int = DEPTH
    judgments: Judgments | None = None

    def sections(self, *data: Any) -> tuple[list[Section], dict[str, Any] | None]:
        """The folded sections, and the first documents of each system."""
        return [], None


def of_scores(source: Any, measures: Any, judges: bool, missing: str, systems: Any) -> Material:
    """The material of a leaderboard from scores."""
    several = source if isinstance(source, (list, tuple)) else [source]
    if isinstance(source, Mapping) or all(isinstance(each, (str, os.PathLike)) for each in several):
        scores = Scores.read(source, judges=judges, missing=missing)
        paths = [*source.values()] if isinstance(source, Mapping) else source
        origin = of_files(score_forms.paths_of(paths))
    else:
        scores = as_scores(source, systems=1)
        origin = f'scores, sha256 {digest(scores.to_frame().to_csv(index=False).encode())}'
    if measures is not None:
        names = measures.split() if isinstance(measures, str) else list(map(str, measures))
        scores = scores.select(measures=names)
    listed = entrants(systems, scores.systems)
    return Material(scores=_renamed(scores, listed), listed=listed, provenance={'Scores': origin})


def _renamed(scores: Scores, listed: Mapping[str, Entrant]) -> Scores:
    """The scores of the systems that a leaderboard has, under the names that it shows."""
    names = {name: listed[name].name if name in listed else name for name in scores.systems}
    kept = [name for name in names if name not in listed or listed[name].has_scores]
    if not kept:
        raise ValueError(NO_SCORES)
    return scores.select(systems=kept).renamed({name: names[name] for name in kept})


NO_SCORES = 'systems: no system has scores that are shown'


def of_people(human: Any, scores: Scores, listed: Mapping[str, Entrant]) -> Scores:
    """The scores by people. A single measure is that of the scores, if these have one only."""
    by_people = _renamed(as_scores(human, systems=1), listed)
    one, other = by_people.measures, scores.measures
    if len(one) == len(other) == 1 and one != other:
        warn(f'{one[0]} by people is compared with {other[0]}, as each is the only measure.')
        by_people = by_people.renamed({one[0]: other[0]}, 'measure')
    return by_people


def of_runs(
    source: Any,
    qrels: Any,
    measures: Any,
    missing: str,
    systems: Any,
    depth: int,
    rel: float,
    ties: str | None,
) -> Runs:
    """The material of a leaderboard from runs."""
    if measures is None:
        raise ValueError(
            "measures: expected the measures to compute, such as 'RBU@20 alpha_nDCG@20'"
        )
    judgments, every = Judgments.of(qrels), list(named(source)[0])
    listed = entrants(systems, [name for name, _ in every])
    pairs = [(listed[name].name, run) for name, run in every if listed[name].has_scores]
    if not pairs:
        raise ValueError(NO_SCORES)
    parsed = parse_all(measures)
    if not parsed:
        raise ValueError('no measures')
    cutoff = int(next((m.params.get('cutoff') for m in parsed), None) or DEPTH)
    tops, examination = Tops(judgments, depth, rel, ties, cutoff), Examination(judgments)
    digests, metadata = dict[str, str](), dict[str, Any]()
    anonymous = {each.name for each in listed.values() if each.status == 'anonymous'}

    def noted() -> Iterator[System]:
        """The systems, after what else is needed of their runs."""
        for system in score(pairs, len(pairs), parsed, judgments, ties=ties):
            name, facts = system.name, system.facts
            run = facts.run
            if ties:  # the run that was scored has none
                facts = examination.facts(name, run)
            examination.add(name, facts)
            tops.note(name, facts.coded)
            metadata[name] = {} if name in anonymous else run.metadata
            digests[name] = run_digest(run)
            yield system

    scores = collect(noted(), parsed, judgments.query_ids, missing)
    diagnosis = examination.diagnosis()
    heads, about = metadata_table(metadata)
    of_all = ('judgments: ', 'systems: ')
    return Runs(
        scores=scores,
        listed=listed,
        provenance={
            'Judgments': of_table(qrels, judgments.table),
            'Runs': together(digests, 'run'),
        },
        questions=[question for question in diagnosis.questions if question.startswith(of_all)],
        teams={system: team for system, team, *_ in about} if heads[:1] == ['Team'] else {},
        digests=digests,
        answered={str(name): int(n) for name, n in diagnosis.runs['matched'].items()},
        judged=tops.judged,
        cutoff=cutoff,
        judgments=judgments,
        tops=tops,
        metadata=metadata,
        diagnosis=diagnosis,
        pairs=pairs,
        measures=measures,
    )


@dataclass(kw_only=True)
class Runs(Material):
    """Material from runs, which has sections below the table."""

    judgments: Judgments
    tops: Tops
    metadata: dict[str, Any]
    diagnosis: Diagnosis
    pairs: list[tuple[str, Any]]
    measures: Any

    def sections(
        self, texts: Any, docs: Any, pool: Any, answers: Any, sensitivity: Any, rng: int
    ) -> tuple[list[Section], dict[str, Any] | None]:
        tops, judgments, scores = self.tops, self.judgments, self.scores
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
            listed = self.listed
            runs = {listed[name].name: x for name, x in answers.runs.items() if name in listed}
            own = types.SimpleNamespace(qrels=answers.qrels, runs=runs)
            shares = joint(dict(self.pairs), judgments, own, cutoff=tops.depth, rel=tops.rel)
            sections.append(joint_section(shares, tops.depth))
        if sensitivity is not None:
            results = sensitivities(sensitivity, dict(self.pairs), judgments, rng)
            others = {name for result in results for name in result.systems} - {*scores.systems}
            if others:
                raise ValueError(
                    f'sensitivity: {len(others)} of its systems are not shown; name measures and parameters instead'
                )
            sections.append(sensitivity_section(results))
        if pool is not None:
            own_pool = self._own_pool(Pool.of(pool))
            sections.append(pool_section(own_pool, judgments, self.measures, tops.rel, rng))
        if len(scores.systems) > 1 and len(scores.measures) > 1:
            sections.append(correlation_section(correlations(scores)))
        sections.append(data_section(judgments, self.diagnosis, self.metadata))
        titles = tops.titles(docs)
        return sections, rankings(tops, scores.systems, places, titles, texts, scores.queries)

    def _own_pool(self, pool: Pool) -> Pool:
        """The pool of the systems that are shown under their own names, in the groups of their teams."""
        listed = {name: self.listed[name] for name in pool.systems if name in self.listed}
        left_out = [
            name for name, each in listed.items() if each.name != name or not each.has_scores
        ]
        if left_out:
            pool = pool.without(*left_out)
        teams = {name: entrant.team for name, entrant in self.listed.items() if entrant.team}
        return (
            pool.regroup({name: teams.get(name, name) for name in pool.systems}) if teams else pool
        )
