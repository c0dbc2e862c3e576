"""A RAG pipeline and a search agent, from their files to what went wrong.

Without arguments: the small files in examples/rag, two systems on two questions and the trace of an agent.

    python examples/rag_pipeline.py

With files of yours (JSON or JSON lines with contexts, answers and nuggets; docs/guide/rag.md lists the forms):

    python examples/rag_pipeline.py FILE...
"""

import pathlib
import sys

from ir_divmeasures import evaluate, read_rag
from ir_divmeasures.rag import aer, citation_support, joint

HERE = pathlib.Path(__file__).parent / 'rag'

rag = read_rag(sys.argv[1:] or [HERE / 'A.jsonl', HERE / 'B.jsonl'])
print(rag.to_frame().to_string(index=False))
if rag.runs and rag.qrels is not None:
    print('\nCoverage of the contexts')
    print(evaluate(rag.runs, rag.qrels, 'Coverage@10 StRecall@10').means().round(4))
if rag.answers is not None:
    print('\nNuggets in the answers')
    print(
        evaluate(rag.answers.runs, rag.answers.qrels, 'trec-rag')
        .labelled('trec-rag')
        .means()
        .round(4)
        .to_string()
    )
if rag.citations is not None and rag.citations['support'].notna().any():
    print('\nSupport of the sentences')
    print(citation_support(rag.citations).means().round(4).to_string())
if rag.runs and rag.qrels is not None and rag.answers is not None:
    found = joint(rag.runs, rag.qrels, rag.answers, partial=0.5)
    print('\nWhat became of the nuggets')
    print(found.shares.round(4).to_string())
    print('\nThe nuggets that are hardest to find')
    for nugget in found.hardest().head(2).itertuples():
        print(
            f'  {nugget.query_id}: {nugget.text} found {nugget.found:.2f}, stated {nugget.stated:.2f}'
        )

if not sys.argv[1:]:
    agent = read_rag(HERE / 'agent')
    curves = evaluate(agent.runs, rag.qrels, 'Coverage alpha_nDCG@5', along='iteration')
    print('\nThe agent after each round')
    print(curves.means().round(4))
    print('\nThe same after the last round, lowered by the rounds')
    print(aer(curves.at(3), agent.usage).means().round(4).to_string())
