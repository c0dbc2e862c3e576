"""Lines of fields are read all at once, with the columns and errors of a plain loop over the lines."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures import read_qrels, read_run
from ir_divmeasures.data import lines
from ir_divmeasures.data.ids import as_frame

from .builders import over, refused


def outcome(data, shape, size):
    """The columns and the places of all rows, or the error."""
    try:
        read = lines.read_lines((data[i : i + size] for i in range(0, len(data), size)), 'f', shape)
    except ValueError as error:
        return str(error)
    frame = as_frame(read.columns)
    return frame, [read.place(row) for row in range(len(frame))]


def both_ways(data, shape):
    """What is read all at once, in pieces of any size, equals what is read line by line. Returns it, and whether a loop
    was needed."""
    looped = []
    by_line = lines._data_lines
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, '_data_lines', lambda *args: looped.append(1) or by_line(*args))
        found = outcome(data, shape, 1 << 20)
        needed = bool(looped)
        others = [outcome(data, shape, size) for size in (1, 9)]
        patch.setattr(lines, '_find_fields', lambda *args: None)
        for other in [*others, outcome(data, shape, 1 << 20)]:
            if isinstance(found, str):
                assert other == found
            else:
                pd.testing.assert_frame_equal(other[0], found[0])
                assert other[1] == found[1]
    return found, needed


FIELDS = st.one_of(
    st.text(st.characters(codec='utf-8', exclude_characters='\n\r'), min_size=1, max_size=4),
    st.sampled_from(
        ['1', '2.5', '-1e3', 'nan', '+1', '0x1', '1_0', '#', '#a', '"d"', '', '1' * 20]
    ),
)
LINES = st.lists(
    st.tuples(
        st.lists(FIELDS, min_size=2, max_size=4),
        st.sampled_from([' ', ' ', ' ', '\t', '  ', '\v', '\0', '\x1c']),
        st.sampled_from(['\n', '\n', '\n', '\r\n', '\n\n', '', ' \n', '\t\n']),
    ),
    max_size=5,
)
SHAPES = {
    'a number': lines.Shape(('a', 'b', 'c'), ('b',)),
    'texts': lines.Shape(('a', 'b'), ()),
}


@pytest.mark.parametrize('shape', SHAPES)
@given(written=LINES)
@settings(max_examples=50, deadline=None)
def test_all_at_once_as_line_by_line(shape, written):
    data = b''.join(
        (each.join(parts) + end).encode('utf-8', 'surrogatepass') for parts, each, end in written
    )
    both_ways(data, SHAPES[shape])


@over(
    'data',
    [
        b'q 1 d\nq 2.5 e\n',
        b'q 1 d\nq 2.5 e',
        b'q\t1 d\nq 2.5\te\n',
        'q 1 d\né -1e9 漢\n'.encode(),
        b'q 1 #\nq 2 d#\n',
        b'q  1   d \nq\t2 d\t\n',
        b' q 1 d\r\nq 2 e\r\n',
    ],
)
def test_irregular_lines_need_no_loop(data):
    (found, places), needed = both_ways(data, SHAPES['a number'])
    assert len(found) == 2 == len(places) and not needed


@over(
    'data, says',
    [
        (b'q 1 d\nq d\n', "f, line 2: expected 3 fields .a b c., found 2: 'q d'"),
        (b'\nq 1\nd q 2 d\n', 'f, line 2: .* found 2'),
        (b'q 1 d\nq x d\n', "f, line 2: b is 'x', expected a number"),
        (b'q nan d\n', "f, line 1: b is 'nan', expected a number"),
        (b'q\t\t1\td\n', 'f, line 1: .* an empty one between two tabs'),
        (b'q 1 d\nq 2 \xff\n', 'f, line 2: not UTF-8'),
        (b'q ' + b'1' * 400 + b' d\n', 'f, line 1: b is .* expected a number'),
    ],
)
def test_a_wrong_line_is_named(data, says):
    refused(says, lambda: list(lines.read_lines([data], 'f', SHAPES['a number'])))
    both_ways(data, SHAPES['a number'])


# ------------------------------------------------------------------------------------------------- runs and judgments

RUN = '1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n'
QRELS = '1 a d1 1\n1 b d2 0\n1 b d3 1\n'
IRREGULAR = {
    'two blanks': lambda text: text.replace(' ', '  '),
    'trailing blanks': lambda text: text.replace('\n', ' \n'),
    'a trailing tab': lambda text: text.replace('\n', '\t\n'),
    'tabs': lambda text: text.replace(' ', '\t'),
    'tabs and a trailing one': lambda text: text.replace(' ', '\t').replace('\n', '\t\n'),
    'padded': lambda text: text.replace(' 1 ', '    1 '),
    'empty last lines': lambda text: text + '\n\n \n',
    'CRLF': lambda text: text.replace('\n', '\r\n'),
    'no last line end': lambda text: text[:-1],
    'a byte order mark': lambda text: '\ufeff' + text,
}


@over('change', IRREGULAR)
def test_irregular_files_mean_the_same(change, tmp_path):
    for name, read, text in (('a.run', read_run, RUN), ('qrels.txt', read_qrels, QRELS)):
        (tmp_path / name).write_text(text)
        expected = read(tmp_path / name)
        (tmp_path / name).write_bytes(IRREGULAR[change](text).encode())
        pd.testing.assert_frame_equal(read(tmp_path / name), expected)


@over('digits', [309, 400, 5000])
@over('sign', ['', '-'])
def test_whole_numbers_beyond_floats(tmp_path, digits, sign):
    """In lines, tables, JSON and Python; the error names the line, or the query and the document."""
    large, path = sign + '9' * digits, tmp_path / 'file'
    for content, place in {
        f'q Q0 d 1 2 t\nq Q0 e 2 {large} t\n': 'file, line 2: score is',
        f'query_id,doc_id,score\nq,d,{large}\n': 'file, line 2: score is',
        f'{{"q": {{"d": {large}}}}}': 'file',
    }.items():
        path.write_text(content)
        error = refused(place, read_run, path)
        assert error is None or len(str(error)) < 500
    path.write_text(f'q 0 d {large}\n')
    refused('file, line 1: relevance is', read_qrels, path)
    number = int(sign + '9' * min(digits, 4000))
    refused("query 'q', document 'd'", read_run, {'q': {'d': number, 'e': 1}})
    refused("query 'q', document 'd'", read_qrels, {'q': {'d': number, 'e': 1}})


def test_long_ids_are_shortened_in_messages(tmp_path):
    name, path = 'x' * 100_000, tmp_path / 'file'
    for content in (
        f'q Q0 {name} 1 2 t\nq Q0 {name} 1 2 t\n',
        f'{name} {name}\n',
        f'{{"q": {{"{name}": 1, "{name}": 2}}}}',
        f'{{"q": {{"{name}": "{name}"}}}}',
        f'[{{"query_id": "q", "doc_id": "d", "{name}": 1}}]',
        f'query_id,doc_id,{name}\nq,d,1\n',
        f'query_id,doc_id,score\nq,{name},x\n',
        f'query_id,doc_id,score\nq,d,{name}\n',
        f'query_id,doc_id,score\nq,d,1,{name}\n',
    ):
        path.write_text(content)
        for read in (read_run, read_qrels):
            with pytest.raises((ValueError, TypeError)) as caught:
                read(path)
            assert len(str(caught.value)) < 1500, content[:40]
