"""Assay beside others that run generated code: the same programs, abuses and fakes in one run.

Each is asked through an adapter (`with_….py`), which runs in an environment of its own and answers
one case after the other.
"""
