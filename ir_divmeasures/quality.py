"""The quality of judgments: how far judges agree, what their disagreement changes, and how good subtopics are."""

from .evaluation.judge_agreement import judge_agreement
from .evaluation.judge_noise import resample_judges
from .evaluation.subtopic_quality import calibrate_cutoff, subtopic_agreement

__all__ = ['calibrate_cutoff', 'judge_agreement', 'resample_judges', 'subtopic_agreement']
