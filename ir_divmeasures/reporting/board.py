"""The result of a leaderboard: its table, and the files that it writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial

from ..errors import visible
from ..io.files import check_targets, is_a_folder, replacing
from ..lazy import pd
from ..results import Result
from .page import badge, file_name, page

FOLDER = ('index.html', 'leaderboard.json', 'leaderboard.csv', 'scores.csv.gz', '.nojekyll')
"""The files of a folder that a static host serves."""


class Leaderboard(Result):
    """The result of :func:`leaderboard`: a row for each measure and system: ``measure, rank, rank_low, rank_high, tier,
    top, system, team, tags, mean, low, high, difference, difference_low, difference_high, judged, answered``, and with
    ``human`` also ``human, llm, bias``. Unknown values are empty. The best system by a measure comes first.

    Attributes:
        scores: the scores of the systems that are shown, under the names that are shown.
        systems: a row for each of them: ``system, team, tags, url, about, ranked, judged, answered, sha256``.
        variance: the split of the variance into queries, judges and banks (:func:`ir_divmeasures.meta.sources`), or
            None.
        warnings: what readers should know first.
        provenance: where the data come from, and how they were tested.
        data: what ``leaderboard.json`` has.
    """

    def _printed(self) -> tuple[pd.DataFrame, str]:
        frame = self.to_frame()
        return frame[frame['measure'] == self.data['measures'][0]].dropna(
            axis=1, how='all'
        ), 'to_frame()'

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
        texts: dict[str, Callable[[], str]] = {
            '.html': self.html,
            '.json': self.json,
            '.csv': partial(self.to_frame().to_csv, index=False, lineterminator='\n'),
            '': str,
        }
        endings = {name: os.path.splitext(name)[1] for name in (FOLDER if is_folder else [path])}
        files = {name: texts[each]() for name, each in endings.items() if each in texts}
        if is_folder:
            os.makedirs(os.path.join(path, 'badges' if badges else ''), exist_ok=True)
            self.scores.write(os.path.join(path, 'scores.csv.gz'), overwrite=overwrite)
        if badges:
            files |= {os.path.join('badges', name): svg for name, svg in self.badges().items()}
        for name, text in files.items():
            target = os.path.join(path, name) if is_folder else path
            with replacing(target, overwrite) as unfinished, open(unfinished, 'wb') as file:
                file.write(text.encode('utf-8', 'surrogatepass'))
        return path
