"""Files of documents with their texts."""

from __future__ import annotations

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
