"""What belongs to a release besides the package."""

import pathlib
import re

import ir_divmeasures

ROOT = pathlib.Path(__file__).parents[1]


def text(name):
    return (ROOT / name).read_text(encoding='utf-8')


def test_one_version():
    found = [
        re.search(pattern, text(name), re.MULTILINE)
        for name, pattern in (
            ('CITATION.cff', r'^version: (.+)$'),
            ('CHANGELOG.md', r'^## (\d+\.\d+\.\d+)'),
        )
    ]
    assert [match and match[1] for match in found] == [ir_divmeasures.__version__] * 2
