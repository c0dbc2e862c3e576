"""Records of nuggets, RAG pipelines and search agents, as their projects and tools write them."""

from __future__ import annotations

RECORDS = {
    'your own': '{"query_id": "q", "contexts": [{"id": "d1", "tokens": 120}], "answer": [{"text": "The moon pulls.", '
    '"citations": [0], "support": "full"}], "nuggets": [{"text": "moon", "importance": "vital", "assignment": "support", '
    '"documents": ["d1"]}, {"text": "sun", "importance": "okay", "assignment": "no", "documents": []}]}',
    'RAGAS (`EvaluationDataset.to_jsonl`)': '{"user_input": "What causes tides?", "retrieved_contexts": ["The moon pulls.", '
    '"Bees dance."], "retrieved_context_ids": ["d1", "d9"], "response": "The moon.", "reference": "Moon and sun.", '
    '"reference_contexts": ["The moon pulls.", "So does the sun."], "reference_context_ids": ["d1", "d2"]}',
    'RAGAS up to 0.1': '{"question": "What causes tides?", "contexts": ["The moon pulls."], "answer": "The moon.", '
    '"ground_truth": "Moon and sun."}',
    'TREC RAG, ragnarok': '{"metadata": {"narrative_id": "q", "run_id": "A"}, "references": ["d1", "d2"], '
    '"answer": [{"text": "The moon pulls.", "citations": [0]}]}',
    'RAGTIME': '{"metadata": {"topic_id": "q", "run_id": "A"}, "references": ["d1"], '
    '"responses": [{"text": "The moon pulls.", "citations": {"d1": 80.0}}]}',
    'castorini': '{"query": {"qid": "q", "text": "tides"}, "candidates": [{"docid": "d1", "score": 3.0}]}',
    'sentence-transformers (`write_predictions=True`)': '{"query_id": "q", "query": "tides", '
    '"results": [{"corpus_id": "d1", "score": 0.9}, {"corpus_id": "d9", "score": 0.4}]}',
    'MTEB `{task}_predictions.json`': '{"mteb_model_meta": {"model_name": "org/model", "revision": "1"}, '
    '"default": {"test": {"q": {"d1": 0.9, "d9": 0.4}}}}',
    'one context on each line': '{"query_id": "q", "doc_id": "d1", "rank": 1, "tokens": 120}',
    'BRIGHT-Pro traces': '{"query_id": "q", "result": [{"type": "tool_result", "round": 1, "docids": ["d1"]}, '
    '{"type": "tool_result", "round": 2, "output": "[{\\"docid\\": \\"d2\\"}]"}], "usage": {"input_tokens": 900}}',
    'one nugget on each line': '{"query_id": "q", "nugget_id": "n1", "nugget": "moon", "importance": "vital", '
    '"doc_id": "d1", "label": "support"}',
    'AutoNuggetizer': '{"query": "tides", "qid": "q", "run_id": "A", "nuggets": [{"text": "moon", "importance": "vital", '
    '"assignment": "support"}, {"text": "sun", "importance": "okay", "assignment": "partial_support"}]}',
    'TREC AutoJudge (nugget banks, v3)': '{"query_id": "q", "nugget_bank": [{"question": "What causes tides?", '
    '"aggregator_type": "AND", "answers": [{"answer": "moon", "references": ["d1"]}, {"answer": "sun", "references": ["d2"]}]}]}',
    'NeuCLIR `nuggets_{query}.json`': '{"What causes tides?": ["AND", {"moon": ["d1"], "sun": ["d2"]}]}',
    'CRUX': '{"id": "q", "docid": "d1", "rating": [5, 0]}',
    'FreshStack': '{"_id": "q_0", "text": "moon", "relevant_corpus_ids": ["d1"], "non_relevant_corpus_ids": ["d2"]}',
    'BRIGHT-Pro aspects': '{"id": "q_0", "aspect": "moon", "weight": 3, "supporting_docs": ["d1"]}',
    'rubrics': '{"query_id": "q", "run_id": "A", "rubrics": [{"criterion": "names the moon", "weight": 5, "verdict": "satisfied"}, '
    '{"criterion": "blames the wind", "weight": -3, "verdict": "not satisfied"}]}',
    'HealthBench': '{"query_id": "q", "run_id": "A", "rubrics": [{"criterion": "names the moon", "points": 5, "criteria_met": true}]}',
    'ResearchRubrics': '{"sample_id": "q", "criterion": "names the moon", "weight": 5, "score": 1}',
    'sub-questions': '{"query_id": "q", "questions": ["What pulls?", "How often?"]}',
}
"""A record of each project and tool whose files are read. The table of RAG forms is made from them."""


def table() -> str:
    """The table of :data:`RECORDS` in Markdown."""
    rows = [f'| {name} | `{record}` |' for name, record in RECORDS.items()]
    return '\n'.join(['| written by | one record |', '| --- | --- |', *rows])
