"""The one reader of language models' replies: tolerant, in linear time, never a crash."""

from assay.models.replies.reader import read_reply

__all__ = ["read_reply"]
