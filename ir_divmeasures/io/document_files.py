"""Files of documents: their texts, and their vectors."""

from __future__ import annotations

from typing import Any

from ..lazy import pd


def read_documents(path: str) -> pd.DataFrame:
    """Texts of documents: a table with the columns ``doc_id`` and ``text`` of a file with a header or of JSON lines.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a file of another ending.
    """

    name = path.removesuffix('.gz')
    if name.endswith(('.tsv', '.csv')):
        return pd.read_csv(
            path, sep='\t' if name.endswith('.tsv') else ',', dtype=str, keep_default_na=False
        )
    if name.endswith('.jsonl'):
        return pd.read_json(path, lines=True, dtype=str)
    raise ValueError(
        f'{path}: expected an ir_datasets id, or a .tsv, .csv or .jsonl file with the columns doc_id '
        f'and text'
    )


def read_vectors(path: str) -> dict[str, Any]:
    """Vectors of documents by id: of an .npz file with ``doc_ids`` and ``vectors``, JSON lines with ``doc_id`` and
    ``vector``, or a table (.parquet, .tsv, .csv) with a column ``doc_id`` and one of numbers for each dimension.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a file of another ending, other names, or cells that are not numbers.
    """
    import numpy as np

    name = path.removesuffix('.gz')
    if name.endswith('.npz'):
        with np.load(path, allow_pickle=False) as archive:
            if not {'doc_ids', 'vectors'} <= set(archive.files):
                raise ValueError(
                    f"{path}: expected the arrays 'doc_ids' and 'vectors', found "
                    f"{', '.join(archive.files)}"
                )
            return dict(zip(archive['doc_ids'].astype(str).tolist(), archive['vectors']))
    if not name.endswith(('.jsonl', '.parquet', '.tsv', '.csv')):
        raise ValueError(f'{path}: expected vectors as .npz, .jsonl, .parquet, .tsv or .csv')
    as_text = {'doc_id': str}
    table = (
        pd.read_parquet(path)
        if name.endswith('.parquet')
        else pd.read_json(path, lines=True, dtype=as_text)
        if name.endswith('.jsonl')
        else pd.read_csv(path, sep='\t' if name.endswith('.tsv') else ',', dtype=as_text)
    )
    if 'doc_id' not in table.columns:
        raise ValueError(
            f"{path}: no column 'doc_id' (found {', '.join(map(str, table.columns[:5]))})"
        )
    ids, rest = table['doc_id'].astype(str).tolist(), table.drop(columns='doc_id')
    if 'vector' in rest.columns:
        return dict(zip(ids, rest['vector']))
    words = next((column for column in rest.columns if rest[column].dtype.kind not in 'iuf'), None)
    if words is not None or rest.isna().to_numpy().any():
        raise ValueError(
            f'{path}: expected numbers besides doc_id, found others'
            + (f' in the column {words!r}' if words is not None else '')
        )
    return dict(zip(ids, rest.to_numpy(dtype=float)))


__all__ = ['read_documents', 'read_vectors']
