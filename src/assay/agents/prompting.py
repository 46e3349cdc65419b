"""Prompts are files: each role has `ROLE.system.jinja` and `ROLE.user.jinja` in prompts/.

A person's own templates of the same names come before these. A prompt's stable part comes first
(documentation, rules, the task) and what grows from attempt to attempt last, so that the prompt
caches of providers and of llama.cpp can be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from assay.domain.message import Message
from assay.domain.roles import ROLE_NAMES, RoleName
from assay.errors import BadInput
from assay.files import UnreadableFile, read_regular_file

if TYPE_CHECKING:
    from jinja2 import Environment

    from assay.agents.brief import Brief

PARTS = ("system", "user")
TEMPLATE_LIMIT = 1 << 20
"""Bytes that a person's template may have."""
_ENDING = ".jinja"


def render(role: RoleName, *, brief: Brief, **values: object) -> tuple[Message, ...]:
    """Fill in the two templates of `role`; a name that a template needs and lacks is an error.

    Raises:
        BadInput: a template of the person's own is wrong, or wants what there is not.
    """
    from jinja2 import TemplateError

    own = brief.templates
    environment = _environment(tuple(sorted(own.items())))
    said = []
    for part in PARTS:
        name = f"{role}.{part}{_ENDING}"
        try:
            text = environment.get_template(name).render(brief=brief, **values).strip()
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            if not own:
                raise
            raise BadInput(_explain(name, error)) from error
        said.append(text)
    return (Message(role="system", content=said[0]), Message(role="user", content=said[1]))


def read_templates(folder: Path) -> dict[str, str]:
    """A person's own templates, by their names.

    Raises:
        BadInput: the folder cannot be read, holds none, or one of a name that no role has.
    """
    known = {name.name for name in (resources.files("assay.agents") / "prompts").iterdir()}
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _ENDING)
        found = {path.name: read_regular_file(path, TEMPLATE_LIMIT).decode() for path in paths}
    except (OSError, UnreadableFile, UnicodeDecodeError) as error:
        raise BadInput(f"The prompts in {folder} cannot be read ({error}).") from error
    if unknown := sorted(found.keys() - known):
        raise BadInput(
            f"{folder / unknown[0]} is of no role. A prompt is called ROLE.system.jinja or "
            f"ROLE.user.jinja; the roles are {', '.join(ROLE_NAMES)}."
        )
    if not found:
        raise BadInput(
            f"There are no prompts in {folder}. Put files such as tester.system.jinja there; "
            "`assay agents --show tester` prints the usual ones."
        )
    return found


def template_of(role: RoleName, part: str) -> str:
    """The usual template of a role; `part` is one of PARTS."""
    path = resources.files("assay.agents") / "prompts" / f"{role}.{part}{_ENDING}"
    return path.read_text("utf-8")


@lru_cache(maxsize=8)
def _environment(own: tuple[tuple[str, str], ...]) -> Environment:
    from jinja2 import ChoiceLoader, DictLoader, PackageLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    templates: Mapping[str, str] = dict(own)
    return ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([DictLoader(templates), PackageLoader("assay.agents", "prompts")]),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _explain(name: str, error: Exception) -> str:
    line = getattr(error, "lineno", None)
    where = f"{name}, line {line}" if line else name
    return (
        f"The prompt {where} of your own cannot be used ({error}). `assay agents --show "
        f"{name.split('.', maxsplit=1)[0]}` prints the usual one, with all that it uses."
    )
