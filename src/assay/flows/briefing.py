"""The brief of a session: written once, and the same for every process that works on it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import TypeAdapter, ValidationError

from assay.agents.brief import Brief
from assay.context.workfolder import folder_text
from assay.domain.event import Happening, Notice
from assay.domain.solution import Solution
from assay.domain.task import Task
from assay.flows.following import missing_grants
from assay.flows.prepare import fitted_documentation, warn_of_cost, warn_of_wait, write_brief
from assay.flows.resources import Resources
from assay.store.json_text import to_json

_BRIEF = TypeAdapter(Brief)


async def brief_of(
    session: str,
    task: Task,
    resources: Resources,
    note: Callable[[Happening], None],
    keep: Callable[[str], Awaitable[None]],
) -> Brief:
    """The brief that is kept of the session, else a new one, which is kept.

    So prompts stay the same to the letter when pages, packages or limits have changed meanwhile.

    Args:
        session: Whose it is.
        task: What is asked.
        resources: Where the documentation and the packages come from.
        note: Has stored and shown what happens.
        keep: Stores the brief after that.

    Raises:
        DocumentationError: a source gives nothing to read.
        SandboxError: the task's language or its packages are not to be had.
    """
    kept = resources.store.record(session).prepared
    if kept is not None:
        try:
            return _BRIEF.validate_json(kept)
        except ValidationError:
            said = "Another version of Assay prepared this session; it is prepared again."
            note(Notice(text=said))
    brief = await _write(task, resources, note)
    text = to_json(_BRIEF, brief)
    await keep(text)
    return _BRIEF.validate_json(text)  # as it will be read


async def _write(task: Task, resources: Resources, note: Callable[[Happening], None]) -> Brief:
    model = resources.model
    warn_of_cost(task, model, note)
    for notice in missing_grants(task):
        note(notice)
    if task.grants.requirements:
        said = "The packages of --requirements are made ready; the first time, that takes long."
        note(Notice(text=said))
    environment = await resources.environment(task, Solution(language=task.language or "python"))
    if resources.has_to_compile_first(task):
        said = "The compiler's own library is compiled beforehand; once, that takes half a minute."
        note(Notice(text=said))
    await resources.expect_checks(task)
    documentation = await fitted_documentation(
        task,
        budget_tokens=resources.documentation_budget,
        cache_folder=resources.cache_folder,
        allow_private=resources.allow_private_addresses,
        record=note,
    )
    if model.is_embedded:
        warn_of_wait(documentation.tokens, note)
    files = [one for one in task.attachments if one.name in task.folder]
    folder = ""
    if files:
        folder = await asyncio.to_thread(
            folder_text, files, resources.folder_budget, task.instructions
        )
    return write_brief(
        task,
        folder=folder,
        documentation=documentation.text,
        environment=environment,
        # A small model that is shown its failed code copies it.
        shows_code=not model.is_embedded,
    ).model_copy(update={"templates": dict(resources.templates)})
