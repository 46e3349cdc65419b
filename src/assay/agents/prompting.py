"""Prompts are files: each role has `ROLE.system.jinja` and `ROLE.user.jinja` in prompts/.

A prompt's stable part comes first (documentation, rules, the task) and what grows from attempt
to attempt last, so that the prompt caches of providers and of llama.cpp can be used.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from assay.domain.message import Message

if TYPE_CHECKING:
    from jinja2 import Environment


def render(role: str, **values: object) -> tuple[Message, ...]:
    """Fill in the two templates of `role`; a name that a template needs and lacks is an error.

    Raises:
        jinja2.TemplateError: a template is missing, wrong, or lacks a value.
    """
    templates = _templates()
    system = templates.get_template(f"{role}.system.jinja").render(values).strip()
    user = templates.get_template(f"{role}.user.jinja").render(values).strip()
    return (Message(role="system", content=system), Message(role="user", content=user))


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("assay.agents", "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - prompts are plain text, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
