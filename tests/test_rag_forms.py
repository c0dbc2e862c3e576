"""Forms of RAG files: each is read, and a number is printed only if everything it is computed from was in the input."""

import copy
import json
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import DivMeasuresWarning, cli, read_nuggets, read_rag, read_run, read_runs
from ir_divmeasures.evaluation.rag_summary import summarise
from reference.records import RECORDS

from .builders import QUICK, expect_error, expect_warning, over, refused


def lines(path, *records):
    path.parent.mkdir(exist_ok=True)
    path.write_text('\n'.join(json.dumps(record) for record in records) + '\n', encoding='utf-8')
    return path


def printed(capsys, *arguments):
    assert cli.main(['rag', *map(str, arguments)]) == 0
    return capsys.readouterr().out


def means(*paths, **options):
    """The mean of each block and name of the only system, and what stands in place of the others."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        summary = summarise(read_rag([*map(str, paths)]), ['x'], labels=True, **options)
    table = summary.to_frame()
    table = table[~table['system'].str.contains('−')]
    return dict(zip(zip(table['block'], table['name']), table['mean'])), summary.lacking


# ---------------------------------------------------------------------------------------------------------- the law


def fields(value, path=()):
    """The paths of all fields of records; a place in a list is '*'."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from fields(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, (*path, '*'))


def deleted(value, path, first_only):
    """What is deleted at a path: everywhere, or at its first place only."""
    name, *rest = path
    places = [value] if name != '*' else value[:1] if first_only else value
    if rest:
        inner = places if name == '*' else [value[name]] if name in value else []
        return [each for place in inner for each in deleted(place, rest, first_only)]
    return [value.pop(name)] if name in value else []


def names_of(value):
    if isinstance(value, dict):
        return {*value}.union(*map(names_of, value.values()))
    return set().union(*map(names_of, value)) if isinstance(value, list) else set()


def other_part(path, rag):
    """Contexts for a file without contexts, or nuggets for one without nuggets: so that there are numbers."""
    questions, systems = rag.questions(), rag.systems or ['A']
    if not rag.runs:
        contexts = [{'id': 'd1', 'tokens': 10}, {'id': 'd9', 'tokens': 20}]
        records = [
            {'query_id': q, 'run_id': s, 'contexts': contexts} for q in questions for s in systems
        ]
    else:
        records = [
            {
                'query_id': q,
                'nugget_id': n,
                'importance': 'vital',
                'doc_id': f'd{n}',
                'label': 'yes',
            }
            for q in questions
            for n in '12'
        ]
    return lines(path, *records)


OWN = json.loads(RECORDS['your own'])
FILES = {name: [json.loads(record)] for name, record in RECORDS.items()}
FILES['your own, two questions'] = [OWN, {**OWN, 'query_id': 'p'}]


def check_the_law(tmp_path, records, name, quick=False):
    """Delete each field of some records: the same numbers, or a sentence that names the field; how often."""
    file, further = tmp_path / name, []
    rag = read_rag(lines(file, *records))
    if not rag.runs or not len(rag.nuggets()):
        further = [other_part(tmp_path / 'further.jsonl', rag)]
    before, _ = means(file, *further)
    paths = [
        path
        for path in dict.fromkeys(fields(records))
        if not CONTENT & {*path[:-1], path[-1] * (path[-1] == 'default')}
    ][:: 2 if quick else 1]
    tried = 0
    for path, first_only in ((path, first) for path in paths for first in (False, True)):
        changed = copy.deepcopy(records)
        allowed = {path[-1], *names_of(deleted(changed, path, first_only))}
        if first_only and len(records) == 1 and (quick or path.count('*') < 2):
            continue
        tried += 1
        try:
            after, lacking = means(lines(file, *changed), *further)
        except ValueError as error:
            assert any(name in str(error) for name in allowed), (path, error)
            continue
        assert after.keys() <= before.keys()
        for key, value in before.items():
            sentences = [what for block, name, what in lacking if (block, name or key[1]) == key]
            if key in after:
                assert after[key] == pytest.approx(value, abs=1e-12), (path, key)
            else:
                assert any(name in what for what in sentences for name in allowed), (path, key)
    return tried


CONTENT = {'citations', 'usage', 'default'}
"""Objects whose names are ids and other content, not fields."""


@QUICK
def test_a_number_is_printed_only_if_everything_it_is_computed_from_is_there(tmp_path, quick):
    """The quick form deletes every second field, and that of a first element alone only in the file of two questions."""
    n_tried = 0
    left_out = {'your own'} if quick else set()  # the file of two questions has its fields
    for form, records in FILES.items():
        if (
            form not in left_out and 'nuggets_{query}' not in form
        ):  # its names are questions and answers
            name = 'T_predictions.json' if 'MTEB' in form else 'x.jsonl'
            n_tried += check_the_law(tmp_path, records, name, quick)
    assert n_tried > (60 if quick else 150)


@pytest.mark.slow
def test_the_law_on_the_shared_samples(shared, tmp_path):
    for path in sorted((shared / 'data/rag').glob('*.jsonl')):
        records = [json.loads(line) for line in path.read_text().splitlines() if line]
        check_the_law(tmp_path, records, 'x.jsonl')


def test_a_question_without_contexts_can_be_dropped(tmp_path):
    path = lines(
        tmp_path / 'A.jsonl', OWN, {**OWN, 'query_id': 'p', 'references': ['d1'], 'contexts': []}
    )
    assert means(path)[0]['context', 'Coverage@10'] == 0.25  # nothing was retrieved, which is known
    without = {name: OWN[name] for name in ('query_id', 'nuggets')}
    path = lines(tmp_path / 'A.jsonl', OWN, {**without, 'query_id': 'p'})
    numbers, lacking = means(path)
    assert ('context', 'Coverage@10') not in numbers and 'for 1 of 2 questions (p)' in lacking[0][2]
    assert means(path, complete=True)[0]['context', 'Coverage@10'] == 0.5


# ------------------------------------------------------------------------------------------------- files and objects


def test_each_form_is_read(tmp_path):
    """Nothing that a form has is unknown, apart from texts that are not scored."""
    for form, records in FILES.items():
        name = 'nuggets_301.json' if 'nuggets_{query}' in form else 'T_predictions.json'
        rag = read_rag(lines(tmp_path / name, *records))
        assert rag.questions() and rag.unread == (), form


def test_texts_of_nuggets(tmp_path, capsys):
    record = {'query_id': 'q', 'contexts': [{'id': 'd1'}], 'nuggets': ['the moon', 'the sun']}
    path = lines(tmp_path / 'A.jsonl', record)
    assert read_rag(path).nuggets()['text'].tolist() == ['the moon', 'the sun']
    assert read_nuggets(path)['text'].tolist() == ['the moon', 'the sun']
    out = printed(capsys, path)
    assert out.startswith('A.jsonl: 1 system, 1 question, 2 nuggets, 1 context\n')
    assert 'context  needs the documents that support each nugget (documents, or' in out


MOON, SUN = 'The moon pulls the sea.', 'The sun pulls too.'


def of_texts(*documents):
    nuggets = [
        {'text': f'n{i}', 'assignment': 'support', 'documents': [document]}
        for i, document in enumerate(documents)
    ]
    return {'query_id': 'q', 'contexts': [MOON, SUN, MOON], 'answer': 'Both.', 'nuggets': nuggets}


def test_contexts_that_are_texts(tmp_path):
    """They are compared with texts. Where the judgments have other ids, nothing is said of them."""
    numbers, _ = means(lines(tmp_path / 'A.jsonl', of_texts(MOON, 'Another text.')))
    assert numbers['context', 'Coverage@10'] == numbers['joint', 'used'] == 0.5
    rag = read_rag(tmp_path / 'A.jsonl')
    ids = rag.runs['A']['doc_id'].tolist()
    assert len(set(ids)) == 3 and all(each.startswith('text-') for each in ids)
    assert rag.qrels['doc_id'].tolist() == [ids[0], 'Another text.']
    numbers, lacking = means(lines(tmp_path / 'A.jsonl', of_texts('d1', 'd2')))
    assert not {'context', 'joint'} & {block for block, _ in numbers}
    assert all(
        'document ids' in what
        for block, name, what in lacking
        if block in 'context joint' and not name
    )


def test_ragas(tmp_path):
    """One of two reference contexts is retrieved, by its id and by its text; a table is read as its file is."""
    record = FILES['RAGAS (`EvaluationDataset.to_jsonl`)'][0]
    for without in (
        (),
        ('retrieved_context_ids',),
        ('reference_context_ids',),
        ('retrieved_contexts',),
    ):
        part = {name: value for name, value in record.items() if name not in without}
        rag = read_rag(lines(tmp_path / 'A.jsonl', part))
        assert rag.questions() == ['What causes tides?']
        numbers, _ = means(tmp_path / 'A.jsonl')
        assert numbers['context', 'Coverage@10'] == 0.5, without
        table = read_rag(pd.DataFrame([part]))
        assert table.qrels.equals(rag.qrels) and table.runs['rag'].equals(rag.runs['A'])
    arrays = {
        name: np.array(value) if isinstance(value, list) else value
        for name, value in record.items()
    }
    assert read_rag(pd.DataFrame([arrays])).qrels.equals(read_rag([record]).qrels)
    wrong = {**record, 'reference_context_ids': ['d1']}
    with expect_error('1 reference_context_ids for 2 reference_contexts'):
        read_rag(lines(tmp_path / 'A.jsonl', wrong))


class Document:
    """LangChain's document, with the attributes of its documentation."""

    def __init__(self, page_content, metadata=None, id=None):
        self.page_content, self.metadata, self.id = page_content, metadata or {}, id


class Node:
    """LlamaIndex's node, and with a score."""

    def __init__(self, node_id, text):
        self.node_id, self.text = node_id, text


class NodeWithScore:
    def __init__(self, node, score=None):
        self.node, self.score = node, score


LANGCHAIN = [Document('a b', id='d1'), Document('c d', {'doc_id': 'd2'}), Document('e f')]
OBJECTS = {
    'LangChain documents': (LANGCHAIN, ['d1', 'd2', 'text-']),
    'LangChain pairs with distances': (
        list(zip(LANGCHAIN, (0.1, 0.5, 0.7))),
        ['d1', 'd2', 'text-'],
    ),
    'LlamaIndex': (
        [NodeWithScore(Node('n1', 'x'), 0.2), NodeWithScore(Node('n2', 'y'), 0.9)],
        ['n2', 'n1'],
    ),
    'LlamaIndex without scores': (
        [NodeWithScore(Node('n2', 'x')), NodeWithScore(Node('n1', 'y'))],
        ['n2', 'n1'],
    ),
    'ids': (['d2', 'd1'], ['d2', 'd1']),
    'pairs': ([('d2', 0.5), ('d1', 0.9)], ['d1', 'd2']),
}


@over('name', OBJECTS)
def test_objects_of_pipelines(name):
    contexts, ranking = OBJECTS[name]
    source = {'q': contexts}
    for run in (
        read_rag(source).runs['rag'],
        read_run(source),
        dict(read_runs({'A': source}))['A'],
    ):
        documents = run.sort_values('score', ascending=False)['doc_id']
        assert [each[:5] if each.startswith('text') else each for each in documents] == ranking


def test_tuples_and_ranks(tmp_path):
    rows = [('q', 'd1', 1.0), ('q', 'd2', 2.0)]
    assert read_run(rows)['score'].tolist() == [1, 2]
    assert [(name, len(run)) for name, run in read_runs(rows)] == [('run', 2)]
    assert [name for name, _ in read_runs({'q': ['d1'], 'p': []})] == ['run']
    assert [name for name, _ in read_runs({'A': rows})] == ['A']
    path = tmp_path / 'top1000.dev'
    path.write_text('7\t11\t2\n7\t12\t1\n8\t11\t1\n')
    assert read_run(path).sort_values('score')['doc_id'].tolist() == ['11', '12', '11']
    path.write_text('7\t11\t20\n7\t12\t10\n')
    refused('no ranks from 1', read_run, path)
    assert read_run(path, 'msmarco')['score'].tolist() == [1, 11]


def test_two_models_of_mteb(tmp_path):
    def predictions(folder, model, revision):
        meta = {'model_name': model, 'revision': revision}
        record = {'mteb_model_meta': meta, 'default': {'test': {'q': {'d1': 0.9}}}}
        return lines(tmp_path / folder / 'T_predictions.json', record)

    paths = [predictions('a', 'org/m', '1'), predictions('b', 'org/n', '1')]
    assert [name for name, _ in read_runs(paths)] == read_rag(paths).systems == ['org/m', 'org/n']
    paths.append(predictions('c', 'org/m', '2'))
    names = ['org/m@1', 'org/n', 'org/m@2']
    assert [name for name, _ in read_runs(paths)] == names == read_rag(paths).systems
    with expect_error("two systems are named 'org/n@1'"):
        list(read_runs([paths[1], predictions('d', 'org/n', '1')]))


def test_fields_that_are_not_read_are_named(tmp_path, capsys):
    path = lines(
        tmp_path / 'A.jsonl',
        {'query_id': 'q', 'contexts': [{'id': 'd1', 'colour': 1}], 'nugget': []},
    )
    with expect_warning('`nugget` is not read; did you mean `nuggets`') as caught:
        rag = read_rag(path)
    assert len(caught) == 1 and set(rag.unread) == {'nugget', 'colour'}
    assert summarise(rag, ['x']).text().endswith('not read: ' + ', '.join(rag.unread))


# ------------------------------------------------------------------------------------------- uncertainty and advice


def test_two_systems_are_compared_in_pairs(tmp_path, capsys):
    """B finds the sun, too, in every second of 10 questions: 0.25 ± t(9) · s/√10 with s² = 10/9 · 1/16."""
    for name in 'AB':
        records = []
        for q in range(10):
            found = ['d1', *['d2'] * (name == 'B' and q % 2)]
            nuggets = [{'text': t, 'documents': [d]} for t, d in (('moon', 'd1'), ('sun', 'd2'))]
            records.append(
                {'query_id': f'q{q}', 'contexts': [{'id': d} for d in found], 'nuggets': nuggets}
            )
        lines(tmp_path / f'{name}.jsonl', *records)
    summary = summarise(read_rag(tmp_path), ['x'])
    row = summary.to_frame().iloc[2]
    half = 2.2621571628 * np.sqrt(1 / 9 / 16)
    assert row['system'] == 'B − A' and row['n'] == 10
    assert [row['mean'], row['low'], row['high']] == pytest.approx([0.25, 0.25 - half, 0.25 + half])
    assert 'B − A' in printed(capsys, tmp_path) and 'p=0.0' in summary.text()


def test_what_to_do_next(tmp_path, capsys):
    """Of q's two nuggets one is not said; of p's two both are, one of them without a context."""

    def record(query, *nuggets):
        return {
            'query_id': query,
            'contexts': [{'id': 'd1'}],
            'answer': 'So.',
            'nuggets': [{'text': t, 'assignment': a, 'documents': [d]} for t, a, d in nuggets],
        }

    path = lines(
        tmp_path / 'A.jsonl',
        record('q', ('a', 'support', 'd1'), ('b', 'no', 'd1')),
        record('p', ('a', 'support', 'd1'), ('b', 'support', 'd9')),
    )
    out = printed(capsys, path).partition('What to do next:\n')[2].splitlines()
    assert [line.partition(',')[0] for line in out] == [
        'work on the prompt: 1 of 4 nuggets retrieved',
        'check the evidence: 1 of 4 nuggets said',
    ]
    assert out[0].endswith('0.2500 [0.0450, 0.7347] of a question; most in q')


def test_repeated_ratings_have_a_part_of_their_own(tmp_path):
    records = [
        {'qid': 'q', 'run_id': 'A', 'judge': judge, 'nuggets': [{**NUGGET, 'assignment': said}]}
        for judge, said in (('x', 'support'), ('y', 'no'))
    ]
    with expect_warning('several judges'):
        summary = summarise(read_rag(lines(tmp_path / 'A.jsonl', *records)), ['x'], labels=True)
    row = summary.judges.iloc[0]
    assert row['name'] == 'strict_vital_score' and 0 <= row['low'] < row['mean'] < row['high'] <= 1
    assert 'If the same questions were rated again by one judge' in summary.text()


# ------------------------------------------------------------------------------------------------------- limits


NUGGET = {'text': 't', 'importance': 'vital', 'assignment': 'support'}


@pytest.mark.slow
def test_a_thousand_questions(tmp_path):
    """20 contexts and 10 nuggets for each: at most 5 s of CPU."""
    nuggets = [{**NUGGET, 'text': f'n{i}', 'documents': [f'd{i}', f'd{i + 9}']} for i in range(10)]
    contexts = [{'id': f'd{i}', 'text': 'word ' * 60, 'tokens': 80} for i in range(20)]
    answer = [{'text': 'so ' * 9, 'citations': [i], 'support': 'full'} for i in range(8)]
    record = {'contexts': contexts, 'answer': answer, 'nuggets': nuggets}
    path = lines(tmp_path / 'A.jsonl', *({'query_id': f'q{q}', **record} for q in range(1000)))
    start = time.process_time()
    assert cli.main(['rag', str(path)]) == 0
    assert time.process_time() - start < 5
