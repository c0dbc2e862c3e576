"""The result of a leaderboard: its table, and the files that it writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import visible
from ..evaluation.scores import Scores
from ..io.files import check_targets, is_a_folder, replacing
from ..lazy import pd
from ..meta.variance import Sources
from ..results import Result, count
from .page import badge, file_name, page
from .sections import Section
from .standing import COLUMNS, OF_BASELINE, OF_HUMAN

FOLDER = ('index.html', 'leaderboard.json', 'leaderboard.csv', 'scores.csv.gz', '.nojekyll')
"""The files of a folder that a static host serves."""


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
        columns = ['measure', *COLUMNS, 'system', 'team', 'tags', 'mean', 'low', 'high']
        columns += [*OF_BASELINE, 'judged', 'answered']
        columns += [name for name in OF_HUMAN if name in rows[0]]
        whole = dict.fromkeys([*COLUMNS[:-1], 'answered'], 'Int64')
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
        if not is_folder:
            self._save('', [path], overwrite)
            return path
        os.makedirs(os.path.join(path, 'badges' if badges else ''), exist_ok=True)
        self._save(path, FOLDER, overwrite)
        for name, svg in self.badges().items() if badges else ():
            _write(os.path.join(path, 'badges', name), svg, overwrite)
        self.scores.write(os.path.join(path, 'scores.csv.gz'), overwrite=overwrite)
        return path

    def _save(self, folder: str, names: Iterable[str], overwrite: bool) -> None:
        """Write the files that :meth:`write` names, but for those of scores and badges."""
        texts: dict[str, Callable[[], str]] = {
            '.html': self.html,
            '.json': self.json,
            '.csv': lambda: str(self.to_frame().to_csv(index=False, lineterminator='\n')),
            '': str,
        }
        for name in names:
            ending = os.path.splitext(name)[1]
            if ending in texts:
                _write(os.path.join(folder, name), texts[ending](), overwrite)


def _write(path: str, text: str, overwrite: bool) -> None:
    with replacing(path, overwrite) as partial, open(partial, 'wb') as file:
        file.write(text.encode('utf-8', 'surrogatepass'))
