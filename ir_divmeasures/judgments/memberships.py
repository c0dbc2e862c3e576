"""Groups of documents, their memberships and target shares from FairWeb's files: ``read_groups``."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
        keys = pd.MultiIndex.from_frame(rows[['query_id', 'doc_id']])
        share = memberships.reindex(keys).fillna(1 / len(target)).to_numpy()
        grade = rows['relevance'].to_numpy(dtype=float)
        unlike = memberships.index[memberships.nunique(axis=1) > 1]
        graded = keys[grade > 0]
        n_lost += int((unlike.get_level_values(0).isin(named) & ~unlike.isin(graded)).sum())
        for topic in named:
            height[topic] += 1
        grades = grade[:, None] * (share / share.max(axis=1, keepdims=True))
        part = rows[['query_id', 'doc_id']].loc[rows.index.repeat(len(target))]
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
    path, data = os.fspath(source), textfiles.read_bytes(source)
    if any(len(line.split()) != 3 for line in textfiles.first_lines(data, 1)):
        return topic_level(source)
    names = ['query_id', 'doc_id', 'relevance']
    rows = as_frame(textfiles.split_columns(data, path, names))
    grades = [textfiles.number(text.removeprefix('L')) for text in rows['relevance']]
    wrong = next((row for row, grade in enumerate(grades) if grade is None), None)
    if wrong is not None:
        raise ValueError(
            f"{path}, line {textfiles.line_of(data, wrong)}: grade is {rows['relevance'].iloc[wrong]!r}, "
            f"expected one such as 'L2' or '2'"
        )
    _check_once(rows, data, path)
    return topic_level(rows.assign(relevance=np.array(grades, dtype=float)))


def _check_once(rows: pd.DataFrame, data: bytes, path: str) -> None:
    again = np.flatnonzero(rows.duplicated(['query_id', 'doc_id']).to_numpy())
    if len(again):
        row = int(again[0])
        raise ValueError(
            f'{path}, line {textfiles.line_of(data, row)}: duplicate document '
            f'{rows["doc_id"].iloc[row]!r} of topic {rows["query_id"].iloc[row]!r}'
        )


def _targets(path: str) -> NDArray[np.float64]:
    """The target shares of an attribute; (C,)."""
    data = textfiles.read_bytes(path)
    shares = np.asarray(textfiles.split_columns(data, path, ['share'], numeric=('share',))['share'])
    _check_shares(shares[:, None], data, path)
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
    groups = [f'p_{number}' for number in range(1, width + 1)]
    names = ['query_id', 'doc_id', *groups]
    rows = as_frame(textfiles.split_columns(data, path, names, numeric=tuple(groups)))
    _check_once(rows, data, path)
    shares = rows[groups].to_numpy(dtype=float)
    _check_shares(shares, data, path)
    total = shares.sum(axis=1, keepdims=True)
    rows[groups] = np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / width)
    return rows.set_index(['query_id', 'doc_id'])


def _check_shares(shares: NDArray[np.float64], data: bytes, path: str) -> None:
    wrong = np.argwhere(~((shares >= 0) & (shares < np.inf)))
    if len(wrong):
        row, group = wrong[0]
        raise ValueError(
            f'{path}, line {textfiles.line_of(data, int(row))}: found the share {shares[row, group]:g}'
            f'{f" of group {group + 1}" * (shares.shape[1] > 1)}, expected a number of at least 0'
        )


__all__ = ['read_groups']
