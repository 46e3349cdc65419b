"""Finding what is wrong with what was asked, before anything is spent on it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from assay.checks.given_tests import parse_examples, parse_given_tests, why_unfit
from assay.checks.subject import DEFAULT_LANGUAGE
from assay.domain.receipt import Receipt
from assay.domain.task import Grants, Task, TestFile
from assay.errors import BadInput
from assay.sandbox.languages import get_language
from assay.sandbox.opening import granted_env

MAX_INSTRUCTIONS = 1_000_000
"""Characters."""


def validate(task: Task) -> None:
    """Find what is wrong with a task.

    Raises:
        BadInput: the question is empty or far too long, a test or example cannot be used, or a
            variable or interpreter that runs are given is not there.
        UnknownName: there is no such language.
    """
    if not task.instructions.strip():
        raise BadInput('The question is empty. Ask for something: assay ask "Write a function …".')
    if len(task.instructions) > MAX_INSTRUCTIONS:
        raise BadInput(
            f"The question has {len(task.instructions):,} characters; at most "
            f"{MAX_INSTRUCTIONS:,} can be asked. Put the long part into a file and --attach it."
        )
    language = None if task.language is None else get_language(task.language).name
    validate_tests(language, task.tests, task.examples)
    validate_grants(task.grants)


def validate_tests(
    language: str | None, tests: Sequence[TestFile], examples: Sequence[str]
) -> None:
    """Find tests and examples that cannot be used on code in `language`, where that is known.

    Raises:
        BadInput: one cannot be read, tests nothing, or is for another language.
    """
    if language is not None and (unfit := why_unfit(language, tests, examples)):
        raise BadInput(unfit)
    for file in tests:
        parse_given_tests(file)
    if examples:
        parse_examples(language, examples)


def validate_grants(grants: Grants) -> None:
    """Find grants that are not there now: raises BadInput for a variable or an interpreter."""
    granted_env(grants)
    if grants.python is not None and shutil.which(grants.python) is None:
        raise BadInput(
            f"There is no interpreter {grants.python}; name one that is there with --python."
        )


def list_grants(receipt: Receipt) -> str:
    """Name what a receipt's runs were given beyond the bare sandbox; nothing: an empty string."""
    grants = receipt.grants
    named = [f"the variable {name}" for name in grants.env]
    named += [f"the interpreter {grants.python}"] if grants.python else []
    named += ["packages"] if grants.requirements else []
    named += [f"a stand-in for {name}" for name in grants.stand_ins]
    usual = get_language(receipt.solution.language or DEFAULT_LANGUAGE).limits
    named += ["more than the usual limits"] if receipt.environment.limits.exceed(usual) else []
    named += ["trust in tests in the code's own process"] if receipt.trust_in_process else []
    return ", ".join(named)
