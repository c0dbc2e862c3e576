"""Groups of documents, their memberships and target shares from FairWeb's files: ``read_groups``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import did_you_mean, short, warn
from ..io import text as textfiles
from ..io.text_columns import as_frame
from ..lazy import pd
from .qrels import topic_level
from .table import Judgments

if TYPE_CHECKING:
    from ..typing import QrelsLike

Path = str | os.PathLike[str]
PAIR = ['query_id', 'doc_id']


def read_groups(
    qrels: QrelsLike, members: Mapping[str, Path], targets: Mapping[str, Path]
) -> pd.DataFrame:
    """Judgments with groups of documents from files of NTCIR's FairWeb task, for ``GF`` and ``GFR``.

    A group is a subtopic whose weight is its target share, and a set of groups (an attribute) is a layer. The first
    attribute that names a topic is its layer 1, the second one its layer 2. A document's grade for a group is its grade
    times its membership over its largest membership. The highest of these grades is that of the document, and their
    shares are the memberships. Score them with ``rel=0,max_rel=2``, or with the preset ``'fairweb'``.

    Args:
        qrels: the file of judgments, lines ``topic doc L2``; or judgments in any form that
            :func:`~ir_divmeasures.read_qrels` takes, of which the highest grade of each document counts.
        members: for each attribute the file of memberships, lines ``topic doc p_1 … p_C``. They need not sum to 1:
            counts are divided by their sum, and a document without any is a member of all groups alike.
        targets: for each attribute the file of target shares, one number a line, in the order of the groups.

    Returns:
        DataFrame ``query_id, doc_id, relevance, subtopic_id`` (``'1'`` to the number of groups), ``layer``, ``weight``
        and ``attribute``.

    Raises:
        FileNotFoundError, TypeError: no such file; not a dict of files.
        ValueError: members and targets name different attributes; a line with another number of memberships than there
            are targets; a share below 0 or that is no number; targets that are all 0; a document twice; an attribute
            that names no judged topic. Names file and line.

    Warns:
        DivMeasuresWarning: judged topics that no attribute names are omitted; memberships of documents without a grade
            above 0 are lost, because such a document counts as a member of all groups alike.

    Examples:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for name, text in {'qrels': 't d1 L2\\nt d2 L0\\n', 'members': 't d1 0.25 0.75\\nt d2 0.5 0.5\\n',
        ...                    'target': '0.5\\n0.5\\n'}.items():
        ...     _ = (folder / name).write_text(text)
        >>> table = read_groups(folder / 'qrels', {'origin': folder / 'members'}, {'origin': folder / 'target'})
        >>> table[['doc_id', 'subtopic_id', 'relevance', 'weight']].values.tolist()[:2]
        [['d1', '1', 0.6666666666666666, 0.5], ['d1', '2', 2.0, 0.5]]
    """

    for name, files in (('members', members), ('targets', targets)):
        if not isinstance(files, Mapping):
            raise TypeError(
                f'{name}: expected a dict {{attribute: file}}, found {type(files).__name__}'
            )
    if not members:
        raise ValueError('members: no attributes, expected a dict {attribute: file}')
    for name, files, others in (('targets', targets, members), ('members', members, targets)):
        for attribute in others:
            if attribute not in files:
                raise ValueError(
                    f'{name}: no file for attribute {attribute!r}{did_you_mean(attribute, files)}'
                )
    judged = _judged(qrels)
    documents, parts, n_lost = judged.groupby('query_id', sort=False).indices, [], 0
    height = dict.fromkeys(documents, 0)
    for attribute, file in members.items():
        target = _targets(os.fspath(targets[attribute]))
        memberships = _memberships(os.fspath(file), target, os.fspath(targets[attribute]))
        named = [topic for topic in documents if topic in memberships.index.get_level_values(0)]
        if not named:
            raise ValueError(
                f'{os.fspath(file)}: no topic of the judgments ({short(next(iter(documents), ""))}, …); '
                f'found {short(memberships.index[0][0]) if len(memberships) else "no line"}'
            )
        rows = judged.iloc[np.concatenate([documents[topic] for topic in named])]
        keys = pd.MultiIndex.from_frame(rows[PAIR])
        share = memberships.reindex(keys).fillna(1 / len(target)).to_numpy()
        grade = rows['relevance'].to_numpy(dtype=float)
        unlike = memberships.index[memberships.nunique(axis=1) > 1]
        graded = keys[grade > 0]
        n_lost += int((unlike.get_level_values(0).isin(named) & ~unlike.isin(graded)).sum())
        for topic in named:
            height[topic] += 1
        grades = grade[:, None] * (share / share.max(axis=1, keepdims=True))
        part = rows[PAIR].loc[rows.index.repeat(len(target))]
        parts.append(
            part.assign(
                relevance=grades.ravel(),
                subtopic_id=[str(number + 1) for number in range(len(target))] * len(rows),
                layer=part['query_id'].map(height),
                weight=np.tile(target, len(rows)),
                attribute=attribute,
            )
        )
    without = [topic for topic, layers in height.items() if not layers]
    if without:
        warn(
            f'{len(without)} of {len(height)} judged topics are omitted, since no attribute names them: '
            f'{", ".join(map(repr, without[:3]))}{" …" if len(without) > 3 else ""}'
        )
    if n_lost:
        warn(
            f'{n_lost} memberships are lost, since their documents have no grade above 0 and count as members of all '
            f'groups alike'
        )
    return Judgments.of(pd.concat(parts, ignore_index=True)).frame()


def _judged(source: Any) -> pd.DataFrame:
    """``query_id, doc_id, relevance``, a row for each judged document; grades below 0 are 0."""
    if not isinstance(source, (str, os.PathLike)) or not os.path.exists(source):
        return topic_level(source)
    data = textfiles.read_bytes(source)
    if any(len(line.split()) != 3 for line in textfiles.first_lines(data, 1)):
        return topic_level(source)
    lines, rows = _read(data, os.fspath(source), (*PAIR, 'relevance'))
    expected = "one such as 'L2' or '2'"
    grades = lines.numbers('relevance', _grade, expected, 'grade')
    return topic_level(rows.assign(relevance=grades))


def _grade(text: str) -> float | None:
    return textfiles.number(text.removeprefix('L'))


def _read(
    data: bytes, path: str, names: Sequence[str], shares: Sequence[str] = ()
) -> tuple[textfiles.Lines, pd.DataFrame]:
    """The lines of a file, and their table: texts, and then shares.

    Raises:
        ValueError: a document of a topic that is there twice, or a share that is no number of at least 0.
    """
    shape = textfiles.Shape((*names, *shares), tuple(shares))
    lines = textfiles.Lines.read(data, path, shape, shape.names)
    table = as_frame(lines.columns | {name: lines.numbers(name) for name in shares})
    again = table[table.duplicated(PAIR)] if names else table[:0]
    for row in again.head(1).itertuples():
        raise ValueError(
            f'{lines.at(row.Index)}: duplicate document {row.doc_id!r} of topic {row.query_id!r}'
        )
    values = table[[*shares]].to_numpy(dtype=float)
    for place, group in np.argwhere(~((values >= 0) & (values < np.inf)))[:1].tolist():
        raise ValueError(
            f'{lines.at(place)}: found the share {values[place, group]:g}'
            f'{f" of group {group + 1}" * (len(shares) > 1)}, expected a number of at least 0'
        )
    return lines, table


def _targets(path: str) -> NDArray[np.float64]:
    """The target shares of an attribute; (C,)."""
    _, table = _read(textfiles.read_bytes(path), path, (), ['share'])
    shares = table['share'].to_numpy(dtype=float)
    if not shares.sum() > 0:
        raise ValueError(
            f'{path}: expected target shares of which at least one is above 0, found '
            f'{len(shares) or "no"} lines' + ' of 0' * bool(len(shares))
        )
    return shares


def _memberships(path: str, target: NDArray[np.float64], of: str) -> pd.DataFrame:
    """The memberships of an attribute, of sum 1, a row for each topic and document and a column for each group."""
    data = textfiles.read_bytes(path)
    width = next((len(line.split()) - 2 for line in textfiles.first_lines(data, 1)), len(target))
    if width != len(target):
        raise ValueError(
            f'{path}, line {textfiles.line_of(data, 0)}: found {max(width, 0)} memberships, expected '
            f'{len(target)}, as many as {of} has target shares'
        )
    _, rows = _read(data, path, PAIR, [f'p_{number}' for number in range(1, width + 1)])
    shares = rows.set_index(PAIR)
    return shares.div(shares.sum(axis=1).where(lambda total: total > 0), axis=0).fillna(1 / width)


__all__ = ['read_groups']
