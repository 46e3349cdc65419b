"""What happens before a flow starts: documentation is read and fitted, the brief is written."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from assay.agents.brief import Brief
from assay.checks.delivered_tests import asks_for_tests
from assay.checks.environment import say_environment
from assay.checks.program_tests import describe_cases, parse_program_tests
from assay.checks.requested import find_examples
from assay.context.attachments import attachment_text
from assay.context.documentation import read_documentation
from assay.context.fitting import Fitted, fit
from assay.domain.event import DocumentationRead, DocumentationReading, Happening, Notice
from assay.domain.limits import EMBEDDED_ANSWER_TOKENS, EMBEDDED_DOCUMENTATION_TOKENS
from assay.domain.receipt import Environment
from assay.domain.task import DocumentPage, Task, TestKind
from assay.models.model import Model
from assay.tokens import count_tokens

ATTACHMENT_TOKENS = 2000
"""What the prompt shows of one attachment; the file itself lies in the working folder whole."""

ANSWER_TOKENS = 8192
"""What is left free for question and answer when documentation fills a model's window."""

QUESTION_TOKENS = 1000
"""What is left free for the question alone, where a window is small."""

LONG_PROMPT_TOKENS = 1000
SLOW_READING, QUICK_READING = 50, 160
"""Tokens a second that an embedded model reads on two cores."""


def documentation_room(model: Model) -> int:
    """Tokens of documentation in a prompt that leave the model room for question and answer."""
    if model.is_embedded:
        rest = EMBEDDED_ANSWER_TOKENS + QUESTION_TOKENS
        return max(0, min(EMBEDDED_DOCUMENTATION_TOKENS, model.context_tokens - rest))
    return max(0, model.context_tokens - ANSWER_TOKENS)


async def fitted_documentation(
    task: Task,
    *,
    budget_tokens: int,
    cache_folder: Path,
    allow_private: bool,
    record: Callable[[Happening], None],
) -> Fitted:
    """Read the task's documentation and fit it into `budget_tokens`.

    A follow-up with none of its own has what was read for the session before.

    Raises:
        DocumentationError: a source gives nothing to read.
    """
    if not task.documentation:
        return await _kept(task, budget_tokens)

    def on_page(source: str, pages: int) -> None:
        record(DocumentationReading(source=source, pages=pages))

    documentation = await read_documentation(
        task.documentation,
        cache_folder=cache_folder,
        allow_private=allow_private,
        on_page=on_page,
    )
    for skipped in documentation.skipped:
        record(Notice(text=f"{skipped.source} is left out: {skipped.reason}"))
    # Choosing from a large documentation takes seconds; events go on meanwhile.
    fitted = await asyncio.to_thread(fit, documentation.pages, budget_tokens, task.instructions)
    record(
        DocumentationRead(
            pages=len(documentation.pages),
            tokens=documentation.tokens,
            used_tokens=fitted.tokens,
            left_out=fitted.left_out,
        )
    )
    return fitted


async def _kept(task: Task, budget_tokens: int) -> Fitted:
    """The documentation of the session before; less of it where this model has less room."""
    text = task.earlier.documentation if task.earlier else ""
    if not text:
        return Fitted("", 0, (), ())
    tokens = count_tokens(text)
    if tokens <= budget_tokens:
        return Fitted(text, tokens, (), ())
    page = DocumentPage(source="the session before", title="", text=text, tokens=tokens)
    return await asyncio.to_thread(fit, (page,), budget_tokens, task.instructions)


def warn_of_cost(task: Task, model: Model, record: Callable[[Happening], None]) -> None:
    """Say so where a limit of cost is set and nothing can be held to it."""
    if task.limits.cost is not None and model.price is None and not model.is_embedded:
        record(
            Notice(
                text=f"What {model.name} costs is not known, so --max-cost limits nothing; "
                "--max-tokens does."
            )
        )


def warn_of_wait(tokens: int, record: Callable[[Happening], None]) -> None:
    """Say how long an embedded model will read documentation before its first word, if long."""
    if tokens >= LONG_PROMPT_TOKENS:
        quick, slow = tokens // QUICK_READING, tokens // SLOW_READING
        record(
            Notice(
                text=f"The model first reads {tokens:,} tokens of documentation: "
                f"{quick} to {slow} seconds on two cores, once."
            )
        )


def write_brief(
    task: Task,
    *,
    documentation: str,
    environment: Environment,
    shows_code: bool,
    folder: str = "",
) -> Brief:
    """The task as agents see it."""
    examples = all_examples(task, task.language)
    asked = (*(task.earlier.questions if task.earlier else ()), task.instructions)
    shown = () if task.hide_tests else task.tests
    wants_program = any(file.kind is TestKind.PROGRAM for file in task.tests)
    return Brief(
        instructions=task.instructions,
        language=task.language,
        environment=say_environment(environment, task.grants.stand_ins, has_input=wants_program),
        documentation=documentation,
        attachments=tuple(
            attachment_text(a, ATTACHMENT_TOKENS)
            for a in task.attachments
            if a.name not in task.folder
        ),
        folder=folder,
        tests=tuple(file for file in shown if file.kind is not TestKind.PROGRAM),
        cases=tuple(
            text
            for file in shown
            if file.kind is TestKind.PROGRAM
            for text in describe_cases(parse_program_tests(file).cases)
        ),
        examples=examples,
        answer=task.answer,
        wants_definitions=not wants_program
        and not folder
        and not asks_for_tests(task)
        and (bool(examples or task.tests) or any(asks_for_definition(one) for one in asked)),
        wants_tests=asks_for_tests(task),
        wants_program=wants_program,
        # Its documentation has its own place in prompts.
        earlier=task.earlier and task.earlier.model_copy(update={"documentation": ""}),
        shows_code=shows_code,
    )


def all_examples(task: Task, language: str | None) -> tuple[str, ...]:
    """The user's examples and those found in the request, each once.

    Only Python's are looked for: in an answer in another language they could not be run.
    """
    if language not in (None, "python"):
        return task.examples
    return tuple(dict.fromkeys((*task.examples, *find_examples(task.instructions))))


def asks_for_definition(instructions: str) -> bool:
    """Whether a function or class is asked for and no program around it."""
    return bool(_DEFINITION.search(instructions)) and not _PROGRAM.search(instructions)


_DEFINITION = re.compile(
    r"\b(write|implement|create|define|build|make|code)\b[^.?!\n]{0,80}"
    r"\b(function|method|class|decorator|generator)\b",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"\b(program|script|command|cli|prints?|printing|main|server|app|application|chain)\b",
    re.IGNORECASE,
)
